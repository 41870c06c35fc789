/* SPDX-License-Identifier: MIT */
/* What payload.c, which makes payloads, and graph.c, which copies them with their graphs, share. */
#ifndef LS_RUNTIME_PAYLOAD_PRIV_H
#define LS_RUNTIME_PAYLOAD_PRIV_H

#include "runtime/graph/graph.h"

/* heap.c: what a payload points to in its own heap */

/* For a kernel's arguments. */
hipError_t ls_heap_kernel(struct ls_payload *payload);
/* Points the parameters into the heap. */
void ls_heap_settle_kernel(struct ls_payload *payload, bool by_extra);
/* Values in memory: heap is the steps, then two arrays of parameters. */
hipError_t ls_heap_values(struct ls_payload *payload, uint32_t n_steps, const void *first,
                          size_t first_bytes, const void *second, size_t second_bytes);
/* Points the parameters into the heap. */
void ls_heap_settle_values(struct ls_payload *payload);
/* Its steps have references to semaphores. */
bool ls_payload_has_semaphores(const struct ls_payload *payload);

/* graph.c: the bodies of a conditional node, as those of `from`; NULL: empty ones. */
hipError_t ls_payload_make_bodies(const struct ls_payload *from, struct ls_payload *payload);

#endif
