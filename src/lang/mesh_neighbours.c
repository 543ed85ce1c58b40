/* Kernels on the cells, edges and vertices of a mesh. Their text is that of kernels for icosahedral
 * grids. What those know of a neighbour when they are compiled, these read: its number, from a
 * field that the text does not have, and its orientation. A field at a neighbour is read at that
 * number.
 *
 * Such hidden parameters are read like any other field, so that neighbours of neighbours, analysis,
 * plans and executors need nothing of their own. */
#include "lang/check.h"

int lang_slots(const lang_compiler *c, kata_location from, kata_location to)
{
    if (!c->mesh) return ir_relation_of(from, to)->count;
    return c->mesh->width[from - KATA_CELLS][to - KATA_CELLS];
}

int lang_colors(const lang_compiler *c, kata_location on) { return c->mesh ? 1 : ir_colors(on); }

int lang_axis(const lang_compiler *c, int dimension)
{
    return c->mesh ? c->mesh->axis[dimension] : dimension;
}

void lang_mesh_turn(const lang_compiler *c, ir_param *param)
{
    const ir_param given = *param;
    for (int d = 0; d < 3; d++) param->absent_axis[lang_axis(c, d)] = given.absent_axis[d];
}

void lang_mesh_turn_offsets(const lang_compiler *c, ir_expr *offset[3], int *level)
{
    ir_expr *const given[3] = {offset[0], offset[1], offset[2]};
    for (int d = 0; d < 3; d++) offset[lang_axis(c, d)] = given[d];
    if (level && *level) *level = 1 + lang_axis(c, *level - 1);
}

/* ---- hidden parameters ----------------------------------------------------------------------- */

bool lang_mesh_knows(lang_compiler *c, kata_location from, kata_location to, uint32_t at)
{
    if (lang_slots(c, from, to)) return true;
    lang_error(c, at, "the mesh does not know the %s of %s", ir_location_name(to, true),
               ir_location_name(from, true));
    return lang_hint(c, "give kata_grid_mesh the table .%s", ir_relation_name(from, to));
}

static uint64_t misses_of(const lang_compiler *c, kata_location from, kata_location to)
{
    return c->mesh->misses[from - KATA_CELLS][to - KATA_CELLS];
}

static const char *numbers_name(kata_location of)
{
    static const char *const names[] = {"cell_numbers", "edge_numbers", "vertex_numbers"};
    return names[of - KATA_CELLS];
}

/* The number of a hidden parameter of the kernel, which is added where it is new. */
static int find_hidden(lang_compiler *c, ir_hidden hidden, kata_location from, kata_location to)
{
    ir_kernel *kernel = c->kernel;
    for (int p = kernel->param_count - kernel->hidden_count; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        if (param->hidden == hidden && param->on == from && param->each == to) return p;
    }
    ir_param *param = &kernel->params[kernel->param_count];
    const bool pairs = hidden != IR_HIDDEN_NUMBERS;
    *param = (ir_param){.name = pairs ? ir_relation_name(from, to) : numbers_name(from),
                        .kind = IR_PARAM_IN,
                        .type = hidden == IR_HIDDEN_SIGNS ? IR_I16 : IR_I32,
                        .count = pairs ? lang_slots(c, from, to) : 1,
                        .at = kernel->on_at,
                        .on = from,
                        .each = to,
                        .hidden = hidden,
                        .misses = pairs ? misses_of(c, from, to) : 0};
    param->absent_axis[c->mesh->axis[2]] = true;
    kernel->hidden_count++;
    return kernel->param_count++;
}

/* What a hidden parameter has of an element for a slot. */
static ir_expr *read_hidden(lang_compiler *c, ir_hidden hidden, const lang_element *of,
                            kata_location to, ir_expr *slot, uint32_t at)
{
    ir_type type = hidden == IR_HIDDEN_SIGNS ? IR_I16 : IR_I32;
    ir_expr *e = lang_tree_expr(c, IR_EXPR_LOAD, type, at);
    if (!e) return NULL;
    e->index = find_hidden(c, hidden, of->on, to);
    e->arg[0] = slot;
    e->offsets = 3;
    if (!of->index) return e;
    e->level = 1 + c->mesh->axis[0];
    e->arg[e->level] = of->index;
    e->inside = true;
    return e;
}

