/* A pass: tables in memory.
 *
 * An element of a table at an index that is known only at run time is chosen by bisection in the
 * graph: index < 8 ? index < 4 ? .. : .. : ... Where all that can be chosen are constants, or
 * elements of one table at equal distances, and where they are many, the element is read from
 * memory instead. The index is moved to the nearest element first: that is what bisection chooses
 * for an index outside, which a point may have on a path that it does not take. */
#include "codegen/emit.h"

#include <stdlib.h>

enum { FEWEST = HOSTILE(8, 3), MOST = IR_MAX_LENGTH, DEEPEST = 16 };

/* A tree of choices by one index: what is chosen below `bounds[0]`, from there on, from the next
 * bound on, ... */
typedef struct choices {
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
        ir_op op = (ir_op)c->graph->nodes[id].op;
        c->values[c->bound_count] = id;
        return op == IR_CONST || op == IR_NUMBER;
    }
    const ir_id *arg = c->graph->nodes[id].arg;
    if (depth == DEEPEST || !collect(c, arg[1], depth + 1) || c->bound_count == MOST) return false;
    if (c->bound_count > 0 && bound <= c->bounds[c->bound_count - 1]) return false;
    c->bounds[c->bound_count++] = bound;
    return collect(c, arg[2], depth + 1);
}

/* ---- lookups --------------------------------------------------------------------------------- */

/* Whether the elements of a lookup are those of a table, at equal distances. */
static bool find_stride(const ir_graph *g, codegen_lookup *l)
{
    const ir_node *first = &g->nodes[l->values[0]];
    l->stride = g->nodes[l->values[1]].element - first->element;
    for (int i = 0; i < l->count; i++) {
        const ir_node *n = &g->nodes[l->values[i]];
        if (n->op != IR_NUMBER || n->param != first->param || n->type != first->type ||
            n->element != first->element + i * l->stride)
            return false;
    }
    return true;
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
    l->in_table = !is_constant(c->graph, l);
    return !l->in_table || find_stride(c->graph, l);
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
        choices c = {.graph = g};
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

void codegen_lookups_free(codegen_lookups *lookups)
{
    if (!lookups) return;
    free(lookups->of);
    free(lookups->used);
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
    }
    free(covered);
    return done;
}
