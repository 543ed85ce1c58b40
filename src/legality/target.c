/* Writes at offsets end inside the grid. Where they would leave it, periodic sides bring them back,
 * or a guard prevents them. */
#include "legality/checks.h"

static kata_status refuse(const chain_loop *loop, const ir_store *store, int side, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const chain_binding *binding = &loop->bindings[store->param];
    ir_access target = {.param = store->param, .component = store->component};
    for (int d = 0; d < 3; d++) target.offset[d] = store->offset[d];
    char offset[LEGALITY_NAME];
    legality_print_offset(offset, loop, &target);
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, store->at,
                     "'%s' is written at %s, outside the grid", kernel->params[store->param].name,
                     offset);
    legality_say_where(loop, m);
    message_line(m, "field '%s' is not periodic at %s", binding->name, legality_side(loop, side));
    message_line(m, "make it periodic, apply the kernel to a smaller range, or write only where "
                    "ix, iy, iz allow it");
    return message_send(m);
}

static kata_status refuse_several(const chain_loop *loop, const ir_store *store, int d, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *param = &kernel->params[store->param];
    char along[4];
    legality_print_along(loop, param, along);
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, store->at,
                     "several points write the same value of '%s'", param->name);
    legality_say_where(loop, m);
    message_line(m, "'%s' extends along %s, and the range holds more than one index along %c",
                 param->name, along, legality_letter(loop, d));
    message_line(m,
                 "apply the kernel to kata_on(%s), or to a box one index wide along %c; or reduce "
                 "into it: 'sum %s %s along %s', min or max",
                 loop->bindings[store->param].name, legality_letter(loop, d),
                 ir_types[param->type].name, param->name, along);
    return message_send(m);
}

/* A field that lacks a dimension has one value for all indices along it: one point may write it, or
 * one after the other where levels run in order along it. Reductions take all points. */
static kata_status check_one_point(const chain_loop *loop, const ir_store *store, messages *m)
{
    const ir_param *param = &loop->kernel->params[store->param];
    const ir_kernel *kernel = loop->kernel;
    bool in_order = kernel->direction && !ir_orders_several(kernel);
    if (ir_param_is_reduction(param)) return KATA_OK;
    for (int d = 0; d < 3; d++)
        if (param->absent_axis[d] && !(in_order && kernel->ordered == d) &&
            loop->box.hi[d] - loop->box.lo[d] > 1)
            return refuse_several(loop, store, d, m);
    return KATA_OK;
}

kata_status legality_check_targets(const chain_loop *loop, messages *m)
{
    kata_status status = KATA_OK;
    if (grid_box_is_empty(&loop->box)) return KATA_OK;
    for (int i = 0; i < loop->kernel->store_count && status == KATA_OK; i++)
        status = check_one_point(loop, &loop->kernel->stores[i], m);
    if (status != KATA_OK) return status;
    for (int i = 0; i < loop->kernel->store_count; i++) {
        const ir_store *store = &loop->kernel->stores[i];
        if (!store->offset[0] && !store->offset[1] && !store->offset[2]) continue;
        grid_box box = analysis_written(loop, store);
        if (grid_box_is_empty(&box)) continue;
        const chain_binding *binding = &loop->bindings[store->param];
        grid_box inside = chain_binding_inside(binding);
        box = analysis_touched(&loop->kernel->params[store->param], store->offset, store->offset,
                               &box);
        for (int d = 0; d < 3; d++) {
            bool low = box.lo[d] < inside.lo[d];
            bool high = box.hi[d] > inside.hi[d];
            if ((low || high) && !grid_boundary_is_periodic(binding->boundary, d))
                return refuse(loop, store, 2 * d + !low, m);
        }
    }
    return KATA_OK;
}
