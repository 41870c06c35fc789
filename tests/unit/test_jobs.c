/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_device_cpu ls_base */
/* How work is dealt out to threads: each item is run once, whoever comes late; as many threads run
 * or poll as there are seats; limits of control groups. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/cpu/cpu_priv.h"
#include "unit/test.h"

/* Jobs */

static struct ls_work *
work_of(uint64_t n_items, uint32_t least, uint32_t most)
{
    struct ls_work *w = calloc(1, sizeof(*w));

    ls_cpu_of(w)->n_items = n_items;
    ls_cpu_of(w)->least = least;
    ls_cpu_of(w)->most = most;
    return w;
}

LS_TEST(parts_are_ranges)
{
    struct ls_cpu_job *j = ls_job_create(0, false, 16);
    struct ls_work *w = work_of(1000, 1, 1000);
    struct ls_cpu_piece p;

    ls_job_deal(j, w, 10);
    EXPECT_EQ(ls_job_unclaimed(j), 1000);
    REQUIRE(ls_job_claim(j, 3, UINT32_MAX, &p)); /* half of the fourth part, from its front */
    EXPECT_EQ(p.first, 300);
    EXPECT_EQ(p.count, 50);
    REQUIRE(ls_job_claim(j, 13, UINT32_MAX, &p)); /* places beyond the parts share them */
    EXPECT_EQ(p.first, 350);
    EXPECT_EQ(p.count, 25);
    for (int i = 0; i < 5; i++)
        REQUIRE(ls_job_claim(j, 3, UINT32_MAX, &p));
    EXPECT_EQ(p.first, 399);
    REQUIRE(ls_job_claim(j, 3, UINT32_MAX, &p)); /* from the back of another */
    EXPECT_EQ(p.first + p.count, 500);
    EXPECT_EQ(p.count, 50);
    while (ls_job_claim(j, 3, LS_JOB_ALL, &p))
        continue;
    EXPECT_EQ(ls_job_unclaimed(j), 0);
    free(w);
    free(j);
}

LS_TEST(less_than_a_piece_is_left_to_its_owner)
{
    struct ls_cpu_job *j = ls_job_create(0, false, 2);
    struct ls_work *w = work_of(200, 40, 200);
    struct ls_cpu_piece p;

    ls_job_deal(j, w, 2);
    REQUIRE(ls_job_claim(j, 0, 70, &p)); /* 30 are left in the first part: half, or 40 at least */
    EXPECT_EQ(p.count, 50);
    REQUIRE(ls_job_claim(j, 0, 20, &p));
    EXPECT_EQ(p.count, 20);
    REQUIRE(ls_job_claim(j, 1, 1, &p)); /* all of the second part, whose thread came once */
    EXPECT_EQ(p.first, 100);
    EXPECT(!ls_job_is_dealt(j));
    while (p.first + p.count < 200)
        REQUIRE(ls_job_claim(j, 1, UINT32_MAX, &p));
    EXPECT(ls_job_is_dealt(j));
    EXPECT(!ls_job_claim(j, 1, UINT32_MAX, &p)); /* the others are for who is at work there, */
    EXPECT_EQ(ls_job_unclaimed(j), 30);
    EXPECT(!ls_job_let_go(j, 1)); /* until that one leaves */
    EXPECT(ls_job_let_go(j, 0));
    EXPECT(!ls_job_is_dealt(j));
    REQUIRE(ls_job_claim(j, 1, UINT32_MAX, &p));
    EXPECT_EQ(p.first, 70);
    EXPECT_EQ(p.count, 30);
    /* A part that nobody has begun is for all, however small it is; and so is all for errors. */
    ls_job_deal(j, w, 2);
    REQUIRE(ls_job_claim(j, 1, 80, &p));
    REQUIRE(ls_job_claim(j, 1, 80, &p));
    EXPECT_EQ(p.first + p.count, 190);
    REQUIRE(ls_job_claim(j, 0, UINT32_MAX, &p));
    EXPECT_EQ(p.count, 50);
    REQUIRE(ls_job_claim(j, 0, UINT32_MAX, &p));
    REQUIRE(ls_job_claim(j, 0, UINT32_MAX, &p));
    EXPECT_EQ(p.first + p.count, 100);
    EXPECT(!ls_job_claim(j, 0, UINT32_MAX, &p));
    REQUIRE(ls_job_claim(j, 0, LS_JOB_ALL, &p));
    EXPECT_EQ(p.count, 10);
    free(w);
    free(j);
}

