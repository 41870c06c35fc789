/* SPDX-License-Identifier: MIT */
/* The lowering library, kept out of the caller's process: the functions of compiler.h, done by a
 * child process (lib/lockstep/lscompile) that may die of the bitcode it is given. Its death, or too
 * much of time or memory, is an error like others: LS_DIAG_ERROR to the sink, and false.
 *
 * One child serves all calls of a process, one at a time; it is started at the first, ends with the
 * process or when idle for long, and is started anew where it is missing. Where no process can be
 * made, or LOCKSTEP_COMPILER_CHILD=0 says so, the library works in this process. Thread-safe; a
 * process that was forked gets a child of its own.
 *
 * errno of a failure: ENOMEM when this process's memory ran out; EAGAIN when the child was killed
 * for no fault of the request, and so was the one that was asked next: a later call may succeed;
 * else 0.
 *
 * The child guards against bitcode that kills LLVM. It is no sandbox: what it makes is code that
 * the caller will run. */
#ifndef LS_COMPILER_DOOR_H
#define LS_COMPILER_DOOR_H

#include "compiler/compiler.h"

/* Whether there is a lowering library that can be opened; if not, why[] says what is wrong. */
bool ls_door_is_there(char *why, size_t bytes);
/* The same without a word to the child, or to the library, where it lies beside its caller: whether
 * a file is there. */
bool ls_door_is_installed(void);

/* Starts the child if there is none, and waits for nothing: it opens the library while the caller
 * does something else. */
void ls_door_prepare(void);

/* `id`: 32 bytes that name the bitcode (its hash), so that it need be sent but once; NULL: send
 * it. */
bool ls_door_compile_kernel(const void *bitcode, size_t bitcode_bytes, const void *id,
                            const struct ls_compile_options *opt, void **elf, size_t *elf_bytes);

/* Kernels that nobody waits for yet, compiled by children of their own, at most n_children. Nothing
 * here waits but ls_door_ahead_take, and all of it is refused while another thread is in it. */

#define LS_DOOR_KEY_BYTES 32

/* Has a kernel compiled; `key` is what the caller calls it. False: no child is free; the first
 * calls start them. */
bool ls_door_ahead(unsigned n_children, const void *bitcode, size_t bitcode_bytes, const void *id,
                   const struct ls_compile_options *opt, const uint8_t key[LS_DOOR_KEY_BYTES]);
/* Whether a child has been given this kernel and its result has not been taken. */
bool ls_door_ahead_has(const uint8_t key[LS_DOOR_KEY_BYTES]);
/* The next result that is there, if any is. *elf NULL: it could not be compiled. */
bool ls_door_ahead_next(uint8_t key[LS_DOOR_KEY_BYTES], void **elf, size_t *elf_bytes);
/* The result for a key, after waiting for it. False: no child works on it now (it may have to do
 * something else before), or there is none. */
bool ls_door_ahead_take(const uint8_t key[LS_DOOR_KEY_BYTES], void **elf, size_t *elf_bytes);

/* As their namesakes in compiler.h. */
bool ls_door_describe_bitcode(const void *bitcode, size_t bitcode_bytes, const char *arch,
                              uint32_t warp_size, ls_diag_sink sink, void *sink_user, void **image,
                              size_t *image_bytes);
bool ls_door_link_bitcode(const void *const *bitcode, const size_t *bitcode_bytes, size_t n,
                          ls_diag_sink sink, void *sink_user, void **out, size_t *out_bytes);
bool ls_door_take_names(const void *bitcode, size_t bitcode_bytes, const char *prefix, size_t n,
                        ls_diag_sink sink, void *sink_user, char **names, void **out,
                        size_t *out_bytes);

#endif
