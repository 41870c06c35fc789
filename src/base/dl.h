/* SPDX-License-Identifier: MIT */
/* Finding files beside the library that this code is linked into. */
#ifndef LS_BASE_DL_H
#define LS_BASE_DL_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "<folder of this library>/<name>". False when that is unknown or too long. */
bool ls_dl_beside(const char *name, char *path, size_t bytes);

/* This program lies in a folder beside that library, and what is asked for beside the library. */
void ls_dl_is_helper(void);

#endif
