/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_emulator */
/* The order of blocks in the emulator of tests/emulator: loops, and what counts as their
 * entries. */
#include "emulator/emu_priv.h"
#include "unit/test.h"

enum { MOST = 5 };

static bool
order(unsigned n, unsigned next[][2], const unsigned *n_next, unsigned *positions, unsigned *last)
{
    struct ls_arena *arena = ls_arena_create();
    unsigned *edges[MOST];

    for (unsigned b = 0; b < n; b++)
        edges[b] = next[b];
    bool reducible = emu_order(arena, n, n_next, edges, positions, last);
    ls_arena_destroy(arena);
    return reducible;
}

/* 0 -> 1 <-> 2 -> 3, and block 4, which nothing reaches, branches into the loop. */
LS_TEST(edges_of_unreached_blocks_enter_no_loop)
{
    unsigned next[MOST][2] = {{1}, {2}, {1, 3}, {0}, {2}}, positions[MOST], last[MOST];
    const unsigned n_next[MOST] = {1, 1, 2, 0, 1};

    EXPECT(order(5, next, n_next, positions, last));
    for (unsigned b = 0; b < 4; b++)
        EXPECT_EQ(positions[b], b);
    EXPECT_EQ(positions[4], ~0u);
    EXPECT_EQ(last[1], 2);
    EXPECT_EQ(last[0], ~0u);
}

/* 0 -> 1, 2; 1 <-> 2 -> 3 */
LS_TEST(a_loop_with_two_entries)
{
    unsigned next[MOST][2] = {{1, 2}, {2}, {1, 3}, {0}}, positions[MOST], last[MOST];
    const unsigned n_next[MOST] = {2, 1, 2, 0};

    EXPECT(!order(4, next, n_next, positions, last));
}
