/* SPDX-License-Identifier: MIT */
/* A kernel's PTX: made ahead of time, from the cache, or by the compiler. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/isa.h"
#include "base/log.h"
#include "base/lsbc.h"
#include "base/sha256.h"
#include "compiler/door.h"
#include "device/common/cache.h"
#include "device/common/messages.h"
#include "device/cuda/text.h"
#include "ls_build_id.h"

#define TARGET "ptx" /* of instruction sets that the driver takes */

static const uint32_t shapes[][3] = {
    [LS_CUDA_ALL] = {0, 0, 0},
    [LS_CUDA_ROWS] = {0, 0, 1},
    [LS_CUDA_ROW] = {0, 1, 1},
};
#define N_SHAPES (sizeof(shapes) / sizeof(*shapes))

uint32_t
ls_cuda_capability_of(const char *isa)
{
    char *end;
    unsigned long n;

    if (strncmp(isa, "sm_", 3) != 0 || !isdigit((unsigned char)isa[3]))
        return 0;
    n = strtoul(isa + 3, &end, 10);
    return *end == 0 && n < 10000 ? (uint32_t)n : 0; /* "sm_90a" is for no other than its own */
}

enum ls_cuda_shape
ls_cuda_shape_of(const uint32_t block[3])
{
    if (block[0] % 32 || block[2] != 1)
        return LS_CUDA_ALL;
    return block[1] == 1 ? LS_CUDA_ROW : LS_CUDA_ROWS;
}

/* The shape that an object is for; false: one that is not made for these devices. */
static bool
shape_of(const struct ls_lsao_object *o, enum ls_cuda_shape *shape)
{
    for (unsigned i = 0; i < N_SHAPES; i++)
        if (memcmp(o->block, shapes[i], sizeof(o->block)) == 0) {
            *shape = (enum ls_cuda_shape)i;
            return true;
        }
    return false;
}

const struct ls_lsao_object *
ls_cuda_find_object(const void *image, const char *kernel, uint32_t capability,
                    enum ls_cuda_shape wanted)
{
    const struct ls_lsao_header *h = image;
    const char *base = image;
    const struct ls_lsao_object *best = NULL, *list;
    uint32_t best_rank = 0;

    if (!h)
        return NULL;
    list = (const struct ls_lsao_object *)(const void *)(base + h->objects_off);
    for (uint32_t i = 0; i < h->n_objects; i++) {
        uint32_t rank = N_SHAPES * ls_cuda_capability_of(base + list[i].isa_off);
        enum ls_cuda_shape shape;

        if (rank == 0 || rank > N_SHAPES * capability || !shape_of(&list[i], &shape) ||
            shape > wanted || strcmp(base + list[i].name_off, kernel) != 0)
            continue;
        rank += shape;
        if (rank <= best_rank)
            continue;
        best = &list[i];
        best_rank = rank;
    }
    return best;
}

bool
ls_cuda_has_text(const void *image)
{
    const struct ls_lsao_header *h = image;
    const char *base = image;
    const struct ls_lsao_object *list;

    if (!h)
        return false;
    list = (const struct ls_lsao_object *)(const void *)(base + h->objects_off);
    for (uint32_t i = 0; i < h->n_objects; i++)
        if (ls_cuda_capability_of(base + list[i].isa_off))
            return true;
    return false;
}

static char *
copy_text(const void *text, size_t bytes)
{
    char *copy = malloc(bytes + 1);

    if (copy) {
        memcpy(copy, text, bytes);
        copy[bytes] = 0;
    }
    return copy;
}

static const struct ls_isa *
best_isa(uint32_t capability)
{
    const struct ls_isa *best = NULL;
    uint32_t best_rank = 0;

    for (const struct ls_isa *isa = ls_isa_next(NULL); isa; isa = ls_isa_next(isa)) {
        uint32_t rank = strcmp(isa->target, TARGET) == 0 ? ls_cuda_capability_of(isa->level) : 0;

        if (rank > best_rank && rank <= capability) {
            best = isa;
            best_rank = rank;
        }
    }
    return best;
}

static void
make_key(const struct ls_kernel_source *src, const struct ls_compile_options *opt,
         struct ls_cache_key *key)
{
    static const uint32_t abi = LS_CUDA_ABI_VERSION;
    struct ls_sha256 sha;

