/* SPDX-License-Identifier: MIT */
/* C++ names as programmers write them, where the process has a C++ library that can tell. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

typedef char *(*demangle_fn)(const char *name, char *buffer, size_t *bytes, int *status);

void
ls_check_name(const char *name, char *to, size_t bytes)
{
    /* By the ABI of C++ (3.4): the function is of the library that programs in C++ bring. */
    demangle_fn demangle = (demangle_fn)(uintptr_t)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    int status = -1;
    char *plain = demangle && !strncmp(name, "_Z", 2) ? demangle(name, NULL, NULL, &status) : NULL;

    snprintf(to, bytes, "%s", plain ? plain : name);
    free(plain);
}

int
ls_check_say_shared(const struct ls_check_site *site, uint64_t offset, char *to, size_t bytes)
{
    char name[128] = "";

    if (site->variable)
        ls_check_variable_name((const char *)site + site->variable, name, sizeof(name));
    if (!site->room) /* an array whose size the launch gives lies behind all others */
        return snprintf(to, bytes, "byte %" PRIu64 " of shared memory%s%s", offset,
                        *name ? ", by " : "", name);
    return snprintf(to, bytes, "byte %" PRIu64 " of %s", offset - site->from, name);
}

void
ls_check_variable_name(const char *name, char *to, size_t bytes)
{
    char whole[1024];
    const char *last = whole;

    ls_check_name(name, whole, sizeof(whole));
    for (const char *at = strstr(whole, "::"); at; at = strstr(last, "::"))
        last = at + 2;
    snprintf(to, bytes, "%s", last);
}
