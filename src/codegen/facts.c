/* What is known of a loop before code is written for it. */
#include "codegen/thread.h"

codegen_rows codegen_rows_of(const codegen_loop *loop, int param)
{
    bool field = ir_param_is_field(&loop->kernel->params[param]);
    return field && loop->rows ? loop->rows[param] : CODEGEN_CONTIGUOUS;
}

bool codegen_is_read(const ir_kernel *kernel, int param)
{
    bool read = kernel->params[param].kind == IR_PARAM_INOUT;
    for (int i = 0; i < kernel->access_count; i++)
        read = read || kernel->accesses[i].param == param;
    return read;
}

bool codegen_reads_levels(const ir_kernel *kernel, int param)
{
    bool reads = false;
    for (int i = 0; i < kernel->level_read_count; i++)
        reads = reads || kernel->level_reads[i].param == param;
    return reads;
}

bool codegen_adds_rows(const ir_kernel *kernel, int param)
{
    const ir_param *p = &kernel->params[param];
    return ir_param_is_column_reduction(p) && !p->absent_axis[0];
}

bool codegen_has_rows(const ir_kernel *kernel)
{
    bool has = false;
    for (int p = 0; p < kernel->param_count; p++) has = has || codegen_adds_rows(kernel, p);
    return has;
}

bool codegen_has_lanes(const codegen_loop *loop, int param)
{
    return ir_param_is_reduction(&loop->kernel->params[param]) && codegen_is_free(loop) &&
           !codegen_adds_rows(loop->kernel, param);
}

bool codegen_reduces(const codegen_loop *loop)
{
    for (int i = 0; i < loop->kernel->store_count; i++)
        if (codegen_has_lanes(loop, loop->kernel->stores[i].param)) return true;
    return false;
}

bool codegen_combines_points(const codegen_writer *w)
{
    return codegen_reduces(w->loop) && !w->collects;
}

codegen_writer codegen_at_once(const codegen_writer *w)
{
    codegen_writer at_once = *w;
    at_once.collects = at_once.defers = false;
    return at_once;
}

codegen_writer codegen_collecting(const codegen_writer *w)
{
    codegen_writer collecting = *w;
    collecting.collects = true;
    return collecting;
}

bool codegen_counts(const codegen_writer *w)
{
    return w->line && w->loop->colored && codegen_reduces(w->loop);
}

bool codegen_is_regular(const ir_kernel *kernel, int param)
{
    const ir_param *p = &kernel->params[param];
    bool regular = !kernel->ordered || ir_orders_several(kernel);
    for (int d = 1; d < 3; d++)
        regular = regular && p->finer[d] <= 1 && p->coarser[d] <= 1 && !p->absent_axis[d];
    return regular;
}

int codegen_operations(const ir_kernel *kernel)
{
    const ir_graph *g = &kernel->graph;
    int operations = 0;
    for (ir_id id = 1; id < g->count; id++) operations += g->nodes[id].arg[0] != 0;
    return operations;
}

bool codegen_same_row(const ir_access *a, const ir_access *b)
{
    return a->param == b->param && a->component == b->component && a->offset[1] == b->offset[1] &&
           a->offset[2] == b->offset[2];
}

bool codegen_same_written_row(const ir_store *a, const ir_store *b)
{
    return a->param == b->param && a->component == b->component && a->offset[1] == b->offset[1] &&
           a->offset[2] == b->offset[2];
}

bool codegen_is_free(const codegen_loop *loop) { return !loop->kernel->order[0]; }

bool codegen_is_elementary(ir_op op) { return ir_ops[op].function >= IR_FUNCTION_ROUNDING; }

bool codegen_may_stream(const codegen_loop *loop, int store)
{
    int param = loop->kernel->stores[store].param;
    return !codegen_has_lanes(loop, param) && !codegen_adds_rows(loop->kernel, param) &&
           !codegen_is_read(loop->kernel, param);
}

