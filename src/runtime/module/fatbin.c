/* SPDX-License-Identifier: MIT */
/* Reads offload bundles and checks the images in them, trusting nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "runtime/module/module.h"

static bool
lies_in(uint64_t off, uint64_t n, uint64_t bytes)
{
    return off <= bytes && n <= bytes - off;
}

/* "gfx90a" matches "gfx90a" and, but for contradicting features, "gfx90a:xnack-". */
static bool
arch_matches(const char *have, const char *want)
{
    size_t n = strcspn(want, ":");

    return strncmp(have, want, n) == 0 && (have[n] == 0 || have[n] == ':');
}

static bool
bare_image(const char *base, size_t bytes, const char *arch, struct ls_images *images,
           hipError_t *err)
{
    struct ls_lsbc_header h;

    if (bytes < sizeof(h) || memcmp(base, "LSBC", 4) != 0)
        return false;
    memcpy(&h, base, sizeof(h));
    if (h.image_bytes > bytes || h.image_bytes > (uint64_t)1 << 40 ||
        !memchr(h.arch, 0, sizeof(h.arch))) {
        *err = hipErrorInvalidImage;
        return true;
    }
    images->lsbc = base;
    images->lsbc_bytes = h.image_bytes;
    /* an image with variables alone fits every architecture */
    *err = arch_matches(h.arch, arch) || h.n_kernels == 0 ? hipSuccess : hipErrorNoBinaryForGpu;
    return true;
}

hipError_t
ls_fatbin_find(const void *data, size_t bytes, const char *arch, struct ls_images *images)
{
    const char *base = data, *target;
    struct ls_bundle_entry e;
    struct ls_bundle bundle;
    hipError_t err;

    memset(images, 0, sizeof(*images));
    if (bare_image(base, bytes, arch, images, &err))
        return err;
    if (!ls_bundle_open(base, bytes, &bundle)) {
        if (bytes >= 4 && memcmp(base, "\177ELF", 4) == 0)
            return ls_err(hipErrorNoBinaryForGpu,
                          "a code object for real hardware, without bitcode");
        return ls_err(hipErrorInvalidImage, "neither an offload bundle nor an LSBC image");
    }
    while (ls_bundle_next(&bundle, &e)) {
        if ((target = ls_bundle_target(e.id, LS_BUNDLE_ID_LSBC)) && arch_matches(target, arch)) {
            images->lsbc = e.data;
            images->lsbc_bytes = e.bytes;
        } else if ((target = ls_bundle_target(e.id, LS_BUNDLE_ID_LSAO)) &&
                   arch_matches(target, arch)) {
            images->lsao = e.data;
            images->lsao_bytes = e.bytes;
        } else if ((target = ls_bundle_target(e.id, LS_BUNDLE_ID_AMD)) ||
                   (target = ls_bundle_target(e.id, LS_BUNDLE_ID_AMD_OLD))) {
            images->has_amd_code = true;
            if (arch_matches(target, arch)) {
                images->code = e.data;
                images->code_bytes = e.bytes;
            }
        }
    }
    if (bundle.next < bundle.n_entries)
        return ls_err(hipErrorInvalidImage, "offload bundle: entry %d is broken", (int)bundle.next);
    if (!images->lsbc)
        return ls_err(hipErrorNoBinaryForGpu, "nothing for %s%s", arch,
                      images->has_amd_code ? " but code for real hardware: build with our hipcc"
                                           : "");
    return hipSuccess;
}

void
ls_fatbin_list(const void *data, size_t bytes, void (*each)(void *user, const char *arch),
               void *user)
{
    const char *base = data, *target;
    struct ls_images images;
    struct ls_bundle_entry e;
    struct ls_bundle bundle;
    hipError_t err;

    if (bare_image(base, bytes, "", &images, &err)) {
        if (err != hipErrorInvalidImage)
            each(user, ((const struct ls_lsbc_header *)(const void *)base)->arch);
        return;
    }
    if (!ls_bundle_open(base, bytes, &bundle))
        return;
    while (ls_bundle_next(&bundle, &e))
        if ((target = ls_bundle_target(e.id, LS_BUNDLE_ID_LSBC)))
            each(user, target);
}

hipError_t
ls_fatbin_unpack(const void **data, size_t *bytes, void **plain)
{
    char why[256];

    *plain = NULL;
    if (!ls_packed_is(*data, *bytes))
        return hipSuccess;
    if (!ls_packed_unpack(*data, *bytes, plain, bytes, NULL, why, sizeof(why)))
        return ls_err(hipErrorInvalidImage, "compressed offload bundle: %s", why);
    *data = *plain;
    return hipSuccess;
}

/* Images */

static bool
is_table(uint64_t off, uint64_t n, size_t item, uint64_t bytes)
{
    return n <= UINT32_MAX && off % 8 == 0 && lies_in(off, n * item, bytes);
}

static bool
is_string(const char *image, uint64_t off, uint64_t bytes)
{
    return off < bytes && memchr(image + off, 0, bytes - off) != NULL;
}

static bool
kernel_is_sound(const char *image, const struct ls_lsbc_kernel *k, uint64_t bytes)
{
    const struct ls_lsbc_arg *args;

    if (!is_string(image, k->name_off, bytes) || k->n_args > 65536 || k->args_off % 4 != 0 ||
        !lies_in(k->args_off, (uint64_t)k->n_args * sizeof(*args), bytes))
        return false;
    if (k->kernarg_bytes > (1u << 20) || k->lds_bytes > (1u << 30) || k->max_threads == 0)
        return false;
    args = (const struct ls_lsbc_arg *)(const void *)(image + k->args_off);
    for (uint32_t i = 0; i < k->n_args; i++)
        if (!lies_in(args[i].offset, args[i].size, k->kernarg_bytes))
            return false;
    return true;
}

