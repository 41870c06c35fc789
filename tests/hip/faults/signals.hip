/* SPDX-License-Identifier: MIT */
/* Programs with signal handlers and masks of their own: a kernel's fault is an error whatever they
 * are, a host's fault ends the process, or reaches the program's handler, as it would without us.
 * Each case in a child. */
// ARCH: gfx1100
// OPT: -O3
// TIMEOUT: 120
#include "../check.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

__global__ void
bad(int *p)
{
    *(volatile int *)p = 1;
}

__global__ void
good(int *p)
{
    p[threadIdx.x] = 1;
}

static int *dev;
static volatile sig_atomic_t n_calls;

/* As crash reporters do. */
static void
report_and_die(int sig)
{
    n_calls++;
    signal(sig, SIG_DFL);
    raise(sig);
}

static void
count(int)
{
    if (n_calls++ > 100)
        _exit(99); /* called for ever */
}

static void
leave(int)
{
    _exit(n_calls == 0 ? 42 : 98);
}

static void
set(int sig, void (*handler)(int), int flags, struct sigaction *old = nullptr)
{
    struct sigaction act = {};

    act.sa_handler = handler;
    act.sa_flags = flags;
    sigaction(sig, &act, old);
}

static void
block_all()
{
    sigset_t all;

    sigfillset(&all);
    sigdelset(&all, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

static void
start()
{
    CHECK_HIP(hipMalloc((void **)&dev, 4096));
}

static void
run_good()
{
    good<<<1, 64>>>(dev);
    CHECK_HIP(hipDeviceSynchronize());
}

/* Exits with 7 when the fault became an error and nobody else heard of it. */
static void
fault_in_kernel(unsigned blocks)
{
    bad<<<blocks, 64>>>((int *)16);
    _exit(hipDeviceSynchronize() == hipErrorIllegalAddress && n_calls == 0 ? 7 : 8);
}

static void
fault_in_host()
{
    *(volatile int *)8 = 1;
    _exit(9);
}

static void
child(int which)
{
    struct sigaction ours;

    alarm(20);
    switch (which) {
    case 0: /* a handler for one time, set before us */
        set(SIGSEGV, count, SA_RESETHAND);
        start();
        fault_in_host();
        break;
    case 1: /* an ignored fault is none that can be ignored */
        signal(SIGSEGV, SIG_IGN);
        start();
        fault_in_host();
        break;
    case 2: /* but a signal that was sent is */
        signal(SIGSEGV, SIG_IGN);
        start();
        raise(SIGSEGV);
        _exit(7);
    case 3: /* blocked in the thread that waits, and so runs kernels */
        start();
        block_all();
        fault_in_kernel(1);
        break;
    case 4: /* the same when it has run some before; its mask stays what it was */
        start();
        run_good();
        block_all();
        run_good();
        {
            sigset_t now;

            pthread_sigmask(SIG_BLOCK, nullptr, &now);
            if (!sigismember(&now, SIGSEGV) || !sigismember(&now, SIGFPE))
                _exit(10);
        }
        fault_in_kernel(1);
        break;
    case 5: /* blocked before our threads were made */
        block_all();
        start();
        fault_in_kernel(10000);
        break;
    case 6: /* a handler that came after us, and hears nothing of kernels */
        start();
        set(SIGSEGV, report_and_die, 0);
        fault_in_kernel(1);
        break;
    case 7: /* when kernels had run before, and for a grid of all threads */
        start();
        run_good();
        set(SIGSEGV, report_and_die, 0);
        fault_in_kernel(10000);
        break;
    case 8: /* but of the host's own faults it does */
        start();
        set(SIGSEGV, leave, 0);
        run_good();
        fault_in_host();
        break;
    case 9: /* and when it is taken away, what was there before it does */
        set(SIGSEGV, leave, 0);
        start();
        set(SIGSEGV, count, 0, &ours);
        run_good();
        sigaction(SIGSEGV, &ours, nullptr);
        run_good();
        fault_in_host();
        break;
    case 10: /* a sent signal ends the process */
        start();
        run_good();
        kill(getpid(), SIGSEGV);
        for (;;)
            pause();
    case 11: /* handlers that come and go are not too many for us */
        start();
        for (int i = 0; i < 50; i++) {
            set(SIGSEGV, i % 2 ? count : leave, i % 3 ? 0 : SA_NODEFER);
            run_good();
        }
        fault_in_kernel(1);
        break;
    default:
        break;
    }
    _exit(11);
}

int
main()
{
    bool failed = false;
    static const struct {
        const char *what;
        int exit, signal;
    } expected[] = {{"a handler for one time", 0, SIGSEGV},
                    {"an ignored fault of the host", 0, SIGSEGV},
                    {"an ignored signal", 7, 0},
                    {"signals blocked in a waiting thread", 7, 0},
                    {"blocked later, and kept so", 7, 0},
                    {"signals blocked before the start", 7, 0},
                    {"a handler set after us", 7, 0},
                    {"set after kernels ran", 7, 0},
                    {"a later handler and the host", 42, 0},
                    {"a handler taken away again", 42, 0},
                    {"a signal that was sent", 0, SIGSEGV},
                    {"many handlers", 7, 0}};

    for (int i = 0; i < (int)(sizeof(expected) / sizeof(expected[0])); i++) {
        int status = 0;
        pid_t pid;

        fflush(nullptr);
        pid = fork();
        if (pid == 0)
            child(i);
        waitpid(pid, &status, 0);
        if (expected[i].signal ? !WIFSIGNALED(status) || WTERMSIG(status) != expected[i].signal
                               : !WIFEXITED(status) || WEXITSTATUS(status) != expected[i].exit) {
            std::printf("%s: status %x\n", expected[i].what, status);
            failed = true;
        }
    }
    return failed;
}
