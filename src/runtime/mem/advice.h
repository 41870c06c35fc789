/* SPDX-License-Identifier: MIT */
/* What programs said about ranges of managed memory: advice and prefetches, by page. It has no
 * effect here, but can be asked for. Thread-safe. */
#ifndef LS_RUNTIME_ADVICE_H
#define LS_RUNTIME_ADVICE_H

#include <hip/hip_runtime_api.h>

/* device: an ordinal, or hipCpuDeviceId. */
hipError_t ls_advice_set(const void *ptr, size_t bytes, hipMemoryAdvise advice, int device);
hipError_t ls_advice_prefetch(const void *ptr, size_t bytes, int device);
/* Writes what holds for all pages of the range. hipErrorInvalidValue for a size or an attribute
 * that can't be. */
hipError_t ls_advice_get(const void *ptr, size_t bytes, hipMemRangeAttribute attribute, void *data,
                         size_t data_bytes);
/* The range was freed. */
void ls_advice_forget(const void *ptr, size_t bytes);

#endif
