/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* A device whose memory the host cannot touch (LOCKSTEP_FAR): it can't, whatever runs, and all that
 * goes by the runtime does its work. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "unit/test.h"

#include "unit/support/peek.h"
#include "unit/support/setup.h"

#define MIB ((size_t)1 << 20)

#ifdef __SANITIZE_THREAD__
#define HAS_NO_ADDRESSES 1 /* its own memory lies where the device's would */
#else
#define HAS_NO_ADDRESSES RUNNING_ON_VALGRIND
#endif

static void
set_up_far(void)
{
    if (HAS_NO_ADDRESSES)
        exit(0);
    setenv("LOCKSTEP_FAR", "1", 1);
    set_up();
}

/* ---- The host's own hands ---- */

static sigjmp_buf back;

static void
on_segv(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

/* Whether the host faults; `writes`: or reads. */
static bool
faults(volatile char *p, bool writes)
{
    struct sigaction act = {.sa_handler = on_segv}, old;
    volatile bool faulted = true;

    sigaction(SIGSEGV, &act, &old);
    if (sigsetjmp(back, 1) == 0) {
        if (writes)
            *p = 1;
        else
            (void)*p;
        faulted = false;
    }
    sigaction(SIGSEGV, &old, NULL);
    return faulted;
}

/* Nor can the system for it. */
static bool
is_refused(const char *p)
{
    int fds[2];
    ssize_t n;

    REQUIRE(pipe(fds) == 0);
    n = write(fds[1], p, 1);
    EXPECT(n == 1 || errno == EFAULT);
    close(fds[0]);
    close(fds[1]);
    return n < 0;
}

/* Memory of all kinds that are the device's alone. */
static unsigned
make_all(char **at)
{
    hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned,
                                 .location = {.type = hipMemLocationTypeDevice}};
    hipMemAccessDesc access = {.location = prop.location, .flags = hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t handle;
    size_t pitch;
    unsigned n = 0;

    OK(hipMalloc((void **)&at[n++], 100));
    OK(hipMalloc((void **)&at[n++], 100 * MIB));
    OK(hipMallocPitch((void **)&at[n++], &pitch, 100, 10));
    OK(hipMallocAsync((void **)&at[n++], 1000, NULL));
    OK(hipStreamSynchronize(NULL));
    OK(hipMemCreate(&handle, 2 * MIB, &prop, 0));
    OK(hipMemAddressReserve((void **)&at[n], 2 * MIB, 0, NULL, 0));
    OK(hipMemMap(at[n], 2 * MIB, 0, handle, 0));
    OK(hipMemSetAccess(at[n++], 2 * MIB, &access, 1));
    return n;
}

LS_TEST(the_host_can_touch_nothing)
{
    char *at[8];
    unsigned n;

    set_up_far();
    n = make_all(at);
    for (unsigned i = 0; i < n; i++) {
        EXPECT(faults(at[i], false));
        EXPECT(faults(at[i], true));
        EXPECT(is_refused(at[i]));
        OK(hipMemset(at[i], (int)i + 1, 100));
        EXPECT_EQ(peek_byte(at[i] + 99), i + 1);
    }
}

LS_TEST(nor_while_a_kernel_runs)
{
    int *flag, *set, *runs;
    char *at[8];
    hipStream_t s;
    unsigned n;

    set_up_far();
    n = make_all(at);
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipHostMalloc((void **)&flag, 4, 0));
    OK(hipHostMalloc((void **)&set, 4, 0));
    OK(hipMalloc((void **)&runs, 4));
    OK(hipMemset(runs, 0, 4));
    OK(hipDeviceSynchronize());
    void *await[] = {&flag, &set}, *count[] = {&runs};
    *flag = *set = 0;
    for (int round = 0; round < 2; round++) {
        OK(launch("count", 1, 32, count, s)); /* it has run when the next one does */
        *flag = 0;
        OK(launch("await", 1, 32, await, s));
        while (round == 0 && hipStreamQuery(s) == hipErrorNotReady && peek_int(runs) == 0)
            usleep(100);
        for (unsigned i = 0; i < n; i++) {
            EXPECT(faults(at[i], false));
            EXPECT(faults(at[i], true));
            EXPECT(is_refused(at[i]));
        }
        EXPECT_EQ(hipStreamQuery(s), hipErrorNotReady);
        EXPECT_EQ(*set, round);
        __atomic_store_n(flag, 1,
                         __ATOMIC_RELEASE); /* pinned memory is both's while the kernel runs */
        OK(hipStreamSynchronize(s));
        EXPECT_EQ(*set, 1);
    }
    EXPECT_EQ(peek_int(runs), 2);
}

