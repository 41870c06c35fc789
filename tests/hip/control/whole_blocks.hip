/* SPDX-License-Identifier: MIT */
/* Blocks in which a guard holds in all threads run without masks, and which these are is decided
 * for many of them at once: whatever the guard's form, its limits and where the index wraps, just
 * the threads for which it holds do the work. */
#include "../check.h"

static const int n_threads = 4096 + 512;
static int *out, *host, *mark;

/* An index that begins anywhere, read in many ways. */
struct form {
    unsigned base;
    long long limit, other;
};

enum {
    LESS, RETURN, UNSIGNED, BETWEEN, OTHER_THAN,
    ABOVE, LONG, WRAPPED_LONG, SCALED, SHIFTED, N_FORMS
};

__host__ __device__ static bool
holds(int kind, unsigned thread, struct form f)
{
    unsigned i = thread + f.base;

    switch (kind) {
    case LESS:
    case RETURN:
        return (int)i < (int)f.limit;
    case UNSIGNED:
        return i < (unsigned)f.limit;
    case BETWEEN:
        return (int)i > (int)f.other && (int)i <= (int)f.limit;
    case OTHER_THAN:
        return i != (unsigned)f.limit;
    case ABOVE:
        return (int)f.limit <= (int)i;
    case LONG:
        return (long long)(int)i < f.limit;
    case WRAPPED_LONG:
        return (unsigned long long)i < (unsigned long long)f.limit;
    case SCALED:
        return (int)((unsigned)(int)f.other * i) < (int)f.limit;
    case SHIFTED:
        return i >> 3 < (unsigned)f.limit;
    default:
        return false;
    }
}

template <int KIND>
__global__ void
guarded(int *p, struct form f)
{
    unsigned thread = global_id();

    if (KIND == RETURN) {
        if (!((int)(thread + f.base) < (int)f.limit))
            return;
        p[thread] += 3;
    } else if (holds(KIND, thread, f)) {
        p[thread] += 3;
    }
}

