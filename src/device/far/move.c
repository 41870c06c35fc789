/* SPDX-License-Identifier: MIT */
/* Copies and fills of memory that is the host's alone. It is read and written by calls of the
 * system to and from the file of shared memory, to whom a bad address is an error and not the
 * end. */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "device/cpu/heap.h"
#include "device/far/far_priv.h"

#define STAGE_BYTES ((size_t)4 << 20)

static char *stage; /* of the one thread that moves */

hipError_t
ls_far_move_open(struct ls_device *dev)
{
    void *p = stage;
    hipError_t err = p ? hipSuccess : ls_cpu_alloc(dev, LS_MEMORY_PINNED, STAGE_BYTES, 0, &p);

    stage = p;
    return err;
}

static off_t
offset_of(const char *ptr)
{
    return (off_t)((uintptr_t)ptr - LS_FAR_SHARED_BASE);
}

/* Between the stage and memory of the host; *bad: an address that can't be touched. */
static bool
put(const char *host, size_t at, size_t bytes, const char **bad)
{
    size_t done = 0;
    ssize_t n = 1;

    while (done < bytes && n > 0) {
        n = ls_file_pwrite(ls_far.file, host + done, bytes - done, offset_of(stage + at + done));
        done += n > 0 ? (size_t)n : 0;
    }
    *bad = host + done;
    return done == bytes;
}

static bool
take(char *host, size_t at, size_t bytes, const char **bad)
{
    size_t done = 0;
    ssize_t n = 1;

    while (done < bytes && n > 0) {
        n = pread(ls_far.file, host + done, bytes - done, offset_of(stage + at + done));
        done += n > 0 ? (size_t)n : 0;
    }
    *bad = host + done;
    return done == bytes;
}

/* A step on the device, and its end. */
struct step {
    struct ls_work work; /* first */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_done; /* guarded by lock */
    hipError_t err;
};

static void
step_ended(struct ls_work *w, hipError_t err)
{
    struct step *s = (struct step *)(void *)w;

    pthread_mutex_lock(&s->lock);
    s->err = err;
    s->is_done = true;
    pthread_cond_signal(&s->ended);
    pthread_mutex_unlock(&s->lock);
}

/* On the device: rows between the stage, where they lie one behind the other, and where they
 * belong. */
static hipError_t
step(struct ls_device *dev, const struct ls_work *of, struct ls_work_copy copy)
{
    struct step s = {
        .work = {.kind = LS_WORK_COPY, .copy = copy, .priority = of->priority, .done = step_ended}};

    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.ended, NULL);
    s.work.copy.depth = 1;
    ls_far_submit(dev, &s.work, false);
    pthread_mutex_lock(&s.lock);
    while (!s.is_done)
        pthread_cond_wait(&s.ended, &s.lock);
    pthread_mutex_unlock(&s.lock);
    pthread_cond_destroy(&s.ended);
    pthread_mutex_destroy(&s.lock);
    return s.err;
}

static hipError_t
refuse(const struct ls_work *w, const char *bad)
{
    if (w->kind == LS_WORK_COPY)
        ls_log(LS_LOG_ERROR,
               "copy of %zu x %zu x %zu bytes from %p to %p: illegal memory access at address "
               "0x%" PRIxPTR,
               w->copy.row_bytes, w->copy.height, w->copy.depth, (const void *)w->copy.src,
               (void *)w->copy.dst, (uintptr_t)bad);
    else
        ls_log(LS_LOG_ERROR,
               "fill of %zu x %zu x %zu bytes at %p: illegal memory access at address 0x%" PRIxPTR,
               w->fill.row_bytes, w->fill.height, w->fill.depth, (void *)w->fill.dst,
               (uintptr_t)bad);
    return hipErrorIllegalAddress;
}

/* n rows of `bytes` bytes, from byte `first` of row `row` on, all of one slice. */
static hipError_t
copy_piece(struct ls_device *dev, struct ls_work *w, size_t row, size_t n, size_t first,
           size_t bytes)
{
    const struct ls_work_copy *c = &w->copy;
    const char *src =
                   c->src + row / c->height * c->src_slice + row % c->height * c->src_pitch + first,
               *bad;
    char *dst = c->dst + row / c->height * c->dst_slice + row % c->height * c->dst_pitch + first;
    hipError_t err = hipSuccess;

    if (ls_far_is_near(src)) {
        for (size_t i = 0; i < n; i++)
            if (!put(src + i * c->src_pitch, i * bytes, bytes, &bad))
                return refuse(w, bad);
    } else {
        err = step(dev, w,
                   (struct ls_work_copy){.dst = stage,
                                         .src = src,
                                         .row_bytes = bytes,
                                         .height = n,
                                         .dst_pitch = bytes,
                                         .src_pitch = c->src_pitch});
    }
    if (err != hipSuccess)
        return err;
    if (!ls_far_is_near(dst))
        return step(dev, w,
                    (struct ls_work_copy){.dst = dst,
                                          .src = stage,
                                          .row_bytes = bytes,
                                          .height = n,
                                          .dst_pitch = c->dst_pitch,
                                          .src_pitch = bytes});
    for (size_t i = 0; i < n; i++)
        if (!take(dst + i * c->dst_pitch, i * bytes, bytes, &bad))
            return refuse(w, bad);
    return hipSuccess;
}

static hipError_t
copy(struct ls_device *dev, struct ls_work *w)
{
    const struct ls_work_copy *c = &w->copy;
    size_t rows = c->height * c->depth, per = c->row_bytes ? STAGE_BYTES / c->row_bytes : rows;
    hipError_t err = hipSuccess;

    if (c->row_bytes == 0)
        return hipSuccess;
    for (size_t row = 0, n; row < rows && err == hipSuccess; row += n) {
        n = c->height - row % c->height;
        if (per > 0) {
            n = n < per ? n : per;
            err = copy_piece(dev, w, row, n, 0, c->row_bytes);
            continue;
        }
        n = 1;
        for (size_t at = 0; at < c->row_bytes && err == hipSuccess; at += STAGE_BYTES)
            err = copy_piece(dev, w, row, 1, at,
                             c->row_bytes - at < STAGE_BYTES ? c->row_bytes - at : STAGE_BYTES);
    }
    return err;
}

static hipError_t
fill(const struct ls_work *w)
{
    const struct ls_work_fill *f = &w->fill;
    const char *bad;

    for (size_t i = 0; i < STAGE_BYTES; i += f->element_bytes)
        memcpy(stage + i, &f->value, f->element_bytes);
    for (size_t row = 0; row < f->height * f->depth; row++) {
        char *dst = f->dst + row / f->height * f->slice + row % f->height * f->pitch;

        for (size_t at = 0; at < f->row_bytes; at += STAGE_BYTES)
            if (!take(dst + at, 0,
                      f->row_bytes - at < STAGE_BYTES ? f->row_bytes - at : STAGE_BYTES, &bad))
                return refuse(w, bad);
    }
    return hipSuccess;
}

hipError_t
ls_far_move(struct ls_device *dev, struct ls_work *w)
{
    return w->kind == LS_WORK_COPY ? copy(dev, w) : fill(w);
}
