/* SPDX-License-Identifier: MIT */
/* What the parts of the test runner share. */
#ifndef LS_TESTS_RUN_H
#define LS_TESTS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MAX_ARGS 128

enum kind { KIND_PROGRAM, KIND_HEADER, KIND_COMPILE, KIND_RUN };

struct directives {
    char *flags, *args, *env, *arch, *opt, *isa, *scalar, *far, *ptx, *host, *needs, *expect_error,
        *expect_output, *golden;
    int timeout_s, expect_exit;
};

struct task {
    enum kind kind;
    char *name; /* what a failure is reported as */
    char *argv[MAX_ARGS];
    int n_argv;
    char *env[32];
    int n_env;
    int timeout_s;
    const struct directives *directives; /* NULL for programs */
    char *binary; /* KIND_HEADER, KIND_COMPILE: what it writes; KIND_RUN: what it runs */
    const struct header *header; /* KIND_COMPILE: the precompiled one, or NULL */
    int n_header_words;          /* KIND_COMPILE: at the end of argv, for it */
    struct task **after;         /* KIND_COMPILE: runs that become ready, or fail with it */
    int n_after;
    int runs_left;        /* KIND_COMPILE: the binary goes when its last run ends */
    struct task *compile; /* KIND_RUN */
    bool has_ptx;         /* KIND_COMPILE: there is a run by tests/ptx_driver */
    bool is_scalar;       /* KIND_RUN */
    bool is_done;         /* KIND_HEADER */
    /* while running */
    pid_t pid;
    int fd;
    char *output;
    size_t n_output;
    double started, processor_s; /* of the process and all that it waited for */
    bool timed_out;
};

/* A string that lives as long as the runner. */
__attribute__((format(printf, 1, 2))) char *text(const char *format, ...);
/* Ends the runner where there is no memory. */
void *check_memory(void *memory);
/* The whole file with a zero behind it; NULL: it cannot be read. */
char *read_file(const char *path);
struct task *new_task(enum kind kind, char *name, int timeout_s);
void add_word(struct task *task, const char *word);
void enqueue(struct task *task);

/* A pack: a folder with programs built on this machine, for one without compilers. */

/* Writes what a run of the task needs and is judged by; its program lies in FOLDER/bin. False:
 * `folder` cannot be written, errno says why. */
bool pack_write(const char *folder, const struct task *run);
/* Enqueues the runs of a pack whose names `wanted` takes. False: there is no such pack, or it is
 * broken, which is said. */
bool pack_read(const char *folder, bool (*wanted)(const char *name));

#endif
