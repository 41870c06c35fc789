/* SPDX-License-Identifier: MIT */
// OPT: -O3
// SCALAR: no
/* Lanes that part by a call through a pointer are together again behind it: in a branch, in a loop,
 * and where functions ask the warp themselves. */
// PTX: yes
#include "../check.h"

enum { N_FUNCTIONS = 3 };

struct answer {
    unsigned value, rank, count, sum;
};

typedef unsigned (*entry)(unsigned x);

__device__ __attribute__((noinline)) static unsigned
triple(unsigned x)
{
    return x * 3 + (unsigned)__popcll(__ballot(1)) * 1000;
}

__device__ __attribute__((noinline)) static unsigned
sums(unsigned x)
{
    unsigned sum = 0;

    for (unsigned k = 0; k < x % 7; k++)
        sum += k * x + 1;
    return sum + (unsigned)__popcll(__ballot(1)) * 1000;
}

__device__ __attribute__((noinline)) static unsigned
other(unsigned x)
{
    return x % 5 == 0 ? 17 : ~x;
}

__device__ entry table[N_FUNCTIONS] = {triple, sums, other};

__global__ void
run(answer *out, const unsigned *in, int n)
{
    unsigned i = global_id(), x = in[i], v = x;
    answer a = {0, 0, 0, 0};

    if (x % 4 != 1) {
        v = table[v % N_FUNCTIONS](v);
        a.rank = __builtin_amdgcn_mbcnt_hi((unsigned)(__ballot(1) >> 32),
                                           __builtin_amdgcn_mbcnt_lo((unsigned)__ballot(1), 0));
        a.count = (unsigned)__popcll(__ballot(1));
        for (int k = 0; k < n; k++) {
            v ^= table[(v + (unsigned)k) % N_FUNCTIONS](v + (unsigned)k);
            a.sum += (unsigned)__popcll(__ballot(v & 1)) * (unsigned)(k + 1);
        }
        a.value = v;
    }
    out[i] = a;
}

/* What a function gives, and how many call the same. */
static unsigned
host_call(unsigned which, unsigned x, unsigned n_callers)
{
    unsigned sum = 0;

    switch (which) {
    case 0:
        return x * 3 + n_callers * 1000;
    case 1:
        for (unsigned k = 0; k < x % 7; k++)
            sum += k * x + 1;
        return sum + n_callers * 1000;
    default:
        return x % 5 == 0 ? 17 : ~x;
    }
}

/* All lanes of a warp that are there call: v becomes the results. */
static void
host_turn(const std::vector<unsigned> &at, std::vector<unsigned> &v, unsigned add, bool mixed)
{
    unsigned n_callers[N_FUNCTIONS] = {0, 0, 0};

    for (unsigned i : at)
        n_callers[(v[i] + add) % N_FUNCTIONS]++;
    for (unsigned i : at) {
        unsigned which = (v[i] + add) % N_FUNCTIONS,
                 r = host_call(which, v[i] + add, n_callers[which]);

        v[i] = mixed ? v[i] ^ r : r;
    }
}

static void
try_block(unsigned n_threads, unsigned n_blocks, int n)
{
    unsigned total = n_threads * n_blocks, width = (unsigned)host_warp_size();
    std::vector<unsigned> in(total), v;
    std::vector<answer> want(total);

    for (unsigned i = 0; i < total; i++)
        in[i] = mix(i * 7 + n_threads) >> 3;
    v = in;
    for (unsigned b = 0; b < n_blocks; b++)
        for (unsigned w = 0; w < n_threads; w += width) {
            std::vector<unsigned> at;

            for (unsigned l = w; l < n_threads && l < w + width; l++)
                if (in[b * n_threads + l] % 4 != 1)
                    at.push_back(b * n_threads + l);
            host_turn(at, v, 0, false);
            for (size_t k = 0; k < at.size(); k++)
                want[at[k]] = {0, (unsigned)k, (unsigned)at.size(), 0};
            for (int k = 0; k < n; k++) {
                unsigned n_odd = 0;

                host_turn(at, v, (unsigned)k, true);
                for (unsigned i : at)
                    n_odd += v[i] & 1;
                for (unsigned i : at)
                    want[i].sum += n_odd * (unsigned)(k + 1);
            }
            for (unsigned i : at)
                want[i].value = v[i];
        }
    Dev<unsigned> din(in);
    Dev<answer> out(total);
    char label[64];

    run<<<n_blocks, n_threads>>>(out, din, n);
    snprintf(label, sizeof(label), "blocks of %u", n_threads);
    check_same(label, out.get(), want);
}

int
main()
{
    try_block(128, 3, 4);
    try_block(34, 2, 3);
    return 0;
}
