/* SPDX-License-Identifier: MIT */
/* A call on its slow way: the runtime may have to be started, the call to be logged or serialised.
 * For generated wrappers (wrap.cmake). */
#ifndef LS_RUNTIME_CALL_H
#define LS_RUNTIME_CALL_H

#include "runtime/core/core.h"

enum { LS_SLOW_VALUES = 16 }; /* arguments that are kept */

/* One API call on its slow way. */
struct ls_slow_call {
    const char *name;
    int row; /* of hip_api.def */
    uint64_t start_ns;
    size_t n;
    char args[480];
    /* For checkers (watched.h): */
    bool is_watched;
    unsigned n_values;
    char kinds[LS_SLOW_VALUES];
    uint64_t values[LS_SLOW_VALUES]; /* of pointers */
    char why[LS_WHY_BYTES];          /* what ls_err said */
};
void ls_slow_begin(struct ls_slow_call *call, const char *name, int row);
void ls_slow_arg(struct ls_slow_call *call, char kind, const void *value, size_t bytes);
/* Called when all arguments were handed over: logs the call, and waits if the environment says so.
 * An error is what the call returns then: the runtime cannot start, and the function needs a
 * device. */
hipError_t ls_slow_start(struct ls_slow_call *call, bool needs_device);
hipError_t ls_slow_end(struct ls_slow_call *call, hipError_t err);

/* How an argument is printed; handles are 'h', pointers to them 'H'. */
#define LS_SLOW_KIND(x) \
    _Generic((x), \
        int: 'd', unsigned: 'u', long: 'd', unsigned long: 'u', long long: 'd', \
        unsigned long long: 'u', unsigned short: 'u', unsigned char: 'u', float: 'f', \
        double: 'f', const char *: 's', dim3: '3', \
        hipStream_t: 'h', hipEvent_t: 'h', hipGraph_t: 'h', hipGraphNode_t: 'h', \
        hipGraphExec_t: 'h', hipModule_t: 'h', hipFunction_t: 'h', hipMemPool_t: 'h', \
        hipArray_t: 'h', hipMipmappedArray_t: 'h', \
        hipStream_t *: 'H', hipEvent_t *: 'H', hipGraph_t *: 'H', hipGraphNode_t *: 'H', \
        hipGraphExec_t *: 'H', hipModule_t *: 'H', hipFunction_t *: 'H', hipMemPool_t *: 'H', \
        hipArray_t *: 'H', hipMipmappedArray_t *: 'H', \
        default: sizeof(x) == sizeof(void *) ? 'p' : 'x')
#define LS_SLOW_ARG(call, x) ls_slow_arg(call, LS_SLOW_KIND(x), &(x), sizeof(x))

#endif
