/* SPDX-License-Identifier: MIT */
/* Loaded modules: kernel tables, variables and the pointers between them. */
#include "runtime/module/module.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/mem/mem.h"
#include "runtime/queue/queue.h"
#include "runtime/trace/trace.h"

#define GLOBAL_ALIGN 64u
#define MAX_GLOBALS  ((uint64_t)4 << 30) /* as in a code object */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ihipModule_t *modules; /* guarded by lock: all loaded */

static const struct ls_lsbc_global *
globals_of(const struct ihipModule_t *m)
{
    return (const struct ls_lsbc_global *)(const void *)(m->image + m->header->globals_off);
}

static bool
make_kernels(struct ihipModule_t *m, const struct ls_images *images)
{
    const struct ls_lsbc_kernel *list =
        (const struct ls_lsbc_kernel *)(const void *)(m->image + m->header->kernels_off);

    m->kernels = calloc(m->header->n_kernels + 1u, sizeof(*m->kernels));
    if (!m->kernels)
        return false;
    for (uint32_t i = 0; i < m->header->n_kernels; i++) {
        struct ihipModuleSymbol_t *k = &m->kernels[i];

        k->magic = LS_KERNEL_MAGIC;
        k->module = m;
        k->info = &list[i];
        k->args = (const struct ls_lsbc_arg *)(const void *)(m->image + list[i].args_off);
        k->source.name = k->source.display_name = m->image + list[i].name_off;
        k->source.bitcode = m->image + m->header->bitcode_off;
        k->source.bitcode_bytes = m->header->bitcode_bytes;
        memcpy(k->source.bitcode_sha256, m->header->bitcode_sha256, 32);
        k->source.aot = images->lsao;
        k->source.warp_size = m->header->warp_size;
        k->source.lds_bytes = list[i].lds_bytes;
        k->source.max_threads = list[i].max_threads;
    }
    return true;
}

static uint64_t
align_of(const struct ls_lsbc_global *g)
{
    return g->align > GLOBAL_ALIGN ? g->align : GLOBAL_ALIGN;
}

/* Zeroes fresh memory; large parts without touching it. */
static void
zero(char *p, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *lo = (char *)(((uintptr_t)p + page - 1) / page * page);

    if (bytes < 64 * page ||
        madvise(lo, (size_t)(p + bytes - lo) / page * page, MADV_DONTNEED) != 0) {
        memset(p, 0, bytes);
        return;
    }
    memset(p, 0, (size_t)(lo - p));
    lo += (size_t)(p + bytes - lo) / page * page;
    memset(lo, 0, (size_t)(p + bytes - lo));
}

/* Lays the module's own variables out in one allocation and fills them. */
static hipError_t
make_globals(struct ihipModule_t *m)
{
    const struct ls_lsbc_global *list = globals_of(m);
    uint64_t bytes = 0, align = GLOBAL_ALIGN, at = 0;
    void *arena = NULL;
    hipError_t err;

    m->globals = calloc(m->header->n_globals + 1u, sizeof(*m->globals));
    if (!m->globals)
        return hipErrorOutOfMemory;
    for (uint32_t i = 0; i < m->header->n_globals; i++) {
        if (list[i].flags & LS_LSBC_GLOBAL_EXTERN)
            continue;
        bytes = (bytes + align_of(&list[i]) - 1) / align_of(&list[i]) * align_of(&list[i]) +
                (list[i].bytes ? list[i].bytes : 1);
        if (align_of(&list[i]) > align)
            align = align_of(&list[i]);
        if (bytes > MAX_GLOBALS)
            return ls_err(hipErrorOutOfMemory, "more than 4 GiB of variables");
    }
    if (bytes == 0)
        return hipSuccess;
    err = ls_mem_alloc(LS_MEM_GLOBAL, bytes, align, 0, &arena);
    if (err != hipSuccess)
        return err;
    m->arena = arena;
    for (uint32_t i = 0; i < m->header->n_globals; i++) {
        if (list[i].flags & LS_LSBC_GLOBAL_EXTERN)
            continue;
        at = (at + align_of(&list[i]) - 1) / align_of(&list[i]) * align_of(&list[i]);
        m->globals[i] = m->arena + at;
        if (list[i].init_off)
            memcpy(m->globals[i], m->image + list[i].init_off, list[i].bytes);
        else
            zero(m->globals[i], list[i].bytes);
        at += list[i].bytes ? list[i].bytes : 1;
    }
    return hipSuccess;
}

