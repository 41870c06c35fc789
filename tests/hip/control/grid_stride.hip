/* SPDX-License-Identifier: MIT */
/* Grid-stride loops: the warps of a block take turns in them. Every thread's result is compared
 * with the same loop run on the host, for loops that end everywhere, nowhere, in the middle of a
 * warp, or by a break; in code for one block shape, and in code for any row of whole warps. */
// OPT: -O3
#include "../check.h"

struct Args {
    const int *in;
    int *out; /* by element: written by the thread that has it */
    int n;
};

/* What each loop leaves: `from` and `step` are those of the thread. */
#define LOOP(name)                                                                                 \
    struct name {                                                                                  \
        static __host__ __device__ int run(Args a, int from, int step);                            \
    };                                                                                             \
    __host__ __device__ int name::run(Args a, int from, int step)

LOOP(Store)
{
    for (int i = from; i < a.n; i += step)
        a.out[i] = 3 * a.in[i] + 1;
    return 0;
}

LOOP(Sum)
{
    int sum = 5, odd = 0;
    for (int i = from; i < a.n; i += step) {
        sum += a.in[i];
        odd ^= a.in[i] & 1;
    }
    return sum * 2 + odd;
}

LOOP(Last) /* the index leaves the loop */
{
    int i;
    for (i = from; i < a.n; i += step)
        a.out[i] = a.in[i] ^ 1;
    return i;
}

LOOP(Break)
{
    int seen = 0;
    for (int i = from; i < a.n; i += step) {
        if (a.in[i] % 37 == 3)
            break;
        seen += i;
    }
    return seen;
}

LOOP(Continue)
{
    int seen = 0;
    for (int i = from; i <= a.n - 1; i += step) {
        int v = a.in[i];
        if (v & 4)
            continue;
        a.out[i] = v;
        seen = seen * 3 + v;
    }
    return seen;
}

LOOP(Early) /* code for those alone who were in the loop, behind it */
{
    if (from >= a.n)
        return -1;
    int best = a.in[from];
    for (int i = from + step; i < a.n; i += step)
        best = best < a.in[i] ? a.in[i] : best;
    return best + a.in[from];
}

LOOP(Size)
{
    long sum = 0;
    for (size_t i = from; i < (size_t)a.n; i += step)
        sum = sum * 5 + a.in[i];
    return (int)(sum ^ sum >> 32);
}

LOOP(Two) /* one behind the other, the second begins where the first ended */
{
    int sum = 0, i;
    for (i = from; i < a.n / 2; i += step)
        sum += a.in[i];
    for (; i < a.n; i += step)
        sum -= 3 * a.in[i];
    return sum;
}

LOOP(Down)
{
    int sum = 0;
    for (int i = a.n - 1 - from; i >= 0; i -= step)
        sum = sum * 7 + a.in[i];
    return sum;
}

LOOP(Some) /* not all threads come to the loop */
{
    int sum = -1;
    if (from % 3) {
        for (int i = from; i < a.n; i += step)
            sum += a.in[i];
        sum *= 2;
    }
    return sum;
}

LOOP(Returns)
{
    for (int i = from; i < a.n; i += step)
        if (a.in[i] == 77)
            return i;
    return -2;
}

LOOP(Moved) /* the bound is met by something else than the index */
{
    int sum = 0;
    for (unsigned i = from; 2 * i + 1 < (unsigned)a.n; i += step)
        sum += a.in[2 * i] - a.in[i + 1];
    return sum;
}

template <class L>
__global__ void
kernel(Args a, int *result)
{
    int id = blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
    result[id] = L::run(a, id, gridDim.x * blockDim.x * blockDim.y);
}

enum { MAX_N = 5000, MAX_THREADS = 2048 };

static bool wide; /* no shape seen before: LOCKSTEP_SHAPES=0 makes code for any row */

static int in[MAX_N], out[MAX_N], want_out[MAX_N], result[MAX_THREADS];

