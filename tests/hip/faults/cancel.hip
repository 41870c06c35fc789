/* SPDX-License-Identifier: MIT */
/* Threads that are cancelled while kernels are made for them: no lock stays held, and the next
 * thread's are made. */
// ARCH: gfx1100
// OPT: -O3
// ISA: native
// ENV: LOCKSTEP_CACHE=0
#include "../check.h"

#include <pthread.h>
#include <unistd.h>

template <int N>
__global__ void
many(int *p)
{
    for (int i = 0; i < N; i++)
        p[threadIdx.x] += p[i] * N;
}

__global__ void
five(int *p)
{
    p[threadIdx.x] = 5;
}

template <int N>
static void
launch_all(int *p)
{
    if constexpr (N > 0) {
        many<N><<<1, 32>>>(p);
        launch_all<N - 1>(p);
    }
}

static void *
run(void *p)
{
    launch_all<12>((int *)p);
    CHECK_HIP(hipDeviceSynchronize());
    for (;;)
        pause();
}

int
main()
{
    int *dev, host[32];

    CHECK_HIP(hipMalloc((void **)&dev, 4096));
    for (int i = 0; i < 12; i++) {
        pthread_t thread;

        CHECK(pthread_create(&thread, nullptr, run, dev) == 0);
        usleep((useconds_t)(1000 + i * 15000));
        pthread_cancel(thread);
        pthread_join(thread, nullptr);
    }
    five<<<1, 32>>>(dev);
    CHECK_HIP(hipMemcpy(host, dev, sizeof(host), hipMemcpyDeviceToHost));
    CHECK(host[31] == 5);
    many<13><<<1, 32>>>(dev);
    CHECK_RUN();
    return 0;
}
