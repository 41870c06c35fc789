/* SPDX-License-Identifier: MIT */
#include "runtime/mem/external.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ls_external *alive; /* guarded by lock, as refs */

struct ls_external *
ls_external_add(enum ls_external_kind kind, int fd, uint64_t bytes)
{
    struct ls_external *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    *e = (struct ls_external){.kind = kind, .fd = fd, .bytes = bytes, .refs = 1};
    pthread_mutex_lock(&lock);
    e->next = alive;
    alive = e;
    pthread_mutex_unlock(&lock);
    return e;
}

struct ls_external *
ls_external_ref(const void *handle, enum ls_external_kind kind)
{
    struct ls_external *e;

    pthread_mutex_lock(&lock);
    for (e = alive; e && (e != handle || e->kind != kind); e = e->next)
        continue;
    if (e)
        e->refs++;
    pthread_mutex_unlock(&lock);
    return e;
}

void
ls_external_unref(struct ls_external *e)
{
    bool last;

    pthread_mutex_lock(&lock);
    last = --e->refs == 0;
    pthread_mutex_unlock(&lock);
    if (last) {
        close(e->fd);
        free(e);
    }
}

hipError_t
ls_external_destroy(const void *handle, enum ls_external_kind kind)
{
    struct ls_external **at, *e;

    pthread_mutex_lock(&lock);
    for (at = &alive; *at && (*at != handle || (*at)->kind != kind); at = &(*at)->next)
        continue;
    e = *at;
    if (e)
        *at = e->next;
    pthread_mutex_unlock(&lock);
    if (!e)
        return ls_err(hipErrorInvalidValue, "%p is no handle", handle);
    ls_external_unref(e);
    return hipSuccess;
}

static bool
raise_semaphore(void *data)
{
    struct ls_external *e = *(struct ls_external **)data;
    uint64_t one = 1;

    LS_UNCANCELLED();
    if (write(e->fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
        ls_log(LS_LOG_ERROR, "an external semaphore can't be signalled");
    return true;
}

static bool
lower_semaphore(void *data)
{
    struct ls_external *e = *(struct ls_external **)data;
    struct pollfd p = {.fd = e->fd, .events = POLLIN};
    uint64_t count;

    LS_UNCANCELLED();
    if (poll(&p, 1, 0) != 1 || !(p.revents & POLLIN))
        return false;
    if (read(e->fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
        return false;
    count--; /* one wait takes one signal */
    if (count > 0 && write(e->fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
        ls_log(LS_LOG_ERROR, "signals of an external semaphore are lost");
    return true;
}

bool
ls_semaphore_signal(void *data)
{
    raise_semaphore(data);
    ls_external_unref(*(struct ls_external **)data);
    return true;
}

bool
ls_semaphore_wait(void *data)
{
    bool done = lower_semaphore(data);

    if (done)
        ls_external_unref(*(struct ls_external **)data);
    return done;
}

void
ls_semaphore_ref_steps(const struct ls_step *steps, unsigned n)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n; i++)
        (*(struct ls_external *const *)(const void *)steps[i].data)->refs++;
    pthread_mutex_unlock(&lock);
}

void
ls_semaphore_unref_steps(const struct ls_step *steps, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        ls_external_unref(*(struct ls_external *const *)(const void *)steps[i].data);
}

hipError_t
ls_semaphore_steps(const hipExternalSemaphore_t *semaphores, unsigned n, bool waits,
                   struct ls_step *steps)
{
    for (unsigned i = 0; i < n; i++) {
        struct ls_external *e = ls_external_ref(semaphores[i], LS_EXTERNAL_SEMAPHORE);

        if (!e) {
            ls_semaphore_unref_steps(steps, i);
            return ls_err(hipErrorInvalidValue, "%p is no semaphore", semaphores[i]);
        }
        steps[i].call = waits ? lower_semaphore : raise_semaphore;
        steps[i].waits = waits;
        memcpy(steps[i].data, &e, sizeof(e));
    }
    return hipSuccess;
}
