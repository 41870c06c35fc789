/* SPDX-License-Identifier: MIT */
/* What a texture or surface object points to: the runtime writes it, src/devlib/image.c reads it.
 *
 * A texture object is the address of a struct ls_image with a struct ls_sampler behind it; a
 * surface object is the address of a struct ls_image alone. Both have the sizes of AMD's
 * descriptors (HIP_IMAGE_OBJECT_SIZE_DWORD, HIP_SAMPLER_OBJECT_SIZE_DWORD), so that a program's own
 * arithmetic on them holds. A texel is made of 1, 2 or 4 units of equal size; positions count units
 * in 32 bits, which limits an image to 2^31 of them. */
#ifndef LS_BASE_LSIMAGE_H
#define LS_BASE_LSIMAGE_H

#ifndef LS_DEVLIB_H
#include <stdint.h>
#endif

#define LS_IMAGE_MAX_LEVELS 16

/* One mip level. Texels of level l, layer z: base + ((offset + z * slice + y * row) << unit
 * shift). */
struct ls_image_level {
    int32_t width, height, depth; /* texels; 1 where the image has no such dimension */
    int32_t row, slice; /* units from row to row, from slice (or layer, or face) to slice */
    int32_t offset;     /* units from the image's base */
    int32_t reserved[2];
};

/* What a channel's bits mean. */
enum ls_image_kind {
    LS_IMAGE_UINT = 0,
    LS_IMAGE_SINT,
    LS_IMAGE_FLOAT,
    LS_IMAGE_HALF,
    LS_IMAGE_UNORM,
    LS_IMAGE_SNORM,
    LS_IMAGE_SRGB, /* 8 bits, alpha linear */
};

struct ls_image {
    uint64_t base;
    uint64_t levels;     /* struct ls_image_level[n_levels] */
    uint64_t srgb;       /* float[256]: the linear value of each code; for LS_IMAGE_SRGB */
    uint8_t kind;        /* enum ls_image_kind */
    uint8_t bits;        /* of a channel: 8, 16, 32 */
    uint8_t n_channels;  /* 1, 2, 4 */
    uint8_t unit_shift;  /* log2 of a unit's bytes: 0, 1, 2 */
    uint8_t n_units;     /* of a texel: 1, 2, 4 */
    uint8_t n_levels;    /* 1 to LS_IMAGE_MAX_LEVELS */
    uint8_t is_scalar;   /* one level, rows of 2 to 2^22 texels, one float each */
    uint8_t reserved;
    int32_t n_slices;    /* layers, faces of all cubes, or depth; 1 without */
    float limit;         /* UNORM, SNORM: the integer that means 1 */
    float bias;          /* added to the level of detail */
    float scale;         /* 1 / limit */
};

/* Values of hipTextureAddressMode. The wrapping ones are even. */
#define LS_SAMPLER_WRAP   0u
#define LS_SAMPLER_CLAMP  1u
#define LS_SAMPLER_MIRROR 2u
#define LS_SAMPLER_BORDER 3u

struct ls_sampler {
    uint8_t mode[3];
    uint8_t is_linear;
    uint8_t is_normalized, is_mip_linear;
    uint8_t has_border; /* some axis has LS_SAMPLER_BORDER */
    uint8_t is_clamped; /* linear, and LS_SAMPLER_CLAMP on all axes */
    float min_lod, max_lod;
    uint32_t border[4]; /* as a texel comes back: integers or floats */
};

#endif
