/* SPDX-License-Identifier: MIT */
/* Branches at a region's start that all threads take together, above all the test of a loop with a
 * barrier in it. Each warp would take them again; and what a region does looks like more than it
 * is, as the way out of the loop and the next iteration are the same region. So they are taken
 * once, and each side has its own loop over the warps. */
#include "compiler/region/emit_priv.h"

#include "compiler/ir/ir.h"

enum { MAX_FORKS = 3 };

static const struct ls_region *
take(struct ls_emitter *e, const struct ls_region *r, unsigned block, unsigned side)
{
    const struct ls_plan *plan = e->plan;
    unsigned char *way = ls_arena_alloc(e->cc->arena, plan->n_blocks);
    struct ls_region *taken = ls_arena_alloc(e->cc->arena, sizeof(*taken));

    for (unsigned i = 0; i < plan->n_blocks; i++)
        way[i] = r->way ? r->way[i] : LS_WAY_OPEN;
    way[block] = (unsigned char)side;
    ls_region_build(plan, taken, r->point, way);
    return taken;
}

static struct ls_path *
find(struct ls_emitter *e, const struct ls_region *r, unsigned depth)
{
    const struct ls_plan *plan = e->plan;
    struct ls_path *path = ls_arena_alloc(e->cc->arena, sizeof(*path));
    unsigned at = r->order[0], succ[2], n;

    *path = (struct ls_path){.r = r};
    ls_emit_enter(e, r);
    for (unsigned i = 0; (n = ls_region_successors(plan, r, at, succ)) == 1 && i < r->n; i++)
        at = succ[0];
    if (n == 2 && succ[0] != succ[1] && depth < MAX_FORKS && !plan->blocks[at].divergent &&
        ls_emit_can_early(e, at, LLVMGetCondition(plan->blocks[at].term))) {
        const struct ls_region *side[2] = {take(e, r, at, 0), take(e, r, at, 1)};
        unsigned whole = ls_region_size(plan, r);

        if (ls_region_size(plan, side[0]) + ls_region_size(plan, side[1]) <=
            whole + whole / 4 + 8) {
            path->fork = at;
            for (unsigned k = 0; k < 2; k++)
                path->side[k] = find(e, side[k], depth + 1);
            return path;
        }
    }
    path->trim = ls_trim_find(e);
    return path;
}

struct ls_path *
ls_paths_find(struct ls_emitter *e, unsigned point)
{
    const struct ls_plan *plan = e->plan;
    const struct ls_region *r = &plan->regions[point];
    struct ls_path *path;

    if (!e->plain && plan->max_warps > 1 && plan->shapes && !r->turns &&
        plan->points[point].kind != LS_POINT_TURN && plan->points[point].kind != LS_POINT_TURN_END)
        return find(e, r, 0);
    path = ls_arena_alloc(e->cc->arena, sizeof(*path));
    *path = (struct ls_path){.r = r};
    return path;
}
