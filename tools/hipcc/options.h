/* SPDX-License-Identifier: MIT */
/* One argument of hipcc: its words, by options.def, and from @files and the environment. What they
 * mean is said by who reads them: args.c, and nvidia.c on NVIDIA's platform. */
#ifndef LS_HIPCC_OPTIONS_H
#define LS_HIPCC_OPTIONS_H

#include "hipcc_priv.h"

enum form { FLAG, JOINED, SEPARATE, EITHER };

enum route {
    HOST = 1,
    DEVICE = 2,
    LINK = 4,
    ACTION = 8, /* the values from here on are actions of the driver, and no bits to be combined */
    OBJECT,
    ASSEMBLY,
    PREPROCESS,
    DEPS_ONLY,
    SYNTAX,
    EMIT_LLVM,
    OUTPUT,
    LANGUAGE,
    VERBOSE,
    DRY_RUN,
    VERSION,
    HELP,
    SAVE_TEMPS,
    ARCH,
    NO_ARCH,
    DEVICE_ONLY,
    HOST_ONLY,
    BOTH_PASSES,
    GENCO,
    STATIC_LIB,
    RDC,
    NO_RDC,
    BUNDLE,
    NO_BUNDLE,
    JOBS,
    ROCM_PATH,
    IGNORED,
    NO_RUNTIME,
    NO_WRAPPER,
    HIP_LINK,
    STATIC_RUNTIME,
    UNSUPPORTED,
    NO_DEVICE_LINK,
    NO_DEVICE_CHECKS,
    WARN_REGISTER,
    FORWARDED,
    CUID,
    WAVE64,
    WAVE32,
    DEPS,
    DEP_OPTION,
    DEP_FILE,
    DEP_TARGET,
    DEPS_WP,
    QUERY,
    DEFINE,
    XARCH_HOST,
    XARCH_DEVICE,
    XARCH,
    PARTIAL_LINK,
    OPT_LEVEL,
    OBJECT_VERSION,
    FAST_MATH,
    CODE_OBJECT,
    NO_CODE_OBJECT,
    NO_FAST_MATH,
    DEBUG,
    COMPRESS,
    NO_COMPRESS,
    COMPRESSION_LEVEL,
};

struct option {
    const char *name;
    enum form form;
    unsigned route;
};

/* One argument as it was understood: its words, and its value where it has one. */
struct arg {
    const struct option *option; /* NULL = not in the table */
    const char *words[2];
    int n_words;
    const char *value;
};

/* Reads the argument at *at, which is an option, and moves behind it. False: a message was
 * printed. */
bool ls_arg_next(const struct ls_strv *args, size_t *at, struct arg *arg);
/* The row of an option, or NULL. */
const struct option *ls_option_find(const char *text);

/* Adds the argument, or what stands in the file that @FILE names. */
bool ls_args_expand(const char *arg, int depth, struct ls_strv *out);
/* Adds the words of a variable of the environment. */
bool ls_args_append_env(const char *name, struct ls_strv *out);

#endif
