/* SPDX-License-Identifier: MIT */
/* Cycles that shared memory takes: the table's models, and what they make of lanes' places. */
#include "base/banks.h"

#include <string.h>

enum { WORD = 4, WIDEST = 16, MOST_WORDS = 64 * 5 };

const struct ls_bank_model ls_bank_models[LS_N_BANK_MODELS] = {
#define LS_BANK_MODEL(name, gpus, banks, by4, by8, by16, is_crossed, source)                       \
    {#name, gpus, source, banks, {by4, by8, by16}, is_crossed},
#include "base/bank_models.def"
};

const struct ls_bank_model *
ls_bank_model_find(const char *gpu)
{
    for (unsigned i = 0; i < LS_N_BANK_MODELS; i++) {
        const struct ls_bank_model *m = &ls_bank_models[i];

        if (!strcmp(m->name, gpu))
            return m;
        for (const char *at = m->gpus; *at; at += strcspn(at, " "), at += *at == ' ') {
            size_t len = strcspn(at, " ");

            if (!strncmp(at, gpu, len))
                return m;
        }
    }
    return NULL;
}

/* The column of the table that is for accesses of so many bytes. */
static unsigned
width_of(uint32_t bytes)
{
    return bytes <= 4 ? 0 : bytes <= 8 ? 1 : 2;
}

unsigned
ls_bank_phase(const struct ls_bank_model *model, unsigned lane, uint32_t bytes, bool is_read)
{
    unsigned width = width_of(bytes);

    /* Lanes 16 to 31 of each half go with the other four of a group: 20-23 with 0-3. */
    if (width == 2 && is_read && model->is_crossed)
        return lane / 32 * 4 + (lane % 32 < 16 ? lane % 16 / 4 : (lane % 16 / 4) ^ 1);
    return lane / model->lanes[width];
}

/* The cycles of one phase: words[] are the different ones that its lanes want. */
static unsigned
busiest(const struct ls_bank_model *model, const uint64_t *words, unsigned n)
{
    uint16_t load[LS_MOST_BANKS] = {0};
    unsigned most = 1;

    for (unsigned i = 0; i < n; i++) {
        unsigned l = ++load[words[i] % model->banks];

        most = l > most ? l : most;
    }
    return most;
}

static unsigned
add_word(uint64_t *words, unsigned n, uint64_t word, uint64_t *highest)
{
    if (n && word <= *highest) /* most lanes go upwards */
        for (unsigned i = n; i > 0; i--)
            if (words[i - 1] == word)
                return n;
    *highest = n && word < *highest ? *highest : word;
    words[n] = word;
    return n + 1;
}

static void
add_phase(const struct ls_bank_model *model, const uint64_t *words, unsigned n,
          struct ls_bank_cost *cost)
{
    unsigned cycles = busiest(model, words, n);

    cost->ideal++;
    cost->cycles += cycles;
    cost->degree = cycles > cost->degree ? cycles : cost->degree;
}

static void
add_instruction(const struct ls_bank_model *model, const uint64_t *offsets, uint64_t mask,
                uint32_t from, uint32_t bytes, bool is_read, struct ls_bank_cost *cost)
{
    while (mask) {
        unsigned phase = ls_bank_phase(model, (unsigned)__builtin_ctzll(mask), bytes, is_read);
        uint64_t words[MOST_WORDS], highest = 0;
        unsigned n = 0;

        for (uint64_t left = mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            uint64_t first = offsets[lane] + from;

            if (ls_bank_phase(model, lane, bytes, is_read) != phase)
                continue;
            for (uint64_t w = first / WORD; w <= (first + bytes - 1) / WORD; w++)
                n = add_word(words, n, w, &highest);
            mask &= ~(left & -left);
        }
        add_phase(model, words, n, cost);
    }
}

struct ls_bank_cost
ls_bank_cost(const struct ls_bank_model *model, const uint64_t *offsets, uint64_t mask,
             uint32_t bytes, bool is_read)
{
    struct ls_bank_cost cost = {0, 0, 0};

    for (uint32_t from = 0; from < bytes; from += WIDEST)
        add_instruction(model, offsets, mask, from, bytes - from < WIDEST ? bytes - from : WIDEST,
                        is_read, &cost);
    return cost;
}

bool
ls_bank_models_agree(const struct ls_bank_model *a, const struct ls_bank_model *b, uint32_t bytes,
                     bool is_read)
{
    bool is_parted = bytes > WIDEST; /* into instructions of 16 bytes, and the rest */
    unsigned from = is_parted ? 0 : width_of(bytes), to = width_of(bytes);

    if (a->banks != b->banks || (to == 2 && is_read && a->is_crossed != b->is_crossed))
        return false;
    for (unsigned i = from; i <= to; i++)
        if (a->lanes[i] != b->lanes[i])
            return false;
    return true;
}
