/* The time that the C compiler takes for a kernel, in operations. Kernels of one cost take gcc 12
 * about as long, whatever they are made of; the costs were found by measuring chains of each
 * operation. Up to 4000, compiled at -O3, it is a few seconds; up to 20000, compiled with the flags
 * for large functions (jit/compiler.c), up to six. Time grows faster than cost. */
#include "ir/ir.h"

#include <stdlib.h>

enum {
    FUNCTION_COST = 150,
    DIVISION_COST = 30, /* of integers, where zero is a case of its own */
    MIX_COST = 8,       /* of which a random number takes several */
    SHIFT_COST = 10,
    TO_INTEGER_COST = 10, /* of floating-point numbers, which saturate */
    SELECT_COST = 3,
    LEAST_COST = 4,    /* a comparison and a choice */
    SIGN_COST = 10,    /* of integers without their signs */
    CORNERS_COST = 20, /* choices for NaN, signs and halves */
    READ_COST = 40,
    CHILD_COST = 20,
    ADDITION_COST =
        40, /* to an element known at run time: written for one and for several points */
    REDUCTION_COST = 160, /* lanes, for each element */
    CHECK_COST = 12       /* two passes over a row: whether any fails, and which */
};

static bool is_integer(ir_type type) { return type != IR_BOOL && !ir_type_is_floating(type); }

/* ---- elements of tables ---------------------------------------------------------------------- */

enum { FEWEST_IN_MEMORY = 8, MOST_IN_MEMORY = 64 }; /* elements, and tables: see codegen/lookup.c */

/* The index by which a node chooses, as bisection in a table does; 0 for others. */
static ir_id index_of_choice(const ir_graph *g, ir_id id)
{
    const ir_node *n = &g->nodes[id], *below = &g->nodes[n->arg[0]];
    bool bisects = n->op == IR_SELECT && below->op == IR_LT &&
                   g->nodes[below->arg[1]].op == IR_CONST &&
                   is_integer((ir_type)g->nodes[below->arg[1]].type);
    return bisects ? below->arg[0] : 0;
}

/* What a node chooses from by one index: how many constants, elements or components, and one of
 * them. None where it does anything else. */
typedef struct chosen {
    uint32_t count;
    ir_id one;
} chosen;

static chosen chosen_of(const ir_kernel *kernel, ir_id id, ir_id index, const chosen *of)
{
    const ir_node *node = &kernel->graph.nodes[id];
    bool one = node->op == IR_CONST || node->op == IR_NUMBER;
    if (one || ir_may_choose_component(kernel, node)) return (chosen){1, id};
    return index_of_choice(&kernel->graph, id) == index ? of[id] : (chosen){0};
}

static chosen joined(const ir_graph *g, chosen low, chosen high)
{
    const ir_node *a = &g->nodes[low.one], *b = &g->nodes[high.one];
    bool reads = a->op == IR_LOAD || b->op == IR_LOAD;
    if (!low.count || !high.count || (reads && !ir_reads_beside_each_other(a, b)))
        return (chosen){0};
    return (chosen){low.count + high.count, low.one};
}

static bool is_table(const ir_graph *g, chosen of)
{
    bool reads = g->nodes[of.one].op == IR_LOAD;
    return of.count >= (reads ? IR_FEWEST_CHOSEN : FEWEST_IN_MEMORY);
}

/* Marks the choices that compiled code does not make: it reads the element from memory. NULL when
 * memory is out. */
static bool *find_in_memory(const ir_kernel *kernel)
{
    const ir_graph *g = &kernel->graph;
    bool *in_memory = calloc(g->count, sizeof *in_memory);
    chosen *of = calloc(g->count, sizeof *of);
    int tables = 0;
    for (ir_id id = 1; id < g->count && in_memory && of; id++) {
        const ir_id index = index_of_choice(g, id), *arg = g->nodes[id].arg;
        if (index)
            of[id] = joined(g, chosen_of(kernel, arg[1], index, of),
                            chosen_of(kernel, arg[2], index, of));
    }
    for (ir_id id = (ir_id)g->count; id-- > 1 && in_memory && of;) {
        bool table = is_table(g, of[id]) && tables < MOST_IN_MEMORY;
        if (!in_memory[id] && !table) continue;
        tables += !in_memory[id];
        in_memory[id] = true;
        for (int i = 1; i < 3; i++)
            if (of[g->nodes[id].arg[i]].count) in_memory[g->nodes[id].arg[i]] = true;
    }
    free(of);
    return in_memory;
}

