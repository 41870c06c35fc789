/* SPDX-License-Identifier: MIT */
/* What the API families share: entry and exit of a call. */
#ifndef LS_RUNTIME_API_H
#define LS_RUNTIME_API_H

#include "runtime/core/core.h"
#include "runtime/entry/start.h"
#include "runtime/mem/mem.h"
#include "runtime/queue/queue.h"

/* Ends an API call: remembers the error for hipGetLastError. */
#define LS_RETURN(expr) return ls_return(expr)
/* Generated wrappers have started the runtime before a function is entered (entry/wrap.cmake). This
 * begins a call that uses the device: a sticky error ends it. */
#define LS_ENTER()                                                                                 \
    do {                                                                                           \
        hipError_t enter_err_ = ls_sticky();                                                       \
        if (enter_err_ != hipSuccess)                                                              \
            return ls_return(enter_err_);                                                          \
    } while (0)
/* Begins a call that has no such wrapper or is LS_API_ANYWHERE. */
#define LS_START()                                                                                 \
    do {                                                                                           \
        hipError_t start_err_ = ls_start();                                                        \
        if (start_err_ != hipSuccess)                                                              \
            return ls_return(start_err_);                                                          \
    } while (0)
/* Ends a call that destroys what work under way may still use: waits for all work, and returns its
 * error if destroying gives none. */
#define LS_RETURN_AFTER_ALL(destroy)                                                               \
    do {                                                                                           \
        hipError_t sticky_ = ls_queue_wait_all(NULL), destroy_err_ = (destroy);                    \
        return ls_return(destroy_err_ != hipSuccess ? destroy_err_ : sticky_);                     \
    } while (0)
#define LS_CHECK(cond, code)                                                                       \
    do {                                                                                           \
        if (!(cond))                                                                               \
            return ls_return(ls_err(code, "%s: not %s", __func__, #cond));                         \
    } while (0)

/* api_copy.c: a box between plain memory, with the checks that every copy has. */
hipError_t ls_copy_box(const struct ls_work_copy *box, hipMemcpyKind kind, hipStream_t handle,
                       bool wait);

/* api_module.c */
hipError_t ls_module_load_file(const char *path, bool bound, hipModule_t *module);
hipError_t ls_function_attribute(int *value, hipFunction_attribute which, hipFunction_t f);
hipError_t ls_function_set_attribute(const struct ihipModuleSymbol_t *k, int which, int value);

#endif
