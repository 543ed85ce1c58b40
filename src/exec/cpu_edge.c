/* Reads outside the grid.
 *
 * Near a side, points run on copies: of each component that they read outside, a box around them is
 * filled as the boundary rules say, and the same function runs with its view on the copy. What
 * an index outside maps to is looked up in tables, so that rules are evaluated once per loop
 * and index. Rules map x first, then y, then z; antisymmetric steps are undone in the reverse
 * order. */
#include "exec/exec.h"

#include "ir/arithmetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

static const double UNSET = 0x1.6969696969697p62; /* about 0x5a5a5a5a5a5a5a5a */

/* Where no rule covers a read, nothing comes of it, and where no periodic side brings a write back,
 * it does not happen (analysis has seen to that). */
static grid_source map(const cpu_edge *edge, int dimension, int64_t index)
{
    grid_source source;
    grid_axis axis = chain_slot_axis(edge->binding->slot, dimension);
    bool periodic = edge->binding->boundary.side[2 * dimension].rule == KATA_PERIODIC;
    if ((periodic || !edge->written) &&
        grid_boundary_map(&edge->binding->boundary, dimension, &axis, index, &source))
        return source;
    bool floating = ir_type_is_floating(ir_type_of_storage(edge->type));
    return (grid_source){.is_constant = true,
                         .constant = !edge->poison ? 0
                                     : floating    ? NAN
                                                   : UNSET};
}

bool cpu_edge_prepare(cpu_edge *edge, const grid_box *touched, arena *memory)
{
    edge->inside = chain_binding_inside(edge->binding);
    edge->type = edge->binding->slot->type;
    edge->bytes = store_type_bytes(edge->type);
    for (int d = 0; d < 3; d++) {
        int64_t first = edge->inside.lo[d], end = edge->inside.hi[d];
        int64_t low = touched->lo[d] < first ? first - touched->lo[d] : 0;
        int64_t high = touched->hi[d] > end ? touched->hi[d] - end : 0;
        edge->low[d] = arena_array(memory, (size_t)low + (size_t)high, sizeof(grid_source));
        if (!edge->low[d]) return false;
        edge->high[d] = edge->low[d] + low;
        for (int64_t i = 0; i < low; i++) edge->low[d][i] = map(edge, d, first - 1 - i);
        for (int64_t i = 0; i < high; i++) edge->high[d][i] = map(edge, d, end + i);
    }
    return true;
}

