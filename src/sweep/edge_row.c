/* The values of a field beyond its sides, row by row.
 *
 * Tables say where an index outside ends, so that rules are evaluated once per loop and index.
 * Rules map x first, then y, then z; antisymmetric steps are undone in the reverse order. Where a
 * value is a sum over points (KATA_LINEAR), the last dimension along which the index is outside is
 * mapped first: a value beyond a side of z is made of the values that reads find at the same x and
 * y, also where these are outside themselves. */
#include "sweep/edge.h"

#include <math.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

static const double UNSET = 0x1.6969696969697p62; /* about 0x5a5a5a5a5a5a5a5a */

/* A read that no rule covers has no effect, and a write that no periodic side brings back does not
 * happen: legality has checked both. */
static grid_source map(const sweep_field *field, bool written, double unset, int dimension,
                       int64_t index)
{
    grid_source source;
    grid_axis axis = chain_slot_axis(&field->slot, dimension);
    bool periodic = field->boundary.side[2 * dimension].rule == KATA_PERIODIC;
    if ((periodic || !written) &&
        grid_boundary_map(&field->boundary, dimension, &axis, index, &source))
        return source;
    return (grid_source){.is_constant = true, .constant = unset};
}

bool sweep_sources_make(sweep_loop *l, sweep_field *field, bool writes)
{
    sweep_sources *s = writes ? &field->writes : &field->reads;
    bool floating = ir_type_is_floating(ir_type_of_storage(field->slot.type));
    double unset = !l->poison ? 0 : floating ? NAN : UNSET;
    for (int d = 0; d < 3; d++) {
        int64_t first = field->inside.lo[d], end = field->inside.hi[d];
        int64_t low = larger(first - s->touched.lo[d], 0), high = larger(s->touched.hi[d] - end, 0);
        s->low[d] = arena_array(&l->memory, (size_t)low + (size_t)high, sizeof(grid_source));
        if (!s->low[d]) return false;
        s->high[d] = s->low[d] + low;
        for (int64_t i = 0; i < low; i++)
            s->low[d][i] = map(field, writes, unset, d, first - 1 - i);
        for (int64_t i = 0; i < high; i++) s->high[d][i] = map(field, writes, unset, d, end + i);
    }
    return true;
}

