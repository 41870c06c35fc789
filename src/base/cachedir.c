/* SPDX-License-Identifier: MIT */
/* The folder of everything that is made once and found again by later processes. */
#include "base/cachedir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"

#define MAX_LINKS 40

struct walk {
    int fd;             /* the folder that was reached */
    char real[PATH_MAX]; /* path of that folder; empty: the root */
    char rest[PATH_MAX]; /* rest of the path */
    int n_links;
    char *why;
    size_t why_bytes;
};

static bool
refuse(struct walk *w, const char *name, const char *what)
{
    snprintf(w->why, w->why_bytes, "%s/%s %s", w->real, name, what);
    return false;
}

static bool
may_pass(struct walk *w, const struct stat *st, const char *name)
{
    if (!S_ISDIR(st->st_mode))
        return refuse(w, name, "is no folder");
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return refuse(w, name, "belongs to another user");
    if ((st->st_mode & 022) && !(st->st_mode & S_ISVTX))
        return refuse(w, name, "can be written by others");
    return true;
}

/* Makes `fd`, which it owns from then on, the folder that was reached. */
static void
step_to(struct walk *w, int fd)
{
    close(w->fd);
    w->fd = fd;
}

static bool
go_to_root(struct walk *w)
{
    struct stat st;
    int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return refuse(w, "", strerror(errno));
    step_to(w, fd);
    w->real[0] = 0;
    return fstat(fd, &st) == 0 && may_pass(w, &st, "");
}

/* Puts the link's text in front of the rest of the path. The folder of the link was accepted, but
 * in a sticky folder the link itself may be anybody's, so its owner is looked at. */
static bool
follow(struct walk *w, int link, const struct stat *st, const char *name)
{
    char text[PATH_MAX], rest[PATH_MAX];
    ssize_t n = readlinkat(link, "", text, sizeof(text) - 1);

    if (n <= 0 || ++w->n_links > MAX_LINKS)
        return refuse(w, name, "can't be followed");
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return refuse(w, name, "is another user's link");
    text[n] = 0;
    memcpy(rest, w->rest, sizeof(rest));
    if ((size_t)snprintf(w->rest, sizeof(w->rest), "%s/%s", text, rest) >= sizeof(w->rest))
        return refuse(w, name, "leads too far");
    return text[0] != '/' || go_to_root(w);
}

static bool
step_up(struct walk *w)
{
    char *slash = strrchr(w->real, '/');
    int fd = openat(w->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return refuse(w, "..", strerror(errno));
    step_to(w, fd);
    if (slash)
        *slash = 0;
    return true;
}

static bool
step(struct walk *w, const char *name, bool make)
{
    struct stat st;
    size_t n = strlen(w->real);
    bool ok;
    int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT && make) {
        if (mkdirat(w->fd, name, 0700) != 0 && errno != EEXIST)
            return refuse(w, name, strerror(errno));
        fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0)
        return refuse(w, name, strerror(errno));
    if (fstat(fd, &st) != 0) {
        close(fd);
        return refuse(w, name, strerror(errno));
    }
    if (S_ISLNK(st.st_mode)) {
        ok = follow(w, fd, &st, name);
        close(fd);
        return ok;
    }
    if (!may_pass(w, &st, name) || n + strlen(name) + 2 > sizeof(w->real)) {
        close(fd);
        return false;
    }
    step_to(w, fd);
    snprintf(w->real + n, sizeof(w->real) - n, "/%s", name);
    return true;
}

