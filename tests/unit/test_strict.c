/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* LOCKSTEP_STRICT: a host that touches device memory dies with an explanation; all else goes on as
 * ever. */
#include <pthread.h>
#include <stdatomic.h>

#include "unit/test.h"

#include "unit/support/setup.h"

enum { N = 5000, BYTES = N * sizeof(float) };

/* Device memory of every sort: copied to, a kernel's, copied from. */
static void
use(float *device)
{
    static float host[N], got[N];
    float a = 2;
    int n = N;

    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    OK(hipMemcpy(device, host, BYTES, hipMemcpyHostToDevice));
    OK(launch("scale", (N + 255) / 256, 256, (void *[]){&device, &device, &a, &n}, NULL));
    OK(hipMemcpy(got, device, BYTES, hipMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (got[i] != 2 * host[i])
            ls_test_failures++;
    OK(hipMemcpy(got, device, 4, hipMemcpyDefault)); /* small ones go another way */
    OK(hipStreamWriteValue32(NULL, device, 5, 0));   /* no work of the device's */
    OK(hipStreamWaitValue32(NULL, device, 5, hipStreamWaitValueEq, UINT32_MAX));
    OK(hipStreamSynchronize(NULL));
}

static float *
of_hip_malloc(void)
{
    float *p = NULL;

    OK(hipMalloc((void **)&p, BYTES));
    return p;
}

static float *
of_a_pool(void)
{
    float *p = NULL;

    OK(hipMallocAsync((void **)&p, BYTES, NULL));
    OK(hipFreeAsync(p, NULL));
    OK(hipMallocAsync((void **)&p, BYTES, NULL)); /* a block that was there before */
    OK(hipStreamSynchronize(NULL));
    return p;
}

static float *
of_a_mapping(void)
{
    hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned,
                                 .location = {hipMemLocationTypeDevice, 0}};
    hipMemAccessDesc desc = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t handle;
    size_t g = 0, bytes;
    void *p = NULL;

    OK(hipMemGetAllocationGranularity(&g, &prop, hipMemAllocationGranularityMinimum));
    bytes = (BYTES + g - 1) / g * g;
    OK(hipMemAddressReserve(&p, bytes, 0, NULL, 0));
    OK(hipMemCreate(&handle, bytes, &prop, 0));
    OK(hipMemMap(p, bytes, 0, handle, 0));
    OK(hipMemSetAccess(p, bytes, &desc, 1));
    return p;
}

static float *
exported(void)
{
    hipIpcMemHandle_t handle;
    float *p = of_hip_malloc();

    use(p);
    OK(hipIpcGetMemHandle(&handle, p));
    return p;
}

/* In a process of its own: 0, or the signal that ended it; what it said in text. */
static int
child(float *(*make)(void), int mode, char *text, size_t bytes)
{
    int fds[2], status = 0;
    size_t n = 0;
    ssize_t got;

    REQUIRE(pipe(fds) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], 2);
        signal(SIGSEGV, SIG_DFL); /* not a sanitizer's, in builds with one */
        setenv("LOCKSTEP_STRICT", mode ? "1" : "0", 1);
        set_up();
        volatile float *p = make();
        use((float *)(uintptr_t)p);
        if (mode != 2)
            p[7] = 1;
        if (mode == 3)
            fprintf(stderr, "%f", (double)p[3]);
        use((float *)(uintptr_t)p);
        OK(hipDeviceReset());
        _exit(ls_test_failures ? 1 : 0);
    }
    close(fds[1]);
    while (n + 1 < bytes && (got = read(fds[0], text + n, bytes - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = 0;
    close(fds[0]);
    REQUIRE(waitpid(pid, &status, 0) == pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) ? -WEXITSTATUS(status) : 0;
}

LS_TEST(host_accesses)
{
    static const struct {
        float *(*make)(void);
        const char *name;
    } sorts[] = {{of_hip_malloc, "device memory (hipMalloc)"},
                 {exported, "device memory (hipMalloc)"},
                 {of_a_pool, "memory of a pool (hipMallocAsync)"},
                 {of_a_mapping, "virtual memory (hipMemMap)"}};
    char text[2048];

    for (unsigned i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
        EXPECT_EQ(child(sorts[i].make, 0, text, sizeof(text)), 0);
        EXPECT_STR(text, "");
        EXPECT_EQ(child(sorts[i].make, 2, text, sizeof(text)), 0);
        EXPECT_STR(text, "");
        EXPECT_EQ(child(sorts[i].make, 1, text, sizeof(text)), SIGSEGV);
        EXPECT(strstr(text, "lockstep: the host writes to address ") == text);
        EXPECT(strstr(text, "byte 28 of ") && strstr(text, sorts[i].name) &&
               strstr(text, "hipMemcpy"));
    }
}

static void *managed;

static float *
of_the_host(void)
{
    float *p = NULL;

    OK(managed ? hipMallocManaged((void **)&p, BYTES, hipMemAttachGlobal)
               : hipHostMalloc((void **)&p, BYTES, hipHostMallocDefault));
    return p;
}

LS_TEST(memory_of_the_host_is_open)
{
    char text[2048];

    for (int i = 0; i < 2; i++) {
        managed = i ? &managed : NULL;
        EXPECT_EQ(child(of_the_host, 3, text, sizeof(text)), 0);
        EXPECT_STR(text, "6.000000");
    }
}

static _Atomic(void *) made;
static atomic_bool over;

static void *
free_what_is_made(void *arg)
{
    (void)arg;
    while (!atomic_load(&over))
        (void)hipFree(atomic_load(&made)); /* mostly freed already, or not yet made again */
    return NULL;
}

static void *
copy_for_ever(void *device)
{
    char host[64];

    while (!atomic_load(&over))
        OK(hipMemcpy(host, device, sizeof(host), hipMemcpyDeviceToHost));
    return NULL;
}

/* A program's bug, which is no reason to die: what a thread frees twice may be what another is just
 * being given. Memory is hidden no more once it is free. */
LS_TEST(freed_by_another_thread_while_it_is_made)
{
    pthread_t freer, copier;
    void *p, *device;

    setenv("LOCKSTEP_STRICT", "1", 1);
    set_up();
    OK(hipMalloc(&device, 4096));
    REQUIRE(pthread_create(&freer, NULL, free_what_is_made, NULL) == 0);
    REQUIRE(pthread_create(&copier, NULL, copy_for_ever, device) == 0);
    for (int i = 0; i < 5000; i++) {
        OK(hipMalloc(&p, 4000));
        atomic_store(&made, p);
        (void)hipFree(p);
    }
    atomic_store(&over, true);
    pthread_join(freer, NULL);
    pthread_join(copier, NULL);
}

static volatile sig_atomic_t n_calls;

static void
count_call(int sig)
{
    (void)sig;
    if (n_calls++ > 0)
        _exit(99); /* called for ever */
}

/* What ends a process that has set the handler before our start, and faults: a signal, or minus its
 * exit code. */
static int
fault_of_the_host(void (*handler)(int), int flags)
{
    struct sigaction act = {.sa_handler = handler, .sa_flags = flags};
    int *volatile nothing = (int *)8;
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        void *p;

        alarm(20);
        sigaction(SIGSEGV, &act, NULL);
        setenv("LOCKSTEP_STRICT", "1", 1);
        OK(hipMalloc(&p, 4096));
        *nothing = 1;
        _exit(98);
    }
    REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

/* What was there before strict mode's handler hears of faults as the system would have it. */
LS_TEST(handlers_that_were_there_before)
{
    EXPECT_EQ(fault_of_the_host(SIG_DFL, 0), SIGSEGV);
    EXPECT_EQ(fault_of_the_host(SIG_IGN, 0), SIGSEGV);
    EXPECT_EQ(fault_of_the_host(count_call, SA_RESETHAND), SIGSEGV);
    EXPECT_EQ(fault_of_the_host(count_call, 0), -99);
}
