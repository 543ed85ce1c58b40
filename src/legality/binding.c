/* Whether fields and scalars suit the parameters they are given for. */
#include "legality/checks.h"

static kata_status begin(const chain_loop *loop, int param, messages *m, const char *wrong)
{
    const ir_kernel *kernel = loop->kernel;
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, kernel->params[param].at,
                     "parameter '%s' is given a %s", kernel->params[param].name, wrong);
    legality_say_where(loop, m);
    return KATA_ERROR_APPLICATION;
}

static kata_status check_mesh(const chain_loop *loop, int p, messages *m)
{
    const chain_binding *binding = &loop->bindings[p];
    if (loop->mesh == binding->slot->mesh) return KATA_OK;
    begin(loop, p, m, "field of another grid");
    message_line(m, "field '%s' is of %s, the range is of %s", binding->name,
                 binding->slot->mesh ? "a mesh" : "a grid",
                 !loop->mesh           ? "a grid"
                 : binding->slot->mesh ? "another mesh"
                                       : "a mesh");
    message_line(m, "give it a field of the grid that the range was made for");
    return message_send(m);
}

static kata_status check_shape(const chain_loop *loop, int p, messages *m)
{
    const chain_binding *binding = &loop->bindings[p];
    if (loop->mesh || binding->slot->mesh) return check_mesh(loop, p, m);
    if (ir_param_has_ratio(&loop->kernel->params[p])) return legality_check_ratio(loop, p, m);
    grid_shape made_for = chain_slot_grid(binding->slot);
    if (grid_shape_equal(&made_for, &loop->shape)) return KATA_OK;
    text field = {0}, grid = {0};
    grid_shape_print(&field, &made_for);
    grid_shape_print(&grid, &loop->shape);
    begin(loop, p, m, "field of another grid size");
    message_line(m, "field '%s' has %s points, the range belongs to a grid of %s", binding->name,
                 text_get(&field), text_get(&grid));
    message_line(m, "give it a field of the grid that the range was made for");
    text_free(&field);
    text_free(&grid);
    return message_send(m);
}

static bool field_lacks(const chain_slot *slot, int d) { return slot->absent_axis[d] != 0; }

void legality_print_set(text *out, const chain_loop *loop, const ir_param *param, int rank)
{
    int count = 0;
    for (int d = 0; d < rank; d++)
        if (!param->absent_axis[legality_axis(loop, d)])
            text_add(out, "%sKATA_%c", count++ ? " | " : "", "XYZ"[d]);
}

/* "in double p along z", of the dimensions of a field */
static void print_declared(text *out, const chain_loop *loop, const ir_param *param,
                           const chain_slot *slot)
{
    ir_param like = *param;
    char along[4];
    bool lower = false;
    for (int d = 0; d < slot->shape.rank; d++) lower = lower || field_lacks(slot, d);
    for (int d = 0; d < 3; d++) like.absent_axis[d] = d >= slot->shape.rank || field_lacks(slot, d);
    legality_print_along(loop, &like, along);
    text_add(out, "%s %s %s", ir_param_mode(param), ir_types[param->type].name, param->name);
    if (param->count > 1) text_add(out, "[%d]", param->count);
    if (lower) text_add(out, " along %s", along);
}

static bool lacks_none(const chain_slot *slot)
{
    for (int d = 0; d < slot->shape.rank; d++)
        if (field_lacks(slot, d)) return false;
    return true;
}

/* What suits the parameter, and what suits the field; one that lacks no dimension takes no
 * reduction. */
static void say_dimensions(const chain_loop *loop, int p, messages *m)
{
    const ir_param *param = &loop->kernel->params[p];
    const chain_binding *binding = &loop->bindings[p];
    text set = {0}, declared = {0};
    legality_print_set(&set, loop, param, binding->slot->shape.rank);
    print_declared(&declared, loop, param, binding->slot);
    if (!ir_param_lacks_dimensions(param))
        message_line(m, "make the field for '%s' without .along", param->name);
    else if (set.length)
        message_line(m, "make the field for '%s' with .along = %s", param->name, text_get(&set));
    if (!ir_param_is_reduction(param) || !lacks_none(binding->slot))
        message_line(m, "field '%s' suits a parameter '%s'", binding->name, text_get(&declared));
    text_free(&set);
    text_free(&declared);
}

/* Dimensions beyond those of the grid do not matter. */
static kata_status check_dimensions(const chain_loop *loop, int p, messages *m)
{
    const ir_param *param = &loop->kernel->params[p];
    const chain_slot *slot = loop->bindings[p].slot;
    bool same = true;
    for (int d = 0; d < slot->shape.rank; d++)
        same = same && param->absent_axis[d] == field_lacks(slot, d);
    if (same) return KATA_OK;
    begin(loop, p, m, "field that extends along other dimensions");
    say_dimensions(loop, p, m);
    return message_send(m);
}

/* "lies on edges", "lies on cells, for each of their edges", "lies at points" */
static void print_location(text *out, kata_location on, kata_location each)
{
    text_add(out, "lies %s %s", on ? "on" : "at", ir_location_name(on, true));
    if (each) text_add(out, ", for each of their %s", ir_location_name(each, true));
}

