/* SPDX-License-Identifier: MIT */
/* The CUDA driver, opened at run time: our declarations of what we use of it (symbols.def), and its
 * numbers. Names and numbers are those of the CUDA Driver API Reference Manual. */
#ifndef LS_DEVICE_CUDA_DRIVER_H
#define LS_DEVICE_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hip/hip_runtime_api.h>

/* What its handles point to; a device is an int, an address a uint64_t, a result an int. */
struct ls_cu_context;
struct ls_cu_stream;
struct ls_cu_event;
struct ls_cu_module;
struct ls_cu_function;
struct ls_cu_graph;
struct ls_cu_node;
struct ls_cu_exec;

/* CUresult */
enum {
    LS_CU_SUCCESS = 0,
    LS_CU_OUT_OF_MEMORY = 2,
    LS_CU_DEINITIALIZED = 4, /* the process ends */
    LS_CU_INVALID_HANDLE = 400,
    LS_CU_NOT_READY = 600,
    LS_CU_PEER_ACCESS_ALREADY_ENABLED = 704,
};

/* CUdevice_attribute */
enum {
    LS_CU_DEVICE_MAX_THREADS_PER_BLOCK = 1,
    LS_CU_DEVICE_MAX_BLOCK_DIM_X = 2, /* and y and z behind it */
    LS_CU_DEVICE_MAX_GRID_DIM_X = 5,
    LS_CU_DEVICE_WARP_SIZE = 10,
    LS_CU_DEVICE_MAX_REGISTERS_PER_BLOCK = 12,
    LS_CU_DEVICE_CLOCK_RATE = 13,
    LS_CU_DEVICE_MULTIPROCESSOR_COUNT = 16,
    LS_CU_DEVICE_PCI_BUS = 33,
    LS_CU_DEVICE_PCI_DEVICE = 34,
    LS_CU_DEVICE_MEMORY_CLOCK_RATE = 36,
    LS_CU_DEVICE_MEMORY_BUS_WIDTH = 37,
    LS_CU_DEVICE_L2_CACHE_SIZE = 38,
    LS_CU_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    LS_CU_DEVICE_UNIFIED_ADDRESSING = 41,
    LS_CU_DEVICE_PCI_DOMAIN = 50,
    LS_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR = 75,
    LS_CU_DEVICE_COMPUTE_CAPABILITY_MINOR = 76,
    LS_CU_DEVICE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
    LS_CU_DEVICE_PAGEABLE_MEMORY_ACCESS = 88,
    LS_CU_DEVICE_CONCURRENT_MANAGED_ACCESS = 89,
    LS_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    LS_CU_DEVICE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    LS_CU_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
};

/* CUfunction_attribute */
enum {
    LS_CU_FUNCTION_MAX_THREADS_PER_BLOCK = 0,
    LS_CU_FUNCTION_LOCAL_BYTES = 3,
    LS_CU_FUNCTION_REGISTERS = 4,
    LS_CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,
};

/* CUpointer_attribute, CUmemorytype */
enum { LS_CU_POINTER_MEMORY_TYPE = 2, LS_CU_POINTER_IS_MANAGED = 8 };
enum { LS_CU_MEMORY_HOST = 1, LS_CU_MEMORY_DEVICE = 2, LS_CU_MEMORY_UNIFIED = 4 };

/* CUjit_option */
enum {
    LS_CU_JIT_MAX_REGISTERS = 0,
    LS_CU_JIT_INFO_LOG = 3,
    LS_CU_JIT_INFO_LOG_BYTES = 4,
    LS_CU_JIT_ERROR_LOG = 5,
    LS_CU_JIT_ERROR_LOG_BYTES = 6,
};

/* Flags of single calls */
enum {
    LS_CU_LIMIT_STACK = 0,
    LS_CU_LIMIT_PRINTF_FIFO = 1,
    LS_CU_HOST_PORTABLE = 1,
    LS_CU_HOST_MAPPED = 2,
    LS_CU_MANAGED_GLOBAL = 1,
    LS_CU_STREAM_NON_BLOCKING = 1,
    LS_CU_EVENT_DEFAULT = 0,
    LS_CU_EVENT_DISABLE_TIMING = 2,
    LS_CU_CAPTURE_RELAXED = 2,
    LS_CU_CAPTURE_SET_DEPENDENCIES = 1,
    LS_CU_IPC_LAZY_PEER_ACCESS = 1,
    LS_CU_ALLOCATION_PINNED = 1,
    LS_CU_LOCATION_DEVICE = 1,
};

struct ls_cu_copy_side {
    size_t x_bytes, y, z, level;
    int type; /* LS_CU_MEMORY_... */
    const void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
};

/* CUDA_MEMCPY3D */
struct ls_cu_copy_3d {
    struct ls_cu_copy_side src, dst;
    size_t row_bytes, height, depth;
};

struct ls_cu_location {
    int type, id;
};

/* CUmemAllocationProp */
struct ls_cu_memory {
    int type, handle_types;
    struct ls_cu_location location;
    void *reserved;
    unsigned char flags[8];
};

/* CUipcMemHandle */
struct ls_cu_ipc {
    char bytes[64];
};

/* CUmemAccessDesc */
struct ls_cu_access {
    struct ls_cu_location location;
    int flags; /* as hipMemAccessFlags */
};

struct ls_cu {
#define LS_CU_REQUIRED(name, symbol, parameters) int(*name) parameters;
#include "device/cuda/symbols.def"
};

/* Written once, by ls_cu_open. */
extern struct ls_cu ls_cu;

/* Opens the driver, once. How many devices it has; 0 where there is no driver, or one that is too
 * old: the log says so, from LOCKSTEP_DEBUG=2 on. */
uint32_t ls_cu_open(void);

/* Says in the log which call failed, and returns the result. Not being ready is no failure, and
 * that the driver has left a process that ends nothing to talk of. */
int ls_cu_check(const char *call, int result);
/* Whether the process ends: the driver leaves before what the program registered, and its memory
 * and all else with it. */
bool ls_cu_has_left(void);
/* A driver call by its name. */
#define LS_CU(name, ...)                                                                           \
    (ls_cu_has_left() ? LS_CU_DEINITIALIZED : ls_cu_check(#name, ls_cu.name(__VA_ARGS__)))
/* The same as an error of HIP. */
#define LS_CU_TRY(name, ...) ls_cu_error(LS_CU(name, __VA_ARGS__))

/* HIP's error for a result. */
hipError_t ls_cu_error(int result);
/* Whether a result says that the context is lost. */
bool ls_cu_ends(int result);
/* Its name, "CUDA_ERROR_ILLEGAL_ADDRESS". */
const char *ls_cu_name(int result);

#endif
