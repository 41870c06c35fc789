/* SPDX-License-Identifier: MIT */
/* NVIDIA's GPUs as devices: operations, and what they tell about themselves. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "compiler/door.h"
#include "device/cuda/cuda_priv.h"
#include "device/cuda/text.h"

#define MAX_DEVICES 16u

static struct ls_cuda *all[MAX_DEVICES]; /* written when they are opened, by one thread */

static int
attribute(const struct ls_cuda *c, int which)
{
    int value = 0;

    LS_CU(cuDeviceGetAttribute, &value, which, c->cu);
    return value > 0 ? value : 0;
}

static uint32_t
cuda_count(void)
{
    uint32_t n =
        ls_env_bool(LS_ENV_FAR) ? 0 : ls_cu_open(); /* which asks for those devices alone */

    return n < MAX_DEVICES ? n : MAX_DEVICES;
}

static bool
cuda_has_code(const void *aot)
{
    return ls_cuda_has_text(aot) || ls_door_is_installed();
}

static bool
cuda_reaches(struct ls_device *dev, struct ls_device *peer)
{
    int can = 0;

    if (ls_cu.cuDeviceCanAccessPeer && ls_cu.cuCtxEnablePeerAccess)
        LS_CU(cuDeviceCanAccessPeer, &can, ls_cuda_of(dev)->cu, ls_cuda_of(peer)->cu);
    return can != 0;
}

/* Each may touch the others' memory, where the hardware lets it. In the context of c. */
static void
meet_others(struct ls_cuda *c)
{
    for (unsigned i = 0; i < MAX_DEVICES; i++) {
        if (!all[i] || all[i] == c)
            continue;
        if (cuda_reaches(c->dev, all[i]->dev))
            LS_CU(cuCtxEnablePeerAccess, all[i]->context, 0);
        if (cuda_reaches(all[i]->dev, c->dev)) {
            LS_CUDA_ENTER(all[i]);

            LS_CU(cuCtxEnablePeerAccess, c->context, 0);
        }
    }
}

static hipError_t
open_device(struct ls_cuda *c)
{
    hipError_t err = LS_CU_TRY(cuDeviceGet, &c->cu, (int)c->dev->part);
    pthread_mutexattr_t attr;

    if (err == hipSuccess)
        err = LS_CU_TRY(cuDevicePrimaryCtxRetain, &c->context, c->cu);
    if (err != hipSuccess)
        return err;
    c->capability = (uint32_t)(10 * attribute(c, LS_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR) +
                               attribute(c, LS_CU_DEVICE_COMPUTE_CAPABILITY_MINOR));
    c->registers = (uint32_t)attribute(c, LS_CU_DEVICE_MAX_REGISTERS_PER_BLOCK);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP); /* who has it is soon done */
    pthread_mutex_init(&c->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_mutex_init(&c->watch_lock, NULL);
    pthread_mutex_init(&c->plan_lock, NULL);
    pthread_cond_init(&c->watch, NULL);
    ls_cuda_open_lanes(c);
    {
        LS_CUDA_ENTER(c);

        err = ls_cuda_open_streams(c);
        if (err == hipSuccess)
            meet_others(c);
    }
    return err == hipSuccess ? ls_cuda_start_watch(c) : err;
}

static hipError_t
cuda_open(struct ls_device *dev)
{
    struct ls_cuda *c = calloc(1, sizeof(*c));
    hipError_t err;

    if (!c)
        return hipErrorOutOfMemory;
    c->dev = dev;
    dev->priv = c;
    err = open_device(c);
    if (err != hipSuccess) {
        ls_log(LS_LOG_ERROR, "CUDA device %u can't be opened: LOCKSTEP_DEBUG=1 says why",
               dev->part);
        dev->priv = NULL;
        free(c); /* what it has made stays the driver's: no thread of ours knows it */
        return err;
    }
    all[dev->part] = c;
    return hipSuccess;
}

