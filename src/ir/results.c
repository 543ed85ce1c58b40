/* Sets up the lowering of a kernel, and collects the nodes that its results need. */
#include "ir/lowering.h"

#include <stdlib.h>
#include <string.h>

/* ---- setting up ------------------------------------------------------------------------------ */

/* Numbers the cells and returns how many there are. */
static uint64_t number_cells(lowering *l)
{
    const ir_kernel *k = l->kernel;
    uint64_t cells = 0, outputs = 0, reductions = 0;
    for (int i = 0; i < k->local_count; i++) {
        l->local_cells[i] = (uint32_t)cells;
        cells += (uint64_t)(k->locals[i].length ? k->locals[i].length : 1);
    }
    for (int p = 0; p < k->param_count; p++) {
        bool written = ir_param_is_written_field(&k->params[p]);
        l->param_outputs[p] = (uint32_t)(written ? outputs : reductions);
        if (written) outputs += (uint64_t)(k->params[p].count * ir_param_children(&k->params[p]));
        if (ir_param_is_reduction(&k->params[p])) reductions += (uint64_t)k->params[p].count;
    }
    l->returned = (uint32_t)cells;
    l->skipped = l->returned + 1;
    l->broken = l->returned + 2;
    l->first_output = l->returned + 3;
    l->first_reduction = l->first_output + (uint32_t)outputs;
    l->cell_count = l->first_reduction + (uint32_t)reductions;
    return cells + 3 + outputs + reductions;
}

/* A ratio of several numbers fixes the rank of the grids. */
static kata_status check_ratios(lowering *l)
{
    const ir_kernel *k = l->kernel;
    kata_status status = KATA_OK;
    for (int p = 0; p < k->param_count && !status; p++)
        if (k->params[p].ratios > 1)
            status = lower_check_rank(l, p, k->params[p].ratios, k->params[p].ratio_at);
    return status;
}

static bool reserve_cells(lowering *l, arena *scratch, uint64_t cells)
{
    l->cells = arena_array(scratch, cells, sizeof *l->cells);
    l->stamps = arena_array(scratch, cells, sizeof *l->stamps);
    l->output_at = arena_array(scratch, cells, sizeof *l->output_at);
    l->output_offset = arena_array(scratch, cells, sizeof *l->output_offset);
    l->reduction_starts = arena_array(scratch, cells, sizeof *l->reduction_starts);
    return l->cells && l->stamps && l->output_at && l->output_offset && l->reduction_starts;
}

/* No cell has a value, except reductions, which have their start. */
static void clear_cells(lowering *l, uint64_t cells)
{
    const ir_kernel *k = l->kernel;
    ir_id no = ir_graph_const(l->g, IR_BOOL, ir_value_of_int(IR_BOOL, false));
    for (uint64_t i = 0; i < cells; i++) l->cells[i].defined = no;
    l->cells[l->returned].value = l->cells[l->skipped].value = l->cells[l->broken].value = no;
    for (int p = 0; p < k->param_count; p++) {
        const ir_param *param = &k->params[p];
        if (!ir_param_is_reduction(param)) continue;
        ir_id start = ir_graph_const(l->g, param->type, ir_reduction_start(param));
        uint32_t first = l->param_outputs[p], end = first + (uint32_t)param->count;
        for (uint32_t r = first; r < end; r++)
            l->reduction_starts[r] = l->cells[l->first_reduction + r].value = start;
    }
}

static kata_status set_up(lowering *l, arena *scratch)
{
    const ir_kernel *k = l->kernel;
    l->local_cells = arena_array(scratch, (size_t)k->local_count + 1, sizeof *l->local_cells);
    l->param_outputs = arena_array(scratch, (size_t)k->param_count + 1, sizeof *l->param_outputs);
    if (!l->local_cells || !l->param_outputs) return message_no_memory(l->m);
    uint64_t cells = number_cells(l);
    if (cells > 4 * IR_MAX_STEPS)
        return message_fail_at(l->m, KATA_ERROR_LIMIT, k->text, k->at,
                               "kernel '%s' has too many local variables", k->name);
    if (!reserve_cells(l, scratch, cells)) return message_no_memory(l->m);
    clear_cells(l, cells);
    kata_status status = check_ratios(l);
    return status ? status : lower_check(l, k->at);
}

