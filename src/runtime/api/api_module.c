/* SPDX-License-Identifier: MIT */
/* Modules, functions and their attributes, occupancy, names. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/api/api.h"
#include "runtime/module/launch.h"

static hipError_t
load_data(hipModule_t *out, const void *image, size_t bytes)
{
    hipError_t err;

    LS_ENTER();
    LS_CHECK(out && image, hipErrorInvalidValue);
    err = ls_module_load(image, bytes, true, true, out);
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipModuleLoadData(hipModule_t *module, const void *image)
{
    return load_data(module, image, SIZE_MAX);
}

LS_EXPORT hipError_t
hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned n_options,
                    hipJitOption *options, void **values)
{
    LS_CHECK(n_options == 0 || (options && values), hipErrorInvalidValue);
    return load_data(module, image, SIZE_MAX);
}

hipError_t
ls_module_load_file(const char *path, bool bound, hipModule_t *module)
{
    hipError_t err = hipErrorFileNotFound;
    struct stat st;
    void *map;
    int fd;

    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ls_err(hipErrorFileNotFound, "%s: %s", path, strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        map = st.st_size > 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
        err = map == MAP_FAILED ? hipErrorOutOfMemory : hipErrorInvalidImage;
        if (map && map != MAP_FAILED) {
            err = ls_module_load(map, (size_t)st.st_size, true, bound, module);
            munmap(map, (size_t)st.st_size);
        }
    }
    close(fd);
    return err;
}

LS_EXPORT hipError_t
hipModuleLoad(hipModule_t *module, const char *path)
{
    LS_ENTER();
    LS_CHECK(module && path && *path, hipErrorInvalidValue);
    LS_RETURN(ls_module_load_file(path, true, module));
}

LS_EXPORT hipError_t
hipModuleUnload(hipModule_t module)
{
    LS_CHECK(module, hipErrorInvalidHandle);
    LS_CHECK(ls_module_is_valid(module),
             hipErrorNotFound); /* AMD's error for a module that was unloaded before */
    ls_module_unload(module);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name)
{
    LS_ENTER();
    LS_CHECK(function && name && *name, hipErrorInvalidValue);
    LS_CHECK(module, hipErrorInvalidHandle);
    LS_CHECK(ls_module_is_valid(module), hipErrorNotFound);
    *function = ls_module_find_kernel(module, name);
    LS_RETURN(*function ? hipSuccess : ls_err(hipErrorNotFound, "no kernel %s", name));
}

/* Of a __managed__ variable its memory, and not the pointer to that. */
static bool
find_variable(hipModule_t module, const char *name, void **ptr, size_t *bytes)
{
    uint32_t device = ls_gpu_current()->dev.index;
    size_t n = strlen(name);
    char *managed = malloc(n + sizeof(LS_MANAGED_SUFFIX));
    bool found = false;

    if (managed) {
        memcpy(managed, name, n);
        memcpy(managed + n, LS_MANAGED_SUFFIX, sizeof(LS_MANAGED_SUFFIX));
        found = ls_module_find_global(module, device, managed, ptr, bytes);
    }
    free(managed);
    return found || ls_module_find_global(module, device, name, ptr, bytes);
}

