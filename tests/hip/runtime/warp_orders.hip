/* SPDX-License-Identifier: MIT */
/* LOCKSTEP_WARPS: races that the usual order of warps hides are seen in others, and a seed stands
 * for one order. */
// TIMEOUT: 120
#include "../check.h"

#include <sys/wait.h>
#include <unistd.h>

#define WARPS  8
#define BLOCKS 5
#define ROUNDS 20

struct result {
    int place[BLOCKS][WARPS]; /* when a warp came */
    int sum[BLOCKS];          /* counted without atomics */
};

__global__ void
come(result *r, int *next)
{
    if (threadIdx.x % warpSize == 0)
        r->place[blockIdx.x][threadIdx.x / warpSize] = atomicAdd(next, 1);
}

__global__ void
race(result *r)
{
    __shared__ int sum;

    sum = 0;
    __syncthreads();
    for (int i = 0; i < ROUNDS; i++)
        if (threadIdx.x % warpSize == 0)
            sum = sum + 1;
    __syncthreads();
    r->sum[blockIdx.x] = sum;
}

static int
child(int out)
{
    const unsigned threads = WARPS * (unsigned)host_warp_size();
    Dev<result> r(1);
    Dev<int> next(1);

    come<<<BLOCKS, threads>>>(r, next);
    race<<<BLOCKS, threads>>>(r);
    std::vector<result> got = r.get();
    return write(out, got.data(), sizeof(result)) == (ssize_t)sizeof(result) ? 0 : 1;
}

/* The order is read once: a process for each. */
static result
run(const char *order)
{
    result got;
    int fds[2], status;

    CHECK(pipe(fds) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("LOCKSTEP_WARPS", order, 1);
        setenv("LOCKSTEP_THREADS", "1", 1);
        _exit(child(fds[1]));
    }
    CHECK(read(fds[0], &got, sizeof(got)) == (ssize_t)sizeof(got));
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    close(fds[0]);
    close(fds[1]);
    for (int b = 0; b < BLOCKS; b++) {
        unsigned seen = 0;

        for (int w = 0; w < WARPS; w++)
            seen |= 1u << got.place[b][w] % WARPS;
        CHECK(seen == (1u << WARPS) - 1);
    }
    return got;
}

int
main()
{
    const result usual = run("ordered"), one = run("shuffled:1"), again = run("shuffled:1"),
                 two = run("shuffled:2"), mixed = run("interleaved");

    for (int b = 0; b < BLOCKS; b++) {
        for (int w = 0; w < WARPS; w++)
            CHECK(usual.place[b][w] == b * WARPS + w);
        CHECK(usual.sum[b] == WARPS * ROUNDS && one.sum[b] == WARPS * ROUNDS);
        CHECK(mixed.sum[b] < WARPS * ROUNDS && mixed.sum[b] >= ROUNDS / 2);
    }
    CHECK(!memcmp(one.place, again.place, sizeof(one.place)));
    CHECK(memcmp(one.place, usual.place, sizeof(one.place)));
    CHECK(memcmp(one.place, two.place, sizeof(one.place)));
    return 0;
}