LS_TEST(of_a_short_part_little_is_left)
{
    struct ls_cpu_job *j = ls_job_create(0, false, 2);
    struct ls_work *short_parts = work_of(200, 10, 1000), *ones = work_of(200, 1, 1000),
                   *long_parts = work_of(2000, 10, 1000), *two_claims = work_of(60, 10, 1000);
    struct ls_cpu_piece p;

    ls_job_deal(j, short_parts, 2);
    REQUIRE(ls_job_claim(j, 0, UINT32_MAX, &p));
    EXPECT_EQ(p.count, 75); /* what is left is two claims more */
    ls_job_deal(j, ones, 2);
    REQUIRE(ls_job_claim(j, 0, UINT32_MAX, &p));
    EXPECT_EQ(p.count, 50); /* claims take no time to speak of */
    ls_job_deal(j, long_parts, 2);
    REQUIRE(ls_job_claim(j, 0, UINT32_MAX, &p));
    EXPECT_EQ(p.count, 500);
    ls_job_deal(j, two_claims, 2);
    REQUIRE(ls_job_claim(j, 0, UINT32_MAX, &p));
    EXPECT_EQ(p.count, 15); /* a quarter of it would be less than a piece */
    free(short_parts);
    free(ones);
    free(long_parts);
    free(two_claims);
    free(j);
}

LS_TEST(who_has_nothing_takes_from_the_next_part_that_has_much)
{
    struct ls_cpu_job *j = ls_job_create(0, false, 4);
    struct ls_work *w = work_of(400, 1, 400);
    struct ls_cpu_piece p;

    ls_job_deal(j, w, 4);
    for (unsigned place = 0; place < 3; place++) /* 0, 10, 40 and 100 are left */
        for (unsigned n = place == 0 ? 100 : place == 1 ? 90 : 60; n > 0; n--)
            REQUIRE(ls_job_claim(j, place, 1, &p));
    REQUIRE(ls_job_claim(j, 0, 1, &p));
    EXPECT_EQ(p.first, 299); /* a quarter of a part is much, and as good as the most */
    while (p.first != 285)
        REQUIRE(ls_job_claim(j, 0, 1, &p));
    REQUIRE(ls_job_claim(j, 0, 1, &p));
    EXPECT_EQ(p.first, 399); /* only here is much */
    for (unsigned n = 0; n < 80; n++)
        REQUIRE(ls_job_claim(j, 3, 1, &p));
    REQUIRE(ls_job_claim(j, 0, 1, &p));
    EXPECT_EQ(p.first, 284); /* nowhere: here is the most, 25 against 10 and 19 */
    free(w);
    free(j);
}

LS_TEST(a_first_piece_is_small)
{
    struct ls_cpu_job *j = ls_job_create(0, false, 16);
    struct ls_work *unknown = work_of(10000, 1, 50), *quick = work_of(10000, 4000, 50000),
                   *known = work_of(10000, 40, 500);

    ls_job_deal(j, unknown, 2);
    EXPECT_EQ(ls_job_first(j), 2);
    ls_job_deal(j, quick, 2); /* however short it should be: an eighth of a part at most */
    EXPECT_EQ(ls_job_first(j), 625);
    ls_job_deal(j, known, 2);
    EXPECT_EQ(ls_job_first(j), 40);
    free(unknown);
    free(quick);
    free(known);
    free(j);
}

LS_TEST(in_order_from_the_front)
{
    struct ls_cpu_job *j = ls_job_create(0, true, 1);
    struct ls_work *w = work_of(100, 50, 50);
    struct ls_cpu_piece p;

    ls_job_deal(j, w, 8);
    for (uint64_t i = 0; i < 100; i++) {
        REQUIRE(ls_job_claim(j, (uint32_t)i, UINT32_MAX, &p));
        EXPECT_EQ(p.first, i);
        EXPECT_EQ(p.count, 1);
        EXPECT_EQ(ls_job_ended(j, p.line, p.n_units), i == 99);
    }
    EXPECT(!ls_job_claim(j, 0, UINT32_MAX, &p));
    free(w);
    free(j);
}

LS_TEST(more_items_than_units)
{
    const uint64_t n = ((uint64_t)1 << 40) + 12345;
    struct ls_cpu_job *j = ls_job_create(0, false, 3);
    struct ls_work *w = work_of(n, 1, UINT32_MAX);
    struct ls_cpu_piece p;
    uint64_t sum = 0;
    bool last = false;

    ls_job_deal(j, w, 3);
    for (uint32_t i = 0; ls_job_claim(j, i % 3, UINT32_MAX, &p); i++) {
        EXPECT(!last);
        sum += p.count;
        last = ls_job_ended(j, p.line, p.n_units);
    }
    EXPECT(last);
    EXPECT_EQ(sum, n);
    free(w);
    free(j);
}

