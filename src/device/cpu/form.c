/* SPDX-License-Identifier: MIT */
/* Chooses between two forms of code by trying them. A trial is a few launches in one form, then as
 * many in the other; the first of each finds the caches as the other form has left them, and does
 * not count. */
#include "device/cpu/form.h"

#include <stddef.h>

/* N_COUNTED launches count, of which the fastest is the form's time: what disturbs a launch makes
 * it slower. Results that are kept help whoever reads them next, so the other form must win by
 * MARGIN. */
enum { N_COUNTED = 3, MOST_PATIENCE = 65536 };
#define MARGIN 0.9

struct ls_form_class *
ls_form_class(struct ls_forms *forms, uint64_t bytes)
{
    unsigned octave, i;

    if (bytes < LS_FORM_LEAST_BYTES)
        return NULL;
    octave = 63u - (unsigned)__builtin_clzll(bytes / LS_FORM_LEAST_BYTES);
    i = 2 * octave + (bytes >= ((uint64_t)LS_FORM_LEAST_BYTES << octave) / 2 * 3);
    return &forms->of[i < LS_FORM_CLASSES ? i : LS_FORM_CLASSES - 1];
}

/* What larger or smaller launches of this kernel have found: who stores less past the caches than
 * a smaller one does has no reason to. */
static enum ls_form
inherit(const struct ls_forms *forms, const struct ls_form_class *c, enum ls_form guess)
{
    for (const struct ls_form_class *d = c; d-- > forms->of;)
        if (d->settled && d->form == LS_FORM_PAST)
            return LS_FORM_PAST;
    for (const struct ls_form_class *d = c + 1; d < forms->of + LS_FORM_CLASSES; d++)
        if (d->settled && d->form == LS_FORM_KEPT)
            return LS_FORM_KEPT;
    return guess;
}

static void
begin(struct ls_form_class *c)
{
    c->first = c->form;
    c->settled = false;
    c->n_runs = 0;
    c->ticks[LS_FORM_KEPT] = c->ticks[LS_FORM_PAST] = 0;
}

enum ls_form
ls_form_next(struct ls_forms *forms, struct ls_form_class *c, enum ls_form guess)
{
    if (!c->begun) {
        c->begun = true;
        c->form = (uint8_t)inherit(forms, c, guess);
        c->patience = LS_FORM_PATIENCE;
        begin(c);
    }
    return (enum ls_form)c->form;
}

void
ls_forms_tell(const struct ls_forms *forms, ls_form_record record)
{
    for (unsigned i = 0; i < LS_FORM_CLASSES; i++) {
        const struct ls_form_class *c = &forms->of[i];
        bool again = c->patience > LS_FORM_PATIENCE; /* a later trial */

        record[i] = c->settled ? (uint8_t)(c->form + 1) : again ? (uint8_t)(c->first + 1) : 0;
    }
}

bool
ls_forms_recall(struct ls_forms *forms, const ls_form_record record)
{
    bool any = false;

    for (unsigned i = 0; i < LS_FORM_CLASSES; i++)
        if (record[i] > LS_N_FORMS)
            return false;
    for (unsigned i = 0; i < LS_FORM_CLASSES; i++) {
        struct ls_form_class *c = &forms->of[i];

        if (c->begun || record[i] == 0)
            continue;
        *c = (struct ls_form_class){.begun = true,
                                    .settled = true,
                                    .patience = 2 * LS_FORM_PATIENCE,
                                    .n_left = LS_FORM_PATIENCE,
                                    .form = (uint8_t)(record[i] - 1)};
        any = true;
    }
    return any;
}

static bool
settle(struct ls_form_class *c)
{
    uint8_t best =
        c->ticks[LS_FORM_PAST] < c->ticks[LS_FORM_KEPT] * MARGIN ? LS_FORM_PAST : LS_FORM_KEPT;

    c->form = best;
    c->settled = true;
    c->n_left = c->patience;
    if (c->patience < MOST_PATIENCE)
        c->patience *= 2;
    return true;
}

bool
ls_form_note(struct ls_form_class *c, enum ls_form form, double ticks)
{
    if (form != c->form)
        return false; /* it began before the form was changed */
    if (c->settled) {
        if (--c->n_left == 0)
            begin(c);
        return false;
    }
    if (c->n_runs++ > 0 && (c->ticks[form] == 0 || ticks < c->ticks[form]))
        c->ticks[form] = ticks;
    if (c->n_runs <= N_COUNTED)
        return false;
    if (form != c->first)
        return settle(c);
    c->form = form == LS_FORM_PAST ? LS_FORM_KEPT : LS_FORM_PAST;
    c->n_runs = 0;
    return false;
}
