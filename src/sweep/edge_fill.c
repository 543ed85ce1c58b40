/* Reads outside the grid, without copies: if a field's memory has room around its values, the
 * values outside are written there before a box runs. That does not work for memory of the program,
 * for rows that are not contiguous, for a face beyond the values, for ghosts that are not put aside
 * (see sweep_manner), and for fields that the loop changes where it reads them.
 *
 * Points of a colour change what they read only in one way: beyond a side, a point may find itself.
 * It reads its old value, and that is what was filled. Other points of a row are computed, too, and
 * what they read does not matter: the thread sanitizer is told so. */
#include "sweep/edge.h"

#include <stdatomic.h>
#include <string.h>

enum {
    COLUMN = HOSTILE(64, 3),
    MANY_POINTS = HOSTILE(1 << 17, 50) /* of a loop: threads are worth waking to fill around them */
};

bool sweep_edge_changes(const chain_loop *loop, int param)
{
    static const ir_param plain;
    const ir_kernel *kernel = loop->kernel;
    bool changes = false, apart = loop->colors > 1 && !kernel->direction &&
                                  ir_param_same_mapping(&kernel->params[param], &plain);
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *to = &kernel->params[p];
        if (!ir_param_is_written_field(to) || loop->bindings[p].slot != loop->bindings[param].slot)
            continue;
        changes = changes || !apart || !ir_param_same_mapping(to, &plain);
    }
    return changes;
}

bool sweep_edge_has_room(const sweep_edge *edge, const grid_box *room)
{
    const sweep_field *field = edge->field;
    grid_box all = grid_box_hull(&field->room, room);
    if (grid_box_contains(&field->inside, room)) return true;
    return grid_box_contains(&field->inside, &field->memory) &&
           store_array_extend(field->array, &all);
}

/* Whether values may lie in ghosts that the field's rules hide. */
static bool is_covered(const sweep_loop *l, const sweep_edge *edge, const grid_box *room)
{
    int64_t param = edge->field - l->fields;
    grid_box all = grid_box_hull(&edge->field->room, room);
    return param < 64 && l->manner.covers >> param & 1 &&
           store_array_extend(edge->field->array, &all);
}

bool sweep_edge_can_fill(const sweep_loop *l, const sweep_edge *edge, const grid_box *touched)
{
    const sweep_field *field = edge->field;
    if (HOSTILE(false, edge->view % 2 == 0)) return false; /* the other way, too */
    if (edge->written || sweep_edge_changes(l->loop, (int)(field - l->fields))) return false;
    return field->rows == CODEGEN_CONTIGUOUS &&
           (sweep_edge_has_room(edge, touched) || is_covered(l, edge, touched));
}

/* Whether no x of a box is outside: so are the rows that stars read. */
static bool ends_inside(const sweep_edge *edge, const grid_box *box)
{
    return box->lo[0] >= edge->inside.lo[0] && box->hi[0] <= edge->inside.hi[0];
}

/* Fills a row, whose y or z is outside. */
static void fill_row(const sweep_edge *edge, const grid_box *box, int64_t y, int64_t z)
{
    const int64_t at[3] = {box->lo[0], y, z};
    char *to = store_address(edge->field->array, edge->component, at);
    sweep_edge_row row = sweep_edge_row_at(edge, y, z);
    sweep_edge_copy_row(edge, &row, box->lo[0], box->hi[0], to);
}

/* Fills rows y_lo .. y_hi-1 of a plane, whose y or z is outside. Most are other rows of the field
 * as they are, or all the same constant. */
