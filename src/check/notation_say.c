/* SPDX-License-Identifier: MIT */
/* Judges what bits weigh, and says it in words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/notation_priv.h"

void
ls_note_say_bit(const struct ls_note_bit *b, char to[64])
{
    const char *part = ls_notation_parts[b->part];

    snprintf(to, 64, "%s bit %c%u", part, part[0], b->number);
}

static struct ls_note_index *
index_of(const struct ls_note *n, const struct ls_notation_bit *says)
{
    for (unsigned i = 0; i < n->n_indices; i++)
        if (!strcmp(n->indices[i].name, says->index))
            return (struct ls_note_index *)(uintptr_t)&n->indices[i];
    return NULL;
}

/* The bits that the comment names of an index, as a mask. */
static uint64_t
numbers_of(const struct ls_note *n, const struct ls_note_index *index)
{
    uint64_t numbers = 0;

    for (unsigned i = 0; i < n->n_bits; i++)
        if (!strcmp(n->bits[i].says.index, index->name))
            numbers |= (uint64_t)1 << n->bits[i].says.number;
    return numbers;
}

void
ls_note_say_element(const struct ls_note *n, uint64_t at, uint64_t zero, char *to, size_t bytes)
{
    struct ls_check_range range = {.base = 0};
    int64_t left = (int64_t)(at - zero);
    size_t used = 0;
    bool said[LS_NOTE_BITS] = {false}, whole = true;

    if (!at) {
        snprintf(to, bytes, "no element of an array, or parts of several");
        return;
    }
    to[0] = '\0';
    /* By the largest stride first. */
    for (unsigned k = 0; k < n->n_indices; k++) {
        const struct ls_note_index *best = NULL;
        unsigned which = 0;
        int64_t value;

        for (unsigned i = 0; i < n->n_indices; i++) {
            whole &= !n->indices[i].is_known || n->indices[i].stride > 0;
            if (!said[i] && n->indices[i].is_known && n->indices[i].stride > 0 &&
                (!best || n->indices[i].stride > best->stride)) {
                best = &n->indices[i];
                which = i;
            }
        }
        if (!best || !whole || left < 0)
            break;
        said[which] = true;
        value = left / best->stride;
        left -= value * best->stride;
        whole &= !((uint64_t)value & ~numbers_of(n, best));
        used += (size_t)snprintf(to + used, bytes - used, "%s%s=%" PRId64, used ? " " : "",
                                 best->name, value);
        if (used >= bytes)
            return;
    }
    whole &= left == 0 && used;
    if (!whole)
        used = 0;
    if (ls_check_memory.find && ls_check_memory.find(at, &range) && n->element_bytes)
        snprintf(to + used, bytes - used, "%selement %" PRIu64 " of the memory at 0x%" PRIx64,
                 used ? ", " : "", (at - range.base) / n->element_bytes, range.base);
    else
        snprintf(to + used, bytes - used, "%swhat lies at 0x%" PRIx64, used ? ", " : "", at);
}

/* ---- Strides ---- */

/* The stride that most of an index's bits agree on. */
static void
vote(struct ls_note *n, struct ls_note_index *index)
{
    unsigned best = 0;

    if (index->is_known)
        return;
    for (unsigned i = 0; i < n->n_bits; i++) {
        const struct ls_note_bit *b = &n->bits[i];
        int64_t stride = b->weight >> b->says.number;
        unsigned votes = 0;

        if (strcmp(b->says.index, index->name) != 0 || !b->is_known || !stride ||
            b->weight != (int64_t)((uint64_t)stride << b->says.number))
            continue;
        for (unsigned k = 0; k < n->n_bits; k++)
            votes += !strcmp(n->bits[k].says.index, index->name) && n->bits[k].is_known &&
                     n->bits[k].weight == (int64_t)((uint64_t)stride << n->bits[k].says.number);
        if (votes > best) {
            best = votes;
            index->stride = stride;
        }
    }
    index->is_known = best > 0;
}

/* What other comments of the kernel say of an array with the same bits. */
static struct shared {
    char kernel[256], bits[512];
    struct ls_note_index indices[LS_NOTE_BITS];
    unsigned n_indices;
    struct shared *next;
} * all_shared; /* guarded by shared_lock */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

