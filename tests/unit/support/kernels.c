/* SPDX-License-Identifier: MIT */
/* Kernels as the lowering library would make them, by hand, for tests of the runtime: one object
 * each, chosen by -DKERNEL_<name>. A warp is a loop over its lanes. */
#include <string.h>

#include "device/cpu/kernel_abi.h"

#define ARG(type, offset) (*(type *)(void *)((char *)(uintptr_t)ctx->kernarg + (offset)))

#if defined(KERNEL_empty)
#define MODE LS_CPU_MODE_BLOCK
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    ctx->cur_block = first + count - 1;
}

#elif defined(KERNEL_scale) /* (float *out, const float *in, float a, int n): out = a * in */
#define MODE LS_CPU_MODE_BLOCK
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    float *out = ARG(float *, 0), a = ARG(float, 16);
    const float *in = ARG(const float *, 8);
    uint64_t n = ARG(uint32_t, 20), end = (first + count) * ctx->n_threads;

    for (uint64_t i = first * ctx->n_threads; i < end && i < n; i++)
        out[i] = a * in[i];
}

#elif defined(KERNEL_library) /* (double *x): x[0] = sin(x[0]), x[1] = x[1] << 70 / (x[2] << 66) */
#include <math.h>

#define MODE LS_CPU_MODE_BLOCK
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    __extension__ typedef __int128 wide;
    double *x = ARG(double *, 0);

    (void)first;
    (void)count;
    x[0] = sin(x[0]);
    x[1] = (double)(((wide)x[1] << 70) / ((wide)x[2] << 66));
}

#elif defined(KERNEL_count) /* (int *blocks): counts the runs of each block */
#define MODE LS_CPU_MODE_BLOCK
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    int *runs = ARG(int *, 0);

    for (uint64_t i = first; i < first + count; i++)
        __atomic_fetch_add(&runs[i], 1, __ATOMIC_RELAXED);
}

#elif defined(KERNEL_crowd) /* (int *n): n[0] = blocks that run now, n[1] = the most */
#define MODE LS_CPU_MODE_BLOCK
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    int *n = ARG(int *, 0);

    for (uint64_t i = first; i < first + count; i++) {
        int now = __atomic_add_fetch(n, 1, __ATOMIC_RELAXED),
            most = __atomic_load_n(n + 1, __ATOMIC_RELAXED);

        while (now > most && !__atomic_compare_exchange_n(n + 1, &most, now, 0, __ATOMIC_RELAXED,
                                                          __ATOMIC_RELAXED))
            continue;
        for (int k = 0; k < 100; k++)
            __builtin_ia32_pause();
        __atomic_fetch_sub(n, 1, __ATOMIC_RELAXED);
    }
}

#elif defined(KERNEL_fault) /* (int *p, unsigned block): writes to p in that block */
#define MODE LS_CPU_MODE_BLOCK
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        ctx->cur_block = i;
        ctx->cur_warp = 1;
        if (i == ARG(uint32_t, 8))
            *ARG(volatile int *, 0) = 1;
    }
}

#elif defined(KERNEL_recurse) /* (int depth, int *out) */
#define MODE LS_CPU_MODE_BLOCK
static int __attribute__((noinline)) deeper(volatile int *depth)
{
    volatile char frame[1000];
    volatile int next = *depth - 1;

    frame[next & 511] = 1;
    return next > 0 ? deeper(&next) + frame[next & 511] : 0;
}

static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    volatile int depth = ARG(int, 0);

    (void)first, (void)count;
    *ARG(int *, 8) = deeper(&depth);
}

#elif defined(KERNEL_divide) /* (int a, int b, int *out) */
#define MODE LS_CPU_MODE_BLOCK
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    int q, r;

    (void)first, (void)count;
    __asm__ volatile("cltd\n\tidivl %3"
                     : "=a"(q), "=&d"(r)
                     : "a"(ARG(int, 0)), "r"(ARG(int, 4))
                     : "cc");
    *ARG(int *, 8) = q;
}