static void fill_rows(const sweep_edge *edge, const grid_box *box, int64_t z, int64_t y_lo,
                      int64_t y_hi)
{
    if (y_lo >= y_hi) return;
    const store_array *a = edge->field->array;
    const grid_source *of_z = sweep_edge_source(edge, 2, z), *of_y;
    const int64_t at[3] = {box->lo[0], y_lo, z};
    bool inside = ends_inside(edge, box), constant = inside && of_z && of_z->is_constant;
    bool moved = inside && sweep_edge_is_unchanged(of_z);
    int64_t planes = moved && of_z ? (of_z->index - z) * a->pitch_z : 0;
    char *to = store_address(a, edge->component, at);
    const char *same = NULL; /* a row with that constant */
    for (int64_t y = y_lo; y < y_hi; y++, to += a->pitch_y * edge->bytes) {
        of_y = sweep_edge_source(edge, 1, y);
        int64_t shift = planes + (of_y ? (of_y->index - y) * a->pitch_y : 0);
        bool here = moved && sweep_edge_is_unchanged(of_y);
        const char *from = here ? to + shift * edge->bytes : !of_y ? same : NULL;
        if (from)
            memcpy(to, from, (size_t)((box->hi[0] - box->lo[0]) * edge->bytes));
        else
            fill_row(edge, box, y, z);
        if (constant && !of_y) same = to;
    }
}

/* Fills one x outside, of consecutive rows from at[1] on, with values that are not those of another
 * x as they are. */
static void fill_changed(const sweep_edge *edge, const grid_source *source, const char *from,
                         char *to, int64_t pitch, int64_t count)
{
    _Alignas(64) char values[COLUMN * sizeof(ir_value)];
    if (source->is_constant)
        sweep_edge_set_all(edge->type, values, count, source->constant);
    else if (source->weights)
        sweep_edge_sum_column(edge, source, from, pitch, values, count);
    else
        sweep_edge_move_column(values, edge->bytes, from, pitch, count, edge->bytes);
    if (source->steps) grid_undo_steps(source, edge->type, values, count);
    sweep_edge_move_column(to, pitch, values, edge->bytes, count, edge->bytes);
}

static void fill_column(const sweep_edge *edge, const int64_t at[3], int64_t count)
{
    const store_array *a = edge->field->array;
    const grid_source *source = sweep_edge_source(edge, 0, at[0]);
    const int64_t pitch = a->pitch_y * edge->bytes;
    char *to = store_address(a, edge->component, at);
    const char *from = to + (source->index - at[0]) * edge->bytes; /* unless it is a constant */
    if (!sweep_edge_is_unchanged(source))
        fill_changed(edge, source, from, to, pitch, count);
    else
        sweep_edge_move_column(to, pitch, from, pitch, count, edge->bytes);
}

/* Fills what is outside along x, of rows y_lo .. y_hi-1 of a plane, which are inside. */
static void fill_columns(const sweep_edge *edge, const grid_box *box, int64_t z, int64_t y_lo,
                         int64_t y_hi)
{
    const grid_box *inside = &edge->inside;
    int64_t at[3] = {0, y_lo, z};
    if (ends_inside(edge, box)) return;
    for (; at[1] < y_hi; at[1] += COLUMN) {
        int64_t count = smaller(y_hi - at[1], COLUMN);
        for (at[0] = box->lo[0]; at[0] < inside->lo[0] && at[0] < box->hi[0]; at[0]++)
            fill_column(edge, at, count);
        for (at[0] = larger(box->lo[0], inside->hi[0]); at[0] < box->hi[0]; at[0]++)
            fill_column(edge, at, count);
    }
}

/* Fills all indices of a box that are outside, and reads none of them. */
static void fill_edge(const sweep_edge *edge, const grid_box *box)
{
    const grid_box *inside = &edge->inside;
    if (box->lo[0] >= box->hi[0]) return;
    for (int64_t z = box->lo[2]; z < box->hi[2]; z++) {
        bool plane = z >= inside->lo[2] && z < inside->hi[2];
        int64_t lo = plane ? larger(box->lo[1], inside->lo[1]) : box->hi[1];
        int64_t hi = plane ? smaller(box->hi[1], inside->hi[1]) : box->hi[1];
        fill_rows(edge, box, z, box->lo[1], smaller(box->hi[1], lo));
        fill_columns(edge, box, z, lo, hi);
        fill_rows(edge, box, z, larger(larger(box->lo[1], lo), hi), box->hi[1]);
    }
}

