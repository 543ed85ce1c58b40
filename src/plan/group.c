/* Groups of loops: which loops belong together, and the nodes that their planners share. */
#include "plan/planner.h"

#include <string.h>

/* ---- grouping -------------------------------------------------------------------------------- */

/* How the loops of a group use a slot, as bits. REMAPPED: its points are not those of the loop. */
enum { TOUCHED = 1, WRITTEN = 2, REMAPPED = 4, REMAPPED_WRITTEN = 8, READ = 16, REDUCED = 32 };

typedef struct bonds {
    unsigned char *slots;
    bool *written;           /* by slot: the field is, so far */
    const grid_shape *shape; /* of the first loop on a grid */
    int64_t finest[3];       /* with ratios: sizes of the finest grid of that loop */
    bool apart, ratios, copies;
    bool glued;      /* copies glue grids of several sizes together */
    bool ordered[3]; /* levels of some loop run in order along a dimension */
} bonds;

static bool is_remapped(const bonds *b, const analysis_touch *t)
{
    return t->remapped && !(b->ratios && t->scaled) && !(b->copies && t->copied);
}

/* The bits that keep a loop with a touch out of the group. */
static unsigned refused_bits(const bonds *b, const analysis_loop *l, const analysis_touch *t)
{
    bool once = l->loop->once;
    if (t->scalar) /* a loop that runs before the others must not change their scalars */
        return !b->apart ? 0 : !t->writes ? REDUCED : once ? REDUCED | READ : 0;
    return t->writes ? (is_remapped(b, t) ? TOUCHED : REMAPPED)
                     : (is_remapped(b, t) ? WRITTEN : REMAPPED_WRITTEN);
}

static unsigned bits_of(const bonds *b, const analysis_loop *l, const analysis_touch *t)
{
    if (t->scalar) return l->loop->once ? 0 : t->writes ? REDUCED : READ;
    return TOUCHED | (is_remapped(b, t) ? REMAPPED : 0) |
           (t->writes ? (is_remapped(b, t) ? WRITTEN | REMAPPED_WRITTEN : WRITTEN) : 0);
}

/* Whether a loop belongs to the finest grid of the group: it runs there, or changes fields there,
 * or reads those that the group has changed. */
static bool suits_grids(bonds *b, const analysis_loop *l)
{
    int64_t finest[3];
    bool divides = analysis_find_finest(l, b->written, finest);
    if (!b->shape) b->ratios = b->ratios && divides;
    if (b->glued) return !b->shape || b->shape->rank == l->loop->shape.rank;
    if (!b->ratios) return !b->shape || grid_shape_equal(b->shape, &l->loop->shape);
    if (!b->shape) memcpy(b->finest, finest, sizeof finest);
    return divides && !memcmp(b->finest, finest, sizeof finest) &&
           (!b->shape || b->shape->rank == l->loop->shape.rank);
}

/* Whether a dimension is left to be cut: of three, one along which rows stay whole. */
static bool can_be_cut(const bool ordered[3], int rank)
{
    bool some = false;
    for (int d = rank == 3; d < rank; d++) some = some || !ordered[d];
    return some;
}

/* Whether levels run in order along the last dimension that is left to be cut: solving along y and
 * z in turn makes two groups, of which one is cut along z and the other along y. */
static bool orders_last(const bonds *b, const analysis_loop *l)
{
    bool ordered[3] = {b->ordered[0], b->ordered[1], b->ordered[2]};
    if (!l->columns || !b->shape) return false;
    ordered[l->loop->kernel->ordered] = true;
    return can_be_cut(b->ordered, b->shape->rank) && !can_be_cut(ordered, b->shape->rank);
}

/* Adds a loop unless something keeps it out. */
static bool join(bonds *b, const analysis_loop *l)
{
    if (!l->loop->once && !suits_grids(b, l)) return false;
    if (orders_last(b, l)) return false;
    for (int i = 0; i < l->touch_count; i++)
        if (b->slots[l->touches[i].slot] & refused_bits(b, l, &l->touches[i])) return false;
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        b->slots[t->slot] |= (unsigned char)bits_of(b, l, t);
        b->written[t->slot] = b->written[t->slot] || (t->writes && !t->scalar);
    }
    if (l->columns) b->ordered[l->loop->kernel->ordered] = true;
    if (!l->loop->once) b->shape = &l->loop->shape;
    return true;
}

/* Loops that may stop the chain run alone, so that the first failure is found first. Some loops
 * cannot be cut. */
