/* Additions to elements of sums at an index known only at run time: see ir_addition. */
#include "ir/lowering.h"

#include <string.h>

static kata_status refuse(lowering *l, const ir_stmt *s)
{
    const ir_param *param = &l->kernel->params[s->index];
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, s->element->at,
                     "the index of '%s' is not known at compile time", param->name);
    message_line(l->m, "only the elements of sums of int or long have such an index");
    message_note_at(l->m, l->kernel->text, param->at, "declared here");
    return message_send(l->m);
}

static kata_status refuse_rounds(lowering *l, const ir_stmt *s)
{
    message_begin_at(
        l->m, KATA_ERROR_KERNEL, l->kernel->text, s->element->at,
        "the index of '%s' is not known at compile time, in a loop that is not unrolled",
        l->kernel->params[s->index].name);
    message_line(l->m, "give the loop bounds that are known when the kernel is compiled");
    return message_send(l->m);
}

kata_status lower_note_addition(lowering *l, ir_addition addition)
{
    void *additions = l->additions;
    if (!vector_reserve(&additions, &l->addition_capacity, l->addition_count + 1,
                        sizeof *l->additions))
        return message_no_memory(l->m);
    l->additions = additions;
    l->additions[l->addition_count++] = addition;
    return KATA_OK;
}

kata_status lower_addition(lowering *l, const ir_stmt *s, ir_id index)
{
    const ir_param *param = &l->kernel->params[s->index];
    if (param->kind != IR_PARAM_SUM || !ir_type_is_integer(param->type) ||
        ir_param_is_column_reduction(param))
        return refuse(l, s);
    if (l->rounds_at) return refuse_rounds(l, s);
    kata_status status = lower_index_check(l, index, param->count, param->name, s->element->at);
    ir_id value = lower_expr(l, s->value), path = lower_path_node(l);
    if (!status) status = lower_check(l, s->at);
    if (status) return status;
    const ir_node *runs = &l->g->nodes[path];
    if (runs->op == IR_CONST && runs->value.i32) path = 0;
    return lower_note_addition(l, (ir_addition){s->index, index, value, path, s->at});
}

kata_status lower_collect_additions(lowering *l)
{
    ir_kernel *k = l->kernel;
    if (!l->addition_count) return KATA_OK;
    k->additions = arena_array(l->memory, l->addition_count, sizeof *k->additions);
    if (!k->additions) return message_no_memory(l->m);
    memcpy(k->additions, l->additions, l->addition_count * sizeof *k->additions);
    k->addition_count = (int)l->addition_count;
    return lower_check(l, k->at);
}

bool lower_has_addition(const lowering *l, int param)
{
    for (size_t i = 0; i < l->addition_count; i++)
        if (l->additions[i].param == param) return true;
    return false;
}
