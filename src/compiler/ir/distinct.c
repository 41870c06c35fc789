/* SPDX-License-Identifier: MIT */
/* Arguments that lead to memory of their own. Who wrote a kernel seldom says __restrict__; who
 * launches it knows: pointers into different allocations never meet, as no arithmetic leads from
 * one to another. Where the launch says so (the option `distinct`), accesses that start from
 * different arguments are marked with scopes, as clang marks restricted ones. The point is what
 * LLVM's passes make of it: a sum in memory (`c[i] += a[i * n + k] * b[k]`) is one in a
 * register. */
#include <stdio.h>
#include <string.h>

#include "analysis/access.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/prepare_priv.h"
#include "device/cpu/kernel_abi.h"

enum { WORDS = LS_CPU_REACH_UNKNOWN };

/* All accesses to memory of all threads, and those that write. */
static void
find_words(struct ls_cc *cc, LLVMValueRef fn, uint64_t *seen, uint64_t *written)
{
    struct ls_access all[LS_MAX_ACCESSES];

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            for (unsigned k = 0, n = ls_accesses_of(i, all); k < n; k++) {
                uint64_t words;

                if (LLVMGetPointerAddressSpace(LLVMTypeOf(all[k].pointer)) == 4)
                    continue; /* the arguments themselves, constants */
                words = ls_ir_starts_of(cc, all[k].pointer);
                *seen |= words;
                *written |= all[k].writes ? words : 0;
            }
}

static LLVMMetadataRef
make_scope(struct ls_cc *cc, LLVMMetadataRef domain, unsigned word)
{
    char name[32];
    LLVMMetadataRef of[2];
    int n = snprintf(name, sizeof(name), "lockstep argument at %u", word * 8);

    of[0] = LLVMMDStringInContext2(cc->llvm, name, (size_t)n);
    of[1] = domain;
    return LLVMMDNodeInContext2(cc->llvm, of, 2);
}

static void
set_scopes(struct ls_cc *cc, LLVMValueRef inst, const char *kind, LLVMMetadataRef const *scopes,
           uint64_t words)
{
    LLVMMetadataRef list[WORDS];
    size_t n = 0;

    for (unsigned w = 0; w < WORDS; w++)
        if (words >> w & 1)
            list[n++] = scopes[w];
    if (n)
        LLVMSetMetadata(inst, ls_ir_md_kind(cc, kind),
                        LLVMMetadataAsValue(cc->llvm, LLVMMDNodeInContext2(cc->llvm, list, n)));
}

bool
ls_distinct_mark(struct ls_cc *cc)
{
    LLVMValueRef fn = ls_program_get(cc);
    LLVMMetadataRef scopes[WORDS] = {NULL}, domain;
    uint64_t seen = 0, written = 0;

    find_words(cc, fn, &seen, &written);
    seen &= ~LS_CPU_REACH_ANY;
    /* Without a store, or with one pointer, there is nothing to be known. */
    if (!written || !(seen & (seen - 1)))
        return false;
    cc->distinct_wish = seen;
    cc->distinct = seen & cc->opt->distinct;
    if (!cc->distinct)
        return false;
    domain = LLVMMDStringInContext2(cc->llvm, "lockstep", strlen("lockstep"));
    domain = LLVMMDNodeInContext2(cc->llvm, &domain, 1);
    for (unsigned w = 0; w < WORDS; w++)
        if (seen >> w & 1)
            scopes[w] = make_scope(cc, domain, w);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            struct ls_access all[LS_MAX_ACCESSES];
            uint64_t words, others;

            if (ls_accesses_of(i, all) != 1 ||
                LLVMGetPointerAddressSpace(LLVMTypeOf(all[0].pointer)) == 4)
                continue;
            words = ls_ir_starts_of(cc, all[0].pointer);
            if (!words || words & LS_CPU_REACH_ANY)
                continue;
            /* One of the two is alone in its memory. */
            others = words & ~cc->distinct ? cc->distinct : seen;
            set_scopes(cc, i, "alias.scope", scopes, words);
            set_scopes(cc, i, "noalias", scopes, others & ~words);
        }
    return true;
}
