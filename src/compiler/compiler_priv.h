/* SPDX-License-Identifier: MIT */
/* What the rooms of the compiler share: one compile's context, diagnostics, and the stages in
 * order. */
#ifndef LS_COMPILER_PRIV_H
#define LS_COMPILER_PRIV_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "base/arena.h"
#include "base/check_site.h"
#include "compiler/compiler.h"

struct ls_isa;      /* a row of base/isa.def */
struct ls_target;   /* of target/target.h */
struct ls_host;     /* of host/host.h */
struct ls_simd_ops; /* of lanes/simd.h */
struct ls_guards;   /* of ir/guards.h */

/* Where one kernel parameter lives in the kernarg segment. byref: the parameter is a pointer to
 * it. */
struct ls_kernarg {
    unsigned offset, size;
    bool byref;
};

/* What one mark of ir/variables.c says: bytes from `offset` on of a source variable have been
 * assigned. Which one is metadata on the marking function (LS_MD_DEBUG_VARIABLE), which follows the
 * module when that is copied. */
struct ls_debug_mark {
    unsigned offset;
    unsigned bytes; /* size of the whole variable in one thread */
};

/* Of a marking call: what the code will say of that access. */
struct ls_check_note {
    struct ls_check_site site; /* but for its texts: */
    const char *variable, *trace; /* NULL: unknown */
};

/* A comment about variables, and where these are when the code comes there (ir/notes.c). */
struct ls_note {
    size_t check;     /* its number among the checks */
    const char *text; /* what the runtime is to know, but for `from` */
    unsigned n_bytes; /* of all variables together */
    bool is_value;    /* the operands themselves are told, which are pointers */
    struct ls_note_byte {
        uint8_t arg, at; /* the mark's operand, and which byte of it; LS_NOTE_NONE: no value */
    } *from;
};
enum { LS_NOTE_NONE = 255, LS_NOTE_MOST_BYTES = 256 };

/* One compile: from bitcode to one shared object. Everything in `arena` dies with it. */
struct ls_cc {
    const struct ls_compile_options *opt; /* borrowed */
    struct ls_arena *arena;               /* owned */
    LLVMContextRef llvm;                  /* owned */
    LLVMModuleRef mod;              /* owned: amdgcn IR first, host IR after ls_vectorize_module */
    const struct ls_target *target; /* what is made of it */
    bool keeps_threads;             /* the target does */
    const struct ls_isa *isa;       /* that code is made for */
    unsigned n_lanes;               /* W: 32, 64 or 1 */
    unsigned block[3];              /* known dimensions of the block; 0 = unknown */
    unsigned n_threads, n_warps;    /* product of block, warps of it; 0 = unknown */
    bool whole_rows;  /* block[0] is unknown, but a multiple of n_lanes */
    bool whole_warps; /* all lanes of each warp are threads */
    unsigned mode;                  /* enum ls_cpu_kernel_mode, chosen by ls_region_split */
    unsigned kernel_flags;          /* LS_CPU_KERNEL_* */
    struct {
        bool is_known;
        uint64_t read, written, atomic, own;
        bool has_n;
        unsigned cx, cy, n_at;
    } reach; /* what accesses start from, with LS_CHECK_RACE (struct ls_cpu_kernel) */
    uint64_t distinct, distinct_wish; /* of struct ls_cpu_kernel */
    unsigned lds_bytes;             /* static LDS of the kernel, rounded up to 16 */
    unsigned n_errors;
    unsigned print; /* LS_PRINT_*, of print.h; 0 but for lsopt */
    bool
        muted; /* LLVM's own errors are not reported: the caller of LLVM reports a better message */
    /* Filled by ls_ir_prepare for ls_host_finish: one entry per kernel parameter. */
    const struct ls_kernarg *kernargs;
    unsigned n_kernargs;
    struct ls_guards *guards; /* of blocks that need no masks; NULL: no code for such blocks */
    /* The device that the kernel was written for: what its types are and what its bitcode means. */
    struct {
        LLVMTargetDataRef layout; /* sizes and offsets of types in memory */
        LLVMTargetMachineRef tm;  /* amdgcn, for passes before the vectoriser; NULL until wanted */
    } device;
    /* The processor that code is made for, where the target is one of the machine's kind:
     * host/machine.c fills it. */
    struct {
        const struct ls_host *arch;
        LLVMTargetMachineRef tm;
        const char *cpu, *features; /* of tm */
        const struct ls_simd_ops *simd;
        unsigned large; /* what code makers are to be kept from: ls_host_find_large */
    } host;
    struct ls_debug_mark *debug_marks;         /* by the number in the name of a mark */
    size_t n_debug_marks;                      /* 0 unless code for debuggers is made */
    struct ls_debug_copies *debug_copies;      /* the vectoriser's */
    struct ls_check_note *checks;              /* by the number in the name of a mark */
    size_t n_checks, cap_checks;               /* 0 unless accesses are to be checked */
    struct ls_note *notes;                     /* by the number in the name of a mark */
    size_t n_notes, cap_notes;
    bool has_marked_unset;                     /* ir/unset.c, before variables became values */
};

/* cc/: a context for `opt` (borrowed). Initialises LLVM once per process. */
struct ls_cc *ls_cc_create(const struct ls_compile_options *opt);
void ls_cc_destroy(struct ls_cc *cc); /* NULL is fine */

/* Whether something costs more than code usually may: `limit`, in whatever unit the caller counts
 * in, or as much of it as the option `budget` says. What is over is made in cheaper ways. Never
 * asks a clock: the same kernel gets the same code. */
