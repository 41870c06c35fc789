/* SPDX-License-Identifier: MIT */
/* Inside the interpreter: a module as instructions, and threads that run them. */
#ifndef PTX_DRIVER_PTX_PRIV_H
#define PTX_DRIVER_PTX_PRIV_H

#include "ptx.h"

#define PTX_WARP 32u
/* Where generic addresses of these spaces begin; no memory of a process lies there. */
#define SHARED_BASE   UINT64_C(0x0000010000000000)
#define LOCAL_BASE    UINT64_C(0x0000020000000000)
#define ARGS_BASE     UINT64_C(0x0000030000000000)
#define FUNCTION_BASE UINT64_C(0x0000040000000000)
#define SPACE_BYTES   UINT64_C(0x0000000100000000)
#define SHARED_START  1024u /* the first bytes of a block's memory are the system's, as on sm_90 */
#define DYNAMIC_START (1u << 20) /* of memory of the launch's size, wherever declared memory ends  \
                                  */
#define LOCAL_START 256u
#define PTX_POISON  0xa5

enum ptx_type {
    TYPE_NONE,
#define PTX_TYPE(name, bits, kind) TYPE_##name,
#include "types.def"
    N_TYPES
};
enum ptx_kind { KIND_BITS, KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT, KIND_PAIR };
extern const uint8_t ptx_bits[N_TYPES];
extern const uint8_t ptx_kinds[N_TYPES];

enum ptx_round {
    ROUND_NONE,
    ROUND_NEAREST,
    ROUND_AWAY,
    ROUND_ZERO,
    ROUND_DOWN,
    ROUND_UP,
    ROUND_NEAREST_WHOLE,
    ROUND_ZERO_WHOLE,
    ROUND_DOWN_WHOLE,
    ROUND_UP_WHOLE
};
enum ptx_compare {
    COMPARE_NONE,
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARE_EQU, /* the same, and true of numbers that are none */
    COMPARE_NEU,
    COMPARE_LTU,
    COMPARE_LEU,
    COMPARE_GTU,
    COMPARE_GEU,
    COMPARE_NUM,
    COMPARE_NAN
};
enum ptx_action {
    ACTION_NONE,
    ACTION_AND,
    ACTION_OR,
    ACTION_XOR,
    ACTION_ADD,
    ACTION_MIN,
    ACTION_MAX,
    ACTION_INC,
    ACTION_DEC,
    ACTION_EXCH,
    ACTION_CAS,
    ACTION_POPC,
    ACTION_UP,
    ACTION_DOWN,
    ACTION_BFLY,
    ACTION_IDX,
    ACTION_ALL,
    ACTION_ANY,
    ACTION_BALLOT,
    ACTION_RED,
    ACTION_ARRIVE,
    ACTION_WARP,
    ACTION_LEFT,
    ACTION_RIGHT,
    ACTION_F4E,
    ACTION_B4E,
    ACTION_RC8,
    ACTION_ECL,
    ACTION_ECR,
    ACTION_RC16,
    ACTION_TO,
    ACTION_FINITE,
    ACTION_INFINITE,
    ACTION_NUMBER,
    ACTION_NOTANUMBER,
    ACTION_NORMAL,
    ACTION_SUBNORMAL
};
enum ptx_space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM, SPACE_CONST };
enum {
    FLAG_LO = 1 << 0,
    FLAG_HI = 1 << 1,
    FLAG_WIDE = 1 << 2,
    FLAG_FTZ = 1 << 3,
    FLAG_SAT = 1 << 4,
    FLAG_RELU = 1 << 5,
    FLAG_NAN = 1 << 6,
    FLAG_XORSIGN = 1 << 7,
    FLAG_CC = 1 << 8,
    FLAG_APPROX = 1 << 9,
    FLAG_FULL = 1 << 10,
    FLAG_WRAP = 1 << 11,
    FLAG_CLAMP = 1 << 12,
    FLAG_SYNC = 1 << 13,
    FLAG_TRANS = 1 << 14,
    FLAG_ROW = 1 << 15,
    FLAG_COL = 1 << 16,
    FLAG_SHIFTAMT = 1 << 17,
    FLAG_ALIGNED = 1 << 18
};

/* What an instruction's address, or a moved symbol, counts from. */
enum ptx_base { BASE_NONE, BASE_SLOT, BASE_FRAME, BASE_ARGS };

#define MAX_OPERANDS 24u
#define MAX_TYPES    4u

struct ptx_thread;
struct ptx_insn;
/* What becomes of a thread behind an instruction. */
enum ptx_next {
    NEXT_GO,    /* the next one, or where pc was set to */
    NEXT_AGAIN, /* others first */
    NEXT_WAIT,  /* state says for what */
    NEXT_END,
    NEXT_FAULT
};
typedef enum ptx_next (*ptx_handler)(struct ptx_thread *t, const struct ptx_insn *i);

struct ptx_insn {
    ptx_handler run;
    int32_t *o; /* operands: registers; ~n: a constant of the function */
    uint8_t n, n_results;
    uint8_t types[MAX_TYPES], n_types;
    uint8_t round, compare, action, space, vector, base;
    uint8_t negated; /* bits of operands */
    bool if_not;
    uint32_t flags;
    int32_t guard; /* register, or -1 */
    uint32_t line;
    int32_t where;  /* of the module's sources: index + 1 */
    int64_t offset; /* of an address; target of a branch */
    const struct ptx_call *call;
    const char *name; /* of the opcode */
};

struct ptx_param {
    uint32_t at, bytes; /* in the frame, or in the kernel's arguments */
};

