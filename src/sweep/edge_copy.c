/* Reads outside the grid, on copies.
 *
 * Some values outside cannot be written around a field (edge_fill.c). Then points near a side run
 * on copies: each component that they read outside gets a box around them, filled by the boundary
 * rules, and the same function runs with its view on the copy. Components that are interleaved in
 * the field are interleaved in a copy, as the function expects; other copies have contiguous rows.
 */
#include "analysis/analysis.h"
#include "sweep/edge.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    LITTLE = HOSTILE(256 << 10, 100) /* bytes; so much is always copied */
};

/* ---- boxes ----------------------------------------------------------------------------------- */

/* The indices that a piece reads of a component; false when all are inside. Reads of levels beyond
 * the field end at its last level on that side. */
static bool read_box(const sweep_edge *edge, const grid_box *piece, grid_box *out)
{
    *out = analysis_touched(edge->field->param, edge->lo, edge->hi, piece);
    for (int d = 0; d < 3; d++) {
        int64_t first = edge->inside.lo[d], end = edge->inside.hi[d];
        if (!edge->clipped[d]) continue;
        out->lo[d] = smaller(larger(out->lo[d], first), end - 1);
        out->hi[d] = larger(smaller(out->hi[d], end), first + 1);
    }
    return !grid_box_contains(&edge->inside, out);
}

/* How many edges, from the first, may share a copy: components that stand together do. */
static int sharing(const sweep_edge *edges, int count)
{
    int n = 1;
    if (edges->field->rows == CODEGEN_CONTIGUOUS || edges->field->rows == CODEGEN_STRIDED) return n;
    while (n < count && edges[n].field == edges->field && edges[n].written == edges->written) n++;
    return n;
}

/* The box around everything that a piece reads outside by edges that share a copy; false when it
 * reads nothing there. */
static bool shared_box(const sweep_edge *edges, int count, const grid_box *piece, grid_box *out)
{
    grid_box box;
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (!read_box(&edges[i], piece, &box)) continue;
        for (int d = 0; d < 3; d++) {
            if (!any || box.lo[d] < out->lo[d]) out->lo[d] = box.lo[d];
            if (!any || box.hi[d] > out->hi[d]) out->hi[d] = box.hi[d];
        }
        any = true;
    }
    return any;
}

/* Lays out a copy of a box at `out`, in rows of whole lines, so that vectors seldom straddle two;
 * returns its bytes. */
static size_t lay_copy(const sweep_edge *edge, const grid_box *box, void *out, store_array *copy)
{
    bool blocked = edge->field->rows == CODEGEN_BLOCKED,
         together = edge->field->rows == CODEGEN_TOGETHER;
    kata_layout layout = blocked ? KATA_BLOCKS : together ? KATA_STRUCTURES : KATA_ARRAYS;
    int64_t low[3] = {box->lo[0], box->lo[1], box->lo[2]};
    if (blocked) low[0] -= low[0] & (ABI_BLOCK - 1);
    *copy = (store_array){.type = edge->type, .components = edge->field->param->count};
    int64_t row = store_lay_row(copy, layout, box->hi[0] - low[0]);
    if (layout == KATA_ARRAYS) copy->pitch_component = 0; /* there is one */
    copy->pitch_y = row / edge->bytes;
    copy->pitch_z = copy->pitch_y * (box->hi[1] - box->lo[1]);
    int64_t shift = store_element(copy, 0, low) * edge->bytes;
    copy->data = (void *)((uintptr_t)out - (uintptr_t)shift);
    return (size_t)(row * (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]));
}

/* Whether each value beside the grid in a box is the unchanged value of another point. */
static bool is_moved(const sweep_edge *edge, const grid_box *box)
{
    int64_t low = edge->inside.lo[0] - box->lo[0], high = box->hi[0] - edge->inside.hi[0];
    bool moved = true;
    for (int64_t i = 0; i < low; i++)
        moved = moved && sweep_edge_is_unchanged(&edge->sources->low[0][i]);
    for (int64_t i = 0; i < high; i++)
        moved = moved && sweep_edge_is_unchanged(&edge->sources->high[0][i]);
    return moved;
}

/* Short runs, of which there are many, in few moves. */
static void copy_run(char *to, const char *from, int64_t bytes)
{
    enum { SHORT = 256 };
    if (bytes > SHORT || bytes % 8) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64) memcpy(to, from, 64);
    for (; bytes > 0; bytes -= 8, to += 8, from += 8) memcpy(to, from, 8);
}

/* The same as sweep_edge_copy_row for such rows, of contiguous elements: `from` is the row's x = 0.
 */