static void
cuda_get_info(struct ls_device *dev, struct ls_device_info *info)
{
    struct ls_cuda *c = ls_cuda_of(dev);

    memset(info, 0, sizeof(*info));
    LS_CU(cuDeviceGetName, info->name, (int)sizeof(info->name) - 1, c->cu);
    info->total_bytes = (size_t)ls_env_long(LS_ENV_MEMORY_MB, 0, LONG_MAX >> 20) << 20;
    if (info->total_bytes == 0)
        LS_CU(cuDeviceTotalMem, &info->total_bytes, c->cu);
    info->n_units = (uint32_t)ls_env_long(LS_ENV_COMPUTE_UNITS, 0, 4096);
    if (info->n_units == 0)
        info->n_units = (uint32_t)attribute(c, LS_CU_DEVICE_MULTIPROCESSOR_COUNT);
    info->clock_khz = (uint32_t)attribute(c, LS_CU_DEVICE_CLOCK_RATE);
    info->l2_bytes = (uint32_t)attribute(c, LS_CU_DEVICE_L2_CACHE_SIZE);
    info->max_block_threads = (uint32_t)attribute(c, LS_CU_DEVICE_MAX_THREADS_PER_BLOCK);
    info->max_lds_bytes = (uint32_t)attribute(c, LS_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    info->unit_threads = (uint32_t)attribute(c, LS_CU_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR);
    info->unit_blocks = (uint32_t)attribute(c, LS_CU_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    for (int i = 0; i < 3; i++) {
        info->max_block[i] = (uint32_t)attribute(c, LS_CU_DEVICE_MAX_BLOCK_DIM_X + i);
        info->max_grid[i] = (uint32_t)attribute(c, LS_CU_DEVICE_MAX_GRID_DIM_X + i);
    }
    info->registers = c->registers;
    info->memory_khz = (uint32_t)attribute(c, LS_CU_DEVICE_MEMORY_CLOCK_RATE);
    info->memory_bits = (uint32_t)attribute(c, LS_CU_DEVICE_MEMORY_BUS_WIDTH);
    info->pci_domain = (uint32_t)attribute(c, LS_CU_DEVICE_PCI_DOMAIN);
    info->pci_bus = (uint32_t)attribute(c, LS_CU_DEVICE_PCI_BUS);
    info->pci_device = (uint32_t)attribute(c, LS_CU_DEVICE_PCI_DEVICE);
    if (ls_cu.cuDeviceGetUuid)
        LS_CU(cuDeviceGetUuid, info->uuid, c->cu);
    info->lacks_host_atomics = !attribute(c, LS_CU_DEVICE_HOST_NATIVE_ATOMIC_SUPPORTED);
    info->lacks_multi = info->lacks_files = true;
    info->host_access = false;
    info->pageable_access = attribute(c, LS_CU_DEVICE_PAGEABLE_MEMORY_ACCESS) != 0;
    info->grain = ls_cuda_grain(c);
}

static bool
cuda_follows(struct ls_device *dev, const struct ls_work *w)
{
    if (w->kind == LS_WORK_KERNEL)
        return !w->kernel.multi;
    if (w->kind == LS_WORK_GRAPH)
        return ls_cuda_is_planned(ls_cuda_of(dev), w->graph);
    if (w->kind != LS_WORK_COPY && w->kind != LS_WORK_FILL)
        return false;
    LS_CUDA_ENTER(ls_cuda_of(dev));
    return !ls_cuda_is_moved(w) || ls_cuda_is_staged(w);
}

static void
cuda_submit(struct ls_device *dev, struct ls_work *w)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    enum ls_cuda_lane lane = w->kind == LS_WORK_GRAPH  ? LS_CUDA_GRAPH
                             : w->kind == LS_WORK_HOST ? LS_CUDA_HOST
                                                       : LS_CUDA_MOVE;

    ls_graph_room(w)->graph = NULL;
    ls_cuda_room(w)->dev = dev;
    if (cuda_follows(dev, w))
        ls_cuda_submit_to_stream(c, w, true);
    else
        ls_cuda_add_to_lane(c, lane, w);
}

static bool
cuda_ends(const struct ls_work *w)
{
    if (w->kind != LS_WORK_GRAPH)
        return w->kind != LS_WORK_HOST && w->kind != LS_WORK_LATER;
    for (uint32_t i = 0; i < w->graph->n_works; i++)
        if (!cuda_ends(&w->graph->works[i]))
            return false;
    return true;
}

static bool
cuda_is_gone(struct ls_device *dev)
{
    return ls_cu_has_left() || atomic_load(&ls_cuda_of(dev)->dead);
}

const struct ls_device_ops ls_device_cuda = {
    .name = "cuda",
    .warp_size = 32,
    .count = cuda_count,
    .has_code = cuda_has_code,
    .open = cuda_open,
    .get_info = cuda_get_info,
    .mem = {.alloc = ls_cuda_alloc,
            .free = ls_cuda_free,
            .read = ls_cuda_read,
            .write = ls_cuda_write,
            .zero = ls_cuda_zero,
            .pin = ls_cuda_pin,
            .unpin = ls_cuda_unpin,
            .share = ls_cuda_share,
            .unshare = ls_cuda_unshare,
            .attach = ls_cuda_attach,
            .detach = ls_cuda_detach},
    .space = {.reserve = ls_cuda_reserve,
              .unreserve = ls_cuda_unreserve,
              .create = ls_cuda_create,
              .import = ls_cuda_import,
              .file = ls_cuda_file,
              .destroy = ls_cuda_destroy,
              .map = ls_cuda_map,
              .unmap = ls_cuda_unmap,
              .set_access = ls_cuda_set_access},
    .multi = {.create = ls_cuda_multi_create, .cancel = ls_cuda_multi_cancel},
    .queue = {.submit = cuda_submit,
              .follows = cuda_follows,
              .wait = ls_cuda_wait,
              .wake = ls_cuda_wake,
              .join = ls_cuda_join,
              .passed = ls_cuda_passed,
              .poke = ls_cuda_poke,
              .ends = cuda_ends,
              .time_end = ls_cuda_time_end,
              .keep_time = ls_cuda_keep_time,
              .elapsed = ls_cuda_elapsed,
              .plan = ls_cuda_plan,
              .unplan = ls_cuda_unplan,
              .copy_here = ls_cuda_copy_here},
    .module = {.get_code = ls_cuda_get_code,
               .prepare = ls_cuda_prepare,
               .shape_class = ls_cuda_shape_class,
               .release_kernel = ls_cuda_release_kernel},
    .reaches = cuda_reaches,
    .is_gone = cuda_is_gone,
    .max_resident_blocks = ls_cuda_max_resident_blocks,
};