LS_TEST(blocks_that_several_threads_ran_are_known_between_bounds)
{
    struct ls_code *code = calloc(1, sizeof(*code));

    ls_cpu_note_speed(code, 10000, 100, false);
    EXPECT_EQ(code->ticks_per_block, 101);
    /* 3,000 ticks more than the blocks', or none: 100 is as good as before, and falls slowly. */
    for (uint64_t i = 0; i < 4; i++)
        ls_cpu_note_speed(code, 5500 + i, 50, true);
    EXPECT(code->ticks_per_block > 90 && code->ticks_per_block <= 101);
    for (uint64_t i = 0; i < 200; i++)
        ls_cpu_note_speed(code, 5500 + i % 37, 50, true);
    EXPECT(code->ticks_per_block < 60);
    /* Certainly more, and certainly less. */
    for (uint64_t i = 0; i < 40; i++)
        ls_cpu_note_speed(code, 53000 + i, 50, true);
    EXPECT(code->ticks_per_block > 900 && code->ticks_per_block <= 1002);
    for (uint64_t i = 0; i < 60; i++)
        ls_cpu_note_speed(code, 3000 + i, 30, true);
    EXPECT(code->ticks_per_block <= 103);
    /* Empty blocks, of which one launch was disturbed. */
    ls_cpu_note_speed(code, 2000, 1000, false);
    ls_cpu_note_speed(code, 1000000, 1000, false);
    for (uint64_t i = 0; i < 400; i++)
        ls_cpu_note_speed(code, 2500 + i % 7, 500, true);
    EXPECT(code->ticks_per_block < 4);
    free(code);
}

enum { THREADS = 4, WORKS = 4000, ITEMS = 37 };

static struct ls_cpu_job *shared;
static struct ls_work *works[WORKS];
static atomic_int runs[WORKS][ITEMS], n_ended;

/* Whoever ends a work deals out the next one: the others may be in the middle of a claim. */
static void *
run_works(void *place)
{
    while (atomic_load(&n_ended) < WORKS) {
        struct ls_cpu_piece p;
        uint32_t line = 0, n = 0;

        while (ls_job_claim(shared, (uint32_t)(size_t)place, UINT32_MAX, &p)) {
            int *number = (int *)&shared->work->priority;

            if (n > 0 && p.line != line) {
                if (ls_job_ended(shared, line, n))
                    abort(); /* not while some of it is still claimed */
                n = 0;
            }
            line = p.line;
            n += p.n_units;
            for (uint64_t i = p.first; i < p.first + p.count; i++)
                atomic_fetch_add(&runs[*number][i], 1);
        }
        if (n > 0 && ls_job_ended(shared, line, n)) {
            int next = atomic_fetch_add(&n_ended, 1) + 1;

            if (next < WORKS)
                ls_job_deal(shared, works[next], 1 + (uint32_t)next % 20);
        }
    }
    return NULL;
}

LS_TEST(each_item_once_whoever_is_late)
{
    pthread_t threads[THREADS];

    shared = ls_job_create(0, false, 20);
    for (int i = 0; i < WORKS; i++) {
        works[i] = work_of(1 + (uint64_t)i * 7 % ITEMS, 1 + (uint32_t)i % 4, 1 + (uint32_t)i % 5);
        works[i]->priority = i;
    }
    ls_job_deal(shared, works[0], 1);
    for (size_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run_works, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < WORKS; i++) {
        for (uint64_t k = 0; k < ITEMS; k++)
            REQUIRE(runs[i][k] == (k < ls_cpu_of(works[i])->n_items));
        free(works[i]);
    }
    free(shared);
}

/* Seats */

static uint32_t n_asked_for;

static void
start_none(struct ls_cpu_sched *s, uint32_t n)
{
    (void)s;
    n_asked_for = n;
}

static struct ls_cpu_sched *
make_crew(uint32_t n_seats, uint32_t n_workers)
{
    struct ls_cpu_sched *s = aligned_alloc(_Alignof(struct ls_cpu_sched), sizeof(*s));

    memset(s, 0, sizeof(*s));
    pthread_mutex_init(&s->lock, NULL);
    s->start = start_none;
    s->n_threads = n_seats;
    s->n_slots = n_seats + LS_MAX_LENT;
    s->slots = aligned_alloc(_Alignof(struct ls_cpu_slot), s->n_slots * sizeof(*s->slots));
    s->places = calloc(s->n_slots, sizeof(*s->places));
    memset(s->slots, 0, s->n_slots * sizeof(*s->slots));
    atomic_store(&s->n_seats, n_seats);
    atomic_store(&s->n_workers, n_workers);
    n_asked_for = 0;
    return s;
}

static void
free_crew(struct ls_cpu_sched *s)
{
    free(s->places);
    free(s->slots);
    free(s);
}

LS_TEST(no_more_seats_than_cpus)
{
    struct ls_cpu_sched *s = make_crew(2, 2);

    EXPECT(ls_crew_sit(s, false));
    EXPECT(ls_crew_sit(s, true));
    EXPECT(!ls_crew_sit(s, false));
    EXPECT(!ls_crew_sit(s, true)); /* the worker runs something */
    ls_crew_rise(s, true);
    EXPECT(ls_crew_sit(s, false));
    EXPECT(!ls_crew_sit(s, true));
    atomic_store(&s->n_seats, 1); /* a CPU was taken away */
    EXPECT(ls_crew_is_crowded(s));
    ls_crew_rise(s, false);
    EXPECT(!ls_crew_is_crowded(s));
    EXPECT(!ls_crew_sit(s, true));
    free_crew(s);
}

