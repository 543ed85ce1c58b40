/* Loops over points between those of their grid, for the plan interpreter: at each grid point, what
 * the points around it add or take there. */
#include "oracle/planned.h"
#include "store/store.h"

/* A point, and its weight at a target. */
typedef struct sparse_weight {
    double weight;
    int64_t slot;
} sparse_weight;

/* Whether a grid point is a target of point number i. */
static bool find_weight(const grid_sparse *s, int64_t i, const int64_t target[3], sparse_weight *w)
{
    int64_t number[3], count[3];
    w->weight = 1;
    for (int d = 0; d < 3; d++) {
        const grid_between b = grid_between_find(s->at[i][d], s->reach);
        number[d] = target[d] - b.first;
        count[d] = b.count;
        if (number[d] < 0 || number[d] >= b.count) return false;
        w->weight *= b.weight[number[d]];
    }
    w->slot = s->slots[i] + (number[2] * count[1] + number[1]) * count[0] + number[0];
    return true;
}

static double read_field(const oracle_part *p, int param, int component)
{
    const chain_slot *slot = p->loop->bindings[param].slot;
    int64_t at[3];
    ir_value element;
    for (int d = 0; d < 3; d++) at[d] = slot->absent_axis[d] ? 0 : p->point[d];
    oracle_plan_read(p, param, component, at, &element);
    return ir_storage_read(slot->type, IR_F64, &element).f64;
}

static double added(const chain_loop *loop, int64_t point)
{
    const chain_slot *scalar = loop->bindings[loop->kernel->param_count - 1].slot;
    if (loop->sparse->values) return loop->sparse->values[point];
    return ir_convert(IR_F64, ir_type_of_storage(scalar->type), store_scalar(scalar, (int)point))
        .f64;
}

bool oracle_plan_sparse(const oracle_part *p)
{
    const chain_sparse *s = p->loop->sparse;
    const kata_type type = p->loop->bindings[CHAIN_SPARSE_FIELD].slot->type;
    bool done = true;
    for (int64_t i = 0; i < s->points->count && done; i++) {
        sparse_weight w;
        if (!find_weight(s->points, i, p->point, &w)) continue;
        if (s->scaled) w.weight *= read_field(p, CHAIN_SPARSE_SCALE, 0);
        double value = read_field(p, CHAIN_SPARSE_FIELD, s->component);
        ir_value element = {0};
        if (s->products) {
            s->products[w.slot] = w.weight * value;
            continue;
        }
        value += w.weight * added(p->loop, i);
        ir_storage_write(type, IR_F64, (ir_value){.f64 = value}, &element);
        done = oracle_plan_write(p, CHAIN_SPARSE_FIELD, s->component, p->point, element);
    }
    return done;
}

bool oracle_plan_finish_sparse(const chain_loop *loop)
{
    const chain_sparse *s = loop->sparse;
    chain_slot *scalar = loop->bindings[loop->kernel->param_count - 1].slot;
    bool done = true;
    for (int64_t i = 0; i < s->points->count && s->products && done; i++) {
        double sum = 0;
        for (int64_t k = s->points->slots[i]; k < s->points->slots[i + 1]; k++)
            sum += s->products[k];
        const ir_value value = {.f64 = sum};
        done = store_scalar_set(scalar, (int)i,
                                ir_convert(ir_type_of_storage(scalar->type), IR_F64, value));
    }
    return done;
}
