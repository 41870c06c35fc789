/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support ls_device_cuda */
/* The CUDA device, with a stand-in for the driver (support/fake_cuda.c), beside the CPU. */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/test.h"

#include "unit/support/cache.h"
#include "unit/support/image.h"
#include "unit/support/peek.h"

#include <hip/hip_ext.h>
#include <hip/hip_runtime_api.h>

#include "device/cuda/driver.h"
#include "device/cuda/text.h"
#include "runtime/mem/share.h"

#define OK(call) EXPECT_EQ(call, hipSuccess)
#define MIB      ((size_t)1 << 20)

void **__hipRegisterFatBinary(const void *data);
void __hipRegisterFunction(void **handle, const void *host, char *device_name, const char *name,
                           unsigned limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *size);
void __hipRegisterVar(void **handle, void *host, char *device_name, char *name, int ext,
                      size_t bytes, int constant, int global);

enum { SCALE, COUNT, AWAIT, FAULT, VARS, SHARED, BROKEN, SHAPES, N_KERNELS };
static const struct test_kernel kernels[] = {
    {.name = "scale", .args = {8, 8, 4, 4}}, /* out = a * in */
    {.name = "count", .args = {8}},          /* adds 1 to runs[block] */
    {.name = "await", .args = {8, 8}},       /* waits for *flag, then sets *set */
    {.name = "fault", .args = {8, 4}},
    {.name = "vars", .args = {8}},
    {.name = "shared", .args = {8}, .lds_bytes = 20}, /* out = bytes of shared memory */
    {.name = "broken", .args = {8}},
    {.name = "shapes", .args = {8}}, /* out = 1 in the code for rows; else the bytes of stack */
};
static const char *const texts[] = {
    [SCALE] = "fake: scale, ls_args[8 8 4 4]",
    [COUNT] = "fake: count, registers: 128, ls_args[8]",
    [AWAIT] = "fake: await, ls_args[8 8]",
    [FAULT] = "fake: fault, ls_args[8 4]",
    [VARS] = "fake: vars, ls_args[8] ls_globals[1]",
    [SHARED] = "fake: shared, ls_args[8]",
    [BROKEN] = "no such thing",
    [SHAPES] = "fake: all, ls_args[8]\n.func",
};
static const int var_init = 5;
static const struct test_global globals[] = {{.name = "var", .bytes = 4, .init = &var_init}};
static char host[N_KERNELS];
static int host_var;

/* Code made ahead of time: for each kernel a worse one and the text. */
static struct image
make_ahead(void)
{
    static const char *const isas[] = {"sm_70", "sm_90", "sm_100"};
    struct image im = {0};
    static const char row[] = "fake: row, ls_args[8]";
    struct ls_lsao_object o[3 * N_KERNELS + 2] = {{0}}, *last = &o[3 * N_KERNELS];
    struct ls_lsao_header h = {
        .magic = LS_LSAO_MAGIC, .version = LS_LSAO_VERSION, .n_objects = 3 * N_KERNELS + 2};

    image_add(&im, &h, sizeof(h), 8);
    h.objects_off = image_add(&im, o, sizeof(o), 8);
    for (unsigned i = 0; i < 3 * N_KERNELS; i++) {
        const char *text = i % 3 == 1 ? texts[i / 3] : "the wrong text";

        o[i].name_off = image_add(&im, kernels[i / 3].name, strlen(kernels[i / 3].name) + 1, 1);
        o[i].isa_off = image_add(&im, isas[i % 3], strlen(isas[i % 3]) + 1, 1);
        o[i].elf_off = image_add(&im, text, strlen(text), 8);
        o[i].elf_bytes = strlen(text);
    }
    *last = o[3 * SHAPES + 1];
    last->block[1] = last->block[2] = 1;
    last->elf_off = image_add(&im, row, strlen(row), 8);
    last->elf_bytes = strlen(row);
    last[1] = o[3 * SCALE + 1];
    last[1].block[2] = 1;
    h.image_bytes = im.bytes;
    memcpy(im.data, &h, sizeof(h));
    memcpy(im.data + h.objects_off, o, sizeof(o));
    ls_lsao_seal(im.data);
    return im;
}

static void
set_up_with(const char *arch, uint32_t warp_size, bool is_ahead)
{
    static struct {
        uint32_t magic, version;
        const void *binary, *reserved;
    } wrapper = {0x48495046u, 1, NULL, NULL};
    char bc[64], ahead[64];
    const char *ids[] = {"host-x86_64-unknown-linux--", bc, ahead};
    struct image images[3] = {{0}};
    void **handle;

    REQUIRE(dlopen(LS_TEST_SUPPORT "/ls_fake_cuda.so", RTLD_NOW));
    make_cache();
    unsetenv("LOCKSTEP_FAR");
    setenv("LOCKSTEP_CACHE_DIR", test_cache, 1);
    setenv("LOCKSTEP_COMPILER", LS_TEST_SUPPORT "/ls_fake_compiler.so", 1);
    setenv("LS_TEST_KERNELS", LS_TEST_SUPPORT, 1);
    snprintf(bc, sizeof(bc), "lockstep-bc--%s", arch);
    snprintf(ahead, sizeof(ahead), "lockstep-cpu--%s", arch);
    images[1] = make_lsbc(arch, warp_size, kernels, N_KERNELS, globals, 1, NULL);
    images[2] = make_ahead();
    /* Lives as long as the process. */
    wrapper.binary = make_bundle(ids, images, is_ahead ? 3 : 2).data;
    free(images[1].data);
    free(images[2].data);
    handle = __hipRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < N_KERNELS; i++)
        __hipRegisterFunction(handle, &host[i], (char *)(uintptr_t)kernels[i].name, kernels[i].name,
                              ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterVar(handle, &host_var, (char *)(uintptr_t) "var", (char *)(uintptr_t) "var", 0, 4,
                     0, 0);
}

static void
set_up_for(const char *arch, uint32_t warp_size)
{
    set_up_with(arch, warp_size, true);
}

static void
set_up(void)
{
    set_up_for("gfx1100", 32);
}

