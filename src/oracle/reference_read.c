/* Single values of fields, boundary rules included: kata_rule's definition, step by step. */
#include "oracle/interpret.h"

#include <math.h>

static ir_value stored(kata_type storage, ir_type type, ir_value value)
{
    ir_value element = {0};
    ir_storage_write(storage, type, value, &element);
    return element;
}

/* 2*v - x of elements, in the type that belongs to the storage type. */
static ir_value antisymmetric(kata_type storage, ir_value boundary, ir_value inside)
{
    ir_type type = ir_type_of_storage(storage);
    ir_value v = ir_storage_read(storage, type, &boundary);
    ir_value x = ir_storage_read(storage, type, &inside);
    ir_value twice = ir_evaluate(IR_MUL, type, type, (ir_value[]){ir_value_of_int(type, 2), v});
    return stored(storage, type, ir_evaluate(IR_SUB, type, type, (ir_value[]){twice, x}));
}

/* Whether an index is one of the field's own: a point of it (face n of a periodic staggered field
 * is face 0), or a ghost beyond a side that has no rule. */
static bool is_own(const oracle_field *field, int d, int64_t i)
{
    const chain_slot *slot = field->slot;
    const grid_side_rule *side = &field->boundary->side[2 * d];
    int64_t n = slot->shape.size[d], ghosts = slot->ghosts[d];
    if (i < 0) return side[0].rule == KATA_NONE && -i <= ghosts;
    if (i >= n) return side[1].rule == KATA_NONE && i - n < ghosts;
    bool is_first = slot->staggered[d] && i == n - 1 && side[0].rule == KATA_PERIODIC &&
                    side[1].rule == KATA_PERIODIC;
    return !is_first;
}

/* One step of a rule from outside towards the field's points, of which there are n, in `cells`
 * cells of the grid; false where there is none. */
static bool step_inwards(kata_rule rule, bool high, int64_t n, int64_t cells, int64_t *i)
{
    switch (rule) {
    case KATA_NONE:
    case KATA_CONSTANT:
    case KATA_LINEAR: return false;
    case KATA_CLAMP: *i = high ? n - 1 : 0; return true;
    case KATA_REFLECT_FACE:
    case KATA_ANTISYMMETRIC_FACE: *i = high ? n - 1 - (*i - n) : -1 - *i; return true;
    case KATA_REFLECT_NODE:
    case KATA_ANTISYMMETRIC_NODE: *i = high ? n - 1 - (*i - (n - 1)) : -*i; return n > 1;
    case KATA_PERIODIC: *i = high ? *i - cells : *i + cells; return true;
    }
    return false;
}

/* Whether the steps from an index lead to points beyond a side with KATA_LINEAR. */
static bool ends_in_sum(const oracle_field *field, int d, int64_t i)
{
    const chain_slot *slot = field->slot;
    const grid_side_rule *side = &field->boundary->side[2 * d];
    int64_t n = slot->shape.size[d], cells = n - slot->staggered[d];
    if (side[0].rule != KATA_LINEAR && side[1].rule != KATA_LINEAR) return false;
    while (!is_own(field, d, i)) {
        bool high = i >= 0;
        kata_rule rule = side[high].rule;
        if (rule == KATA_LINEAR) return true;
        if (!step_inwards(rule, high, n, cells, &i)) return false;
    }
    return false;
}

/* The dimension whose rule makes the value: the first along which the index is not the field's own;
 * the last such one where a sum is made along some dimension. 3: the value is the field's own. */
static int deciding_dimension(const oracle_field *field, const int64_t index[3])
{
    int first = 3, last = 3;
    bool sums = false;
    for (int d = 0; d < 3; d++) {
        if (is_own(field, d, index[d])) continue;
        if (first == 3) first = d;
        last = d;
        sums = sums || ends_in_sum(field, d, index[d]);
    }
    return sums ? last : first;
}

