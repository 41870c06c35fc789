/* SPDX-License-Identifier: MIT */
/* Start, thread state, errors. */
#include "runtime/core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "runtime/module/module.h"
#include "runtime/queue/queue.h"
#include "runtime/trace/trace.h"

struct ls_runtime ls_rt;

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool started;
static hipError_t start_error; /* guarded by start_lock, until `started` */
static pthread_key_t thread_key;
static bool thread_key_made; /* guarded by start_lock */
static _Thread_local struct ls_thread this_thread;
static _Thread_local bool this_thread_known;

static void
thread_ends(void *arg)
{
    struct ls_thread *t = arg;

    if (t->stream)
        ls_stream_destroy(t->stream);
    t->stream = NULL;
    free(t->args);
    t->args = NULL;
}

struct ls_thread *
ls_thread_get(void)
{
    if (!this_thread_known && ls_start() == hipSuccess) {
        pthread_setspecific(thread_key, &this_thread);
        this_thread_known = true;
    }
    return &this_thread;
}

uint32_t
ls_arch_warp_size(const char *arch)
{
    size_t digits;

    if (strncmp(arch, "gfx", 3) != 0)
        return 0;
    digits = strspn(arch + 3, "0123456789abcdef");
    if (digits < 3)
        return 0;
    return digits >= 4 && arch[3] == '1' ? 32 : 64; /* gfx10 and newer are wave32 */
}

static void
start(void)
{
    const char *arch = ls_env_str(LS_ENV_ARCH);

    if (!thread_key_made)
        thread_key_made = pthread_key_create(&thread_key, thread_ends) == 0;
    if (*arch && ls_arch_warp_size(arch))
        snprintf(ls_rt.arch, sizeof(ls_rt.arch), "%s", arch);
    else
        ls_module_choose_arch(ls_rt.arch, sizeof(ls_rt.arch));
    if (*arch && !ls_arch_warp_size(arch))
        ls_log(LS_LOG_ERROR, "LOCKSTEP_ARCH=%s is no architecture; %s is used", arch, ls_rt.arch);
    ls_rt.warp_size = ls_module_warp_size(ls_rt.arch);
    if (!ls_rt.warp_size)
        ls_rt.warp_size = ls_arch_warp_size(ls_rt.arch);
    if (!ls_trace_device_is_visible()) {
        start_error = hipErrorNoDevice;
        return;
    }
    ls_rt.dev.ops = &ls_cpu_device_ops;
    ls_trace_device(&ls_rt.dev);
    start_error = ls_rt.dev.ops->open(&ls_rt.dev);
    if (start_error != hipSuccess)
        return;
    ls_rt.dev.ops->get_info(&ls_rt.dev, &ls_rt.info);
    ls_fill_properties(&ls_rt);
    start_error = ls_queue_start(&ls_rt.dev);
    ls_log(LS_LOG_INFO, "device 0: %s as %s, %u units", ls_rt.info.name, ls_rt.arch,
           ls_rt.info.n_units);
}

/* Tries again where only memory was missing. */
hipError_t
ls_start(void)
{
    if (!atomic_load_explicit(&started, memory_order_acquire)) { /* with all that start() wrote */
        pthread_mutex_lock(&start_lock);
        if (!atomic_load(&started)) {
            start_error = hipSuccess;
            start();
            atomic_store(&started, start_error != hipErrorOutOfMemory);
        }
        pthread_mutex_unlock(&start_lock);
    }
    return start_error;
}

hipError_t
ls_sticky(void)
{
    return (hipError_t)atomic_load_explicit(&ls_rt.dev.sticky,
                                            memory_order_acquire); /* with its report */
}

hipError_t
ls_enter(void)
{
    hipError_t err = ls_start();

    return err != hipSuccess ? err : ls_sticky();
}

hipError_t
ls_return(hipError_t err)
{
    struct ls_thread *t = ls_thread_get();

    t->last_command = err;
    if (err != hipSuccess && err != hipErrorNotReady)
        t->last = err;
    return err;
}

hipError_t
ls_err_at(const char *file, int line, hipError_t code, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    if (ls_log_on(LS_LOG_INFO) || ls_trace_logs(LS_TRACE_ERROR, LS_TRACE_ALWAYS)) {
        va_start(ap, fmt);
        vsnprintf(text, sizeof(text), fmt, ap);
        va_end(ap);
        ls_log(LS_LOG_INFO, "%s: %s (%s:%d)", ls_error_name(code), text, file, line);
        ls_trace_log(LS_TRACE_ERROR, LS_TRACE_ALWAYS, file, line, "%s: %s", ls_error_name(code), text);
    }
    return code;
}

static const struct {
    hipError_t code;
    const char *name, *text;
} errors[] = {
#define LS_ERROR(code, text) {code, #code, text},
#include "runtime/core/errors.def"
#undef LS_ERROR
};

const char *
ls_error_name(hipError_t err)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
        if (errors[i].code == err)
            return errors[i].name;
    return "hipErrorUnknown";
}

const char *
ls_error_text(hipError_t err)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
        if (errors[i].code == err)
            return errors[i].text;
    return "unknown error";
}