/* ---- stores ---------------------------------------------------------------------------------- */

static kata_status never_written(lowering *l, const ir_param *param)
{
    const char *name = param->name, *element = param->count > 1 ? "[i]" : "";
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, param->at,
                     "'%s' parameter '%s' is never written", ir_param_mode(param), name);
    if (param->kind == IR_PARAM_SUM)
        message_line(l->m, "the kernel has to give it a value: '%s%s += ...;'", name, element);
    else if (ir_param_is_reduction(param))
        message_line(l->m, "the kernel has to give it a value: '%s%s = %s(%s%s, ...);'", name,
                     element, ir_param_kind_name(param->kind), name, element);
    else
        message_line(l->m, "%s",
                     param->kind == IR_PARAM_INOUT ? "declare it 'in', or write it"
                                                   : "write it, or leave it out");
    return message_send(l->m);
}

/* What is added to elements known at compile time, beside those with an index at run time. */
static kata_status add_known_bins(lowering *l, int p)
{
    const ir_param *param = &l->kernel->params[p];
    kata_status status = KATA_OK;
    for (int e = 0; e < param->count && !status; e++) {
        lower_cell cell = l->cells[l->first_reduction + l->param_outputs[p] + (uint32_t)e];
        const ir_node *defined = &l->g->nodes[cell.defined];
        bool known = defined->op == IR_CONST;
        if (known && !defined->value.i32) continue;
        status = lower_note_addition(
            l, (ir_addition){.param = p,
                             .index = ir_graph_const(l->g, IR_I32, ir_value_of_int(IR_I32, e)),
                             .value = cell.value,
                             .condition = known ? 0 : cell.defined,
                             .at = param->at});
    }
    return status;
}

/* Whether the text has a statement that gives a parameter a value, reached or not. */
static bool is_named(const ir_stmt *s, int p)
{
    for (; s; s = s->next) {
        bool writes = s->kind == IR_STMT_STORE || s->kind == IR_STMT_REDUCE;
        if ((writes && s->index == p) || is_named(s->body, p) || is_named(s->other, p)) return true;
    }
    return false;
}

/* Where constants switch off all that writes a parameter, an inout field is one that is only read,
 * and a reduction keeps the value that it starts with. */
static kata_status switched_off(lowering *l, int p)
{
    ir_param *param = &l->kernel->params[p];
    if (param->kind == IR_PARAM_OUT || !is_named(l->kernel->body, p))
        return never_written(l, param);
    if (param->kind == IR_PARAM_INOUT) param->kind = IR_PARAM_IN;
    l->switched_off = true;
    return KATA_OK;
}

/* The contribution of a point to the minimum or maximum whose point is wanted. */
static kata_status add_where(lowering *l, int p)
{
    const ir_param *param = &l->kernel->params[p];
    uint32_t of = l->param_outputs[param->of];
    ir_id none = ir_graph_const(l->g, IR_I32, ir_value_of_int(IR_I32, 0));
    return lower_note_addition(l, (ir_addition){.param = p,
                                                .index = none,
                                                .value = l->cells[l->first_reduction + of].value,
                                                .at = param->at});
}

/* Stores all elements of a reduction, also elements that no statement gives a value. */
static kata_status add_reductions(lowering *l, int p)
{
    ir_kernel *k = l->kernel;
    const ir_param *param = &k->params[p];
    bool never = true;
    if (param->kind == IR_PARAM_WHERE) return add_where(l, p);
    if (lower_has_addition(l, p)) return add_known_bins(l, p);
    for (int e = 0; e < param->count; e++) {
        lower_cell cell = l->cells[l->first_reduction + l->param_outputs[p] + (uint32_t)e];
        const ir_node *defined = &l->g->nodes[cell.defined];
        never = never && defined->op == IR_CONST && !defined->value.i32;
        k->stores[k->store_count++] =
            (ir_store){.param = p, .component = e, .value = cell.value, .at = param->at};
    }
    return never ? switched_off(l, p) : KATA_OK;
}

