/* SPDX-License-Identifier: MIT */
/* Virtual memory management: reservations of addresses, physical memory, and mappings of one into
 * the other. Physical memory lies in memory files; what is not mapped, or mapped without access,
 * faults. All functions check their arguments, but for NULL and flags, as HIP has it. */
#ifndef LS_RUNTIME_VMM_H
#define LS_RUNTIME_VMM_H

#include <hip/hip_runtime_api.h>

#include <stdbool.h>

#define LS_VMM_GRANULARITY 4096u /* that of the device may be larger */
#define LS_VMM_RECOMMENDED (2u << 20)

size_t ls_vmm_granularity(uint32_t device, bool recommended);

/* align: a power of two, or 0. hint may be NULL. */
hipError_t ls_vmm_reserve(size_t bytes, size_t align, void *hint, void **ptr);
hipError_t ls_vmm_unreserve(void *ptr, size_t bytes);
hipError_t ls_vmm_create(size_t bytes, const hipMemAllocationProp *prop,
                         hipMemGenericAllocationHandle_t *out);
/* Drops a reference; the memory stays as long as it is mapped. */
hipError_t ls_vmm_release(hipMemGenericAllocationHandle_t handle);
/* The handle of what is mapped at ptr, with a new reference. */
hipError_t ls_vmm_retain(const void *ptr, hipMemGenericAllocationHandle_t *out);
hipError_t ls_vmm_props(hipMemGenericAllocationHandle_t handle, hipMemAllocationProp *prop);
hipError_t ls_vmm_map(void *ptr, size_t bytes, hipMemGenericAllocationHandle_t handle);
/* Unmaps whole mappings, which no work on the device may use. */
hipError_t ls_vmm_unmap(void *ptr, size_t bytes);
hipError_t ls_vmm_set_access(void *ptr, size_t bytes, uint32_t device, hipMemAccessFlags flags);
hipError_t ls_vmm_get_access(const void *ptr, uint32_t device, hipMemAccessFlags *flags);
/* A file descriptor that the caller owns. */
hipError_t ls_vmm_export(hipMemGenericAllocationHandle_t handle, hipMemAllocationHandleType type,
                         int *fd);
/* fd stays the caller's. */
hipError_t ls_vmm_import(int fd, hipMemGenericAllocationHandle_t *out);

#endif
