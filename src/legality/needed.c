/* kata_needed: where a kernel that writes temporary fields can run.
 *
 * The search starts with the box from which all writes lie in their fields. It cuts off points at a
 * side until every needed read of the others finds a value: first for reads without a rule, then
 * for reads of temporaries where they were not written. Of several ways to cut it takes the one
 * that leaves most points. */
#include "legality/checks.h"

static kata_status begin(const chain_loop *loop, uint32_t at, const char *what, messages *m)
{
    message_begin_at(m, KATA_ERROR_APPLICATION, loop->kernel->text, at,
                     "%s in a kernel applied to kata_needed", what);
    legality_say_where(loop, m);
    return KATA_ERROR_APPLICATION;
}

/* A kernel applied to kata_needed may have effects in temporary fields only. */
static kata_status check_kernel(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        bool reduction = ir_param_is_reduction(param);
        bool lasting = ir_param_is_written_field(param) && !loop->bindings[p].slot->temporary;
        if (!reduction && !lasting) continue;
        begin(loop, param->at, reduction ? "a reduction" : "a field that lasts is written", m);
        message_line(m, "it may run on fewer points than it could: apply it to kata_all(g), or "
                        "make the fields that it writes with .temporary");
        return message_send(m);
    }
    bool checks = kernel->check_count && kernel->checks[0].kind != IR_CHECK_FINITE;
    if (checks || kernel->level_read_count) {
        uint32_t at = checks ? kernel->checks[0].at : kernel->level_reads[0].at;
        begin(loop, at, "an assert or an index to check", m);
        message_line(m, "it may run on fewer points than it could: apply it to kata_all(g)");
        return message_send(m);
    }
    return KATA_OK;
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* The points from which all stores lie in their fields; along a dimension that all written fields
 * lack, the first point. */
static grid_box writable(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    grid_box box = {{INT64_MIN, INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX, INT64_MAX}};
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *store = &kernel->stores[i];
        grid_box inside = chain_binding_inside(&loop->bindings[store->param]);
        box = analysis_points_into(&kernel->params[store->param], store->offset, &inside, &box);
    }
    for (int i = 0; i < kernel->store_count; i++)
        for (int d = 0; d < 3; d++)
            if (kernel->params[kernel->stores[i].param].absent_axis[d] || d >= loop->shape.rank) {
                box.lo[d] = 0;
                box.hi[d] = 1;
            }
    if (!kernel->store_count) box = grid_shape_box(&loop->shape);
    return box;
}

/* The largest part of a box without given points that is a box itself. */
static grid_box without(const grid_box *box, const grid_box *out)
{
    grid_box best = {{0}, {0}};
    for (int d = 0; d < 3; d++) {
        grid_box low = *box, high = *box;
        if (out->lo[d] < low.hi[d]) low.hi[d] = out->lo[d];
        if (out->hi[d] > high.lo[d]) high.lo[d] = out->hi[d];
        if (grid_box_points(&low) > grid_box_points(&best)) best = low;
        if (grid_box_points(&high) > grid_box_points(&best)) best = high;
    }
    return best;
}

/* Takes out the points from which an access reads indices without values; if only a rule leads
 * there, all points from which it leaves the field. */
static grid_box cut(const chain_loop *loop, const ir_access *access, const grid_box *missing)
{
    const ir_param *param = &loop->kernel->params[access->param];
    grid_box out = analysis_points_into(param, access->offset, missing, &loop->box);
    if (!grid_box_is_empty(&out)) return without(&loop->box, &out);
    grid_box inside = chain_binding_inside(&loop->bindings[access->param]);
    return analysis_points_into(param, access->offset, &inside, &loop->box);
}

/* Each round makes the box smaller. */
static bool shrink(chain_loop *loop, arena *memory)
{
    while (!grid_box_is_empty(&loop->box)) {
        grid_box missing;
        const grid_box *needs = analysis_needs(loop, memory);
        if (!needs) return false;
        grid_box covered = legality_covered(loop, needs);
        int unset = -1;
        if (grid_box_contains(&covered, &loop->box)) {
            unset = legality_find_unset(loop, needs, &missing);
            if (unset < 0) return true;
            covered = cut(loop, &loop->kernel->accesses[unset], &missing);
        }
        if (unset >= 0 && grid_box_contains(&covered, &loop->box)) covered.hi[0] = covered.lo[0];
        loop->box = grid_box_intersect(&loop->box, &covered);
    }
    return true;
}

kata_status legality_find_needed(chain_loop *loop, messages *m)
{
    kata_status status = legality_check_once(loop, m);
    if (status == KATA_OK) status = legality_check_rank(loop, m);
    if (status == KATA_OK) status = legality_check_order(loop, m);
    if (status == KATA_OK) status = legality_check_bindings(loop, m);
    if (status == KATA_OK) status = check_kernel(loop, m);
    if (status != KATA_OK) return status;
    arena memory = {0};
    grid_box all = writable(loop);
    loop->box = all;
    if (!shrink(loop, &memory)) status = message_no_memory(m);
    if (grid_box_is_empty(&loop->box)) loop->box = all; /* to be refused with a reason */
    arena_free(&memory);
    return status;
}
