/* SPDX-License-Identifier: MIT */
/* C++ names as programmers write them, where the process has a C++ library that can tell. */
#include <dlfcn.h>
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
