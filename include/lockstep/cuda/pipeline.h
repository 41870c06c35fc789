/* SPDX-License-Identifier: MIT */
/* cuda_pipeline.h of hipcc --cuda: copies to shared memory are done at once, so there is nothing to
 * wait for. */
#ifndef LOCKSTEP_CUDA_PIPELINE_H
#define LOCKSTEP_CUDA_PIPELINE_H

#include <lockstep/cuda/runtime.h>

#if __HIP_CLANG_ONLY__
/* `zeros` bytes at the end become 0 instead of being copied. */
LS_HIP_DEVICE void
__pipeline_memcpy_async(void *dst, const void *src, size_t bytes, size_t zeros = 0)
{
    __builtin_memcpy(dst, src, bytes - zeros);
    if (zeros)
        __builtin_memset((char *)dst + (bytes - zeros), 0, zeros);
}

LS_HIP_DEVICE void
__pipeline_commit()
{
}

LS_HIP_DEVICE void
__pipeline_wait_prior(size_t n)
{
    (void)n;
}
#endif

#endif
