/* SPDX-License-Identifier: MIT */
/* Context switch in assembly, stacks, and what the sanitizers and valgrind must be told of them. */
#include "device/cpu/fiber.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "the context switch is written for x86-64"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif
#ifdef ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <pthread.h>
#endif
#ifdef TSAN
#include <sanitizer/tsan_interface.h>
#endif
#ifdef __has_include
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef VALGRIND_STACK_REGISTER
#define VALGRIND_STACK_REGISTER(lo, hi) 0
#define VALGRIND_STACK_DEREGISTER(id)   ((void)(id))
#endif

#define GUARD_BYTES 65536u /* frames larger than a page must not jump over it */

void ls_fiber_switch_asm(void **save_sp, void *load_sp);
_Noreturn void ls_fiber_resume_asm(void *load_sp);
void ls_fiber_entry_asm(void);

__asm__(".pushsection .text\n"
        ".globl ls_fiber_switch_asm\n.hidden ls_fiber_switch_asm\n"
        ".type ls_fiber_switch_asm,@function\n"
        "ls_fiber_switch_asm:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rdi\n"
        ".globl ls_fiber_resume_asm\n.hidden ls_fiber_resume_asm\n"
        ".type ls_fiber_resume_asm,@function\n"
        "ls_fiber_resume_asm:\n"
        "    movq %rdi, %rsp\n"
        "    ldmxcsr (%rsp)\n    fldcw 4(%rsp)\n"
        "    addq $8, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size ls_fiber_switch_asm, .-ls_fiber_switch_asm\n"
        /* First code of a fiber: r12 = function, r13 = argument, r14 = the fiber that it works for.
           Backtraces go on there: that fiber's stack pointer is its first member, and what
           ls_fiber_switch_asm left lies above. */
        ".globl ls_fiber_entry_asm\n.hidden ls_fiber_entry_asm\n"
        ".type ls_fiber_entry_asm,@function\n"
        "ls_fiber_entry_asm:\n"
        "    .cfi_startproc\n"
        /* CFA = **rsp + 64: breg7 0, deref, deref, plus_uconst 64 */
        "    .cfi_escape 0x0f, 6, 0x77, 0x00, 0x06, 0x06, 0x23, 0x40\n"
        "    .cfi_offset rip, -8\n    .cfi_offset rbp, -16\n    .cfi_offset rbx, -24\n"
        "    .cfi_offset r12, -32\n    .cfi_offset r13, -40\n    .cfi_offset r14, -48\n    "
        ".cfi_offset r15, -56\n"
        "    movq %r13, %rdi\n"
        "    xorl %ebp, %ebp\n"
        "    pushq %r14\n    pushq %r14\n"
        "    callq *%r12\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size ls_fiber_entry_asm, .-ls_fiber_entry_asm\n"
        ".popsection\n");

bool
ls_stack_init(struct ls_stack *stack, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t usable = (bytes + page - 1) / page * page;

    stack->map_bytes = usable + GUARD_BYTES;
    stack->base =
        mmap(NULL, stack->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack->base == MAP_FAILED) {
        stack->base = NULL;
        return false;
    }
    stack->lo = stack->base + GUARD_BYTES;
    stack->hi = stack->lo + usable;
    if (mprotect(stack->lo, usable, PROT_READ | PROT_WRITE) != 0) {
        munmap(stack->base, stack->map_bytes);
        stack->base = NULL;
        return false;
    }
    stack->valgrind_id = (unsigned)VALGRIND_STACK_REGISTER(stack->lo, stack->hi);
    return true;
}

void
ls_stack_fini(struct ls_stack *stack)
{
    if (!stack->base)
        return;
    VALGRIND_STACK_DEREGISTER(stack->valgrind_id);
    munmap(stack->base, stack->map_bytes);
    stack->base = NULL;
}

bool
ls_stack_is_guard(const struct ls_stack *stack, const void *addr)
{
    const char *p = addr;

    return stack->base && p >= stack->base && p < stack->lo;
}

