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

/* The row of an arch, by its name; never NULL, as the last row stands for every arch. */
const struct ls_arch *ls_arch_find(const char *name);

/* What one kernel needs. */
struct ls_resources {
    uint32_t vgprs, agprs, sgprs; /* of one wave; on gfx90a and its like vgprs counts agprs, too */
    uint32_t private_bytes;       /* of one thread */
    uint32_t lds_bytes;
    uint32_t max_threads;
    uint32_t wave;    /* 32 or 64 */
    bool is_wgp_mode; /* gfx10 and newer: a block may use all SIMDs of a WGP */
};

/* SIMDs that a kernel of that mode can use. */
uint32_t ls_arch_simds(const struct ls_arch *arch, bool is_wgp_mode);
/* The registers that are assumed for a kernel without a code object: the most with which as many
 * waves as there can be still fit. */
uint32_t ls_arch_free_vgprs(const struct ls_arch *arch, uint32_t wave);
/* Blocks of so many threads that fit on a multiprocessor at once. */
uint32_t ls_arch_blocks(const struct ls_arch *arch, const struct ls_resources *need,
                        uint32_t n_threads, uint64_t dynamic_lds_bytes);
/* Threads that fit, whatever the size of their blocks. */
uint32_t ls_arch_threads(const struct ls_arch *arch, const struct ls_resources *need);

#endif
