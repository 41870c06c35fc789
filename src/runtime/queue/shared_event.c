/* SPDX-License-Identifier: MIT */
/* Events in memory files. */
#include "base/file.h"
#include "runtime/queue/shared_event.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/core/sealed.h"

#define SHARED_MAGIC 0x4c535645u
#define PAGE         4096u

static struct ls_shared_event *
map(int fd)
{
    void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return p == MAP_FAILED ? NULL : p;
}

struct ls_shared_event *
ls_shared_event_create(int *fd)
{
    struct ls_shared_event *e;

    *fd = ls_file_memory(LS_SHARED_EVENT_NAME, PAGE);
    if (*fd < 0)
        return NULL;
    e = map(*fd);
    if (e)
        e->magic = SHARED_MAGIC;
    else
        close(*fd);
    return e;
}

struct ls_shared_event *
ls_shared_event_map(int fd)
{
    struct ls_shared_event *e;
    uint64_t bytes;

    if (!ls_sealed_is(fd, &bytes) || bytes != PAGE)
        return NULL;
    e = map(fd);
    if (e && e->magic != SHARED_MAGIC) {
        munmap(e, PAGE);
        e = NULL;
    }
    return e;
}

void
ls_shared_event_destroy(struct ls_shared_event *e, int fd)
{
    munmap(e, PAGE);
    close(fd);
}

bool
ls_shared_event_is_done(const struct ls_shared_event *e)
{
    return atomic_load(&e->n_done) >= atomic_load(&e->n_recorded);
}

void
ls_shared_event_set_done(struct ls_shared_event *e, uint64_t number)
{
    uint64_t done = atomic_load(&e->n_done);

    while (done < number && !atomic_compare_exchange_weak(&e->n_done, &done, number))
        continue;
}
