/* Checks of what a kernel writes, for programs that look for where a NaN or an infinity arises.
 *
 * A point makes one where it writes a floating value that is not finite, though all values of
 * fields that went into it are. Values that go on from where they were, such as NaN at points of
 * land, so pass. A value goes into another through arithmetic and choices, not through conditions.
 * It is *tainted* if some value of a field that is not finite went into it: that is a bool beside
 * each floating node, made when it is asked for. Values of loops that are not unrolled carry it
 * along (rounds.c). Numbers and constants taint nothing.
 *
 * A sum is checked point by point: that each contribution is finite. A minimum or maximum may be of
 * infinities. A constant that a kernel writes is no surprise, and not checked. */
#include "ir/lowering.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Of what goes into a value, so many are shown at most. */
enum { MOST_SHOWN = 64 };

static ir_id is_finite(lowering *l, ir_id id)
{
    const ir_type type = (ir_type)l->g->nodes[id].type;
    const double most = type == IR_F64 ? DBL_MAX : (double)FLT_MAX;
    ir_id size = ir_graph_op(l->g, IR_FABS, type, id, 0, 0, 0);
    return lower_bool_op(l, IR_LE, size,
                         ir_graph_const(l->g, type, ir_value_of_double(type, most)));
}

/* ---- taint ----------------------------------------------------------------------------------- */

static bool reserve(lowering *l, size_t count)
{
    void *tainted = l->tainted;
    size_t before = l->taint_room;
    if (!vector_reserve(&tainted, &l->taint_room, count, sizeof *l->tainted)) {
        l->g->failed = true;
        return false;
    }
    l->tainted = tainted;
    memset(l->tainted + before, 0, (l->taint_room - before) * sizeof *l->tainted);
    return true;
}

/* Of a node whose operands know theirs. */
static ir_id taint_of(lowering *l, ir_id id)
{
    const ir_node n = l->g->nodes[id];
    ir_id all = lower_bool(l, false);
    if (!ir_type_is_floating((ir_type)n.type)) return all;
    if (n.op == IR_LOAD || n.op == IR_LEVEL) return lower_bool_op(l, IR_NOT, is_finite(l, id), 0);
    if (n.op == IR_CARRIED || n.op == IR_AFTER || n.op == IR_ELEMENT) return all;
    if (n.op == IR_SELECT)
        return lower_select(l, n.arg[0], l->tainted[n.arg[1]], l->tainted[n.arg[2]]);
    for (int i = 0; i < ir_ops[n.op].operands; i++)
        all = lower_bool_op(l, IR_OR, all, l->tainted[n.arg[i]]);
    return all;
}

ir_id lower_tainted(lowering *l, ir_id id)
{
    for (; l->taint_count <= id && !l->g->failed; l->taint_count++) {
        if (!reserve(l, (size_t)id + 1)) return 0;
        if (l->tainted[l->taint_count]) continue;
        ir_id tainted = l->taint_count ? taint_of(l, (ir_id)l->taint_count) : 0;
        l->tainted[l->taint_count] = tainted;
    }
    return l->g->failed ? 0 : l->tainted[id];
}

void lower_set_tainted(lowering *l, ir_id id, ir_id tainted)
{
    if (reserve(l, (size_t)id + 1)) l->tainted[id] = tainted;
}

/* ---- what is shown --------------------------------------------------------------------------- */

static int by_label(const void *a, const void *b)
{
    return strcmp(((const ir_shown *)a)->label, ((const ir_shown *)b)->label);
}

static void show(lowering *l, ir_check *check, ir_id id, ir_id condition)
{
    const ir_node *n = &l->g->nodes[id];
    const int64_t at[4] = {n->element, n->offset[0], n->offset[1], n->offset[2]};
    bool load = n->op == IR_LOAD, number = n->op == IR_NUMBER;
    bool table = number && l->kernel->params[n->param].kind == IR_PARAM_TABLE;
    char label[IR_LABEL];
    if ((!load && !number) || table || check->shown_count == MOST_SHOWN) return;
    const ir_expr as = {.kind = load ? IR_EXPR_LOAD : IR_EXPR_NUMBER,
                        .index = n->param,
                        .offsets = l->kernel->rank ? l->kernel->rank : 1};
    ir_print_label(label, l->kernel, &as, at);
    const char *copy = arena_copy_text(l->memory, label, strlen(label));
    check->shown[check->shown_count++] = (ir_shown){copy, id, condition};
    l->g->failed = l->g->failed || !copy;
}

