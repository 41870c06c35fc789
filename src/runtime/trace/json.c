/* SPDX-License-Identifier: MIT */
/* LOCKSTEP_TRACE: events as chrome://tracing and Perfetto read them. A line for each event and no
 * closing bracket until the end, so the file of a process that died can be read too. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "check/check.h"
#include "runtime/trace/trace_priv.h"

#define DEVICE_PID                                                                                 \
    1 /* in the file the device is a process, and its streams are its threads */
#define MAX_STREAMS 4096u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;  /* guarded by lock, as the rest */
static pid_t owner; /* the process that writes; a forked child does not write */
static unsigned char known[(MAX_STREAMS + 7) / 8]; /* streams whose name was written */
/* What is written: what began in here; see ls_trace_range. */
static uint64_t range_start_ns, range_end_ns = UINT64_MAX;
static _Thread_local bool thread_is_known;

static void
finish(void)
{
    pthread_mutex_lock(&lock);
    if (file && getpid() == owner) {
        fputs("{}]\n", file);
        fclose(file);
    }
    file = NULL;
    pthread_mutex_unlock(&lock);
}

static bool
is_recorded(uint64_t begin_ns)
{
    return file && getpid() == owner && begin_ns >= range_start_ns && begin_ns < range_end_ns;
}

void
ls_trace_range(bool begins)
{
    pthread_mutex_lock(&lock);
    if (!begins && range_end_ns == UINT64_MAX) {
        range_end_ns = ls_now_ns();
    } else if (begins && range_end_ns != UINT64_MAX) {
        range_start_ns = ls_now_ns();
        range_end_ns = UINT64_MAX;
    }
    pthread_mutex_unlock(&lock);
}

/* "%p" becomes the process id. */
bool
ls_json_start(const char *path)
{
    char name[4096];
    const char *mark = strstr(path, "%p");

    if (mark)
        snprintf(name, sizeof(name), "%.*s%d%s", (int)(mark - path), path, (int)getpid(), mark + 2);
    else
        snprintf(name, sizeof(name), "%s", path);
    file = ls_file_stream(name, 'w');
    if (!file) {
        ls_log(LS_LOG_ERROR, "LOCKSTEP_TRACE: cannot write %s", name);
        return false;
    }
    owner = getpid();
    if (!ls_env_long(LS_ENV_TRACE_START, 0, 1))
        range_end_ns = 0;
    fprintf(file,
            "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"device "
            "0\"}},\n",
            DEVICE_PID);
    fprintf(file,
            "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"host\"}},\n",
            (int)owner);
    atexit(finish);
    return true;
}

/* Text inside quotes. */
static void
put_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if ((unsigned char)*text >= 32)
            fputc(*text, file);
    }
}

static void
put_span(const char *name, const char *category, int pid, unsigned long long tid, uint64_t start_ns,
         uint64_t end_ns)
{
    fputs("{\"name\":\"", file);
    put_text(name);
    fprintf(file,
            "\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%llu,\"ts\":%llu.%03u,\"dur\":%llu.%"
            "03u,\"args\":{",
            category, pid, tid, (unsigned long long)(start_ns / 1000), (unsigned)(start_ns % 1000),
            (unsigned long long)((end_ns - start_ns) / 1000),
            (unsigned)((end_ns - start_ns) % 1000));
}

void
ls_json_call(const char *name, uint64_t start_ns, uint64_t end_ns, const char *args,
             const char *result)
{
    unsigned long long tid = (unsigned long long)syscall(SYS_gettid);

    pthread_mutex_lock(&lock);
    if (is_recorded(start_ns)) {
        if (!thread_is_known) {
            fprintf(file,
                    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%llu,\"args\":{"
                    "\"name\":\"thread %llu\"}},\n",
                    (int)owner, tid, tid);
            thread_is_known = true;
        }
        put_span(name, "api", (int)owner, tid, start_ns, end_ns);
        fputs("\"arguments\":\"", file);
        put_text(args);
        fprintf(file, "\",\"result\":\"%s\"}},\n", result);
    }
    pthread_mutex_unlock(&lock);
}

void
ls_json_work(const char *name, uint64_t stream, uint64_t submit_ns, uint64_t start_ns,
             uint64_t end_ns, const char *args)
{
    char plain[1024];

    ls_check_name(name, plain, sizeof(plain));
    pthread_mutex_lock(&lock);
    if (is_recorded(submit_ns)) {
        if (stream < MAX_STREAMS && !(known[stream / 8] & 1u << stream % 8)) {
            known[stream / 8] |= (unsigned char)(1u << stream % 8);
            fprintf(file,
                    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%llu,\"args\":{"
                    "\"name\":\"%s %llu\"}},\n",
                    DEVICE_PID, (unsigned long long)stream, stream ? "stream" : "null stream",
                    (unsigned long long)stream);
        }
        put_span(plain, "device", DEVICE_PID, stream, start_ns, end_ns);
        fprintf(file, "%s\"ready_us\":%llu.%03u}},\n", args, (unsigned long long)(submit_ns / 1000),
                (unsigned)(submit_ns % 1000));
    }
    pthread_mutex_unlock(&lock);
}
