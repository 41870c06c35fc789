/* SPDX-License-Identifier: MIT */
/* The contract between lowered CPU kernels and the CPU device that runs them.
 *
 * A lowered kernel is an ordinary ELF shared object that exports one data symbol,
 * LS_CPU_KERNEL_SYMBOL, of type struct ls_cpu_kernel. The code calls back into the device only
 * through struct ls_cpu_ctx, so the object has no undefined symbols but those of libc, libm
 * and libgcc.
 *
 * The compiler writes field offsets of struct ls_cpu_ctx into code: change LS_CPU_ABI_VERSION with
 * every change of this file. */
#ifndef LS_DEVICE_CPU_KERNEL_ABI_H
#define LS_DEVICE_CPU_KERNEL_ABI_H

#include <stddef.h>
#include <stdint.h>

#define LS_CPU_ABI_VERSION   10
#define LS_CPU_KERNEL_MAGIC  0x4c534b31u /* "LSK1" */
#define LS_CPU_KERNEL_SYMBOL "ls_kernel"

struct ls_check_quick;
struct ls_check_site;
struct ls_check_window;
struct ls_cpu_ctx;

/* What one lane asks of the host: called once per active lane, in lane order, never for an inactive
 * one. `args` are 64-bit slots (pointers, integers and doubles by bits); the result is a 64-bit
 * slot. */
enum ls_cpu_service {
    LS_SVC_NONE = 0,
    LS_SVC_TRAP,   /* args: kind (enum ls_cpu_trap). Does not return. */
    LS_SVC_ASSERT, /* args: message, file, line, function (char pointers but for line). No return */
    LS_SVC_MALLOC, /* args: bytes -> pointer or 0 */
    LS_SVC_FREE,   /* args: pointer */
    LS_SVC_PRINTF_BEGIN, /* args: version -> descriptor */
    /* args: descriptor, count, 7 values, is_last -> descriptor (count bytes on last) */
    LS_SVC_PRINTF_ARGS,
    LS_SVC_PRINTF_STRING, /* args: descriptor, char pointer, length, is_last -> descriptor */
    LS_SVC_MULTI_GRID,    /* args: enum ls_cpu_multi_grid -> the answer */
    LS_SVC_GRAPH_LAUNCH,  /* args: hipGraphExec_t, hipStream_t -> hipError_t */
    /* args: bytes, formats -> room that is printed once the block has ended, or 0. The formats:
     * "hash,text" in turn, each with its NUL, and an empty one. */
    LS_SVC_PRINTF_ALLOC,
    LS_SVC_COUNT
};

#define LS_SVC_MAX_ARGS 10 /* of any of them */

/* Questions of a grid that may be one of several, launched together on several devices. */
enum ls_cpu_multi_grid {
    LS_GRIDS_COUNT = 0,
    LS_GRIDS_RANK,
    LS_GRIDS_THREADS_BEFORE, /* in grids of lower rank */
    LS_GRIDS_THREADS,        /* in all of them */
    LS_GRIDS_IS_VALID,       /* whether it was launched so */
    LS_GRIDS_MEET,           /* waits until one thread of each grid asks this */
};

enum ls_cpu_trap {
    LS_TRAP_NONE = 0,
    LS_TRAP_TRAP,      /* __builtin_trap, s_trap 2 */
    LS_TRAP_DEBUG,     /* debug trap: not fatal */
    LS_TRAP_SPIN,      /* lanes of one warp wait for each other */
    LS_TRAP_STACK,     /* recursion ran out of stack */
    LS_TRAP_ABORT,     /* abort(): the process ends */
};

#define LS_LDS_PAD 256u

/* What a running warp or block sees of its launch. In block mode each worker owns one; in fiber
 * mode each fiber owns one. The kernel writes only the fields marked (kernel). */
struct ls_cpu_ctx {
    /* Launch shape, units of blocks and of threads. */
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t n_threads;      /* block[0]*block[1]*block[2] */
    uint32_t dyn_lds_bytes;
    /* Memory. lds: 128-byte aligned, lds_bytes = static (rounded up to 16) + dynamic, between pads
     * of LS_LDS_PAD bytes that the block may read and write. */
    char *lds;
    uint64_t lds_bytes;
    void *const *globals;    /* module globals by index, see lsbc.h */
    char *stack_lo;          /* bounds of the stack this code runs on: is.private asks */
    char *stack_hi;
    const void *kernarg;
    /* Where we are, for fault reports (kernel): the linear block, the warp. */
    uint64_t cur_block;
    uint32_t cur_warp;
    uint32_t n_warps;
    uint32_t cur_block_id[3]; /* (kernel) cur_block split into x, y, z */
    uint32_t form;  /* LS_CPU_PAST, LS_CPU_CAREFUL: which of the code's forms is to run */
    uint32_t n_blocks; /* (kernel) where cur_warp is LS_CPU_NO_WARP: so many from cur_block on */
    uint32_t whole; /* 0. Code for blocks without threads to mask off has 1 in its place. */
    /* Calls into the device. */
    void (*barrier)(struct ls_cpu_ctx *ctx); /* fiber mode only: block-wide barrier */
    void (*yield)(struct ls_cpu_ctx *ctx); /* let other warps or threads run; legal in both modes */
    void (*grid_sync)(struct ls_cpu_ctx *ctx); /* cooperative launches only. Fiber mode: every warp
                                                * calls it. Block mode: once per block. */
    uint64_t (*service)(struct ls_cpu_ctx *ctx, uint32_t service, uint32_t lane,
                        const uint64_t *args);
    uint64_t (*clock)(void);                   /* clock64(): cycles or ns, monotonic */
    uint64_t (*wall_clock)(void);              /* wall_clock64(): 100 MHz */
    void *device;                              /* the CPU device's own state */
    /* Code made with checks: before an access that the warp's lanes in `mask` are to make, when
     * some go to where no window shows. places: of all lanes, as the site's space says. */
    void (*access)(struct ls_cpu_ctx *ctx, const struct ls_check_site *site, const uint64_t *places,
                   uint64_t mask);
    struct ls_check_window *windows; /* LS_CHECK_SLOTS of them */
    /* The same where lanes go to neighbouring places, each as far behind the one before as it
     * accesses, or all to one place. lanes: as LS_CHECK_ROW makes it; first: the first of these
     * lanes' place. */
    void (*row)(struct ls_cpu_ctx *ctx, const struct ls_check_site *site, uint64_t first,
                uint64_t mask, uint32_t lanes);
    /* For tests of what was written: where the arena lies; where the bytes about shared memory lie,
     * if lds_block is cur_block; LS_CHECK_SPARE_BYTES, of which the first half stays 0. */
    uint64_t arena, lds_written, lds_block, spare;
    uint64_t lds_full; /* the block all of whose shared memory was written, or another number */
    /* What is known of a block that ctx->row or ctx->access was told of; or its `block` is
     * LS_CHECK_NO_BLOCK. */
    struct ls_check_quick *quick;
};

