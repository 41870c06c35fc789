/* SPDX-License-Identifier: MIT */
/* abort() in a kernel ends the process by SIGABRT, when what kernels printed is written; a trap, a
 * failed assertion and a bad address are errors, and end it so with LOCKSTEP_FAULT=abort. Each in a
 * child. */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

__global__ void
give_up(int which)
{
    if ((int)global_id() % 64 == 0)
        printf("block %u\n", blockIdx.x);
    if ((int)global_id() == which)
        abort();
}

__device__ __attribute__((noinline)) int
checked(int x)
{
    if (x < 0)
        abort();
    return x;
}

/* Its warps wait for each other, on stacks of their own where blocks are not split. */
__global__ void
give_up_between_barriers(int *p, int which)
{
    __shared__ int s[256];

    s[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (s[255 - threadIdx.x] == 255 && p)
        printf("thread %u\n", threadIdx.x);
    p[threadIdx.x] = checked(s[255 - threadIdx.x] - (s[255 - threadIdx.x] == which ? 1000 : 0));
    __syncthreads();
    p[threadIdx.x] += s[threadIdx.x];
}

__global__ void
trapping()
{
    __builtin_trap();
}

__global__ void
asserting(int *p)
{
    assert(p == nullptr);
}

__global__ void
bad_store(int *p)
{
    *p = 1;
}

static void
launch(const char *what, int *p)
{
    if (!strcmp(what, "abort")) {
        give_up<<<4, 64>>>(200);
    } else if (!strcmp(what, "barriers")) {
        give_up_between_barriers<<<1, 256>>>(p, 7);
    } else if (!strcmp(what, "graph")) {
        hipStream_t stream;
        hipGraph_t graph;
        hipGraphExec_t exec;

        CHECK_HIP(hipStreamCreate(&stream));
        CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
        give_up<<<4, 64, 0, stream>>>(-1);
        give_up<<<4, 64, 0, stream>>>(0);
        CHECK_HIP(hipStreamEndCapture(stream, &graph));
        CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
        CHECK_HIP(hipGraphLaunch(exec, stream));
    } else if (!strcmp(what, "trap")) {
        trapping<<<1, 1>>>();
    } else if (!strcmp(what, "assert")) {
        asserting<<<1, 1>>>(p);
    } else if (!strcmp(what, "address")) {
        bad_store<<<1, 1>>>((int *)(uintptr_t)4096);
    }
}

static const struct {
    const char *what, *fault; /* LOCKSTEP_FAULT */
    int signal;
    hipError_t err;
    const char *printed; /* a line of it */
} cases[] = {
    {"abort", "error", SIGABRT, hipSuccess, "block 3\n"},
    {"barriers", "error", SIGABRT, hipSuccess, "thread 0\n"},
    {"graph", "error", SIGABRT, hipSuccess, "block 3\n"},
    {"trap", "error", 0, hipErrorLaunchFailure, ""},
    {"assert", "error", 0, hipErrorAssert, ""},
    {"address", "error", 0, hipErrorIllegalAddress, ""},
    {"trap", "abort", SIGABRT, hipSuccess, ""},
    {"assert", "abort", SIGABRT, hipSuccess, ""},
    {"address", "abort", SIGABRT, hipSuccess, ""},
};

int
main(int argc, char **argv)
{
    if (argc > 1) {
        int *p;

        CHECK_HIP(hipMalloc((void **)&p, 1024));
        launch(argv[1], p);
        hipError_t err = hipDeviceSynchronize();
        printf("%s\n", hipGetErrorName(err));
        return err == hipSuccess ? 1 : 0;
    }
    for (const auto &c : cases) {
        int fd[2], status;
        char text[4096] = "";
        size_t have = 0;
        ssize_t got;

        CHECK(pipe(fd) == 0);
        pid_t pid = fork();
        if (pid == 0) {
            dup2(fd[1], 1);
            close(fd[0]);
            close(fd[1]);
            setenv("LOCKSTEP_FAULT", c.fault, 1);
            execl("/proc/self/exe", argv[0], c.what, (char *)nullptr);
            _exit(127);
        }
        close(fd[1]);
        while ((got = read(fd[0], text + have, sizeof(text) - 1 - have)) > 0)
            have += (size_t)got;
        close(fd[0]);
        waitpid(pid, &status, 0);
        if (c.signal ? !WIFSIGNALED(status) || WTERMSIG(status) != c.signal : status != 0)
            FAIL("%s, %s: status %#x: %s", c.what, c.fault, (unsigned)status, text);
        if (!strstr(text, c.signal ? c.printed : hipGetErrorName(c.err)))
            FAIL("%s, %s: printed %s", c.what, c.fault, text);
        if (c.signal && strstr(text, "hipError"))
            FAIL("%s, %s: the host went on: %s", c.what, c.fault, text);
    }
    return 0;
}
