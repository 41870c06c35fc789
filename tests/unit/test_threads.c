/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* What one thread destroys while others use it: calls give errors or wait, and nothing that was
 * freed is used (the sanitizers see it). Threads that are cancelled within calls. */
#define LS_TEST_SECONDS 120
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "unit/test.h"

#include "unit/support/setup.h"

enum { THREADS = 8, SLOTS = 8 };

static atomic_bool over;
static _Atomic(void *) slots[SLOTS];

static void
nap(long us)
{
    struct timespec ts = {us / 1000000, us % 1000000 * 1000};

    nanosleep(&ts, NULL);
}

static unsigned
any(unsigned *state, unsigned n)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % n;
}

static void
run_threads(void *(*fn)(void *))
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, fn, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* The runtime works, for a thread that did not take part. */
static void
still_works(void)
{
    int *runs, host = 0;

    (void)hipDeviceSynchronize();
    OK(hipMalloc((void **)&runs, sizeof(int)));
    OK(hipMemset(runs, 0, sizeof(int)));
    OK(launch("count", 1, 32, (void *[]){&runs}, NULL));
    OK(hipMemcpy(&host, runs, sizeof(host), hipMemcpyDeviceToHost));
    EXPECT_EQ(host, 1);
    OK(hipFree(runs));
}

/* Code for kernels that are launched first at the same time */

static long
bytes_of(const char *path)
{
    FILE *f = fopen(path, "a");
    long n = -1;

    REQUIRE(f != NULL);
    if (fseek(f, 0, SEEK_END) == 0)
        n = ftell(f);
    fclose(f);
    return n;
}

static void *
launch_one(void *arg)
{
    float a = 0;
    int n = 0;
    void *at;

    OK(hipMalloc(&at, 64));
    if ((size_t)arg % 2)
        OK(launch("count", 1, 32, (void *[]){&at}, NULL));
    else
        OK(launch("scale", 1, 32, (void *[]){&at, &at, &a, &n}, NULL));
    OK(hipStreamSynchronize(NULL));
    OK(hipFree(at));
    return NULL;
}

/* Each of the two compilers waits for the other one. */
LS_TEST(two_kernels_are_made_at_once)
{
    static char meet[80];
    pthread_t other;
    cpu_set_t cpus;

    if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0 || CPU_COUNT(&cpus) < 2 ||
        getenv("LOCKSTEP_FAR")) /* whose requests come one after the other */
        return;
    set_up();
    snprintf(meet, sizeof(meet), "%s/meet", test_cache);
    EXPECT_EQ(bytes_of(meet), 0);
    setenv("LS_TEST_MEET", meet, 1);
    REQUIRE(pthread_create(&other, NULL, launch_one, (void *)1) == 0);
    launch_one(NULL);
    pthread_join(other, NULL);
    EXPECT_EQ(bytes_of(meet), 2);
}

/* Who wants what another thread is having made waits for it. */
LS_TEST(each_kernel_is_made_once)
{
    static char log[80];

    set_up();
    snprintf(log, sizeof(log), "%s/log", test_cache);
    setenv("LS_TEST_COMPILE_LOG", log, 1);
    run_threads(launch_one);
    EXPECT_EQ(bytes_of(log), 2);
}

/* hipDeviceReset */

