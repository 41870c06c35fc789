/* SPDX-License-Identifier: MIT */
/* Gathers that LLVM's register allocator made illegal. */
#ifndef LS_X86_GATHERS_H
#define LS_X86_GATHERS_H

#include <stdbool.h>
#include <stddef.h>

/* Gives each gather of this code whose index is also its destination (or mask) another index
 * register; returns how many there were. `code` begins with an instruction. */
unsigned ls_x86_mend_gathers(unsigned char *code, size_t bytes);

/* The same for the executable sections of a relocatable ELF object. */
unsigned ls_x86_mend_object(unsigned char *object, size_t bytes);

#endif
