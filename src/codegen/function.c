/* The function of a loop: numbers at its head, loops over z, y and x, in each what cannot be
 * computed further out. Names: pINDEX_... for parameters, vID for nodes. What happens at a point is
 * a function of its own (point.c), called from the loops over x (row.c). */
#include "codegen/codegen.h"

#include <stdlib.h>
#include <string.h>

void codegen_indent(const codegen_writer *w, codegen_level level)
{
    text_add(w->out, "%*s", 4 * (1 + (int)level), "");
}

/* ---- head ------------------------------------------------------------------------------------ */

/* "kernel heat(in double u as f64, number double c)" as a comment. */
static void add_title(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    text_add(w->out, "\n/* kernel ");
    codegen_word(w->out, kernel->name);
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        text_add(w->out, "%s%s %s ", p ? ", " : "(", ir_param_mode(param),
                 ir_types[param->type].name);
        codegen_word(w->out, param->name);
        if (param->count > 1) text_add(w->out, "[%d]", param->count);
        ir_print_ratio(w->out, kernel, param);
        char along[4];
        ir_param_along(param, along);
        if (ir_param_lacks_dimensions(param)) text_add(w->out, " along %s", along);
        if (ir_param_is_field(param))
            text_add(w->out, " as %s", ir_storages[w->loop->storage[p]].name);
    }
    text_add(w->out, ") */\n");
}

static void add_signature(const codegen_writer *w)
{
    char name[64];
    codegen_name(w->loop, name);
    codegen_line(w, w->loop->kernel->at);
    text_add(w->out,
             "void %s(const abi_box *restrict box, const abi_arguments *restrict arguments)\n{\n"
             "    const int64_t *const lo = box->lo, *const hi = box->hi, *const size = "
             "arguments->size;\n"
             "    const int64_t nx = size[0], ny = size[1], nz = size[2];\n"
             "    const abi_view *restrict view = arguments->views;\n"
             "    const int flags = arguments->flags;\n",
             name);
    if (w->loop->colored)
        text_add(w->out,
                 "    const int64_t colors = arguments->colors, color = arguments->color;\n");
    if (w->loop->kernel->direction)
        text_add(w->out, "    const abi_levels *const levels = arguments->levels;\n");
}

static void add_numbers(const codegen_writer *w)
{
    static const char *const members[IR_TYPE_COUNT] = {"i32 != 0", "i32", "i64",
                                                       "f32",      "f64", "i32"};
    const ir_kernel *kernel = w->loop->kernel;
    for (ir_id id = 1; id < kernel->graph.count; id++) {
        const ir_node *node = &kernel->graph.nodes[id];
        if (node->op != IR_NUMBER) continue;
        text_add(w->out, "    const %s ", codegen_type(node->type));
        codegen_expression(w, id);
        text_add(w->out, " = arguments->numbers[%d].%s;\n",
                 codegen_number_index(kernel, node->param) + node->element, members[node->type]);
    }
}

