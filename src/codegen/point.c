/* The function of a point: all that is computed from values of fields, and the stores. Compilers
 * put it into the loops that call it, where the points of a vector are computed side by side.
 *
 * It is given indices and sizes, numbers, what was computed further out, the rows that are read and
 * written, and for each store the place of the element that it makes. */
#include "codegen/codegen.h"

#include <stdlib.h>
#include <string.h>

const char *codegen_element_type(const codegen_loop *loop, int param)
{
    const ir_param *p = &loop->kernel->params[param];
    return ir_param_is_field(p) ? ir_storages[loop->storage[param]].c_name
                                : ir_types[p->type].c_name;
}

text codegen_written_name(const codegen_writer *w, const ir_store *s)
{
    const ir_param *param = &w->loop->kernel->params[s->param];
    text name = {0};
    codegen_component_name(&name, w->loop->kernel, s->param, s->component);
    text_add(&name, "_new");
    if (ir_param_children(param) > 1)
        text_add(&name, "_%d_%d", (int)s->offset[1], (int)s->offset[2]);
    text_add(&name, "%s", codegen_second(w));
    if (name.failed) w->out->failed = true;
    return name;
}

const char *codegen_zero(const ir_kernel *kernel, ir_type type)
{
    static const char *const names[IR_TYPE_COUNT] = {
        [IR_I32] = "zero_i32", [IR_I64] = "zero_i64", [IR_F32] = "zero_f32", [IR_F64] = "zero_f64"};
    for (ir_id id = 1; id < kernel->graph.count; id++) {
        const ir_node *node = &kernel->graph.nodes[id];
        if (node->type == type &&
            (codegen_hides_zero(kernel, node, 0) || codegen_hides_zero(kernel, node, 1) ||
             codegen_is_truncation(kernel, node)))
            return names[type];
    }
    return NULL;
}

/* ---- parameters and arguments ---------------------------------------------------------------- */

/* A list of what a point is given: declared with its type, or as given by a loop. */
typedef struct list {
    const codegen_writer *w;
    bool declared;
} list;

enum { LONGEST_LINE = 100 };

/* Of the last line. */
static size_t line_length(const text *out)
{
    size_t length = 0;
    while (length < out->length && out->data[out->length - 1 - length] != '\n') length++;
    return length;
}

static void add_item(list *l, const char *type, const char *name)
{
    text *out = l->w->out;
    size_t length = strlen(name) + (l->declared ? strlen(type) + 1 : 0);
    text_add(out, ",");
    if (line_length(out) + length > LONGEST_LINE) text_add(out, "\n       ");
    text_add(out, " %s%s%s", l->declared ? type : "", l->declared ? " " : "", name);
}

/* The same of texts, which are freed. */
static void add_made(list *l, text *type, text *name)
{
    add_item(l, text_get(type), text_get(name));
    if (type->failed || name->failed) l->w->out->failed = true;
    text_free(type);
    text_free(name);
}

/* What was computed further out: a condition that is known as 1 or 0. */
static void add_outer(const list *l, ir_id id, text *name)
{
    for (int i = 0; i < CODEGEN_CASES && !l->declared; i++)
        if (l->w->known[i] == id) {
            text_add(name, l->w->holds[i] ? "1" : "0");
            return;
        }
    text_add(name, "v%u", (unsigned)id);
}

static void add_values(list *l)
{
    const codegen_writer *w = l->w;
    const ir_kernel *kernel = w->loop->kernel;
    for (ir_id id = 1; id < kernel->graph.count; id++) {
        const ir_node *node = &kernel->graph.nodes[id];
        bool outer = w->steps[id].named && w->steps[id].level < CODEGEN_POINT;
        if (!outer && node->op != IR_NUMBER) continue;
        text name = {0}, type = {0};
        codegen_writer to_name = *w;
        to_name.out = &name;
        text_add(&type, "const %s", codegen_type(node->type));
        if (outer)
            add_outer(l, id, &name);
        else
            codegen_expression(&to_name, id);
        add_made(l, &type, &name);
    }
    for (int type = IR_I32; type <= IR_F64; type++) {
        const char *zero = codegen_zero(kernel, (ir_type)type);
        if (zero) add_item(l, codegen_type((ir_type)type), zero);
    }
}

