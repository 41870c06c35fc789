/* SPDX-License-Identifier: MIT */
#include "device/cuda/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define LIBRARY "libcuda.so.1"

/* The layout that the driver's library was built with. */
_Static_assert(sizeof(struct ls_cu_copy_3d) == 200, "CUDA_MEMCPY3D");
_Static_assert(offsetof(struct ls_cu_copy_3d, dst) == 88, "CUDA_MEMCPY3D");
_Static_assert(sizeof(struct ls_cu_memory) == 32, "CUmemAllocationProp");
_Static_assert(sizeof(struct ls_cu_access) == 12, "CUmemAccessDesc");

struct ls_cu ls_cu;

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static uint32_t n_devices; /* written by open_driver */
static atomic_bool has_left;

static const struct {
    const char *name, *symbol;
    size_t offset; /* of the pointer, in struct ls_cu */
    bool is_required;
} symbols[] = {
#define LS_CU_REQUIRED(name, symbol, parameters)                                                   \
    {#name, #symbol, offsetof(struct ls_cu, name), true},
#define LS_CU_OPTIONAL(name, symbol, parameters)                                                   \
    {#name, #symbol, offsetof(struct ls_cu, name), false},
#include "device/cuda/symbols.def"
};

static bool
find_symbols(void *library)
{
    for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
        void *p = dlsym(library, symbols[i].symbol);

        if (!p && symbols[i].is_required) {
            ls_log(LS_LOG_INFO, "%s has no %s: its driver is too old", LIBRARY, symbols[i].symbol);
            return false;
        }
        memcpy((char *)&ls_cu + symbols[i].offset, &p, sizeof(p));
    }
    return true;
}

static void
leave(void)
{
    atomic_store(&has_left, true);
}

bool
ls_cu_has_left(void)
{
    return atomic_load_explicit(&has_left, memory_order_relaxed); /* set by the thread that ends the
                                                                     process; others may be late */
}

static void
open_driver(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    int n = 0, version = 0, result;

    if (!library) {
        ls_log(LS_LOG_INFO, "no CUDA driver: %s", dlerror());
        return;
    }
    if (!find_symbols(library))
        return;
    result = ls_cu.cuInit(0);
    if (result != LS_CU_SUCCESS) { /* as where a driver is, but no device */
        ls_log(LS_LOG_INFO, "cuInit: %s", ls_cu_name(result));
        return;
    }
    if (atexit(leave) != 0) /* runs before what the driver has registered */
        return;
    LS_CU(cuDriverGetVersion, &version);
    if (LS_CU(cuDeviceGetCount, &n) != LS_CU_SUCCESS)
        n = 0;
    ls_log(LS_LOG_INFO, "CUDA driver of version %d.%d with %d devices", version / 1000,
           version % 1000 / 10, n);
    n_devices = n > 0 ? (uint32_t)n : 0;
}

uint32_t
ls_cu_open(void)
{
    pthread_once(&opened, open_driver);
    return n_devices;
}

enum { GOES_ON, ENDS };

static const struct result {
    int number;
    const char *name;
    hipError_t err;
    int ends;
} results[] = {
    {LS_CU_SUCCESS, "CUDA_SUCCESS", hipSuccess, GOES_ON},
#define LS_CU_RESULT(number, name, error, ends) {number, "CUDA_ERROR_" #name, error, ends},
#include "device/cuda/results.def"
};

static const struct result *
find_result(int number)
{
    for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
        if (results[i].number == number)
            return &results[i];
    return NULL;
}

hipError_t
ls_cu_error(int result)
{
    const struct result *r = find_result(result);

    return r ? r->err : hipErrorUnknown;
}

bool
ls_cu_ends(int result)
{
    const struct result *r = find_result(result);

    return r && r->ends == ENDS;
}

const char *
ls_cu_name(int result)
{
    const struct result *r = find_result(result);
    const char *name = NULL;

    if (r)
        return r->name;
    if (!ls_cu.cuGetErrorName || ls_cu.cuGetErrorName(result, &name) != LS_CU_SUCCESS || !name)
        return "an unknown CUresult";
    return name;
}

int
ls_cu_check(const char *call, int result)
{
    if (result != LS_CU_SUCCESS && result != LS_CU_NOT_READY && result != LS_CU_DEINITIALIZED)
        ls_log(LS_LOG_WARN, "%s: %s (%d)", call, ls_cu_name(result), result);
    return result;
}
