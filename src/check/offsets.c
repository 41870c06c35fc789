/* SPDX-License-Identifier: MIT */
/* Comments on offsets of pointers: what a pointer points to behind an offset must lie within what
 * it pointed to before, the offset must be the same for those that it is said to be for, their
 * parts must not be the same where together they are as large as the whole, and accesses must stay
 * within the last one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/notation_priv.h"

enum { TABLE = 1 << 16 };

/* Offsets of the blocks of a launch: who has one. */
struct ls_note_parts {
    uint64_t launch, n;
    struct {
        int64_t offset;
        uint64_t block; /* + 1; 0: free */
    } at[TABLE];
};

static void
wrong(struct ls_note *n, const struct ls_check_warp *warp, unsigned lane, const char *kind,
      const char *message)
{
    uint32_t t = warp->first_thread + lane;
    char kernel[256];

    if (n->kind[0])
        return;
    snprintf(n->kind, sizeof(n->kind), "%s", kind);
    snprintf(n->message, sizeof(n->message), "%s: %s", n->names, message);
    ls_check_name(n->kernel, kernel, sizeof(kernel));
    snprintf(n->where, sizeof(n->where), "kernel %s, block (%u,%u,%u), thread (%u,%u,%u)", kernel,
             warp->block_id[0], warp->block_id[1], warp->block_id[2], t % warp->block[0],
             t / warp->block[0] % warp->block[1], t / warp->block[0] / warp->block[1]);
}

/* The indices of the element so far behind a view's first one. False: it is no element of it. */
static bool
find_element(const struct ls_notation_view *v, int64_t at, int64_t index[LS_NOTATION_DIMS])
{
    bool done[LS_NOTATION_DIMS] = {false};

    memset(index, 0, LS_NOTATION_DIMS * sizeof(*index));
    if (at < 0)
        return false;
    for (unsigned k = 0; k < v->n; k++) { /* the largest stride first */
        unsigned best = LS_NOTATION_DIMS;

        for (unsigned d = 0; d < v->n; d++)
            if (!done[d] && (best == LS_NOTATION_DIMS || v->strides[d] > v->strides[best]))
                best = d;
        done[best] = true;
        if (v->strides[best] <= 0)
            continue;
        index[best] = at / v->strides[best];
        if (index[best] >= (int64_t)v->shape[best])
            index[best] = (int64_t)v->shape[best] - 1;
        at -= index[best] * v->strides[best];
    }
    return at == 0;
}

static uint64_t
n_elements(const struct ls_notation_view *v)
{
    uint64_t n = 1;

    for (unsigned d = 0; d < v->n; d++)
        n *= v->shape[d];
    return n;
}

static void
say_view(const struct ls_notation_view *v, char *to, size_t bytes)
{
    size_t used = (size_t)snprintf(to, bytes, "shape (");

    for (unsigned d = 0; d < v->n && used < bytes; d++)
        used += (size_t)snprintf(to + used, bytes - used, "%s%" PRIu64, d ? "," : "", v->shape[d]);
    if (used < bytes)
        used += (size_t)snprintf(to + used, bytes - used, "), strides (");
    for (unsigned d = 0; d < v->n && used < bytes; d++)
        used +=
            (size_t)snprintf(to + used, bytes - used, "%s%" PRId64, d ? "," : "", v->strides[d]);
    if (used < bytes)
        snprintf(to + used, bytes - used, ")");
}

