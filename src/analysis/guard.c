/* Where each read of a loop is needed.
 *
 * A node is needed at the points at which one of its users is needed. A select needs a choice only
 * where its condition chooses it. Conditions that compare an index with values known when the
 * kernel is applied (constants, sizes, numbers) tell where that is; so do, at the ends of a box,
 * conditions that depend on one index in another form (parity, remainders). Sets of points are
 * stood for by the smallest box that holds them, and a condition of another form narrows nothing:
 * so the boxes found may be too large, but never too small. */
#include "analysis/analysis.h"

#include <string.h>

/* Conditions are followed this deep, and this often in one analysis. Beyond, they narrow nothing.
 */
enum { DEEPEST_CONDITION = 12, MOST_STEPS = 1000000 };
/* Of a condition that repeats along a dimension. */
enum { LONGEST_PERIOD = 64 };

/* Per node: whether its value is the same at all points and known now, that value, and where the
 * node is needed. */
typedef struct guard {
    const chain_loop *loop;
    const ir_graph *graph;
    bool *known;
    ir_value *values;
    grid_box *needs;
    int steps;
} guard;

/* ---- what is known --------------------------------------------------------------------------- */

static bool find_value(const void *data, const ir_node *n, ir_value operand, ir_value *value)
{
    return chain_node_value(data, NULL, n, operand, value);
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Whether a node is an index plus a known value, without wrapping. */
static bool is_index(const guard *g, ir_id id, int *dimension, int64_t *shift)
{
    *shift = 0;
    for (int depth = 0; depth < DEEPEST_CONDITION; depth++) {
        const ir_node *n = &g->graph->nodes[id];
        if (n->op == IR_INDEX) {
            *dimension = n->param;
            return *shift > -((int64_t)1 << 60) && *shift < (int64_t)1 << 60;
        }
        bool add = n->op == IR_ADD, sub = n->op == IR_SUB;
        if ((!add && !sub) || n->type != IR_I64) return false;
        int by = g->known[n->arg[1]] ? 1 : 0;
        if (!g->known[n->arg[by]] || (sub && by == 0)) return false;
        int64_t x = g->values[n->arg[by]].i64;
        if (x <= -((int64_t)1 << 60) || x >= (int64_t)1 << 60) return false;
        *shift += add ? x : -x;
        id = n->arg[1 - by];
    }
    return false;
}

static void keep_equal(grid_box *box, int d, int64_t x, bool equal)
{
    if (equal) {
        box->lo[d] = larger(box->lo[d], x);
        box->hi[d] = smaller(box->hi[d], x + 1);
    } else if (x == box->lo[d]) {
        box->lo[d]++;
    } else if (x == box->hi[d] - 1) {
        box->hi[d]--;
    }
}

/* Whether an operation depends on its operands alone. */
static bool is_of_operands(ir_op op)
{
    return op != IR_STORED && op != IR_LEVEL && op != IR_ELEMENT && op != IR_CARRIED &&
           op != IR_CARRY && op != IR_AFTER;
}

/* The dimension of the only index that a node depends on; -1: none, -2: others or other values. */
static int only_index(guard *g, ir_id id, int depth)
{
    const ir_node *n = &g->graph->nodes[id];
    int found = -1;
    if (g->known[id]) return -1;
    if (n->op == IR_INDEX) return n->param;
    if (!is_of_operands((ir_op)n->op)) return -2;
    if (depth > DEEPEST_CONDITION || g->steps++ > MOST_STEPS || !ir_ops[n->op].operands) return -2;
    for (int i = 0; i < ir_ops[n->op].operands; i++) {
        int d = only_index(g, n->arg[i], depth + 1);
        if (d == -2 || (d >= 0 && found >= 0 && d != found)) return -2;
        found = d >= 0 ? d : found;
    }
    return found;
}

/* The value of a node that depends on one index, where that is x. */
static ir_value value_at(guard *g, ir_id id, int64_t x)
{
    const ir_node *n = &g->graph->nodes[id];
    ir_value args[3] = {{0}};
    g->steps++;
    if (g->known[id]) return g->values[id];
    if (n->op == IR_INDEX) return ir_value_of_int(IR_I64, x);
    for (int i = 0; i < ir_ops[n->op].operands; i++) args[i] = value_at(g, n->arg[i], x);
    return ir_evaluate(n->op, (ir_type)n->type, (ir_type)g->graph->nodes[n->arg[0]].type, args);
}

/* Moves the ends of a box inwards, past points at which a condition is not `truth`. It depends on
 * one index in any form, such as ix % 2 == 0. */
static grid_box narrow_ends(guard *g, const ir_node *n, bool truth, grid_box box)
{
    ir_id condition = (ir_id)(n - g->graph->nodes);
    int d = only_index(g, condition, 0);
    if (d < 0) return box;
    for (int i = 0; i < LONGEST_PERIOD && box.lo[d] < box.hi[d]; i++) {
        if ((value_at(g, condition, box.lo[d]).i32 != 0) == truth) break;
        box.lo[d]++;
    }
    for (int i = 0; i < LONGEST_PERIOD && box.lo[d] < box.hi[d]; i++) {
        if ((value_at(g, condition, box.hi[d] - 1).i32 != 0) == truth) break;
        box.hi[d]--;
    }
    return box;
}

/* The points of a box at which a comparison of an index with a known value is `truth`. */
static grid_box narrow_comparison(guard *g, const ir_node *n, bool truth, grid_box box)
{
    int d;
    int64_t shift;
    bool first = is_index(g, n->arg[0], &d, &shift);
    if (!first && !is_index(g, n->arg[1], &d, &shift)) return narrow_ends(g, n, truth, box);
    ir_id other = n->arg[first ? 1 : 0];
    if (!g->known[other] || g->graph->nodes[other].type != IR_I64)
        return narrow_ends(g, n, truth, box);
    int64_t x;
    if (__builtin_sub_overflow(g->values[other].i64, shift, &x) || x == INT64_MAX) return box;
    if (n->op == IR_EQ || n->op == IR_NE) {
        keep_equal(&box, d, x, (n->op == IR_EQ) == truth);
    } else if (first == truth) { /* index < x, or not x < index */
        box.hi[d] = smaller(box.hi[d], x + ((n->op == IR_LE) == truth ? 1 : 0));
    } else {
        box.lo[d] = larger(box.lo[d], x + ((n->op == IR_LE) == truth ? 0 : 1));
    }
    return box;
}

static grid_box narrow(guard *g, ir_id condition, bool truth, grid_box box, int depth);

/* Both operands of a condition are `truth`; `first` is what the first one leaves. It may narrow
 * what the second one leaves: ix % 2 == 0 && ix > 0. */
static grid_box narrow_both(guard *g, const ir_node *n, bool truth, grid_box first, int depth)
{
    grid_box both = narrow(g, n->arg[1], truth, first, depth + 1);
    bool same = !memcmp(&both, &first, sizeof both);
    return same ? both : narrow(g, n->arg[0], truth, both, depth + 1);
}

static grid_box narrow(guard *g, ir_id condition, bool truth, grid_box box, int depth)
{
    const ir_node *n = &g->graph->nodes[condition];
    if (depth > DEEPEST_CONDITION || g->steps++ > MOST_STEPS || grid_box_is_empty(&box)) return box;
    if (g->known[condition] && n->type == IR_BOOL) {
        if ((g->values[condition].i32 != 0) != truth) box.hi[0] = box.lo[0];
        return box;
    }
    switch ((ir_op)n->op) {
    case IR_NOT: return narrow(g, n->arg[0], !truth, box, depth + 1);
    case IR_AND:
    case IR_OR: {
        grid_box first = narrow(g, n->arg[0], truth, box, depth + 1);
        if ((n->op == IR_AND) == truth) return narrow_both(g, n, truth, first, depth);
        grid_box second = narrow(g, n->arg[1], truth, box, depth + 1);
        return grid_box_hull(&first, &second);
    }
    case IR_SELECT: {
        grid_box yes = narrow(g, n->arg[0], true, box, depth + 1);
        grid_box no = narrow(g, n->arg[0], false, box, depth + 1);
        yes = narrow(g, n->arg[1], truth, yes, depth + 1);
        no = narrow(g, n->arg[2], truth, no, depth + 1);
        return grid_box_hull(&yes, &no);
    }
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE: return narrow_comparison(g, n, truth, box);
    default: return box;
    }
}

/* ---- needs ----------------------------------------------------------------------------------- */

static void need(guard *g, ir_id id, const grid_box *box)
{
    g->needs[id] = grid_box_hull(&g->needs[id], box);
}

/* In `a && b`, b is needed where a holds, and a where b holds: if indices alone say that one of
 * them is false, the other's value does not matter. */
static void need_operands(guard *g, const ir_node *n, const grid_box *box)
{
    bool both = n->type == IR_BOOL && (n->op == IR_AND || n->op == IR_OR);
    for (int i = 0; i < ir_ops[n->op].operands; i++) {
        grid_box part = *box;
        if (n->op == IR_SELECT && i > 0) part = narrow(g, n->arg[0], i == 1, part, 0);
        if (both) part = narrow(g, n->arg[1 - i], n->op == IR_AND, part, 0);
        need(g, n->arg[i], &part);
    }
}

/* Needs of a value that is stored where a condition holds. `if (a) v = x; if (c) v = y;` stores
 * c ? y : x where c || a holds: x is needed where a holds. */
static void need_stored(guard *g, ir_id value, ir_id condition, grid_box box)
{
    for (;;) {
        const ir_node *v = &g->graph->nodes[value], *c = &g->graph->nodes[condition];
        bool either = c->op == IR_OR && c->type == IR_BOOL && v->op == IR_SELECT;
        if (!either || (c->arg[0] != v->arg[0] && c->arg[1] != v->arg[0])) break;
        grid_box chosen = narrow(g, v->arg[0], true, box, 0);
        need(g, v->arg[0], &box);
        need(g, v->arg[1], &chosen);
        box = narrow(g, v->arg[0], false, box, 0);
        condition = c->arg[c->arg[0] == v->arg[0] ? 1 : 0];
        value = v->arg[2];
    }
    box = narrow(g, condition, true, box, 0);
    need(g, value, &box);
}

static void find_needs(guard *g)
{
    const ir_kernel *kernel = g->loop->kernel;
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        grid_box box = g->loop->box;
        if (s->condition) {
            need(g, s->condition, &box);
            need_stored(g, s->value, s->condition, box);
            continue;
        }
        need(g, s->value, &box);
    }
    for (int i = 0; i < kernel->addition_count; i++) {
        const ir_addition *a = &kernel->additions[i];
        grid_box box = g->loop->box;
        if (a->condition) need(g, a->condition, &box);
        if (a->condition) box = narrow(g, a->condition, true, box, 0);
        need(g, a->index, &box);
        need(g, a->value, &box);
    }
    for (int i = 0; i < kernel->check_count; i++) need(g, kernel->checks[i].passes, &g->loop->box);
    for (ir_id id = (ir_id)g->graph->count; id-- > 1;)
        need_operands(g, &g->graph->nodes[id], &g->needs[id]);
}

