/* The function of a loop: numbers at its head, loops over z, y and x, in each what cannot be
 * computed further out, and the stores. Names: pINDEX_... for parameters, vID for nodes. */
#include "codegen/codegen.h"

#include <stdlib.h>
#include <string.h>

static void indent(const codegen_writer *w, codegen_level level)
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
             "void %s(const int64_t *lo, const int64_t *hi, const int64_t *size,\n"
             "    const struct kata_view *view, const union kata_value *number)\n{\n"
             "    const int64_t nx = size[0], ny = size[1], nz = size[2];\n",
             name);
}

static void add_levels(const codegen_writer *w)
{
    if (w->loop->kernel->direction) text_add(w->out, "    const int64_t lowest = size[5];\n");
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
        text_add(w->out, " = number[%d].%s;\n",
                 codegen_number_index(kernel, node->param) + node->element, members[node->type]);
    }
}

static void add_zeros(const codegen_writer *w)
{
    const ir_graph *g = &w->loop->kernel->graph;
    bool needed[IR_TYPE_COUNT] = {false};
    for (ir_id id = 1; id < g->count; id++) {
        const ir_node *node = &g->nodes[id];
        if (codegen_hides_zero(w->loop->kernel, node, 0) ||
            codegen_hides_zero(w->loop->kernel, node, 1) ||
            codegen_is_truncation(w->loop->kernel, node))
            needed[node->type] = true;
    }
    for (int type = IR_I32; type <= IR_F64; type++) {
        static const char *const names[] = {"", "zero_i32", "zero_i64", "zero_f32", "zero_f64"};
        if (needed[type])
            text_add(w->out,
                     "    %s %s = 0; /* not known to the compiler: it may confuse 0 and -0 */\n"
                     "    __asm__(\"\" : \"+m\"(%s));\n",
                     codegen_type((ir_type)type), names[type], names[type]);
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
    indent(w, CODEGEN_ROW);
    text_add(w->out, "const int64_t %s_x = view[%d].x;\n", row, view);
}

static void add_row(const codegen_writer *w, int param, int component, const int32_t offset[3])
{
    const ir_kernel *kernel = w->loop->kernel;
    const char *name = ir_storages[w->loop->storage[param]].c_name;
    int view = codegen_view_index(kernel, param) + component;
    text row = {0};
    codegen_row_name(&row, kernel, param, component, offset);
    if (row.failed) w->out->failed = true;
    indent(w, CODEGEN_ROW);
    text_add(w->out, "const %s *const %s = (const %s *)view[%d].origin", name, text_get(&row), name,
             view);
    add_read_shift(w, param, 1, offset[1], view);
    add_read_shift(w, param, 2, offset[2], view);
    text_add(w->out, ";\n");
    add_stride(w, param, text_get(&row), view);
    text_free(&row);
}

/* "p1_v_new"; of a finer field with the row of the child: "p1_f_new_1_0" */
static text written_name(const codegen_writer *w, const ir_store *s)
{
    const ir_param *param = &w->loop->kernel->params[s->param];
    text name = {0};
    codegen_param_name(&name, w->loop->kernel, s->param);
    if (param->count > 1) text_add(&name, "_%d", s->component);
    text_add(&name, "_new");
    if (ir_param_children(param) > 1)
        text_add(&name, "_%d_%d", (int)s->offset[1], (int)s->offset[2]);
    if (name.failed) w->out->failed = true;
    return name;
}

static void add_written_row(const codegen_writer *w, const ir_store *s)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_param *p = &kernel->params[s->param];
    const char *type = ir_param_is_field(p) ? ir_storages[w->loop->storage[s->param]].c_name
                                            : ir_types[p->type].c_name;
    int view = codegen_store_index(kernel, s->param) + s->component;
    text name = written_name(w, s);
    indent(w, CODEGEN_ROW);
    text_add(w->out, "%s *const %s = (%s *)view[%d].origin", type, text_get(&name), type, view);
    add_shift(w, s->param, 1, s->offset[1], view);
    add_shift(w, s->param, 2, s->offset[2], view);
    text_add(w->out, ";\n");
    add_stride(w, s->param, text_get(&name), view);
    text_free(&name);
}

static bool same_row(const ir_access *a, const ir_access *b)
{
    return a->param == b->param && a->component == b->component && a->offset[1] == b->offset[1] &&
           a->offset[2] == b->offset[2];
}

