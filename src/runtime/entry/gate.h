/* SPDX-License-Identifier: MIT */
/* API calls against what takes a device's state apart (hipDeviceReset): that waits until all calls
 * of other threads have returned, and keeps new ones out meanwhile. Calls cost a count in their
 * thread's own state; whoever closes the gate pays. */
#ifndef LS_RUNTIME_GATE_H
#define LS_RUNTIME_GATE_H

#include "runtime/core/core.h"
#include "runtime/trace/trace.h"

#ifdef __SANITIZE_THREAD__
#define LS_GATE_ORDER memory_order_seq_cst /* the thread sanitizer does not know membarrier */
#else
#define LS_GATE_ORDER memory_order_relaxed
#endif

/* Begins a call. True when it must go the slow way (call.h). The store comes before the load for
 * whoever closes the gate: ls_gate_close has every thread pass a barrier. */
static inline bool
ls_call_begin(void)
{
    struct ls_thread *t = &ls_this_thread;

    atomic_store_explicit(&t->n_calls, atomic_load_explicit(&t->n_calls, memory_order_relaxed) + 1,
                          LS_GATE_ORDER);
    atomic_signal_fence(memory_order_seq_cst);
    return atomic_load_explicit(&ls_trace_on, memory_order_acquire) | !t->known;
}

static inline void
ls_call_end(void)
{
    struct ls_thread *t = &ls_this_thread;

    /* release: a thread that sees the new count also sees what the call did */
    atomic_store_explicit(&t->n_calls, atomic_load_explicit(&t->n_calls, memory_order_relaxed) - 1,
                          memory_order_release);
}

/* Waits while the gate is closed. */
void ls_gate_pass(void);

/* Closes the gate from within a call: returns when no other thread is in a call, and keeps new ones
 * out until ls_gate_open. It does not keep them out for long while it waits, but lets calls in and
 * tries again: a call under way may wait for what another thread is about to do. */
void ls_gate_close(void);
void ls_gate_open(void);

/* A thread begins and ends; this process is a forked child, with one thread. */
void ls_gate_add(struct ls_thread *thread);
void ls_gate_forget(struct ls_thread *thread);
void ls_gate_forked(void);

#endif