/* ---- around a tile --------------------------------------------------------------------------- */

/* Of tiles that touch an index outside the grid, the first one fills it: it comes before the others
 * in every dimension, so they run after it. Here the indices that the tile before touches along a
 * dimension are left out. */
static void leave_out_filled(const sweep_edge *edge, const grid_box *points, int d, bool low,
                             sweep_area *area)
{
    grid_box before = *points;
    before.lo[d] = low ? points->lo[d] - 1 : points->hi[d];
    before.hi[d] = before.lo[d] + 1;
    sweep_area filled = sweep_area_of(edge, &before);
    for (int k = 0; k < area->count; k++) {
        grid_box *box = &area->boxes[k];
        if (low)
            box->lo[d] = larger(box->lo[d], filled.boxes[k].hi[d]);
        else
            box->hi[d] = smaller(box->hi[d], filled.boxes[k].lo[d]);
    }
}

static void fill_around(const sweep_edge *edge, const grid_box *all, const grid_box *points,
                        const sweep_tile *tile)
{
    sweep_area area = sweep_area_of(edge, points);
    for (int d = 0; d < 3; d++) {
        bool low = tile->before[d] == SWEEP_BEFORE_LOW && points->lo[d] > all->lo[d];
        bool high = tile->before[d] == SWEEP_BEFORE_HIGH && points->hi[d] < all->hi[d];
        if (low || high) leave_out_filled(edge, points, d, low, &area);
    }
    for (int k = 0; k < area.count; k++)
        if (!grid_box_contains(&edge->inside, &area.boxes[k])) fill_edge(edge, &area.boxes[k]);
}

void sweep_fill_around(const sweep_loop *l, const grid_box *points, const sweep_tile *tile)
{
    bool colored = l->like.colors > 1;
    if (colored) AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    for (int i = 0; i < l->fill_count; i++)
        if (!(tile->filled >> i & 1)) fill_around(&l->fills[i], &l->like.box, points, tile);
    if (colored) AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

/* ---- around blocks ----------------------------------------------------------------------------
 */

bool sweep_fills_by_block(const sweep_loop *l)
{
    const sweep_blocks *blocks = &l->blocks;
    const int64_t next[3] = {blocks->count[1] * blocks->count[2], blocks->count[2], 1};
    bool apart = true;
    for (int d = 0; d < 3 && apart; d++) {
        int64_t others = blocks->count[d] - 1;
        if (others == 0) continue;
        grid_box second = sweep_block_box(blocks, next[d]);
        grid_box last = sweep_block_box(blocks, next[d] * others);
        apart = sweep_fills_apart(l, d, second.lo[d], last.lo[d]);
    }
    return apart;
}

void sweep_fill_block(const sweep_loop *l, const grid_box *block)
{
    static const sweep_tile alone = {
        .before = {SWEEP_BEFORE_NONE, SWEEP_BEFORE_NONE, SWEEP_BEFORE_NONE}};
    if (!grid_box_contains(&l->inside, block)) sweep_fill_around(l, block, &alone);
}

/* ---- on threads ------------------------------------------------------------------------------ */

/* Fills a part of what a box of points touches: some planes, or some rows where there is one plane.
 */
static void fill_part(const sweep_edge *edge, const grid_box *points, int64_t part, int64_t parts)
{
    sweep_area area = sweep_area_of(edge, points);
    grid_box hull = sweep_hull_of(edge, points);
    int d = hull.hi[2] - hull.lo[2] > 1 ? 2 : 1;
    int64_t first = hull.lo[d], count = hull.hi[d] - first;
    for (int k = 0; k < area.count; k++) {
        grid_box box = area.boxes[k];
        box.lo[d] = larger(box.lo[d], first + count * part / parts);
        box.hi[d] = smaller(box.hi[d], first + count * (part + 1) / parts);
        if (!grid_box_is_empty(&box)) fill_edge(edge, &box);
    }
}

static void fill(void *data, int me)
{
    sweep_loop *l = data;
    int64_t parts = l->fill_threads > 1 ? 4 * l->fill_threads : 1, next;
    (void)me;
    while ((next = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed)) <
           parts * l->fill_count)
        fill_part(&l->fills[next / parts], &l->box, next % parts, parts);
}

