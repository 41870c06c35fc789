/* SPDX-License-Identifier: MIT */
/* The kernel language, precompiled: parsing it is most of a small program's compile time. One file
 * for each set of options that it depends on, in the code cache, made at first use. */
#include "hiprtc/rtc_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/dl.h"
#include "base/env.h"
#include "base/log.h"
#include "base/pch.h"

bool
ls_rtc_hipcc(char path[PATH_MAX])
{
    const char *named = ls_env_str(LS_ENV_HIPCC);

    if (*named)
        return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX;
    return ls_dl_beside("../bin/hipcc", path, PATH_MAX);
}

static void
remove_any(int dir, const char *name)
{
    if (unlinkat(dir, name, 0) != 0)
        unlinkat(dir, name, AT_REMOVEDIR);
}

/* Makes the empty source of all precompiled headers, which clang opens again whenever one is used.
 * What else is there under its name is replaced: clang would open anything. */
static bool
have_empty_file(int dir, const char *name)
{
    struct stat st;
    int fd;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        if (S_ISREG(st.st_mode) && st.st_size == 0 && st.st_uid == geteuid())
            return true;
        remove_any(dir, name);
    }
    fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno == EEXIST; /* another process made it */
    return close(fd) == 0;
}

static bool
make(const char *hipcc, char *const *options, size_t n_options, const char *folder, int dir,
     const uint8_t key[32], char name[LS_PCH_NAME_BYTES])
{
    char temp[PATH_MAX], file[PATH_MAX + 8], empty[PATH_MAX];
    struct ls_rtc_args args = {0};
    struct ls_rtc_buf log = {0};
    bool ok = false;

    /* With some umasks clang makes files that others may write to. It makes them in a folder that
     * nobody else can enter. */
    if (snprintf(temp, sizeof(temp), "%s/tmp-XXXXXX", folder) >= PATH_MAX ||
        snprintf(empty, sizeof(empty), "%s/empty.hip", folder) >= PATH_MAX)
        return false;
    if (!mkdtemp(temp))
        return false;
    snprintf(file, sizeof(file), "%s/pch", temp);
    if (have_empty_file(dir, strrchr(empty, '/') + 1)) {
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
        ls_rtc_arg(&args, "%s", file);
        ls_rtc_arg(&args, "%s", empty);
        ok = ls_rtc_run(&args, "/dev/null", file, &log) == 0 && chmod(file, 0600) == 0 &&
             ls_pch_keep(dir, key, strrchr(temp, '/') + 1, NULL, name);
        ls_rtc_args_fini(&args);
    }
    if (!ok)
        ls_log(LS_LOG_INFO, "hiprtc: no precompiled header: %s", log.n ? log.data : "");
    ls_rtc_temp_remove(temp);
    ls_rtc_buf_fini(&log);
    return ok;
}

bool
ls_rtc_pch_find(const char *hipcc, char *const *options, size_t n_options, char path[PATH_MAX])
{
    char folder[PATH_MAX], name[LS_PCH_NAME_BYTES];
    struct ls_sha256 sha;
    uint8_t digest[32];
    bool ok;
    int dir;

    dir = ls_cachedir_open(folder, sizeof(folder));
    if (dir < 0)
        return false;
    ls_sha256_init(&sha);
    ls_pch_hash_text(&sha, "pch 2");
    ls_pch_hash_state(&sha, hipcc);
    for (size_t i = 0; i < n_options; i++)
        ls_pch_hash_text(&sha, options[i]);
    ls_sha256_final(&sha, digest);
    ok = (ls_pch_find(dir, "hiprtc", digest, name, NULL) ||
          make(hipcc, options, n_options, folder, dir, digest, name)) &&
         snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
    close(dir);
    return ok;
}
