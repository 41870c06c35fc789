/* SPDX-License-Identifier: MIT */
/* Inside lscheck: findings as the program wrote them down, and their formats. */
#ifndef LS_LSCHECK_H
#define LS_LSCHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "front.h"

struct finding {
    unsigned id;
    uint32_t process; /* ids are a process's own */
    char *check, *kind, *message, *where;
    struct frame *frames;
    size_t n_frames;
    char **notes;
    size_t n_notes;
    uint64_t count;
};

struct findings {
    struct finding *all;
    size_t n;
    bool started; /* some process checked its kernels */
    const char *tool; /* whose findings they are: lscheck, lsreview */
};

/* Reads the records of a file; false after a message. All memory stays until the end. */
bool read_records(const char *path, struct findings *out);

/* argv: the program that was run. */
void write_json(FILE *to, const struct findings *f, char **argv);
void write_sarif(FILE *to, const struct findings *f, char **argv);
void write_findings_page(FILE *to, const struct findings *f, char **argv); /* HTML */

#endif
