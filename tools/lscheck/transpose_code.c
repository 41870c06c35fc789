/* SPDX-License-Identifier: MIT */
/* Writes the steps of a plan as HIP code. */
#include <stdio.h>
#include <string.h>

#include "transpose.h"

/* Selectors of __byte_perm that exchange simd bit 0 or 1 with a register bit, for the lower and the
 * upper register. */
static const char *const SELECTORS[MOST_SIMD][2] = {{"0x6240", "0x7351"}, {"0x5410", "0x7632"}};

struct writer {
    const struct plan *p;
    unsigned stage; /* the number of the variables' last versions; 0: the arguments */
    const char *type;
    uint8_t at[MOST_PLACES];
};

static const char *
name(const struct writer *w, unsigned stage, unsigned r, char to[32])
{
    (void)w;
    if (stage)
        snprintf(to, 32, "%c%u_%u", 'y', stage, r);
    else
        snprintf(to, 32, "x%u", r);
    return to;
}

static void
put_assignment(const struct writer *w)
{
    unsigned at = 0;

    static const char *const heads[] = {"simd", "register", "thread"};
    const unsigned ns[] = {w->p->n_simd, w->p->n_registers, w->p->n_threads};

    for (unsigned part = 0; part < 3; part++) {
        if (ns[part])
            printf("%s %s:", part ? ";" : "", heads[part]);
        for (unsigned i = ns[part]; i-- > 0;) {
            char bit[LS_NOTATION_NAME + 12];

            ls_notation_bit_name(&w->p->bits[w->at[at + i]], bit);
            printf(" %s", bit);
        }
        at += ns[part];
    }
    putchar('\n');
}

static void
put_local(struct writer *w, const struct step *s)
{
    unsigned bit = 1u << (s->two - w->p->n_simd);
    char a[32], b[32], c[32], d[32];

    printf("    // local transpose: s%u for r%u. Now", s->one, s->two - w->p->n_simd);
    put_assignment(w);
    for (unsigned r = 0; r < 1u << w->p->n_registers; r++) {
        if (r & bit)
            continue;
        name(w, w->stage, r, a);
        name(w, w->stage, r | bit, b);
        name(w, w->stage + 1, r, c);
        name(w, w->stage + 1, r | bit, d);
        if (w->p->n_simd == 1)
            printf("    %s %s = __lows2half2(%s, %s), %s = __highs2half2(%s, %s);\n", w->type, c, a,
                   b, d, a, b);
        else
            printf("    %s %s = __byte_perm(%s, %s, %s), %s = __byte_perm(%s, %s, %s);\n", w->type,
                   c, a, b, SELECTORS[s->one][0], d, a, b, SELECTORS[s->one][1]);
    }
}

static void
put_simd(struct writer *w)
{
    char a[32], b[32];

    printf("    // s0 for s1. Now");
    put_assignment(w);
    for (unsigned r = 0; r < 1u << w->p->n_registers; r++)
        printf("    %s %s = __byte_perm(%s, 0, 0x3120);\n", w->type, name(w, w->stage + 1, r, a),
               name(w, w->stage, r, b));
}

static void
put_warp(struct writer *w, const struct step *s)
{
    unsigned bit = 1u << (s->one - w->p->n_simd),
             thread = s->two - w->p->n_simd - w->p->n_registers;
    char a[32], b[32], c[32], d[32];

    printf("    // warp transpose: r%u for t%u. Now", s->one - w->p->n_simd, thread);
    put_assignment(w);
    for (unsigned r = 0; r < 1u << w->p->n_registers; r++) {
        if (r & bit)
            continue;
        name(w, w->stage, r, a);
        name(w, w->stage, r | bit, b);
        name(w, w->stage + 1, r, c);
        name(w, w->stage + 1, r | bit, d);
        printf("    %s %s = lane & %u ? %s : %s;\n", w->type, c, 1u << thread, a, b);
        printf("    %s = __shfl_xor_sync(~0ull, %s, %u);\n", c, c, 1u << thread);
        printf("    %s %s = lane & %u ? %s : %s;\n", w->type, d, 1u << thread, b, c);
        printf("    %s = lane & %u ? %s : %s;\n", c, 1u << thread, c, a);
    }
}

static void
put_lanes(struct writer *w)
{
    unsigned first = w->p->n_simd + w->p->n_registers;
    char a[32], b[32];

    memcpy(w->at + first, w->p->to + first, w->p->n_threads);
    printf("    // threads in another order. Now");
    put_assignment(w);
    printf("    unsigned from = 0");
    for (unsigned t = 0; t < w->p->n_threads; t++) {
        unsigned old = 0;

        while (w->p->end[first + old] != w->p->to[first + t])
            old++;
        printf(" | (lane >> %u & 1) << %u", t, old);
    }
    /* A lane of a longer warp stays in its part. */
    printf(" | (lane & ~%uu);\n", (1u << w->p->n_threads) - 1);
    for (unsigned r = 0; r < 1u << w->p->n_registers; r++)
        printf("    %s %s = __shfl_sync(~0ull, %s, from);\n", w->type, name(w, w->stage + 1, r, a),
               name(w, w->stage, r, b));
}

/* Registers have no order while steps are chosen: the last ones take the arguments' names. */
static void
put_results(struct writer *w)
{
    unsigned first = w->p->n_simd;
    char b[32];

    if (!w->stage) { /* they are renamed alone */
        for (unsigned r = 0; r < 1u << w->p->n_registers; r++)
            printf("    %s y1_%u = x%u;\n", w->type, r, r);
        w->stage++;
    }
    printf("    // register bits in order: names alone change\n");
    for (unsigned r = 0; r < 1u << w->p->n_registers; r++) {
        unsigned from = 0;

        for (unsigned i = 0; i < w->p->n_registers; i++) {
            unsigned k = 0;

            while (w->at[first + k] != w->p->to[first + i])
                k++;
            from |= (r >> i & 1) << k;
        }
        printf("    x%u = %s;\n", r, name(w, w->stage, from, b));
    }
}

void
put_code(const struct plan *p, const struct ls_notation *from, const struct ls_notation *to)
{
    struct writer w = {.p = p, .type = p->n_simd == 1 ? "__half2" : "unsigned"};
    char text[2048];

    memcpy(w.at, p->from, p->n);
    ls_notation_print(from, "//   ", text, sizeof(text));
    printf("// Elements of %u bits, of which x0, x1, ... have the register assignment\n%s",
           32u >> p->n_simd, text);
    ls_notation_print(to, "//   ", text, sizeof(text));
    printf(
        "// and behind it\n%s// lane: the thread's number in its warp, all threads of which come "
        "here.\n",
        text);
    printf("static __device__ inline void\ntranspose(unsigned lane");
    for (unsigned r = 0; r < 1u << p->n_registers; r++)
        printf(", %s &x%u", w.type, r);
    printf(")\n{\n    (void)lane;\n");
    for (unsigned i = 0; i < p->n_steps; i++) {
        const struct step *s = &p->steps[i];
        uint8_t bit = w.at[s->one];

        w.at[s->one] = w.at[s->two];
        w.at[s->two] = bit;
        switch (s->kind) {
        case STEP_LOCAL:
            put_local(&w, s);
            break;
        case STEP_SIMD:
            put_simd(&w);
            break;
        case STEP_WARP:
            put_warp(&w, s);
            break;
        default:
            put_lanes(&w);
            break;
        }
        w.stage++;
    }
    put_results(&w);
    printf("}\n");
}