/* How many reads are needed for nothing but choices in memory. */
static int count_only_chosen(const ir_kernel *kernel, const bool *in_memory)
{
    const ir_graph *g = &kernel->graph;
    bool *needed = calloc(g->count, sizeof *needed);
    int only = 0;
    for (ir_id id = 1; id < g->count && needed; id++)
        for (int i = 0; i < 3 && !in_memory[id]; i++) needed[g->nodes[id].arg[i]] = true;
    for (int i = 0; i < kernel->store_count && needed; i++) needed[kernel->stores[i].value] = true;
    for (int i = 0; i < kernel->addition_count && needed; i++)
        needed[kernel->additions[i].value] = needed[kernel->additions[i].index] = true;
    for (ir_id id = 1; id < g->count && needed; id++)
        only += g->nodes[id].op == IR_LOAD && !needed[id];
    free(needed);
    return only;
}

/* ---- costs ----------------------------------------------------------------------------------- */

static int operation_cost(const ir_graph *g, const ir_node *node)
{
    ir_op op = (ir_op)node->op;
    bool integer = is_integer((ir_type)node->type);
    switch (op) {
    case IR_CONST:
    case IR_LOAD: return 0;
    case IR_LEVEL: return READ_COST;
    case IR_MIX: return MIX_COST;
    case IR_SHL:
    case IR_SHR: return SHIFT_COST;
    case IR_CONVERT:
        return integer && !is_integer((ir_type)g->nodes[node->arg[0]].type) ? TO_INTEGER_COST : 1;
    case IR_SELECT: return SELECT_COST;
    case IR_MIN:
    case IR_MAX:
    case IR_LEAST:
    case IR_GREATEST: return LEAST_COST;
    case IR_ABS: return integer ? SIGN_COST : 1;
    case IR_FMIN:
    case IR_FMAX:
    case IR_ROUND:
    case IR_COPYSIGN: return CORNERS_COST;
    case IR_DIV:
    case IR_REM: return integer ? DIVISION_COST : 1;
    default: return ir_ops[op].function >= IR_FUNCTION_ELEMENTARY ? FUNCTION_COST : 1;
    }
}

static int store_cost(const ir_param *param)
{
    if (!ir_param_is_field(param)) return REDUCTION_COST;
    return ir_param_children(param) > 1 ? CHILD_COST : 0;
}

int64_t ir_function_cost(const ir_kernel *kernel)
{
    int64_t cost = 0;
    for (ir_id id = 1; id < kernel->graph.count; id++)
        if (ir_ops[kernel->graph.nodes[id].op].function >= IR_FUNCTION_ELEMENTARY)
            cost += FUNCTION_COST;
    return cost;
}

int64_t ir_compile_cost(const ir_kernel *kernel)
{
    int64_t cost = (int64_t)READ_COST * kernel->access_count +
                   (int64_t)ADDITION_COST * kernel->addition_count +
                   (int64_t)CHECK_COST * kernel->check_count;
    for (int i = 0; i < kernel->store_count; i++)
        cost += store_cost(&kernel->params[kernel->stores[i].param]);
    bool *in_memory = find_in_memory(kernel);
    if (in_memory) cost -= (int64_t)READ_COST * count_only_chosen(kernel, in_memory);
    for (ir_id id = 1; id < kernel->graph.count; id++)
        if (!in_memory || !in_memory[id])
            cost += operation_cost(&kernel->graph, &kernel->graph.nodes[id]);
    free(in_memory);
    return cost;
}

/* ---- values that live at once ---------------------------------------------------------------- */

/* The node after which no operation needs a node's value; the graph's size where a result does.
 * NULL when memory is out. */
static size_t *find_last_uses(const ir_kernel *kernel)
{
    const ir_graph *g = &kernel->graph;
    size_t *last = calloc(g->count, sizeof *last);
    for (ir_id id = 1; id < g->count && last; id++)
        for (int i = 0; i < 3; i++)
            if (g->nodes[id].arg[i]) last[g->nodes[id].arg[i]] = id;
    for (int i = 0; i < kernel->store_count && last; i++) last[kernel->stores[i].value] = g->count;
    return last;
}

