/* SPDX-License-Identifier: MIT */
/* lscache: what is in the code cache, how much it is, and away with it. It touches nothing but
 * files of the cache's names, in the folder that programs would use here. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/env.h"
#include "base/file.h"

#define SHORT_NAME 16 /* digits of the hash that are shown */
#define DAY        86400

struct file {
    char name[NAME_MAX + 1];
    const char *kind;
    off_t bytes;
    time_t used;
};

struct cache {
    char path[PATH_MAX];
    DIR *dir;
    struct file *files; /* owned */
    size_t n;
    uint64_t bytes;
};

static int
by_age(const void *a, const void *b)
{
    const struct file *x = a, *y = b;

    return x->used != y->used ? (x->used > y->used ? -1 : 1) : strcmp(x->name, y->name);
}

static bool
add(struct cache *cache, const char *name)
{
    struct file file = {.kind = ls_cachedir_kind(name)}, *more;
    struct stat st;

    if (!file.kind || fstatat(dirfd(cache->dir), name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
        return true;
    more = cache->n & (cache->n - 1)
               ? cache->files
               : realloc(cache->files, (cache->n ? 2 * cache->n : 1) * sizeof(*more));
    if (!more)
        return false;
    snprintf(file.name, sizeof(file.name), "%s", name);
    file.bytes = st.st_size;
    file.used = st.st_mtime;
    cache->files = more;
    cache->files[cache->n++] = file;
    cache->bytes += (uint64_t)st.st_size;
    return true;
}

/* False: what is wrong was said. */
static bool
read_cache(struct cache *cache)
{
    int fd = ls_cachedir_open(cache->path, sizeof(cache->path));
    struct dirent *d;
    bool ok;

    if (fd < 0) {
        fputs(
            "lscache: there is no code cache: it is off (LOCKSTEP_CACHE=0), or its folder can't be "
            "used (LOCKSTEP_DEBUG=1 says why)\n",
            stderr);
        return false;
    }
    cache->dir = fdopendir(fd);
    ok = cache->dir != NULL;
    while (ok && (d = readdir(cache->dir)) != NULL)
        ok = add(cache, d->d_name);
    if (!ok) {
        fprintf(stderr, "lscache: cannot read '%s': %s\n", cache->path, strerror(errno));
        return false;
    }
    if (cache->n)
        qsort(cache->files, cache->n, sizeof(*cache->files), by_age);
    return true;
}

static void
print_summary(const struct cache *cache)
{
    printf("%s: %zu files, %.1f MiB of at most %ld\n", cache->path, cache->n,
           (double)cache->bytes / (1 << 20), ls_env_long(LS_ENV_CACHE_LIMIT_MB, 1, 1 << 24));
}

static void
print_files(const struct cache *cache)
{
    for (size_t i = 0; i < cache->n; i++) {
        const struct file *f = &cache->files[i];
        struct tm tm;
        char when[32] = "?";

        if (localtime_r(&f->used, &tm))
            strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
        printf("%.*s  %s %10lld bytes  %s\n", SHORT_NAME, f->name, when, (long long)f->bytes,
               f->kind);
    }
}

/* Deletes what was not used for so many days. */
static bool
clear(struct cache *cache, long days)
{
    uint64_t bytes = 0;
    size_t n = 0;
    bool ok = true;

    for (size_t i = 0; i < cache->n; i++) {
        const struct file *f = &cache->files[i];

        if (days > 0 && time(NULL) - f->used < days * DAY)
            continue;
        if (unlinkat(dirfd(cache->dir), f->name, 0) == 0) {
            n++;
            bytes += (uint64_t)f->bytes;
        } else if (errno != ENOENT) {
            fprintf(stderr, "lscache: cannot delete '%s/%s': %s\n", cache->path, f->name,
                    strerror(errno));
            ok = false;
        }
    }
    printf("%s: %zu files deleted, %.1f MiB\n", cache->path, n, (double)bytes / (1 << 20));
    return ok;
}

static int
usage(FILE *to)
{
    fputs("usage: lscache                         folder, number of files, size and limit of the "
          "code cache\n"
          "       lscache --list                  its files, those used last in front\n"
          "       lscache --size                  its size in bytes\n"
          "       lscache --clear [--older=DAYS]  deletes them, or those not used for so long\n"
          "The folder is LOCKSTEP_CACHE_DIR, or lockstep in $XDG_CACHE_HOME or ~/.cache; programs "
          "keep it below\n"
          "LOCKSTEP_CACHE_LIMIT_MB.\n",
          to);
    return to == stderr ? 2 : 0;
}

static bool
read_days(const char *text, long *days)
{
    char *end;

    *days = strtol(text, &end, 10);
    if (*text && !*end && *days >= 1 && *days <= 100000)
        return true;
    fprintf(stderr, "lscache: '%s' is no number of days, 1 to 100000\n", text);
    return false;
}

int
main(int argc, char **argv)
{
    static struct cache cache;
    const char *verb = argc > 1 ? argv[1] : "";
    bool clears = !strcmp(verb, "--clear"), ok = true;
    long days = 0;

    ls_file_check_output();
    if (!strcmp(verb, "--help"))
        return usage(stdout);
    if ((*verb && strcmp(verb, "--list") && strcmp(verb, "--size") && !clears) ||
        argc > (clears ? 3 : 2) || (argc == 3 && strncmp(argv[2], "--older=", 8)))
        return usage(stderr);
    if ((argc == 3 && !read_days(argv[2] + 8, &days)) || !read_cache(&cache))
        return 1;
    if (clears)
        ok = clear(&cache, days);
    else if (!strcmp(verb, "--list"))
        print_files(&cache);
    else if (!strcmp(verb, "--size"))
        printf("%llu\n", (unsigned long long)cache.bytes);
    else
        print_summary(&cache);
    closedir(cache.dir);
    free(cache.files);
    return !ok;
}
