/* SPDX-License-Identifier: MIT */
/* Memory files that several processes map. Nothing has a name in a file system: a handle says which
 * file descriptor of which process to open through /proc, so that nothing outlives its users. */
#ifndef LS_RUNTIME_SEALED_H
#define LS_RUNTIME_SEALED_H

#include <hip/hip_runtime_api.h>

#include <stdbool.h>
#include <stdint.h>

/* What another process needs; fits into HIP's 64 bytes. */
struct ls_share_handle {
    uint32_t magic;
    int32_t pid, fd;
    uint32_t reserved;
    uint64_t dev, ino; /* of the file: a number that was used again is told from it */
    uint64_t offset, bytes;
};

/* Whether a file is sealed as ls_file_memory's are; its size. */
bool ls_sealed_is(int fd, uint64_t *bytes);
/* Describes [offset, offset + bytes) of a file that this process keeps open. */
hipError_t ls_sealed_describe(int fd, uint64_t offset, uint64_t bytes, struct ls_share_handle *out);
/* Opens what a handle describes: a new file descriptor, or -1. Nothing in a handle is believed:
 * what is opened is a sealed memory file of that name that belongs to our user, is the very file
 * that was described, and holds the range. */
int ls_sealed_open(const struct ls_share_handle *handle, const char *name);

#endif
