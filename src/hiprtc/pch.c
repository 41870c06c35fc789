/* SPDX-License-Identifier: MIT */
/* The kernel language, precompiled: parsing it is most of a small program's compile time. One file
 * for each set of options that it depends on, in the code cache, made at first use. */
#include "hiprtc/rtc_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/dl.h"
#include "base/env.h"
#include "base/log.h"
#include "base/sha256.h"

#define MAGIC      "LSPCH001"
#define MAX_BYTES  ((size_t)1 << 30)
#define NAME_BYTES 72

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

/* Adds a file's number, size and time to a hash. Headers are not added: clang itself refuses a
 * precompiled header when one has changed. */
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

/* Contents of <key>.sum: which precompiled header belongs to these options. That file is named by
 * its own hash. So neither can be taken for another, whether writers run at the same time, stop
 * half-way or find no room. */
struct sum {
    char magic[8];
    uint64_t bytes;
    uint8_t sha256[32];
    uint8_t key[32];
};

static void
name_of(const uint8_t digest[32], const char *ext, char name[NAME_BYTES])
{
    char hex[65];

    ls_sha256_hex(digest, hex);
    snprintf(name, NAME_BYTES, "%s.%s", hex, ext);
}

static void
remove_any(int dir, const char *name)
{
    if (unlinkat(dir, name, 0) != 0)
        unlinkat(dir, name, AT_REMOVEDIR);
}

/* Files whose contents this process has seen to be right; another look takes milliseconds. */
static bool
is_known(const struct stat *st, bool learn)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct stat known[8]; /* guarded by lock */
    static unsigned next;        /* guarded by lock */
    bool found = false;

    if (st->st_ctim.tv_sec + 2 > time(NULL))
        return false; /* a file of the last two seconds may be written again without a change of its
                         time */
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        found |= known[i].st_size && known[i].st_ino == st->st_ino &&
                 known[i].st_dev == st->st_dev && known[i].st_size == st->st_size &&
                 known[i].st_ctim.tv_sec == st->st_ctim.tv_sec &&
                 known[i].st_ctim.tv_nsec == st->st_ctim.tv_nsec;
    if (learn && !found)
        known[next++ % (sizeof(known) / sizeof(*known))] = *st;
    pthread_mutex_unlock(&lock);
    return found;
}

static bool
hash_file(int dir, const char *name, struct sum *sum)
{
    bool strange;
    size_t n;
    void *data = ls_dir_read_own(dir, name, MAX_BYTES, &n, &strange);

    if (!data)
        return false;
    sum->bytes = n;
    ls_sha256_of(data, n, sum->sha256);
    free(data);
    return true;
}

/* The name of the file for these options, if a sound one is there. What is broken is deleted. */
static bool
find(int dir, const uint8_t key[32], char name[NAME_BYTES])
{
    char sum_name[NAME_BYTES];
    struct sum *sum, is;
    struct stat st;
    bool strange, ok;
    size_t n;

    name_of(key, "sum", sum_name);
    sum = ls_dir_read_own(dir, sum_name, sizeof(*sum), &n, &strange);
    ok = sum && n == sizeof(*sum) && memcmp(sum->magic, MAGIC, 8) == 0 &&
         memcmp(sum->key, key, 32) == 0;
    if (ok) {
        name_of(sum->sha256, "pch", name);
        if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode)) {
            ok = false;
        } else if (!is_known(&st, false)) {
            ok = hash_file(dir, name, &is) && is.bytes == sum->bytes &&
                 memcmp(is.sha256, sum->sha256, 32) == 0;
            if (ok)
                is_known(&st, true);
        }
        if (!ok)
            remove_any(dir, name);
    }
    if (!ok && (sum || strange)) {
        ls_log(LS_LOG_WARN,
               "hiprtc: the precompiled header is broken or gone: another one is made");
        remove_any(dir, sum_name);
    }
    free(sum);
    return ok;
}

/* Moves the file "pch" of the folder `temp` into the cache, as the one for these options. */
static bool
keep(int dir, const uint8_t key[32], const char *temp, char name[NAME_BYTES])
{
    struct sum sum = {.magic = MAGIC};
    char sum_name[NAME_BYTES], sum_temp[NAME_BYTES], pch_temp[NAME_BYTES];
    int fd;
    bool ok;

    if ((size_t)snprintf(sum_temp, sizeof(sum_temp), "%s/sum", temp) >= sizeof(sum_temp) ||
        (size_t)snprintf(pch_temp, sizeof(pch_temp), "%s/pch", temp) >= sizeof(pch_temp) ||
        !hash_file(dir, pch_temp, &sum))
        return false;
    memcpy(sum.key, key, 32);
    name_of(sum.sha256, "pch", name);
    name_of(key, "sum", sum_name);
    fd = openat(dir, sum_temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    ok = fd >= 0 && write(fd, &sum, sizeof(sum)) == (ssize_t)sizeof(sum);
    if (fd >= 0 && close(fd) != 0)
        ok = false;
    if (unlinkat(dir, name, AT_REMOVEDIR) !=
        0) /* a folder of that name, which a file could not replace */
        errno = 0;
    return ok && renameat(dir, pch_temp, dir, name) == 0 &&
           renameat(dir, sum_temp, dir, sum_name) == 0;
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
     const uint8_t key[32], char name[NAME_BYTES])
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
             keep(dir, key, strrchr(temp, '/') + 1, name);
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
    char folder[PATH_MAX], name[NAME_BYTES];
    struct ls_sha256 sha;
    uint8_t digest[32];
    bool ok;
    int dir;

    dir = ls_cachedir_open(folder, sizeof(folder));
    if (dir < 0)
        return false;
    ls_sha256_init(&sha);
    add_string(&sha, "pch 2");
    add_file_state(&sha, hipcc);
    for (size_t i = 0; i < n_options; i++)
        add_string(&sha, options[i]);
    ls_sha256_final(&sha, digest);
    ok = (find(dir, digest, name) || make(hipcc, options, n_options, folder, dir, digest, name)) &&
         snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
    close(dir);
    return ok;
}
