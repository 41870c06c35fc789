/* SPDX-License-Identifier: MIT */
/* <cuda/atomic> and <cuda/std/atomic> of hipcc --cuda: atomics with a scope, on host and device. */
#ifndef LOCKSTEP_CUDA_ATOMIC_H
#define LOCKSTEP_CUDA_ATOMIC_H

#include <lockstep/cuda/runtime.h>

#include <atomic>
#include <type_traits>

#define LS_CUDA_HD __host__ __device__ __forceinline__

namespace cuda
{
enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread,
};

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

/* Clang's builtins take HIP's scopes in device code, and know none for the host. */
#if __HIP_DEVICE_COMPILE__
#define LS_CUDA_SCOPE                                                                              \
    (Scope == thread_scope_system   ? __HIP_MEMORY_SCOPE_SYSTEM                                    \
     : Scope == thread_scope_device ? __HIP_MEMORY_SCOPE_AGENT                                     \
     : Scope == thread_scope_block  ? __HIP_MEMORY_SCOPE_WORKGROUP                                 \
                                    : __HIP_MEMORY_SCOPE_SINGLETHREAD)
#define LS_CUDA_ATOMIC(name, n, ...) __hip_atomic_##name(__VA_ARGS__, LS_CUDA_SCOPE)
#else
#define LS_CUDA_ATOMIC(name, n, ...) __atomic_##n(__VA_ARGS__)
#endif

