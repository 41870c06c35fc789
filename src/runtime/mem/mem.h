/* SPDX-License-Identifier: MIT */
/* Whose pointer is this: every allocation and registered range, by address. Thread-safe. */
#ifndef LS_RUNTIME_MEM_H
#define LS_RUNTIME_MEM_H

#include "device/device.h"

enum ls_mem_kind {
    LS_MEM_NONE = 0,
    LS_MEM_DEVICE,
    LS_MEM_HOST, /* hipHostMalloc */
    LS_MEM_MANAGED,
    LS_MEM_REGISTERED, /* hipHostRegister: the caller's */
    LS_MEM_GLOBAL,     /* variables of a module */
};

/* A copy of what is known of one range. */
struct ls_mem_range {
    char *base;
    size_t bytes;
    enum ls_mem_kind kind;
    unsigned flags;
    uint64_t id;
};

/* bytes 0 gives NULL. Fails with hipErrorOutOfMemory beyond the device's memory. */
hipError_t ls_mem_alloc(enum ls_mem_kind kind, size_t bytes, size_t align, unsigned flags,
                        void **ptr);
/* Frees what starts at ptr and is of one of the kinds (bits 1 << kind); hipErrorInvalidValue when
 * there is no such thing. */
hipError_t ls_mem_free(void *ptr, unsigned kinds);
hipError_t ls_mem_register(void *ptr, size_t bytes, unsigned flags);
hipError_t ls_mem_unregister(void *ptr);
/* The range that holds ptr. */
bool ls_mem_find(const void *ptr, struct ls_mem_range *range);
size_t ls_mem_used(void);
/* Frees all allocations but those of modules. */
void ls_mem_reset(void);

#endif
