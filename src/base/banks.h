/* SPDX-License-Identifier: MIT */
/* Bank conflicts in shared memory, by the table bank_models.def. */
#ifndef LS_BASE_BANKS_H
#define LS_BASE_BANKS_H

#include <stdbool.h>
#include <stdint.h>

enum ls_bank_model_id {
#define LS_BANK_MODEL(name, gpus, banks, by4, by8, by16, is_crossed, source) LS_BANKS_##name,
#include "base/bank_models.def"
    LS_N_BANK_MODELS
};

enum { LS_MOST_BANKS = 64 };

struct ls_bank_model {
    const char *name, *gpus, *source;
    unsigned banks, lanes[3]; /* of a phase, for accesses of up to 4, 8 and 16 bytes */
    bool is_crossed;          /* 16-byte reads */
};

extern const struct ls_bank_model ls_bank_models[LS_N_BANK_MODELS];

/* By a model's name, or what begins with a GPU's, as gfx90a:xnack- or sm_90a. NULL: there is none
 * for it. */
const struct ls_bank_model *ls_bank_model_find(const char *gpu);

struct ls_bank_cost {
    uint32_t cycles; /* that the instruction takes */
    uint32_t ideal;  /* that it would take without conflicts: its phases */
    uint32_t degree; /* of the worst phase: 1 = no conflict */
};

/* The phase that serves a lane. */
unsigned ls_bank_phase(const struct ls_bank_model *model, unsigned lane, uint32_t bytes,
                       bool is_read);
/* What an instruction of up to 64 lanes costs: those in `mask` go to `bytes` bytes each, at
 * offsets in shared memory. bytes: 1 to 16; more counts as several instructions of 16. */
struct ls_bank_cost ls_bank_cost(const struct ls_bank_model *model, const uint64_t *offsets,
                                 uint64_t mask, uint32_t bytes, bool is_read);
/* Whether two models have the same cost for all such instructions. */
bool ls_bank_models_agree(const struct ls_bank_model *a, const struct ls_bank_model *b,
                          uint32_t bytes, bool is_read);

#endif
