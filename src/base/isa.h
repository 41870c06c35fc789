/* SPDX-License-Identifier: MIT */
/* Instruction sets (isa.def): what they are called, what a processor must have for them, what the
 * compiler must know of them. Nothing else in the project asks the processor or compares a set's
 * name. */
#ifndef LS_BASE_ISA_H
#define LS_BASE_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

enum ls_cpu_bit {
#define LS_CPU_FEATURE(id, name, leaf, reg, bit, state) LS_CPU_BIT_##id,
#include "base/isa.def"
    LS_CPU_N_BITS
};

/* Features of a processor, as a set of bits. */
enum ls_cpu_feature {
#define LS_CPU_FEATURE(id, name, leaf, reg, bit, state) LS_CPU_##id = 1 << LS_CPU_BIT_##id,
#include "base/isa.def"
    LS_CPU_ELSEWHERE = 1 << LS_CPU_N_BITS, /* no processor has it: of a set whose code runs on
                                              another kind of device */
};

enum ls_isa_id { /* also the rank: of two sets that a processor has, the higher is the better */
    LS_ISA_NONE = 0,
#define LS_ISA(id, name, level, target, bits, masks, fma, regs, needs) LS_ISA_##id,
#include "base/isa.def"
};

struct ls_isa {
    enum ls_isa_id id;
    const char *name;   /* "avx2" */
    const char *level;  /* "x86-64-v3": what images are marked with */
    const char *target; /* "x86": the row of the compiler's targets that makes code for it */
    unsigned vector_bits;
    bool has_masks; /* mask registers: masked operations cost nothing extra */
    bool has_fma;
    unsigned n_registers; /* vector registers */
    uint32_t needs;       /* LS_CPU_... that it needs besides those of the target's lesser sets */
};

/* The set with this name or level; NULL: there is none. */
const struct ls_isa *ls_isa_find(const char *name);
/* The next larger set; of NULL the smallest; behind the largest NULL. */
const struct ls_isa *ls_isa_next(const struct ls_isa *isa);

/* The features that this processor has, as far as the system saves their registers. */
uint32_t ls_cpu_features(void);
/* The features that the set needs and that are not there; 0: its code can run. */
uint32_t ls_isa_missing(const struct ls_isa *isa, uint32_t features);
/* Whether this processor can run the set's code. */
bool ls_isa_supported(const struct ls_isa *isa);
/* The best set of a processor with these features; never NULL: the first row, if it is not even
 * that. */
const struct ls_isa *ls_isa_best(uint32_t features);

/* Whether code is to be made for this very processor: NULL, "" or "native". */
bool ls_isa_is_native(const char *name);
/* A set by the name that a user gave; "native" is the best one here. NULL: why[] says what is wrong
 * with the name, and what there is. */
const struct ls_isa *ls_isa_choose(const char *name, char *why, size_t bytes);
/* Writes the names of all sets, as "sse2 (x86-64), sse4 (x86-64-v2), ...". Returns `to`. */
const char *ls_isa_names(char *to, size_t bytes);
/* Writes the names of features, as "avx512f, avx512bw". Returns `to`. */
const char *ls_cpu_feature_names(uint32_t features, char *to, size_t bytes);

/* Whether scalar loads are faster here than gathers of elements other than words (options.def:
 * slow_gathers). */
bool ls_cpu_gathers_slowly(void);

/* Adds to a hash all that code for "native" may depend on. */
void ls_isa_add_machine(struct ls_sha256 *sha);

#endif
