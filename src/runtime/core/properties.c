/* SPDX-License-Identifier: MIT */
/* The devices' properties, as programs see them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arch.h"
#include "check/check.h"
#include "runtime/core/core.h"

static void
compute_capability(const char *arch, int *major, int *minor, int *stepping)
{
    size_t digits = strspn(arch + 3, "0123456789abcdef"); /* major, then one minor, one stepping */
    char text[8] = "";

    if (digits > 2 && digits - 2 < sizeof(text))
        memcpy(text, arch + 3, digits - 2);
    *major = atoi(text);
    text[0] = digits > 2 ? arch[3 + digits - 2] : '0';
    text[1] = 0;
    *minor = (int)strtol(text, NULL, 16);
    text[0] = digits > 2 ? arch[3 + digits - 1] : '0';
    *stepping = (int)strtol(text, NULL, 16);
}

static hipDeviceArch_t
abilities(void)
{
    return (hipDeviceArch_t){
        .hasGlobalInt32Atomics = 1,
        .hasGlobalFloatAtomicExch = 1,
        .hasSharedInt32Atomics = 1,
        .hasSharedFloatAtomicExch = 1,
        .hasFloatAtomicAdd = 1,
        .hasGlobalInt64Atomics = 1,
        .hasSharedInt64Atomics = 1,
        .hasDoubles = 1,
        .hasWarpVote = 1,
        .hasWarpBallot = 1,
        .hasWarpShuffle = 1,
        .hasThreadFenceSystem = 1,
        .has3dGrid = 1,
    };
}

#define PRINTF_BYTES (4u << 20) /* AMD's default: 4096 bytes for each thread of the largest block */

/* The limits that the log of HIP Programming Guide 3.6.4, "HIP Logging Example", prints, and what
 * follows from them. */
static void
fill_images(hipDeviceProp_t *p)
{
    p->maxTexture1D = p->maxSurface1D = 65536;
    p->maxTexture1DMipmap = 65536;
    p->maxTexture1DLinear = 0x7fffffff; /* bytes */
    p->maxTexture1DLayered[0] = p->maxSurface1DLayered[0] = 16384;
    p->maxTexture1DLayered[1] = p->maxSurface1DLayered[1] = 2048;
    p->maxTextureCubemap = p->maxSurfaceCubemap = 16384;
    p->maxTextureCubemapLayered[0] = p->maxSurfaceCubemapLayered[0] = 16384;
    p->maxTextureCubemapLayered[1] = p->maxSurfaceCubemapLayered[1] = 2048 / 6 * 6;
    for (int i = 0; i < 2; i++) {
        p->maxTexture2D[i] = p->maxSurface2D[i] = 16384;
        p->maxTexture2DMipmap[i] = p->maxTexture2DLinear[i] = p->maxTexture2DGather[i] = 16384;
        p->maxTexture2DLayered[i] = p->maxSurface2DLayered[i] = 16384;
    }
    p->maxTexture2DLinear[2] = 0x7fffffff; /* pitch */
    p->maxTexture2DLayered[2] = p->maxSurface2DLayered[2] = 2048;
    for (int i = 0; i < 3; i++)
        p->maxTexture3D[i] = p->maxTexture3DAlt[i] = p->maxSurface3D[i] = 2048;
}

void
ls_fill_arch(const struct ls_runtime *rt, struct ls_gpu *gpu)
{
    hipDeviceProp_t *p = &gpu->prop;
    int stepping;

    if (gpu->is_any_arch) {
        memcpy(gpu->info.arch, rt->arch, sizeof(gpu->info.arch));
        gpu->info.warp_size = rt->warp_size;
    }
    p->warpSize = (int)gpu->info.warp_size;
    compute_capability(gpu->info.arch, &p->major, &p->minor, &stepping);
    p->gcnArch = 100 * p->major + 10 * p->minor + stepping;
    p->executionUnitsPerMultiprocessor = (int)ls_arch_simds(ls_arch_find(gpu->info.arch), false);
    snprintf(p->gcnArchName, sizeof(p->gcnArchName), "%s", gpu->info.arch);
    p->sharedMemPerMultiprocessor = p->maxSharedMemoryPerMultiProcessor =
        ls_arch_find(gpu->info.arch)->lds_bytes;
}

static int
or_usual(uint32_t value, int usual)
{
    return value ? (int)value : usual;
}

static void
fill_place(const struct ls_gpu *gpu, hipDeviceProp_t *p)
{
    static const uint8_t none[sizeof(gpu->info.uuid)];

    ls_device_uuid(gpu->dev.part, &p->uuid);
    p->pciBusID = (int)gpu->dev.part;
    if (memcmp(gpu->info.uuid, none, sizeof(none)) == 0)
        return;
    memcpy(p->uuid.bytes, gpu->info.uuid, sizeof(p->uuid.bytes));
    p->pciDomainID = (int)gpu->info.pci_domain;
    p->pciBusID = (int)gpu->info.pci_bus;
    p->pciDeviceID = (int)gpu->info.pci_device;
}

