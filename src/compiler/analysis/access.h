/* SPDX-License-Identifier: MIT */
/* What an instruction of a kernel does to memory: behind ir/prepare.c these are all accesses that
 * its threads make themselves, and behind region/ also those of the slots that it made (private).
 * Services of the host (printf, malloc) make their own; what the vectoriser keeps in memory is none
 * of the kernel's. */
#ifndef LS_ANALYSIS_ACCESS_H
#define LS_ANALYSIS_ACCESS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

enum { LS_MAX_ACCESSES = 2 }; /* of one instruction */

struct ls_access {
    LLVMValueRef inst, pointer; /* of any address space */
    LLVMTypeRef type;           /* what lies there; NULL: n_bytes bytes */
    LLVMValueRef n_bytes;
    bool reads, writes; /* both and is_atomic: read, changed and written as one */
    bool is_atomic, is_volatile;
};

/* The accesses of an instruction: how many, and 0 for most. */
unsigned ls_accesses_of(LLVMValueRef inst, struct ls_access out[LS_MAX_ACCESSES]);

#endif
