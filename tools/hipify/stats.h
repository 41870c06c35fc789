/* SPDX-License-Identifier: MIT */
/* What was translated, counted. */
#ifndef LS_HIPIFY_STATS_H
#define LS_HIPIFY_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "names.h"

struct ls_count {
    const struct ls_name *name;
    unsigned n;
    bool converted;
};

struct ls_kernel_count {
    char *name; /* owned */
    unsigned n;
};

struct ls_stats {
    const char *path; /* borrowed */
    struct ls_count *counts;
    size_t n_counts, cap_counts;
    struct ls_kernel_count *kernels;
    size_t n_kernels;
    unsigned n_launches, n_shared, n_builtins;
    unsigned n_warnings, touched_lines, last_line;
    unsigned n_files, n_touched_files; /* of a sum */
    size_t lines, bytes, touched_bytes;
    struct timespec begin, end;
    uint16_t *index; /* of a name's count: 1 + that in counts; ls_n_names of them */
    bool failed;
};

bool ls_stats_init(struct ls_stats *stats, const char *path);
void ls_stats_free(struct ls_stats *stats);
void ls_stats_count(struct ls_stats *stats, const struct ls_name *name, bool converted);
void ls_stats_launch(struct ls_stats *stats, const char *kernel, size_t bytes);
/* `bytes` of a line are replaced. */
void ls_stats_touch(struct ls_stats *stats, unsigned line, size_t bytes);
void ls_stats_add(struct ls_stats *sum, const struct ls_stats *stats);

/* `total`: of all files. */
void ls_stats_print(const struct ls_stats *stats, FILE *to, bool csv, bool total);
/* The lines of hipexamine-perl.sh. */
void ls_stats_print_classic(const struct ls_stats *stats, FILE *to, bool total);

#endif
