/* SPDX-License-Identifier: MIT */
/* Channel descriptors by the texel's type, on NVIDIA's platform. */
#ifndef HIP_NVIDIA_DETAIL_CHANNEL_DESCRIPTOR_H
#define HIP_NVIDIA_DETAIL_CHANNEL_DESCRIPTOR_H

#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
#include <channel_descriptor.h>

template <typename T>
static inline hipChannelFormatDesc
hipCreateChannelDesc()
{
    return cudaCreateChannelDesc<T>();
}

static inline hipChannelFormatDesc
hipCreateChannelDescHalf()
{
    return cudaCreateChannelDescHalf();
}

static inline hipChannelFormatDesc
hipCreateChannelDescHalf1()
{
    return cudaCreateChannelDescHalf1();
}

static inline hipChannelFormatDesc
hipCreateChannelDescHalf2()
{
    return cudaCreateChannelDescHalf2();
}

static inline hipChannelFormatDesc
hipCreateChannelDescHalf4()
{
    return cudaCreateChannelDescHalf4();
}
#endif

#endif
