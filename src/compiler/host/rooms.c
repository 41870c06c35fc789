/* SPDX-License-Identifier: MIT */
/* Phis that may lie at one place: where one is written, nobody asks for what another one of them
 * means. Then what one phi hands on to the next one need not be moved.
 *
 * A phi is alive at the end of a block if it is asked for behind it, or by the phis that edges from
 * there lead to. Places keep two sets of blocks: at whose ends one of their phis is alive, and at
 * whose ends one is written. A phi may join if neither its writes meet those who are alive nor its
 * life meets their writes; then by induction along each way the place holds what the phi that is
 * alive means. A phi that is alive where it is written itself (it goes around a loop by another
 * one) keeps its place alone, and so does one whose life is longer than is looked at. */
#include "host/rooms.h"

#include <stdint.h>

#include "base/ptrmap.h"

enum { LONG_LIFE = 256 }; /* blocks */

struct place {
    LLVMTypeRef type;
    bool closed; /* nobody may join */
};

struct rooms {
    struct ls_arena *arena;
    const struct ls_cfg *cfg;
    struct place *places;
    unsigned n_places;
    unsigned *place_of;          /* of each phi */
    struct ls_ptrmap numbers;    /* phi -> its number + 1 */
    struct ls_ptrmap alive;      /* (place, block) -> itself */
    struct ls_ptrmap written;    /* (place, block) -> itself */
    unsigned *seen;              /* block -> number + 1 of the phi whose life was here last */
    unsigned life[LONG_LIFE];    /* blocks at whose ends the phi that is looked at is alive */
    unsigned n_life;
    unsigned queue[LONG_LIFE];   /* of these, in which it still is to be looked for upwards */
};

static const void *
key(const struct rooms *r, unsigned place, unsigned block)
{
    return (const void *)(uintptr_t)((uint64_t)place * r->cfg->n_blocks + block + 1);
}

static bool
has(const struct rooms *r, const struct ls_ptrmap *set, unsigned place, unsigned block)
{
    return ls_ptrmap_get(set, key(r, place, block)) != NULL;
}

static void
add(const struct rooms *r, struct ls_ptrmap *set, unsigned place, unsigned block)
{
    const void *k = key(r, place, block);

    ls_ptrmap_set(set, k, (void *)(uintptr_t)k);
}

/* The phi is alive at the end of this block. */
static bool
lives_at(struct rooms *r, unsigned phi, unsigned block, unsigned *n_queue)
{
    if (block == LS_NO_BLOCK)
        return false;
    if (r->seen[block] == phi + 1)
        return true;
    if (r->n_life == LONG_LIFE)
        return false;
    r->seen[block] = phi + 1;
    r->life[r->n_life++] = block;
    r->queue[(*n_queue)++] = block;
    return true;
}

/* The phi is alive at the end of all blocks in front of this one. */
static bool
lives_before(struct rooms *r, unsigned phi, unsigned block, unsigned *n_queue)
{
    const struct ls_cfg_block *b = &r->cfg->blocks[block];

    for (unsigned k = 0; k < b->n_preds; k++)
        if (!lives_at(r, phi, b->preds[k], n_queue))
            return false;
    return true;
}

/* Collects where a phi is alive; false where that is too much. */
static bool
find_life(struct rooms *r, unsigned number, LLVMValueRef phi, unsigned at)
{
    unsigned n_queue = 0;

    r->n_life = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(phi); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        unsigned in = ls_cfg_number(r->cfg, LLVMGetInstructionParent(user));

        if (LLVMIsAPHINode(user)) {
            for (unsigned k = 0; k < LLVMCountIncoming(user); k++)
                if (LLVMGetIncomingValue(user, k) == phi &&
                    !lives_at(r, number, ls_cfg_number(r->cfg, LLVMGetIncomingBlock(user, k)),
                              &n_queue))
                    return false;
        } else if (in == LS_NO_BLOCK || (in != at && !lives_before(r, number, in, &n_queue))) {
            return false;
        }
    }
    while (n_queue > 0) {
        unsigned block = r->queue[--n_queue];

        if (block != at && !lives_before(r, number, block, &n_queue))
            return false;
    }
    return true;
}