static void move_row(const sweep_edge *edge, const grid_box *box, const char *from, char *to)
{
    int64_t first = edge->inside.lo[0], end = edge->inside.hi[0], x = box->lo[0];
    int bytes = edge->bytes;
    int64_t last = smaller(end, box->hi[0]);
    for (; x < first && x < box->hi[0]; x++, to += bytes)
        sweep_edge_copy_element(to, from + edge->sources->low[0][first - 1 - x].index * bytes,
                                bytes);
    if (x < last) copy_run(to, from + x * bytes, (last - x) * bytes);
    if (x < last) to += (last - x) * bytes;
    for (x = larger(x, last); x < box->hi[0]; x++, to += bytes)
        sweep_edge_copy_element(to, from + edge->sources->high[0][x - end].index * bytes, bytes);
}

/* How rows of a box are copied. */
typedef struct row_copy {
    const sweep_edge *edge;
    const grid_box *box;
    store_array *copy;
    const char *origin; /* of the field's component; NULL where rows cannot be moved */
    char *row;          /* by which they go where elements of the copy do not follow one another */
} row_copy;

static void copy_row_at(const row_copy *c, const int64_t at[3])
{
    const sweep_edge *edge = c->edge;
    const store_array *a = edge->field->array;
    sweep_edge_row from = sweep_edge_row_at(edge, at[1], at[2]);
    if (c->origin && from.inside && !from.y && !from.z) {
        int64_t start = from.at[1] * a->pitch_y + from.at[2] * a->pitch_z;
        move_row(edge, c->box, c->origin + start * edge->bytes,
                 store_address(c->copy, edge->component, at));
    } else if (c->copy->pitch_x == 1) {
        sweep_edge_copy_row(edge, &from, at[0], c->box->hi[0],
                            store_address(c->copy, edge->component, at));
    } else {
        sweep_edge_copy_row(edge, &from, at[0], c->box->hi[0], c->row);
        store_write_row(c->copy, edge->component, at, c->box->hi[0] - at[0], c->row);
    }
}

/* Rows at y_lo .. y_hi-1, which are inside along y and z: column by column beside the grid. */
static void move_rows(const row_copy *c, int64_t y_lo, int64_t y_hi, int64_t z)
{
    const sweep_edge *edge = c->edge;
    const store_array *a = edge->field->array;
    const int64_t at[3] = {c->box->lo[0], y_lo, z};
    int64_t first = edge->inside.lo[0], end = edge->inside.hi[0], x = c->box->lo[0];
    int64_t last = smaller(end, c->box->hi[0]), rows = y_hi - y_lo, bytes = edge->bytes;
    int64_t from_pitch = a->pitch_y * bytes, to_pitch = c->copy->pitch_y * bytes;
    const char *from = c->origin + (y_lo * a->pitch_y + z * a->pitch_z) * bytes;
    char *to = store_address(c->copy, edge->component, at);
    for (; x < first && x < c->box->hi[0]; x++, to += bytes)
        sweep_edge_move_column(to, to_pitch,
                               from + edge->sources->low[0][first - 1 - x].index * bytes,
                               from_pitch, rows, edge->bytes);
    for (int64_t y = 0; x < last && y < rows; y++)
        copy_run(to + y * to_pitch, from + x * bytes + y * from_pitch, (last - x) * bytes);
    if (x < last) to += (last - x) * bytes;
    for (x = larger(x, last); x < c->box->hi[0]; x++, to += bytes)
        sweep_edge_move_column(to, to_pitch, from + edge->sources->high[0][x - end].index * bytes,
                               from_pitch, rows, edge->bytes);
}

/* Fills a component of a copy. */
static void copy_box(const sweep_edge *edge, const grid_box *box, store_array *copy, char *row)
{
    const store_array *a = edge->field->array;
    const int64_t here[3] = {0, 0, 0};
    int64_t at[3] = {box->lo[0], 0, 0};
    row_copy c = {edge, box, copy, NULL, row};
    if (a->block == 1 && a->pitch_x == 1 && copy->pitch_x == 1 && is_moved(edge, box))
        c.origin = store_address(a, edge->component, here);
    for (at[2] = box->lo[2]; at[2] < box->hi[2]; at[2]++) {
        bool inside = at[2] >= edge->inside.lo[2] && at[2] < edge->inside.hi[2];
        at[1] = box->lo[1];
        if (c.origin && inside) {
            int64_t lo = larger(at[1], edge->inside.lo[1]);
            int64_t hi = smaller(box->hi[1], edge->inside.hi[1]);
            for (; at[1] < lo && at[1] < box->hi[1]; at[1]++) copy_row_at(&c, at);
            if (lo < hi) move_rows(&c, lo, hi, at[2]);
            at[1] = larger(at[1], hi);
        }
        for (; at[1] < box->hi[1]; at[1]++) copy_row_at(&c, at);
    }
}

