/* One array for a field and its next value. A loop that makes all of v from u may write v over u if
 * nobody reads u again. A sweep along one dimension first saves the planes that it is about to
 * overwrite; it reads u from them as far as the sweep has gone, and from the array beyond. */
#include "plan/planner.h"

static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    plan_pair found;
    for (int l = g->part.first; l < g->part.end; l++)
        if (plan_pair_find(g, l, &found)) return plan_group_sweeps(g, r, why);
    text_add(why, "no loop makes all of a field from one that is not read again");
    return false;
}

/* One loop within the shared array. */
static void add_sweep(plan_group *g, const plan_request *r, plan *p, int parent, int loop, int from)
{
    int d = plan_group_sweep(g, r);
    plan_node saved = {.kind = PLAN_BUFFER, .slot = from, .alias = -1, .reach = {-PLAN_FAR, 0}};
    saved.capacity[d] = r->tile[d] + plan_pair_back(&g->part.a->loops[loop], from, d);
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
static int add_shared(plan_group *g, const plan_request *r, plan *p, int parent, int l, plan_pair x)
{
    analysis_section done = g->part;
    plan_node array = {.kind = PLAN_BUFFER, .slot = x.from, .alias = x.to};
    int seq = plan_add(p, plan_add(p, parent, array), (plan_node){.kind = PLAN_SEQ});
    plan_add(p, seq, (plan_node){.kind = PLAN_MOVE, .slot = x.from});
    plan_pair next = x;
    do {
        x = next;
        add_sweep(g, r, p, seq, l++, x.from);
    } while (l < g->part.end && plan_pair_find(g, l, &next) && next.from == x.to &&
             next.to == x.from);
    done.end = l;
    if (analysis_leaves(&done, x.to))
        plan_add(p, seq, (plan_node){.kind = PLAN_MOVE, .slot = x.to, .out = true});
    return l;
}

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    plan_pair found;
    for (int l = g->part.first; l < g->part.end && !p->failed;) {
        analysis_section alone = {g->part.a, l, l + 1};
        if (plan_pair_find(g, l, &found)) {
            l = add_shared(g, r, p, parent, l, found);
        } else {
            plan_add_loops(p, parent, &alone, PLAN_ON_GRID);
            l++;
        }
    }
}

const plan_method plan_single = {"single", true, false, PLAN_TAKES_TILE, applicable, make};
