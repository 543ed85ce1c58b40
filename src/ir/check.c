/* Checks: asserts, and indices that are known only at run time. Each becomes a bool that is true
 * where the check passes or is not reached. */
#include "ir/lowering.h"

#include <string.h>

/* ---- checks ---------------------------------------------------------------------------------- */

static kata_status never_passes(lowering *l, const ir_check *check)
{
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, check->at,
                     "this assert fails at every point%s%s", check->name ? ": " : "",
                     check->name ? check->name : "");
    return message_send(l->m);
}

/* Whether a check passes wherever an earlier check does: then it is never the first to fail. */
static bool is_known(const lowering *l, ir_id passes)
{
    for (size_t i = l->check_count; i-- > 0 && l->check_count - i < 64;)
        if (l->checks[i].passes == passes) return true;
    return false;
}

kata_status lower_append_check(lowering *l, const ir_check *check)
{
    void *checks = l->checks;
    if (!vector_reserve(&checks, &l->check_capacity, l->check_count + 1, sizeof *l->checks))
        return message_no_memory(l->m);
    l->checks = checks;
    l->checks[l->check_count++] = *check;
    return KATA_OK;
}

kata_status lower_add_check(lowering *l, ir_check check)
{
    ir_id path = lower_path_node(l),
          passes = lower_bool_op(l, IR_OR, lower_bool_op(l, IR_NOT, path, 0), check.passes);
    kata_status status = lower_check(l, check.at);
    if (status || lower_is_bool(l, passes, true) || is_known(l, passes)) return status;
    if (lower_is_bool(l, passes, false) && check.kind == IR_CHECK_ASSERT)
        return never_passes(l, &check);
    check.passes = passes;
    return lower_append_check(l, &check);
}

/* Adds the check that an index lies from 0 to below a length, or the size of a dimension. */
static kata_status check_below(lowering *l, ir_check check)
{
    ir_type type = (ir_type)l->g->nodes[check.index].type;
    ir_node size = {.op = IR_SIZE, .type = IR_I64, .param = check.dimension, .at = check.at};
    ir_id zero = ir_graph_const(l->g, type, ir_value_of_int(type, 0));
    ir_id end = check.length ? ir_graph_const(l->g, type, ir_value_of_int(type, check.length))
                             : ir_graph_add(l->g, &size);
    ir_id low = ir_graph_op(l->g, IR_LE, IR_BOOL, zero, check.index, 0, check.at);
    ir_id high = ir_graph_op(l->g, IR_LT, IR_BOOL, check.index, end, 0, check.at);
    check.kind = IR_CHECK_INDEX;
    check.passes = lower_bool_op(l, IR_AND, low, high);
    return lower_add_check(l, check);
}

kata_status lower_index_check(lowering *l, ir_id index, int length, const char *name, uint32_t at)
{
    return check_below(l, (ir_check){.at = at, .name = name, .index = index, .length = length});
}

kata_status lower_level_check(lowering *l, ir_id index, int dimension, const char *name,
                              uint32_t at)
{
    return check_below(l,
                       (ir_check){.at = at, .name = name, .index = index, .dimension = dimension});
}

kata_status lower_collect_checks(lowering *l)
{
    ir_kernel *k = l->kernel;
    if (!l->check_count) return KATA_OK;
    k->checks = arena_array(l->memory, l->check_count, sizeof *k->checks);
    if (!k->checks) return message_no_memory(l->m);
    memcpy(k->checks, l->checks, l->check_count * sizeof *k->checks);
    k->check_count = (int)l->check_count;
    k->valid = lower_bool(l, true);
    for (int i = 0; i < k->check_count && !l->g->failed; i++)
        k->valid = lower_bool_op(l, IR_AND, k->valid, k->checks[i].passes);
    return lower_check(l, k->at);
}