static bool is_alone(const analysis_loop *l, plan_mixture of)
{
    bool cut = !l->uncuttable || (l->loop->copy && of.copies);
    return l->checks || !cut || (l->reduces && !of.sums);
}

/* Whether loops run on several grids, or change fields of another one. */
static bool has_ratios(const plan_group *g, const bonds *b)
{
    for (int l = g->part.first; l < g->part.end && b->shape; l++) {
        const chain_loop *loop = g->part.a->loops[l].loop;
        for (int d = 0; d < 3 && !loop->once; d++)
            if (loop->shape.size[d] != b->finest[d]) return true;
    }
    return false;
}

/* Whether a copy of these loops, or behind them, leads to a grid of another size. */
static bool has_glued_grids(const analysis_chain *a, int first)
{
    bool glued = false;
    for (int l = first; l < a->loop_count && !glued; l++) {
        const chain_loop *loop = a->loops[l].loop;
        if (!loop->copy) continue;
        grid_shape from = chain_slot_grid(loop->bindings[CHAIN_COPY_FROM].slot);
        glued = from.rank == loop->shape.rank && !grid_shape_equal(&from, &loop->shape);
    }
    return glued;
}

static bool find_end(plan_group *g, plan_mixture of)
{
    const analysis_chain *a = g->part.a;
    const analysis_loop *loops = a->loops;
    bonds b = {.apart = of.apart, .ratios = of.ratios, .copies = of.copies};
    b.glued = of.copies && has_glued_grids(a, g->part.first);
    b.ratios = b.ratios && !b.glued;
    b.slots = arena_array(&g->memory, (size_t)a->slot_count + 1, sizeof *b.slots);
    b.written = arena_array(&g->memory, (size_t)a->slot_count + 1, sizeof *b.written);
    if (!b.slots || !b.written) return false;
    int first = g->part.first, *end = &g->part.end;
    bool joins = !is_alone(&loops[first], of) && join(&b, &loops[first]);
    while (joins && *end < a->loop_count && !is_alone(&loops[*end], of) && join(&b, &loops[*end]))
        ++*end;
    if (b.ratios && has_ratios(g, &b)) memcpy(g->finest, b.finest, sizeof g->finest);
    return true;
}

/* ---- what can be cut ------------------------------------------------------------------------- */

/* Why a loop cannot be cut in a periodic dimension: a field with faces or ghosts has no copies a
 * period apart, and a coloured point may not read a copy of itself. */
static const char *cannot_wrap(const plan_group *g, const analysis_loop *l, const analysis_touch *t,
                               int d)
{
    if (t->scalar || (t->remapped && !(g->finest[0] && t->scaled))) return NULL;
    const chain_binding *b = &l->loop->bindings[t->param];
    int64_t period = chain_slot_grid(b->slot).size[d];
    grid_box inside = chain_binding_inside(b);
    if (inside.lo[d] != 0 || inside.hi[d] != period)
        return "a field has faces or ghosts there, others are read over periodic sides";
    return l->loop->colors > 1 && larger(-t->lo[d], t->hi[d]) >= period
               ? "a coloured loop reads as far as its periodic sides are apart"
               : NULL;
}

static void find_periods(plan_group *g, const analysis_loop *l)
{
    for (int i = 0; i < l->touch_count; i++)
        for (int d = 0; d < 3 && !l->touches[i].scalar; d++)
            if (l->touches[i].far[d].periodic)
                g->period[d] = l->loop->shape.size[d] * plan_group_scale(g, l->loop, d);
}

static void find_fixed(plan_group *g, const analysis_loop *l)
{
    const grid_box *box = &l->loop->box;
    for (int d = 0; d < 3 && l->loop->copy; d++)
        if (!chain_copy_is_straight(l->loop->copy, d)) g->fixed[d] = "copies turn it";
    if (l->columns) g->fixed[l->loop->kernel->ordered] = "levels run in order along it";
    for (int d = 0; d < 3; d++) {
        int64_t hi = box->hi[d] * plan_group_scale(g, l->loop, d);
        bool beyond = box->lo[d] < 0 || hi > g->period[d];
        bool other = l->loop->shape.size[d] * plan_group_scale(g, l->loop, d) != g->period[d];
        if (d >= l->loop->shape.rank) g->fixed[d] = "the grid does not have it";
        if (g->period[d] && l->loop->copy) g->fixed[d] = "values are copied along periodic sides";
        if (g->period[d] && other) g->fixed[d] = "grids of other sizes have no such periodic sides";
        if (g->period[d] && beyond) g->fixed[d] = "a range goes beyond its periodic sides";
        for (int i = 0; i < l->touch_count && g->period[d] && !g->fixed[d]; i++)
            g->fixed[d] = cannot_wrap(g, l, &l->touches[i], d);
    }
}

