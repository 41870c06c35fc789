/* SPDX-License-Identifier: MIT */
/* Copies and fills, divided into items. */
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "device/cpu/cpu_priv.h"

#define COPY_ITEM_BYTES (1u << 20)

static size_t
rows_per_item(size_t row_bytes)
{
    return row_bytes && row_bytes < COPY_ITEM_BYTES ? COPY_ITEM_BYTES / row_bytes : 1;
}

static bool
overlaps(const struct ls_work_copy *c)
{
    size_t dst_bytes =
        (c->depth - 1) * c->dst_slice + (c->height - 1) * c->dst_pitch + c->row_bytes;
    size_t src_bytes =
        (c->depth - 1) * c->src_slice + (c->height - 1) * c->src_pitch + c->row_bytes;

    return c->dst < c->src + src_bytes && c->src < c->dst + dst_bytes;
}

/* Copies past the caches. The ranges must not overlap. */
static void
stream(char *dst, const char *src, size_t bytes)
{
#if defined(__SSE2__)
    size_t head = -(uintptr_t)dst % 64;

    head = head < bytes ? head : bytes;
    memcpy(dst, src, head);
    dst += head;
    src += head;
    bytes -= head;
    for (; bytes >= 64; bytes -= 64, dst += 64, src += 64) {
        const __m128i_u *from = (const void *)src;
        __m128i *to = (void *)dst, a = from[0], b = from[1], c = from[2], d = from[3];

        _mm_stream_si128(to, a);
        _mm_stream_si128(to + 1, b);
        _mm_stream_si128(to + 2, c);
        _mm_stream_si128(to + 3, d);
    }
    _mm_sfence(); /* nothing else orders these stores */
#endif
    memcpy(dst, src, bytes);
}

/* Copies an item. If the copy is larger than half of the last cache it goes past the caches, so
 * that the lines that it writes are not read first. memmove cannot know this, as it sees one
 * item. */
static void
move(struct ls_check_launch *launch, char *dst, const char *src, size_t bytes, bool large)
{
    if (large)
        stream(dst, src, bytes);
    else
        memmove(dst, src, bytes);
    if (ls_checks()) {
        ls_check_copied(dst, src, bytes);
        ls_check_moved(launch, dst, src, bytes);
    }
}

static void
copy_items(struct ls_check_launch *launch, const struct ls_work_copy *c, uint64_t n_items,
           uint64_t first, uint64_t count)
{
    size_t rows = c->height * c->depth, per = rows_per_item(c->row_bytes);
    bool large =
        n_items > 1 && c->row_bytes >= 1024 && rows * c->row_bytes >= ls_cpu_last_cache_bytes() / 2;

    if (rows == 1) {
        size_t lo = n_items == 1 ? 0 : first * COPY_ITEM_BYTES;
        size_t hi = first + count == n_items ? c->row_bytes : (first + count) * COPY_ITEM_BYTES;

        move(launch, c->dst + lo, c->src + lo, hi - lo, large);
        return;
    }
    for (size_t row = n_items == 1 ? 0 : first * per;
         row < rows && (n_items == 1 || row < (first + count) * per); row++)
        move(launch, c->dst + row / c->height * c->dst_slice + row % c->height * c->dst_pitch,
             c->src + row / c->height * c->src_slice + row % c->height * c->src_pitch, c->row_bytes,
             large);
}

static void
fill_row(struct ls_check_launch *launch, char *dst, size_t bytes, uint32_t value,
         uint32_t element_bytes)
{
    if (ls_checks()) {
        ls_check_wrote(dst, bytes);
        ls_check_moved(launch, dst, NULL, bytes);
    }
    if (element_bytes == 1) {
        memset(dst, (int)(value & 0xff), bytes);
    } else if (element_bytes == 2) {
        uint16_t v = (uint16_t)value;

        for (size_t i = 0; i + 2 <= bytes; i += 2)
            memcpy(dst + i, &v, 2);
    } else {
        for (size_t i = 0; i + 4 <= bytes; i += 4)
            memcpy(dst + i, &value, 4);
    }
}

static void
fill_items(struct ls_check_launch *launch, const struct ls_work_fill *f, uint64_t n_items,
           uint64_t first, uint64_t count)
{
    size_t rows = f->height * f->depth, per = rows_per_item(f->row_bytes);

    if (rows == 1) {
        size_t lo = first * COPY_ITEM_BYTES;
        size_t hi = first + count == n_items ? f->row_bytes : (first + count) * COPY_ITEM_BYTES;

        fill_row(launch, f->dst + lo, hi - lo, f->value, f->element_bytes);
        return;
    }
    for (size_t row = first * per; row < rows && row < (first + count) * per; row++)
        fill_row(launch, f->dst + row / f->height * f->slice + row % f->height * f->pitch,
                 f->row_bytes, f->value, f->element_bytes);
}

void
ls_cpu_move(const struct ls_work *w, uint64_t first, uint64_t count)
{
    struct ls_check_launch *launch = ls_checks() ? ls_cpu_of(w)->launch : NULL;

    if (w->kind == LS_WORK_COPY)
        copy_items(launch, &w->copy, ls_cpu_of(w)->n_items, first, count);
    else
        fill_items(launch, &w->fill, ls_cpu_of(w)->n_items, first, count);
}

static uint64_t
box_items(size_t row_bytes, size_t rows)
{
    size_t per = rows_per_item(row_bytes);

    if (rows == 1)
        return (row_bytes + COPY_ITEM_BYTES - 1) / COPY_ITEM_BYTES;
    return (rows + per - 1) / per;
}

uint64_t
ls_cpu_move_items(const struct ls_work *w)
{
    if (w->kind == LS_WORK_FILL)
        return box_items(w->fill.row_bytes, w->fill.height * w->fill.depth);
    return overlaps(&w->copy) ? 1 : box_items(w->copy.row_bytes, w->copy.height * w->copy.depth);
}
