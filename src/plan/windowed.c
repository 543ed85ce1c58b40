/* Overlapped tiles whose sections and sizes the planner finds. A section should end where few
 * values live on: of all ways to cut a group into sections, the one is taken in which least passes
 * to and from memory, found from the last loop back. In a tile, the fields that several loops of a
 * section touch fill the bytes of a cache that are asked for. Sections of one loop have no tiles.
 */
#include "plan/planner.h"

#include <math.h>
#include <string.h>

enum {
    MOST_LOOPS = 12,             /* of a section */
    FEWEST_ROWS = HOSTILE(8, 2), /* of a tile with whole rows */
    UNIT = HOSTILE(64, 2),       /* points; cuts along x are at multiples of it */
    TILES_PER_THREAD = 4
};

static const double CACHED = 0.25;     /* the cost of a byte in a cache, of one in memory */
static const double MOST_GROWTH = 2.5; /* of a tile, by the points that others compute, too */

/* A section, and what it costs with all sections after it: bytes per point. */
struct plan_part {
    int end; /* number of a loop; 0: this way was not looked at */
    double cost;
    int64_t tile[3]; /* 0: not cut */
};

typedef struct finder {
    plan_group *g;
    int64_t cache, threads;
} finder;

/* ---- sizes ----------------------------------------------------------------------------------- */

static int64_t bytes_of(const chain_slot *slot)
{
    return (int64_t)slot->components * ir_storages[slot->type].bytes;
}

typedef struct measures {
    int64_t extent[3], growth[3];
    int64_t bytes; /* at a point, of the fields that stay in the cache */
    bool free[3];
} measures;

static void measure_loop(const finder *f, const analysis_section *part, int loop, grid_box *hull,
                         measures *m)
{
    const analysis_loop *l = &part->a->loops[loop];
    const plan_span *extent = f->g->extents[loop - f->g->part.first];
    if (l->loop->once || grid_box_is_empty(&l->loop->box)) return;
    *hull = grid_box_is_empty(hull) ? l->loop->box : grid_box_hull(hull, &l->loop->box);
    if (l->reduces) m->free[0] = false; /* sums go over whole bricks of rows */
    for (int d = 0; d < 3; d++) m->growth[d] = larger(m->growth[d], extent[d].hi - extent[d].lo);
}

static measures measure(const finder *f, const analysis_section *part)
{
    measures m = {.bytes = 1};
    grid_box hull = {.lo = {0}};
    for (int d = 0; d < 3; d++) m.free[d] = !f->g->fixed[d] && !f->g->period[d];
    for (int l = part->first; l < part->end; l++) measure_loop(f, part, l, &hull, &m);
    for (int s = 0; s < part->a->slot_count; s++) {
        const analysis_use *use = &f->g->uses[s]; /* what one loop touches passes through */
        if (use->loops > 1 && !use->remapped) m.bytes += bytes_of(part->a->slots[s]);
    }
    for (int d = 0; d < 3; d++) {
        m.extent[d] = larger(hull.hi[d] - hull.lo[d], 1);
        m.free[d] = m.free[d] && m.extent[d] > 1;
    }
    return m;
}

/* How many points wide tiles are, of which so many points fit the cache. */
static int64_t width_of(const measures *m, int64_t points)
{
    int64_t planes = m->free[2] ? 1 : m->extent[2], rows = m->free[1] ? planes : m->extent[1];
    int64_t least = m->free[1] && m->free[2] ? FEWEST_ROWS : rows;
    if (!m->free[0] || m->extent[0] * least <= points) return m->extent[0];
    return smaller(larger(points / least / UNIT * UNIT, UNIT), m->extent[0]);
}

/* Tiles of as many rows as fit; where loops need nothing along z, of one plane. */
static void size_rows(const measures *m, int64_t rows, int64_t tile[3])
{
    double side = sqrt((double)rows);
    if (m->free[2] && m->free[1]) {
        int64_t high = m->growth[2] ? (int64_t)side : 1;
        tile[2] = larger(high - m->growth[2], 1);
        tile[1] = larger(rows / (tile[2] + m->growth[2]) - m->growth[1], 1);
    } else if (m->free[2] || m->free[1]) {
        int d = m->free[2] ? 2 : 1;
        tile[d] = larger(rows / m->extent[3 - d] - m->growth[d], 1);
    }
}

/* Sizes for the tiles of a section, and how much larger they are than the points that they own.
 * False: there are none. */
