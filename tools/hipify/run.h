/* SPDX-License-Identifier: MIT */
/* What hipify-perl and hipify-clang have in common: everything but the analysis. */
#ifndef LS_HIPIFY_RUN_H
#define LS_HIPIFY_RUN_H

#include "options.h"
#include "semantics.h"

struct ls_analysis {
    /* Fills *out for the text that stands under the path. false: it cannot, which has been said. */
    bool (*analyse)(void *user, const struct ls_hipify_options *opt, const char *path,
                    const char *text, size_t bytes, struct ls_semantics *out);
    /* Before the first file; after the last. */
    bool (*begin)(void *user, const struct ls_hipify_options *opt);
    void (*end)(void *user);
    void *user;
};

/* The program. `analysis`: NULL for hipify-perl. The exit code. */
int ls_hipify_main(int argc, char **argv, const struct ls_analysis *analysis);
/* hipify-clang's (clang.c). */
int ls_hipify_clang(int argc, char **argv);

#endif
