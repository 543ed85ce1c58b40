/* Ranges beyond the grid. */
#include "legality/checks.h"

#include <inttypes.h>

/* Says the range along a dimension, and the indices that a field has there; of a field on another
 * grid, also where the range lies on that. */
static void say_bounds(const chain_loop *loop, int d, int p, const grid_box *has, messages *m)
{
    static const int32_t here[3];
    const ir_param *param = p < 0 ? NULL : &loop->kernel->params[p];
    text there = {0}, owner = {0};
    if (param && ir_param_has_ratio(param)) {
        grid_box box = analysis_touched(param, here, here, &loop->box);
        text_add(&there, ", where '%s' is [%" PRId64 ", %" PRId64 ")", param->name, box.lo[d],
                 box.hi[d]);
    }
    if (param)
        text_add(&owner, "field '%s'", loop->bindings[p].name);
    else
        text_add(&owner, "the grid");
    message_line(m,
                 "along %c the range is [%" PRId64 ", %" PRId64 ")%s, and %s has [%" PRId64
                 ", %" PRId64 ")",
                 legality_letter(loop, d), loop->box.lo[d], loop->box.hi[d], text_get(&there),
                 text_get(&owner), has->lo[d], has->hi[d]);
    text_free(&there);
    text_free(&owner);
}

/* The parameter p, -1 for the grid, has no values at some points of the range. */
static kata_status refuse_box(const chain_loop *loop, int d, int p, messages *m)
{
    static const int32_t here[3];
    const chain_binding *binding = p < 0 ? NULL : &loop->bindings[p];
    const ir_param *param = p < 0 ? NULL : &loop->kernel->params[p];
    grid_box has = binding ? chain_binding_inside(binding) : grid_shape_box(&loop->shape);
    grid_box box = param ? analysis_touched(param, here, here, &loop->box) : loop->box;
    bool high = box.lo[d] >= has.lo[d];
    message_begin_at(m, KATA_ERROR_APPLICATION, loop->kernel->text, loop->kernel->at,
                     "kernel '%s' is applied to points outside the %s", loop->kernel->name,
                     binding ? "fields that it is given" : "grid");
    legality_say_where(loop, m);
    say_bounds(loop, d, p, &has, m);
    kata_rule rule = binding ? binding->boundary->side[2 * d + high].rule : KATA_NONE;
    if (binding && binding->slot->ghosts[d] && rule != KATA_NONE)
        message_line(m, "its ghosts are used where it has no rule: it is %s at %s",
                     grid_rule_name(rule), legality_side(loop, 2 * d + high));
    if (binding && binding->slot->staggered[d] && rule == KATA_PERIODIC && high)
        message_line(m, "it is periodic along %c, where face %" PRId64 " is face 0",
                     legality_letter(loop, d), has.hi[d]);
    if (binding && ir_param_has_ratio(param))
        message_line(m, "use kata_all(g) or a box within");
    else if (binding)
        message_line(m, "use kata_all(g), kata_on(%s) or a box within, or make it with .ghosts",
                     binding->name);
    else
        message_line(m, "use kata_all(g), kata_inner(g, n), or a box within the grid");
    return message_send(m);
}

static bool writes_field(const ir_param *param)
{
    return ir_param_is_written_field(param) || ir_param_is_column_reduction(param);
}

/* Whether the kernel may be applied only where this parameter has values: where its written fields
 * have, or all its fields if it writes none. */
static bool counts(const chain_loop *loop, int p, bool writes)
{
    const ir_param *param = &loop->kernel->params[p];
    return writes ? writes_field(param) : ir_param_is_field(param);
}

static bool writes_fields(const chain_loop *loop)
{
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (writes_field(&loop->kernel->params[p])) return true;
    return false;
}

static bool leaves(const grid_box *box, const grid_box *outer, int d)
{
    return box->lo[d] < outer->lo[d] || box->hi[d] > outer->hi[d];
}

/* Where the range leaves the grid along a dimension, all parameters that count must have values. */
static kata_status check_along(const chain_loop *loop, int d, messages *m)
{
    static const int32_t here[3];
    bool writes = writes_fields(loop), any = false;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const ir_param *param = &loop->kernel->params[p];
        if (!counts(loop, p, writes) || param->absent_axis[d]) continue;
        grid_box inside = chain_binding_inside(&loop->bindings[p]);
        grid_box box = analysis_touched(param, here, here, &loop->box);
        if (leaves(&box, &inside, d)) return refuse_box(loop, d, p, m);
        any = true;
    }
    return any ? KATA_OK : refuse_box(loop, d, -1, m);
}

kata_status legality_check_box(const chain_loop *loop, messages *m)
{
    grid_box all = grid_shape_box(&loop->shape);
    kata_status status = KATA_OK;
    if (grid_box_is_empty(&loop->box)) return KATA_OK;
    for (int d = 0; d < 3 && status == KATA_OK; d++)
        if (leaves(&loop->box, &all, d)) status = check_along(loop, d, m);
    return status;
}