    ls_sha256_init(&sha);
    ls_sha256_add(&sha, src->bitcode_sha256, 32);
    ls_options_add_key(opt, &sha);
    ls_sha256_add(&sha, TARGET, sizeof(TARGET));
    ls_sha256_add(&sha, &abi, sizeof(abi));
    ls_sha256_add(&sha, LS_BUILD_ID, sizeof(LS_BUILD_ID));
    ls_sha256_final(&sha, key->digest);
}

/* From the cache, or made and put there. */
static hipError_t
make(const struct ls_kernel_source *src, const struct ls_isa *isa, enum ls_log_level level,
     enum ls_cuda_shape shape, char **text, size_t *bytes)
{
    struct ls_messages said = {.n = 0, .text = ""};
    struct ls_compile_options opt;
    struct ls_cache_key key;
    void *made = NULL;
    int why;

    ls_options_init(&opt);
    opt.kernel = src->name;
    memcpy(opt.block, shapes[shape], sizeof(opt.block));
    opt.warp_size = src->warp_size;
    opt.isa = isa->name;
    opt.opt_level = (uint32_t)ls_env_long(LS_ENV_OPT, 0, 3);
    opt.inline_limit = (uint32_t)ls_env_long(LS_ENV_INLINE, 0, INT32_MAX);
    opt.debug_info = true;
    opt.sink = ls_messages_collect;
    opt.sink_user = &said;
    make_key(src, &opt, &key);
    *text = ls_cache_find_text(&key, bytes);
    if (*text)
        return hipSuccess;
    if (!ls_door_compile_kernel(src->bitcode, src->bitcode_bytes, src->bitcode_sha256, &opt, &made,
                                bytes)) {
        why = errno;
        if (why == ENOMEM)
            return hipErrorOutOfMemory;
        ls_log(level, "no code for kernel %s for %s%s%s", src->display_name, isa->name,
               said.n ? ":\n  " : "", said.text);
        return hipErrorInvalidKernelFile;
    }
    ls_cache_store_text(&key, made, *bytes);
    *text = copy_text(made, *bytes);
    free(made);
    return *text ? hipSuccess : hipErrorOutOfMemory;
}

static hipError_t
say_none(const struct ls_kernel_source *src, uint32_t capability, enum ls_log_level level,
         const char *why)
{
    ls_log(level,
           "no code for kernel %s on an NVIDIA device of sm_%u: %s; hipcc makes some with "
           "--offload-arch=sm_%u, and LOCKSTEP_DEVICES=cpu runs the program on the CPU",
           src->display_name, capability, why, capability);
    return hipErrorNoBinaryForGpu;
}

hipError_t
ls_cuda_find_text(uint32_t capability, const struct ls_kernel_source *src, enum ls_log_level level,
                  enum ls_cuda_shape *shape, char **text, size_t *bytes)
{
    const struct ls_lsao_object *object =
        ls_cuda_find_object(src->aot, src->name, capability, *shape);
    const struct ls_isa *isa = best_isa(capability);
    const char *image = src->aot;
    char why[512];

    *text = NULL;
    if (src->warp_size != 32) {
        ls_log(level,
               "kernel %s is made for warps of %u threads, and those of NVIDIA's devices have 32: "
               "compile it for a target that has 32, as with --offload-arch=gfx1100",
               src->display_name, src->warp_size);
        return hipErrorNoBinaryForGpu;
    }
    if (object) {
        if (!ls_lsao_object_is_sealed(image, object)) {
            ls_log(
                level,
                "code made ahead of time for kernel %s is damaged: it is not what its hash is of",
                src->display_name);
            return hipErrorInvalidImage;
        }
        shape_of(object, shape);
        *bytes = object->elf_bytes;
        *text = copy_text(image + object->elf_off, object->elf_bytes);
        return *text ? hipSuccess : hipErrorOutOfMemory;
    }
    if (!isa)
        return say_none(src, capability, level,
                        "none was made ahead of time, and the compiler makes none");
    if (!src->bitcode_bytes)
        return say_none(src, capability, level,
                        "none was made ahead of time, and there is no bitcode");
    if (!ls_door_is_there(why, sizeof(why)))
        return say_none(src, capability, level, why);
    return make(src, isa, level, *shape, text, bytes);
}
