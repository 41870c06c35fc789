/* SPDX-License-Identifier: MIT */
/* The one place that every access of a warp to memory passes, before it is lowered and where its
 * code goes: a checker that is chosen at code generation makes its code here. It finds the lanes'
 * addresses by ls_vf_address_vector(access->pointer), or by ls_vf_address_scalar where
 * ls_vf_is_uniform says that they are one, and which lanes take part by ls_vf_mask. What it makes
 * may not change what the access itself becomes. Nobody but lsopt looks today. */
#include "vector_priv.h"

#include "analysis/access.h"
#include "print/print.h"

static void
note_access(struct ls_vf *vf, const struct ls_access *access)
{
    ls_print_access(vf->cc, access, vf->shapes, vf->mask != NULL);
}

void
ls_vector_note_accesses(struct ls_vf *vf, LLVMValueRef inst)
{
    struct ls_access accesses[LS_MAX_ACCESSES];
    unsigned n = ls_accesses_of(inst, accesses);

    for (unsigned i = 0; i < n; i++)
        note_access(vf, &accesses[i]);
}