/* A row, and where its elements are apart by how much. Frees its name. */
static void add_row(list *l, int param, text *name, bool read)
{
    text type = {0}, distance = {0}, stride = {0};
    text_add(&type, "%s%s *const", read ? "const " : "", codegen_element_type(l->w->loop, param));
    if (codegen_rows_of(l->w->loop, param) == CODEGEN_STRIDED) {
        text_add(&distance, "const int64_t");
        text_add(&stride, "%s_x", text_get(name));
    }
    add_made(l, &type, name);
    if (codegen_rows_of(l->w->loop, param) == CODEGEN_STRIDED) add_made(l, &distance, &stride);
}

static void add_rows(list *l)
{
    const ir_kernel *kernel = l->w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        text name = {0};
        if (i > 0 && codegen_same_row(a, a - 1)) continue;
        const int32_t offset[3] = {0, a->offset[1] + codegen_second_y(l->w),
                                   a->offset[2] + codegen_second_z(l->w)};
        codegen_row_name(&name, kernel, a->param, a->component, offset);
        add_row(l, a->param, &name, true);
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (i > 0 && codegen_same_written_row(s, s - 1)) continue;
        text name = codegen_written_name(l->w, s);
        add_row(l, s->param, &name, false);
    }
}

/* What stays the same for the points of a block. */
static void add_blocks(list *l)
{
    const ir_kernel *kernel = l->w->loop->kernel;
    for (int p = 0; codegen_runs_blocks(l->w->loop) && p < kernel->param_count; p++) {
        if (codegen_rows_of(l->w->loop, p) != CODEGEN_BLOCKED) continue;
        text type = {0}, name = {0};
        text_add(&type, "const int64_t");
        codegen_param_name(&name, kernel, p);
        text_add(&name, "_block");
        add_made(l, &type, &name);
    }
}

/* What is kept in groups before the one that is computed. */
static void add_kept(list *l)
{
    const codegen_sharing *sharing = l->w->sharing;
    if (!sharing || l->w->group <= 1) return;
    for (int i = 0; i < sharing->count; i++) {
        if (sharing->kept[i].group >= l->w->group) continue;
        text type = {0}, name = {0};
        text_add(&type, "const %s *const",
                 codegen_type(l->w->loop->kernel->graph.nodes[sharing->kept[i].node].type));
        text_add(&name, "kept_%d%s", i, codegen_second(l->w));
        add_made(l, &type, &name);
    }
}

static void add_all(list *l)
{
    add_item(l, "const int64_t", codegen_second_y(l->w) ? "iy + 1" : "iy");
    add_item(l, "const int64_t", codegen_second_z(l->w) ? "iz + 1" : "iz");
    add_item(l, "const int64_t", "nx");
    add_item(l, "const int64_t", "ny");
    add_item(l, "const int64_t", "nz");
    if (l->w->loop->kernel->direction) add_item(l, "const abi_levels *const", "levels");
    add_values(l);
    add_rows(l);
    add_blocks(l);
    add_kept(l);
}

static void add_targets(list *l)
{
    const ir_kernel *kernel = l->w->loop->kernel;
    for (int i = 0; i < kernel->store_count; i++) {
        text type = {0}, name = {0};
        text_add(&type, "%s *const", codegen_element_type(l->w->loop, kernel->stores[i].param));
        text_add(&name, "to_%d", i);
        add_made(l, &type, &name);
    }
}

/* ---- body ------------------------------------------------------------------------------------ */

void codegen_steps(const codegen_writer *w, codegen_level level, codegen_level place)
{
    const ir_graph *g = &w->loop->kernel->graph;
    for (ir_id id = 1; id < g->count; id++) {
        if (!w->steps[id].named || w->steps[id].level != level) continue;
        if (w->wanted && !w->wanted[id]) continue;
        codegen_line(w, g->nodes[id].at);
        codegen_indent(w, place);
        text_add(w->out, "const %s v%u = ", codegen_type(g->nodes[id].type), (unsigned)id);
        codegen_expression(w, id);
        text_add(w->out, ";\n");
    }
}

void codegen_target(const codegen_writer *w, const ir_store *s)
{
    bool lane = codegen_has_lanes(w->loop, s->param);
    text name = lane ? codegen_lanes_name(w, s) : codegen_written_name(w, s);
    text_add(w->out, "%s", text_get(&name));
    if (lane)
        text_add(w->out, "[ix & %d]", ABI_LANES - 1);
    else
        codegen_element(w, s->param, s->offset[0], false, text_get(&name));
    text_free(&name);
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

/* A lane of a reduction with the point's contribution: of floating-point numbers a plain sum. */
static void add_combined(const codegen_writer *w, int i)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    const ir_param *param = &w->loop->kernel->params[s->param];
    ir_op op = ir_reduction_op(param);
    if (op == IR_ADD && ir_type_is_floating(param->type)) {
        text_add(w->out, "*to_%d + ", i);
        codegen_operand(w, s->value);
        return;
    }
    text_add(w->out, "kata_%s_%s(*to_%d, ", ir_ops[op].name, codegen_short_type(param->type), i);
    codegen_operand(w, s->value);
    text_add(w->out, ")");
}