bool ls_cc_is_over(const struct ls_cc *cc, uint64_t amount, uint64_t limit);

/* Sends LLVM's errors to the sink. */
void ls_diag_install(struct ls_cc *cc);
void ls_diag_uninstall(struct ls_cc *cc);

/* Reports at the source line of `at` (an instruction or function; NULL = the kernel). Always
 * returns false. */
bool ls_diag(struct ls_cc *cc, enum ls_diag_level level, LLVMValueRef at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Names of the pseudo functions that the stages before the vectoriser put into the IR. All take and
 * return i32 unless said otherwise and live in the module as plain external declarations. */
/* () -> lane number in the warp, 0..W-1: the only source of variance */
#define LS_FN_LANE        "ls.lane"
/* () void: block barrier that must be executed by a fiber switch */
#define LS_FN_BARRIER     "ls.barrier"
/* () void: grid barrier; in block mode at block level */
#define LS_FN_GRID_SYNC   "ls.grid_sync"
/* () void: let others run */
#define LS_FN_YIELD       "ls.yield"
/* (i32 loop) void: at a loop's back edge: the warps take turns here */
#define LS_FN_TURN        "ls.turn"
/* (i32 loop) void: where the threads of that loop meet behind it */
#define LS_FN_TURN_END    "ls.turn.end"
/* + number: (i32 warp, T) void: a source variable gets a value */
#define LS_FN_DEBUG_VALUE "ls.debug.value."
/* + number: (ptr) void: a source variable lies there */
#define LS_FN_DEBUG_PLACE "ls.debug.place."
/* + number: (ptr or i64 offset) void: an access to there follows, see ir/checks.c */
#define LS_FN_CHECK       "ls.check."
/* + number: (values) void: of variables that a comment is about, see ir/notes.c; behind
 * ir/origins.c (i64 ...) void: where they came from */
#define LS_FN_NOTE        "ls.note."
#define LS_FN_MASK        "ls.mask."  /* where lanes meet by a mask (ir/meetings.c) */
#define LS_FN_ABSENT      "ls.absent" /* whether the lane that a byte index names is not there */
/* (offset, value, ...) -> ptr addrspace(4) to a block with these values in it */
#define LS_FN_PACKET      "ls.packet."
/* () -> ptr to struct ls_cpu_ctx, in functions that stay out of line */
#define LS_FN_CTX         "ls.ctx"
/* Where threads stay threads: + offset: () -> field of struct ls_cpu_ctx there; and a variable, the
 * table of device variables' addresses, by number */
#define LS_FN_FIELD       "ls.field."
#define LS_FN_GLOBALS     "ls.globals"
/* there, of whole rows: () -> threadIdx.y */
#define LS_FN_ROW         "ls.row"

/* The warp program. Stages 1-3 leave one function with this name and signature
 *     void ls.program(ptr ctx, <kernel parameters>, i32 bx, i32 by, i32 bz, i32 w)
 * holding scalar code for one lane. ctx is struct ls_cpu_ctx. In fiber mode w is the warp; in block
 * mode the program loops over the warps itself and w is unused. byref kernel parameters stay
 * pointers to the kernarg segment. Every parameter is uniform. The vectoriser replaces it, same
 * name and signature. */
#define LS_FN_PROGRAM "ls.program"
/* + number: (frame) void: a part of a long function, of host/parts.c */
#define LS_FN_PART    "ls.part"

/* Metadata on allocas that the region splitter makes for uniform values: every store to them writes
 * the same value in all lanes and all warps. */
#define LS_MD_UNIFORM_SLOT "ls.uniform"

/* Metadata on allocas of which a debugger shows all threads' copies, side by side; operand: bytes
 * of one copy. */
#define LS_MD_DEBUG_PLACE "ls.debug.place"
#define LS_MD_DEBUG_VARIABLE "ls.debug.variable" /* on marking functions: the DILocalVariable */
#define LS_MEMORY_INACCESSIBLE 12 /* value of the attribute `memory`: inaccessiblemem: readwrite */

/* The most that the code of one thread may have. ir/limits.c reports kernels that have more; behind
 * prepare it is asserted. */
enum {
    LS_MAX_ELEMENTS = 64,   /* of a vector in one thread; pieces that an odd integer moves in */
    LS_MAX_GEP_TERMS = 16,  /* of an address: variable indices, and the constant part */
    LS_MAX_CALL_ARGS = 128, /* of a function that stays out of line */
    LS_MAX_NESTING = 15,    /* levels of an aggregate that extractvalue and insertvalue go down */
};

/* Stages, of which a target has some (target/target.c), in order; each returns false after at least
 * one error diagnostic. */
bool ls_ir_load(struct ls_cc *cc, const void *bitcode,
                size_t bytes);        /* ir/: parse, keep only the kernel's world */
bool ls_ir_prepare(struct ls_cc *cc); /* ir/: specialise, inline, canonicalise control flow */
bool ls_checks_mark(struct ls_cc *cc); /* ir/: marks accesses, if they are to be checked */
bool
ls_region_split(struct ls_cc *cc); /* region/: make the warp program; choose block or fiber mode */
bool ls_vectorize_module(
    struct ls_cc *cc); /* vector/: warp program and its callees to W lanes, host IR */
bool ls_host_finish(struct ls_cc *cc); /* host/: entry points, kernel descriptor, host passes */
/* host/: object file, shared object, malloc'ed into *elf */
bool ls_host_emit(struct ls_cc *cc, void **elf, size_t *elf_bytes);

#endif
