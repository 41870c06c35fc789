/* SPDX-License-Identifier: MIT */
/* What notation.c and its parts share. */
#ifndef LS_CHECK_NOTATION_PRIV_H
#define LS_CHECK_NOTATION_PRIV_H

#include <pthread.h>

#include "base/notation.h"
#include "check/check_priv.h"

enum {
    LS_NOTE_BYTES = 256, /* of all variables together, at most */
    LS_NOTE_LANES = 64,
    LS_NOTE_BITS = LS_NOTATION_PARTS * LS_NOTATION_MOST_BITS,
    LS_NOTE_ARRAYS = 8,
    LS_NOTE_WARPS = 32,
    LS_NOTE_THREADS = 64,
};

/* A bit of where elements lie, and what is known of it. */
struct ls_note_bit {
    enum ls_notation_part part;
    unsigned number;
    struct ls_notation_bit says;
    int64_t weight; /* bytes between elements that differ in it */
    bool is_known;  /* weight is */
};

/* An index of the array, as i, and the bytes that a step of it is. */
struct ls_note_index {
    char name[LS_NOTATION_NAME];
    int64_t stride;
    bool is_known, is_declared;
};

struct ls_note {
    const struct ls_check_site *site; /* as it was first met */
    char *kernel, *text, *trace;      /* owned */
    char file[512], names[256], type[64], problem[256];
    unsigned line, n_variables, n_bytes;
    bool is_infer, is_announced; /* infer: the assignment is to be told */
    struct {
        uint8_t arg; /* 255: none */
        int16_t add;
    } from[LS_NOTE_BYTES];
    struct ls_notation says;
    struct ls_notation_array arrays[LS_NOTE_ARRAYS];
    unsigned n_arrays;
    /* What follows from it for warps of `width` lanes, of which the notation takes `warp` for one
     */
    unsigned width, warp, n_elements, element_bytes, element_mask, thread_mask;
    struct ls_note_bit bits[LS_NOTE_BITS];
    unsigned n_bits;
    struct ls_note_index indices[LS_NOTE_BITS];
    unsigned n_indices;
    /* Guarded by lock */
    pthread_mutex_t lock;
    _Atomic bool is_learned; /* the weights of all bits within a warp: `offsets` are */
    int64_t *offsets;        /* owned: by element and thread */
    /* Owned lists, by a hash of the thread of the host; guarded by lock */
    struct ls_note_begun *begun[LS_NOTE_THREADS];
    _Atomic uint64_t n_visits, n_wrong;
    char kind[32], message[1024], where[512], notes[2048]; /* of what is wrong; kind "": nothing */
    /* Of an offset, or of an access through a pointer with one (element: bytes; else 0). The rest
     * is guarded by lock */
    unsigned element, access_bytes, comment;
    enum ls_notation_level level;
    struct ls_notation_view before, after;
    struct ls_note_seen { /* the block that came last */
        const struct ls_check_blocks *blocks;
        uint64_t serial, block;
        int64_t offset;
    } seen;
    struct ls_note_warps { /* of it */
        const struct ls_check_blocks *blocks;
        uint64_t serial, block;
        uint32_t seen;
        int64_t offset[LS_NOTE_WARPS];
    } warps;
    struct ls_note_parts *parts; /* owned */
    struct ls_note *next;
};

/* offsets.c: pointers before and behind an offset, or the pointer of an access and where it goes,
 * of all lanes one behind the other. */
void ls_note_visit_offset(struct ls_note *n, const struct ls_check_warp *warp,
                          const uint64_t *pointers, uint64_t mask);

/* notation_read.c: a note by a site's text; NULL: no memory. */
struct ls_note *ls_note_read(const struct ls_check_site *site, const char *text,
                             const char *kernel);

/* An array whose indices are the comment's, and which has elements of so many bytes: of it the
 * strides are known. */
void ls_note_use_arrays(struct ls_note *n, unsigned bytes);

/* notation_say.c */
/* "register r1" */
void ls_note_say_bit(const struct ls_note_bit *b, char to[64]);
/* Which element lies at an address, in words, seen from that where another one lies. */
void ls_note_say_element(const struct ls_note *n, uint64_t at, uint64_t zero, char *to,
                         size_t bytes);
/* Why bits are not what the comment says, by their weights: fills in what is wrong. False: they may
 * be. */
bool ls_note_judge(struct ls_note *n);
/* Writes the assignment that the weights make; in `to`. False: they make none, and why. */
bool ls_note_infer(const struct ls_note *n, char *to, size_t bytes, char why[256]);
/* Strides of indices, by what other comments of a kernel say of the same array. */
void ls_note_share(struct ls_note *n);

#endif
