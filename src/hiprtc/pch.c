/* SPDX-License-Identifier: MIT */
/* The kernel language, precompiled: parsing it is most of a small program's compile time. One file
 * for each set of options that it depends on, in the code cache, made at first use. */
#include "hiprtc/rtc_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/dl.h"
#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "base/sha256.h"

bool
ls_rtc_hipcc(char path[PATH_MAX])
{
    const char *named = ls_env_str(LS_ENV_HIPCC);

    if (*named)
        return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX;
    return ls_dl_beside("../bin/hipcc", path, PATH_MAX);
}

static void
add_string(struct ls_sha256 *sha, const char *text)
{
    ls_sha256_add(sha, text, strlen(text) + 1);
}

/* Other headers are checked by clang, which refuses the file when one has changed. */
static void
add_file_state(struct ls_sha256 *sha, const char *path)
{
    struct stat st;
    long long state[4] = {0};

    if (stat(path, &st) == 0) {
        state[0] = (long long)st.st_ino;
        state[1] = (long long)st.st_size;
        state[2] = (long long)st.st_mtim.tv_sec;
        state[3] = st.st_mtim.tv_nsec;
    }
    add_string(sha, path);
    ls_sha256_add(sha, state, sizeof(state));
}

static bool
make(const char *hipcc, char *const *options, size_t n_options, const char *folder,
     const char *path)
{
    char temp[PATH_MAX], empty[PATH_MAX];
    struct ls_rtc_args args = {0};
    struct ls_rtc_buf log = {0};
    bool ok = false;
    int fd;

    if (snprintf(temp, sizeof(temp), "%s/tmp-XXXXXX", folder) >= PATH_MAX ||
        snprintf(empty, sizeof(empty), "%s/empty.hip", folder) >= PATH_MAX)
        return false;
    fd = mkstemp(temp);
    if (fd < 0)
        return false;
    close(fd);
    if (access(empty, F_OK) == 0 || ls_file_write(empty, "", 0)) {
        ls_rtc_arg(&args, "%s", hipcc);
        for (size_t i = 0; i < n_options; i++)
            ls_rtc_arg(&args, "%s", options[i]);
        ls_rtc_arg(&args, "-fsyntax-only");
        ls_rtc_arg(&args, "-include");
        ls_rtc_arg(&args, "hip/detail/rtc_runtime.h");
        ls_rtc_arg(&args, "-Xclang");
        ls_rtc_arg(&args, "-emit-pch");
        ls_rtc_arg(&args, "-Xclang");
        ls_rtc_arg(&args, "-o");
        ls_rtc_arg(&args, "-Xclang");
        ls_rtc_arg(&args, "%s", temp);
        ls_rtc_arg(&args, "%s", empty);
        ok = ls_rtc_run(&args, "/dev/null", temp, &log) == 0 && rename(temp, path) == 0;
        ls_rtc_args_fini(&args);
    }
    if (!ok) {
        ls_log(LS_LOG_INFO, "hiprtc: no precompiled header: %s", log.n ? log.data : "");
        unlink(temp);
    }
    ls_rtc_buf_fini(&log);
    return ok;
}

bool
ls_rtc_pch_find(const char *hipcc, char *const *options, size_t n_options, char path[PATH_MAX])
{
    char folder[PATH_MAX], hex[65];
    struct ls_sha256 sha;
    unsigned char digest[32];
    struct stat st;

    if (!ls_cachedir_find(folder, sizeof(folder)))
        return false;
    ls_sha256_init(&sha);
    add_string(&sha, "pch 1");
    add_file_state(&sha, hipcc);
    for (size_t i = 0; i < n_options; i++)
        add_string(&sha, options[i]);
    ls_sha256_final(&sha, digest);
    ls_sha256_hex(digest, hex);
    if (snprintf(path, PATH_MAX, "%s/%s.pch", folder, hex) >= PATH_MAX)
        return false;
    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_size > 0)
        return true;
    return make(hipcc, options, n_options, folder, path);
}
