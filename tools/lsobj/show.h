/* SPDX-License-Identifier: MIT */
/* Prints what entries of bundles hold. */
#ifndef LS_LSOBJ_SHOW_H
#define LS_LSOBJ_SHOW_H

#include "container.h"

/* An LSBC image; `details`: kernels and variables, too. */
void show_lsbc(struct bytes image, bool details);
/* An LSAO image: its objects. */
void show_lsao(struct bytes image);
/* A code object for AMD hardware: registers, memory and arguments of its kernels. */
void show_code_object(struct bytes object);

#endif
