/* One array for a field and its next value. A loop that makes all of v from u may write v over u if
 * nobody reads u again. A sweep along one dimension first saves the planes that it is about to
 * overwrite; it reads u from them as far as the sweep has gone, and from the array beyond. */
#include "plan/planner.h"

/* The u and v of a loop. */
typedef struct pair {
    int from, to;
} pair;

static bool is_pair(const analysis_section *loop, pair x)
{
    const analysis_chain *a = loop->a;
    analysis_use from = analysis_use_of(loop, x.from);
    return from.touched && !from.written && !from.remapped && !analysis_takes(loop, x.to) &&
           plan_are_alike(a->slots[x.from], a->slots[x.to]) &&
           !analysis_lasts(a, loop->end, x.from);
}

static bool find_pair(const plan_group *g, int l, pair *out)
{
    analysis_section loop = {g->part.a, l, l + 1};
    const chain_loop *of = g->part.a->loops[l].loop;
    if (of->once || of->colors > 1) return false;
    for (out->to = 0; out->to < g->part.a->slot_count; out->to++) {
        if (!analysis_use_of(&loop, out->to).written) continue;
        for (out->from = 0; out->from < g->part.a->slot_count; out->from++)
            if (is_pair(&loop, *out)) return true;
    }
    return false;
}

static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    pair found;
    for (int l = g->part.first; l < g->part.end; l++)
        if (find_pair(g, l, &found)) return plan_group_sweeps(g, r, why);
    text_add(why, "no loop makes all of a field from one that is not read again");
    return false;
}

static int64_t reach_back(const analysis_loop *l, int slot, int d)
{
    int64_t back = 0;
    for (int t = 0; t < l->touch_count; t++)
        if (l->touches[t].slot == slot)
            back = larger(back, -analysis_distance_of(l, &l->touches[t], d).lo);
    return back;
}

/* One loop within the shared array. */
static void add_sweep(plan_group *g, const plan_request *r, plan *p, int parent, int loop, int from)
{
    int d = plan_group_sweep(g, r);
    plan_node saved = {.kind = PLAN_BUFFER, .slot = from, .alias = -1, .reach = {-PLAN_FAR, 0}};
    saved.capacity[d] = r->tile[d] + reach_back(&g->part.a->loops[loop], from, d);
    saved.window = p->count + 1; /* the number that the tile will have */
    int buffer = plan_add(p, parent, saved);
    int tile =
        plan_add(p, buffer, (plan_node){.kind = PLAN_TILE, .dimension = d, .size = r->tile[d]});
    int seq = plan_add(p, tile, (plan_node){.kind = PLAN_SEQ});
    plan_add(p, seq, (plan_node){.kind = PLAN_MOVE, .slot = from});
    plan_add(p, seq, (plan_node){.kind = PLAN_LOOP, .loop = loop});
    plan_end_tile(p, tile, NULL, NULL);
}

/* The loops from number `l` that pass values to and fro between two fields; returns their end. */
static int add_shared(plan_group *g, const plan_request *r, plan *p, int parent, int l, pair x)
{
    analysis_section done = g->part;
    plan_node array = {.kind = PLAN_BUFFER, .slot = x.from, .alias = x.to};
    int seq = plan_add(p, plan_add(p, parent, array), (plan_node){.kind = PLAN_SEQ});
    plan_add(p, seq, (plan_node){.kind = PLAN_MOVE, .slot = x.from});
    pair next = x;
    do {
        x = next;
        add_sweep(g, r, p, seq, l++, x.from);
    } while (l < g->part.end && find_pair(g, l, &next) && next.from == x.to && next.to == x.from);
    done.end = l;
    if (analysis_leaves(&done, x.to))
        plan_add(p, seq, (plan_node){.kind = PLAN_MOVE, .slot = x.to, .out = true});
    return l;
}

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    pair found;
    for (int l = g->part.first; l < g->part.end && !p->failed;) {
        analysis_section alone = {g->part.a, l, l + 1};
        if (find_pair(g, l, &found)) {
            l = add_shared(g, r, p, parent, l, found);
        } else {
            plan_add_loops(p, parent, &alone, PLAN_ON_GRID);
            l++;
        }
    }
}

const plan_method plan_single = {"single", true, false, PLAN_TAKES_TILE, applicable, make};
