/* SPDX-License-Identifier: MIT */
/* What compiled programs register before main: fat binaries, kernels, variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "check/check.h"
#include "runtime/core/ptrtable.h"
#include "runtime/mem/mem.h"
#include "runtime/module/module.h"
#include "runtime/module/register.h"

#define LS_WARM_THREADS 256u /* of a usual block */

struct ls_registered {
    struct ls_registered *next;
    const void *host;
    char *name;
    size_t bytes;
    struct ls_fatbin *fatbin;
    _Atomic(struct ihipModuleSymbol_t *) kernel;
    bool managed;
    void *ptrs[LS_MAX_DEVICES]; /* addresses of a variable, once found; of a managed one only the
                                   first. Guarded by lock */
};

struct ls_fatbin {
    struct ls_fatbin *next;
    const void *binary;
    size_t bytes;                /* SIZE_MAX: not known */
    void *plain;                 /* owned: the bundle inside a compressed one. Guarded by lock */
    struct ihipModule_t *module; /* guarded by lock: loaded at first use */
    hipError_t err;
    struct ls_registered *regs;
    int n_refs;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* before the module lock */
static struct ls_fatbin *fatbins;                        /* guarded by lock: newest first */
static struct ls_ptrtable functions, variables;

/* Looks inside a compressed bundle, once; what can't be read stays as it is, which load() says.
 * Lock held. */
static const void *
plain_binary(struct ls_fatbin *f)
{
    if (f->binary && !f->plain)
        ls_fatbin_unpack(&f->binary, &f->bytes, &f->plain);
    return f->binary;
}

bool
ls_module_choose_arch(char *arch, size_t bytes)
{
    struct ls_fatbin *first = NULL;
    bool found;

    pthread_mutex_lock(&lock);
    for (struct ls_fatbin *f = fatbins; f; f = f->next)
        if (f->binary)
            first = f;
    found = first && ls_fatbin_choose(plain_binary(first), first->bytes, arch, bytes);
    pthread_mutex_unlock(&lock);
    if (!first)
        found = ls_program_choose_arch(arch, bytes);
    if (!found)
        snprintf(arch, bytes, "%s", LS_DEFAULT_ARCH);
    return found;
}

uint32_t
ls_module_warp_size(const char *arch)
{
    struct ls_images images = {0};
    uint32_t size = 0;

    pthread_mutex_lock(&lock);
    for (struct ls_fatbin *f = fatbins; f && !size; f = f->next)
        if (f->binary && ls_fatbin_find(plain_binary(f), f->bytes, arch, &images) == hipSuccess &&
            images.lsbc && ls_lsbc_is_sound(images.lsbc, images.lsbc_bytes))
            size = ((const struct ls_lsbc_header *)(const void *)images.lsbc)->warp_size;
    pthread_mutex_unlock(&lock);
    return size;
}

const void *
ls_module_aot(const char *arch)
{
    struct ls_images images = {0};
    const void *found = NULL;

    pthread_mutex_lock(&lock);
    for (struct ls_fatbin *f = fatbins; f && !found; f = f->next)
        if (f->binary && ls_fatbin_find(plain_binary(f), f->bytes, arch, &images) == hipSuccess &&
            images.lsao && (uintptr_t)images.lsao % 8 == 0 &&
            ls_lsao_is_sound(images.lsao, images.lsao_bytes))
            found = images.lsao;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Lock held. */
static hipError_t
load(struct ls_fatbin *f)
{
    if (f->module)
        return hipSuccess;
    if (f->err != hipSuccess &&
        f->err != hipErrorOutOfMemory) /* out of memory: that may have passed, so try again */
        return f->err;
    if (!f->binary)
        f->err = hipErrorInvalidImage;
    else
        f->err = ls_module_load(plain_binary(f), f->bytes, false, false, &f->module);
    if (f->err != hipSuccess && f->err != hipErrorOutOfMemory)
        ls_log(LS_LOG_ERROR, "this program's device code can't be used on %s: %s%s",
               ls_limits()->arch, ls_error_name(f->err),
               f->err == hipErrorNoBinaryForGpu
                   ? " (built for another architecture, or not by our hipcc?)"
                   : "");
    return f->err;
}

struct ls_fatbin *
ls_register_fatbin(const void *wrapper)
{
    struct ls_fatbin *f = calloc(1, sizeof(*f));
    const void *binary = ls_fatbin_unwrap(wrapper);

    if (!f)
        return NULL;
    f->bytes = SIZE_MAX;
    if (binary != wrapper)
        f->binary = binary;
    else
        ls_log(LS_LOG_ERROR, "a fat binary with an unknown wrapper was registered");
    pthread_mutex_lock(&lock);
    f->next = fatbins;
    fatbins = f;
    pthread_mutex_unlock(&lock);
    return f;
}

void
ls_unregister_fatbin(struct ls_fatbin *f)
{
    struct ls_fatbin **at = &fatbins;

    if (f->module)
        ls_module_unload(f->module);
    pthread_mutex_lock(&lock);
    while (*at && *at != f)
        at = &(*at)->next;
    if (*at)
        *at = f->next;
    for (struct ls_registered *r = f->regs, *next; r; r = next) {
        next = r->next;
        if (ls_ptrtable_find(&functions, r->host) == r)
            ls_ptrtable_set(&functions, r->host, NULL);
        if (ls_ptrtable_find(&variables, r->host) == r)
            ls_ptrtable_set(&variables, r->host, NULL);
        free(r->name);
        free(r);
    }
    if (!fatbins) {
        ls_ptrtable_fini(&functions);
        ls_ptrtable_fini(&variables);
    }
    pthread_mutex_unlock(&lock);
    free(f->plain);
    free(f);
}

static struct ls_registered *
add(struct ls_fatbin *f, struct ls_ptrtable *table, const void *host, const char *name,
    size_t bytes)
{
    struct ls_registered *r = f && host && name ? calloc(1, sizeof(*r)) : NULL;
    bool ok;

    if (!r || !(r->name = strdup(name))) {
        free(r);
        return NULL;
    }
    r->host = host;
    r->bytes = bytes;
    r->fatbin = f;
    pthread_mutex_lock(&lock);
    ok = ls_ptrtable_set(table, host, r);
    r->next = f->regs;
    f->regs = r;
    pthread_mutex_unlock(&lock);
    if (!ok)
        ls_log(LS_LOG_ERROR, "no memory to register %s", name);
    return r;
}

struct ls_registered *
ls_register_kernel(struct ls_fatbin *f, const void *host, const char *name)
{
    return add(f, &functions, host, name, 0);
}

struct ls_registered *
ls_register_var(struct ls_fatbin *f, const void *host, const char *name, size_t bytes)
{
    return add(f, &variables, host, name, bytes);
}

void
ls_register_managed(struct ls_registered *r, void **pointer, const void *init, unsigned align)
{
    struct ls_fatbin *f = r->fatbin;
    char storage[512];
    size_t found;
    void **ptr;

    pthread_mutex_lock(&lock);
    snprintf(storage, sizeof(storage), "%s" LS_MANAGED_SUFFIX, r->name);
    r->managed = true;
    ptr = &r->ptrs[0];
    if (load(f) != hipSuccess || !ls_module_find_global(f->module, 0, storage, ptr, &found)) {
        /* No device code has storage for it, but the host needs some all the same. */
        if (ls_mem_alloc_as(ls_gpu_current()->dev.index, LS_MEM_GLOBAL, LS_MEMORY_MANAGED, r->bytes,
                            align > 64 ? align : 64, 0, ptr) == hipSuccess)
            memcpy(*ptr, init, r->bytes);
        ls_check_allow(*ptr, r->bytes, r->name);
        if (f->module)
            ls_module_set_managed(f->module, r->name, *ptr);
    }
    *pointer = *ptr;
    pthread_mutex_unlock(&lock);
}

hipError_t
ls_registered_kernel(const void *host, struct ihipModuleSymbol_t **out)
{
    struct ls_registered *r = host ? ls_ptrtable_find(&functions, host) : NULL;
    struct ihipModuleSymbol_t *k;
    hipError_t err;

    if (!r)
        return ls_err(hipErrorInvalidDeviceFunction, "%p is no kernel", host);
    *out = atomic_load_explicit(&r->kernel, memory_order_acquire); /* with what it points to */
    if (*out)
        return hipSuccess;
    LS_UNCANCELLED();
    pthread_mutex_lock(&lock);
    err = load(r->fatbin);
    if (err == hipSuccess) {
        k = ls_module_find_kernel(r->fatbin->module, r->name);
        if (!k)
            err = ls_err(hipErrorInvalidDeviceFunction, "no device code for %s", r->name);
        *out = k;
        atomic_store_explicit(&r->kernel, k, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return err;
}

void
ls_registered_warm_up(struct ls_device *dev)
{
    static const uint32_t row[3] = {LS_WARM_THREADS, 1, 1};
    static atomic_uint warm; /* bits of devices */
    uint32_t bit = 1u << dev->index;

    if (!dev->ops->module.prepare || atomic_load(&warm) & bit || atomic_fetch_or(&warm, bit) & bit)
        return;
    LS_UNCANCELLED();
    pthread_mutex_lock(&lock);
    for (struct ls_fatbin *f = fatbins; f; f = f->next) {
        struct ls_images images = {0};

        if (!f->binary || f->err != hipSuccess ||
            ls_fatbin_find(plain_binary(f), f->bytes, ls_limits()->arch, &images) != hipSuccess ||
            !images.lsao)
            continue;
        if (load(f) == hipSuccess)
            ls_module_prepare(f->module, dev, row, true);
    }
    pthread_mutex_unlock(&lock);
}

hipError_t
ls_registered_var(const void *host, void **ptr, size_t *bytes)
{
    struct ls_registered *r = host ? ls_ptrtable_find(&variables, host) : NULL;
    uint32_t device = r && !r->managed ? ls_gpu_current()->dev.index : 0;
    hipError_t err = hipSuccess;
    void **at;
    size_t n;

    if (!r)
        return ls_err(hipErrorInvalidSymbol, "%p is no device variable", host);
    pthread_mutex_lock(&lock);
    at = &r->ptrs[device];
    if (!*at)
        err = load(r->fatbin);
    if (err == hipSuccess && !*at &&
        !ls_module_find_global(r->fatbin->module, device, r->name, at, &n))
        err = ls_err(hipErrorInvalidSymbol, "no device variable %s", r->name);
    *ptr = *at;
    *bytes = r->bytes;
    pthread_mutex_unlock(&lock);
    return err;
}

hipError_t
ls_registered_part(const void *host, size_t bytes, size_t offset, char **ptr)
{
    size_t size;
    void *base;
    hipError_t err = ls_registered_var(host, &base, &size);

    if (err != hipSuccess)
        return err;
    if (offset > size || bytes > size - offset)
        return ls_err(hipErrorInvalidValue, "%zu bytes at %zu of a variable of %zu", bytes, offset,
                      size);
    *ptr = (char *)base + offset;
    return hipSuccess;
}
