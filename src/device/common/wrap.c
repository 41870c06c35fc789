/* SPDX-License-Identifier: MIT */
#include "device/common/wrap.h"

struct ls_device_ops *
ls_wrap(struct ls_device *dev, enum ls_wrapper which)
{
    struct ls_wrap *w = &dev->wraps[which];

    w->inner = dev->ops;
    w->ops = *dev->ops;
    dev->ops = &w->ops;
    return &w->ops;
}