namespace ls
{
LS_CUDA_HD void
pause()
{
#if __HIP_DEVICE_COMPILE__
    __builtin_amdgcn_s_sleep(1);
#endif
}

LS_CUDA_HD constexpr int
failing(memory_order order)
{
    return order == memory_order_acq_rel   ? __ATOMIC_ACQUIRE
           : order == memory_order_release ? __ATOMIC_RELAXED
                                           : (int)order;
}

/* All operations, on the object that `Self` points to */
template <class Self, class T, thread_scope Scope> class operations {
    LS_CUDA_HD T *at() const { return static_cast<const Self *>(this)->object(); }

    /* Reads, changes by `change` and writes; what was there */
    template <class Change>
    LS_CUDA_HD T updated(Change change, memory_order order) const
    {
        T old = load(memory_order_relaxed);

        while (!compare_exchange_weak(old, change(old), order, memory_order_relaxed))
            ;
        return old;
    }

  public:
    typedef T value_type;

    LS_CUDA_HD bool is_lock_free() const { return true; }

    LS_CUDA_HD T load(memory_order order = memory_order_seq_cst) const
    {
        T value;
#if __HIP_DEVICE_COMPILE__
        value = __hip_atomic_load(at(), (int)order, LS_CUDA_SCOPE);
#else
        __atomic_load(at(), &value, (int)order);
#endif
        return value;
    }

    LS_CUDA_HD operator T() const { return load(); }

    LS_CUDA_HD void store(T value, memory_order order = memory_order_seq_cst) const
    {
#if __HIP_DEVICE_COMPILE__
        __hip_atomic_store(at(), value, (int)order, LS_CUDA_SCOPE);
#else
        __atomic_store(at(), &value, (int)order);
#endif
    }

    LS_CUDA_HD T exchange(T value, memory_order order = memory_order_seq_cst) const
    {
#if __HIP_DEVICE_COMPILE__
        return __hip_atomic_exchange(at(), value, (int)order, LS_CUDA_SCOPE);
#else
        T old;
        __atomic_exchange(at(), &value, &old, (int)order);
        return old;
#endif
    }

    LS_CUDA_HD bool compare_exchange_strong(T &expected, T value, memory_order success,
                                            memory_order failure) const
    {
#if __HIP_DEVICE_COMPILE__
        return __hip_atomic_compare_exchange_strong(at(), &expected, value, (int)success,
                                                    (int)failure, LS_CUDA_SCOPE);
#else
        return __atomic_compare_exchange(at(), &expected, &value, false, (int)success,
                                         (int)failure);
#endif
    }

    LS_CUDA_HD bool compare_exchange_weak(T &expected, T value, memory_order success,
                                          memory_order failure) const
    {
        return compare_exchange_strong(expected, value, success, failure);
    }

    LS_CUDA_HD bool compare_exchange_strong(T &expected, T value,
                                            memory_order order = memory_order_seq_cst) const
    {
        return compare_exchange_strong(expected, value, order, (memory_order)failing(order));
    }

    LS_CUDA_HD bool compare_exchange_weak(T &expected, T value,
                                          memory_order order = memory_order_seq_cst) const
    {
        return compare_exchange_strong(expected, value, order);
    }

    LS_CUDA_HD T fetch_add(T value, memory_order order = memory_order_seq_cst) const
    {
        return updated_or([value](T old) { return (T)(old + value); }, value, order, add());
    }

    LS_CUDA_HD T fetch_sub(T value, memory_order order = memory_order_seq_cst) const
    {
        return updated_or([value](T old) { return (T)(old - value); }, value, order, sub());
    }

    LS_CUDA_HD T fetch_and(T value, memory_order order = memory_order_seq_cst) const
    {
        return LS_CUDA_ATOMIC(fetch_and, fetch_and, at(), value, (int)order);
    }

    LS_CUDA_HD T fetch_or(T value, memory_order order = memory_order_seq_cst) const
    {
        return LS_CUDA_ATOMIC(fetch_or, fetch_or, at(), value, (int)order);
    }

    LS_CUDA_HD T fetch_xor(T value, memory_order order = memory_order_seq_cst) const
    {
        return LS_CUDA_ATOMIC(fetch_xor, fetch_xor, at(), value, (int)order);
    }

    LS_CUDA_HD T fetch_min(T value, memory_order order = memory_order_seq_cst) const
    {
        return updated([value](T old) { return value < old ? value : old; }, order);
    }

    LS_CUDA_HD T fetch_max(T value, memory_order order = memory_order_seq_cst) const
    {
        return updated([value](T old) { return old < value ? value : old; }, order);
    }

    LS_CUDA_HD T operator++() const { return (T)(fetch_add((T)1) + (T)1); }
    LS_CUDA_HD T operator++(int) const { return fetch_add((T)1); }
    LS_CUDA_HD T operator--() const { return (T)(fetch_sub((T)1) - (T)1); }
    LS_CUDA_HD T operator--(int) const { return fetch_sub((T)1); }
    LS_CUDA_HD T operator+=(T value) const { return (T)(fetch_add(value) + value); }
    LS_CUDA_HD T operator-=(T value) const { return (T)(fetch_sub(value) - value); }
    LS_CUDA_HD T operator&=(T value) const { return (T)(fetch_and(value) & value); }
    LS_CUDA_HD T operator|=(T value) const { return (T)(fetch_or(value) | value); }
    LS_CUDA_HD T operator^=(T value) const { return (T)(fetch_xor(value) ^ value); }

    LS_CUDA_HD void wait(T old, memory_order order = memory_order_seq_cst) const
    {
        while (load(order) == old)
            pause();
    }

    LS_CUDA_HD void notify_one() const {}
    LS_CUDA_HD void notify_all() const {}

  private:
    typedef ::std::integral_constant<int, ::std::is_integral<T>::value ? 1 : 0> add;
    typedef ::std::integral_constant<int, ::std::is_integral<T>::value ? 2 : 0> sub;

    template <class Change>
    LS_CUDA_HD T updated_or(Change change, T, memory_order order,
                            ::std::integral_constant<int, 0>) const
    {
        return updated(change, order);
    }

    template <class Change>
    LS_CUDA_HD T updated_or(Change, T value, memory_order order,
                            ::std::integral_constant<int, 1>) const
    {
        return LS_CUDA_ATOMIC(fetch_add, fetch_add, at(), value, (int)order);
    }

    template <class Change>
    LS_CUDA_HD T updated_or(Change, T value, memory_order order,
                            ::std::integral_constant<int, 2>) const
    {
#if __HIP_DEVICE_COMPILE__
        return __hip_atomic_fetch_add(at(), (T)(0 - value), (int)order, LS_CUDA_SCOPE);
#else
        return __atomic_fetch_sub(at(), value, (int)order);
#endif
    }
};
} // namespace ls

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public ls::operations<atomic<T, Scope>, T, Scope> {
    alignas(sizeof(T)) mutable T value_;

    friend class ls::operations<atomic<T, Scope>, T, Scope>;
    LS_CUDA_HD T *object() const { return &value_; }

  public:
    atomic() = default;
    __host__ __device__ constexpr atomic(T value) : value_(value) {}
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    LS_CUDA_HD T operator=(T value)
    {
        this->store(value);
        return value;
    }
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public ls::operations<atomic_ref<T, Scope>, T, Scope> {
    T *object_;

    friend class ls::operations<atomic_ref<T, Scope>, T, Scope>;
    LS_CUDA_HD T *object() const { return object_; }

  public:
    LS_CUDA_HD explicit atomic_ref(T &object) : object_(&object) {}
    LS_CUDA_HD atomic_ref(const atomic_ref &other) : object_(other.object_) {}
    LS_CUDA_HD T operator=(T value) const
    {
        this->store(value);
        return value;
    }
};

LS_CUDA_HD void
atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system)
{
#if __HIP_DEVICE_COMPILE__
    if (order == memory_order_relaxed)
        return;
    if (scope == thread_scope_system)
        __threadfence_system();
    else if (scope == thread_scope_device)
        __threadfence();
    else
        __threadfence_block();
#else
    (void)scope;
    ::std::atomic_thread_fence(order);
#endif
}

namespace std
{
using namespace ::std;

/* cuda::std's atomics may be used in kernels, those of the C++ library not. */
template <class T> using atomic = ::cuda::atomic<T>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T>;
typedef ::cuda::atomic<int> atomic_int;
typedef ::cuda::atomic<unsigned int> atomic_uint;

LS_CUDA_HD void
atomic_thread_fence(memory_order order)
{
    ::cuda::atomic_thread_fence(order);
}
} // namespace std
} // namespace cuda

#undef LS_CUDA_ATOMIC
#undef LS_CUDA_SCOPE

#endif
