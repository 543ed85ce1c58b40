/* Starting the kernel of a loop on a device, and its reductions. */
#include "exec/on_device.h"

#include "sweep/reduce.h"

#include <stdlib.h>
#include <string.h>

/* Most groups along y and z that CUDA takes. */
enum { MOST_GROUPS = 65535 };

/* ---- what the kernel is given ---------------------------------------------------------------- */

typedef struct given {
    char *bytes;
    size_t count, room;
    bool failed;
} given;

static void *add(given *g, size_t bytes)
{
    void *all = g->bytes;
    if (g->failed || !vector_reserve(&all, &g->room, g->count + bytes, 1)) {
        g->failed = true;
        return NULL;
    }
    g->bytes = all;
    g->count += bytes;
    return memset(g->bytes + g->count - bytes, 0, bytes);
}

static void add_numbers(given *g, const chain_loop *loop, int p)
{
    const ir_param *param = &loop->kernel->params[p];
    const chain_binding *b = &loop->bindings[p];
    if (ir_param_is_field(param) || ir_param_is_reduction(param)) return;
    ir_value *out = add(g, (size_t)param->count * sizeof *out);
    for (int i = 0; i < param->count && out; i++)
        out[i] = b->slot                           ? store_scalar(b->slot, i)
                 : param->kind == IR_PARAM_TABLE ? b->table[i]
                                                   : b->number;
}

/* The levels that reads find, however far they reach: those inside the field. */
static void add_levels(given *g, const chain_loop *loop, int p)
{
    abi_levels *levels = add(g, sizeof *levels);
    if (!levels) return;
    *levels = (abi_levels){INT64_MIN, INT64_MAX};
    if (!ir_param_is_field(&loop->kernel->params[p])) return;
    grid_box inside = chain_binding_inside(&loop->bindings[p]);
    levels->lowest = inside.lo[loop->kernel->ordered];
    levels->highest = inside.hi[loop->kernel->ordered] - 1;
}

static grid_box bricks_of(const grid_box *box)
{
    grid_box bricks = *box;
    if (grid_box_is_empty(box)) return bricks;
    bricks.lo[0] = sweep_brick(box->lo[0]);
    bricks.hi[0] = sweep_brick(box->hi[0] - 1) + 1;
    return bricks;
}

static void add_launch(given *g, const chain_loop *loop, bool reduces)
{
    abi_launch *launch = add(g, sizeof *launch);
    if (!launch) return;
    for (int d = 0; d < 3; d++) {
        launch->lo[d] = launch->first[d] = loop->box.lo[d];
        launch->hi[d] = loop->box.hi[d];
        launch->size[d] = loop->shape.size[d];
    }
    if (loop->kernel->order[0] == IR_UNORDERED)
        launch->first[0] = floor_divide(loop->box.lo[0], ABI_LANES) * ABI_LANES;
    launch->colors = loop->colors;
    launch->color = loop->color;
    grid_box bricks = bricks_of(&loop->box);
    launch->bricks[0] = bricks.hi[0] - bricks.lo[0];
    launch->bricks[1] = bricks.hi[1] - bricks.lo[1];
    launch->bricks[2] = bricks.lo[0];
    (void)reduces;
}

