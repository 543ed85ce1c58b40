/* Tiles that run at once: what one of them writes no other may touch. Each tile is a lane, which
 * notes its touches. All tiles of a parallel node run at once. In a wave, a tile runs after those
 * that come before it in all dimensions, and at once with the others. A tile may pass another one
 * with which it has nothing in common; so the wave gives the values of one tile after another, in
 * any order that it allows. */
#include "plan/proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool proof_note_lanes(proof *v, const plan_place *place, int component, const grid_box *box,
                      bool writes)
{
    for (int i = 0; i < v->lane_depth; i++) {
        proof_lanes *l = &v->lanes[i];
        void *touches = l->touches;
        if (place->number >= l->own_places) continue;
        if (!vector_reserve(&touches, &l->room, l->count + 1, sizeof *l->touches))
            return proof_no_memory(v);
        l->touches = touches;
        l->touches[l->count++] = (proof_touch){l->lane,
                                               place->number,
                                               component,
                                               v->colored,
                                               writes,
                                               *box,
                                               {l->at[0], l->at[1], l->at[2]}};
    }
    return true;
}

/* ---- which touches interfere ----------------------------------------------------------------- */

/* By place and component, then by the first index along a dimension. */
static int compare(const void *a, const void *b, void *dimension)
{
    const proof_touch *x = a, *y = b;
    const int d = *(const int *)dimension;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    if (x->component != y->component) return x->component < y->component ? -1 : 1;
    return (x->box.lo[d] > y->box.lo[d]) - (x->box.lo[d] < y->box.lo[d]);
}

/* The dimension along which a box meets the fewest others: it is short, and they lie far apart. */
static int find_dimension(const proof_lanes *l)
{
    double least = INFINITY;
    int found = 2;
    for (int d = 2; d >= 0; d--) {
        double low = INFINITY, high = -INFINITY, sum = 0;
        for (size_t i = 0; i < l->count; i++) {
            const grid_box *box = &l->touches[i].box;
            low = fmin(low, (double)box->lo[d]);
            high = fmax(high, (double)box->hi[d]);
            sum += (double)(box->hi[d] - box->lo[d]);
        }
        double part = sum / (high - low);
        if (part < least) found = d;
        least = fmin(least, part);
    }
    return found;
}

/* Whether the tiles of two touches may run at once. */
static bool at_once(const proof_lanes *l, const proof_touch *x, const proof_touch *y)
{
    bool before = true, after = true;
    for (int d = 0; d < 3; d++) {
        before = before && x->at[d] <= y->at[d];
        after = after && x->at[d] >= y->at[d];
    }
    return x->lane != y->lane && !(l->node->wave && (before || after));
}

static bool interfere(const proof_lanes *l, const proof_touch *x, const proof_touch *y)
{
    bool own = x->loop >= 0 && x->loop == y->loop; /* its colours do not meet */
    return !own && (x->writes || y->writes) && grid_box_meet(&x->box, &y->box) && at_once(l, x, y);
}

static bool refuse(proof *v, const proof_lanes *l, const proof_touch *x, const proof_touch *y)
{
    text touched = {0};
    grid_box both = grid_box_intersect(&x->box, &y->box);
    grid_box_print(&touched, &both, 3);
    proof_refuse(v, "%s of node %d both touch %s of one field, and one writes it",
                 l->node->wave ? "two tiles in a wave" : "parallel tiles",
                 (int)(l->node - v->p->nodes), text_get(&touched));
    text_free(&touched);
    return false;
}

static bool check(proof *v, proof_lanes *l)
{
    int d = find_dimension(l);
    if (l->count) qsort_r(l->touches, l->count, sizeof *l->touches, compare, &d);
    for (size_t i = 0; i < l->count; i++)
        for (size_t j = i + 1; j < l->count; j++) {
            const proof_touch *x = &l->touches[i], *y = &l->touches[j];
            if (x->place != y->place || x->component != y->component ||
                y->box.lo[d] >= x->box.hi[d])
                break;
            if (interfere(l, x, y)) return refuse(v, l, x, y);
        }
    return true;
}

/* ---- the visitor ----------------------------------------------------------------------------- */

static bool end_lanes(proof *v)
{
    proof_lanes *top = &v->lanes[v->lane_depth - 1];
    bool right = check(v, top);
    free(top->touches);
    v->lane_depth--;
    return right;
}

bool proof_tile(void *data, const plan_node *node, const int64_t at[3])
{
    proof *v = data;
    if (!node) return !v->lane_depth || end_lanes(v);
    proof_lanes *top = v->lane_depth ? &v->lanes[v->lane_depth - 1] : NULL;
    bool next = top && top->node == node;
    if (!next && v->lane_depth == PROOF_LANES)
        return proof_refuse(v, "parallel tiles are nested more than %d deep", PROOF_LANES);
    if (!next) {
        top = &v->lanes[v->lane_depth++];
        *top = (proof_lanes){.node = node};
    } else
        top->lane++;
    top->own_places = v->places;
    if (at) memcpy(top->at, at, sizeof top->at);
    return true;
}
