/* Rows that a thread of a device reads and writes as vectors: it has the elements for all of its
 * points in arrays, whose indices are known, so that they are registers. A vector begins where
 * memory is aligned: at the first point of the thread, or whole vectors before and behind it. */
#include "codegen/thread.h"

#include <string.h>

/* What a row is read at, along x. */
typedef struct reach {
    int first, last; /* vectors, from that of the thread's first point */
} reach;

static int down(int offset, int vector) { return (int)floor_divide(offset, vector); }

bool codegen_has_vectors(const codegen_writer *w, int param)
{
    const ir_param *p = &w->loop->kernel->params[param];
    return w->shape && w->shape->rows && ir_param_is_field(p) && !p->absent_axis[0];
}

/* Whether what the points of a chunk read of a parameter is read for all of them together. */
static bool is_shared(const codegen_writer *w, int param)
{
    return w->shape->chunk > 1 && w->whole && codegen_has_vectors(w, param) &&
           codegen_is_regular(w->loop->kernel, param);
}

/* A row that is read: of a chunk, seen from its first point. */
static ir_access row_of(const codegen_writer *w, const ir_access *a, int k)
{
    ir_access row = *a;
    if (is_shared(w, a->param)) row.offset[w->shape->along] += k;
    return row;
}

static int rounds_of(const codegen_writer *w, int param)
{
    return is_shared(w, param) ? w->shape->chunk : 1;
}

static reach reach_of(const codegen_writer *w, const ir_access *row)
{
    const ir_kernel *kernel = w->loop->kernel;
    int vector = w->shape->vector;
    reach r = {INT32_MAX, INT32_MIN};
    for (int i = 0; i < kernel->access_count; i++)
        for (int k = 0; k < rounds_of(w, row->param); k++) {
            ir_access a = row_of(w, &kernel->accesses[i], k);
            if (a.param != row->param || !codegen_same_row(&a, row)) continue;
            int first = down(a.offset[0], vector), last = down(a.offset[0] + vector - 1, vector);
            if (first < r.first) r.first = first;
            if (last > r.last) r.last = last;
        }
    return r;
}

/* "p0_u_0_m1_all": the array of a row; of those that are read ahead, one for each round. */
static codegen_label array_of(const codegen_writer *w, const ir_access *row)
{
    codegen_label name = codegen_read_row_name(w, row);
    return w->ahead ? codegen_format("%s_all_%d", name.is, w->round)
                    : codegen_format("%s_all", name.is);
}

void codegen_vector_element(text *out, const codegen_writer *w, const ir_node *node)
{
    const ir_access a = {
        node->param, node->element, {node->offset[0], node->offset[1], node->offset[2]}, 0};
    ir_access row = row_of(w, &a, w->round);
    reach r = reach_of(w, &row);
    text_add(out, "%s[%d]", array_of(w, &row).is,
             w->lane + node->offset[0] - r.first * w->shape->vector);
}

codegen_label codegen_vector_type(const codegen_writer *w, int param, int count)
{
    static const char *const names[][2] = {{"uint8_t", "uchar"}, {"uint16_t", "ushort"},
                                           {"int16_t", "short"}, {"int32_t", "int"},
                                           {"float", "float"},   {"double", "double"}};
    const char *type = codegen_element_type(w->loop, param), *name = w->dialect->long_vector;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(type, names[i][0])) name = names[i][1];
    return count > 1 ? codegen_format("%s%d", name, count) : codegen_format("%s", type);
}

/* The index along y or z of the first point of a chunk. */
static const char *first_of(const codegen_writer *w, int d)
{
    static const char *const names[2][3] = {{"ix", "iy", "iz"}, {"", "first_y", "first_z"}};
    return names[w->shape->along == d][d];
}

