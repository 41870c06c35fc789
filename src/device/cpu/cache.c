/* SPDX-License-Identifier: MIT */
/* Where generated code lies. The code cache: shared objects named by the hash of what they were
 * made from.
 *
 * A file is the object followed by a trailer, which holds its size, its hash and the key. Writers
 * make a file under a name of their own and rename it, so readers see all of it or nothing; when
 * several write the same key, the last wins and all are equal. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/env.h"
#include "base/log.h"
#include "base/sha256.h"
#include "device/cpu/cpu_priv.h"

#define TRAILER_MAGIC "LSCACHE1"
#define MAX_PATH_LEN  (PATH_MAX - 128)

struct trailer {
    char magic[8];
    uint64_t elf_bytes;
    uint8_t elf_sha256[32];
    uint8_t key[32];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char folder[MAX_PATH_LEN]; /* empty: no cache */

static void
find_folder(void)
{
    if (!ls_cachedir_find(folder, sizeof(folder)))
        folder[0] = 0;
}

static const char *
cache_folder(void)
{
    pthread_once(&once, find_folder);
    return folder[0] ? folder : NULL;
}

static void
name_of(const struct ls_cache_key *key, char *path, size_t bytes)
{
    char hex[65];

    ls_sha256_hex(key->digest, hex);
    snprintf(path, bytes, "%s/%s.so", folder, hex);
}

static bool
is_sound(const char *file, size_t bytes, const struct ls_cache_key *key)
{
    struct trailer t;
    uint8_t digest[32];

    if (bytes < sizeof(t))
        return false;
    memcpy(&t, file + bytes - sizeof(t), sizeof(t));
    if (memcmp(t.magic, TRAILER_MAGIC, 8) != 0 || t.elf_bytes != bytes - sizeof(t) ||
        memcmp(t.key, key->digest, 32) != 0)
        return false;
    ls_sha256_of(file, t.elf_bytes, digest);
    return memcmp(digest, t.elf_sha256, 32) == 0;
}

bool
ls_cache_find(const struct ls_cache_key *key, char *path, size_t bytes)
{
    struct stat st;
    bool sound = false;
    int fd;

    if (!cache_folder())
        return false;
    name_of(key, path, bytes);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_size > 0) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);

        if (map == MAP_FAILED) {
            close(fd);
            return false;
        }
        sound = is_sound(map, (size_t)st.st_size, key);
        munmap(map, (size_t)st.st_size);
        if (sound && time(NULL) - st.st_mtime > 3600)
            futimens(fd, NULL); /* used lately: eviction looks at this */
    }
    close(fd);
    if (!sound) {
        ls_log(LS_LOG_WARN, "deleting broken cache file %s", path);
        unlink(path);
    }
    return sound;
}

struct entry {
    char name[72];
    off_t bytes;
    time_t used;
};

static int
by_age(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->used < y->used ? -1 : x->used > y->used;
}

/* Deletes the files unused for longest until the rest fits, and temporary files left by crashes. */
static void
evict(void)
{
    off_t limit = (off_t)ls_env_long(LS_ENV_CACHE_LIMIT_MB, 1, 1 << 24) << 20, total = 0;
    struct entry *list = NULL, *more;
    size_t n = 0, cap = 0;
    struct dirent *d;
    DIR *dir = opendir(folder);

    if (!dir)
        return;
    while ((d = readdir(dir)) != NULL) {
        size_t len = strlen(d->d_name);
        struct stat st;

        if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (strncmp(d->d_name, "tmp-", 4) == 0) {
            if (time(NULL) - st.st_mtime > 3600)
                unlinkat(dirfd(dir), d->d_name, 0);
            continue;
        }
        if ((len != 67 || strcmp(d->d_name + 64, ".so") != 0) &&
            (len != 68 || strcmp(d->d_name + 64, ".pch") != 0))
            continue;
        if (n == cap) {
            cap = cap * 2 + 64;
            more = realloc(list, cap * sizeof(*list));
            if (!more)
                break;
            list = more;
        }
        memcpy(list[n].name, d->d_name, len + 1);
        list[n].bytes = st.st_size;
        list[n++].used = st.st_mtime;
        total += st.st_size;
    }
    if (total > limit)
        qsort(list, n, sizeof(*list), by_age);
    for (size_t i = 0; i < n && total > limit; i++)
        if (unlinkat(dirfd(dir), list[i].name, 0) == 0)
            total -= list[i].bytes;
    free(list);
    closedir(dir);
}

static bool
write_all(int fd, const void *data, size_t bytes)
{
    const char *p = data;

    while (bytes) {
        ssize_t n = write(fd, p, bytes);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            p += n;
            bytes -= (size_t)n;
        }
    }
    return true;
}

/* A new file of our own name in the folder: its descriptor and name, or -1. */
static int
create(char *name, size_t bytes)
{
    static atomic_uint serial;

    for (int i = 0; i < 100; i++) {
        int fd;

        snprintf(name, bytes, "%s/tmp-%ld-%u-%llx", folder, (long)getpid(),
                 atomic_fetch_add(&serial, 1), (unsigned long long)ls_now_ns());
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

bool
ls_cache_store(const struct ls_cache_key *key, const void *elf, size_t elf_bytes, char *path,
               size_t bytes)
{
    struct trailer t = {.magic = TRAILER_MAGIC, .elf_bytes = elf_bytes};
    char temp[PATH_MAX];
    bool ok;
    int fd;

    if (!cache_folder() || (fd = create(temp, sizeof(temp))) < 0)
        return false;
    ls_sha256_of(elf, elf_bytes, t.elf_sha256);
    memcpy(t.key, key->digest, 32);
    ok = write_all(fd, elf, elf_bytes) && write_all(fd, &t, sizeof(t));
    if (close(fd) != 0)
        ok = false;
    name_of(key, path, bytes);
    if (!ok || rename(temp, path) != 0) {
        ls_log(LS_LOG_WARN, "the code cache %s can't be written: %s", folder, strerror(errno));
        unlink(temp);
        return false;
    }
    evict();
    return true;
}

bool
ls_code_file(const void *elf, size_t elf_bytes, char *path, size_t bytes)
{
    const char *tmp = ls_env_get("TMPDIR");
    bool ok = false;
    int fd;

    snprintf(path, bytes, "%s/lockstep-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
    if (strlen(path) + sizeof("/kernel.so") > bytes || !mkdtemp(path))
        return false;
    strncat(path, "/kernel.so", bytes - strlen(path) - 1);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ok = write_all(fd, elf, elf_bytes);
        if (close(fd) != 0)
            ok = false;
    }
    if (!ok)
        ls_code_file_discard(path);
    return ok;
}

void
ls_code_file_discard(const char *path)
{
    char dir[PATH_MAX], *slash;

    unlink(path);
    snprintf(dir, sizeof(dir), "%s", path);
    slash = strrchr(dir, '/');
    if (slash) {
        *slash = 0;
        rmdir(dir);
    }
}

int
ls_code_memory(const void *elf, size_t elf_bytes, char *path, size_t bytes)
{
    int fd = memfd_create("lockstep-kernel", MFD_CLOEXEC);

    if (fd >= 0 && !write_all(fd, elf, elf_bytes)) {
        close(fd);
        return -1;
    }
    snprintf(path, bytes, "/proc/self/fd/%d", fd);
    return fd;
}
