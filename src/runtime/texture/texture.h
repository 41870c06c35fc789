/* SPDX-License-Identifier: MIT */
/* Arrays, texture and surface objects. Thread-safe; destroying what another thread uses is not. */
#ifndef LS_RUNTIME_TEXTURE_H
#define LS_RUNTIME_TEXTURE_H

#include "base/lsimage.h"
#include "runtime/core/core.h"

/* ---- Formats ---- */

/* A texel: n_channels (1, 2, 4) values of one format. */
struct ls_format {
    hipArray_Format format;
    unsigned n_channels;
};

/* Bytes of a texel; 0 when the format is none. */
size_t ls_format_bytes(struct ls_format f);
/* False for descriptors that name no format: unequal or missing channels, 3 channels, odd sizes. */
bool ls_format_of_desc(const hipChannelFormatDesc *desc, struct ls_format *f);
hipChannelFormatDesc ls_format_desc(struct ls_format f);
/* False for block-compressed formats and None. */
bool ls_format_of_view(enum hipResourceViewFormat view, struct ls_format *f);
enum hipResourceViewFormat ls_format_view(struct ls_format f);

/* ---- Handles ---- */

enum ls_handle_kind {
    LS_HANDLE_NONE = 0,
    LS_HANDLE_ARRAY,
    LS_HANDLE_MIPMAP,
    LS_HANDLE_TEXTURE,
    LS_HANDLE_SURFACE,
};

/* The beginning of all objects with handles, which are in the table of live handles. */
struct ls_handle {
    struct ls_handle *next, *prev; /* guarded by the table's lock */
    enum ls_handle_kind kind;
    uint32_t device; /* the device that was current when it was made */
    const void *key; /* the value that the user has as a handle */
};

/* hipErrorOutOfMemory when the table cannot grow. */
hipError_t ls_handle_add(struct ls_handle *h, enum ls_handle_kind kind, const void *key);
/* NULL when there is no live handle of this kind. */
struct ls_handle *ls_handle_find(const void *key, enum ls_handle_kind kind);
/* Takes the handle out of the table. Of several callers one gets it, the others NULL. */
struct ls_handle *ls_handle_take(const void *key, enum ls_handle_kind kind);
/* The user's value of any handle of this kind on the device, so that it can be destroyed. NULL when
 * there is none. */
const void *ls_handle_any(uint32_t device, enum ls_handle_kind kind);

/* ---- Arrays ---- */

/* False when the architecture that the device poses as has no texture units. */
bool ls_image_support(void);

struct hipArray {
    struct ls_handle handle; /* first */
    struct ls_format format;
    size_t element_bytes;
    size_t width, height, depth; /* texels, as asked for: 0 = no such dimension */
    size_t n_slices;             /* depth, layers or faces in memory: at least 1 */
    unsigned flags;
    char *data; /* owned, but by the mipmapped array when there is one */
    size_t pitch, slice;
    struct ls_mipmap *mipmap; /* the mipmapped array that this is a level of, or NULL; borrowed */
    struct hipArray *next;    /* next in the mipmapped array's list of levels that the user has;
                                 guarded by its lock */
};

#define LS_ARRAY_ALIGN 256u /* alignment of arrays and levels in memory */

struct ls_mipmap {
    struct hipMipmappedArray pub; /* first: the user's handle */
    struct ls_handle handle;
    struct ls_format format;
    char *data; /* owned */
    bool mapped; /* data is a file's, by ls_share_map */
    size_t bytes;
    unsigned n_levels;
    size_t offset[LS_IMAGE_MAX_LEVELS];
    pthread_mutex_t lock;
    struct hipArray *views; /* levels that the user has not freed; guarded by lock */
};

/* Checks everything that HIP checks: hipErrorInvalidValue for what is no array. */
hipError_t ls_array_create(const HIP_ARRAY3D_DESCRIPTOR *desc, hipArray_t *out);
/* hipErrorContextIsDestroyed for a handle that is not, or no longer, alive. */
hipError_t ls_array_destroy(hipArray_t array);
/* NULL when the handle is not alive. */
struct hipArray *ls_array_find(hipArray_const_t array);

/* A file of another API, whose bytes [offset, bytes) may be levels. */
struct ls_mipmap_file {
    int fd; /* borrowed until the call returns */
    uint64_t offset, bytes;
};

/* Checks everything that HIP checks. The levels lie in the file if there is one: offset must be a
 * multiple of LS_ARRAY_ALIGN, and all levels must lie in front of its end. They keep a mapping of
 * their own. */
hipError_t ls_mipmap_create(const HIP_ARRAY3D_DESCRIPTOR *desc, unsigned n_levels,
                            const struct ls_mipmap_file *file, hipMipmappedArray_t *out);
hipError_t ls_mipmap_destroy(hipMipmappedArray_t mipmap);
struct ls_mipmap *ls_mipmap_find(hipMipmappedArray_const_t mipmap);
/* A new array that is one level; the caller or the mipmapped array's end frees it. */
hipError_t ls_mipmap_get_level(struct ls_mipmap *m, unsigned level, hipArray_t *out);
/* Size and place of a level, as an array that owns nothing. */
void ls_mipmap_describe_level(const struct ls_mipmap *m, unsigned level, struct hipArray *out);

/* ---- Objects ---- */

struct ls_texture {
    struct ls_handle handle; /* first */
    void *memory;            /* owned: the descriptor, the user's handle */
    hipResourceDesc resource;
    hipTextureDesc desc;
    struct hipResourceViewDesc view; /* zero when none was given */
};

/* view may be NULL. */
hipError_t ls_texture_create(const hipResourceDesc *resource, const hipTextureDesc *desc,
                             const struct hipResourceViewDesc *view, hipTextureObject_t *out);
/* NULL is no error; hipErrorInvalidValue for a handle that is not alive. */
hipError_t ls_texture_destroy(hipTextureObject_t object);
struct ls_texture *ls_texture_find(hipTextureObject_t object);
hipError_t ls_surface_create(const hipResourceDesc *resource, hipSurfaceObject_t *out);
hipError_t ls_surface_destroy(hipSurfaceObject_t object);

/* Frees everything; no work may be under way. */
void ls_texture_reset(uint32_t device);

#endif
