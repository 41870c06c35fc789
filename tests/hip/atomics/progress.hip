/* SPDX-License-Identifier: MIT */
/* Waiting on others: a spin lock of blocks, the last block done, decoupled look-back, a flag inside
 * a block. */
#include "../check.h"

__global__ void
lock_blocks(int *lock, int *counter)
{
    if (local_id() == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            __builtin_amdgcn_s_sleep(1);
        __threadfence();
        *(volatile int *)counter =
            *(volatile int *)counter + 1; /* not atomic: the lock protects it */
        __threadfence();
        atomicExch(lock, 0);
    }
}

__global__ void
last_block(const int *in, int *partial, unsigned *done, int *out)
{
    __shared__ int s[1024];
    __shared__ bool last;
    unsigned t = local_id(), n = block_threads();

    s[t] = in[global_id()];
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (unsigned k = 0; k < n; k++)
            sum += s[k];
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        __threadfence();
        for (unsigned g = 0; g < gridDim.x; g++)
            sum += ((volatile int *)partial)[g];
        *out = sum;
    }
}

/* Each block waits for the running sum of its predecessor. */
__global__ void
look_back(const int *in, int *sums, int *flags, int *out)
{
    __shared__ int s[1024];
    __shared__ int before;
    unsigned t = local_id(), n = block_threads();

    s[t] = in[global_id()];
    __syncthreads();
    if (t == 0) {
        int total = 0;
        for (unsigned k = 0; k < n; k++)
            total += s[k];
        int prefix = 0;
        if (blockIdx.x > 0) {
            while (__hip_atomic_load(&flags[blockIdx.x - 1], __ATOMIC_ACQUIRE,
                                     __HIP_MEMORY_SCOPE_AGENT) == 0)
                ;
            prefix = sums[blockIdx.x - 1];
        }
        sums[blockIdx.x] = prefix + total;
        __hip_atomic_store(&flags[blockIdx.x], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        before = prefix;
    }
    __syncthreads();
    int sum = before;
    for (unsigned k = 0; k <= t; k++)
        sum += s[k];
    out[global_id()] = sum;
}

/* One warp produces, the others wait: volatile LDS. */
__global__ void
warp_flag(int *out)
{
    __shared__ volatile int flag;
    __shared__ int value;
    unsigned t = local_id();

    if (t == 0)
        flag = 0;
    __syncthreads();
    if (t / warpSize == block_threads() / warpSize - 1) {
        if (t % warpSize == 0) {
            value = 4321;
            __threadfence_block();
            flag = 1;
        }
    } else {
        while (flag == 0)
            ;
    }
    __syncthreads();
    out[global_id()] = value;
}

__global__ void
lock_warps(int *lock, int *counter)
{
    if (local_id() % warpSize == 0) {
        bool done = false;
        while (!done) {
            if (atomicCAS(lock, 0, 1) == 0) {
                *(volatile int *)counter += 1;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
        }
    }
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size();

    for (unsigned threads : {64u, 256u, 1024u}) {
        const unsigned blocks = 200, n = threads * blocks;
        Dev<int> lock(1), counter(1), partial(blocks), out(1), sums(blocks), flags(blocks), all(n),
            wout(n);
        Dev<unsigned> done(1);
        std::vector<int> in(n), want(n);

        lock_blocks<<<blocks, threads>>>(lock, counter);
        CHECK(counter.get()[0] == (int)blocks);
        counter.zero();
        lock_warps<<<20, threads>>>(lock, counter);
        CHECK(counter.get()[0] == (int)(20 * (threads / warp)));

        for (unsigned i = 0; i < n; i++) {
            in[i] = (int)(mix(i) & 15);
            want[i] = in[i] + (i ? want[i - 1] : 0);
        }
        Dev<int> din(in);
        last_block<<<blocks, threads>>>(din, partial, done, out);
        CHECK(out.get()[0] == want[n - 1]);
        look_back<<<blocks, threads>>>(din, sums, flags, all);
        check_same("look_back", all.get(), want);
        if (threads > warp) {
            warp_flag<<<8, threads>>>(wout);
            std::vector<int> got = wout.get();
            for (unsigned i = 0; i < 8 * threads; i++)
                CHECK(got[i] == 4321);
        }
    }
    return 0;
}
