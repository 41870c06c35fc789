/* SPDX-License-Identifier: MIT */
/* The lowering library's door: what the runtime (by dlopen, on a cache miss), hipcc and the tools
 * call. Thread-safe: every call has its own LLVM context. Never exits and never prints: messages go
 * to the sink. */
#ifndef LS_COMPILER_COMPILER_H
#define LS_COMPILER_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LS_COMPILER_SONAME "liblockstep-compiler.so"

/* Flag of a compile unit (clang's -dwarf-debug-flags): its variables are described for debuggers.
 * hipcc sets it for -g with -O0 or -Og. */
#define LS_DEBUG_VARIABLES "lockstep-variables"

/* Lowers one kernel of a bitcode module to a shared object, malloc'ed into *elf. False: at least
 * one LS_DIAG_ERROR went to the sink. */
bool ls_compile_kernel(const void *bitcode, size_t bitcode_bytes,
                       const struct ls_compile_options *opt, void **elf, size_t *elf_bytes);

/* Wraps bitcode into an LSBC image (lsbc.h), malloc'ed into *image. `arch` ("gfx90a", NULL = the
 * default one) and `warp_size` (0 = the arch's) are for a module without functions: functions say
 * both themselves. */
bool ls_describe_bitcode(const void *bitcode, size_t bitcode_bytes, const char *arch,
                         uint32_t warp_size, ls_diag_sink sink, void *sink_user, void **image,
                         size_t *image_bytes);

/* Links several bitcode modules (-fgpu-rdc, archives) into one and optimises it; malloc'ed into
 * *out. */
bool ls_link_bitcode(const void *const *bitcode, const size_t *bitcode_bytes, size_t n,
                     ls_diag_sink sink, void *sink_user, void **out, size_t *out_bytes);

/* hiprtc: the variables prefix0 ... prefix(n-1) are pointers to what name expressions name. Writes
 * the names of their targets (malloc'ed, names[n]) and the module without these variables,
 * malloc'ed into *out. */
bool ls_take_names(const void *bitcode, size_t bitcode_bytes, const char *prefix, size_t n,
                   ls_diag_sink sink, void *sink_user, char **names, void **out, size_t *out_bytes);

/* A string that changes whenever generated code may change: part of every cache key. Static
 * storage. */
const char *ls_compiler_version(void);

#ifdef __cplusplus
}
#endif
#endif
