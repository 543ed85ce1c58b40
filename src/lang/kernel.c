/* A kernel: its parameters and body as an ir_kernel. */
#include "lang/check.h"

#include <string.h>

enum { MOST_HIDDEN = 2 * 9 + 3 }; /* neighbours and orientations of each relation, numbers */

bool lang_check_param_length(lang_compiler *c, const lang_param *p, int *length)
{
    *length = 0;
    bool bins = p->kind == IR_PARAM_SUM && ir_type_is_integer(p->type);
    int most = bins ? IR_MAX_BINS : p->kind == IR_PARAM_NUMBER ? IR_MAX_TABLE : IR_MAX_LENGTH;
    return !p->array || lang_check_constant(c, p->lengths[0], "the length", 1, most, length);
}

bool lang_check_extents(lang_compiler *c, lang_expr *const lengths[3], int most, int *length,
                        int extents[3])
{
    extents[0] = *length;
    extents[1] = extents[2] = 0;
    for (int i = 1; i < 3 && lengths[i]; i++) {
        if (!lang_check_constant(c, lengths[i], "the length", 1, most, &extents[i])) return false;
        int before = *length;
        if (before > most / extents[i])
            return lang_error(c, lengths[i]->at,
                              "%d times %d elements are more than the %d allowed", before,
                              extents[i], most);
        *length *= extents[i];
    }
    return true;
}

/* Sets how many values the indices behind the first have. */
void lang_set_extents(lang_symbol *symbol, const int extents[3])
{
    symbol->columns = extents[2] ? extents[2] : extents[1];
    symbol->middle = extents[2] ? extents[1] : 0;
}

static bool check_kind(lang_compiler *c, const lang_param *p)
{
    ir_param kind = {.kind = p->kind};
    bool field = ir_param_is_field(&kind), reduction = ir_param_is_reduction(&kind);
    if (p->lengths[1] && reduction) {
        lang_error(c, p->lengths[1]->at, "an array of reductions has one index");
        return lang_hint(c, "declare '%s[9]' for 3 times 3, and write '%s[3*i + j]'", p->name->text,
                         p->name->text);
    }
    if (p->lengths[1] && field) {
        lang_error(c, p->lengths[1]->at, "the components of a field have one index");
        return lang_hint(c, "declare '%s[9]' for 3 times 3, and read '%s[3*i + j]'", p->name->text,
                         p->name->text);
    }
    if (p->type == IR_BOOL && (field || reduction || p->array)) {
        lang_error(c, p->type_at, "'%s' cannot be bool: only number parameters can", p->name->text);
        return lang_hint(c, "use int");
    }
    if (ir_type_is_narrow(p->type) && reduction) {
        lang_error(c, p->type_at, "'%s' cannot be %s: nothing is computed in it", p->name->text,
                   ir_types[p->type].name);
        return lang_hint(c, "use int");
    }
    if (p->kind == IR_PARAM_WHERE && p->type != IR_I32 && p->type != IR_I64) {
        lang_error(c, p->type_at, "'%s' holds the index of a point", p->name->text);
        return lang_hint(c, "declare it '%s(%s) long %s[3]'", ir_param_kind_name(p->kind),
                         p->of->text, p->name->text);
    }
    if (!p->constant || p->kind == IR_PARAM_NUMBER) return true;
    lang_error(c, p->type_at, "'const' goes with numbers only");
    return lang_hint(c, "an 'in' field is never written; write '%s %s %s'",
                     ir_param_kind_name(p->kind), ir_types[p->type].name, p->name->text);
}

static lang_symbol_kind symbol_kind(ir_param_kind kind)
{
    ir_param param = {.kind = kind};
    if (ir_param_is_field(&param)) return LANG_FIELD;
    return ir_param_is_reduction(&param) ? LANG_REDUCTION : LANG_NUMBER;
}

static bool check_param(lang_compiler *c, const lang_param *p, ir_param *param)
{
    int length, extents[3];
    if (!check_kind(c, p) || !lang_check_param_length(c, p, &length)) return false;
    if (!lang_check_extents(c, p->lengths, IR_MAX_TABLE, &length, extents)) return false;
    lang_symbol *symbol = lang_declare(c, symbol_kind(p->kind), p->name, p->at);
    if (!symbol) return false;
    symbol->type = p->type;
    symbol->index = p->number;
    symbol->length = length;
    lang_set_extents(symbol, extents);
    symbol->param = p->kind;
    bool table = p->kind == IR_PARAM_NUMBER && p->array;
    *param = (ir_param){.name = p->name->text,
                        .kind = table ? IR_PARAM_TABLE : p->kind,
                        .type = p->type,
                        .count = length ? length : 1,
                        .at = p->at,
                        .accumulates = p->accumulates};
    if (!lang_check_ratio(c, p, param) || !lang_check_along(c, p, param)) return false;
    if (!lang_check_on(c, p, param)) return false;
    if (c->mesh) lang_mesh_turn(c, param);
    symbol->on = p->on;
    symbol->each = p->each;
    symbol->children = ir_param_children(param) > 1;
    return true;
}

