/* A pass: tables in memory.
 *
 * An element of a table at an index that is known only at run time is chosen by bisection in the
 * graph: index < 8 ? index < 4 ? .. : .. : ... Where all that can be chosen are constants, or
 * elements of one table at equal distances, and where they are many, the element is read from
 * memory instead. So are components of a field: then no row is given a pointer for them. The index
 * is moved to the nearest element first: that is what bisection chooses for an index outside, which
 * a point may have on a path that it does not take. */
#include "codegen/emit.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST = HOSTILE(8, 3), MOST = IR_MAX_LENGTH, DEEPEST = 16 };

/* A tree of choices by one index: what is chosen below `bounds[0]`, from there on, from the next
 * bound on, ... */
typedef struct choices {
    const ir_kernel *kernel;
    const ir_graph *graph;
    ir_id index;
    int64_t bounds[MOST];
    ir_id values[MOST + 1];
    int bound_count;
} choices;

/* ---- trees of choices ------------------------------------------------------------------------ */

/* Whether a node is index < constant ? .. : ..; the index and the constant, if so. */
static bool is_choice(const ir_graph *g, ir_id id, ir_id *index, int64_t *bound)
{
    const ir_node *node = &g->nodes[id], *below = &g->nodes[node->arg[0]];
    if (node->op != IR_SELECT || below->op != IR_LT) return false;
    const ir_node *constant = &g->nodes[below->arg[1]];
    if (constant->op != IR_CONST || !ir_type_is_integer((ir_type)constant->type)) return false;
    *index = below->arg[0];
    *bound = constant->type == IR_I64 ? constant->value.i64 : constant->value.i32;
    return true;
}

/* Adds what a node chooses, from low indices to high. False for what is no ascending bisection, and
 * where there are too many choices or more of them one in another than a bisection has. */
static bool collect(choices *c, ir_id id, int depth)
{
    ir_id index;
    int64_t bound;
    if (!is_choice(c->graph, id, &index, &bound) || index != c->index) {
        const ir_node *node = &c->graph->nodes[id];
        c->values[c->bound_count] = id;
        return node->op == IR_CONST || node->op == IR_NUMBER ||
               ir_may_choose_component(c->kernel, node);
    }
    const ir_id *arg = c->graph->nodes[id].arg;
    if (depth == DEEPEST || !collect(c, arg[1], depth + 1) || c->bound_count == MOST) return false;
    if (c->bound_count > 0 && bound <= c->bounds[c->bound_count - 1]) return false;
    c->bounds[c->bound_count++] = bound;
    return collect(c, arg[2], depth + 1);
}

/* ---- lookups --------------------------------------------------------------------------------- */

/* Whether element i stands i times the stride behind the first, in the same table or field. */
static bool follows(const ir_graph *g, const codegen_lookup *l, int i)
{
    const ir_node *first = &g->nodes[l->values[0]], *n = &g->nodes[l->values[i]];
    bool same = l->of == CODEGEN_IN_FIELD
                    ? ir_reads_beside_each_other(n, first)
                    : n->op == IR_NUMBER && n->param == first->param && n->type == first->type;
    return same && n->element == first->element + i * l->stride;
}

/* Whether the elements of a lookup are those of a table, or of a field, at equal distances. */
static bool find_stride(const ir_graph *g, codegen_lookup *l)
{
    const ir_node *first = &g->nodes[l->values[0]];
    l->of = first->op == IR_LOAD ? CODEGEN_IN_FIELD : CODEGEN_IN_TABLE;
    l->stride = g->nodes[l->values[1]].element - first->element;
    for (int i = 0; i < l->count; i++)
        if (!follows(g, l, i)) return false;
    return l->of == CODEGEN_IN_TABLE || l->count >= IR_FEWEST_CHOSEN;
}

static bool is_constant(const ir_graph *g, const codegen_lookup *l)
{
    for (int i = 0; i < l->count; i++)
        if (g->nodes[l->values[i]].op != IR_CONST) return false;
    return true;
}