void sweep_fill(sweep_loop *l)
{
    atomic_store_explicit(&l->next, 0, memory_order_relaxed);
    sweep_workers_run(l->workers, l->fill_threads, fill, l);
}

/* ---- constants, which stay --------------------------------------------------------------------
 */

/* Not in the program's memory, which it may change meanwhile. Before the loop begins its arrays may
 * be those of a chain before. */
bool sweep_fill_stays(const sweep_loop *l, int fill)
{
    const sweep_field *field = l->fills[fill].field;
    bool stays = field->own;
    for (int side = 0; side < 6; side++) {
        kata_rule rule = field->boundary.side[side].rule;
        stays = stays && (rule == KATA_CONSTANT || rule == KATA_NONE);
    }
    return stays;
}

bool sweep_fills_constants(const sweep_loop *l)
{
    bool all = l->fill_count > 0 && !l->wrap_count;
    for (int i = 0; i < l->fill_count && all; i++) all = sweep_fill_stays(l, i);
    return all;
}

bool sweep_fills_alike(const sweep_loop *a, int fa, const sweep_loop *b, int fb)
{
    const sweep_edge *ea = &a->fills[fa], *eb = &b->fills[fb];
    return grid_boundary_equal(&ea->field->boundary, &eb->field->boundary) &&
           !memcmp(&ea->inside, &eb->inside, sizeof ea->inside);
}

typedef struct constants_fill {
    const sweep_loop *l;
    uint64_t fills;
    int64_t parts; /* of each */
    _Atomic int64_t next;
} constants_fill;

static void fill_constants(void *data, int me)
{
    constants_fill *f = data;
    const sweep_loop *l = f->l;
    int64_t next;
    (void)me;
    while ((next = atomic_fetch_add_explicit(&f->next, 1, memory_order_relaxed)) <
           f->parts * l->fill_count) {
        int64_t i = next / f->parts;
        if (i < SWEEP_MOST_FILLS && f->fills >> i & 1)
            fill_part(&l->fills[i], &l->like.box, next % f->parts, f->parts);
    }
}

void sweep_fill_constants(const sweep_loop *l, uint64_t fills)
{
    bool large = grid_box_points(&l->like.box) >= MANY_POINTS;
    int threads = large ? l->workers->count : 1;
    constants_fill f = {.l = l, .fills = fills, .parts = large ? 4 * threads : 1};
    sweep_workers_run(l->workers, threads, fill_constants, &f);
}

void sweep_fill_forget(const sweep_loop *l)
{
    for (int i = 0; i < l->fill_count + l->wrap_count; i++) {
        const sweep_field *field =
            i < l->fill_count ? l->fills[i].field : l->wraps[i - l->fill_count].field;
        if (atomic_load_explicit(&field->array->around, memory_order_relaxed))
            atomic_store_explicit(&field->array->around, 0, memory_order_relaxed);
    }
}

/* A loop fills other sides of each of its fields, which may change places. */
static int64_t mark_of(const sweep_loop *l, int fill)
{
    return l->mark + l->fills[fill].field->first;
}

bool sweep_is_filled(const sweep_loop *l)
{
    bool all = l->mark > 0;
    for (int i = 0; i < l->fill_count && all; i++)
        all = l->fills[i].field->array->around == mark_of(l, i);
    return all;
}

void sweep_fill_note(const sweep_loop *l)
{
    bool whole = l->mark && grid_box_contains(&l->box, &l->like.box);
    for (int i = 0; i < l->fill_count && whole; i++)
        l->fills[i].field->array->around = mark_of(l, i);
}
