/* SPDX-License-Identifier: MIT */
/* Where generated code lies. The code cache: shared objects named by the hash of what they were
 * made from.
 *
 * A file is the object followed by a trailer, which holds its size, its hash and the key. Writers
 * make a file under a name of their own and rename it, so readers see all of it or nothing; when
 * several write the same key, the last wins and all are equal.
 *
 * Files are looked at by descriptor, below a folder that was opened step by step, and loaded by the
 * folder's path without links right after that: on that path nobody but root and the user can
 * change anything (base/cachedir.h), and debuggers need a name that outlives the descriptor. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device/common/cache.h"

#include "base/cachedir.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "base/sha256.h"

#define TRAILER_MAGIC "LSCACHE1"
#define FORMS_MAGIC   "LSFORMS1"
#define MAX_PATH_LEN  (PATH_MAX - 128)
#define MAX_BYTES     ((size_t)1 << 30)
#define NAME_BYTES    72

#define OBJECT ".so"
#define TEXT   ".ptx"
#define FORMS  ".frm"

struct trailer {
    char magic[8];
    uint64_t elf_bytes;
    uint8_t elf_sha256[32];
    uint8_t key[32];
};

static void
name_of(const struct ls_cache_key *key, const char *end, char name[NAME_BYTES])
{
    char hex[65];

    ls_sha256_hex(key->digest, hex);
    snprintf(name, NAME_BYTES, "%s%s", hex, end);
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

/* Sets a file's time to now: the files unused for longest are deleted first. */
static void
touch(int dir, const char *name)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && time(NULL) - st.st_mtime > 3600)
        utimensat(dir, name, NULL, AT_SYMLINK_NOFOLLOW);
}

/* The whole file for key if it is sound, its path to `path`; NULL otherwise, and a broken one is
 * deleted. */
static char *
find(const struct ls_cache_key *key, const char *end, char *path, size_t bytes, size_t *n)
{
    char folder[MAX_PATH_LEN], name[NAME_BYTES];
    int dir = ls_cachedir_open(folder, sizeof(folder));
    bool strange;
    char *file;

    if (dir < 0)
        return NULL;
    name_of(key, end, name);
    snprintf(path, bytes, "%s/%s", folder, name);
    file = ls_dir_read_own(dir, name, MAX_BYTES, n, &strange);
    if (file && is_sound(file, *n, key)) {
        touch(dir, name);
    } else if (file || strange) {
        ls_log(LS_LOG_WARN, "deleting broken cache file %s", path);
        if (unlinkat(dir, name, 0) != 0)
            unlinkat(dir, name, AT_REMOVEDIR);
        free(file);
        file = NULL;
    }
    close(dir);
    return file;
}

bool
ls_cache_find(const struct ls_cache_key *key, char *path, size_t bytes)
{
    size_t n;
    char *file = find(key, OBJECT, path, bytes, &n);

    free(file);
    return file != NULL;
}

char *
ls_cache_find_text(const struct ls_cache_key *key, size_t *bytes)
{
    char path[PATH_MAX], *file = find(key, TEXT, path, sizeof(path), bytes);

    if (!file)
        return NULL;
    *bytes -= sizeof(struct trailer);
    file[*bytes] = 0;
    return file;
}

void
ls_cache_discard(const struct ls_cache_key *key)
{
    char folder[MAX_PATH_LEN], name[NAME_BYTES];
    int dir = ls_cachedir_open(folder, sizeof(folder));

    if (dir < 0)
        return;
    name_of(key, OBJECT, name);
    unlinkat(dir, name, 0);
    close(dir);
}

struct entry {
    char name[NAME_BYTES];
    off_t bytes;
    time_t used;
};

static int
by_age(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->used < y->used ? -1 : x->used > y->used;
}

/* Removes a folder in which hiprtc was making a precompiled header. */
static void
remove_temporary(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return;
    unlinkat(fd, "pch", 0);
    unlinkat(fd, "sum", 0);
    close(fd);
    unlinkat(dir, name, AT_REMOVEDIR);
}

/* Deletes the files unused for longest until the rest fits, and temporary files left by crashes. */
static void
evict(int folder)
{
    off_t limit = (off_t)ls_env_long(LS_ENV_CACHE_LIMIT_MB, 1, 1 << 24) << 20, total = 0;
    struct entry *list = NULL, *more;
    size_t n = 0, cap = 0;
    struct dirent *d;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((d = readdir(dir)) != NULL) {
        struct stat st;

        if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && strncmp(d->d_name, "tmp-", 4) == 0 &&
            time(NULL) - st.st_mtime > 3600)
            remove_temporary(dirfd(dir), d->d_name);
        if (!S_ISREG(st.st_mode))
            continue;
        if (strncmp(d->d_name, "tmp-", 4) == 0) {
            if (time(NULL) - st.st_mtime > 3600)
                unlinkat(dirfd(dir), d->d_name, 0);
            continue;
        }
        if (!ls_cachedir_kind(d->d_name))
            continue;
        if (n == cap) {
            cap = cap * 2 + 64;
            more = realloc(list, cap * sizeof(*list));
            if (!more)
                break;
            list = more;
        }
        memcpy(list[n].name, d->d_name, strlen(d->d_name) + 1);
        list[n].bytes = st.st_size;
        list[n++].used = st.st_atime > st.st_mtime ? st.st_atime : st.st_mtime;
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
    return ls_file_put(fd, data,
                       bytes); /* a limit of the size of files is an error, and no signal */
}