static int
by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The names of all bits, in order. */
static void
list_bits(const struct ls_note *n, char *to, size_t bytes)
{
    char names[LS_NOTE_BITS][LS_NOTATION_NAME + 12];
    size_t used = 0;
    unsigned count = 0;

    for (unsigned i = 0; i < n->n_bits; i++)
        if (!ls_notation_is_copy(&n->bits[i].says))
            ls_notation_bit_name(&n->bits[i].says, names[count++]);
    qsort(names, count, sizeof(names[0]), by_text);
    to[0] = '\0';
    for (unsigned i = 0; i < count && used < bytes; i++)
        used += (size_t)snprintf(to + used, bytes - used, "%s ", names[i]);
}

static struct shared *
find_shared(const struct ls_note *n, const char *bits)
{
    for (struct shared *s = all_shared; s; s = s->next)
        if (!strncmp(s->kernel, n->kernel, sizeof(s->kernel) - 1) && !strcmp(s->bits, bits))
            return s;
    return NULL;
}

static void
take_shared(struct ls_note *n)
{
    char bits[512];
    struct shared *s;

    list_bits(n, bits, sizeof(bits));
    pthread_mutex_lock(&shared_lock);
    s = find_shared(n, bits);
    for (unsigned i = 0; s && i < n->n_indices; i++)
        for (unsigned k = 0; k < s->n_indices; k++)
            if (!n->indices[i].is_known && !strcmp(n->indices[i].name, s->indices[k].name))
                n->indices[i] = s->indices[k];
    pthread_mutex_unlock(&shared_lock);
}

void
ls_note_share(struct ls_note *n)
{
    char bits[512];
    struct shared *s;

    list_bits(n, bits, sizeof(bits));
    pthread_mutex_lock(&shared_lock);
    s = find_shared(n, bits);
    if (!s && (s = calloc(1, sizeof(*s)))) {
        snprintf(s->kernel, sizeof(s->kernel), "%s", n->kernel);
        snprintf(s->bits, sizeof(s->bits), "%s", bits);
        s->next = all_shared;
        all_shared = s;
    }
    for (unsigned i = 0; s && i < n->n_indices; i++) {
        unsigned k = 0;

        while (k < s->n_indices && strcmp(s->indices[k].name, n->indices[i].name) != 0)
            k++;
        if (!n->indices[i].is_known)
            continue;
        s->indices[k] = n->indices[i];
        s->n_indices += k == s->n_indices;
    }
    pthread_mutex_unlock(&shared_lock);
}

/* ---- Judging ---- */

/* The bit of the array's index that weighs so much, in words. */
static void
say_weight(const struct ls_note *n, int64_t weight, char *to, size_t bytes)
{
    for (unsigned i = 0; i < n->n_bits; i++) {
        const struct ls_note_index *index = index_of(n, &n->bits[i].says);

        if (index && index->is_known &&
            weight == (int64_t)((uint64_t)index->stride << n->bits[i].says.number)) {
            ls_notation_bit_name(&n->bits[i].says, to);
            return;
        }
    }
    if (!weight)
        snprintf(to, bytes, "none: both hold the same elements");
    else
        snprintf(to, bytes, "a step of %" PRId64 " bytes", weight);
}

static void
add_wrong(struct ls_note *n, const struct ls_note_bit *b)
{
    char bit[64], says[LS_NOTATION_NAME + 12], is[96];
    size_t used = strlen(n->message);

    ls_note_say_bit(b, bit);
    ls_notation_bit_name(&b->says, says);
    say_weight(n, b->weight, is, sizeof(is));
    if (!used)
        used = (size_t)snprintf(n->message, sizeof(n->message),
                                "%s: not as the comment says: ", n->names);
    else
        used += (size_t)snprintf(n->message + used, sizeof(n->message) - used, "; ");
    if (used < sizeof(n->message))
        snprintf(n->message + used, sizeof(n->message) - used, "%s is said to be %s, but is %s",
                 bit, says, is);
}

