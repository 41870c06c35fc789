/* SPDX-License-Identifier: MIT */
/* The lengths of x86-64 instructions, as far as compilers make them. */
#ifndef LS_X86_LENGTH_H
#define LS_X86_LENGTH_H

#include <stddef.h>

/* Bytes of the instruction that begins at `code`, of which n bytes are there; 0: it is none that is
 * known here (segment loads by far pointers, XOP, APX), or it does not end. */
size_t ls_x86_length(const unsigned char *code, size_t n);

#endif
