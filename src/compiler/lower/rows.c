/* SPDX-License-Identifier: MIT */
/* The lowering of each device builtin, by the number of its row. */
#include "lower/rows.h"

#include "lower/lower_priv.h"
#include "compiler/print/print.h"

#define LS_ROW(name, shape, flags, row_fn, row_data) row_fn,
static const ls_lower_fn lowerings[] = {
#include "intrin/intrinsics.def"
};
#undef LS_ROW

LLVMValueRef
ls_lower_by_row(struct ls_vf *vf, LLVMValueRef call, const struct ls_intrin *row)
{
    if (vf->n_lanes == 1 && row->flags & LS_IF_LANES) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call,
                "%s depends on the lanes of a warp: not in scalar code", row->name);
        vf->failed = true;
        return NULL;
    }
    ls_print_row(vf->cc, row);
    return lowerings[ls_intrin_number(row)](vf, call, row->data);
}

bool
ls_lower_has_row(const struct ls_intrin *row)
{
    return lowerings[ls_intrin_number(row)] != NULL;
}

const struct ls_intrin *
ls_lower_next_row(const struct ls_intrin *row)
{
    while ((row = ls_intrin_next(row)) != NULL)
        if (lowerings[ls_intrin_number(row)] != ls_lower_unexpected)
            return row;
    return NULL;
}
