/* Kernels in one, point by point: what loops over the same points do one after another, one loop
 * does at each point.
 *
 * A read of what an earlier kernel has written at the point becomes the value written, rounded as
 * it is stored. So fields that are written may be read and written at the point alone; kernels that
 * look around there stay apart. Operations are those of the kernels, in their order, so the bits
 * are the same. */
#include "ir/ir.h"
#include "ir/lowering.h"

#include <stdlib.h>

enum { MOST_NODES = 4096 };

typedef struct fuser {
    const ir_part *part; /* the present one */
    const bool *exact;
    ir_kernel *out;
    ir_id *of; /* per node of its kernel: the new one */
    arena memory;
} fuser;

/* ---- which kernels --------------------------------------------------------------------------- */

static bool can_have(const ir_param *p)
{
    bool written = ir_param_is_written_field(p) || ir_param_is_reduction(p);
    bool plain = !ir_param_has_ratio(p) && !ir_param_lacks_dimensions(p);
    return p->kind != IR_PARAM_WHERE && !p->hidden && p->on == KATA_NOWHERE &&
           p->each == KATA_NOWHERE && (!written || plain);
}

bool ir_can_fuse(const ir_kernel *k)
{
    bool can = !k->direction && !k->check_count && !k->level_read_count && !k->addition_count &&
               !k->loop_count && !k->of_mesh && !k->anywhere && k->on == KATA_NOWHERE;
    for (int p = 0; p < k->param_count && can; p++) can = can_have(&k->params[p]);
    for (int i = 0; i < k->store_count && can; i++) {
        const ir_store *s = &k->stores[i];
        bool sums = ir_param_is_reduction(&k->params[s->param]);
        can = (sums || !s->condition) && !s->offset[0] && !s->offset[1] && !s->offset[2];
    }
    for (ir_id id = 1; id < k->graph.count && can; id++)
        can = k->graph.nodes[id].op != IR_ELEMENT; /* its table belongs to one kernel */
    return can;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static ir_store *find_store(const ir_kernel *k, int param, int component)
{
    for (int i = 0; i < k->store_count; i++)
        if (k->stores[i].param == param && k->stores[i].component == component)
            return &k->stores[i];
    return NULL;
}

/* What a load finds: the value that was written before, or else what the field has. */
static ir_id copy_load(fuser *f, const ir_node *load)
{
    bool here = !load->offset[0] && !load->offset[1] && !load->offset[2];
    const ir_store *written = here ? find_store(f->out, load->param, load->element) : NULL;
    if (!written) return ir_graph_add(&f->out->graph, load);
    if (f->exact[load->param]) return written->value;
    return ir_graph_add(&f->out->graph, &(ir_node){.op = IR_STORED,
                                                   .type = load->type,
                                                   .arg = {written->value},
                                                   .param = load->param,
                                                   .at = load->at});
}

static ir_id copy_node(fuser *f, const ir_node *from)
{
    ir_node node = *from;
    for (int a = 0; a < ir_ops[node.op].operands; a++) node.arg[a] = f->of[node.arg[a]];
    if (node.op == IR_LOAD || node.op == IR_NUMBER || node.op == IR_STORED)
        node.param = f->part->param[node.param];
    if (node.op == IR_LOAD) return copy_load(f, &node);
    return ir_graph_add(&f->out->graph, &node);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* A later value takes the place of an earlier one. */
static void add_store(fuser *f, const ir_store *from)
{
    ir_store s = *from;
    s.param = f->part->param[s.param];
    s.value = f->of[s.value];
    s.condition = s.condition ? f->of[s.condition] : 0;
    ir_store *same = find_store(f->out, s.param, s.component);
    *(same ? same : &f->out->stores[f->out->store_count++]) = s;
}

static bool add_part(fuser *f, const ir_part *part)
{
    const ir_kernel *k = part->kernel;
    f->part = part;
    f->of = arena_array(&f->memory, k->graph.count, sizeof *f->of);
    if (!f->of) return false;
    for (ir_id id = 1; id < k->graph.count; id++)
        if (!(f->of[id] = copy_node(f, &k->graph.nodes[id])) || f->out->graph.count > MOST_NODES)
            return false;
    for (int i = 0; i < k->store_count; i++) add_store(f, &k->stores[i]);
    if (!f->out->rank) f->out->rank = k->rank, f->out->rank_at = k->rank_at;
    return true;
}

static int compare_stores(const void *x, const void *y)
{
    const ir_store *a = x, *b = y;
    return a->param != b->param ? a->param - b->param : a->component - b->component;
}

/* Whether all that is written is read at its own point alone. Sets which written fields are read at
 * all. */
static bool is_point_by_point(ir_kernel *k)
{
    for (int i = 0; i < k->access_count; i++) {
        const ir_access *a = &k->accesses[i];
        ir_param *p = &k->params[a->param];
        if (!ir_param_is_written_field(p)) continue;
        if (a->offset[0] || a->offset[1] || a->offset[2]) return false;
        p->kind = IR_PARAM_INOUT;
    }
    return true;
}

bool ir_fuse(const ir_part *parts, int count, const bool *exact, arena *memory, ir_kernel *out)
{
    fuser f = {.out = out, .exact = exact};
    size_t stores = 0;
    const ir_kernel *last = parts[count - 1].kernel;
    for (int i = 0; i < count; i++) stores += (size_t)parts[i].kernel->store_count;
    out->text = last->text;
    out->at = last->at;
    out->stores = arena_array(memory, stores + 1, sizeof *out->stores);
    bool made = out->stores;
    for (int i = 0; i < count && made; i++) made = add_part(&f, &parts[i]);
    arena_free(&f.memory);
    if (!made) return false;
    qsort(out->stores, (size_t)out->store_count, sizeof *out->stores, compare_stores);
    if (!out->graph.count) return false; /* constants switch off all that the kernels do */
    made = ir_kernel_finish(out, memory) && is_point_by_point(out);
#ifdef KATA_DEBUG
    made = made && !ir_verify(out);
#endif
    return made;
}