static bool is_same_read(const ir_node *n, const ir_access *a)
{
    return n->param == a->param && n->element == a->component && n->offset[0] == a->offset[0] &&
           n->offset[1] == a->offset[1] && n->offset[2] == a->offset[2];
}

static bool is_same_level(const ir_node *n, const ir_level_read *r)
{
    return n->param == r->param && n->element == r->component && n->value.i32 == r->dimension &&
           !memcmp(n->offset, r->offset, sizeof r->offset);
}

static bool prepare(guard *g, arena *memory)
{
    size_t count = g->graph->count + 1; /* an empty graph has 0 nodes */
    g->known = arena_array(memory, count, sizeof *g->known);
    g->values = arena_array(memory, count, sizeof *g->values);
    g->needs = arena_array(memory, count, sizeof *g->needs);
    if (!g->known || !g->values || !g->needs) return false;
    ir_evaluate_graph(g->graph, find_value, g->loop, g->values, g->known);
    return true;
}

grid_box analysis_written(const chain_loop *loop, const ir_store *store)
{
    const ir_kernel *kernel = loop->kernel;
    arena memory = {0};
    guard g = {.loop = loop, .graph = &kernel->graph};
    grid_box box = loop->box;
    if (store->condition && prepare(&g, &memory)) box = narrow(&g, store->condition, true, box, 0);
    arena_free(&memory);
    return box;
}