static void *
use_everything(void *arg)
{
    (void)arg;
    while (!atomic_load(&over)) {
        hipMemsetParams fill = {.elementSize = 1, .width = 16, .height = 1};
        hipGraphExec_t exec = NULL;
        hipStream_t stream = NULL;
        hipGraph_t graph = NULL;
        hipEvent_t event = NULL;
        hipGraphNode_t node;
        void *p = NULL, *q = NULL;

        (void)hipMalloc(&p, 4000);
        (void)hipStreamCreate(&stream);
        (void)hipEventCreate(&event);
        if (p && stream && event) {
            (void)launch("count", 10, 32, (void *[]){&p}, stream);
            (void)hipEventRecord(event, stream);
            (void)hipMemsetAsync(p, 1, 4000, stream);
            (void)hipStreamWaitEvent(NULL, event, 0);
            (void)hipEventSynchronize(event);
            (void)hipStreamSynchronize(stream);
            if (hipMallocAsync(&q, 1000, stream) == hipSuccess)
                (void)hipFreeAsync(q, stream);
            fill.dst = p;
            (void)hipGraphCreate(&graph, 0);
            if (graph && hipGraphAddMemsetNode(&node, graph, NULL, 0, &fill) == hipSuccess &&
                hipGraphInstantiate(&exec, graph, NULL, NULL, 0) == hipSuccess) {
                (void)hipGraphLaunch(exec, stream);
                (void)hipGraphExecDestroy(exec);
            }
            if (graph)
                (void)hipGraphDestroy(graph);
        }
        (void)hipEventDestroy(event);
        (void)hipStreamDestroy(stream);
        (void)hipFree(p);
    }
    return NULL;
}

static void *
reset_or_use(void *arg)
{
    if ((size_t)arg > 1)
        return use_everything(arg);
    for (int i = 0; i < 40; i++) { /* two that reset: they meet each other, too */
        OK(hipDeviceReset());
        nap(300);
    }
    atomic_store(&over, true);
    return NULL;
}

/* The thread sanitizer sees these two tests' own races: a handle that another thread has destroyed
 * names the next stream. */
#if defined(__SANITIZE_THREAD__)
#define RETURN_FROM_RACES return
#else
#define RETURN_FROM_RACES (void)0
#endif

LS_TEST(reset_among_calls)
{
    RETURN_FROM_RACES;
    set_up();
    run_threads(reset_or_use);
    still_works();
}

static uint32_t *flag;

static void *
wait_for_flag(void *arg)
{
    (void)arg;
    (void)hipDeviceSynchronize();
    atomic_fetch_add((atomic_int *)arg, 1);
    return NULL;
}

static void *
reset_device(void *arg)
{
    OK(hipDeviceReset());
    atomic_fetch_add((atomic_int *)arg, 1);
    return NULL;
}

