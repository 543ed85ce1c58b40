/* Reductions on a device to which points contribute each by itself: into fields, and of loops whose
 * levels run in order. What they contribute is written first, and combined behind the loop. */
#include "exec/device_trees.h"

/* ---- contributions --------------------------------------------------------------------------- */

static const ir_param *param_of(const device_loop *l, int store)
{
    return &l->loop->kernel->params[l->loop->kernel->stores[store].param];
}

static kata_status run(const device_loop *l, int store, const char *name, device_launch *launch)
{
    device_kernel *kernel = device_column_kernel(l, l->loop->kernel->stores[store].param, name);
    if (!kernel) return l->m->status;
    return device_run(l->d->device, kernel, launch) ? KATA_OK : device_failed(l, "failed behind");
}

/* A thread for each element. */
static device_launch launch_for(int64_t elements, const device_argument *arguments, int count)
{
    return (device_launch){.groups = {-floor_divide(-elements, CODEGEN_COLUMN_THREADS), 1, 1},
                           .threads = {CODEGEN_COLUMN_THREADS, 1, 1},
                           .arguments = arguments,
                           .argument_count = count};
}

/* Points of other colours contribute nothing. */
static kata_status set_neutral(const device_loop *l, int store, const device_partials *values)
{
    int64_t count = grid_box_points(&l->loop->box);
    const device_argument arguments[] = {{NULL, &count, sizeof count}, {values->memory, NULL, 0}};
    device_launch launch = launch_for(count, arguments, 2);
    return run(l, store, CODEGEN_START_NAME, &launch);
}

kata_status device_begin_contributions(const device_loop *l, int store, device_memory **memory)
{
    struct exec_device *d = l->d;
    void *collected = d->collected;
    if (!vector_reserve(&collected, &d->collected_room, d->collected_count + 1,
                        sizeof *d->collected))
        return message_no_memory(l->m);
    d->collected = collected;
    size_t bytes = (size_t)grid_box_points(&l->loop->box) * sizeof(ir_value);
    device_partials *values = device_take_partials(l, bytes);
    if (!values) return l->m->status;
    values->used = true;
    d->collected[d->collected_count++] = (device_collected){store, values};
    *memory = values->memory;
    return l->loop->colors > 1 ? set_neutral(l, store, values) : KATA_OK;
}

void device_forget_contributions(struct exec_device *d)
{
    while (d->collected_count) d->collected[--d->collected_count].values->used = false;
}

/* ---- bricks ---------------------------------------------------------------------------------- */

static int64_t size_of(const grid_box *box, int d) { return box->hi[d] - box->lo[d]; }

static grid_box bricks_of(const grid_box *box, int d, int64_t length)
{
    grid_box bricks = *box;
    bricks.lo[d] = floor_divide(box->lo[d], length);
    bricks.hi[d] = floor_divide(box->hi[d] - 1, length) + 1;
    return bricks;
}

/* Combines each brick of a row, by lanes. */
static kata_status combine_rows(const device_loop *l, const device_collected *from,
                                const grid_box *bricks, device_memory *partials)
{
    const grid_box *box = &l->loop->box;
    const abi_collected c = {.other = size_of(box, 0),
                             .count = size_of(box, 0),
                             .step = 1,
                             .lo = box->lo[0],
                             .bricks = size_of(bricks, 0),
                             .first = bricks->lo[0]};
    const device_argument arguments[] = {
        {NULL, &c, sizeof c}, {from->values->memory, NULL, 0}, {partials, NULL, 0}};
    device_launch launch = {.groups = {grid_box_points(bricks), 1, 1},
                            .threads = {ABI_LANES, 1, 1},
                            .arguments = arguments,
                            .argument_count = 3};
    return run(l, from->store, CODEGEN_LANES_NAME, &launch);
}

/* Combines each brick of columns, which lie along dimension d, for each x and each index of the
 * other dimension. */
