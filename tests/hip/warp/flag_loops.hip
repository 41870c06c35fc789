/* SPDX-License-Identifier: MIT */
/* Loops that a lane leaves by a flag which it sets in the loop: what it did before stays in the
 * iteration, with the lanes that came along, although its way out is known already. */
#include "../check.h"

#define BLOCK    160
#define AS_WRITTEN __attribute__((optnone)) /* clang must not do it either */

/* Each turn of the loop serves the lanes that have the first waiting lane's key. */
__global__ void
keys(const int *in, uint64_t *together, int *turn)
{
    int key = in[threadIdx.x], n = 0;
    uint64_t same = 0;
    bool done = false;

    while (!done) {
        int first = __builtin_amdgcn_readfirstlane(key);

        n++;
        if (first == key) {
            same = __ballot(1);
            done = true;
        }
    }
    together[threadIdx.x] = same;
    turn[threadIdx.x] = n;
}

__global__ AS_WRITTEN void
histogram(const int *in, unsigned *bins)
{
    int key = in[threadIdx.x];
    bool done = false;

    while (!done) {
        int first = __builtin_amdgcn_readfirstlane(key);

        if (first == key) {
            uint64_t same = __ballot(1);

            if ((int)__lane_id() == __ffsll((unsigned long long)same) - 1)
                atomicAdd(&bins[key], (unsigned)__popcll(same));
            done = true;
        }
    }
}

/* Take, use and release in one iteration: who waits is let in by the next one. */
__global__ AS_WRITTEN void
locked(int *lock, volatile int *by_fence, int *ordinary)
{
    bool done = false;

    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *by_fence = *by_fence + 1;
            *ordinary += 2;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

/* One lane at a time, by ordinary memory. */
__global__ AS_WRITTEN void
one_by_one(int *place)
{
    __shared__ int next[BLOCK / 32];
    int *mine = &next[threadIdx.x / warpSize];
    bool done = false;

    *mine = 0;
    while (!done) {
        if (__builtin_amdgcn_readfirstlane(threadIdx.x) == threadIdx.x) {
            place[threadIdx.x] = *mine;
            *mine = *mine + 1;
            done = true;
        }
    }
}

/* Lanes leave the outer loop after 1, 2 or 3 rounds, each with a vote behind the inner loop. */
__global__ AS_WRITTEN void
nested(uint64_t *inner, uint64_t *outer)
{
    const int lane = (int)__lane_id();
    uint64_t votes = 0, rounds = 0;
    bool out = false;
    int round = 0;

    while (!out) {
        bool in = false;
        int i = 0;

        while (!in) {
            if (i == lane % 4) {
                votes = votes * 3 + (uint64_t)__popcll(__ballot(1));
                in = true;
            }
            i++;
        }
        if (round == lane % 3) {
            rounds = rounds * 100 + (uint64_t)__popcll(__ballot(1));
            out = true;
        }
        round++;
    }
    inner[threadIdx.x] = votes;
    outer[threadIdx.x] = rounds * 100 + (uint64_t)round;
}

/* Two ways back to the head are still one loop: nobody runs ahead on the short one. */
__global__ AS_WRITTEN void
continues(int *sums)
{
    __shared__ int ticks[BLOCK / 32];
    volatile int *tick = &ticks[threadIdx.x / warpSize];
    const int lane = (int)__lane_id();
    int sum = 0, round = 0;

    while (round < 9) {
        if (lane == 0)
            *tick = round;
        round++;
        if ((round + lane) % 3)
            continue;
        sum = sum * 10 + *tick;
    }
    sums[threadIdx.x] = sum;
}

static int
expected_sum(int lane)
{
    int sum = 0;

    for (int round = 1; round <= 9; round++)
        if ((round + lane) % 3 == 0)
            sum = sum * 10 + round - 1;
    return sum;
}

static int
count(int lanes, int of, int rest, int least, int of_least)
{
    int n = 0;

    for (int l = 0; l < lanes; l++)
        n += (of ? l % of == rest : 1) && l % of_least >= least;
    return n;
}

int
main()
{
    const int warp = host_warp_size();
    std::vector<int> in(BLOCK), turn(BLOCK), place(BLOCK), sums(BLOCK);
    std::vector<uint64_t> together(BLOCK), inner(BLOCK), outer(BLOCK);
    std::vector<unsigned> bins(8);

    for (int i = 0; i < BLOCK; i++)
        in[i] = (int)mix((unsigned)i) & 7;
    for (int i = 0; i < BLOCK; i++) {
        const int base = i / warp * warp, n = BLOCK - base < warp ? BLOCK - base : warp;
        const int lane = i - base, rounds = lane % 3 + 1;
        unsigned seen = 0;

        bins[in[i]]++;
        for (int l = 0; l < n; l++) {
            together[i] |= (uint64_t)(in[base + l] == in[i]) << l;
            if (!(seen >> in[i] & 1))
                seen |= 1u << in[base + l];
        }
        turn[i] = __builtin_popcount(seen);
        place[i] = lane;
        for (int r = 0; r < rounds; r++)
            inner[i] = inner[i] * 3 + (uint64_t)count(n, 4, lane % 4, r, 3);
        outer[i] = (uint64_t)(count(n, 3, lane % 3, 0, 1) * 100 + rounds);
        sums[i] = expected_sum(lane);
    }

    Dev<int> din(in), dints(BLOCK), dlock(3);
    Dev<uint64_t> dlongs(BLOCK), dmore(BLOCK);
    Dev<unsigned> dbins(8);
    keys<<<1, BLOCK>>>(din, dlongs, dints);
    check_same("lanes of one key", dlongs.get(), together);
    check_same("turn of a key", dints.get(), turn);
    histogram<<<1, BLOCK>>>(din, dbins);
    check_same("bins", dbins.get(), bins);
    locked<<<3, BLOCK>>>(dlock, dlock + 1, dlock + 2);
    check_same("under the lock", dlock.get(), std::vector<int>{0, 3 * BLOCK, 6 * BLOCK});
    one_by_one<<<1, BLOCK>>>(dints);
    check_same("one by one", dints.get(), place);
    nested<<<1, BLOCK>>>(dlongs, dmore);
    check_same("inner votes", dlongs.get(), inner);
    check_same("outer votes", dmore.get(), outer);
    continues<<<1, BLOCK>>>(dints);
    check_same("two ways back", dints.get(), sums);
    return 0;
}
