/* Reads outside the grid.
 *
 * Where a field's memory can have room around its values, what is read there is written there
 * before the loop runs. Where it cannot (memory of the program, ghosts, fields that the loop
 * writes), points near a side run on copies: of each component that they read outside, a box around
 * them is filled as the boundary rules say, and the same function runs with its view on the copy.
 * What an index outside maps to is looked up in tables, so that rules are evaluated once per loop
 * and index. Components that stand together in the field do so in a copy, as the function expects;
 * other copies have contiguous rows. Rules map x first, then y, then z; antisymmetric steps are
 * undone in the reverse order. */
#include "exec/exec.h"

#include "ir/arithmetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64, COLUMN = HOSTILE(64, 3) };

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
    edge->rows = exec_slot_rows(edge->binding->slot);
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
    int bytes = store_type_bytes(type);
    char *out = values;
    if (bytes == 8)
        for (int64_t i = 0; i < count; i++) memcpy(out + i * 8, &value, 8);
    else
        for (int64_t i = 0; i < count; i++) memcpy(out + i * bytes, &value, (size_t)bytes);
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
        ir_storage_write(type, IR_F64, ir_value_of_double(IR_F64, source->step_value[k % 2]), &v); \
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
    bool inside;   /* they are those of the row at[1], at[2]; otherwise the constant */
    int64_t at[3]; /* at[0] is 0 */
    double constant;
    const grid_source *y, *z; /* with steps to undo, otherwise NULL */
} edge_row;