LS_TEST(no_two_threads_in_one_place)
{
    struct ls_cpu_sched *s = make_crew(2, 2);

    EXPECT_EQ(ls_crew_take_place(s, 0), 1);
    EXPECT_EQ(ls_crew_take_place(s, 0), 2);
    EXPECT_EQ(ls_crew_take_place(s, 2), 2);
    ls_crew_leave_place(s, 1);
    EXPECT_EQ(ls_crew_take_place(s, 2), 1); /* who stays comes to the front */
    for (uint32_t i = 2; i <= s->n_slots; i++)
        EXPECT_EQ(ls_crew_take_place(s, 0), i);
    free_crew(s);
}

LS_TEST(a_worker_that_polls_leaves_its_seat)
{
    struct ls_cpu_sched *s = make_crew(2, 2);

    EXPECT(ls_crew_sit(s, false));
    EXPECT(ls_crew_sit(s, false));
    atomic_store(&s->slots[1].state, LS_POLLS);
    EXPECT(ls_crew_sit(s, true));
    EXPECT_EQ(atomic_load(&s->slots[1].state), LS_SENT_OFF);
    EXPECT(!ls_crew_sit(s, true)); /* one only */
    ls_crew_rise(s, true);
    EXPECT(ls_crew_sit(s, false));
    EXPECT(!ls_crew_sit(s, false));
    free_crew(s);
}

LS_TEST(seats_that_are_lent_come_back)
{
    struct ls_cpu_sched *s = make_crew(1, 1);

    EXPECT(ls_crew_sit(s, false));
    ls_crew_lend(s); /* nothing is ready */
    EXPECT(!ls_crew_sit(s, false));
    atomic_store(&s->n_ready, 1);
    ls_crew_lend(s);
    EXPECT_EQ(n_asked_for, 2);
    EXPECT(ls_crew_sit(s, false));
    ls_crew_rise(s, false);
    EXPECT(!ls_crew_sit(s, false));
    free_crew(s);
}

LS_TEST(a_call_is_for_those_that_are_wanted)
{
    struct ls_cpu_job *j = ls_job_create(5, false, 64);
    struct ls_cpu_sched *s = make_crew(64, 64);
    struct ls_cpu_job *jobs[6] = {[5] = j};
    uint32_t n_rung = 0;

    s->jobs = jobs;
    for (int i = 0; i < 64; i++)
        atomic_store(&s->slots[i].state, LS_POLLS);
    ls_crew_call(s, j, 5, 0, false);
    for (int i = 0; i < 64; i++)
        EXPECT_EQ(atomic_load(&s->slots[i].bell) != 0, i < 5);
    for (int i = 0; i < 5; i++)
        atomic_store(&s->slots[i].bell, 0);
    atomic_store(&s->slots[2].state, LS_RUNS_LONG);
    ls_crew_call(s, j, 40, 0, false); /* a few are rung, and ring the others */
    for (int round = 0; round < 8; round++)
        for (int i = 0; i < 64; i++) {
            uint64_t message = atomic_exchange(&s->slots[i].bell, 0);

            if (!message)
                continue;
            n_rung++;
            EXPECT(ls_crew_job(s, message) == j);
            atomic_store(&s->slots[i].state, LS_RUNS);
            ls_crew_pass_on(s, message);
        }
    EXPECT(n_rung >= 39 && n_rung <= 41);
    EXPECT_EQ(n_asked_for, 0);
    free(j);
    free_crew(s);
}

LS_TEST(who_sleeps_is_woken_as_long_as_there_are_seats)
{
    struct ls_cpu_sched *s = make_crew(4, 4);
    int n_rung = 0;

    EXPECT(ls_crew_sit(s, true)); /* a host thread that waits */
    for (int i = 0; i < 4; i++)
        atomic_store(&s->slots[i].state, LS_SLEEPS);
    ls_crew_call(s, NULL, 4, 4, false);
    for (int i = 0; i < 4; i++)
        n_rung += atomic_load(&s->slots[i].bell) != 0;
    EXPECT_EQ(n_rung, 3);
    free_crew(s);
}

