/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* Sixteen threads that use everything at once, for the thread sanitizer and for their results;
 * processes that are killed while they share memory. */
#define LS_TEST_SECONDS 240
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#include "unit/test.h"

#include "unit/support/setup.h"

enum { THREADS = 16, ROUNDS = 12, N = 700 };

static struct image module_image;
static hipEvent_t events[THREADS]; /* each recorded by one thread, waited for by all */
static hipGraphExec_t shared_exec; /* adds 1 to shared_count */
static int *shared_count, shared_launches;
static hipMemPool_t pool;
static pthread_rwlock_t captures = PTHREAD_RWLOCK_INITIALIZER; /* forbid what waits */

struct worker {
    pthread_t thread;
    unsigned index, round;
    hipStream_t stream;     /* the pipeline's */
    hipStream_t streams[2]; /* for what is run, for what is captured: AMD keeps others from waiting
                               for events of a stream while it captures */
    float *in, *out, *host;
    int calls;
};

static void
count(void *user)
{
    __atomic_fetch_add((int *)user, 1, __ATOMIC_SEQ_CST);
}

static void
fill(struct worker *w)
{
    for (int i = 0; i < N; i++)
        w->host[i] = (float)(i + (int)w->round);
}

static void
check(struct worker *w, float factor)
{
    for (int i = 0; i < N; i++)
        if (w->host[i] != factor * (float)(i + (int)w->round)) {
            EXPECT_EQ(w->host[i], factor * (float)(i + (int)w->round));
            return;
        }
}

/* host = a * host by way of the device; in a capture, or not. */
static void
pipeline(struct worker *w, float *a, int *n)
{
    void *args[] = {&w->out, &w->in, a, n};

    OK(hipMemcpyAsync(w->in, w->host, N * sizeof(float), hipMemcpyHostToDevice, w->stream));
    OK(hipMemsetAsync(w->out, 0xff, N * sizeof(float), w->stream));
    OK(launch("scale", 3, 256, args, w->stream));
    OK(hipMemcpyAsync(w->host, w->out, N * sizeof(float), hipMemcpyDeviceToHost, w->stream));
    OK(hipLaunchHostFunc(w->stream, count, &w->calls));
}

static void
plain(struct worker *w)
{
    float a = 2;
    int n = N;

    fill(w);
    pipeline(w, &a, &n);
    OK(hipEventRecord(events[w->index], w->stream));
    OK(hipStreamWaitEvent(w->stream, events[(w->index + w->round) % THREADS], 0));
    OK(hipStreamSynchronize(w->stream));
    OK(hipEventQuery(events[w->index]));
    check(w, 2);
}

static void
captured(struct worker *w)
{
    hipGraphExec_t exec;
    hipGraph_t graph, clone;
    float a = 3;
    int n = N;

    fill(w);
    w->stream = w->streams[1];
    pthread_rwlock_rdlock(&captures);
    OK(hipStreamBeginCapture(w->stream, hipStreamCaptureModeThreadLocal));
    pipeline(w, &a, &n);
    OK(hipStreamEndCapture(w->stream, &graph));
    pthread_rwlock_unlock(&captures);
    w->stream = w->streams[0];
    OK(hipGraphClone(&clone, graph));
    OK(hipGraphInstantiate(&exec, clone, NULL, NULL, 0));
    OK(hipGraphLaunch(exec, w->stream));
    OK(hipGraphLaunch(shared_exec, w->stream));
    OK(hipStreamSynchronize(w->stream));
    __atomic_fetch_add(&shared_launches, 1, __ATOMIC_SEQ_CST);
    check(w, 3);
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(clone));
    OK(hipGraphDestroy(graph));
}

static void
pooled(struct worker *w)
{
    char *p[8], value = (char)w->index, got = 0;

    for (int i = 0; i < 8; i++) {
        OK(hipMallocFromPoolAsync((void **)&p[i], 3000u * (unsigned)(i + 1), pool, w->stream));
        OK(hipMemsetAsync(p[i], value + i, 3000u * (unsigned)(i + 1), w->stream));
    }
    for (int i = 0; i < 8; i++) {
        OK(hipMemcpyAsync(&got, p[i] + 2999, 1, hipMemcpyDeviceToHost, w->stream));
        OK(hipStreamSynchronize(w->stream));
        EXPECT_EQ(got, (char)(value + i));
        OK(hipFreeAsync(p[i], w->stream));
    }
    OK(hipMemPoolTrimTo(pool, 1 << 16));
}