void
ls_fiber_init_thread(struct ls_fiber *fiber)
{
    memset(fiber, 0, sizeof(*fiber));
#ifdef TSAN
    fiber->tsan = __tsan_get_current_fiber();
#endif
#ifdef ASAN
    pthread_attr_t attr;
    void *lo;

    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &lo, &fiber->san_bytes);
        fiber->san_lo = lo;
        pthread_attr_destroy(&attr);
    }
#endif
}

void
ls_fiber_fini(struct ls_fiber *fiber)
{
#ifdef TSAN
    if (fiber->stack && fiber->tsan)
        __tsan_destroy_fiber(fiber->tsan);
#endif
    memset(fiber, 0, sizeof(*fiber));
}

struct entry_frame {
    uint32_t mxcsr;
    uint16_t fcw, pad;
    void *r15, *r14, *r13, *r12, *rbx, *rbp, *rip;
    void *end;
};
_Static_assert(offsetof(struct ls_fiber, sp) == 0, "the entry code's unwind information reads it");
_Static_assert(sizeof(struct entry_frame) == 72, "what a switch saves takes 64 bytes");

#ifdef ASAN
struct asan_entry {
    struct ls_fiber *fiber;
    void (*entry)(void *);
    void *arg;
};

static void
asan_main(void *arg)
{
    struct asan_entry e = *(struct asan_entry *)arg;

    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
    e.entry(e.arg);
}
#endif

void
ls_fiber_start(struct ls_fiber *fiber, struct ls_stack *stack, void (*entry)(void *), void *arg,
               const struct ls_fiber *caller)
{
    uintptr_t top = (uintptr_t)stack->hi -
                    128; /* aligned to 16 bytes, as it must be at the call in the entry code */
    struct entry_frame *f;

    fiber->stack = stack;
#ifdef ASAN
    struct asan_entry *e = (struct asan_entry *)(void *)(stack->hi - 64);

    __asan_unpoison_memory_region(stack->lo, (size_t)(stack->hi - stack->lo));
    e->fiber = fiber;
    e->entry = entry;
    e->arg = arg;
    entry = asan_main;
    arg = e;
    fiber->san_lo = stack->lo;
    fiber->san_bytes = (size_t)(stack->hi - stack->lo);
    fiber->fake_stack = NULL;
#endif
#ifdef TSAN
    if (fiber->tsan)
        __tsan_destroy_fiber(fiber->tsan);
    fiber->tsan = __tsan_create_fiber(0);
#endif
    f = (struct entry_frame *)(top - sizeof(*f) +
                               8); /* `end` is where the stack pointer begins: 16n */
    memset(f, 0, sizeof(*f));
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(f->mxcsr), "=m"(f->fcw));
    f->r12 = (void *)(uintptr_t)entry;
    f->r13 = arg;
    f->r14 = (void *)(uintptr_t)caller;
    f->rip = (void *)(uintptr_t)ls_fiber_entry_asm;
    fiber->sp = f;
}

LS_NO_TSAN static void
announce(struct ls_fiber *from, struct ls_fiber *to)
{
    (void)from;
    (void)to;
#ifdef ASAN
    __sanitizer_start_switch_fiber(from ? &from->fake_stack : NULL, to->san_lo, to->san_bytes);
#endif
#ifdef TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
}

LS_NO_TSAN void
ls_fiber_switch(struct ls_fiber *from, struct ls_fiber *to)
{
    announce(from, to);
    ls_fiber_switch_asm(&from->sp, to->sp);
#ifdef ASAN
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

LS_NO_TSAN _Noreturn void
ls_fiber_leave(struct ls_fiber *to)
{
    announce(NULL, to);
    ls_fiber_resume_asm(to->sp);
}

LS_NO_TSAN void
ls_fiber_leave_by_signal(struct ls_fiber *to, void *ucontext)
{
    ucontext_t *uc = ucontext;

    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)ls_fiber_resume_asm;
    uc->uc_mcontext.gregs[REG_RDI] = (greg_t)(uintptr_t)to->sp;
    uc->uc_mcontext.gregs[REG_EFL] &= ~0x400; /* the ABI wants the direction flag clear */
    announce(NULL, to);
}