#elif defined(KERNEL_trap) /* (int service, int lane): traps or asserts */
#define MODE LS_CPU_MODE_FIBER
static void
run_warp(struct ls_cpu_ctx *ctx, uint64_t block, uint32_t warp)
{
    static const char text[] = "x > 0", file[] = "a.hip", func[] = "kernel";
    uint64_t args[4] = {LS_TRAP_TRAP};

    if (block != 1 || warp != 1) {
        ctx->barrier(ctx);
        return;
    }
    if (ARG(uint32_t, 0) == LS_SVC_ASSERT) {
        args[0] = (uint64_t)(uintptr_t)text;
        args[1] = (uint64_t)(uintptr_t)file;
        args[2] = 12;
        args[3] = (uint64_t)(uintptr_t)func;
    }
    ctx->service(ctx, ARG(uint32_t, 0), ARG(uint32_t, 4), args);
}

#elif defined(KERNEL_print) /* (int n, const char *text, double d): printf("%d %5.2f [%-6s] %s     \
                               %c%%\n", ...) */
#define MODE LS_CPU_MODE_BLOCK
static uint64_t
string(struct ls_cpu_ctx *ctx, uint64_t desc, const char *text, int last)
{
    uint64_t args[4] = {desc, (uint64_t)(uintptr_t)text, text ? strlen(text) + 1 : 0,
                        (uint64_t)last};

    return ctx->service(ctx, LS_SVC_PRINTF_STRING, 0, args);
}

static uint64_t
values(struct ls_cpu_ctx *ctx, uint64_t desc, uint64_t n, uint64_t a, uint64_t b, int last)
{
    uint64_t args[10] = {desc, n, a, b, 0, 0, 0, 0, 0, (uint64_t)last};

    return ctx->service(ctx, LS_SVC_PRINTF_ARGS, 0, args);
}

static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    uint64_t version = 0, desc, bits;
    double d = ARG(double, 16);

    for (uint64_t i = first; i < first + count; i++) {
        desc = ctx->service(ctx, LS_SVC_PRINTF_BEGIN, 0, &version);
        desc = string(ctx, desc, "%d %5.2f [%-6s] %s %c%%\n", 0);
        memcpy(&bits, &d, 8);
        desc = values(ctx, desc, 2, ARG(uint32_t, 0), bits, 0);
        desc = string(ctx, desc, ARG(const char *, 8), 0);
        desc = string(ctx, desc, NULL, 0);
        values(ctx, desc, 1, 'z', 0, 1);
    }
}

#elif defined(KERNEL_reduce) /* (int *out, int n_early): sums thread numbers through LDS; early    \
                                warps just end */
#define MODE       LS_CPU_MODE_FIBER
#define STATIC_LDS 128
static void
run_warp(struct ls_cpu_ctx *ctx, uint64_t block, uint32_t warp)
{
    int *slots = (int *)(void *)ctx->lds, sum = 0;
    uint32_t early = ARG(uint32_t, 8);

    if (warp < early)
        return;
    for (int round = 0; round < 3; round++) {
        for (uint32_t t = warp * 32; t < (warp + 1) * 32 && t < ctx->n_threads; t++)
            sum += (int)t;
        slots[warp] = sum;
        ctx->barrier(ctx);
        if (warp == early && round == 2) {
            sum = 0;
            for (uint32_t w = early; w < ctx->n_warps; w++)
                sum += slots[w];
            ARG(int *, 0)[block] = sum;
        }
        ctx->barrier(ctx);
    }
}

#elif defined(KERNEL_grid) /* (int *a, int *bad): every block reads what all others wrote before   \
                              the barrier */
#define MODE  LS_CPU_MODE_FIBER
#define FLAGS LS_CPU_KERNEL_GRID_SYNC
static void
run_warp(struct ls_cpu_ctx *ctx, uint64_t block, uint32_t warp)
{
    uint32_t n = ctx->grid[0] * ctx->n_warps, me = (uint32_t)block * ctx->n_warps + warp;
    int *a = ARG(int *, 0), *bad = ARG(int *, 8);

    if (me == 1)
        return; /* one warp leaves early: barriers count those that are left */
    for (int round = 1; round <= 5; round++) {
        __atomic_store_n(&a[me], round, __ATOMIC_RELAXED);
        ctx->grid_sync(ctx);
        for (uint32_t i = 0; i < n; i++)
            if (i != 1 && __atomic_load_n(&a[i], __ATOMIC_RELAXED) < round)
                __atomic_fetch_add(bad, 1, __ATOMIC_RELAXED);
        ctx->barrier(ctx);
    }
}

