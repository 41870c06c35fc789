/* SPDX-License-Identifier: MIT */
/* Large launches whose blocks have a few counters in common: the device tries one thread instead of
 * all in the middle of them, and again later. Nothing is lost or run twice meanwhile, also where
 * streams run beside each other and another kernel waits for a turn. */
// OPT: -O3
// ISA: avx512
#include "../check.h"

static const int N = 1 << 20, BLOCK = 256, COUNTERS = 4, LAUNCHES = 90, STREAMS = 3;

__global__ void
count(unsigned *counters, unsigned long long *sum, unsigned salt)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd(&counters[(i * 2654435761u >> 7) % COUNTERS], 1u);
    atomicAdd(sum, (unsigned long long)(i ^ salt));
}

__global__ void
fill(unsigned *out, unsigned value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int
main()
{
    Dev<unsigned> counters(STREAMS * 16), other(N);
    Dev<unsigned long long> sums(STREAMS * 8);
    hipStream_t streams[STREAMS];
    unsigned long long want = 0;

    CHECK_HIP(hipMemset(counters.p, 0, STREAMS * 16 * sizeof(unsigned)));
    CHECK_HIP(hipMemset(sums.p, 0, STREAMS * 8 * sizeof(unsigned long long)));
    CHECK_HIP(hipDeviceSynchronize()); /* the streams do not wait for the null stream */
    for (int s = 0; s < STREAMS; s++)
        CHECK_HIP(hipStreamCreateWithFlags(&streams[s], hipStreamNonBlocking));
    for (int launch = 0; launch < LAUNCHES; launch++) {
        int n_streams = launch % 10 == 9 ? STREAMS : 1; /* most of them one after the other */

        for (int s = 0; s < n_streams; s++) {
            count<<<N / BLOCK, BLOCK, 0, streams[s]>>>(counters.p + 16 * s, sums.p + 8 * s,
                                                        (unsigned)launch);
            if (s > 0)
                fill<<<N / BLOCK, BLOCK, 0, streams[s]>>>(other.p, (unsigned)launch);
        }
        CHECK_RUN();
        for (int i = 0; i < N; i++)
            want += (unsigned)(i ^ launch);
        std::vector<unsigned> got = counters.get();
        unsigned long long total = 0;
        for (int k = 0; k < COUNTERS; k++)
            total += got[k];
        if (total != (unsigned long long)N * (launch + 1))
            FAIL("launch %d: %llu counts, expected %llu", launch, total,
                 (unsigned long long)N * (launch + 1));
        if (sums.get()[0] != want)
            FAIL("launch %d: sum %llu, expected %llu", launch, sums.get()[0], want);
        for (int s = 1; s < n_streams; s++) {
            total = 0;
            for (int k = 0; k < COUNTERS; k++)
                total += got[16 * s + k];
            if (total != (unsigned long long)N * (launch / 10 + 1))
                FAIL("launch %d, stream %d: %llu counts", launch, s, total);
        }
    }
    for (int s = 0; s < STREAMS; s++)
        CHECK_HIP(hipStreamDestroy(streams[s]));
    return 0;
}
