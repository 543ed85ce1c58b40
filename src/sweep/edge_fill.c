/* Reads outside the grid, without copies: if a field's memory has room around its values, the
 * values outside are written there before a box runs. That does not work for memory of the program,
 * for rows that are not contiguous, for ghosts or a face beyond the values, and for fields that the
 * loop writes. */
#include "analysis/analysis.h"
#include "sweep/edge.h"

#include <stdatomic.h>
#include <string.h>

enum { COLUMN = HOSTILE(64, 3) };

static bool is_written(const sweep_loop *l, const sweep_field *field)
{
    bool written = false;
    for (int p = 0; p < l->loop->kernel->param_count; p++)
        written = written || (ir_param_is_written_field(&l->loop->kernel->params[p]) &&
                              l->fields[p].first == field->first);
    return written;
}

bool sweep_edge_can_fill(const sweep_loop *l, const sweep_edge *edge, const grid_box *touched)
{
    const sweep_field *field = edge->field;
    grid_box all = grid_box_hull(&field->room, touched);
    bool plain =
        grid_box_contains(&field->inside, &field->memory); /* nothing else lies around it */
    if (HOSTILE(false, edge->view % 2 == 0)) return false; /* the other way, too */
    if (edge->written || is_written(l, field)) return false;
    return field->rows == CODEGEN_CONTIGUOUS && plain && store_array_extend(field->array, &all);
}

/* Fills a row whose y or z is outside, at x inside; all of it if values at x outside are wanted,
 * since they may come from any x. */
static void fill_row(const sweep_edge *edge, const grid_box *rows, const int64_t at[3])
{
    const int64_t first = edge->inside.lo[0], end = edge->inside.hi[0];
    bool beyond = rows->lo[0] < first || rows->hi[0] > end;
    int64_t lo = beyond ? first : rows->lo[0], hi = beyond ? end : rows->hi[0];
    sweep_edge_row row = sweep_edge_row_at(edge, at[1], at[2]);
    if (lo >= hi) return;
    char *out = store_address(edge->field->array, edge->component, (int64_t[]){lo, at[1], at[2]});
    sweep_edge_copy_inside(edge, &row, lo, hi, out);
}

/* Fills one x outside, of consecutive rows from at[1] on, from their values inside. */
static void fill_column(const sweep_edge *edge, const grid_source *source, const int64_t at[3],
                        int64_t count)
{
    _Alignas(64) char values[COLUMN * sizeof(ir_value)];
    const store_array *a = edge->field->array;
    const int64_t pitch = a->pitch_y * edge->bytes;
    if (source->is_constant)
        sweep_edge_set_all(edge->type, values, count, source->constant);
    else
        sweep_edge_move_column(
            values, edge->bytes,
            store_address(a, edge->component, (int64_t[]){source->index, at[1], at[2]}), pitch,
            count, edge->bytes);
    if (source->steps) grid_undo_steps(source, edge->type, values, count);
    sweep_edge_move_column(store_address(a, edge->component, at), pitch, values, edge->bytes, count,
                           edge->bytes);
}

/* Fills the rows of a plane that are outside. */
static void fill_rows(const sweep_edge *edge, const grid_box *rows, int64_t z)
{
    const grid_box *inside = &edge->inside;
    bool plane = z >= inside->lo[2] && z < inside->hi[2];
    for (int64_t y = rows->lo[1]; y < rows->hi[1]; y++) {
        if (plane && y >= inside->lo[1] && y < inside->hi[1]) y = inside->hi[1];
        if (y < rows->hi[1]) fill_row(edge, rows, (int64_t[]){0, y, z});
    }
}

/* Fills all rows of a plane at x outside. */
static void fill_columns(const sweep_edge *edge, const grid_box *rows, int64_t z)
{
    const grid_box *inside = &edge->inside;
    int64_t at[3] = {0, 0, z};
    for (at[1] = rows->lo[1]; at[1] < rows->hi[1]; at[1] += COLUMN) {
        int64_t left = rows->hi[1] - at[1], count = left < COLUMN ? left : COLUMN;
        for (at[0] = rows->lo[0]; at[0] < inside->lo[0] && at[0] < rows->hi[0]; at[0]++)
            fill_column(edge, sweep_edge_source(edge, 0, at[0]), at, count);
        at[0] = rows->lo[0] > inside->hi[0] ? rows->lo[0] : inside->hi[0];
        for (; at[0] < rows->hi[0]; at[0]++)
            fill_column(edge, sweep_edge_source(edge, 0, at[0]), at, count);
    }
}

/* Fills all indices of a box that are outside. */
static void fill_edge(const sweep_edge *edge, const grid_box *rows)
{
    for (int64_t z = rows->lo[2]; z < rows->hi[2]; z++) {
        fill_rows(edge, rows, z);
        fill_columns(edge, rows, z);
    }
}

/* ---- around a box ---------------------------------------------------------------------------- */

/* What is filled for a box of points: all that it touches at most. Of a star only the arms. */
typedef struct fill_area {
    grid_box boxes[3];
    int count;
    grid_box hull; /* of them */
} fill_area;

static fill_area area_of(const sweep_edge *edge, const grid_box *points)
{
    static const int32_t here[3] = {0, 0, 0};
    fill_area area = {.count = 1};
    area.hull = analysis_touched(edge->field->param, edge->lo, edge->hi, points);
    for (int d = 0; d < 3; d++)
        if (edge->clipped[d]) {
            area.hull.lo[d] = edge->inside.lo[d];
            area.hull.hi[d] = edge->inside.hi[d];
        }
    area.boxes[0] = area.hull;
    if (!edge->star) return area;
    for (area.count = 0; area.count < 3; area.count++) {
        int d = area.count;
        grid_box *arm = &area.boxes[d];
        *arm = analysis_touched(edge->field->param, here, here, points);
        arm->lo[d] = area.hull.lo[d];
        arm->hi[d] = area.hull.hi[d];
    }
    return area;
}

void sweep_fill_around(const sweep_loop *l, const grid_box *points)
{
    for (int i = 0; i < l->fill_count; i++) {
        fill_area area = area_of(&l->fills[i], points);
        for (int k = 0; k < area.count; k++) fill_edge(&l->fills[i], &area.boxes[k]);
    }
}

/* ---- on threads ------------------------------------------------------------------------------ */

/* Fills a part of what a box of points touches: some planes, or some rows where there is one plane.
 */
static void fill_part(const sweep_edge *edge, const grid_box *points, int64_t part, int64_t parts)
{
    fill_area area = area_of(edge, points);
    int d = area.hull.hi[2] - area.hull.lo[2] > 1 ? 2 : 1;
    int64_t first = area.hull.lo[d], count = area.hull.hi[d] - first;
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
    int64_t parts = l->thread_count > 1 ? 4 * l->thread_count : 1, next;
    (void)me;
    while ((next = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed)) <
           parts * l->fill_count)
        fill_part(&l->fills[next / parts], &l->box, next % parts, parts);
}

void sweep_fill(sweep_loop *l)
{
    atomic_store_explicit(&l->next, 0, memory_order_relaxed);
    sweep_workers_run(l->workers, l->thread_count, fill, l);
}
