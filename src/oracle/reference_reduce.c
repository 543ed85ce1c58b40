/* Reductions as exec.h defines them, literally: bricks and lanes along x, and binary trees aligned
 * to global indices over bricks, y and z. */
#include "abi/abi.h"
#include "oracle/oracle.h"

/* Part of the contributions: what is fixed of the index, outermost dimension first. */
typedef struct part {
    const oracle_contributions *all;
    int64_t z, y;
} part;

static ir_value contribution(const part *p, int64_t x)
{
    const grid_box *box = &p->all->box;
    int64_t nx = box->hi[0] - box->lo[0], ny = box->hi[1] - box->lo[1];
    return p->all->values[((p->z - box->lo[2]) * ny + p->y - box->lo[1]) * nx + x - box->lo[0]];
}

static ir_value reduce_brick(const part *p, int64_t brick)
{
    const ir_param *param = p->all->param;
    const grid_box *box = &p->all->box;
    ir_value lane[ABI_LANES];
    for (int l = 0; l < ABI_LANES; l++) {
        lane[l] = ir_reduction_start(param);
        for (int64_t x = brick * ABI_BRICK + l; x < (brick + 1) * ABI_BRICK; x += ABI_LANES)
            if (x >= box->lo[0] && x < box->hi[0])
                lane[l] = ir_reduce(param, lane[l], contribution(p, x));
    }
    for (int half = ABI_LANES / 2; half >= 1; half /= 2)
        for (int l = 0; l < half; l++) lane[l] = ir_reduce(param, lane[l], lane[l + half]);
    return lane[0];
}

enum { OVER_BRICKS, OVER_Y, OVER_Z };

static bool reduce_node(const part *p, int over, int level, int64_t j, ir_value *out);

/* Bricks begin at multiples of their length, below 0 too. */
static int64_t brick_of(int64_t x)
{
    int64_t brick = x / ABI_BRICK;
    return brick * ABI_BRICK > x ? brick - 1 : brick;
}

/* The indices over a dimension: of bricks along x. */
static void bounds(const part *p, int over, int64_t *lo, int64_t *hi)
{
    const grid_box *box = &p->all->box;
    *lo = over == OVER_BRICKS ? brick_of(box->lo[0]) : box->lo[over];
    *hi = over == OVER_BRICKS ? brick_of(box->hi[0] - 1) + 1 : box->hi[over];
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
    if (over == OVER_BRICKS) {
        *out = reduce_brick(p, j);
        return true;
    }
    part inner = *p;
    *(over == OVER_Y ? &inner.y : &inner.z) = j;
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
    part whole = {all, 0, 0};
    ir_value result;
    if (grid_box_is_empty(&all->box) || !reduce_tree(&whole, OVER_Z, &result))
        result = ir_reduction_start(param);
    return param->kind == IR_PARAM_SUM ? ir_reduce(param, ir_value_of_int(param->type, 0), result)
                                       : result;
}
