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
    LS_MEM_POOL,       /* a block of a memory pool (pool.h) */
    LS_MEM_VIRTUAL,    /* physical memory mapped into a reservation (vmm.h) */
    LS_MEM_SHARED,     /* another process's memory, or another API's (share.h) */
};

/* A copy of what is known of one range. */
struct ls_mem_range {
    char *base;
    size_t bytes;
    enum ls_mem_kind kind;
    unsigned flags;
    uint64_t id;
    void *owner;      /* borrowed: the block, mapping or segment behind it, by kind */
    uint8_t access;   /* hipMemAccessFlags that the devices have between them */
    uint8_t device;   /* the index of the device it belongs to */
    uint8_t memory;   /* enum ls_memory */
    uint32_t rights;  /* LS_MEM_VIRTUAL: hipMemAccessFlags of device i in bits 2i */
    bool exported;    /* another process may know it */
    bool sync_memops; /* HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS */
};

#define LS_MEM_PAGE 4096u

/* Of the current device. bytes 0 gives NULL. Fails with hipErrorOutOfMemory beyond the device's
 * memory. Device and managed memory have pages of their own, which can be shared (share.h) and
 * advised on (advice.h). */
hipError_t ls_mem_alloc(enum ls_mem_kind kind, size_t bytes, size_t align, unsigned flags,
                        void **ptr);
hipError_t ls_mem_alloc_on(uint32_t device, enum ls_mem_kind kind, size_t bytes, size_t align,
                           unsigned flags, void **ptr);
/* The same of memory that another kind would not have. */
hipError_t ls_mem_alloc_as(uint32_t device, enum ls_mem_kind kind, enum ls_memory memory,
                           size_t bytes, size_t align, unsigned flags, void **ptr);
/* Frees what starts at ptr and is of one of the kinds (bits 1 << kind); hipErrorInvalidValue when
 * there is no such thing. Only for what ls_mem_alloc gave, and shared ranges. */
hipError_t ls_mem_free(void *ptr, unsigned kinds);
/* The same of any kind; shared memory is unmapped. */
void ls_mem_free_any(void *ptr);
hipError_t ls_mem_register(void *ptr, size_t bytes, unsigned flags);
hipError_t ls_mem_unregister(void *ptr);
/* The range that holds ptr. */
bool ls_mem_find(const void *ptr, struct ls_mem_range *range);
bool ls_mem_is_known(const void *ptr);
/* Which of n <= 64 words are pointers into an allocation, or to its end, that no other of them
 * leads to: bits. 0 as soon as one may be a pointer that does not say where it leads. Memory that
 * has several addresses, or may have, is none of these allocations. */
uint64_t ls_mem_distinct(const uint64_t *words, unsigned n);
/* A number that is another one when the answers of that function may be. */
uint64_t ls_mem_changes(void);
/* Bits of the devices whose own memory holds one or the other (NULL: nothing); 0 where there is one
 * device. */
uint32_t ls_mem_devices(const void *a, const void *b);
/* Whether memory of this kind is the device's alone, so that the host must not touch it. */
bool ls_mem_is_of_device(enum ls_mem_kind kind);
const char *ls_mem_kind_name(enum ls_mem_kind kind);
/* True when `bytes` from ptr on stay within what holds ptr (adjacent virtual mappings are one) and
 * may be read, or written; also when nothing holds ptr. */
bool ls_mem_fits(const void *ptr, size_t bytes, bool write);
/* The same of both ends of a copy, and the ranges that hold them: kind LS_MEM_NONE where none
 * does. */
bool ls_mem_find_ends(const void *dst, const void *src, size_t bytes, struct ls_mem_range *to,
                      struct ls_mem_range *from);

/* Functions for rooms that get memory in their own way. */

struct ls_mem_entry;

/* Adds a range (its id is set here). NULL when out of memory. */
struct ls_mem_entry *ls_mem_add(struct ls_mem_range range);
/* Takes out the range that starts at ptr and is of one of the kinds. */
bool ls_mem_take(const void *ptr, unsigned kinds, struct ls_mem_range *range);
/* Hides a range, so that it is not found: a pool's block that nobody uses. When it is shown again
 * it has a new id. */
void ls_mem_hide(struct ls_mem_entry *entry, bool hidden);
/* Change a range in place. False when none starts at base. */
bool ls_mem_set_access(const void *base, uint8_t access, uint32_t rights);
bool ls_mem_set_exported(const void *base);
bool ls_mem_set_sync_memops(const void *ptr, bool on);
/* Whether a range lies within [ptr, ptr + bytes), even partly. */
bool ls_mem_overlaps(const void *ptr, size_t bytes);

/* Every range, hidden ones too; `visit` may not come back here. */
void ls_mem_for_each(void (*visit)(void *arg, const struct ls_mem_range *range), void *arg);

/* Behind an allocation lie some bytes whose value is known: whoever goes beyond its end changes
 * them. */

/* Size of the allocation with these bytes. */
size_t ls_mem_whole(size_t bytes);
/* Writes these bytes. */
void ls_mem_seal(struct ls_device *dev, void *ptr, size_t bytes);
/* Says what was overwritten, `when`, and writes them anew. False when something was; true also of
 * ranges that have no such bytes. */
bool ls_mem_is_intact(const struct ls_mem_range *range, const char *when);

/* For struct ls_device: where an address lies that could not be touched, if it is a little behind
 * an allocation. */
void ls_mem_explain(const void *addr, char *text, size_t bytes);

/* Memory of a device, counted: hipErrorOutOfMemory beyond the limit. */
hipError_t ls_mem_charge(uint32_t device, size_t bytes);
void ls_mem_discharge(uint32_t device, size_t bytes);
size_t ls_mem_used(uint32_t device);
/* Frees all allocations of the device but those of modules. */
void ls_mem_reset(uint32_t device);

#endif