/* And kernels can't touch what is the host's, unless their process has something of its own at that
 * address. */
LS_TEST(nor_the_device_the_hosts)
{
    int *mine = mmap((void *)0x400000000000, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *args[] = {&mine};

    set_up_far();
    OK(launch("count", 1, 32, args, NULL));
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
    EXPECT_EQ(*mine, 0);
    munmap(mine, 4096);
}

/* ---- What the runtime does ---- */

#define N 300

static void
number(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 7 + i / 251);
}

/* From and to memory of one kind and another, in rows and boxes, longer than what goes by way of
 * shared memory at once. */
LS_TEST(copies)
{
    const size_t big = 9 * MIB + 123;
    unsigned char *pinned, *managed, *a, *b, *from = malloc(big), *to = malloc(big);
    size_t sizes[] = {1, 8, N, big};

    set_up_far();
    number(from, big);
    OK(hipHostMalloc((void **)&pinned, big, 0));
    OK(hipMallocManaged((void **)&managed, big, hipMemAttachGlobal));
    OK(hipMalloc((void **)&a, big));
    OK(hipMalloc((void **)&b, big));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        size_t n = sizes[i];

        memset(to, 0, n);
        OK(hipMemcpy(a, from, n, hipMemcpyHostToDevice));
        OK(hipMemcpy(b, a, n, hipMemcpyDeviceToDevice));
        OK(hipMemcpyAsync(pinned, b, n, hipMemcpyDeviceToHost, NULL));
        OK(hipMemcpyAsync(managed, pinned, n, hipMemcpyDefault, NULL));
        OK(hipMemcpyAsync(to, managed, n, hipMemcpyDefault, NULL));
        OK(hipDeviceSynchronize());
        EXPECT(memcmp(to, from, n) == 0 && memcmp(pinned, from, n) == 0 &&
               memcmp(managed, from, n) == 0);
        OK(hipMemcpy(to, from, n, hipMemcpyHostToHost));
        OK(hipMemcpy(b, a, n, hipMemcpyDeviceToDevice));
        EXPECT(same_bytes(a, b, n));
    }
    OK(hipMemset(a, 0, big));
    OK(hipMemcpy2D(a, 40, from, 33, 30, N, hipMemcpyHostToDevice));
    OK(hipMemcpy2D(to, 37, a, 40, 30, N, hipMemcpyDeviceToHost));
    for (size_t row = 0; row < N; row++)
        EXPECT(memcmp(to + 37 * row, from + 33 * row, 30) == 0);
    OK(hipMemcpy2D(a, 5 * MIB, from, 4 * MIB + 50, 4 * MIB + 10, 1,
                   hipMemcpyHostToDevice)); /* a row in pieces */
    EXPECT(same_bytes(a, from, 4 * MIB + 10));
    free(from);
    free(to);
}

LS_TEST(boxes)
{
    hipMemcpy3DParms p = {.extent = {20, 6, 5}, .kind = hipMemcpyHostToDevice};
    unsigned char from[30 * 10 * 5], to[25 * 7 * 5];
    hipPitchedPtr box;

    set_up_far();
    number(from, sizeof(from));
    OK(hipMalloc3D(&box, (hipExtent){20, 6, 5}));
    p.srcPtr = make_hipPitchedPtr(from, 30, 30, 10);
    p.dstPtr = box;
    OK(hipMemcpy3D(&p));
    p.srcPtr = box;
    p.dstPtr = make_hipPitchedPtr(to, 25, 25, 7);
    p.kind = hipMemcpyDeviceToHost;
    OK(hipMemcpy3D(&p));
    for (int z = 0; z < 5; z++)
        for (int y = 0; y < 6; y++)
            EXPECT(memcmp(&to[(z * 7 + y) * 25], &from[(z * 10 + y) * 30], 20) == 0);
}

/* A bad address of the host's is an error. */
LS_TEST(a_copy_from_nowhere)
{
    char *device;

    set_up_far();
    OK(hipMalloc((void **)&device, 100));
    EXPECT(hipMemcpy(device, (void *)0x10, 100, hipMemcpyHostToDevice) != hipSuccess);
}

