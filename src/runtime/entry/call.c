/* SPDX-License-Identifier: MIT */
/* What generated wrappers call when a call goes its slow way. */
#include "runtime/entry/call.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/entry/gate.h"
#include "runtime/entry/start.h"
#include "runtime/entry/watched.h"
#include "runtime/queue/queue.h"
#include "runtime/trace/trace.h"

void
ls_slow_begin(struct ls_slow_call *call, const char *name, int row)
{
    ls_trace_init();
    call->name = name;
    call->row = row;
    call->n = 0;
    call->args[0] = 0;
    call->n_values = 0;
    call->is_watched = ls_watches_calls();
}

__attribute__((format(printf, 2, 3))) static void
add(struct ls_slow_call *call, const char *fmt, ...)
{
    va_list ap;
    int n;

    if (call->n >= sizeof(call->args) - 1)
        return;
    va_start(ap, fmt);
    n = vsnprintf(call->args + call->n, sizeof(call->args) - call->n, fmt, ap);
    va_end(ap);
    call->n += n > 0 ? (size_t)n : 0;
}

static long long
signed_value(const void *value, size_t bytes)
{
    long long v = 0;
    int i;

    if (bytes == sizeof(i)) {
        memcpy(&i, value, sizeof(i));
        return i;
    }
    memcpy(&v, value, bytes < sizeof(v) ? bytes : sizeof(v));
    return v;
}

static void
add_string(struct ls_slow_call *call, const char *text)
{
    if (!text)
        add(call, "<null>");
    else if (strnlen(text, 65) < 65)
        add(call, "%s", text);
    else
        add(call, "%.60s...", text);
}

void
ls_slow_arg(struct ls_slow_call *call, char kind, const void *value, size_t bytes)
{
    void *pointer;
    double number;
    float single;
    dim3 d;

    if (call->is_watched && call->n_values < LS_SLOW_VALUES) {
        call->kinds[call->n_values] = kind;
        call->values[call->n_values] = 0;
        if (strchr("phHs", kind))
            memcpy(&call->values[call->n_values], value, sizeof(pointer));
        call->n_values++;
    }
    if (!ls_trace_settings.any)
        return;
    if (call->n)
        add(call, ", ");
    switch (kind) {
    case 'd':
        add(call, "%lld", signed_value(value, bytes));
        break;
    case 'u': {
        unsigned long long v = 0;

        memcpy(&v, value, bytes);
        add(call, "%llu", v);
        break;
    }
    case 'f':
        if (bytes == sizeof(single)) {
            memcpy(&single, value, sizeof(single));
            number = single;
        } else {
            memcpy(&number, value, sizeof(number));
        }
        add(call, "%g", number);
        break;
    case 's':
        memcpy(&pointer, value, sizeof(pointer));
        add_string(call, pointer);
        break;
    case '3':
        memcpy(&d, value, sizeof(d));
        add(call, "{%u,%u,%u}", d.x, d.y, d.z);
        break;
    case 'p':
    case 'h':
    case 'H':
        memcpy(&pointer, value, sizeof(pointer));
        if (pointer)
            add(call, "%p", pointer);
        else
            add(call, "<null>");
        break;
    default:
        add(call, "<%zu bytes>", bytes);
        break;
    }
}

/* Bits of AMD_SERIALIZE_KERNEL or AMD_SERIALIZE_COPY that the function falls under. */
static unsigned
serialized(const char *name)
{
    if (strstr(name, "Launch") && !strstr(name, "HostFunc"))
        return ls_trace_settings.serialize_kernel;
    if (strncmp(name, "hipMemcpy", 9) == 0 || strncmp(name, "hipMemset", 9) == 0 ||
        strncmp(name, "hipDrvMemcpy", 12) == 0)
        return ls_trace_settings.serialize_copy;
    return 0;
}

hipError_t
ls_slow_start(struct ls_slow_call *call, bool needs_device)
{
    hipError_t err = needs_device ? ls_start() : hipSuccess;

    if (!ls_this_thread.known && (needs_device ? err == hipSuccess : ls_is_started()))
        ls_thread_enter();
    ls_gate_pass();
    if (ls_trace_logs(LS_TRACE_INFO, LS_TRACE_API))
        ls_trace_log_call("hip_api.def", call->row, "%s ( %s )", call->name, call->args);
    if (serialized(call->name) & 1 && err == hipSuccess)
        ls_queue_wait_all(NULL);
    if (call->is_watched)
        ls_watched_begin(call);
    call->start_ns = ls_trace_settings.json ? ls_now_ns() : 0;
    return err;
}

hipError_t
ls_slow_end(struct ls_slow_call *call, hipError_t err)
{
    if (err == hipSuccess && (serialized(call->name) & 2)) {
        err = ls_queue_wait_all(NULL);
        if (err != hipSuccess)
            ls_return(err);
    }
    if (call->is_watched)
        ls_watched_end(call, err);
    if (ls_trace_settings.json)
        ls_json_call(call->name, call->start_ns, ls_now_ns(), call->args, ls_error_name(err));
    if (ls_trace_logs(LS_TRACE_INFO, LS_TRACE_API))
        ls_trace_log_call("hip_api.def", call->row, "%s: Returned %s", call->name,
                          ls_error_name(err));
    return err;
}
