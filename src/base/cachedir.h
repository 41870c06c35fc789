/* SPDX-License-Identifier: MIT */
/* The folder of everything that is made once and found again by later processes, and other folders
 * that code is loaded from. What lies in them is run, so nobody but root and this user may be able
 * to change it. */
#ifndef LS_BASE_CACHEDIR_H
#define LS_BASE_CACHEDIR_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the cache's folder, making it if need be, and writes its path without links. -1 when
 * caching is off (LOCKSTEP_CACHE=0, a privileged program), or no folder is there that this user
 * alone can change. The whole way is looked at in each call; the caller closes. */
int ls_cachedir_open(char *path, size_t bytes);

/* What a file in that folder is by its name, which is a hash and an ending, in words; NULL: none of
 * the cache's. */
const char *ls_cachedir_kind(const char *name);

/* Opens a folder by an absolute path. Each folder on its way, and the target's folder of each link
 * on it, must belong to root or this user and be writable by nobody else, but for sticky ones,
 * where others can't touch what isn't theirs. So the path without links that it writes means this
 * folder for as long as root and the user leave it alone. `make`: makes what is missing, 0700. -1:
 * why[] says what is wrong. */
int ls_dir_open_safe(const char *path, bool make, char *real, size_t bytes, char *why,
                     size_t why_bytes);

/* Reads a regular file of this user's, by its name in an open folder: malloc'ed. NULL when there is
 * none, when it is anything else (pipe, device, link: none is waited for or followed), when others
 * can write to it, or when it is larger than `most`. *strange: something of that name is there, but
 * not that. */
void *ls_dir_read_own(int dir, const char *name, size_t most, size_t *bytes, bool *strange);

#endif