static hipError_t
launch(int kernel, unsigned grid, unsigned block, void **args, hipStream_t stream)
{
    return hipLaunchKernel(&host[kernel], (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args, 0, stream);
}

static const char *
name_of(int device)
{
    static hipDeviceProp_t p;

    OK(hipGetDeviceProperties(&p, device));
    return p.name;
}

/* ---- Which devices there are ---- */

LS_TEST(without_a_driver_there_is_only_the_cpu)
{
    hipDeviceProp_t p;
    int n;

    if (dlopen("libcuda.so.1", RTLD_NOW))
        exit(0); /* there is one */
    OK(hipGetDeviceCount(&n));
    EXPECT_EQ(n, 1);
    OK(hipGetDeviceProperties(&p, 0));
    EXPECT(p.integrated);
}

LS_TEST(both_kinds_are_in_the_list)
{
    int n;

    set_up();
    OK(hipGetDeviceCount(&n));
    EXPECT_EQ(n, 2);
    EXPECT(strcmp(name_of(0), "PTX on the CPU 0") == 0);
    EXPECT(strcmp(name_of(1), "PTX on the CPU 0") != 0);
}

LS_TEST(a_variable_orders_them)
{
    int n;

    setenv("LOCKSTEP_DEVICES", "cpu,cuda", 1);
    setenv("PTX_DRIVER_DEVICES", "2", 1);
    set_up();
    OK(hipGetDeviceCount(&n));
    EXPECT_EQ(n, 3);
    EXPECT(strncmp(name_of(0), "Fake", 4) != 0);
    EXPECT(strcmp(name_of(1), "PTX on the CPU 0") == 0);
    EXPECT(strcmp(name_of(2), "PTX on the CPU 1") == 0);
}

LS_TEST(a_variable_leaves_kinds_out)
{
    int n;

    setenv("LOCKSTEP_DEVICES", "cpu", 1);
    set_up();
    OK(hipGetDeviceCount(&n));
    EXPECT_EQ(n, 1);
    EXPECT(strncmp(name_of(0), "Fake", 4) != 0);
}

/* A program that the GPU cannot run finds the CPU in front. */
LS_TEST(wave64_programs_begin_with_the_cpu)
{
    int *runs;
    void *args[] = {&runs};

    set_up_for("gfx90a", 64);
    EXPECT(strncmp(name_of(0), "Fake", 4) != 0);
    EXPECT(strcmp(name_of(1), "PTX on the CPU 0") == 0);
    OK(hipSetDevice(1));
    OK(hipMalloc((void **)&runs, 64));
    EXPECT_EQ(launch(COUNT, 1, 64, args, NULL), hipErrorNoBinaryForGpu);
    EXPECT_EQ(hipGetLastError(), hipErrorNoBinaryForGpu);
    OK(hipDeviceSynchronize());
}

/* Where neither hipcc has made code for the GPU nor a compiler can, the CPU is in front, which may
 * have code. */
LS_TEST(programs_without_code_for_the_gpu_begin_with_the_cpu)
{
    set_up_with("gfx1100", 32, false);
    setenv("LOCKSTEP_COMPILER", "/nowhere/liblockstep-compiler.so", 1);
    EXPECT(strncmp(name_of(0), "Fake", 4) != 0);
    EXPECT(strcmp(name_of(1), "PTX on the CPU 0") == 0);
}

LS_TEST(programs_with_bitcode_alone_begin_with_the_gpu)
{
    set_up_with("gfx1100", 32, false);
    EXPECT(strcmp(name_of(0), "PTX on the CPU 0") == 0);
}

LS_TEST(properties)
{
    hipDeviceProp_t p;

    set_up();
    OK(hipGetDeviceProperties(&p, 0));
    EXPECT_EQ(p.warpSize, 32);
    EXPECT_EQ(p.multiProcessorCount, 4);
    EXPECT_EQ(p.maxThreadsPerBlock, 1024);
    EXPECT_EQ(p.sharedMemPerBlock, (size_t)232448);
    EXPECT_EQ(p.totalGlobalMem, (size_t)4 << 30);
    EXPECT_EQ(p.maxThreadsDim[2], 64);
    EXPECT_EQ(p.maxGridSize[1], 65535);
    EXPECT(strcmp(p.gcnArchName, "gfx1100") == 0);
    EXPECT(memcmp(p.uuid.bytes, "ptx driver  000", 16) == 0);
    EXPECT(!p.integrated);
}

/* A thread's context is the device's from its first call on; one that the program made stays. */
LS_TEST(contexts_of_threads)
{
    void *driver = dlopen(LS_TEST_SUPPORT "/ls_fake_cuda.so", RTLD_NOW), *p;
    int (*get)(void **) = (int (*)(void **))(uintptr_t)dlsym(driver, "cuCtxGetCurrent");
    int (*set)(void *) = (int (*)(void *))(uintptr_t)dlsym(driver, "cuCtxSetCurrent");
    void *first = NULL, *now = NULL;
    int other;

    REQUIRE(get && set);
    set_up();
    OK(hipMalloc(&p, 64));
    get(&first);
    EXPECT(first != NULL);
    set(&other);
    OK(hipMemset(p, 1, 64));
    OK(hipDeviceSynchronize());
    OK(hipFree(p));
    get(&now);
    EXPECT(now == &other);
}

LS_TEST(peers)
{
    int can = -1;

    setenv("PTX_DRIVER_DEVICES", "2", 1);
    set_up(); /* and the CPU as number 2 */
    OK(hipDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_EQ(can, 1);
    OK(hipDeviceCanAccessPeer(&can, 0, 2));
    EXPECT_EQ(can, 0);
    OK(hipDeviceCanAccessPeer(&can, 2, 0));
    EXPECT_EQ(can, 0);
    OK(hipDeviceEnablePeerAccess(1, 0));
    EXPECT_EQ(hipDeviceEnablePeerAccess(2, 0), hipErrorPeerAccessUnsupported);
}

LS_TEST(the_driver_chooses)
{
    int n = 0;

    setenv("PTX_DRIVER_DEVICES", "2", 1); /* those that it leaves of more */
    setenv("CUDA_VISIBLE_DEVICES", "5", 1);
    set_up();
    OK(hipGetDeviceCount(&n));
    EXPECT_EQ(n, 3); /* and the CPU */
}

/* ---- Memory ---- */

#define N 5000

static void
number(unsigned char *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 7 + i / 251 + seed);
}

LS_TEST(copies_between_all_kinds)
{
    unsigned char *at[5], *want = malloc(N), *got = malloc(N);

    set_up();
    OK(hipMalloc((void **)&at[0], N));
    OK(hipMalloc((void **)&at[1], N));
    OK(hipHostMalloc((void **)&at[2], N, 0));
    OK(hipMallocManaged((void **)&at[3], N, hipMemAttachGlobal));
    at[4] = malloc(N);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ((uintptr_t)at[i] % 4096, 0u);
    for (unsigned to = 0; to < 5; to++)
        for (unsigned from = 0; from < 5; from++) {
            if (to == from)
                continue;
            number(want, N, to * 5 + from);
            OK(hipMemcpy(at[from], want, N, hipMemcpyDefault));
            OK(hipMemcpy(at[to], at[from], N, hipMemcpyDefault));
            memset(got, 0, N);
            OK(hipMemcpy(got, at[to], N, hipMemcpyDefault));
            EXPECT(memcmp(got, want, N) == 0);
        }
    for (int i = 0; i < 2; i++)
        OK(hipFree(at[i]));
    OK(hipHostFree(at[2]));
    OK(hipFree(at[3]));
}

LS_TEST(boxes)
{
    enum { WIDTH = 30, HEIGHT = 20, PITCH = 50 };
    unsigned char from[PITCH * HEIGHT], to[PITCH * HEIGHT], *a, *b;
    size_t pitch;

    set_up();
    number(from, sizeof(from), 3);
    OK(hipMallocPitch((void **)&a, &pitch, WIDTH, HEIGHT));
    OK(hipMalloc((void **)&b, sizeof(to)));
    OK(hipMemset(b, 1, sizeof(to)));
    OK(hipMemcpy2D(a, pitch, from, PITCH, WIDTH, HEIGHT, hipMemcpyHostToDevice));
    OK(hipMemcpy2D(b, PITCH, a, pitch, WIDTH, HEIGHT, hipMemcpyDeviceToDevice));
    OK(hipMemcpy(to, b, sizeof(to), hipMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < PITCH; x++)
            EXPECT_EQ(to[y * PITCH + x], x < WIDTH ? from[y * PITCH + x] : 1);
}

LS_TEST(fills)
{
    unsigned short *shorts;
    unsigned words[8];
    char *p;

    set_up();
    OK(hipMalloc((void **)&p, 4096));
    OK(hipMemset(p, 0x11, 4096));
    OK(hipMemsetD32((hipDeviceptr_t)(p + 4), 0x12345678, 3));
    OK(hipMemsetD16((hipDeviceptr_t)(p + 18), 0x4142, 2));
    OK(hipMemsetD8((hipDeviceptr_t)(p + 23), 7, 1));
    OK(hipMemcpy(words, p, sizeof(words), hipMemcpyDeviceToHost));
    shorts = (unsigned short *)(void *)words;
    EXPECT_EQ(words[0], 0x11111111u);
    EXPECT_EQ(words[1], 0x12345678u);
    EXPECT_EQ(words[3], 0x12345678u);
    EXPECT_EQ(shorts[8], 0x1111u);
    EXPECT_EQ(shorts[9], 0x4142u);
    EXPECT_EQ(shorts[10], 0x4142u);
    EXPECT_EQ(shorts[11], 0x0711u);
    EXPECT_EQ(words[6], 0x11111111u);
}

LS_TEST(memory_runs_out)
{
    size_t free_bytes, total;
    void *p;

    set_up();
    EXPECT_EQ(hipMalloc(&p, (size_t)8 << 30), hipErrorOutOfMemory);
    EXPECT_EQ(hipGetLastError(), hipErrorOutOfMemory);
    EXPECT_EQ(hipMallocManaged(&p, (size_t)8 << 30, hipMemAttachGlobal), hipErrorOutOfMemory);
    OK(hipMalloc(&p, MIB));
    OK(hipMemGetInfo(&free_bytes, &total));
    EXPECT_EQ(total, (size_t)4 << 30);
}

/* Two handles of what the child opens, which adds to it; then one that was tampered with. */
LS_TEST(memory_of_another_process)
{
    enum { MANY = 1000000, BYTES_AT = 88 - 8 }; /* where the file says how many bytes there are */
    struct ls_share_handle inside;
    hipIpcMemHandle_t handles[2];
    uint64_t too_many = (uint64_t)1 << 40;
    int down[2], up[2], status;
    char byte = 0, *mine;
    pid_t pid;

    REQUIRE(pipe(down) == 0 && pipe(up) == 0);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        char *ptrs[2];

        set_up();
        REQUIRE(read(down[0], handles, sizeof(handles)) == (ssize_t)sizeof(handles));
        for (int i = 0; i < 2; i++) {
            OK(hipIpcOpenMemHandle((void **)&ptrs[i], handles[i], hipIpcMemLazyEnablePeerAccess));
            void *args[] = {&ptrs[i]};
            OK(launch(COUNT, 2, 32, args, NULL));
        }
        EXPECT(ptrs[1] == ptrs[0] + MANY / 2);
        OK(hipDeviceSynchronize());
        OK(hipIpcCloseMemHandle(ptrs[0]));
        EXPECT_EQ(peek_int((int *)(void *)ptrs[1]), 1);
        OK(hipIpcCloseMemHandle(ptrs[1]));
        EXPECT_EQ(hipIpcCloseMemHandle(ptrs[1]), hipErrorInvalidValue);
        REQUIRE(write(up[1], &byte, 1) == 1);
        REQUIRE(read(down[0], &byte, 1) == 1);
        EXPECT_EQ(hipIpcOpenMemHandle((void **)&ptrs[0], handles[0], hipIpcMemLazyEnablePeerAccess),
                  hipErrorInvalidDevicePointer);
        _exit(ls_test_failures ? 1 : 0);
    }
    set_up();
    OK(hipMalloc((void **)&mine, MANY));
    OK(hipMemset(mine, 0, MANY));
    OK(hipIpcGetMemHandle(&handles[0], mine));
    OK(hipIpcGetMemHandle(&handles[1], mine + MANY / 2));
    REQUIRE(write(down[1], handles, sizeof(handles)) == (ssize_t)sizeof(handles));
    REQUIRE(read(up[0], &byte, 1) == 1);
    EXPECT_EQ(peek_int((int *)(void *)mine), 1);
    EXPECT_EQ(peek_int((int *)(void *)(mine + MANY / 2 + 4)), 1);
    memcpy(&inside, handles[0].reserved, sizeof(inside));
    REQUIRE(pwrite(inside.fd, &too_many, sizeof(too_many), BYTES_AT) == (ssize_t)sizeof(too_many));
    REQUIRE(write(down[1], &byte, 1) == 1);
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
    OK(hipFree(mine));
}

LS_TEST(memory_is_registered)
{
    float *p = malloc(4 * N);
    float a = 2;
    int n = N;
    void *args[] = {&p, &p, &a, &n};

    set_up();
    for (int i = 0; i < N; i++)
        p[i] = (float)i;
    OK(hipHostRegister(p, 4 * N, 0));
    OK(launch(SCALE, (N + 255) / 256, 256, args, NULL));
    OK(hipDeviceSynchronize());
    EXPECT(p[N - 1] == 2 * (N - 1));
    OK(hipHostUnregister(p));
}

/* ---- Kernels ---- */

LS_TEST(kernels_run_in_order)
{
    float *p, got[N], a = 2;
    int n = N;
    hipStream_t s;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipMalloc((void **)&p, sizeof(got)));
    void *args[] = {&p, &p, &a, &n};
    for (int i = 0; i < N; i++)
        got[i] = (float)(i % 100);
    OK(hipMemcpyAsync(p, got, sizeof(got), hipMemcpyHostToDevice, s));
    for (int i = 0; i < 10; i++)
        OK(launch(SCALE, (N + 255) / 256, 256, args, s));
    OK(hipMemcpyAsync(got, p, sizeof(got), hipMemcpyDeviceToHost, s));
    OK(hipStreamSynchronize(s));
    for (int i = 0; i < N; i++)
        EXPECT(got[i] == (float)(i % 100) * 1024);
}