LS_EXPORT hipError_t
hipModuleGetGlobal(hipDeviceptr_t *ptr, size_t *bytes, hipModule_t module, const char *name)
{
    size_t n;
    void *p;

    LS_ENTER();
    LS_CHECK((ptr || bytes) && name && *name, hipErrorInvalidValue);
    LS_CHECK(module, hipErrorInvalidHandle);
    LS_CHECK(ls_module_is_valid(module), hipErrorNotFound);
    if (!find_variable(module, name, &p, &n))
        LS_RETURN(ls_err(hipErrorNotFound, "no variable %s", name));
    if (ptr)
        *ptr = p;
    if (bytes)
        *bytes = n;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipGetFuncBySymbol(hipFunction_t *function, const void *symbol)
{
    LS_ENTER();
    LS_CHECK(function, hipErrorInvalidDeviceFunction);
    LS_RETURN(ls_registered_kernel(symbol, function));
}

/* Attributes */

static int
max_dynamic(const struct ihipModuleSymbol_t *k)
{
    uint32_t used = ls_kernel_resources(k)->lds_bytes;

    return used < ls_limits()->max_lds_bytes ? (int)(ls_limits()->max_lds_bytes - used) : 0;
}

LS_EXPORT hipError_t
hipFuncGetAttributes(hipFuncAttributes *attr, const void *func)
{
    const struct ls_resources *r;
    struct ihipModuleSymbol_t *k;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(attr, hipErrorInvalidValue);
    LS_TRY(ls_registered_kernel(func, &k));
    r = ls_kernel_resources(k);
    memset(attr, 0, sizeof(*attr));
    attr->binaryVersion = ls_gpu_current()->prop.major * 10 + ls_gpu_current()->prop.minor;
    attr->ptxVersion = attr->binaryVersion;
    attr->localSizeBytes = r->private_bytes;
    attr->maxDynamicSharedSizeBytes = max_dynamic(k);
    attr->maxThreadsPerBlock = (int)k->info->max_threads;
    attr->numRegs = (int)r->vgprs;
    attr->sharedSizeBytes = r->lds_bytes;
out:
    LS_RETURN(err);
}

hipError_t
ls_function_attribute(int *value, hipFunction_attribute which, hipFunction_t f)
{
    switch (which) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)f->info->max_threads;
        break;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)ls_kernel_resources(f)->lds_bytes;
        break;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)ls_kernel_resources(f)->private_bytes;
        break;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)ls_kernel_resources(f)->vgprs;
        break;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = ls_gpu_current()->prop.major * 10 + ls_gpu_current()->prop.minor;
        break;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = max_dynamic(f);
        break;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = 0;
        break;
    case HIP_FUNC_ATTRIBUTE_MAX:
    default:
        return ls_err(hipErrorInvalidValue, "attribute %d", (int)which);
    }
    return hipSuccess;
}

LS_EXPORT hipError_t
hipFuncGetAttribute(int *value, hipFunction_attribute which, hipFunction_t f)
{
    LS_ENTER();
    LS_CHECK(value, hipErrorInvalidValue);
    LS_CHECK(f, hipErrorInvalidHandle);
    LS_CHECK(ls_kernel_is_valid(f), hipErrorInvalidDeviceFunction);
    LS_RETURN(ls_function_attribute(value, which, f));
}

/* The values are checked and dropped. */
hipError_t
ls_function_set_attribute(const struct ihipModuleSymbol_t *k, int which, int value)
{
    if (which == hipFuncAttributeMaxDynamicSharedMemorySize)
        return value < 0 || value > max_dynamic(k) ? hipErrorInvalidValue : hipSuccess;
    if (which == hipFuncAttributePreferredSharedMemoryCarveout)
        return value < -1 || value > 100 ? hipErrorInvalidValue : hipSuccess;
    return ls_err(hipErrorInvalidValue, "attribute %d", which);
}

LS_EXPORT hipError_t
hipFuncSetAttribute(const void *func, hipFuncAttribute which, int value)
{
    struct ihipModuleSymbol_t *k;
    hipError_t err;

    LS_ENTER();
    LS_TRY(ls_registered_kernel(func, &k));
    err = ls_function_set_attribute(k, (int)which, value);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipFuncSetCacheConfig(const void *func, hipFuncCache_t config)
{
    struct ihipModuleSymbol_t *k;

    LS_ENTER();
    LS_CHECK((unsigned)config <= hipFuncCachePreferEqual, hipErrorInvalidValue);
    LS_RETURN(ls_registered_kernel(func, &k));
}

LS_EXPORT hipError_t
hipFuncSetSharedMemConfig(const void *func, hipSharedMemConfig config)
{
    struct ihipModuleSymbol_t *k;

    LS_ENTER();
    LS_CHECK((unsigned)config <= hipSharedMemBankSizeEightByte, hipErrorInvalidValue);
    LS_RETURN(ls_registered_kernel(func, &k));
}

/* Occupancy */

static hipError_t
active_blocks(int *n, struct ihipModuleSymbol_t *k, int block, size_t shared)
{
    if (!n || block <= 0)
        return hipErrorInvalidValue;
    *n = (unsigned)block > k->info->max_threads
             ? 0
             : (int)ls_resident_blocks(k, (uint32_t)block, shared);
    return hipSuccess;
}

/* The largest block that the kernel takes and a multiprocessor holds; the smallest grid that fills
 * the device. */
static hipError_t
potential(int *grid, int *block, struct ihipModuleSymbol_t *k, size_t shared, int limit)
{
    int max = (int)k->info->max_threads, n = 0;
    int fit = (int)ls_arch_threads(ls_arch_find(ls_limits()->arch), ls_kernel_resources(k));

    if (!grid || !block || limit < 0)
        return hipErrorInvalidValue;
    if (max > (int)ls_limits()->max_block_threads)
        max = (int)ls_limits()->max_block_threads;
    if (limit > 0 && limit < max)
        max = limit;
    if (fit > 0 && fit < max)
        max = fit;
    if (max > (int)ls_limits()->warp_size)
        max -= max % (int)ls_limits()->warp_size;
    *block = max;
    active_blocks(&n, k, max, shared);
    *grid = n * (int)ls_gpu_current()->info.n_units;
    return hipSuccess;
}

LS_EXPORT hipError_t
hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *func, int block,
                                                      size_t shared, unsigned flags)
{
    struct ihipModuleSymbol_t *k;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(flags <= hipOccupancyDisableCachingOverride, hipErrorInvalidValue);
    LS_TRY(ls_registered_kernel(func, &k));
    err = active_blocks(n, k, block, shared);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *func, int block, size_t shared)
{
    return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, func, block, shared, 0);
}