/* Makes a new file with a name of our own in the folder. Returns its descriptor, and its name; -1
 * on failure. */
static int
create(int dir, char name[NAME_BYTES])
{
    static atomic_uint serial;

    for (int i = 0; i < 100; i++) {
        int fd;

        snprintf(name, NAME_BYTES, "tmp-%ld-%u-%llx", (long)getpid(), atomic_fetch_add(&serial, 1),
                 (unsigned long long)ls_now_ns());
        fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Makes the file `name` of two parts. False: errno says why. */
static bool
put(int dir, const char *name, const void *data, size_t bytes, const void *end, size_t end_bytes)
{
    char temp[NAME_BYTES];
    int fd = create(dir, temp);
    bool ok;

    if (fd < 0)
        return false;
    ok = write_all(fd, data, bytes) && write_all(fd, end, end_bytes);
    if (close(fd) != 0)
        ok = false;
    if (ok && renameat(dir, temp, dir, name) == 0)
        return true;
    int why = errno;
    unlinkat(dir, temp, 0);
    errno = why;
    return false;
}

static bool
store(const struct ls_cache_key *key, const char *end, const void *elf, size_t elf_bytes,
      char *path, size_t bytes)
{
    struct trailer t = {.magic = TRAILER_MAGIC, .elf_bytes = elf_bytes};
    char folder[MAX_PATH_LEN], name[NAME_BYTES];
    int dir = ls_cachedir_open(folder, sizeof(folder));
    bool ok;

    if (dir < 0)
        return false;
    ls_sha256_of(elf, elf_bytes, t.elf_sha256);
    memcpy(t.key, key->digest, 32);
    name_of(key, end, name);
    snprintf(path, bytes, "%s/%s", folder, name);
    ok = put(dir, name, elf, elf_bytes, &t, sizeof(t));
    if (ok)
        evict(dir);
    else
        ls_log(LS_LOG_WARN, "the code cache %s can't be written: %s", folder, strerror(errno));
    close(dir);
    return ok;
}

bool
ls_cache_store(const struct ls_cache_key *key, const void *elf, size_t elf_bytes, char *path,
               size_t bytes)
{
    return store(key, OBJECT, elf, elf_bytes, path, bytes);
}

void
ls_cache_store_text(const struct ls_cache_key *key, const char *text, size_t bytes)
{
    char path[PATH_MAX];

    store(key, TEXT, text, bytes, path, sizeof(path));
}

bool
ls_cache_find_forms(const struct ls_cache_key *key, void *record, size_t bytes)
{
    const size_t magic = sizeof(FORMS_MAGIC) - 1;
    char folder[MAX_PATH_LEN], name[NAME_BYTES], *file;
    int dir = ls_cachedir_open(folder, sizeof(folder));
    bool strange, ok;
    size_t n;

    if (dir < 0)
        return false;
    name_of(key, FORMS, name);
    file = ls_dir_read_own(dir, name, magic + bytes, &n, &strange);
    ok = file && n == magic + bytes && memcmp(file, FORMS_MAGIC, magic) == 0;
    if (ok)
        memcpy(record, file + magic, bytes);
    free(file);
    close(dir);
    return ok;
}

void
ls_cache_store_forms(const struct ls_cache_key *key, const void *record, size_t bytes)
{
    char folder[MAX_PATH_LEN], name[NAME_BYTES];
    int dir = ls_cachedir_open(folder, sizeof(folder));

    if (dir < 0)
        return;
    name_of(key, FORMS, name);
    if (!put(dir, name, FORMS_MAGIC, sizeof(FORMS_MAGIC) - 1, record, bytes))
        ls_log(LS_LOG_INFO, "the code cache %s can't be written: %s", folder, strerror(errno));
    close(dir);
}

bool
ls_code_file(const void *elf, size_t elf_bytes, char *path, size_t bytes)
{
    const char *tmp = ls_env_get("TMPDIR");
    char real[MAX_PATH_LEN], why[PATH_MAX + 64];
    int dir = ls_dir_open_safe(tmp && *tmp == '/' ? tmp : "/tmp", false, real, sizeof(real), why,
                               sizeof(why)),
        fd;
    bool ok = false;

    if (dir < 0) {
        ls_log(LS_LOG_INFO, "no temporary file for code: %s", why);
        return false;
    }
    close(dir);
    if ((size_t)snprintf(path, bytes, "%s/lockstep-XXXXXX", real) + sizeof("/kernel.so") > bytes ||
        !mkdtemp(path))
        return false;
    strncat(path, "/kernel.so", bytes - strlen(path) - 1);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
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
    int fd = memfd_create("lockstep-kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0)
        return -1;
    /* The path names this process by number, so that a debugger can open it, too. */
    snprintf(path, bytes, "/proc/%ld/fd/%d", (long)getpid(), fd);
    if (access(path, R_OK) != 0)
        snprintf(path, bytes, "/proc/self/fd/%d", fd);
    if (access(path, R_OK) == 0 && write_all(fd, elf, elf_bytes)) {
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
        return fd;
    }
    close(fd);
    return -1;
}
