/* SPDX-License-Identifier: MIT */
// ENV: LOCKSTEP_CPU_DEVICES=2 LOCKSTEP_DEVICES=cuda,cpu
// ARCH: gfx1100
// OPT: -O3
// SCALAR: no
/* Several devices of one process, of one kind or of two: kernels, variables, copies, and events
 * between each pair of them; at the end one has a fault, and the others go on. On a machine with a
 * GPU these are that and the CPU. */
#include "../check.h"

enum { N = 5000, MAX_DEVICES = 4 };

__device__ int variable = 7;
__constant__ int factor = 3;

__global__ void
fill(int *out, int from, int n)
{
    int i = (int)global_id();

    if (i < n)
        out[i] = from + i;
}

/* Long enough that who does not wait for it comes too early. */
__global__ void
fill_late(int *out, int from, int n, unsigned rounds)
{
    unsigned x = (unsigned)from;

    for (unsigned k = 0; k < rounds; k++)
        x = x * 1664525u + 1013904223u;
    if (global_id() < (unsigned)n)
        out[global_id()] = from + (int)global_id() + (x == 12345u && rounds == 0);
}

__global__ void
change(int *out, const int *in, int n)
{
    __shared__ int part[256];
    int i = (int)global_id();

    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = part[threadIdx.x] * factor + variable;
}

__global__ void
count(int *n)
{
    atomicAdd(n, 1);
    atomicAdd(&variable, 1);
}

__global__ void
store_at(int *p)
{
    *p = 1;
}

struct device {
    hipStream_t stream;
    hipEvent_t done;
    int *a, *b;
    int variable;
};

static device devices[MAX_DEVICES];
static int n_devices;

static dim3
blocks()
{
    return dim3((N + 255) / 256);
}

static void
set_up()
{
    for (int d = 0; d < n_devices; d++) {
        int value = 100 * (d + 1);

        CHECK_HIP(hipSetDevice(d));
        CHECK_HIP(hipStreamCreate(&devices[d].stream));
        CHECK_HIP(hipEventCreateWithFlags(&devices[d].done, hipEventDisableTiming));
        CHECK_HIP(hipMalloc(&devices[d].a, N * sizeof(int)));
        CHECK_HIP(hipMalloc(&devices[d].b, N * sizeof(int)));
        CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(variable), &value, sizeof(value)));
        devices[d].variable = value;
    }
}

static void
check_attributes()
{
    for (int d = 0; d < n_devices; d++) {
        hipPointerAttribute_t attributes;

        CHECK_HIP(hipPointerGetAttributes(&attributes, devices[d].a));
        CHECK(attributes.device == d);
        CHECK(attributes.type == hipMemoryTypeDevice);
    }
}

static std::vector<int>
expected(int from, int variable)
{
    std::vector<int> v(N);

    for (int i = 0; i < N; i++)
        v[(size_t)i] = (from + i) * 3 + variable;
    return v;
}

/* Filled on x, taken over and changed on y: the hardware orders it, the host waits at the end. */
static void
check_pair(int x, int y, int from, int how)
{
    device &source = devices[x], &target = devices[y];
    size_t bytes = N * sizeof(int);
    std::vector<int> got(N), want = expected(from, target.variable);
    char label[64];

    CHECK_HIP(hipSetDevice(x));
    fill_late<<<blocks(), 256, 0, source.stream>>>(source.a, from, N, 20000);
    CHECK_HIP(hipEventRecord(source.done, source.stream));
    CHECK_HIP(hipSetDevice(y));
    CHECK_HIP(hipStreamWaitEvent(target.stream, source.done, 0));
    if (how == 0)
        CHECK_HIP(hipMemcpyPeerAsync(target.a, y, source.a, x, bytes, target.stream));
    else if (how == 1)
        CHECK_HIP(hipMemcpyAsync(target.a, source.a, bytes, hipMemcpyDeviceToDevice,
                                 target.stream));
    else
        CHECK_HIP(hipMemcpyDtoDAsync(target.a, source.a, bytes, target.stream));
    change<<<blocks(), 256, 0, target.stream>>>(target.b, target.a, N);
    CHECK_HIP(hipEventRecord(target.done, target.stream));
    CHECK_HIP(hipSetDevice(x)); /* and back: who fills again must not come too early */
    CHECK_HIP(hipStreamWaitEvent(source.stream, target.done, 0));
    fill<<<blocks(), 256, 0, source.stream>>>(source.a, -from, N);
    CHECK_HIP(hipMemcpyAsync(got.data(), target.b, bytes, hipMemcpyDefault, source.stream));
    CHECK_HIP(hipStreamSynchronize(source.stream));
    CHECK(hipEventQuery(target.done) == hipSuccess);
    snprintf(label, sizeof(label), "devices %d and %d, way %d", x, y, how);
    check_same(label, got, want);
}