static edge_row row_at(const cpu_edge *edge, int64_t y, int64_t z)
{
    edge_row row = {.y = source_of(edge, 1, y), .z = source_of(edge, 2, z)};
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

/* The values at x_lo .. x_hi-1, inside along x. */
static void copy_inside(const cpu_edge *edge, const edge_row *row, int64_t x_lo, int64_t x_hi,
                        char *out)
{
    const int64_t start[3] = {x_lo, row->at[1], row->at[2]};
    if (row->inside)
        store_read_row(edge->binding->slot->array, edge->component, start, x_hi - x_lo, out);
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
    const store_array *a = edge->binding->slot->array;
    const char *values = row->inside ? store_address(a, edge->component, row->at) : NULL;
    bool plain = values && !row->y && !row->z;
    for (int64_t i = 0; i < count; i++, out += edge->bytes) {
        const grid_source *x = &sources[i * direction];
        if (x->is_constant)
            set_all(edge->type, out, 1, x->constant);
        else if (plain && edge->bytes == 8)
            memcpy(out, values + store_along_x(a, x->index) * 8, 8);
        else if (plain && edge->bytes == 4)
            memcpy(out, values + store_along_x(a, x->index) * 4, 4);
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

/* How many edges, from the first, may share a copy: components that stand together do. */
static int sharing(const cpu_edge *edges, int count)
{
    int n = 1;
    if (edges->rows == CODEGEN_CONTIGUOUS || edges->rows == CODEGEN_STRIDED) return n;
    while (n < count && edges[n].param == edges->param && edges[n].written == edges->written) n++;
    return n;
}

/* The box around all that a piece reads outside of edges that share a copy; false when that is
 * nothing. */
static bool shared_box(const cpu_edge *edges, int count, const grid_box *piece, grid_box *out)
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
static size_t lay_copy(const cpu_edge *edge, const grid_box *box, void *out, store_array *copy)
{
    bool blocked = edge->rows == CODEGEN_BLOCKED, together = edge->rows == CODEGEN_TOGETHER;
    kata_layout layout = blocked ? KATA_BLOCKS : together ? KATA_STRUCTURES : KATA_ARRAYS;
    int64_t low[3] = {box->lo[0], box->lo[1], box->lo[2]};
    if (blocked) low[0] -= low[0] & (STORE_BLOCK - 1);
    *copy = (store_array){.type = edge->type, .components = edge->param->count};
    int64_t row = store_lay_row(copy, layout, box->hi[0] - low[0]);
    if (layout == KATA_ARRAYS) copy->pitch_component = 0; /* there is one */
    copy->pitch_y = row / edge->bytes;
    copy->pitch_z = copy->pitch_y * (box->hi[1] - box->lo[1]);
    int64_t shift = store_element(copy, 0, low) * edge->bytes;
    copy->data = (void *)((uintptr_t)out - (uintptr_t)shift);
    return (size_t)(row * (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]));
}

/* Copies an element of 8 or 4 bytes, as most are, without a call. */
static void copy_element(char *to, const char *from, int bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, (size_t)bytes);
}

/* Whether all that lies beside the grid in a box is found at other points, as it is there. */
static bool is_moved(const cpu_edge *edge, const grid_box *box)
{
    int64_t low = edge->inside.lo[0] - box->lo[0], high = box->hi[0] - edge->inside.hi[0];
    bool moved = true;
    for (int64_t i = 0; i < low; i++)
        moved = moved && !edge->low[0][i].is_constant && !edge->low[0][i].steps;
    for (int64_t i = 0; i < high; i++)
        moved = moved && !edge->high[0][i].is_constant && !edge->high[0][i].steps;
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

/* The same as copy_row for such rows, of contiguous elements: `from` is the row's x = 0. */
static void move_row(const cpu_edge *edge, const grid_box *box, const char *from, char *to)
{
    int64_t first = edge->inside.lo[0], end = edge->inside.hi[0], x = box->lo[0];
    int bytes = edge->bytes;
    int64_t last = smaller(end, box->hi[0]);
    for (; x < first && x < box->hi[0]; x++, to += bytes)
        copy_element(to, from + edge->low[0][first - 1 - x].index * bytes, bytes);
    if (x < last) copy_run(to, from + x * bytes, (last - x) * bytes);
    if (x < last) to += (last - x) * bytes;
    for (x = larger(x, last); x < box->hi[0]; x++, to += bytes)
        copy_element(to, from + edge->high[0][x - end].index * bytes, bytes);
}

/* How rows of a box are copied. */
typedef struct row_copy {
    const cpu_edge *edge;
    const grid_box *box;
    store_array *copy;
    const char *origin; /* of the field's component; NULL where rows cannot be moved */
    char *row;          /* by which they go where elements of the copy do not follow one another */
} row_copy;

static void copy_row_at(const row_copy *c, const int64_t at[3])
{
    const cpu_edge *edge = c->edge;
    const store_array *a = edge->binding->slot->array;
    edge_row from = row_at(edge, at[1], at[2]);
    if (c->origin && from.inside && !from.y && !from.z) {
        int64_t start = from.at[1] * a->pitch_y + from.at[2] * a->pitch_z;
        move_row(edge, c->box, c->origin + start * edge->bytes,
                 store_address(c->copy, edge->component, at));
    } else if (c->copy->pitch_x == 1) {
        copy_row(edge, &from, at[0], c->box->hi[0], store_address(c->copy, edge->component, at));
    } else {
        copy_row(edge, &from, at[0], c->box->hi[0], c->row);
        store_write_row(c->copy, edge->component, at, c->box->hi[0] - at[0], c->row);
    }
}

/* The elements of some rows at one x, `from_pitch` and `to_pitch` bytes apart. */
static void move_column(char *to, int64_t to_pitch, const char *from, int64_t from_pitch,
                        int64_t rows, int bytes)
{
    for (int64_t y = 0; y < rows; y++, to += to_pitch, from += from_pitch)
        copy_element(to, from, bytes);
}

/* Rows at y_lo .. y_hi-1, which are inside along y and z: column by column beside the grid. */
static void move_rows(const row_copy *c, int64_t y_lo, int64_t y_hi, int64_t z)
{
    const cpu_edge *edge = c->edge;
    const store_array *a = edge->binding->slot->array;
    const int64_t at[3] = {c->box->lo[0], y_lo, z};
    int64_t first = edge->inside.lo[0], end = edge->inside.hi[0], x = c->box->lo[0];
    int64_t last = smaller(end, c->box->hi[0]), rows = y_hi - y_lo, bytes = edge->bytes;
    int64_t from_pitch = a->pitch_y * bytes, to_pitch = c->copy->pitch_y * bytes;
    const char *from = c->origin + (y_lo * a->pitch_y + z * a->pitch_z) * bytes;
    char *to = store_address(c->copy, edge->component, at);
    for (; x < first && x < c->box->hi[0]; x++, to += bytes)
        move_column(to, to_pitch, from + edge->low[0][first - 1 - x].index * bytes, from_pitch,
                    rows, edge->bytes);
    for (int64_t y = 0; x < last && y < rows; y++)
        copy_run(to + y * to_pitch, from + x * bytes + y * from_pitch, (last - x) * bytes);
    if (x < last) to += (last - x) * bytes;
    for (x = larger(x, last); x < c->box->hi[0]; x++, to += bytes)
        move_column(to, to_pitch, from + edge->high[0][x - end].index * bytes, from_pitch, rows,
                    edge->bytes);
}

/* Fills a component of a copy. */
static void copy_box(const cpu_edge *edge, const grid_box *box, store_array *copy, char *row)
{
    const store_array *a = edge->binding->slot->array;
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

codegen_view cpu_view(const store_array *a, int component)
{
    const int64_t here[3] = {0, 0, 0};
    return (codegen_view){store_address(a, component, here), a->pitch_y, a->pitch_z, a->pitch_x};
}

store_array cpu_view_array(const codegen_view *view, const store_array *of)
{
    return (store_array){.type = of->type,
                         .components = 1,
                         .block = of->block,
                         .pitch_x = view->x,
                         .pitch_y = view->y,
                         .pitch_z = view->z,
                         .data = view->origin};
}

/* Bytes for all copies, each a multiple of a line, and *row for the longest row. */
static size_t room_for(const cpu_edge *edges, int count, const grid_box *piece, size_t *row)
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

static bool grow_room(cpu_thread *thread, size_t needed)
{
    if (needed <= thread->gathered_size && !HOSTILE(false, needed > 0)) return true;
    free(thread->gathered);
    thread->gathered_size = 0;
    thread->gathered = aligned_alloc(LINE_BYTES, needed);
    if (thread->gathered) thread->gathered_size = needed;
    return thread->gathered != NULL;
}

bool cpu_edge_gather(const cpu_edge *edges, int count, const grid_box *piece, cpu_thread *thread,
                     codegen_view *views)
{
    size_t row_bytes, needed = room_for(edges, count, piece, &row_bytes);
    if (!grow_room(thread, needed + row_bytes)) return false;
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
            views[edges[e].view] = cpu_view(&copy, edges[e].component);
        }
        out += bytes;
    }
    return true;
}

/* ---- filling --------------------------------------------------------------------------------- */

static bool is_written(const chain_loop *loop, const chain_slot *slot)
{
    bool written = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        written = written || (ir_param_is_written_field(&loop->kernel->params[p]) &&
                              loop->bindings[p].slot == slot);
    return written;
}

bool cpu_edge_can_fill(const cpu_edge *edge, const grid_box *touched, const chain_loop *loop)
{
    const chain_slot *slot = edge->binding->slot;
    grid_box inside = edge->inside, own = slot->array->box;
    bool all = grid_box_contains(&inside, &own);           /* around it nothing else is kept */
    if (HOSTILE(false, edge->view % 2 == 0)) return false; /* the other way, too */
    if (edge->written || is_written(loop, slot)) return false;
    return edge->rows == CODEGEN_CONTIGUOUS && all && store_array_extend(slot->array, touched);
}

/* The values at x inside of a row whose y or z is outside; all of them where x outside is wanted,
 * which may be made of any. */
static void fill_row(const cpu_edge *edge, const grid_box *rows, const int64_t at[3])
{
    const int64_t first = edge->inside.lo[0], end = edge->inside.hi[0];
    bool beyond = rows->lo[0] < first || rows->hi[0] > end;
    int64_t lo = beyond || rows->lo[0] < first ? first : rows->lo[0];
    int64_t hi = beyond || rows->hi[0] > end ? end : rows->hi[0];
    edge_row row = row_at(edge, at[1], at[2]);
    if (lo >= hi) return;
    char *out =
        store_address(edge->binding->slot->array, edge->component, (int64_t[]){lo, at[1], at[2]});
    copy_inside(edge, &row, lo, hi, out);
}

/* Elements of so many bytes that are `pitch` apart, to or from a place where they are not. */
static void gather(char *to, const char *from, int64_t pitch, int64_t count, int bytes)
{
    switch (bytes) {
    case 8:
        for (int64_t i = 0; i < count; i++) memcpy(to + i * 8, from + i * pitch * 8, 8);
        break;
    case 4:
        for (int64_t i = 0; i < count; i++) memcpy(to + i * 4, from + i * pitch * 4, 4);
        break;
    default:
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * bytes, from + i * pitch * bytes, (size_t)bytes);
    }
}

