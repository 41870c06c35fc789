/* SPDX-License-Identifier: MIT */
/* Scans and sums as portable libraries write them: a warp's threads look, in shared memory, at the
 * left of what they have just written, by tests of addresses and of the thread's number; then one
 * warp does so with the last of each warp. Blocks of whole warps and of parts of warps, as one row
 * or as a column, in a loop whose last turn has work for some threads. */
// SCALAR: no, lanes of a warp read before any of them writes
#include "../check.h"

#define N_MAX 256

template <class T> struct Shared {
    T before, of[N_MAX + 2]; /* of[1 + t]: thread t's */
};

template <class T>
__device__ static void
step(int rank, T *own, int s, T *begin)
{
    T *left = own - (1 << s);

    if (rank > (1 << s) - 1 && left >= begin)
        *own += *left;
}

/* Inclusive, of data[0 .. n-1]. */
template <class T>
__device__ static void
scan(T *data, unsigned t, unsigned n)
{
    unsigned n_warps = (n + warpSize - 1) / warpSize, warp = t / warpSize;
    int s = 0;

    for (; 1 << s < warpSize; s++)
        step((int)t, data + t, s, data + warp * warpSize);
    __syncthreads();
    if (t < n_warps) {
        unsigned last = t * warpSize + warpSize - 1;
        int shift = s;

        if (last >= n)
            last = n - 1;
        for (unsigned by = 1; by < n_warps; by *= 2, shift++) {
            T sum = 0;

            if (t >= by)
                sum = data[(t - by) * warpSize + warpSize - 1];
            __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
            data[last] += sum;
        }
    }
    __syncthreads();
    if (t >= (unsigned)warpSize && t % warpSize != (unsigned)warpSize - 1 && t != n - 1)
        data[t] += data[warp * warpSize - 1];
}

template <class T>
__global__ void
scan_all(T *out, const T *in, unsigned n)
{
    __shared__ Shared<T> s;
    unsigned threads = blockDim.x * blockDim.y, t = threadIdx.x + threadIdx.y * blockDim.x;
    T total = 0;

    for (unsigned base = 0; base < n; base += threads) {
        unsigned i = base + t;

        __syncthreads();
        s.of[1 + t] = 0;
        if (t == 0)
            s.of[1] = total;
        if (i < n)
            s.of[1 + t] += in[i];
        scan(s.of + 1, t, threads);
        __syncthreads();
        total = s.of[threads];
        if (i < n)
            out[i] = s.of[1 + t];
    }
}

/* Sums over the lanes by a loop whose steps depend on the block's shape. */
__global__ void
sums(double *out, const double *in)
{
    __shared__ double of_warp[32];
    unsigned t = threadIdx.x + threadIdx.y * blockDim.x, threads = blockDim.x * blockDim.y;
    double sum = in[blockIdx.x * threads + t];

    for (int d = 1; d * (int)blockDim.x < warpSize; d *= 2) {
        double other = __shfl_down(sum, d * blockDim.x);

        if (threadIdx.y + d < blockDim.y)
            sum += other;
    }
    if (t % warpSize < blockDim.x && t % warpSize == 0)
        of_warp[t / warpSize] = sum;
    __syncthreads();
    if (t == 0) {
        for (unsigned w = 1; w < threads / warpSize; w++)
            sum += of_warp[w];
        out[blockIdx.x] = sum;
    }
}

template <class T>
static void
check_scan(const char *name, dim3 block)
{
    enum { N = 1000 };
    T *in, *out, host[N];
    T sum = 0;
    unsigned wrong = 0;

    CHECK_HIP(hipMalloc(&in, sizeof(host)));
    CHECK_HIP(hipMalloc(&out, sizeof(host)));
    for (unsigned i = 0; i < N; i++)
        host[i] = (T)(i * 7 % 23) - 5;
    CHECK_HIP(hipMemcpy(in, host, sizeof(host), hipMemcpyHostToDevice));
    scan_all<T><<<1, block>>>(out, in, N);
    CHECK_HIP(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < N; i++) {
        sum += (T)(i * 7 % 23) - 5;
        wrong += host[i] != sum;
    }
    if (wrong)
        FAIL("%s, %u x %u: %u wrong", name, block.x, block.y, wrong);
    CHECK_HIP(hipFree(in));
    CHECK_HIP(hipFree(out));
}

static void
check_sums(dim3 block)
{
    enum { BLOCKS = 5 };
    unsigned threads = block.x * block.y, wrong = 0;
    double in[BLOCKS * N_MAX], out[BLOCKS], *device_in, *device_out;

    for (unsigned i = 0; i < BLOCKS * threads; i++)
        in[i] = i * 5 % 17;
    CHECK_HIP(hipMalloc(&device_in, sizeof(in)));
    CHECK_HIP(hipMalloc(&device_out, sizeof(out)));
    CHECK_HIP(hipMemcpy(device_in, in, sizeof(in), hipMemcpyHostToDevice));
    sums<<<BLOCKS, block>>>(device_out, device_in);
    CHECK_HIP(hipMemcpy(out, device_out, sizeof(out), hipMemcpyDeviceToHost));
    for (unsigned b = 0; b < BLOCKS; b++) {
        double sum = 0;

        for (unsigned t = 0; t < threads; t++)
            sum += t % block.x == 0 ? in[b * threads + t] : 0;
        wrong += out[b] != sum;
    }
    if (wrong)
        FAIL("sums, %u x %u: %u wrong", block.x, block.y, wrong);
    CHECK_HIP(hipFree(device_in));
    CHECK_HIP(hipFree(device_out));
}

int
main()
{
    const dim3 blocks[] = {dim3(256), dim3(1, 256), dim3(128),  dim3(1, 64),
                           dim3(100), dim3(33, 3),  dim3(8, 16)};

    for (const dim3 &block : blocks) {
        check_scan<double>("double", block);
        check_scan<float>("float", block);
        check_scan<int>("int", block);
    }
    check_sums(dim3(1, 256));
    check_sums(dim3(1, 64));
    check_sums(dim3(4, 64));
    return 0;
}