/* Where a row begins: of a chunk, found from the row of its first point. */
static codegen_label address_of(const codegen_writer *w, const ir_access *row)
{
    if (!is_shared(w, row->param)) return codegen_read_row_name(w, row);
    const int view = codegen_view_index(w->loop->kernel, row->param) + row->component;
    if (codegen_wraps_row(w, row->param, row->offset))
        return codegen_format(
            "(const %s *)view[%d].origin + %s * view[%d].y + %s * view[%d].z",
            codegen_field_type(w, row->param).is, view,
            codegen_row_place(w, row->param, 1, first_of(w, 1), row->offset[1]).is, view,
            codegen_row_place(w, row->param, 2, first_of(w, 2), row->offset[2]).is, view);
    return codegen_format("%s_first + (%d) * view[%d].y + (%d) * view[%d].z",
                          codegen_component_name(w->loop->kernel, row->param, row->component).is,
                          (int)row->offset[1], view, (int)row->offset[2], view);
}

codegen_label codegen_wrapped(const codegen_writer *w, int param, const char *from, int offset)
{
    int field = codegen_field_number(w->loop->kernel, param);
    return codegen_format("kata_wrapped(%s + (%d), (ABI_STEP)given.place[%d].period, "
                          "(ABI_STEP)given.place[%d].end)",
                          from, offset, field, field);
}

/* The index of a vector in its row. */
static codegen_label index_of(const codegen_writer *w, int param, int offset, bool beyond)
{
    if (!beyond) return offset ? codegen_format("at + %d", offset) : codegen_format("at");
    return codegen_wrapped(w, param, "at", offset);
}

static void read_row(const codegen_writer *w, nest *in, const ir_access *row)
{
    codegen_label name = array_of(w, row),
                  type = codegen_vector_type(w, row->param, w->shape->vector);
    const int ahead = w->ahead ? w->round * ABI_LANES : 0;
    int vector = w->shape->vector;
    reach r = reach_of(w, row);
    nest_statement(in, "%s %s[%d]", codegen_element_type(w->loop, row->param), name.is,
                   (r.last - r.first + 1) * vector);
    for (int v = r.first; v <= r.last; v++) {
        codegen_label at = index_of(w, row->param, v * vector + ahead, v != 0);
        if (vector == 1) {
            nest_statement(in, "%s[%d] = (%s)[%s]", name.is, v - r.first, address_of(w, row).is,
                           at.is);
            continue;
        }
        nest *part = nest_add(in, NEST_BLOCK);
        nest_statement(part, "const %s some = *(const %s%s *)(%s + %s)", type.is,
                       w->dialect->global, type.is, address_of(w, row).is, at.is);
        for (int i = 0; i < vector; i++)
            nest_statement(part, "%s[%d] = some.%c", name.is, (v - r.first) * vector + i,
                           "xyzw"[i]);
    }
}

/* Whether an earlier access of the chunk reads the same row. */
static bool is_read_before(const codegen_writer *w, const ir_access *row, int access, int round)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i <= access; i++)
        for (int k = 0; k < (i < access ? rounds_of(w, row->param) : round); k++) {
            ir_access before = row_of(w, &kernel->accesses[i], k);
            if (codegen_needs_row(w, i) && before.param == row->param &&
                codegen_same_row(&before, row))
                return true;
        }
    return false;
}

void codegen_read_vectors(const codegen_writer *w, nest *in, bool shared)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (!codegen_needs_row(w, i) || !codegen_has_vectors(w, a->param) ||
            codegen_is_of_tile(w, a->param) || is_shared(w, a->param) != shared)
            continue;
        for (int k = 0; k < rounds_of(w, a->param); k++) {
            ir_access row = row_of(w, a, k);
            if (!is_read_before(w, &row, i, k)) read_row(w, in, &row);
        }
    }
}

/* Bytes of the elements of a row that points of the thread use. */
static int bytes_of(const codegen_writer *w, const ir_access *row)
{
    const ir_kernel *kernel = w->loop->kernel;
    int low = INT32_MAX, high = INT32_MIN;
    for (int i = 0; i < kernel->access_count; i++)
        for (int k = 0; k < rounds_of(w, row->param); k++) {
            ir_access a = row_of(w, &kernel->accesses[i], k);
            if (a.param != row->param || !codegen_same_row(&a, row)) continue;
            low = (int)smaller(low, a.offset[0]);
            high = (int)larger(high, a.offset[0]);
        }
    return (high - low + w->shape->vector) * ir_storages[w->loop->storage[row->param]].bytes;
}

