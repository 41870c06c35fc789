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

/* Launches an instance once for each thread that calls.
 * hipStreamGraphTailLaunch: it runs behind the launch that the calling kernel belongs to, in the order of the calls, before
 * what the stream does next, and whoever waits for the stream waits for it too. It may be the instance that runs. What
 * runs behind a launch that was itself made so comes before what is still to come behind the first. 255 may wait.
 * hipStreamGraphFireAndForget: it runs at once, beside that launch and all else; the launch counts as ended, for what runs
 * behind it too, only when it has. 120 for each launch.
 * hipStreamGraphFireAndForgetAsSibling: the same as if the launch had been made by what the calling kernel's launch was
 * itself launched by: does not hold up what runs behind the calling kernel's launch, but what the stream does next.
 * hipErrorInvalidValue: no instance, one without hipGraphInstantiateFlagDeviceLaunch or with nodes that wait for events;
 * one that is on its way in another stream or, where it should run at once, anywhere; too many; a stream that is none of
 * the three.
 * hipErrorNotSupported: code objects on AMD's hardware. */
extern "C" __device__ inline __attribute__((always_inline)) hipError_t
hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    return (hipError_t)__ls_graph_launch(exec, stream);
}
#endif

#endif