LS_TEST(fills)
{
    unsigned char *p, word[4];

    set_up_far();
    OK(hipMalloc((void **)&p, 9 * MIB));
    OK(hipMemset(p, 3, 9 * MIB));
    EXPECT_EQ(peek_byte(p + 9 * MIB - 1), 3);
    OK(hipMemsetD32(p, 0x04030201, MIB));
    OK(hipMemcpy(word, p + 4 * MIB - 4, 4, hipMemcpyDeviceToHost));
    EXPECT(memcmp(word, "\1\2\3\4", 4) == 0);
    OK(hipMemset2D(p, 16, 9, 5, 4));
    EXPECT_EQ(peek_byte(p + 52), 9);
    EXPECT_EQ(peek_byte(p + 53), 2);
}

LS_TEST(waiting_for_values)
{
    uint64_t *word, value = 5;
    hipStream_t s;

    set_up_far();
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipMalloc((void **)&word, 8));
    OK(hipMemset(word, 0, 8));
    OK(hipDeviceSynchronize());
    OK(hipStreamWaitValue64(s, word, 7, hipStreamWaitValueEq, UINT64_MAX));
    EXPECT_EQ(hipStreamQuery(s), hipErrorNotReady);
    OK(hipStreamWriteValue64(NULL, word, 7, 0));
    OK(hipStreamSynchronize(s));
    OK(hipMemcpy(&value, word, 8, hipMemcpyDeviceToHost));
    EXPECT_EQ(value, 7);
}

static void
note(void *arg)
{
    ++*(int *)arg;
}

LS_TEST(graphs)
{
    float *data, two = 2, from[64], to[64];
    unsigned n = 64;
    int n_calls = 0;
    void *args[] = {&data, &data, &two, &n};
    hipGraphExec_t exec;
    hipGraph_t graph;
    hipStream_t s;

    set_up_far();
    for (int i = 0; i < 64; i++)
        from[i] = (float)i;
    OK(hipMalloc((void **)&data, sizeof(from)));
    OK(hipStreamCreate(&s));
    OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
    OK(hipMemcpyAsync(data, from, sizeof(from), hipMemcpyHostToDevice, s));
    OK(launch("scale", 2, 32, args, s));
    OK(hipLaunchHostFunc(s, note, &n_calls));
    OK(launch("scale", 2, 32, args, s));
    OK(hipMemcpyAsync(to, data, sizeof(to), hipMemcpyDeviceToHost, s));
    OK(hipStreamEndCapture(s, &graph));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int i = 1; i <= 20; i++) {
        memset(to, 0, sizeof(to));
        OK(hipGraphLaunch(exec, s));
        OK(hipStreamSynchronize(s));
        EXPECT_EQ(to[63], 4 * 63);
        EXPECT_EQ(n_calls, i);
    }
}

/* ---- Works of one stream ---- */

/* The host of the next test, until it is stopped. */
static void
hand_over(int to_parent)
{
    int *flag, *ran; /* pinned */
    char *device;
    void *first[] = {&flag, &ran}, *second[] = {&ran, &flag};
    hipEvent_t event;

    set_up_far();
    OK(hipHostMalloc((void **)&flag, 8, 0));
    ran = flag + 1;
    flag[0] = flag[1] = 0;
    OK(hipMalloc((void **)&device, 64));
    OK(hipEventCreate(&event));
    OK(launch("await", 1, 32, first, NULL));
    OK(hipMemsetAsync(device, 1, 64, NULL));
    OK(hipEventRecord(event, NULL));
    OK(hipMemcpyAsync(device + 32, device, 32, hipMemcpyDeviceToDevice, NULL));
    OK(launch("await", 1, 32, second, NULL));
    OK(launch("count", 1, 32, second, NULL));
    EXPECT(write(to_parent, &flag, sizeof(flag)) == sizeof(flag));
    for (;;)
        pause();
}

/* Reads words of a process, or writes them. */
static void
reach(pid_t pid, int *there, int *here, size_t bytes, bool writes)
{
    struct iovec a = {here, bytes}, b = {there, bytes};
    ssize_t n =
        writes ? process_vm_writev(pid, &a, 1, &b, 1, 0) : process_vm_readv(pid, &a, 1, &b, 1, 0);

    REQUIRE(n == (ssize_t)bytes);
}

