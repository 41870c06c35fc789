/* SPDX-License-Identifier: MIT */
/* hiprtc's functions, forwarded to libhiprtc, which is opened when the first of them is called. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

#include <hip/hiprtc.h>

#include "base/dl.h"
#include "base/log.h"
#include "runtime/core/core.h"

enum {
#define LS_HIPRTC(node, type, fail, name, params, args) FN_##name,
#include "runtime/api/hiprtc_api.def"
#undef LS_HIPRTC
    N_FNS
};

static void *fns[N_FNS]; /* written once, by open_library */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
open_library(void)
{
    static const char *const names[] = {
#define LS_HIPRTC(node, type, fail, name, params, args) #name,
#include "runtime/api/hiprtc_api.def"
#undef LS_HIPRTC
    };
    char path[PATH_MAX];
    void *handle = NULL;

    if (ls_dl_beside("libhiprtc.so.6", path, sizeof(path)))
        handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        ls_log(LS_LOG_ERROR, "hiprtc: %s", dlerror());
        return;
    }
    for (int i = 0; i < N_FNS; i++)
        fns[i] = dlsym(handle, names[i]);
}

static void *
find(int fn)
{
    pthread_once(&once, open_library);
    return fns[fn];
}

#define LS_HIPRTC(node, type, fail, name, params, args)                                            \
    LS_EXPORT type name params                                                                     \
    {                                                                                              \
        type(*fn) params;                                                                          \
        *(void **)&fn = find(FN_##name);                                                           \
        return fn ? fn args : fail;                                                                \
    }
#include "runtime/api/hiprtc_api.def"
#undef LS_HIPRTC