bool codegen_computes_at(const codegen_writer *w, codegen_level level)
{
    for (ir_id id = 1; id < w->loop->kernel->graph.count; id++)
        if (w->steps[id].named && w->steps[id].level == level) return true;
    return false;
}

bool codegen_is_byte(const codegen_writer *w, const ir_node *node)
{
    return node->op == IR_LOAD && w->loop->storage[node->param] == KATA_U8;
}

bool codegen_is_first_group(const codegen_writer *w)
{
    return w->group == 0 || w->group == w->reuse->widened_groups + 1;
}

bool codegen_is_reused(const codegen_writer *w, ir_id id)
{
    return w->reuse && w->reuse->of[id] && w->reuse->value[w->reuse->of[id] - 1].group < w->group;
}

const codegen_lookup *codegen_lookup_of(const codegen_writer *w, ir_id id)
{
    return w->lookups && w->lookups->of[id] ? &w->lookups->lookup[w->lookups->of[id] - 1] : NULL;
}

bool codegen_needs_number(const codegen_writer *w, ir_id id)
{
    return !w->lookups || w->lookups->used[id];
}

bool codegen_is_of_section(const codegen_writer *w, int param)
{
    return w->section && param == w->section->from;
}

bool codegen_is_of_tile(const codegen_writer *w, int param)
{
    return w->tile && param == w->tile->param;
}

bool codegen_needs_row(const codegen_writer *w, int access)
{
    return !codegen_chooses_rows(w) || w->lookups->rows[access];
}

bool codegen_chooses_rows(const codegen_writer *w) { return w->lookups && w->lookups->rows; }

static void mark_operands_of(const codegen_writer *w, ir_id id, bool *wanted)
{
    const ir_node *node = &w->loop->kernel->graph.nodes[id];
    const codegen_lookup *lookup = codegen_lookup_of(w, id);
    if (lookup) wanted[lookup->index] = true;
    for (int k = 0; !lookup && k < ir_ops[node->op].operands; k++) wanted[node->arg[k]] = true;
}

void codegen_mark_operands(const codegen_writer *w, bool *wanted)
{
    wanted[0] = false;
    for (ir_id id = (ir_id)w->loop->kernel->graph.count; id-- > 1;)
        if (wanted[id] && !codegen_is_reused(w, id)) mark_operands_of(w, id, wanted);
}

bool codegen_reduces_at(const codegen_loop *loop, int store)
{
    return ir_param_is_reduction(&loop->kernel->params[loop->kernel->stores[store].param]);
}

int codegen_field_number(const ir_kernel *kernel, int param)
{
    int number = 0;
    for (int p = 0; p < param; p++) number += ir_param_is_field(&kernel->params[p]);
    return number;
}

/* ---- zeros ----------------------------------------------------------------------------------- */

bool codegen_hides_zero(const ir_kernel *kernel, const ir_node *node, int k)
{
    bool matters = node->op == IR_ADD || (node->op == IR_SUB && k == 0);
    if (!matters || !ir_type_is_floating(node->type)) return false;
    const ir_node *operand = &kernel->graph.nodes[node->arg[k]];
    return operand->op == IR_CONST && operand->value.bits == 0;
}

bool codegen_is_truncation(const ir_kernel *kernel, const ir_node *node)
{
    return node->op == IR_CONVERT && ir_type_is_integer(node->type) &&
           ir_type_is_floating(kernel->graph.nodes[node->arg[0]].type);
}

bool codegen_needs_zero(const ir_kernel *kernel, ir_type type)
{
    for (ir_id id = 1; id < kernel->graph.count; id++) {
        const ir_node *node = &kernel->graph.nodes[id];
        if (node->type == type &&
            (codegen_hides_zero(kernel, node, 0) || codegen_hides_zero(kernel, node, 1) ||
             codegen_is_truncation(kernel, node)))
            return true;
    }
    return false;
}
