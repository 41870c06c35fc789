/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_device_cpu ls_base */
/* Threads that stand in each other's way are found out; those that do not go on together; nobody
 * pauses for one that has left. */
#define LS_TEST_SECONDS 120
#include <pthread.h>
#include <stdlib.h>

#include "device/cpu/crowd.h"
#include "unit/test.h"

enum { THREADS = 3, PIECES = 3000, TRIES = 400 };

static struct ls_crowd crowd;
static atomic_int n_pieces, n_busy, n_kept;
static bool contended;
static const char names[THREADS];

/* A piece takes so many ticks; ten times as many where it is in the way of others. */
static void
run_piece(void)
{
    uint64_t since = __builtin_ia32_rdtsc();
    int others = atomic_fetch_add(&n_busy, 1);

    while (__builtin_ia32_rdtsc() - since < (contended && others > 0 ? 40000 : 4000))
        __builtin_ia32_pause();
    atomic_fetch_sub(&n_busy, 1);
}

static void *
run_pieces(void *self)
{
    enum ls_crowd_turn turn = LS_CROWD_STAY;

    ls_crowd_enter(&crowd);
    while (turn != LS_CROWD_GO && atomic_fetch_sub(&n_pieces, 1) > 0) {
        run_piece();
        turn = ls_crowd_go_on(&crowd, self, 1);
        if (turn == LS_CROWD_KEEP)
            atomic_fetch_add(&n_kept, 1);
    }
    ls_crowd_leave(&crowd, self);
    return NULL;
}

/* A launch that is watched. */
static void
launch(void)
{
    pthread_t threads[THREADS];

    atomic_store(&n_pieces, PIECES);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run_pieces, (void *)(uintptr_t)&names[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    EXPECT(atomic_load(&n_pieces) <= 0); /* somebody has stayed to the end */
    EXPECT_EQ(atomic_load(&crowd.n_in), 0);
    EXPECT_EQ(atomic_load(&crowd.n_paused), 0);
    ls_crowd_end(&crowd, "test");
}

/* Whether a launch in TRIES finds that. Other programs may disturb some of them. */
static bool
finds(bool alone)
{
    for (int i = 0; i < TRIES; i++) {
        atomic_store(&crowd.n_left, 0);
        REQUIRE(ls_crowd_begin(&crowd) == LS_CROWD_WATCHED);
        launch();
        if (atomic_load(&crowd.n_left) > 0 && atomic_load(&crowd.alone) == alone)
            return true;
    }
    return false;
}

LS_TEST(who_is_in_the_way_leaves)
{
    contended = true;
    EXPECT(finds(true));
    EXPECT(atomic_load(&n_kept) > 0);
    for (unsigned left = atomic_load(&crowd.n_left); left > 0; left--)
        REQUIRE(ls_crowd_begin(&crowd) == LS_CROWD_ALONE);
    EXPECT_EQ(ls_crowd_begin(&crowd), LS_CROWD_WATCHED); /* then it is asked again */
    EXPECT_EQ(ls_crowd_begin(&crowd), LS_CROWD_FREE);    /* of one launch at a time */
    ls_crowd_end(&crowd, "test");
    contended = false;
    EXPECT(finds(false));
    EXPECT_EQ(ls_crowd_begin(&crowd), LS_CROWD_FREE);
}

/* A kernel's launches may be of other work: one that takes much longer is not for one thread. */
LS_TEST(what_takes_longer_is_for_all_again)
{
    atomic_store(&crowd.alone, true);
    atomic_store(&crowd.by_one, 1e-3);
    atomic_store(&crowd.n_left, 2);
    REQUIRE(ls_crowd_begin(&crowd) == LS_CROWD_ALONE);
    EXPECT(!ls_crowd_is_over(&crowd, 150000, 100));
    EXPECT(ls_crowd_is_over(&crowd, 500000, 100));
    EXPECT_EQ(ls_crowd_begin(&crowd), LS_CROWD_WATCHED);
    ls_crowd_end(&crowd, "test");
}

LS_TEST(nobody_pauses_for_one_that_has_left)
{
    atomic_store(&crowd.n_left, 0);
    REQUIRE(ls_crowd_begin(&crowd) == LS_CROWD_WATCHED);
    ls_crowd_enter(&crowd);
    ls_crowd_enter(&crowd);
    EXPECT_EQ(ls_crowd_go_on(&crowd, &names[0], 1), LS_CROWD_STAY);
    for (int i = 0; i < 6; i++) { /* until it waits for the other one, and longer */
        uint64_t since = __builtin_ia32_rdtsc();

        while (__builtin_ia32_rdtsc() - since < 100000)
            __builtin_ia32_pause();
        EXPECT_EQ(ls_crowd_go_on(&crowd, &names[0], 5), LS_CROWD_STAY);
    }
    ls_crowd_leave(&crowd, &names[0]);
    EXPECT_EQ(ls_crowd_go_on(&crowd, &names[1], 1), LS_CROWD_STAY);
    ls_crowd_leave(&crowd, &names[1]);
    ls_crowd_end(&crowd, "test");
}