LS_TEST(a_job_counts_as_ready_while_something_is_left_to_others)
{
    struct ls_cpu_sched *s = make_crew(2, 2);
    struct ls_work *w = work_of(100, 20, 100);
    struct ls_cpu_piece p;
    struct ls_cpu_job *j;

    s->jobs = calloc(LS_MAX_JOBS, sizeof(*s->jobs));
    ls_cpu_of(w)->n_wanted = 2;
    ls_ready_list(s, w);
    j = ls_cpu_of(w)->job;
    REQUIRE(j != NULL);
    EXPECT_EQ(atomic_load(&s->n_ready), 1);
    REQUIRE(ls_job_claim(j, 1, UINT32_MAX, &p));
    REQUIRE(ls_job_claim(j, 1, LS_JOB_ALL, &p));
    REQUIRE(ls_job_claim(j, 0, UINT32_MAX, &p));
    REQUIRE(ls_job_claim(j, 0, 15, &p)); /* 10 are left to the thread that is at work there */
    REQUIRE(ls_job_is_dealt(j));
    ls_ready_close_dealt(s, j);
    EXPECT_EQ(atomic_load(&s->n_ready), 0);
    EXPECT(!ls_cpu_of(w)->listed);
    ls_ready_close_claimed(s, j); /* a late one */
    EXPECT_EQ(atomic_load(&s->n_ready), 0);
    REQUIRE(ls_job_let_go(j, 0));
    ls_ready_open(s, j);
    ls_ready_open(s, j);
    EXPECT_EQ(atomic_load(&s->n_ready), 1);
    EXPECT(ls_cpu_of(w)->listed);
    ls_ready_close_dealt(s, j); /* there is something left, so it stays */
    EXPECT_EQ(atomic_load(&s->n_ready), 1);
    EXPECT(ls_cpu_of(w)->listed);
    REQUIRE(ls_job_claim(j, 1, LS_JOB_ALL, &p));
    ls_ready_end(s, j);
    EXPECT_EQ(atomic_load(&s->n_ready), 0);
    EXPECT(!s->ready_head);
    free(s->jobs);
    free(j);
    free(w);
    free_crew(s);
}

LS_TEST(a_closed_job_does_not_stand_before_others)
{
    struct ls_cpu_sched *s = make_crew(2, 2);
    struct ls_work *closed = work_of(100, 1, 100), *open = work_of(100, 1, 100);

    s->jobs = calloc(LS_MAX_JOBS, sizeof(*s->jobs));
    ls_cpu_of(closed)->n_wanted = ls_cpu_of(open)->n_wanted = 2;
    open->priority = 1; /* the later one */
    ls_ready_list(s, closed);
    ls_ready_list(s, open);
    EXPECT(ls_ready_pick(s, false) == closed);
    /* who closes it has not got the lock yet */
    atomic_store(&ls_cpu_of(closed)->job->is_open, false);
    EXPECT(ls_ready_pick(s, false) == open);
    for (uint32_t i = 0; i < s->n_jobs; i++)
        free(s->jobs[i]);
    free(s->jobs);
    free(closed);
    free(open);
    free_crew(s);
}

LS_TEST(a_row_of_short_works_wakes_somebody)
{
    struct ls_cpu_sched *s = make_crew(4, 2);
    struct ls_work *w = work_of(2, 1, 1);

    s->jobs = calloc(LS_MAX_JOBS, sizeof(*s->jobs));
    w->kind = LS_WORK_COPY;
    w->copy.row_bytes = 60000; /* 15,000 ticks: two of them do not pay for waking a thread */
    w->copy.height = w->copy.depth = 1;
    ls_cpu_of(w)->n_wanted = 2;
    atomic_store(&s->slots[0].state, LS_NAPS);
    atomic_store(&s->slots[1].state, LS_SLEEPS);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(atomic_load(&s->slots[0].bell) | atomic_load(&s->slots[1].bell), 0);
        if (i == 2) /* the test may have been interrupted meanwhile */
            atomic_store(&s->row_at, __builtin_ia32_rdtsc());
        ls_cpu_enter(s, w);
        ls_ready_end(s, ls_cpu_of(w)->job);
    }
    EXPECT((atomic_load(&s->slots[0].bell) != 0) != (atomic_load(&s->slots[1].bell) != 0));
    for (uint32_t i = 0; i < s->n_jobs; i++)
        free(s->jobs[i]);
    free(s->jobs);
    free(w);
    free_crew(s);
}

/* How many of two workers, one of which sleeps, are woken by a third short work of a row. */
static unsigned
third_of_a_row_wakes(uint64_t ago, uint64_t ticks_before)
{
    struct ls_cpu_sched *s = make_crew(4, 2);
    struct ls_work *w = work_of(2, 1, 1);
    unsigned n;

    s->jobs = calloc(LS_MAX_JOBS, sizeof(*s->jobs));
    w->kind = LS_WORK_COPY;
    w->copy.row_bytes = 60000;
    w->copy.height = w->copy.depth = 1;
    ls_cpu_of(w)->n_wanted = 2;
    atomic_store(&s->slots[0].state, LS_SLEEPS);
    atomic_store(&s->slots[1].state, LS_SLEEPS);
    atomic_store(&s->n_called, 1); /* so that nobody is called but for the row */
    atomic_store(&s->row_at, __builtin_ia32_rdtsc() - ago);
    atomic_store(&s->row_ticks, ticks_before);
    ls_cpu_enter(s, w);
    n = (atomic_load(&s->slots[0].bell) != 0) + (atomic_load(&s->slots[1].bell) != 0);
    if (n > 0)
        EXPECT_EQ(atomic_load(&s->row_ticks), 0); /* the next row begins anew */
    else
        EXPECT(atomic_load(&s->row_ticks) > 0);
    ls_ready_end(s, ls_cpu_of(w)->job);
    for (uint32_t i = 0; i < s->n_jobs; i++)
        free(s->jobs[i]);
    free(s->jobs);
    free(w);
    free_crew(s);
    return n;
}

