/* SPDX-License-Identifier: MIT */
/* The folder of everything that is made once and found again by later processes. */
#include "base/cachedir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"

static bool
make_folders(char *path)
{
    for (char *p = path + 1;; p++) {
        char c = *p;

        if (c != '/' && c != 0)
            continue;
        *p = 0;
        if (mkdir(path, 0700) != 0 && errno != EEXIST) {
            *p = c;
            return false;
        }
        *p = c;
        if (c == 0)
            return true;
    }
}

/* Only a folder that nobody else can write to is trusted: what lies there is run. */
static bool
is_ours(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           (st.st_mode & 022) == 0 && access(path, W_OK | X_OK) == 0;
}

bool
ls_cachedir_find(char *path, size_t bytes)
{
    const char *dir = ls_env_str(LS_ENV_CACHE_DIR), *xdg = ls_env_get("XDG_CACHE_HOME"),
               *home = ls_env_get("HOME");
    int n;

    if (!ls_env_bool(LS_ENV_CACHE))
        return false;
    if (*dir)
        n = snprintf(path, bytes, "%s", dir);
    else if (xdg && *xdg == '/')
        n = snprintf(path, bytes, "%s/lockstep", xdg);
    else if (home && *home == '/')
        n = snprintf(path, bytes, "%s/.cache/lockstep", home);
    else
        return false;
    if (n < 0 || (size_t)n >= bytes || !make_folders(path) || !is_ours(path)) {
        ls_log(LS_LOG_WARN, "no code cache: %s can't be used", path);
        return false;
    }
    return true;
}
