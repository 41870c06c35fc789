/* SPDX-License-Identifier: MIT */
/* What the files of hiprtc share. */
#ifndef LS_HIPRTC_PRIV_H
#define LS_HIPRTC_PRIV_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <hip/hiprtc.h>

/* Bytes that grow, with room for a final 0 that is not counted. Zero-initialised = empty. */
struct ls_rtc_buf {
    char *data;
    size_t n, cap;
    bool failed; /* memory ran out, and what was added since is lost */
};
void ls_rtc_add(struct ls_rtc_buf *buf, const void *data, size_t n);
void ls_rtc_addf(struct ls_rtc_buf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void ls_rtc_buf_fini(struct ls_rtc_buf *buf);
bool ls_rtc_read_file(const char *path, struct ls_rtc_buf *out);

/* Arguments of a child process, NULL-terminated, owned. */
struct ls_rtc_args {
    char **v;
    size_t n, cap;
    bool failed;
};
void ls_rtc_arg(struct ls_rtc_args *args, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void ls_rtc_args_fini(struct ls_rtc_args *args);

/* Runs args[0] with the file `in` as standard input and waits; what it prints goes to `log`.
 * Returns its exit code, 128 + signal, or -1 with a message in the log. Where the program ignores
 * SIGCHLD the exit code is lost: then the existence of the file `made` means success. */
int ls_rtc_run(const struct ls_rtc_args *args, const char *in, const char *made,
               struct ls_rtc_buf *log);

/* A private folder; removed with all that lies in it. */
bool ls_rtc_temp_create(char path[PATH_MAX]);
void ls_rtc_temp_remove(const char *path);

struct ls_rtc_name {
    char *expression; /* as the user wrote it, owned */
    char *lowered;    /* owned; NULL until compiled */
};

struct ls_rtc_header {
    char *text, *name; /* owned */
};

struct _hiprtcProgram {
    struct _hiprtcProgram *next; /* list of all; guarded by the lock of hiprtc.c */
    char *source, *name;         /* owned */
    struct ls_rtc_header *headers;
    size_t n_headers;
    struct ls_rtc_name *names;
    size_t n_names;
    bool compiled;
    struct ls_rtc_buf log, code, bitcode;
};

struct ls_rtc_input {
    char *data;
    size_t n;
};

struct ihiprtcLinkState {
    struct ihiprtcLinkState *next; /* list of all; guarded by the lock of hiprtc.c */
    struct ls_rtc_input *inputs;
    size_t n_inputs;
    char *info_log, *error_log; /* the user's buffers */
    size_t info_bytes, error_bytes;
    struct ls_rtc_buf log, code;
};

/* refuse.c: whether the option would have the compiler run code of others. Behind it: compile.c,
 * link.c. */
bool ls_rtc_refuses(const char *option);
hiprtcResult ls_rtc_compile(hiprtcProgram prog, int n_options, const char **options);
hiprtcResult ls_rtc_link_add(hiprtcLinkState state, hiprtcJITInputType type, const char *data,
                             size_t n);
hiprtcResult ls_rtc_link(hiprtcLinkState state);
/* The architecture of the current device: "gfx1100". False when there is no runtime. */
bool ls_rtc_device_arch(char *arch, size_t bytes);

/* pch.c: the path of hipcc; a precompiled header for these options of hipcc, made if need be.
 * False: there is none. */
bool ls_rtc_hipcc(char path[PATH_MAX]);
bool ls_rtc_pch_find(const char *hipcc, char *const *options, size_t n_options,
                     char path[PATH_MAX]);

/* lowering.c: messages go to the log. Each replaces *bitcode or fills *image. */
bool ls_rtc_take_names(struct ls_rtc_buf *bitcode, const char *prefix, struct ls_rtc_name *names,
                       size_t n_names, struct ls_rtc_buf *log);
bool ls_rtc_describe(const struct ls_rtc_buf *bitcode, const char *arch, struct ls_rtc_buf *image,
                     struct ls_rtc_buf *log);
bool ls_rtc_link_bitcode(const struct ls_rtc_input *inputs, size_t n, struct ls_rtc_buf *out,
                         struct ls_rtc_buf *log);

#endif