LS_EXPORT hipError_t
hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *func, size_t shared, int limit)
{
    struct ihipModuleSymbol_t *k;
    hipError_t err;

    LS_ENTER();
    LS_TRY(ls_registered_kernel(func, &k));
    err = potential(grid, block, k, shared, limit);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, hipFunction_t f, int block,
                                                            size_t shared, unsigned flags)
{
    LS_ENTER();
    LS_CHECK(flags <= hipOccupancyDisableCachingOverride, hipErrorInvalidValue);
    LS_CHECK(ls_kernel_is_valid(f), hipErrorInvalidValue);
    LS_RETURN(active_blocks(n, f, block, shared));
}

LS_EXPORT hipError_t
hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *n, hipFunction_t f, int block,
                                                   size_t shared)
{
    return hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, f, block, shared, 0);
}

LS_EXPORT hipError_t
hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, hipFunction_t f,
                                                 size_t shared, int limit, unsigned flags)
{
    LS_ENTER();
    LS_CHECK(flags <= hipOccupancyDisableCachingOverride, hipErrorInvalidValue);
    LS_CHECK(ls_kernel_is_valid(f), hipErrorInvalidValue);
    LS_RETURN(potential(grid, block, f, shared, limit));
}

LS_EXPORT hipError_t
hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t f, size_t shared,
                                        int limit)
{
    return hipModuleOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, shared, limit, 0);
}

/* What a block may have when n of them share a multiprocessor. */
LS_EXPORT hipError_t
hipOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int n, int block)
{
    struct ihipModuleSymbol_t *k;
    hipError_t err;
    size_t share;

    LS_ENTER();
    LS_CHECK(bytes && n > 0 && block > 0, hipErrorInvalidValue);
    LS_TRY(ls_registered_kernel(func, &k));
    LS_CHECK((unsigned)block <= k->info->max_threads, hipErrorInvalidValue);
    *bytes = 0;
    if ((unsigned)n > ls_resident_blocks(k, (uint32_t)block, 0))
        goto out;
    share = ls_arch_find(ls_limits()->arch)->lds_bytes / (size_t)n;
    if (share > ls_limits()->max_lds_bytes)
        share = ls_limits()->max_lds_bytes;
    *bytes =
        share > ls_kernel_resources(k)->lds_bytes ? share - ls_kernel_resources(k)->lds_bytes : 0;
out:
    LS_RETURN(err);
}

/* How many clusters of such a launch fit at once. A cluster is one block; 0 when larger ones are
 * asked for. */
static hipError_t
clusters(const hipLaunchConfig_t *config, const void *func, int *n)
{
    struct ihipModuleSymbol_t *k;
    hipError_t err;
    dim3 b;

    if (!n || !config || (config->numAttrs > 0 && !config->attrs))
        return hipErrorInvalidValue;
    *n = 0;
    LS_TRY(ls_registered_kernel(func, &k));
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const hipLaunchAttribute *a = &config->attrs[i];

        if (a->id == hipLaunchAttributeClusterDimension &&
            (a->val.clusterDim.x != 1 || a->val.clusterDim.y != 1 || a->val.clusterDim.z != 1))
            goto out;
    }
    b = config->blockDim;
    if (!b.x || !b.y || !b.z || b.x > ls_limits()->max_block_threads ||
        b.y > ls_limits()->max_block_threads || b.z > ls_limits()->max_block_threads ||
        b.x * b.y * b.z > ls_limits()->max_block_threads)
        return hipErrorInvalidConfiguration;
    err = active_blocks(n, k, (int)(b.x * b.y * b.z), config->dynamicSmemBytes);
out:
    return err;
}

