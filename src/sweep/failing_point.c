/* What went wrong at a point that a compiled function has found failing: its graph is evaluated
 * there node by node, on the views that the function has read. */
#include "sweep/loop.h"

#include <stdlib.h>
#include <string.h>

typedef struct evaluation {
    const sweep_loop *loop;
    const abi_view *views;
    const int64_t *point;
    ir_value *values; /* per node */
} evaluation;

/* As the compiled function does it. */
static int64_t readable(const sweep_loop *l, int param, int64_t level)
{
    const abi_levels *all = &l->levels[param];
    return level < all->lowest ? all->lowest : level > all->highest ? all->highest : level;
}

static ir_value evaluate_load(const evaluation *e, const ir_node *n)
{
    const ir_kernel *kernel = e->loop->loop->kernel;
    const abi_view *view = &e->views[codegen_view_index(kernel, n->param) + n->element];
    const store_array *of = e->loop->loop->bindings[n->param].slot->array;
    store_array rows = sweep_view_array(view, of);
    int64_t index[3];
    for (int d = 0; d < 3; d++)
        index[d] = ir_param_index(&kernel->params[n->param], d, e->point[d]) + n->offset[d];
    if (kernel->direction)
        index[kernel->ordered] = readable(e->loop, n->param, index[kernel->ordered]);
    return ir_storage_read(of->type, (ir_type)n->type, store_address(&rows, 0, index));
}

static ir_value evaluate_node(const evaluation *e, const ir_node *n)
{
    const chain_loop *loop = e->loop->loop;
    const ir_node *nodes = loop->kernel->graph.nodes;
    ir_value args[3];
    switch ((ir_op)n->op) {
    case IR_CONST: return n->value;
    case IR_NUMBER:
        return e->loop->numbers[codegen_number_index(loop->kernel, n->param) + n->element];
    case IR_INDEX: return (ir_value){.i64 = e->point[n->param]};
    case IR_SIZE: return (ir_value){.i64 = loop->shape.size[n->param]};
    case IR_LOAD: return evaluate_load(e, n);
    case IR_STORED: {
        kata_type storage = loop->bindings[n->param].slot->type;
        ir_value there = {0};
        ir_storage_write(storage, (ir_type)n->type, e->values[n->arg[0]], &there);
        return ir_storage_read(storage, (ir_type)n->type, &there);
    }
    default: break;
    }
    for (int i = 0; i < ir_ops[n->op].operands; i++) args[i] = e->values[n->arg[i]];
    ir_type operand = (ir_type)nodes[n->arg[n->op == IR_SELECT ? 1 : 0]].type;
    return ir_evaluate((ir_op)n->op, (ir_type)n->type, operand, args);
}

static void describe(const evaluation *e, const ir_check *check, observe_fault *fault)
{
    const ir_node *nodes = e->loop->loop->kernel->graph.nodes;
    *fault = (observe_fault){.found = true,
                             .kind = check->kind,
                             .at = check->at,
                             .name = check->name,
                             .length = check->length};
    memcpy(fault->point, e->point, sizeof fault->point);
    if (check->index)
        fault->index =
            ir_convert(IR_I64, (ir_type)nodes[check->index].type, e->values[check->index]).i64;
    for (int i = 0; i < check->shown_count; i++) {
        const ir_shown *shown = &check->shown[i];
        if (e->values[shown->condition].i32)
            observe_fault_show(fault, shown->label, (ir_type)nodes[shown->value].type,
                               e->values[shown->value]);
    }
}

bool sweep_fault_note(const sweep_loop *l, sweep_thread *thread)
{
    const ir_kernel *kernel = l->loop->kernel;
    if (thread->fault.found &&
        !observe_point_before(l->loop, thread->failure.point, thread->fault.point))
        return true;
    evaluation e = {l, thread->views, thread->failure.point, NULL};
    e.values = calloc(kernel->graph.count, sizeof *e.values);
    if (!e.values) return false;
    for (ir_id id = 1; id < kernel->graph.count; id++)
        e.values[id] = evaluate_node(&e, &kernel->graph.nodes[id]);
    int first = 0;
    while (first < kernel->check_count - 1 && e.values[kernel->checks[first].passes].i32) first++;
    describe(&e, &kernel->checks[first], &thread->fault);
    free(e.values);
    return true;
}
