/* SPDX-License-Identifier: MIT */
/* For devices whose memory lies elsewhere, but is cut into pieces in the same way. */
#ifndef LS_DEVICE_CPU_HEAP_H
#define LS_DEVICE_CPU_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* All addresses come from here, none twice: memory of the system is put there, or, if it is a file, all of it is mapped
 * there already. To be called before anything is allocated. */
void ls_heap_confine(void *base, size_t bytes, bool is_file);

#endif
