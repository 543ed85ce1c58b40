/* Parameters: their kinds, and the indices at which their fields are touched. */
#include "ir/build.h"

#include <string.h>

const char *ir_param_kind_name(ir_param_kind kind)
{
    static const char *const names[] = {"in",  "out", "inout", "number", "table",
                                        "sum", "min", "max",   "at"};
    return names[kind];
}

const char *ir_param_mode(const ir_param *param)
{
    static const char *const accumulating[] = {"inout sum", "inout min", "inout max", "at"};
    return param->accumulates ? accumulating[param->kind - IR_PARAM_SUM]
                              : ir_param_kind_name(param->kind);
}

int64_t ir_param_index(const ir_param *param, int dimension, int64_t point)
{
    if (param->absent_axis[dimension]) return 0;
    if (param->finer[dimension]) return point * param->finer[dimension];
    if (param->coarser[dimension]) return floor_divide(point, param->coarser[dimension]);
    return point;
}

int64_t ir_param_point(const ir_param *param, int dimension, int64_t index)
{
    if (param->absent_axis[dimension]) return index <= 0 ? INT64_MIN : INT64_MAX;
    if (param->finer[dimension]) return -floor_divide(-index, param->finer[dimension]);
    if (param->coarser[dimension]) return index * param->coarser[dimension];
    return index;
}

static int extent(const ir_param *param, int dimension)
{
    return param->finer[dimension] ? param->finer[dimension] : 1;
}

int ir_param_children_in(const ir_param *param, int rank)
{
    int children = 1;
    for (int d = 0; d < rank; d++) children *= extent(param, d);
    return children;
}

int ir_param_children(const ir_param *param) { return ir_param_children_in(param, 3); }

int ir_param_child(const ir_param *param, const int32_t offset[3])
{
    int child = 0;
    if (ir_param_children(param) == 1) return 0;
    for (int d = 2; d >= 0; d--) {
        if (offset[d] < 0 || offset[d] >= extent(param, d)) return -1;
        child = child * extent(param, d) + offset[d];
    }
    return child;
}

bool ir_param_has_ratio(const ir_param *param)
{
    for (int d = 0; d < 3; d++)
        if (param->finer[d] || param->coarser[d]) return true;
    return false;
}

bool ir_param_same_mapping(const ir_param *a, const ir_param *b)
{
    return !memcmp(a->finer, b->finer, sizeof a->finer) &&
           !memcmp(a->coarser, b->coarser, sizeof a->coarser) &&
           !memcmp(a->absent_axis, b->absent_axis, sizeof a->absent_axis);
}

bool ir_param_lacks_dimensions(const ir_param *param)
{
    return param->absent_axis[0] || param->absent_axis[1] || param->absent_axis[2];
}

int ir_param_first_absent(const ir_param *param)
{
    int d = 0;
    while (d < 3 && !param->absent_axis[d]) d++;
    return d;
}

void ir_param_along(const ir_param *param, char out[4])
{
    int count = 0;
    for (int d = 0; d < 3; d++)
        if (!param->absent_axis[d]) out[count++] = "xyz"[d];
    out[count] = '\0';
}
