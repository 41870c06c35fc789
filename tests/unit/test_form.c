/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_device_cpu */
/* Which form of a kernel is chosen, by times that are made up. */
#include <string.h>

#include "device/cpu/form.h"
#include "unit/test.h"

static struct ls_forms forms;

/* So many launches, each of which takes the time of its form; what the last had. */
static enum ls_form
launch(uint64_t bytes, unsigned n, enum ls_form guess, double kept, double past, unsigned *n_past)
{
    struct ls_form_class *c = ls_form_class(&forms, bytes);
    enum ls_form form = LS_FORM_KEPT;

    for (unsigned i = 0; i < n; i++) {
        form = ls_form_next(&forms, c, guess);
        ls_form_note(c, form, form == LS_FORM_PAST ? past : kept);
        *n_past += form == LS_FORM_PAST;
    }
    return form;
}

LS_TEST(the_faster_form_stays)
{
    unsigned n_past = 0;

    memset(&forms, 0, sizeof(forms));
    EXPECT_EQ(launch(64 << 20, 1, LS_FORM_KEPT, 10, 7, &n_past), LS_FORM_KEPT);
    EXPECT_EQ(launch(64 << 20, 99, LS_FORM_KEPT, 10, 7, &n_past), LS_FORM_PAST);
    EXPECT(n_past >= 87); /* three trials */
    n_past = 0;
    EXPECT_EQ(launch(8 << 20, 100, LS_FORM_KEPT, 10, 15, &n_past), LS_FORM_KEPT);
    EXPECT(n_past <= 12);
}

LS_TEST(a_draw_keeps_results_in_the_caches)
{
    unsigned n_past = 0;

    memset(&forms, 0, sizeof(forms));
    EXPECT_EQ(launch(64 << 20, 100, LS_FORM_PAST, 10, 9.8, &n_past), LS_FORM_KEPT);
    EXPECT(n_past <= 12);
}

LS_TEST(the_first_launch_is_as_guessed_or_as_other_sizes_found)
{
    unsigned n_past = 0;

    memset(&forms, 0, sizeof(forms));
    EXPECT_EQ(launch(256 << 20, 1, LS_FORM_PAST, 10, 10, &n_past), LS_FORM_PAST);
    memset(&forms, 0, sizeof(forms));
    launch(16 << 20, 50, LS_FORM_KEPT, 10, 5, &n_past);
    EXPECT_EQ(launch(64 << 20, 1, LS_FORM_KEPT, 10, 5, &n_past), LS_FORM_PAST);
    EXPECT_EQ(launch(2 << 20, 1, LS_FORM_KEPT, 10, 5, &n_past), LS_FORM_KEPT);
    memset(&forms, 0, sizeof(forms));
    launch(64 << 20, 50, LS_FORM_PAST, 5, 10, &n_past);
    EXPECT_EQ(launch(16 << 20, 1, LS_FORM_PAST, 5, 10, &n_past), LS_FORM_KEPT);
}

LS_TEST(small_launches_never_try)
{
    EXPECT(ls_form_class(&forms, LS_FORM_LEAST_BYTES - 1) == NULL);
    EXPECT(ls_form_class(&forms, LS_FORM_LEAST_BYTES) != NULL);
    EXPECT(ls_form_class(&forms, UINT64_MAX) == &forms.of[LS_FORM_CLASSES - 1]);
    EXPECT(ls_form_class(&forms, 5 << 20) == ls_form_class(&forms, 4 << 20));
    EXPECT(ls_form_class(&forms, 6 << 20) == &ls_form_class(&forms, 5 << 20)[1]);
    EXPECT(ls_form_class(&forms, 7 << 20) == ls_form_class(&forms, 6 << 20));
    EXPECT(ls_form_class(&forms, 8 << 20) == &ls_form_class(&forms, 7 << 20)[1]);
}

