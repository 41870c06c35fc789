/* SPDX-License-Identifier: MIT */
/* Memory pools: device memory allocated and freed in the order of streams. A freed block stays in
 * its pool and is ready for its own stream at once, for others when that stream has got there. */
#ifndef LS_RUNTIME_POOL_H
#define LS_RUNTIME_POOL_H

#include "runtime/mem/mem.h"

struct ihipStream_t;
struct ls_pool_block;

/* Makes the pools that the devices have from the start. */
void ls_pool_start(void);
struct ihipMemPoolHandle_t *ls_pool_default(uint32_t device);
bool ls_pool_is_default(const struct ihipMemPoolHandle_t *pool);
struct ihipMemPoolHandle_t *ls_pool_current(uint32_t device);
/* hipErrorInvalidDevice when the pool is another device's. */
hipError_t ls_pool_set_current(uint32_t device, struct ihipMemPoolHandle_t *pool);
/* The access of another device to the pool's memory. It is kept and answered, without effect. */
void ls_pool_set_access(struct ihipMemPoolHandle_t *pool, uint32_t device, hipMemAccessFlags flags);
hipMemAccessFlags ls_pool_get_access(struct ihipMemPoolHandle_t *pool, uint32_t device);
bool ls_pool_is_valid(const struct ihipMemPoolHandle_t *pool);
/* An imported pool gives no memory of its own. NULL when out of memory. */
struct ihipMemPoolHandle_t *ls_pool_create(const hipMemPoolProps *props, bool imported);
/* Blocks in use stay valid until they are freed. */
void ls_pool_destroy(struct ihipMemPoolHandle_t *pool);
const hipMemPoolProps *ls_pool_props(const struct ihipMemPoolHandle_t *pool);
hipError_t ls_pool_set_attribute(struct ihipMemPoolHandle_t *pool, hipMemPoolAttr attr,
                                 const void *value);
hipError_t ls_pool_get_attribute(struct ihipMemPoolHandle_t *pool, hipMemPoolAttr attr,
                                 void *value);

/* Memory for what `stream` does from now on. */
hipError_t ls_pool_alloc(struct ihipMemPoolHandle_t *pool, size_t bytes,
                         struct ihipStream_t *stream, void **ptr);
/* Gives a block back when all has ended that is now in `stream`; NULL: nobody uses it any more.
 * hipErrorInvalidValue when it is no longer the block that starts at ptr and is in use. */
hipError_t ls_pool_free(struct ls_pool_block *block, const void *ptr, struct ihipStream_t *stream);
/* Returns idle memory to the system until the pool holds no more than `keep` bytes. */
void ls_pool_trim(struct ihipMemPoolHandle_t *pool, uint64_t keep);
/* Called when the host has waited for work: pools return memory beyond their threshold to the
 * system. */
void ls_pool_synced(void);
/* Frees all blocks of the device's pools; all its work has ended. */
void ls_pool_reset(uint32_t device);

#endif