/* Whether the part behind an offset lies within the whole; a message says why not. */
static bool
lies_within(const struct ls_note *n, int64_t offset, char message[512])
{
    int64_t first[LS_NOTATION_DIMS], step[LS_NOTATION_DIMS], last[LS_NOTATION_DIMS];
    char whole[256];

    say_view(&n->before, whole, sizeof(whole));
    if (!find_element(&n->before, offset, first)) {
        snprintf(message, 512, "an offset of %" PRId64 " elements leads to no element of %s",
                 offset, whole);
        return false;
    }
    for (unsigned d = 0; d < n->after.n; d++) {
        int64_t times = (int64_t)n->after.shape[d] - 1;

        if (!times)
            continue;
        if (!find_element(&n->before, n->after.strides[d], step) ||
            !find_element(&n->before, offset + n->after.strides[d] * times, last))
            goto outside;
        for (unsigned k = 0; k < n->before.n; k++)
            if (last[k] != first[k] + step[k] * times)
                goto outside;
        continue;
    outside:
        snprintf(message, 512,
                 "with an offset of %" PRId64
                 " elements dimension %u of the part behind it, %" PRIu64 " elements %" PRId64
                 " apart, leaves %s",
                 offset, d, n->after.shape[d], n->after.strides[d], whole);
        return false;
    }
    return true;
}

/* Whether so many parts are as large as the whole: then no two of them should be the same. */
static bool
are_whole(const struct ls_note *n, uint64_t parts)
{
    return parts > 1 && parts * n_elements(&n->after) == n_elements(&n->before);
}

/* Lock held. Another block that has the same part; false: none, as far as is known. */
static bool
find_twin(struct ls_note *n, const struct ls_check_warp *warp, int64_t offset, uint64_t *twin)
{
    uint64_t number = warp->launch ? warp->launch->number : 0;
    struct ls_note_parts *t;

    if (!n->parts && !(n->parts = calloc(1, sizeof(*n->parts))))
        return false;
    t = n->parts;
    if (t->launch != number) {
        memset(t, 0, sizeof(*t));
        t->launch = number;
    }
    for (uint64_t at = ((uint64_t)offset * 0x9e3779b97f4a7c15u) >> 48;; at++) {
        if (t->at[at % TABLE].block && t->at[at % TABLE].offset != offset)
            continue;
        *twin = t->at[at % TABLE].block - 1;
        if (t->at[at % TABLE].block)
            return *twin != warp->block_number;
        if (t->n < TABLE / 2) {
            t->n++;
            t->at[at % TABLE].offset = offset;
            t->at[at % TABLE].block = warp->block_number + 1;
        }
        return false;
    }
}

static uint64_t
n_blocks(const struct ls_check_warp *warp)
{
    const uint32_t *grid = warp->launch ? warp->launch->grid : NULL;

    return grid ? (uint64_t)grid[0] * grid[1] * grid[2] : 0;
}

/* Lock held. All threads of a block must agree. */
static void
check_block(struct ls_note *n, const struct ls_check_warp *warp, unsigned lane, int64_t offset)
{
    struct ls_note_seen *s = &n->seen;
    char message[512];
    uint64_t twin;

    if (s->blocks == warp->blocks && s->serial == warp->serial && s->block == warp->block_number &&
        s->offset != offset) {
        snprintf(message, sizeof(message),
                 "the offset is said to be per-block, but threads of a block have %" PRId64
                 " and %" PRId64 " elements",
                 s->offset, offset);
        wrong(n, warp, lane, "level", message);
    }
    *s = (struct ls_note_seen){warp->blocks, warp->serial, warp->block_number, offset};
    if (!are_whole(n, n_blocks(warp)) || !find_twin(n, warp, offset, &twin))
        return;
    snprintf(message, sizeof(message),
             "this block has the same part as block (%u,%u,%u), %" PRId64
             " elements from the start, while there are as many blocks as parts",
             (unsigned)(twin % warp->launch->grid[0]),
             (unsigned)(twin / warp->launch->grid[0] % warp->launch->grid[1]),
             (unsigned)(twin / warp->launch->grid[0] / warp->launch->grid[1]), offset);
    wrong(n, warp, lane, "same-part", message);
}