bool
ls_note_judge(struct ls_note *n)
{
    int64_t right[LS_NOTE_BITS];
    bool is_right = true;

    if (n->is_infer)
        return true;
    take_shared(n);
    for (unsigned i = 0; i < n->n_indices; i++)
        vote(n, &n->indices[i]);
    for (unsigned i = 0; i < n->n_bits; i++) {
        struct ls_note_bit *b = &n->bits[i];
        const struct ls_note_index *index = index_of(n, &b->says);

        right[i] = !index            ? 0
                   : index->is_known ? (int64_t)((uint64_t)index->stride << b->says.number)
                                     : b->weight;
        if (b->is_known && b->weight != right[i]) {
            add_wrong(n, b);
            is_right = false;
        }
    }
    /* Two bits that move by the same are copies of each other. */
    for (unsigned i = 0; i < n->n_bits && is_right; i++)
        for (unsigned k = 0; k < i && is_right; k++)
            if (n->bits[i].is_known && n->bits[k].is_known && n->bits[i].weight &&
                n->bits[i].weight == n->bits[k].weight) {
                char one[64], two[64];

                ls_note_say_bit(&n->bits[k], one);
                ls_note_say_bit(&n->bits[i], two);
                snprintf(n->message, sizeof(n->message),
                         "%s: not as the comment says: %s and %s are the same bit of the array",
                         n->names, one, two);
                is_right = false;
            }
    if (is_right) {
        ls_note_share(n);
        return true;
    }
    snprintf(n->kind, sizeof(n->kind), "bit");
    for (unsigned i = 0; i < n->n_bits; i++)
        n->bits[i].weight = right[i];
    return false;
}

/* ---- Inferring ---- */

/* Names the bit of a weight: by an array that a comment describes, else as a bit of the element's
 * number, e. False: it is none. */
static bool
name_weight(const struct ls_note *n, const struct ls_notation_array *a, int64_t weight,
            struct ls_notation_bit *to)
{
    uint64_t elements;

    if (!weight) {
        *to = (struct ls_notation_bit){.index = "*"};
        return true;
    }
    if (weight < 0 || !n->element_bytes || weight % n->element_bytes)
        return false;
    elements = (uint64_t)weight / n->element_bytes;
    for (unsigned d = 0; a && d < a->view.n; d++) {
        uint64_t stride = (uint64_t)a->view.strides[d], steps = stride ? elements / stride : 0;

        if (steps && elements % stride == 0 && !(steps & (steps - 1)) && steps < a->view.shape[d]) {
            *to = (struct ls_notation_bit){.number = (unsigned)__builtin_ctzll(steps)};
            memcpy(to->index, a->index[d], sizeof(to->index));
            return true;
        }
    }
    *to = (struct ls_notation_bit){.index = "e", .number = (unsigned)__builtin_ctzll(elements)};
    return !a && !(elements & (elements - 1));
}

static bool
infer_in(const struct ls_note *n, const struct ls_notation_array *a, char *to, size_t bytes,
         char why[256])
{
    struct ls_notation found = {.parts[0].n = 0};

    for (unsigned i = 0; i < n->n_bits; i++) {
        const struct ls_note_bit *b = &n->bits[i];
        struct ls_notation_line *line = &found.parts[b->part];
        char bit[64];

        if (!b->is_known)
            continue;
        if (!name_weight(n, a, b->weight, &line->bits[b->number])) {
            ls_note_say_bit(b, bit);
            snprintf(why, 256,
                     "%s moves by %" PRId64 " bytes, which is no bit of an index of elements "
                     "of %u bytes",
                     bit, b->weight, n->element_bytes);
            return false;
        }
        line->known |= 1u << b->number;
        line->n = b->number + 1 > line->n ? b->number + 1 : line->n;
    }
    ls_notation_print(&found, "//   ", to, bytes);
    return true;
}

bool
ls_note_infer(const struct ls_note *n, char *to, size_t bytes, char why[256])
{
    for (unsigned a = 0; a < n->n_arrays; a++)
        if (infer_in(n, &n->arrays[a], to, bytes, why))
            return true;
    return infer_in(n, NULL, to, bytes, why);
}
