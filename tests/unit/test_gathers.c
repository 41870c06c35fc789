/* SPDX-License-Identifier: MIT */
/* NEEDS: lockstep_compiler_objects ls_base */
/* Gathers whose registers coincide are given another index; nothing else is touched. */
#include <stdlib.h>
#include <string.h>

#include "compiler/x86/gathers.h"
#include "compiler/x86/length.h"
#include "unit/test.h"

#define DISP 0, 0, 0, 0

LS_TEST(undefined_index_of_masked_gather)
{
    /* vpgatherqd 0(,%zmm0,1), %ymm0{%k1}, behind a nop */
    unsigned char code[] = {0x90, 0x62, 0xf2, 0x7d, 0x49, 0x91, 0x04, 0x05, DISP, 0xc3};

    EXPECT_EQ(ls_x86_mend_gathers(code, sizeof(code)), 1);
    EXPECT_EQ(code[7], 0x0d); /* zmm1 */
    EXPECT_EQ(ls_x86_mend_gathers(code, sizeof(code)), 0);
}

LS_TEST(high_registers)
{
    /* vpgatherqd 0(,%zmm20,1), %ymm20{%k1}; the same with zmm4 as index is legal */
    unsigned char bad[] = {0x62, 0xe2, 0x7d, 0x41, 0x91, 0x24, 0x25, DISP};
    unsigned char good[] = {0x62, 0xe2, 0x7d, 0x49, 0x91, 0x24, 0x25, DISP};

    EXPECT_EQ(ls_x86_mend_gathers(bad, sizeof(bad)), 1);
    EXPECT_EQ(bad[6], 0x2d); /* zmm21 */
    EXPECT_EQ(ls_x86_mend_gathers(good, sizeof(good)), 0);
}

LS_TEST(mask_in_a_vector_register)
{
    /* vpgatherdd %xmm1, 0(,%xmm0,1), %xmm0 and vpgatherdd %xmm1, 0(,%xmm1,1), %xmm0 */
    unsigned char code[] = {0xc4, 0xe2, 0x71, 0x90, 0x04, 0x05, DISP,
                            0xc4, 0xe2, 0x71, 0x90, 0x04, 0x0d, DISP};

    EXPECT_EQ(ls_x86_mend_gathers(code, sizeof(code)), 2);
    EXPECT_EQ(code[5], 0x15);  /* xmm2: neither destination nor mask */
    EXPECT_EQ(code[15], 0x1d); /* xmm3: xmm0 is the destination */
}

LS_TEST(bytes_inside_another_instruction)
{
    /* movabs $0x..., %rax whose constant looks like a gather; then a legal gather */
    unsigned char code[] = {0x48, 0xb8, 0x62, 0xf2, 0x7d, 0x49, 0x91, 0x04, 0x05,
                            0x00, 0x62, 0x32, 0x7d, 0x49, 0x91, 0x04, 0x0d, DISP};
    unsigned char before[sizeof(code)];

    memcpy(before, code, sizeof(code));
    EXPECT_EQ(ls_x86_mend_gathers(code, sizeof(code)), 0);
    EXPECT(!memcmp(before, code, sizeof(code)));
}