static bool same_written_row(const ir_store *a, const ir_store *b)
{
    return a->param == b->param && a->component == b->component && a->offset[1] == b->offset[1] &&
           a->offset[2] == b->offset[2];
}

/* Accesses and stores are ordered by parameter, component, z, y: equal rows follow one another. */
static void add_rows(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (i == 0 || !same_row(a, a - 1)) add_row(w, a->param, a->component, a->offset);
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (i == 0 || !same_written_row(s, s - 1)) add_written_row(w, s);
    }
}

/* ---- body ------------------------------------------------------------------------------------ */

static void add_steps(const codegen_writer *w, codegen_level level)
{
    const ir_graph *g = &w->loop->kernel->graph;
    for (ir_id id = 1; id < g->count; id++) {
        if (!w->steps[id].named || w->steps[id].level != level) continue;
        if (w->wanted && !w->wanted[id]) continue;
        codegen_line(w, g->nodes[id].at);
        indent(w, level);
        text_add(w->out, "const %s v%u = ", codegen_type(g->nodes[id].type), (unsigned)id);
        codegen_expression(w, id);
        text_add(w->out, ";\n");
    }
}

static void add_loop(const codegen_writer *w, int dimension)
{
    char d = "xyz"[dimension];
    const ir_kernel *kernel = w->loop->kernel;
    indent(w, (codegen_level)(2 - dimension));
    if (kernel->direction == IR_BACKWARD && kernel->ordered == dimension)
        text_add(w->out, "for (int64_t i%c = hi[%d]; i%c-- > lo[%d];) {\n", d, dimension, d,
                 dimension);
    else
        text_add(w->out, "for (int64_t i%c = lo[%d]; i%c < hi[%d]; i%c++) {\n", d, dimension, d,
                 dimension, d);
}

/* The first point of the colour in a row. */
static void add_colored_start(const codegen_writer *w)
{
    text_add(
        w->out,
        "            const int64_t before = (size[4] - lo[0] - iy - iz) %% size[3];\n"
        "            const int64_t first = lo[0] + (before < 0 ? before + size[3] : before);\n");
}

static void add_stored_value(const codegen_writer *w, const ir_store *s)
{
    const ir_param *param = &w->loop->kernel->params[s->param];
    kata_type storage = w->loop->storage[s->param];
    bool field = ir_param_is_field(param);
    char open[48];
    if (field) text_add(w->out, "%s", codegen_store_open(open, storage, param->type));
    codegen_operand(w, s->value);
    if (field) text_add(w->out, "%s", codegen_store_close(storage, param->type));
}

static void add_target(const codegen_writer *w, const ir_store *s)
{
    text name = written_name(w, s);
    text_add(w->out, "%s", text_get(&name));
    codegen_element(w, s->param, s->offset[0], false, text_get(&name));
    text_free(&name);
}

/* A store on a condition writes the old bits back where it does not hold. */
static void add_store(const codegen_writer *w, const ir_store *s)
{
    codegen_line(w, s->at);
    indent(w, CODEGEN_POINT);
    add_target(w, s);
    text_add(w->out, " = ");
    if (s->condition) {
        codegen_operand(w, s->condition);
        text_add(w->out, " ? ");
    }
    add_stored_value(w, s);
    if (s->condition) {
        text_add(w->out, " : ");
        add_target(w, s);
    }
    text_add(w->out, ";\n");
}

/* Whether the points of a row may be computed side by side. */
static bool is_free(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    return !w->loop->colored && (!kernel->direction || kernel->ordered > 0);
}

/* Around the loop over points where they run block by block. */
static void add_block_loop(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    text_add(w->out,
             "            for (int64_t start = lo[0], end; start < hi[0]; start = end) {\n"
             "            end = (start | %d) + 1 < hi[0] ? (start | %d) + 1 : hi[0];\n",
             CODEGEN_BLOCK - 1, CODEGEN_BLOCK - 1);
    for (int p = 0; p < kernel->param_count; p++) {
        if (codegen_rows_of(w->loop, p) != CODEGEN_BLOCKED) continue;
        text_add(w->out, "            const int64_t ");
        codegen_param_name(w->out, kernel, p);
        text_add(w->out, "_block = (start >> %d) * %d;\n", CODEGEN_BLOCK_SHIFT,
                 (kernel->params[p].count - 1) * CODEGEN_BLOCK);
    }
}