/* What a read finds that no rule covers. Analysis has refused a loop whose result depends on one,
 * but not reads of which nothing comes. */
static ir_value nothing(kata_type storage)
{
    if (ir_type_is_floating(ir_type_of_storage(storage)))
        return stored(storage, IR_F64, ir_value_of_double(IR_F64, NAN));
    return stored(storage, IR_I64, ir_value_of_int(IR_I64, 0x5a5a5a5a5a5a5a5a));
}

/* KATA_LINEAR's definition: ghost(-1-j) = weights[j][count]*value, plus weights[j][k]*u[k] for k
 * from 0 on, each product and each sum rounded. */
static ir_value sum_of_points(const oracle_field *field, int component, const int64_t at[3], int d)
{
    kata_type storage = field->slot->type;
    ir_type type = storage == KATA_F64 ? IR_F64 : IR_F32;
    int64_t n = field->slot->shape.size[d], index[3] = {at[0], at[1], at[2]};
    bool high = at[d] >= 0;
    const grid_weights *w = field->boundary->weights[2 * d + high];
    int64_t j = high ? at[d] - n : -1 - at[d];
    if (j >= w->depth || w->count > n) return nothing(storage);
    ir_value sum = ir_evaluate(
        IR_MUL, type, type,
        (ir_value[]){ir_value_of_double(type, w->row[j][w->count]),
                     ir_value_of_double(type, field->boundary->side[2 * d + high].value)});
    for (int k = 0; k < w->count; k++) {
        index[d] = high ? n - 1 - k : k;
        ir_value x = oracle_read(field, component, index);
        ir_value factors[] = {ir_value_of_double(type, w->row[j][k]),
                              ir_storage_read(storage, type, &x)};
        ir_value terms[] = {sum, ir_evaluate(IR_MUL, type, type, factors)};
        sum = ir_evaluate(IR_ADD, type, type, terms);
    }
    return stored(storage, type, sum);
}

ir_value oracle_read(const oracle_field *field, int component, const int64_t at[3])
{
    const chain_slot *slot = field->slot;
    kata_type storage = slot->type;
    int64_t index[3] = {at[0], at[1], at[2]};
    int d = deciding_dimension(field, at);
    if (d == 3) return store_get_element(field->old, component, index);
    bool high = index[d] >= 0;
    const grid_side_rule *side = &field->boundary->side[2 * d + high];
    ir_value v = stored(storage, IR_F64, ir_value_of_double(IR_F64, side->value));
    if (side->rule == KATA_CONSTANT) return v;
    if (side->rule == KATA_LINEAR) return sum_of_points(field, component, at, d);
    int64_t n = slot->shape.size[d], cells = n - slot->staggered[d];
    if (!step_inwards(side->rule, high, n, cells, &index[d])) return nothing(storage);
    ir_value x = oracle_read(field, component, index);
    bool is_antisymmetric =
        side->rule == KATA_ANTISYMMETRIC_FACE || side->rule == KATA_ANTISYMMETRIC_NODE;
    return is_antisymmetric ? antisymmetric(storage, v, x) : x;
}

bool oracle_target(const oracle_field *field, const int64_t index[3], int64_t target[3])
{
    for (int d = 0; d < 3; d++) {
        int64_t cells = field->slot->shape.size[d] - field->slot->staggered[d];
        target[d] = index[d];
        while (!is_own(field, d, target[d])) {
            bool high = target[d] >= 0;
            if (field->boundary->side[2 * d + high].rule != KATA_PERIODIC) return false;
            target[d] += high ? -cells : cells;
        }
    }
    return true;
}

int oracle_output_of(const ir_param *param, int component, const int64_t offset[3])
{
    int output = component;
    for (int d = 0; d < 3; d++) {
        if (!param->finer[d]) continue;
        if (offset[d] < 0 || offset[d] >= param->finer[d]) return -1;
        output = output * param->finer[d] + (int)offset[d];
    }
    return output;
}