/* A large copy that the host waits for. */
static void
check_large(int x, int y)
{
    size_t n = (size_t)3 << 20, bytes = n * sizeof(int);
    std::vector<int> got(n), want(n);
    int *from, *to;

    CHECK_HIP(hipSetDevice(x));
    CHECK_HIP(hipMalloc(&from, bytes));
    fill<<<dim3((unsigned)(n / 256)), 256>>>(from, x - y, (int)n);
    CHECK_RUN();
    CHECK_HIP(hipSetDevice(y));
    CHECK_HIP(hipMalloc(&to, bytes));
    CHECK_HIP(hipMemcpyPeer(to, y, from, x, bytes));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(hipMemcpy(got.data(), to, bytes, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        want[i] = x - y + (int)i;
    check_same("large copy", got, want);
    CHECK_HIP(hipFree(to));
    CHECK_HIP(hipFree(from));
}

/* Where the hardware can, kernels read another device's memory. */
static void
check_access(int x, int y)
{
    std::vector<int> got(N), want = expected(11, devices[y].variable);
    int can = 0;

    CHECK_HIP(hipDeviceCanAccessPeer(&can, y, x));
    if (!can)
        return;
    CHECK_HIP(hipSetDevice(y));
    CHECK_HIP(hipDeviceEnablePeerAccess(x, 0));
    CHECK_ERR(hipDeviceEnablePeerAccess(x, 0), hipErrorPeerAccessAlreadyEnabled);
    (void)hipGetLastError();
    CHECK_HIP(hipSetDevice(x));
    fill<<<blocks(), 256>>>(devices[x].a, 11, N);
    CHECK_RUN();
    CHECK_HIP(hipSetDevice(y));
    change<<<blocks(), 256>>>(devices[y].b, devices[x].a, N);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got.data(), devices[y].b, N * sizeof(int), hipMemcpyDeviceToHost));
    check_same("read by another device", got, want);
    check_pair(x, y, 40, 0);
    CHECK_HIP(hipSetDevice(y));
    CHECK_HIP(hipDeviceDisablePeerAccess(x));
}

/* All devices count in the same memory of the host's, one after the other. */
static void
check_host_memory()
{
    int *pinned, *managed;

    CHECK_HIP(hipSetDevice(0));
    CHECK_HIP(hipHostMalloc((void **)&pinned, sizeof(int), hipHostMallocPortable));
    CHECK_HIP(hipMallocManaged((void **)&managed, sizeof(int)));
    *pinned = *managed = 0;
    for (int d = 0; d < n_devices; d++) {
        int value = 0;

        CHECK_HIP(hipSetDevice(d));
        count<<<2, 64>>>(pinned);
        count<<<3, 32>>>(managed);
        CHECK_RUN();
        CHECK_HIP(hipMemcpyFromSymbol(&value, HIP_SYMBOL(variable), sizeof(value)));
        CHECK(value == devices[d].variable + 128 + 96); /* each has one of its own */
        devices[d].variable = value;
    }
    CHECK(*pinned == 128 * n_devices);
    CHECK(*managed == 96 * n_devices);
    CHECK_HIP(hipHostFree(pinned));
    CHECK_HIP(hipFree(managed));
}

static bool
is_nvidia(int d)
{
    hipDeviceProp_t props;

    CHECK_HIP(hipGetDeviceProperties(&props, d));
    return strncmp(props.name, "NVIDIA", 6) == 0;
}

/* The last: device 0 has no more use then, and no other GPU of NVIDIA's that its driver has made a
 * peer of. */
static void
check_fault()
{
    hipError_t err;

    CHECK_HIP(hipSetDevice(0));
    store_at<<<1, 1>>>((int *)8);
    err = hipDeviceSynchronize();
    CHECK(err != hipSuccess);
    CHECK(hipDeviceSynchronize() != hipSuccess); /* it stays */
    (void)hipGetLastError();
    for (int d = 1; d < n_devices; d++) {
        std::vector<int> got(N);

        if (is_nvidia(0) && is_nvidia(d))
            continue;
        CHECK_HIP(hipSetDevice(d));
        CHECK_HIP(hipPeekAtLastError()); /* that was taken above */
        fill<<<blocks(), 256, 0, devices[d].stream>>>(devices[d].a, 5, N);
        change<<<blocks(), 256, 0, devices[d].stream>>>(devices[d].b, devices[d].a, N);
        CHECK_HIP(hipStreamSynchronize(devices[d].stream));
        CHECK_HIP(hipMemcpy(got.data(), devices[d].b, N * sizeof(int), hipMemcpyDeviceToHost));
        check_same("behind the fault", got, expected(5, devices[d].variable));
    }
}

int
main()
{
    CHECK_HIP(hipGetDeviceCount(&n_devices));
    CHECK(n_devices >= 2);
    n_devices = n_devices < MAX_DEVICES ? n_devices : MAX_DEVICES;
    set_up();
    check_attributes();
    for (int x = 0; x < n_devices; x++)
        for (int y = 0; y < n_devices; y++) {
            if (x == y)
                continue;
            for (int how = 0; how < 3; how++)
                check_pair(x, y, 10 * x + y, how);
            check_large(x, y);
            check_access(x, y);
        }
    check_host_memory();
    for (int d = 0; d < n_devices; d++) {
        hipDeviceProp_t props;

        CHECK_HIP(hipGetDeviceProperties(&props, d));
        printf("device %d: %s\n", d, props.name);
    }
    fflush(stdout);
    check_fault();
    return 0;
}