/* NULL inside. */
static const grid_source *source_of(const cpu_edge *edge, int dimension, int64_t index)
{
    int64_t first = edge->inside.lo[dimension], end = edge->inside.hi[dimension];
    return index < first  ? &edge->low[dimension][first - 1 - index]
           : index >= end ? &edge->high[dimension][index - end]
                          : NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void set_all(kata_type type, void *values, int64_t count, double x)
{
    ir_value value = {0};
    ir_storage_write(type, IR_F64, ir_value_of_double(IR_F64, x), &value);
    size_t size = (size_t)store_type_bytes(type);
    for (int64_t i = 0; i < count; i++) memcpy((char *)values + (size_t)i * size, &value, size);
}

/* x = 2*v - x, step by step, inner ones first. */
#define UNDO_STEPS(T, member, TWICE, MINUS)                                                        \
    for (int64_t k = source->steps - 1; k >= 0; k--) {                                             \
        T v = ir_value_of_double(storage, source->step_value[k % 2]).member, *x = values;          \
        T twice = TWICE;                                                                           \
        for (int64_t i = 0; i < count; i++) x[i] = MINUS;                                          \
    }

/* The same where a step is computed in type t and its result stored by a conversion. */
#define UNDO_CODED(T, t, storage)                                                                  \
    for (int64_t k = source->steps - 1; k >= 0; k--) {                                             \
        T v, *x = values;                                                                          \
        set_all(type, &v, 1, source->step_value[k % 2]);                                           \
        for (int64_t i = 0; i < count; i++)                                                        \
            x[i] = kata_##storage##_of_##t(2 * kata_##t##_of_##storage(v) -                        \
                                           kata_##t##_of_##storage(x[i]));                         \
    }

static void undo_steps(kata_type type, void *values, int64_t count, const grid_source *source)
{
    ir_type storage = ir_type_of_storage(type);
    switch (type) {
    case KATA_F64: UNDO_STEPS(double, f64, 2 * v, twice - x[i]) break;
    case KATA_F32: UNDO_STEPS(float, f32, 2 * v, twice - x[i]) break;
    case KATA_I64:
        UNDO_STEPS(int64_t, i64, (int64_t)(2 * (uint64_t)v),
                   (int64_t)((uint64_t)twice - (uint64_t)x[i]))
        break;
    case KATA_I32:
        UNDO_STEPS(int32_t, i32, (int32_t)(2 * (uint32_t)v),
                   (int32_t)((uint32_t)twice - (uint32_t)x[i]))
        break;
    case KATA_U8: UNDO_CODED(uint8_t, i32, u8) break;
    case KATA_F16: UNDO_CODED(uint16_t, f32, f16) break;
    case KATA_BF16: UNDO_CODED(uint16_t, f32, bf16) break;
    case KATA_UNORM8: UNDO_CODED(uint8_t, f32, unorm8) break;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A row of the grid grown by what is read outside: where its values at x inside come from. */
typedef struct edge_row {
    const char *values; /* at x = 0; NULL: the constant */
    double constant;
    const grid_source *y, *z; /* with steps to undo, otherwise NULL */
} edge_row;

static edge_row row_at(const cpu_edge *edge, int64_t y, int64_t z)
{
    edge_row row = {.y = source_of(edge, 1, y), .z = source_of(edge, 2, z)};
    const store_array *a = edge->binding->slot->array;
    if (row.y && row.y->is_constant) {
        row.constant = row.y->constant;
        row.z = NULL;
    } else if (row.z && row.z->is_constant) {
        row.constant = row.z->constant;
    } else {
        int64_t element = (row.y ? row.y->index : y) * a->pitch_y +
                          (row.z ? row.z->index : z) * a->pitch_z +
                          edge->component * a->pitch_component;
        row.values = (const char *)a->data + element * edge->bytes;
    }
    if (row.y && !row.y->steps) row.y = NULL;
    if (row.z && !row.z->steps) row.z = NULL;
    return row;
}

/* The values at x_lo .. x_hi-1, inside along x. */
static void copy_inside(const cpu_edge *edge, const edge_row *row, int64_t x_lo, int64_t x_hi,
                        char *out)
{
    if (row->values)
        memcpy(out, row->values + x_lo * edge->bytes, (size_t)((x_hi - x_lo) * edge->bytes));
    else
        set_all(edge->type, out, x_hi - x_lo, row->constant);
    if (row->z) undo_steps(edge->type, out, x_hi - x_lo, row->z);
    if (row->y) undo_steps(edge->type, out, x_hi - x_lo, row->y);
}

/* The values at x_lo .. x_hi-1, all beyond one side; sources[i * direction] are those of x_lo + i.
 */
static void copy_outside(const cpu_edge *edge, const edge_row *row, const grid_source *sources,
                         int direction, int64_t count, char *out)
{
    for (int64_t i = 0; i < count; i++, out += edge->bytes) {
        const grid_source *x = &sources[i * direction];
        if (x->is_constant)
            set_all(edge->type, out, 1, x->constant);
        else if (row->values && !row->y && !row->z && edge->bytes == 8)
            memcpy(out, row->values + x->index * 8, 8);
        else if (row->values && !row->y && !row->z && edge->bytes == 4)
            memcpy(out, row->values + x->index * 4, 4);
        else
            copy_inside(edge, row, x->index, x->index + 1, out);
        if (x->steps) undo_steps(edge->type, out, 1, x);
    }
}

static void copy_row(const cpu_edge *edge, const edge_row *row, int64_t x_lo, int64_t x_hi,
                     char *out)
{
    int64_t first = edge->inside.lo[0], n = edge->inside.hi[0];
    int64_t lo = x_lo < first ? first : x_lo, hi = x_hi < n ? x_hi : n;
    if (x_lo < first) {
        int64_t end = x_hi < first ? x_hi : first;
        copy_outside(edge, row, &edge->low[0][first - 1 - x_lo], -1, end - x_lo, out);
    }
    if (lo < hi) copy_inside(edge, row, lo, hi, out + (lo - x_lo) * edge->bytes);
    if (x_hi > n) {
        int64_t start = x_lo < n ? n : x_lo;
        copy_outside(edge, row, &edge->high[0][start - n], 1, x_hi - start,
                     out + (start - x_lo) * edge->bytes);
    }
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* What a piece reads of a component; false when all of it is inside. */
static bool read_box(const cpu_edge *edge, const grid_box *piece, grid_box *out)
{
    *out = analysis_touched(edge->param, edge->lo, edge->hi, piece);
    for (int d = 0; d < 3; d++) {
        if (edge->clipped[d] && out->lo[d] < edge->inside.lo[d]) out->lo[d] = edge->inside.lo[d];
        if (edge->clipped[d] && out->hi[d] > edge->inside.hi[d]) out->hi[d] = edge->inside.hi[d];
    }
    return !grid_box_contains(&edge->inside, out);
}

/* Bytes from one row of a copy to the next: whole lines, so that vectors seldom straddle two. */
static int64_t pitch_of(const cpu_edge *edge, const grid_box *box)
{
    return ((box->hi[0] - box->lo[0]) * edge->bytes + 63) / 64 * 64;
}

static void copy_box(const cpu_edge *edge, const grid_box *box, char *out, codegen_view *view)
{
    int64_t pitch = pitch_of(edge, box), plane = pitch * (box->hi[1] - box->lo[1]);
    for (int64_t z = box->lo[2]; z < box->hi[2]; z++)
        for (int64_t y = box->lo[1]; y < box->hi[1]; y++) {
            edge_row row = row_at(edge, y, z);
            copy_row(edge, &row, box->lo[0], box->hi[0],
                     out + (z - box->lo[2]) * plane + (y - box->lo[1]) * pitch);
        }
    int64_t size = edge->bytes, shift = box->lo[0] * size + box->lo[1] * pitch + box->lo[2] * plane;
    *view = (codegen_view){(void *)((uintptr_t)out - (uintptr_t)shift), pitch / size, plane / size};
}

static size_t copy_size(const cpu_edge *edge, const grid_box *box)
{
    return (size_t)(pitch_of(edge, box) * (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]));
}

bool cpu_edge_gather(const cpu_edge *edges, int count, const grid_box *piece, cpu_thread *thread,
                     codegen_view *views)
{
    size_t needed = 0;
    grid_box box;
    for (int i = 0; i < count; i++)
        if (read_box(&edges[i], piece, &box)) needed += copy_size(&edges[i], &box);
    if (needed > thread->gathered_size) {
        free(thread->gathered);
        thread->gathered_size = 0;
        thread->gathered = aligned_alloc(64, needed);
        if (!thread->gathered) return false;
        thread->gathered_size = needed;
    }
    char *out = thread->gathered;
    for (int i = 0; i < count; i++) {
        if (!read_box(&edges[i], piece, &box)) continue;
        if (edges[i].poison) store_fill_unset(edges[i].type, out, copy_size(&edges[i], &box));
        copy_box(&edges[i], &box, out, &views[edges[i].view]);
        out += copy_size(&edges[i], &box);
    }
    return true;
}

/* ---- writes ---------------------------------------------------------------------------------- */

/* Where an index of the grown grid belongs; false: nowhere. */
static bool find_target(const cpu_edge *edge, int dimension, int64_t index, int64_t *target)
{
    const grid_source *source = source_of(edge, dimension, index);
    *target = source ? source->index : index;
    return !source || !source->is_constant;
}

static void scatter_row(const cpu_edge *edge, const char *from, int64_t x_lo, int64_t x_hi,
                        char *row)
{
    for (int64_t x = x_lo; x < x_hi; x++, from += edge->bytes) {
        int64_t target;
        if (find_target(edge, 0, x, &target))
            memcpy(row + target * edge->bytes, from, (size_t)edge->bytes);
    }
}

static void scatter_box(const cpu_edge *edge, const grid_box *box, const codegen_view *view)
{
    const store_array *a = edge->binding->slot->array;
    for (int64_t z = box->lo[2]; z < box->hi[2]; z++)
        for (int64_t y = box->lo[1]; y < box->hi[1]; y++) {
            int64_t to_y, to_z;
            if (!find_target(edge, 1, y, &to_y) || !find_target(edge, 2, z, &to_z)) continue;
            int64_t element =
                to_y * a->pitch_y + to_z * a->pitch_z + edge->component * a->pitch_component;
            int64_t start = box->lo[0] + y * view->y + z * view->z;
            scatter_row(edge,
                        (const char *)((uintptr_t)view->origin + (uintptr_t)(start * edge->bytes)),
                        box->lo[0], box->hi[0], (char *)a->data + element * edge->bytes);
        }
}

void cpu_edge_scatter(const cpu_edge *edges, int count, const grid_box *piece,
                      const codegen_view *views)
{
    grid_box box;
    for (int i = 0; i < count; i++)
        if (edges[i].written && read_box(&edges[i], piece, &box))
            scatter_box(&edges[i], &box, &views[edges[i].view]);
}
