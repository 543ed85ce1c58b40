/* Checks: asserts, and indices that are known only at run time. Each becomes a bool that is true
 * where the check passes or is not reached; *path* is the list of conditions under which what is
 * being lowered runs. */
#include "ir/lowering.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 64 };

static ir_id bool_op(lowering *l, ir_op op, ir_id a, ir_id b)
{
    return ir_graph_op(l->g, op, IR_BOOL, a, b, 0, 0);
}

static ir_id constant_bool(lowering *l, bool x)
{
    return ir_graph_const(l->g, IR_BOOL, ir_value_of_int(IR_BOOL, x));
}

static bool is_constant(const lowering *l, ir_id id, bool x)
{
    const ir_node *n = &l->g->nodes[id];
    return n->op == IR_CONST && (n->value.i32 != 0) == x;
}

/* ---- the path -------------------------------------------------------------------------------- */

void lower_path_enter(lowering *l, ir_id condition, bool truth)
{
    void *path = l->path;
    if (!vector_reserve(&path, &l->path_capacity, l->path_count + 1, sizeof *l->path))
        l->g->failed = true;
    else
        (l->path = path)[l->path_count] = (lower_condition){condition, truth};
    l->path_count++;
}

void lower_path_leave(lowering *l) { l->path_count--; }

/* Whether what is being lowered runs. */
static ir_id path_node(lowering *l)
{
    ir_id path = bool_op(l, IR_NOT, l->cells[l->returned].value, 0);
    for (size_t i = 0; i < l->path_count && !l->g->failed; i++) {
        ir_id condition = l->path[i].condition;
        path = bool_op(l, IR_AND, path,
                       l->path[i].truth ? condition : bool_op(l, IR_NOT, condition, 0));
    }
    return path;
}

/* ---- what asserts show ----------------------------------------------------------------------- */

static bool is_noted(const lower_record *r, const char *label)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->shown[i].label, label) == 0) return true;
    return false;
}

void lower_note(lowering *l, const ir_expr *e, const int64_t at[4], ir_id value)
{
    lower_record *r = l->record;
    char label[IR_LABEL];
    if (!r || !value || r->count >= MOST_SHOWN || (r->calls && e->kind != IR_EXPR_LOAD)) return;
    ir_print_label(label, l->kernel, e, at);
    if (is_noted(r, label)) return;
    void *shown = r->shown;
    const char *copy = arena_copy_text(l->memory, label, strlen(label));
    if (!copy || !vector_reserve(&shown, &r->capacity, r->count + 1, sizeof *r->shown)) {
        l->g->failed = true;
        return;
    }
    r->shown = shown;
    r->shown[r->count++] = (ir_shown){copy, value, path_node(l)};
}

/* ---- checks ---------------------------------------------------------------------------------- */

static kata_status never_passes(lowering *l, const ir_check *check)
{
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, check->at,
                     "this assert fails at every point%s%s", check->name ? ": " : "",
                     check->name ? check->name : "");
    return message_send(l->m);
}

/* One that passes wherever an earlier one does is never the first to fail. */
static bool is_known(const lowering *l, ir_id passes)
{
    for (size_t i = l->check_count; i-- > 0 && l->check_count - i < 64;)
        if (l->checks[i].passes == passes) return true;
    return false;
}

static kata_status add_check(lowering *l, ir_check check)
{
    ir_id path = path_node(l),
          passes = bool_op(l, IR_OR, bool_op(l, IR_NOT, path, 0), check.passes);
    kata_status status = lower_check(l, check.at);
    if (status || is_constant(l, passes, true) || is_known(l, passes)) return status;
    if (is_constant(l, passes, false) && check.kind == IR_CHECK_ASSERT)
        return never_passes(l, &check);
    void *checks = l->checks;
    if (!vector_reserve(&checks, &l->check_capacity, l->check_count + 1, sizeof *l->checks))
        return message_no_memory(l->m);
    l->checks = checks;
    check.passes = passes;
    l->checks[l->check_count++] = check;
    return KATA_OK;
}

/* The condition of an assert, and what it reads. */
static ir_id lower_condition_of(lowering *l, const ir_stmt *s, lower_record *record)
{
    lower_record *outer = l->record;
    l->record = record;
    ir_id condition = lower_expr(l, s->value);
    l->record = outer;
    return condition;
}

kata_status lower_assert(lowering *l, const ir_stmt *s)
{
    lower_record record = {0};
    ir_check check = {.kind = IR_CHECK_ASSERT, .at = s->at, .name = s->text};
    check.passes = lower_condition_of(l, s, &record);
    check.shown_count = (int)record.count;
    check.shown = arena_array(l->memory, record.count + 1, sizeof *check.shown);
    if (check.shown && record.count)
        memcpy(check.shown, record.shown, record.count * sizeof *check.shown);
    free(record.shown);
    if (!check.shown) l->g->failed = true;
    kata_status status = lower_check(l, s->at);
    return status ? status : add_check(l, check);
}

kata_status lower_index_check(lowering *l, ir_id index, int length, const char *name, uint32_t at)
{
    ir_type type = (ir_type)l->g->nodes[index].type;
    ir_id zero = ir_graph_const(l->g, type, ir_value_of_int(type, 0));
    ir_id end = ir_graph_const(l->g, type, ir_value_of_int(type, length));
    ir_id low = ir_graph_op(l->g, IR_LE, IR_BOOL, zero, index, 0, at);
    ir_id high = ir_graph_op(l->g, IR_LT, IR_BOOL, index, end, 0, at);
    return add_check(l, (ir_check){.kind = IR_CHECK_INDEX,
                                   .passes = bool_op(l, IR_AND, low, high),
                                   .at = at,
                                   .name = name,
                                   .index = index,
                                   .length = length});
}

kata_status lower_collect_checks(lowering *l)
{
    ir_kernel *k = l->kernel;
    if (!l->check_count) return KATA_OK;
    k->checks = arena_array(l->memory, l->check_count, sizeof *k->checks);
    if (!k->checks) return message_no_memory(l->m);
    memcpy(k->checks, l->checks, l->check_count * sizeof *k->checks);
    k->check_count = (int)l->check_count;
    k->valid = constant_bool(l, true);
    for (int i = 0; i < k->check_count && !l->g->failed; i++)
        k->valid = bool_op(l, IR_AND, k->valid, k->checks[i].passes);
    return lower_check(l, k->at);
}
