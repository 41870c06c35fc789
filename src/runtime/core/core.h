/* SPDX-License-Identifier: MIT */
/* What every room of the runtime uses: the devices, the calling thread's state, errors. */
#ifndef LS_RUNTIME_CORE_H
#define LS_RUNTIME_CORE_H

#include <pthread.h>

#include <hip/detail/graph_types.h>

#include "base/log.h"
#include "device/device.h"

#define LS_EXPORT __attribute__((visibility("default")))

struct ls_call_config {
    dim3 grid, block;
    size_t shared_bytes;
    hipStream_t stream;
};

#define LS_MAX_CONFIGS     8
#define LS_MAX_SETUP_BYTES 1024
#define LS_WHY_BYTES       256

/* One thread's state. Small: a program that opens the library late has under 1.5 KiB for all of
 * it. */
struct ls_thread {
    hipError_t last;         /* for hipGetLastError */
    hipError_t last_command; /* error of the latest call, failed or not, for hipExtGetLastError */
    struct ls_call_config configs[LS_MAX_CONFIGS];
    unsigned n_configs;
    char *args; /* hipSetupArgument; owned, LS_MAX_SETUP_BYTES, made at first use */
    size_t args_bytes;
    struct ihipStream_t **streams; /* hipStreamPerThread of each device; owned, made at first use */
    hipStreamCaptureMode capture_mode; /* hipThreadExchangeStreamCaptureMode */
    uint32_t device;                   /* hipSetDevice */
    struct ls_cmd *spare_cmds;         /* for its next commands, by `next`; the queue's */
    char *why; /* room for LS_WHY_BYTES of what ls_err says; NULL: nobody asks */
    /* entry/gate.h */
    atomic_uint n_calls;           /* API calls that the thread is in, one within another */
    bool known;                    /* it is in the list of threads */
    bool ended;                    /* it was in that list, and will not be again */
    struct ls_thread *next, *prev; /* guarded by the list's lock */
};

extern _Thread_local struct ls_thread ls_this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

#define LS_MAX_DEVICES 16

struct ls_gpu {
    struct ls_device dev;       /* first: ls_gpu_of */
    struct ls_device_info info; /* with an arch, whatever the device said */
    bool is_any_arch;           /* it said none: as ls_rt.arch */
    hipDeviceProp_t prop;
    atomic_uint flags; /* hipSetDeviceFlags */
    atomic_uint peers; /* bits of the devices that it may access: hipDeviceEnablePeerAccess */
    _Atomic size_t limits[hipLimitRange];
    _Atomic size_t used_bytes; /* mem.h */
};

struct ls_runtime {
    char arch[64]; /* "gfx1100": of devices that answer as any */
    uint32_t warp_size;
    atomic_bool arch_is_open; /* nobody has asked for arch or warp_size yet, so that they may still
                                 change: see ls_arch_fix */
    bool arch_was_open;       /* arch_is_open when the runtime started */
    int n_devices;            /* written once, by the start */
    atomic_bool leaving; /* the process ends, or is a forked child without our threads: nothing is
                            destroyed any more */
    struct ls_gpu gpus[LS_MAX_DEVICES];
    /* One device of each kind that there is; written once. */
    struct ls_device *kinds[LS_DEVICE_KINDS];
    uint32_t n_kinds;
};

extern struct ls_runtime ls_rt;

static inline struct ls_thread *
ls_thread_get(void)
{
    return &ls_this_thread;
}

/* The calling thread's device. */
struct ls_gpu *ls_gpu_current(void);
void ls_gpu_set_current(uint32_t index);
/* Whether there is such a device. */
bool ls_gpu_exists(int index);

static inline struct ls_gpu *
ls_gpu_of(struct ls_device *dev)
{
    return (struct ls_gpu *)(void *)dev;
}

/* What the calling thread's device can do. */
static inline const struct ls_device_info *
ls_limits(void)
{
    return &ls_gpu_current()->info;
}

/* The sticky error of the current device, or hipSuccess. */
hipError_t ls_sticky(void);
/* Remembers what an API call returns; returns it. */
hipError_t ls_return(hipError_t err);

/* Logs why an error is returned; returns the code. */
hipError_t ls_err_at(const char *file, int line, hipError_t code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
#define ls_err(...) ls_err_at(__FILE__, __LINE__, __VA_ARGS__)

#define LS_TRY(expr)                                                                               \
    do {                                                                                           \
        err = (expr);                                                                              \
        if (err != hipSuccess)                                                                     \
            goto out;                                                                              \
    } while (0)

const char *ls_error_name(hipError_t err);
const char *ls_error_text(hipError_t err);

/* Which architecture the devices answer as: that of the environment, or of the program's device
 * code. Where both are silent it stays open until a module is loaded, whose architecture it becomes
 * (ls_arch_take), or until somebody asks, which makes it the default (ls_arch_fix). */
void ls_arch_fix(void);
/* False when it was not open any more. */
bool ls_arch_take(const char *arch, uint32_t warp_size);
/* Lanes of a warp of an AMD architecture; 0 when the name is not one. */
uint32_t ls_arch_warp_size(const char *arch);
void ls_fill_properties(const struct ls_runtime *rt, struct ls_gpu *gpu);
/* Fills in the properties that depend on the architecture. */
void ls_fill_arch(const struct ls_runtime *rt, struct ls_gpu *gpu);
/* visible.c: lists the devices of n that programs see by *_VISIBLE_DEVICES, in their order.
 * `driver_chose`: of those that CUDA_VISIBLE_DEVICES leaves out the driver has told nothing.
 * Returns how many. */
unsigned ls_visible_devices(unsigned n, bool driver_chose, uint8_t list[LS_MAX_DEVICES]);
/* visible.c: the UUID of a device. */
void ls_device_uuid(unsigned part, hipUUID *uuid);

#endif