/* The loop over the points of a row, for which the compiler may be told something. */
static void begin_points(const codegen_writer *w, const char *pragma)
{
    bool blocks = codegen_runs_blocks(w->loop);
    if (blocks) add_block_loop(w);
    if (is_free(w)) text_add(w->out, "%s", pragma);
    if (w->loop->colored)
        text_add(w->out, "            for (int64_t ix = first; ix < hi[0]; ix += size[3]) {\n");
    else if (blocks)
        text_add(w->out, "            for (int64_t ix = start; ix < end; ix++) {\n");
    else
        add_loop(w, 0);
}

static void end_points(const codegen_writer *w)
{
    text_add(w->out, "            }\n");
    if (codegen_runs_blocks(w->loop)) text_add(w->out, "            }\n");
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Marks the operands of marked nodes. */
static void mark_operands(const ir_graph *g, bool *wanted)
{
    wanted[0] = false;
    for (ir_id id = (ir_id)g->count; id-- > 1;)
        for (int k = 0; wanted[id] && k < ir_ops[g->nodes[id].op].operands; k++)
            wanted[g->nodes[id].arg[k]] = true;
}

/* A pass over the row before anything of it is written: the first point at which a check fails ends
 * the function. */
static void add_checks(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    text_add(w->out, "            int64_t failing = hi[0];\n");
    begin_points(w, "#pragma omp simd reduction(min : failing)\n");
    add_steps(w, CODEGEN_POINT);
    text_add(w->out, "                failing = ");
    codegen_operand(w, kernel->valid);
    text_add(w->out, " || failing < ix ? failing : ix;\n");
    end_points(w);
    text_add(w->out,
             "            if (failing < hi[0]) {\n"
             "                int64_t *const point = (int64_t *)view[%d].origin;\n"
             "                point[0] = failing;\n"
             "                point[1] = iy;\n"
             "                point[2] = iz;\n"
             "                return;\n"
             "            }\n",
             codegen_view_index(kernel, kernel->param_count));
}

/* The nodes that checks need, and those that stores need, as two lists of flags; NULL when memory
 * is out. */
static bool *mark_wanted(const ir_kernel *kernel)
{
    size_t count = kernel->graph.count;
    bool *wanted = calloc(2 * count, sizeof *wanted);
    if (!wanted) return NULL;
    bool *stored = wanted + count;
    wanted[kernel->valid] = true;
    mark_operands(&kernel->graph, wanted);
    for (int i = 0; i < kernel->store_count; i++)
        stored[kernel->stores[i].value] = stored[kernel->stores[i].condition] = true;
    mark_operands(&kernel->graph, stored);
    return wanted;
}

/* What is the same for a row is computed outside of its loops, for both. */
static void add_row_body(codegen_writer *w, const bool *wanted)
{
    const ir_kernel *kernel = w->loop->kernel;
    if (w->loop->colored) add_colored_start(w);
    if (kernel->valid) {
        w->wanted = wanted;
        add_checks(w);
        w->wanted = wanted + kernel->graph.count;
    }
    begin_points(w, "#pragma omp simd\n");
    add_steps(w, CODEGEN_POINT);
    for (int i = 0; i < kernel->store_count; i++) add_store(w, &kernel->stores[i]);
    end_points(w);
}

void codegen_function_text(text *out, const codegen_loop *loop)
{
    codegen_step *steps = codegen_schedule(loop->kernel);
    bool *wanted = mark_wanted(loop->kernel);
    if (!steps || !wanted) {
        out->failed = true;
        free(steps);
        free(wanted);
        return;
    }
    if (loop->lines) codegen_name_by_line(loop->kernel, steps);
    codegen_writer w = {.out = out, .loop = loop, .steps = steps};
    add_title(&w);
    add_signature(&w);
    add_levels(&w);
    add_numbers(&w);
    add_zeros(&w);
    add_steps(&w, CODEGEN_ONCE);
    add_loop(&w, 2);
    add_steps(&w, CODEGEN_PLANE);
    add_loop(&w, 1);
    add_rows(&w);
    add_steps(&w, CODEGEN_ROW);
    add_row_body(&w, wanted);
    text_add(out, "        }\n    }\n}\n");
    free(steps);
    free(wanted);
}
