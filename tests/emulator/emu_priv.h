/* SPDX-License-Identifier: MIT */
/* What the interpreter's files know of each other.
 *
 * decode.c turns a module into functions of instructions, each with the C function that runs it;
 * constant.c knows values that need no lane; order.c orders blocks; warp.c runs blocks, calls and
 * turns; scalar.c, memory.c and builtin.c are the instructions; number.c is floating point of all
 * widths. */
#ifndef TESTS_EMU_PRIV_H
#define TESTS_EMU_PRIV_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "base/arena.h"
#include "base/ptrmap.h"
#include "emulate.h"

#ifdef __GNUC__
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;
#endif

enum { EMU_MAX_LANES = 64, EMU_MAX_WARPS = 32 };
enum kind { KIND_INT, KIND_HALF, KIND_BFLOAT, KIND_FLOAT, KIND_DOUBLE, KIND_POINTER };
enum space {
    SPACE_FLAT = 0,
    SPACE_GLOBAL = 1,
    SPACE_LDS = 3,
    SPACE_CONSTANT = 4,
    SPACE_PRIVATE = 5
};

/* Generic pointers to LDS and to private memory: no host address looks like these. */
#define EMU_LDS_BASE      0xfffd000000000000u
#define EMU_PRIVATE_BASE  0xfffe000000000000u
#define EMU_FUNCTION_BASE 0xfffc000000000000u
#define EMU_UNDEFINED     0xa5 /* each byte of an undefined value */

/* A type is what it has for scalars, in order: a value has one slot for each. */
struct leaf {
    uint8_t kind, space;
    uint16_t bits;
    uint32_t at; /* its first bit in memory */
};
struct type {
    unsigned n;
    bool plain; /* each leaf is whole bytes at a whole byte */
    struct leaf *leaves;
    uint64_t store_bytes, alloc_bytes;
    unsigned align;
};

struct operand {
    uint32_t index; /* of a slot of the frame, or of the module's constants */
    bool constant;
};

struct warp;
struct frame;
struct inst;
typedef void run_fn(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask);

struct inst {
    run_fn *run;
    LLVMValueRef value;            /* for messages */
    uint32_t dst;                  /* first slot of the result */
    uint16_t n;                    /* slots of the result */
    uint16_t n_ops;
    int sub;                       /* opcode, predicate, parameter */
    const struct type *type;       /* of the result; of what is stored */
    const struct type *from;       /* of the first operand */
    struct operand *ops;
    const struct type **op_types;
    void *extra;
};

struct copy {
    uint32_t dst;
    uint32_t n;
    struct operand src;
};
struct edge {
    uint32_t to; /* position of a block */
    unsigned n_copies, n_slots;
    struct copy *copies;
};
enum end { END_RETURN, END_BRANCH, END_SWITCH, END_UNREACHABLE };
struct block {
    unsigned n_insts;
    struct inst *insts;
    enum end end;
    struct operand value; /* condition; what is returned */
    unsigned n_value;     /* its slots */
    unsigned n_edges;     /* of a switch: the last is the default */
    struct edge *edges;
    u128 *cases;
    unsigned n_loops;     /* that end with this block, the innermost first */
    uint32_t *headers;
};

struct function {
    struct emu *emu;
    LLVMValueRef value;
    const char *name;
    uint64_t address;
    bool is_kernel, decoded;
    unsigned n_slots;
    unsigned n_params, n_param_slots;
    uint32_t *param_slots;
    const struct type **param_types;
    uint64_t *byref_at;            /* of a kernel's parameters: offset in the kernarg segment */
    bool *is_byref;
    unsigned n_blocks;
    struct block *blocks;          /* by position */
};

struct region {
    char *base;
    size_t n_bytes;
};

struct emu {
    struct ls_arena *arena;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    unsigned lanes;
    struct ls_ptrmap types, functions, globals;
    unsigned n_functions;
    struct function **by_number;
    u128 *constants;
    size_t n_constants, cap_constants;
    char *globals_memory;
    uint32_t static_lds;
    struct region regions[EMU_REGIONS];
    unsigned n_regions;
    char *error;     /* 256 bytes of the caller */
    jmp_buf *refuse; /* while reading a module or a function */
    struct machine *machine;
};

struct frame {
    const struct function *fn;
    u128 *regs; /* [slot][lane] */
    u128 *result; /* of the caller, or NULL */
};

enum warp_state { WARP_READY, WARP_AT_BARRIER, WARP_DONE, WARP_FAILED };