static bool
find_in(const struct ihipModule_t *m, const char *name, uint32_t *index)
{
    const struct ls_lsbc_global *list = globals_of(m);

    for (uint32_t i = 0; i < m->header->n_globals; i++) {
        if (!(list[i].flags & LS_LSBC_GLOBAL_EXTERN) &&
            strcmp(m->image + list[i].name_off, name) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* Lock held. */
static hipError_t
link_module(struct ihipModule_t *m)
{
    const struct ls_lsbc_global *list = globals_of(m);
    const struct ls_lsbc_reloc *relocs =
        (const struct ls_lsbc_reloc *)(const void *)(m->image + m->header->relocs_off);

    for (uint32_t i = 0; i < m->header->n_globals; i++) {
        const char *name = m->image + list[i].name_off;
        uint32_t j;

        for (struct ihipModule_t *o = modules; o && !m->globals[i]; o = o->next)
            if (find_in(o, name, &j))
                m->globals[i] = o->globals[j];
        if (!m->globals[i])
            return ls_err(hipErrorSharedObjectSymbolNotFound, "variable %s is defined nowhere",
                          name);
    }
    for (uint32_t i = 0; i < m->header->n_relocs; i++) {
        /* whatever the addend: the pointer is the device code's business */
        uint64_t value =
            (uint64_t)(uintptr_t)m->globals[relocs[i].target] + (uint64_t)relocs[i].addend;

        memcpy((char *)m->globals[relocs[i].where] + relocs[i].where_off, &value, sizeof(value));
    }
    return hipSuccess;
}

/* A __managed__ variable is storage named "<name>.managed" and a pointer named "<name>". */
static void
point_at_managed(struct ihipModule_t *m)
{
    static const char suffix[] = ".managed";
    const struct ls_lsbc_global *list = globals_of(m);

    for (uint32_t i = 0; i < m->header->n_globals; i++) {
        const char *name = m->image + list[i].name_off;
        size_t n = strlen(name);
        char plain[512];
        uint32_t j;

        if (n <= sizeof(suffix) || n >= sizeof(plain) || !m->globals[i] ||
            strcmp(name + n - (sizeof(suffix) - 1), suffix) != 0)
            continue;
        memcpy(plain, name, n + 1);
        plain[n - (sizeof(suffix) - 1)] = 0;
        if (find_in(m, plain, &j) && list[j].bytes == sizeof(void *))
            memcpy(m->globals[j], &m->globals[i], sizeof(void *));
    }
}

static void
destroy(struct ihipModule_t *m)
{
    if (!m)
        return;
    m->magic = 0;
    for (uint32_t i = 0; m->kernels && i < m->header->n_kernels; i++)
        ls_rt.dev.ops->module.release_kernel(&ls_rt.dev, &m->kernels[i].source);
    if (m->arena)
        ls_mem_free(m->arena, 1u << LS_MEM_GLOBAL);
    free(m->kernels);
    free(m->globals);
    free(m->copy);
    free(m);
}

/* Copies the images to memory of the module's own. */
static bool
copy_images(struct ihipModule_t *m, struct ls_images *images)
{
    size_t lsbc = (images->lsbc_bytes + 63) / 64 * 64, lsao = images->lsao ? images->lsao_bytes : 0;
    char *copy = aligned_alloc(64, (lsbc + lsao + 63) / 64 * 64);

    if (!copy)
        return false;
    memcpy(copy, images->lsbc, images->lsbc_bytes);
    images->lsbc = copy;
    if (images->lsao) {
        memcpy(copy + lsbc, images->lsao, lsao);
        images->lsao = copy + lsbc;
    }
    m->copy = copy;
    return true;
}

hipError_t
ls_module_load(const void *data, size_t bytes, bool copy, struct ihipModule_t **out)
{
    hipError_t err = hipSuccess;
    struct ihipModule_t *m = calloc(1, sizeof(*m));
    struct ls_images images;

    *out = NULL;
    if (!m)
        return hipErrorOutOfMemory;
    LS_TRY(ls_fatbin_find(data, bytes, ls_rt.arch, &images));
    if ((copy || (uintptr_t)images.lsbc % 8 != 0 || (uintptr_t)images.lsao % 8 != 0) &&
        !copy_images(m, &images))
        LS_TRY(hipErrorOutOfMemory);
    if (!ls_lsbc_is_sound(images.lsbc, images.lsbc_bytes))
        LS_TRY(ls_err(hipErrorInvalidImage, "the LSBC image is broken"));
    if (images.lsao && !ls_lsao_is_sound(images.lsao, images.lsao_bytes)) {
        ls_log(LS_LOG_WARN, "code made ahead of time is broken: ignored");
        images.lsao = NULL;
    }
    m->image = images.lsbc;
    m->header = (const struct ls_lsbc_header *)(const void *)m->image;
    ls_trace_code_object(m->image + m->header->bitcode_off, m->header->bitcode_bytes);
    if (m->header->warp_size != ls_rt.warp_size)
        LS_TRY(ls_err(hipErrorNoBinaryForGpu, "%s code with warps of %u", ls_rt.arch,
                      m->header->warp_size));
    if (!make_kernels(m, &images))
        LS_TRY(hipErrorOutOfMemory);
    LS_TRY(make_globals(m));
    pthread_mutex_lock(&lock);
    err = link_module(m);
    if (err == hipSuccess) {
        point_at_managed(m);
        m->magic = LS_MODULE_MAGIC;
        m->next = modules;
        modules = m;
    }
    pthread_mutex_unlock(&lock);
    if (err == hipSuccess) {
        *out = m;
        m = NULL;
    }
out:
    destroy(m);
    return err;
}

void
ls_module_unload(struct ihipModule_t *m)
{
    struct ihipModule_t **at = &modules;

    ls_queue_wait_all();
    pthread_mutex_lock(&lock);
    while (*at && *at != m)
        at = &(*at)->next;
    if (*at)
        *at = m->next;
    pthread_mutex_unlock(&lock);
    destroy(m);
}

bool
ls_module_is_valid(const struct ihipModule_t *module)
{
    const struct ihipModule_t *m;

    pthread_mutex_lock(&lock);
    for (m = modules; m && m != module; m = m->next)
        ;
    pthread_mutex_unlock(&lock);
    return m != NULL;
}

bool
ls_kernel_is_valid(const struct ihipModuleSymbol_t *function)
{
    return function && (uintptr_t)function % _Alignof(struct ihipModuleSymbol_t) == 0 &&
           function->magic == LS_KERNEL_MAGIC;
}

struct ihipModuleSymbol_t *
ls_module_find_kernel(struct ihipModule_t *m, const char *name)
{
    for (uint32_t i = 0; i < m->header->n_kernels; i++)
        if (strcmp(m->kernels[i].source.name, name) == 0)
            return &m->kernels[i];
    return NULL;
}

bool
ls_module_find_global(struct ihipModule_t *m, const char *name, void **ptr, size_t *bytes)
{
    uint32_t i;

    if (!find_in(m, name, &i))
        return false;
    *ptr = m->globals[i];
    *bytes = globals_of(m)[i].bytes;
    return true;
}
