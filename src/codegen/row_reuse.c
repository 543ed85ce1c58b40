/* What the points of a row share.
 *
 * The flux at one side of a point is the flux at the other side of its neighbour: nodes of a graph
 * that compute the same of operands that lie a few points further on along x. Where that saves
 * enough, such a value is computed once per place, kept for a part of the row, and found there by
 * all points that use it. No result changes: the same operations are done on the same numbers.
 *
 * Nodes are sorted into classes. Two are of one class when they do the same to operands that are of
 * one class and, seen from the node, equally far. The place of a node is that of the operand that
 * lies furthest back, so that nodes of one class differ by their places only. */
#include "codegen/codegen.h"

#include <stdlib.h>
#include <string.h>

enum { NO_CLASS = 0, NOT_KEPT = -1 };

/* A node's class and place. `fixed`: it is the same at all points of a row. */
typedef struct member {
    uint32_t class;
    int32_t place;
    bool fixed;
} member;

/* What makes a class. */
typedef struct trait {
    uint8_t op, type, fixed[3], zero[3];
    int32_t param, element, offset[2];
    uint32_t operand[3];
    int32_t place[3]; /* of operands, from the node's */
} trait;

typedef struct class_info {
    trait trait;
    ir_id first;       /* the node with the lowest place */
    int32_t low, high; /* places */
    int count;         /* nodes */
    double cost;       /* of what must be computed at a place */
    int kept;          /* index in codegen_sharing.kept, or NOT_KEPT */
} class_info;

typedef struct finder {
    const codegen_loop *loop;
    const ir_graph *graph;
    const codegen_step *steps;
    member *members;     /* per node */
    class_info *classes; /* from 1 */
    uint32_t class_count, *slots, slot_count;
    codegen_sharing *out;
    ir_id *todo; /* of walks */
    bool *met;
    bool *fitting, *within; /* see mark_fitting */
} finder;

/* ---- classes --------------------------------------------------------------------------------- */

static uint32_t find_class(finder *f, const trait *t)
{
    uint32_t slot = (uint32_t)(hash_bytes(t, sizeof *t, 0) & (f->slot_count - 1));
    for (; f->slots[slot]; slot = (slot + 1) & (f->slot_count - 1))
        if (memcmp(&f->classes[f->slots[slot]].trait, t, sizeof *t) == 0) return f->slots[slot];
    f->slots[slot] = ++f->class_count;
    f->classes[f->class_count] = (class_info){.trait = *t, .kept = NOT_KEPT};
    return f->class_count;
}

/* Values that are read may be kept where nothing is written to the field meanwhile, and where
 * elements follow one another. */
static bool can_move(const codegen_loop *loop, int param)
{
    const ir_param *p = &loop->kernel->params[param];
    return !ir_param_is_written_field(p) && p->finer[0] <= 1 && p->coarser[0] <= 1 &&
           !p->absent_axis[0] && codegen_rows_of(loop, param) == CODEGEN_CONTIGUOUS;
}

/* Sets the place and the operands' part of the trait; false for a node that has no class. */
static bool place_operands(const finder *f, const ir_node *node, trait *t, member *m)
{
    bool moves = false;
    int operands = ir_ops[node->op].operands;
    for (int k = 0; k < operands; k++) {
        const member *operand = &f->members[node->arg[k]];
        if (operand->fixed) continue;
        if (operand->class == NO_CLASS) return false;
        if (!moves || operand->place < m->place) m->place = operand->place;
        moves = true;
    }
    for (int k = 0; k < operands; k++) {
        const member *operand = &f->members[node->arg[k]];
        t->fixed[k] = operand->fixed;
        t->operand[k] = operand->fixed ? node->arg[k] : operand->class;
        t->place[k] = operand->fixed ? 0 : operand->place - m->place;
    }
    return moves;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t c = *a;
    *a = *b;
    *b = c;
}

/* a + b is b + a. */
static void order_operands(trait *t)
{
    bool commutes = t->op == IR_ADD || t->op == IR_MUL || t->op == IR_FMA;
    bool ordered = t->operand[0] < t->operand[1] ||
                   (t->operand[0] == t->operand[1] && t->place[0] <= t->place[1]);
    if (!commutes || ordered) return;
    uint8_t fixed = t->fixed[0];
    int32_t place = t->place[0];
    swap(&t->operand[0], &t->operand[1]);
    t->fixed[0] = t->fixed[1];
    t->place[0] = t->place[1];
    t->fixed[1] = fixed;
    t->place[1] = place;
}

