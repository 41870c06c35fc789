/* SPDX-License-Identifier: MIT */
/* LLVM's "offload binary": what stands in sections .llvm.offloading, one behind the other, each an
 * image for one target. Their strings are LLVM's (triple, arch) and two of ours: the translation
 * unit, and the kind of device that an image is for. The reader trusts nothing. */
#ifndef LS_BASE_OFFLOAD_H
#define LS_BASE_OFFLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ls_offload {
    const char *arch;   /* never NULL */
    const char *unit;   /* NULL: not of this project's hipcc */
    const char *device; /* "" = AMD's and all others; "nvidia" */
    const char *image;  /* LLVM bitcode of a unit of ours */
    size_t image_bytes;
};

/* Of one binary, padded so that another one may follow. */
size_t ls_offload_bytes(const struct ls_offload *offload);
/* To zeroed bytes, of HIP bitcode. */
void ls_offload_write(const struct ls_offload *offload, char *out);

enum ls_offload_result { LS_OFFLOAD_NONE = 0, LS_OFFLOAD_READ, LS_OFFLOAD_DAMAGED };

/* The binary that begins there, whose fields point into data; *used is its length. NONE: something
 * else does. */
enum ls_offload_result ls_offload_read(const char *data, size_t n, struct ls_offload *out,
                                       size_t *used);

#endif
