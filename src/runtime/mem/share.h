/* SPDX-License-Identifier: MIT */
/* Memory that several processes map (core/sealed.h). */
#ifndef LS_RUNTIME_SHARE_H
#define LS_RUNTIME_SHARE_H

#include "runtime/core/sealed.h"

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
/* Maps [offset, offset + bytes) of a file of another API, and adds it to the map of pointers. */
hipError_t ls_share_map(int fd, uint64_t offset, uint64_t bytes, void **ptr);
/* Whether ls_share_open made the mapping that holds ptr. */
bool ls_share_is_opened(const void *ptr);
/* Whether hipFree may free the mapping that holds ptr. */
bool ls_share_is_freeable(const void *ptr);
/* Called by the map of pointers when a range was removed: unmaps its owner, a segment. */
void ls_share_unmap(void *owner);

#endif
