/* SPDX-License-Identifier: MIT */
/* Kernels' code, which the device's process makes and has, and works that it does. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "device/far/far_priv.h"

struct ls_code {
    struct ls_code *next;
    uint32_t block[3];
    uint64_t there; /* the device's name for it */
    bool ends;
};

/* In ls_kernel_source.priv. */
struct source {
    _Atomic(struct ls_code *) codes; /* written under code_lock */
    uint64_t there;                  /* guarded by code_lock */
} __attribute__((may_alias));
_Static_assert(sizeof(struct source) <= LS_SOURCE_ROOM, "no room");

static pthread_mutex_t code_lock = PTHREAD_MUTEX_INITIALIZER;

static struct source *
source_of(struct ls_kernel_source *src)
{
    return (struct source *)(void *)src->priv[LS_DEVICE_far];
}

static struct ls_code *
find_code(struct ls_kernel_source *src, const uint32_t block[3])
{
    struct ls_code *c =
        atomic_load_explicit(&source_of(src)->codes, memory_order_acquire); /* with what it holds */

    while (c && memcmp(c->block, block, sizeof(c->block)) != 0)
        c = c->next;
    return c;
}

static hipError_t
ask_for_code(struct ls_device *dev, struct ls_kernel_source *src, const uint32_t block[3],
             uint64_t *values)
{
    static const char zeros[LS_FAR_SOURCE_ROOM];
    struct ls_far_call c = {.kind = LS_FAR_GET_CODE,
                            .args = {source_of(src)->there, block[0], block[1], block[2]}};
    struct ls_far_source s = {.name_bytes = strlen(src->name) + 1,
                              .display_bytes = strlen(src->display_name) + 1,
                              .bitcode_bytes = src->bitcode_bytes,
                              .aot_bytes = src->aot ? src->aot_bytes : 0,
                              .warp_size = src->warp_size,
                              .lds_bytes = src->lds_bytes,
                              .max_threads = src->max_threads,
                              .kernarg_bytes = src->kernarg_bytes,
                              .n_globals = src->n_globals};
    char head[LS_FAR_SOURCE_ROOM] = {0}, *names;
    struct iovec in[5];
    hipError_t err;

    _Static_assert(sizeof(s) <= sizeof(head), "no room");
    if (c.args[0])
        return ls_far_call(dev, c, NULL, 0, NULL, NULL, values);
    names = malloc(s.name_bytes + s.display_bytes);
    if (!names)
        return hipErrorOutOfMemory;
    memcpy(s.bitcode_sha256, src->bitcode_sha256, sizeof(s.bitcode_sha256));
    memcpy(head, &s, sizeof(s));
    memcpy(names, src->name, s.name_bytes);
    memcpy(names + s.name_bytes, src->display_name, s.display_bytes);
    in[0] = (struct iovec){head, sizeof(head)};
    in[1] = (struct iovec){(void *)(uintptr_t)src->aot, s.aot_bytes};
    in[2] = (struct iovec){(void *)(uintptr_t)zeros, (64 - s.aot_bytes % 64) % 64};
    in[3] = (struct iovec){(void *)(uintptr_t)src->bitcode, s.bitcode_bytes};
    in[4] = (struct iovec){names, s.name_bytes + s.display_bytes};
    err = ls_far_call(dev, c, in, 5, NULL, NULL, values);
    free(names);
    return err;
}

