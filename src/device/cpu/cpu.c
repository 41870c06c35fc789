/* SPDX-License-Identifier: MIT */
/* The CPU as a device: its operations and what it tells about itself. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "device/cpu/cpu_priv.h"

#define LS_MAX_CPU_DEVICES 16

/* The value of the first line of /proc/cpuinfo that begins with `key`. */
static bool
cpuinfo(const char *key, char *value, size_t bytes)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[512];
    bool found = false;

    if (!f)
        return false;
    while (!found && fgets(line, sizeof(line), f)) {
        char *colon = strchr(line, ':');

        if (strncmp(line, key, strlen(key)) != 0 || !colon)
            continue;
        colon++;
        while (isspace((unsigned char)*colon))
            colon++;
        colon[strcspn(colon, "\n")] = 0;
        snprintf(value, bytes, "%s", colon);
        found = true;
    }
    fclose(f);
    return found;
}

static void
cpu_get_info(struct ls_device *dev, struct ls_device_info *info)
{
    const struct ls_cpu_sched *s = dev->priv;
    char text[128];
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);

    memset(info, 0, sizeof(*info));
    if (!cpuinfo("model name", info->name, sizeof(info->name)))
        snprintf(info->name, sizeof(info->name), "CPU");
    info->total_bytes = (size_t)ls_env_long(LS_ENV_MEMORY_MB, 0, LONG_MAX >> 20) << 20;
    if (info->total_bytes == 0)
        info->total_bytes = (size_t)sysconf(_SC_PHYS_PAGES) / 16 * 15 / dev->n_parts *
                            (size_t)sysconf(_SC_PAGESIZE);
    info->n_units = (uint32_t)ls_env_long(LS_ENV_COMPUTE_UNITS, 0, 4096);
    if (info->n_units == 0)
        info->n_units = s->n_threads;
    info->clock_khz =
        cpuinfo("cpu MHz", text, sizeof(text)) ? (uint32_t)(atof(text) * 1000) : 1000000;
    info->l2_bytes = l2 > 0 ? (uint32_t)l2 : 1u << 20;
    info->max_block_threads = LS_MAX_BLOCK_THREADS;
    info->max_lds_bytes = LS_MAX_LDS_BYTES;
    info->unit_threads = LS_UNIT_THREADS;
    info->unit_blocks = LS_UNIT_BLOCKS;
    info->host_access = info->pageable_access = true;
}

static uint32_t
cpu_max_resident_blocks(struct ls_device *dev, struct ls_kernel_source *source,
                        uint32_t n_threads, uint64_t lds_bytes)
{
    uint32_t n;

    (void)dev, (void)source;
    if (n_threads == 0 || n_threads > LS_MAX_BLOCK_THREADS || lds_bytes > LS_MAX_LDS_BYTES)
        return 0;
    n = LS_UNIT_THREADS / ((n_threads + 31) / 32 * 32);
    if (n > LS_UNIT_BLOCKS)
        n = LS_UNIT_BLOCKS;
    if (lds_bytes > 0 && n > 2 * LS_MAX_LDS_BYTES / lds_bytes)
        n = (uint32_t)(2 * LS_MAX_LDS_BYTES / lds_bytes);
    return n;
}

static uint32_t
cpu_count(void)
{
    return ls_env_bool(LS_ENV_FAR)
               ? 0
               : (uint32_t)ls_env_long(LS_ENV_CPU_DEVICES, 1, LS_MAX_CPU_DEVICES);
}

const struct ls_device_ops ls_device_cpu = {
    .name = "cpu",
    .count = cpu_count,
    .open = ls_cpu_sched_open,
    .get_info = cpu_get_info,
    .mem = {.alloc = ls_cpu_alloc,
            .free = ls_cpu_free,
            .read = ls_cpu_read,
            .write = ls_cpu_write,
            .zero = ls_cpu_zero,
            .expose = ls_cpu_expose,
            .share = ls_cpu_share,
            .unshare = ls_cpu_unshare},
    .space = {.reserve = ls_cpu_reserve,
              .unreserve = ls_cpu_unreserve,
              .create = ls_cpu_physical_create,
              .import = ls_cpu_physical_import,
              .file = ls_cpu_physical_file,
              .destroy = ls_cpu_physical_destroy,
              .map = ls_cpu_space_map,
              .unmap = ls_cpu_space_unmap,
              .set_access = ls_cpu_space_access},
    .multi = {.create = ls_cpu_multi_grid_create, .cancel = ls_cpu_multi_grid_cancel},
    .queue = {.submit = ls_cpu_submit,
              .wait = ls_cpu_wait,
              .wake = ls_cpu_wake,
              .poke = ls_cpu_poke,
              .ends = ls_cpu_ends,
              .copy_here = ls_cpu_copy_here},
    .module = {.get_code = ls_cpu_get_code,
               .wants_distinct = true,
               .release_kernel = ls_cpu_release_kernel},
    .max_resident_blocks = cpu_max_resident_blocks,
};
