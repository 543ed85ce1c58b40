/* The first point of a minimum or maximum, by comparing all points: NaN comes first in both orders,
 * -0 lies below 0. */
#include "oracle/contributions.h"

#include <math.h>

/* -1 if a comes first, 1 if b does, 0 if they are alike. */
static int compare(const ir_param *of, ir_value a, ir_value b)
{
    int sign = of->kind == IR_PARAM_MIN ? 1 : -1;
    if (ir_type_is_integer(of->type)) {
        int64_t x = ir_convert(IR_I64, of->type, a).i64, y = ir_convert(IR_I64, of->type, b).i64;
        return x == y ? 0 : x < y ? -sign : sign;
    }
    double x = ir_convert(IR_F64, of->type, a).f64, y = ir_convert(IR_F64, of->type, b).f64;
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y) ? 0 : isnan(x) ? -1 : 1;
    if (x != y) return x < y ? -sign : sign;
    if (signbit(x) == signbit(y)) return 0;
    return signbit(x) ? -sign : sign;
}

static bool comes_first(const int64_t a[3], const int64_t b[3])
{
    int d = 2;
    while (d > 0 && a[d] == b[d]) d--;
    return a[d] < b[d];
}

void oracle_where_meet(const ir_param *of, oracle_where *w, ir_value x, const int64_t point[3])
{
    int order = w->found ? compare(of, x, w->value) : -1;
    if (order > 0 || (order == 0 && !comes_first(point, w->point))) return;
    w->found = true;
    w->value = x;
    for (int d = 0; d < 3; d++) w->point[d] = point[d];
}

ir_value oracle_where_index(const ir_param *param, const ir_param *of, const oracle_where *w, int d,
                            ir_value old, ir_value index)
{
    if (param->accumulates && (!w->found || compare(of, w->value, old) >= 0)) return index;
    return ir_value_of_int(param->type, w->found ? w->point[d] : -1);
}
