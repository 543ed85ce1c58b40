/* Pointers to the rows that the points of a row read and write. */
#include "codegen/strides.h"
#include "codegen/thread.h"

static void add_shift(text *out, const codegen_writer *w, int param, int dimension, int32_t offset,
                      int view)
{
    text_add(out, " + (");
    codegen_index(out, &w->loop->kernel->params[param], dimension, offset);
    text_add(out, ") * view[%d].%c", view, "xyz"[dimension]);
}

static void add_read_shift(text *out, const codegen_writer *w, int param, int dimension,
                           int32_t offset, int view)
{
    text_add(out, " + (");
    codegen_read_index(out, w->loop->kernel, param, dimension, offset);
    text_add(out, ") * view[%d].%c", view, "xyz"[dimension]);
}

/* The distance of elements of strided rows. */
static void add_stride(const codegen_writer *w, nest *in, int param, const char *row, int view)
{
    if (codegen_rows_of(w->loop, param) == CODEGEN_STRIDED)
        nest_statement(in, "const int64_t %s_x = view[%d].x", row, view);
}

/* Hides where a row begins: compilers otherwise compute the addresses of all rows from one of them
 * at each vector, instead of keeping them in registers. A loop that reads the rows of two points
 * has no registers for all of them; one that reads reused values of both has. */
static void add_hidden(const codegen_writer *w, nest *in, const char *row)
{
    bool reuses = w->reuse && w->reuse->count;
    if (w->hidden && (!w->paired || reuses)) nest_statement(in, "KATA_HIDDEN(%s)", row);
}

/* "p0_u_3": the row of the point, from which the others of a component are found. */
static void add_centre(const codegen_writer *w, nest *in, int param, int component)
{
    codegen_label type = codegen_field_type(w, param);
    int view = codegen_view_index(w->loop->kernel, param) + component;
    text *line =
        &nest_format(in, NEST_STATEMENT, "const %s *const %s = (const %s *)view[%d].origin",
                     type.is, codegen_component_name(w->loop->kernel, param, component).is, type.is,
                     view)
             ->head;
    add_shift(line, w, param, 1, 0, view);
    add_shift(line, w, param, 2, 0, view);
}

bool codegen_wraps(const codegen_writer *w, int param, int d, int offset)
{
    return offset && w->loop->wraps[d] && w->loop->wraps[d] >> param & 1;
}

codegen_label codegen_row_place(const codegen_writer *w, int param, int d, const char *from,
                                int offset)
{
    if (w->loop->kernel->params[param].absent_axis[d]) return codegen_format("0");
    if (!codegen_wraps(w, param, d, offset)) return codegen_format("(%s + %d)", from, offset);
    return codegen_format("KATA_ROUND(%s + (%d), %d)", from, offset, d);
}

bool codegen_wraps_row(const codegen_writer *w, int param, const int32_t offset[3])
{
    return codegen_wraps(w, param, 1, offset[1]) || codegen_wraps(w, param, 2, offset[2]);
}

/* The address of a row, from the row of the point where that is possible. */
static void add_address(text *out, const codegen_writer *w, int param, int component,
                        const int32_t offset[3])
{
    const ir_kernel *kernel = w->loop->kernel;
    int view = codegen_view_index(kernel, param) + component;
    if (codegen_wraps_row(w, param, offset)) {
        text_add(out, "(const %s *)view[%d].origin", codegen_field_type(w, param).is, view);
        for (int d = 1; d < 3; d++)
            text_add(out, " + %s * view[%d].%c",
                     codegen_row_place(w, param, d, d == 1 ? "iy" : "iz", offset[d]).is, view,
                     "xyz"[d]);
        return;
    }
    if (codegen_is_regular(kernel, param)) {
        text_add(out, "%s", codegen_component_name(kernel, param, component).is);
        for (int d = 1; d < 3; d++)
            if (offset[d]) text_add(out, " + (%d) * view[%d].%c", (int)offset[d], view, "xyz"[d]);
        return;
    }
    text_add(out, "(const %s *)view[%d].origin", codegen_field_type(w, param).is, view);
    add_read_shift(out, w, param, 1, offset[1], view);
    add_read_shift(out, w, param, 2, offset[2], view);
}

static void add_read_row(const codegen_writer *w, nest *in, const ir_access *a)
{
    const int32_t offset[3] = {0, a->offset[1] + codegen_second_y(w),
                               a->offset[2] + codegen_second_z(w)};
    codegen_label row = codegen_read_row_name(w, a);
    text *line = &nest_format(in, NEST_STATEMENT,
                              "const %s *%s = ", codegen_field_type(w, a->param).is, row.is)
                      ->head;
    add_address(line, w, a->param, a->component, offset);
    if (!codegen_is_strided(w, a)) add_hidden(w, in, row.is);
    add_stride(w, in, a->param, row.is,
               codegen_view_index(w->loop->kernel, a->param) + a->component);
}

/* Whether a store is the first of its row, and finds this row from that of the plane before: in
 * tiles, where rows of the field are those of the points. */
