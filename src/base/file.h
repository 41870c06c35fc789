/* SPDX-License-Identifier: MIT */
/* Whole files, read and written at once. Thread-safe; the caller frees what is read. */
#ifndef LS_BASE_FILE_H
#define LS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* malloc'ed bytes with a zero behind them that isn't counted; pipes can be read, too.
 * false: errno says why and nothing is to be freed. */
bool ls_file_read(const char *path, void **data, size_t *bytes);

/* Makes or replaces the file, with what rights the umask leaves. false: errno says why, and part of
 * it may stand there. */
bool ls_file_write(const char *path, const void *data, size_t bytes);

#endif
