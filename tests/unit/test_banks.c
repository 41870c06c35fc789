/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_base */
/* Bank conflicts: the patterns of textbooks have the degrees that the vendors publish, for each
 * model of GPU. */
#include <string.h>

#include "base/banks.h"
#include "unit/test.h"

enum { LANES = 64 };

static struct ls_bank_cost
cost_of(unsigned model, const uint64_t *at, unsigned lanes, uint32_t bytes, bool is_read)
{
    return ls_bank_cost(&ls_bank_models[model], at, lanes < 64 ? (1ull << lanes) - 1 : UINT64_MAX,
                        bytes, is_read);
}

/* The degree of a warp of 32 lanes, lane l of which goes to the word l * stride. */
static unsigned
degree_of_stride(unsigned model, unsigned stride)
{
    uint64_t at[LANES];

    for (unsigned l = 0; l < LANES; l++)
        at[l] = (uint64_t)l * stride * 4;
    return cost_of(model, at, 32, 4, true).degree;
}

LS_TEST(strides)
{
    static const struct {
        unsigned stride, degree; /* the greatest common divisor of the stride and 32 banks */
    } rows[] = {{1, 1},   {2, 2},  {3, 1},   {4, 4},  {5, 1},  {8, 8},
                {16, 16}, {31, 1}, {32, 32}, {33, 1}, {64, 32}};

    for (unsigned m = 0; m < LS_N_BANK_MODELS; m++)
        for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            EXPECT_EQ(degree_of_stride(m, rows[i].stride), rows[i].degree);
}

LS_TEST(broadcasts)
{
    uint64_t same[LANES] = {0}, pairs[LANES], bytes[LANES];

    for (unsigned l = 0; l < LANES; l++) {
        pairs[l] = l / 2 * 4;
        bytes[l] = l;
    }
    for (unsigned m = 0; m < LS_N_BANK_MODELS; m++) {
        EXPECT_EQ(cost_of(m, same, 32, 4, true).degree, 1);
        EXPECT_EQ(cost_of(m, same, 32, 4, true).cycles, 1);
        EXPECT_EQ(cost_of(m, pairs, 32, 4, true).degree, 1);
        EXPECT_EQ(cost_of(m, bytes, 32, 1, true).degree, 1); /* four lanes to a word */
        EXPECT_EQ(cost_of(m, same, 64, 4, true).cycles, 2);  /* two phases */
    }
}

/* Neighbouring lanes have neighbouring elements: no conflicts, and as many phases as it takes to
 * move 32 banks' words each. */
LS_TEST(wide_rows)
{
    for (unsigned m = 0; m < LS_N_BANK_MODELS; m++)
        for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
            for (unsigned write = 0; write < 2; write++) {
                uint64_t at[LANES];
                struct ls_bank_cost c;

                for (unsigned l = 0; l < LANES; l++)
                    at[l] = (uint64_t)l * bytes;
                c = cost_of(m, at, 32, bytes, !write);
                EXPECT_EQ(c.degree, 1);
                EXPECT_EQ(c.cycles, bytes / 4);
                EXPECT_EQ(cost_of(m, at, 64, bytes, !write).cycles, bytes / 2);
            }
}

/* 64-bit elements, every second one: 16 lanes want 16 even pairs of banks twice. */
LS_TEST(wide_strides)
{
    for (unsigned m = 0; m < LS_N_BANK_MODELS; m++) {
        uint64_t by8[LANES], by16[LANES];

        for (unsigned l = 0; l < LANES; l++) {
            by8[l] = (uint64_t)l * 16;
            by16[l] = (uint64_t)l * 128; /* all at bank 0 */
        }
        EXPECT_EQ(cost_of(m, by8, 32, 8, true).degree, 2);
        EXPECT_EQ(cost_of(m, by8, 32, 8, true).cycles, 4);
        EXPECT_EQ(cost_of(m, by8, 32, 8, true).ideal, 2);
        EXPECT_EQ(cost_of(m, by16, 32, 16, true).degree, 8);
        EXPECT_EQ(cost_of(m, by16, 32, 16, true).cycles, 32);
    }
}

/* A column of a 32 x 32 tile of words, rows of 32 or with one word of padding. */
LS_TEST(transposed_tile)
{
    for (unsigned m = 0; m < LS_N_BANK_MODELS; m++) {
        EXPECT_EQ(degree_of_stride(m, 32), 32);
        EXPECT_EQ(degree_of_stride(m, 33), 1);
    }
}

/* The same of 64- and 128-bit elements: of a column without padding all lanes of a phase, 16 or 8,
 * want one pair or four of banks; an element of padding moves each row on by its own width. */
