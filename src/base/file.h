/* SPDX-License-Identifier: MIT */
/* Whole files, read and written at once. Thread-safe; the caller frees what is read. */
#ifndef LS_BASE_FILE_H
#define LS_BASE_FILE_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* What a pipe or a device (/dev/zero has no end) may give at most. */
#define LS_FILE_STREAM_BYTES ((size_t)256 << 20)

/* malloc'ed bytes with a zero behind them that isn't counted; pipes can be read, too, up to
 * LS_FILE_STREAM_BYTES: EFBIG. false: errno says why and nothing is to be freed. */
bool ls_file_read(const char *path, void **data, size_t *bytes);

/* Makes or replaces the file, with what rights the umask leaves. false: errno says why, and part of
 * it may stand there. */
bool ls_file_write(const char *path, const void *data, size_t bytes);

/* Between begin and end a limit on the size of files (RLIMIT_FSIZE) makes writes fail with EFBIG,
 * and sends no SIGXFSZ, which would end the process. To be put around what makes a file longer.
 * Such pairs don't nest. */
struct ls_file_limit {
    sigset_t old;
    bool was_pending;
};
void ls_file_limit_begin(struct ls_file_limit *limit);
void ls_file_limit_end(const struct ls_file_limit *limit);
/* pwrite and ftruncate between begin and end. */
ssize_t ls_file_pwrite(int fd, const void *data, size_t bytes, off_t at);
int ls_file_resize(int fd, uint64_t bytes);
/* An anonymous file in memory, sealed: its size stays, so that who maps it need not fear SIGBUS. -1
 * when that can't be. */
int ls_file_memory(const char *name, uint64_t bytes);
#define LS_FILE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
/* Writes all bytes, at the file's position. */
bool ls_file_put(int fd, const void *data, size_t bytes);
/* A stream for writing (mode "w" or "a") that is closed on exec, and for which such a limit is an
 * error. NULL: errno says why. */
FILE *ls_file_stream(const char *path, char mode);
/* For a tool's main, first of all: if stdout has not taken everything when the process exits, that
 * is said, and the exit code is 1. */
void ls_file_check_output(void);

#endif
