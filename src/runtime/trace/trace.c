/* SPDX-License-Identifier: MIT */
/* What is switched on. */
#include "runtime/trace/trace_priv.h"

#include <pthread.h>
#include <stdio.h>

#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "check/check.h"

atomic_uchar ls_trace_on = LS_TRACE_UNREAD | LS_TRACE_STOPPED;
struct ls_trace_settings ls_trace_settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
switch_on(struct ls_trace_settings *s)
{
    s->any = s->json || ls_log_level() > 0;
    if (s->any || s->serialize_kernel || s->serialize_copy || ls_checks() & LS_CHECK_MEMORY ||
        ls_check_wants_api())
        atomic_fetch_or(&ls_trace_on, LS_TRACE_WATCHED);
    else
        atomic_fetch_and(&ls_trace_on, (unsigned char)~LS_TRACE_WATCHED);
    atomic_fetch_and(&ls_trace_on, (unsigned char)~LS_TRACE_UNREAD);
}

static void
read_environment(void)
{
    struct ls_trace_settings *s = &ls_trace_settings;
    const char *path = ls_env_str(LS_ENV_TRACE);

    ls_log_start();
    s->serialize_kernel = (unsigned)ls_env_long(LS_ENV_AMD_SERIALIZE_KERNEL, 0, 3);
    s->serialize_copy = (unsigned)ls_env_long(LS_ENV_AMD_SERIALIZE_COPY, 0, 3);
    if (ls_env_long(LS_ENV_HIP_LAUNCH_BLOCKING, 0, 1)) {
        s->serialize_kernel |= 2;
        s->serialize_copy |= 2;
    }
    s->dump_code = ls_env_long(LS_ENV_GPU_DUMP_CODE_OBJECT, 0, 1) != 0;
    s->json = *path && ls_json_start(path);
    switch_on(s);
}

void
ls_trace_init(void)
{
    pthread_once(&once, read_environment);
}

void
ls_trace_set_log(int level, unsigned mask)
{
    ls_trace_init();
    ls_log_set(level, mask);
    switch_on(&ls_trace_settings);
}

void
ls_trace_code_object(const void *bitcode, size_t bytes)
{
    static atomic_uint serial;
    char path[64];
    FILE *file;

    ls_trace_init();
    if (!ls_trace_settings.dump_code)
        return;
    snprintf(path, sizeof(path), "_code_object%04u.bc", atomic_fetch_add(&serial, 1));
    file = ls_file_stream(path, 'w');
    if (!file || fwrite(bitcode, 1, bytes, file) != bytes)
        ls_log(LS_LOG_ERROR, "GPU_DUMP_CODE_OBJECT: cannot write %s", path);
    if (file)
        fclose(file);
}
