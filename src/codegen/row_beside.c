/* Names of rows that run side by side: row 0 has the names of the row at iy, the others run after
 * it, and lie `beside` rows further along the order. And of what the point before has written,
 * which is carried from point to point in a variable: memory would hold it up. */
#include "codegen/emit.h"

static char sign_of(const codegen_writer *w)
{
    return w->loop->kernel->order[1] == IR_BACKWARD ? '-' : '+';
}

codegen_label codegen_y_beside(const codegen_writer *w)
{
    if (!w->beside) return codegen_format("iy");
    if (w->beside == CODEGEN_ROW_K) return codegen_format("iy %c k", sign_of(w));
    return codegen_format("iy %c %d", sign_of(w), w->beside);
}

static codegen_label row_beside(const codegen_writer *w, codegen_label row, int view)
{
    if (!w->beside) return row;
    if (w->beside == CODEGEN_ROW_K)
        return codegen_format("%s %c k * view[%d].y", row.is, sign_of(w), view);
    return codegen_format("%s_beside_%d", row.is, w->beside);
}

/* The access of another row that reads what an access reads in row w->beside; NULL: none. */
static const ir_access *same_beside(const codegen_writer *w, const ir_access *a)
{
    const ir_kernel *kernel = w->loop->kernel;
    ir_access same = *a;
    same.offset[1] += sign_of(w) == '+' ? w->beside : -w->beside;
    for (int i = 0; i < kernel->access_count && w->beside > 0; i++)
        if (codegen_same_row(&kernel->accesses[i], &same)) return &kernel->accesses[i];
    return NULL;
}

codegen_label codegen_read_row_beside(const codegen_writer *w, const ir_access *a)
{
    const ir_access *same = same_beside(w, a);
    if (same) return codegen_read_row_name(w, same);
    return row_beside(w, codegen_read_row_name(w, a),
                      codegen_view_index(w->loop->kernel, a->param) + a->component);
}

codegen_label codegen_written_row_beside(const codegen_writer *w, const ir_store *s)
{
    return row_beside(w, codegen_written_name(w, s),
                      codegen_store_index(w->loop->kernel, s->param) + s->component);
}

void codegen_beside_pointers(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if ((i > 0 && codegen_same_row(a, a - 1)) || same_beside(w, a)) continue;
        nest_statement(in, "const %s *const %s = %s %c %d * view[%d].y",
                       codegen_field_type(w, a->param).is, codegen_read_row_beside(w, a).is,
                       codegen_read_row_name(w, a).is, sign_of(w), w->beside,
                       codegen_view_index(kernel, a->param) + a->component);
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (i > 0 && codegen_same_written_row(s, s - 1)) continue;
        nest_statement(in, "%s *const %s = %s %c %d * view[%d].y",
                       codegen_field_type(w, s->param).is, codegen_written_row_beside(w, s).is,
                       codegen_written_name(w, s).is, sign_of(w), w->beside,
                       codegen_store_index(kernel, s->param) + s->component);
    }
}

/* ---- what is carried ------------------------------------------------------------------------- */

bool codegen_is_carried(const ir_kernel *kernel, int param, int component, const int32_t offset[3])
{
    static const ir_param plain;
    int32_t before = kernel->order[0] == IR_BACKWARD ? 1 : -1;
    bool carried = false;
    if (offset[0] != before || offset[1] || offset[2] ||
        !ir_param_same_mapping(&kernel->params[param], &plain))
        return false;
    for (int i = 0; i < kernel->store_count; i++)
        carried = carried ||
                  (kernel->stores[i].param == param && kernel->stores[i].component == component);
    return carried;
}

codegen_label codegen_carried_name(int param, int component)
{
    return codegen_format("carried_%d_%d", param, component);
}

codegen_label codegen_carried_beside(const codegen_writer *w, int param, int component)
{
    return codegen_format("%s_%d", codegen_carried_name(param, component).is, w->beside);
}
