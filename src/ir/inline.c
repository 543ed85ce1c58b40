/* Kernels in one: what a kernel makes for another one is computed where that reads it.
 *
 * A read at an offset becomes the graph of the value that was written there, with all its own reads
 * moved by the offset. A read at a neighbour in a mesh becomes that of the neighbour's value: what
 * its kernel reads of its own element is read at the neighbour. Equal computations are one node, as
 * in any graph. Operations are those of the kernels, in their order, so the bits are the same. */
#include "ir/ir.h"
#include "ir/lowering.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COPIES = 64, MOST_WORK = 4096 };

/* Where a kernel is computed: at an offset, and in a mesh at the element whose number a node of the
 * new graph finds along a dimension; 0: at the loop's own. */
typedef struct place {
    int32_t by[3];
    int along;
    ir_id element;
} place;

/* The nodes of a kernel in the new graph. */
typedef struct copy {
    int kernel;
    place at;
    ir_id *of; /* per node */
} copy;

typedef struct inliner {
    const ir_inlined *kernels;
    ir_graph *g;
    copy copies[MOST_COPIES];
    int count;
    arena memory;
} inliner;

/* ---- which kernels --------------------------------------------------------------------------- */

/* In a mesh, fields that are read may lack elements or levels: both are read where they are. */
static bool is_plain(const ir_kernel *kernel, const ir_param *p)
{
    const bool may_lack = kernel->of_mesh && !ir_param_is_written_field(p);
    return !ir_param_has_ratio(p) && (may_lack || !ir_param_lacks_dimensions(p));
}

/* Whether a kernel reads at indices known at run time that are no neighbours. */
static bool reads_levels(const ir_kernel *kernel)
{
    bool reads = false;
    for (int i = 0; i < kernel->level_read_count; i++)
        reads = reads || !kernel->level_reads[i].inside;
    return reads;
}

bool ir_can_inline(const ir_kernel *kernel)
{
    bool can = !kernel->direction && !kernel->check_count && !reads_levels(kernel) &&
               !kernel->guarded && !kernel->loop_count;
    for (int p = 0; p < kernel->param_count && can; p++) {
        const ir_param *param = &kernel->params[p];
        can = !ir_param_is_reduction(param) && param->kind != IR_PARAM_INOUT &&
              (!ir_param_is_field(param) || is_plain(kernel, param));
    }
    for (int i = 0; i < kernel->store_count && can; i++) {
        const ir_store *s = &kernel->stores[i];
        can = !s->condition && !s->offset[0] && !s->offset[1] && !s->offset[2];
    }
    for (ir_id id = 1; id < kernel->graph.count && can; id++)
        can = kernel->graph.nodes[id].op != IR_STORED && kernel->graph.nodes[id].op != IR_ELEMENT;
    return can;
}

static int64_t work_of(ir_op op)
{
    enum { DIVISION = 8, FUNCTION = 40 };
    if (ir_ops[op].function >= IR_FUNCTION_ELEMENTARY) return FUNCTION;
    if (op == IR_DIV || op == IR_REM || op == IR_SQRT) return DIVISION;
    return ir_ops[op].operands > 0;
}