static void classify(finder *f, ir_id id)
{
    const ir_node *node = &f->graph->nodes[id];
    member *m = &f->members[id];
    trait t = {.op = node->op, .type = node->type};
    if (f->steps[id].level < CODEGEN_POINT || node->op == IR_CONST) {
        m->fixed = true;
        return;
    }
    if (node->op == IR_LOAD) {
        if (!can_move(f->loop, node->param)) return;
        t.param = node->param;
        t.element = node->element;
        memcpy(t.offset, node->offset + 1, sizeof t.offset);
        m->place = node->offset[0];
    } else {
        if (node->op == IR_STORED) t.param = node->param;
        if (!place_operands(f, node, &t, m)) return;
        order_operands(&t);
    }
    m->class = find_class(f, &t);
}

/* ---- what it costs --------------------------------------------------------------------------- */

static double weight(ir_op op)
{
    enum { FUNCTION = 20, DIVISION = 8 };
    if (ir_ops[op].function >= IR_FUNCTION_ROUNDING) return FUNCTION;
    return op == IR_DIV || op == IR_SQRT ? DIVISION : 1;
}

static double cost_of(const finder *f, ir_id id)
{
    const ir_node *node = &f->graph->nodes[id];
    double cost = weight((ir_op)node->op);
    for (int k = 0; k < ir_ops[node->op].operands; k++) {
        const member *operand = &f->members[node->arg[k]];
        if (!operand->fixed) cost += f->classes[operand->class].cost;
    }
    return cost;
}

static void add_member(finder *f, ir_id id)
{
    const member *m = &f->members[id];
    class_info *c = &f->classes[m->class];
    if (c->count == 0) c->cost = cost_of(f, id);
    if (c->count == 0 || m->place < c->low) {
        c->low = m->place;
        c->first = id;
    }
    if (c->count == 0 || m->place > c->high) c->high = m->place;
    c->count++;
}

