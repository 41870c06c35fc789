/* SPDX-License-Identifier: MIT */
/* Functions by which kernels control graphs: Lockstep's own, with CUDA's names and meaning
 * (graph_types.h). */
#ifndef LS_HIP_DETAIL_GRAPH_DEVICE_H
#define LS_HIP_DETAIL_GRAPH_DEVICE_H

#include <hip/detail/device_core.h>

/* Sets the value that the conditional node with this handle looks at when the kernel has ended. */
LS_HIP_DEVICE void
hipGraphSetConditional(unsigned long long handle, unsigned int value)
{
    __hip_atomic_store((unsigned int *)handle, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

#if !defined(__HIPCC_RTC__)
extern "C" __device__ int __ls_graph_launch(hipGraphExec_t exec, hipStream_t stream);

/* Launches an instance, once for each thread that calls. `stream` says when it runs:
 * - hipStreamGraphTailLaunch: behind the launch that the calling kernel belongs to and before what
 * the stream does next, in the order of the calls. A host that waits for the stream waits for it,
 * too. An instance may launch itself so, which makes a loop. Tail launches made by an instance that
 * was itself launched so run before the remaining ones of the first launch. At most 255 may be
 * waiting.
 * - hipStreamGraphFireAndForget: at once, beside that launch and all else. The launch, for what
 * runs behind it, ends only when this has ended. At most 120 for each launch.
 * - hipStreamGraphFireAndForgetAsSibling: at once, as if the call came from where the calling
 * kernel's launch was itself made: it does not hold up what runs behind the calling kernel's
 * launch, but what the stream does next. hipErrorInvalidValue: exec is no instance, was made
 * without hipGraphInstantiateFlagDeviceLaunch or has nodes that wait for events; it is under way in
 * another stream or, where it should run at once, anywhere; too many are waiting; stream is none of
 * the three.
 * hipErrorNotSupported: always, in code objects on AMD's hardware. */
extern "C" __device__ inline __attribute__((always_inline)) hipError_t
hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    return (hipError_t)__ls_graph_launch(exec, stream);
}
#endif

#endif
