/* SPDX-License-Identifier: MIT */
/* A small program: what a warm and a cold start cost, from exec to exit. */
#include <hip/hip_runtime.h>
#include <stdio.h>

__global__ void
add_one(int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        v[i] += 1;
}

int
main(void)
{
    enum { N = 1000 };
    int host[N], *dev;

    for (int i = 0; i < N; i++)
        host[i] = i;
    if (hipMalloc((void **)&dev, sizeof(host)) ||
        hipMemcpy(dev, host, sizeof(host), hipMemcpyHostToDevice))
        return 1;
    add_one<<<(N + 127) / 128, 128>>>(dev, N);
    if (hipMemcpy(host, dev, sizeof(host), hipMemcpyDeviceToHost) || hipFree(dev))
        return 1;
    for (int i = 0; i < N; i++)
        if (host[i] != i + 1)
            return 2;
    return 0;
}
