/* SPDX-License-Identifier: MIT */
/* What entries of bundles hold, in words: Lockstep's images, and code objects for AMD hardware. */
#include "show.h"

#include <stdio.h>
#include <string.h>

#include "base/codeobject.h"
#include "base/lsbc.h"

static const char *
string_at(struct bytes from, uint64_t offset)
{
    if (offset >= from.n || !memchr(from.data + offset, 0, from.n - offset))
        return "(damaged)";
    return from.data + offset;
}

/* ---- what entries hold ---- */

static void
list_kernels(struct bytes image, const struct ls_lsbc_header *header)
{
    for (uint32_t i = 0; i < header->n_kernels; i++) {
        struct ls_lsbc_kernel kernel;

        if (!read_at(image, header->kernels_off + i * sizeof(kernel), &kernel, sizeof(kernel))) {
            puts("    (damaged)");
            return;
        }
        printf("    kernel %s: %u arguments in %u bytes, LDS %u%s, private %u, at most %u "
               "threads%s%s\n",
               string_at(image, kernel.name_off), kernel.n_args, kernel.kernarg_bytes,
               kernel.lds_bytes, kernel.flags & LS_LSBC_KERNEL_DYN_LDS ? " and dynamic" : "",
               kernel.private_bytes, kernel.max_threads,
               kernel.flags & LS_LSBC_KERNEL_BARRIER ? ", barriers" : "",
               kernel.flags & LS_LSBC_KERNEL_GRID_SYNC ? ", grid sync" : "");
    }
}

static void
list_globals(struct bytes image, const struct ls_lsbc_header *header)
{
    for (uint32_t i = 0; i < header->n_globals; i++) {
        struct ls_lsbc_global global;

        if (!read_at(image, header->globals_off + i * sizeof(global), &global, sizeof(global))) {
            puts("    (damaged)");
            return;
        }
        printf("    variable %s: %llu bytes, align %u%s%s%s%s\n", string_at(image, global.name_off),
               (unsigned long long)global.bytes, global.align,
               global.flags & LS_LSBC_GLOBAL_CONSTANT ? ", constant" : "",
               global.flags & LS_LSBC_GLOBAL_EXTERN ? ", external" : "",
               global.flags & LS_LSBC_GLOBAL_MANAGED ? ", managed" : "",
               global.init_off ? ", initialised" : "");
    }
}

/* Whether an image is whole: its parts lie inside, and its hashes fit. */
static bool
is_whole(struct bytes image, const struct ls_lsbc_header *h)
{
    return h->version == LS_LSBC_VERSION && h->image_bytes <= image.n &&
           h->bitcode_off >= sizeof(*h) && h->bitcode_off <= h->image_bytes &&
           h->bitcode_bytes <= h->image_bytes - h->bitcode_off && ls_lsbc_is_sealed(image.data);
}

void
show_lsbc(struct bytes image, bool details)
{
    struct ls_lsbc_header header;

    if (!read_at(image, 0, &header, sizeof(header)) || header.magic != LS_LSBC_MAGIC) {
        puts("  (damaged)");
        return;
    }
    printf("  %.*s, warp of %u, %u kernels, %u variables, %llu bytes of bitcode\n",
           (int)sizeof(header.arch), header.arch, header.warp_size, header.n_kernels,
           header.n_globals, (unsigned long long)header.bitcode_bytes);
    if (!is_whole(image, &header))
        puts("  (damaged: not what its hashes are of)");
    if (details) {
        list_kernels(image, &header);
        list_globals(image, &header);
    }
}

void
show_lsao(struct bytes image)
{
    struct ls_lsao_header header;

    if (!read_at(image, 0, &header, sizeof(header)) || header.magic != LS_LSAO_MAGIC) {
        puts("  (damaged)");
        return;
    }
    for (uint32_t i = 0; i < header.n_objects; i++) {
        struct ls_lsao_object object;

        if (!read_at(image, header.objects_off + i * sizeof(object), &object, sizeof(object))) {
            puts("  (damaged)");
            return;
        }
        printf("    %s for %s, block ", string_at(image, object.name_off),
               string_at(image, object.isa_off));
        if (object.block[0])
            printf("%u,%u,%u", object.block[0], object.block[1], object.block[2]);
        else if (object.block[2])
            printf(object.block[1] ? "a row of whole warps" : "rows of whole warps");
        else
            printf("any");
        printf(": %llu bytes%s\n", (unsigned long long)object.elf_bytes,
               object.elf_off <= image.n && object.elf_bytes <= image.n - object.elf_off &&
                       ls_lsao_object_is_sealed(image.data, &object)
                   ? ""
                   : " (damaged)");
    }
}

/* ---- code objects ---- */

static void
show_kernel(void *user, const struct ls_metadata_kernel *k)
{
    const struct ls_resources *r = &k->needs;

    (void)user;
    printf("    kernel %.*s: %u VGPRs, %u AGPRs, %u SGPRs, spilled %u VGPRs, %u SGPRs; LDS %u, "
           "scratch %u, wave of %u, at most %u threads; %u arguments in %u bytes\n",
           (int)k->name.n, k->name.at, r->vgprs, r->agprs, r->sgprs, k->vgpr_spills, k->sgpr_spills,
           r->lds_bytes, r->private_bytes, r->wave, r->max_threads, k->n_args, k->kernarg_bytes);
}

static void
show_arg(void *user, const struct ls_metadata_arg *a)
{
    (void)user;
    printf("        at %u, %u bytes: %.*s%s%.*s%s%.*s%s%.*s\n", a->offset, a->bytes, (int)a->kind.n,
           a->kind.at ? a->kind.at : "", a->type.n ? " " : "", (int)a->type.n,
           a->type.at ? a->type.at : "", a->name.n ? " " : "", (int)a->name.n,
           a->name.at ? a->name.at : "", a->space.n ? ", " : "", (int)a->space.n,
           a->space.at ? a->space.at : "");
}

void
show_code_object(struct bytes object)
{
    const struct ls_metadata_visitor visitor = {show_kernel, show_arg, NULL};
    size_t n;
    const void *notes = ls_codeobject_notes(object.data, object.n, &n);

    if (!notes)
        puts("    (no metadata)");
    else if (!ls_codeobject_visit(notes, n, &visitor))
        puts("    (damaged)");
}
