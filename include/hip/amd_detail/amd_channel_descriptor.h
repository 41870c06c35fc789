/* SPDX-License-Identifier: MIT */
/* Channel descriptors, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_AMD_CHANNEL_DESCRIPTOR_H
#define HIP_AMD_DETAIL_AMD_CHANNEL_DESCRIPTOR_H

#include <hip/channel_descriptor.h>

#endif