/* What a call hands over, by places in the caller's frame. */
struct ptx_call {
    struct ptx_function *to; /* NULL: an address in a register */
    int32_t slot;
    const char *name; /* for messages */
    uint32_t n_args, n_results;
    struct ptx_param args[64], results[4];
    uint32_t *targets; /* brx.idx */
    uint32_t n_targets;
};

struct ptx_function {
    const char *name;
    struct ptx_module *module;
    ptx_handler builtin; /* a function of the driver's own: vprintf */
    bool is_kernel, has_body;
    uint32_t n_params, n_results;
    struct ptx_param *params, results[4];
    uint32_t *param_at, *param_bytes;
    uint32_t n_slots, frame_bytes, args_bytes, max_threads;
    uint64_t *constants;
    uint32_t n_constants, n_insns;
    struct ptx_insn *insns;
    uint32_t index; /* in the module */
};

struct ptx_source {
    uint32_t file, line;
};

struct ptx_module {
    struct ptx_memory *memory; /* of all that is in it */
    char *text;
    struct ptx_function **functions;
    uint32_t n_functions;
    struct ptx_variable *variables;
    uint32_t shared_bytes; /* that is declared, from SHARED_START on */
    uint32_t shared_align;
    struct ptx_source *sources;
    uint32_t n_sources;
    const char *files[256];
    uint32_t capability;
};

struct ptx_variable {
    struct ptx_variable *next;
    const char *name;
    uint64_t at; /* an address, or a place in shared memory */
    size_t bytes;
    enum ptx_space space;
    bool is_dynamic; /* shared memory of the launch's size */
};

/* ---- Threads ---- */

enum ptx_state { STATE_READY, STATE_BARRIER, STATE_WARP, STATE_ACTIVE, STATE_DONE };

struct ptx_frame {
    const struct ptx_function *fn;
    const struct ptx_insn *back; /* the call */
    size_t slots, memory;        /* where its parts begin */
};

struct ptx_thread {
    uint64_t *r; /* the frame's registers */
    const uint64_t *k;
    const struct ptx_insn *pc;
    struct ptx_block *block;
    struct ptx_warp *warp;
    uint32_t number, lane, id[3];
    uint8_t state;
    bool carry;
    uint32_t mask;    /* that it waits with */
    uint32_t barrier; /* that it waits at */
    struct ptx_frame *frames;
    uint32_t n_frames, frame_room;
    uint64_t *slots;
    size_t n_slots, slot_room;
    char *memory; /* local */
    size_t memory_bytes, memory_room, frame_at;
};

struct ptx_warp {
    struct ptx_thread *threads; /* the first of 32 */
    uint32_t live;              /* lanes that have not ended */
};

struct ptx_barrier {
    uint32_t arrived, expected; /* 0: all */
};

struct ptx_block {
    struct ptx_block *next; /* of those that have ended */
    struct ptx_run *run;
    uint32_t id[3];
    uint64_t number;
    struct ptx_thread *threads;
    struct ptx_warp *warps;
    uint32_t n_threads, n_warps, n_live;
    struct ptx_barrier barriers[16];
    char *shared;
    uint32_t shared_bytes;
};

struct ptx_run {
    const struct ptx_function *fn;
    uint32_t grid[3], block[3];
    uint32_t dynamic_bytes;
    const char *args;
    uint64_t serial, steps;
    uint64_t random;
    struct ptx_piece pieces[4]; /* that were found lately */
    unsigned generation, next_piece;
    struct ptx_block *spare;
    int result; /* CUresult */
    bool said;
};

uint64_t ptx_now_ns(void);
/* Says where and why a thread cannot go on. */
enum ptx_next ptx_fault(struct ptx_thread *t, const struct ptx_insn *i, int result,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
/* An operand's bits. */
#define IN(n)  (i->o[n] >= 0 ? t->r[i->o[n]] : t->k[~i->o[n]])
#define OUT(n) t->r[i->o[n]]

/* memory.c: where the host finds it; NULL after a fault was said. */
void *ptx_reach(struct ptx_thread *t, const struct ptx_insn *i, enum ptx_space space,
                uint64_t address, uint32_t bytes);
/* The same for a string, up to its end. */
const char *ptx_string(struct ptx_thread *t, const struct ptx_insn *i, uint64_t address);
/* call.c */
bool ptx_enter(struct ptx_thread *t, const struct ptx_function *fn, const struct ptx_insn *back);
ptx_handler ptx_builtin(const char *name);
/* wait.c: lets threads go on whose others have come. */
void ptx_meet_warp(struct ptx_block *b, struct ptx_warp *w);
void ptx_meet_block(struct ptx_block *b);
/* Those that asked who is there are answered: nobody else can come. False: nobody asked. */
bool ptx_meet_active(struct ptx_warp *w);
/* matrix.c */
void ptx_multiply(struct ptx_thread *lanes, const struct ptx_insn *i);
void ptx_tile(struct ptx_thread *lanes, const struct ptx_insn *i);

/* number.c */
float ptx_from_half(uint16_t v);
float ptx_from_bf16(uint16_t v);
uint16_t ptx_to_half(double v, enum ptx_round round);
uint16_t ptx_to_bf16(double v, enum ptx_round round);
float ptx_to_f32(double v, enum ptx_round round);
/* a * b + c, of which nothing is lost that matters for a format of half the digits. */
double ptx_fma_odd(double a, double b, double c);
double ptx_whole(double v, enum ptx_round round);

/* A register's value as a number of so many bits, without and with a sign. */
static inline uint64_t
low_bits(uint64_t v, unsigned bits)
{
    return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static inline int64_t
with_sign(uint64_t v, unsigned bits)
{
    return bits >= 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

#define PTX_OPCODE(name, handler, results, flags)                                                  \
    enum ptx_next handler(struct ptx_thread *t, const struct ptx_insn *i);
#include "opcodes.def"

#endif
