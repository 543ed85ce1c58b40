/* The graph of a loop at one point, node by node: for points that fail, and for those that are run
 * without compiled code. */
#include "sweep/edge.h"

typedef struct evaluation {
    const sweep_loop *l;
    const sweep_share *share;
    const int64_t *point;
    bool copied;
} evaluation;

/* What compiled code does with levels that are farther out. */
static int64_t readable(const sweep_loop *l, int param, int64_t level)
{
    const abi_levels *all = &l->readable[param];
    return smaller(larger(level, all->lowest), all->highest);
}

/* An element at an index, which may be outside, by the boundary rules. */
static void read_mapped(const sweep_edge *edge, const int64_t index[3], ir_value *element)
{
    sweep_edge_row row = sweep_edge_row_at(edge, index[1], index[2]);
    sweep_edge_copy_row(edge, &row, index[0], index[0] + 1, (char *)element);
}

static ir_value evaluate_load(const evaluation *e, const ir_node *n)
{
    const ir_kernel *kernel = e->l->loop->kernel;
    int view = codegen_view_index(kernel, n->param) + n->element;
    const store_array *of = e->l->fields[n->param].array;
    const sweep_edge *edge = e->copied ? NULL : e->l->edge_of_view[view];
    ir_value element = {0};
    int64_t index[3];
    for (int d = 0; d < 3; d++)
        index[d] = ir_param_index(&kernel->params[n->param], d, e->point[d]) + n->offset[d];
    if (kernel->direction)
        index[kernel->ordered] = readable(e->l, n->param, index[kernel->ordered]);
    if (edge) {
        read_mapped(edge, index, &element);
    } else {
        store_array rows = sweep_view_array(&e->share->views[view], of);
        element = store_get_element(&rows, 0, index);
    }
    return ir_storage_read(of->type, (ir_type)n->type, &element);
}

/* At the index nearest to `level` that is inside: where that is another one, the point fails. */
static ir_value evaluate_level(const evaluation *e, const ir_node *n, int64_t level)
{
    const chain_loop *loop = e->l->loop;
    const store_array *of = e->l->fields[n->param].array;
    int64_t index[3];
    for (int d = 0; d < 3; d++) {
        int64_t last = loop->shape.size[d] - 1;
        bool absent = loop->kernel->params[n->param].absent_axis[d];
        index[d] = d == n->value.i32 ? level : e->point[d] + n->offset[d];
        index[d] = absent ? 0 : smaller(larger(index[d], 0), last);
    }
    int view = codegen_level_index(loop->kernel, n->param) + n->element;
    store_array rows = sweep_view_array(&e->share->views[view], of);
    ir_value element = store_get_element(&rows, 0, index);
    return ir_storage_read(of->type, (ir_type)n->type, &element);
}

static bool find_value(const void *data, const ir_node *n, ir_value operand, ir_value *value)
{
    const evaluation *e = data;
    const chain_loop *loop = e->l->loop;
    if (chain_node_value(loop, e->point, n, operand, value)) return true;
    int64_t element = n->op == IR_ELEMENT ? chain_element_number(n, operand) : n->element;
    if (n->op == IR_LEVEL)
        *value = evaluate_level(e, n, operand.i64);
    else if (n->op == IR_LOAD)
        *value = evaluate_load(e, n);
    else
        *value = e->l->numbers[codegen_number_index(loop->kernel, n->param) + element];
    return true;
}

const ir_value *sweep_evaluate(const sweep_loop *l, const sweep_share *share,
                               const int64_t point[3], bool copied)
{
    sweep_thread *thread = share->thread;
    const ir_graph *graph = &l->loop->kernel->graph;
    void *values = thread->values;
    bool grown = sweep_grow(&values, &thread->values_size, graph->count * sizeof(ir_value));
    thread->values = values;
    if (!grown) return NULL;
    evaluation e = {l, share, point, copied};
    ir_evaluate_graph(graph, find_value, &e, thread->values, NULL);
    return thread->values;
}
