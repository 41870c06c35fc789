/* SPDX-License-Identifier: MIT */
/* The table of names and its hash. */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_HIP          LS_MARK_NO_HIP
#define NO_ROC          LS_MARK_NO_ROC
#define CUDA_DEPRECATED LS_MARK_CUDA_DEPRECATED
#define HIP_DEPRECATED  LS_MARK_HIP_DEPRECATED
#define ROC_DEPRECATED  LS_MARK_ROC_DEPRECATED
#define CUDA_REMOVED    LS_MARK_CUDA_REMOVED
#define HIP_REMOVED     LS_MARK_HIP_REMOVED
#define ROC_REMOVED     LS_MARK_ROC_REMOVED
#define EXPERIMENTAL    LS_MARK_EXPERIMENTAL
#define V2_ONLY         LS_MARK_V2_ONLY
#define MIOPEN_ONLY     LS_MARK_MIOPEN_ONLY
#define OVERLOADED      LS_MARK_OVERLOADED

const char *const ls_kind_names[LS_N_KINDS] = {
#define LS_KIND(kind, name, group) name,
#include "kinds.def"
#undef LS_KIND
};

const uint8_t ls_kind_groups[LS_N_KINDS] = {
#define LS_KIND(kind, name, group) LS_GROUP_##group,
#include "kinds.def"
#undef LS_KIND
};

const char *const ls_group_names[LS_N_GROUPS] = {
    "dev", "mem", "kern", "builtin", "math", "stream", "event", "err", "def", "tex", "other"};

const char *const ls_api_names[LS_N_APIS] = {
#define LS_API(api, name, roc) name,
#include "apis.def"
#undef LS_API
};

const bool ls_api_has_roc[LS_N_APIS] = {
#define LS_API(api, name, roc) roc,
#include "apis.def"
#undef LS_API
};

const struct ls_name ls_names[] = {
#define LS_NAME(cuda, hip, roc, kind, api, marks, since, old, removed, hip_since, hip_old,         \
                hip_gone)                                                                          \
    {cuda,  hip, roc,     LS_KIND_##kind, LS_API_##api, marks,                                     \
     since, old, removed, hip_since,      hip_old,      hip_gone},
#include "names/names.def"
#undef LS_NAME
};
const size_t ls_n_names = sizeof(ls_names) / sizeof(*ls_names);

enum { N_SLOTS = 1 << 15 };
_Static_assert(sizeof(ls_names) / sizeof(*ls_names) < N_SLOTS / 2, "the hash is at most half full");

struct slot {
    uint32_t hash;
    uint16_t index; /* 1 + that in ls_names, 0: empty */
    uint16_t bytes;
};

static struct slot slots[N_SLOTS];

/* FNV-1a over the length, the first bytes and the last ones: names of CUDA differ there mostly. */
static uint32_t
hash(const char *name, size_t bytes)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < bytes; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h ^ h >> 15;
}

bool
ls_names_init(void)
{
    for (size_t i = 0; i < ls_n_names; i++) {
        size_t bytes = strlen(ls_names[i].cuda);
        uint32_t h = hash(ls_names[i].cuda, bytes);
        uint32_t at = h % N_SLOTS;

        if (ls_name_find(ls_names[i].cuda, bytes)) {
            fprintf(stderr, "hipify: the name '%s' stands twice in the table\n", ls_names[i].cuda);
            return false;
        }
        while (slots[at].index)
            at = (at + 1) % N_SLOTS;
        slots[at] = (struct slot){h, (uint16_t)(i + 1), (uint16_t)bytes};
    }
    return true;
}

const struct ls_name *
ls_name_find(const char *name, size_t bytes)
{
    uint32_t h = hash(name, bytes);

    for (uint32_t at = h % N_SLOTS; slots[at].index; at = (at + 1) % N_SLOTS)
        if (slots[at].hash == h && slots[at].bytes == bytes &&
            !memcmp(ls_names[slots[at].index - 1].cuda, name, bytes))
            return &ls_names[slots[at].index - 1];
    return NULL;
}