static given make_given(const chain_loop *loop, bool reduces)
{
    const ir_kernel *kernel = loop->kernel;
    given g = {.bytes = NULL};
    add_launch(&g, loop, reduces);
    for (int p = 0; p < kernel->param_count; p++) {
        if (!ir_param_is_field(&kernel->params[p])) continue;
        abi_place *place = add(&g, sizeof *place);
        if (place) *place = loop->bindings[p].slot->on_device->place;
    }
    for (int p = 0; p < kernel->param_count && kernel->direction; p++) add_levels(&g, loop, p);
    for (int p = 0; p < kernel->param_count; p++) add_numbers(&g, loop, p);
    return g;
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Memory for the partials of reduction number i; NULL, reported, when it is out. */
static device_memory *partials_of(const device_loop *l, size_t i, size_t bytes)
{
    struct exec_device *d = l->d;
    void *memory = d->partials, *sizes = d->partials_bytes;
    bool room = vector_reserve(&memory, &d->partials_room, i + 1, sizeof *d->partials);
    if (room) d->partials = memory;
    room = room && vector_reserve(&sizes, &d->partials_sizes_room, i + 1, sizeof *d->partials_bytes);
    if (room) d->partials_bytes = sizes;
    if (!room) {
        message_no_memory(l->m);
        return NULL;
    }
    if (i == d->partials_count) {
        d->partials[i] = NULL;
        d->partials_bytes[i] = 0;
        d->partials_count++;
    }
    if (d->partials_bytes[i] >= bytes) return d->partials[i];
    device_release(d->device, d->partials[i]);
    d->partials_bytes[i] = 0;
    d->partials[i] = device_allocate(d->device, bytes);
    if (d->partials[i])
        d->partials_bytes[i] = bytes;
    else
        device_failed(l, "has no memory for a reduction of");
    return d->partials[i];
}

static kata_status set_result(const device_loop *l, const ir_store *s, const grid_box *bricks,
                              ir_value *partials)
{
    const ir_param *param = &l->loop->kernel->params[s->param];
    chain_slot *slot = l->loop->bindings[s->param].slot;
    ir_value result = sweep_reduce_box(param, bricks, partials);
    if (param->accumulates) result = ir_reduce(param, store_scalar(slot, s->component), result);
    return store_scalar_set(slot, s->component, result) ? KATA_OK : message_no_memory(l->m);
}

/* Fetches the partials of all reductions, and makes them values of scalars. */
static kata_status finish_reductions(const device_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    struct exec_device *d = l->d;
    grid_box bricks = bricks_of(&l->loop->box);
    size_t count = grid_box_is_empty(&bricks) ? 0 : (size_t)grid_box_points(&bricks), next = 0;
    void *reduced = d->reduced;
    if (!vector_reserve(&reduced, &d->reduced_room, count + 1, sizeof *d->reduced))
        return message_no_memory(l->m);
    d->reduced = reduced;
    kata_status status = KATA_OK;
    for (int i = 0; i < kernel->store_count && !status; i++) {
        if (!ir_param_is_reduction(&kernel->params[kernel->stores[i].param])) continue;
        size_t bytes = count * sizeof *d->reduced;
        device_box box = {.row = bytes, .rows = 1, .planes = 1};
        if (count && !device_get(d->device, d->partials[next], d->reduced, &box))
            return device_failed(l, "failed in");
        next++;
        status = set_result(l, &kernel->stores[i], &bricks, d->reduced);
    }
    if (!status) store_log(l->loop);
    return status;
}

/* ---- launching ------------------------------------------------------------------------------- */

/* Of narrow boxes, threads that would have no point along x have rows instead. */
static codegen_shape fit(const chain_loop *loop, codegen_shape shape, bool reduces)
{
    int64_t row = loop->box.hi[0] - floor_divide(loop->box.lo[0], ABI_LANES) * ABI_LANES;
    bool may = !reduces && loop->kernel->order[0] == IR_UNORDERED &&
               loop->kernel->order[1] == IR_UNORDERED;
    while (may && shape.threads[0] > 1 && (shape.threads[0] / 2) * shape.vector >= row) {
        shape.threads[0] /= 2;
        shape.threads[1] *= 2;
    }
    return shape;
}

/* Runs the box in pieces of as many groups as a device takes. */
static kata_status launch_all(const device_loop *l, device_kernel *kernel, given *g,
                              const codegen_shape *shape, device_launch *launch, bool reduces)
{
    const chain_loop *loop = l->loop;
    abi_launch *to = (abi_launch *)(void *)g->bytes;
    int64_t all[3], points[3];
    for (int d = 0; d < 3; d++) {
        points[d] = codegen_group_points(shape, d);
        all[d] = -floor_divide(-(loop->box.hi[d] - to->first[d]), points[d]);
        if (loop->kernel->order[d] != IR_UNORDERED) all[d] = 1;
        launch->threads[d] = shape->threads[d];
        launch->groups[d] = all[d];
    }
    if (reduces) launch->groups[0] = to->bricks[0];
    for (int64_t z = 0; z < all[2]; z += MOST_GROUPS)
        for (int64_t y = 0; y < all[1]; y += MOST_GROUPS) {
            to->first[1] = loop->box.lo[1] + y * points[1];
            to->first[2] = loop->box.lo[2] + z * points[2];
            launch->groups[1] = smaller(all[1] - y, MOST_GROUPS);
            launch->groups[2] = smaller(all[2] - z, MOST_GROUPS);
            if (!device_run(l->d->device, kernel, launch)) return device_failed(l, "failed in");
        }
    return KATA_OK;
}

static kata_status start(const device_loop *l, given *g, device_argument *arguments, bool reduces)
{
    const ir_kernel *kernel = l->loop->kernel;
    grid_box bricks = bricks_of(&l->loop->box);
    size_t bytes = (size_t)grid_box_points(&bricks) * sizeof(ir_value), reductions = 0;
    int count = 0;
    codegen_shape shape;
    device_kernel *run = device_kernel_of(l, &shape);
    if (!run) return l->m->status;
    shape = fit(l->loop, shape, reduces);
    arguments[count++] = (device_argument){NULL, g->bytes, g->count};
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p]))
            arguments[count++] =
                (device_argument){l->loop->bindings[p].slot->on_device->memory, NULL, 0};
    for (int i = 0; i < kernel->store_count; i++) {
        if (!ir_param_is_reduction(&kernel->params[kernel->stores[i].param])) continue;
        device_memory *partials = partials_of(l, reductions++, bytes);
        if (!partials) return l->m->status;
        arguments[count++] = (device_argument){partials, NULL, 0};
    }
    device_launch launch = {.arguments = arguments, .argument_count = count};
    return launch_all(l, run, g, &shape, &launch, reduces);
}

/* What was written outside of fields goes where it belongs. */
static kata_status end_writes(const device_loop *l)
{
    kata_status status = KATA_OK;
    for (int p = 0; p < l->loop->kernel->param_count && !status; p++) {
        if (!ir_param_is_written_field(&l->loop->kernel->params[p])) continue;
        store_device_changed(l->loop->bindings[p].slot);
        if (device_writes_outside(l->loop, p)) status = device_scatter(l, p);
    }
    return status;
}

static bool reduces(const ir_kernel *kernel)
{
    bool some = false;
    for (int p = 0; p < kernel->param_count; p++)
        some = some || ir_param_is_reduction(&kernel->params[p]);
    return some;
}

kata_status device_run_loop(const device_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    kata_status status = KATA_OK;
    if (!grid_box_is_empty(&l->loop->box)) {
        size_t most = (size_t)(1 + kernel->param_count + kernel->store_count);
        device_argument *arguments = calloc(most, sizeof *arguments);
        given g = make_given(l->loop, reduces(kernel));
        status = arguments && !g.failed ? start(l, &g, arguments, reduces(kernel))
                                        : message_no_memory(l->m);
        free(arguments);
        free(g.bytes);
        if (!status) status = end_writes(l);
    }
    return !status && reduces(kernel) ? finish_reductions(l) : status;
}