#elif defined(KERNEL_gridb) /* the same, a block at a time, with LDS */
#define MODE       LS_CPU_MODE_BLOCK
#define FLAGS      LS_CPU_KERNEL_GRID_SYNC
#define STATIC_LDS 16
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    int *a = ARG(int *, 0), *bad = ARG(int *, 8), *mine = (int *)(void *)ctx->lds;

    (void)count;
    *mine = (int)first;
    for (int round = 1; round <= 5; round++) {
        __atomic_store_n(&a[first], round, __ATOMIC_RELAXED);
        ctx->grid_sync(ctx);
        for (uint32_t i = 0; i < ctx->grid[0]; i++)
            if (__atomic_load_n(&a[i], __ATOMIC_RELAXED) < round)
                __atomic_fetch_add(bad, 1, __ATOMIC_RELAXED);
        if (*mine != (int)first)
            __atomic_fetch_add(bad, 1, __ATOMIC_RELAXED);
    }
}

#elif defined(KERNEL_chain) /* (int *flags): block i waits for block i + 1, but for the last */
#define MODE  LS_CPU_MODE_BLOCK
#define FLAGS LS_CPU_KERNEL_SPINS
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    int *flags = ARG(int *, 0);

    for (uint64_t i = first; i < first + count; i++) {
        while (i + 1 < ctx->grid[0] && !__atomic_load_n(&flags[i + 1], __ATOMIC_ACQUIRE))
            ctx->yield(ctx);
        __atomic_store_n(&flags[i], 1, __ATOMIC_RELEASE);
    }
}

#elif defined(                                                                                     \
    KERNEL_await) /* (int *flag, int *set): waits for *flag, then sets *set; NULL = skip */
#define MODE  LS_CPU_MODE_BLOCK
#define FLAGS LS_CPU_KERNEL_SPINS
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    int *flag = ARG(int *, 0), *set = ARG(int *, 8);

    (void)first, (void)count;
    while (flag && !__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        ctx->yield(ctx);
    if (set)
        __atomic_store_n(set, 1, __ATOMIC_RELEASE);
}

#elif defined(KERNEL_vars) /* (int *out): out[0] = *var, out[1] = **pointer, adds 1 to var */
#define MODE LS_CPU_MODE_BLOCK
static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    int *var = ctx->globals[0], **pointer = ctx->globals[1], *out = ARG(int *, 0);

    (void)first, (void)count;
    out[0] = *var;
    out[1] = **pointer;
    ++*var;
}

#elif defined(                                                                                     \
    KERNEL_grids) /* (int *n, int *seen): all blocks of all devices' grids add 1 to n and meet */
#define MODE  LS_CPU_MODE_BLOCK
#define FLAGS LS_CPU_KERNEL_GRID_SYNC
static int
ask(struct ls_cpu_ctx *ctx, uint64_t question)
{
    return (int)ctx->service(ctx, LS_SVC_MULTI_GRID, 0, &question);
}

static void
run_blocks(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count)
{
    int *n = ARG(int *, 0), *seen = ARG(int *, 8);

    (void)count;
    __atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST);
    ctx->grid_sync(ctx);
    if (first == 0)
        ask(ctx, LS_GRIDS_MEET);
    ctx->grid_sync(ctx);
    if (first > 0 || !ask(ctx, LS_GRIDS_IS_VALID))
        return;
    seen[0] = __atomic_load_n(n, __ATOMIC_SEQ_CST);
    seen[1] = ask(ctx, LS_GRIDS_COUNT);
    seen[2] = ask(ctx, LS_GRIDS_RANK);
    seen[3] = ask(ctx, LS_GRIDS_THREADS_BEFORE);
    seen[4] = ask(ctx, LS_GRIDS_THREADS);
}
#endif

#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef STATIC_LDS
#define STATIC_LDS 0
#endif

extern const struct ls_cpu_kernel ls_kernel;
__attribute__((visibility("default"))) const struct ls_cpu_kernel ls_kernel = {
    .magic = LS_CPU_KERNEL_MAGIC,
    .abi_version = LS_CPU_ABI_VERSION,
    .mode = MODE,
    .flags = FLAGS,
    .warp_size = 32,
    .lds_bytes = STATIC_LDS,
    .stack_bytes = 4096,
#if defined(KERNEL_trap) || defined(KERNEL_reduce) || defined(KERNEL_grid)
    .run_warp = run_warp,
#else
    .run_blocks = run_blocks,
#endif
};
