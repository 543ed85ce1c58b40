/* Parameters of kernels: fields, numbers, tables and reductions. */
#ifndef IR_PARAM_H
#define IR_PARAM_H

#include "ir/operation.h"

typedef enum ir_param_kind {
    IR_PARAM_IN,
    IR_PARAM_OUT,
    IR_PARAM_INOUT,
    IR_PARAM_NUMBER,
    IR_PARAM_TABLE,
    IR_PARAM_SUM,
    IR_PARAM_MIN,
    IR_PARAM_MAX,
    IR_PARAM_WHERE /* the first point at which the minimum or maximum `of` is found */
} ir_param_kind;

typedef enum ir_hidden {
    IR_SHOWN,
    IR_HIDDEN_NEIGHBOURS,
    IR_HIDDEN_SIGNS,
    IR_HIDDEN_NUMBERS,
    IR_HIDDEN_KINDS
} ir_hidden;

typedef struct ir_param {
    const char *name;
    ir_param_kind kind;
    ir_type type;
    int count;        /* components of a field, elements of a table or reduction; 1 otherwise */
    uint32_t at;      /* location of the name in the source */
    bool accumulates; /* a reduction declared inout: combined with the old value */
    /* Of a field, per dimension: its ratio to the loop's grid, 2 or more, or 0 where the two are
     * alike; and whether the field does not extend along it. Ratios of dimensions that the grid
     * does not have mean nothing. */
    int finer[3], coarser[3];
    bool absent_axis[3];
    int ratios;        /* how many numbers the text gives for the ratio: 0 without ratio, 1 for all
                          dimensions, or as many as the grid has */
    uint32_t ratio_at; /* location of the word finer or coarser */
    int of;            /* WHERE: the number of the parameter, a MIN or MAX */
    /* Of a field of an icosahedral grid: where its values lie, and KATA_NOWHERE, or that there is
     * one for each such neighbour. Its components are numbered (own*colours + colour)*neighbours +
     * neighbour; `own` are those of the text. */
    kata_location on, each;
    /* Of a field that the text does not have: the numbers of the neighbours `each` of `on` in a
     * mesh, or their orientations; or the numbers of `on` themselves. Such parameters stand behind
     * those of the text. */
    ir_hidden hidden;
    uint64_t misses; /* bit k: component k is negative where there is no neighbour */
} ir_param;

static inline bool ir_param_is_field(const ir_param *param)
{
    return param->kind <= IR_PARAM_INOUT;
}

static inline bool ir_param_is_written_field(const ir_param *param)
{
    return param->kind == IR_PARAM_OUT || param->kind == IR_PARAM_INOUT;
}

static inline bool ir_param_is_reduction(const ir_param *param)
{
    return param->kind >= IR_PARAM_SUM;
}

/* A reduction that lacks dimensions has a field: each of its elements is reduced from the points
 * that differ along these only. The others have a scalar. */
static inline bool ir_param_is_column_reduction(const ir_param *param)
{
    return ir_param_is_reduction(param) &&
           (param->absent_axis[0] || param->absent_axis[1] || param->absent_axis[2]);
}

/* Whether it is given a field; a field parameter of a loop that runs once is given a scalar. */
static inline bool ir_param_takes_field(const ir_param *param)
{
    return ir_param_is_field(param) || ir_param_is_column_reduction(param);
}

/* ---- param.c --------------------------------------------------------------------------------- */

/* The index of a field that a point of the loop's grid touches without offset: the same index,
 * `finer` times it, the floor of its quotient by `coarser`, or 0 along an absent axis. */
int64_t ir_param_index(const ir_param *param, int dimension, int64_t point);
/* The smallest index of the loop's grid that touches `index` of the field or a larger one;
 * INT64_MIN or INT64_MAX along an absent axis. */
int64_t ir_param_point(const ir_param *param, int dimension, int64_t index);
/* The children of a point: the points of a finer field that lie in it. Their number on a grid of a
 * rank: the product of the field's ratios; 1 of a field on the loop's own grid. */
int ir_param_children_in(const ir_param *param, int rank);
/* The same of rank 3: as many as a kernel can write on any grid. */
int ir_param_children(const ir_param *param);
bool ir_param_has_ratio(const ir_param *param);
bool ir_param_lacks_dimensions(const ir_param *param);
/* The dimensions along which it extends: "z", "xy". */
void ir_param_along(const ir_param *param, char out[4]);
/* Whether a point touches the same indices of two parameters. */
bool ir_param_same_mapping(const ir_param *a, const ir_param *b);
/* "in", "out", "inout", "number", "table", "sum", "min", "max" */
const char *ir_param_kind_name(ir_param_kind kind);
/* The first dimension that a field lacks; 3 when it lacks none. */
int ir_param_first_absent(const ir_param *param);
/* The kind's name, with "inout " before the name of a reduction that accumulates. */
const char *ir_param_mode(const ir_param *param);

/* A reduction combines each IR_BRICK points of a row by themselves; the first brick begins at 0. A
 * column reduction whose field extends along x does so with each IR_COLUMN_BRICK points along the
 * first dimension that the field lacks. */
enum { IR_BRICK = 512, IR_COLUMN_BRICK = HOSTILE(64, 4) };

/* ---- reduction.c ----------------------------------------------------------------------------- */

/* The neutral value that a reduction starts with: -0.0 (0) for sums, +inf or -inf (the integer
 * type's largest or smallest) for min and max. */
ir_value ir_reduction_start(const ir_param *param);
/* The operation that combines two contributions: ADD, LEAST or GREATEST. */
ir_op ir_reduction_op(const ir_param *param);
/* acc combined with x: their sum, or the smaller or larger in a total order in which NaN comes
 * first (any NaN makes the result NaN) and -0 lies below +0. */
ir_value ir_reduce(const ir_param *param, ir_value acc, ir_value x);

#endif
