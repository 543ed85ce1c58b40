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

static bool find_value(const void *data, const ir_node *n, ir_value operand, ir_value *value)
{
    const evaluation *e = data;
    const chain_loop *loop = e->loop->loop;
    if (chain_node_value(loop, e->point, n, operand, value)) return true;
    *value = n->op == IR_LOAD
                 ? evaluate_load(e, n)
                 : e->loop->numbers[codegen_number_index(loop->kernel, n->param) + n->element];
    return true;
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
    ir_evaluate_graph(&kernel->graph, find_value, &e, e.values, NULL);
    int first = 0;
    while (first < kernel->check_count - 1 && e.values[kernel->checks[first].passes].i32) first++;
    describe(&e, &kernel->checks[first], &thread->fault);
    free(e.values);
    return true;
}
