/* SPDX-License-Identifier: MIT */
/* Devices, thread state, errors. */
#include "runtime/core/core.h"

#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "runtime/trace/trace.h"

struct ls_runtime ls_rt;

_Thread_local struct ls_thread ls_this_thread;

struct ls_gpu *
ls_gpu_current(void)
{
    return &ls_rt.gpus[ls_this_thread.device];
}

void
ls_gpu_set_current(uint32_t index)
{
    ls_this_thread.device = index;
}

bool
ls_gpu_exists(int index)
{
    return index >= 0 && index < ls_rt.n_devices;
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

static pthread_mutex_t arch_lock = PTHREAD_MUTEX_INITIALIZER;

void
ls_arch_fix(void)
{
    if (!atomic_load_explicit(&ls_rt.arch_is_open, memory_order_acquire)) /* with what was taken */
        return;
    pthread_mutex_lock(&arch_lock);
    atomic_store(&ls_rt.arch_is_open, false);
    pthread_mutex_unlock(&arch_lock);
}

bool
ls_arch_take(const char *arch, uint32_t warp_size)
{
    bool open;

    pthread_mutex_lock(&arch_lock);
    open = atomic_load(&ls_rt.arch_is_open);
    if (open) {
        snprintf(ls_rt.arch, sizeof(ls_rt.arch), "%s", arch);
        ls_rt.warp_size = warp_size;
        for (int i = 0; i < ls_rt.n_devices; i++)
            if (ls_rt.gpus[i].is_any_arch)
                ls_fill_arch(&ls_rt, &ls_rt.gpus[i]);
        ls_log(LS_LOG_INFO, "devices answer as %s, as the first module is for it", arch);
        atomic_store_explicit(&ls_rt.arch_is_open, false,
                              memory_order_release); /* all is written */
    }
    pthread_mutex_unlock(&arch_lock);
    return open;
}

hipError_t
ls_sticky(void)
{
    return (hipError_t)atomic_load_explicit(&ls_gpu_current()->dev.sticky,
                                            memory_order_acquire); /* with its report */
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
    char *why = ls_this_thread.why;
    va_list ap;

    if (why) {
        va_start(ap, fmt);
        vsnprintf(why, LS_WHY_BYTES, fmt, ap);
        va_end(ap);
    }
    if (ls_log_on(LS_LOG_INFO) || ls_trace_logs(LS_TRACE_ERROR, LS_TRACE_ALWAYS)) {
        LS_UNCANCELLED();

        va_start(ap, fmt);
        vsnprintf(text, sizeof(text), fmt, ap);
        va_end(ap);
        ls_log(LS_LOG_INFO, "%s: %s (%s:%d)", ls_error_name(code), text, file, line);
        ls_trace_log(LS_TRACE_ERROR, LS_TRACE_ALWAYS, file, line, "%s: %s", ls_error_name(code),
                     text);
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
