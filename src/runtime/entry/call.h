/* SPDX-License-Identifier: MIT */
/* A call on its slow way: the runtime may have to be started, the call to be logged or serialised.
 * For generated wrappers (wrap.cmake). */
#ifndef LS_RUNTIME_CALL_H
#define LS_RUNTIME_CALL_H

#include "runtime/core/core.h"

/* One API call on its slow way. */
struct ls_slow_call {
    const char *name;
    int row; /* of hip_api.def */
    uint64_t start_ns;
    size_t n;
    char args[480];
};
void ls_slow_begin(struct ls_slow_call *call, const char *name, int row);
void ls_slow_arg(struct ls_slow_call *call, char kind, const void *value, size_t bytes);
/* Called when all arguments were handed over: logs the call, and waits if the environment says so.
 * An error is what the call returns then: the runtime cannot start, and the function needs a
 * device. */
hipError_t ls_slow_start(struct ls_slow_call *call, bool needs_device);
hipError_t ls_slow_end(struct ls_slow_call *call, hipError_t err);

/* How an argument is printed. */
#define LS_SLOW_KIND(x) \
    _Generic((x), \
        int: 'd', unsigned: 'u', long: 'd', unsigned long: 'u', long long: 'd', \
        unsigned long long: 'u', unsigned short: 'u', unsigned char: 'u', float: 'f', \
        double: 'f', const char *: 's', dim3: '3', \
        default: sizeof(x) == sizeof(void *) ? 'p' : 'x')
#define LS_SLOW_ARG(call, x) ls_slow_arg(call, LS_SLOW_KIND(x), &(x), sizeof(x))

#endif