/* The device does one behind the other although the host does nothing at all. */
LS_TEST(works_go_on_without_the_host)
{
    int fds[2], status, words[2] = {1, 0}, *flag;
    pid_t pid;

    if (HAS_NO_ADDRESSES)
        return;
    REQUIRE(pipe(fds) == 0);
    pid = fork();
    if (pid == 0)
        hand_over(fds[1]);
    close(fds[1]);
    REQUIRE(read(fds[0], &flag, sizeof(flag)) == sizeof(flag));
    REQUIRE(kill(pid, SIGSTOP) == 0 && waitpid(pid, &status, WUNTRACED) == pid);
    EXPECT(WIFSTOPPED(status));
    reach(pid, flag, words, 4, true);
    while (words[1] < 2) { /* set by the first kernel, counted by the last */
        usleep(1000);
        reach(pid, flag, words, 8, false);
    }
    EXPECT_EQ(words[0], 1);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
}

/* What was handed over behind a work that fails does not run. */
LS_TEST(works_behind_a_failure)
{
    int *flag, *runs, zero = 0, *nowhere = NULL;
    void *await[] = {&flag, &flag}, *fault[] = {&nowhere, &zero}, *count[] = {&runs};

    set_up_far();
    for (int i = 0; i < 3; i++) {
        OK(hipHostMalloc((void **)&flag, 4, 0));
        OK(hipHostMalloc((void **)&runs, 4, 0));
        *flag = *runs = 0;
        OK(launch("await", 1, 32, await, NULL));
        OK(launch("count", 1, 32, count, NULL));
        OK(launch("fault", 1, 32, fault, NULL));
        for (int n = 0; n < 20; n++)
            OK(launch("count", 1, 32, count, NULL));
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
        EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
        EXPECT_EQ(*runs, 1);
        EXPECT_EQ(launch("count", 1, 32, count, NULL), hipErrorIllegalAddress);
        OK(hipDeviceReset());
    }
}

#define STEPS 40

/* What the device orders by itself, mixed with what needs the host, and with another stream. */
LS_TEST(works_of_all_kinds_in_order)
{
    float *a, *b, two = 2, half = 0.5f, from[64], to[STEPS][64];
    unsigned n = 64;
    int n_calls = 0;
    void *twice[] = {&b, &a, &two, &n}, *halve[] = {&a, &b, &half, &n};
    hipEvent_t there, here;
    hipStream_t s, t;

    set_up_far();
    for (int i = 0; i < 64; i++)
        from[i] = (float)i;
    OK(hipMalloc((void **)&a, sizeof(from)));
    OK(hipMalloc((void **)&b, sizeof(from)));
    OK(hipMemcpy(a, from, sizeof(from), hipMemcpyHostToDevice));
    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&t, hipStreamNonBlocking));
    OK(hipEventCreate(&there));
    OK(hipEventCreate(&here));
    for (int i = 0; i < STEPS; i++) {
        OK(launch("scale", 2, 32, twice, s));
        OK(launch("scale", 2, 32, halve, s));
        OK(hipMemcpyAsync(a, b, sizeof(from), hipMemcpyDeviceToDevice, s));
        if (i % 4 == 1)
            OK(hipLaunchHostFunc(s, note, &n_calls));
        OK(hipEventRecord(there, s));
        OK(hipStreamWaitEvent(t, there, 0));
        OK(hipMemcpyAsync(to[i], a, sizeof(from), hipMemcpyDeviceToHost, t));
        OK(launch("scale", 2, 32, halve, t));
        OK(hipEventRecord(here, t));
        OK(hipStreamWaitEvent(s, here, 0));
        if (i % 4 == 2)
            OK(hipMemsetAsync(b, 0, sizeof(from), s));
        OK(launch("scale", 2, 32, i % 4 == 2 ? twice : halve, s));
        OK(hipMemcpyAsync(a, to[i], sizeof(from), hipMemcpyHostToDevice, s));
        OK(hipMemcpyAsync(b, a, sizeof(from), hipMemcpyDeviceToDevice, s));
        OK(launch("scale", 2, 32, halve, s));
    }
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(n_calls, STEPS / 4);
    for (int i = 0; i < STEPS; i++)
        EXPECT_EQ(to[i][40], 80);
}

LS_TEST(what_it_says_of_itself)
{
    hipDeviceProp_t p;

    set_up_far();
    OK(hipGetDeviceProperties(&p, 0));
    EXPECT_EQ(p.isLargeBar, 0);
    EXPECT_EQ(p.pageableMemoryAccess, 0);
    EXPECT_EQ(p.hostRegisterSupported, 0);
    EXPECT_EQ(hipHostRegister(&p, sizeof(p), 0), hipErrorNotSupported);
    EXPECT_EQ(p.managedMemory, 1);
    EXPECT_EQ(p.unifiedAddressing, 1);
}