static kata_status add_stores(lowering *l, int p)
{
    ir_kernel *k = l->kernel;
    const ir_param *param = &k->params[p];
    int before = k->store_count;
    if (ir_param_is_reduction(param)) return add_reductions(l, p);
    int children = ir_param_children(param);
    for (int i = 0; i < param->count * children; i++) {
        uint32_t output = l->param_outputs[p] + (uint32_t)i;
        lower_cell cell = l->cells[l->first_output + output];
        const ir_node *defined = &l->g->nodes[cell.defined];
        bool always = defined->op == IR_CONST && defined->value.i32;
        if (!cell.value) continue;
        ir_store *store = &k->stores[k->store_count++];
        *store = (ir_store){.param = p,
                            .component = i / children,
                            .value = cell.value,
                            .condition = always ? 0 : cell.defined,
                            .at = l->output_at[output]};
        memcpy(store->offset, l->output_offset[output], sizeof store->offset);
    }
    return k->store_count == before ? switched_off(l, p) : KATA_OK;
}

static kata_status collect_stores(lowering *l, arena *memory)
{
    ir_kernel *k = l->kernel;
    size_t most = l->cell_count - l->first_output;
    k->stores = arena_array(memory, most + 1, sizeof *k->stores);
    if (!k->stores) return message_no_memory(l->m);
    for (int p = 0; p < k->param_count; p++) {
        const ir_param *param = &k->params[p];
        if (!ir_param_is_written_field(param) && !ir_param_is_reduction(param)) continue;
        kata_status status = add_stores(l, p);
        if (status) return status;
    }
    if (k->store_count || l->check_count || l->addition_count || l->switched_off) return KATA_OK;
    message_begin_at(l->m, KATA_ERROR_KERNEL, k->text, k->at, "kernel '%s' computes nothing",
                     k->name);
    message_line(l->m, "give it an 'out', 'inout', 'sum', 'min' or 'max' parameter");
    return message_send(l->m);
}

/* ---- what is needed -------------------------------------------------------------------------- */

/* Calls `visit` for each node that results name. */
static void each_result(ir_kernel *k, void (*visit)(ir_id *node, ir_id *map), ir_id *map)
{
    for (int i = 0; i < k->store_count; i++) {
        visit(&k->stores[i].value, map);
        visit(&k->stores[i].condition, map);
    }
    for (int i = 0; i < k->addition_count; i++) {
        visit(&k->additions[i].index, map);
        visit(&k->additions[i].value, map);
        visit(&k->additions[i].condition, map);
    }
    for (int i = 0; i < k->check_count; i++) {
        ir_check *check = &k->checks[i];
        visit(&check->passes, map);
        visit(&check->index, map);
        visit(&check->value, map);
        for (int s = 0; s < check->shown_count; s++) {
            visit(&check->shown[s].value, map);
            visit(&check->shown[s].condition, map);
        }
    }
    visit(&k->valid, map);
}

static void mark(ir_id *node, ir_id *map) { map[*node] = 1; }
static void renumber(ir_id *node, ir_id *map) { *node = map[*node]; }

/* Drops the nodes that map[] does not mark, and makes map[] the new number of each node; that of a
 * CARRY whose variable is dropped is the one before it. */
static void drop_unmarked(ir_graph *g, ir_id *map)
{
    ir_id count = 1;
    for (size_t id = 1; id < g->count; id++) {
        if (!map[id]) continue;
        ir_node node = g->nodes[id];
        if (node.op == IR_CARRY && !map[node.arg[1]]) {
            map[id] = map[node.arg[0]];
            continue;
        }
        for (int a = 0; a < ir_ops[node.op].operands; a++) node.arg[a] = map[node.arg[a]];
        map[id] = count;
        g->nodes[count++] = node;
    }
    g->count = count;
    free(g->buckets);
    g->buckets = NULL;
    g->bucket_count = 0;
}

/* Drops nodes that no result needs and renumbers the rest in the same order. */
static bool compact(ir_kernel *k)
{
    ir_graph *g = &k->graph;
    ir_id *map = calloc(g->count, sizeof *map);
    if (!map) return false;
    each_result(k, mark, map);
    map[0] = 0; /* no node */
    ir_mark_needed(g, map);
    drop_unmarked(g, map);
    each_result(k, renumber, map);
    free(map);
    return true;
}

static int compare_accesses(const void *a, const void *b)
{
    const ir_access *x = a, *y = b;
    if (x->param != y->param) return x->param < y->param ? -1 : 1;
    if (x->component != y->component) return x->component < y->component ? -1 : 1;
    for (int d = 2; d >= 0; d--)
        if (x->offset[d] != y->offset[d]) return x->offset[d] < y->offset[d] ? -1 : 1;
    return 0;
}