template <class L>
static void
check(const char *name)
{
    const dim3 blocks[] = {wide ? dim3(160) : dim3(256), wide ? dim3(64, 3) : dim3(25, 4)};
    static const int sizes[] = {0, 1, 31, 700, 768, 777, 1536, 4999};
    Dev<int> d_in(std::vector<int>(in, in + MAX_N)), d_out(MAX_N), d_result(MAX_THREADS);

    for (const dim3 &block : blocks)
        for (int n : sizes) {
            int threads = 3 * block.x * block.y;
            Args host = {in, want_out, n}, dev = {d_in.p, d_out.p, n};

            memset(want_out, 0, sizeof(want_out));
            CHECK_HIP(hipMemset(d_out.p, 0, sizeof(out)));
            kernel<L><<<3, block>>>(dev, d_result.p);
            CHECK_RUN();
            CHECK_HIP(hipMemcpy(out, d_out.p, sizeof(out), hipMemcpyDeviceToHost));
            CHECK_HIP(hipMemcpy(result, d_result.p, threads * sizeof(int), hipMemcpyDeviceToHost));
            for (int t = 0; t < threads; t++) {
                int want = L::run(host, t, threads);
                if (result[t] != want)
                    FAIL("%s: block %ux%u, n %d, thread %d: %d, expected %d", name, block.x,
                         block.y, n, t, result[t], want);
            }
            if (memcmp(out, want_out, sizeof(out)))
                FAIL("%s: block %ux%u, n %d: wrong elements", name, block.x, block.y, n);
        }
}

/* Barriers around, LDS and a vote inside, the warp's sum behind. */
__global__ void
around(const int *in, int n, int *bins, int *votes, int *sums)
{
    __shared__ int local[16];
    int sum = 0, voted = 0;

    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[in[i] & 15], 1);
        voted += __popcll(__ballot(in[i] & 1));
        sum += in[i];
    }
    __syncthreads();
    for (int d = warpSize / 2; d; d /= 2)
        sum += __shfl_xor(sum, d);
    votes[blockIdx.x * blockDim.x + threadIdx.x] = voted;
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static void
check_around(int n)
{
    const int BLOCK = wide ? 192 : 128, GRID = 3, THREADS = BLOCK * GRID;
    Dev<int> d_in(std::vector<int>(in, in + MAX_N)), d_bins(16), d_votes(THREADS), d_sums(THREADS);
    int want_bins[16] = {0}, warp = host_warp_size();

    around<<<GRID, BLOCK>>>(d_in.p, n, d_bins.p, d_votes.p, d_sums.p);
    CHECK_RUN();
    std::vector<int> bins = d_bins.get(), votes = d_votes.get(), sums = d_sums.get();
    for (int i = 0; i < n; i++)
        want_bins[in[i] & 15]++;
    CHECK(!memcmp(bins.data(), want_bins, sizeof(want_bins)));
    for (int t = 0; t < THREADS; t++) {
        int first = t / warp * warp, sum = 0, voted = 0;

        for (int l = first; l < first + warp; l++)
            for (int i = l; i < n; i += THREADS) {
                sum += in[i];
                voted += (in[i] & 1) && t + (i - l) < n;
            }
        CHECK(sums[t] == sum);
        CHECK(votes[t] == voted);
    }
}

/* Shuffles right behind the loop, which all lanes take part in, also those that had nothing to do
 * in it. */
__global__ void
tail(const int *in, int n, int *sums)
{
    int sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = sum * 3 + 1;
    for (int d = warpSize / 2; d; d /= 2)
        sum += __shfl_xor(sum, d);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void
check_tail(int n)
{
    const int BLOCK = wide ? 192 : 128, GRID = 3, THREADS = BLOCK * GRID;
    Dev<int> d_in(std::vector<int>(in, in + MAX_N)), d_sums(THREADS);
    int warp = host_warp_size();

    tail<<<GRID, BLOCK>>>(d_in, n, d_sums);
    std::vector<int> sums = d_sums.get();
    for (int t = 0; t < THREADS; t++) {
        int first = t / warp * warp, sum = warp;

        for (int l = first; l < first + warp; l++)
            for (int i = l; i < n; i += THREADS)
                sum += 3 * in[i];
        CHECK(sums[t] == sum);
    }
}

static void
check_all()
{
    check<Store>("Store");
    check<Sum>("Sum");
    check<Last>("Last");
    check<Break>("Break");
    check<Continue>("Continue");
    check<Early>("Early");
    check<Size>("Size");
    check<Two>("Two");
    check<Down>("Down");
    check<Some>("Some");
    check<Returns>("Returns");
    check<Moved>("Moved");
    check_around(0);
    check_around(500);
    check_around(4999);
    check_tail(0);
    check_tail(5);
    check_tail(500);
    check_tail(4999);
}

int
main()
{
    for (int i = 0; i < MAX_N; i++)
        in[i] = (int)((unsigned)i * 2654435761u >> 7) % 1000;
    check_all();
    wide = true;
    setenv("LOCKSTEP_SHAPES", "0", 1); /* read at a launch */
    check_all();
    return 0;
}