/* Bytes for all copies, each a multiple of a line, and *row for the longest row. */
static size_t room_for(const sweep_edge *edges, int count, const grid_box *piece, size_t *row)
{
    size_t needed = 0;
    *row = 0;
    for (int i = 0, n; i < count; i += n) {
        grid_box box;
        store_array copy;
        n = sharing(&edges[i], count - i);
        if (!shared_box(&edges[i], n, piece, &box)) continue;
        needed += lay_copy(&edges[i], &box, NULL, &copy);
        size_t bytes = (size_t)((box.hi[0] - box.lo[0]) * edges[i].bytes);
        if (bytes > *row) *row = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }
    return needed;
}

bool sweep_edge_may_be_far(const sweep_edge *edges, int count)
{
    size_t all = 0;
    for (int i = 0, n; i < count; i += n) {
        int32_t lo[3], hi[3];
        size_t bytes = (size_t)edges[i].bytes;
        n = sharing(&edges[i], count - i);
        memcpy(lo, edges[i].lo, sizeof lo);
        memcpy(hi, edges[i].hi, sizeof hi);
        for (int e = i + 1; e < i + n; e++) {
            analysis_add_offset(edges[e].lo, lo, hi);
            analysis_add_offset(edges[e].hi, lo, hi);
        }
        if (n > 1) bytes *= (size_t)edges[i].field->param->count;
        for (int d = 0; d < 3; d++) bytes *= (size_t)(hi[d] - lo[d] + 1);
        all += bytes;
    }
    return all > LITTLE;
}

bool sweep_edge_is_far(const sweep_edge *edges, int count, const grid_box *piece)
{
    enum { TIMES = HOSTILE(16, 2) };
    size_t row, all = 0, needed = room_for(edges, count, piece, &row);
    if (needed <= LITTLE) return false;
    for (int i = 0; i < count; i++) all += (size_t)edges[i].bytes;
    return needed / TIMES > all * (size_t)grid_box_points(piece);
}

bool sweep_edge_gather(const sweep_edge *edges, int count, const grid_box *piece,
                       sweep_share *share)
{
    size_t row_bytes, needed = room_for(edges, count, piece, &row_bytes);
    sweep_thread *thread = share->thread;
    if (!sweep_grow(&thread->gathered, &thread->gathered_size, needed + row_bytes)) return false;
    char *row = thread->gathered, *out = row + row_bytes;
    for (int i = 0, n; i < count; i += n) {
        grid_box all, box;
        store_array copy;
        n = sharing(&edges[i], count - i);
        if (!shared_box(&edges[i], n, piece, &all)) continue;
        size_t bytes = lay_copy(&edges[i], &all, out, &copy);
        if (edges[i].poison) store_fill_unset(edges[i].type, out, bytes);
        for (int e = i; e < i + n; e++) {
            if (!read_box(&edges[e], piece, &box)) continue;
            copy_box(&edges[e], &box, &copy, row);
            share->views[edges[e].view] = sweep_view(&copy, edges[e].component);
        }
        out += bytes;
    }
    return true;
}

/* ---- writes ---------------------------------------------------------------------------------- */

bool sweep_edge_target(const sweep_edge *edge, const int64_t index[3], int64_t target[3])
{
    for (int d = 0; d < 3; d++) {
        const grid_source *source = sweep_edge_source(edge, d, index[d]);
        target[d] = source ? source->index : index[d];
        if (source && source->is_constant) return false;
    }
    return true;
}

static void scatter_box(const sweep_edge *edge, const grid_box *box, const abi_view *view)
{
    const store_array *a = edge->field->array;
    store_array copy = sweep_view_array(view, a);
    int64_t at[3], target[3];
    for (at[2] = box->lo[2]; at[2] < box->hi[2]; at[2]++)
        for (at[1] = box->lo[1]; at[1] < box->hi[1]; at[1]++)
            for (at[0] = box->lo[0]; at[0] < box->hi[0]; at[0]++)
                if (sweep_edge_target(edge, at, target))
                    memcpy(store_address(a, edge->component, target), store_address(&copy, 0, at),
                           (size_t)edge->bytes);
}

void sweep_edge_scatter(const sweep_edge *edges, int count, const grid_box *piece,
                        const sweep_share *share)
{
    grid_box box;
    for (int i = 0; i < count; i++)
        if (edges[i].written && read_box(&edges[i], piece, &box))
            scatter_box(&edges[i], &box, &share->views[edges[i].view]);
}