const grid_source *sweep_edge_source(const sweep_edge *edge, int dimension, int64_t index)
{
    int64_t first = edge->inside.lo[dimension], end = edge->inside.hi[dimension];
    return index < first  ? &edge->sources->low[dimension][first - 1 - index]
           : index >= end ? &edge->sources->high[dimension][index - end]
                          : NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

void sweep_edge_set_all(kata_type type, void *values, int64_t count, double x)
{
    ir_value value = {0};
    ir_storage_write(type, IR_F64, ir_value_of_double(IR_F64, x), &value);
    int bytes = store_type_bytes(type);
    char *out = values;
    uint64_t bits; /* in a register: stores of values may not change it */
    memcpy(&bits, &value, sizeof bits);
    if (bytes == 8)
        for (int64_t i = 0; i < count; i++) memcpy(out + i * 8, &bits, 8);
    else
        for (int64_t i = 0; i < count; i++) memcpy(out + i * bytes, &value, (size_t)bytes);
}

/* ---- rows ------------------------------------------------------------------------------------ */

sweep_edge_row sweep_edge_row_at(const sweep_edge *edge, int64_t y, int64_t z)
{
    sweep_edge_row row = {.y = sweep_edge_source(edge, 1, y), .z = sweep_edge_source(edge, 2, z)};
    row.summed = (row.y && row.y->weights) || (row.z && row.z->weights);
    row.from[1] = y;
    row.from[2] = z;
    if (row.summed) return row;
    if (row.y && row.y->is_constant) {
        row.constant = row.y->constant;
        row.z = NULL;
    } else if (row.z && row.z->is_constant) {
        row.constant = row.z->constant;
    } else {
        row.inside = true;
        row.at[1] = row.y ? row.y->index : y;
        row.at[2] = row.z ? row.z->index : z;
    }
    if (row.y && !row.y->steps) row.y = NULL;
    if (row.z && !row.z->steps) row.z = NULL;
    return row;
}

static void copy_inside(const sweep_edge *edge, const sweep_edge_row *row, int64_t x_lo,
                        int64_t x_hi, char *out)
{
    const int64_t start[3] = {x_lo, row->at[1], row->at[2]};
    if (row->inside)
        store_read_row(edge->field->array, edge->component, start, x_hi - x_lo, out);
    else
        sweep_edge_set_all(edge->type, out, x_hi - x_lo, row->constant);
    if (row->z) grid_undo_steps(row->z, edge->type, out, x_hi - x_lo);
    if (row->y) grid_undo_steps(row->y, edge->type, out, x_hi - x_lo);
}

static void sum_row(const sweep_edge *edge, const int64_t row[3], int64_t x_lo, int64_t x_hi,
                    char *out);

/* The values at x_lo .. x_hi-1, all outside. */
static void copy_outside(const sweep_edge *edge, const sweep_edge_row *row, int64_t x_lo,
                         int64_t x_hi, char *out)
{
    const store_array *a = edge->field->array;
    const char *values = row->inside ? store_address(a, edge->component, row->at) : NULL;
    bool plain = values && !row->y && !row->z;
    for (int64_t i = x_lo; i < x_hi; i++, out += edge->bytes) {
        const grid_source *x = sweep_edge_source(edge, 0, i);
        if (x->weights) {
            sum_row(edge, row->from, i, i + 1, out);
            continue;
        }
        if (x->is_constant)
            sweep_edge_set_all(edge->type, out, 1, x->constant);
        else if (plain && edge->bytes == 8)
            memcpy(out, values + store_along_x(a, x->index) * 8, 8);
        else if (plain && edge->bytes == 4)
            memcpy(out, values + store_along_x(a, x->index) * 4, 4);
        else
            copy_inside(edge, row, x->index, x->index + 1, out);
        if (x->steps) grid_undo_steps(x, edge->type, out, 1);
    }
}

void sweep_edge_copy_row(const sweep_edge *edge, const sweep_edge_row *row, int64_t x_lo,
                         int64_t x_hi, char *out)
{
    int64_t lo = smaller(larger(x_lo, edge->inside.lo[0]), x_hi);
    int64_t hi = larger(smaller(x_hi, edge->inside.hi[0]), lo);
    if (row->summed) {
        sum_row(edge, row->from, x_lo, x_hi, out);
        return;
    }
    copy_outside(edge, row, x_lo, lo, out);
    if (lo < hi) copy_inside(edge, row, lo, hi, out + (lo - x_lo) * edge->bytes);
    copy_outside(edge, row, hi, x_hi, out + (hi - x_lo) * edge->bytes);
}

/* ---- sums over rows, and over points -------------------------------------------------------- */

/* The values of a row, whatever they are. */
static void copy_row(const sweep_edge *edge, const int64_t row[3], int64_t x_lo, int64_t x_hi,
                     char *out)
{
    sweep_edge_row found = sweep_edge_row_at(edge, row[1], row[2]);
    sweep_edge_copy_row(edge, &found, x_lo, x_hi, out);
}

/* At most GRID_SUMS sums over rows; along x (d is 0) one sum over points. */
static void sum_part(const sweep_edge *edge, const grid_source *source, int d, const int64_t row[3],
                     int64_t x_lo, int64_t x_hi, char *out)
{
    _Alignas(64) char values[GRID_SUMS * sizeof(ir_value)];
    grid_sums sums;
    int64_t at[3] = {x_lo, row[1], row[2]}, count = x_hi - x_lo;
    grid_sums_begin(source, edge->type, &sums, count);
    for (int k = 0; k < source->count; k++) {
        at[d] = source->index + (int64_t)k * source->step;
        copy_row(edge, at, at[0], at[0] + count, values);
        grid_sums_add(source, k, edge->type, values, &sums, count);
    }
    grid_sums_store(edge->type, &sums, out, count);
}

/* The values of a row that is outside along d. */
static void map_row(const sweep_edge *edge, const grid_source *source, int d, const int64_t row[3],
                    int64_t x_lo, int64_t x_hi, char *out)
{
    int64_t at[3] = {0, row[1], row[2]};
    at[d] = source->index;
    if (source->is_constant)
        sweep_edge_set_all(edge->type, out, x_hi - x_lo, source->constant);
    else if (!source->weights)
        copy_row(edge, at, x_lo, x_hi, out);
    for (int64_t x = x_lo; x < x_hi && source->weights; x += GRID_SUMS)
        sum_part(edge, source, d, row, x, smaller(x + GRID_SUMS, x_hi),
                 out + (x - x_lo) * edge->bytes);
    grid_undo_steps(source, edge->type, out, x_hi - x_lo);
}

static void sum_row(const sweep_edge *edge, const int64_t row[3], int64_t x_lo, int64_t x_hi,
                    char *out)
{
    int d = 2;
    const grid_source *source = sweep_edge_source(edge, d, row[d]);
    if (!source) source = sweep_edge_source(edge, --d, row[1]);
    if (!source) source = sweep_edge_source(edge, --d, x_lo);
    map_row(edge, source, d, row, x_lo, x_hi, out);
}

/* ---- elements -------------------------------------------------------------------------------- */

void sweep_edge_move_column(char *to, int64_t to_pitch, const char *from, int64_t from_pitch,
                            int64_t rows, int bytes)
{
    if (bytes == 8)
        for (int64_t y = 0; y < rows; y++) memcpy(to + y * to_pitch, from + y * from_pitch, 8);
    else if (bytes == 4)
        for (int64_t y = 0; y < rows; y++) memcpy(to + y * to_pitch, from + y * from_pitch, 4);
    else
        for (int64_t y = 0; y < rows; y++)
            memcpy(to + y * to_pitch, from + y * from_pitch, (size_t)bytes);
}

void sweep_edge_sum_column(const sweep_edge *edge, const grid_source *x, const char *from,
                           int64_t pitch, char *out, int64_t count)
{
    _Alignas(64) char values[GRID_SUMS * sizeof(ir_value)];
    grid_sums sums;
    for (int64_t y = 0, rows; y < count; y += rows) {
        const char *first = from + y * pitch;
        rows = smaller(count - y, GRID_SUMS);
        grid_sums_begin(x, edge->type, &sums, rows);
        for (int k = 0; k < x->count; k++) {
            sweep_edge_move_column(values, edge->bytes, first + k * x->step * edge->bytes, pitch,
                                   rows, edge->bytes);
            grid_sums_add(x, k, edge->type, values, &sums, rows);
        }
        grid_sums_store(edge->type, &sums, out + y * edge->bytes, rows);
    }
}
