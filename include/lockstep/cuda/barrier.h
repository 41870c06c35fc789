/* SPDX-License-Identifier: MIT */
/* <cuda/barrier> and <cuda/pipeline> of hipcc --cuda. Copies are done at once; barriers and
 * pipelines between threads wait for each other. */
#ifndef LOCKSTEP_CUDA_BARRIER_H
#define LOCKSTEP_CUDA_BARRIER_H

#include <lockstep/cuda/atomic.h>
#include <lockstep/cuda/groups.h>
#include <lockstep/cuda/std.h>

namespace cuda
{
template <size_t Alignment> struct aligned_size_t {
    size_t value;
    static constexpr size_t align = Alignment;
    __host__ __device__ constexpr explicit aligned_size_t(size_t n) : value(n) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};

template <thread_scope Scope, class Completion = std::identity> class barrier {
    /* Each arrival counts `pending` down; the last one begins a further phase. */
    atomic<unsigned int, Scope> pending_, phase_, expected_;

  public:
    typedef unsigned int arrival_token;

    barrier() = default;
    LS_CUDA_HD explicit barrier(ptrdiff_t expected)
        : pending_((unsigned int)expected), phase_(0), expected_((unsigned int)expected)
    {
    }
    barrier(const barrier &) = delete;

    LS_CUDA_HD arrival_token arrive(ptrdiff_t n = 1)
    {
        arrival_token token = phase_.load(memory_order_relaxed);

        if (pending_.fetch_sub((unsigned int)n, memory_order_acq_rel) == (unsigned int)n) {
            pending_.store(expected_.load(memory_order_relaxed), memory_order_relaxed);
            phase_.store(token + 1, memory_order_release);
        }
        return token;
    }

    LS_CUDA_HD void wait(const arrival_token &token) const
    {
        while (phase_.load(memory_order_acquire) == token)
            ls::pause();
    }

    LS_CUDA_HD bool try_wait(const arrival_token &token) const
    {
        return phase_.load(memory_order_acquire) != token;
    }

    /* Whether the phase of this parity is over */
    LS_CUDA_HD void wait_parity(bool parity) const
    {
        while ((phase_.load(memory_order_acquire) & 1) == (unsigned int)parity)
            ls::pause();
    }

    LS_CUDA_HD void arrive_and_wait() { wait(arrive()); }

    LS_CUDA_HD void arrive_and_drop()
    {
        expected_.fetch_sub(1, memory_order_relaxed);
        arrive();
    }

    friend LS_CUDA_HD void init(barrier *b, ptrdiff_t expected) { ::new (b) barrier(expected); }
};

enum class pipeline_role { producer, consumer };

/* How often each stage was filled and emptied, by how many threads */
template <thread_scope Scope, unsigned char Stages> struct pipeline_shared_state {
    atomic<unsigned int, Scope> filled_[Stages], emptied_[Stages], producers_, consumers_;
    __device__ pipeline_shared_state() {}
};

template <thread_scope Scope> class pipeline {
    atomic<unsigned int, Scope> *filled_ = nullptr, *emptied_ = nullptr;
    unsigned int stages_ = 1, producers_ = 0, consumers_ = 0, head_ = 0, tail_ = 0;

    template <class Group, thread_scope S, unsigned char N>
    friend __device__ pipeline<S> ls_make_pipeline(const Group &, pipeline_shared_state<S, N> *,
                                                   bool, bool);

    __device__ static void wait_for(const atomic<unsigned int, Scope> &count, unsigned int n)
    {
        while ((int)(count.load(memory_order_acquire) - n) < 0)
            ls::pause();
    }

  public:
    __device__ void producer_acquire()
    {
        if (emptied_)
            wait_for(emptied_[head_ % stages_], head_ / stages_ * consumers_);
    }

    __device__ void producer_commit()
    {
        if (filled_)
            filled_[head_ % stages_].fetch_add(1, memory_order_release);
        head_++;
    }

    __device__ void consumer_wait()
    {
        if (filled_)
            wait_for(filled_[tail_ % stages_], (tail_ / stages_ + 1) * producers_);
    }

    __device__ void consumer_release()
    {
        if (emptied_)
            emptied_[tail_ % stages_].fetch_add(1, memory_order_release);
        tail_++;
    }

    __device__ bool quit() { return true; }
};

__device__ __forceinline__ pipeline<thread_scope_thread>
make_pipeline()
{
    return pipeline<thread_scope_thread>();
}

/* All threads of the group call it. */
template <class Group, thread_scope Scope, unsigned char Stages>
__device__ pipeline<Scope>
ls_make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state, bool produces,
                 bool consumes)
{
    pipeline<Scope> pipe;

    if (group.thread_rank() == 0) {
        for (unsigned int i = 0; i < Stages; i++) {
            state->filled_[i].store(0, memory_order_relaxed);
            state->emptied_[i].store(0, memory_order_relaxed);
        }
        state->producers_.store(0, memory_order_relaxed);
        state->consumers_.store(0, memory_order_relaxed);
    }
    group.sync();
    state->producers_.fetch_add(produces, memory_order_relaxed);
    state->consumers_.fetch_add(consumes, memory_order_relaxed);
    group.sync();
    pipe.filled_ = state->filled_;
    pipe.emptied_ = state->emptied_;
    pipe.stages_ = Stages;
    pipe.producers_ = state->producers_.load(memory_order_relaxed);
    pipe.consumers_ = state->consumers_.load(memory_order_relaxed);
    return pipe;
}

template <class Group, thread_scope Scope, unsigned char Stages>
__device__ pipeline<Scope>
make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state)
{
    return ls_make_pipeline(group, state, true, true);
}

template <class Group, thread_scope Scope, unsigned char Stages>
__device__ pipeline<Scope>
make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state, pipeline_role role)
{
    return ls_make_pipeline(group, state, role == pipeline_role::producer,
                            role == pipeline_role::consumer);
}

template <class Group, thread_scope Scope, unsigned char Stages>
__device__ pipeline<Scope>
make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state, size_t producers)
{
    return ls_make_pipeline(group, state, group.thread_rank() < producers,
                            group.thread_rank() >= producers);
}

/* Until at most `Prior` stages are under way: none is. */
template <unsigned char Prior>
__device__ void
pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &)
{
}

template <class T, class Size, class Sync>
LS_CUDA_HD void
memcpy_async(T *dst, const T *src, Size bytes, Sync &)
{
    __builtin_memcpy(dst, src, (size_t)bytes);
}

template <class Size, class Sync>
LS_CUDA_HD void
memcpy_async(void *dst, const void *src, Size bytes, Sync &)
{
    __builtin_memcpy(dst, src, (size_t)bytes);
}

/* By all threads of the group together */
template <class Group, class T, class Size, class Sync>
__device__ void
memcpy_async(const Group &group, T *dst, const T *src, Size bytes, Sync &)
{
    cooperative_groups::memcpy_async(group, (void *)dst, (const void *)src, (size_t)bytes);
}
} // namespace cuda

#endif
