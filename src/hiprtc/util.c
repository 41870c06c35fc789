/* SPDX-License-Identifier: MIT */
/* Buffers, files, child processes. A library does not end the program: what fails says so. */
#include "hiprtc/rtc_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "base/file.h"

void
ls_rtc_add(struct ls_rtc_buf *buf, const void *data, size_t n)
{
    if (buf->n + n + 1 > buf->cap) {
        size_t cap = (buf->n + n + 1) * 2;
        char *more = realloc(buf->data, cap);

        if (!more) {
            buf->failed = true;
            return;
        }
        buf->data = more;
        buf->cap = cap;
    }
    if (n)
        memcpy(buf->data + buf->n, data, n);
    buf->n += n;
    buf->data[buf->n] = 0;
}

void
ls_rtc_addf(struct ls_rtc_buf *buf, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0) {
        buf->failed = true;
        return;
    }
    ls_rtc_add(buf, text, (size_t)n);
    free(text);
}

void
ls_rtc_buf_fini(struct ls_rtc_buf *buf)
{
    free(buf->data);
    memset(buf, 0, sizeof(*buf));
}

bool
ls_rtc_read_file(const char *path, struct ls_rtc_buf *out)
{
    void *data;
    size_t n;

    if (!ls_file_read(path, &data, &n))
        return false;
    free(out->data);
    *out = (struct ls_rtc_buf){.data = data, .n = n, .cap = n + 1};
    return true;
}

void
ls_rtc_arg(struct ls_rtc_args *args, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    int n;

    if (args->n + 2 > args->cap) {
        size_t cap = args->cap * 2 + 32;
        char **more = realloc(args->v, cap * sizeof(*more));

        if (!more) {
            args->failed = true;
            return;
        }
        args->v = more;
        args->cap = cap;
    }
    va_start(ap, fmt);
    n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0) {
        args->failed = true;
        return;
    }
    args->v[args->n++] = text;
    args->v[args->n] = NULL;
}

void
ls_rtc_args_fini(struct ls_rtc_args *args)
{
    for (size_t i = 0; i < args->n; i++)
        free(args->v[i]);
    free(args->v);
    memset(args, 0, sizeof(*args));
}

/* A child with default signals; its standard input is the file `in`, its output goes to `out`. */
static int
spawn(const struct ls_rtc_args *args, const char *in, int out, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t all, none;
    int failed;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, out, 2);
    posix_spawn_file_actions_addopen(&actions, 0, in, O_RDONLY, 0);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    failed = posix_spawn(pid, args->v[0], &actions, &attr, args->v, ls_env_child());
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int
ls_rtc_run(const struct ls_rtc_args *args, const char *in, const char *made, struct ls_rtc_buf *log)
{
    int fds[2], status, failed;
    char bytes[4096];
    ssize_t got;
    pid_t pid;

    if (args->failed || pipe2(fds, O_CLOEXEC) != 0) {
        ls_rtc_addf(log, "error: cannot run the compiler: %s\n", strerror(errno));
        return -1;
    }
    failed = spawn(args, in, fds[1], &pid);
    close(fds[1]);
    while (!failed &&
           ((got = read(fds[0], bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0)
            ls_rtc_add(log, bytes, (size_t)got);
    close(fds[0]);
    if (failed) {
        ls_rtc_addf(log, "error: cannot run '%s': %s\n", args->v[0], strerror(failed));
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno == EINTR)
            continue;
        return access(made, F_OK) == 0 ? 0 : 1; /* SIGCHLD is ignored, so that the status is lost */
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool
ls_rtc_temp_create(char path[PATH_MAX])
{
    const char *tmp = ls_env_get("TMPDIR");
    int n = snprintf(path, PATH_MAX, "%s/hiprtc-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");

    return n > 0 && n < PATH_MAX && mkdtemp(path);
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path), 0;
}

void
ls_rtc_temp_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
