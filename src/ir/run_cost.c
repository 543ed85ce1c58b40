/* What a point costs: the operations of the graph that differ from point to point along x (others
 * are computed once per row or less often), and the bytes of fields. Each element counts once,
 * however often it is read. */
#include "ir/run_cost.h"

static ir_operation_kind kind_of(ir_op op, ir_type operand)
{
    ir_operation_kind cost = ir_ops[op].cost;
    bool of_any_type = cost == IR_COST_COMPARE || op == IR_CONVERT || op == IR_STORED;
    return of_any_type || ir_type_is_floating(operand) ? cost : IR_COST_INTEGER;
}

/* The least number of slots in the units that multiply and add. The code in elementary.h computes
 * in double; the numbers belong to its shortest functions. */
static double slots_of(ir_op op)
{
    switch (ir_ops[op].function) {
    case IR_FUNCTION_ROUNDING: return 3;
    case IR_FUNCTION_ELEMENTARY: return 20;
    case IR_FUNCTION_TRIGONOMETRIC: return 30;
    default: return 1;
    }
}

static void weigh(ir_run_cost *w, ir_op op, ir_type operand)
{
    ir_operation_kind kind = kind_of(op, operand);
    w->operations[kind]++;
    bool wide = operand != IR_F32 || ir_ops[op].function >= IR_FUNCTION_ELEMENTARY;
    bool floating = ir_type_is_floating(operand) && op != IR_SELECT;
    if (kind == IR_COST_DIV || kind == IR_COST_SQRT)
        w->divisions[wide] += 1;
    else if (kind <= IR_COST_COMPARE && floating)
        w->slots[wide] += 1;
    else if (kind == IR_COST_FUNCTION)
        w->slots[wide] += slots_of(op);
}

/* Operands come before their users. */
static bool count_operations(const ir_kernel *kernel, arena *memory, ir_run_cost *w)
{
    const ir_graph *g = &kernel->graph;
    bool *varies = arena_array(memory, g->count + 1, sizeof *varies);
    if (!varies) return false;
    for (ir_id id = 1; id < g->count; id++) {
        const ir_node *n = &g->nodes[id];
        ir_op op = (ir_op)n->op;
        varies[id] = op == IR_LOAD || op == IR_LEVEL || op == IR_CARRIED ||
                     (op == IR_INDEX && n->param == 0);
        for (int i = 0; i < ir_ops[op].operands; i++) varies[id] |= varies[n->arg[i]];
        bool of_loop = op == IR_CARRIED || op == IR_CARRY || op == IR_AFTER;
        if (!ir_ops[op].operands || !varies[id] || of_loop) continue;
        weigh(w, op, (ir_type)g->nodes[n->arg[0]].type);
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_param *p = &kernel->params[kernel->stores[i].param];
        if (ir_param_is_reduction(p)) weigh(w, ir_reduction_op(p), p->type);
    }
    w->operations[IR_COST_INTEGER] += kernel->addition_count;
    return true;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Offsets at which a component of a field is touched, modulo its ratio. */
typedef struct touched {
    bool any;
    uint32_t residues[3];
} touched;

static void touch(touched *t, const ir_param *param, const int32_t offset[3])
{
    t->any = true;
    for (int d = 0; d < 3; d++)
        if (param->finer[d])
            t->residues[d] |=
                UINT32_C(1) << ((offset[d] % param->finer[d] + param->finer[d]) % param->finer[d]);
}

/* Elements of a component per point. Along x memory moves whole lines, with the elements between.
 */
static double elements(const touched *t, const ir_param *param, int rank)
{
    double count = t->any;
    for (int d = 0; d < rank; d++) {
        if (param->absent_axis[d]) return 0;
        if (param->finer[d]) count *= d ? __builtin_popcount(t->residues[d]) : param->finer[d];
        if (param->coarser[d]) count /= param->coarser[d];
    }
    return count;
}

static void add_component(const ir_kernel *kernel, int param, int component, int bytes, int rank,
                          ir_run_cost *w)
{
    const ir_param *p = &kernel->params[param];
    touched read = {.any = false}, written = {.any = false};
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (a->param == param && a->component == component) touch(&read, p, a->offset);
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (s->param != param || s->component != component) continue;
        touch(&written, p, s->offset);
        if (s->condition) touch(&read, p, s->offset); /* the old value may stay */
    }
    double in = elements(&read, p, rank), out = elements(&written, p, rank);
    w->read += in * bytes;
    w->written += out * bytes;
    if (out > in) w->allocated += (out - in) * bytes;
}

