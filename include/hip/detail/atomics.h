/* SPDX-License-Identifier: MIT */
/* Atomics: relaxed, and of the device's scope; those named _system, of the system's. Each returns
 * the value before. */
#ifndef HIP_DETAIL_ATOMICS_H
#define HIP_DETAIL_ATOMICS_H

#include <hip/detail/device_core.h>

#define LS_HIP_ATOMIC_AGENT  __HIP_MEMORY_SCOPE_AGENT
#define LS_HIP_ATOMIC_SYSTEM __HIP_MEMORY_SCOPE_SYSTEM

/* hipcc --cuda: a scope more, a block's. Programs add functions for more types than CUDA has, HIP's
 * libraries have them: templates, which the program's own functions and templates come before. */
#ifdef __LS_CUDA__
template <bool holds> struct ls_hip_if {
};
template <> struct ls_hip_if<true> {
    typedef int type;
};
#define LS_HIP_MORE(U) \
    template <class T, class... None, typename ls_hip_if<__is_same(T, U)>::type = 0> LS_HIP_DEVICE T

#define LS_HIP_ATOMIC_BLOCK(name, builtin, T) \
    LS_HIP_DEVICE T name##_block(T *address, T value) \
    { \
        return builtin(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); \
    }
#define LS_HIP_ATOMIC_MORE(name, builtin, U) \
    LS_HIP_MORE(U) name(T *address, T value, None...) \
    { \
        return builtin(address, value, __ATOMIC_RELAXED, LS_HIP_ATOMIC_AGENT); \
    } \
    LS_HIP_MORE(U) name##_system(T *address, T value, None...) \
    { \
        return builtin(address, value, __ATOMIC_RELAXED, LS_HIP_ATOMIC_SYSTEM); \
    }
#else
#define LS_HIP_ATOMIC_BLOCK(name, builtin, T)
#define LS_HIP_ATOMIC_MORE LS_HIP_ATOMIC
#endif

/* name(address, value) and name_system from one builtin */
#define LS_HIP_ATOMIC(name, builtin, T) \
    LS_HIP_DEVICE T name(T *address, T value) \
    { \
        return builtin(address, value, __ATOMIC_RELAXED, LS_HIP_ATOMIC_AGENT); \
    } \
    LS_HIP_DEVICE T name##_system(T *address, T value) \
    { \
        return builtin(address, value, __ATOMIC_RELAXED, LS_HIP_ATOMIC_SYSTEM); \
    } \
    LS_HIP_ATOMIC_BLOCK(name, builtin, T)

/* The types that HIP has them for: programs add others themselves. */
#define LS_HIP_ATOMIC_INTEGERS(name, builtin) \
    LS_HIP_ATOMIC(name, builtin, int) \
    LS_HIP_ATOMIC(name, builtin, unsigned int) \
    LS_HIP_ATOMIC_MORE(name, builtin, unsigned long) \
    LS_HIP_ATOMIC(name, builtin, unsigned long long)

#define LS_HIP_FETCH_SUB(address, value, order, scope) \
    __hip_atomic_fetch_add(address, -value, order, scope)

LS_HIP_ATOMIC_INTEGERS(atomicAdd, __hip_atomic_fetch_add)
LS_HIP_ATOMIC(atomicAdd, __hip_atomic_fetch_add, float)
LS_HIP_ATOMIC(atomicAdd, __hip_atomic_fetch_add, double)
LS_HIP_ATOMIC(atomicSub, LS_HIP_FETCH_SUB, int)
LS_HIP_ATOMIC(atomicSub, LS_HIP_FETCH_SUB, unsigned int)
LS_HIP_ATOMIC_MORE(atomicSub, LS_HIP_FETCH_SUB, unsigned long)
LS_HIP_ATOMIC_MORE(atomicSub, LS_HIP_FETCH_SUB, unsigned long long)
LS_HIP_ATOMIC_MORE(atomicSub, LS_HIP_FETCH_SUB, float)
LS_HIP_ATOMIC_MORE(atomicSub, LS_HIP_FETCH_SUB, double)
LS_HIP_ATOMIC_INTEGERS(atomicExch, __hip_atomic_exchange)
LS_HIP_ATOMIC(atomicExch, __hip_atomic_exchange, float)
LS_HIP_ATOMIC_MORE(atomicExch, __hip_atomic_exchange, double)
LS_HIP_ATOMIC_INTEGERS(atomicMin, __hip_atomic_fetch_min)
LS_HIP_ATOMIC_INTEGERS(atomicMax, __hip_atomic_fetch_max)
LS_HIP_ATOMIC(atomicMin, __hip_atomic_fetch_min, long long)
LS_HIP_ATOMIC(atomicMax, __hip_atomic_fetch_max, long long)
LS_HIP_ATOMIC_MORE(atomicMin, __hip_atomic_fetch_min, float)
LS_HIP_ATOMIC_MORE(atomicMin, __hip_atomic_fetch_min, double)
LS_HIP_ATOMIC_MORE(atomicMax, __hip_atomic_fetch_max, float)
LS_HIP_ATOMIC_MORE(atomicMax, __hip_atomic_fetch_max, double)
LS_HIP_ATOMIC_INTEGERS(atomicAnd, __hip_atomic_fetch_and)
LS_HIP_ATOMIC_INTEGERS(atomicOr, __hip_atomic_fetch_or)
LS_HIP_ATOMIC_INTEGERS(atomicXor, __hip_atomic_fetch_xor)
#undef LS_HIP_FETCH_SUB

