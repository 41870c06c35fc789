/* SPDX-License-Identifier: MIT */
/* Limits of AMD architectures (arch.def), and what a kernel needs of them. */
#ifndef LS_BASE_ARCH_H
#define LS_BASE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ls_arch {
    const char *prefix;
    uint32_t n_simds, waves, vgprs, vgpr_granule, sgprs, lds_bytes;
};

/* Never NULL: the last row is any arch's. */
const struct ls_arch *ls_arch_find(const char *name);

/* What one kernel takes. */
struct ls_resources {
    uint32_t vgprs, agprs, sgprs; /* of a wave; vgprs of gfx90a and its like count agprs too */
    uint32_t private_bytes;       /* of a thread */
    uint32_t lds_bytes;
    uint32_t max_threads;
    uint32_t wave;    /* 32 or 64 */
    bool is_wgp_mode; /* gfx10 and newer: has all SIMDs of a WGP */
};

/* SIMDs that a kernel of that mode has. */
uint32_t ls_arch_simds(const struct ls_arch *arch, bool is_wgp_mode);
/* What is assumed of a kernel that nobody has made code for: the most registers with which as many
 * waves as there are fit. */
uint32_t ls_arch_free_vgprs(const struct ls_arch *arch, uint32_t wave);
/* Blocks of so many threads that fit on a multiprocessor at once. */
uint32_t ls_arch_blocks(const struct ls_arch *arch, const struct ls_resources *need,
                        uint32_t n_threads, uint64_t dynamic_lds_bytes);
/* Threads that fit, whatever their blocks. */
uint32_t ls_arch_threads(const struct ls_arch *arch, const struct ls_resources *need);

#endif
