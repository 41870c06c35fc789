/* SPDX-License-Identifier: MIT */
/* Loaded modules: kernel tables, variables and the pointers between them. */
#include "base/codeobject.h"
#include "check/check.h"
#include "runtime/module/module.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/mem/mem.h"
#include "runtime/queue/queue.h"
#include "runtime/trace/trace.h"

#define GLOBAL_ALIGN         64u
#define MAX_GLOBALS          ((uint64_t)4 << 30) /* the limit that code objects have, too */
#define MANAGED_SUFFIX_BYTES (sizeof(LS_MANAGED_SUFFIX) - 1)

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
    m->facts = calloc(m->header->n_kernels + 1u, sizeof(*m->facts));
    if (!m->kernels || !m->facts)
        return false;
    for (uint32_t i = 0; i < m->header->n_kernels; i++) {
        struct ihipModuleSymbol_t *k = &m->kernels[i];

        k->magic = LS_KERNEL_MAGIC;
        k->module = m;
        k->info = &list[i];
        k->facts = &m->facts[i];
        k->args = (const struct ls_lsbc_arg *)(const void *)(m->image + list[i].args_off);
        k->source.name = k->source.display_name = m->image + list[i].name_off;
        k->source.bitcode = m->image + m->header->bitcode_off;
        k->source.bitcode_bytes = m->header->bitcode_bytes;
        memcpy(k->source.bitcode_sha256, m->header->bitcode_sha256, 32);
        k->source.aot = images->lsao;
        k->source.aot_bytes = images->lsao_bytes;
        k->source.warp_size = m->header->warp_size;
        k->source.lds_bytes = list[i].lds_bytes;
        k->source.max_threads = list[i].max_threads;
        k->source.launches = (list[i].flags & LS_LSBC_KERNEL_LAUNCHES) != 0;
        k->source.kernarg_bytes = list[i].kernarg_bytes;
        k->source.args = k->args;
        k->source.n_args = list[i].n_args;
        k->source.n_globals = m->header->n_globals;
        k->source.next = &m->kernels[(i + 1) % m->header->n_kernels].source;
    }
    return true;
}

static uint64_t
align_of(const struct ls_lsbc_global *g)
{
    return g->align > GLOBAL_ALIGN ? g->align : GLOBAL_ALIGN;
}

static bool
is_managed(const char *name)
{
    size_t n = strlen(name);

    return n > MANAGED_SUFFIX_BYTES &&
           strcmp(name + n - MANAGED_SUFFIX_BYTES, LS_MANAGED_SUFFIX) == 0;
}

/* Whether this device has a variable of its own, and in which of its two arenas: definitions, but
 * managed ones only once. */
static bool
has_own(const struct ihipModule_t *m, uint32_t device, const struct ls_lsbc_global *g, bool managed)
{
    if (g->flags & LS_LSBC_GLOBAL_EXTERN || is_managed(m->image + g->name_off) != managed)
        return false;
    return device == m->home || !managed;
}

/* Bytes that a variable takes, with those behind it that belong to none. */
static uint64_t
room_of(const struct ls_lsbc_global *g)
{
    return (g->bytes ? g->bytes : 1) + (ls_checks() ? LS_CHECK_GAP : 0);
}

