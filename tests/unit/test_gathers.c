/* SPDX-License-Identifier: MIT */
/* NEEDS: lockstep_compiler_objects ls_base */
/* Gathers whose registers coincide are given another index; nothing else is touched. */
#include <llvm-c/Target.h>

#include "compiler/x86/gathers.h"
#include "unit/test.h"

#define DISP 0, 0, 0, 0

static unsigned
mend(unsigned char *code, size_t bytes)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    return ls_x86_mend_gathers(code, bytes);
}

LS_TEST(undefined_index_of_masked_gather)
{
    /* vpgatherqd 0(,%zmm0,1), %ymm0{%k1}, behind a nop */
    unsigned char code[] = {0x90, 0x62, 0xf2, 0x7d, 0x49, 0x91, 0x04, 0x05, DISP, 0xc3};

    EXPECT_EQ(mend(code, sizeof(code)), 1);
    EXPECT_EQ(code[7], 0x0d); /* zmm1 */
    EXPECT_EQ(mend(code, sizeof(code)), 0);
}

LS_TEST(high_registers)
{
    /* vpgatherqd 0(,%zmm20,1), %ymm20{%k1}; the same with zmm4 as index is legal */
    unsigned char bad[] = {0x62, 0xe2, 0x7d, 0x41, 0x91, 0x24, 0x25, DISP};
    unsigned char good[] = {0x62, 0xe2, 0x7d, 0x49, 0x91, 0x24, 0x25, DISP};

    EXPECT_EQ(mend(bad, sizeof(bad)), 1);
    EXPECT_EQ(bad[6], 0x2d); /* zmm21 */
    EXPECT_EQ(mend(good, sizeof(good)), 0);
}

LS_TEST(mask_in_a_vector_register)
{
    /* vpgatherdd %xmm1, 0(,%xmm0,1), %xmm0 and vpgatherdd %xmm1, 0(,%xmm1,1), %xmm0 */
    unsigned char code[] = {0xc4, 0xe2, 0x71, 0x90, 0x04, 0x05, DISP,
                            0xc4, 0xe2, 0x71, 0x90, 0x04, 0x0d, DISP};

    EXPECT_EQ(mend(code, sizeof(code)), 2);
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
    EXPECT_EQ(mend(code, sizeof(code)), 0);
    EXPECT(!memcmp(before, code, sizeof(code)));
}
