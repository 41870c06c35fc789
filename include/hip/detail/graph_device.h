/* SPDX-License-Identifier: MIT */
/* What kernels say to graphs. Lockstep's own, with CUDA's names and meaning (graph_types.h). */
#ifndef LS_HIP_DETAIL_GRAPH_DEVICE_H
#define LS_HIP_DETAIL_GRAPH_DEVICE_H

#include <hip/detail/device_core.h>

/* What the conditional node with this handle asks, once the kernel has ended. */
LS_HIP_DEVICE void
hipGraphSetConditional(unsigned long long handle, unsigned int value)
{
    __hip_atomic_store((unsigned int *)handle, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

#if !defined(__HIPCC_RTC__)
extern "C" __device__ int __ls_graph_launch(hipGraphExec_t exec, hipStream_t stream);

/* Launches an instance once for each thread that calls: with hipStreamGraphTailLaunch it runs behind the launch that the
 * calling kernel belongs to, in the order of the calls, before what the stream does next, and whoever waits for the
 * stream waits for it too. It may be the instance that runs. What runs behind a launch that was itself made so comes
 * before what is still to come behind the first.
 * hipErrorInvalidValue: no instance, one without hipGraphInstantiateFlagDeviceLaunch or with nodes that wait for events,
 * one that is on its way in another stream; a stream that is none of the two.
 * hipErrorNotSupported: hipStreamGraphFireAndForget; code objects on AMD's hardware. */
extern "C" __device__ inline __attribute__((always_inline)) hipError_t
hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    return (hipError_t)__ls_graph_launch(exec, stream);
}
#endif

#endif
