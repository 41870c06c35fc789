/* SPDX-License-Identifier: MIT */
/* Launches: from a kernel and its arguments to a command in a stream. */
#include "runtime/module/launch.h"

#include <stdlib.h>
#include <string.h>

uint32_t
ls_resident_blocks(struct ihipModuleSymbol_t *kernel, uint32_t n_threads, size_t shared_bytes)
{
    struct ls_device *dev = &ls_gpu_current()->dev;
    uint32_t here, there;

    if (shared_bytes > ls_limits()->max_lds_bytes)
        return 0;
    here = dev->ops->max_resident_blocks(dev, &kernel->source, n_threads,
                                         (uint64_t)kernel->info->lds_bytes + shared_bytes);
    there = ls_arch_blocks(ls_arch_find(ls_limits()->arch), ls_kernel_resources(kernel), n_threads,
                           shared_bytes);
    return here < there ? here : there;
}

hipError_t
ls_launch_read_extra(void **extra, struct ls_launch *l)
{
    const size_t *bytes = NULL;

    for (int i = 0; i < 16 && extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
            l->packed = extra[i + 1];
        else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = extra[i + 1];
        else
            return ls_err(hipErrorInvalidValue, "unknown tag in extra");
    }
    if (!l->packed || !bytes)
        return ls_err(hipErrorInvalidValue, "extra without buffer or size");
    l->packed_bytes = *bytes;
    return hipSuccess;
}

/* Where the kernel will run. Nodes of graphs have no stream yet. */
static struct ls_gpu *
gpu_of(const struct ls_launch *l)
{
    return l->stream ? ls_gpu_of(l->stream->dev) : ls_gpu_current();
}

static bool
is_within(const dim3 *size, const uint32_t most[3])
{
    return (!most[0] || size->x <= most[0]) && (!most[1] || size->y <= most[1]) &&
           (!most[2] || size->z <= most[2]);
}

static hipError_t
check(const struct ls_launch *l, uint64_t *n_threads, uint64_t *n_blocks)
{
    const struct ls_lsbc_kernel *info = l->kernel->info;
    const struct ls_device_info *limits = &gpu_of(l)->info;
    const char *name = l->kernel->source.display_name;

    if (!l->grid.x || !l->grid.y || !l->grid.z || !l->block.x || !l->block.y || !l->block.z)
        return ls_err(hipErrorInvalidConfiguration, "%s: a size of zero", name);
    if (l->block.x > limits->max_block_threads || l->block.y > limits->max_block_threads ||
        l->block.z > limits->max_block_threads)
        return ls_err(hipErrorInvalidConfiguration, "%s: block too large", name);
    *n_threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    if (*n_threads > limits->max_block_threads)
        return ls_err(hipErrorInvalidConfiguration, "%s: %llu threads in a block", name,
                      (unsigned long long)*n_threads);
    if (__builtin_mul_overflow((uint64_t)l->grid.x * l->grid.y, l->grid.z, n_blocks) ||
        *n_blocks > (uint64_t)1 << 48 || l->grid.x > INT32_MAX)
        return ls_err(hipErrorInvalidConfiguration, "%s: grid too large", name);
    if ((uint64_t)l->grid.x * l->block.x > UINT32_MAX ||
        (uint64_t)l->grid.y * l->block.y > UINT32_MAX ||
        (uint64_t)l->grid.z * l->block.z > UINT32_MAX)
        return ls_err(hipErrorInvalidConfiguration, "%s: 2^32 threads in a direction", name);
    if (!is_within(&l->block, limits->max_block) || !is_within(&l->grid, limits->max_grid))
        return ls_err(hipErrorInvalidConfiguration,
                      "%s: grid (%u,%u,%u) x block (%u,%u,%u) is more than the device takes in a "
                      "direction",
                      name, l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z);
    if (*n_threads > info->max_threads)
        return ls_err(hipErrorLaunchFailure, "%s: %llu threads in a block, launch bounds say %u",
                      name, (unsigned long long)*n_threads, info->max_threads);
    if (l->shared_bytes > limits->max_lds_bytes ||
        info->lds_bytes + l->shared_bytes > limits->max_lds_bytes)
        return ls_err(l->cooperative ? hipErrorCooperativeLaunchTooLarge : hipErrorOutOfMemory,
                      "%s: %zu bytes of shared memory, the limit is %u", name,
                      info->lds_bytes + l->shared_bytes, limits->max_lds_bytes);
    if (l->cooperative &&
        *n_blocks > (uint64_t)ls_resident_blocks(l->kernel, (uint32_t)*n_threads, l->shared_bytes) *
                        gpu_of(l)->info.n_units)
        return ls_err(hipErrorCooperativeLaunchTooLarge, "%s: %llu blocks", name,
                      (unsigned long long)*n_blocks);
    if (!l->args && !l->packed && info->n_args > 0)
        return ls_err(hipErrorInvalidValue, "%s: no arguments", name);
    return hipSuccess;
}

