/* Sets the boundary rules of fields. */
#include "api/api.h"

#include <math.h>
#include <string.h>

/* A side of a mesh's field in the dimensions of its array. */
static kata_side own_side(const kata_field *field, kata_side side)
{
    bool known = field->grid->mesh && (unsigned)side <= KATA_Z_HIGH;
    return known ? (kata_side)(2 * field->grid->mesh->as.axis[side / 2] + side % 2) : side;
}

static kata_status check_side(const kata_field *field, const char *call, kata_side side)
{
    int rank = field->grid->shape.rank;
    if ((unsigned)side > KATA_Z_HIGH || (int)side / 2 >= rank)
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' has %d dimension%s, and so no side %s", call, field->name,
                        rank, rank > 1 ? "s" : "",
                        (unsigned)side > KATA_Z_HIGH ? "of that number" : grid_side_name(side));
    if (field->grid->mesh && side < KATA_Z_LOW)
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: a mesh has sides of z alone: where it ends its tables have -1", call);
    if (field->slot->absent_axis[own_side(field, side) / 2])
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' does not extend along %c, and so has no side %s", call,
                        field->name, "xyz"[side / 2], grid_side_name(side));
    return KATA_OK;
}

static kata_status set(kata_field *field, kata_side side, kata_rule rule, double value)
{
    side = own_side(field, side);
    field->boundary.side[side] = (grid_side_rule){rule, value};
    field->rules = grid_boundary_rules(&field->boundary);
    field->boundary_copy = NULL;
    store_pool_meet_rules(field->k->pool, &field->boundary);
    return KATA_OK;
}

static kata_status check_value(const kata_field *field, const char *call, kata_rule rule,
                               double value)
{
    return api_check_rule_value(field->k, call, field->name, field->slot->type, rule, value);
}

kata_status kata_boundary_set(kata_field *field, kata_side side, kata_rule rule, double value)
{
    static const char call[] = "kata_boundary_set";
    if (!field) return api_null(call, "the field");
    kata_status status = field->k->messages.status;
    if (!status) status = check_side(field, call, side);
    if (!status) status = api_check_rule(field->k, call, rule);
    if (!status) status = api_check_mirror(field->grid, call, field->slot, (int)side, rule);
    if (!status) status = check_value(field, call, rule, value);
    return status ? status : set(field, side, rule, value);
}

/* ---- KATA_LINEAR ----------------------------------------------------------------------------- */

static kata_status check_weights(kata *k, const char *call, const kata_linear_options *o)
{
    if (o->depth < 1 || o->depth > GRID_MOST_DEPTH)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the depth is %d, not 1 to %d", call, o->depth,
                        GRID_MOST_DEPTH);
    if (o->count < 1 || o->count > GRID_MOST_COUNT)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the count is %d, not 1 to %d", call, o->count,
                        GRID_MOST_COUNT);
    if (!o->weights) return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the weights are NULL", call);
    for (int i = 0; i < o->depth * (o->count + 1); i++)
        if (!isfinite(o->weights[i]))
            return api_fail(k, KATA_ERROR_ARGUMENT, "%s: weights[%d][%d] is not a finite number",
                            call, i / (o->count + 1), i % (o->count + 1));
    return KATA_OK;
}

static kata_status keep_weights(kata_field *field, int side, const kata_linear_options *o)
{
    grid_weights **weights = &field->weights[side];
    if (!*weights) *weights = arena_alloc(&field->k->memory, sizeof **weights);
    if (!*weights) return api_no_memory(field->k);
    **weights = (grid_weights){.depth = o->depth, .count = o->count};
    for (int j = 0; j < o->depth; j++)
        memcpy((*weights)->row[j], o->weights + (size_t)j * (size_t)(o->count + 1),
               (size_t)(o->count + 1) * sizeof *o->weights);
    field->boundary.weights[side] = *weights;
    return KATA_OK;
}

kata_status kata_boundary_linear_with(kata_field *field, kata_side side,
                                      const kata_linear_options *given)
{
    static const char call[] = "kata_boundary_linear";
    static const api_options kind =
        API_OPTIONS("kata_boundary_linear", kata_linear_options,
                    "kata_boundary_linear(u, KATA_X_LOW, 1, 1, weights, .value = 5)", value);
    kata_linear_options options;
    if (!field) return api_null(call, "the field");
    kata *k = field->k;
    if (k->messages.status) return k->messages.status;
    if (!given) return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the options are NULL", call);
    kata_status status = api_options_read(k, &kind, given, &options);
    if (!status) status = check_side(field, call, side);
    if (!status) status = check_weights(k, call, &options);
    if (!status) status = check_value(field, call, KATA_LINEAR, options.value);
    if (!status) status = keep_weights(field, (int)own_side(field, side), &options);
    return status ? status : set(field, side, KATA_LINEAR, options.value);
}