struct warp {
    struct emu *emu;
    struct machine *machine;
    unsigned number, lanes;
    uint64_t mask; /* lanes that have a thread */
    enum warp_state state;
    ucontext_t context;
    char *stack;         /* of the interpreter */
    u128 *slots;         /* of frames, one behind the other */
    size_t used_slots;
    char *private_memory;
    uint32_t used_private;
    unsigned depth;      /* of calls */
};

struct machine {
    struct emu *emu;
    const struct emu_launch *launch;
    const struct function *kernel;
    uint32_t block[3];
    char *lds;
    uint32_t lds_bytes;
    uint64_t turn; /* random */
    uint64_t steps_left;
    ucontext_t scheduler;
    unsigned n_warps;
    struct warp warps[EMU_MAX_WARPS];
    char packet[64], implicit[256];
    char *kernarg;
};

/* Where an operand's values lie: [element * per_element + lane * per_lane] */
struct view {
    const u128 *at;
    unsigned per_lane, per_element;
};

static inline struct view
emu_view(const struct warp *w, const struct frame *f, struct operand o)
{
    if (o.constant)
        return (struct view){w->emu->constants + o.index, 0, 1};
    return (struct view){f->regs + (size_t)o.index * w->lanes, 1, w->lanes};
}

static inline u128
emu_get(struct view v, unsigned element, unsigned lane)
{
    return v.at[(size_t)element * v.per_element + (size_t)lane * v.per_lane];
}

static inline u128 *
emu_put(const struct warp *w, const struct frame *f, const struct inst *i)
{
    return f->regs + (size_t)i->dst * w->lanes;
}

/* for (each lane of a mask) */
#define EMU_LANES(l, mask)                                                                         \
    for (uint64_t left_##l = (mask), l;                                                            \
         left_##l && ((l = (unsigned)__builtin_ctzll(left_##l)), 1); left_##l &= left_##l - 1)

static inline u128
emu_ones(unsigned bits)
{
    return bits >= 128 ? ~(u128)0 : ((u128)1 << bits) - 1;
}

static inline s128
emu_signed(u128 v, unsigned bits)
{
    return bits >= 128 ? (s128)v : (s128)(v << (128 - bits)) >> (128 - bits);
}

/* decode.c */
_Noreturn void emu_refuse(struct emu *emu, LLVMValueRef what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const struct type *emu_type(struct emu *emu, LLVMTypeRef type);
void emu_decode(struct emu *emu, struct function *fn);

/* constant.c */
struct operand emu_constant(struct emu *emu, LLVMValueRef value);
void emu_constant_value(struct emu *emu, LLVMValueRef value, u128 *out);
u128 emu_cast_space(u128 v, unsigned from, unsigned to);
void emu_to_memory(const struct type *type, const u128 *values, size_t stride, char *memory);
void emu_from_memory(const struct type *type, const char *memory, u128 *values, size_t stride);

/* order.c: positions[number of a block] of n blocks, the first the entry; last[position of a loop's
 * header]: the position of its last block, else ~0. False when a loop has two entries. */
bool emu_order(struct ls_arena *arena, unsigned n, const unsigned *n_next, unsigned *const *next,
               unsigned *positions, unsigned *last);

/* warp.c */
_Noreturn void emu_fail(struct warp *w, const struct inst *i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void emu_barrier(struct warp *w);
run_fn emu_run_call;

/* scalar.c, memory.c, builtin.c: the function that runs an instruction, or NULL; may set sub and
 * extra */
run_fn *emu_find_scalar(struct emu *emu, struct inst *i, LLVMOpcode opcode);
run_fn *emu_find_memory(struct emu *emu, struct inst *i, LLVMOpcode opcode);
run_fn *emu_find_builtin(struct emu *emu, struct inst *i, const char *name);
run_fn *emu_find_lanes(struct emu *emu, struct inst *i, const char *name);
char *emu_address(struct warp *w, const struct inst *i, unsigned lane, u128 address, unsigned space,
                  uint64_t n_bytes);
void emu_copy(struct warp *w, const struct inst *i, uint64_t mask, struct frame *f);

/* number.c */
u128 emu_number_convert(u128 v, enum kind from, enum kind to);
u128 emu_number_from_int(u128 magnitude, bool negative, enum kind to);
u128 emu_number_to_int(u128 v, enum kind from, unsigned bits,
                       bool is_signed);           /* clamps; NaN is 0 */
double emu_number_double(u128 v, enum kind kind); /* exact */
u128 emu_number_of(double x);
u128 emu_number_binary(char op, u128 a, u128 b, enum kind kind); /* + - * / % */
u128 emu_number_fma(u128 a, u128 b, u128 c, enum kind kind);
u128 emu_number_unary(const char *op, u128 a, enum kind kind);
bool emu_number_is_nan(u128 v, enum kind kind);
unsigned emu_number_bits(enum kind kind);

#endif
