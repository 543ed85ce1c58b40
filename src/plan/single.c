/* One array for a field and its next value. A loop that makes all of v from u, which nobody reads
 * again, may write v over u: a sweep along one dimension first saves the planes that it is about to
 * overwrite, and finds u there as far as it has gone, in the array beyond. */
#include "plan/plan.h"

static int along(const plan_group *g, const plan_request *r)
{
    for (int d = 2; d >= 0; d--)
        if (r->tile[d] > 0 && !g->fixed[d] && !g->period[d]) return d;
    return -1;
}

static bool alike(const chain_slot *a, const chain_slot *b)
{
    return a->type == b->type && a->components == b->components && chain_slot_same_place(a, b);
}

/* A group of one loop: its pair of fields. */
static plan_group alone(const plan_group *g, int loop)
{
    plan_group one = *g;
    one.first = loop;
    one.end = loop + 1;
    return one;
}

static bool find_pair(const plan_group *g, int loop, int *from, int *to)
{
    plan_group one = alone(g, loop);
    if (g->a->loops[loop].loop->once || g->a->loops[loop].loop->colors > 1) return false;
    for (*to = 0; *to < g->a->slot_count; ++*to) {
        if (g->a->slots[*to]->is_scalar || !plan_group_writes(&one, *to) ||
            plan_group_takes(&one, *to))
            continue;
        for (*from = 0; *from < g->a->slot_count; ++*from) {
            if (*from == *to || g->a->slots[*from]->is_scalar || !plan_group_touches(&one, *from) ||
                plan_group_writes(&one, *from) || !plan_group_plain(&one, *from) ||
                !alike(g->a->slots[*from], g->a->slots[*to]))
                continue;
            plan_group later = one; /* is it read, by what comes after? */
            later.first = later.end = loop + 1;
            bool read = false;
            for (later.end = loop + 1; later.end < g->a->loop_count; later.end++)
                if (plan_group_touches(
                        &(plan_group){.a = g->a, .first = later.end, .end = later.end + 1}, *from))
                    break;
            if (later.end < g->a->loop_count)
                read = plan_group_takes(
                    &(plan_group){.a = g->a, .first = later.end, .end = later.end + 1}, *from);
            else
                read = !g->a->dead[*from];
            if (!read) return true;
        }
    }
    return false;
}

static bool applicable(plan_group *g, const plan_request *r)
{
    int from, to;
    for (int l = g->first; l < g->end && along(g, r) >= 0; l++)
        if (find_pair(g, l, &from, &to)) return true;
    return false;
}

static int add_move(plan *p, int parent, int slot, bool out)
{
    int move = plan_add(p, parent, PLAN_MOVE);
    if (!move) return 0;
    p->nodes[move].slot = slot;
    p->nodes[move].out = out;
    return move;
}

static int64_t reach_back(const analysis_loop *l, int slot, int d)
{
    int64_t back = 0;
    for (int t = 0; t < l->touch_count; t++) {
        if (l->touches[t].slot != slot) continue;
        int64_t lo = analysis_distance_of(l, &l->touches[t], d).lo;
        if (-lo > back) back = -lo;
    }
    return back;
}

/* One loop within the shared array. */
static bool add_sweep(plan_group *g, const plan_request *r, plan *p, int parent, int loop, int from)
{
    int d = along(g, r), saved = plan_add(p, parent, PLAN_BUFFER);
    int tile = saved ? plan_add(p, saved, PLAN_TILE) : 0;
    int seq = tile ? plan_add(p, tile, PLAN_SEQ) : 0;
    if (!seq || !add_move(p, seq, from, false)) return false;
    int leaf = plan_add(p, seq, PLAN_LOOP);
    if (!leaf) return false;
    p->nodes[leaf].loop = loop;
    plan_node *n = &p->nodes[saved];
    n->slot = from;
    n->capacity[d] = r->tile[d] + reach_back(&g->a->loops[loop], from, d);
    n->window = tile;
    n->reach = (plan_span){-PLAN_FAR, 0};
    p->nodes[tile].dimension = d;
    p->nodes[tile].size = r->tile[d];
    return plan_end_tile(p, tile);
}

static bool is_left(const plan_group *g, int end, int slot)
{
    plan_group done = {.a = g->a, .first = g->first, .end = end};
    return plan_group_leaves(&done, slot);
}

/* The loops from `first` that pass values to and fro between two fields; returns the end. */
static int add_shared(plan_group *g, const plan_request *r, plan *p, int parent, int first)
{
    int from, to, next_from, next_to, last = first + 1;
    find_pair(g, first, &from, &to);
    int shared = plan_add(p, parent, PLAN_BUFFER), seq = shared ? plan_add(p, shared, PLAN_SEQ) : 0;
    if (!seq) return -1;
    p->nodes[shared].slot = from;
    p->nodes[shared].twin = to;
    if (!add_move(p, seq, from, false) || !add_sweep(g, r, p, seq, first, from)) return -1;
    while (last < g->end && find_pair(g, last, &next_from, &next_to) && next_from == to &&
           next_to == from) {
        if (!add_sweep(g, r, p, seq, last, next_from)) return -1;
        from = next_from;
        to = next_to;
        last++;
    }
    return !is_left(g, last, to) || add_move(p, seq, to, true) ? last : -1;
}

static bool make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    for (int l = g->first; l >= 0 && l < g->end;) {
        int from, to;
        if (g->a->loops[l].loop->once) {
            l++;
        } else if (find_pair(g, l, &from, &to)) {
            l = add_shared(g, r, p, parent, l);
            if (l < 0) return false;
        } else {
            int leaf = plan_add(p, parent, PLAN_LOOP);
            if (!leaf) return false;
            p->nodes[leaf].loop = l++;
        }
    }
    return true;
}

const plan_method plan_single = {"single", true, applicable, make};
