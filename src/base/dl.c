/* SPDX-License-Identifier: MIT */
/* Finding files beside the library that this code is linked into. */
#include "base/dl.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char anchor; /* an address inside this library */

static bool is_helper; /* written once, by main */

void
ls_dl_is_helper(void)
{
    is_helper = true;
}

bool
ls_dl_beside(const char *name, char *path, size_t bytes)
{
    char real[PATH_MAX];
    Dl_info info;
    char *slash;

    if (!dladdr(&anchor, &info) || !info.dli_fname || !realpath(info.dli_fname, real))
        return false;
    slash = strrchr(real, '/');
    if (!slash)
        return false;
    *slash = 0;
    if (is_helper && (slash = strrchr(real, '/')) != NULL)
        *slash = 0;
    return (size_t)snprintf(path, bytes, "%s/%s", real, name) < bytes;
}
