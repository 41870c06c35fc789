/* SPDX-License-Identifier: MIT */
/* Inside lsreview: what was measured, what the sources say, and what is made of both. All memory
 * stays until the end. */
#ifndef LS_LSREVIEW_H
#define LS_LSREVIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arch.h"
#include "base/banks.h"
#include "front.h"
#include "source.h"

enum { WARP = 64, LINE_BYTES = 128, SECTOR_BYTES = 32 };

/* An access, or what else was counted at one place of a kernel. */
struct measure {
    uint32_t process, id;
    char *kernel, *variable;
    unsigned kind; /* of base/check_site.h */
    bool is_shared;
    uint32_t bytes;
    uint32_t singles, doubles; /* operations of a block of instructions, in each lane */
    uint64_t executions, samples, lanes, room;
    uint64_t lines, ideal_lines, sectors, ideal_sectors, same;
    uint64_t cycles[LS_N_BANK_MODELS], ideal_cycles[LS_N_BANK_MODELS];
    uint32_t degree[LS_N_BANK_MODELS];
    struct frame *frames; /* the innermost first */
    size_t n_frames;
    uint64_t mask, places[WARP]; /* of the most expensive one */
};

/* A kernel's code for AMD hardware. */
struct code {
    char *arch;
    struct ls_resources needs;
    uint32_t vgpr_spills, sgpr_spills;
};

struct kernel {
    char *name, *plain; /* mangled, and as programmers write it */
    uint64_t n_launches, n_blocks, lds_bytes, ns;
    uint32_t width, grid[3], block[3];
    struct code *codes;
    size_t n_codes;
};

struct measures {
    struct measure *all;
    size_t n;
    struct kernel *kernels;
    size_t n_kernels;
    bool started; /* some process was reviewed */
};

struct finding {
    const char *kind, *why; /* why: what is better, or NULL */
    char *message;
    const struct kernel *kernel;
    const struct measure *measure; /* NULL: it is the kernel's */
    const struct frame *at;        /* or NULL */
    double cost;                   /* cycles of a multiprocessor, about */
    unsigned n_like; /* other kernels, as of a template, with the same; cost: of all */
    double most;     /* the cost of the one kernel whose words these are */
    bool is_claimed; /* a comment says that it is not so */
};

struct review {
    struct measures m;
    struct finding *found;
    size_t n_found, n_allowed;       /* n_allowed: a comment switched them off */
    const struct ls_bank_model *gpu; /* chosen; NULL: by the warps' width */
    const char *gpu_name;            /* the same; or NULL */
};

/* measures.c: reads the records; false after a message. */
bool read_measures(const char *path, struct measures *out);
struct kernel *find_kernel(const struct measures *m, const char *name);

/* resources.c: finds the program's code objects. */
void find_codes(struct measures *m, const char *program);

/* judge.c */
void judge(struct review *r);
const struct ls_bank_model *model_of(const struct review *r, const struct kernel *k);
/* "32-bit read" */
const char *access_words(const struct measure *m, char text[64]);
bool is_access(const struct measure *m);
/* The innermost place that is not in headers of HIP or of clang; NULL: no place is known. */
const struct frame *place_of(const struct measure *m);

/* roofline.c */
struct peak {
    const char *name, *arch, *what, *source;
    double singles, doubles, bytes; /* a second */
};
/* What all launches of a kernel do. */
struct work {
    double singles, doubles; /* operations */
    double bytes, asked;     /* of memory: by sectors that warps touch, and by what lanes ask for */
};
const struct peak *peak_named(const char *name);
void print_peaks(FILE *to);
/* Of the GPU that was chosen, or the first that there is code for; NULL: unknown. */
const struct peak *peak_for(const struct review *r, const struct kernel *k);
struct work work_of(const struct review *r, const struct kernel *k);
/* The least that arithmetic, and memory, take. */
double compute_s(const struct peak *p, const struct work *w);
double memory_s(const struct peak *p, const struct work *w);
/* Operations a byte at which both take as long, in this mix of precisions. */
double balance(const struct peak *p, const struct work *w);

/* report.c */
void print_review(FILE *to, const struct review *r, bool all);
void write_review_json(FILE *to, const struct review *r, char **argv);
void write_review_sarif(FILE *to, const struct review *r, char **argv);

/* page.c: HTML */
void write_page(FILE *to, const struct review *r, char **argv);

#endif