template <int KIND>
static void
run_form(unsigned block, struct form f)
{
    unsigned blocks = ((unsigned)n_threads + block - 1) / block - 1;

    for (int i = 0; i < n_threads; i++)
        host[i] = i;
    CHECK_HIP(hipMemcpy(out, host, n_threads * sizeof(int), hipMemcpyHostToDevice));
    guarded<KIND><<<blocks, block>>>(out, f);
    CHECK_HIP(hipMemcpy(host, out, n_threads * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < n_threads; i++) {
        bool wanted = (unsigned)i < blocks * block && holds(KIND, (unsigned)i, f);

        if (host[i] != i + (wanted ? 3 : 0))
            FAIL("form %d, block %u, base %#x, limit %lld, other %lld: thread %d has %d", KIND,
                 block, f.base, f.limit, f.other, i, host[i] - i);
    }
}

template <int KIND>
static void
run_limits(unsigned block)
{
    static const unsigned bases[] = {0, 7, 0x7ffff800u, 0x80000000u, 0xfffff7c0u};
    static const long long limits[] = {0,    1,    -1,   31,         32,          33,          255,
                                       2048, 2049, 4607, 0x7ffff900, 0x7fffffff, -0x7fffff00ll,
                                       -1024, 0x80000100ll, 0x1000001ffll};

    for (unsigned base : bases)
        for (long long limit : limits)
            run_form<KIND>(block, {base, limit, KIND == SCALED ? 3 : limit - 700});
}

template <int KIND>
static void
run_forms()
{
    run_limits<KIND>(256);
    run_limits<KIND>(64);
    run_form<KIND>(96, {0, 1000, 3});
    run_form<KIND>(48, {0, 1000, 3});
    run_form<KIND>(1024, {0, 3000, 3});
    if constexpr (KIND + 1 < N_FORMS)
        run_forms<KIND + 1>();
}

__global__ void
inner(int *p, int width, int height, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;

    if (x > 0 && y > 0 && x < width - 1 && y < height - 1 && z < depth)
        p[(z * height + y) * width + x] = x * 1000000 + y * 1000 + z;
}

static void
run_inner(dim3 block, int width, int height, int depth)
{
    int count = width * height * depth;
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y,
              (depth + block.z - 1) / block.z);

    if (count > n_threads)
        FAIL("%d x %d x %d is too large", width, height, depth);
    CHECK_HIP(hipMemset(out, 0xff, n_threads * sizeof(int)));
    inner<<<grid, block>>>(out, width, height, depth);
    CHECK_HIP(hipMemcpy(host, out, n_threads * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < n_threads; i++) {
        int x = i % width, y = i / width % height, z = i / width / height;
        bool wanted = i < count && x > 0 && y > 0 && x < width - 1 && y < height - 1;

        if (host[i] != (wanted ? x * 1000000 + y * 1000 + z : -1))
            FAIL("%d x %d x %d by (%u,%u,%u): %d at %d,%d,%d", width, height, depth, block.x,
                 block.y, block.z, host[i], x, y, z);
    }
}

/* The limit is where others write, and in the last run among what the kernel itself writes. */
__global__ void
by_memory(int *p, const int *limit)
{
    int i = global_id();

    if (i < *limit)
        p[i] = 1000;
}

__global__ void
by_grid(int *p, int per_block, const int *flags)
{
    int i = global_id();

    if (i < (int)gridDim.x * per_block && flags[i])
        p[i] = 5;
    else
        p[i] = 6;
}

/* Both ways have work, of which one is that of few blocks. */
__global__ void
two_ways(int *p, int n)
{
    int i = global_id();

    if (i < n)
        p[i] = i * 3 + p[i] / 7;
    else
        p[i] = -i;
}

/* A guard in a loop, and one behind it. */
__global__ void
in_loop(int *p, int n, int rounds)
{
    int i = global_id(), sum = 0;

    for (int r = 0; r < rounds; r++)
        if (i < n)
            sum += r;
    if (i != n)
        p[i] = sum;
}

static void
run_memory()
{
    static const int limits[] = {0, 100, 256, 1999, 4096};
    int *limit;

    CHECK_HIP(hipMalloc(&limit, sizeof(int)));
    for (int n : limits) {
        CHECK_HIP(hipMemset(out, 0, n_threads * sizeof(int)));
        CHECK_HIP(hipMemcpy(limit, &n, sizeof(n), hipMemcpyHostToDevice));
        by_memory<<<16, 256>>>(out, limit);
        CHECK_HIP(hipMemcpy(host, out, n_threads * sizeof(int), hipMemcpyDeviceToHost));
        for (int i = 0; i < n_threads; i++)
            if (host[i] != (i < n ? 1000 : 0))
                FAIL("limit %d in memory: %d has %d", n, i, host[i]);
    }
    CHECK_HIP(hipFree(limit));
    for (int i = 0; i < n_threads; i++)
        host[i] = 1000; /* the limit, at 600, is written again as it is */
    CHECK_HIP(hipMemcpy(out, host, n_threads * sizeof(int), hipMemcpyHostToDevice));
    by_memory<<<16, 256>>>(out, out + 600);
    CHECK_HIP(hipMemcpy(host, out, n_threads * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < n_threads; i++)
        if (host[i] != 1000)
            FAIL("limit among the results: %d has %d", i, host[i]);
}

static void
run_others()
{
    for (int i = 0; i < n_threads; i++)
        host[i] = i % 3;
    CHECK_HIP(hipMemcpy(mark, host, n_threads * sizeof(int), hipMemcpyHostToDevice));
    by_grid<<<16, 256>>>(out, 200, mark);
    CHECK_HIP(hipMemcpy(host, out, n_threads * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < 4096; i++)
        if (host[i] != (i < 3200 && i % 3 ? 5 : 6))
            FAIL("by the grid: %d has %d", i, host[i]);
    two_ways<<<16, 256>>>(out, 1500);
    CHECK_HIP(hipMemcpy(host, out, n_threads * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < 4096; i++)
        if (host[i] != (i < 1500 ? i * 3 : -i))
            FAIL("two ways: %d has %d", i, host[i]);
    CHECK_HIP(hipMemset(out, 0xff, n_threads * sizeof(int)));
    in_loop<<<16, 256>>>(out, 1500, 5);
    CHECK_HIP(hipMemcpy(host, out, n_threads * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < 4096; i++)
        if (host[i] != (i < 1500 ? 10 : i == 1500 ? -1 : 0))
            FAIL("in a loop: %d has %d", i, host[i]);
}

int
main()
{
    host = (int *)malloc(n_threads * sizeof(int));
    CHECK_HIP(hipMalloc(&out, n_threads * sizeof(int)));
    CHECK_HIP(hipMalloc(&mark, n_threads * sizeof(int)));
    run_forms<0>();
    run_inner(dim3(32, 8), 64, 48, 1);
    run_inner(dim3(32, 8), 63, 47, 1);
    run_inner(dim3(32, 8), 200, 23, 1);
    run_inner(dim3(16, 16), 50, 70, 1);
    run_inner(dim3(8, 4, 2), 19, 17, 13);
    run_inner(dim3(64, 1, 1), 300, 15, 1);
    run_inner(dim3(24, 4), 100, 40, 1);
    run_inner(dim3(256, 2), 1030, 4, 1);
    run_inner(dim3(32, 1), 200, 20, 1);
    run_inner(dim3(32, 8), 3, 1000, 1);
    run_memory();
    run_others();
    return 0;
}
