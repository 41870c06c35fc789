/* SPDX-License-Identifier: MIT */
/* The readers of code objects: what the runtime loads, of any architecture in it, with its hashes
 * as they are and made anew; its tables are read as the runtime reads them; and the metadata of
 * AMD's ELF files, or of bare msgpack. */
#include <string.h>

#include "guided.h"
#include "base/codeobject.h"
#include "runtime/module/module.h"

enum { MOST = 1 << 20 };

/* What the runtime logs and remembers. */
hipError_t
ls_err_at(const char *file, int line, hipError_t code, const char *fmt, ...)
{
    (void)file, (void)line, (void)fmt;
    return code;
}

/* Of runtime/core/core.c, which needs the whole runtime. */
uint32_t
ls_arch_warp_size(const char *arch)
{
    return strncmp(arch, "gfx9", 4) == 0 ? 64 : strncmp(arch, "gfx1", 4) == 0 ? 32 : 0;
}

static void
kernel(void *user, const struct ls_metadata_kernel *k)
{
    char name[256];
    struct ls_resources needs;
    const struct ls_metadata_text *notes = user;

    guided_touch(k->name.at, k->name.n);
    snprintf(name, sizeof(name), "%.*s", (int)(k->name.n < 200 ? k->name.n : 200), k->name.at);
    ls_codeobject_kernel(notes->at, notes->n, name, &needs);
}

static void
arg(void *user, const struct ls_metadata_arg *a)
{
    (void)user;
    guided_touch(a->name.at, a->name.n);
    guided_touch(a->type.at, a->type.n);
    guided_touch(a->kind.at, a->kind.n);
    guided_touch(a->space.at, a->space.n);
}

static void
read_notes(const void *notes, size_t n)
{
    struct ls_metadata_text text = {notes, n};
    struct ls_metadata_visitor visitor = {kernel, arg, &text};

    ls_codeobject_visit(notes, n, &visitor);
}

static void
read_elf(const void *data, size_t bytes)
{
    size_t n;
    const void *notes = ls_codeobject_notes(data, bytes, &n);

    if (notes)
        read_notes(notes, n);
}

/* As runtime/module/module.c does of an image that it has found sound. */
static void
read_lsbc(const char *image)
{
    const struct ls_lsbc_header *h = (const void *)image;
    const struct ls_lsbc_kernel *kernels = (const void *)(image + h->kernels_off);
    const struct ls_lsbc_global *globals = (const void *)(image + h->globals_off);
    const struct ls_lsbc_reloc *relocs = (const void *)(image + h->relocs_off);

    guided_touch(h->arch, strlen(h->arch) + 1);
    guided_touch(image + h->bitcode_off, h->bitcode_bytes);
    for (uint32_t i = 0; i < h->n_kernels; i++) {
        const struct ls_lsbc_arg *args = (const void *)(image + kernels[i].args_off);

        guided_touch(image + kernels[i].name_off, strlen(image + kernels[i].name_off) + 1);
        for (uint32_t k = 0; k < kernels[i].n_args; k++)
            GUIDED_ASSERT((uint64_t)args[k].offset + args[k].size <= kernels[i].kernarg_bytes);
    }
    for (uint32_t i = 0; i < h->n_globals; i++) {
        guided_touch(image + globals[i].name_off, strlen(image + globals[i].name_off) + 1);
        if (globals[i].init_off)
            guided_touch(image + globals[i].init_off, globals[i].bytes);
    }
    for (uint32_t i = 0; i < h->n_relocs; i++)
        GUIDED_ASSERT(relocs[i].where_off + 8 <= globals[relocs[i].where].bytes &&
                      relocs[i].target < h->n_globals);
}

static void
read_lsao(const char *image)
{
    const struct ls_lsao_header *h = (const void *)image;
    const struct ls_lsao_object *o = (const void *)(image + h->objects_off);

    for (uint32_t i = 0; i < h->n_objects; i++) {
        guided_touch(image + o[i].name_off, strlen(image + o[i].name_off) + 1);
        guided_touch(image + o[i].isa_off, strlen(image + o[i].isa_off) + 1);
        guided_touch(image + o[i].elf_off, o[i].elf_bytes);
        ls_lsao_object_is_sealed(image, &o[i]);
    }
}

/* A copy, aligned as the runtime's are, of just that size. */
static void *
copy_of(const char *image, size_t n)
{
    return memcpy(malloc(n ? n : 1), image, n);
}

static void
check_lsbc(const char *data, size_t n)
{
    char *image = copy_of(data, n);

    if (ls_lsbc_is_sound(image, n)) {
        ls_lsbc_is_sealed(image);
        read_lsbc(image);
        ls_lsbc_seal(image);
        if (ls_lsbc_is_sound(image, n)) { /* a table may lie where the hashes do */
            read_lsbc(image);
            ls_lsbc_is_sealed(image);
        }
    }
    free(image);
}

static void
check_lsao(const char *data, size_t n)
{
    char *image = copy_of(data, n);

    if (ls_lsao_is_sound(image, n)) {
        ls_lsao_is_sealed(image);
        read_lsao(image);
    }
    free(image);
}

static void
find(void *user, const char *arch)
{
    const struct ls_metadata_text *file = user;
    struct ls_images images;

    if (ls_fatbin_find(file->at, file->n, arch, &images) != hipSuccess)
        return;
    check_lsbc(images.lsbc, images.lsbc_bytes);
    if (images.lsao)
        check_lsao(images.lsao, images.lsao_bytes);
    if (images.code)
        read_elf(images.code, images.code_bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
    const void *data = input;
    size_t bytes = n;
    void *plain;
    char arch[64];

    if (n > MOST)
        return 0;
    read_elf(data, n);
    read_notes(data, n);
    check_lsao(data, n);
    check_lsbc(data, n);
    if (ls_fatbin_unpack(&data, &bytes, &plain) == hipSuccess) {
        struct ls_metadata_text file = {data, bytes};

        ls_fatbin_list(data, bytes, find, &file);
        ls_fatbin_choose(data, bytes, arch, sizeof(arch));
        free(plain);
    }
    return 0;
}