/* Launches in a row become parts of one work. Of a work that somebody waits for none becomes a part
 * any more: who waits would wait for it, too, and it may wait for what that thread does next. */
static void *
wait_and_set(void *arg)
{
    void **all = arg;

    OK(hipStreamSynchronize(all[0]));
    *(volatile int *)all[1] = 1;
    return NULL;
}

LS_TEST(launches_do_not_join_what_is_waited_for)
{
    int *flag, *set, *runs;
    hipStream_t s;
    pthread_t thread;

    set_up();
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipHostMalloc((void **)&flag, 8, 0));
    OK(hipHostMalloc((void **)&set, 8, 0));
    OK(hipHostMalloc((void **)&runs, 4, 0));
    flag[0] = flag[1] = 0;
    *runs = 0;
    void *first[] = {&flag, &set}, *count[] = {&runs}, *all[] = {s, &flag[1]};
    int *second_flag = flag + 1, *second_set = set + 1;
    void *second[] = {&second_flag, &second_set};

    OK(launch(AWAIT, 1, 32, first, s));
    for (int i = 0; i < 5; i++)
        OK(launch(COUNT, 1, 32, count, s));
    pthread_create(&thread, NULL, wait_and_set, all);
    usleep(50000); /* it waits now, or will wait for less: both end */
    OK(launch(AWAIT, 1, 32, second, s));
    *(volatile int *)flag = 1;
    pthread_join(thread, NULL);
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(*runs, 5);
    EXPECT_EQ(set[0], 1);
    EXPECT_EQ(set[1], 1);
    EXPECT_EQ(hipStreamQuery(s), hipSuccess);
}

