/* What loops over points between those of a grid have summed on a device, brought home. Of loops of
 * which others run some points, products come: all are added in their order here. */
#include "exec/device_points.h"

int64_t device_targets_near(const chain_loop *loop, int64_t *first)
{
    const grid_sparse *s = loop->sparse->points;
    const grid_box *box = &loop->box;
    *first = s->rows[grid_sparse_row_from(s, box->lo[2], box->lo[1])].first;
    return s->rows[grid_sparse_row_from(s, box->hi[2] - 1, box->hi[1])].first - *first;
}

static bool is_inside(const grid_box *box, const int64_t at[3])
{
    bool inside = true;
    for (int d = 0; d < 3; d++) inside = inside && at[d] >= box->lo[d] && at[d] < box->hi[d];
    return inside;
}

/* Puts the products of a loop's own targets to those of all. */
static void keep_products(const chain_loop *loop, const ir_value *values)
{
    const grid_sparse *s = loop->sparse->points;
    int64_t first;
    const int64_t end = device_targets_near(loop, &first) + first, base = s->targets[first].first;
    const grid_sparse_row *row =
        &s->rows[grid_sparse_row_from(s, loop->box.lo[2], loop->box.lo[1])];
    for (int64_t t = first; t < end; t++) {
        while (t >= row[1].first) row++;
        const int64_t at[3] = {s->targets[t].x, row->y, row->z};
        if (!is_inside(&loop->box, at)) continue;
        for (int64_t i = s->targets[t].first; i < s->targets[t + 1].first; i++)
            loop->sparse->products[s->weights[i].slot] = values[i - base].f64;
    }
}

static bool set_parted(const device_loop *l, const device_waiting *w, chain_slot *scalar)
{
    if (w->count) keep_products(w->loop, w->values);
    return sweep_sum_products(w->loop, scalar, &l->context->across);
}

kata_status device_set_sums(const device_loop *l, const device_waiting *w)
{
    const chain_loop *loop = w->loop;
    chain_slot *scalar = loop->bindings[loop->kernel->param_count - 1].slot;
    const ir_type type = ir_type_of_storage(scalar->type);
    bool done = !loop->parted || set_parted(l, w, scalar);
    for (size_t p = 0; p < w->count && done && !loop->parted; p++)
        done = store_scalar_set(scalar, (int)p, ir_convert(type, IR_F64, w->values[p]));
    if (done) return KATA_OK;
    return l->context->failure.elsewhere ? KATA_ERROR_INTERNAL /* ranks agree on another one */
                                         : message_no_memory(l->m);
}
