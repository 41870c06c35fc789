/* SPDX-License-Identifier: MIT */
/* What the API families share: entry and exit of a call. */
#ifndef LS_RUNTIME_API_H
#define LS_RUNTIME_API_H

#include "runtime/core/core.h"
#include "runtime/mem/mem.h"
#include "runtime/queue/queue.h"

/* Ends an API call: remembers the error for hipGetLastError. */
#define LS_RETURN(expr) return ls_return(expr)
/* Begins a call that uses the device: a sticky error ends it. */
#define LS_ENTER()                                                                                 \
    do {                                                                                           \
        hipError_t enter_err_ = ls_enter();                                                        \
        if (enter_err_ != hipSuccess)                                                              \
            return ls_return(enter_err_);                                                          \
    } while (0)
/* Begins a call that works in spite of a sticky error. */
#define LS_START()                                                                                 \
    do {                                                                                           \
        hipError_t start_err_ = ls_start();                                                        \
        if (start_err_ != hipSuccess)                                                              \
            return ls_return(start_err_);                                                          \
    } while (0)
#define LS_CHECK(cond, code)                                                                       \
    do {                                                                                           \
        if (!(cond))                                                                               \
            return ls_return(ls_err(code, "%s: not %s", __func__, #cond));                         \
    } while (0)

#define LS_N_DEVICES 1

#endif
