/* SPDX-License-Identifier: MIT */
/* The device's process: its start, its memory, and words to it. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/child.h"
#include "base/dl.h"
#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "device/cpu/heap.h"
#include "device/far/far_priv.h"

#define HELPER "lockstep/lsdevice"

struct ls_far_link ls_far = {.file = -1};
_Atomic uint64_t ls_far_failed[LS_FAR_DEVICES];

static pthread_mutex_t send_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t call_locks[LS_FAR_CALLS] = {PTHREAD_MUTEX_INITIALIZER,
                                                   PTHREAD_MUTEX_INITIALIZER};

_Noreturn void
ls_far_lost(void)
{
    ls_log(LS_LOG_WARN, "the device's process has ended");
    fflush(stdout); /* what kernels printed: one of them may have called abort() */
    abort();
}

hipError_t
ls_far_call(struct ls_device *dev, struct ls_far_call c, const struct iovec *in, unsigned n_in,
            int *fd, void *out, uint64_t *values)
{
    unsigned which = c.kind == LS_FAR_GET_CODE;
    struct iovec parts[6] = {{&c, sizeof(c)}};
    struct ls_far_reply r = {.err = hipSuccess};
    int send = fd ? *fd : -1, got = -1;
    LS_UNCANCELLED();

    c.device = dev->part;
    for (unsigned i = 0; i < n_in; i++) {
        parts[i + 1] = in[i];
        c.bytes += in[i].iov_len;
    }
    pthread_mutex_lock(&call_locks[which]);
    if (!ls_far_send(ls_far.calls[which], parts, n_in + 1, &send, send >= 0) ||
        !ls_far_receive_fds(ls_far.calls[which], &r, sizeof(r), &got, 1) ||
        (r.bytes && !ls_far_receive(ls_far.calls[which], out, r.bytes)))
        ls_far_lost();
    pthread_mutex_unlock(&call_locks[which]);
    if (fd)
        *fd = got;
    if (values)
        memcpy(values, r.values, sizeof(r.values));
    return (hipError_t)r.err;
}

hipError_t
ls_far_ask(struct ls_device *dev, enum ls_far_kind kind, uint64_t a, uint64_t b, uint64_t c,
           uint64_t d, uint64_t *value)
{
    uint64_t values[3];
    hipError_t err = ls_far_call(dev, (struct ls_far_call){.kind = kind, .args = {a, b, c, d}},
                                 NULL, 0, NULL, NULL, values);

    if (value)
        *value = values[0];
    return err;
}

void
ls_far_send_work(const struct ls_far_work *m, const struct iovec *more, unsigned n_more)
{
    struct iovec parts[4] = {{(void *)(uintptr_t)m, sizeof(*m)}};
    LS_UNCANCELLED();

    for (unsigned i = 0; i < n_more; i++)
        parts[i + 1] = more[i];
    pthread_mutex_lock(&send_lock);
    if (!ls_far_send(ls_far.work, parts, n_more + 1, NULL, 0))
        ls_far_lost();
    pthread_mutex_unlock(&send_lock);
}

/* Addresses of both kinds of memory: in the host's process, those of the device stay closed. */
static bool
map_memory(void)
{
    void *device = (void *)LS_FAR_DEVICE_BASE, *shared = (void *)LS_FAR_SHARED_BASE;

    ls_far.file = memfd_create("hip-far", MFD_CLOEXEC);
    if (ls_far.file < 0 || ls_file_resize(ls_far.file, LS_FAR_SHARED_BYTES) != 0 ||
        mmap(device, LS_FAR_DEVICE_BYTES, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != device ||
        mmap(shared, LS_FAR_SHARED_BYTES, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, ls_far.file, 0) != shared)
        return false;
    ls_heap_confine(shared, LS_FAR_SHARED_BYTES, true);
    return true;
}

hipError_t
ls_far_start(void)
{
    char helper[PATH_MAX];
    char *argv[] = {helper, NULL};
    struct ls_far_hello hello = {.build = LS_FAR_BUILD};
    struct iovec part = {&hello, sizeof(hello)};
    int work[2], calls[LS_FAR_CALLS][2], fds[LS_FAR_FDS], err = 0;

    if (!map_memory() || !ls_dl_beside(HELPER, helper, sizeof(helper)) || !ls_child_pair(work)) {
        ls_log(LS_LOG_ERROR, "no room for a far device (LOCKSTEP_FAR): %s", strerror(errno));
        return hipErrorNotInitialized;
    }
    for (int i = 0; i < LS_FAR_CALLS && !err; i++) {
        err = ls_child_pair(calls[i]) ? 0 : errno;
        ls_far.calls[i] = calls[i][0];
        fds[i] = calls[i][1];
    }
    fds[LS_FAR_CALLS] = ls_far.file;
    ls_far.work = work[0];
    if (!err)
        err = ls_child_start(argv, ls_env_child(), work[1], 0, NULL);
    if (err || !ls_far_send(ls_far.work, &part, 1, fds, LS_FAR_FDS)) {
        ls_log(LS_LOG_ERROR, "no process for a far device (LOCKSTEP_FAR): %s: %s", helper,
               strerror(err ? err : errno));
        return hipErrorNotInitialized;
    }
    close(work[1]);
    for (int i = 0; i < LS_FAR_CALLS; i++)
        close(fds[i]);
    return hipSuccess;
}
