/* SPDX-License-Identifier: MIT */
/* Work in pieces on several streams: while one piece is computed the next is copied. An event on
 * each stream says when its last piece was done. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <cmath>
#include <vector>

__global__ void
polish(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float v = in[i];
    for (int k = 0; k < 40; k++)
        v = 0.5f * (v + in[i] / v); /* Newton's square root */
    out[i] = v;
}

int
main()
{
    const int n = 1 << 20, pieces = 16, piece = n / pieces, n_streams = 3;
    float *in, *out, *din[n_streams], *dout[n_streams];
    hipStream_t streams[n_streams];
    hipEvent_t ends[n_streams];
    double worst = 0;
    Random random;

    print_device();
    HIP_CHECK(hipHostMalloc(&in, n * sizeof(float))); /* pinned: copies need not wait */
    HIP_CHECK(hipHostMalloc(&out, n * sizeof(float)));
    for (int i = 0; i < n; i++)
        in[i] = 1 + 100 * random.next();
    for (int s = 0; s < n_streams; s++) {
        HIP_CHECK(hipStreamCreate(&streams[s]));
        HIP_CHECK(hipEventCreate(&ends[s]));
        HIP_CHECK(hipMalloc(&din[s], piece * sizeof(float)));
        HIP_CHECK(hipMalloc(&dout[s], piece * sizeof(float)));
    }
    double start = seconds();
    for (int p = 0; p < pieces; p++) {
        int s = p % n_streams;

        HIP_CHECK(hipMemcpyAsync(din[s], in + p * piece, piece * sizeof(float),
                                 hipMemcpyHostToDevice, streams[s]));
        polish<<<(piece + 255) / 256, 256, 0, streams[s]>>>(din[s], dout[s], piece);
        HIP_CHECK(hipMemcpyAsync(out + p * piece, dout[s], piece * sizeof(float),
                                 hipMemcpyDeviceToHost, streams[s]));
        HIP_CHECK(hipEventRecord(ends[s], streams[s]));
    }
    for (hipEvent_t end : ends)
        HIP_CHECK(hipEventSynchronize(end));
    double took = seconds() - start;

    for (int i = 0; i < n; i++)
        worst = std::fmax(worst, std::fabs(out[i] / std::sqrt((double)in[i]) - 1));
    for (int s = 0; s < n_streams; s++) {
        HIP_CHECK(hipFree(din[s]));
        HIP_CHECK(hipFree(dout[s]));
        HIP_CHECK(hipEventDestroy(ends[s]));
        HIP_CHECK(hipStreamDestroy(streams[s]));
    }
    HIP_CHECK(hipHostFree(in));
    HIP_CHECK(hipHostFree(out));
    std::printf("   %d pieces on %d streams: %.2f ms, largest relative error %.1e\n", pieces,
                n_streams, 1e3 * took, worst);
    return verdict(worst < 1e-6, "square roots");
}