static kata_status check_location(const chain_loop *loop, int p, messages *m)
{
    const ir_param *param = &loop->kernel->params[p];
    const chain_binding *binding = &loop->bindings[p];
    const chain_slot *slot = binding->slot;
    if (loop->kernel->anywhere || (slot->on == param->on && slot->each == param->each))
        return KATA_OK;
    text field = {0}, taken = {0}, declared = {0};
    print_location(&field, slot->on, slot->each);
    print_location(&taken, param->on, param->each);
    ir_location_print(&declared, slot->on, slot->each);
    begin(loop, p, m, "field that lies elsewhere");
    message_line(m, "field '%s' %s, '%s' %s", binding->name, text_get(&field), param->name,
                 text_get(&taken));
    if (slot->on)
        message_line(m,
                     "field '%s' suits a parameter '%s %s %s %s' of a kernel on cells, edges or "
                     "vertices",
                     binding->name, ir_param_mode(param), ir_types[param->type].name, param->name,
                     text_get(&declared));
    else
        message_line(m, "make the field for '%s' with .on = %s%s%s", param->name,
                     ir_location_constant(param->on), param->each ? ", .each = " : "",
                     param->each ? ir_location_constant(param->each) : "");
    text_free(&field);
    text_free(&taken);
    text_free(&declared);
    return message_send(m);
}

/* The values of an element, of each component of the text. */
static int values_on(const chain_slot *slot)
{
    if (!slot->mesh) return ir_values_on(slot->on, slot->each);
    return slot->each ? slot->mesh->relation[slot->on - KATA_CELLS][slot->each - KATA_CELLS].width
                      : 1;
}

static kata_status check_components(const chain_loop *loop, int p, messages *m)
{
    const ir_param *param = &loop->kernel->params[p];
    const chain_binding *binding = &loop->bindings[p];
    if (binding->slot->components == param->count) return KATA_OK;
    int values = values_on(binding->slot);
    int has = binding->slot->components / values, takes = param->count / values;
    begin(loop, p, m, "field with another number of components");
    message_line(m, "field '%s' has %d, '%s' takes %d", binding->name, has, param->name, takes);
    if (has == 1)
        message_line(m, "declare it '%s %s %s', or make the field with .components = %d",
                     ir_param_mode(param), ir_types[param->type].name, param->name, takes);
    else
        message_line(m, "declare it '%s %s %s[%d]', or make the field with .components = %d",
                     ir_param_mode(param), ir_types[param->type].name, param->name, has, takes);
    return message_send(m);
}

static const char *constant_of(ir_type type)
{
    return ir_storages[ir_storage_of_type(type)].constant;
}

static kata_status check_storage(const chain_loop *loop, int p, messages *m)
{
    const ir_param *param = &loop->kernel->params[p];
    const chain_binding *binding = &loop->bindings[p];
    const ir_storage_info *storage = &ir_storages[binding->slot->type];
    if (ir_storage_suits(binding->slot->type, param->type)) return KATA_OK;
    begin(loop, p, m, "field of another type");
    message_line(m, "field '%s' holds %s, '%s' is %s", binding->name, storage->word, param->name,
                 ir_types[param->type].name);
    message_line(m, "declare it '%s %s %s', or make the field with %s", ir_param_mode(param),
                 ir_types[storage->type].name, param->name, constant_of(param->type));
    return message_send(m);
}

static kata_status check_elements(const chain_loop *loop, int p, messages *m)
{
    const ir_param *param = &loop->kernel->params[p];
    const chain_binding *binding = &loop->bindings[p];
    int have = binding->slot->components, count = param->count;
    if (have == count) return KATA_OK;
    begin(loop, p, m, "scalar with another number of elements");
    message_line(m, "scalar '%s' has %d, '%s' takes %d", binding->name, have, param->name, count);
    if (count == 1)
        message_line(m, "declare it '%s[%d]', or make the scalar with kata_scalar_new", param->name,
                     have);
    else
        message_line(m, "make the scalar with kata_scalar_array_new(k, name, %s, %d)",
                     constant_of(param->type), count);
    return message_send(m);
}

static kata_status check_scalar(const chain_loop *loop, int p, messages *m)
{
    const ir_param *param = &loop->kernel->params[p];
    const chain_binding *binding = &loop->bindings[p];
    ir_type stored = ir_type_of_storage(binding->slot->type);
    if (stored == param->type) return KATA_OK;
    begin(loop, p, m, "scalar of another type");
    message_line(m, "scalar '%s' is %s, '%s' is %s", binding->name, ir_types[stored].name,
                 param->name, ir_types[param->type].name);
    if (ir_type_is_narrow(param->type))
        message_line(m, "no scalar is: declare it 'int %s'", param->name);
    else
        message_line(m, "make the scalar with %s", constant_of(param->type));
    return message_send(m);
}

kata_status legality_check_bindings(const chain_loop *loop, messages *m)
{
    for (int p = 0; p < loop->kernel->param_count; p++) {
        kata_status status = KATA_OK;
        const chain_slot *slot = loop->bindings[p].slot;
        if (ir_param_takes_field(&loop->kernel->params[p]) && !slot->is_scalar) {
            status = check_shape(loop, p, m);
            if (status == KATA_OK) status = check_dimensions(loop, p, m);
            if (status == KATA_OK) status = check_location(loop, p, m);
            if (status == KATA_OK) status = check_components(loop, p, m);
            if (status == KATA_OK) status = check_storage(loop, p, m);
        } else if (slot) {
            status = check_scalar(loop, p, m);
            if (status == KATA_OK) status = check_elements(loop, p, m);
        }
        if (status != KATA_OK) return status;
    }
    return KATA_OK;
}
