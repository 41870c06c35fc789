/* SPDX-License-Identifier: MIT */
/* Child processes and temporary files; both are gone when the driver ends, however it ends. */
#include "hipcc_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define MAX_CHILDREN   256
#define MAX_TEMPS      8192
#define MAX_ARGS_BYTES (96 * 1024)

/* Read by the signal handler: an entry is complete before its counter or pid says so. */
static volatile pid_t live_pids[MAX_CHILDREN];
static char *temp_paths[MAX_TEMPS];
static volatile sig_atomic_t n_temps;
static char temp_dir[256];
static pid_t owner; /* the process that made the files: -parallel-jobs forks, and each process
                       removes its own */
static bool dry;

void
ls_temp_cleanup(void)
{
    if (owner != getpid() || !temp_dir[0])
        return;
    for (int i = 0; i < n_temps; i++)
        unlink(temp_paths[i]);
    rmdir(temp_dir);
    temp_dir[0] = '\0';
    n_temps = 0;
}

static void
on_signal(int sig)
{
    for (int i = 0; i < MAX_CHILDREN; i++)
        if (live_pids[i] > 0)
            kill(live_pids[i], SIGTERM);
    for (int i = 0; i < MAX_CHILDREN; i++)
        if (live_pids[i] > 0)
            waitpid(live_pids[i], NULL, 0);
    ls_temp_cleanup();
    signal(sig, SIG_DFL);
    raise(sig);
}

void
ls_proc_init(bool dry_run)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

    dry = dry_run;
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction old, act = {.sa_handler = on_signal};

        for (size_t j = 0; j < sizeof(signals) / sizeof(signals[0]); j++)
            sigaddset(&act.sa_mask, signals[j]);
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &act, NULL);
    }
}

char *
ls_temp_path(const char *name)
{
    if (dry)
        return ls_hipcc_format("/tmp/hipcc-XXXXXX/%s", name);
    if (owner != getpid()) { /* the first use in this process */
        n_temps = 0;
        temp_dir[0] = '\0';
        owner = getpid();
    }
    if (!temp_dir[0]) {
        const char *base = getenv("TMPDIR");
        char path[sizeof(temp_dir)];

        snprintf(path, sizeof(path), "%.200s/hipcc-XXXXXX", base && *base ? base : "/tmp");
        if (!mkdtemp(path)) {
            ls_say_error("cannot make a temporary folder '%s': %s", path, strerror(errno));
            exit(1);
        }
        memcpy(temp_dir, path, sizeof(path));
    }
    if (n_temps == MAX_TEMPS) {
        ls_say_error("too many temporary files");
        ls_temp_cleanup();
        exit(1);
    }
    temp_paths[n_temps] = ls_hipcc_format("%s/%d-%s", temp_dir, (int)n_temps, name);
    n_temps = n_temps + 1;
    return ls_hipcc_format("%s", temp_paths[n_temps - 1]); /* what is deleted is ours alone */
}

void
ls_command_print(const struct ls_strv *argv)
{
    for (size_t i = 0; i < argv->n; i++) {
        fputs(i ? " \"" : " \"", stderr);
        for (const char *c = argv->v[i]; *c; c++) {
            if (*c == '"' || *c == '\\' || *c == '$')
                fputc('\\', stderr);
            fputc(*c, stderr);
        }
        fputc('"', stderr);
    }
    fputc('\n', stderr);
}

/* Replaces arguments that are too many for execve by a response file, in clang's (GNU) quoting. */
static void
shorten(const struct ls_strv *argv, struct ls_strv *out)
{
    size_t n_bytes = 0;
    struct ls_buf file = {0};

    for (size_t i = 0; i < argv->n; i++)
        n_bytes += strlen(argv->v[i]) + 1;
    if (n_bytes < MAX_ARGS_BYTES) {
        *out = *argv;
        return;
    }
    for (size_t i = 1; i < argv->n; i++) {
        ls_buf_add(&file, "\"", 1);
        for (const char *c = argv->v[i]; *c; c++) {
            if (*c == '"' || *c == '\\')
                ls_buf_add(&file, "\\", 1);
            ls_buf_add(&file, c, 1);
        }
        ls_buf_add(&file, "\"\n", 2);
    }
    char *path = ls_temp_path("args.rsp");
    if (!ls_file_write(path, file.data, file.n)) {
        *out = *argv;
        return;
    }
    ls_strv_push(out, argv->v[0]);
    ls_strv_pushf(out, "@%s", path);
}

void
ls_child_adopt(pid_t pid)
{
    for (int i = 0; i < MAX_CHILDREN; i++)
        if (!live_pids[i]) {
            live_pids[i] = pid;
            return;
        }
}

