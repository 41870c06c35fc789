/* SPDX-License-Identifier: MIT */
/* Opens libclang. */
#include "libclang.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool
find(void *library, const char *name, void *to)
{
    void *function = dlsym(library, name);

    if (!function)
        fprintf(stderr, "hipify-clang: error: libclang has no %s\n", name);
    memcpy(to, &function, sizeof(function));
    return function != NULL;
}

bool
ls_cx_open(struct ls_cx *cx)
{
    static const char *const paths[] = {LS_LLVM_ROOT "/lib/libclang-19.so.1", "libclang-19.so.1"};
    void *library = NULL;

    for (size_t i = 0; !library && i < sizeof(paths) / sizeof(*paths); i++)
        library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr,
                "hipify-clang: error: libclang-19.so.1 is not there; Debian's package of it is "
                "libclang1-19 (hipify-perl needs none)\n");
        return false;
    }
#define LS_CX(result, name, parameters)                                                            \
    if (!find(library, "clang_" #name, &cx->name))                                                 \
        return false;
#include "libclang.def"
#undef LS_CX
    return true;
}
