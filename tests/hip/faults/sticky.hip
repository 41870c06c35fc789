/* SPDX-License-Identifier: MIT */
/* A kernel that faults gives a sticky error with a message, and the host goes on: each fault in a
 * child. The message must name the kernel. */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

__global__ void
bad_store(int *p, int which)
{
    if ((int)global_id() == which)
        *(volatile int *)(uintptr_t)16 = *p;
}

__global__ void
bad_load(int *p, const int *q, int which)
{
    if ((int)global_id() == which)
        *p = q[global_id()];
}

__global__ void
trapping(int which)
{
    if ((int)global_id() == which)
        __builtin_trap();
}

__global__ void
asserting(int which)
{
    assert((int)global_id() != which);
}

__global__ void
wild_call(void (*fn)(int), int which)
{
    if ((int)global_id() == which)
        fn(which);
}

__global__ void
fine(int *p)
{
    *p = 5;
}

static void
provoke(int k, int *p)
{
    switch (k) {
    case 0:
        bad_store<<<4, 64>>>(p, 70);
        break;
    case 1:
        bad_load<<<4, 64>>>(p, (const int *)(uintptr_t)4096, 3);
        break;
    case 2:
        trapping<<<4, 64>>>(200);
        break;
    case 3:
        asserting<<<4, 64>>>(1);
        break;
    case 4:
        bad_load<<<4, 64>>>(p, (const int *)(uintptr_t)0x7000000000000000ull,
                            0); /* not canonical */
        break;
    }
}

/* In the child: the error must be there, stay, and leave the host alive. */
static int
child(int k)
{
    int *p = nullptr;
    hipError_t err, again;

    if (hipMalloc((void **)&p, 4))
        return 10;
    fine<<<1, 1>>>(p);
    if (hipDeviceSynchronize())
        return 11;
    provoke(k, p);
    err = hipDeviceSynchronize();
    if (err == hipSuccess)
        return 12;
    fine<<<1, 1>>>(p);
    again = hipDeviceSynchronize();
    if (again == hipSuccess)
        return 13;
    const bool right = k == 3   ? err == hipErrorAssert
                       : k == 2 ? err != hipSuccess
                                : err == hipErrorIllegalAddress;
    if (!right)
        fprintf(stderr, "error %d %s\n", (int)err, hipGetErrorString(err));
    return right ? 0 : 14;
}

int
main()
{
    const char *const names[] = {"bad_store", "bad_load", "trapping", "asserting", "bad_load"};

    for (int k = 0; k < 5; k++) {
        int fd[2], status;
        char text[4096] = "";
        size_t have = 0;
        ssize_t got;

        CHECK(pipe(fd) == 0);
        pid_t pid = fork();
        if (pid == 0) {
            dup2(fd[1], 2);
            close(fd[0]);
            close(fd[1]);
            _exit(child(k));
        }
        close(fd[1]);
        while ((got = read(fd[0], text + have, sizeof(text) - 1 - have)) > 0)
            have += (size_t)got;
        close(fd[0]);
        waitpid(pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            FAIL("%s: status %#x: %s", names[k], status, text);
        if (!strstr(text, names[k]))
            FAIL("%s: the message does not name it: %s", names[k], text);
    }
    Dev<int> p(1);
    fine<<<1, 1>>>(p);
    CHECK(p.get()[0] == 5);
    return 0;
}
