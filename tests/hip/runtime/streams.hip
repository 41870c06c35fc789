/* SPDX-License-Identifier: MIT */
/* Streams and events: order within a stream, the null stream's rules, waits across, timing,
 * callbacks. */
#include "../check.h"

__global__ void
step(int *v, int from, int to, int n)
{
    int i = (int)global_id();

    if (i < n && v[i] == from)
        v[i] = to;
}

__global__ void
slow(int *v, int value, int rounds)
{
    unsigned x = (unsigned)value;

    for (int k = 0; k < rounds; k++)
        x = x * 1664525u + 1013904223u;
    if (global_id() == 0)
        *v = x == 12345u ? -1 : value;
}

/* Waits until another stream has stored: only true concurrency lets it end. */
__global__ void
wait_for(int *flag, int *seen)
{
    int spins = 0;

    while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0 &&
           spins < 2000000000)
        spins++;
    *seen = *flag;
}

__global__ void
raise_flag(int *flag)
{
    __hip_atomic_store(flag, 9, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

static void
called(hipStream_t, hipError_t status, void *user)
{
    *(int *)user = status == hipSuccess ? 1 : -1;
}

int
main()
{
    const int n = 100000;
    hipStream_t a, b;
    hipEvent_t begin, end, cross;
    float ms = -1;
    int calls = 0;
    Dev<int> v(n), x(1), flag(1), seen(1);

    CHECK_HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    CHECK_HIP(hipEventCreate(&begin));
    CHECK_HIP(hipEventCreate(&end));
    CHECK_HIP(hipEventCreateWithFlags(&cross, hipEventDisableTiming));

    for (int k = 0; k < 20; k++)
        step<<<(n + 255) / 256, 256, 0, a>>>(v, k, k + 1, n);
    CHECK_HIP(hipStreamAddCallback(a, called, &calls, 0));
    CHECK_HIP(hipStreamSynchronize(a));
    CHECK(calls == 1);
    check_same("in order", v.get(), std::vector<int>(n, 20));

    CHECK_HIP(hipEventRecord(begin, a));
    slow<<<1, 64, 0, a>>>(x, 5, 200000);
    CHECK_HIP(hipEventRecord(end, a));
    CHECK_HIP(hipEventRecord(cross, a));
    CHECK_HIP(hipStreamWaitEvent(b, cross, 0));
    step<<<1, 1, 0, b>>>(x, 5, 6, 1);
    CHECK_HIP(hipStreamSynchronize(b));
    CHECK_HIP(hipEventSynchronize(end));
    CHECK_HIP(hipEventElapsedTime(&ms, begin, end));
    CHECK(ms > 0.01f && ms < 60000);
    CHECK(x.get()[0] == 6);
    CHECK_HIP(hipStreamQuery(a));
    CHECK_HIP(hipEventQuery(end));

    wait_for<<<1, 1, 0, a>>>(flag, seen);
    raise_flag<<<1, 1, 0, b>>>(flag);
    CHECK_HIP(hipStreamSynchronize(a));
    CHECK(seen.get()[0] == 9);

    hipStream_t blocking; /* the null stream waits for it, and it for the null stream */
    CHECK_HIP(hipStreamCreate(&blocking));
    x.zero();
    slow<<<1, 64, 0, blocking>>>(x, 7, 200000);
    step<<<1, 1>>>(x, 7, 8, 1);
    step<<<1, 1, 0, blocking>>>(x, 8, 9, 1);
    CHECK_HIP(hipStreamSynchronize(blocking));
    CHECK(x.get()[0] == 9);

    std::vector<int> host(n, 3);
    int *pinned = nullptr;
    CHECK_HIP(hipHostMalloc((void **)&pinned, n * sizeof(int), 0));
    memcpy(pinned, host.data(), n * sizeof(int));
    CHECK_HIP(hipMemcpyAsync(v, pinned, n * sizeof(int), hipMemcpyHostToDevice, a));
    step<<<(n + 255) / 256, 256, 0, a>>>(v, 3, 4, n);
    CHECK_HIP(hipMemcpyAsync(pinned, v, n * sizeof(int), hipMemcpyDeviceToHost, a));
    CHECK_HIP(hipStreamSynchronize(a));
    for (int k = 0; k < n; k++)
        CHECK(pinned[k] == 4);
    CHECK_HIP(hipHostFree(pinned));
    CHECK_HIP(hipStreamDestroy(a));
    CHECK_HIP(hipStreamDestroy(b));
    CHECK_HIP(hipStreamDestroy(blocking));
    CHECK_HIP(hipEventDestroy(begin));
    CHECK_HIP(hipEventDestroy(end));
    CHECK_HIP(hipEventDestroy(cross));
    return 0;
}
