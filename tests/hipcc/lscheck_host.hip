/* SPDX-License-Identifier: MIT */
/* What the host does to memory that the device uses at the time, which `lscheck --check=host`
 * finds, and repaired twins. Without arguments: the names of the faults; NAME bad, NAME good. */
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != hipSuccess)                                                                  \
            exit(3);                                                                               \
    } while (0)

enum { N = 10000, BYTES = N * sizeof(int) };

static int *managed, *pinned, *device;
static volatile int sink;
static hipEvent_t event;
static hipStream_t stream;

__global__ void
add(int *v, int from, int to)
{
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;

    if (i < to)
        v[i] += 1;
}

__global__ void
sum(const int *v, int n, int *out)
{
    int all = 0;

    for (int i = 0; i < n; i++)
        all += v[i];
    *out = all;
}

/* Says through memory of the host that it has begun, and waits for the answer. */
__global__ void
answer(int *v)
{
    __hip_atomic_store(&v[0], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
    while (__hip_atomic_load(&v[1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0)
        ;
    v[2] = v[3] + 1;
}

static void
add_all(int *v)
{
    add<<<(N + 255) / 256, 256, 0, stream>>>(v, 0, N);
}

static void
managed_read(bool good)
{
    add_all(managed);
    if (good)
        OK(hipDeviceSynchronize());
    sink = managed[5000];
}

static void
managed_write(bool good)
{
    add_all(managed);
    if (good)
        OK(hipStreamSynchronize(stream));
    managed[77] = 3;
}

/* Both may read; the second access to a page that was read is a write. */
static void
read_then_write(bool good)
{
    sum<<<1, 1, 0, stream>>>(managed, N, device);
    sink = managed[5000];
    if (good)
        OK(hipStreamSynchronize(stream));
    managed[5001] = 3;
}

static void
pinned_kernel(bool good)
{
    add_all(pinned);
    if (good)
        OK(hipDeviceSynchronize());
    sink = pinned[1];
}

static void
result_too_early(bool good)
{
    add_all(device);
    OK(hipMemcpyAsync(pinned, device, BYTES, hipMemcpyDeviceToHost, stream));
    OK(hipEventRecord(event, stream));
    if (good)
        OK(hipEventSynchronize(event));
    sink = pinned[N - 1];
}

static void
buffer_refilled(bool good)
{
    OK(hipMemcpyAsync(device, pinned, BYTES, hipMemcpyHostToDevice, stream));
    add_all(device);
    while (good && hipStreamQuery(stream) == hipErrorNotReady)
        ;
    for (int i = 0; i < N; i++)
        pinned[i] = i;
}

static void
halves(bool good)
{
    add<<<20, 256, 0, stream>>>(managed, 0, N / 2);
    managed[N / 2] = 1;
    sink = managed[good ? N - 1 : 10];
}

static void
another_thread(bool good)
{
    add_all(managed);
    if (good)
        OK(hipDeviceSynchronize());
    std::thread([] { managed[123] = 1; }).join();
}

static void
of_a_fill(bool good)
{
    OK(hipMemsetAsync(managed, 0, BYTES, stream));
    if (good)
        OK(hipStreamSynchronize(stream));
    sink = managed[3];
}

/* What comes between two launches is ordered with the second one alone. */
static void
between(bool good)
{
    add<<<1, 64, 0, stream>>>(managed, 0, 64);
    managed[good ? 100 : 10] = 1;
    add<<<1, 64, 0, stream>>>(managed, 64, 128);
}

/* ---- What is right ---- */

static void
flags(bool)
{
    pinned[0] = pinned[1] = 0;
    pinned[3] = 41;
    answer<<<1, 1, 0, stream>>>(pinned);
    while (__atomic_load_n(&pinned[0], __ATOMIC_ACQUIRE) == 0)
        ;
    __atomic_store_n(&pinned[1], 1, __ATOMIC_RELEASE);
    OK(hipStreamSynchronize(stream));
    if (pinned[2] != 42)
        exit(4);
}

static const struct fault {
    const char *name;
    void (*run)(bool good);
} FAULTS[] = {
    {"managed-read", managed_read},         {"managed-write", managed_write},
    {"read-then-write", read_then_write},   {"pinned-kernel", pinned_kernel},
    {"result-too-early", result_too_early}, {"buffer-refilled", buffer_refilled},
    {"halves", halves},                     {"another-thread", another_thread},
    {"of-a-fill", of_a_fill},               {"between", between},
};

int
main(int argc, char **argv)
{
    bool good = argc > 2 && !strcmp(argv[2], "good");

    if (argc > 1) {
        OK(hipMallocManaged(&managed, BYTES));
        OK(hipHostMalloc(&pinned, BYTES));
        OK(hipMalloc(&device, BYTES));
        OK(hipStreamCreate(&stream));
        OK(hipEventCreate(&event));
        memset(managed, 0, BYTES);
        memset(pinned, 0, BYTES);
        OK(hipMemset(device, 0, BYTES));
        OK(hipDeviceSynchronize());
    }
    for (const fault &f : FAULTS) {
        if (argc < 2)
            puts(f.name);
        if (argc > 1 && (!strcmp(argv[1], f.name) || !strcmp(argv[1], "all")))
            f.run(good);
        if (argc > 1)
            OK(hipDeviceSynchronize());
    }
    if (good)
        flags(good);
    return 0;
}