/* Lays the variables that the device has of its own out in one allocation and fills them. */
static hipError_t
make_arena(struct ihipModule_t *m, uint32_t device, bool managed, char **arena, void **globals)
{
    struct ls_device *dev = &ls_rt.gpus[device].dev;
    const struct ls_lsbc_global *list = globals_of(m);
    uint64_t bytes = 0, align = GLOBAL_ALIGN, at = 0;
    void *memory = NULL;
    hipError_t err;

    for (uint32_t i = 0; i < m->header->n_globals; i++) {
        if (!has_own(m, device, &list[i], managed))
            continue;
        bytes = (bytes + align_of(&list[i]) - 1) / align_of(&list[i]) * align_of(&list[i]) +
                room_of(&list[i]);
        if (align_of(&list[i]) > align)
            align = align_of(&list[i]);
        if (bytes > MAX_GLOBALS)
            return ls_err(hipErrorOutOfMemory, "more than 4 GiB of variables");
    }
    if (bytes == 0)
        return hipSuccess;
    err = ls_mem_alloc_as(device, LS_MEM_GLOBAL, managed ? LS_MEMORY_MANAGED : LS_MEMORY_DEVICE,
                          bytes, align, 0, &memory);
    if (err != hipSuccess)
        return err;
    *arena = memory;
    for (uint32_t i = 0; i < m->header->n_globals; i++) {
        if (!has_own(m, device, &list[i], managed))
            continue;
        at = (at + align_of(&list[i]) - 1) / align_of(&list[i]) * align_of(&list[i]);
        globals[i] = *arena + at;
        if (list[i].init_off)
            dev->ops->mem.write(dev, globals[i], m->image + list[i].init_off, list[i].bytes);
        else
            dev->ops->mem.zero(dev, globals[i], list[i].bytes);
        if (list[i].flags & LS_LSBC_GLOBAL_CONSTANT)
            ls_check_allow_reads(globals[i], list[i].bytes, m->image + list[i].name_off);
        else
            ls_check_allow(globals[i], list[i].bytes, m->image + list[i].name_off);
        at += room_of(&list[i]);
    }
    return hipSuccess;
}

static hipError_t
make_globals(struct ihipModule_t *m, uint32_t device, void **globals)
{
    hipError_t err = make_arena(m, device, false, &m->arenas[device], globals);

    return err == hipSuccess && device == m->home
               ? make_arena(m, device, true, &m->managed_arena, globals)
               : err;
}

/* Gives back what make_globals has made, of one device. */
static void
free_globals(struct ihipModule_t *m, uint32_t device)
{
    void **own = atomic_load(&m->globals[device]);

    for (uint32_t i = 0; own && i < m->header->n_globals; i++)
        if (has_own(m, device, &globals_of(m)[i], false) ||
            has_own(m, device, &globals_of(m)[i], true))
            ls_check_forbid(own[i]);
    ls_mem_free(m->arenas[device], 1u << LS_MEM_GLOBAL);
    m->arenas[device] = NULL;
    if (device == m->home) {
        ls_mem_free(m->managed_arena, 1u << LS_MEM_GLOBAL);
        m->managed_arena = NULL;
    }
}

