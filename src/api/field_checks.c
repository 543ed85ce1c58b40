/* Whether a call may do with a field what it is about to. */
#include "api/api.h"

#include <math.h>
#include <string.h>

kata_status api_check_field(kata *k, const char *call, kata_type type, int components,
                            kata_rule boundary)
{
    if (!api_type_is_valid(type))
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: there is no type %d", call, (int)type);
    if (components < 0 || components > IR_MAX_LENGTH)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: components is %d, not 1 to %d", call,
                        components, IR_MAX_LENGTH);
    return api_check_rule(k, call, boundary);
}

kata_status api_check_rule(kata *k, const char *call, kata_rule rule)
{
    if (rule == KATA_LINEAR)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: KATA_LINEAR needs weights; kata_boundary_linear gives it to a side",
                        call);
    if ((unsigned)rule > KATA_LINEAR)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: there is no boundary rule %d", call,
                        (int)rule);
    return KATA_OK;
}

/* KATA_LINEAR adds up in f32 or f64; for other rules the value is stored. */
static bool stays_finite(kata_type type, kata_rule rule, double value)
{
    if (rule == KATA_LINEAR && type != KATA_F64) type = KATA_F32;
    ir_value element, x = ir_value_of_double(IR_F64, value);
    if (!ir_type_is_floating(ir_type_of_storage(type)) || !isfinite(value)) return true;
    ir_storage_write(type, IR_F64, x, &element);
    return isfinite(ir_storage_read(type, IR_F64, &element).f64);
}

kata_status api_check_rule_value(kata *k, const char *call, const char *name, kata_type type,
                                 kata_rule rule, double value)
{
    bool takes = rule == KATA_CONSTANT || rule == KATA_LINEAR || rule == KATA_ANTISYMMETRIC_FACE ||
                 rule == KATA_ANTISYMMETRIC_NODE;
    if (!takes || stays_finite(type, rule, value)) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "%s: the boundary value %.9g does not fit in '%s', which is %s", call, value,
                    name, store_type_name(type));
}

kata_status api_check_element(kata *k, const char *caller, const char *name, kata_type type,
                              int element)
{
    if (element < 0 || element >= IR_STORAGE_COUNT ||
        !strcmp(ir_storages[element].c_name, ir_storages[type].c_name))
        return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "%s: field '%s' holds %s, which is stored as %s; the pointer is to %s", caller,
                    name, store_type_name(type), ir_storages[type].c_name,
                    ir_storages[element].c_name);
}

kata_status api_check_unmapped(const kata_field *field, const char *call)
{
    if (!field->mapped) return KATA_OK;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: field '%s' is mapped; call kata_unmap(%s) first", call, field->name,
                    field->name);
}

kata_status api_check_host(const kata_field *field, const char *call)
{
    if (!field->slot->temporary) return KATA_OK;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: field '%s' is temporary: its values are for kernels of the time step that "
                    "writes them",
                    call, field->name);
}

kata_status api_check_value(const kata_field *field, const char *call, const grid_box *box)
{
    grid_box missing;
    const chain_slot *slot = field->slot;
    if (api_check_unmapped(field, call)) return field->k->messages.status;
    if (api_check_host(field, call)) return field->k->messages.status;
    bool set = !slot->tracked || grid_region_holds(&slot->set, box, &missing);
    if (set && !slot->discarded) return KATA_OK;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: the value of field '%s' was discarded; it cannot be read before all of it "
                    "is written again",
                    call, field->name);
}
