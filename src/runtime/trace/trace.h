/* SPDX-License-Identifier: MIT */
/* Logs and traces: functions by which the other rooms report. */
#ifndef LS_RUNTIME_TRACE_H
#define LS_RUNTIME_TRACE_H

#include <stdarg.h>

#include "device/device.h"

/* Levels and masks of AMD_LOG_LEVEL and AMD_LOG_MASK (HIP Programming Guide 3.6.1, "HIP Logging
 * Level", and 3.6.2, "HIP Logging Mask"). Nothing is said of locks (0x40): a line takes longer to
 * write than ours are held, and would change what it tells of. */
enum ls_trace_level {
    LS_TRACE_ERROR = 1,
    LS_TRACE_WARNING = 2,
    LS_TRACE_INFO = 3,
    LS_TRACE_DEBUG = 4
};
#define LS_TRACE_API      0x00000001u
#define LS_TRACE_CMD      0x00000002u
#define LS_TRACE_WAIT     0x00000004u
#define LS_TRACE_AQL      0x00000008u
#define LS_TRACE_QUEUE    0x00000010u
#define LS_TRACE_SIG      0x00000020u
#define LS_TRACE_KERN     0x00000080u
#define LS_TRACE_COPY     0x00000100u
#define LS_TRACE_COPY2    0x00000200u
#define LS_TRACE_RESOURCE 0x00000400u
#define LS_TRACE_INIT     0x00000800u
#define LS_TRACE_MISC     0x00001000u
#define LS_TRACE_AQL2     0x00002000u
#define LS_TRACE_CODE     0x00004000u
#define LS_TRACE_CMD2     0x00008000u
#define LS_TRACE_LOCATION 0x00010000u
#define LS_TRACE_ALWAYS   0xffffffffu

/* Why calls take the slow way; 0: they needn't. */
#define LS_TRACE_UNREAD  1u /* nobody has read the environment */
#define LS_TRACE_WATCHED 2u /* the environment asks for calls to be logged or serialised */
#define LS_TRACE_STOPPED 4u /* the runtime hasn't started, or cannot */
#define LS_TRACE_GATE    8u /* a reset is under way: entry/gate.h */
extern atomic_uchar ls_trace_on;

/* Written once, by ls_trace_init; only `any` may change later, when the program switches logs on or
 * off. */
struct ls_trace_settings {
    unsigned serialize_kernel, serialize_copy; /* 1 = wait before, 2 = wait after */
    bool json, dump_code;
    atomic_bool any; /* calls are written down */
};
extern struct ls_trace_settings ls_trace_settings;

/* Reads the environment, once. */
void ls_trace_init(void);
/* Puts the tracing device around `dev` if something is switched on. Before its first use. */
void ls_trace_device(struct ls_device *dev);

/* Replaces AMD_LOG_LEVEL and AMD_LOG_MASK. */
void ls_trace_set_log(int level, unsigned mask);
bool ls_trace_logs(enum ls_trace_level level, unsigned mask);
void ls_trace_log(enum ls_trace_level level, unsigned mask, const char *file, int line,
                  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The line of an API call. */
void ls_trace_log_call(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* GPU_DUMP_CODE_OBJECT: writes a module's bitcode to _code_object<n>.bc in the current folder. */
void ls_trace_code_object(const void *bitcode, size_t bytes);

/* What begins from now on is on the timeline, or no longer is: hipProfilerStart, hipProfilerStop.
 * Again, and without a timeline: no effect. Of work the moment it was handed over counts. */
void ls_trace_range(bool begins);

/* A span on the timeline: of a thread of the host, or of a stream. `args` is text in JSON, without
 * braces. */
void ls_json_call(const char *name, uint64_t start_ns, uint64_t end_ns, const char *args,
                  const char *result);
void ls_json_work(const char *name, uint64_t stream, uint64_t submit_ns, uint64_t start_ns,
                  uint64_t end_ns, const char *args);

#endif
