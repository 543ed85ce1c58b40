/* A pass: what the points of a row share is computed once.
 *
 * The flux at one side of a point is the flux at the other side of its neighbour: nodes of a graph
 * that compute the same of operands that lie a few points farther along x. Where that saves enough,
 * such a value is computed once for each x, for a part of the row, and found there by all points
 * that use it. No result changes: the same operations are done on the same numbers.
 *
 * Nodes are sorted into classes (reuse_class.c). Two are of one class when they do the same to
 * operands that are of one class and, seen from the node, equally far. The offset of a node is the
 * lowest offset of its operands, so that nodes of one class differ by their offsets only. Values
 * are chosen on a walk from the stores (reuse_walk.c), what points make of them is chosen instead
 * where that is better (reuse_absorb.c), and reuse_emit.c writes their code, or reuse_registers.c
 * where they need not go through memory.
 *
 * What neighbours along y or z share is not reused. So horizontal diffusion (bench/kernels.kata)
 * reuses nothing: of its five Laplacians three lie in one row, and two of its four fluxes. Reusing
 * these would leave 59 of 64 operations, loads and stores of reused values among them, and three
 * quarters is the limit. Its other two Laplacians are those of the rows beside it. */
#include "codegen/reuse.h"

#include <stdlib.h>

/* The value at most offsets of those that are in no group yet; NULL when all are. */
static const codegen_reused *widest_rest(const codegen_reuse *s)
{
    const codegen_reused *widest = NULL;
    for (const codegen_reused *k = s->value; k < s->value + s->count; k++)
        if (!k->group && (!widest || k->high - k->low > widest->high - widest->low)) widest = k;
    return widest;
}

/* Values at the same offsets are computed together. Groups at more offsets come first: those at
 * fewer may be made of them. */
static void group(codegen_reuse *out)
{
    const codegen_reused *widest;
    while ((widest = widest_rest(out))) {
        int32_t low = widest->low, high = widest->high;
        out->group_count++;
        for (codegen_reused *k = out->value; k < out->value + out->count; k++)
            if (k->low == low && k->high == high) k->group = out->group_count;
    }
}

/* Only the first node of a class is computed. */
static void choose(reuse_finder *f)
{
    reuse_walk_from_stores(f, REUSE_CHOOSING);
    for (int i = 0; i < f->out->count; i++)
        reuse_walk(f, reuse_add_operands(f, f->out->value[i].node, 0), &f->out->value[i],
                   REUSE_CHOOSING);
}

/* What all groups cost: each value costs its operation and a store. */
static double cost_of_groups(reuse_finder *f)
{
    double cost = 0;
    for (int g = 1; g <= f->out->group_count; g++) {
        const codegen_reused *of = NULL;
        size_t count = 0;
        for (int i = 0; i < f->out->count; i++) {
            if (f->out->value[i].group != g) continue;
            of = &f->out->value[i];
            cost += 1 + reuse_weight((ir_op)f->graph->nodes[of->node].op);
            count = reuse_add_operands(f, of->node, count);
        }
        cost += reuse_walk(f, count, of, REUSE_CHOSEN);
    }
    return cost;
}

/* Going through a row several times must save a good part of the work. */
static void drop_small_savings(reuse_finder *f)
{
    const double worthwhile = HOSTILE(0.75, 2.0);
    double alone = reuse_walk_from_stores(f, REUSE_IGNORED);
    double shared = reuse_walk_from_stores(f, REUSE_CHOSEN) + cost_of_groups(f);
    if (shared <= worthwhile * alone) return;
    f->out->count = f->out->group_count = 0;
    for (uint32_t c = 1; c <= f->class_count; c++) f->classes[c].value = REUSE_NOT;
}

static void find_shared(reuse_finder *f)
{
    choose(f);
    group(f->out);
    drop_small_savings(f);
    reuse_absorb(f);
}

static void find(reuse_finder *f, bool shares, bool widens)
{
    reuse_classify(f);
    if (shares) find_shared(f);
    if (widens) reuse_widen(f);
    for (ir_id id = 1; id < f->graph->count; id++) {
        const reuse_member *m = &f->members[id];
        f->out->of[id] = m->class != REUSE_NO_CLASS ? f->classes[m->class].value + 1 : 0;
        f->out->offset[id] = m->offset;
    }
}

void codegen_reuse_free(codegen_reuse *reuse)
{
    if (!reuse) return;
    free(reuse->of);
    free(reuse->offset);
    free(reuse);
}

static codegen_reuse *new_reuse(size_t nodes)
{
    codegen_reuse *reuse = calloc(1, sizeof *reuse);
    if (!reuse) return NULL;
    reuse->of = calloc(nodes, sizeof *reuse->of);
    reuse->offset = calloc(nodes, sizeof *reuse->offset);
    if (reuse->of && reuse->offset) return reuse;
    codegen_reuse_free(reuse);
    return NULL;
}

/* False when memory is out. */
static bool make_room(reuse_finder *f)
{
    size_t nodes = f->graph->count + 1, stores = (size_t)f->loop->kernel->store_count;
    f->slot_count = 16;
    while (f->slot_count < 2 * nodes) f->slot_count *= 2;
    f->members = calloc(nodes, sizeof *f->members);
    f->classes = calloc(nodes + 1, sizeof *f->classes);
    f->slots = calloc(f->slot_count, sizeof *f->slots);
    f->todo = malloc(4 * (nodes + stores) * sizeof *f->todo);
    f->met = calloc(3 * nodes, sizeof *f->met);
    f->out = new_reuse(nodes);
    if (!f->members || !f->classes || !f->slots || !f->todo || !f->met || !f->out) return false;
    f->fitting = f->met + nodes;
    f->within = f->fitting + nodes;
    return true;
}

/* Decides anew which values are reused: those that points share, those made of bytes, or both. */
static bool decide(codegen_writer *w, bool shares, bool widens)
{
    if (w->loop->kernel->loop_count || codegen_chooses_rows(w)) return true;
    reuse_finder f = {.loop = w->loop, .graph = &w->loop->kernel->graph, .steps = w->steps};
    bool found = make_room(&f);
    if (found) find(&f, shares, widens);
    free(f.members);
    free(f.classes);
    free(f.slots);
    free(f.todo);
    free(f.met);
    codegen_reuse_free(w->reuse);
    w->reuse = f.out;
    if (!found || !w->line || !f.out->count) return found;
    w->add_functions = codegen_reuse_functions;
    w->begin_part = codegen_reuse_part;
    return true;
}

bool codegen_reuse_values(codegen_writer *w) { return decide(w, true, false); }

/* A pass: compilers make short vectors, or none, of loops in which bytes decide between wider
 * numbers. So bytes are converted before, for a part of a row at a time. */
bool codegen_widen_bytes(codegen_writer *w)
{
    if (!w->line || !reuse_reads_bytes(w->loop)) return true;
    return decide(w, w->reuse && w->reuse->count, true);
}