static void
module(struct worker *w)
{
    hipModule_t m;
    hipFunction_t f;
    hipDeviceptr_t var;
    size_t bytes;
    float a = 4;
    int n = N, value = 0;
    void *args[] = {&w->out, &w->in, &a, &n};

    fill(w);
    OK(hipModuleLoadData(&m, module_image.data));
    OK(hipModuleGetFunction(&f, m, "scale"));
    OK(hipModuleGetGlobal(&var, &bytes, m, "var"));
    OK(hipMemcpyAsync(&value, var, sizeof(value), hipMemcpyDeviceToHost, w->stream));
    OK(hipMemcpyAsync(w->in, w->host, N * sizeof(float), hipMemcpyHostToDevice, w->stream));
    OK(hipModuleLaunchKernel(f, 3, 1, 1, 256, 1, 1, 0, w->stream, args, NULL));
    OK(hipMemcpyAsync(w->host, w->out, N * sizeof(float), hipMemcpyDeviceToHost, w->stream));
    OK(hipStreamSynchronize(w->stream));
    EXPECT_EQ(value, 41);
    check(w, 4);
    OK(hipModuleUnload(m));
}

static void
memory(struct worker *w)
{
    hipPointerAttribute_t attr;
    hipIpcMemHandle_t handle;
    hipStream_t other;
    hipEvent_t event;
    char *p, *h;

    OK(hipStreamCreateWithFlags(&other, w->round % 2 ? hipStreamNonBlocking : 0));
    OK(hipEventCreate(&event));
    OK(hipMalloc((void **)&p, 20000));
    OK(hipHostMalloc((void **)&h, 20000, 0));
    memset(h, (int)w->index, 20000);
    OK(hipMemcpyAsync(p, h, 20000, hipMemcpyHostToDevice, other));
    OK(hipEventRecord(event, other));
    OK(hipStreamWaitEvent(w->stream, event, 0));
    OK(hipMemsetAsync(h, 0, 10000, w->stream));
    OK(hipMemcpyAsync(h, p, 10000, hipMemcpyDeviceToHost, w->stream));
    OK(hipPointerGetAttributes(&attr, p + 77));
    EXPECT_EQ(attr.type, hipMemoryTypeDevice);
    if (w->round % 4 == 0)
        OK(hipIpcGetMemHandle(&handle, p)); /* while others run kernels */
    OK(hipStreamSynchronize(w->stream));
    EXPECT_EQ(h[9999], (char)w->index);
    OK(hipEventDestroy(event));
    OK(hipStreamDestroy(other));
    OK(hipFree(p));
    OK(hipHostFree(h));
}

/* Each thread has errors of its own. */
static void
errors(struct worker *w)
{
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    if (w->index & 1)
        EXPECT_EQ(hipMalloc(NULL, 1), hipErrorInvalidValue);
    else
        EXPECT_EQ(hipSetDevice(99), hipErrorInvalidDevice);
    OK(hipStreamSynchronize(w->stream));
    EXPECT_EQ(hipPeekAtLastError(), w->index & 1 ? hipErrorInvalidValue : hipErrorInvalidDevice);
    EXPECT_EQ(hipGetLastError(), w->index & 1 ? hipErrorInvalidValue : hipErrorInvalidDevice);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
}

static void
null_stream(struct worker *w)
{
    fill(w);
    pthread_rwlock_wrlock(&captures);
    OK(hipMemcpy(w->in, w->host, N * sizeof(float), hipMemcpyHostToDevice));
    OK(hipDeviceSynchronize());
    pthread_rwlock_unlock(&captures);
    OK(hipMemcpyAsync(w->out, w->in, N * sizeof(float), hipMemcpyDeviceToDevice, NULL));
    OK(hipMemcpyAsync(w->host, w->out, N * sizeof(float), hipMemcpyDeviceToHost,
                      hipStreamPerThread));
    OK(hipStreamSynchronize(hipStreamPerThread));
    check(w, 1);
}

