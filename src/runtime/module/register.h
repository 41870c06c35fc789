/* SPDX-License-Identifier: MIT */
/* What programs have registered: their fat binaries, and the kernels and variables in those by their names on
 * the host. */
#ifndef LS_RUNTIME_REGISTER_H
#define LS_RUNTIME_REGISTER_H

#include "runtime/core/core.h"

struct ls_fatbin;
struct ls_registered; /* a kernel or a variable */

/* NULL when out of memory. */
struct ls_fatbin *ls_register_fatbin(const void *wrapper);
/* What it needs of the devices has ended. */
void ls_unregister_fatbin(struct ls_fatbin *fatbin);
/* NULL when out of memory, or without a name. */
struct ls_registered *ls_register_kernel(struct ls_fatbin *fatbin, const void *host, const char *name);
struct ls_registered *ls_register_var(struct ls_fatbin *fatbin, const void *host, const char *name, size_t bytes);
/* The variable is managed: gives the pointer of the host its storage. */
void ls_register_managed(struct ls_registered *var, void **pointer, const void *init, unsigned align);

#endif