/* Reads of several indices at equal offsets are alike: each gets the needs of all. */
static void take_level_needs(const guard *g, grid_box *out)
{
    const ir_kernel *kernel = g->loop->kernel;
    for (int i = 0; i < kernel->level_read_count; i++) {
        out[i].hi[0] = out[i].lo[0];
        for (ir_id id = 1; id < g->graph->count; id++)
            if (g->graph->nodes[id].op == IR_LEVEL &&
                is_same_level(&g->graph->nodes[id], &kernel->level_reads[i]))
                out[i] = grid_box_hull(&out[i], &g->needs[id]);
    }
}

static void take_needs(const guard *g, grid_box *out)
{
    const ir_kernel *kernel = g->loop->kernel;
    for (ir_id id = 1; id < g->graph->count; id++)
        for (int i = 0; g->graph->nodes[id].op == IR_LOAD && i < kernel->access_count; i++)
            if (is_same_read(&g->graph->nodes[id], &kernel->accesses[i])) out[i] = g->needs[id];
    take_level_needs(g, out + kernel->access_count);
}

grid_box *analysis_needs(const chain_loop *loop, arena *memory)
{
    const ir_kernel *kernel = loop->kernel;
    arena own = {0};
    guard g = {.loop = loop, .graph = &kernel->graph};
    int reads = kernel->access_count + kernel->level_read_count;
    grid_box *needs = arena_array(memory, (size_t)reads + 1, sizeof *needs);
    for (int i = 0; needs && i < reads; i++) needs[i] = loop->box;
    bool done = needs && prepare(&g, &own);
    if (done) find_needs(&g);
    if (done) take_needs(&g, needs);
    arena_free(&own);
    return done ? needs : NULL;
}