static bool
global_is_sound(const char *image, const struct ls_lsbc_global *g, uint64_t bytes)
{
    if (!is_string(image, g->name_off, bytes) || g->bytes > (uint64_t)1 << 40)
        return false;
    if (g->align > 1u << 20 || (g->align & (g->align - 1)) != 0)
        return false;
    return g->init_off == 0 || lies_in(g->init_off, g->bytes, bytes);
}

bool
ls_lsbc_is_sound(const void *data, size_t bytes)
{
    const struct ls_lsbc_header *h = data;
    const char *image = data;
    const struct ls_lsbc_kernel *kernels;
    const struct ls_lsbc_global *globals;
    const struct ls_lsbc_reloc *relocs;

    if (bytes < sizeof(*h) || (uintptr_t)data % 8 != 0 || h->magic != LS_LSBC_MAGIC ||
        h->version != LS_LSBC_VERSION || h->image_bytes > bytes || h->image_bytes < sizeof(*h) ||
        h->bitcode_off < sizeof(*h))
        return false;
    bytes = h->image_bytes;
    if (!memchr(h->arch, 0, sizeof(h->arch)) || (h->warp_size != 32 && h->warp_size != 64))
        return false;
    if (!is_table(h->kernels_off, h->n_kernels, sizeof(*kernels), bytes) ||
        !is_table(h->globals_off, h->n_globals, sizeof(*globals), bytes) ||
        !is_table(h->relocs_off, h->n_relocs, sizeof(*relocs), bytes) ||
        !lies_in(h->bitcode_off, h->bitcode_bytes, bytes))
        return false;
    kernels = (const struct ls_lsbc_kernel *)(const void *)(image + h->kernels_off);
    globals = (const struct ls_lsbc_global *)(const void *)(image + h->globals_off);
    relocs = (const struct ls_lsbc_reloc *)(const void *)(image + h->relocs_off);
    for (uint32_t i = 0; i < h->n_kernels; i++)
        if (!kernel_is_sound(image, &kernels[i], bytes))
            return false;
    for (uint32_t i = 0; i < h->n_globals; i++)
        if (!global_is_sound(image, &globals[i], bytes))
            return false;
    for (uint32_t i = 0; i < h->n_relocs; i++)
        if (relocs[i].where >= h->n_globals || relocs[i].target >= h->n_globals ||
            (globals[relocs[i].where].flags & LS_LSBC_GLOBAL_EXTERN) ||
            !lies_in(relocs[i].where_off, 8, globals[relocs[i].where].bytes))
            return false;
    return true;
}

bool
ls_lsao_is_sound(const void *data, size_t bytes)
{
    const struct ls_lsao_header *h = data;
    const struct ls_lsao_object *o;
    const char *image = data;
    uint64_t n_chars = 0;

    if (bytes < sizeof(*h) || h->magic != LS_LSAO_MAGIC || h->version != LS_LSAO_VERSION ||
        h->image_bytes > bytes ||
        !is_table(h->objects_off, h->n_objects, sizeof(*o), h->image_bytes))
        return false;
    o = (const struct ls_lsao_object *)(const void *)(image + h->objects_off);
    for (uint32_t i = 0; i < h->n_objects; i++) {
        if (!is_string(image, o[i].name_off, h->image_bytes) ||
            !is_string(image, o[i].isa_off, h->image_bytes) ||
            !lies_in(o[i].elf_off, o[i].elf_bytes, h->image_bytes))
            return false;
        n_chars += strlen(image + o[i].name_off) + strlen(image + o[i].isa_off) + 2;
        if (n_chars > h->image_bytes) /* the same long string is used many times, which would only
                                         cost time */
            return false;
    }
    return true;
}

struct choice {
    char *arch;
    size_t bytes;
};

static void
choose(void *user, const char *arch)
{
    struct choice *c = user;

    if (!ls_arch_warp_size(arch) ||
        arch[strspn(arch, "abcdefghijklmnopqrstuvwxyz0123456789:+-")] != 0)
        return;
    if (!c->arch[0] || strcmp(arch, LS_DEFAULT_ARCH) == 0)
        snprintf(c->arch, c->bytes, "%s", arch);
}

bool
ls_fatbin_choose(const void *data, size_t bytes, char *arch, size_t arch_bytes)
{
    struct choice c = {arch, arch_bytes};
    void *plain;

    arch[0] = 0;
    if (ls_fatbin_unpack(&data, &bytes, &plain) == hipSuccess)
        ls_fatbin_list(data, bytes, choose, &c);
    free(plain);
    return arch[0] != 0;
}

/* What hipcc embeds and clang's registration hands over. */
#define WRAPPER_MAGIC 0x48495046u

struct wrapper {
    uint32_t magic, version;
    const void *binary;
    const void *reserved;
};

const void *
ls_fatbin_unwrap(const void *data)
{
    const struct wrapper *w = data;

    return w && (uintptr_t)data % _Alignof(struct wrapper) == 0 && w->magic == WRAPPER_MAGIC &&
                   w->version == 1
               ? w->binary
               : data;
}