void
ls_child_forget(pid_t pid)
{
    for (int i = 0; i < MAX_CHILDREN; i++)
        if (live_pids[i] == pid)
            live_pids[i] = 0;
}

void
ls_proc_forked(void)
{
    for (int i = 0; i < MAX_CHILDREN; i++)
        live_pids[i] = 0;
}

static void
close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

bool
ls_child_start(struct ls_child *child, const struct ls_strv *argv, unsigned flags)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t defaults;
    int err_pipe[2] = {-1, -1}, feed_pipe[2] = {-1, -1};
    struct ls_strv args = {0};

    *child = (struct ls_child){.err_fd = -1, .feed_fd = -1, .status = 1};
    if (((flags & LS_CHILD_CAPTURE) && pipe2(err_pipe, O_CLOEXEC)) ||
        ((flags & LS_CHILD_FEED) && pipe2(feed_pipe, O_CLOEXEC))) {
        ls_say_error("cannot make a pipe: %s", strerror(errno));
        close_fd(&err_pipe[0]);
        close_fd(&err_pipe[1]);
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    if (flags & LS_CHILD_CAPTURE)
        posix_spawn_file_actions_adddup2(&actions, err_pipe[1], 2);
    if (flags & LS_CHILD_FEED)
        posix_spawn_file_actions_adddup2(&actions, feed_pipe[0], LS_CHILD_FEED_FD);
    if (flags & LS_CHILD_NO_INPUT)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_init(&attr);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attr, &defaults);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);

    shorten(argv, &args);
    int failed = posix_spawnp(&child->pid, args.v[0], &actions, &attr, args.v, environ);

    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    close_fd(&err_pipe[1]);
    close_fd(&feed_pipe[0]);
    if (failed) {
        ls_say_error("cannot run '%s': %s", args.v[0], strerror(failed));
        close_fd(&err_pipe[0]);
        close_fd(&feed_pipe[1]);
        return false;
    }
    ls_child_adopt(child->pid);
    child->err_fd = err_pipe[0];
    child->feed_fd = feed_pipe[1];
    if (child->feed_fd >= 0)
        fcntl(child->feed_fd, F_SETFL, O_NONBLOCK);
    child->running = true;
    return true;
}

void
ls_child_feed(struct ls_child *child, const void *data, size_t n)
{
    child->feed = data;
    child->feed_left = n;
    if (!n)
        close_fd(&child->feed_fd);
}

static void
push_feed(struct ls_child *child)
{
    ssize_t put = write(child->feed_fd, child->feed, child->feed_left);

    if (put < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (put > 0) {
        child->feed += put;
        child->feed_left -= (size_t)put;
    }
    if (put < 0 ||
        !child->feed_left) /* EPIPE: the child has stopped reading; its exit code says why */
        close_fd(&child->feed_fd);
}

static void
reap(struct ls_child *child)
{
    int status;

    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    ls_child_forget(child->pid);
    close_fd(&child->err_fd);
    close_fd(&child->feed_fd);
    child->running = false;
    child->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool
pull_err(struct ls_child *child)
{
    char bytes[16384];
    ssize_t got = read(child->err_fd, bytes, sizeof(bytes));

    if (got > 0)
        ls_buf_add(&child->err, bytes, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

bool
ls_children_step(struct ls_child **children, size_t n)
{
    for (;;) {
        struct pollfd fds[2 * MAX_CHILDREN];
        struct ls_child *who[2 * MAX_CHILDREN];
        nfds_t n_fds = 0;
        bool any = false, ended = false;

        for (size_t i = 0; i < n && n_fds + 2 < 2 * MAX_CHILDREN; i++) {
            struct ls_child *child = children[i];

            if (!child->running)
                continue;
            any = true;
            if (child->err_fd >= 0) {
                who[n_fds] = child;
                fds[n_fds++] = (struct pollfd){.fd = child->err_fd, .events = POLLIN};
            }
            if (child->feed_fd >= 0 && child->feed_left) {
                who[n_fds] = child;
                fds[n_fds++] = (struct pollfd){.fd = child->feed_fd, .events = POLLOUT};
            }
        }
        if (!any)
            return false;
        if (poll(fds, n_fds, -1) < 0)
            continue;
        for (nfds_t i = 0; i < n_fds; i++) {
            struct ls_child *child = who[i];

            if (!fds[i].revents || !child->running)
                continue;
            if (fds[i].fd == child->feed_fd) {
                push_feed(child);
            } else if (!pull_err(child)) {
                reap(child);
                ended = true;
            }
        }
        if (ended)
            return true;
    }
}

int
ls_run(const struct ls_strv *argv)
{
    struct ls_child child;

    if (!ls_child_start(&child, argv, LS_CHILD_PLAIN))
        return 1;
    reap(&child);
    return child.status;
}
