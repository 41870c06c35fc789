/* SPDX-License-Identifier: MIT */
/* The heap of a process that compiles and then ends. */
#ifndef LS_BASE_HEAP_H
#define LS_BASE_HEAP_H

#include <malloc.h>

/* Keeps what is freed, and grows in large steps. Else the top of the heap goes back to the kernel
 * and comes again with each pass of LLVM: a tenth and more of a large compile. */
static inline void
ls_heap_keep(void)
{
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 32 << 20);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

/* Gives back what is free: nothing is to be done for a while. */
static inline void
ls_heap_drop(void)
{
    malloc_trim(0);
}

#endif
