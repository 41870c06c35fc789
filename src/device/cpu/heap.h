/* SPDX-License-Identifier: MIT */
/* Memory that all processors and the host reach alike; also for devices that have such memory among
 * other. */
#ifndef LS_DEVICE_CPU_HEAP_H
#define LS_DEVICE_CPU_HEAP_H

#include "device/device.h"

/* All addresses come from here, none twice: memory of the system is put there, or, if it is a file,
 * all of it is mapped there already. To be called before anything is allocated. */
void ls_heap_confine(void *base, size_t bytes, bool is_file);

hipError_t ls_cpu_alloc(struct ls_device *dev, enum ls_memory memory, size_t bytes, size_t align,
                        void **ptr);
void ls_cpu_free(struct ls_device *dev, enum ls_memory memory, void *ptr, size_t bytes);
void ls_cpu_read(struct ls_device *dev, void *dst, const void *src, size_t bytes);
void ls_cpu_write(struct ls_device *dev, void *dst, const void *src, size_t bytes);
void ls_cpu_zero(struct ls_device *dev, void *ptr, size_t bytes);

#endif
