/* Kernels built by hand. */
#include "reference_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void tree_start(tree *t)
{
    static const source no_text = {.name = "by_hand", .text = ""};
    *t = (tree){0};
    t->kernel.text = &no_text;
    t->kernel.name = "by_hand";
    t->kernel.params = t->params;
    t->kernel.locals = t->locals;
    t->end = &t->kernel.body;
}

void tree_free(tree *t) { arena_free(&t->memory); }

int tree_param(tree *t, ir_param_kind kind, ir_type type, int count, chain_slot *slot)
{
    int p = t->kernel.param_count++;
    assert_true(p < TREE_MOST);
    t->params[p] = (ir_param){.name = "p", .kind = kind, .type = type, .count = count};
    t->bindings[p] = (chain_binding){.slot = slot, .name = "p", .boundary = &grid_boundary_none};
    return p;
}

int tree_local(tree *t, ir_type type, int length)
{
    int local = t->kernel.local_count++;
    assert_true(local < TREE_MOST);
    t->locals[local] = (ir_local){"x", type, length, 0};
    return local;
}

static ir_expr *new_expr(tree *t, ir_expr_kind kind, ir_type type)
{
    ir_expr *e = arena_alloc(&t->memory, sizeof *e);
    assert_non_null(e);
    e->kind = kind;
    e->type = type;
    return e;
}

ir_expr *tree_double(tree *t, double x)
{
    ir_expr *e = new_expr(t, IR_EXPR_CONST, IR_F64);
    e->value.f64 = x;
    return e;
}

ir_expr *tree_long(tree *t, int64_t x)
{
    ir_expr *e = new_expr(t, IR_EXPR_CONST, IR_I64);
    e->value.i64 = x;
    return e;
}

ir_expr *tree_bool(tree *t, bool x)
{
    ir_expr *e = new_expr(t, IR_EXPR_CONST, IR_BOOL);
    e->value.i32 = x;
    return e;
}

ir_expr *tree_variable(tree *t, int local, ir_expr *element)
{
    ir_expr *e = new_expr(t, IR_EXPR_LOCAL, t->locals[local].type);
    e->index = local;
    e->arg[0] = element;
    return e;
}

ir_expr *tree_number(tree *t, int param, ir_expr *element)
{
    ir_expr *e = new_expr(t, IR_EXPR_NUMBER, t->params[param].type);
    e->index = param;
    e->arg[0] = element;
    return e;
}

ir_expr *tree_index(tree *t, int dimension)
{
    ir_expr *e = new_expr(t, IR_EXPR_INDEX, IR_I64);
    e->index = dimension;
    return e;
}

ir_expr *tree_load(tree *t, int param, ir_expr *component, ir_expr *dx, ir_expr *dy)
{
    ir_expr *e = new_expr(t, IR_EXPR_LOAD, t->params[param].type);
    e->index = param;
    e->arg[0] = component;
    e->arg[1] = dx;
    e->arg[2] = dy;
    return e;
}

ir_expr *tree_at(tree *t, int param, int dx, int dy)
{
    return tree_load(t, param, NULL, tree_long(t, dx), tree_long(t, dy));
}

ir_expr *tree_op(tree *t, ir_op op, ir_type type, ir_expr *a, ir_expr *b, ir_expr *c)
{
    ir_expr *e = new_expr(t, IR_EXPR_OP, type);
    e->op = op;
    e->arg[0] = a;
    e->arg[1] = b;
    e->arg[2] = c;
    return e;
}

ir_expr *tree_call(tree *t, int local, ir_stmt *body)
{
    ir_expr *e = new_expr(t, IR_EXPR_CALL, t->locals[local].type);
    e->index = local;
    e->body = body;
    return e;
}

ir_stmt *tree_stmt(tree *t, ir_stmt_kind kind, int index, ir_expr *element, ir_expr *value)
{
    ir_stmt *s = arena_alloc(&t->memory, sizeof *s);
    assert_non_null(s);
    s->kind = kind;
    s->index = index;
    s->element = element;
    s->value = value;
    return s;
}

ir_stmt *tree_list(ir_stmt *first, ir_stmt *second)
{
    ir_stmt *last = first;
    while (last->next) last = last->next;
    last->next = second;
    return first;
}

void tree_do(tree *t, ir_stmt *stmt)
{
    *t->end = stmt;
    t->end = &stmt->next;
}

kata_status tree_run(tree *t, const grid_shape *shape, const grid_box *box, messages *m)
{
    chain c = {0};
    exec_context context = {0};
    chain_loop loop = {.kernel = &t->kernel, .shape = *shape, .bindings = t->bindings};
    loop.box = box ? *box : grid_shape_box(shape);
    kata_status status = chain_append(&c, &loop, m);
    if (status == KATA_OK) status = exec_reference.run(&context, &c, m);
    chain_free(&c);
    return status;
}

/* ---- slots ----------------------------------------------------------------------------------- */

chain_slot tree_slot(const grid_shape *shape, kata_type type, int components)
{
    return (chain_slot){.shape = *shape, .type = type, .components = components};
}

void tree_fill(chain_slot *slot, const double *values)
{
    grid_box all = grid_shape_box(&slot->shape);
    assert_non_null(store_slot_array(slot));
    store_write(slot->array, &all, KATA_F64, values);
}

void tree_read_all(const chain_slot *slot, double *values)
{
    grid_box all = grid_shape_box(&slot->shape);
    store_read(slot->array, &all, slot->components, KATA_F64, values);
}

double tree_random(void) { return (double)rand() / RAND_MAX * 2 - 1; }

double tree_value_at(const chain_slot *slot, int64_t x)
{
    double value;
    grid_box point = {{x, 0, 0}, {x + 1, 1, 1}};
    store_read(slot->array, &point, 1, KATA_F64, &value);
    return value;
}

void tree_run_ok(tree *t, const grid_shape *shape)
{
    messages m = {0};
    assert_int_equal(tree_run(t, shape, NULL, &m), KATA_OK);
    message_free(&m);
}