/* An event behind launches comes behind all of them, and those of a stream that waits for it. */
LS_TEST(events_are_behind_launches_in_a_row)
{
    int *flag, *set, *runs;
    hipStream_t s, other;
    hipEvent_t event;

    set_up();
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    OK(hipEventCreate(&event));
    OK(hipHostMalloc((void **)&flag, 4, 0));
    OK(hipHostMalloc((void **)&set, 4, 0));
    OK(hipHostMalloc((void **)&runs, 4, 0));
    *flag = *set = *runs = 0;
    void *await[] = {&flag, &set}, *count[] = {&runs};

    for (int i = 0; i < 40; i++) /* more than one work has */
        OK(launch(COUNT, 1, 32, count, s));
    OK(launch(AWAIT, 1, 32, await, s));
    OK(hipEventRecord(event, s));
    OK(hipStreamWaitEvent(other, event, 0));
    for (int i = 0; i < 40; i++)
        OK(launch(COUNT, 1, 32, count, other));
    EXPECT_EQ(hipEventQuery(event), hipErrorNotReady);
    EXPECT_EQ(hipStreamQuery(other), hipErrorNotReady);
    EXPECT(*(volatile int *)runs <= 40);
    *(volatile int *)flag = 1;
    OK(hipStreamSynchronize(other));
    EXPECT_EQ(*set, 1);
    EXPECT_EQ(*runs, 80);
    OK(hipEventQuery(event));
}

/* More than the driver gets at once, from several threads. */
static void *
launch_many(void *arg)
{
    hipStream_t s;
    int *runs;
    void *args[] = {&runs};

    (void)arg;
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipMalloc((void **)&runs, 400));
    OK(hipMemsetAsync(runs, 0, 400, s));
    for (int i = 0; i < 1000; i++)
        OK(launch(COUNT, 100, 64, args, s));
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(peek_int(runs), 1000);
    EXPECT_EQ(peek_int(runs + 99), 1000);
    OK(hipStreamDestroy(s));
    return NULL;
}

LS_TEST(many_launches)
{
    pthread_t threads[4];

    set_up();
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, launch_many, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* Work ends although nobody waits for it, and streams do not wait for each other. */
/* What the driver counts by that name. */
static unsigned
driver_count(const char *name)
{
    void *driver = dlopen(LS_TEST_SUPPORT "/ls_fake_cuda.so", RTLD_NOW);
    unsigned (*count)(void) = (unsigned (*)(void))(uintptr_t)dlsym(driver, name);

    return count();
}

/* Who waits asks for the stream, so no event need be recorded behind each launch; one may be where
 * the thread of the device looked first. */
LS_TEST(waits_record_no_events)
{
    enum { WAITS = 200 };
    unsigned before;
    hipStream_t s;
    int *runs;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMemset(runs, 0, 4));
    void *args[] = {&runs};
    before = driver_count("driver_records");
    for (int i = 0; i < WAITS; i++) {
        OK(launch(COUNT, 1, 32, args, s));
        OK(hipStreamSynchronize(s));
    }
    EXPECT(driver_count("driver_records") - before < WAITS);
    EXPECT_EQ(peek_int(runs), WAITS);
}

/* The driver takes microseconds to say when an event came. */
LS_TEST(times_are_asked_for_when_they_are_wanted)
{
    enum { RECORDS = 200 };
    hipEvent_t e[RECORDS], again;
    unsigned before;
    hipStream_t s;
    int *runs;
    float ms, sum = 0, all;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipEventCreate(&again));
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMemset(runs, 0, 4));
    void *args[] = {&runs};
    before = driver_count("driver_times");
    for (int i = 0; i < RECORDS; i++) {
        OK(launch(COUNT, 1, 32, args, s));
        OK(hipEventRecord(again, s));
        OK(hipEventSynchronize(again));
    }
    EXPECT_EQ(driver_count("driver_times"), before);
    OK(hipEventElapsedTime(&ms, again, again));
    EXPECT_EQ(ms, 0);
    EXPECT(driver_count("driver_times") - before <= 1);
    for (int i = 0; i < RECORDS; i++) { /* more than the device keeps */
        OK(hipEventCreate(&e[i]));
        OK(launch(COUNT, 1, 32, args, s));
        OK(hipEventRecord(e[i], s));
        if (i % 50 == 0)
            OK(hipEventRecord(again, s)); /* has the same time */
    }
    OK(hipStreamSynchronize(s));
    for (int i = RECORDS - 1; i > 0; i--) {
        OK(hipEventElapsedTime(&ms, e[i - 1], e[i]));
        EXPECT(ms >= 0 && ms < 10000);
        sum += ms;
    }
    OK(hipEventElapsedTime(&all, e[0], e[RECORDS - 1]));
    EXPECT(sum - all < 0.1f && all - sum < 0.1f);
    OK(hipEventElapsedTime(&ms, e[150], again));
    EXPECT(ms >= 0 && ms < 1);
    EXPECT_EQ(peek_int(runs), 2 * RECORDS);
    for (int i = 0; i < RECORDS; i++)
        OK(hipEventDestroy(e[i]));
}

