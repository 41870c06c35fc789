/* SPDX-License-Identifier: MIT */
/* Which form of a kernel is the better one, by its own clock: results kept in the caches, or stored
 * past them. That depends on what the caches hold, how many share them and what memory is like,
 * none of which a machine says of itself. So the first launches of a kernel that write about as
 * much try both. */
#ifndef LS_CPU_FORM_H
#define LS_CPU_FORM_H

#include <stdbool.h>
#include <stdint.h>

enum ls_form { LS_FORM_KEPT = 0, LS_FORM_PAST, LS_N_FORMS };

/* Launches that write less never try: what they write stays in caches for whoever reads it next. */
#define LS_FORM_LEAST_BYTES (1u << 20)
/* Launches until the loser of a trial gets another chance, then twice as many, and so on: a first
 * trial may be beside other programs, and is soon made again. */
#define LS_FORM_PATIENCE    16u
#define LS_FORM_CLASSES     48u /* of sizes: powers of two and one and a half of them */

/* One kernel and class of sizes; zeros are a good beginning. */
struct ls_form_class {
    double ticks[LS_N_FORMS]; /* least for a block, of this trial */
    uint32_t n_runs;          /* of the form that runs, since it does */
    uint32_t patience;        /* launches until the other form gets another chance */
    uint32_t n_left;          /* of them */
    uint8_t form;             /* that runs */
    uint8_t first, settled;   /* the trial's first form; no trial: one is chosen */
    bool begun;
};

struct ls_forms {
    struct ls_form_class of[LS_FORM_CLASSES];
};

/* What has been chosen, for another process: one byte for each class, 0 = nothing yet, else the
 * form + 1. */
typedef uint8_t ls_form_record[LS_FORM_CLASSES];
void ls_forms_tell(const struct ls_forms *forms, ls_form_record record);
/* Classes of which nothing is known yet take what the record says, and try the other form when
 * their patience ends. False: nothing was new, or the record makes no sense. */
bool ls_forms_recall(struct ls_forms *forms, const ls_form_record record);

/* The class of a launch that writes so many bytes, NULL: of none. */
struct ls_form_class *ls_form_class(struct ls_forms *forms, uint64_t bytes);

/* The form for a launch of that class. `guess`: what a launch of which nothing is known should
 * have. */
enum ls_form ls_form_next(struct ls_forms *forms, struct ls_form_class *c, enum ls_form guess);

/* A launch in this form took so many ticks for a block. True: a form has been chosen by it, or
 * another one than before. */
bool ls_form_note(struct ls_form_class *c, enum ls_form form, double ticks);

#endif