bool ir_find_run_cost(const ir_kernel *kernel, const kata_type *storage, int rank, ir_run_cost *out)
{
    arena memory = {0};
    ir_run_cost w = {.read = 0};
    bool done = count_operations(kernel, &memory, &w);
    arena_free(&memory);
    for (int p = 0; p < kernel->param_count; p++)
        for (int c = 0; ir_param_is_field(&kernel->params[p]) && c < kernel->params[p].count; c++)
            add_component(kernel, p, c, ir_storages[storage[p]].bytes, rank, &w);
    const int64_t *n = w.operations;
    w.floating = n[IR_COST_ADD] + n[IR_COST_MUL] + 2 * n[IR_COST_FMA] + n[IR_COST_DIV] +
                 n[IR_COST_SQRT] + n[IR_COST_FUNCTION];
    if (done) *out = w;
    return done;
}

/* ---- the bound ------------------------------------------------------------------------------- */

static double largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        if (most < values[i]) most = values[i];
    return most;
}

/* Bytes per second between memory and caches. A store that is not streaming also fetches. */
static double memory_rate(const kata_ceilings *c)
{
    const double rates[] = {c->copy_streaming.best, c->triad_streaming.best, c->copy.best * 3 / 2,
                            c->triad.best * 4 / 3};
    return largest(rates, (int)COUNT_OF(rates));
}

static double seconds_of(const double counts[2], double narrow_rate, double wide_rate)
{
    return (narrow_rate > 0 ? counts[0] / narrow_rate : 0) +
           (wide_rate > 0 ? counts[1] / wide_rate : 0);
}

const char *ir_cost_level_name(ir_cost_level level)
{
    static const char *const names[] = {"memory", "L3 cache", "L2 cache", "L1 cache"};
    return names[level];
}

ir_cost_level ir_find_cost_level(double bytes, const machine *m, int threads)
{
    double l1 = (double)m->l1 * threads, l2 = (double)m->l2, l3 = (double)m->l3;
    if (m->l2_cores > 0 && threads > m->l2_cores) l2 *= (double)threads / m->l2_cores;
    if (m->l3_cores > 0 && threads > m->l3_cores) l3 *= (double)threads / m->l3_cores;
    return bytes <= 0    ? IR_COST_MEMORY
           : bytes <= l1 ? IR_COST_L1
           : bytes <= l2 ? IR_COST_L2
           : bytes <= l3 ? IR_COST_L3
                         : IR_COST_MEMORY;
}

ir_rate_bound ir_find_rate_bound(const ir_run_cost *w, double bytes, const machine *m, int threads,
                                 const kata_ceilings *c)
{
    ir_rate_bound b = {.level = ir_find_cost_level(bytes, m, threads)};
    double rate = b.level == IR_COST_L2   ? c->l2_copy_all.best
                  : b.level == IR_COST_L3 ? c->l3_copy_all.best
                                          : memory_rate(c);
    double moved = w->read + w->written;
    if (b.level == IR_COST_L1 || moved <= 0) rate = 0;
    if (rate > 0) b.memory = rate / moved;
    if (rate > 0 && b.level == IR_COST_MEMORY) b.allocating = rate / (moved + w->allocated);
    double added = seconds_of(w->slots, c->fma_f32.best, c->fma_f64.best);
    double divided = seconds_of(w->divisions, c->divide_f32.best, c->divide_f64.best);
    double slowest = added > divided ? added : divided;
    if (slowest > 0) b.arithmetic = threads / slowest;
    b.by_memory = b.memory > 0 && (b.arithmetic <= 0 || b.memory <= b.arithmetic);
    b.points = b.by_memory ? b.memory : b.arithmetic;
    return b;
}
