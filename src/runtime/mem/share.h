/* SPDX-License-Identifier: MIT */
/* Memory that several processes map. Nothing has a name in a file system: a handle says which file
 * descriptor of which process to open through /proc, so that nothing outlives its users. */
#ifndef LS_RUNTIME_SHARE_H
#define LS_RUNTIME_SHARE_H

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

/* An anonymous file in memory, sealed: its size stays, so that who maps it need not fear SIGBUS. -1 when that can't be.
 */
int ls_share_file(const char *name, uint64_t bytes);
/* Describes [offset, offset + bytes) of a file that this process keeps open. */
hipError_t ls_share_describe(int fd, uint64_t offset, uint64_t bytes, struct ls_share_handle *out);
/* Whether a file is sealed so; its size. */
bool ls_share_is_sealed(int fd, uint64_t *bytes);
/* Opens what a handle describes: a new file descriptor, or -1. Nothing in a handle is believed: what is opened is a sealed
 * memory file of that name that belongs to our user, is the very file that was described, and holds the range. */
int ls_share_open_file(const struct ls_share_handle *handle, const char *name);

/* Makes the device memory that holds ptr shareable. Waits until nothing runs on the device.
 * hipErrorInvalidValue when ptr is no device memory. */
hipError_t ls_share_export(const void *ptr, struct ls_share_handle *out);
/* Gives exported memory back to the device. */
void ls_share_free(void *base, size_t bytes);

/* Maps what a handle describes and adds it to the map of pointers; the same file twice gives the
 * same address. hipErrorInvalidDevicePointer when its owner has freed it or is gone. */
hipError_t ls_share_open(const struct ls_share_handle *handle, bool freeable, void **ptr);
/* Undoes one ls_share_open, or frees a mapping of ls_share_map. */
hipError_t ls_share_close(void *ptr);
/* A mapping of [offset, offset + bytes) of a file of another API. */
hipError_t ls_share_map(int fd, uint64_t offset, uint64_t bytes, void **ptr);
/* Whether ls_share_open made the mapping that holds ptr. */
bool ls_share_is_opened(const void *ptr);
/* Whether hipFree closes it. */
bool ls_share_is_freeable(const void *ptr);
/* For the map of pointers: the range of this owner is gone. */
void ls_share_unmap(void *owner);

#endif