static void add_zeros(const codegen_writer *w)
{
    for (int type = IR_I32; type <= IR_F64; type++) {
        const char *name = codegen_zero(w->loop->kernel, (ir_type)type);
        if (name)
            text_add(w->out,
                     "    %s %s = 0; /* not known to the compiler: it may confuse 0 and -0 */\n"
                     "    __asm__(\"\" : \"+m\"(%s));\n",
                     codegen_type((ir_type)type), name, name);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_shift(const codegen_writer *w, int param, int dimension, int32_t offset, int view)
{
    text_add(w->out, " + (");
    codegen_index(w->out, &w->loop->kernel->params[param], dimension, offset);
    text_add(w->out, ") * view[%d].%c", view, "xyz"[dimension]);
}

static void add_read_shift(const codegen_writer *w, int param, int dimension, int32_t offset,
                           int view)
{
    text_add(w->out, " + (");
    codegen_read_index(w, param, dimension, offset);
    text_add(w->out, ") * view[%d].%c", view, "xyz"[dimension]);
}

/* The distance of elements of strided rows, after their pointer. */
static void add_stride(const codegen_writer *w, int param, const char *row, int view)
{
    if (codegen_rows_of(w->loop, param) != CODEGEN_STRIDED) return;
    codegen_indent(w, CODEGEN_ROW);
    text_add(w->out, "const int64_t %s_x = view[%d].x;\n", row, view);
}

bool codegen_is_regular(const ir_kernel *kernel, int param)
{
    const ir_param *p = &kernel->params[param];
    bool regular = kernel->direction == IR_UNORDERED || kernel->ordered == 0;
    for (int d = 1; d < 3; d++)
        regular = regular && p->finer[d] <= 1 && p->coarser[d] <= 1 && !p->absent_axis[d];
    return regular;
}

/* "p0_u_3": the row of the point, from which the others of a component are found. */
static void add_centre(const codegen_writer *w, int param, int component)
{
    const char *name = ir_storages[w->loop->storage[param]].c_name;
    int view = codegen_view_index(w->loop->kernel, param) + component;
    codegen_indent(w, CODEGEN_ROW);
    text_add(w->out, "const %s *const ", name);
    codegen_component_name(w->out, w->loop->kernel, param, component);
    text_add(w->out, " = (const %s *)view[%d].origin", name, view);
    add_shift(w, param, 1, 0, view);
    add_shift(w, param, 2, 0, view);
    text_add(w->out, ";\n");
}

static void add_place(const codegen_writer *w, int param, int component, const int32_t offset[3])
{
    int view = codegen_view_index(w->loop->kernel, param) + component;
    if (codegen_is_regular(w->loop->kernel, param)) {
        codegen_component_name(w->out, w->loop->kernel, param, component);
        for (int d = 1; d < 3; d++)
            if (offset[d])
                text_add(w->out, " + (%d) * view[%d].%c", (int)offset[d], view, "xyz"[d]);
        return;
    }
    text_add(w->out, "(const %s *)view[%d].origin", ir_storages[w->loop->storage[param]].c_name,
             view);
    add_read_shift(w, param, 1, offset[1], view);
    add_read_shift(w, param, 2, offset[2], view);
}

/* Where a row begins is hidden: compilers otherwise make the addresses of all rows from that of one
 * at each vector, instead of keeping them. */
static void add_hidden(const codegen_writer *w, const char *row)
{
    text_add(w->out, ";\n");
    codegen_indent(w, CODEGEN_ROW);
    text_add(w->out, "KATA_HIDDEN(%s);\n", row);
}

static void add_row(const codegen_writer *w, const ir_access *a)
{
    const int32_t offset[3] = {0, a->offset[1] + codegen_second_y(w),
                               a->offset[2] + codegen_second_z(w)};
    int param = a->param, component = a->component;
    text row = {0};
    codegen_row_name(&row, w->loop->kernel, param, component, offset);
    if (row.failed) w->out->failed = true;
    codegen_indent(w, CODEGEN_ROW);
    text_add(w->out, "const %s *%s = ", ir_storages[w->loop->storage[param]].c_name,
             text_get(&row));
    add_place(w, param, component, offset);
    add_hidden(w, text_get(&row));
    add_stride(w, param, text_get(&row), codegen_view_index(w->loop->kernel, param) + component);
    text_free(&row);
}

static void add_written_row(const codegen_writer *w, const ir_store *s)
{
    const ir_kernel *kernel = w->loop->kernel;
    const char *type = codegen_element_type(w->loop, s->param);
    int view = codegen_store_index(kernel, s->param) + s->component;
    text name = codegen_written_name(w, s);
    codegen_indent(w, CODEGEN_ROW);
    text_add(w->out, "%s *%s = (%s *)view[%d].origin", type, text_get(&name), type, view);
    add_shift(w, s->param, 1, s->offset[1] + codegen_second_y(w), view);
    add_shift(w, s->param, 2, s->offset[2] + codegen_second_z(w), view);
    add_hidden(w, text_get(&name));
    add_stride(w, s->param, text_get(&name), view);
    text_free(&name);
}

bool codegen_same_row(const ir_access *a, const ir_access *b)
{
    return a->param == b->param && a->component == b->component && a->offset[1] == b->offset[1] &&
           a->offset[2] == b->offset[2];
}

bool codegen_same_written_row(const ir_store *a, const ir_store *b)
{
    return a->param == b->param && a->component == b->component && a->offset[1] == b->offset[1] &&
           a->offset[2] == b->offset[2];
}

/* Whether a row that the second of two reads is one that the first reads, too. */
static bool is_read_by_first(const codegen_writer *w, const ir_access *second)
{
    const ir_kernel *kernel = w->loop->kernel;
    ir_access same = *second;
    same.offset[1] += codegen_second_y(w);
    same.offset[2] += codegen_second_z(w);
    for (int i = 0; w->second && i < kernel->access_count; i++)
        if (codegen_same_row(&kernel->accesses[i], &same)) return true;
    return false;
}

/* Accesses and stores are ordered by parameter, component, z, y: equal rows follow one another. */
void codegen_row_pointers(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        bool first = i == 0 || a->param != a[-1].param || a->component != a[-1].component;
        if (first && !w->second && codegen_is_regular(kernel, a->param))
            add_centre(w, a->param, a->component);
        if ((first || !codegen_same_row(a, a - 1)) && !is_read_by_first(w, a)) add_row(w, a);
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (i == 0 || !codegen_same_written_row(s, s - 1)) add_written_row(w, s);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

void codegen_begin_loop(const codegen_writer *w, int dimension)
{
    char d = "xyz"[dimension];
    const ir_kernel *kernel = w->loop->kernel;
    codegen_indent(w, (codegen_level)(2 - dimension));
    if (kernel->direction == IR_BACKWARD && kernel->ordered == dimension)
        text_add(w->out, "for (int64_t i%c = hi[%d]; i%c-- > lo[%d];) {\n", d, dimension, d,
                 dimension);
    else
        text_add(w->out, "for (int64_t i%c = lo[%d]; i%c < hi[%d]; i%c++) {\n", d, dimension, d,
                 dimension, d);
}

void codegen_mark_operands(const codegen_writer *w, bool *wanted)
{
    const ir_graph *g = &w->loop->kernel->graph;
    wanted[0] = false;
    for (ir_id id = (ir_id)g->count; id-- > 1;)
        for (int k = 0;
             wanted[id] && !codegen_is_kept(w, id) && k < ir_ops[g->nodes[id].op].operands; k++)
            wanted[g->nodes[id].arg[k]] = true;
}

/* The nodes that checks need, those that stores need, and those that stores need where values are
 * shared, as lists of flags; NULL when memory is out. */
static bool *mark_wanted(codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    size_t count = kernel->graph.count;
    bool *wanted = calloc(3 * count, sizeof *wanted);
    if (!wanted) return NULL;
    wanted[kernel->valid] = true;
    codegen_mark_operands(w, wanted);
    for (int list = 1; list < 3; list++) {
        bool *stored = wanted + (size_t)list * count;
        for (int i = 0; i < kernel->store_count; i++)
            stored[kernel->stores[i].value] = stored[kernel->stores[i].condition] = true;
        w->group = list == 2 ? w->sharing->group_count + 1 : 0;
        codegen_mark_operands(w, stored);
    }
    w->group = 0;
    return wanted;
}

/* The functions of points, alone and sharing values. */
static void add_points(const codegen_writer *w, const bool *wanted)
{
    codegen_writer point = *w;
    point.wanted = wanted + w->loop->kernel->graph.count;
    codegen_point_text(&point);
    if (!w->sharing->count || !codegen_runs_vectors(w->loop)) return;
    codegen_kept_text(w);
    point.wanted = wanted + 2 * w->loop->kernel->graph.count;
    point.group = w->sharing->group_count + 1;
    codegen_point_text(&point);
}

/* The loop over a dimension, or over what pairs along it leave. */
static void begin_rest(const codegen_writer *w, int dimension, int paired)
{
    const char d = "xyz"[dimension];
    if (dimension != paired) {
        codegen_begin_loop(w, dimension);
        return;
    }
    codegen_pairs(w, dimension);
    codegen_indent(w, (codegen_level)(2 - dimension));
    text_add(w->out, "for (int64_t i%c = unpaired; i%c < hi[%d]; i%c++) {\n", d, d, dimension, d);
}

static void add_function(codegen_writer *w, const bool *wanted)
{
    add_title(w);
    add_points(w, wanted);
    text_add(w->out, "\n");
    add_signature(w);
    add_numbers(w);
    add_zeros(w);
    codegen_steps(w, CODEGEN_ONCE, CODEGEN_ONCE);
    const int paired = codegen_paired(w);
    begin_rest(w, 2, paired);
    codegen_steps(w, CODEGEN_PLANE, CODEGEN_PLANE);
    begin_rest(w, 1, paired);
    codegen_row_pointers(w);
    codegen_steps(w, CODEGEN_ROW, CODEGEN_ROW);
    codegen_row_text(w, wanted);
    text_add(w->out, "        }\n    }\n");
    text_add(w->out, "    if (flags & ABI_STREAM) kata_streamed();\n}\n");
}

void codegen_function_text(text *out, const codegen_loop *loop)
{
    codegen_step *steps = codegen_schedule(loop->kernel);
    codegen_writer w = {.out = out, .loop = loop, .steps = steps};
    codegen_sharing *sharing = steps ? codegen_find_sharing(loop, steps) : NULL;
    w.sharing = sharing;
    bool *wanted = sharing ? mark_wanted(&w) : NULL;
    if (wanted) {
        if (loop->lines) codegen_name_by_line(loop->kernel, steps);
        add_function(&w, wanted);
    } else
        out->failed = true;
    codegen_sharing_free(sharing);
    free(steps);
    free(wanted);
}
