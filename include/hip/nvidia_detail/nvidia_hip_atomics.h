/* SPDX-License-Identifier: MIT */
/* Atomics that HIP has and CUDA has not: extremes of floating point, and the names by which HIP's
 * programs say whether they trust the hardware. */
#ifndef HIP_NVIDIA_DETAIL_HIP_ATOMICS_H
#define HIP_NVIDIA_DETAIL_HIP_ATOMICS_H

#include <cuda_fp16.h>

/* The larger or smaller of *address and value; a NaN in either leaves *address. Numbers of one sign
 * are in the order of their bits, so CAS is only tried while the value would change. */
#define LS_NV_EXTREME(name, type, bits, to_bits, from_bits, better) \
    __device__ inline type name(type *address, type value) \
    { \
        bits *cell = reinterpret_cast<bits *>(address); \
        bits seen = *reinterpret_cast<volatile bits *>(cell); \
        while (value better from_bits(seen)) { \
            bits expected = seen; \
            seen = atomicCAS(cell, expected, static_cast<bits>(to_bits(value))); \
            if (seen == expected) \
                break; \
        } \
        return from_bits(seen); \
    }
LS_NV_EXTREME(atomicMax, float, unsigned int, __float_as_uint, __uint_as_float, >)
LS_NV_EXTREME(atomicMin, float, unsigned int, __float_as_uint, __uint_as_float, <)
LS_NV_EXTREME(atomicMax, double, unsigned long long, __double_as_longlong, __longlong_as_double, >)
LS_NV_EXTREME(atomicMin, double, unsigned long long, __double_as_longlong, __longlong_as_double, <)
#undef LS_NV_EXTREME

__device__ inline float
atomicSub(float *address, float value)
{
    return atomicAdd(address, -value);
}

__device__ inline double
atomicSub(double *address, double value)
{
    return atomicAdd(address, -value);
}

__device__ inline unsigned long long
atomicSub(unsigned long long *address, unsigned long long value)
{
    return atomicAdd(address, 0ull - value);
}

__device__ inline void
atomicAddNoRet(float *address, float value)
{
    (void)atomicAdd(address, value);
}

/* CUDA's atomics are right for all memory, so both kinds are the same. */
#define LS_NV_BOTH(kind, op, type) \
    __device__ inline type kind##Atomic##op(type *address, type value) \
    { \
        return atomic##op(address, value); \
    }
#define LS_NV_KINDS(op, type) LS_NV_BOTH(safe, op, type) LS_NV_BOTH(unsafe, op, type)
LS_NV_KINDS(Add, float)
LS_NV_KINDS(Add, double)
LS_NV_KINDS(Max, float)
LS_NV_KINDS(Max, double)
LS_NV_KINDS(Min, float)
LS_NV_KINDS(Min, double)
LS_NV_KINDS(Add, __half)
LS_NV_KINDS(Add, __half2)
#undef LS_NV_KINDS
#undef LS_NV_BOTH

#endif