hipError_t
ls_launch_pack(const struct ls_launch *l, char *kernarg)
{
    const struct ihipModuleSymbol_t *k = l->kernel;
    size_t bytes = k->info->kernarg_bytes;

    if (l->packed) {
        size_t n = l->packed_bytes < bytes ? l->packed_bytes : bytes;

        memcpy(kernarg, l->packed, n);
        memset(kernarg + n, 0, bytes - n);
        return hipSuccess;
    }
    memset(kernarg, 0, bytes);
    for (uint32_t i = 0; i < k->info->n_args; i++) {
        if (!l->args[i])
            return ls_err(hipErrorInvalidValue, "%s: argument %u is missing", k->source.name, i);
        memcpy(kernarg + k->args[i].offset, l->args[i], k->args[i].size);
    }
    return hipSuccess;
}

/* `told`: the device may rely on where the arguments lead. */
static hipError_t
prepare(const struct ls_launch *l, bool told, struct ls_work_kernel *k)
{
    uint32_t block[3] = {l->block.x, l->block.y, l->block.z};
    uint64_t n_threads = 0, n_blocks = 0, distinct;
    struct ls_device *dev;
    struct ls_code *code;
    void **globals;
    hipError_t err;

    LS_TRY(check(l, &n_threads, &n_blocks));
    dev = &gpu_of(l)->dev;
    LS_TRY(ls_module_globals(l->kernel->module, dev->index, &globals));
    ls_module_prepare(l->kernel->module, dev, block, false);
    distinct = told && dev->ops->module.wants_distinct ? ls_launch_distinct(l) : 0;
    LS_TRY(dev->ops->module.get_code(dev, &l->kernel->source, block, distinct, &code));
    k->source = &l->kernel->source;
    k->code = code;
    k->dev = dev;
    k->grid[0] = l->grid.x;
    k->grid[1] = l->grid.y;
    k->grid[2] = l->grid.z;
    memcpy(k->block, block, sizeof(block));
    k->n_threads = (uint32_t)n_threads;
    k->dyn_lds_bytes = (uint32_t)l->shared_bytes;
    k->n_blocks = n_blocks;
    k->globals = globals;
    k->cooperative = l->cooperative;
    k->multi = l->multi;
    k->grid_rank = l->grid_rank;
out:
    return err;
}

hipError_t
ls_launch_prepare(const struct ls_launch *l, struct ls_work_kernel *k)
{
    return prepare(l, false, k);
}

/* Whether its device lets launches become parts of the command in front of them, and it is plain
 * enough for that. */
static bool
can_join(const struct ls_launch *l)
{
    if (!l->stream->dev->ops->queue.join || !l->args || l->cooperative || l->multi || l->start ||
        l->stop || l->priority || l->kernel->source.launches)
        return false;
    for (uint32_t i = 0; i < l->kernel->info->n_args; i++)
        if (!l->args[i])
            return false;
    return true;
}

hipError_t
ls_launch_make(const struct ls_launch *l, bool may_join, struct ls_cmd **out)
{
    size_t bytes = l->kernel->info->kernarg_bytes;
    struct ls_work_kernel work;
    struct ls_cmd *cmd = NULL;
    hipError_t err;
    char *kernarg;

    *out = NULL;
    LS_TRY(prepare(l, true, &work));
    if (may_join && can_join(l) && ls_stream_join(l->stream, &work, l->args))
        return hipSuccess;
    cmd = ls_cmd_create(l->stream, LS_CMD_WORK);
    if (!cmd)
        return hipErrorOutOfMemory;
    kernarg = cmd->bytes;
    if (bytes > sizeof(cmd->bytes))
        kernarg = cmd->heap = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!kernarg)
        LS_TRY(hipErrorOutOfMemory);
    LS_TRY(ls_launch_pack(l, kernarg));
    cmd->work.kind = LS_WORK_KERNEL;
    cmd->work.kernel = work;
    cmd->work.kernel.kernarg = kernarg;
    cmd->origin = l->origin ? l->origin : l->kernel;
    if (l->priority)
        cmd->work.priority = *l->priority < -1 ? -1 : *l->priority > 1 ? 1 : *l->priority;
    if (l->start || l->stop)
        ls_cmd_attach_events(cmd, l->start, l->stop);
    *out = cmd;
    return hipSuccess;
out:
    ls_cmd_cancel(cmd);
    return err;
}