LS_TEST(streams_are_independent)
{
    int *flag, *set, *runs;
    hipStream_t s, t;

    set_up();
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&t, hipStreamNonBlocking));
    OK(hipHostMalloc((void **)&flag, 4, 0));
    OK(hipHostMalloc((void **)&set, 4, 0));
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMemset(runs, 0, 4));
    OK(hipDeviceSynchronize());
    void *await[] = {&flag, &set}, *count[] = {&runs};
    *flag = *set = 0;
    OK(launch(AWAIT, 1, 32, await, s));
    OK(launch(COUNT, 1, 32, count, s));
    OK(launch(COUNT, 1, 32, count, t));
    OK(hipStreamSynchronize(t));
    EXPECT_EQ(hipStreamQuery(s), hipErrorNotReady);
    EXPECT_EQ(*set, 0);
    *flag = 1;
    while (hipStreamQuery(s) == hipErrorNotReady)
        usleep(100);
    OK(hipStreamQuery(s));
    EXPECT_EQ(*set, 1);
    EXPECT_EQ(peek_int(runs), 2);
}

/* Small copies with the host's own memory follow in their stream, and hold up nobody else. */
static void *
read_back(void *arg)
{
    void **all = arg;

    OK(hipMemcpyAsync(all[0], all[1], 4, hipMemcpyDeviceToHost, all[2]));
    return NULL;
}

LS_TEST(small_copies_follow)
{
    int *flag, *set, *runs, value = 41, got = 0;
    hipStream_t s, t;
    pthread_t thread;

    set_up();
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&t, hipStreamNonBlocking));
    OK(hipHostMalloc((void **)&flag, 4, 0));
    OK(hipHostMalloc((void **)&set, 4, 0));
    OK(hipMalloc((void **)&runs, 4));
    void *await[] = {&flag, &set}, *count[] = {&runs}, *back[] = {&got, runs, s};
    *flag = *set = 0;
    OK(launch(AWAIT, 1, 32, await, s));
    OK(hipMemcpyAsync(runs, &value, 4, hipMemcpyHostToDevice, s));
    value = 0;
    OK(launch(COUNT, 1, 32, count, s));
    pthread_create(&thread, NULL, read_back, back);
    for (int i = 0; i < 4; i++) {
        OK(hipMemsetAsync(set, 0, 4, t));
        OK(hipStreamSynchronize(t));
    }
    EXPECT_EQ(hipStreamQuery(s), hipErrorNotReady);
    EXPECT_EQ(*set + got, 0);
    *flag = 1;
    pthread_join(thread, NULL);
    EXPECT_EQ(got, 42);
    for (int i = 0; i < 40; i++) {
        value = i;
        OK(launch(COUNT, 1, 32, count, s));
        OK(hipMemcpyAsync(runs, &value, 4, hipMemcpyHostToDevice, s));
        OK(launch(COUNT, 1, 32, count, s));
        OK(hipMemcpyAsync(&got, runs, 4, hipMemcpyDeviceToHost, s));
        EXPECT_EQ(got, i + 1);
    }
}

static void
note(void *arg)
{
    (*(atomic_int *)arg)++;
}

LS_TEST(events_and_host_functions)
{
    atomic_int notes = 0;
    hipEvent_t a, b;
    hipStream_t s, t;
    int *runs;
    float ms;

    set_up();
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&t, hipStreamNonBlocking));
    OK(hipEventCreate(&a));
    OK(hipEventCreate(&b));
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMemset(runs, 0, 4));
    OK(hipDeviceSynchronize());
    void *count[] = {&runs};
    for (int i = 0; i < 50; i++) {
        OK(hipEventRecord(a, s));
        OK(launch(COUNT, 1, 32, count, s));
        OK(hipLaunchHostFunc(s, note, &notes));
        OK(hipEventRecord(b, s));
        OK(hipStreamWaitEvent(t, b, 0));
        OK(launch(COUNT, 1, 32, count, t));
        OK(hipEventSynchronize(b));
        EXPECT_EQ(notes, i + 1);
        OK(hipEventElapsedTime(&ms, a, b));
        EXPECT(ms >= 0 && ms < 10000);
    }
    OK(hipDeviceSynchronize());
    EXPECT_EQ(peek_int(runs), 100);
}

LS_TEST(a_kernel_gets_its_modules_variables)
{
    int *out, value = 77;

    set_up();
    OK(hipMalloc((void **)&out, 4));
    void *args[] = {&out};
    OK(launch(VARS, 1, 1, args, NULL));
    EXPECT_EQ(peek_int(out), 5);
    OK(hipMemcpyToSymbol(&host_var, &value, 4, 0, hipMemcpyHostToDevice));
    OK(launch(VARS, 1, 1, args, NULL));
    EXPECT_EQ(peek_int(out), 77);
    OK(hipMemcpyFromSymbol(&value, &host_var, 4, 0, hipMemcpyDeviceToHost));
    EXPECT_EQ(value, 78);
}

/* 128 registers: the driver has to do with fewer for large blocks. */
LS_TEST(code_fits_the_block)
{
    int *runs;

    set_up();
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMemset(runs, 0, 4));
    void *args[] = {&runs};
    OK(launch(COUNT, 1, 512, args, NULL));
    OK(launch(COUNT, 1, 1024, args, NULL));
    OK(launch(COUNT, 1, 1024, args, NULL));
    EXPECT_EQ(peek_int(runs), 3);
}

LS_TEST(rows_have_code_of_their_own)
{
    static const struct {
        dim3 block;
        int want;
    } cases[] = {{{32, 1, 1}, 1},    {{1024, 1, 1}, 1}, {{33, 1, 1}, 8192},
                 {{32, 2, 1}, 8192}, {{64, 1, 1}, 1},   {{1, 32, 1}, 8192}};
    int *out;

    set_up();
    OK(hipMalloc((void **)&out, 4));
    void *args[] = {&out};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        OK(hipLaunchKernel(&host[SHAPES], (dim3){1, 1, 1}, cases[i].block, args, 0, NULL));
        EXPECT_EQ(peek_int(out), cases[i].want);
    }
}

LS_TEST(shapes_that_the_device_does_not_take)
{
    int *runs;

    set_up();
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMemset(runs, 0, 4));
    void *args[] = {&runs};
    EXPECT_EQ(hipLaunchKernel(&host[COUNT], (dim3){1, 1, 1}, (dim3){1, 1, 65}, args, 0, NULL),
              hipErrorInvalidConfiguration);
    EXPECT_EQ(hipLaunchKernel(&host[COUNT], (dim3){1, 65536, 1}, (dim3){1, 1, 1}, args, 0, NULL),
              hipErrorInvalidConfiguration);
    OK(hipLaunchKernel(&host[COUNT], (dim3){1, 65535, 1}, (dim3){1, 1, 64}, args, 0, NULL));
    EXPECT_EQ(peek_int(runs), 1);
}

