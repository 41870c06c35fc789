/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What went wrong first is what counts, not how closing went. */
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
    struct stat st;
    size_t n = 0, cap = 65536;
    char *buf = NULL;

    if (fd < 0)
        return false;
    if (!fstat(fd, &st) && st.st_size > 0)
        cap = (size_t)st.st_size + 2; /* the zero, and a last read that finds nothing */
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
    }
    close(fd);
    buf[n] = 0;
    *data = buf;
    *bytes = n;
    return true;
}

bool
ls_file_write(const char *path, const void *data, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const char *at = data;

    if (fd < 0)
        return false;
    while (bytes) {
        ssize_t put = write(fd, at, bytes);

        if (put < 0 && errno != EINTR)
            return close_failed(fd, NULL);
        at += put > 0 ? put : 0;
        bytes -= put > 0 ? (size_t)put : 0;
    }
    return close(fd) == 0;
}