int codegen_bytes_held(const codegen_loop *loop, const codegen_shape *shape)
{
    const codegen_writer w = {.loop = loop, .shape = shape, .whole = true};
    int bytes = 0;
    for (int i = 0; i < loop->kernel->access_count; i++) {
        const ir_access *a = &loop->kernel->accesses[i];
        for (int k = 0; k < rounds_of(&w, a->param); k++) {
            ir_access row = row_of(&w, a, k);
            if (!is_read_before(&w, &row, i, k)) bytes += bytes_of(&w, &row);
        }
    }
    return bytes;
}

void codegen_first_rows(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_access *last = NULL;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        bool same = last && last->param == a->param && last->component == a->component;
        if (!is_shared(w, a->param) || same) continue;
        last = a;
        int view = codegen_view_index(kernel, a->param) + a->component;
        codegen_label type = codegen_field_type(w, a->param);
        nest_statement(in,
                       "const %s *const %s_first = (const %s *)view[%d].origin + %s * view[%d].y "
                       "+ %s * view[%d].z",
                       type.is, codegen_component_name(kernel, a->param, a->component).is, type.is,
                       view, first_of(w, 1), view, first_of(w, 2), view);
    }
}

/* Whether the results of a store lie where a vector begins. */
static bool is_aligned(const codegen_writer *w, const ir_store *s)
{
    return codegen_has_vectors(w, s->param) && s->offset[0] % w->shape->vector == 0;
}

static void write_whole(const codegen_writer *w, nest *in, int i)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    codegen_label type = codegen_vector_type(w, s->param, w->shape->vector);
    nest *part = nest_add(in, NEST_BLOCK);
    nest_statement(part, "%s some", type.is);
    for (int k = 0; k < w->shape->vector; k++)
        nest_statement(part, "some.%c = new_%d[%d]", "xyzw"[k], i, k);
    nest_statement(part, "*(%s%s *)(%s + %s) = some", w->dialect->global, type.is,
                   codegen_written_name(w, s).is,
                   index_of(w, s->param, (int)s->offset[0], s->offset[0] != 0).is);
}

static void write_lane(const codegen_writer *w, nest *in, int i, int lane)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    nest_statement(in, "%s[%s] = new_%d[%d]", codegen_written_name(w, s).is,
                   index_of(w, s->param, lane + (int)s->offset[0], s->offset[0] != 0).is, i, lane);
}

/* Lanes that are in the box. */
static void write_inside(const codegen_writer *w, nest *in, int i)
{
    for (int k = 0; k < w->shape->vector; k++)
        write_lane(w,
                   nest_format(in, NEST_IF,
                               "at + %d >= given.launch.lo[0] && at + %d < given.launch.hi[0]", k,
                               k),
                   i, k);
}

/* If the whole vector is in the box: tiles know that of each row. */
static nest *begin_whole(const codegen_writer *w, nest *in)
{
    return w->tile ? nest_format(in, NEST_IF, "whole & %d", 1 << w->row)
                   : nest_format(in, NEST_IF,
                                 "at >= given.launch.lo[0] && at + %d <= given.launch.hi[0]",
                                 w->shape->vector);
}

static nest *begin_parts(const codegen_writer *w, nest *in)
{
    return w->tile ? nest_format(in, NEST_ELSE, "writes_%d", w->row) : nest_add(in, NEST_ELSE);
}

void codegen_write_vectors(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    nest *whole = begin_whole(w, in);
    nest *parts = w->shape->vector > 1 ? begin_parts(w, in) : NULL;
    for (int i = 0; i < kernel->store_count; i++) {
        if (codegen_reduces_at(w->loop, i)) continue;
        if (parts) write_inside(w, parts, i);
        if (parts && is_aligned(w, &kernel->stores[i])) {
            write_whole(w, whole, i);
            continue;
        }
        for (int k = 0; k < w->shape->vector; k++) write_lane(w, whole, i, k);
    }
}