static void *
work(void *arg)
{
    static void (*const actions[])(struct worker *) = {plain,  captured, pooled,     module,
                                                       memory, errors,   null_stream};
    struct worker *w = arg;
    int n_actions = sizeof(actions) / sizeof(*actions);

    OK(hipStreamCreateWithPriority(&w->streams[0], w->index % 2 ? hipStreamNonBlocking : 0,
                                   (int)(w->index % 3) - 1));
    OK(hipStreamCreateWithFlags(&w->streams[1], hipStreamNonBlocking));
    w->stream = w->streams[0];
    OK(hipMalloc((void **)&w->in, N * sizeof(float)));
    OK(hipMalloc((void **)&w->out, N * sizeof(float)));
    w->host = malloc(N * sizeof(float));
    for (w->round = 0; w->round < ROUNDS; w->round++)
        for (int i = 0; i < n_actions; i++)
            actions[(i + (int)w->index + (int)w->round) % n_actions](w);
    OK(hipStreamSynchronize(w->stream));
    EXPECT_EQ(w->calls, 2 * ROUNDS);
    OK(hipStreamDestroy(w->streams[0]));
    OK(hipStreamDestroy(w->streams[1]));
    OK(hipFree(w->in));
    OK(hipFree(w->out));
    free(w->host);
    return NULL;
}

static hipGraphExec_t
counting_graph(void)
{
    void *args[] = {&shared_count};
    hipKernelNodeParams k = {
        .func = &setup_host[3], .gridDim = {1, 1, 1}, .blockDim = {64, 1, 1}, .kernelParams = args};
    hipGraphExec_t exec;
    hipGraphNode_t node;
    hipGraph_t graph;

    OK(hipGraphCreate(&graph, 0));
    OK(hipGraphAddKernelNode(&node, graph, NULL, 0, &k));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(hipGraphDestroy(graph));
    return exec;
}

LS_TEST(sixteen_threads)
{
    static const int var_init = 41;
    static const struct test_global globals[] = {{.name = "var", .bytes = 4, .init = &var_init}};
    static struct worker workers[THREADS];
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .location = {hipMemLocationTypeDevice, 0}};
    int total = 0;

    set_up();
    module_image = make_lsbc("gfx1100", 32, setup_kernels, N_SETUP, globals, 1, NULL);
    OK(hipMemPoolCreate(&pool, &props));
    OK(hipMalloc((void **)&shared_count, sizeof(int)));
    OK(hipMemset(shared_count, 0, sizeof(int)));
    OK(hipDeviceSynchronize());
    shared_exec = counting_graph();
    for (int i = 0; i < THREADS; i++)
        OK(hipEventCreate(&events[i]));
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].index = i;
        REQUIRE(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    OK(hipMemcpy(&total, shared_count, sizeof(total), hipMemcpyDeviceToHost));
    EXPECT_EQ(total, shared_launches);
    EXPECT_EQ(total, THREADS * ROUNDS);
    OK(hipGraphExecDestroy(shared_exec));
    for (int i = 0; i < THREADS; i++)
        OK(hipEventDestroy(events[i]));
    OK(hipMemPoolDestroy(pool));
    OK(hipFree(shared_count));
    free(module_image.data);
}

/* Killed processes */

/* How many names there are in a folder; 0 where there is none. */
static int
entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static int
lines(const char *path, const char *word)
{
    FILE *file = fopen(path, "r");
    char line[512];
    int n = 0;

    while (file && fgets(line, sizeof(line), file))
        n += strstr(line, word) != NULL;
    if (file)
        fclose(file);
    return n;
}

struct offer {
    hipIpcMemHandle_t memory;
    hipIpcEventHandle_t event;
};

