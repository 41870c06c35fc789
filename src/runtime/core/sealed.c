/* SPDX-License-Identifier: MIT */
#include "runtime/core/sealed.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "runtime/core/core.h"

#define SHARE_MAGIC 0x4c535348u

_Static_assert(sizeof(struct ls_share_handle) <= HIP_IPC_HANDLE_SIZE, "fits HIP's handle");

bool
ls_sealed_is(int fd, uint64_t *bytes)
{
    int seals = fcntl(fd, F_GET_SEALS); /* fails for files that are not in memory */
    struct stat st;

    if (seals < 0 || (seals & LS_FILE_SEALS) != LS_FILE_SEALS || fstat(fd, &st) != 0 ||
        st.st_size <= 0)
        return false;
    *bytes = (uint64_t)st.st_size;
    return true;
}

hipError_t
ls_sealed_describe(int fd, uint64_t offset, uint64_t bytes, struct ls_share_handle *out)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return ls_err(hipErrorInvalidValue, "file %d can't be shared", fd);
    *out = (struct ls_share_handle){.magic = SHARE_MAGIC,
                                    .pid = (int32_t)getpid(),
                                    .fd = fd,
                                    .dev = (uint64_t)st.st_dev,
                                    .ino = (uint64_t)st.st_ino,
                                    .offset = offset,
                                    .bytes = bytes};
    return hipSuccess;
}

/* Whether what is open, maybe as a mere path, is the user's own memory file of that name. */
static bool
is_named(int fd, const char *name)
{
    char link[64], path[64], expected[64];
    struct stat st;
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    snprintf(expected, sizeof(expected), "/memfd:%s (deleted)", name);
    n = readlink(link, path, sizeof(path) - 1);
    if (n < 0)
        return false;
    path[n] = 0;
    return strcmp(path, expected) == 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
           st.st_uid == geteuid();
}

/* Before a file descriptor of another process is opened it is looked at: to open a device or a pipe
 * may have effects, and the file may be one that only this process may read. */
static int
open_checked(const char *path, const char *name)
{
    int at = open(path, O_PATH | O_CLOEXEC), fd = -1;
    char link[64];

    if (at < 0)
        return -1;
    if (is_named(at, name)) {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
        fd = open(link, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    }
    close(at);
    return fd;
}

int
ls_sealed_open(const struct ls_share_handle *h, const char *name)
{
    uint64_t bytes;
    char path[64];
    struct stat st;
    int fd;

    if (h->magic != SHARE_MAGIC || h->pid <= 0 || h->fd < 0 || h->bytes == 0)
        return -1;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", h->pid, h->fd);
    fd = open_checked(path, name);
    if (fd >= 0 &&
        (!ls_sealed_is(fd, &bytes) || fstat(fd, &st) != 0 || (uint64_t)st.st_dev != h->dev ||
         (uint64_t)st.st_ino != h->ino || bytes < h->offset || bytes - h->offset < h->bytes)) {
        close(fd);
        fd = -1;
    }
    return fd;
}