/* A store on a condition writes the old bits back where it does not hold. */
static void add_store(const codegen_writer *w, int i)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    codegen_line(w, s->at);
    codegen_indent(w, CODEGEN_ONCE);
    text_add(w->out, "*to_%d = ", i);
    if (s->condition) {
        codegen_operand(w, s->condition);
        text_add(w->out, " ? ");
    }
    if (codegen_has_lanes(w->loop, s->param))
        add_combined(w, i);
    else
        add_stored_value(w, s);
    if (s->condition) {
        text_add(w->out, " : ");
        if (codegen_has_lanes(w->loop, s->param))
            text_add(w->out, "*to_%d", i);
        else
            codegen_target(w, s);
    }
    text_add(w->out, ";\n");
}

static void add_name(const codegen_writer *w)
{
    char name[64];
    codegen_name(w->loop, name);
    text_add(w->out, "%s", name);
    if (!w->group)
        text_add(w->out, "_point");
    else if (w->group > w->sharing->group_count)
        text_add(w->out, "_sharing");
    else
        text_add(w->out, "_kept_%d", w->group);
}

static void begin_function(const codegen_writer *w, list *l)
{
    text_add(w->out, "KATA_WITHIN void ");
    add_name(w);
    text_add(w->out, "(const int64_t ix");
    add_all(l);
}

void codegen_point_text(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    list l = {.w = w, .declared = true};
    begin_function(w, &l);
    add_targets(&l);
    text_add(w->out, ")\n{\n");
    codegen_steps(w, CODEGEN_POINT, CODEGEN_ONCE);
    for (int i = 0; i < kernel->store_count; i++) add_store(w, i);
    text_add(w->out, "}\n");
}

void codegen_call_begin(const codegen_writer *w, const char *ix)
{
    add_name(w);
    text_add(w->out, "(%s", ix);
    add_all(&(list){.w = w});
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* A node at the place ix: as at the point from which that is its place. */
static void add_kept_value(codegen_writer *w, const codegen_kept *kept, int i)
{
    const ir_graph *g = &w->loop->kernel->graph;
    bool *wanted = calloc(g->count, sizeof *wanted);
    if (!wanted) {
        w->out->failed = true;
        return;
    }
    wanted[kept->node] = true;
    codegen_mark_operands(w, wanted);
    w->wanted = wanted;
    w->moved = -kept->place;
    text_add(w->out, "    %s value_%d;\n    {\n", codegen_type(g->nodes[kept->node].type), i);
    codegen_steps(w, CODEGEN_POINT, CODEGEN_PLANE);
    text_add(w->out, "        value_%d = ", i);
    codegen_operand(w, kept->node);
    text_add(w->out, ";\n    }\n");
    free(wanted);
}

static void add_group(codegen_writer *w)
{
    const codegen_sharing *sharing = w->sharing;
    const ir_graph *g = &w->loop->kernel->graph;
    list l = {.w = w, .declared = true};
    begin_function(w, &l);
    for (int i = 0; i < sharing->count; i++)
        if (sharing->kept[i].group == w->group) {
            text type = {0}, name = {0};
            text_add(&type, "%s *const", codegen_type(g->nodes[sharing->kept[i].node].type));
            text_add(&name, "to_%d", i);
            add_made(&l, &type, &name);
        }
    text_add(w->out, ")\n{\n");
    for (int i = 0; i < sharing->count; i++)
        if (sharing->kept[i].group == w->group) add_kept_value(w, &sharing->kept[i], i);
    for (int i = 0; i < sharing->count; i++)
        if (sharing->kept[i].group == w->group) text_add(w->out, "    *to_%d = value_%d;\n", i, i);
    text_add(w->out, "}\n");
}

void codegen_kept_text(const codegen_writer *w)
{
    codegen_writer group = *w;
    for (group.group = 1; group.group <= w->sharing->group_count; group.group++) {
        group.moved = 0;
        group.wanted = NULL;
        add_group(&group);
    }
}