/* One instruction of each form, as an assembler writes them, behind each other. */
LS_TEST(lengths)
{
    static const struct {
        size_t n;
        unsigned char code[16];
    } rows[] = {
        {1, {0x90}},                                           /* nop */
        {1, {0xc3}},                                           /* ret */
        {2, {0x31, 0xc0}},                                     /* xor %eax, %eax */
        {3, {0x48, 0x89, 0xe5}},                               /* mov %rsp, %rbp */
        {7, {0x48, 0x8d, 0x05, DISP}},                         /* lea 0(%rip), %rax */
        {8, {0x48, 0x8b, 0x04, 0x25, DISP}},                   /* mov 0, %rax */
        {5, {0x48, 0x8b, 0x44, 0x24, 0x08}},                   /* mov 8(%rsp), %rax */
        {8, {0x48, 0x8b, 0x84, 0x24, DISP}},                   /* mov 0(%rsp), %rax */
        {10, {0x48, 0xb8, DISP, DISP}},                        /* movabs $0, %rax */
        {5, {0xb8, DISP}},                                     /* mov $0, %eax */
        {4, {0x66, 0xb8, 0, 0}},                               /* mov $0, %ax */
        {5, {0x66, 0xc7, 0x00, 0, 0}},                         /* movw $0, (%rax) */
        {7, {0x48, 0x81, 0xec, DISP}},                         /* sub $0, %rsp */
        {4, {0x48, 0x83, 0xec, 0x08}},                         /* sub $8, %rsp */
        {2, {0xf6, 0xd8}},                                     /* neg %al */
        {3, {0xf6, 0xc0, 0x01}},                               /* test $1, %al */
        {6, {0xf7, 0xc0, DISP}},                               /* test $0, %eax */
        {3, {0x48, 0xf7, 0xd8}},                               /* neg %rax */
        {5, {0xe8, DISP}},                                     /* call */
        {2, {0x74, 0x02}},                                     /* je */
        {6, {0x0f, 0x84, DISP}},                               /* je */
        {9, {0x66, 0x0f, 0x1f, 0x84, DISP, 0}},                /* nopw 0(%rax,%rax,1) */
        {10, {0x66, 0x2e, 0x0f, 0x1f, 0x84, DISP, 0}},         /* nopw %cs:... */
        {5, {0xf0, 0x0f, 0xb1, 0x0c, 0x24}},                   /* lock cmpxchg %ecx, (%rsp) */
        {4, {0xf3, 0x0f, 0x1e, 0xfa}},                         /* endbr64 */
        {5, {0x66, 0x0f, 0x70, 0xc0, 0x55}},                   /* pshufd $85, %xmm0, %xmm0 */
        {5, {0x66, 0x0f, 0x38, 0x00, 0xc1}},                   /* pshufb %xmm1, %xmm0 */
        {6, {0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x04}},             /* palignr $4, %xmm1, %xmm0 */
        {3, {0xc5, 0xf8, 0x77}},                               /* vzeroupper */
        {4, {0xc5, 0xfc, 0x58, 0xc1}},                         /* vaddps %ymm1, %ymm0, %ymm0 */
        {5, {0xc5, 0xf9, 0x70, 0xc0, 0x55}},                   /* vpshufd $85, %xmm0, %xmm0 */
        {5, {0xc4, 0xe2, 0x7d, 0x18, 0xc0}},                   /* vbroadcastss %xmm0, %ymm0 */
        {6, {0xc4, 0xe3, 0x7d, 0x39, 0xc0, 0x01}},             /* vextracti128 */
        {6, {0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1}},             /* vaddps %zmm1, %zmm0, %zmm0 */
        {7, {0x62, 0xf1, 0x7c, 0x48, 0x10, 0x47, 0x01}},       /* vmovups 64(%rdi), %zmm0 */
        {7, {0x62, 0xf3, 0xfd, 0x48, 0x3b, 0xc0, 0x01}},       /* vextracti64x4 */
        {6, {0x62, 0xf5, 0x7c, 0x48, 0x58, 0xc1}},             /* vaddph %zmm1, %zmm0, %zmm0 */
        {11, {0x62, 0xf2, 0x7d, 0x49, 0x91, 0x04, 0x05, DISP}}, /* vpgatherqd */
        {0, {0x9a}},                                           /* a far call: none */
        {0, {0x62, 0xf2}},                                     /* cut off */
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        unsigned char *cut = malloc(rows[i].n + 2);

        EXPECT_EQ(ls_x86_length(rows[i].code, rows[i].n ? 16 : 2), rows[i].n);
        for (size_t n = 0; n < rows[i].n; n++) { /* of just that size, for sanitizers */
            free(cut);
            cut = malloc(n ? n : 1);
            memcpy(cut, rows[i].code, n);
            EXPECT_EQ(ls_x86_length(cut, n), 0);
        }
        free(cut);
    }
}