LS_EXPORT hipError_t
hipOccupancyMaxPotentialClusterSize(int *size, const void *func, const hipLaunchConfig_t *config)
{
    hipError_t err;

    LS_ENTER();
    err = clusters(config, func, size);
    if (err == hipSuccess)
        *size = *size > 0;
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipOccupancyMaxActiveClusters(int *n, const void *func, const hipLaunchConfig_t *config)
{
    hipError_t err;

    LS_ENTER();
    err = clusters(config, func, n);
    if (err == hipSuccess)
        *n *= (int)ls_gpu_current()->info.n_units;
    LS_RETURN(err);
}

/* Names */

static const char *const api_names[] = {
#define LS_API(node, name)             #name,
#define LS_API_ANYWHERE(node, name)    #name,
#define LS_API_UNSUPPORTED(node, name) #name,
#include "runtime/api/hip_api.def"
#undef LS_API
#undef LS_API_ANYWHERE
#undef LS_API_UNSUPPORTED
};

/* 0 is no function. */
LS_EXPORT const char *
hipApiName(uint32_t id)
{
    return id - 1 < sizeof(api_names) / sizeof(*api_names) ? api_names[id - 1] : "unknown";
}

LS_EXPORT const char *
hipKernelNameRef(const hipFunction_t f)
{
    return ls_kernel_is_valid(f) ? f->source.name : NULL;
}

LS_EXPORT const char *
hipKernelNameRefByPtr(const void *func, hipStream_t stream)
{
    struct ihipModuleSymbol_t *k;

    (void)stream;
    return ls_start() == hipSuccess && ls_registered_kernel(func, &k) == hipSuccess ? k->source.name
                                                                                    : NULL;
}

/* Symbols are looked up in this very library: every row of the table is exported. */
/* The properties' functions have a suffix by the version of HIP that the caller was built for. */
static const char *
versioned_name(const char *symbol, int version)
{
    static const char *const names[][3] = {
        {"hipGetDeviceProperties", "hipGetDevicePropertiesR0000", "hipGetDevicePropertiesR0600"},
        {"hipChooseDevice", "hipChooseDeviceR0000", "hipChooseDeviceR0600"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(symbol, names[i][0]) == 0)
            return names[i][version >= 600 ? 2 : 1];
    return symbol;
}

static void *
find_symbol(const char *symbol, int version, bool per_thread)
{
    void *dl = NULL, *found = NULL;
    char name[128];
    Dl_info self;

    symbol = versioned_name(symbol, version);
    if (dladdr(api_names, &self))
        dl = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (!dl)
        return NULL;
    if (per_thread && snprintf(name, sizeof(name), "%s_spt", symbol) < (int)sizeof(name))
        found = dlsym(dl, name);
    if (!found)
        found = dlsym(dl, symbol);
    dlclose(dl);
    return found;
}

static hipError_t
get_proc_address(const char *symbol, void **pfn, int version, bool per_thread,
                 hipDriverProcAddressQueryResult *status)
{
    LS_CHECK(symbol && *symbol && pfn, hipErrorInvalidValue);
    *pfn = find_symbol(symbol, version, per_thread);
    if (status)
        *status = *pfn ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    LS_RETURN(*pfn ? hipSuccess : hipErrorInvalidValue);
}

LS_EXPORT hipError_t
hipGetProcAddress(const char *symbol, void **pfn, int version, uint64_t flags,
                  hipDriverProcAddressQueryResult *status)
{
    (void)flags;
    return get_proc_address(symbol, pfn, version, false, status);
}

LS_EXPORT hipError_t
hipGetProcAddress_spt(const char *symbol, void **pfn, int version, uint64_t flags,
                      hipDriverProcAddressQueryResult *status)
{
    (void)flags;
    return get_proc_address(symbol, pfn, version, true, status);
}

LS_EXPORT hipError_t
hipGetDriverEntryPoint(const char *symbol, void **pfn, unsigned long long flags,
                       hipDriverEntryPointQueryResult *status)
{
    LS_CHECK(symbol && *symbol && pfn && flags <= hipEnablePerThreadDefaultStream,
             hipErrorInvalidValue);
    *pfn = find_symbol(symbol, HIP_VERSION / 100000, flags == hipEnablePerThreadDefaultStream);
    if (status)
        *status = *pfn ? hipDriverEntryPointSuccess : hipDriverEntryPointSymbolNotFound;
    LS_RETURN(*pfn ? hipSuccess : hipErrorInvalidValue);
}

LS_EXPORT hipError_t
hipGetDriverEntryPoint_spt(const char *symbol, void **pfn, unsigned long long flags,
                           hipDriverEntryPointQueryResult *status)
{
    return hipGetDriverEntryPoint(
        symbol, pfn, flags == hipEnableDefault ? hipEnablePerThreadDefaultStream : flags, status);
}
