/* SPDX-License-Identifier: MIT */
/* What programs have registered: their fat binaries, and the kernels and variables in those by
 * their names on the host. */
#ifndef LS_RUNTIME_REGISTER_H
#define LS_RUNTIME_REGISTER_H

#include "runtime/core/core.h"

struct ls_fatbin;
struct ls_registered; /* a kernel or a variable */

/* NULL when out of memory. */
struct ls_fatbin *ls_register_fatbin(const void *wrapper);
/* Forgets a fat binary. No work may use it any more. */
void ls_unregister_fatbin(struct ls_fatbin *fatbin);
/* NULL when out of memory, or without a name. */
struct ls_registered *ls_register_kernel(struct ls_fatbin *fatbin, const void *host,
                                         const char *name);
struct ls_registered *ls_register_var(struct ls_fatbin *fatbin, const void *host, const char *name,
                                      size_t bytes);
/* The program begins to use a device: the code that it brings for it is loaded now, rather than in
 * the time of the first launch. Cheap when called again. */
void ls_registered_warm_up(struct ls_device *dev);
/* Marks a variable as managed, and sets the host's pointer to its storage. */
void ls_register_managed(struct ls_registered *var, void **pointer, const void *init,
                         unsigned align);

#endif