/* That a node is needed where another one is, on a condition. */
static void need(lowering *l, ir_id *needs, ir_id id, ir_id condition)
{
    if (l->g->nodes[id].type == IR_BOOL) return;
    needs[id] = needs[id] ? lower_bool_op(l, IR_OR, needs[id], condition) : condition;
}

/* Walks from a value down to what goes into it. */
static void show_all(lowering *l, ir_check *check, ir_id value)
{
    ir_id *needs = calloc((size_t)value + 1, sizeof *needs);
    ir_shown all[MOST_SHOWN] = {{.value = 0}};
    check->shown = all;
    l->g->failed = l->g->failed || !needs;
    if (!l->g->failed) need(l, needs, value, lower_bool(l, true));
    for (ir_id id = value; id > 0 && !l->g->failed; id--) {
        if (!needs[id]) continue;
        const ir_node n = l->g->nodes[id];
        show(l, check, id, needs[id]);
        if (n.op == IR_SELECT) {
            ir_id no = lower_bool_op(l, IR_NOT, n.arg[0], 0);
            need(l, needs, n.arg[1], lower_bool_op(l, IR_AND, needs[id], n.arg[0]));
            need(l, needs, n.arg[2], lower_bool_op(l, IR_AND, needs[id], no));
        } else if (n.op != IR_LEVEL && n.op != IR_ELEMENT) {
            for (int i = 0; i < ir_ops[n.op].operands; i++) need(l, needs, n.arg[i], needs[id]);
        }
    }
    free(needs);
    const size_t count = (size_t)check->shown_count;
    if (!l->g->failed && count) qsort(all, count, sizeof *all, by_label);
    check->shown = arena_array(l->memory, count + 1, sizeof *all);
    if (check->shown)
        memcpy(check->shown, all, count * sizeof *all);
    else
        l->g->failed = true;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static const char *label_of(lowering *l, const ir_store *s)
{
    const int64_t at[4] = {s->component, s->offset[0], s->offset[1], s->offset[2]};
    const ir_expr as = {
        .kind = IR_EXPR_LOAD, .index = s->param, .offsets = l->kernel->rank ? l->kernel->rank : 1};
    char label[IR_LABEL];
    ir_print_label(label, l->kernel, &as, at);
    return arena_copy_text(l->memory, label, strlen(label));
}

/* The value of a store as it is stored, and whether it passes wherever it is stored. */
static ir_id passes(lowering *l, const ir_store *s, ir_id *stored)
{
    const ir_param *param = &l->kernel->params[s->param];
    bool extremum = param->kind == IR_PARAM_MIN || param->kind == IR_PARAM_MAX;
    *stored = ir_param_is_reduction(param)
                  ? s->value
                  : ir_graph_add(l->g, &(ir_node){.op = IR_STORED,
                                                  .type = (uint8_t)param->type,
                                                  .arg = {s->value},
                                                  .param = s->param,
                                                  .at = s->at});
    ir_id good = extremum ? lower_bool_op(l, IR_EQ, *stored, *stored) : is_finite(l, *stored);
    return lower_bool_op(l, IR_OR, good, lower_tainted(l, s->value));
}

static kata_status check_store(lowering *l, int i)
{
    const ir_store *s = &l->kernel->stores[i];
    ir_check check = {.kind = IR_CHECK_FINITE, .at = s->at, .store = i};
    if (!ir_type_is_floating(l->kernel->params[s->param].type)) return KATA_OK;
    if (l->g->nodes[s->value].op == IR_CONST) return KATA_OK;
    check.name = label_of(l, s);
    check.passes = passes(l, s, &check.value);
    if (s->condition)
        check.passes =
            lower_bool_op(l, IR_OR, lower_bool_op(l, IR_NOT, s->condition, 0), check.passes);
    if (!l->kernel->loop_count && !l->g->failed) show_all(l, &check, s->value);
    kata_status status = check.name ? lower_check(l, s->at) : message_no_memory(l->m);
    return status ? status : lower_append_check(l, &check);
}

kata_status lower_finite_checks(lowering *l)
{
    kata_status status = KATA_OK;
    for (int i = 0; i < l->kernel->store_count && l->kernel->watched && !status; i++)
        status = check_store(l, i);
    return status;
}
