/* Reductions as sweep/reduce.h defines them, literally: bricks and lanes along x, or bricks of
 * columns, and binary trees aligned to global indices over bricks and the dimensions above. */
#include "abi/abi.h"
#include "oracle/contributions.h"
#include "store/store.h"

/* Part of the contributions: what is fixed of the index, outermost dimension first. Bricks lie
 * along `bricked`: x, or the first dimension that the field of a column reduction lacks. */
typedef struct part {
    const oracle_contributions *all;
    int bricked;
    int64_t at[3];
} part;

static ir_value contribution(const part *p, int d, int64_t i)
{
    const grid_box *box = &p->all->made;
    int64_t at[3] = {p->at[0], p->at[1], p->at[2]};
    at[d] = i;
    int64_t nx = box->hi[0] - box->lo[0], ny = box->hi[1] - box->lo[1];
    return p->all
        ->values[((at[2] - box->lo[2]) * ny + at[1] - box->lo[1]) * nx + at[0] - box->lo[0]];
}

static ir_value reduce_lanes(const part *p, int64_t brick)
{
    const ir_param *param = p->all->param;
    const grid_box *box = &p->all->box;
    ir_value lane[ABI_LANES];
    for (int l = 0; l < ABI_LANES; l++) {
        lane[l] = ir_reduction_start(param);
        for (int64_t x = brick * ABI_BRICK + l; x < (brick + 1) * ABI_BRICK; x += ABI_LANES)
            if (x >= box->lo[0] && x < box->hi[0])
                lane[l] = ir_reduce(param, lane[l], contribution(p, 0, x));
    }
    for (int half = ABI_LANES / 2; half >= 1; half /= 2)
        for (int l = 0; l < half; l++) lane[l] = ir_reduce(param, lane[l], lane[l + half]);
    return lane[0];
}

/* One after the other, as levels run. */
static ir_value reduce_column(const part *p, int64_t brick)
{
    const ir_param *param = p->all->param;
    int d = p->bricked;
    ir_value result = ir_reduction_start(param);
    for (int64_t k = 0; k < IR_COLUMN_BRICK; k++) {
        int64_t i = brick * IR_COLUMN_BRICK + (p->all->downwards ? IR_COLUMN_BRICK - 1 - k : k);
        if (i >= p->all->box.lo[d] && i < p->all->box.hi[d])
            result = ir_reduce(param, result, contribution(p, d, i));
    }
    return result;
}

static bool reduce_node(const part *p, int over, int level, int64_t j, ir_value *out);

/* Bricks begin at multiples of their length, below 0 too. */
static int64_t brick_of(int64_t i, int64_t length)
{
    int64_t brick = i / length;
    return brick * length > i ? brick - 1 : brick;
}

/* The indices over a dimension: of bricks where they lie. */
static void bounds(const part *p, int over, int64_t *lo, int64_t *hi)
{
    const grid_box *box = &p->all->box;
    int64_t length = over != p->bricked ? 1 : over == 0 ? ABI_BRICK : IR_COLUMN_BRICK;
    *lo = brick_of(box->lo[over], length);
    *hi = brick_of(box->hi[over] - 1, length) + 1;
}

static bool combine(const part *p, bool has_lower, ir_value lower, bool has_upper, ir_value upper,
                    ir_value *out)
{
    if (has_lower && has_upper)
        *out = ir_reduce(p->all->param, lower, upper);
    else if (has_lower || has_upper)
        *out = has_lower ? lower : upper;
    return has_lower || has_upper;
}

/* The tree over one dimension (in bricks along x): what lies below 0, then all from 0 on, each from
 * a root that spans it. */
static bool reduce_tree(const part *p, int over, ir_value *out)
{
    int64_t lo, hi;
    bounds(p, over, &lo, &hi);
    int level = 0;
    while (((int64_t)1 << level) < hi || ((int64_t)1 << level) < -lo) level++;
    ir_value below = {0}, above = {0};
    bool has_below = reduce_node(p, over, level, -1, &below);
    bool has_above = reduce_node(p, over, level, 0, &above);
    return combine(p, has_below, below, has_above, above, out);
}

static bool reduce_leaf(const part *p, int over, int64_t j, ir_value *out)
{
    if (over == p->bricked) {
        *out = over == 0 ? reduce_lanes(p, j) : reduce_column(p, j);
        return true;
    }
    part inner = *p;
    inner.at[over] = j;
    return reduce_tree(&inner, over - 1, out);
}

/* The node of a level over [j*2^level, (j+1)*2^level); false when there are no points in it. */
static bool reduce_node(const part *p, int over, int level, int64_t j, ir_value *out)
{
    int64_t lo, hi, length = (int64_t)1 << level;
    bounds(p, over, &lo, &hi);
    if ((j + 1) * length <= lo || j * length >= hi) return false;
    if (level == 0) return reduce_leaf(p, over, j, out);
    ir_value lower = {0}, upper = {0};
    bool has_lower = reduce_node(p, over, level - 1, 2 * j, &lower);
    bool has_upper = reduce_node(p, over, level - 1, 2 * j + 1, &upper);
    return combine(p, has_lower, lower, has_upper, upper, out);
}

ir_value oracle_reduce(const oracle_contributions *all)
{
    const ir_param *param = all->param;
    part whole = {.all = all};
    ir_value result;
    if (ir_param_is_column_reduction(param)) whole.bricked = ir_param_first_absent(param);
    for (int d = 0; d < 3; d++) whole.at[d] = all->box.lo[d];
    if (grid_box_is_empty(&all->box) || !reduce_tree(&whole, 2, &result))
        result = ir_reduction_start(param);
    return param->kind == IR_PARAM_SUM ? ir_reduce(param, ir_value_of_int(param->type, 0), result)
                                       : result;
}

/* Combines what a column contributes with an element of the field. */
static void commit_column(const oracle_contributions *all, store_array *array, int element,
                          const int64_t index[3])
{
    const ir_param *param = all->param;
    ir_value stored = store_get_element(array, element, index), result = oracle_reduce(all);
    if (param->accumulates)
        result = ir_reduce(param, ir_storage_read(array->type, param->type, &stored), result);
    stored = (ir_value){0};
    ir_storage_write(array->type, param->type, result, &stored);
    store_set_element(array, element, index, stored);
}

void oracle_reduce_columns(const chain_loop *loop, int p, int element, const ir_value *values)
{
    const ir_param *param = &loop->kernel->params[p];
    int64_t at[3], index[3], count[3];
    for (int d = 0; d < 3; d++)
        count[d] = param->absent_axis[d] ? 1 : loop->box.hi[d] - loop->box.lo[d];
    oracle_contributions column = {param, loop->box, loop->box, values, false};
    column.downwards = loop->kernel->direction == IR_BACKWARD &&
                       loop->kernel->ordered == ir_param_first_absent(param);
    if (grid_box_is_empty(&loop->box)) return;
    for (at[2] = 0; at[2] < count[2]; at[2]++)
        for (at[1] = 0; at[1] < count[1]; at[1]++)
            for (at[0] = 0; at[0] < count[0]; at[0]++) {
                for (int d = 0; d < 3; d++) {
                    index[d] = param->absent_axis[d] ? 0 : loop->box.lo[d] + at[d];
                    if (param->absent_axis[d]) continue;
                    column.box.lo[d] = index[d];
                    column.box.hi[d] = index[d] + 1;
                }
                commit_column(&column, loop->bindings[p].slot->array, element, index);
            }
}
