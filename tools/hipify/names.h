/* SPDX-License-Identifier: MIT */
/* What CUDA's names are called in HIP: names/names.def, found by a hash. */
#ifndef LS_HIPIFY_NAMES_H
#define LS_HIPIFY_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ls_kind {
#define LS_KIND(kind, name, group) LS_KIND_##kind,
#include "kinds.def"
#undef LS_KIND
    LS_N_KINDS
};

enum ls_api {
#define LS_API(api, name, roc) LS_API_##api,
#include "apis.def"
#undef LS_API
    LS_N_APIS
};

/* The columns "dev:0 mem:0 ..." of hipexamine-perl.sh. */
enum ls_group {
    LS_GROUP_DEV,
    LS_GROUP_MEM,
    LS_GROUP_KERN,
    LS_GROUP_BUILTIN,
    LS_GROUP_MATH,
    LS_GROUP_STREAM,
    LS_GROUP_EVENT,
    LS_GROUP_ERR,
    LS_GROUP_DEF,
    LS_GROUP_TEX,
    LS_GROUP_OTHER,
    LS_N_GROUPS
};

enum {
    LS_MARK_NO_HIP = 1,
    LS_MARK_NO_ROC = 2,
    LS_MARK_CUDA_DEPRECATED = 4,
    LS_MARK_HIP_DEPRECATED = 8,
    LS_MARK_ROC_DEPRECATED = 16,
    LS_MARK_CUDA_REMOVED = 32,
    LS_MARK_HIP_REMOVED = 64,
    LS_MARK_ROC_REMOVED = 128,
    LS_MARK_EXPERIMENTAL = 256,
    LS_MARK_V2_ONLY = 512,
    LS_MARK_MIOPEN_ONLY = 1024,
    LS_MARK_OVERLOADED = 2048
};

struct ls_name {
    const char *cuda, *hip, *roc;
    uint8_t kind, api;
    uint16_t marks;
    uint16_t since, deprecated, removed;
    uint16_t hip_since, hip_deprecated, hip_removed;
};

extern const char *const ls_kind_names[LS_N_KINDS];
extern const uint8_t ls_kind_groups[LS_N_KINDS];
extern const char *const ls_group_names[LS_N_GROUPS];
extern const char *const ls_api_names[LS_N_APIS];
extern const bool ls_api_has_roc[LS_N_APIS];

extern const struct ls_name ls_names[];
extern const size_t ls_n_names;

/* To be called once, before the others. false: no memory, or a name stands twice, which is said. */
bool ls_names_init(void);
/* NULL: no name of CUDA. */
const struct ls_name *ls_name_find(const char *name, size_t bytes);

#endif
