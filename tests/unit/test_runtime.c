/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* The runtime core and the CPU device, with kernels made by hand. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <hip/hip_ext.h>
#include <hip/hip_runtime_api.h>

#include "base/isa.h"
#include "unit/support/cache.h"
#include "unit/support/image.h"
#include "unit/support/peek.h"
#include "unit/test.h"

#define OK(call) EXPECT_EQ(call, hipSuccess)

void **__hipRegisterFatBinary(const void *data);
void __hipUnregisterFatBinary(void **handle);
void __hipRegisterFunction(void **handle, const void *host, char *device_name, const char *name,
                           unsigned limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *size);
void __hipRegisterVar(void **handle, void *host, char *device_name, char *name, int ext,
                      size_t bytes, int constant, int global);
void __hipRegisterManagedVar(void **handle, void **pointer, void *init, const char *name,
                             size_t bytes, unsigned align);

static const struct test_kernel kernels[] = {
    {.name = "empty"},
    {.name = "scale", .args = {8, 8, 4, 4}},
    {.name = "count", .args = {8}},
    {.name = "fault", .args = {8, 4}},
    {.name = "recurse", .args = {4, 8}},
    {.name = "divide", .args = {4, 4, 8}},
    {.name = "trap", .args = {4, 4}},
    {.name = "print", .args = {4, 8, 8}},
    {.name = "reduce", .args = {8, 4}, .lds_bytes = 128},
    {.name = "grid", .args = {8, 8}},
    {.name = "gridb", .args = {8, 8}, .lds_bytes = 16},
    {.name = "chain", .args = {8}},
    {.name = "await", .args = {8, 8}},
    {.name = "vars", .args = {8}},
    {.name = "library", .args = {8}},
    {.name = "missing", .max_threads = 64},
};
#define N_KERNELS (sizeof(kernels) / sizeof(*kernels))

static const int var_init = 41, managed_init = 7;
static const struct test_global globals[] = {
    {.name = "var", .bytes = 4, .init = &var_init},
    {.name = "pointer", .bytes = 8},
    {.name = "m.managed", .bytes = 4, .init = &managed_init},
    {.name = "m", .bytes = 8},
    {.name = "big", .bytes = 1000},
};
static const struct ls_lsbc_reloc reloc = {.where = 1, .target = 0};

static char host[N_KERNELS]; /* host addresses of the kernels */
static int host_var;
static int *managed;
static void **handle;

static void
set_env(void)
{
    static char log[64];

    make_cache();
    snprintf(log, sizeof(log), "%s/log", test_cache);
    setenv("LOCKSTEP_COMPILER_AHEAD", "0", 1); /* tests count compilers */
    setenv("LOCKSTEP_CACHE_DIR", test_cache, 1);
    setenv("LOCKSTEP_COMPILER", LS_TEST_SUPPORT "/ls_fake_compiler.so", 1);
    setenv("LS_TEST_KERNELS", LS_TEST_SUPPORT, 1);
    setenv("LS_TEST_COMPILE_LOG", log, 1);
}

static long
n_compiles(void)
{
    FILE *f = fopen(getenv("LS_TEST_COMPILE_LOG"), "r");
    long n = 0;

    while (f && fgetc(f) != EOF)
        n++;
    if (f)
        fclose(f);
    return n;
}

static struct image
test_bundle(void)
{
    static const char *const ids[] = {"host-x86_64-unknown-linux--", "lockstep-bc--gfx90a",
                                      "lockstep-bc--gfx1100"};
    struct image images[3] = {{0}}, bundle;

    images[1] = make_lsbc("gfx90a", 64, kernels, N_KERNELS, globals, 5, &reloc);
    images[2] = make_lsbc("gfx1100", 32, kernels, N_KERNELS, globals, 5, &reloc);
    bundle = make_bundle(ids, images, 3);
    free(images[1].data);
    free(images[2].data);
    return bundle;
}

static struct {
    uint32_t magic, version;
    const void *binary, *reserved;
} wrapper = {0x48495046u, 1, NULL, NULL};

static void
set_up(void)
{
    struct image bundle;

    set_env();
    bundle = test_bundle();
    wrapper.binary = bundle.data; /* lives as long as the process */
    handle = __hipRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < N_KERNELS; i++)
        __hipRegisterFunction(handle, &host[i], (char *)(uintptr_t)kernels[i].name, kernels[i].name,
                              ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterVar(handle, &host_var, (char *)(uintptr_t) "var", (char *)(uintptr_t) "var", 0, 4,
                     0, 0);
    __hipRegisterManagedVar(handle, (void **)(void *)&managed, (void *)(uintptr_t)&managed_init,
                            "m", 4, 4);
}

static const void *
kernel(const char *name)
{
    for (size_t i = 0; i < N_KERNELS; i++)
        if (!strcmp(kernels[i].name, name))
            return &host[i];
    return NULL;
}