/* A launch that the first one's page faults, or a neighbour, made slow does not decide. */
LS_TEST(one_slow_launch_decides_nothing)
{
    struct ls_form_class *c;
    enum ls_form form = LS_FORM_KEPT;

    memset(&forms, 0, sizeof(forms));
    c = ls_form_class(&forms, 64 << 20);
    for (unsigned i = 0; i < 20; i++) {
        form = ls_form_next(&forms, c, LS_FORM_KEPT);
        ls_form_note(c, form, i % 3 == 0 ? 100 : form == LS_FORM_PAST ? 12 : 10);
    }
    EXPECT_EQ(form, LS_FORM_KEPT);
}

/* What one process has found another one takes over, and tries again when its patience ends. */
LS_TEST(what_is_found_is_told)
{
    ls_form_record record, again;
    unsigned n_past = 0;

    memset(&forms, 0, sizeof(forms));
    launch(64 << 20, 100, LS_FORM_KEPT, 10, 7, &n_past);
    launch(2 << 20, 100, LS_FORM_KEPT, 10, 15, &n_past);
    launch(8 << 20, 3, LS_FORM_KEPT, 10, 15, &n_past); /* not decided */
    ls_forms_tell(&forms, record);
    memset(&forms, 0, sizeof(forms));
    EXPECT(ls_forms_recall(&forms, record));
    EXPECT(!ls_forms_recall(&forms, record));
    ls_forms_tell(&forms, again);
    EXPECT(memcmp(record, again, sizeof(record)) == 0);
    n_past = 0;
    EXPECT_EQ(launch(64 << 20, LS_FORM_PATIENCE, LS_FORM_KEPT, 10, 7, &n_past), LS_FORM_PAST);
    EXPECT_EQ(n_past, LS_FORM_PATIENCE);
    launch(64 << 20, 200, LS_FORM_KEPT, 10, 7, &n_past);
    EXPECT(n_past < 200 + LS_FORM_PATIENCE);
    memset(record, 0xff, sizeof(record));
    EXPECT(!ls_forms_recall(&forms, record));
}

/* A trial that is under way says what was found before. */
LS_TEST(a_later_trial_tells_the_choice_before_it)
{
    ls_form_record record;
    unsigned n_past = 0;

    memset(&forms, 0, sizeof(forms));
    launch(64 << 20, 8 + LS_FORM_PATIENCE + 5, LS_FORM_KEPT, 10, 7, &n_past);
    EXPECT(!ls_form_class(&forms, 64 << 20)->settled);
    ls_forms_tell(&forms, record);
    EXPECT_EQ(record[12], LS_FORM_PAST + 1);
}

/* Whoever chose while others had the machine soon chooses again. */
LS_TEST(a_choice_under_load_is_soon_mended)
{
    unsigned n_past = 0;

    memset(&forms, 0, sizeof(forms));
    EXPECT_EQ(launch(64 << 20, 9, LS_FORM_KEPT, 10, 30, &n_past), LS_FORM_KEPT);
    EXPECT_EQ(launch(64 << 20, 2 * LS_FORM_PATIENCE, LS_FORM_KEPT, 10, 7, &n_past), LS_FORM_PAST);
}

/* The machine changes, and so does the choice; but it is not asked for often. */
LS_TEST(another_chance_comes_and_comes_more_rarely)
{
    unsigned n_past = 0;

    memset(&forms, 0, sizeof(forms));
    launch(64 << 20, 10, LS_FORM_KEPT, 5, 10, &n_past);
    EXPECT_EQ(launch(64 << 20, 2000, LS_FORM_KEPT, 10, 5, &n_past), LS_FORM_PAST);
    memset(&forms, 0, sizeof(forms));
    n_past = 0;
    launch(64 << 20, 100000, LS_FORM_KEPT, 5, 10, &n_past);
    EXPECT(n_past > 6 && n_past < 60);
}

/* Launches that overlap a change of form. */
LS_TEST(what_began_before_does_not_count)
{
    struct ls_form_class *c;

    memset(&forms, 0, sizeof(forms));
    c = ls_form_class(&forms, 64 << 20);
    EXPECT_EQ(ls_form_next(&forms, c, LS_FORM_KEPT), LS_FORM_KEPT);
    for (unsigned i = 0; i < 100; i++)
        EXPECT(!ls_form_note(c, LS_FORM_PAST, 1));
    EXPECT_EQ(ls_form_next(&forms, c, LS_FORM_KEPT), LS_FORM_KEPT);
}