LS_TEST(transposed_wide_tiles)
{
    static const struct {
        uint32_t bytes;
        unsigned columns, degree;
    } rows[] = {{4, 32, 32}, {4, 33, 1}, {8, 32, 16}, {8, 33, 1}, {16, 32, 8}, {16, 33, 1}};

    for (unsigned m = 0; m < LS_N_BANK_MODELS; m++)
        for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            for (unsigned write = 0; write < 2; write++) {
                uint64_t at[LANES];

                for (unsigned l = 0; l < LANES; l++)
                    at[l] = (uint64_t)l * rows[i].columns * rows[i].bytes;
                EXPECT_EQ(cost_of(m, at, 32, rows[i].bytes, !write).degree, rows[i].degree);
            }
}

/* Each model says where it is from. */
LS_TEST(sources)
{
    for (unsigned m = 0; m < LS_N_BANK_MODELS; m++)
        EXPECT(strlen(ls_bank_models[m].source) > 20);
}

/* gfx90a, gfx942 and gfx11 read 128 bits crosswise: lanes 0-3 with 20-23. A pattern in which only
 * lanes 4-7 are in the way of lanes 0-3 has conflicts where lanes are served in order, and in
 * writes. */
LS_TEST(crossed_phases)
{
    const struct ls_bank_model *crossed = &ls_bank_models[LS_BANKS_gfx90a],
                               *plain = &ls_bank_models[LS_BANKS_gfx9];
    static const unsigned phases[8] = {0, 1, 2, 3, 1, 0, 3, 2};
    uint64_t at[LANES];

    for (unsigned l = 0; l < LANES; l++) {
        EXPECT_EQ(ls_bank_phase(crossed, l, 16, true), l / 32 * 4 + phases[l % 32 / 4]);
        EXPECT_EQ(ls_bank_phase(crossed, l, 16, false), l / 8);
        EXPECT_EQ(ls_bank_phase(plain, l, 16, true), l / 8);
        at[l] = l % 4 * 16 + (l >= 4 ? 128 : 0);
    }
    EXPECT_EQ(ls_bank_cost(crossed, at, 0xff, 16, true).degree, 1);
    EXPECT_EQ(ls_bank_cost(crossed, at, 0xff, 16, false).degree, 2);
    EXPECT_EQ(ls_bank_cost(plain, at, 0xff, 16, true).degree, 2);
    EXPECT_EQ(ls_bank_cost(crossed, at, 0xf0000f, 16, true).degree, 2);
    EXPECT_EQ(ls_bank_cost(plain, at, 0xf0000f, 16, true).degree, 1);
    for (unsigned m = 0; m < LS_N_BANK_MODELS; m++)
        EXPECT_EQ(ls_bank_models[m].is_crossed, m == LS_BANKS_gfx90a || m == LS_BANKS_gfx11);
}

/* Lanes that are off want nothing; who has an element across two words wants both. */
LS_TEST(odd_ones)
{
    uint64_t at[LANES];
    struct ls_bank_cost none;

    for (unsigned l = 0; l < LANES; l++)
        at[l] = (uint64_t)l * 128;
    for (unsigned m = 0; m < LS_N_BANK_MODELS; m++) {
        none = ls_bank_cost(&ls_bank_models[m], at, 0, 4, true);
        EXPECT_EQ(none.cycles, 0);
        EXPECT_EQ(none.ideal, 0);
        EXPECT_EQ(ls_bank_cost(&ls_bank_models[m], at, 0x10001, 4, true).degree, 2);
        at[1] = 126; /* bank 31, and bank 0 in the next row: one more with lane 0 */
        EXPECT_EQ(ls_bank_cost(&ls_bank_models[m], at, 3, 4, true).degree, 2);
        at[1] = 128;
    }
}

LS_TEST(names)
{
    static const struct {
        const char *gpu;
        enum ls_bank_model_id model;
    } rows[] = {{"gfx906", LS_BANKS_gfx9},   {"gfx90a", LS_BANKS_gfx90a},
                {"gfx942", LS_BANKS_gfx90a}, {"gfx1100", LS_BANKS_gfx11},
                {"gfx11", LS_BANKS_gfx11},   {"gfx1201", LS_BANKS_gfx12},
                {"sm_89", LS_BANKS_sm_70},   {"sm_90a", LS_BANKS_sm_70},
                {"gfx1150", LS_BANKS_gfx11}, {"gfx908:xnack-", LS_BANKS_gfx9}};

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        EXPECT(ls_bank_model_find(rows[i].gpu) == &ls_bank_models[rows[i].model]);
    EXPECT(ls_bank_model_find("gfx10") == NULL);
    EXPECT(ls_bank_model_find("sm_9") == NULL);
    EXPECT(ls_bank_model_find("") == NULL);
}