LS_TEST(shared_memory)
{
    int *out;

    set_up();
    OK(hipMalloc((void **)&out, 4));
    void *args[] = {&out};
    OK(hipLaunchKernel(&host[SHARED], (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 100, NULL));
    EXPECT_EQ(peek_int(out), 132); /* 20 rounded up to 32 */
    OK(hipLaunchKernel(&host[SHARED], (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 200000, NULL));
    EXPECT_EQ(peek_int(out), 200032);
    EXPECT(hipLaunchKernel(&host[SHARED], (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 300000, NULL) !=
           hipSuccess);
}

LS_TEST(cooperative_launches)
{
    int *runs, n = 0;

    set_up();
    OK(hipMalloc((void **)&runs, 400));
    OK(hipMemset(runs, 0, 400));
    void *args[] = {&runs};
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&n, &host[COUNT], 64, 0));
    EXPECT(n > 0 && n <= 8);
    OK(hipLaunchCooperativeKernel(&host[COUNT], (dim3){4, 1, 1}, (dim3){64, 1, 1}, args, 0, NULL));
    EXPECT_EQ(hipLaunchCooperativeKernel(&host[COUNT], (dim3){100, 1, 1}, (dim3){64, 1, 1}, args, 0,
                                         NULL),
              hipErrorCooperativeLaunchTooLarge);
    EXPECT_EQ(peek_int(runs), 1);
}

/* By the call for several devices: one grid is a cooperative launch as others; two would have to
 * wait for each other. */
LS_TEST(cooperative_launches_of_a_list)
{
    hipLaunchParams list[2];
    int *runs;

    setenv("PTX_DRIVER_DEVICES", "2", 1);
    set_up();
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        list[i] =
            (hipLaunchParams){.func = &host[COUNT], .gridDim = {4, 1, 1}, .blockDim = {64, 1, 1}};
        OK(hipStreamCreate(&list[i].stream));
    }
    OK(hipSetDevice(0));
    OK(hipMalloc((void **)&runs, 400));
    OK(hipMemset(runs, 0, 400));
    void *args[] = {&runs};
    list[0].args = list[1].args = args;
    OK(hipLaunchCooperativeKernelMultiDevice(list, 1, 0));
    EXPECT_EQ(peek_int(runs), 1);
    EXPECT_EQ(hipLaunchCooperativeKernelMultiDevice(list, 2, 0), hipErrorNotSupported);
    list[0].gridDim.x = 100;
    EXPECT_EQ(hipLaunchCooperativeKernelMultiDevice(list, 1, 0), hipErrorCooperativeLaunchTooLarge);
    EXPECT_EQ(peek_int(runs), 1);
}

LS_TEST(code_that_the_driver_refuses)
{
    int *runs;

    set_up();
    OK(hipMalloc((void **)&runs, 4));
    void *args[] = {&runs};
    EXPECT_EQ(launch(BROKEN, 1, 1, args, NULL), hipErrorInvalidKernelFile);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidKernelFile);
    OK(hipMemset(runs, 0, 4));
    OK(launch(COUNT, 1, 1, args, NULL)); /* the device goes on */
    EXPECT_EQ(peek_int(runs), 1);
}

static hipGraphExec_t
capture_counts(hipStream_t s, int *runs)
{
    hipGraphExec_t exec;
    hipGraph_t graph;
    void *args[] = {&runs};

    OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
    OK(hipMemsetAsync(runs, 0, 4, s));
    for (int i = 0; i < 10; i++)
        OK(launch(COUNT, 1, 32, args, s));
    OK(hipStreamEndCapture(s, &graph));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    return exec;
}

LS_TEST(graphs)
{
    hipGraphExec_t exec;
    hipStream_t s;
    int *runs;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipMalloc((void **)&runs, 4));
    exec = capture_counts(s, runs);
    for (int i = 0; i < 5; i++) {
        OK(hipGraphLaunch(exec, s));
        OK(hipStreamSynchronize(s));
        EXPECT_EQ(peek_int(runs), 10);
    }
}

static void
note_in_graph(void *arg)
{
    (*(atomic_int *)arg)++;
}

/* Two branches that meet, host functions, and copies with the host's own memory. */
LS_TEST(graphs_with_branches)
{
    atomic_int notes = 0;
    hipStream_t a, b;
    hipEvent_t fork, join;
    hipGraphExec_t exec;
    hipGraph_t graph;
    int *runs, *other, from = 100, to = 0;
    void *args[] = {&runs}, *others[] = {&other};

    set_up();
    OK(hipStreamCreate(&a));
    OK(hipStreamCreate(&b));
    OK(hipEventCreate(&fork));
    OK(hipEventCreate(&join));
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMalloc((void **)&other, 4));
    OK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
    OK(hipMemcpyAsync(runs, &from, 4, hipMemcpyHostToDevice, a));
    OK(hipMemsetAsync(other, 0, 4, a));
    OK(hipEventRecord(fork, a));
    OK(hipStreamWaitEvent(b, fork, 0));
    for (int i = 0; i < 5; i++) {
        OK(launch(COUNT, 1, 32, args, a));
        OK(launch(COUNT, 1, 32, others, b));
        OK(hipLaunchHostFunc(b, note_in_graph, &notes));
    }
    OK(hipEventRecord(join, b));
    OK(hipStreamWaitEvent(a, join, 0));
    OK(hipMemcpyAsync(&to, runs, 4, hipMemcpyDeviceToHost, a));
    OK(hipStreamEndCapture(a, &graph));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int i = 0; i < 20; i++) {
        from = i;
        OK(hipGraphLaunch(exec, a));
        OK(hipStreamSynchronize(a));
        EXPECT_EQ(to, i + 5);
        EXPECT_EQ(peek_int(other), 5);
        EXPECT_EQ(notes, 5 * (i + 1));
    }
    for (int i = 0; i < 20; i++) {
        OK(hipGraphLaunch(exec, a));
        OK(launch(COUNT, 1, 32, args, a));
    }
    OK(hipMemcpyAsync(&to, runs, 4, hipMemcpyDeviceToHost, a));
    OK(hipStreamSynchronize(a));
    EXPECT_EQ(to, 19 + 5 + 1);
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
}

/* A graph of kernels, fills and copies in the device's memory is one of the driver's, with the same
 * order; other parameters make another one of it. */
