/* SPDX-License-Identifier: MIT */
/* LSBC: the device code container that hipcc stores in the fat binary: LLVM bitcode, plus tables
 * that let the runtime answer questions about kernels and variables without loading LLVM.
 *
 * Bundle entry id: "hipv4-amdgcn-amd-amdhsa--<gfx>" holds a real code object (ELF) when one was
 * built; "lockstep-bc--<gfx>" holds an LSBC image; "lockstep-cpu--<gfx>" holds an LSAO image
 * (ahead-of-time objects). Integers are little endian; offsets count from the start of the image;
 * strings end in
 * NUL. */
#ifndef LS_BASE_LSBC_H
#define LS_BASE_LSBC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LS_LSBC_MAGIC   0x4342534cu /* "LSBC" */
#define LS_LSBC_VERSION 2u /* 2: tables_sha256 */

struct ls_lsbc_header {
    uint32_t magic, version;
    uint64_t image_bytes;
    char arch[32];             /* "gfx1100" */
    uint32_t warp_size;        /* 32 or 64 */
    uint32_t n_kernels;
    uint32_t n_globals;
    uint32_t n_relocs;
    uint64_t kernels_off; /* struct ls_lsbc_kernel[n_kernels] */
    uint64_t
        globals_off; /* struct ls_lsbc_global[n_globals]; the index is the one in ctx->globals */
    uint64_t relocs_off; /* struct ls_lsbc_reloc[n_relocs] */
    uint64_t bitcode_off, bitcode_bytes;
    uint8_t bitcode_sha256[32];
    uint8_t tables_sha256[32]; /* of the image but the bitcode, with this field zero; says with the
                                  other hash that the image is what hipcc wrote: against accidents,
                                  not against forgers */
};

struct ls_lsbc_arg {
    uint32_t offset, size;     /* in the kernarg segment, bytes */
};

struct ls_lsbc_kernel {
    uint64_t name_off;
    uint64_t args_off;         /* struct ls_lsbc_arg[n_args] */
    uint32_t n_args;
    uint32_t kernarg_bytes;
    uint32_t lds_bytes;        /* static LDS, rounded up to 16 */
    uint32_t private_bytes;    /* per-thread private memory */
    uint32_t max_threads;      /* __launch_bounds__, or 1024 */
    uint32_t flags;            /* LS_LSBC_KERNEL_* */
};
#define LS_LSBC_KERNEL_BARRIER   1u
#define LS_LSBC_KERNEL_GRID_SYNC 2u
#define LS_LSBC_KERNEL_DYN_LDS   4u
#define LS_LSBC_KERNEL_LAUNCHES  8u /* may launch graphs */
#define LS_LSBC_KERNEL_ROWS      16u /* reads threadIdx.y */

struct ls_lsbc_global {
    uint64_t name_off;
    uint64_t bytes;
    uint32_t align;
    uint32_t flags;            /* LS_LSBC_GLOBAL_* */
    uint64_t init_off;         /* bytes of initial value, 0 = zero filled */
};
#define LS_LSBC_GLOBAL_CONSTANT 1u /* __constant__ */
#define LS_LSBC_GLOBAL_EXTERN   2u /* only declared here (-fgpu-rdc): resolve by name */
#define LS_LSBC_GLOBAL_MANAGED  4u /* __managed__ storage pointer variable */

/* globals[where] + where_off = address of globals[target] + addend, a 64-bit pointer */
struct ls_lsbc_reloc {
    uint32_t where, target;
    uint64_t where_off;
    int64_t addend;
};

/* LSAO: objects made ahead of time, one per (kernel, block shape, ISA level) */
#define LS_LSAO_MAGIC   0x4f41534cu /* "LSAO" */
#define LS_LSAO_VERSION 2u /* 2: hashes */
struct ls_lsao_header {
    uint32_t magic, version;
    uint64_t image_bytes;
    uint32_t n_objects, reserved;
    uint64_t objects_off;      /* struct ls_lsao_object[n_objects] */
    uint8_t tables_sha256[32]; /* of this header with the field zero, and of each object's entry and
                                  strings */
};
struct ls_lsao_object {
    uint64_t name_off;         /* kernel */
    uint64_t isa_off;          /* "x86-64-v4" */
    uint32_t block[3];         /* as in struct ls_cpu_kernel */
    uint32_t reserved;
    uint64_t elf_off, elf_bytes;
    uint8_t elf_sha256[32];
};

/* Fill the hashes of an image whose offsets are right. */
void ls_lsbc_seal(void *image);
void ls_lsao_seal(void *image);
/* Whether an image is as it was when its hashes were made; its offsets and strings must have been
 * found to lie inside. Each object of an LSAO image has a hash of its own, which is looked at when
 * the object is used. */
bool ls_lsbc_is_sealed(const void *image);
bool ls_lsao_is_sealed(const void *image);
bool ls_lsao_object_is_sealed(const void *image, const struct ls_lsao_object *object);

#endif