static hipError_t
launch(const char *name, unsigned grid, unsigned block, void **args, hipStream_t stream)
{
    return hipLaunchKernel(kernel(name), (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args, 0, stream);
}

LS_TEST(launch_and_copy)
{
    enum { N = 100000 };
    float *in, *out, a = 3, *back = malloc(N * sizeof(float));
    int n = N;
    void *args[] = {&out, &in, &a, &n};

    set_up();
    for (int i = 0; i < N; i++)
        back[i] = (float)i;
    OK(hipMalloc((void **)&in, N * 4));
    OK(hipMalloc((void **)&out, N * 4));
    OK(hipMemcpy(in, back, N * 4, hipMemcpyHostToDevice));
    OK(hipMemset(out, 0, N * 4));
    OK(launch("scale", (N + 255) / 256, 256, args, NULL));
    OK(hipMemcpy(back, out, N * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        REQUIRE(back[i] == 3.0f * (float)i);
    OK(hipFree(in));
    OK(hipFree(out));
    OK(hipDeviceSynchronize());
    OK(hipGetLastError());
    free(back);
    __hipUnregisterFatBinary(handle);
}

LS_TEST(every_block_once)
{
    enum { N = 10007 };
    int *runs;
    void *args[] = {&runs};

    set_up();
    OK(hipMallocManaged((void **)&runs, N * sizeof(int), hipMemAttachGlobal));
    for (unsigned n = 1; n <= N; n = n * 3 + 1) {
        OK(hipMemsetAsync(runs, 0, N * sizeof(int), NULL));
        for (int i = 0; i < 3; i++)
            OK(launch("count", n, 64, args, NULL));
        OK(hipDeviceSynchronize());
        for (unsigned i = 0; i < n; i++)
            REQUIRE(runs[i] == 3);
    }
    OK(hipFree(runs));
}

LS_TEST(fibers_and_barriers)
{
    int *out, early;
    void *args[] = {&out, &early};

    set_up();
    OK(hipMallocManaged((void **)&out, 1000 * sizeof(int), hipMemAttachGlobal));
    for (unsigned block = 1; block <= 1024; block = block * 3 + 1) {
        for (early = 0; early < 3 && (unsigned)early * 32 < block; early++) {
            int want = 0;

            for (unsigned t = (unsigned)early * 32; t < block; t++)
                want += (int)t;
            OK(launch("reduce", 1000, block, args, NULL));
            OK(hipDeviceSynchronize());
            for (int i = 0; i < 1000; i++)
                REQUIRE(out[i] == 3 * want);
        }
    }
    OK(hipFree(out));
}

static void
cooperative(const char *name, unsigned n_slots_per_block)
{
    int *a, *bad;
    void *args[] = {&a, &bad};
    int n_sm, per;

    set_up();
    OK(hipDeviceGetAttribute(&n_sm, hipDeviceAttributeMultiprocessorCount, 0));
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per, kernel(name), 64, 0));
    EXPECT(per > 0);
    OK(hipMallocManaged((void **)&a, (size_t)n_sm * (size_t)per * n_slots_per_block * sizeof(int),
                        hipMemAttachGlobal));
    OK(hipMallocManaged((void **)&bad, sizeof(int), hipMemAttachGlobal));
    for (unsigned n = 1; n <= (unsigned)(n_sm * per); n = n * 2 + 1) {
        OK(hipMemset(a, 0, (size_t)n * n_slots_per_block * sizeof(int)));
        OK(hipMemset(bad, 0, sizeof(int)));
        OK(hipLaunchCooperativeKernel(kernel(name), (dim3){n, 1, 1}, (dim3){64, 1, 1}, args, 0,
                                      NULL));
        OK(hipDeviceSynchronize());
        EXPECT_EQ(*bad, 0);
    }
    EXPECT_EQ(hipLaunchCooperativeKernel(kernel(name), (dim3){(unsigned)(n_sm * per) + 1, 1, 1},
                                         (dim3){64, 1, 1}, args, 0, NULL),
              hipErrorCooperativeLaunchTooLarge);
}

LS_TEST(grid_sync_fibers)
{
    cooperative("grid", 2);
}

LS_TEST(grid_sync_blocks)
{
    cooperative("gridb", 1);
}

LS_TEST(blocks_wait_for_later_blocks)
{
    int *flags;
    void *args[] = {&flags};

    set_up();
    OK(hipMallocManaged((void **)&flags, 64 * sizeof(int), hipMemAttachGlobal));
    OK(hipMemset(flags, 0, 64 * sizeof(int)));
    OK(launch("chain", 16, 64, args, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(flags[0], 1);
}

LS_TEST(streams_run_side_by_side)
{
    int *flags, *flag, *set;
    void *args[] = {&flag, &set};
    hipStream_t s[4];

    set_up();
    OK(hipHostMalloc((void **)&flags, 64, 0));
    memset(flags, 0, 64);
    for (int i = 0; i < 4; i++)
        OK(hipStreamCreateWithFlags(&s[i], hipStreamNonBlocking));
    /* Each waits for the one launched after it. */
    for (int i = 0; i < 4; i++) {
        flag = i < 3 ? &flags[i + 1] : NULL;
        set = &flags[i];
        OK(launch("await", 1, 32, args, s[i]));
    }
    OK(hipStreamSynchronize(s[0]));
    EXPECT_EQ(flags[0], 1);
    for (int i = 0; i < 4; i++)
        OK(hipStreamDestroy(s[i]));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(hipStreamSynchronize(s[0]), hipErrorContextIsDestroyed);
}

LS_TEST(null_stream_waits_for_blocking_streams)
{
    int *flags, *flag, *set;
    void *args[] = {&flag, &set};
    hipStream_t a, b;

    set_up();
    OK(hipHostMalloc((void **)&flags, 64, 0));
    memset(flags, 0, 64);
    OK(hipStreamCreate(&a));
    OK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    flag = &flags[0];
    set = &flags[1];
    OK(launch("await", 1, 32, args, a));
    flag = NULL;
    set = &flags[2];
    OK(launch("await", 1, 32, args, NULL)); /* after a's */
    set = &flags[3];
    OK(launch("await", 1, 32, args, a)); /* after the null stream's */
    set = &flags[4];
    OK(launch("await", 1, 32, args, b)); /* at once */
    OK(hipStreamSynchronize(b));
    EXPECT_EQ(__atomic_load_n(&flags[4], __ATOMIC_ACQUIRE), 1);
    usleep(5000);
    EXPECT_EQ(__atomic_load_n(&flags[2], __ATOMIC_ACQUIRE), 0);
    EXPECT_EQ(__atomic_load_n(&flags[3], __ATOMIC_ACQUIRE), 0);
    EXPECT_EQ(hipStreamQuery(NULL), hipErrorNotReady);
    EXPECT_EQ(hipStreamQuery(a), hipErrorNotReady);
    OK(hipStreamQuery(b));
    OK(hipGetLastError());
    __atomic_store_n(&flags[0], 1, __ATOMIC_RELEASE);
    OK(hipStreamSynchronize(a));
    EXPECT_EQ(flags[3], 1);
    OK(hipDeviceSynchronize());
}

LS_TEST(work_goes_on_without_waiting)
{
    int *flag = NULL, *set, *flags;
    void *args[] = {&flag, &set};

    set_up();
    OK(hipHostMalloc((void **)&flags, 64, 0));
    memset(flags, 0, 64);
    set = &flags[0];
    OK(launch("await", 1, 32, args, NULL));
    for (int i = 0; i < 2000 && !__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE); i++)
        usleep(1000);
    EXPECT_EQ(__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE), 1);
    usleep(300000); /* all workers asleep */
    set = &flags[1];
    OK(launch("await", 1, 32, args, NULL));
    for (int i = 0; i < 2000 && !__atomic_load_n(&flags[1], __ATOMIC_ACQUIRE); i++)
        usleep(1000);
    EXPECT_EQ(__atomic_load_n(&flags[1], __ATOMIC_ACQUIRE), 1);
}

LS_TEST(events)
{
    int *flags, *flag, *set;
    void *args[] = {&flag, &set};
    hipEvent_t e, f;
    hipStream_t a, b;
    float ms = -1;

    set_up();
    OK(hipHostMalloc((void **)&flags, 64, 0));
    memset(flags, 0, 64);
    OK(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    OK(hipEventCreate(&e));
    OK(hipEventCreate(&f));
    OK(hipEventQuery(e));
    EXPECT_EQ(hipEventElapsedTime(&ms, e, f), hipErrorInvalidHandle);
    OK(hipEventRecord(e, a));
    flag = &flags[0];
    set = &flags[1];
    OK(launch("await", 1, 32, args, a));
    OK(hipEventRecord(f, a));
    OK(hipStreamWaitEvent(b, f, 0));
    flag = NULL;
    set = &flags[2];
    OK(launch("await", 1, 32, args, b));
    EXPECT_EQ(hipEventQuery(f), hipErrorNotReady);
    EXPECT_EQ(hipEventElapsedTime(&ms, e, f), hipErrorNotReady);
    usleep(5000);
    EXPECT_EQ(__atomic_load_n(&flags[2], __ATOMIC_ACQUIRE), 0);
    __atomic_store_n(&flags[0], 1, __ATOMIC_RELEASE);
    OK(hipEventSynchronize(f));
    OK(hipStreamSynchronize(b));
    EXPECT_EQ(flags[2], 1);
    OK(hipEventElapsedTime(&ms, e, f));
    EXPECT(ms >= 4 && ms < 60000);
    OK(hipEventDestroy(e));
    OK(hipEventDestroy(f));
    EXPECT_EQ(hipEventRecord(e, a), hipErrorInvalidHandle);
    OK(hipStreamDestroy(a));
    OK(hipStreamDestroy(b));
}

static int n_called;

static void
host_fn(void *user)
{
    __atomic_fetch_add(&n_called, *(int *)user, __ATOMIC_RELAXED);
}

static void
stream_fn(hipStream_t stream, hipError_t status, void *user)
{
    (void)stream;
    if (status == hipSuccess)
        host_fn(user);
}

LS_TEST(callbacks)
{
    hipStream_t s;
    int one = 1, ten = 10;

    set_up();
    OK(hipStreamCreate(&s));
    for (int i = 0; i < 5; i++) {
        OK(hipLaunchHostFunc(s, host_fn, &one));
        OK(launch("empty", 4, 64, NULL, s));
        OK(hipStreamAddCallback(s, stream_fn, &ten, 0));
    }
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(n_called, 55);
    EXPECT_EQ(hipLaunchHostFunc(s, NULL, NULL), hipErrorInvalidValue);
    OK(hipStreamDestroy(s));
}

static void
expect_sticky(hipError_t want)
{
    void *p = NULL;

    EXPECT_EQ(hipDeviceSynchronize(), want);
    EXPECT_EQ(hipGetLastError(), want);
    EXPECT_EQ(hipGetLastError(), want); /* sticky */
    EXPECT_EQ(hipMalloc(&p, 16), want);
    EXPECT_EQ(launch("empty", 1, 1, NULL, NULL), want);
    OK(hipDeviceReset());
    OK(hipGetLastError());
    OK(hipMalloc(&p, 16));
    OK(launch("empty", 1, 1, NULL, NULL));
    OK(hipDeviceSynchronize());
    OK(hipFree(p));
}

LS_TEST(bad_address)
{
    int *p = (int *)(uintptr_t)0x10;
    unsigned block = 77;
    void *args[] = {&p, &block};

    if (RUNNING_ON_VALGRIND)
        return; /* memcheck would report the access, which is bad on purpose */
    set_up();
    for (int i = 0; i < 3; i++) {
        OK(launch("fault", 1000, 64, args, NULL));
        expect_sticky(hipErrorIllegalAddress);
    }
}

LS_TEST(bad_address_in_a_copy)
{
    char *d;

    if (RUNNING_ON_VALGRIND)
        return; /* as above */
    set_up();
    OK(hipMalloc((void **)&d, 4096));
    EXPECT_EQ(hipMemcpy(d, (void *)(uintptr_t)0x40, 4096, hipMemcpyHostToDevice),
              hipErrorIllegalAddress);
    expect_sticky(hipErrorIllegalAddress);
}

LS_TEST(stack_overflow)
{
    int depth = 100, *out;
    void *args[] = {&depth, &out};

    set_up();
    OK(hipHostMalloc((void **)&out, 4, 0));
    OK(launch("recurse", 1, 64, args, NULL));
    OK(hipDeviceSynchronize());
    EXPECT(*out >= 99);
    depth = 1 << 30;
    OK(launch("recurse", 1, 64, args, NULL));
    expect_sticky(hipErrorLaunchFailure);
}

LS_TEST(division_by_zero)
{
    int a = 7, b = 0, *out;
    void *args[] = {&a, &b, &out};

    set_up();
    OK(hipMalloc((void **)&out, 4));
    OK(launch("divide", 1, 64, args, NULL));
    expect_sticky(hipErrorLaunchFailure);
}

LS_TEST(traps_and_asserts)
{
    int service = 1, lane = 5;
    void *args[] = {&service, &lane};

    set_up();
    OK(launch("trap", 3, 128, args, NULL));
    expect_sticky(hipErrorLaunchFailure);
    service = 2;
    OK(launch("trap", 3, 128, args, NULL));
    expect_sticky(hipErrorAssert);
}

LS_TEST(printing)
{
    int n = -12;
    char *text;
    double d = 3.14159;
    void *args[] = {&n, &text, &d};
    char line[256] = "", *want = "-12  3.14 [ab    ]  z%\n";
    int fds[2], saved;

    set_up();
    OK(hipMallocManaged((void **)&text, 3, hipMemAttachGlobal));
    strcpy(text, "ab");
    REQUIRE(pipe(fds) == 0);
    fflush(stdout);
    saved = dup(1);
    dup2(fds[1], 1);
    OK(launch("print", 2, 32, args, NULL));
    OK(hipDeviceSynchronize());
    fflush(stdout);
    dup2(saved, 1);
    close(fds[1]);
    REQUIRE(read(fds[0], line, sizeof(line) - 1) > 0);
    EXPECT(strncmp(line, want, strlen(want)) == 0 && strcmp(line + strlen(want), want) == 0);
}

LS_TEST(variables)
{
    int *out, v = 0;
    void *args[] = {&out}, *address;
    size_t bytes;

    set_up();
    OK(hipMallocManaged((void **)&out, 8, hipMemAttachGlobal));
    OK(launch("vars", 1, 1, args, NULL));
    OK(hipMemcpyFromSymbol(&v, &host_var, 4, 0, hipMemcpyDeviceToHost));
    EXPECT_EQ(v, 42);
    EXPECT_EQ(out[0], 41);
    EXPECT_EQ(out[1], 41); /* through the relocated pointer */
    v = 100;
    OK(hipMemcpyToSymbol(&host_var, &v, 4, 0, hipMemcpyHostToDevice));
    OK(launch("vars", 1, 1, args, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(out[0], 100);
    OK(hipGetSymbolAddress(&address, &host_var));
    EXPECT_EQ(peek_int(address), 101);
    OK(hipGetSymbolSize(&bytes, &host_var));
    EXPECT_EQ(bytes, 4);
    EXPECT_EQ(hipMemcpyToSymbol(&host_var, &v, 4, 2, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(hipGetSymbolSize(&bytes, &v), hipErrorInvalidSymbol);
    EXPECT_EQ(*managed, 7);
}

/* A program in C has loaded neither library, or for itself alone. */
LS_TEST(libm_and_libgcc)
{
    double *x;
    void *args[] = {&x};

    set_up();
    OK(hipMallocManaged((void **)&x, 4096, hipMemAttachGlobal));
    x[0] = 0;
    x[1] = 6;
    x[2] = 3;
    OK(launch("library", 1, 1, args, NULL));
    OK(hipDeviceSynchronize());
    EXPECT(x[0] == 0 && x[1] == 32);
}

LS_TEST(launch_errors)
{
    dim3 one = {1, 1, 1};
    void *p;

    set_up();
    EXPECT_EQ(hipLaunchKernel(NULL, one, one, NULL, 0, NULL), hipErrorInvalidDeviceFunction);
    EXPECT_EQ(hipLaunchKernel(&p, one, one, NULL, 0, NULL), hipErrorInvalidDeviceFunction);
    EXPECT_EQ(launch("empty", 0, 1, NULL, NULL), hipErrorInvalidConfiguration);
    EXPECT_EQ(launch("empty", 1, 0, NULL, NULL), hipErrorInvalidConfiguration);
    EXPECT_EQ(launch("empty", 1, 1025, NULL, NULL), hipErrorInvalidConfiguration);
    EXPECT_EQ(hipLaunchKernel(kernel("empty"), one, (dim3){32, 32, 2}, NULL, 0, NULL),
              hipErrorInvalidConfiguration);
    EXPECT_EQ(hipLaunchKernel(kernel("empty"), one, one, NULL, 65537, NULL), hipErrorOutOfMemory);
    EXPECT_EQ(hipLaunchCooperativeKernel(kernel("empty"), one, one, NULL, 65537, NULL),
              hipErrorCooperativeLaunchTooLarge);
    EXPECT_EQ(
        hipLaunchKernel(kernel("empty"), (dim3){1u << 22, 1, 1}, (dim3){1024, 1, 1}, NULL, 0, NULL),
        hipErrorInvalidConfiguration); /* 2^32 threads in a direction */
    EXPECT_EQ(
        hipLaunchKernel(kernel("empty"), (dim3){1, 1, 1u << 31}, (dim3){1, 1, 2}, NULL, 0, NULL),
        hipErrorInvalidConfiguration);
    EXPECT_EQ(launch("missing", 1, 65, NULL, NULL), hipErrorLaunchFailure);
    EXPECT_EQ(launch("missing", 1, 64, NULL, NULL), hipErrorInvalidKernelFile);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidKernelFile);
    OK(hipGetLastError());
    EXPECT_EQ(
        hipLaunchKernel(kernel("empty"), one, one, NULL, 0, (hipStream_t)(uintptr_t)0x12345678),
        hipErrorContextIsDestroyed);
    EXPECT_EQ(hipMalloc(&p, (size_t)1 << 60), hipErrorOutOfMemory);
    EXPECT_EQ(hipMalloc(NULL, 1), hipErrorInvalidValue);
    OK(hipMalloc(&p, 0));
    EXPECT(p == NULL);
    OK(hipFree(NULL));
    OK(hipMalloc(&p, 10));
    EXPECT_EQ(hipFree((char *)p + 1), hipErrorInvalidValue);
    EXPECT_EQ(hipHostFree(p), hipErrorInvalidValue);
    OK(hipFree(p));
    EXPECT_EQ(hipFree(p), hipErrorInvalidValue);
    EXPECT_STR(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue");
    EXPECT_STR(hipGetErrorName((hipError_t)12345), "hipErrorUnknown");
}

LS_TEST(module_launch_errors)
{
    struct image lsbc;
    hipModule_t m;
    hipFunction_t f;

    set_env();
    lsbc = make_lsbc("gfx1100", 32, kernels, N_KERNELS, globals, 5, &reloc);
    OK(hipModuleLoadData(&m, lsbc.data));
    OK(hipModuleGetFunction(&f, m, "empty"));
    EXPECT_EQ(hipModuleLaunchKernel(f, 1u << 22, 1, 1, 1024, 1, 1, 0, NULL, NULL, NULL),
              hipErrorInvalidValue);
    EXPECT_EQ(hipModuleLaunchKernel(f, 1u << 31, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
              hipErrorInvalidValue);
    EXPECT_EQ(hipModuleLaunchKernel(f, 1, 65537, 1, 1, 1, 1, 0, NULL, NULL, NULL),
              hipErrorInvalidValue);
    OK(hipModuleLaunchKernel(f, 1, 1, 65536, 1, 1, 1, 0, NULL, NULL, NULL));
    /* counted in threads */
    OK(hipExtModuleLaunchKernel(f, 128, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, 0));
    OK(hipExtModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, 0));
    EXPECT_EQ(hipExtModuleLaunchKernel(f, 100, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipExtModuleLaunchKernel(f, 1, 1, 1, 12, 12, 12, 0, NULL, NULL, NULL, NULL, NULL, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipExtModuleLaunchKernel(f, 0, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, 0),
              hipErrorInvalidValue);
    OK(hipDeviceSynchronize());
    OK(hipModuleUnload(m));
    free(lsbc.data);
}

LS_TEST(memory)
{
    hipPointerAttribute_t attr;
    char *d, *h, buf[64], *p;
    size_t pitch, free_bytes, total;
    hipPitchedPtr box;
    int registers;

    set_up();
    OK(hipMalloc((void **)&d, 1000));
    EXPECT_EQ((uintptr_t)d % 256, 0);
    OK(hipHostMalloc((void **)&h, 1000, 0));
    OK(hipPointerGetAttributes(&attr, d + 10));
    EXPECT_EQ(attr.type, hipMemoryTypeDevice);
    EXPECT(attr.devicePointer == d + 10);
    OK(hipPointerGetAttributes(&attr, h));
    EXPECT_EQ(attr.type, hipMemoryTypeHost);
    OK(hipPointerGetAttributes(&attr, buf));
    EXPECT_EQ(attr.type, hipMemoryTypeUnregistered);
    OK(hipDeviceGetAttribute(&registers, hipDeviceAttributeHostRegisterSupported, 0));
    EXPECT_EQ(hipHostRegister(buf, sizeof(buf), 0), registers ? hipSuccess : hipErrorNotSupported);
    if (registers) {
        EXPECT_EQ(hipHostRegister(buf + 1, 4, 0), hipErrorHostMemoryAlreadyRegistered);
        OK(hipPointerGetAttributes(&attr, buf));
        EXPECT_EQ(attr.type, hipMemoryTypeHost);
        OK(hipHostUnregister(buf));
    }
    EXPECT_EQ(hipHostUnregister(buf), hipErrorHostMemoryNotRegistered);
    OK(hipMemsetD32(d, 0x01020304, 250));
    OK(hipMemcpy2D(buf, 8, d, 100, 8, 8, hipMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        EXPECT_EQ(buf[i], 4 - i % 4);
    EXPECT_EQ(hipMemcpy2D(buf, 4, d, 100, 8, 8, hipMemcpyDeviceToHost), hipErrorInvalidPitchValue);
    EXPECT_EQ(hipMemcpy(d, h, 1001, hipMemcpyDefault), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy(d, h, 10, (hipMemcpyKind)77), hipErrorInvalidMemcpyDirection);
    memset(buf, 9, sizeof(buf));
    OK(hipMemcpyAsync(d, buf, sizeof(buf), hipMemcpyHostToDevice, NULL));
    memset(buf, 0, sizeof(buf)); /* unpinned memory may be reused at once */
    OK(hipMemcpyAsync(h, d, sizeof(buf), hipMemcpyDeviceToHost, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(h[0], 9);
    EXPECT_EQ(h[63], 9);
    OK(hipMallocPitch((void **)&p, &pitch, 300, 10));
    EXPECT_EQ(pitch, 512);
    OK(hipMemset2D(p, pitch, 5, 300, 10));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(peek_byte(&p[9 * 512 + 299]), 5);
    OK(hipFree(p));
    OK(hipMalloc3D(&box, (hipExtent){10, 3, 4}));
    OK(hipMemset3D(box, 6, (hipExtent){10, 3, 4}));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(peek_byte(&((char *)box.ptr)[box.pitch * 11 + 9]), 6);
    OK(hipFree(box.ptr));
    OK(hipMemGetInfo(&free_bytes, &total));
    EXPECT(free_bytes > 0 && free_bytes < total);
    OK(hipMallocAsync((void **)&p, 1 << 20, NULL));
    OK(hipMemsetAsync(p, 1, 1 << 20, NULL));
    OK(hipFreeAsync(p, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(hipFree(p), hipErrorInvalidValue);
    OK(hipFree(d));
    OK(hipHostFree(h));
}

/* Pinned memory is zeroed pages, whatever lay there before. */
LS_TEST(host_memory_is_zero)
{
    const size_t sizes[] = {100, 70000, 3u << 20};
    char *p;

    set_up();
    for (int i = 0; i < 3; i++)
        for (int again = 0; again < 3; again++) {
            OK(hipHostMalloc((void **)&p, sizes[i], 0));
            for (size_t k = 0; k < sizes[i]; k++)
                EXPECT_EQ(p[k], 0);
            memset(p, 0xff, sizes[i]);
            OK(hipHostFree(p));
        }
}

/* Rows past the end of an allocation are none of its, even where the next allocation begins
 * there. */
LS_TEST(param_2d_into_the_neighbour)
{
    enum { N = 4096, COUNT = 8 };
    char *p[COUNT];
    hip_Memcpy2D c = {.srcMemoryType = hipMemoryTypeDevice,
                      .dstMemoryType = hipMemoryTypeDevice,
                      .srcPitch = 64,
                      .dstPitch = 64,
                      .WidthInBytes = 4,
                      .Height = 1};

    set_up();
    for (int i = 0; i < COUNT; i++)
        OK(hipMalloc((void **)&p[i], N));
    for (int i = 0; i + 1 < COUNT; i++) {
        c.srcDevice = p[i];
        c.dstDevice = p[i + 1];
        c.srcY = c.dstY = 0;
        OK(hipDrvMemcpy2DUnaligned(&c));
        c.srcY = N / 64;
        EXPECT_EQ(hipDrvMemcpy2DUnaligned(&c), hipErrorInvalidValue);
        c.srcY = 0;
        c.dstY = N / 64;
        EXPECT_EQ(hipMemcpyParam2D(&c), hipErrorInvalidValue);
        EXPECT_EQ(hipMemcpyParam2DAsync(&c, NULL), hipErrorInvalidValue);
    }
}

LS_TEST(param_2d)
{
    char from[64], to[64] = {0};
    hip_Memcpy2D c = {.srcMemoryType = hipMemoryTypeHost,
                      .srcHost = from,
                      .dstMemoryType = hipMemoryTypeHost,
                      .dstHost = to,
                      .WidthInBytes = 8,
                      .Height = 4};

    set_up();
    for (int i = 0; i < 64; i++)
        from[i] = (char)i;
    c.srcPitch = 16;
    OK(hipMemcpyParam2D(&c)); /* dstPitch 0: rows without a gap */
    EXPECT_EQ(to[8], 16);
    EXPECT_EQ(to[31], 55);
    c.srcPitch = 7;
    EXPECT_EQ(hipMemcpyParam2D(&c), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpyParam2DAsync(&c, NULL), hipErrorInvalidValue);
    c.Height = 0;
    OK(hipMemcpyParam2DAsync(&c, NULL));
    c.Height = 4;
    c.srcHost = NULL;
    EXPECT_EQ(hipMemcpyParam2D(&c), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy2DAsync(to, 8, from, 7, 8, 2, hipMemcpyHostToHost, NULL),
              hipErrorInvalidPitchValue);
    OK(hipMemcpy2DAsync(to, 8, from, 7, 8, 0, hipMemcpyHostToHost, NULL));
}

LS_TEST(large_copies)
{
    size_t n = (8u << 20) + 12345;
    unsigned char *a, *b;

    set_up();
    OK(hipMalloc((void **)&a, n));
    OK(hipMalloc((void **)&b, n));
    OK(hipMemsetD32(a, 0x04030201, n / 4));
    OK(hipMemset(a + n / 4 * 4, 7, n % 4));
    OK(hipMemcpy(b, a, n, hipMemcpyDeviceToDevice));
    OK(hipDeviceSynchronize()); /* copies within the device are not waited for */
    EXPECT(same_bytes(a, b, n));
    OK(hipMemcpy(b + 1, b, n - 1, hipMemcpyDeviceToDevice)); /* overlapping */
    OK(hipDeviceSynchronize());
    EXPECT(same_bytes(b + 1, a, n - 1));
    OK(hipFree(a));
    OK(hipFree(b));
}

LS_TEST(properties)
{
    hipDeviceProp_t p;
    int n, v;

    set_up();
    OK(hipGetDeviceCount(&n));
    EXPECT_EQ(n, 1);
    OK(hipGetDeviceProperties(&p, 0));
    EXPECT_STR(p.gcnArchName, "gfx1100"); /* preferred among those of the program */
    EXPECT_EQ(p.warpSize, 32);
    EXPECT_EQ(p.major, 11);
    EXPECT_EQ(p.minor, 0);
    EXPECT_EQ(p.gcnArch, 1100);
    EXPECT(p.totalGlobalMem > 0 && p.multiProcessorCount > 0);
    OK(hipDeviceGetAttribute(&v, hipDeviceAttributeWarpSize, 0));
    EXPECT_EQ(v, 32);
    EXPECT_EQ(hipGetDeviceProperties(&p, 1), hipErrorInvalidDevice);
    EXPECT_EQ(hipSetDevice(3), hipErrorInvalidDevice);
    OK(hipSetDevice(0));
}

LS_TEST(arch_from_environment)
{
    hipDeviceProp_t p;

    setenv("LOCKSTEP_ARCH", "gfx90a", 1);
    set_up();
    OK(hipGetDeviceProperties(&p, 0));
    EXPECT_STR(p.gcnArchName, "gfx90a");
    EXPECT_EQ(p.warpSize, 64);
    EXPECT_EQ(p.major, 9);
    EXPECT_EQ(p.gcnArch, 910); /* the stepping is a letter */
    /* the kernels of this test are made for 32 lanes: code that doesn't fit must not run */
    EXPECT_EQ(launch("empty", 1, 64, NULL, NULL), hipErrorInvalidKernelFile);
}

LS_TEST(modules)
{
    struct image lsbc, bundle = {0};
    hipModule_t m;
    hipFunction_t f;
    hipDeviceptr_t p;
    size_t bytes;
    struct {
        float *out, *in;
        float a;
        int n;
    } packed = {.a = 2, .n = 4};
    size_t packed_bytes = sizeof(packed);
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                     &packed_bytes, HIP_LAUNCH_PARAM_END};

    set_env();
    lsbc = make_lsbc("gfx1100", 32, kernels, N_KERNELS, globals, 5, &reloc);
    OK(hipModuleLoadData(&m, lsbc.data));
    memset(lsbc.data, 0xff, lsbc.bytes); /* the caller's memory is the caller's */
    OK(hipModuleGetFunction(&f, m, "scale"));
    EXPECT_STR(hipKernelNameRef(f), "scale");
    EXPECT_EQ(hipModuleGetFunction(&f, m, "nothing"), hipErrorNotFound);
    OK(hipModuleGetFunction(&f, m, "scale"));
    OK(hipMallocManaged((void **)&packed.out, 16, hipMemAttachGlobal));
    OK(hipMallocManaged((void **)&packed.in, 16, hipMemAttachGlobal));
    for (int i = 0; i < 4; i++)
        packed.in[i] = (float)i;
    OK(hipModuleLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, NULL, NULL, extra));
    EXPECT_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 4, 1, 1, 65537, NULL, NULL, extra),
              hipErrorInvalidValue);
    OK(hipDeviceSynchronize());
    EXPECT(packed.out[3] == 6);
    OK(hipModuleGetGlobal(&p, &bytes, m, "m")); /* its memory, not the pointer to that */
    EXPECT_EQ(bytes, 4);
    EXPECT_EQ(peek_int(p), 7);
    OK(hipModuleGetGlobal(&p, &bytes, m, "big"));
    EXPECT_EQ(bytes, 1000);
    EXPECT_EQ((uintptr_t)p % 64, 0);
    OK(hipModuleUnload(m));
    EXPECT_EQ(hipModuleUnload(m), hipErrorNotFound);
    bundle = test_bundle();
    OK(hipModuleLoadData(&m, bundle.data));
    OK(hipModuleUnload(m));
    EXPECT_EQ(hipModuleLoad(&m, "/nonexistent"), hipErrorFileNotFound);
    EXPECT_EQ(
        hipModuleLoadData(&m, "rubbish, and a good deal of it, so that nothing is read behind it"),
        hipErrorInvalidImage);
    OK(hipFree(packed.in));
    OK(hipFree(packed.out));
    free(lsbc.data);
    free(bundle.data);
}

/* hipModuleLoad of what a file holds. */
static hipError_t
load_file(const void *data, size_t bytes)
{
    hipModule_t m;
    hipError_t err;
    char path[64];
    FILE *f;

    snprintf(path, sizeof(path), "%s/image", test_cache);
    f = fopen(path, "wb");
    REQUIRE(f);
    fwrite(data, 1, bytes, f);
    fclose(f);
    err = hipModuleLoad(&m, path);
    if (err == hipSuccess)
        OK(hipModuleUnload(m));
    return err;
}

/* Every single-byte damage of an image gives hipErrorInvalidImage; with hashes of the damage, which
 * no accident has, an error or a module; never a crash. */
LS_TEST(hostile_images)
{
    struct image im;
    char *forged;

    set_env();
    im = make_lsbc("gfx1100", 32, kernels, 3, globals, 5, &reloc);
    forged = malloc(im.bytes);
    REQUIRE(forged);
    for (size_t i = 0; i < im.bytes && i < 700; i++) {
        for (int v = 0; v < 3; v++) {
            char old = im.data[i];

            im.data[i] = v == 0 ? (char)0xff : v == 1 ? (char)0x7f : (char)(old + 1);
            if (im.data[i] != old)
                EXPECT(load_file(im.data, im.bytes) != hipSuccess);
            memcpy(forged, im.data, im.bytes);
            if (forge_hashes(forged, im.bytes))
                load_file(forged, im.bytes);
            im.data[i] = old;
        }
    }
    for (size_t n = 0; n < im.bytes; n += 7)
        EXPECT(load_file(im.data, n) != hipSuccess);
    OK(load_file(im.data, im.bytes));
    free(forged);
    free(im.data);
}

/* The bitcode is not believed to be that of its hash: another image's name in the cache would be
 * its own. */
LS_TEST(bitcode_under_a_foreign_hash)
{
    struct ls_lsbc_header h;
    struct image im;

    set_env();
    im = make_lsbc("gfx1100", 32, kernels, 3, NULL, 0, NULL);
    memcpy(&h, im.data, sizeof(h));
    im.data[h.bitcode_off] ^= 1;
    EXPECT_EQ(load_file(im.data, im.bytes), hipErrorInvalidImage);
    im.data[h.bitcode_off] ^= 1;
    h.bitcode_sha256[5] ^= 1;
    memcpy(im.data, &h, sizeof(h));
    EXPECT_EQ(load_file(im.data, im.bytes), hipErrorInvalidImage);
    free(im.data);
}

static void add_ahead_of_time(uint32_t n_threads);

static void
launch_once_in_child(void)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        struct image bundle = test_bundle();

        wrapper.binary = bundle.data;
        handle = __hipRegisterFatBinary(&wrapper);
        __hipRegisterFunction(handle, &host[0], (char *)(uintptr_t) "empty", "empty", ~0u, NULL,
                              NULL, NULL, NULL, NULL);
        _exit(launch("empty", 1, 64, NULL, NULL) == hipSuccess &&
                      hipDeviceSynchronize() == hipSuccess
                  ? 0
                  : 1);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
}

static void
for_cache_files(const char *command)
{
    char text[256];

    snprintf(text, sizeof(text), "for f in %s/*.so; do %s; done", test_cache, command);
    EXPECT_EQ(system(text), 0);
}

LS_TEST(cache_hits_and_broken_files)
{
    set_env();
    launch_once_in_child();
    EXPECT_EQ(n_compiles(), 1);
    launch_once_in_child();
    EXPECT_EQ(n_compiles(), 1); /* from the cache */
    for_cache_files("truncate -s -1 $f");
    launch_once_in_child();
    EXPECT_EQ(n_compiles(), 2);
    for_cache_files("printf X | dd of=$f bs=1 seek=3000 conv=notrunc 2>/dev/null");
    launch_once_in_child();
    EXPECT_EQ(n_compiles(), 3);
    for_cache_files("echo foreign > $f");
    launch_once_in_child();
    EXPECT_EQ(n_compiles(), 4);
    for_cache_files(": > $f");
    launch_once_in_child();
    launch_once_in_child();
    EXPECT_EQ(n_compiles(), 5);
}

LS_TEST(no_cache)
{
    set_env();
    setenv("LOCKSTEP_CACHE", "0", 1);
    launch_once_in_child();
    launch_once_in_child();
    EXPECT_EQ(n_compiles(), 2);
    setenv("LOCKSTEP_CACHE", "1", 1);
    setenv("LOCKSTEP_CACHE_DIR", "/proc/nowhere", 1);
    launch_once_in_child();
    EXPECT_EQ(n_compiles(), 3);
}

LS_TEST(code_needs_no_folder)
{
    set_env();
    setenv("LOCKSTEP_CACHE_DIR", "/proc/nowhere", 1);
    setenv("TMPDIR", "/proc/nowhere", 1);
    launch_once_in_child();
    EXPECT_EQ(n_compiles(), 1);
    unsetenv("TMPDIR");
}

/* A cache in this folder is used, or isn't. */
static void
expect_cache(const char *folder, bool used)
{
    long n = n_compiles();

    setenv("LOCKSTEP_CACHE_DIR", folder, 1);
    launch_once_in_child();
    launch_once_in_child();
    EXPECT_EQ(n_compiles() - n == 2, !used);
}

/* Who can change a folder above the cache can change the cache. */
LS_TEST(cache_below_folders_of_others)
{
    char open[64], own[64], link[64], text[300];

    set_env();
    snprintf(open, sizeof(open), "%s/open/c", test_cache);
    snprintf(own, sizeof(own), "%s/own/c", test_cache);
    snprintf(link, sizeof(link), "%s/link", test_cache);
    snprintf(text, sizeof(text),
             "cd %s && mkdir -m 777 open && mkdir -m 700 own && ln -s own/../own/c link",
             test_cache);
    EXPECT_EQ(system(text), 0);
    expect_cache(open, false);
    expect_cache(own, true);
    expect_cache(link, true); /* the same, with its file */
    snprintf(text, sizeof(text), "rm -rf %s; chmod 1777 %s/open", own, test_cache);
    EXPECT_EQ(system(text), 0);
    expect_cache(open, true); /* sticky: what is ours stays so */
    if (geteuid() != 0)
        return;
    snprintf(text, sizeof(text), "chown 65534 %s/own && chmod 755 %s/own", test_cache, test_cache);
    EXPECT_EQ(system(text), 0);
    expect_cache(own, false);
    snprintf(text, sizeof(text), "cd %s && chmod 1777 . && mkdir mine && chown -h 65534 link",
             test_cache);
    EXPECT_EQ(system(text), 0);
    expect_cache(link, false);
}

LS_TEST(strange_things_under_a_cache_files_name)
{
    static const char *const things[] = {
        "mkfifo $f", "ln -s /dev/zero $f",          "ln -s $f $f",
        "mkdir $f",  "cp $f.good $f; chmod 666 $f", "truncate -s 8T $f"};
    char command[128];

    set_env();
    launch_once_in_child();
    for_cache_files("cp $f $f.good");
    for (size_t i = 0; i < sizeof(things) / sizeof(*things); i++) {
        snprintf(command, sizeof(command), "rm $f; %s", things[i]);
        for_cache_files(command);
        launch_once_in_child();
        EXPECT_EQ(n_compiles(), (long)i + 2);
        for_cache_files("test -f $f && test ! -L $f && cmp -s $f $f.good");
    }
}

/* Who kills the compiler says nothing of the kernel, which has its code at this launch or the next.
 * What the kernel kills the compiler with is remembered. */
LS_TEST(a_killed_compiler_is_no_verdict)
{
    static const char once[] = {SIGKILL}, thrice[] = {SIGKILL, SIGTERM, SIGKILL}, own[] = {SIGSEGV};
    char path[64];
    int fd;

    set_up();
    snprintf(path, sizeof(path), "%s/deaths", test_cache);
    setenv("LS_TEST_DEATHS", path, 1);
    setenv("LOCKSTEP_CACHE", "0", 1);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    REQUIRE(fd >= 0 && pwrite(fd, once, sizeof(once), 0) == sizeof(once));
    OK(launch("empty", 1, 64, NULL, NULL));
    REQUIRE(pwrite(fd, thrice, sizeof(thrice), 0) ==
            sizeof(thrice)); /* the one that is there and two new ones */
    EXPECT_EQ(launch("empty", 1, 32, NULL, NULL), hipErrorInvalidKernelFile);
    OK(launch("empty", 1, 32, NULL, NULL));
    REQUIRE(pwrite(fd, own, sizeof(own), 0) == sizeof(own));
    EXPECT_EQ(launch("empty", 1, 96, NULL, NULL), hipErrorInvalidKernelFile);
    EXPECT_EQ(lseek(fd, 0, SEEK_END), 0);
    EXPECT_EQ(launch("empty", 1, 96, NULL, NULL), hipErrorInvalidKernelFile);
    OK(launch("empty", 1, 128, NULL, NULL));
    OK(hipDeviceSynchronize());
}

/* Our files may be too large for the program's limit: it is not to die of that. */
LS_TEST(no_files_allowed)
{
    struct rlimit limit = {0, RLIM_INFINITY};
    pid_t pid;
    int status;

    set_env();
    unsetenv("LS_TEST_COMPILE_LOG");
    pid = fork();
    if (pid == 0) {
        struct image bundle = test_bundle();

        setrlimit(RLIMIT_FSIZE, &limit);
        wrapper.binary = bundle.data;
        handle = __hipRegisterFatBinary(&wrapper);
        __hipRegisterFunction(handle, &host[0], (char *)(uintptr_t) "empty", "empty", ~0u, NULL,
                              NULL, NULL, NULL, NULL);
        _exit(launch("empty", 1, 64, NULL, NULL) == hipErrorInvalidKernelFile ? 0 : 1);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
}

LS_TEST(no_proc)
{
#if defined(__SANITIZE_ADDRESS__)
    return; /* its search for leaks needs /proc */
#endif
    set_env();
    if (unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/proc", "tmpfs", 0, NULL) != 0)
        return; /* not allowed here */
    setenv("LOCKSTEP_CACHE", "0", 1);
    launch_once_in_child();
    setenv("LOCKSTEP_CACHE", "1", 1);
    launch_once_in_child();
    launch_once_in_child();
    EXPECT_EQ(n_compiles(), 2);
    add_ahead_of_time(64);
    OK(launch("empty", 3, 64, NULL, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(n_compiles(), 2);
}

LS_TEST(no_home_is_made)
{
    char home[256];

    set_env();
    snprintf(home, sizeof(home), "%s/nobody", test_cache);
    unsetenv("LOCKSTEP_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", home, 1);
    launch_once_in_child();
    EXPECT_EQ(access(home, F_OK), -1);
}

LS_TEST(cache_is_bounded)
{
    char text[256];

    set_env();
    setenv("LOCKSTEP_CACHE_LIMIT_MB", "1", 1);
    launch_once_in_child();
    for_cache_files("mv $f $f.saved");
    /* Two old files of 600 kB: with the new one they are too much, and the older goes. */
    snprintf(
        text, sizeof(text),
        "cd %s && a=$(printf %%064d 1) b=$(printf %%064d 2) && truncate -s 600000 $a.so $b.so && "
        "touch -d '3 hours ago' $a.so && touch -d '2 hours ago' $b.so",
        test_cache);
    EXPECT_EQ(system(text), 0);
    launch_once_in_child();
    snprintf(text, sizeof(text),
             "cd %s && test ! -e $(printf %%064d 1).so && test -e $(printf %%064d 2).so",
             test_cache);
    EXPECT_EQ(system(text), 0);
}

/* One object made ahead of time for "empty": for blocks of `n_threads`, or any if 0. */
struct ahead {
    const char *isa;
    uint32_t n_threads;
    bool damage_elf, damage_table;
};

static void
add_ahead_objects(const struct ahead *objects, uint32_t n)
{
    static const char *const ids[] = {"lockstep-bc--gfx1100", "lockstep-cpu--gfx1100"};
    struct image images[2] = {{0}}, bundle, elf = {0};
    struct ls_lsao_header h = {.magic = LS_LSAO_MAGIC, .version = LS_LSAO_VERSION, .n_objects = n};
    struct ls_lsao_object o[8] = {{0}};
    FILE *f;
    int c;

    REQUIRE(n <= 8);
    f = fopen(LS_TEST_SUPPORT "/k_empty.so", "rb");
    REQUIRE(f);
    while ((c = fgetc(f)) != EOF) {
        char byte = (char)c;

        image_add(&elf, &byte, 1, 1);
    }
    fclose(f);
    image_add(&images[1], &h, sizeof(h), 8);
    h.objects_off = image_add(&images[1], o, n * sizeof(*o), 8);
    for (uint32_t i = 0; i < n; i++) {
        o[i].block[0] = objects[i].n_threads;
        o[i].block[1] = o[i].block[2] = objects[i].n_threads > 0;
        o[i].name_off = image_add(&images[1], "empty", 6, 1);
        o[i].isa_off = image_add(&images[1], objects[i].isa, strlen(objects[i].isa) + 1, 1);
        o[i].elf_off = image_add(&images[1], elf.data, elf.bytes, 8);
        o[i].elf_bytes = elf.bytes;
    }
    h.image_bytes = images[1].bytes;
    memcpy(images[1].data, &h, sizeof(h));
    memcpy(images[1].data + h.objects_off, o, n * sizeof(*o));
    ls_lsao_seal(images[1].data);
    for (uint32_t i = 0; i < n; i++) {
        images[1].data[o[i].elf_off + 5000] ^= objects[i].damage_elf;
        images[1].data[h.objects_off + i * sizeof(*o) + offsetof(struct ls_lsao_object, block)] ^=
            objects[i].damage_table;
    }
    images[0] = make_lsbc("gfx1100", 32, kernels, N_KERNELS, globals, 5, &reloc);
    bundle = make_bundle(ids, images, 2);
    wrapper.binary = bundle.data;
    handle = __hipRegisterFatBinary(&wrapper);
    __hipRegisterFunction(handle, &host[0], (char *)(uintptr_t) "empty", "empty", ~0u, NULL, NULL,
                          NULL, NULL, NULL);
    free(elf.data);
    free(images[0].data);
    free(images[1].data);
}

static void
add_damaged_ahead_of_time(uint32_t n_threads, bool damage_elf, bool damage_table)
{
    add_ahead_objects(&(struct ahead){"x86-64", n_threads, damage_elf, damage_table}, 1);
}

static void
add_ahead_of_time(uint32_t n_threads)
{
    add_damaged_ahead_of_time(n_threads, false, false);
}

LS_TEST(ahead_of_time_damaged)
{
    set_env();
    add_damaged_ahead_of_time(64, true, false);
    EXPECT_EQ(launch("empty", 3, 64, NULL, NULL), hipErrorInvalidImage);
    OK(launch("empty", 3, 32, NULL, NULL)); /* compiled */
    OK(hipDeviceSynchronize());
}

LS_TEST(ahead_of_time_with_a_damaged_table)
{
    set_env();
    add_damaged_ahead_of_time(64, false, true);
    EXPECT_EQ(launch("empty", 3, 64, NULL, NULL), hipErrorInvalidImage);
}

/* Code made ahead of time needs no compiler. */
LS_TEST(ahead_of_time)
{
    set_env();
    setenv("LOCKSTEP_COMPILER", "/nonexistent", 1);
    setenv("LOCKSTEP_CACHE", "0", 1);
    add_ahead_of_time(64);
    OK(launch("empty", 3, 64, NULL, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(launch("empty", 3, 32, NULL, NULL), hipErrorInvalidKernelFile);
    EXPECT_EQ(n_compiles(), 0);
}

/* What was made for the block's shape wins over what can be made now, that over code for any
 * shape. */
LS_TEST(ahead_of_time_or_now)
{
    set_env();
    setenv("LOCKSTEP_CACHE", "0", 1);
    add_ahead_of_time(64);
    OK(launch("empty", 3, 64, NULL, NULL));
    EXPECT_EQ(n_compiles(), 0);
    OK(launch("empty", 3, 32, NULL, NULL));
    EXPECT_EQ(n_compiles(), 1);
}

LS_TEST(ahead_of_time_for_any_shape)
{
    set_env();
    setenv("LOCKSTEP_CACHE", "0", 1);
    add_ahead_of_time(0);
    OK(launch("empty", 3, 64, NULL, NULL));
    EXPECT_EQ(n_compiles(), 1);
}

LS_TEST(ahead_of_time_without_the_compiler)
{
    set_env();
    setenv("LOCKSTEP_CACHE", "0", 1);
    setenv("LOCKSTEP_COMPILER", "/nonexistent", 1);
    add_ahead_of_time(0);
    OK(launch("empty", 3, 64, NULL, NULL));
    OK(launch("empty", 3, 32, NULL, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(n_compiles(), 0);
}

LS_TEST(many_processes_share_the_cache)
{
    pid_t pids[8];

    set_env();
    for (int i = 0; i < 8; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            launch_once_in_child();
            _exit(ls_test_failures ? 1 : 0);
        }
    }
    for (int i = 0; i < 8; i++) {
        int status;

        REQUIRE(waitpid(pids[i], &status, 0) == pids[i]);
        EXPECT_EQ(status, 0);
    }
    for_cache_files("test -s $f");
}

/* Many host threads, each with its stream, at once. */

static void *
worker(void *arg)
{
    enum { N = 4096 };
    hipStream_t s;
    float *in, *out, a = (float)(intptr_t)arg, *back = malloc(N * sizeof(float));
    int n = N;
    void *args[] = {&out, &in, &a, &n};
    hipEvent_t e;

    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipEventCreate(&e));
    OK(hipMalloc((void **)&in, N * 4));
    OK(hipMalloc((void **)&out, N * 4));
    for (int i = 0; i < 50; i++) {
        for (int j = 0; j < N; j++)
            back[j] = (float)(i + j);
        OK(hipMemcpyAsync(in, back, N * 4, hipMemcpyHostToDevice, s));
        if (i % 2) {
            OK(launch("scale", N / 64, 64, args, s));
        } else { /* a detour by another stream, ordered by events */
            OK(hipEventRecord(e, s));
            OK(hipStreamWaitEvent(hipStreamPerThread, e, 0));
            OK(launch("scale", N / 64, 64, args, hipStreamPerThread));
            OK(hipEventRecord(e, hipStreamPerThread));
            OK(hipStreamWaitEvent(s, e, 0));
        }
        OK(hipMemcpyAsync(back, out, N * 4, hipMemcpyDeviceToHost, s));
        OK(hipStreamSynchronize(s));
        for (int j = 0; j < N; j++)
            if (back[j] != a * (float)(i + j)) {
                EXPECT_EQ(j, -1);
                break;
            }
    }
    OK(hipFree(in));
    OK(hipFree(out));
    OK(hipEventDestroy(e));
    OK(hipStreamDestroy(s));
    free(back);
    return NULL;
}

LS_TEST(many_threads)
{
    pthread_t t[6];

    set_up();
    for (intptr_t i = 0; i < 6; i++)
        REQUIRE(pthread_create(&t[i], NULL, worker, (void *)(i + 2)) == 0);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    OK(hipDeviceSynchronize());
}

LS_TEST(call_configuration)
{
    dim3 g, b;
    size_t shared;
    hipStream_t s;

    set_up();
    OK(__hipPushCallConfiguration((dim3){1, 2, 3}, (dim3){4, 5, 6}, 7, hipStreamPerThread));
    OK(__hipPushCallConfiguration((dim3){9, 1, 1}, (dim3){1, 1, 1}, 0, NULL));
    OK(__hipPopCallConfiguration(&g, &b, &shared, &s));
    EXPECT_EQ(g.x, 9);
    OK(__hipPopCallConfiguration(&g, &b, &shared, &s));
    EXPECT_EQ(g.z, 3);
    EXPECT_EQ(b.y, 5);
    EXPECT_EQ(shared, 7);
    EXPECT(s == hipStreamPerThread);
    EXPECT_EQ(__hipPopCallConfiguration(&g, &b, &shared, &s), hipErrorMissingConfiguration);
}

static double
now_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec * 1e-3;
}

LS_TEST(launch_latency)
{
    enum { N = 20000 };
    double start, sync, queue;

    set_up();
    for (int i = 0; i < 1000; i++) {
        OK(launch("empty", 1, 64, NULL, NULL));
        OK(hipDeviceSynchronize());
    }
    start = now_us();
    for (int i = 0; i < N; i++) {
        (void)launch("empty", 1, 64, NULL, NULL);
        (void)hipDeviceSynchronize();
    }
    sync = (now_us() - start) / N;
    start = now_us();
    for (int i = 0; i < N; i++)
        (void)launch("empty", 1, 64, NULL, NULL);
    queue = (now_us() - start) / N;
    OK(hipDeviceSynchronize());
    if (getenv("LS_TEST_VERBOSE"))
        printf("launch + synchronize %.3f us, launch %.3f us\n", sync, queue);
}

/* Of several instruction sets the best that LOCKSTEP_ISA allows is taken: only that object's hash
 * is looked at, and all but `want` are damaged. */
static void
expect_chosen(const char *limit, const char *want, const char *const *isas, uint32_t n)
{
    struct ahead objects[8] = {{0}};

    set_env();
    setenv("LOCKSTEP_CACHE", "0", 1);
    setenv("LOCKSTEP_COMPILER", "/nonexistent", 1);
    setenv("LOCKSTEP_ISA", limit, 1);
    for (uint32_t i = 0; i < n; i++)
        objects[i] = (struct ahead){isas[i], 64, strcmp(isas[i], want) != 0, false};
    add_ahead_objects(objects, n);
    OK(launch("empty", 3, 64, NULL, NULL));
    OK(hipDeviceSynchronize());
}

static const char *const levels[] = {"x86-64-v2", "future", "x86-64", "x86-64-v4", "x86-64-v3"};

LS_TEST(ahead_of_time_for_sse4)
{
    expect_chosen("sse4", "x86-64-v2", levels, 5);
}

LS_TEST(ahead_of_time_for_sse4_by_its_level)
{
    expect_chosen("x86-64-v2", "x86-64-v2", levels, 5);
}

LS_TEST(ahead_of_time_for_sse2)
{
    expect_chosen("sse2", "x86-64", levels, 5);
}

LS_TEST(ahead_of_time_for_this_processor)
{
    expect_chosen("native", ls_isa_best(ls_cpu_features())->level, levels, 5);
}

/* Objects are marked with levels, but either name is as good. */
LS_TEST(ahead_of_time_by_our_names)
{
    static const char *const ours[] = {"sse2", "sse4"};

    expect_chosen("native", "sse4", ours, 2);
}

LS_TEST(ahead_of_time_has_no_oracle)
{
    set_env();
    setenv("LOCKSTEP_CACHE", "0", 1);
    setenv("LOCKSTEP_ISA", "scalar", 1);
    add_ahead_of_time(64);
    OK(launch("empty", 3, 64, NULL, NULL));
    EXPECT_EQ(n_compiles(), 1);
}

/* It was the lowering library that complained, and code made ahead of time was silently left
 * aside. */
LS_TEST(unknown_instruction_set)
{
    char text[2048] = "";
    int fds[2], old = dup(2);
    ssize_t n;

    set_env();
    setenv("LOCKSTEP_ISA", "avx1024", 1);
    add_ahead_of_time(64);
    REQUIRE(old >= 0 && pipe(fds) == 0 && dup2(fds[1], 2) == 2);
    hipError_t err = launch("empty", 3, 64, NULL, NULL);
    dup2(old, 2);
    close(fds[1]);
    fcntl(fds[0], F_SETFL, O_NONBLOCK); /* a child may hold the other end */
    n = read(fds[0], text, sizeof(text) - 1);
    close(fds[0]);
    text[n > 0 ? n : 0] = 0;
    EXPECT_EQ(err, hipErrorInvalidKernelFile);
    EXPECT_EQ(n_compiles(), 0);
    if (!strstr(text, "unknown instruction set 'avx1024': native, sse2 (x86-64), sse4 (x86-64-v2), "
                      "avx2 (x86-64-v3), "
                      "avx512 (x86-64-v4)"))
        EXPECT_STR(text, "the names that there are");
}
