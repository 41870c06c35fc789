/* SPDX-License-Identifier: MIT */
/* LOCKSTEP_STRICT: device memory is out of the host's reach while the devices have no work, as on a
 * GPU. A host that touches it dies of SIGSEGV, after a line that says what it touched. Not seen:
 * accesses while work runs.
 * When the devices have done their work, what lies behind the ends of all allocations is looked at:
 * overruns are reported, and are the device's sticky error. */
#ifndef LS_RUNTIME_STRICT_H
#define LS_RUNTIME_STRICT_H

#include "runtime/mem/mem.h"

/* Puts itself around a device that was not opened yet, when the variable asks for it. */
void ls_strict_device(struct ls_device *dev);

/* The map has a new range there, or other access to one; a range has left the map, and its memory
 * goes back to where it came from. No lock held. */
void ls_strict_changed(const void *base);
void ls_strict_removed(const struct ls_mem_range *range);

#endif