int64_t ir_values_at_once(const ir_kernel *kernel)
{
    const ir_graph *g = &kernel->graph;
    size_t *last = find_last_uses(kernel);
    int64_t *ends = calloc(g->count + 1, sizeof *ends), now = 0, most = 0;
    for (ir_id id = 1; id < g->count && last && ends; id++) {
        now -= ends[id];
        if (g->nodes[id].op == IR_CONST || g->nodes[id].op == IR_NUMBER || !last[id]) continue;
        now++;
        ends[last[id]]++;
        if (now > most) most = now;
    }
    free(last);
    free(ends);
    return most + kernel->store_count;
}

/* ---- the dearest line ------------------------------------------------------------------------ */

typedef struct line_cost {
    uint32_t at; /* in the line */
    int64_t cost;
} line_cost;

static int by_position(const void *a, const void *b)
{
    uint32_t x = ((const line_cost *)a)->at, y = ((const line_cost *)b)->at;
    return (x > y) - (x < y);
}

/* The costs of all that the kernel consists of, where each stands; returns their number. */
static size_t list_costs(const ir_kernel *kernel, line_cost *out)
{
    size_t n = 0;
    for (int i = 0; i < kernel->access_count; i++)
        out[n++] = (line_cost){kernel->accesses[i].at, READ_COST};
    for (int i = 0; i < kernel->store_count; i++)
        out[n++] =
            (line_cost){kernel->stores[i].at, store_cost(&kernel->params[kernel->stores[i].param])};
    for (int i = 0; i < kernel->addition_count; i++)
        out[n++] = (line_cost){kernel->additions[i].at, ADDITION_COST};
    for (int i = 0; i < kernel->check_count; i++)
        out[n++] = (line_cost){kernel->checks[i].at, CHECK_COST};
    for (ir_id id = 1; id < kernel->graph.count; id++) {
        const ir_node *node = &kernel->graph.nodes[id];
        out[n++] = (line_cost){node->at, operation_cost(&kernel->graph, node)};
    }
    return n;
}

/* The line with the largest sum. */
static line_cost dearest_line(const source *text, const line_cost *costs, size_t count)
{
    line_cost best = {0, 0}, line = {0, 0};
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && source_same_line(text, line.at, costs[i].at);
        line = same ? (line_cost){line.at, line.cost + costs[i].cost} : costs[i];
        if (line.cost > best.cost) best = line;
    }
    return best;
}

/* Notes the dearest line, if it has a tenth of the cost or more. */
static void note_dearest_line(const ir_kernel *kernel, int64_t cost, messages *m)
{
    size_t most = (size_t)kernel->access_count + (size_t)kernel->store_count +
                  (size_t)kernel->addition_count + (size_t)kernel->check_count +
                  kernel->graph.count;
    line_cost *costs = calloc(most, sizeof *costs);
    if (!costs) return; /* the message is right without */
    size_t count = list_costs(kernel, costs);
    qsort(costs, count, sizeof *costs, by_position);
    line_cost line = dearest_line(kernel->text, costs, count);
    free(costs);
    if (line.cost < cost / 10) return;
    message_note_at(m, kernel->text, line.at, "%lld of it is in this line, more than in any other",
                    (long long)line.cost);
}

/* ---- the limit ------------------------------------------------------------------------------- */

kata_status ir_check_compile_cost(const ir_kernel *kernel, messages *m)
{
    const int64_t cost = ir_compile_cost(kernel);
    const int most = kernel->watched ? IR_MAX_WATCHED_COST : IR_MAX_COMPILE_COST;
    if (cost <= most) return KATA_OK;
    message_begin_at(m, KATA_ERROR_LIMIT, kernel->text, kernel->at,
                     "kernel '%s' takes too much work to compile: %lld where %d is allowed",
                     kernel->name, (long long)cost, most);
    message_line(
        m,
        "unrolled, an operation counts 1, a choice %d, min and max %d, a shift or conversion to an "
        "integer %d, a division of integers %d,",
        (int)SELECT_COST, (int)LEAST_COST, (int)SHIFT_COST, (int)DIVISION_COST);
    message_line(m, "abs of an integer %d, fmin, fmax, round and copysign %d,", (int)SIGN_COST,
                 (int)CORNERS_COST);
    message_line(
        m,
        "a random number %d or more, a function such as sin %d, an offset at which a field "
        "is read %d,",
        3 * (int)MIX_COST, (int)FUNCTION_COST, (int)READ_COST);
    message_line(m, "a child that is written %d, an element of a reduction %d, a check %d",
                 (int)CHILD_COST, (int)REDUCTION_COST, (int)CHECK_COST);
    message_line(m, "make several kernels of it");
    note_dearest_line(kernel, cost, m);
    return message_send(m);
}
