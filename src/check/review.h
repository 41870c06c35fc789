/* SPDX-License-Identifier: MIT */
/* What accesses of kernels would cost on a GPU, for tools/lscheck's lsreview. Code made with
 * LS_CHECK_REVIEW tells of each access of a warp; who runs it asks for a turn, as after some
 * hundred times not each one is looked at, and those that are count for the others. Thread-safe. */
#ifndef LS_CHECK_REVIEW_H
#define LS_CHECK_REVIEW_H

#include "check/check.h"

struct ls_review_tally;
struct ls_review_kernel;

/* A site, as often as one thread of the host has come to it. */
struct ls_review_turn {
    const struct ls_check_site *site;
    struct ls_check_site raw; /* as it stood there */
    struct ls_review_tally *tally;
    uint32_t weight; /* how many the next one that is looked at stands for */
    uint32_t n_seen;
    uint32_t random;
};

enum { LS_REVIEW_KERNELS = 64 };

/* Which blocks of a kernel a thread has reviewed. */
struct ls_review_blocks {
    uint64_t hash; /* of its name; 0: none yet */
    struct ls_review_kernel *kernel;
    uint64_t n_plain; /* that are run by code that tells nothing, until the next one is reviewed */
    uint32_t n_reviewed, random;
};

/* Turns of a thread, by the sites' slots: LS_REVIEW_SLOTS of them, zero at first, and the numbers
 * that code counts down. */
struct ls_review_turns {
    struct ls_review_turn at[LS_REVIEW_SLOTS];
    uint32_t left[LS_REVIEW_SLOTS];
    struct ls_review_blocks kernels[LS_REVIEW_KERNELS]; /* by their hashes */
    struct ls_review_blocks *blocks;                    /* of the kernel that runs; one of those */
};

/* So many blocks were run by code that tells nothing, up to n_plain. */
void ls_review_plain_blocks(struct ls_review_turns *turns, uint64_t n);
/* A block was reviewed: chooses the next one. */
void ls_review_next_block(struct ls_review_turns *turns);

/* A thread goes on with a kernel. Where it is another one than before, each site's next access is
 * looked at, and counts for those that were not. */
void ls_review_turns_begin(struct ls_review_turns *turns, const char *kernel);
/* An access that is looked at. places: of all lanes; NULL for what is no access. */
void ls_review_access(struct ls_review_turns *turns, const struct ls_check_warp *warp,
                      const struct ls_check_site *site, const uint64_t *places, uint64_t mask);

/* As ls_check_launch_begin and ..._end, which call them. */
struct ls_check_launch *ls_review_begin(const struct ls_check_work *work);
void ls_review_end(struct ls_check_launch *launch);

/* Writes down all that was counted (LOCKSTEP_CHECK_FILE). */
void ls_review_write(void);

#endif
