/* SPDX-License-Identifier: MIT */
/* Builds LSBC images and offload bundles for tests. */
#ifndef LS_TESTS_IMAGE_H
#define LS_TESTS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lsbc.h"

struct test_kernel {
    const char *name;
    uint32_t args[8]; /* sizes, 0 ends; each aligned to itself */
    uint32_t lds_bytes, max_threads;
};

struct test_global {
    const char *name;
    uint64_t bytes;
    uint32_t flags;
    const void *init;
};

struct image {
    char *data;
    size_t bytes;
};

static inline size_t
image_add(struct image *im, const void *data, size_t bytes, size_t align)
{
    size_t at = (im->bytes + align - 1) / align * align;

    im->data = realloc(im->data, at + bytes + 64);
    memset(im->data + im->bytes, 0, at + bytes + 64 - im->bytes);
    if (data)
        memcpy(im->data + at, data, bytes);
    im->bytes = at + bytes;
    return at;
}

/* The caller frees .data. `reloc` may be NULL. */
static inline struct image
make_lsbc(const char *arch, uint32_t warp_size, const struct test_kernel *kernels,
          uint32_t n_kernels, const struct test_global *globals, uint32_t n_globals,
          const struct ls_lsbc_reloc *reloc)
{
    struct image im = {0};
    struct ls_lsbc_header h = {.magic = LS_LSBC_MAGIC,
                               .version = LS_LSBC_VERSION,
                               .warp_size = warp_size,
                               .n_kernels = n_kernels,
                               .n_globals = n_globals,
                               .n_relocs = reloc ? 1 : 0};
    static unsigned serial;
    char bitcode[64];

    snprintf(h.arch, sizeof(h.arch), "%s", arch);
    image_add(&im, NULL, sizeof(h), 8);
    h.kernels_off = image_add(&im, NULL, n_kernels * sizeof(struct ls_lsbc_kernel), 8);
    h.globals_off = image_add(&im, NULL, n_globals * sizeof(struct ls_lsbc_global), 8);
    h.relocs_off = image_add(&im, reloc, reloc ? sizeof(*reloc) : 0, 8);
    for (uint32_t i = 0; i < n_kernels; i++) {
        struct ls_lsbc_kernel k = {.lds_bytes = kernels[i].lds_bytes,
                                   .max_threads =
                                       kernels[i].max_threads ? kernels[i].max_threads : 1024};
        struct ls_lsbc_arg args[8];

        for (; k.n_args < 8 && kernels[i].args[k.n_args]; k.n_args++) {
            uint32_t size = kernels[i].args[k.n_args];

            args[k.n_args].offset = (k.kernarg_bytes + size - 1) / size * size;
            args[k.n_args].size = size;
            k.kernarg_bytes = args[k.n_args].offset + size;
        }
        k.name_off = image_add(&im, kernels[i].name, strlen(kernels[i].name) + 1, 1);
        k.args_off = image_add(&im, args, k.n_args * sizeof(*args), 8);
        memcpy(im.data + h.kernels_off + i * sizeof(k), &k, sizeof(k));
    }
    for (uint32_t i = 0; i < n_globals; i++) {
        struct ls_lsbc_global g = {
            .bytes = globals[i].bytes, .align = 8, .flags = globals[i].flags};

        g.name_off = image_add(&im, globals[i].name, strlen(globals[i].name) + 1, 1);
        if (globals[i].init)
            g.init_off = image_add(&im, globals[i].init, globals[i].bytes, 8);
        memcpy(im.data + h.globals_off + i * sizeof(g), &g, sizeof(g));
    }
    memset(bitcode, 0, sizeof(bitcode));
    snprintf(bitcode, sizeof(bitcode), "bitcode of test %s %u", arch, serial);
    h.bitcode_off = image_add(&im, bitcode, sizeof(bitcode), 8);
    h.bitcode_bytes = sizeof(bitcode);
    h.image_bytes = im.bytes;
    memcpy(im.data, &h, sizeof(h));
    ls_lsbc_seal(im.data);
    return im;
}

/* Makes the hashes of a damaged image right again, as a forger would. False where they cannot
 * be. */
static inline bool
forge_hashes(char *image, size_t bytes)
{
    struct ls_lsbc_header h;

    memcpy(&h, image, sizeof(h));
    if (h.image_bytes > bytes || h.bitcode_off < sizeof(h) || h.bitcode_off > h.image_bytes ||
        h.bitcode_bytes > h.image_bytes - h.bitcode_off)
        return false;
    ls_lsbc_seal(image);
    return true;
}

static inline struct image
make_bundle(const char *const *ids, const struct image *images, uint64_t n)
{
    struct image im = {0};
    uint64_t at = 32, word;

    image_add(&im, NULL, 4096, 8);
    memcpy(im.data, "__CLANG_OFFLOAD_BUNDLE__", 24);
    memcpy(im.data + 24, &n, 8);
    for (uint64_t i = 0; i < n; i++) {
        word = images[i].bytes ? image_add(&im, images[i].data, images[i].bytes, 4096) : 4096;
        memcpy(im.data + at, &word, 8);
        word = images[i].bytes;
        memcpy(im.data + at + 8, &word, 8);
        word = strlen(ids[i]);
        memcpy(im.data + at + 16, &word, 8);
        memcpy(im.data + at + 24, ids[i], word);
        at += 24 + word;
    }
    return im;
}

#endif
