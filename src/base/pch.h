/* SPDX-License-Identifier: MIT */
/* Precompiled headers in the folder of the cache, found by a hash of all that they depend on but
 * the headers themselves: clang refuses one of whose headers any has changed. */
#ifndef LS_BASE_PCH_H
#define LS_BASE_PCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sha256.h"

#define LS_PCH_NAME_BYTES 72

/* For the hash: a text, and a file's path, number, size and time. */
void ls_pch_hash_text(struct ls_sha256 *sha, const char *text);
void ls_pch_hash_state(struct ls_sha256 *sha, const char *path);

/* `dir` is the cache's folder, open. The name of the file for this key, if a sound one is there;
 * what is broken is deleted, and `who` says so. *note: the text that it was kept with, if any,
 * malloc'ed; may be NULL. */
bool ls_pch_find(int dir, const char *who, const uint8_t key[32], char name[LS_PCH_NAME_BYTES],
                 char **note);
/* Moves the file "pch" of the folder `temp` into the cache, as the one for this key. `note` is at
 * most LS_PCH_NOTE_MOST bytes, or NULL. */
#define LS_PCH_NOTE_MOST 65535
bool ls_pch_keep(int dir, const uint8_t key[32], const char *temp, const char *note,
                 char name[LS_PCH_NAME_BYTES]);

/* Who shall make the header for a key: -1: nobody, as it was not asked for before (from now on it
 * was), another process is making it now, or that failed once; else who gets this open file, which
 * nobody else has locked. */
int ls_pch_claim(int dir, const uint8_t key[32]);
void ls_pch_claim_end(int claim, bool made);

#endif