int
ls_dir_open_safe(const char *path, bool make, char *real, size_t bytes, char *why, size_t why_bytes)
{
    struct walk *w = calloc(
        1, sizeof(*w)); /* not on the stack, as paths are large and a thread's stack may be small */
    char name[NAME_MAX + 1];
    bool ok;
    int fd = -1;

    if (!w) {
        snprintf(why, why_bytes, "out of memory");
        return -1;
    }
    *w = (struct walk){.fd = -1, .why = why, .why_bytes = why_bytes};
    ok = path[0] == '/' && (size_t)snprintf(w->rest, sizeof(w->rest), "%s", path) < sizeof(w->rest);
    if (!ok)
        refuse(w, path, "is no absolute path");
    ok = ok && go_to_root(w);
    while (ok) {
        size_t skip = strspn(w->rest, "/"), n = strcspn(w->rest + skip, "/");

        if (!n)
            break;
        if (n >= sizeof(name)) {
            ok = refuse(w, "...", "has too long a name");
            break;
        }
        memcpy(name, w->rest + skip, n);
        name[n] = 0;
        memmove(w->rest, w->rest + skip + n, strlen(w->rest + skip + n) + 1);
        if (strcmp(name, "..") == 0)
            ok = step_up(w);
        else if (strcmp(name, ".") != 0)
            ok = step(w, name, make);
    }
    if (ok && (size_t)snprintf(real, bytes, "%s", w->real[0] ? w->real : "/") >= bytes)
        ok = refuse(w, "", "has too long a path");
    if (ok && (fd = openat(w->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        refuse(w, "", strerror(errno));
    if (w->fd >= 0)
        close(w->fd);
    free(w);
    return fd;
}

void *
ls_dir_read_own(int dir, const char *name, size_t most, size_t *bytes, bool *strange)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    size_t n = 0;
    char *data;

    *strange = fd < 0 && errno != ENOENT;
    if (fd < 0)
        return NULL;
    *strange = fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
               (st.st_mode & 022) || st.st_size <= 0 || (uint64_t)st.st_size > most;
    data = *strange ? NULL : malloc((size_t)st.st_size);
    while (data && n < (size_t)st.st_size) {
        ssize_t got = pread(fd, data + n, (size_t)st.st_size - n, (off_t)n);

        if (got == 0 || (got < 0 && errno != EINTR)) {
            free(data);
            data = NULL;
            *strange = true;
        }
        n += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    *bytes = n;
    return data;
}

/* The path of the cache's folder, whether it exists or not. */
static bool
find_path(char *path, size_t bytes)
{
    const char *dir = ls_env_str(LS_ENV_CACHE_DIR), *xdg = ls_env_get("XDG_CACHE_HOME"),
               *home = ls_env_get("HOME");
    char here[PATH_MAX];
    int n;

    if (*dir == '/')
        n = snprintf(path, bytes, "%s", dir);
    else if (*dir)
        n = getcwd(here, sizeof(here)) ? snprintf(path, bytes, "%s/%s", here, dir) : -1;
    else if (xdg && *xdg == '/')
        n = snprintf(path, bytes, "%s/lockstep", xdg);
    else if (home && *home == '/' &&
             access(home, F_OK) == 0) /* a home that does not exist is not made */
        n = snprintf(path, bytes, "%s/.cache/lockstep", home);
    else
        n = -1;
    return n > 0 && (size_t)n < bytes;
}

/* Accepts only a folder of this user that nobody else can write to. */
static int
check_own(int fd, char *why, size_t bytes)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 022) == 0 &&
        faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) == 0)
        return fd;
    snprintf(why, bytes, "it is not this user's own, or not writable");
    close(fd);
    return -1;
}

int
ls_cachedir_open(char *path, size_t bytes)
{
    static atomic_bool said;
    char want[PATH_MAX], why[PATH_MAX + 64] = "";
    int fd = -1;

    if (!ls_env_bool(LS_ENV_CACHE) || ls_env_is_privileged() || !find_path(want, sizeof(want)))
        return -1;
    fd = ls_dir_open_safe(want, true, path, bytes, why, sizeof(why));
    if (fd >= 0)
        fd = check_own(fd, why, sizeof(why));
    if (fd < 0 && !atomic_exchange(&said, true))
        ls_log(LS_LOG_WARN, "no code cache: %s can't be used: %s", want, why);
    return fd;
}

const char *
ls_cachedir_kind(const char *name)
{
    static const struct {
        const char *end, *kind;
    } kinds[] = {
        {".so", "code for this processor"},    {".ptx", "code for NVIDIA's GPUs"},
        {".frm", "what was measured of code"}, {".pch", "precompiled header"},
        {".sum", "hash of a header"},          {".use", "mark: a header was wanted"},
    };

    if (strspn(name, "0123456789abcdef") != 64)
        return NULL;
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(name + 64, kinds[i].end) == 0)
            return kinds[i].kind;
    return NULL;
}