/* What a reset waits for may be what another thread is about to call. */
LS_TEST(reset_lets_others_finish)
{
    pthread_t waiter, resetter;
    static atomic_int n_done;
    hipStream_t held, other;

    OK(hipExtMallocWithFlags((void **)&flag, 8, hipMallocSignalMemory));
    *flag = 0;
    OK(hipStreamCreateWithFlags(&held, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    OK(hipStreamWaitValue32(held, flag, 1, hipStreamWaitValueEq, ~0u));
    REQUIRE(pthread_create(&waiter, NULL, wait_for_flag, &n_done) == 0);
    REQUIRE(pthread_create(&resetter, NULL, reset_device, &n_done) == 0);
    nap(60000);
    EXPECT_EQ(atomic_load(&n_done), 0);
    OK(hipStreamWriteValue32(other, flag, 1, 0));
    pthread_join(waiter, NULL);
    pthread_join(resetter, NULL);
    EXPECT_EQ(atomic_load(&n_done), 2);
}

/* Pools */

static void *
use_pools(void *arg)
{
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .location = {.type = hipMemLocationTypeDevice}};
    unsigned state = (unsigned)(size_t)arg + 1;

    for (int i = 0; i < 3000; i++) {
        _Atomic(void *) *slot = &slots[any(&state, SLOTS)];
        hipMemPool_t pool = NULL;
        uint64_t value = 0;
        void *p;

        switch (any(&state, 6)) {
        case 0:
            if (hipMemPoolCreate(&pool, &props) == hipSuccess)
                atomic_exchange(slot, pool); /* what was there is used, and destroyed, no longer */
            break;
        case 1:
            if (atomic_load(slot))
                (void)hipMemPoolDestroy(atomic_load(slot));
            break;
        case 2:
            if (atomic_load(slot))
                (void)hipMemPoolSetAttribute(atomic_load(slot), hipMemPoolAttrReleaseThreshold,
                                             &value);
            break;
        case 3:
            if (atomic_load(slot))
                (void)hipMemPoolTrimTo(atomic_load(slot), 0);
            break;
        default:
            pool = atomic_load(slot);
            if (pool && hipMallocFromPoolAsync(&p, 1000, pool, NULL) == hipSuccess) {
                (void)hipFreeAsync(p, NULL);
                if (any(&state, 8) == 0)
                    (void)hipFreeAsync(
                        p,
                        NULL); /* may be another thread's by now, as in a program with that bug */
            }
            break;
        }
    }
    return NULL;
}

LS_TEST(pools_destroyed_in_use)
{
    set_up();
    run_threads(use_pools);
    still_works();
}

/* Events and streams */

static void *
use_events(void *arg)
{
    unsigned state = (unsigned)(size_t)arg + 1, flags;
    hipEvent_t made;
    float ms;

    for (int i = 0; i < 3000; i++) {
        _Atomic(void *) *slot = &slots[any(&state, SLOTS)];
        hipEvent_t event = atomic_load(slot);

        switch (event ? any(&state, 7) : 0) {
        case 0:
            flags = any(&state, 2) ? hipEventInterprocess | hipEventDisableTiming : 0;
            if (hipEventCreateWithFlags(&made, flags) == hipSuccess)
                (void)hipEventDestroy(atomic_exchange(slot, made));
            break;
        case 1:
            (void)hipEventDestroy(event);
            break;
        case 2:
            (void)hipEventSynchronize(event);
            break;
        case 3:
            (void)hipStreamWaitEvent(NULL, event, 0);
            break;
        case 4:
            (void)hipEventElapsedTime(&ms, event, event);
            break;
        default:
            (void)hipEventRecord(event, NULL);
            break;
        }
    }
    return NULL;
}

/* It ends: nobody waits for records of what has the event's place by now, be that of the same kind
 * or not. */
LS_TEST(events_destroyed_in_use)
{
    set_up();
    run_threads(use_events);
    still_works();
}

static void *
wait_for_event(void *arg)
{
    OK(hipEventSynchronize(arg));
    return NULL;
}

/* A waiter, with other events made in the place of the one it waits for. */
LS_TEST(event_destroyed_under_a_waiter)
{
    for (int shared = 0; shared < 2; shared++) {
        hipStream_t stream;
        hipEvent_t event, next[64];
        pthread_t waiter;

        OK(hipExtMallocWithFlags((void **)&flag, 8, hipMallocSignalMemory));
        *flag = 0;
        OK(hipStreamCreate(&stream));
        OK(hipEventCreateWithFlags(&event,
                                   shared ? hipEventInterprocess | hipEventDisableTiming : 0));
        OK(hipStreamWaitValue32(stream, flag, 1, hipStreamWaitValueEq, ~0u));
        OK(hipEventRecord(event, stream));
        REQUIRE(pthread_create(&waiter, NULL, wait_for_event, event) == 0);
        nap(20000);
        OK(hipEventDestroy(event));
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
        OK(hipStreamSynchronize(stream));
        for (int i = 0; i < 64; i++)
            OK(hipEventCreate(&next[i]));
        pthread_join(waiter, NULL);
        for (int i = 0; i < 64; i++) {
            EXPECT_EQ(hipEventElapsedTime(&(float){0}, next[i], next[i]),
                      hipErrorInvalidHandle); /* never recorded */
            OK(hipEventQuery(next[i]));
            OK(hipEventRecord(next[i], stream));
            OK(hipEventSynchronize(next[i]));
            OK(hipEventDestroy(next[i]));
        }
        OK(hipStreamDestroy(stream));
    }
}

static void *
use_streams(void *arg)
{
    unsigned state = (unsigned)(size_t)arg + 1;
    hipStream_t made;
    int *runs;

    if (hipMalloc((void **)&runs, sizeof(int)) != hipSuccess)
        return NULL;
    for (int i = 0; i < 3000; i++) {
        _Atomic(void *) *slot = &slots[any(&state, SLOTS)];
        hipStream_t stream = atomic_load(slot);

        switch (stream ? any(&state, 6) : 0) {
        case 0:
            if (hipStreamCreate(&made) == hipSuccess) {
                stream = atomic_exchange(slot, made);
                if (stream)
                    (void)hipStreamDestroy(stream);
            }
            break;
        case 1:
            (void)hipStreamDestroy(stream);
            break;
        case 2:
            (void)hipStreamSynchronize(stream);
            break;
        case 3:
            (void)hipStreamQuery(stream);
            break;
        default:
            (void)launch("count", 1, 32, (void *[]){&runs}, stream);
            break;
        }
    }
    (void)hipDeviceSynchronize();
    (void)hipFree(runs);
    return NULL;
}

LS_TEST(streams_destroyed_in_use)
{
    RETURN_FROM_RACES;
    set_up();
    run_threads(use_streams);
    still_works();
}

/* Cancellation */

/* Its frame is left without a return, which the address sanitizer would not notice. */
__attribute__((no_sanitize("address"))) static void *
call_for_ever(void *arg)
{
    int *runs = arg;

    for (;;) {
        hipStream_t stream;
        hipEvent_t event;
        void *p;

        OK(hipStreamCreate(&stream));
        OK(hipEventCreateWithFlags(&event,
                                   hipEventInterprocess | hipEventDisableTiming)); /* has a file */
        OK(launch("count", 1, 32, (void *[]){&runs}, stream));
        OK(hipEventRecord(event, stream));
        OK(hipEventSynchronize(event));
        OK(hipMemcpy(runs + 16, runs, 64, hipMemcpyDefault));
        OK(hipMalloc(&p, 10 << 20));
        OK(hipMemsetAsync(p, 0, 10 << 20, stream));
        OK(hipFree(p));
        OK(hipEventDestroy(event));
        OK(hipStreamDestroy(stream));
        pthread_testcancel();
    }
    return NULL;
}

/* No lock stays held, whatever call the thread was in. LOCKSTEP_DEBUG has it write messages,
 * too. */
LS_TEST(cancelled_in_calls)
{
    int *runs;

    set_up();
    OK(hipMalloc((void **)&runs, 4096));
    for (int i = 0; i < 60; i++) {
        pthread_t thread;
        void *result;

        REQUIRE(pthread_create(&thread, NULL, call_for_ever, runs) == 0);
        nap(i * 100);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        EXPECT(result == PTHREAD_CANCELED);
    }
    still_works();
}

/* However many host threads wait and help, blocks run on as many threads as there are. */

static int *crowd;

static void *
launch_and_wait(void *arg)
{
    hipStream_t stream;

    (void)arg;
    OK(hipStreamCreate(&stream));
    for (int i = 0; i < 20; i++) {
        OK(launch("crowd", 1 + (unsigned)i * 13, 64, (void *[]){&crowd}, stream));
        OK(hipStreamSynchronize(stream));
    }
    OK(hipStreamDestroy(stream));
    return NULL;
}

static void
count_runners(const char *n_threads, int most)
{
    setenv("LOCKSTEP_THREADS", n_threads, 1);
    set_up();
    OK(hipHostMalloc((void **)&crowd, 2 * sizeof(int), 0));
    crowd[0] = crowd[1] = 0;
    run_threads(launch_and_wait);
    EXPECT_EQ(crowd[0], 0);
    EXPECT(crowd[1] <= most);
    OK(hipHostFree(crowd));
}

LS_TEST(one_runner)
{
    count_runners("1", 1);
}

LS_TEST(two_runners)
{
    count_runners("2", 2);
}

LS_TEST(sixteen_runners)
{
    count_runners("16", 16);
}