/* A copy in the module's memory of `count` elements; NULL if count is 0. */
static bool keep(lang_compiler *c, const void *data, size_t count, size_t size, const void **out)
{
    *out = NULL;
    if (count == 0) return true;
    void *copy = arena_array(&c->module->memory, count, size);
    if (!copy) return lang_no_memory(c);
    *out = memcpy(copy, data, count * size);
    return true;
}

static bool keep_declared(lang_compiler *c, ir_kernel *kernel)
{
    const void *locals, *tables;
    if (!keep(c, c->locals, c->local_count, sizeof *c->locals, &locals)) return false;
    if (!keep(c, c->tables, c->table_count, sizeof *c->tables, &tables)) return false;
    kernel->locals = locals;
    kernel->local_count = (int)c->local_count;
    kernel->tables = tables;
    kernel->table_count = (int)c->table_count;
    return true;
}

/* Finds the minimum or maximum of which a parameter is to hold the point. */
static bool check_where(lang_compiler *c, const lang_function *f, const lang_param *p,
                        ir_param *params)
{
    const lang_param *of = f->params;
    while (of && of->name != p->of) of = of->next;
    const ir_param *found = of ? &params[of->number] : NULL;
    bool least = found && (found->kind == IR_PARAM_MIN || found->kind == IR_PARAM_MAX);
    if (!least || of->array || ir_param_is_column_reduction(found)) {
        lang_error(c, p->of_at, "'%s' is no minimum or maximum of this kernel", p->of->text);
        return lang_hint(c,
                         "one is 'min double m' or 'max double m', a single scalar: its point is "
                         "'at(m) long where[3]'");
    }
    if (c->mesh) {
        lang_error(c, p->of_at, "the place of '%s' is not found on a mesh", p->of->text);
        return lang_hint(c, "a point of a grid has one: reduce the value alone");
    }
    if (params[p->number].count != 3) {
        lang_error(c, p->at, "'%s' holds the index of a point along x, y and z", p->name->text);
        return lang_hint(c, "declare it '%s[3]'", p->name->text);
    }
    params[p->number].of = of->number;
    params[p->number].accumulates = found->accumulates;
    return true;
}

/* Along the dimensions of loops. */
static void set_order(lang_compiler *c, const lang_function *f, ir_kernel *kernel)
{
    ir_direction order[3];
    kernel->of_mesh = c->mesh;
    for (int d = 0; d < 3; d++) {
        kernel->axis[d] = lang_axis(c, d);
        order[kernel->axis[d]] = f->order[d];
    }
    ir_set_order(kernel, order);
}

static bool check_function(lang_compiler *c, const lang_function *f, ir_kernel *kernel)
{
    ir_param *params =
        arena_array(&c->module->memory, (size_t)f->param_count + MOST_HIDDEN + 1, sizeof *params);
    if (!params) return lang_no_memory(c);
    bool ok = true;
    kernel->name = f->name->text;
    kernel->on = f->on;
    kernel->on_at = f->on_at;
    for (const lang_param *p = f->params; p; p = p->next) {
        ir_param *param = &params[p->number];
        if (check_param(c, p, param)) {
            if (param->kind == IR_PARAM_TABLE) kernel->table_elements += param->count;
            if (kernel->table_elements > IR_MAX_TABLE)
                return lang_error(
                    c, p->at,
                    "the tables of kernel '%s' have more than the %d elements allowed "
                    "in all",
                    f->name->text, IR_MAX_TABLE);
            continue;
        }
        if (!lang_recover(c)) return false;
        ok = false;
    }
    if (!ok) return false;
    for (const lang_param *p = f->params; p; p = p->next)
        if (p->kind == IR_PARAM_WHERE && !check_where(c, f, p, params)) return false;
    kernel->text = &c->module->text;
    kernel->at = f->at;
    kernel->params = params;
    kernel->param_count = f->param_count;
    set_order(c, f, kernel);
    kernel->direction_at = f->direction_at;
    if (ir_orders_several(kernel) && !lang_check_columns_order(c, f, params)) return false;
    c->body_level = c->level;
    ok = f->on ? lang_check_parts(c, f, kernel) : lang_check_statements(c, f->body, &kernel->body);
    return ok && keep_declared(c, kernel);
}

bool lang_check_kernel(lang_compiler *c, lang_function *f, ir_kernel *kernel)
{
    lang_tree_start(c, &c->module->memory, f->name->text);
    lang_scope scope = lang_frame_enter(c);
    c->kernel = kernel;
    c->contract_off = f->contract_off;
    bool ok = check_function(c, f, kernel);
    c->kernel = NULL;
    c->contract_off = false;
    lang_scope_leave(c, scope);
    return ok;
}