hipError_t
ls_far_get_code(struct ls_device *dev, struct ls_kernel_source *src, const uint32_t block[3],
                uint64_t distinct, struct ls_code **out)
{
    (void)distinct;
    hipError_t err = hipSuccess;
    uint64_t values[3] = {0};
    struct ls_code *c = find_code(src, block);
    LS_UNCANCELLED();

    *out = c;
    if (c)
        return hipSuccess;
    pthread_mutex_lock(&code_lock);
    *out = find_code(src, block);
    if (!*out) {
        c = calloc(1, sizeof(*c));
        err = c ? ask_for_code(dev, src, block, values) : hipErrorOutOfMemory;
        if (values[0])
            source_of(src)->there = values[0];
        if (err == hipSuccess) {
            *c = (struct ls_code){
                .next = source_of(src)->codes, .there = values[1], .ends = values[2]};
            memcpy(c->block, block, sizeof(c->block));
            atomic_store_explicit(&source_of(src)->codes, c,
                                  memory_order_release); /* publishes what c holds */
            *out = c;
        } else {
            free(c);
        }
    }
    pthread_mutex_unlock(&code_lock);
    return err;
}

void
ls_far_release_kernel(struct ls_device *dev, struct ls_kernel_source *src)
{
    struct source *s = source_of(src);
    struct ls_code *c = atomic_exchange(&s->codes, NULL);

    while (c) {
        struct ls_code *next = c->next;

        free(c);
        c = next;
    }
    if (s->there)
        ls_far_ask(dev, LS_FAR_RELEASE, s->there, 0, 0, 0, NULL);
    s->there = 0;
}

uint32_t
ls_far_max_resident_blocks(struct ls_device *dev, struct ls_kernel_source *source,
                           uint32_t n_threads, uint64_t lds_bytes)
{
    uint64_t n = 0;

    (void)source; /* nothing hangs on it there */
    ls_far_ask(dev, LS_FAR_RESIDENT, n_threads, lds_bytes, 0, 0, &n);
    return (uint32_t)n;
}

void
ls_far_submit(struct ls_device *dev, struct ls_work *w, bool in_order)
{
    static const char zeros[8];
    uint64_t n_failed = atomic_load(&ls_far_failed[dev->part]); /* before `sticky` */
    struct ls_far_work m = {.kind = LS_FAR_SUBMIT,
                            .device = dev->part,
                            .id = (uintptr_t)w,
                            .stream = w->stream,
                            .in_order = in_order,
                            .n_failed = n_failed,
                            .sticky = atomic_load(&dev->sticky),
                            .timed = dev->timed,
                            .printf_bytes = atomic_load(&dev->printf_bytes),
                            .work_kind = w->kind,
                            .priority = w->priority};
    struct iovec more[3] = {{NULL, 0}};
    unsigned n = 0;

    if (w->kind == LS_WORK_COPY) {
        m.copy = w->copy;
    } else if (w->kind == LS_WORK_FILL) {
        m.fill = w->fill;
    } else {
        const struct ls_kernel_source *src = w->kernel.source;

        m.kernel = w->kernel;
        m.kernel.source = (struct ls_kernel_source *)(uintptr_t)source_of(w->kernel.source)->there;
        m.kernel.code = (struct ls_code *)(uintptr_t)w->kernel.code->there;
        m.kernel.kernarg = NULL;
        m.kernel.globals = NULL;
        more[n++] = (struct iovec){(void *)(uintptr_t)w->kernel.kernarg, src->kernarg_bytes};
        more[n++] = (struct iovec){(void *)(uintptr_t)zeros, (8 - src->kernarg_bytes % 8) % 8};
        more[n++] =
            (struct iovec){(void *)(uintptr_t)w->kernel.globals, src->n_globals * sizeof(void *)};
    }
    for (unsigned i = 0; i < n; i++)
        m.bytes += more[i].iov_len;
    ls_far_send_work(&m, more, n);
}

bool
ls_far_ends(const struct ls_work *w)
{
    if (w->kind == LS_WORK_KERNEL)
        return w->kernel.code->ends;
    if (w->kind != LS_WORK_GRAPH)
        return w->kind != LS_WORK_HOST && w->kind != LS_WORK_LATER;
    for (uint32_t i = 0; i < w->graph->n_works; i++)
        if (!ls_far_ends(&w->graph->works[i]))
            return false;
    return true;
}
