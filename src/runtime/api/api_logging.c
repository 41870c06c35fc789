/* SPDX-License-Identifier: MIT */
/* Logs that the program itself switches on and off. */
#include "runtime/api/api.h"
#include "runtime/trace/trace.h"

static atomic_int level;
static atomic_uint mask;

LS_EXPORT hipError_t
hipExtSetLoggingParams(size_t log_level, size_t log_bytes, size_t log_mask)
{
    (void)log_bytes;
    atomic_store(&level, log_level > LS_TRACE_DEBUG ? LS_TRACE_DEBUG : (int)log_level);
    atomic_store(&mask, (unsigned)log_mask);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipExtEnableLogging(void)
{
    ls_trace_set_log(atomic_load(&level), atomic_load(&mask));
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipExtDisableLogging(void)
{
    ls_trace_set_log(0, atomic_load(&mask));
    LS_RETURN(hipSuccess);
}