/* Makes a lookup of choices; false where that is not possible or not worth it. */
static bool look_up(const choices *c, codegen_lookup *l)
{
    const int64_t end = INT32_MAX;
    if (c->bounds[0] <= -end || c->bounds[c->bound_count - 1] >= end) return false;
    int64_t low = c->bounds[0] - 1, high = c->bounds[c->bound_count - 1];
    if (high - low < FEWEST - 1 || high - low >= MOST) return false;
    l->index = c->index;
    l->low = low;
    l->count = (int)(high - low) + 1;
    for (int i = 0, next = 0; i < l->count; i++) {
        while (next < c->bound_count && low + i >= c->bounds[next]) next++;
        l->values[i] = c->values[next];
    }
    l->of = CODEGEN_CONSTANTS;
    return is_constant(c->graph, l) || find_stride(c->graph, l);
}

/* Marks the choices of a lookup. */
static void cover(const ir_graph *g, ir_id id, ir_id index, bool *covered)
{
    ir_id own;
    int64_t bound;
    if (!is_choice(g, id, &own, &bound) || own != index) return;
    covered[id] = true;
    cover(g, g->nodes[id].arg[1], index, covered);
    cover(g, g->nodes[id].arg[2], index, covered);
}

static void find(codegen_writer *w, bool *covered)
{
    const ir_graph *g = &w->loop->kernel->graph;
    for (ir_id id = (ir_id)g->count; id-- > 1 && w->lookups->count < CODEGEN_MOST_LOOKUPS;) {
        choices c = {.kernel = w->loop->kernel, .graph = g};
        int64_t bound;
        if (covered[id] || !is_choice(g, id, &c.index, &bound)) continue;
        codegen_lookup *l = &w->lookups->lookup[w->lookups->count];
        bool at_points = w->steps[c.index].level == CODEGEN_POINT;
        if (!at_points || g->nodes[id].type == IR_BOOL || !collect(&c, id, 0) || !look_up(&c, l))
            continue;
        cover(g, id, c.index, covered);
        w->lookups->of[id] = ++w->lookups->count;
    }
}

/* Marks what is computed at all, now that elements are not chosen. */
static void mark_used(codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    bool *used = w->lookups->used;
    used[kernel->valid] = true;
    for (int i = 0; i < kernel->store_count; i++)
        used[kernel->stores[i].value] = used[kernel->stores[i].condition] = true;
    for (int i = 0; i < kernel->addition_count; i++) {
        const ir_addition *a = &kernel->additions[i];
        used[a->index] = used[a->value] = used[a->condition] = true;
    }
    codegen_mark_operands(w, used);
}

/* Marks the accesses of the rows that are read otherwise than by lookups. */
static void mark_rows(codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (ir_id id = 1; id < kernel->graph.count; id++) {
        const ir_node *node = &kernel->graph.nodes[id];
        if (node->op != IR_LOAD || !w->lookups->used[id]) continue;
        ir_access read = {.param = node->param, .component = node->element};
        memcpy(read.offset, node->offset, sizeof read.offset);
        for (int i = 0; i < kernel->access_count; i++)
            if (codegen_same_row(&kernel->accesses[i], &read)) w->lookups->rows[i] = true;
    }
}

/* False when memory is out. */
static bool find_rows(codegen_writer *w)
{
    bool chosen = false;
    for (int i = 0; i < w->lookups->count; i++)
        chosen = chosen || w->lookups->lookup[i].of == CODEGEN_IN_FIELD;
    if (!chosen) return true;
    w->lookups->rows = calloc((size_t)w->loop->kernel->access_count, sizeof *w->lookups->rows);
    if (w->lookups->rows) mark_rows(w);
    return w->lookups->rows;
}

void codegen_lookups_free(codegen_lookups *lookups)
{
    if (!lookups) return;
    free(lookups->of);
    free(lookups->used);
    free(lookups->rows);
    free(lookups);
}

bool codegen_look_up(codegen_writer *w)
{
    size_t nodes = w->loop->kernel->graph.count + 1;
    bool *covered = calloc(nodes, sizeof *covered);
    w->lookups = calloc(1, sizeof *w->lookups);
    if (w->lookups) w->lookups->of = calloc(nodes, sizeof *w->lookups->of);
    if (w->lookups) w->lookups->used = calloc(nodes, sizeof *w->lookups->used);
    bool done = covered && w->lookups && w->lookups->of && w->lookups->used;
    if (done) {
        find(w, covered);
        mark_used(w);
        done = find_rows(w);
    }
    free(covered);
    return done;
}
