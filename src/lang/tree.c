/* Making IR trees within a budget, and evaluating those that are constant. */
#include "lang/check.h"

void lang_tree_start(lang_compiler *c, arena *memory, const char *name)
{
    c->tree = memory;
    c->tree_name = name;
    c->tree_number++;
    c->tree_count = c->random_count = 0;
    c->local_count = c->table_count = 0;
    c->depth = 0;
}

static void *make(lang_compiler *c, size_t size, uint32_t at)
{
    c->tree_count++;
    c->trees_count++;
    if (c->tree_count > LANG_MAX_TREE) {
        lang_limit(c, at, "'%s' is too large: more than %d operations once its helpers are inlined",
                   c->tree_name, LANG_MAX_TREE);
        return NULL;
    }
    if (c->trees_count > LANG_MAX_TREES) {
        lang_limit(c, at,
                   "the file is too large: more than %d operations once its helpers are inlined",
                   LANG_MAX_TREES);
        return NULL;
    }
    void *made = arena_alloc(c->tree, size);
    if (!made) lang_no_memory(c);
    return made;
}

/* ---- expressions ----------------------------------------------------------------------------- */

ir_expr *lang_tree_expr(lang_compiler *c, ir_expr_kind kind, ir_type type, uint32_t at)
{
    ir_expr *e = make(c, sizeof *e, at);
    if (!e) return NULL;
    e->kind = kind;
    e->type = type;
    e->at = at;
    return e;
}

ir_expr *lang_tree_const(lang_compiler *c, ir_type type, ir_value value, uint32_t at)
{
    ir_expr *e = lang_tree_expr(c, IR_EXPR_CONST, type, at);
    if (e) e->value = value;
    return e;
}

ir_expr *lang_tree_int(lang_compiler *c, int64_t value, uint32_t at)
{
    return lang_tree_const(c, IR_I32, ir_value_of_int(IR_I32, value), at);
}

ir_expr *lang_tree_op(lang_compiler *c, ir_op op, ir_type type, ir_expr *a, ir_expr *b, ir_expr *d,
                      uint32_t at)
{
    int operands = ir_ops[op].operands;
    if (!a || (operands > 1 && !b) || (operands > 2 && !d)) return NULL;
    ir_expr *e = lang_tree_expr(c, IR_EXPR_OP, type, at);
    if (!e) return NULL;
    e->op = op;
    e->arg[0] = a;
    e->arg[1] = b;
    e->arg[2] = d;
    return e;
}

/* ---- statements ------------------------------------------------------------------------------ */

ir_stmt *lang_tree_stmt(lang_compiler *c, ir_stmt_kind kind, int index, uint32_t at)
{
    ir_stmt *s = make(c, sizeof *s, at);
    if (!s) return NULL;
    s->kind = kind;
    s->index = index;
    s->at = at;
    return s;
}

ir_stmt *lang_tree_assign(lang_compiler *c, int index, ir_expr *element, ir_expr *value,
                          uint32_t at)
{
    ir_stmt *s = value ? lang_tree_stmt(c, IR_STMT_ASSIGN, index, at) : NULL;
    if (!s) return NULL;
    s->element = element;
    s->value = value;
    return s;
}

/* ---- variables and tables -------------------------------------------------------------------- */

int lang_tree_local(lang_compiler *c, const char *name, ir_type type, int length, uint32_t at)
{
    void *locals = c->locals;
    if (!vector_reserve(&locals, &c->local_capacity, c->local_count + 1, sizeof *c->locals)) {
        lang_no_memory(c);
        return -1;
    }
    c->locals = locals;
    c->locals[c->local_count] = (ir_local){name, type, length, at};
    return (int)c->local_count++;
}

int lang_tree_table(lang_compiler *c, lang_symbol *table)
{
    if (table->table_owner == c->tree_number) return table->table;
    void *tables = c->tables;
    if (!vector_reserve(&tables, &c->table_capacity, c->table_count + 1, sizeof *c->tables)) {
        lang_no_memory(c);
        return -1;
    }
    c->tables = tables;
    c->tables[c->table_count] =
        (ir_table){table->name->text, table->type, table->length, table->values};
    table->table_owner = c->tree_number;
    table->table = (int)c->table_count;
    return (int)c->table_count++;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static bool evaluate_element(const lang_compiler *c, const ir_expr *e, ir_value *value,
                             const ir_expr **culprit)
{
    const ir_table *table = &c->tables[e->index];
    ir_value index;
    if (!lang_tree_evaluate(c, e->arg[0], &index, culprit)) return false;
    int64_t i = ir_convert(IR_I64, e->arg[0]->type, index).i64;
    *culprit = e;
    if (i < 0 || i >= table->length) return false;
    *value = table->values[i];
    return true;
}

static bool evaluate_pair(const lang_compiler *c, const ir_expr *e, ir_value *value,
                          const ir_expr **culprit)
{
    int64_t index[2];
    for (int i = 0; i < 2; i++) {
        ir_value part;
        if (!lang_tree_evaluate(c, e->arg[i], &part, culprit)) return false;
        index[i] = ir_convert(IR_I64, e->arg[i]->type, part).i64;
        *culprit = e->arg[i];
        if (index[i] < 0 || index[i] >= (i ? e->index : e->offsets)) return false;
    }
    *value = ir_value_of_int(IR_I32, index[0] * e->index + index[1]);
    return true;
}

static bool evaluate_op(const lang_compiler *c, const ir_expr *e, ir_value *value,
                        const ir_expr **culprit)
{
    ir_value args[3];
    int operands = ir_ops[e->op].operands;
    for (int i = 0; i < operands; i++)
        if (!lang_tree_evaluate(c, e->arg[i], &args[i], culprit)) return false;
    ir_type operand = e->arg[e->op == IR_SELECT ? 1 : 0]->type;
    *value = ir_evaluate(e->op, e->type, operand, args);
    return true;
}

bool lang_tree_evaluate(const lang_compiler *c, const ir_expr *e, ir_value *value,
                        const ir_expr **culprit)
{
    switch (e->kind) {
    case IR_EXPR_CONST: *value = e->value; return true;
    case IR_EXPR_TABLE: return evaluate_element(c, e, value, culprit);
    case IR_EXPR_PAIR: return evaluate_pair(c, e, value, culprit);
    case IR_EXPR_OP: return evaluate_op(c, e, value, culprit);
    default: *culprit = e; return false;
    }
}