static bool collect_accesses(ir_kernel *k, arena *memory)
{
    const ir_graph *g = &k->graph;
    size_t count = 0;
    for (size_t id = 1; id < g->count; id++) count += g->nodes[id].op == IR_LOAD;
    k->accesses = arena_array(memory, count + 1, sizeof *k->accesses);
    if (!k->accesses) return false;
    for (size_t id = 1; id < g->count; id++) {
        const ir_node *n = &g->nodes[id];
        if (n->op != IR_LOAD) continue;
        ir_access *a = &k->accesses[k->access_count++];
        *a = (ir_access){.param = n->param, .component = n->element, .at = n->at};
        memcpy(a->offset, n->offset, sizeof a->offset);
    }
    qsort(k->accesses, count, sizeof *k->accesses, compare_accesses);
    return true;
}

static bool collect_level_reads(ir_kernel *k, arena *memory)
{
    const ir_graph *g = &k->graph;
    size_t count = 0;
    for (size_t id = 1; id < g->count; id++) count += g->nodes[id].op == IR_LEVEL;
    k->level_reads = arena_array(memory, count + 1, sizeof *k->level_reads);
    for (size_t id = 1; id < g->count && k->level_reads; id++) {
        const ir_node *n = &g->nodes[id];
        if (n->op != IR_LEVEL) continue;
        ir_level_read *r = &k->level_reads[k->level_read_count++];
        *r = (ir_level_read){n->param, n->element, n->value.i32, {0}, n->inside, n->at, n->arg[0]};
        memcpy(r->offset, n->offset, sizeof r->offset);
    }
    return k->level_reads;
}

static bool hash_kernel(ir_kernel *k)
{
    text printed = {0};
    ir_print(&printed, k);
    bool ok = !printed.failed;
    if (ok) hash_hex(text_get(&printed), printed.length, k->hash);
    text_free(&printed);
    return ok;
}

bool ir_kernel_finish(ir_kernel *kernel, arena *memory)
{
    kernel->deciding = ir_find_deciding(&kernel->graph);
    kernel->switched = kernel->deciding && ir_find_switch(&kernel->graph);
    for (ir_id id = 1; id < kernel->graph.count; id++)
        kernel->guarded = kernel->guarded || kernel->graph.nodes[id].op == IR_INDEX;
    return compact(kernel) && collect_accesses(kernel, memory) &&
           collect_level_reads(kernel, memory) && hash_kernel(kernel);
}

kata_status ir_lower(ir_kernel *kernel, arena *memory, messages *m)
{
    arena scratch = {0};
    lowering l = {.kernel = kernel, .g = &kernel->graph, .m = m, .memory = memory, .rounds = 1};
    kata_status status = set_up(&l, &scratch);
    if (!status) status = lower_body(&l, kernel->body);
    if (!status) status = lower_check(&l, kernel->at);
    if (!status) status = collect_stores(&l, memory);
    if (!status) status = lower_collect_additions(&l);
    if (!status) status = lower_finite_checks(&l);
    if (!status) status = lower_collect_checks(&l);
    if (!status && !ir_kernel_finish(kernel, memory)) status = message_no_memory(m);
#ifdef KATA_DEBUG
    const char *wrong = status ? NULL : ir_verify(kernel);
    if (wrong)
        status = message_fail(m, KATA_ERROR_INTERNAL, "kernel '%s': %s", kernel->name, wrong);
#endif
    free(l.changes);
    free(l.path);
    free(l.checks);
    free(l.additions);
    free(l.tainted);
    arena_free(&scratch);
    return status;
}

bool ir_rank_is_of_ratio(const ir_kernel *k)
{
    for (int p = 0; p < k->param_count; p++)
        if (k->params[p].ratios && k->params[p].ratio_at == k->rank_at) return true;
    return false;
}

bool ir_has_bins(const ir_kernel *k, int param)
{
    for (int i = 0; i < k->addition_count; i++)
        if (k->additions[i].param == param) return true;
    return false;
}

void ir_kernel_free(ir_kernel *kernel)
{
    if (kernel) ir_graph_free(&kernel->graph);
}
