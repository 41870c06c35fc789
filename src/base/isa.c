/* SPDX-License-Identifier: MIT */
#include "base/isa.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

enum { EAX, EBX, ECX, EDX };

/* CPUID; nothing but zeros where there is none. */
static void
ask_cpu(unsigned leaf, unsigned subleaf, unsigned r[4])
{
    memset(r, 0, 4 * sizeof(*r));
#ifdef __x86_64__
    __get_cpuid_count(leaf, subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX]);
#else
    (void)leaf;
    (void)subleaf;
#endif
}

static const struct {
    const char *name;
    unsigned leaf, reg, bit, state;
} FEATURES[] = {
#define LS_CPU_FEATURE(id, name, leaf, reg, bit, state) {name, leaf, reg, bit, state},
#include "base/isa.def"
};

static const struct ls_isa ROWS[] = {
#define LS_ISA(id, name, level, target, bits, masks, fma, regs, needs)                             \
    {LS_ISA_##id, name, level, target, bits, masks, fma, regs, needs},
#include "base/isa.def"
};
#define N_ROWS (sizeof(ROWS) / sizeof(ROWS[0]))

_Static_assert(LS_CPU_N_BITS < 32, "a set of features is a uint32_t");

const struct ls_isa *
ls_isa_find(const char *name)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (strcmp(name, ROWS[i].name) == 0 || strcmp(name, ROWS[i].level) == 0)
            return &ROWS[i];
    return NULL;
}

const struct ls_isa *
ls_isa_next(const struct ls_isa *isa)
{
    const struct ls_isa *next = isa ? isa + 1 : ROWS;

    return next < ROWS + N_ROWS ? next : NULL;
}

/* XCR0: the registers that the system saves. */
static unsigned
saved_state(void)
{
    const unsigned osxsave = 1u << 27;
    unsigned r[4], low = 0;

    ask_cpu(1, 0, r);
#ifdef __x86_64__
    if (r[ECX] & osxsave)
        __asm__ volatile("xgetbv" : "=a"(low) : "c"(0) : "edx");
#endif
    return low;
}

static uint32_t
read_features(void)
{
    unsigned state = saved_state(), leaf = 0, r[4] = {0, 0, 0, 0};
    uint32_t features = 0;

    for (unsigned i = 0; i < LS_CPU_N_BITS; i++) {
        if (FEATURES[i].leaf != leaf)
            ask_cpu(leaf = FEATURES[i].leaf, 0, r);
        if (r[FEATURES[i].reg] >> FEATURES[i].bit & 1 &&
            (state & FEATURES[i].state) == FEATURES[i].state)
            features |= 1u << i;
    }
    return features;
}

uint32_t
ls_cpu_features(void)
{
    static _Atomic uint32_t known; /* CPUID is slow in a virtual machine */
    const uint32_t is_known = 1u << LS_CPU_N_BITS;
    uint32_t features = atomic_load_explicit(
        &known, memory_order_relaxed); /* relaxed: no other memory depends on it */

    if (!features)
        atomic_store_explicit(&known, features = read_features() | is_known, memory_order_relaxed);
    return features & ~is_known;
}

uint32_t
ls_isa_missing(const struct ls_isa *isa, uint32_t features)
{
    uint32_t needs = 0;

    for (const struct ls_isa *row = ROWS; row <= isa; row++)
        if (strcmp(row->target, isa->target) == 0)
            needs |= row->needs;
    return needs & ~features;
}

bool
ls_isa_supported(const struct ls_isa *isa)
{
    return ls_isa_missing(isa, ls_cpu_features()) == 0;
}

const struct ls_isa *
ls_isa_best(uint32_t features)
{
    const struct ls_isa *best = ROWS;

    for (size_t i = 1; i < N_ROWS; i++)
        if (ls_isa_missing(&ROWS[i], features) == 0)
            best = &ROWS[i];
    return best;
}

bool
ls_isa_is_native(const char *name)
{
    return !name || !*name || strcmp(name, "native") == 0;
}

const struct ls_isa *
ls_isa_choose(const char *name, char *why, size_t bytes)
{
    const struct ls_isa *isa =
        ls_isa_is_native(name) ? ls_isa_best(ls_cpu_features()) : ls_isa_find(name);
    char names[256];

    if (!isa)
        snprintf(why, bytes, "unknown instruction set '%s': native, %s", name,
                 ls_isa_names(names, sizeof(names)));
    return isa;
}

const char *
ls_isa_names(char *to, size_t bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < N_ROWS && n < bytes; i++)
        n += (size_t)snprintf(to + n, bytes - n, "%s%s (%s)", i ? ", " : "", ROWS[i].name,
                              ROWS[i].level);
    return to;
}

const char *
ls_cpu_feature_names(uint32_t features, char *to, size_t bytes)
{
    size_t n = 0;

    if (bytes)
        to[0] = 0;
    for (unsigned i = 0; i <= LS_CPU_N_BITS && n < bytes; i++)
        if (features >> i & 1)
            n += (size_t)snprintf(to + n, bytes - n, "%s%s", n ? ", " : "",
                                  i < LS_CPU_N_BITS ? FEATURES[i].name : "cores of that kind");
    return to;
}

static bool
read_gathers_slowly(void)
{
    static const unsigned models[] = {
#define LS_SLOW_GATHERS(model, name) model,
#include "base/isa.def"
    };
    unsigned vendor[4], r[4], model;

    ask_cpu(0, 0, vendor);
    ask_cpu(1, 0, r);
    if (memcmp(&vendor[EBX], "Genu", 4) != 0 || memcmp(&vendor[EDX], "ineI", 4) != 0 ||
        memcmp(&vendor[ECX], "ntel", 4) != 0 || (r[EAX] >> 8 & 15) != 6)
        return false;
    model = (r[EAX] >> 4 & 15) | (r[EAX] >> 12 & 0xf0);
    for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
        if (models[i] == model)
            return true;
    return false;
}

bool
ls_cpu_gathers_slowly(void)
{
    static atomic_int known; /* 1: no, 2: yes */
    int answer =
        atomic_load_explicit(&known, memory_order_relaxed); /* relaxed: as in ls_cpu_features */

    if (!answer)
        atomic_store_explicit(&known, answer = 1 + read_gathers_slowly(), memory_order_relaxed);
    return answer == 2;
}

void
ls_isa_add_machine(struct ls_sha256 *sha)
{
    static const unsigned leaves[][2] = {{1, 0}, {7, 0}, {7, 1}, {0x80000001u, 0}};
    unsigned r[4];

    for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++) {
        ask_cpu(leaves[i][0], leaves[i][1], r);
        if (leaves[i][0] == 1)
            r[EBX] = 0; /* has the number of this core */
        ls_sha256_add(sha, r, sizeof(r));
    }
}