int64_t ir_work(const ir_kernel *kernel)
{
    int64_t work = 0;
    for (ir_id id = 1; id < kernel->graph.count; id++)
        work += work_of((ir_op)kernel->graph.nodes[id].op);
    return work;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static const ir_id *copy_nodes(inliner *in, int kernel, const place *at);

/* The value that the kernel `maker` has written where a node reads it. */
static ir_id copy_made(inliner *in, int maker, const ir_node *load, int made)
{
    const ir_kernel *kernel = in->kernels[maker].kernel;
    place at = {.by = {load->offset[0], load->offset[1], load->offset[2]}};
    if (load->op == IR_LEVEL) at.along = load->value.i32;
    if (load->op == IR_LEVEL) at.element = load->arg[0];
    const ir_id *of = copy_nodes(in, maker, &at);
    for (int i = 0; i < kernel->store_count && of; i++) {
        const ir_store *s = &kernel->stores[i];
        if (in->kernels[maker].param[s->param] == made && s->component == load->element)
            return of[s->value];
    }
    return 0;
}

/* Moves a read; false: too far. At a neighbour no boundary rules are asked: what lies beside the
 * element there, as a level below it, may be beyond a side. */
static bool move_read(const ir_param *param, const place *at, ir_node *node)
{
    const bool becomes = node->op == IR_LOAD && at->element && !param->absent_axis[at->along];
    bool may = true;
    for (int d = 0; d < 3; d++) {
        may = may && !(becomes && node->offset[d]);
        if (!param->absent_axis[d]) node->offset[d] += at->by[d];
        may = may && node->offset[d] >= -IR_MAX_OFFSET && node->offset[d] <= IR_MAX_OFFSET;
    }
    if (!becomes) return may;
    node->op = IR_LEVEL;
    node->inside = true;
    node->value = ir_value_of_int(IR_I32, at->along);
    node->arg[0] = at->element;
    return may;
}

static ir_id copy_node(inliner *in, int kernel, const ir_node *from, const copy *c)
{
    const ir_inlined *k = &in->kernels[kernel];
    ir_node node = *from;
    bool reads = node.op == IR_LOAD || node.op == IR_LEVEL;
    for (int a = 0; a < ir_ops[node.op].operands; a++) node.arg[a] = c->of[node.arg[a]];
    if (reads && !move_read(&k->kernel->params[node.param], &c->at, &node)) return 0;
    if (node.op == IR_ELEMENT) return 0;               /* its table belongs to one kernel */
    if (node.op == IR_SIZE && c->at.element) return 0; /* there may be more or less of its kind */
    if (reads && k->maker[node.param] >= 0)
        return copy_made(in, k->maker[node.param], &node, k->param[node.param]);
    if (reads || node.op == IR_NUMBER || node.op == IR_STORED) node.param = k->param[node.param];
    return ir_graph_add(in->g, &node);
}

/* NULL where it cannot be made. */
static const ir_id *copy_nodes(inliner *in, int kernel, const place *at)
{
    const ir_graph *g = &in->kernels[kernel].kernel->graph;
    for (int i = 0; i < in->count; i++)
        if (in->copies[i].kernel == kernel && !memcmp(&in->copies[i].at, at, sizeof *at))
            return in->copies[i].of;
    copy c = {.kernel = kernel, .at = *at};
    c.of = arena_array(&in->memory, g->count, sizeof *c.of);
    for (ir_id id = 1; id < g->count && c.of; id++)
        if (!(c.of[id] = copy_node(in, kernel, &g->nodes[id], &c)) || in->g->count > MOST_WORK)
            return NULL;
    if (!c.of || in->count == MOST_COPIES) return NULL;
    in->copies[in->count++] = c;
    return c.of;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static bool copy_stores(const ir_inlined *last, const ir_id *of, arena *memory, ir_kernel *out)
{
    const ir_kernel *from = last->kernel;
    out->stores = arena_array(memory, (size_t)from->store_count + 1, sizeof *out->stores);
    if (!out->stores) return false;
    for (int i = 0; i < from->store_count; i++) {
        ir_store *s = &out->stores[i];
        *s = from->stores[i];
        s->param = last->param[s->param];
        s->value = of[s->value];
        s->condition = of[s->condition];
    }
    out->store_count = from->store_count;
    return true;
}

bool ir_inline(const ir_inlined *kernels, int count, arena *memory, ir_kernel *out)
{
    static const place here = {.element = 0};
    const ir_inlined *last = &kernels[count - 1];
    inliner in = {.kernels = kernels, .g = &out->graph};
    out->text = last->kernel->text;
    out->at = last->kernel->at;
    out->rank = last->kernel->rank;
    out->rank_at = last->kernel->rank_at;
    out->loop_count = last->kernel->loop_count;
    out->on = last->kernel->on;
    out->of_mesh = last->kernel->of_mesh;
    memcpy(out->axis, last->kernel->axis, sizeof out->axis);
    const ir_id *of = copy_nodes(&in, count - 1, &here);
    bool made = of && copy_stores(last, of, memory, out) && ir_kernel_finish(out, memory);
    arena_free(&in.memory);
#ifdef KATA_DEBUG
    made = made && !ir_verify(out);
#endif
    return made;
}
