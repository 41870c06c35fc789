/* SPDX-License-Identifier: MIT */
/* Mends gathers whose index register LLVM left undefined.
 *
 * The registers of a gather must differ from each other, or the instruction is illegal. LLVM's
 * register allocator knows that, but gives an undefined operand any register, the destination's
 * too. An index is undefined only where none of its lanes can be active (poison addresses behind a
 * mask that is empty when the program runs), so any other register does as well. Met with znver4's
 * schedule: tests/unit/test_gathers.c.
 *
 * The bytes are searched first; only where something looks like such a gather, the code around it
 * is read, to know where instructions begin. */
#include "compiler/x86/gathers.h"

#include <elf.h>
#include <string.h>

#include "compiler/x86/length.h"

/* VEX.128/256 and EVEX gathers: opcodes 90 to 93 of map 0F38, ModRM with a SIB byte. */
struct gather {
    size_t sib;               /* offset of the SIB byte */
    unsigned to, index, mask; /* vector registers; an EVEX mask is of another kind: NO_MASK */
};

#define NO_MASK (~0u)

static bool
read_gather(const unsigned char *p, size_t n, struct gather *g)
{
    if (n >= 7 && p[0] == 0x62 && (p[1] & 0x0f) == 0x02 && (p[2] & 0x07) == 0x05 &&
        (p[4] & 0xfc) == 0x90) {
        const unsigned char *modrm = p + 5;

        g->sib = 6;
        g->to = (modrm[0] >> 3 & 7) | (p[1] & 0x80 ? 0 : 8) | (p[1] & 0x10 ? 0 : 16);
        g->index = (p[6] >> 3 & 7) | (p[1] & 0x40 ? 0 : 8) | (p[3] & 0x08 ? 0 : 16);
        g->mask = NO_MASK;
        return (modrm[0] & 7) == 4 && modrm[0] < 0xc0;
    }
    if (n >= 6 && p[0] == 0xc4 && (p[1] & 0x1f) == 0x02 && (p[2] & 0x03) == 0x01 &&
        (p[3] & 0xfc) == 0x90) {
        const unsigned char *modrm = p + 4;

        g->sib = 5;
        g->to = (modrm[0] >> 3 & 7) | (p[1] & 0x80 ? 0 : 8);
        g->index = (p[5] >> 3 & 7) | (p[1] & 0x40 ? 0 : 8);
        g->mask = ~(p[2] >> 3) & 15;
        return (modrm[0] & 7) == 4 && modrm[0] < 0xc0;
    }
    return false;
}

static bool
illegal(const struct gather *g)
{
    return g->index == g->to || g->index == g->mask;
}

static void
mend(unsigned char *p, const struct gather *g)
{
    unsigned low = g->index & 7, high = g->index & ~7u;

    for (unsigned flip = 1; flip < 8; flip++) {
        unsigned index = high | (low ^ flip);
        if (index != g->to && index != g->mask) {
            p[g->sib] = (unsigned char)((p[g->sib] & ~0x38) | (index & 7) << 3);
            return;
        }
    }
}

unsigned
ls_x86_mend_gathers(unsigned char *code, size_t bytes)
{
    struct gather g;
    size_t at = 0;
    unsigned n = 0;

    for (size_t i = 0; i < bytes; i++) {
        size_t step = 1;

        if (!read_gather(code + i, bytes - i, &g) || !illegal(&g))
            continue;
        while (at < i && (step = ls_x86_length(code + at, bytes - at)) > 0)
            at += step;
        if (at != i) /* the bytes are inside another instruction */
            continue;
        mend(code + i, &g);
        n++;
    }
    return n;
}

unsigned
ls_x86_mend_object(unsigned char *object, size_t bytes)
{
    Elf64_Ehdr eh;
    unsigned n = 0;

    if (bytes < sizeof(eh))
        return 0;
    memcpy(&eh, object, sizeof(eh));
    for (unsigned k = 0; k < eh.e_shnum; k++) {
        Elf64_Shdr sh;

        if (eh.e_shoff > bytes || (k + 1) * sizeof(sh) > bytes - eh.e_shoff)
            break;
        memcpy(&sh, object + eh.e_shoff + k * sizeof(sh), sizeof(sh));
        if (sh.sh_type == SHT_PROGBITS && sh.sh_flags & SHF_EXECINSTR && sh.sh_offset <= bytes &&
            sh.sh_size <= bytes - sh.sh_offset)
            n += ls_x86_mend_gathers(object + sh.sh_offset, sh.sh_size);
    }
    return n;
}
