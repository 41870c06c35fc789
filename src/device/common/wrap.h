/* SPDX-License-Identifier: MIT */
/* Devices around a device: each changes some of the operations of what it is put around. */
#ifndef LS_DEVICE_COMMON_WRAP_H
#define LS_DEVICE_COMMON_WRAP_H

#include "device/device.h"

/* Puts a wrapper around a device that was not opened yet: its operations are to be changed where
 * they are returned. */
struct ls_device_ops *ls_wrap(struct ls_device *dev, enum ls_wrapper which);

/* For the operations of that wrapper: those that they are in front of. */
static inline const struct ls_device_ops *
ls_wrap_inner(const struct ls_device *dev, enum ls_wrapper which)
{
    return dev->wraps[which].inner;
}

#endif
