/* SPDX-License-Identifier: MIT */
#include "base/pch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/log.h"

#define MAGIC     "LSPCH002"
#define MAX_BYTES ((size_t)1 << 30)

/* What shows that nobody has written to a file. */
struct state {
    uint64_t inode, bytes;
    int64_t changed, changed_ns;
};

/* Contents of <key>.sum, with the note behind it: which precompiled header belongs to these
 * options. That file is named by its own hash. So neither can be taken for another, whether writers
 * run at the same time, stop half-way or find no room. */
struct sum {
    char magic[8];
    uint8_t sha256[32];
    uint8_t key[32];
    struct state state; /* once it was kept */
};

void
ls_pch_hash_text(struct ls_sha256 *sha, const char *text)
{
    ls_sha256_add(sha, text, strlen(text) + 1);
}

void
ls_pch_hash_state(struct ls_sha256 *sha, const char *path)
{
    struct stat st;
    long long state[4] = {0};

    if (stat(path, &st) == 0) {
        state[0] = (long long)st.st_ino;
        state[1] = (long long)st.st_size;
        state[2] = (long long)st.st_mtim.tv_sec;
        state[3] = st.st_mtim.tv_nsec;
    }
    ls_pch_hash_text(sha, path);
    ls_sha256_add(sha, state, sizeof(state));
}

static void
name_of(const uint8_t digest[32], const char *ext, char name[LS_PCH_NAME_BYTES])
{
    char hex[65];

    ls_sha256_hex(digest, hex);
    snprintf(name, LS_PCH_NAME_BYTES, "%s.%s", hex, ext);
}

static void
remove_any(int dir, const char *name)
{
    if (unlinkat(dir, name, 0) != 0)
        unlinkat(dir, name, AT_REMOVEDIR);
}

static bool
hash_file(int dir, const char *name, uint8_t sha256[32])
{
    bool strange;
    size_t n;
    void *data = ls_dir_read_own(dir, name, MAX_BYTES, &n, &strange);

    if (!data)
        return false;
    ls_sha256_of(data, n, sha256);
    free(data);
    return true;
}

static bool
state_of(int dir, const char *name, struct state *state)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return false;
    *state = (struct state){.inode = (uint64_t)st.st_ino,
                            .bytes = (uint64_t)st.st_size,
                            .changed = st.st_mtim.tv_sec,
                            .changed_ns = st.st_mtim.tv_nsec};
    return true;
}

/* Whether it is the file that was kept. Reading it takes tens of milliseconds, so that is only done
 * where its state doesn't show it: a file of the last two seconds may have been written again
 * without a change of its time. */
static bool
is_sound(int dir, const char *name, const struct sum *sum)
{
    uint8_t sha256[32];
    struct state state;

    if (!state_of(dir, name, &state))
        return false;
    if (memcmp(&state, &sum->state, sizeof(state)) == 0 && state.changed + 2 < time(NULL))
        return true; /* marked as used by its other time alone */
    return hash_file(dir, name, sha256) && memcmp(sha256, sum->sha256, 32) == 0;
}

/* The files unused for longest are deleted first. */
static void
mark_used(int dir, const char *name)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && time(NULL) - st.st_atime > 3600)
        utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW);
}

bool
ls_pch_find(int dir, const char *who, const uint8_t key[32], char name[LS_PCH_NAME_BYTES],
            char **note)
{
    char sum_name[LS_PCH_NAME_BYTES];
    struct sum *sum;
    bool strange, ok;
    size_t n;

    name_of(key, "sum", sum_name);
    sum = ls_dir_read_own(dir, sum_name, sizeof(*sum) + LS_PCH_NOTE_MOST, &n, &strange);
    ok = sum && n >= sizeof(*sum) && memcmp(sum->magic, MAGIC, 8) == 0 &&
         memcmp(sum->key, key, 32) == 0;
    if (ok) {
        name_of(sum->sha256, "pch", name);
        ok = is_sound(dir, name, sum);
        if (!ok)
            remove_any(dir, name);
    }
    if (!ok && (sum || strange)) {
        ls_log(LS_LOG_WARN, "%s: the precompiled header is broken or gone: another one is made",
               who);
        remove_any(dir, sum_name);
    }
    if (ok) {
        mark_used(dir, sum_name);
        mark_used(dir, name);
    }
    if (ok && note)
        *note = strndup((const char *)(sum + 1), n - sizeof(*sum));
    free(sum);
    return ok && (!note || *note);
}

bool
ls_pch_keep(int dir, const uint8_t key[32], const char *temp, const char *note,
            char name[LS_PCH_NAME_BYTES])
{
    struct sum sum = {.magic = MAGIC};
    char sum_name[LS_PCH_NAME_BYTES], sum_temp[LS_PCH_NAME_BYTES], pch_temp[LS_PCH_NAME_BYTES];
    size_t n_note = note ? strlen(note) : 0;
    int fd;
    bool ok;

    if ((size_t)snprintf(sum_temp, sizeof(sum_temp), "%s/sum", temp) >= sizeof(sum_temp) ||
        (size_t)snprintf(pch_temp, sizeof(pch_temp), "%s/pch", temp) >= sizeof(pch_temp) ||
        n_note > LS_PCH_NOTE_MOST || !hash_file(dir, pch_temp, sum.sha256))
        return false;
    memcpy(sum.key, key, 32);
    name_of(sum.sha256, "pch", name);
    name_of(key, "sum", sum_name);
    unlinkat(dir, name, AT_REMOVEDIR); /* a folder of that name, which a file could not replace */
    if (renameat(dir, pch_temp, dir, name) != 0 || !state_of(dir, name, &sum.state))
        return false;
    fd = openat(dir, sum_temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    ok = fd >= 0 && write(fd, &sum, sizeof(sum)) == (ssize_t)sizeof(sum) &&
         (!n_note || write(fd, note, n_note) == (ssize_t)n_note);
    if (fd >= 0 && close(fd) != 0)
        ok = false;
    return ok && renameat(dir, sum_temp, dir, sum_name) == 0;
}

int
ls_pch_claim(int dir, const uint8_t key[32])
{
    char name[LS_PCH_NAME_BYTES];
    struct stat st;
    int fd;

    name_of(key, "use", name);
    fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd);
        return -1;
    }
    fd = openat(dir, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &st) != 0 || st.st_size != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

void
ls_pch_claim_end(int claim, bool made)
{
    /* Where it can't be made, or must not be used, trying takes as long each time. */
    bool noted = made || write(claim, "failed\n", 7) == 7;

    (void)noted;
    close(claim);
}