/* Why a loop, and with it its group, cannot be cut at all; NULL: it can. */
static const char *why_whole(const plan_group *g, const analysis_loop *l)
{
    if (l->loop->copy && g->copies) return NULL;
    if (l->loop->copy) return "values are copied from one field to another, whole";
    if (l->gathers) return "values are reduced into a field that lacks a dimension";
    if (l->uncuttable && l->columns)
        return "levels run in order and hand values on in a field that lacks their dimension";
    if (l->uncuttable)
        return "levels run in order and read more of each other than their own column";
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->writes && !t->scalar && t->remapped && !(g->finest[0] && t->scaled))
            return "a field is written that is finer, coarser or lacks a dimension";
    }
    return NULL;
}

static void find_dimensions(plan_group *g)
{
    const analysis_loop *loops = g->part.a->loops;
    for (int l = g->part.first; l < g->part.end; l++)
        if (!loops[l].loop->once) find_periods(g, &loops[l]);
    for (int l = g->part.first; l < g->part.end; l++) {
        if (!loops[l].loop->once) find_fixed(g, &loops[l]);
        if (!g->whole) g->whole = why_whole(g, &loops[l]);
    }
}

bool plan_group_make(plan_group *g, const analysis_chain *a, int first, plan_mixture of)
{
    *g = (plan_group){.part = {a, first, first + 1}, .copies = of.copies};
    if (!find_end(g, of)) return false;
    size_t loops = (size_t)(g->part.end - first), slots = (size_t)a->slot_count + 1;
    g->lags = arena_array(&g->memory, loops, sizeof *g->lags);
    g->extents = arena_array(&g->memory, loops, sizeof *g->extents);
    g->needs = arena_array(&g->memory, slots, sizeof *g->needs);
    g->fields = arena_array(&g->memory, slots, sizeof *g->fields);
    g->passing = arena_array(&g->memory, slots, sizeof *g->passing);
    g->uses = arena_array(&g->memory, slots, sizeof *g->uses);
    find_dimensions(g);
    return plan_group_glue(g) && g->lags && g->extents && g->needs && g->fields && g->passing &&
           g->uses;
}

void plan_group_free(plan_group *g) { arena_free(&g->memory); }

int64_t plan_group_scale(const plan_group *g, const chain_loop *loop, int d)
{
    return g->finest[0] ? analysis_scale(g->finest, loop, d) : 1;
}

bool plan_group_lags(plan_group *g, const analysis_section *part)
{
    plan_span(*lags)[3] = g->lags + (part->first - g->part.first);
    for (int l = part->first; l < part->end; l++)
        for (int d = 0; d < 3; d++)
            lags[l - part->first][d].lo = lags[l - part->first][d].hi = plan_group_place(g, l, d);
    return analysis_find_lags(part, g->finest[0] ? g->finest : NULL, lags);
}

/* ---- what planners ask ----------------------------------------------------------------------- */

bool plan_group_tiles(const plan_group *g, const plan_request *r, int d)
{
    return r->tile[d] > 0 && !g->fixed[d];
}

void plan_group_say_fixed(const plan_group *g, const int64_t sizes[3], int64_t least,
                          const char *none, text *why)
{
    bool any = false;
    for (int d = 0; d < 3; d++) {
        if (sizes[d] <= least) continue;
        text_add(why, "%snot along %c: %s", any ? "; " : "", 'x' + d,
                 g->fixed[d] ? g->fixed[d] : "values are read over its periodic sides");
        any = true;
    }
    if (!any) text_add(why, "%s", none);
}

int plan_group_slowest(const plan_group *g, const plan_request *r)
{
    int d = 2;
    while (d >= 0 && !plan_group_tiles(g, r, d)) d--;
    return d;
}

int plan_group_sweep(const plan_group *g, const plan_request *r)
{
    int d = 2;
    while (d >= 0 && (g->period[d] || !plan_group_tiles(g, r, d))) d--;
    return d;
}

bool plan_group_sweeps(const plan_group *g, const plan_request *r, text *why)
{
    bool sweeps = plan_group_sweep(g, r) >= 0;
    if (!sweeps) plan_group_say_fixed(g, r->tile, 0, PLAN_NO_SIZE, why);
    return sweeps;
}