static bool walks(const codegen_writer *w, int store)
{
    const ir_store *s = &w->loop->kernel->stores[store];
    return w->tile && codegen_is_regular(w->loop->kernel, s->param) &&
           (store == 0 || !codegen_same_written_row(s, s - 1));
}

static int view_of(const codegen_writer *w, const ir_store *s)
{
    return codegen_store_index(w->loop->kernel, s->param) + s->component;
}

void codegen_walk_rows(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        const ir_store *s = &w->loop->kernel->stores[i];
        const codegen_label type = codegen_field_type(w, s->param);
        if (walks(w, i))
            nest_statement(in,
                           "%s *%s_walk = (%s *)view[%d].origin + (first_y + (%d)) * view[%d].y + "
                           "(from_z + (%d)) * view[%d].z",
                           type.is, codegen_written_name(w, s).is, type.is, view_of(w, s),
                           (int)s->offset[1], view_of(w, s), (int)s->offset[2], view_of(w, s));
    }
}

void codegen_walk_on(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        const ir_store *s = &w->loop->kernel->stores[i];
        if (walks(w, i))
            nest_statement(in, "%s_walk += view[%d].z", codegen_written_name(w, s).is,
                           view_of(w, s));
    }
}

static void add_written_row(const codegen_writer *w, nest *in, int store)
{
    const ir_store *s = &w->loop->kernel->stores[store];
    codegen_label type = codegen_field_type(w, s->param), row = codegen_written_name(w, s);
    const int view = view_of(w, s);
    if (walks(w, store)) {
        nest_statement(in, "%s *const %s = %s_walk + %d * view[%d].y", type.is, row.is, row.is,
                       w->row, view);
        return;
    }
    text *line = &nest_format(in, NEST_STATEMENT, "%s *%s = (%s *)view[%d].origin", type.is, row.is,
                              type.is, view)
                      ->head;
    add_shift(line, w, s->param, 1, s->offset[1] + codegen_second_y(w), view);
    add_shift(line, w, s->param, 2, s->offset[2] + codegen_second_z(w), view);
    add_hidden(w, in, row.is);
    add_stride(w, in, s->param, row.is, view);
}

/* Whether the row of a parameter is found from that before it: one row of it for each iy, and none
 * that ends of levels or of the grid choose. */
static bool is_walked(const codegen_writer *w, int param)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_param *p = &kernel->params[param];
    bool chosen = kernel->order[1] || w->loop->wraps[1] || w->loop->wraps[2];
    return w->walks && !chosen && !codegen_has_strides(w, param) && ir_param_is_field(p) &&
           p->finer[1] <= 1 && p->coarser[1] <= 1;
}

/* Whether the pointers that are being written are those of a parameter. */
static bool is_meant(const codegen_writer *w, int param)
{
    return w->rows == CODEGEN_ROWS_ALL || is_walked(w, param) == (w->rows == CODEGEN_ROWS_WALKED);
}

static void add_step(text *out, const codegen_writer *w, int param, const char *row, int view)
{
    if (!w->loop->kernel->params[param].absent_axis[1])
        text_add(out, ", %s += view[%d].y", row, view);
}

void codegen_row_steps(const codegen_writer *w, text *out)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (is_walked(w, a->param) && codegen_needs_row(w, i) &&
            !(i > 0 && codegen_same_row(a, a - 1)))
            add_step(out, w, a->param, codegen_read_row_name(w, a).is,
                     codegen_view_index(kernel, a->param) + a->component);
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (is_walked(w, s->param) && !(i > 0 && codegen_same_written_row(s, s - 1)))
            add_step(out, w, s->param, codegen_written_name(w, s).is, view_of(w, s));
    }
}

/* Whether a row that is read is one that a row before the writer's reads, too. */
static bool is_read_before(const codegen_writer *w, const ir_access *read)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int32_t back = 1; back <= w->second; back++) {
        ir_access same = *read;
        same.offset[w->paired] += back;
        for (int i = 0; i < kernel->access_count; i++)
            if (codegen_same_row(&kernel->accesses[i], &same)) return true;
    }
    return false;
}

/* Accesses and stores are ordered by parameter, component, z, y: equal rows follow one another. */
void codegen_row_pointers(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_access *last = NULL;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (!codegen_needs_row(w, i) || codegen_is_of_section(w, a->param) ||
            codegen_is_of_tile(w, a->param) || !is_meant(w, a->param))
            continue;
        bool first = !last || a->param != last->param || a->component != last->component;
        if (first && !w->second && codegen_is_regular(kernel, a->param))
            add_centre(w, in, a->param, a->component);
        if ((first || !codegen_same_row(a, last)) && !is_read_before(w, a)) add_read_row(w, in, a);
        last = a;
    }
    for (int i = 0; i < kernel->store_count && !w->section; i++) {
        const ir_store *s = &kernel->stores[i];
        if (is_meant(w, s->param) && (i == 0 || !codegen_same_written_row(s, s - 1)))
            add_written_row(w, in, i);
    }
    if (!w->second && w->rows != CODEGEN_ROWS_WALKED) codegen_stride_bases(w, in);
}
