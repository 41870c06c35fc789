/* SPDX-License-Identifier: MIT */
/* The lowering of each device builtin, by the number of its row. */
#include "lower/lower_priv.h"

struct lowering {
    ls_lower_fn fn;
    long data;
};

#define LS_ROW(name, shape, flags, row_fn, row_data) {.fn = row_fn, .data = row_data},
static const struct lowering lowerings[] = {
#include "intrin/intrinsics.def"
};
#undef LS_ROW

LLVMValueRef
ls_lower_by_row(struct ls_vf *vf, LLVMValueRef call, const struct ls_intrin *row)
{
    const struct lowering *l = &lowerings[ls_intrin_number(row)];

    return l->fn(vf, call, l->data);
}

bool
ls_lower_has_row(const struct ls_intrin *row)
{
    return lowerings[ls_intrin_number(row)].fn != NULL;
}
