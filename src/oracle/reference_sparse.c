/* Loops over points between those of their grid, for the reference executor: one point after the
 * other, from its coordinates, on arrays as they are. */
#include "oracle/interpret.h"

#include <string.h>

typedef struct sparse_point {
    const chain_loop *loop;
    observe_trace *trace;
    grid_between along[3];
    double added, sum;
} sparse_point;

static double read_field(const chain_loop *loop, int param, int component, const int64_t target[3])
{
    const chain_slot *slot = loop->bindings[param].slot;
    int64_t at[3];
    for (int d = 0; d < 3; d++) at[d] = slot->absent_axis[d] ? 0 : target[d];
    ir_value element = store_get_element(slot->array, component, at);
    return ir_storage_read(slot->type, IR_F64, &element).f64;
}

/* The first store of a kernel, for traces. */
static const ir_stmt *store_of(const ir_stmt *stmt)
{
    while (stmt && stmt->kind == IR_STMT_BLOCK) stmt = stmt->body;
    return stmt;
}

static void add(const sparse_point *p, const int64_t target[3], double value)
{
    const chain_loop *loop = p->loop;
    const chain_slot *slot = loop->bindings[CHAIN_SPARSE_FIELD].slot;
    const int component = loop->sparse->component;
    ir_value old = store_get_element(slot->array, component, target), new = {0};
    ir_storage_write(slot->type, IR_F64, (ir_value){.f64 = value}, &new);
    store_set_element(slot->array, component, target, new);
    if (p->trace && observe_trace_reaches(p->trace, loop, target))
        observe_trace_store(p->trace, loop, store_of(loop->kernel->body), component, target, old,
                            new);
}

static void run_target(sparse_point *p, const int64_t number[3])
{
    const chain_sparse *s = p->loop->sparse;
    double weight = 1;
    int64_t target[3];
    for (int d = 0; d < 3; d++) {
        weight *= p->along[d].weight[number[d]];
        target[d] = p->along[d].first + number[d];
    }
    if (s->scaled) weight *= read_field(p->loop, CHAIN_SPARSE_SCALE, 0, target);
    double value = read_field(p->loop, CHAIN_SPARSE_FIELD, s->component, target);
    if (s->products)
        p->sum += weight * value;
    else
        add(p, target, value + weight * p->added);
}

static void run_targets(sparse_point *p)
{
    int64_t number[3];
    for (number[2] = 0; number[2] < p->along[2].count; number[2]++)
        for (number[1] = 0; number[1] < p->along[1].count; number[1]++)
            for (number[0] = 0; number[0] < p->along[0].count; number[0]++) run_target(p, number);
}

bool oracle_run_sparse(const chain_loop *loop, observe_trace *trace)
{
    const chain_sparse *s = loop->sparse;
    chain_slot *scalar = loop->bindings[loop->kernel->param_count - 1].slot;
    const ir_type type = scalar ? ir_type_of_storage(scalar->type) : IR_F64;
    sparse_point p = {.loop = loop, .trace = trace};
    bool done = true;
    for (int64_t i = 0; i < s->points->count && done; i++) {
        for (int d = 0; d < 3; d++)
            p.along[d] = grid_between_find(s->points->at[i][d], s->points->reach);
        ir_value given = scalar && !s->products ? store_scalar(scalar, (int)i) : (ir_value){0};
        p.added = s->values ? s->values[i] : ir_convert(IR_F64, type, given).f64;
        p.sum = 0;
        run_targets(&p);
        ir_value sum = ir_convert(type, IR_F64, (ir_value){.f64 = p.sum});
        if (s->products) done = store_scalar_set(scalar, (int)i, sum);
    }
    if (done) store_log(loop);
    return done;
}
