/* SPDX-License-Identifier: MIT */
/* Races in global memory that lscheck finds, and their repaired twins: `bad` runs the faults,
 * `good` the twins, of the cases that are named, else of all; `leave` runs faults and waits for
 * none. A fault's reports stand at the lines that are marked for it: FAULT, name, kind. */
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

enum { BLOCK = 128, GRID = 6, WORDS = 1 << 14 };

#define SCOPE_BLOCK  __HIP_MEMORY_SCOPE_WORKGROUP
#define SCOPE_DEVICE __HIP_MEMORY_SCOPE_AGENT

/* In each: v has WORDS words, of which the first 1024 are 0; t and b are the thread and block. */
#define KERNEL(name) template <bool good> __global__ void name(int *v, int n)

#define LOAD(from, order, scope) __hip_atomic_load(from, __ATOMIC_##order, SCOPE_##scope)
#define ADD(to, value, order, scope)                                                               \
    __hip_atomic_fetch_add(to, value, __ATOMIC_##order, SCOPE_##scope)
#define STORE(to, value, order, scope)                                                             \
    __hip_atomic_store(to, value, __ATOMIC_##order, SCOPE_##scope)

#define T threadIdx.x
#define B blockIdx.x
#define I (B * BLOCK + T)

/* ---- Within a block, between warps ---- */

KERNEL(neighbour)
{
    v[1024 + I] = T; // FAULT neighbour read
    if (good)
        __syncthreads();
    v[8192 + I] = v[1024 + B * BLOCK + (T ^ 32)]; // FAULT neighbour write
}

KERNEL(last_warp)
{
    if (T == BLOCK - 1)
        v[1024 + B] = n; // FAULT last-warp read
    if (good)
        __syncthreads();
    v[8192 + I] = v[1024 + B]; // FAULT last-warp write
}

KERNEL(in_place)
{
    int x = v[1024 + B * BLOCK + (T + 1) % BLOCK]; // FAULT in-place write

    if (good)
        __syncthreads();
    v[1024 + I] = x + 1; // FAULT in-place read
}

KERNEL(bytes_of_a_word)
{
    unsigned char *c = (unsigned char *)(v + 1024 + B * BLOCK);

    c[T] = T; // FAULT bytes-of-a-word read
    if (good)
        __syncthreads();
    v[8192 + I] = c[(T + 64) % BLOCK]; // FAULT bytes-of-a-word write
}

/* Threads of two warps that write next to each other do not race. */
KERNEL(halves_of_a_word)
{
    short *h = (short *)(v + 1024 + B * BLOCK);

    h[2 * (T % 64) + T / 64] = T; // FAULT halves-of-a-word write
    if (!good && T == 64)
        h[0] = 1; // FAULT halves-of-a-word write
}

KERNEL(wide_store)
{
    double2 *d = (double2 *)(v + 1024) + B * BLOCK;

    d[T] = make_double2(T, n); // FAULT wide-store read
    if (good)
        __syncthreads();
    v[12288 + I] = ((int *)d)[4 * (BLOCK - 1 - T) + 3]; // FAULT wide-store write
}

/* ---- Between blocks ---- */

KERNEL(same_word)
{
    if (T == 0) {
        if (good)
            atomicExch(&v[1024], (int)B);
        else
            v[1024] = B; // FAULT same-word write
    }
}

/* All write the same: nobody can tell who was last. */
KERNEL(same_value)
{
    if (T == 0)
        v[1024] = good ? n : n + (int)B; // FAULT same-value write
}

KERNEL(sum)
{
    if (T == 0) {
        if (good)
            atomicAdd(&v[1024], 1);
        else
            v[1024] += 1; // FAULT sum read/write
    }
}

KERNEL(histogram)
{
    int bin = (I * 7) % 61;

    if (good)
        atomicAdd(&v[1024 + bin], 1);
    else
        v[1024 + bin]++; // FAULT histogram read/write
}

KERNEL(halo)
{
    int left = v[1024 + (good ? 4096 : 0) + I]; // FAULT halo write

    v[1024 + I + 1] = left; // FAULT halo read
}

/* The twin's neighbours lie in another array. */
KERNEL(stencil)
{
    int *in = v + 1024, *out = good ? v + 8192 : in;
    int a = in[I], b = in[I + BLOCK]; // FAULT stencil write

    __syncthreads();
    out[I] = a + b; // FAULT stencil read
}

KERNEL(too_far)
{
    v[1024 + I] = I; // FAULT too-far write
    if (T == 0)
        v[1024 + B * BLOCK + (good ? 0 : BLOCK)] = B; // FAULT too-far write
}

KERNEL(barrier_for_blocks)
{
    v[1024 + I] = T; // FAULT barrier-for-blocks read
    __syncthreads();
    if (good)
        cg::this_grid().sync();
    v[8192 + I] = v[1024 + (I + BLOCK) % (GRID * BLOCK)]; // FAULT barrier-for-blocks write
}

KERNEL(after_grid_sync)
{
    cg::this_grid().sync();
    v[1024 + I] = T; // FAULT after-grid-sync read
    if (good)
        cg::this_grid().sync();
    v[8192 + I] = v[1024 + (I + BLOCK) % (GRID * BLOCK)]; // FAULT after-grid-sync write
    cg::this_grid().sync();
    v[1024 + I] = v[8192 + (I + BLOCK) % (GRID * BLOCK)];
}

KERNEL(read_atomic)
{
    if (T == 0)
        atomicAdd(&v[1024], 1); // FAULT read-atomic read
    if (good)
        v[8192 + I] = LOAD(&v[1024], RELAXED, DEVICE);
    else
        v[8192 + I] = v[1024]; // FAULT read-atomic write
}

KERNEL(atomic_of_a_block)
{
    if (T != 0)
        return;
    if (good)
        ADD(&v[1024], 1, RELAXED, DEVICE);
    else
        ADD(&v[1024], 1, RELAXED, BLOCK); // FAULT atomic-of-a-block scope
}

__device__ int variable;

KERNEL(module_variable)
{
    if (T == 0) {
        if (good)
            atomicMax(&variable, (int)B);
        else
            variable = B; // FAULT module-variable write
    }
}

/* ---- Messages: block 0 writes a word and then a flag, for which the others wait ---- */

static __device__ void
wait_for(int *flag)
{
    while (LOAD(flag, RELAXED, DEVICE) == 0)
        ;
}

KERNEL(message_store)
{
    if (B == 0 && T == 0) {
        v[1024] = n; // FAULT message-store read
        if (good)
            STORE(&v[0], 1, RELEASE, DEVICE);
        else
            STORE(&v[0], 1, RELAXED, DEVICE);
    } else if (B > 0 && T == 0) {
        while (LOAD(&v[0], ACQUIRE, DEVICE) == 0)
            ;
        v[8192 + B] = v[1024]; // FAULT message-store write
    }
}

KERNEL(message_load)
{
    if (B == 0 && T == 0) {
        v[1024] = n; // FAULT message-load read
        STORE(&v[0], 1, RELEASE, DEVICE);
    } else if (B > 0 && T == 0) {
        if (good)
            while (LOAD(&v[0], ACQUIRE, DEVICE) == 0)
                ;
        else
            while (LOAD(&v[0], RELAXED, DEVICE) == 0)
                ;
        v[8192 + B] = v[1024]; // FAULT message-load write
    }
}

KERNEL(message_store_scope)
{
    if (B == 0 && T == 0) {
        v[1024] = n;
        if (good)
            STORE(&v[0], 1, RELEASE, DEVICE);
        else
            STORE(&v[0], 1, RELEASE, BLOCK); // FAULT message-store-scope scope
    } else if (B > 0 && T == 0) {
        while (LOAD(&v[0], ACQUIRE, DEVICE) == 0) // FAULT message-store-scope scope
            ;
        v[8192 + B] = v[1024]; // FAULT message-store-scope scope
    }
}

KERNEL(message_load_scope)
{
    if (B == 0 && T == 0) {
        v[1024] = n;
        STORE(&v[0], 1, RELEASE, DEVICE); // FAULT message-load-scope scope
    } else if (B > 0 && T == 0) {
        if (good)
            while (LOAD(&v[0], ACQUIRE, DEVICE) == 0)
                ;
        else
            while (LOAD(&v[0], ACQUIRE, BLOCK) == 0) // FAULT message-load-scope scope
                ;
        v[8192 + B] = v[1024]; // FAULT message-load-scope scope
    }
}

KERNEL(message_fences)
{
    if (B == 0 && T == 0) {
        v[1024] = n;
        if (good)
            __threadfence();
        STORE(&v[0], 1, RELAXED, DEVICE);
    } else if (B > 0 && T == 0) {
        wait_for(&v[0]);
        __threadfence();
        v[8192 + B] = v[1024]; // FAULT message-fences write
    }
}

KERNEL(message_fence_of_reader)
{
    if (B == 0 && T == 0) {
        v[1024] = n;
        __threadfence();
        STORE(&v[0], 1, RELAXED, DEVICE);
    } else if (B > 0 && T == 0) {
        wait_for(&v[0]);
        if (good)
            __threadfence();
        v[8192 + B] = v[1024]; // FAULT message-fence-of-reader write
    }
}

KERNEL(message_fence_scope)
{
    if (B == 0 && T == 0) {
        v[1024] = n;
        if (good)
            __threadfence();
        else
            __threadfence_block();
        STORE(&v[0], 1, RELAXED, DEVICE);
    } else if (B > 0 && T == 0) {
        wait_for(&v[0]);
        __threadfence();
        v[8192 + B] = v[1024]; // FAULT message-fence-scope scope
    }
}

/* As CUDA's programs do it. */
KERNEL(message_volatile)
{
    if (B == 0 && T == 0) {
        v[1024] = n;
        if (good)
            __threadfence();
        *(volatile int *)&v[0] = 1;
    } else if (B > 0 && T == 0) {
        while (*(volatile int *)&v[0] == 0)
            ;
        __threadfence();
        v[8192 + B] = v[1024]; // FAULT message-volatile write
    }
}

__device__ int turn, mutex;

/* A volatile access that nobody waits at is one of data. */
KERNEL(volatile_data)
{
    volatile int *data = &v[1024];

    if (T != 0 || B > 1)
        return;
    if (good || B == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0)
            ;
        __threadfence();
        *data += n + B; // FAULT volatile-data write
        __threadfence();
        atomicExch(&mutex, 0);
    } else {
        *data = -n; // FAULT volatile-data read
    }
}

/* A volatile read comes after what an atomic operation before it has read, without a fence. */
KERNEL(volatile_message)
{
    volatile int *data = &v[1024];

    if (B == 0 && T == 0) {
        *data = n;
        if (good)
            __threadfence();
        else
            __threadfence_block();
        atomicAdd(&turn, 1);
    } else if (B == 1 && T == 0) {
        while (atomicAdd(&turn, 0) == 0)
            ;
        v[8192] = *data; // FAULT volatile-message scope
        atomicExch(&turn, 0);
    }
}

KERNEL(message_plain_flag)
{
    if (B == 0 && T == 0) {
        v[1024] = n;
        __threadfence();
        if (good)
            *(volatile int *)&v[0] = 1;
        else
            v[0] = 1; // FAULT message-plain-flag read
    } else if (B > 0 && T == 0) {
        while (*(volatile int *)&v[0] == 0) // FAULT message-plain-flag write
            ;
        __threadfence();
        v[8192 + B] = v[1024]; // FAULT message-plain-flag write
    }
}

/* All threads of a block write; one of them tells it. */
KERNEL(message_of_all)
{
    if (B == 0) {
        v[1024 + T] = T;
        if (good)
            __syncthreads();
        if (T == 0)
            STORE(&v[0], 1, RELEASE, DEVICE);
    } else {
        if (T == 0)
            while (LOAD(&v[0], ACQUIRE, DEVICE) == 0)
                ;
        __syncthreads();
        v[8192 + I] = v[1024 + T]; // FAULT message-of-all write
    }
}

KERNEL(message_for_all)
{
    if (B == 0) {
        v[1024 + T] = T; // FAULT message-for-all read
        __syncthreads();
        if (T == 0)
            STORE(&v[0], 1, RELEASE, DEVICE);
    } else {
        if (T == 0)
            while (LOAD(&v[0], ACQUIRE, DEVICE) == 0)
                ;
        if (good)
            __syncthreads();
        v[8192 + I] = v[1024 + T]; // FAULT message-for-all write
    }
}

/* The flag says that the word is there before it is. */
KERNEL(message_too_early)
{
    if (B == 0 && T == 0) {
        if (good)
            v[1024] = n;
        STORE(&v[0], 1, RELEASE, DEVICE);
        if (!good)
            v[1024] = n; // FAULT message-too-early read
    } else if (B > 0 && T == 0) {
        while (LOAD(&v[0], ACQUIRE, DEVICE) == 0)
            ;
        v[8192 + B] = v[1024]; // FAULT message-too-early write
    }
}

/* ---- Chains: what block 1 learned from block 0 it hands on to block 2 ---- */

KERNEL(chain)
{
    if (T != 0)
        return;
    if (B == 0) {
        v[1024] = n;
        STORE(&v[0], 1, RELEASE, DEVICE);
    } else if (B == 1) {
        while (LOAD(&v[0], ACQUIRE, DEVICE) == 0)
            ;
        if (good)
            STORE(&v[64], 1, RELEASE, DEVICE);
        else
            STORE(&v[64], 1, RELAXED, DEVICE);
    } else if (B == 2) {
        while (LOAD(&v[64], ACQUIRE, DEVICE) == 0)
            ;
        v[8192] = v[1024]; // FAULT chain write
    }
}

/* A counter that others add to, relaxed, still hands on what the first one released; a store to it
 * doesn't. */
KERNEL(release_sequence)
{
    if (T != 0)
        return;
    if (B == 0) {
        v[1024] = n;
        __hip_atomic_fetch_add(&v[0], 1, __ATOMIC_RELEASE, SCOPE_DEVICE);
    } else if (B == 1) {
        while (LOAD(&v[0], RELAXED, DEVICE) != 1)
            ;
        if (good)
            __hip_atomic_fetch_add(&v[0], 1, __ATOMIC_RELAXED, SCOPE_DEVICE);
        else
            STORE(&v[0], 2, RELAXED, DEVICE);
    } else if (B == 2) {
        while (LOAD(&v[0], RELAXED, DEVICE) != 2)
            ;
        LOAD(&v[0], ACQUIRE, DEVICE);
        v[8192] = v[1024]; // FAULT release-sequence write
    }
}

/* Two blocks each write a word and read the other's. No order makes plain accesses right here. */
KERNEL(store_buffering)
{
    int mine = B & 1, other = 1 - mine;

    if (T != 0 || B > 1)
        return;
    if (good) {
        STORE(&v[1024 + 64 * mine], 1, SEQ_CST, DEVICE);
        v[8192 + B] = LOAD(&v[1024 + 64 * other], SEQ_CST, DEVICE);
    } else {
        v[1024 + 64 * mine] = 1; // FAULT store-buffering read
        __threadfence();
        v[8192 + B] = v[1024 + 64 * other]; // FAULT store-buffering write
    }
}

/* Independent reads of independent writes. */
KERNEL(iriw)
{
    int *x = v + 1024, *y = v + 1088;

    if (T != 0)
        return;
    if (good) {
        if (B < 2)
            STORE(B ? y : x, 1, RELEASE, DEVICE);
        else if (B < 4) {
            int a = LOAD(B & 1 ? y : x, ACQUIRE, DEVICE);
            int b = LOAD(B & 1 ? x : y, ACQUIRE, DEVICE);

            v[8192 + B] = a + b;
        }
    } else if (B < 2) {
        *(B ? y : x) = 1; // FAULT iriw read
    } else if (B < 4) {
        int a = *(B & 1 ? y : x); // FAULT iriw write
        int b = *(B & 1 ? x : y); // FAULT iriw write

        v[8192 + B] = a + b;
    }
}

/* ---- Locks ---- */

template <int store_order, int load_order>
static __device__ void
add_locked(int *v)
{
    int ticket = __hip_atomic_fetch_add(&v[0], 1, __ATOMIC_RELAXED, SCOPE_DEVICE);

    while (__hip_atomic_load(&v[64], load_order, SCOPE_DEVICE) != ticket)
        ;
    v[1024] += 1; // FAULT ticket-lock read/write FAULT ticket-unlock read/write
    __hip_atomic_store(&v[64], ticket + 1, store_order, SCOPE_DEVICE);
}

KERNEL(ticket_lock)
{
    if (T == 0)
        add_locked<__ATOMIC_RELEASE, good ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED>(v);
}

KERNEL(ticket_unlock)
{
    if (T == 0)
        add_locked<good ? __ATOMIC_RELEASE : __ATOMIC_RELAXED, __ATOMIC_ACQUIRE>(v);
}

KERNEL(spin_lock)
{
    if (T != 0)
        return;
    while (atomicCAS(&v[0], 0, 1) != 0)
        ;
    if (good)
        __threadfence();
    v[1024] += 1; // FAULT spin-lock read/write
    if (good)
        __threadfence();
    atomicExch(&v[0], 0);
}

/* ---- The last block adds up what all have left ---- */

template <bool has_fence, bool has_barrier>
static __device__ void
add_up(int *v)
{
    __shared__ bool is_last;
    int sum = 0;

    v[1024 + I] = T; // FAULT last-block read/scope FAULT last-block-barrier read/scope
    if (has_fence)
        __threadfence();
    if (has_barrier)
        __syncthreads();
    if (T == 0)
        is_last = atomicAdd(&v[0], 1) == GRID - 1;
    __syncthreads();
    if (!is_last)
        return;
    if (has_fence)
        __threadfence();
    for (int i = T; i < GRID * BLOCK; i += BLOCK)
        sum += v[1024 + i]; // FAULT last-block write/scope FAULT last-block-barrier write/scope
    v[8192 + T] = sum;
}

KERNEL(last_block)
{
    add_up<good, true>(v);
}

/* Without the barrier thread 0 speaks for its own warp alone. */
KERNEL(last_block_barrier)
{
    add_up<true, good>(v);
}

KERNEL(last_block_ordered)
{
    if (T != 0)
        return;
    v[1024 + 64 * B] = B;
    if (__hip_atomic_fetch_add(&v[0], 1, good ? __ATOMIC_ACQ_REL : __ATOMIC_RELAXED,
                               SCOPE_DEVICE) == GRID - 1)
        for (int b = 0; b < GRID; b++)
            v[8192] += v[1024 + 64 * b]; // FAULT last-block-ordered write
}

/* ---- Decoupled look-back: each block adds to what the one before it has left ---- */

template <int store_order, int load_order>
static __device__ void
look_back(int *v)
{
    __shared__ int before;

    if (T == 0) {
        if (B > 0)
            while (__hip_atomic_load(&v[B - 1], load_order, SCOPE_DEVICE) == 0)
                ;
        before = B > 0 ? v[1024 + B - 1] : 0; // FAULT look-back write FAULT look-back-load write
        v[1024 + B] = before + BLOCK; // FAULT look-back read FAULT look-back-load read
        __hip_atomic_store(&v[B], 1, store_order, SCOPE_DEVICE);
    }
    __syncthreads();
    v[8192 + I] = before + T;
}

KERNEL(lookback)
{
    look_back<good ? __ATOMIC_RELEASE : __ATOMIC_RELAXED, __ATOMIC_ACQUIRE>(v);
}

KERNEL(lookback_load)
{
    look_back<__ATOMIC_RELEASE, good ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED>(v);
}

/* A barrier of the grid made of atomics. */
KERNEL(own_barrier)
{
    v[1024 + I] = T; // FAULT own-barrier read/scope
    __syncthreads();
    if (T == 0) {
        if (good)
            __threadfence();
        atomicAdd(&v[0], 1);
        while (LOAD(&v[0], RELAXED, DEVICE) < GRID)
            ;
        __threadfence();
    }
    __syncthreads();
    v[8192 + I] = v[1024 + (I + BLOCK) % (GRID * BLOCK)]; // FAULT own-barrier write/scope
}

struct fault {
    const char *name;
    void (*kernels[2])(int *, int);
    bool is_cooperative;
};

#define KERNELS(name) {name<false>, name<true>}

static const fault FAULTS[] = {
    {"neighbour", KERNELS(neighbour)},
    {"last-warp", KERNELS(last_warp)},
    {"in-place", KERNELS(in_place)},
    {"bytes-of-a-word", KERNELS(bytes_of_a_word)},
    {"halves-of-a-word", KERNELS(halves_of_a_word)},
    {"wide-store", KERNELS(wide_store)},
    {"same-word", KERNELS(same_word)},
    {"same-value", KERNELS(same_value)},
    {"sum", KERNELS(sum)},
    {"histogram", KERNELS(histogram)},
    {"halo", KERNELS(halo)},
    {"stencil", KERNELS(stencil)},
    {"too-far", KERNELS(too_far)},
    {"barrier-for-blocks", KERNELS(barrier_for_blocks), true},
    {"after-grid-sync", KERNELS(after_grid_sync), true},
    {"read-atomic", KERNELS(read_atomic)},
    {"atomic-of-a-block", KERNELS(atomic_of_a_block)},
    {"module-variable", KERNELS(module_variable)},
    {"message-store", KERNELS(message_store)},
    {"message-load", KERNELS(message_load)},
    {"message-store-scope", KERNELS(message_store_scope)},
    {"message-load-scope", KERNELS(message_load_scope)},
    {"message-fences", KERNELS(message_fences)},
    {"message-fence-of-reader", KERNELS(message_fence_of_reader)},
    {"message-fence-scope", KERNELS(message_fence_scope)},
    {"message-volatile", KERNELS(message_volatile)},
    {"volatile-data", KERNELS(volatile_data)},
    {"volatile-message", KERNELS(volatile_message)},
    {"message-plain-flag", KERNELS(message_plain_flag)},
    {"message-of-all", KERNELS(message_of_all)},
    {"message-for-all", KERNELS(message_for_all)},
    {"message-too-early", KERNELS(message_too_early)},
    {"chain", KERNELS(chain)},
    {"release-sequence", KERNELS(release_sequence)},
    {"store-buffering", KERNELS(store_buffering)},
    {"iriw", KERNELS(iriw)},
    {"ticket-lock", KERNELS(ticket_lock)},
    {"ticket-unlock", KERNELS(ticket_unlock)},
    {"spin-lock", KERNELS(spin_lock)},
    {"last-block", KERNELS(last_block)},
    {"last-block-barrier", KERNELS(last_block_barrier)},
    {"last-block-ordered", KERNELS(last_block_ordered)},
    {"look-back", KERNELS(lookback)},
    {"look-back-load", KERNELS(lookback_load)},
    {"own-barrier", KERNELS(own_barrier)},
};

static bool
is_wanted(const char *name, char **names)
{
    bool wanted = !*names;

    for (; *names; names++)
        wanted |= !strcmp(*names, name);
    return wanted;
}

static hipError_t
launch(const fault &f, bool good, int *v, int n)
{
    void *args[] = {&v, &n};
    hipError_t err = hipMemset(v, 0, 1024 * sizeof(int));

    if (err != hipSuccess)
        return err;
    if (f.is_cooperative)
        return hipLaunchCooperativeKernel((const void *)f.kernels[good], GRID, BLOCK, args, 0, 0);
    return hipLaunchKernel((const void *)f.kernels[good], GRID, BLOCK, args, 0, 0);
}

int
main(int argc, char **argv)
{
    int *v;
    hipError_t err = hipSuccess;

    if (argc < 2 || hipMalloc(&v, WORDS * sizeof(int)) != hipSuccess ||
        hipMemset(v, 1, WORDS * sizeof(int)) != hipSuccess)
        return 2;
    for (const fault &f : FAULTS)
        if (is_wanted(f.name, argv + 2))
            for (int n = 1; n <= 3 && err == hipSuccess; n++)
                err = launch(f, !strcmp(argv[1], "good"), v, n);
    if (!strcmp(argv[1], "leave"))
        return 0;
    if (err == hipSuccess)
        err = hipDeviceSynchronize();
    if (err != hipSuccess) {
        fprintf(stderr, "%s\n", hipGetErrorString(err));
        return 3;
    }
    return hipFree(v) != hipSuccess;
}