static void scatter(char *to, const char *from, int64_t pitch, int64_t count, int bytes)
{
    switch (bytes) {
    case 8:
        for (int64_t i = 0; i < count; i++) memcpy(to + i * pitch * 8, from + i * 8, 8);
        break;
    case 4:
        for (int64_t i = 0; i < count; i++) memcpy(to + i * pitch * 4, from + i * 4, 4);
        break;
    default:
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * pitch * bytes, from + i * bytes, (size_t)bytes);
    }
}

/* The values at one x outside, of rows that follow one another from at[1] on, made of theirs
 * inside. */
static void fill_column(const cpu_edge *edge, const grid_source *source, const int64_t at[3],
                        int64_t count)
{
    _Alignas(64) char values[COLUMN * sizeof(ir_value)];
    const store_array *a = edge->binding->slot->array;
    if (source->is_constant)
        set_all(edge->type, values, count, source->constant);
    else
        gather(values, store_address(a, edge->component, (int64_t[]){source->index, at[1], at[2]}),
               a->pitch_y, count, edge->bytes);
    if (source->steps) undo_steps(edge->type, values, count, source);
    scatter(store_address(a, edge->component, at), values, a->pitch_y, count, edge->bytes);
}

void cpu_edge_fill(const cpu_edge *edge, const grid_box *rows)
{
    const grid_box *inside = &edge->inside;
    int64_t at[3] = {0};
    for (at[2] = rows->lo[2]; at[2] < rows->hi[2]; at[2]++) {
        bool plane = at[2] >= inside->lo[2] && at[2] < inside->hi[2];
        for (at[1] = rows->lo[1]; at[1] < rows->hi[1]; at[1]++) {
            bool kept = plane && at[1] >= inside->lo[1] && at[1] < inside->hi[1];
            if (kept) at[1] = inside->hi[1];
            if (at[1] < rows->hi[1]) fill_row(edge, rows, at);
        }
        for (at[1] = rows->lo[1]; at[1] < rows->hi[1]; at[1] += COLUMN) {
            int64_t left = rows->hi[1] - at[1], count = left < COLUMN ? left : COLUMN;
            for (at[0] = rows->lo[0]; at[0] < inside->lo[0] && at[0] < rows->hi[0]; at[0]++)
                fill_column(edge, source_of(edge, 0, at[0]), at, count);
            at[0] = rows->lo[0] > inside->hi[0] ? rows->lo[0] : inside->hi[0];
            for (; at[0] < rows->hi[0]; at[0]++)
                fill_column(edge, source_of(edge, 0, at[0]), at, count);
        }
    }
}