/* Lock held. */
static void
check_warp(struct ls_note *n, const struct ls_check_warp *warp, unsigned lane, int64_t offset)
{
    unsigned n_warps =
                 (warp->block[0] * warp->block[1] * warp->block[2] + warp->width - 1) / warp->width,
             w = warp->first_thread / warp->width;
    struct ls_note_warps *s = &n->warps;
    char message[512];

    if (s->blocks != warp->blocks || s->serial != warp->serial || s->block != warp->block_number) {
        memset(s, 0, sizeof(*s));
        s->blocks = warp->blocks;
        s->serial = warp->serial;
        s->block = warp->block_number;
    }
    if (w >= LS_NOTE_WARPS)
        return;
    for (unsigned i = 0; are_whole(n, n_warps) && i < LS_NOTE_WARPS; i++)
        if (i != w && s->seen >> i & 1 && s->offset[i] == offset) {
            snprintf(message, sizeof(message),
                     "this warp has the same part as warp %u of its block, %" PRId64
                     " elements from the start, while there are as many warps as parts",
                     i, offset);
            wrong(n, warp, lane, "same-part", message);
        }
    s->seen |= 1u << w;
    s->offset[w] = offset;
}

/* An offset: pointers before and behind it. */
static void
check_offset(struct ls_note *n, const struct ls_check_warp *warp, const uint64_t *before,
             const uint64_t *after, uint64_t mask)
{
    int64_t first = 0;
    bool has_first = false;
    char message[512];

    for (uint64_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        int64_t bytes = (int64_t)(after[lane] - before[lane]), offset = bytes / (int64_t)n->element;

        if (bytes % (int64_t)n->element) {
            snprintf(message, sizeof(message),
                     "an offset of %" PRId64 " bytes is no number of "
                     "elements of %u bytes",
                     bytes, n->element);
            wrong(n, warp, lane, "offset", message);
            return;
        }
        if (has_first && offset == first)
            continue;
        if (has_first && (n->level == LS_NOTATION_PER_BLOCK || n->level == LS_NOTATION_PER_WARP)) {
            snprintf(message, sizeof(message),
                     "the offset is said to be %s, but threads of a warp have %" PRId64
                     " and %" PRId64 " elements",
                     n->level == LS_NOTATION_PER_BLOCK ? "per-block" : "per-warp", first, offset);
            wrong(n, warp, lane, "level", message);
            return;
        }
        if (!lies_within(n, offset, message)) {
            wrong(n, warp, lane, "offset", message);
            return;
        }
        if (!has_first && n->level == LS_NOTATION_PER_BLOCK)
            check_block(n, warp, lane, offset);
        if (!has_first && n->level == LS_NOTATION_PER_WARP)
            check_warp(n, warp, lane, offset);
        first = offset;
        has_first = true;
    }
}

/* An access, and the pointer that it was made of. */
static void
check_access(struct ls_note *n, const struct ls_check_warp *warp, const uint64_t *base,
             const uint64_t *at, uint64_t mask)
{
    int64_t index[LS_NOTATION_DIMS];
    char message[512], part[256];

    for (uint64_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        int64_t bytes = (int64_t)(at[lane] - base[lane]), e = (int64_t)n->element;
        int64_t from = bytes / e, to = (bytes + (int64_t)n->access_bytes - 1) / e;

        if (bytes >= 0 && find_element(&n->after, from, index) &&
            (to == from || find_element(&n->after, to, index)))
            continue;
        say_view(&n->after, part, sizeof(part));
        snprintf(message, sizeof(message),
                 "this access goes to element %" PRId64
                 " behind the pointer, which is none of %s, as "
                 "the comment of line %u says",
                 from, part, n->comment);
        wrong(n, warp, lane, "access", message);
        return;
    }
}

void
ls_note_visit_offset(struct ls_note *n, const struct ls_check_warp *warp, const uint64_t *pointers,
                     uint64_t mask)
{
    if (n->kind[0])
        return;
    pthread_mutex_lock(&n->lock);
    if (n->access_bytes)
        check_access(n, warp, pointers, pointers + warp->width, mask);
    else
        check_offset(n, warp, pointers, pointers + warp->width, mask);
    pthread_mutex_unlock(&n->lock);
}
