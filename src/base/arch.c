/* SPDX-License-Identifier: MIT */
#include "base/arch.h"

#include <string.h>

static const struct ls_arch archs[] = {
#define LS_ARCH(prefix, n_simds, waves, vgprs, granule, sgprs, lds)                                \
    {#prefix, n_simds, waves, vgprs, granule, sgprs, lds},
#include "base/arch.def"
#undef LS_ARCH
};
#define N_ARCHS (sizeof(archs) / sizeof(*archs))

const struct ls_arch *
ls_arch_find(const char *name)
{
    size_t i = 0;

    while (i + 1 < N_ARCHS && strncmp(name, archs[i].prefix, strlen(archs[i].prefix)) != 0)
        i++;
    return &archs[i];
}

/* Registers of a SIMD as waves of that width see them: a register of 64 lanes is two of 32. */
static void
registers(const struct ls_arch *arch, uint32_t wave, uint32_t *n, uint32_t *granule)
{
    bool halved = arch->sgprs == 0 && wave == 64;

    *n = arch->vgprs >> halved;
    *granule = arch->vgpr_granule >> halved;
}

uint32_t
ls_arch_free_vgprs(const struct ls_arch *arch, uint32_t wave)
{
    uint32_t n, granule;

    registers(arch, wave, &n, &granule);
    return n / arch->waves / granule * granule;
}

static uint32_t
round_up(uint32_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}

uint32_t
ls_arch_simds(const struct ls_arch *arch, bool is_wgp_mode)
{
    bool has_wgps = arch->sgprs == 0; /* gfx10 and newer: two compute units make a WGP */

    return has_wgps && !is_wgp_mode ? arch->n_simds / 2 : arch->n_simds;
}

uint32_t
ls_arch_threads(const struct ls_arch *arch, const struct ls_resources *need)
{
    uint32_t waves = arch->waves, n, granule;
    uint32_t n_simds = ls_arch_simds(arch, need->is_wgp_mode);

    registers(arch, need->wave, &n, &granule);
    if (need->vgprs > 0 && n / round_up(need->vgprs, granule) < waves)
        waves = n / round_up(need->vgprs, granule);
    if (arch->sgprs > 0 && need->sgprs > 0 && arch->sgprs / round_up(need->sgprs, 16) < waves)
        waves = arch->sgprs / round_up(need->sgprs, 16);
    return n_simds * waves * need->wave;
}

uint32_t
ls_arch_blocks(const struct ls_arch *arch, const struct ls_resources *need, uint32_t n_threads,
               uint64_t dynamic_lds_bytes)
{
    uint64_t lds = need->lds_bytes + dynamic_lds_bytes;
    uint32_t n = n_threads ? ls_arch_threads(arch, need) / round_up(n_threads, need->wave) : 0;

    return lds > 0 && arch->lds_bytes / lds < n ? (uint32_t)(arch->lds_bytes / lds) : n;
}