ir_expr *lang_mesh_number(lang_compiler *c, uint32_t at)
{
    const lang_element here = {.on = c->kernel ? c->kernel->on : KATA_NOWHERE};
    if (!here.on || !c->mesh->placed[here.on - KATA_CELLS]) {
        ir_expr *e = lang_tree_expr(c, IR_EXPR_INDEX, IR_I64, at);
        if (e) e->index = lang_axis(c, 0);
        return e;
    }
    ir_expr *e = read_hidden(c, IR_HIDDEN_NUMBERS, &here, KATA_NOWHERE, NULL, at);
    return e ? lang_convert(c, lang_value_of(e), IR_I64) : NULL;
}

/* ---- neighbours ------------------------------------------------------------------------------ */

bool lang_mesh_neighbour(lang_compiler *c, lang_element *n, uint32_t at)
{
    n->index = read_hidden(c, IR_HIDDEN_NEIGHBOURS, n->from, n->on, n->slot, at);
    return n->index;
}

ir_expr *lang_mesh_orientation(lang_compiler *c, const lang_element *n, uint32_t at)
{
    return lang_promoted(
               c, lang_value_of(read_hidden(c, IR_HIDDEN_SIGNS, n->from, n->on, n->slot, at)))
        .expr;
}

/* Whether a neighbour's slot is empty nowhere, from a table: it is known once loops are unrolled.
 */
static ir_expr *is_full(lang_compiler *c, const lang_element *n, uint32_t at)
{
    static const char name[] = "slots";
    const int slots = lang_slots(c, n->from->on, n->on);
    lang_symbol *table = arena_alloc(&c->syntax, sizeof *table);
    ir_value *values = arena_array(&c->module->memory, (size_t)slots, sizeof *values);
    if (!table || !values) return lang_no_memory(c), NULL;
    for (int k = 0; k < slots; k++)
        values[k] = ir_value_of_int(IR_I32, !(misses_of(c, n->from->on, n->on) >> k & 1));
    *table = (lang_symbol){.kind = LANG_TABLE,
                           .name = lang_intern(c, name, sizeof name - 1),
                           .type = IR_I32,
                           .length = slots,
                           .values = values,
                           .table_owner = -1};
    int index = table->name ? lang_tree_table(c, table) : -1;
    ir_expr *e = index < 0 ? NULL : lang_tree_expr(c, IR_EXPR_TABLE, IR_I32, at);
    if (!e) return NULL;
    e->index = index;
    e->arg[0] = n->slot;
    return lang_truth(c, lang_value_of(e));
}

bool lang_mesh_exists(lang_compiler *c, const lang_element *n, uint32_t at, ir_stmt ***body)
{
    if (!c->mesh || !misses_of(c, n->from->on, n->on)) return true;
    ir_stmt *exists = lang_tree_stmt(c, IR_STMT_IF, 0, at);
    if (!exists) return false;
    ir_expr *there = lang_tree_op(c, IR_LE, IR_BOOL, lang_tree_int(c, 0, at), n->index, NULL, at);
    exists->value = lang_tree_op(c, IR_OR, IR_BOOL, is_full(c, n, at), there, NULL, at);
    **body = exists;
    *body = &exists->body;
    return exists->value;
}

bool lang_mesh_locate(lang_compiler *c, const lang_lvalue *lvalue, const lang_element *at,
                      ir_expr *offset[3], int *level)
{
    const lang_symbol *field = lvalue->symbol;
    const char *name = field->name->text;
    if (!at->index) return true;
    if (field->param != IR_PARAM_IN) {
        lang_error(c, lvalue->neighbour_at,
                   "'%s' is written by this kernel, and in a mesh it is not read at a neighbour",
                   name);
        return lang_hint(c, "read an 'in' field there");
    }
    if (*level) {
        lang_error(c, lvalue->neighbour_at,
                   "in a mesh '%s' is not read by 'at(...)' at a neighbour", name);
        return lang_hint(c, "an offset is known: '%s[n][0,0,1]'", name);
    }
    *level = 1 + c->mesh->axis[0];
    offset[*level - 1] = at->index;
    return true;
}