/* Whether what an edge brings must be written at a place. */
static bool
is_write(const struct rooms *r, LLVMValueRef phi, LLVMValueRef v, unsigned place)
{
    uintptr_t number = (uintptr_t)ls_ptrmap_get(&r->numbers, v);

    return v != phi && !LLVMIsUndef(v) && !(number && r->place_of[number - 1] == place);
}

static unsigned
from_of(const struct rooms *r, LLVMValueRef phi, unsigned edge)
{
    return ls_cfg_number(r->cfg, LLVMGetIncomingBlock(phi, edge));
}

/* Whether a phi is written where it is alive itself. */
static bool
is_own_rival(const struct rooms *r, unsigned number, LLVMValueRef phi, unsigned place)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (is_write(r, phi, LLVMGetIncomingValue(phi, k), place) &&
            r->seen[from_of(r, phi, k)] == number + 1)
            return true;
    return false;
}

static bool
may_join(const struct rooms *r, unsigned number, LLVMValueRef phi, unsigned place)
{
    const struct place *p = &r->places[place];

    if (p->closed || p->type != LLVMTypeOf(phi) || is_own_rival(r, number, phi, place))
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        unsigned from = from_of(r, phi, k);

        if (has(r, &r->written, place, from) ||
            (is_write(r, phi, LLVMGetIncomingValue(phi, k), place) &&
             has(r, &r->alive, place, from)))
            return false;
    }
    for (unsigned k = 0; k < r->n_life; k++)
        if (has(r, &r->written, place, r->life[k]))
            return false;
    return true;
}

static void
join(struct rooms *r, unsigned number, LLVMValueRef phi, unsigned place)
{
    r->place_of[number] = place;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (is_write(r, phi, LLVMGetIncomingValue(phi, k), place))
            add(r, &r->written, place, from_of(r, phi, k));
    for (unsigned k = 0; k < r->n_life; k++)
        add(r, &r->alive, place, r->life[k]);
}

static void
settle(struct rooms *r, unsigned number, LLVMValueRef phi)
{
    unsigned at = ls_cfg_number(r->cfg, LLVMGetInstructionParent(phi)), place;
    bool known = find_life(r, number, phi, at);

    for (unsigned k = 0; known && k < LLVMCountIncoming(phi); k++) {
        uintptr_t other = (uintptr_t)ls_ptrmap_get(&r->numbers, LLVMGetIncomingValue(phi, k));

        place = other ? r->place_of[other - 1] : UINT32_MAX;
        if (place != UINT32_MAX && may_join(r, number, phi, place)) {
            join(r, number, phi, place);
            return;
        }
    }
    place = r->n_places++;
    r->places[place].type = LLVMTypeOf(phi);
    r->places[place].closed = !known || is_own_rival(r, number, phi, place);
    join(r, number, phi, place);
}

unsigned *
ls_rooms_share(struct ls_arena *arena, const struct ls_cfg *cfg, LLVMValueRef *phis, unsigned n)
{
    struct rooms *r = ls_arena_alloc(arena, sizeof(*r));

    r->arena = arena;
    r->cfg = cfg;
    r->places = ls_arena_alloc(arena, (n + 1) * sizeof(*r->places));
    r->place_of = ls_arena_alloc(arena, (n + 1) * sizeof(*r->place_of));
    r->seen = ls_arena_alloc(arena, (cfg->n_blocks + 1) * sizeof(*r->seen));
    ls_ptrmap_init(&r->numbers, arena);
    ls_ptrmap_init(&r->alive, arena);
    ls_ptrmap_init(&r->written, arena);
    for (unsigned k = 0; k < n; k++) {
        ls_ptrmap_set(&r->numbers, phis[k], (void *)(uintptr_t)(k + 1));
        r->place_of[k] = UINT32_MAX;
    }
    for (unsigned k = 0; k < n; k++)
        settle(r, k, phis[k]);
    return r->place_of;
}
