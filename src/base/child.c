/* SPDX-License-Identifier: MIT */
/* The child is made by an intermediate that ends at once and sends no signal. Both share this
 * process's memory until exec (as posix_spawn's do), hence raw system calls there: nothing may
 * touch the C library's or a sanitizer's state. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES 65536u

struct birth {
    char *const *argv, *const *env;
    char *stack; /* of the child: its upper end */
    int fd, err;
    pid_t child; /* until it has a memory of its own, or is gone */
    pid_t pid;   /* the same, for good */
    struct rlimit deep;
};

/* Kernel's struct sigaction. */
struct raw_action {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};

/* The thread sanitizer takes clone for a fork and switches itself off in the child, whose memory is
 * ours. */
#ifdef __SANITIZE_THREAD__
int __clone(int (*fn)(void *), void *stack, int flags, void *arg,
            ...); /* clone by a name that the sanitizer does not intercept */
#define clone __clone
#endif

#define BARE                                                                                       \
    __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined")))

/* A descriptor table of the child's own: 0 nothing, 1 and 2 what was 2, 3 the socket. */
BARE static bool
arrange_descriptors(int fd)
{
    if (fd == LS_CHILD_FD ? syscall(SYS_fcntl, fd, F_SETFD, 0L) < 0
                          : syscall(SYS_dup3, fd, LS_CHILD_FD, 0L) < 0)
        return false;
    if (syscall(SYS_close_range, LS_CHILD_FD + 1L, ~0u, 0L) < 0)
        for (long i = LS_CHILD_FD + 1; i < 65536; i++) /* Linux before 5.9 has no close_range */
            syscall(SYS_close, i);
    syscall(SYS_close, 0L);
    if (syscall(SYS_openat, AT_FDCWD, "/dev/null", (long)O_RDWR, 0L) != 0)
        return false;
    if (syscall(SYS_fcntl, 2L, F_GETFD, 0L) < 0)
        syscall(SYS_dup3, 0L, 2L, 0L);
    return syscall(SYS_dup3, 2L, 1L, 0L) >= 0;
}

BARE static int
be_child(void *arg)
{
    struct birth *b = arg;
    struct raw_action plain = {0};
    uint64_t none = 0;

    for (long sig = 1; sig <= 64; sig++)
        syscall(SYS_rt_sigaction, sig, &plain, NULL, 8L);
    syscall(SYS_setsid);
    if (b->deep.rlim_cur)
        syscall(SYS_prlimit64, 0L, (long)RLIMIT_STACK, &b->deep, NULL);
    if (arrange_descriptors(b->fd)) {
        syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &none, NULL, 8L);
        syscall(SYS_execve, b->argv[0], b->argv, b->env);
    }
    b->err = errno;
    syscall(SYS_exit_group, 127L);
    return 0;
}

BARE static int
be_intermediate(void *arg)
{
    struct birth *b = arg;
    void *no_tls = NULL;

    b->pid = clone(be_child, b->stack,
                   CLONE_VM | CLONE_VFORK | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, b,
                   &b->child, no_tls, &b->child);
    if (b->pid < 0)
        b->err = errno;
    syscall(SYS_exit_group, 0L);
    return 0;
}

/* Waits until the child no longer runs on our stack, when the intermediate was killed and could not
 * wait for it. There is a time limit: a child that dumped core does not clear the word that is
 * waited for. */
static bool
await_child(struct birth *b)
{
    const struct timespec tenth = {.tv_nsec = 100000000};

    for (int i = 0; i < 50; i++) {
        pid_t child = __atomic_load_n(&b->child, __ATOMIC_ACQUIRE);

        if (!child)
            return true;
        syscall(SYS_futex, &b->child, (long)FUTEX_WAIT, (long)child, &tenth, NULL, 0L);
    }
    return false;
}

static int
give_birth(struct birth *b)
{
    char *stacks = mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    sigset_t all, then;
    int status = 0;
    pid_t pid;

    if (stacks == MAP_FAILED)
        return errno;
    b->stack = stacks + STACK_BYTES;
    b->err = 0;
    b->child = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &then); /* no handler of the program in its copy */
    pid = clone(be_intermediate, stacks + 2 * STACK_BYTES, CLONE_VM | CLONE_VFORK, b);
    if (pid < 0)
        b->err = errno;
    else
        while (waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &then, NULL);
    if (!WIFSIGNALED(status) || await_child(b))
        munmap(stacks, 2 * STACK_BYTES);
    return b->err;
}

int
ls_child_start(char *const *argv, char *const *env, int fd, size_t stack_bytes, pid_t *pid)
{
    struct birth b = {.argv = argv, .env = env, .fd = fd};
    int err;

    if (getrlimit(RLIMIT_STACK, &b.deep) != 0 || b.deep.rlim_cur >= stack_bytes)
        b.deep.rlim_cur = 0; /* leave the limit as it is */
    else
        b.deep.rlim_cur = b.deep.rlim_max < stack_bytes ? b.deep.rlim_max : stack_bytes;
    err = give_birth(&b);
    if (pid)
        *pid = b.pid;
    return err;
}

void
ls_child_wake(pid_t pid)
{
    char path[64], text[256], *name_end;
    ssize_t n = -1;
    int fd;

    if (pid <= 0)
        return;
    snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, sizeof(text) - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = 0;
    name_end = strrchr(text, ')'); /* the state is behind it: T is stopped, t a debugger's */
    if (name_end && name_end[1] == ' ' && name_end[2] == 'T')
        kill(pid, SIGCONT);
}

bool
ls_child_pair(int fds[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        int low = fds[i];

        if (low > 2)
            continue;
        fds[i] = fcntl(low, F_DUPFD_CLOEXEC, 3);
        close(low);
    }
    if (fds[0] >= 0 && fds[1] >= 0)
        return true;
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    errno = EMFILE;
    return false;
}