/* Floating-point forms by name: those called unsafe may be less strict on other hardware. */
#define LS_HIP_ATOMIC_FLOATS(name, builtin) \
    LS_HIP_DEVICE float name(float *address, float value) \
    { \
        return builtin(address, value, __ATOMIC_RELAXED, LS_HIP_ATOMIC_AGENT); \
    } \
    LS_HIP_DEVICE double name(double *address, double value) \
    { \
        return builtin(address, value, __ATOMIC_RELAXED, LS_HIP_ATOMIC_AGENT); \
    }

LS_HIP_ATOMIC_FLOATS(unsafeAtomicAdd, __hip_atomic_fetch_add)
LS_HIP_ATOMIC_FLOATS(unsafeAtomicMin, __hip_atomic_fetch_min)
LS_HIP_ATOMIC_FLOATS(unsafeAtomicMax, __hip_atomic_fetch_max)
LS_HIP_ATOMIC_FLOATS(safeAtomicAdd, __hip_atomic_fetch_add)
LS_HIP_ATOMIC_FLOATS(safeAtomicMin, __hip_atomic_fetch_min)
LS_HIP_ATOMIC_FLOATS(safeAtomicMax, __hip_atomic_fetch_max)
#undef LS_HIP_ATOMIC_FLOATS

LS_HIP_DEVICE void
atomicAddNoRet(float *address, float value)
{
    (void)atomicAdd(address, value);
}

/* Sets value where the old one equals compare. */
#define LS_HIP_ATOMIC_CAS(T) \
    LS_HIP_DEVICE T atomicCAS(T *address, T compare, T value) \
    { \
        __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED, \
                                             __ATOMIC_RELAXED, LS_HIP_ATOMIC_AGENT); \
        return compare; \
    } \
    LS_HIP_DEVICE T atomicCAS_system(T *address, T compare, T value) \
    { \
        __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED, \
                                             __ATOMIC_RELAXED, LS_HIP_ATOMIC_SYSTEM); \
        return compare; \
    }

LS_HIP_ATOMIC_CAS(int)
LS_HIP_ATOMIC_CAS(unsigned int)
LS_HIP_ATOMIC_CAS(unsigned long long)
#ifdef __LS_CUDA__
#define LS_HIP_ATOMIC_CAS_MORE(U) \
    LS_HIP_MORE(U) atomicCAS(T *address, T compare, T value, None...) \
    { \
        __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED, \
                                             __ATOMIC_RELAXED, LS_HIP_ATOMIC_AGENT); \
        return compare; \
    }
#else
#define LS_HIP_ATOMIC_CAS_MORE LS_HIP_ATOMIC_CAS
#endif
LS_HIP_ATOMIC_CAS_MORE(unsigned long)
LS_HIP_ATOMIC_CAS_MORE(float)
LS_HIP_ATOMIC_CAS_MORE(double)
#undef LS_HIP_ATOMIC_CAS_MORE
LS_HIP_ATOMIC_CAS(unsigned short)
#undef LS_HIP_ATOMIC_CAS

/* atomicAdd, unsafeAtomicAdd and safeAtomicAdd of a T that is a half, a bfloat or a pair of them.
 * V: the type that the builtin `add` takes (pointer to V, V). Both components of a pair change
 * together. */
#define LS_HIP_ATOMIC_ADD_AS(T, V, add) \
    LS_HIP_DEVICE T atomicAdd(T *address, T value) \
    { \
        return __builtin_bit_cast(T, add((V *)address, __builtin_bit_cast(V, value))); \
    } \
    LS_HIP_DEVICE T unsafeAtomicAdd(T *address, T value) { return atomicAdd(address, value); } \
    LS_HIP_DEVICE T safeAtomicAdd(T *address, T value) { return atomicAdd(address, value); }
#define LS_HIP_FETCH_ADD(address, value) \
    __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)

typedef _Float16 ls_hip_half_pair __attribute__((ext_vector_type(2), may_alias));
typedef short ls_hip_bfloat_pair __attribute__((ext_vector_type(2), may_alias));
typedef _Float16 ls_hip_half_alias __attribute__((may_alias));
typedef __bf16 ls_hip_bfloat_alias __attribute__((may_alias));
extern "C" __device__ ls_hip_half_pair __ls_atomic_add_v2f16(ls_hip_half_pair *address,
                                                             ls_hip_half_pair value);
extern "C" __device__ ls_hip_bfloat_pair __ls_atomic_add_v2bf16(ls_hip_bfloat_pair *address,
                                                                ls_hip_bfloat_pair value);

/* Counts up to limit and wraps to 0; counts down and wraps to limit. */

LS_HIP_DEVICE unsigned int
atomicInc(unsigned int *address, unsigned int limit)
{
    return __builtin_amdgcn_atomic_inc32(address, limit, __ATOMIC_RELAXED, "agent");
}

LS_HIP_DEVICE unsigned int
atomicDec(unsigned int *address, unsigned int limit)
{
    return __builtin_amdgcn_atomic_dec32(address, limit, __ATOMIC_RELAXED, "agent");
}

#undef LS_HIP_ATOMIC_INTEGERS
#undef LS_HIP_ATOMIC
#undef LS_HIP_ATOMIC_MORE
#undef LS_HIP_ATOMIC_BLOCK

#endif
