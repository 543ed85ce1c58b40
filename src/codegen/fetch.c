/* Fetching ahead: while a row is computed, the one behind the foremost of those that are read, or
 * where rows are too long to stay in cache until they are used, what lies a few lines ahead. */
#include "codegen/codegen.h"

/* Whether no row of the same component lies farther on than that of an access. */
static bool is_foremost(const ir_kernel *kernel, const ir_access *a, int sign)
{
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *b = &kernel->accesses[i];
        if (b->param != a->param || b->component != a->component) continue;
        int32_t z = sign * (b->offset[2] - a->offset[2]);
        if (z > 0 || (z == 0 && b->offset[1] > a->offset[1])) return false;
    }
    return true;
}

/* Points of rows that, with as many of all other components, fit the first-level cache. */
static int short_row(const codegen_loop *loop)
{
    enum { ROOM = 24 << 10 };
    int bytes = 1;
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_field(&loop->kernel->params[p]))
            bytes += loop->kernel->params[p].count * ir_storages[loop->storage[p]].bytes;
    return ROOM / bytes;
}

/* Whether an access is the one of its component by which rows are fetched. */
static bool is_fetched(const codegen_loop *loop, int i)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_access *a = &kernel->accesses[i];
    const ir_param *p = &kernel->params[a->param];
    bool scaled = p->finer[0] > 1 || p->coarser[0] > 1 || p->absent_axis[0] || p->absent_axis[1];
    return !(i > 0 && codegen_same_row(a, a - 1)) && !scaled &&
           codegen_rows_of(loop, a->param) == CODEGEN_CONTIGUOUS &&
           is_foremost(kernel, a, kernel->direction == IR_BACKWARD ? -1 : 1);
}

/* "p0_u_0_1", and with `what` behind it. */
static text name_of(const codegen_writer *w, const ir_access *a, const char *what)
{
    const int32_t offset[3] = {0, a->offset[1] + codegen_second_y(w),
                               a->offset[2] + codegen_second_z(w)};
    text name = {0};
    codegen_row_name(&name, w->loop->kernel, a->param, a->component, offset);
    text_add(&name, "%s", what);
    if (name.failed) w->out->failed = true;
    return name;
}

void codegen_fetched_rows(const codegen_writer *w, int lanes)
{
    const ir_kernel *kernel = w->loop->kernel;
    if (!w->second)
        text_add(w->out, "            const _Bool far_row = %s > %d;\n",
                 codegen_reduces(w->loop) ? "row_points" : "hi[0] - lo[0]", short_row(w->loop));
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (!is_fetched(w->loop, i)) continue;
        text name = name_of(w, a, "_ahead"), row = name_of(w, a, "");
        text_add(w->out, "            const %s *const %s = %s + (far_row ? %d : %sview[%d].y);\n",
                 codegen_element_type(w->loop, a->param), text_get(&name), text_get(&row),
                 CODEGEN_AHEAD * lanes, w->paired == 1 ? "2 * " : "",
                 codegen_view_index(kernel, a->param) + a->component);
        text_free(&row);
        text_free(&name);
    }
}

void codegen_read_fetches(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++) {
        if (!is_fetched(w->loop, i)) continue;
        text name = name_of(w, &kernel->accesses[i], "_ahead");
        text_add(w->out, "                        __builtin_prefetch(%s + at);\n", text_get(&name));
        text_free(&name);
    }
}