/* ---- writes ---------------------------------------------------------------------------------- */

/* Where an index of the grown grid belongs; false: nowhere. */
static bool target_of(const cpu_edge *edge, const int64_t index[3], int64_t target[3])
{
    for (int d = 0; d < 3; d++) {
        const grid_source *source = source_of(edge, d, index[d]);
        target[d] = source ? source->index : index[d];
        if (source && source->is_constant) return false;
    }
    return true;
}

static void scatter_box(const cpu_edge *edge, const grid_box *box, const codegen_view *view)
{
    const store_array *a = edge->binding->slot->array;
    store_array copy = cpu_view_array(view, a);
    int64_t at[3], target[3];
    for (at[2] = box->lo[2]; at[2] < box->hi[2]; at[2]++)
        for (at[1] = box->lo[1]; at[1] < box->hi[1]; at[1]++)
            for (at[0] = box->lo[0]; at[0] < box->hi[0]; at[0]++)
                if (target_of(edge, at, target))
                    memcpy(store_address(a, edge->component, target), store_address(&copy, 0, at),
                           (size_t)edge->bytes);
}

void cpu_edge_scatter(const cpu_edge *edges, int count, const grid_box *piece,
                      const codegen_view *views)
{
    grid_box box;
    for (int i = 0; i < count; i++)
        if (edges[i].written && read_box(&edges[i], piece, &box))
            scatter_box(&edges[i], &box, &views[edges[i].view]);
}