/* Bits of ctx->form; the results are the same. */
#define LS_CPU_PAST    1u /* what is written is not kept in the caches */
#define LS_CPU_CAREFUL 2u /* cur_block and cur_warp are always right */
#define LS_CPU_NO_WARP (~0u)

enum ls_cpu_kernel_mode {
    LS_CPU_MODE_NONE = 0,
    LS_CPU_MODE_BLOCK, /* run_blocks runs whole blocks: barriers were split into regions, or there
                          are none */
    LS_CPU_MODE_FIBER, /* run_warp runs one warp and calls ctx->barrier; the device gives it a
                        * fiber */
};

/* Flags of struct ls_cpu_kernel */
#define LS_CPU_KERNEL_GRID_SYNC 1u /* calls ctx->grid_sync */
#define LS_CPU_KERNEL_SPINS     2u /* waits for other warps or blocks: calls ctx->yield in loops */
#define LS_CPU_KERNEL_ATOMICS   4u /* of memory that other blocks share */
#define LS_CPU_KERNEL_ROWS      8u /* walks along rows of blocks: whole ones are best */

/* The most that a descriptor may ask for: more is no stack but a mistake. */
#define LS_CPU_MAX_STACK (512u << 20)

#define LS_CPU_ROW_LANES 16u /* half a warp: a row of blocks that wide */

struct ls_cpu_kernel {
    uint32_t magic;
    uint32_t abi_version;
    uint32_t mode;           /* enum ls_cpu_kernel_mode */
    uint32_t flags;
    uint32_t warp_size;    /* lanes: 32 or 64; LS_CPU_ROW_LANES, where no thread can tell; or 1 */
    uint32_t block[3];     /* shape this code is for; 0,0,0 = any; 0,0,1 and 0,1,1: x is a multiple
                              of warp_size, z is 1, and y is any or 1 */
    uint32_t lds_bytes;    /* static LDS, rounded up to 16; dynamic LDS starts there */
    uint32_t stack_bytes;  /* estimate of stack need of one call (block mode: one block; fiber: one
                              warp) */
    uint32_t stream_bytes; /* what one thread writes by stores that LS_CPU_PAST sends past the
                              caches, about; 0: it makes no difference */
    uint32_t reserved;
    /* Runs the linear blocks [first, first + count) one after the other; x fastest, then y, then
     * z. */
    void (*run_blocks)(struct ls_cpu_ctx *ctx, uint64_t first, uint64_t count);
    /* Runs warp `warp` of linear block `block`. */
    void (*run_warp)(struct ls_cpu_ctx *ctx, uint64_t block, uint32_t warp);
    /* Of code made with LS_CHECK_RACE, else all LS_CPU_REACH_ANY: by which words of the kernarg
     * segment pointers come that it reads, writes and changes atomically, a bit for each of 8
     * bytes. Shared memory and that of threads does not count, nor constants. */
    uint64_t read, written, atomic;
    /* The same of accesses by which threads go to elements of their own alone, one word's as
     * another's: if the grid has one block in y and z; or where n_at is not LS_CPU_NO_N, one in z,
     * and the number of 32 bits there in the kernarg segment is no less than the grid's blocks in x
     * times cx. cy: elements of n that a block has. */
    uint64_t own;
    uint32_t cx, cy, n_at, reserved2;
    /* By which words come pointers that must lead to memory which no other word leads to, for this
     * code to be right; and by which, if they did, code would be better. */
    uint64_t distinct, distinct_wish;
};
#define LS_CPU_NO_N UINT32_MAX
enum { LS_CPU_REACH_UNKNOWN = 63 }; /* the bit of pointers from elsewhere, or from behind that */
#define LS_CPU_REACH_ANY ((uint64_t)1 << LS_CPU_REACH_UNKNOWN)

#endif