static bool size_tiles(const finder *f, const measures *m, int64_t tile[3], double *growth)
{
    int64_t points = larger(f->cache / m->bytes, 1), width = width_of(m, points);
    memset(tile, 0, 3 * sizeof *tile);
    size_rows(m, larger(points / width, 1), tile);
    if (width < m->extent[0]) tile[0] = width;
    *growth = 1;
    int64_t least = TILES_PER_THREAD * f->threads; /* tiles along a dimension */
    for (int d = 2; d >= 0; d--) {
        if (!tile[d]) continue;
        if (d > 0) tile[d] = smaller(tile[d], larger(m->extent[d] / least, 1));
        int64_t count = (m->extent[d] + tile[d] - 1) / tile[d];
        tile[d] = (m->extent[d] + count - 1) / count;
        least = (least + count - 1) / count;
        *growth *= (double)(tile[d] + m->growth[d]) / (double)tile[d];
    }
    return (tile[0] || tile[1] || tile[2]) && *growth <= MOST_GROWTH;
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* Bytes per point that pass to and from memory. */
static double bytes_at_home(const finder *f, const analysis_section *part)
{
    int64_t bytes = 0;
    for (int s = 0; s < part->a->slot_count; s++) {
        analysis_use use = f->g->uses[s];
        if (!use.touched || use.remapped || f->g->fields[s].passing) continue;
        bool both = use.written && analysis_takes(part, s);
        bytes += bytes_of(part->a->slots[s]) * (both ? 2 : 1);
    }
    return (double)bytes;
}

/* Bytes per point that loops read and write, wherever they lie. */
static double bytes_in_all(const analysis_section *part)
{
    int64_t bytes = 0;
    for (int l = part->first; l < part->end; l++)
        for (int i = 0; i < part->a->loops[l].touch_count; i++) {
            const analysis_touch *t = &part->a->loops[l].touches[i];
            if (t->scalar || t->remapped) continue;
            bytes += ir_storages[part->a->slots[t->slot]->type].bytes;
        }
    return (double)bytes;
}

/* What a section costs; -1: it cannot be tiled. */
static double cost_of(const finder *f, const analysis_section *part, int64_t tile[3])
{
    double growth = 1, all = bytes_in_all(part);
    memset(tile, 0, 3 * sizeof *tile);
    if (part->end - part->first == 1) return all + CACHED * all;
    for (int d = 0; d < 3; d++) f->g->cut[d] = !f->g->fixed[d] && !f->g->period[d];
    plan_overlapped_treat(f->g, part);
    measures m = measure(f, part);
    if (plan_overlapped_hazard(f->g, part) >= 0 || !size_tiles(f, &m, tile, &growth)) return -1;
    return bytes_at_home(f, part) + CACHED * growth * all;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* The best section that begins with a loop, as those after it are known. */
static void find_part(const finder *f, int first, struct plan_part *parts)
{
    const analysis_section *all = &f->g->part;
    struct plan_part *best = &parts[first - all->first];
    int last = (int)smaller(first + MOST_LOOPS, all->end);
    for (int end = first + 1; end <= last; end++) {
        analysis_section part = {all->a, first, end};
        struct plan_part found = {.end = end};
        double own = cost_of(f, &part, found.tile);
        if (own < 0) continue;
        found.cost = own + parts[end - all->first].cost;
        if (!best->end || found.cost < best->cost) *best = found;
    }
}

/* Sets the parts of a group, by the loop with which they begin. False when memory is out. */
static bool find_parts(plan_group *g, const plan_request *r)
{
    finder f = {g, r->cache, larger(r->threads, 1)};
    size_t loops = (size_t)(g->part.end - g->part.first);
    g->parts = arena_array(&g->memory, loops + 1, sizeof *g->parts);
    for (int l = g->part.end - 1; l >= g->part.first && g->parts; l--) find_part(&f, l, g->parts);
    return g->parts;
}

static bool has_tiles(const plan_group *g)
{
    bool some = false;
    for (int l = g->part.first; l < g->part.end; l = g->parts[l - g->part.first].end)
        some = some || g->parts[l - g->part.first].end > l + 1;
    return some;
}

/* ---- the method ------------------------------------------------------------------------------ */

static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    if (!r->cache) text_add(why, "it is given no size of a cache, such as cache=1048576");
    if (!r->cache) return false;
    if (!find_parts(g, r)) {
        why->failed = true;
        return false;
    }
    if (!has_tiles(g)) text_add(why, "no values are made and used up within a few of these loops");
    return has_tiles(g);
}

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    (void)r;
    int seq = plan_add(p, parent, (plan_node){.kind = PLAN_SEQ});
    for (int l = g->part.first; l < g->part.end;) {
        const struct plan_part *of = &g->parts[l - g->part.first];
        analysis_section part = {g->part.a, l, of->end};
        for (int d = 0; d < 3; d++) g->cut[d] = of->tile[d] > 0;
        if (of->end == l + 1)
            plan_add_loops(p, seq, &part, PLAN_ON_GRID);
        else
            plan_overlapped_add(g, &part, of->tile, p, seq);
        l = of->end;
    }
}

const plan_method plan_windowed = {"windowed", true, false, PLAN_TAKES_CACHE | PLAN_TAKES_THREADS,
                                   applicable, make};