LS_TEST(a_row_ends_with_a_gap)
{
    EXPECT_EQ(third_of_a_row_wakes(0, 30000), 1);
    EXPECT_EQ(third_of_a_row_wakes(100000000, 30000), 0);
    EXPECT_EQ(third_of_a_row_wakes(0, 0), 0);
}

LS_TEST(what_is_taken_off_counts_once)
{
    struct ls_cpu_sched *s = make_crew(4, 2);
    struct ls_work *with_job = work_of(8, 1, 1), *alone = work_of(1, 1, 1);

    s->jobs = calloc(LS_MAX_JOBS, sizeof(*s->jobs));
    ls_cpu_of(with_job)->n_wanted = 2;
    ls_cpu_of(alone)->n_wanted = 1;
    ls_ready_list(s, with_job);
    ls_ready_list(s, alone);
    EXPECT_EQ(atomic_load(&s->n_ready), 2);
    ls_ready_close(s, ls_cpu_of(with_job)->job);
    EXPECT_EQ(atomic_load(&s->n_ready), 1);
    ls_ready_close(s, ls_cpu_of(with_job)->job);
    ls_ready_close_dealt(s, ls_cpu_of(with_job)->job);
    ls_ready_end(s, ls_cpu_of(with_job)->job);
    EXPECT_EQ(atomic_load(&s->n_ready), 1);
    ls_ready_list(s, with_job);
    atomic_store(&ls_cpu_of(with_job)->job->is_open, false); /* its closer has not got the lock */
    atomic_fetch_sub(&s->n_ready, 1);
    ls_ready_remove(s, with_job);
    EXPECT_EQ(atomic_load(&s->n_ready), 1);
    ls_ready_remove(s, alone);
    EXPECT_EQ(atomic_load(&s->n_ready), 0);
    EXPECT(!ls_ready_pick(s, false));
    for (uint32_t i = 0; i < s->n_jobs; i++)
        free(s->jobs[i]);
    free(s->jobs);
    free(with_job);
    free(alone);
    free_crew(s);
}

LS_TEST(one_called_is_enough)
{
    struct ls_cpu_sched *s = make_crew(4, 2);

    atomic_store(&s->slots[0].state, LS_SLEEPS);
    atomic_store(&s->slots[1].state, LS_SLEEPS);
    atomic_store(&s->n_called, 1); /* by whom it does not matter: it will look at the list */
    ls_crew_watch(s, false);
    EXPECT_EQ(atomic_load(&s->slots[0].bell) | atomic_load(&s->slots[1].bell), 0);
    atomic_store(&s->n_called, 0);
    ls_crew_watch(s, false);
    EXPECT((atomic_load(&s->slots[0].bell) != 0) != (atomic_load(&s->slots[1].bell) != 0));
    free_crew(s);
}

LS_TEST(who_dozes_is_called_when_nobody_else_is)
{
    struct ls_cpu_sched *s = make_crew(4, 2);

    atomic_store(&s->slots[0].state, LS_DOZES);
    ls_crew_watch(s, true);
    EXPECT_EQ(atomic_load(&s->slots[0].bell), 0);
    EXPECT_EQ(atomic_load(&s->slots[0].state), LS_DOZES);
    ls_crew_watch(s, false);
    EXPECT(atomic_load(&s->slots[0].bell) != 0);
    EXPECT_EQ(atomic_load(&s->slots[0].state), LS_CALLED);
    free_crew(s);
}

LS_TEST(nobody_is_called_to_the_only_cpu_by_who_has_it)
{
    struct ls_cpu_sched *s = make_crew(4, 2);

    atomic_store(&s->n_seats, 1);
    atomic_store(&s->slots[0].state, LS_DOZES);
    ls_crew_watch(s, false);
    EXPECT_EQ(atomic_load(&s->slots[0].bell), 0);
    free_crew(s);
}

