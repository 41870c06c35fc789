/* SPDX-License-Identifier: MIT */
/* liblockstep-compiler, opened when first needed: what hiprtc does with bitcode. */
#include "hiprtc/rtc_priv.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/env.h"
#include "compiler/compiler.h"

/* The types of the library's functions are those of compiler.h. */
static struct {
    __typeof__(ls_describe_bitcode) *describe;
    __typeof__(ls_link_bitcode) *link;
    __typeof__(ls_take_names) *take_names;
} lowering;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
open_library(void)
{
    const char *named = ls_env_str(LS_ENV_COMPILER);
    char path[PATH_MAX];
    void *handle;

    if (!*named && ls_dl_beside(LS_COMPILER_SONAME, path, sizeof(path)))
        named = path;
    handle = *named ? dlopen(named, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (!handle)
        return;
    *(void **)&lowering.describe = dlsym(handle, "ls_describe_bitcode");
    *(void **)&lowering.link = dlsym(handle, "ls_link_bitcode");
    *(void **)&lowering.take_names = dlsym(handle, "ls_take_names");
}

static bool
is_open(struct ls_rtc_buf *log)
{
    pthread_once(&once, open_library);
    if (lowering.describe && lowering.link && lowering.take_names)
        return true;
    ls_rtc_addf(log, "error: cannot load " LS_COMPILER_SONAME "\n");
    return false;
}

static void
sink(void *user, enum ls_diag_level level, const char *message)
{
    static const char *const words[] = {
        [LS_DIAG_NOTE] = "note", [LS_DIAG_WARNING] = "warning", [LS_DIAG_ERROR] = "error"};
    bool known = level > LS_DIAG_NONE && level <= LS_DIAG_ERROR;

    ls_rtc_addf(user, "%s: %s\n", known ? words[level] : "note", message);
}

/* Takes malloc'ed `data` over. */
static bool
take(struct ls_rtc_buf *buf, void *data, size_t n)
{
    ls_rtc_buf_fini(buf);
    ls_rtc_add(buf, data, n);
    free(data);
    return !buf->failed;
}

bool
ls_rtc_take_names(struct ls_rtc_buf *bitcode, const char *prefix, struct ls_rtc_name *names,
                  size_t n_names, struct ls_rtc_buf *log)
{
    char **lowered = calloc(n_names, sizeof(*lowered));
    void *out = NULL;
    size_t n_out = 0;

    if (!lowered || !is_open(log) ||
        !lowering.take_names(bitcode->data, bitcode->n, prefix, n_names, sink, log, lowered, &out,
                             &n_out)) {
        free(lowered);
        return false;
    }
    for (size_t i = 0; i < n_names; i++) {
        free(names[i].lowered);
        names[i].lowered = lowered[i];
    }
    free(lowered);
    return take(bitcode, out, n_out);
}

bool
ls_rtc_describe(const struct ls_rtc_buf *bitcode, struct ls_rtc_buf *image, struct ls_rtc_buf *log)
{
    void *out = NULL;
    size_t n_out = 0;

    return is_open(log) && lowering.describe(bitcode->data, bitcode->n, sink, log, &out, &n_out) &&
           take(image, out, n_out);
}

bool
ls_rtc_link_bitcode(const struct ls_rtc_input *inputs, size_t n, struct ls_rtc_buf *out,
                    struct ls_rtc_buf *log)
{
    const void **data = calloc(n, sizeof(*data));
    size_t *bytes = calloc(n, sizeof(*bytes)), n_linked = 0;
    void *linked = NULL;
    bool ok = false;

    for (size_t i = 0; data && bytes && i < n; i++) {
        data[i] = inputs[i].data;
        bytes[i] = inputs[i].n;
    }
    if (data && bytes && is_open(log))
        ok = lowering.link(data, bytes, n, sink, log, &linked, &n_linked) &&
             take(out, linked, n_linked);
    free(data);
    free(bytes);
    return ok;
}
