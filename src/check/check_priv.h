/* SPDX-License-Identifier: MIT */
/* Inside the checkers. */
#ifndef LS_CHECK_PRIV_H
#define LS_CHECK_PRIV_H

#include "check/check.h"

/* ---- check.c ---- */

extern struct ls_check_memory ls_check_memory;

bool ls_check_find_extra(uint64_t at, struct ls_check_range *range);
/* Says what lies at an address or nearby, as ls_check_memory.explain. */
const char *ls_check_explain(uint64_t at, char text[LS_CHECK_TEXT]);

/* ---- suppress.c ---- */

/* Whether LOCKSTEP_CHECK_SUPPRESSIONS names it. */
bool ls_check_is_suppressed(const struct ls_check_finding *finding);

/* ---- names.c ---- */

/* A mangled name in plain form, cut off where there is no room; of a variable without the function
 * or namespace that it belongs to. */
void ls_check_name(const char *name, char *to, size_t bytes);
void ls_check_variable_name(const char *name, char *to, size_t bytes);

/* ---- finding.c ---- */

/* Reports what lanes of a warp do at a site; `bad`: which. */
void ls_check_report_at(const struct ls_check_warp *warp, const struct ls_check_site *site,
                        const char *check, const char *kind, const char *message, const char *notes,
                        uint64_t bad);
/* Tells lscheck that this process checks its kernels. */
void ls_check_record_start(void);
/* "read", "write", "atomic operation" */
const char *ls_check_verb(const struct ls_check_site *site);
/* "4-byte read", "write"; in `text`. */
const char *ls_check_words(const struct ls_check_site *site, char text[64]);
/* A trace in words, a frame a line, as far as there is room. */
void ls_check_say_trace(const char *trace, char *to, size_t bytes);

/* ---- block.c ---- */

enum {
    LS_CHECK_CELL = 4, /* bytes of shared memory that are looked at together */
    LS_CHECK_WARPS = 32,
};

/* Who touched a cell. */
struct ls_check_touch {
    const struct ls_check_site *site; /* NULL: nobody */
    uint32_t passed, clock;           /* barriers of its warp, and its time */
    uint16_t thread;
    uint8_t warp, bytes; /* bits of the cell's bytes */
};

/* Two of each sort, of several bytes or warps. */
struct ls_check_cell {
    struct ls_check_touch write[2], read[2];
    struct ls_check_touch atomic[2]; /* atomic writes */
};

/* What warps hand on by an atomic object. */
struct ls_check_handed {
    uint64_t place; /* its address; 0: a free row */
    uint32_t known[LS_CHECK_WARPS];
};

struct ls_check_block {
    struct ls_check_block *next;
    uint64_t lds, serial, number; /* whose it is */
    uint64_t n_cells;
    char *written;               /* owned: a byte for each */
    struct ls_check_cell *cells; /* owned */
    uint32_t first_count;        /* of barriers, in this block */
    uint32_t passed[LS_CHECK_WARPS];
    /* By warp: what has happened before its next access; what had before its last fence that
     * releases; and what will have once it has passed one that acquires. */
    uint32_t known[LS_CHECK_WARPS][LS_CHECK_WARPS];
    uint32_t released[LS_CHECK_WARPS][LS_CHECK_WARPS];
    uint32_t pending[LS_CHECK_WARPS][LS_CHECK_WARPS];
    size_t n_handed, cap_handed;    /* a power of two, or 0 */
    struct ls_check_handed *handed; /* owned: a hash table by place */
};

/* The state of the block that a warp belongs to; NULL: no memory. */
struct ls_check_block *ls_check_block_of(const struct ls_check_warp *warp);
/* The bytes about a part of its shared memory; NULL: it has no such part. */
char *ls_check_block_bytes(struct ls_check_block *b, uint64_t offset, uint64_t bytes);
/* Where in shared memory an access goes; false: it does not go there. */
static inline bool
ls_check_shared_offset(const struct ls_check_warp *warp, const struct ls_check_site *site,
                       uint64_t place, uint64_t *offset)
{
    if (site->space == LS_CHECK_LDS)
        *offset = place;
    else if (site->space == LS_CHECK_ANYWHERE && place - warp->lds < warp->lds_bytes)
        *offset = place - warp->lds;
    else
        return false;
    return true;
}

/* ---- sized.c: accesses whose length is computed ---- */

/* The same site with that many bytes (less than 4 GiB are looked at); stays. NULL: no memory. */
const struct ls_check_site *ls_check_sized(const struct ls_check_site *site, uint64_t bytes);
/* What stands in the code. */
const struct ls_check_site *ls_check_unsized(const struct ls_check_site *site);

/* ---- memory.c, init.c, race.c: an access by the lanes in `mask` ---- */

/* Takes lanes with wrong accesses out of the mask. False: the kernel should end. */
bool ls_check_memory_access(const struct ls_check_warp *warp, const struct ls_check_site *site,
                            const uint64_t *places, uint64_t *mask,
                            struct ls_check_window *windows);
void ls_check_init_access(const struct ls_check_warp *warp, struct ls_check_block *block,
                          const struct ls_check_site *site, const uint64_t *places, uint64_t mask);
void ls_check_race_access(const struct ls_check_warp *warp, struct ls_check_block *b,
                          const struct ls_check_site *site, const uint64_t *places, uint64_t mask);

/* ---- party.c: barriers ---- */

/* The threads in `mask` are about to wait for their block; or they have ended. */
void ls_check_barrier(const struct ls_check_warp *warp, const struct ls_check_site *site,
                      uint64_t mask);
void ls_check_threads_end(const struct ls_check_warp *warp, uint64_t mask);
void ls_check_parties_fini(struct ls_check_blocks *all);

/* ---- lanes.c: threads of one warp ---- */

/* Lanes of a warp wait for each other. */
void ls_check_lanes_meet(const struct ls_check_warp *warp);
void ls_check_lanes_access(const struct ls_check_warp *warp, const struct ls_check_site *site,
                           const uint64_t *places, uint64_t mask);
void ls_check_lanes_fini(struct ls_check_blocks *all);

/* ---- sync.c ---- */

/* The lanes in `mask` meet, or use something. */
void ls_check_sync(const struct ls_check_warp *warp, const struct ls_check_site *site,
                   const uint64_t *values, uint64_t mask);

#endif