LS_TEST(graphs_of_the_drivers)
{
    hipStream_t a, b;
    hipEvent_t fork, join;
    hipGraphExec_t exec;
    hipGraph_t graph;
    hipGraphNode_t nodes[16];
    hipKernelNodeParams params;
    int *runs, *other, *sum;
    size_t n = 16;
    void *args[] = {&runs}, *others[] = {&other}, *sums[] = {&sum};
    unsigned before;

    set_up();
    before = driver_count("driver_graphs");
    OK(hipStreamCreate(&a));
    OK(hipStreamCreate(&b));
    OK(hipEventCreate(&fork));
    OK(hipEventCreate(&join));
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMalloc((void **)&other, 4));
    OK(hipMalloc((void **)&sum, 4));
    OK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
    OK(hipMemsetAsync(runs, 0, 4, a));
    OK(hipEventRecord(fork, a));
    OK(hipStreamWaitEvent(b, fork, 0));
    OK(hipMemsetAsync(other, 0, 4, b));
    for (int i = 0; i < 3; i++) {
        OK(launch(COUNT, 1, 32, args, a));
        OK(launch(COUNT, 1, 32, others, b));
    }
    OK(hipEventRecord(join, b));
    OK(hipStreamWaitEvent(a, join, 0));
    OK(hipMemcpyAsync(sum, other, 4, hipMemcpyDeviceToDevice, a));
    OK(launch(COUNT, 1, 32, sums, a));
    OK(hipStreamEndCapture(a, &graph));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int i = 0; i < 20; i++) {
        OK(hipMemsetAsync(sum, 0xff, 4, a));
        OK(hipGraphLaunch(exec, a));
        if (i % 3 == 0)
            OK(hipStreamSynchronize(a));
        OK(launch(COUNT, 1, 32, args, b));
        OK(hipGraphLaunch(exec, b));
        OK(hipStreamSynchronize(b));
        EXPECT_EQ(peek_int(sum), 4);
        EXPECT_EQ(peek_int(runs), 3);
    }
    EXPECT_EQ(driver_count("driver_graphs"), before + 1);
    OK(hipGraphGetNodes(graph, nodes, &n));
    for (size_t i = 0; i < n; i++) { /* all count in `sum` */
        hipGraphNodeType type;

        OK(hipGraphNodeGetType(nodes[i], &type));
        if (type != hipGraphNodeTypeKernel)
            continue;
        OK(hipGraphKernelNodeGetParams(nodes[i], &params));
        params.kernelParams = args;
        OK(hipGraphExecKernelNodeSetParams(exec, nodes[i], &params));
    }
    OK(hipGraphLaunch(exec, a));
    OK(hipStreamSynchronize(a));
    EXPECT_EQ(peek_int(runs), 7);
    EXPECT_EQ(peek_int(sum), 0);
    OK(hipGraphLaunch(exec, a));
    OK(hipStreamSynchronize(a));
    EXPECT_EQ(driver_count("driver_graphs") <= before + 2, true);
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
    exec = capture_counts(a, runs);
    OK(hipGraphLaunch(exec, a)); /* which lets the others go */
    OK(hipStreamSynchronize(a));
    EXPECT_EQ(driver_count("driver_graphs"), before + 1);
    OK(hipGraphExecDestroy(exec));
}

/* An event has the time at which the work in front of it ended, also where nobody looked. */
LS_TEST(times)
{
    int *flag, *set;
    hipEvent_t a, b;
    float ms;

    set_up();
    OK(hipEventCreate(&a));
    OK(hipEventCreate(&b));
    OK(hipHostMalloc((void **)&flag, 4, 0));
    OK(hipHostMalloc((void **)&set, 4, 0));
    void *await[] = {&flag, &set};
    *flag = 1;
    OK(launch(AWAIT, 1, 1, await, NULL));
    OK(hipDeviceSynchronize());
    *flag = 0;
    OK(hipEventRecord(a, NULL));
    OK(launch(AWAIT, 1, 1, await, NULL));
    OK(hipEventRecord(b, NULL));
    usleep(30000);
    *flag = 1;
    OK(hipEventSynchronize(b));
    OK(hipEventElapsedTime(&ms, a, b));
    EXPECT(ms >= 29 && ms < 1000);
}

/* Threads that record, ask and destroy, each with events of its own, while the device keeps the
 * times of all of them in one place. */
static void *
record_and_ask(void *arg)
{
    int *runs = arg;
    void *args[] = {&runs};
    hipEvent_t e[3];
    hipStream_t s;
    float ms, parts;

    OK(hipStreamCreate(&s));
    for (int i = 0; i < 3; i++)
        OK(hipEventCreate(&e[i]));
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 3; i++) {
            OK(launch(COUNT, 1, 32, args, s));
            OK(hipEventRecord(e[i], s));
        }
        if (round % 3 == 0) /* recorded again before anybody has asked */
            OK(hipEventRecord(e[2], s));
        OK(hipEventSynchronize(e[2]));
        if (round % 4 == 0) {
            OK(hipEventElapsedTime(&ms, e[0], e[2]));
            EXPECT(ms >= 0 && ms < 10000);
            OK(hipEventElapsedTime(&parts, e[1], e[2]));
            EXPECT(parts >= 0 && parts < 10000);
        }
        if (round % 7 == 0) {
            OK(hipEventDestroy(e[0]));
            OK(hipEventCreate(&e[0]));
            EXPECT_EQ(hipEventElapsedTime(&ms, e[0], e[2]), hipErrorInvalidHandle);
        }
    }
    OK(hipStreamDestroy(s));
    for (int i = 0; i < 3; i++)
        OK(hipEventDestroy(e[i]));
    return NULL;
}

LS_TEST(times_in_many_threads)
{
    pthread_t threads[4];
    int *runs;

    set_up();
    OK(hipMalloc((void **)&runs, 16));
    OK(hipMemset(runs, 0, 16));
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, record_and_ask, runs + i) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(peek_int(runs + i), 600);
}

/* ---- Both kinds ---- */

LS_TEST(both_run_the_kernel)
{
    int *runs[2];

    set_up();
    for (int d = 0; d < 2; d++) {
        OK(hipSetDevice(d));
        OK(hipMalloc((void **)&runs[d], 4));
        OK(hipMemset(runs[d], 0, 4));
        void *args[] = {&runs[d]};
        for (int i = 0; i <= d; i++)
            OK(launch(COUNT, 1, 64, args, NULL));
    }
    for (int d = 0; d < 2; d++) {
        OK(hipSetDevice(d));
        OK(hipDeviceSynchronize());
        EXPECT_EQ(peek_int(runs[d]), d + 1);
    }
}

/* Whatever device is the current one. */
LS_TEST(copies_go_between_the_kinds)
{
    unsigned char *at[2], want[N], got[N];

    set_up();
    for (int d = 0; d < 2; d++) {
        OK(hipSetDevice(d));
        OK(hipMalloc((void **)&at[d], N));
    }
    for (int d = 0; d < 2; d++)
        for (int from = 0; from < 2; from++) {
            OK(hipSetDevice(d));
            number(want, N, (unsigned)(2 * d + from));
            OK(hipMemcpy(at[from], want, N, hipMemcpyHostToDevice));
            OK(hipMemcpyPeer(at[!from], !from, at[from], from, N));
            memset(got, 0, N);
            OK(hipMemcpy(got, at[!from], N, hipMemcpyDeviceToHost));
            EXPECT(memcmp(got, want, N) == 0);
            OK(hipMemset(at[from], 9, N));
            OK(hipMemcpy2D(got, 100, at[from], 50, 50, 20, hipMemcpyDeviceToHost));
            EXPECT_EQ(got[1949], 9);
        }
}

