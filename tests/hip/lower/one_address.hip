/* SPDX-License-Identifier: MIT */
/* Atomics of many lanes at one address or a few, with and without the old value: every ticket is
 * handed out once, whatever subset of lanes asks; extremes, bits, float sums and compare-and-swap
 * come out right. */
#include "../check.h"

static const unsigned BLOCK = 192, BLOCKS = 7, N = BLOCK * BLOCKS;

struct Totals {
    unsigned tickets, sum, odd, low, high, ones, parity;
    int smallest;
    unsigned long long wide;
    float real;
    double exact;
    unsigned bins[16], turns, chain;
};

__global__ void
totals(Totals *t, unsigned *ticket, unsigned *weight, unsigned *lds_ticket, const int *in)
{
    __shared__ unsigned counter, bins[16];
    unsigned i = global_id(), l = local_id();
    unsigned v = (unsigned)in[i] & 1023;

    if (l == 0)
        counter = 0;
    if (l < 16)
        bins[l] = 0;
    __syncthreads();
    lds_ticket[i] = atomicAdd(&counter, 1);
    atomicAdd(&bins[v & 15], 1);
    if (v % 3 == 0)
        atomicAdd(&bins[(v >> 4) & 15], v);
    __syncthreads();
    if (l < 16)
        atomicAdd(&t->bins[l], bins[l]);
    ticket[i] = ~0u;
    if (v % 5 != 2)
        ticket[i] = atomicAdd(&t->tickets, 1);
    weight[i] = atomicAdd(&t->sum, v);
    if (v & 1)
        atomicAdd(&t->odd, v);
    atomicMin(&t->low, v + 5);
    atomicMax(&t->high, v);
    atomicMin(&t->smallest, in[i]);
    atomicOr(&t->ones, 1u << (v & 31));
    atomicXor(&t->parity, v);
    atomicAdd(&t->wide, (unsigned long long)v << 20);
    atomicAdd(&t->real, (float)(v & 7));
    atomicAdd(&t->exact, 0.5);
    atomicInc(&t->turns, 9);
    unsigned seen = t->chain, assumed;
    do {
        assumed = seen;
        seen = atomicCAS(&t->chain, assumed, assumed + 3);
    } while (seen != assumed);
}

int
main()
{
    std::vector<int> in = map_input(N);
    Totals want = {}, got;
    std::vector<Totals> start(1);
    unsigned sum = 0, asked = 0;

    start[0] = Totals();
    start[0].low = ~0u;
    start[0].smallest = 0x7fffffff;
    want.low = ~0u;
    want.smallest = 0x7fffffff;
    for (unsigned i = 0; i < N; i++) {
        unsigned v = (unsigned)in[i] & 1023;
        want.bins[v & 15]++;
        if (v % 3 == 0)
            want.bins[(v >> 4) & 15] += v;
        asked += v % 5 != 2;
        sum += v;
        want.odd += v & 1 ? v : 0;
        want.low = v + 5 < want.low ? v + 5 : want.low;
        want.high = v > want.high ? v : want.high;
        want.smallest = in[i] < want.smallest ? in[i] : want.smallest;
        want.ones |= 1u << (v & 31);
        want.parity ^= v;
        want.wide += (unsigned long long)v << 20;
        want.real += (float)(v & 7);
        want.exact += 0.5;
    }
    Dev<Totals> t(start);
    Dev<unsigned> ticket(N), weight(N), lds_ticket(N);
    Dev<int> din(in);
    totals<<<BLOCKS, BLOCK>>>(t.p, ticket.p, weight.p, lds_ticket.p, din.p);
    got = t.get()[0];
    CHECK(got.tickets == asked && got.sum == sum && got.odd == want.odd);
    CHECK(got.low == want.low && got.high == want.high && got.smallest == want.smallest);
    CHECK(got.ones == want.ones && got.parity == want.parity && got.wide == want.wide);
    CHECK(got.real == want.real && got.exact == want.exact);
    CHECK(got.turns == N % 10 && got.chain == 3 * N);
    check_same("bins", got.bins, want.bins, 16);

    std::vector<unsigned> tk = ticket.get(), wt = weight.get(), lt = lds_ticket.get();
    std::vector<char> taken(N);
    for (unsigned i = 0; i < N; i++) {
        CHECK(wt[i] <= sum);
        if (((unsigned)in[i] & 1023) % 5 == 2) {
            CHECK(tk[i] == ~0u);
            continue;
        }
        CHECK(tk[i] < asked && !taken[tk[i]]);
        taken[tk[i]] = 1;
    }
    for (unsigned b = 0; b < BLOCKS; b++) {
        std::vector<char> once(BLOCK);
        for (unsigned l = 0; l < BLOCK; l++) {
            unsigned k = lt[b * BLOCK + l];
            CHECK(k < BLOCK && !once[k]);
            once[k] = 1;
        }
    }
    return 0;
}
