/* SPDX-License-Identifier: MIT */
/* blockDim and gridDim where the optimiser merges the addresses that they are loaded from: in cases
 * of a switch in a loop, in a branch and behind the join, by an index; in a function that gets the
 * address; and the packet's fields. */
#include "../check.h"

__global__ void
in_switch(const int *n, int *o)
{
    __shared__ int s[256];
    int t = threadIdx.x, lim = n[blockIdx.x], v = t;

    for (int i = 0; i < lim; i++) {
        switch ((i + lim) % 3) {
        case 0:
            s[t] = v;
            __syncthreads();
            v += s[(t + 1) % blockDim.x];
            __syncthreads();
            break;
        case 1:
            s[t] = v;
            __syncthreads();
            v += s[(t + i) % blockDim.x];
            __syncthreads();
        default:
            s[t] = v;
            __syncthreads();
            v ^= s[t ^ 1];
            __syncthreads();
        }
    }
    o[blockIdx.x * blockDim.x + t] = v;
}

__global__ void
behind_join(int n, int m, int *sum)
{
    int v = 0;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        for (int k = threadIdx.y; k < m; k += blockDim.y)
            v += i * m + k;
    sum[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = v;
}

typedef const __attribute__((address_space(4))) unsigned char *bytes_t;

__device__ __noinline__ unsigned
through_pointer(const void *p, int at)
{
    return *(const unsigned short *)((const char *)p + at);
}

__global__ void
by_index(const int *n, unsigned *o)
{
    const unsigned char *implicit = (const unsigned char *)__builtin_amdgcn_implicitarg_ptr();
    const unsigned char *packet = (const unsigned char *)__builtin_amdgcn_dispatch_ptr();
    const void *either = n[1] ? implicit + 12 : packet + 4,
               *mixed = n[1] ? (const void *)(n + 2) : packet + 4;

    o[0] = *(const unsigned short *)(implicit + 12 + 2 * n[0]);
    o[1] = ((const unsigned *)implicit)[n[1]];
    o[2] = through_pointer(packet, 4 + 2 * n[0]) * 1000 + through_pointer(implicit, 14);
    o[3] = *(const unsigned short *)either;
    o[4] = *(const unsigned short *)mixed;
    mixed = n[0] ? (const void *)(n + 2) : packet + 4;
    o[5] = *(const unsigned short *)mixed;
}

int
main()
{
    const int hn[4] = {1, 3, 5, 7};
    Dev<int> n(4), o(640);
    std::vector<int> want(640);

    hipMemcpy(n, hn, sizeof(hn), hipMemcpyHostToDevice);
    in_switch<<<4, 160>>>(n, o);
    for (int b = 0; b < 4; b++) {
        int *v = &want[b * 160], w[160], lim = hn[b];

        for (int t = 0; t < 160; t++)
            v[t] = t;
        for (int i = 0; i < lim; i++) {
            int c = (i + lim) % 3;

            for (int t = 0; t < 160; t++)
                w[t] = c < 2 ? v[t] + v[(t + (c ? i : 1)) % 160] : v[t];
            for (int t = 0; t < 160; t++)
                v[t] = c ? w[t] ^ w[t ^ 1] : w[t];
        }
    }
    check_same("in_switch", o.get(), want);

    behind_join<<<2, dim3(5, 64)>>>(12, 100, o);
    for (int x = 0; x < 640; x++) {
        want[x] = 0;
        for (int i = x % 5; i < 12; i += 5)
            for (int k = x / 5 % 64; k < 100; k += 64)
                want[x] += i * 100 + k;
    }
    check_same("behind_join", o.get(), want);

    const int places[4] = {1, 0, 77, 0};
    Dev<unsigned> u(6);
    hipMemcpy(n, places, sizeof(places), hipMemcpyHostToDevice);
    by_index<<<dim3(6, 3), dim3(40, 2, 3)>>>(n, u);
    CHECK_RUN();
    check_same("by_index", u.get(), std::vector<unsigned>{2, 6, 2 * 1000 + 2, 40, 40, 77});
    return 0;
}
