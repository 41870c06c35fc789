/* SPDX-License-Identifier: MIT */
/* A linker for the one kind of object that we emit: no process is started, nothing is read from
 * disk. */
#ifndef LS_X86_LINK_H
#define LS_X86_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Links one x86-64 relocatable ELF object into a shared object, arena memory. False when the object
 * holds something that this linker doesn't know: then use the system's. */
bool ls_x86_link_object(struct ls_arena *arena, const void *object, size_t bytes, void **image,
                    size_t *image_bytes);

#endif