/* Checks judge kernels as a GPU would that reaches what HIP gave it, and says so: programs that ask
 * first then take another way. */
static bool
has_pageable(const struct ls_gpu *gpu)
{
    return gpu->info.pageable_access && !(ls_checks() & LS_CHECK_MEMORY);
}

void
ls_fill_properties(const struct ls_runtime *rt, struct ls_gpu *gpu)
{
    hipDeviceProp_t *p = &gpu->prop;

    memset(p, 0, sizeof(*p));
    snprintf(p->name, sizeof(p->name), "%s", gpu->info.name);
    fill_place(gpu, p);
    p->totalGlobalMem = gpu->info.total_bytes;
    p->sharedMemPerBlock = gpu->info.max_lds_bytes;
    p->regsPerBlock = p->regsPerMultiprocessor = or_usual(gpu->info.registers, 65536);
    p->memPitch = 0x7fffffff;
    p->maxThreadsPerBlock = (int)gpu->info.max_block_threads;
    for (int i = 0; i < 3; i++) {
        p->maxThreadsDim[i] = or_usual(gpu->info.max_block[i], (int)gpu->info.max_block_threads);
        p->maxGridSize[i] = or_usual(gpu->info.max_grid[i], i == 0 ? 0x7fffffff : 65536);
    }
    p->clockRate = (int)gpu->info.clock_khz;
    p->totalConstMem = 0x7fffffff;
    p->textureAlignment = 256;
    p->texturePitchAlignment = 256;
    p->surfaceAlignment = 256;
    fill_images(p);
    p->deviceOverlap = 1;
    p->multiProcessorCount = (int)gpu->info.n_units;
    p->integrated = gpu->info.host_access;
    p->canMapHostMemory = 1;
    p->computeMode = hipComputeModeDefault;
    p->concurrentKernels = 1;
    p->asyncEngineCount = 1;
    p->unifiedAddressing = 1;
    p->memoryClockRate = or_usual(gpu->info.memory_khz, 1600000);
    p->memoryBusWidth = or_usual(gpu->info.memory_bits, 128);
    p->l2CacheSize = (int)gpu->info.l2_bytes;
    p->maxThreadsPerMultiProcessor = (int)gpu->info.unit_threads;
    p->streamPrioritiesSupported = 1;
    p->managedMemory = 1;
    p->hostNativeAtomicSupported = !gpu->info.lacks_host_atomics;
    p->singleToDoublePrecisionPerfRatio = 2;
    p->pageableMemoryAccess = has_pageable(gpu);
    p->concurrentManagedAccess = 1;
    p->canUseHostPointerForRegisteredMem = gpu->info.pageable_access || gpu->dev.ops->mem.pin;
    p->cooperativeLaunch = 1;
    p->cooperativeMultiDeviceLaunch = !gpu->info.lacks_multi;
    p->cooperativeMultiDeviceUnmatchedFunc = p->cooperativeMultiDeviceUnmatchedGridDim =
        !gpu->info.lacks_multi;
    p->cooperativeMultiDeviceUnmatchedBlockDim = p->cooperativeMultiDeviceUnmatchedSharedMem =
        !gpu->info.lacks_multi;
    p->pageableMemoryAccessUsesHostPageTables = has_pageable(gpu);
    p->directManagedMemAccessFromHost = gpu->info.pageable_access;
    p->maxBlocksPerMultiProcessor = (int)gpu->info.unit_blocks;
    p->hostRegisterSupported = gpu->info.pageable_access || gpu->dev.ops->mem.pin;
    p->memoryPoolsSupported = 1;
    p->memoryPoolSupportedHandleTypes =
        gpu->info.lacks_files ? hipMemHandleTypeNone : hipMemHandleTypePosixFileDescriptor;
    p->ipcEventSupported = 1;
    p->unifiedFunctionPointers = 1;
    p->clockInstructionRate = 100000; /* wall_clock64 */
    p->arch = abilities();
    p->isLargeBar = gpu->info.host_access;
    ls_fill_arch(rt, gpu);
    atomic_store(&gpu->limits[hipLimitStackSize], 1024);
    atomic_store(&gpu->limits[hipLimitPrintfFifoSize], PRINTF_BYTES);
    atomic_store(&gpu->dev.printf_bytes, PRINTF_BYTES);
    atomic_store(&gpu->limits[hipLimitMallocHeapSize], gpu->info.total_bytes);
}
