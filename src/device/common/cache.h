/* SPDX-License-Identifier: MIT */
/* Files of generated code, named by the hash of what they were made from, and where code lies that
 * has no place there. Thread-safe. */
#ifndef LS_DEVICE_COMMON_CACHE_H
#define LS_DEVICE_COMMON_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hash of what code is made from. */
struct ls_cache_key {
    uint8_t digest[32];
};

/* Path of the shared object for key if a sound one is there. False otherwise; a broken file is
 * deleted. */
bool ls_cache_find(const struct ls_cache_key *key, char *path, size_t bytes);
/* Deletes the file for key, as it could not be used. */
void ls_cache_discard(const struct ls_cache_key *key);
/* Writes the file for key, its path to `path`. False: there is no cache, or no room. */
bool ls_cache_store(const struct ls_cache_key *key, const void *elf, size_t elf_bytes, char *path,
                    size_t bytes);
/* The same of code that is a text: what was stored, malloc'ed, with a NUL behind it that *bytes
 * does not count. NULL: there is none. */
char *ls_cache_find_text(const struct ls_cache_key *key, size_t *bytes);
void ls_cache_store_text(const struct ls_cache_key *key, const char *text, size_t bytes);
/* What the caller has found out about the code. False: there is nothing; nothing is said. */
bool ls_cache_find_forms(const struct ls_cache_key *key, void *record, size_t bytes);
void ls_cache_store_forms(const struct ls_cache_key *key, const void *record, size_t bytes);
/* Without a cache: a file in a folder of its own, which discard deletes ... */
bool ls_code_file(const void *elf, size_t elf_bytes, char *path, size_t bytes);
void ls_code_file_discard(const char *path);
/* ... or in memory: the descriptor, to be kept open while the code is loaded, or -1. */
int ls_code_memory(const void *elf, size_t elf_bytes, char *path, size_t bytes);

#endif
