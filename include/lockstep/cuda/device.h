/* SPDX-License-Identifier: MIT */
/* Device functions that CUDA has and HIP has not. */
#ifndef LOCKSTEP_CUDA_DEVICE_H
#define LOCKSTEP_CUDA_DEVICE_H

#include <hip/hip_runtime.h>

#include <lockstep/cuda/simd.h>
#include <lockstep_cuda/errors.h>

#define LS_CUDA_BOTH static __host__ __device__ inline

/* The smaller and the larger of two, by the type's name */
#define LS_CUDA_MINMAX(prefix, T)                                                                  \
    LS_CUDA_BOTH T prefix##min(T a, T b)                                                           \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    LS_CUDA_BOTH T prefix##max(T a, T b)                                                           \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
LS_CUDA_MINMAX(u, unsigned int)
LS_CUDA_MINMAX(ll, long long)
LS_CUDA_MINMAX(ull, unsigned long long)
#undef LS_CUDA_MINMAX

/* Atomics that HIP has for the device's scope alone */
#define LS_CUDA_COUNT(name, builtin) \
    LS_HIP_DEVICE unsigned int name##_system(unsigned int *address, unsigned int limit) \
    { \
        return builtin(address, limit, __ATOMIC_RELAXED, ""); \
    } \
    LS_HIP_DEVICE unsigned int name##_block(unsigned int *address, unsigned int limit) \
    { \
        return builtin(address, limit, __ATOMIC_RELAXED, "workgroup"); \
    }
LS_CUDA_COUNT(atomicInc, __builtin_amdgcn_atomic_inc32)
LS_CUDA_COUNT(atomicDec, __builtin_amdgcn_atomic_dec32)
#undef LS_CUDA_COUNT

#define LS_CUDA_CAS(T) \
    LS_HIP_DEVICE T atomicCAS_block(T *address, T compare, T value) \
    { \
        __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED, \
                                             __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); \
        return compare; \
    }
LS_CUDA_CAS(int)
LS_CUDA_CAS(unsigned int)
LS_CUDA_CAS(unsigned long long)
LS_CUDA_CAS(unsigned short)
#undef LS_CUDA_CAS

/* Loads and stores with hints for caches: plain ones */
#define LS_CUDA_LOAD(name)                                                                         \
    template <typename T> LS_HIP_DEVICE T name(const T *ptr)                                       \
    {                                                                                              \
        return *ptr;                                                                               \
    }
LS_CUDA_LOAD(__ldca)
LS_CUDA_LOAD(__ldcg)
LS_CUDA_LOAD(__ldcs)
LS_CUDA_LOAD(__ldlu)
#undef LS_CUDA_LOAD
template <typename T>
LS_HIP_DEVICE T
__ldcv(const T *ptr)
{
    return *(const volatile T *)ptr;
}
#define LS_CUDA_STORE(name)                                                                        \
    template <typename T> LS_HIP_DEVICE void name(T *ptr, T value)                                 \
    {                                                                                              \
        *ptr = value;                                                                              \
    }
LS_CUDA_STORE(__stcg)
LS_CUDA_STORE(__stcs)
LS_CUDA_STORE(__stwb)
LS_CUDA_STORE(__stwt)
#undef LS_CUDA_STORE

/* Where a pointer points */
LS_HIP_DEVICE unsigned int
__isShared(const void *ptr)
{
    return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void *)ptr);
}

LS_HIP_DEVICE unsigned int
__isLocal(const void *ptr)
{
    return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void *)ptr);
}

LS_HIP_DEVICE unsigned int
__isGlobal(const void *ptr)
{
    return !__isShared(ptr) && !__isLocal(ptr);
}

LS_HIP_DEVICE size_t
__cvta_generic_to_shared(const void *ptr)
{
    return (size_t)(__attribute__((address_space(3))) void *)const_cast<void *>(ptr);
}

LS_HIP_DEVICE void *
__cvta_shared_to_generic(size_t address)
{
    return (void *)(__attribute__((address_space(3))) void *)(unsigned int)address;
}

LS_HIP_DEVICE void
__brkpt()
{
    __builtin_debugtrap();
}

LS_HIP_DEVICE void
__nanosleep(unsigned int ns)
{
    (void)ns;
    __builtin_amdgcn_s_sleep(1);
}

/* Products of four or two small numbers, added up */
LS_HIP_DEVICE int
__dp4a(int a, int b, int c)
{
    for (int i = 0; i < 32; i += 8)
        c += (int)(signed char)(a >> i) * (int)(signed char)(b >> i);
    return c;
}

LS_HIP_DEVICE unsigned int
__dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    for (int i = 0; i < 32; i += 8)
        c += (a >> i & 255) * (b >> i & 255);
    return c;
}

#define LS_CUDA_DP2A(name, from)                                                                   \
    LS_HIP_DEVICE int name(int a, int b, int c)                                                    \
    {                                                                                              \
        return c + (int)(short)a * (int)(signed char)(b >> from) +                                 \
               (int)(short)(a >> 16) * (int)(signed char)(b >> (from + 8));                        \
    }                                                                                              \
    LS_HIP_DEVICE unsigned int name(unsigned int a, unsigned int b, unsigned int c)                \
    {                                                                                              \
        return c + (a & 0xffff) * (b >> from & 255) + (a >> 16) * (b >> (from + 8) & 255);         \
    }
LS_CUDA_DP2A(__dp2a_lo, 0)
LS_CUDA_DP2A(__dp2a_hi, 16)
#undef LS_CUDA_DP2A

LS_HIP_DEVICE int
__dp4a(char4 a, char4 b, int c)
{
    return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

LS_HIP_DEVICE unsigned int
__dp4a(uchar4 a, uchar4 b, unsigned int c)
{
    return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

#undef LS_CUDA_BOTH
#endif