/* A kept value is written once and read by each that uses it. */
static bool pays(const finder *f, const class_info *c)
{
    const ir_node *node = &f->graph->nodes[c->first];
    return node->op != IR_LOAD && ir_type_is_floating((ir_type)node->type) &&
           c->high - c->low <= CODEGEN_SHARE_SPAN && (c->count - 1) * c->cost > c->count + 2;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static void keep(finder *f, class_info *c)
{
    codegen_sharing *out = f->out;
    c->kept = out->count;
    out->kept[out->count++] =
        (codegen_kept){.node = c->first, .place = c->low, .low = c->low, .high = c->high};
}

/* The value at most places of those that are in no group yet; NULL when all are. */
static const codegen_kept *widest_rest(const codegen_sharing *s)
{
    const codegen_kept *widest = NULL;
    for (const codegen_kept *k = s->kept; k < s->kept + s->count; k++)
        if (!k->group && (!widest || k->high - k->low > widest->high - widest->low)) widest = k;
    return widest;
}

/* Values that are kept at the same places are computed together, those at more places before those
 * at fewer, which may be made of them. */
static void group(codegen_sharing *out)
{
    const codegen_kept *widest;
    while ((widest = widest_rest(out))) {
        int32_t low = widest->low, high = widest->high;
        out->group_count++;
        for (codegen_kept *k = out->kept; k < out->kept + out->count; k++)
            if (k->low == low && k->high == high) k->group = out->group_count;
    }
}

typedef enum walk_mode { WALK_ALL, WALK_KEPT, WALK_KEEPING } walk_mode;

/* Goes from nodes to what they need, and returns what computing that costs. As far as to what is
 * kept at more places than those of `within` (NULL: those of points): while that is computed,
 * values for the same places are at hand. KEEPING keeps what is worth it, ALL knows nothing of it.
 */
static double walk(finder *f, size_t count, const codegen_kept *within, walk_mode mode)
{
    double cost = 0;
    memset(f->met, 0, f->graph->count * sizeof *f->met);
    while (count > 0) {
        ir_id id = f->todo[--count];
        if (f->met[id] || f->members[id].fixed) continue;
        f->met[id] = true;
        cost += 1; /* of a load, where it is kept */
        class_info *c = &f->classes[f->members[id].class];
        bool wider = !within || c->high - c->low > within->high - within->low;
        if (f->members[id].class != NO_CLASS && wider && mode != WALK_ALL) {
            bool room = f->out->count < CODEGEN_MOST_KEPT;
            if (c->kept == NOT_KEPT && mode == WALK_KEEPING && room && pays(f, c)) keep(f, c);
            if (c->kept != NOT_KEPT) continue;
        }
        const ir_node *node = &f->graph->nodes[id];
        cost += weight((ir_op)node->op) - 1;
        for (int k = 0; k < ir_ops[node->op].operands; k++) f->todo[count++] = node->arg[k];
    }
    return cost;
}

static double walk_from_stores(finder *f, walk_mode mode)
{
    const ir_kernel *kernel = f->loop->kernel;
    size_t count = 0;
    for (int i = 0; i < kernel->store_count; i++) {
        f->todo[count++] = kernel->stores[i].value;
        if (kernel->stores[i].condition) f->todo[count++] = kernel->stores[i].condition;
    }
    return walk(f, count, NULL, mode);
}

static size_t add_operands(finder *f, ir_id id, size_t count)
{
    const ir_node *node = &f->graph->nodes[id];
    for (int k = 0; k < ir_ops[node->op].operands; k++) f->todo[count++] = node->arg[k];
    return count;
}

/* Of a value that is kept only the first node is computed. */
static void choose(finder *f)
{
    walk_from_stores(f, WALK_KEEPING);
    for (int i = 0; i < f->out->count; i++)
        walk(f, add_operands(f, f->out->kept[i].node, 0), &f->out->kept[i], WALK_KEEPING);
}

/* ---- what is made of them at the point ------------------------------------------------------- */

/* Whether a node can be computed together with a group, where that is known of its operands: of
 * what is kept in it, and of elements that are read at all places of the group, all at the node's
 * own place. */
static bool fits(const finder *f, ir_id id, const codegen_kept *group)
{
    const ir_node *node = &f->graph->nodes[id];
    const member *m = &f->members[id];
    const class_info *c = &f->classes[m->class];
    if (m->fixed) return true;
    if (m->class == NO_CLASS) return false;
    if (c->kept != NOT_KEPT) return f->out->kept[c->kept].group == group->group;
    if (node->op == IR_LOAD) return c->low <= group->low && c->high >= group->high;
    for (int k = 0; k < ir_ops[node->op].operands; k++) {
        const member *operand = &f->members[node->arg[k]];
        if (!f->fitting[node->arg[k]] || (!operand->fixed && operand->place != m->place))
            return false;
    }
    return true;
}

/* Marks the nodes that fit a group, and those of them that others that fit are made of. */
static void mark_fitting(finder *f, const codegen_kept *group)
{
    memset(f->within, 0, f->graph->count * sizeof *f->within);
    for (ir_id id = 1; id < f->graph->count; id++) {
        const ir_node *node = &f->graph->nodes[id];
        f->fitting[id] = fits(f, id, group);
        for (int k = 0; f->fitting[id] && k < ir_ops[node->op].operands; k++)
            f->within[node->arg[k]] = true;
    }
}

/* Marks what is kept and read by points, or by groups that come after those whose values are at
 * equally many places. */
static void mark_needed(finder *f, bool needed[CODEGEN_MOST_KEPT])
{
    memset(needed, 0, CODEGEN_MOST_KEPT * sizeof *needed);
    for (int i = -1; i < f->out->count; i++) {
        const codegen_kept *of = i < 0 ? NULL : &f->out->kept[i];
        if (of)
            walk(f, add_operands(f, of->node, 0), of, WALK_KEPT);
        else
            walk_from_stores(f, WALK_KEPT);
        for (ir_id id = 1; id < f->graph->count; id++) {
            int kept = f->classes[f->members[id].class].kept;
            if (f->met[id] && f->members[id].class != NO_CLASS && kept != NOT_KEPT &&
                (!of || f->out->kept[kept].group < of->group))
                needed[kept] = true;
        }
    }
}

static void remove_kept(finder *f, int index)
{
    codegen_sharing *out = f->out;
    f->classes[f->members[out->kept[index].node].class].kept = NOT_KEPT;
    memmove(&out->kept[index], &out->kept[index + 1],
            (size_t)(--out->count - index) * sizeof *out->kept);
    for (int i = index; i < out->count; i++)
        f->classes[f->members[out->kept[i].node].class].kept = i;
}

/* Keeps a node that fits a group, if then something else need not be kept. */
static void absorb(finder *f, ir_id id, const codegen_kept *group)
{
    class_info *c = &f->classes[f->members[id].class];
    bool needed[CODEGEN_MOST_KEPT], spared = false;
    int before = f->out->count;
    if (before == CODEGEN_MOST_KEPT) return;
    codegen_kept one = *group;
    one.node = id;
    one.place = f->members[id].place;
    c->kept = f->out->count;
    f->out->kept[f->out->count++] = one;
    mark_needed(f, needed);
    for (int i = 0; i < before; i++) spared = spared || !needed[i];
    if (!spared) {
        remove_kept(f, before);
        return;
    }
    for (int i = before; i-- > 0;)
        if (!needed[i]) remove_kept(f, i);
}

/* Whether a node is the largest part of its kind that fits a group, and one that no other is like.
 */
static bool may_absorb(const finder *f, ir_id id, const codegen_kept *group)
{
    const ir_node *node = &f->graph->nodes[id];
    const member *m = &f->members[id];
    const class_info *c = &f->classes[m->class];
    return f->fitting[id] && !f->within[id] && !m->fixed && node->op != IR_LOAD &&
           ir_type_is_floating((ir_type)node->type) && c->count == 1 && c->kept == NOT_KEPT &&
           m->place >= group->low && m->place <= group->high;
}

/* What points make of kept values of one place is kept instead of these, where it is all that they
 * are needed for. The largest such parts are tried: smaller ones spare no more. */
static void absorb_parts(finder *f)
{
    int tries = 4 * CODEGEN_MOST_KEPT; /* each goes through the graph */
    for (int g = 1; g <= f->out->group_count; g++) {
        const codegen_kept *first = f->out->kept, *end = first + f->out->count;
        while (first < end && first->group != g) first++;
        if (first == end) continue;
        const codegen_kept group = *first;
        mark_fitting(f, &group);
        for (ir_id id = (ir_id)f->graph->count; id-- > 1 && tries > 0;)
            if (may_absorb(f, id, &group)) {
                absorb(f, id, &group);
                tries--;
            }
    }
}

/* Of all groups: each value costs its operation and a store. */
static double cost_of_groups(finder *f)
{
    double cost = 0;
    for (int g = 1; g <= f->out->group_count; g++) {
        const codegen_kept *of = NULL;
        size_t count = 0;
        for (int i = 0; i < f->out->count; i++) {
            if (f->out->kept[i].group != g) continue;
            of = &f->out->kept[i];
            cost += 1 + weight((ir_op)f->graph->nodes[of->node].op);
            count = add_operands(f, of->node, count);
        }
        cost += walk(f, count, of, WALK_KEPT);
    }
    return cost;
}

/* Going through a row several times must save a good part of the work. */
static void drop_what_saves_little(finder *f)
{
    const double worthwhile = HOSTILE(0.75, 2.0);
    double alone = walk_from_stores(f, WALK_ALL);
    double shared = walk_from_stores(f, WALK_KEPT) + cost_of_groups(f);
    if (shared <= worthwhile * alone) return;
    f->out->count = f->out->group_count = 0;
    for (uint32_t c = 1; c <= f->class_count; c++) f->classes[c].kept = NOT_KEPT;
}

static void find(finder *f)
{
    size_t nodes = f->graph->count;
    for (ir_id id = 1; id < nodes; id++) classify(f, id);
    for (ir_id id = 1; id < nodes; id++)
        if (f->members[id].class != NO_CLASS) add_member(f, id);
    choose(f);
    group(f->out);
    drop_what_saves_little(f);
    absorb_parts(f);
    for (ir_id id = 1; id < nodes; id++) {
        uint32_t class = f->members[id].class;
        f->out->of[id] = class != NO_CLASS ? f->classes[class].kept + 1 : 0;
        f->out->place[id] = f->members[id].place;
    }
}

codegen_sharing *codegen_find_sharing(const codegen_loop *loop, const codegen_step *steps)
{
    size_t nodes = loop->kernel->graph.count + 1;
    finder f = {.loop = loop, .graph = &loop->kernel->graph, .steps = steps, .slot_count = 16};
    while (f.slot_count < 2 * nodes) f.slot_count *= 2;
    f.members = calloc(nodes, sizeof *f.members);
    f.classes = calloc(nodes + 1, sizeof *f.classes);
    f.slots = calloc(f.slot_count, sizeof *f.slots);
    f.out = calloc(1, sizeof *f.out);
    if (f.out) {
        f.out->of = calloc(nodes, sizeof *f.out->of);
        f.out->place = calloc(nodes, sizeof *f.out->place);
    }
    f.todo = malloc(4 * (nodes + (size_t)loop->kernel->store_count) * sizeof *f.todo);
    f.met = calloc(3 * nodes, sizeof *f.met);
    f.fitting = f.met ? f.met + nodes : NULL;
    f.within = f.met ? f.fitting + nodes : NULL;
    bool done =
        f.members && f.classes && f.slots && f.todo && f.met && f.out && f.out->of && f.out->place;
    if (done) find(&f);
    free(f.members);
    free(f.classes);
    free(f.slots);
    free(f.todo);
    free(f.met);
    if (done) return f.out;
    codegen_sharing_free(f.out);
    return NULL;
}

void codegen_sharing_free(codegen_sharing *s)
{
    if (!s) return;
    free(s->of);
    free(s->place);
    free(s);
}