/* Widens margins by the indices that loops write around the wanted points, and by their needs. */
static void widen_margins(plan_group *g, const analysis_section *part)
{
    for (int s = 0; s < part->a->slot_count; s++)
        for (int d = 0; d < 3; d++)
            analysis_widen(&g->fields[s].margin[d], g->needs[s][d].lo, g->needs[s][d].hi);
    for (int l = part->first; l < part->end; l++)
        for (int i = 0; i < part->a->loops[l].touch_count; i++) {
            const analysis_touch *t = &part->a->loops[l].touches[i];
            const plan_span *extent = g->extents[l - g->part.first];
            for (int d = 0; d < 3 && t->writes; d++)
                analysis_widen(&g->fields[t->slot].margin[d], extent[d].lo + t->lo[d],
                               extent[d].hi + t->hi[d]);
        }
}

void plan_group_extents(plan_group *g, const analysis_section *part)
{
    plan_span(*extents)[3] = g->extents + (part->first - g->part.first);
    memset(g->needs, 0, (size_t)part->a->slot_count * sizeof *g->needs);
    memset(extents, 0, (size_t)(part->end - part->first) * sizeof *extents);
    analysis_find_extents(part, g->needs, extents);
    widen_margins(g, part);
}

void plan_group_fronts(plan_group *g, const analysis_section *part, int d)
{
    for (int s = 0; s < part->a->slot_count; s++) g->fields[s].margin[d] = ANALYSIS_NONE;
    for (int l = part->first; l < part->end; l++)
        for (int i = 0; i < part->a->loops[l].touch_count; i++) {
            const analysis_touch *t = &part->a->loops[l].touches[i];
            if (t->scalar) continue;
            analysis_distance far = t->far[d];
            int64_t late = g->lags[l - g->part.first][d].hi;
            analysis_widen(&g->fields[t->slot].margin[d], far.lo - late, far.hi - late);
        }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

void plan_add_loops(plan *p, int parent, const analysis_section *part, unsigned what)
{
    for (int l = part->first; l < part->end; l++) {
        const analysis_loop *loop = &part->a->loops[l];
        bool once = loop->loop->once;
        if (!once && what & PLAN_ON_GRID)
            plan_add(p, parent, (plan_node){.kind = PLAN_LOOP, .loop = l});
        if (once ? what & PLAN_ONCE : loop->reduces && what & PLAN_REDUCED)
            plan_add(p, parent, (plan_node){.kind = PLAN_SCALAR, .loop = l});
    }
}

/* Tiles within tiles count in the points of one grid. */
void plan_add_below(const plan_group *g, const plan_request *r, const analysis_section *part,
                    unsigned what, const bool cut[3], plan *p, int parent)
{
    plan_inside in = {.part = *part, .what = what, .around = g};
    for (int d = 0; d < 3; d++) in.cut[d] = cut[d] || g->around[d];
    if (r->below && !g->finest[0])
        g->add_groups(p, parent, &in, r->below);
    else
        plan_add_loops(p, parent, part, what);
}

plan_node plan_group_buffer(const plan_group *g, int slot, const int64_t size[3])
{
    plan_node buffer = {.kind = PLAN_BUFFER, .slot = slot, .alias = -1};
    const plan_span *margin = g->fields[slot].margin;
    for (int d = 0; d < 3; d++)
        if (g->cut[d]) buffer.capacity[d] = size[d] + margin[d].hi - margin[d].lo;
    return buffer;
}

int plan_group_buffers(const plan_group *g, const int64_t size[3], plan *p, int parent)
{
    for (int s = 0; s < g->part.a->slot_count; s++)
        if (g->fields[s].buffered) parent = plan_add(p, parent, plan_group_buffer(g, s, size));
    return plan_add(p, parent, (plan_node){.kind = PLAN_SEQ});
}

void plan_group_moves(const plan_group *g, plan *p, int parent, bool out, int tag)
{
    for (int s = 0; s < g->part.a->slot_count; s++)
        if (out ? g->fields[s].out : g->fields[s].in)
            plan_add(p, parent, (plan_node){.kind = PLAN_MOVE, .slot = s, .out = out, .tag = tag});
}

plan_span plan_group_span(const void *group, const plan_node *leaf, int d)
{
    const plan_group *g = group;
    if (!g->cut[d]) return (plan_span){-PLAN_FAR, PLAN_FAR};
    if (leaf->kind == PLAN_LOOP) return g->extents[leaf->loop - g->part.first][d];
    return leaf->out ? (plan_span){0, 0} : g->needs[leaf->slot][d];
}
