/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Closes after a failure and returns false; errno stays that of the failure. */
static bool
close_failed(int fd, void *data)
{
    int why = errno;

    free(data);
    close(fd);
    errno = why;
    return false;
}

bool
ls_file_read(const char *path, void **data, size_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st = {0};
    size_t n = 0, cap = 65536;
    char *buf = NULL;

    if (fd < 0)
        return false;
    if (!fstat(fd, &st) && st.st_size > 0)
        cap = (size_t)st.st_size +
              2; /* room for the zero, and for a last read that returns nothing */
    for (ssize_t got = 1; got != 0;) {
        if (!buf || n + 1 == cap) {
            char *more = realloc(buf, buf ? cap *= 2 : cap);

            if (!more)
                return close_failed(fd, buf);
            buf = more;
        }
        got = read(fd, buf + n, cap - n - 1);
        if (got < 0 && errno != EINTR)
            return close_failed(fd, buf);
        n += got > 0 ? (size_t)got : 0;
        if (!S_ISREG(st.st_mode) && n > LS_FILE_STREAM_BYTES) {
            errno = EFBIG;
            return close_failed(fd, buf);
        }
    }
    close(fd);
    buf[n] = 0;
    *data = buf;
    *bytes = n;
    return true;
}

void
ls_file_limit_begin(struct ls_file_limit *limit)
{
    sigset_t one, pending;

    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    limit->was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &one, &limit->old);
}

/* The system sends SIGXFSZ to the thread that wrote, where it is blocked and pending, unless it is
 * ignored. It is taken away here. */
void
ls_file_limit_end(const struct ls_file_limit *limit)
{
    const struct timespec now = {0, 0};
    int why = errno;
    sigset_t one;

    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    if (!limit->was_pending)
        while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &limit->old, NULL);
    errno = why;
}

ssize_t
ls_file_pwrite(int fd, const void *data, size_t bytes, off_t at)
{
    struct ls_file_limit limit;
    ssize_t n;

    ls_file_limit_begin(&limit);
    n = pwrite(fd, data, bytes, at);
    ls_file_limit_end(&limit);
    return n;
}

int
ls_file_resize(int fd, uint64_t bytes)
{
    struct ls_file_limit limit;
    int failed;

    ls_file_limit_begin(&limit);
    failed = ftruncate(fd, (off_t)bytes);
    ls_file_limit_end(&limit);
    return failed;
}

bool
ls_file_put(int fd, const void *data, size_t bytes)
{
    struct ls_file_limit limit;
    const char *at = data;
    bool ok = true;

    ls_file_limit_begin(&limit);
    while (bytes && ok) {
        ssize_t put = write(fd, at, bytes);

        ok = put >= 0 || errno == EINTR;
        at += put > 0 ? put : 0;
        bytes -= put > 0 ? (size_t)put : 0;
    }
    ls_file_limit_end(&limit);
    return ok;
}

bool
ls_file_write(const char *path, const void *data, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return false;
    if (!ls_file_put(fd, data, bytes))
        return close_failed(fd, NULL);
    return close(fd) == 0;
}

/* Streams by fopencookie: the cookie is the descriptor */

static ssize_t
stream_write(void *cookie, const char *data, size_t bytes)
{
    return ls_file_put((int)(intptr_t)cookie, data, bytes) ? (ssize_t)bytes : 0;
}

static int
stream_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

FILE *
ls_file_stream(const char *path, char mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (mode == 'a' ? O_APPEND : O_TRUNC), 0666);
    FILE *file;

    if (fd < 0)
        return NULL;
    file = fopencookie((void *)(intptr_t)fd, mode == 'a' ? "a" : "w",
                       (cookie_io_functions_t){.write = stream_write, .close = stream_close});
    if (!file)
        close(fd);
    return file;
}

int
ls_file_memory(const char *name, uint64_t bytes)
{
    int fd = bytes <= INT64_MAX ? memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;

    if (fd >= 0 && (ls_file_resize(fd, bytes) != 0 || fchmod(fd, 0600) != 0 ||
                    fcntl(fd, F_ADD_SEALS, LS_FILE_SEALS) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void
check_output(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    fprintf(stderr, "%s: cannot write: %s\n", program_invocation_short_name,
            strerror(errno ? errno : EIO));
    _exit(1);
}

void
ls_file_check_output(void)
{
    atexit(check_output);
}