/* Lets a variable that is a pointer point there. */
static void
point(uint32_t device, void *variable, uint64_t to)
{
    struct ls_device *dev = &ls_rt.gpus[device].dev;

    dev->ops->mem.write(dev, variable, &to, sizeof(to));
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

static hipError_t instantiate(struct ihipModule_t *m, uint32_t device, void ***out);

/* A variable that another module defines. Lock held. */
static hipError_t
find_elsewhere(const char *name, uint32_t device, void **ptr)
{
    for (struct ihipModule_t *o = modules; o; o = o->next) {
        hipError_t err;
        void **globals;
        uint32_t j;

        if (!find_in(o, name, &j))
            continue;
        err = instantiate(o, o->bound ? o->home : device, &globals);
        if (err == hipSuccess)
            *ptr = globals[j];
        return err;
    }
    return ls_err(hipErrorSharedObjectSymbolNotFound, "variable %s is defined nowhere", name);
}

/* Lock held. */
static hipError_t
link_globals(struct ihipModule_t *m, uint32_t device, void **globals)
{
    const struct ls_lsbc_global *list = globals_of(m);
    const struct ls_lsbc_reloc *relocs =
        (const struct ls_lsbc_reloc *)(const void *)(m->image + m->header->relocs_off);
    hipError_t err = hipSuccess;

    for (uint32_t i = 0; i < m->header->n_globals; i++) {
        if (globals[i])
            continue;
        if (!(list[i].flags & LS_LSBC_GLOBAL_EXTERN)) /* managed, made elsewhere */
            globals[i] = m->globals[m->home][i];
        else
            LS_TRY(find_elsewhere(m->image + list[i].name_off, device, &globals[i]));
    }
    for (uint32_t i = 0; i < m->header->n_relocs; i++) {
        /* the addend may lead anywhere: only device code follows this pointer */
        uint64_t value =
            (uint64_t)(uintptr_t)globals[relocs[i].target] + (uint64_t)relocs[i].addend;

        point(device, (char *)globals[relocs[i].where] + relocs[i].where_off, value);
    }
out:
    return err;
}

/* A __managed__ variable is storage named "<name>.managed" and a pointer named "<name>". */
static void
point_at_managed(struct ihipModule_t *m, uint32_t device, void **globals)
{
    const struct ls_lsbc_global *list = globals_of(m);

    for (uint32_t i = 0; i < m->header->n_globals; i++) {
        const char *name = m->image + list[i].name_off;
        size_t n = strlen(name);
        char plain[512];
        uint32_t j;

        if (!is_managed(name) || n >= sizeof(plain) || !globals[i])
            continue;
        memcpy(plain, name, n + 1);
        plain[n - MANAGED_SUFFIX_BYTES] = 0;
        if (find_in(m, plain, &j) && list[j].bytes == sizeof(void *))
            point(device, globals[j], (uintptr_t)globals[i]);
    }
    for (const struct ls_managed *p = m->managed; p; p = p->next)
        point(device, globals[p->index], (uintptr_t)p->storage);
}

/* The variables of a device, made when they are missing. Lock held. */
static hipError_t
instantiate(struct ihipModule_t *m, uint32_t device, void ***out)
{
    void **globals = atomic_load(&m->globals[device]);
    hipError_t err = hipSuccess;

    *out = globals;
    if (globals)
        return hipSuccess;
    if (strcmp(m->arch, ls_rt.gpus[device].info.arch) != 0)
        return ls_err(hipErrorNoBinaryForGpu, "a module for %s on device %u, which is %s", m->arch,
                      device, ls_rt.gpus[device].info.arch);
    globals = calloc(m->header->n_globals + 1u, sizeof(*globals));
    if (!globals)
        return hipErrorOutOfMemory;
    LS_TRY(make_globals(m, device, globals));
    LS_TRY(link_globals(m, device, globals));
    point_at_managed(m, device, globals);
    atomic_store_explicit(&m->globals[device], globals, memory_order_release); /* filled */
    *out = globals;
    globals = NULL;
out:
    if (err != hipSuccess)
        free_globals(m, device);
    free(globals);
    return err;
}

hipError_t
ls_module_globals(struct ihipModule_t *m, uint32_t device, void ***out)
{
    hipError_t err;

    *out = atomic_load_explicit(&m->globals[device], memory_order_acquire); /* filled */
    if (*out)
        return hipSuccess;
    if (m->bound)
        return ls_err(hipErrorInvalidDevice, "the module is loaded on device %u", m->home);
    pthread_mutex_lock(&lock);
    err = instantiate(m, device, out);
    pthread_mutex_unlock(&lock);
    return err;
}

void
ls_module_prepare(struct ihipModule_t *m, struct ls_device *dev, const uint32_t block[3],
                  bool early)
{
    uint32_t bit = 1u << dev->index, n = m->header->n_kernels;
    struct ls_kernel_source **list;
    atomic_uint *prepared;

    if (!dev->ops->module.prepare)
        return;
    prepared = &m->prepared[dev->ops->module.shape_class(block)];
    if (atomic_load(prepared) & bit || atomic_fetch_or(prepared, bit) & bit)
        return;
    list = malloc(n * sizeof(*list));
    for (uint32_t i = 0; list && i < n; i++)
        list[i] = &m->kernels[i].source;
    if (!list || !dev->ops->module.prepare(dev, list, n, block, early))
        atomic_fetch_and(prepared, ~bit);
    free(list);
}

void
ls_module_set_managed(struct ihipModule_t *m, const char *name, void *storage)
{
    struct ls_managed *p = malloc(sizeof(*p));
    uint32_t i;

    pthread_mutex_lock(&lock);
    if (p && find_in(m, name, &i) && globals_of(m)[i].bytes == sizeof(void *)) {
        *p = (struct ls_managed){m->managed, i, storage};
        m->managed = p;
        p = NULL;
        for (uint32_t d = 0; d < LS_MAX_DEVICES; d++)
            if (m->globals[d])
                point(d, m->globals[d][i], (uintptr_t)storage);
    }
    pthread_mutex_unlock(&lock);
    free(p);
}

static void
destroy(struct ihipModule_t *m)
{
    if (!m)
        return;
    m->magic = 0;
    for (uint32_t i = 0; m->kernels && i < m->header->n_kernels; i++) {
        m->kernels[i].magic = 0;
        for (uint32_t k = 0; k < ls_rt.n_kinds; k++)
            ls_rt.kinds[k]->ops->module.release_kernel(ls_rt.kinds[k], &m->kernels[i].source);
    }
    for (uint32_t i = 0; i < LS_MAX_DEVICES; i++) {
        free_globals(m, i);
        free(m->globals[i]);
    }
    while (m->managed) {
        struct ls_managed *next = m->managed->next;

        free(m->managed);
        m->managed = next;
    }
    free(m->kernels);
    free(m->facts);
    free(m->copy);
    free(m);
}

/* Copies the images to memory of the module's own. */
static bool
copy_images(struct ihipModule_t *m, struct ls_images *images)
{
    size_t lsbc = (images->lsbc_bytes + 63) / 64 * 64, lsao = images->lsao ? images->lsao_bytes : 0;
    size_t lsao_room = (lsao + 63) / 64 * 64, notes_bytes = 0;
    const void *notes =
        images->code ? ls_codeobject_notes(images->code, images->code_bytes, &notes_bytes) : NULL;
    char *copy = aligned_alloc(64, lsbc + lsao_room + (notes_bytes + 63) / 64 * 64);

    if (!copy)
        return false;
    if (notes) {
        m->notes = memcpy(copy + lsbc + lsao_room, notes, notes_bytes);
        m->notes_bytes = notes_bytes;
    }
    images->code = NULL;
    memcpy(copy, images->lsbc, images->lsbc_bytes);
    images->lsbc = copy;
    if (images->lsao) {
        memcpy(copy + lsbc, images->lsao, lsao);
        images->lsao = copy + lsbc;
    }
    m->copy = copy;
    return true;
}

/* The hashes are looked at here and nowhere else but for objects made ahead of time: what accidents
 * did to an image is no business of the compiler. */
static hipError_t
check(const struct ls_images *images)
{
    uint32_t version;

    if (!ls_lsbc_is_sound(images->lsbc, images->lsbc_bytes)) {
        version = LS_LSBC_VERSION;
        if (images->lsbc_bytes >= 8)
            memcpy(&version, images->lsbc + 4, 4);
        if (version != LS_LSBC_VERSION)
            return ls_err(hipErrorInvalidImage,
                          "an image of version %u, not %u: built by another hipcc", version,
                          LS_LSBC_VERSION);
        return ls_err(hipErrorInvalidImage, "the LSBC image is broken");
    }
    if (!ls_lsbc_is_sealed(images->lsbc))
        return ls_err(hipErrorInvalidImage,
                      "the LSBC image is damaged: it is not what its hashes are of");
    if (images->lsao &&
        (!ls_lsao_is_sound(images->lsao, images->lsao_bytes) || !ls_lsao_is_sealed(images->lsao)))
        return ls_err(hipErrorInvalidImage, "the code made ahead of time is damaged");
    return hipSuccess;
}

/* If it is still open which architecture the devices answer as, it becomes that of the module. */
static void
take_arch(const void *data, size_t bytes)
{
    struct ls_images images;
    struct ls_lsbc_header h;
    char arch[64];

    if (!atomic_load(&ls_rt.arch_is_open) || !ls_fatbin_choose(data, bytes, arch, sizeof(arch)) ||
        ls_fatbin_find(data, bytes, arch, &images) != hipSuccess || images.lsbc_bytes < sizeof(h))
        return;
    memcpy(&h, images.lsbc, sizeof(h)); /* copied, as it may not be aligned */
    if (h.n_kernels > 0 && (h.warp_size == 32 || h.warp_size == 64))
        ls_arch_take(arch, h.warp_size);
}

/* Logs that the module is for another architecture, which had been told to the program before. */
static void
say_other_arch(const void *data, size_t bytes)
{
    char arch[64];

    if (ls_rt.arch_was_open && ls_fatbin_choose(data, bytes, arch, sizeof(arch)) &&
        strcmp(arch, ls_rt.arch) != 0)
        ls_log(LS_LOG_ERROR,
               "a module for %s: the devices have answered as %s, as this program has no device "
               "code to tell; load it "
               "before asking for properties, or set LOCKSTEP_ARCH=%s",
               arch, ls_rt.arch, arch);
}

hipError_t
ls_module_load(const void *data, size_t bytes, bool copy, bool bound, struct ihipModule_t **out)
{
    hipError_t err = hipSuccess;
    struct ihipModule_t *m = calloc(1, sizeof(*m));
    struct ls_images images;
    void **globals, *plain = NULL;

    *out = NULL;
    if (!m)
        return hipErrorOutOfMemory;
    LS_TRY(ls_fatbin_unpack(&data, &bytes, &plain));
    take_arch(data, bytes);
    memcpy(m->arch, ls_limits()->arch, sizeof(m->arch));
    err = ls_fatbin_find(data, bytes, m->arch, &images);
    if (err == hipErrorNoBinaryForGpu)
        say_other_arch(data, bytes);
    LS_TRY(err);
    if ((copy || plain || (uintptr_t)images.lsbc % 8 != 0 || (uintptr_t)images.lsao % 8 != 0) &&
        !copy_images(m, &images))
        LS_TRY(hipErrorOutOfMemory);
    LS_TRY(check(&images));
    m->image = images.lsbc;
    m->header = (const struct ls_lsbc_header *)(const void *)m->image;
    m->code = images.code;
    m->code_bytes = images.code_bytes;
    ls_trace_code_object(m->image + m->header->bitcode_off, m->header->bitcode_bytes);
    if (m->header->warp_size != ls_limits()->warp_size && m->header->n_kernels > 0)
        LS_TRY(ls_err(hipErrorNoBinaryForGpu, "%s code with warps of %u", m->arch,
                      m->header->warp_size));
    if (!make_kernels(m, &images))
        LS_TRY(hipErrorOutOfMemory);
    m->home = ls_gpu_current()->dev.index;
    m->bound = bound;
    pthread_mutex_lock(&lock);
    err = instantiate(m, m->home, &globals);
    if (err == hipSuccess) {
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
    free(plain);
    return err;
}

void
ls_module_unload(struct ihipModule_t *m)
{
    struct ihipModule_t **at = &modules;

    ls_queue_wait_all(NULL);
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
ls_module_find_global(struct ihipModule_t *m, uint32_t device, const char *name, void **ptr,
                      size_t *bytes)
{
    void **globals;
    uint32_t i;

    if (!find_in(m, name, &i) ||
        ls_module_globals(m, m->bound ? m->home : device, &globals) != hipSuccess)
        return false;
    *ptr = globals[i];
    *bytes = globals_of(m)[i].bytes;
    return true;
}

static void
read_resources(const struct ihipModuleSymbol_t *k, struct ls_resources *out)
{
    const struct ihipModule_t *m = k->module;
    const void *notes = m->notes;
    size_t bytes = m->notes_bytes;

    if (m->code)
        notes = ls_codeobject_notes(m->code, m->code_bytes, &bytes);
    if (notes && ls_codeobject_kernel(notes, bytes, k->source.name, out) &&
        out->wave == k->source.warp_size)
        return;
    *out = (struct ls_resources){.vgprs =
                                     ls_arch_free_vgprs(ls_arch_find(m->arch), k->source.warp_size),
                                 .private_bytes = k->info->private_bytes,
                                 .lds_bytes = k->info->lds_bytes,
                                 .max_threads = k->info->max_threads,
                                 .wave = k->source.warp_size,
                                 .is_wgp_mode = true};
}

const struct ls_resources *
ls_kernel_resources(const struct ihipModuleSymbol_t *k)
{
    struct ls_kernel_facts *f = k->facts;

    if (!atomic_load_explicit(&f->known, memory_order_acquire)) { /* with what is known */
        pthread_mutex_lock(&lock);
        if (!atomic_load(&f->known))
            read_resources(k, &f->resources);
        atomic_store_explicit(&f->known, true, memory_order_release);
        pthread_mutex_unlock(&lock);
    }
    return &f->resources;
}