/* The device that ran the kernel knows when it ended, and the event's own does not. */
LS_TEST(a_launch_may_have_events_of_the_other_kind)
{
    hipEvent_t start, stop;
    int *runs;
    float ms;

    set_up();
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMemset(runs, 0, 4));
    void *args[] = {&runs};
    OK(hipSetDevice(1));
    OK(hipEventCreate(&start));
    OK(hipEventCreate(&stop));
    OK(hipSetDevice(0));
    for (int i = 0; i < 3; i++)
        OK(hipExtLaunchKernel(&host[COUNT], (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, 0, NULL, start,
                              stop, 0));
    OK(hipEventSynchronize(stop));
    OK(hipEventElapsedTime(&ms, start, stop));
    EXPECT(ms >= 0 && ms < 10000);
    EXPECT_EQ(peek_int(runs), 3);
}

LS_TEST(a_graph_stays_on_its_kind)
{
    hipGraphExec_t exec;
    hipStream_t s, cpu;
    int *runs;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipMalloc((void **)&runs, 4));
    exec = capture_counts(s, runs);
    OK(hipSetDevice(1));
    OK(hipStreamCreate(&cpu));
    EXPECT_EQ(hipGraphLaunch(exec, cpu), hipErrorNotSupported);
    OK(hipSetDevice(0));
    OK(hipGraphLaunch(exec, s));
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(peek_int(runs), 10);
}

/* ---- Faults ---- */

LS_TEST(a_fault_stays_and_the_cpu_goes_on)
{
    int *p, *runs;
    unsigned block = 0;
    void *fault[] = {&p, &block}, *count[] = {&runs};

    set_up();
    OK(hipMalloc((void **)&p, 4));
    OK(launch(FAULT, 1, 32, fault, NULL));
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
    EXPECT_EQ(launch(FAULT, 1, 32, fault, NULL), hipErrorIllegalAddress);
    OK(hipSetDevice(1));
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMemset(runs, 0, 4));
    OK(launch(COUNT, 1, 32, count, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(peek_int(runs), 1);
    OK(hipSetDevice(0));
    EXPECT_EQ(hipMemset(p, 0, 4), hipErrorIllegalAddress);
}

/* The driver leaves before the program's modules and what the program has registered. */
static int *kept;

static void
at_the_end(void)
{
    hipFree(kept);
    hipDeviceSynchronize();
    hipModuleUnload(NULL);
}

LS_TEST(the_process_ends)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        int *runs, *pinned, *managed;

        atexit(at_the_end);
        set_up();
        OK(hipMalloc((void **)&kept, 4));
        OK(hipMalloc((void **)&runs, 4));
        OK(hipHostMalloc((void **)&pinned, 4, 0));
        OK(hipMallocManaged((void **)&managed, 4, hipMemAttachGlobal));
        void *args[] = {&runs};
        for (int i = 0; i < 100; i++)
            OK(launch(COUNT, 1, 32, args, NULL));
        OK(launch(VARS, 1, 1, args, NULL));
        exit(ls_test_failures != 0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    EXPECT_EQ(status, 0);
}

/* A kernel may wait for one that has never run before: it is loaded already. */
LS_TEST(kernels_of_a_module_are_loaded_together)
{
    int *flag, *set, *runs;
    hipStream_t s, t;

    set_up();
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&t, hipStreamNonBlocking));
    OK(hipHostMalloc((void **)&flag, 4, 0));
    OK(hipHostMalloc((void **)&set, 4, 0));
    OK(hipMalloc((void **)&runs, 4));
    void *await[] = {&flag, &set}, *raise[] = {&flag};
    *flag = *set = 0;
    OK(launch(AWAIT, 1, 32, await, s));
    OK(launch(COUNT, 1, 32, raise,
              t)); /* the stand-in's driver loads nothing while a kernel runs */
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(*set, 1);
}

/* ---- The parts ---- */

LS_TEST(names_of_instruction_sets)
{
    EXPECT_EQ(ls_cuda_capability_of("sm_70"), 70u);
    EXPECT_EQ(ls_cuda_capability_of("sm_120"), 120u);
    EXPECT_EQ(ls_cuda_capability_of("sm_90a"), 0u);
    EXPECT_EQ(ls_cuda_capability_of("sm_"), 0u);
    EXPECT_EQ(ls_cuda_capability_of("x86-64"), 0u);
}

LS_TEST(the_best_code_ahead_of_time)
{
    struct image im = make_ahead();
    const struct ls_lsao_object *o;

    o = ls_cuda_find_object(im.data, "count", 90, LS_CUDA_ALL);
    REQUIRE(o);
    EXPECT(memcmp(im.data + o->elf_off, texts[COUNT], o->elf_bytes) == 0);
    EXPECT(ls_cuda_find_object(im.data, "count", 90, LS_CUDA_ROW) == o);
    EXPECT(ls_cuda_find_object(im.data, "count", 89, LS_CUDA_ALL)); /* that for sm_70 */
    EXPECT(ls_cuda_find_object(im.data, "count", 89, LS_CUDA_ALL) != o);
    EXPECT(!ls_cuda_find_object(im.data, "count", 60, LS_CUDA_ALL));
    EXPECT(!ls_cuda_find_object(im.data, "nothing", 90, LS_CUDA_ALL));
    EXPECT(!ls_cuda_find_object(NULL, "count", 90, LS_CUDA_ALL));
    o = ls_cuda_find_object(im.data, "shapes", 90, LS_CUDA_ROW);
    REQUIRE(o);
    EXPECT_EQ(o->block[1], 1u);
    EXPECT(ls_cuda_find_object(im.data, "shapes", 90, LS_CUDA_ALL) != o);
    o = ls_cuda_find_object(im.data, "scale", 90, LS_CUDA_ROW); /* of several rows, too */
    REQUIRE(o);
    EXPECT(o->block[1] == 0 && o->block[2] == 1);
    EXPECT(ls_cuda_find_object(im.data, "scale", 90, LS_CUDA_ROWS) == o);
    EXPECT(ls_cuda_find_object(im.data, "scale", 90, LS_CUDA_ALL) != o);
    EXPECT(ls_cuda_find_object(im.data, "shapes", 90, LS_CUDA_ROWS)->block[2] == 0);
    free(im.data);
}

LS_TEST(errors)
{
    EXPECT_EQ(ls_cu_error(0), hipSuccess);
    EXPECT_EQ(ls_cu_error(2), hipErrorOutOfMemory);
    EXPECT_EQ(ls_cu_error(700), hipErrorIllegalAddress);
    EXPECT_EQ(ls_cu_error(719), hipErrorLaunchFailure);
    EXPECT_EQ(ls_cu_error(9999), hipErrorUnknown);
}