static kata_status combine_columns(const device_loop *l, const device_collected *from,
                                   const grid_box *bricks, int d, device_memory *partials)
{
    const ir_kernel *kernel = l->loop->kernel;
    const grid_box *box = &l->loop->box;
    const int64_t points[3] = {1, size_of(box, 0), size_of(box, 0) * size_of(box, 1)};
    const abi_collected c = {.x = size_of(box, 0),
                             .others = size_of(box, 3 - d),
                             .other = points[3 - d],
                             .count = size_of(box, d),
                             .step = points[d],
                             .lo = box->lo[d],
                             .bricks = size_of(bricks, d),
                             .first = bricks->lo[d],
                             .backwards = kernel->direction == IR_BACKWARD && kernel->ordered == d};
    const device_argument arguments[] = {
        {NULL, &c, sizeof c}, {from->values->memory, NULL, 0}, {partials, NULL, 0}};
    device_launch launch = launch_for(grid_box_points(bricks), arguments, 3);
    return run(l, from->store, CODEGEN_COLUMNS_NAME, &launch);
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* Partials in the memory of a device: `steps` from one to the next along each dimension. */
typedef struct partials {
    device_partials *in;
    grid_box box;
    int64_t steps[3];
} partials;

/* Combines partials along a dimension, which then has one. Lists of the two others lie evenly
 * apart: one of these has one index, or all that lies along it is nearer than the other's next. */
static kata_status combine_along(const device_loop *l, int store, partials *p, int d)
{
    int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
    const int64_t apart = size_of(&p->box, a) == 1 ? p->steps[b] : p->steps[a];
    const abi_tree tree = {.apart = apart,
                           .to_apart = apart,
                           .lists = size_of(&p->box, a) * size_of(&p->box, b),
                           .first = {p->box.lo[d] + DEVICE_CENTRE},
                           .count = {size_of(&p->box, d), 1, 1},
                           .step = {p->steps[d]}};
    p->box.hi[d] = p->box.lo[d] + 1;
    return device_run_tree(l, param_of(l, store), p->in, &tree, p->in);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Puts results into the elements of the field. */
static kata_status commit(const device_loop *l, int store, const partials *results)
{
    const ir_store *s = &l->loop->kernel->stores[store];
    const ir_param *param = param_of(l, store);
    chain_slot *slot = l->loop->bindings[s->param].slot;
    const abi_place *place = &slot->on_device->place;
    const int64_t to_steps[3] = {1, place->y, place->z};
    abi_commit c = {.to = place->at + s->component * place->component,
                    .accumulates = param->accumulates};
    int64_t elements = 1;
    for (int d = 0; d < 3; d++) {
        c.size[d] = param->absent_axis[d] ? 1 : size_of(&l->loop->box, d);
        if (!param->absent_axis[d]) c.to += l->loop->box.lo[d] * to_steps[d];
        c.to_step[d] = to_steps[d];
        c.from_step[d] = results->steps[d];
        elements *= c.size[d];
    }
    const device_argument arguments[] = {
        {NULL, &c, sizeof c}, {results->in->memory, NULL, 0}, {slot->on_device->memory, NULL, 0}};
    device_launch launch = launch_for(elements, arguments, 3);
    store_device_changed(slot);
    return run(l, store, CODEGEN_COMMIT_NAME, &launch);
}

/* Partials lie along x, y, z of a field without x; otherwise behind x and the dimension that has no
 * bricks. */
static void place_partials(const grid_box *bricks, int bricked, partials *p)
{
    int next = bricked == 1 ? 2 : 1, last = 3 - next;
    p->box = *bricks;
    p->steps[0] = 1;
    p->steps[next] = size_of(bricks, 0);
    p->steps[last] = p->steps[next] * size_of(bricks, next);
}

static kata_status reduce_field(const device_loop *l, const device_collected *from)
{
    const ir_param *param = param_of(l, from->store);
    int bricked = ir_param_first_absent(param);
    grid_box bricks = bricks_of(&l->loop->box, bricked, bricked ? IR_COLUMN_BRICK : ABI_BRICK);
    size_t bytes = (size_t)grid_box_points(&bricks) * sizeof(ir_value);
    partials p = {.in = device_take_partials(l, bytes)};
    if (!p.in) return l->m->status;
    place_partials(&bricks, bricked, &p);
    kata_status status = bricked ? combine_columns(l, from, &bricks, bricked, p.in->memory)
                                 : combine_rows(l, from, &bricks, p.in->memory);
    for (int d = 0; d < 3 && !status; d++)
        if (param->absent_axis[d]) status = combine_along(l, from->store, &p, d);
    return status ? status : commit(l, from->store, &p);
}

/* ---- all ------------------------------------------------------------------------------------- */

static kata_status reduce(const device_loop *l, const device_collected *from)
{
    grid_box bricks = bricks_of(&l->loop->box, 0, ABI_BRICK);
    device_memory *memory = NULL;
    if (ir_param_is_column_reduction(param_of(l, from->store))) return reduce_field(l, from);
    kata_status status = device_begin_reduction(l, from->store, &bricks, &memory);
    return status ? status : combine_rows(l, from, &bricks, memory);
}

kata_status device_end_contributions(const device_loop *l)
{
    kata_status status = KATA_OK;
    for (size_t i = 0; i < l->d->collected_count && !status; i++)
        status = reduce(l, &l->d->collected[i]);
    device_forget_contributions(l->d);
    return status;
}