LS_TEST(who_dozes_is_called_when_host_threads_stay_away)
{
    struct ls_cpu_sched *s = make_crew(1, 1);
    struct ls_work *w = work_of(1, 1, 1);

    ls_cpu_of(w)->n_wanted = 1;
    atomic_store(&s->slots[0].state, LS_DOZES);
    REQUIRE(ls_crew_sit(s, true)); /* it has waited for what it submitted before */
    ls_cpu_enter(s, w);
    EXPECT_EQ(atomic_load(&s->slots[0].bell), 0);
    ls_ready_remove(s, w);
    ls_crew_rise(s, true); /* and for this */
    atomic_store(&s->submitted_at, 0);
    ls_cpu_enter(s, w);
    EXPECT_EQ(atomic_load(&s->slots[0].bell), 0);
    ls_ready_remove(s, w);
    ls_cpu_enter(s, w); /* at once: it may come yet */
    EXPECT_EQ(atomic_load(&s->slots[0].bell), 0);
    ls_ready_remove(s, w);
    atomic_store(&s->submitted_at, 0);
    ls_cpu_enter(s, w);
    EXPECT(atomic_load(&s->slots[0].bell) != 0);
    free(w);
    free_crew(s);
}

LS_TEST(a_call_says_whether_somebody_heard_it)
{
    struct ls_cpu_sched *s = make_crew(4, 2);

    atomic_store(&s->slots[0].state, LS_SLEEPS);
    atomic_store(&s->slots[1].state, LS_SLEEPS);
    EXPECT(!ls_crew_call(s, NULL, 1, 0, false));
    EXPECT(ls_crew_call(s, NULL, 1, 1, false));
    free_crew(s);
}

static struct ls_cpu_sched *sleepers;
static cpu_set_t sleepers_mask; /* before they slept */

/* A worker that sleeps on the caller's CPU, until it is called. Returns where it woke up. */
static void *
sleep_there(void *cpu)
{
    struct ls_cpu_slot *slot = &sleepers->slots[0];
    cpu_set_t one, mask;

    atomic_store(&slot->thread, (int)syscall(SYS_gettid));
    sched_getaffinity(0, sizeof(sleepers_mask), &sleepers_mask);
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
    ls_crew_sleep(sleepers, slot, 0);
    sched_getaffinity(0, sizeof(mask), &mask);
    EXPECT(CPU_EQUAL(&mask, &sleepers_mask)); /* it may run anywhere again */
    return (void *)(size_t)atomic_load(&slot->cpu);
}

LS_TEST(who_sleeps_behind_the_caller_is_sent_away)
{
    size_t cpu = (size_t)sched_getcpu();
    cpu_set_t mask, one;
    pthread_t thread;
    void *woke;

    REQUIRE(sched_getaffinity(0, sizeof(mask), &mask) == 0);
    if (CPU_COUNT(&mask) < 2)
        return;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    for (int i = 0; i < 20; i++) {
        sleepers = make_crew(2, 1);
        REQUIRE(pthread_create(&thread, NULL, sleep_there, (void *)cpu) == 0);
        sched_setaffinity(0, sizeof(one), &one);
        while (atomic_load(&sleepers->slots[0].state) != LS_SLEEPS)
            sched_yield();
        usleep(1000);
        /* It sleeps there, and may run anywhere. */
        sched_setaffinity(atomic_load(&sleepers->slots[0].thread), sizeof(mask), &mask);
        ls_crew_call_one(sleepers);
        pthread_join(thread, &woke);
        EXPECT((size_t)woke != cpu);
        sched_setaffinity(0, sizeof(mask), &mask);
        free_crew(sleepers);
    }
}

static atomic_bool is_late, is_awake;

/* In place of the C library's: who sends another thread may come late. */
int
sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *mask)
{
    while (thread != 0 && atomic_load(&is_late) && !atomic_load(&is_awake))
        sched_yield();
    return (int)syscall(SYS_sched_setaffinity, thread, bytes, mask);
}

static void *
call_late(void *cpu)
{
    while (atomic_load(&sleepers->slots[0].state) != LS_DOZES)
        sched_yield();
    /* it sleeps where this thread runs */
    atomic_store(&sleepers->slots[0].cpu, sched_getcpu());
    atomic_store(&is_late, true);
    ls_crew_call_one(sleepers);
    atomic_store(&is_late, false);
    return cpu;
}

/* It wakes up by itself while it is sent. */
LS_TEST(who_is_sent_late_comes_back)
{
    cpu_set_t mask, now;
    pthread_t caller;
    struct ls_cpu_slot *slot;

    REQUIRE(sched_getaffinity(0, sizeof(mask), &mask) == 0);
    sleepers = make_crew(2, 1);
    slot = &sleepers->slots[0];
    atomic_store(&slot->thread, (int)syscall(SYS_gettid));
    REQUIRE(pthread_create(&caller, NULL, call_late, NULL) == 0);
    ls_crew_sleep(sleepers, slot, 100000000);
    atomic_store(&is_awake, true);
    pthread_join(caller, NULL);
    ls_crew_sleep(sleepers, slot, 1000);
    REQUIRE(sched_getaffinity(0, sizeof(now), &now) == 0);
    EXPECT(CPU_EQUAL(&now, &mask));
    EXPECT(atomic_load(&slot->sent) == 0);
    free_crew(sleepers);
}

