/* SPDX-License-Identifier: MIT */
/* Stacks that code can be switched to: the context switch, and stacks with guard pages.
 *
 * A switch saves what the x86-64 System V ABI lets a callee keep, MXCSR and the x87 control
 * word. */
#ifndef LS_DEVICE_CPU_FIBER_H
#define LS_DEVICE_CPU_FIBER_H

#include <stdbool.h>
#include <stddef.h>

struct ls_stack {
    char *base; /* of the mapping: the guard comes first */
    size_t map_bytes;
    char *lo, *hi; /* usable part */
    unsigned valgrind_id;
};

/* For what switches between fibers: its frames end on another one than they began on. */
#if defined(__SANITIZE_THREAD__)
#define LS_NO_TSAN __attribute__((no_sanitize("thread")))
#else
#define LS_NO_TSAN
#endif

/* A suspended or running flow of control. */
struct ls_fiber {
    void *sp;               /* saved stack pointer while suspended */
    struct ls_stack *stack; /* NULL: the thread's own stack */
    void *tsan, *fake_stack;
    const void *san_lo; /* the stack as sanitizers know it */
    size_t san_bytes;
};

/* Maps a stack of at least `bytes` usable bytes. False when out of memory. */
bool ls_stack_init(struct ls_stack *stack, size_t bytes);
void ls_stack_fini(struct ls_stack *stack);
/* True when addr lies in the guard area of the stack. */
bool ls_stack_is_guard(const struct ls_stack *stack, const void *addr);

/* Makes `fiber` stand for the thread's own stack, which runs now. */
void ls_fiber_init_thread(struct ls_fiber *fiber);
void ls_fiber_fini(struct ls_fiber *fiber);
/* Prepares `fiber` to call entry(arg) on `stack` at the first switch to it; entry must not return.
 * Backtraces of the fiber go on where `caller` was suspended, which must stay where it is and be
 * suspended while the fiber runs. May be called again to abandon what ran there. */
void ls_fiber_start(struct ls_fiber *fiber, struct ls_stack *stack, void (*entry)(void *),
                    void *arg, const struct ls_fiber *caller);
/* Suspends `from`, which runs now, and resumes `to`. */
void ls_fiber_switch(struct ls_fiber *from, struct ls_fiber *to);
/* Leaves the running fiber for good and resumes `to`. */
_Noreturn void ls_fiber_leave(struct ls_fiber *to);
/* The same for a signal handler: rewrites the machine context so that returning from the handler
 * resumes `to`. */
void ls_fiber_leave_by_signal(struct ls_fiber *to, void *ucontext);

#endif
