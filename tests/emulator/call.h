/* SPDX-License-Identifier: MIT */
/* What decode.c adds to calls and address computations, and warp.c, memory.c read. */
#ifndef TESTS_EMU_CALL_H
#define TESTS_EMU_CALL_H

#include "emu_priv.h"

struct emu_call {
    struct function *callee;   /* NULL: the operand behind the arguments says it */
    const struct type **byval; /* by argument: the callee gets a copy of this type, or NULL */
};

struct emu_term {
    struct operand index;
    uint64_t scale;
    unsigned bits;
};
struct emu_gep {
    int64_t offset;
    unsigned n;
    struct emu_term *terms;
};

run_fn emu_unknown; /* fails and names the instruction */
void emu_free_machine(struct emu *emu);

#endif