LS_TEST(a_worker_leaves_the_cpu_of_a_host_thread_that_runs_work)
{
    static struct ls_runner worker, host;
    cpu_set_t mask, now;
    struct ls_cpu_sched *s;
    int cpu;

    REQUIRE(sched_getaffinity(0, sizeof(mask), &mask) == 0);
    if (CPU_COUNT(&mask) < 2)
        return;
    s = make_crew(2, 1);
    s->is_virtual = true;
    worker = (struct ls_runner){.sched = s, .slot = &s->slots[0], .is_worker = true};
    host = (struct ls_runner){.sched = s};
    cpu = sched_getcpu();
    ls_crew_spread(s, &host);
    if (atomic_load(&s->host_cpu) != cpu) { /* the system has moved this thread just now */
        free_crew(s);
        return;
    }
    ls_crew_spread(s, &worker); /* no host thread runs anything any more */
    REQUIRE(ls_crew_sit(s, true));
    s->is_virtual = false; /* there the system knows better */
    ls_crew_spread(s, &worker);
    EXPECT(sched_getcpu() == cpu || atomic_load(&s->slots[0].cpu) == cpu);
    s->is_virtual = true;
    for (int i = 0; i < 100 && sched_getcpu() == cpu; i++)
        ls_crew_spread(s, &worker);
    EXPECT(atomic_load(&s->slots[0].cpu) != cpu);
    EXPECT(atomic_load(&s->slots[0].sent) == LS_NOT_SENT);
    REQUIRE(sched_getaffinity(0, sizeof(now), &now) == 0);
    EXPECT(CPU_EQUAL(&now, &mask));
    free_crew(s);
}

/* What somebody says meanwhile about where threads may run holds. */
LS_TEST(who_is_confined_while_sent_stays)
{
    cpu_set_t mask, one, now;
    struct ls_cpu_slot *slot;

    REQUIRE(sched_getaffinity(0, sizeof(mask), &mask) == 0);
    if (CPU_COUNT(&mask) < 2)
        return;
    sleepers = make_crew(2, 1);
    slot = &sleepers->slots[0];
    CPU_ZERO(&one);
    for (unsigned i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &mask))
            CPU_SET(i, &one);
    CPU_XOR(&slot->to, &mask, &one); /* it was sent there, */
    slot->mask = mask;
    atomic_store(&slot->sent, LS_SENT);
    REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0); /* and then told to be here */
    ls_crew_sleep(sleepers, slot, 1000);
    REQUIRE(sched_getaffinity(0, sizeof(now), &now) == 0);
    EXPECT(CPU_EQUAL(&now, &one));
    free_crew(sleepers);
}

/* Limits on CPU time */

static void
write_limit(const char *dir, const char *file, const char *text)
{
    char path[512];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, file);
    f = fopen(path, "w");
    REQUIRE(f != NULL);
    fputs(text, f);
    fclose(f);
}

LS_TEST(limits_of_control_groups)
{
    char root[] = "/tmp/ls-jobs-XXXXXX", dir[256], remove[300];

    REQUIRE(mkdtemp(root) != NULL);
    EXPECT_EQ(ls_cpu_quota(root, "0::/\n"), 0);
    snprintf(dir, sizeof(dir), "%s/a", root);
    mkdir(dir, 0700);
    write_limit(dir, "cpu.max", "350000 100000\n");
    EXPECT_EQ(ls_cpu_quota(root, "0::/a\n"), 4);
    EXPECT_EQ(ls_cpu_quota(root, "0::/a/b\n"), 4); /* of those above it, too */
    snprintf(dir, sizeof(dir), "%s/a/b", root);
    mkdir(dir, 0700);
    write_limit(dir, "cpu.max", "max 100000\n");
    EXPECT_EQ(ls_cpu_quota(root, "0::/a/b\n"), 4);
    write_limit(dir, "cpu.max", "50000 100000\n");
    EXPECT_EQ(ls_cpu_quota(root, "0::/a/b\n"), 1);
    snprintf(dir, sizeof(dir), "%s/cpu,cpuacct", root);
    mkdir(dir, 0700);
    write_limit(dir, "cpu.cfs_quota_us", "300000\n");
    write_limit(dir, "cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(ls_cpu_quota(root, "7:memory:/x\n4:cpu,cpuacct:/x\n2:cpuset:/\n"), 3);
    write_limit(dir, "cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(ls_cpu_quota(root, "4:cpu,cpuacct:/\n"), 0);
    snprintf(remove, sizeof(remove), "rm -rf %s", root);
    EXPECT_EQ(system(remove), 0);
}