/* Shares everything that can be shared, until it is killed. */
static void
share_for_ever(int socket)
{
    hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned,
                                 .location = {hipMemLocationTypeDevice, 0},
                                 .requestedHandleType = hipMemHandleTypePosixFileDescriptor};
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .handleTypes = hipMemHandleTypePosixFileDescriptor,
                             .location = {hipMemLocationTypeDevice, 0}};
    hipMemGenericAllocationHandle_t handle;
    hipMemPoolPtrExportData data;
    hipMemPool_t shared;
    hipEvent_t event;
    struct offer offer;
    char *p, *q;
    int fd, pool_fd;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* for ever is as long as the test */
    for (int i = 0;; i++) {
        (void)hipMalloc((void **)&p, 10000);
        (void)hipMemset(p, 3, 10000);
        (void)hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming);
        (void)hipIpcGetMemHandle(&offer.memory, p);
        (void)hipIpcGetEventHandle(&offer.event, event);
        if (i == 0 && write(socket, &offer, sizeof(offer)) != (ssize_t)sizeof(offer))
            _exit(1);
        (void)hipMemCreate(&handle, 65536, &prop, 0);
        (void)hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypePosixFileDescriptor, 0);
        (void)hipMemPoolCreate(&shared, &props);
        (void)hipMallocFromPoolAsync((void **)&q, 1000, shared, NULL);
        (void)hipMemPoolExportToShareableHandle(&pool_fd, shared,
                                                hipMemHandleTypePosixFileDescriptor, 0);
        (void)hipMemPoolExportPointer(&data, q);
        if (i == 0)
            continue; /* the parent opens these */
        close(fd);
        close(pool_fd);
        (void)hipFree(q);
        (void)hipMemPoolDestroy(shared);
        (void)hipMemRelease(handle);
        (void)hipEventDestroy(event);
        (void)hipFree(p);
    }
}

LS_TEST(killed_processes)
{
    int shm = entries("/dev/shm"), sysv = lines("/proc/sysvipc/shm", ""), files = -1;
    unsigned seed = 1;

    set_up();
    for (int i = 0; i < 24; i++) {
        struct timespec nap = {0, (long)(rand_r(&seed) % 4000) * 1000};
        int sockets[2], status, value = 0;
        bool open = i % 3 == 0;
        struct offer offer;
        pid_t pid;
        char *p;
        hipEvent_t event;

        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
        pid = fork();
        REQUIRE(pid >= 0);
        if (pid == 0)
            share_for_ever(sockets[1]); /* this process has not used HIP when the first is made */
        if (open) {
            pid_t opener = fork(); /* the parent never uses HIP, so that each child may */

            if (opener == 0) {
                REQUIRE(read(sockets[0], &offer, sizeof(offer)) == (ssize_t)sizeof(offer));
                OK(hipIpcOpenMemHandle((void **)&p, offer.memory, hipIpcMemLazyEnablePeerAccess));
                OK(hipIpcOpenEventHandle(&event, offer.event));
                nanosleep(&nap, NULL);
                kill(pid, SIGKILL);
                OK(hipMemcpy(&value, p + 100, 1, hipMemcpyDeviceToHost)); /* still there */
                EXPECT_EQ(value, 3);
                EXPECT(lines("/proc/self/maps", "/memfd:hip") > 0);
                OK(hipEventDestroy(event));
                OK(hipIpcCloseMemHandle(p));
                EXPECT_EQ(lines("/proc/self/maps", "/memfd:hip"), 0);
                while (hipIpcOpenMemHandle((void **)&p, offer.memory,
                                           hipIpcMemLazyEnablePeerAccess) == hipSuccess)
                    OK(hipIpcCloseMemHandle(p)); /* its owner is on its way */
                EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevicePointer);
                _exit(ls_test_failures ? 1 : 0);
            }
            REQUIRE(waitpid(opener, &status, 0) == opener);
            EXPECT_EQ(status, 0);
        } else {
            nanosleep(&nap, NULL);
            kill(pid, SIGKILL);
        }
        REQUIRE(waitpid(pid, &status, 0) == pid);
        EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        close(sockets[0]);
        close(sockets[1]);
        if (files < 0)
            files = entries("/proc/self/fd");
        EXPECT_EQ(entries("/proc/self/fd"), files);
        EXPECT_EQ(entries("/dev/shm"), shm);
        EXPECT_EQ(lines("/proc/sysvipc/shm", ""), sysv);
    }
}
