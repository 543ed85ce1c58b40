/* What went wrong at a point that fails. */
#include "sweep/loop.h"

static void describe(const chain_loop *loop, const ir_check *check, const ir_value *values,
                     const int64_t point[3], observe_fault *fault)
{
    const ir_node *nodes = loop->kernel->graph.nodes;
    int64_t size = loop->shape.size[check->dimension];
    *fault = (observe_fault){.found = true,
                             .kind = check->kind,
                             .at = check->at,
                             .name = check->name,
                             .length = check->length ? check->length : size};
    memcpy(fault->point, point, sizeof fault->point);
    if (check->index)
        fault->index =
            ir_convert(IR_I64, (ir_type)nodes[check->index].type, values[check->index]).i64;
    if (check->value) {
        fault->type = (ir_type)nodes[check->value].type;
        fault->value = values[check->value];
    }
    for (int i = 0; i < check->shown_count; i++) {
        const ir_shown *shown = &check->shown[i];
        if (values[shown->condition].i32)
            observe_fault_show(fault, shown->label, (ir_type)nodes[shown->value].type,
                               values[shown->value]);
    }
}

bool sweep_fault_note(const sweep_loop *l, sweep_share *share, bool copied)
{
    const ir_kernel *kernel = l->loop->kernel;
    const int64_t *point = share->failure.point;
    if (share->fault->found && !observe_point_before(l->loop, point, share->fault->point))
        return true;
    const ir_value *values = sweep_evaluate(l, share, point, copied);
    if (!values) return false;
    int first = 0;
    while (first < kernel->check_count - 1 && values[kernel->checks[first].passes].i32) first++;
    describe(l->loop, &kernel->checks[first], values, point, share->fault);
    return true;
}

const observe_fault *sweep_first_fault(const sweep_loop *l)
{
    const observe_fault *first = NULL;
    for (int t = 0; t < l->workers->count; t++) {
        const observe_fault *fault = l->shares[t].fault;
        if (fault && fault->found &&
            (!first || observe_point_before(l->loop, fault->point, first->point)))
            first = fault;
    }
    return first;
}
