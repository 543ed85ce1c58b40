/* Starting the kernel of a loop on a device, and its reductions. */
#include "exec/on_device.h"

#include "sweep/reduce.h"

#include <stdlib.h>
#include <string.h>

/* Most groups along y and z that CUDA takes. */
enum { MOST_GROUPS = 65535 };

/* ---- what the kernel is given ---------------------------------------------------------------- */

typedef struct given {
    struct exec_device *d;
    size_t count;
    bool failed;
} given;

static void *add(given *g, size_t bytes)
{
    void *all = g->d->given;
    if (g->failed || !vector_reserve(&all, &g->d->given_room, g->count + bytes, 1)) {
        g->failed = true;
        return NULL;
    }
    g->d->given = all;
    g->count += bytes;
    return memset(g->d->given + g->count - bytes, 0, bytes);
}

static void add_numbers(given *g, const chain_loop *loop, int p)
{
    const ir_param *param = &loop->kernel->params[p];
    const chain_binding *b = &loop->bindings[p];
    if (ir_param_is_field(param) || ir_param_is_reduction(param)) return;
    ir_value *out = add(g, (size_t)param->count * sizeof *out);
    for (int i = 0; i < param->count && out; i++)
        out[i] = b->slot                         ? store_scalar(b->slot, i)
                 : param->kind == IR_PARAM_TABLE ? b->table[i]
                                                 : b->number;
}

/* The levels that reads find, however far they reach: those inside the field. Where levels run by
 * themselves, rules say what is outside. */
static void add_levels(given *g, const device_loop *l, int p)
{
    const chain_loop *loop = l->loop;
    abi_levels *levels = add(g, sizeof *levels);
    if (!levels) return;
    *levels = (abi_levels){INT64_MIN, INT64_MAX};
    if (!ir_param_is_field(&loop->kernel->params[p]) || l->ready->by_level) return;
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

static void add_launch(given *g, const chain_loop *loop)
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
}

/* Where a field is; of rows that wrap, their period. */
static void add_place(given *g, const device_loop *l, int p)
{
    abi_place *place = add(g, sizeof *place);
    if (!place) return;
    *place = l->loop->bindings[p].slot->on_device->place;
    if (l->ready->wraps >> p & 1) place->period = place->end = l->loop->shape.size[0];
}

static given make_given(const device_loop *l)
{
    const chain_loop *loop = l->loop;
    const ir_kernel *kernel = loop->kernel;
    given g = {.d = l->d};
    add_launch(&g, loop);
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p])) add_place(&g, l, p);
    for (int p = 0; p < kernel->param_count && kernel->direction; p++) add_levels(&g, l, p);
    for (int p = 0; p < kernel->param_count; p++) add_numbers(&g, loop, p);
    return g;
}

bool device_is_far(const device_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    size_t bytes = sizeof(abi_launch) + sizeof(void *);
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        if (kernel->direction) bytes += sizeof(abi_levels);
        if (ir_param_is_field(param))
            bytes += sizeof(abi_place) + sizeof(void *);
        else if (ir_param_is_reduction(param))
            bytes += (size_t)param->count * sizeof(void *);
        else
            bytes += (size_t)param->count * sizeof(ir_value);
    }
    return (int64_t)bytes > device_facts_of(l->d->device)->arguments;
}

/* Puts it into memory, where it is too much for arguments. */
static bool put_given(const device_loop *l, const given *g, device_argument *argument)
{
    struct exec_device *d = l->d;
    device_box box = {.row = g->count, .rows = 1, .planes = 1};
    if (!l->ready->shape.far) return true;
    if (d->far_bytes < g->count) {
        if (!device_wait(d->device, DEVICE_WORK)) return false;
        device_release(d->device, d->far);
        d->far = device_take(d, g->count);
        d->far_bytes = d->far ? g->count : 0;
    }
    *argument = (device_argument){d->far, NULL, 0};
    return d->far && device_put(d->device, d->far, g->d->given, &box);
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
static kata_status launch_all(const device_loop *l, given *g, const codegen_shape *shape,
                              device_launch *launch, device_argument *arguments)
{
    const chain_loop *loop = l->loop;
    abi_launch *to = (abi_launch *)(void *)g->d->given;
    int64_t all[3], points[3];
    for (int d = 0; d < 3; d++) {
        points[d] = codegen_group_points(shape, d);
        all[d] = -floor_divide(-(loop->box.hi[d] - to->first[d]), points[d]);
        if (loop->kernel->order[d] != IR_UNORDERED) all[d] = 1;
        launch->threads[d] = shape->threads[d];
        launch->groups[d] = all[d];
    }
    if (l->ready->reduces) launch->groups[0] = to->bricks[0];
    for (int64_t z = 0; z < all[2]; z += MOST_GROUPS)
        for (int64_t y = 0; y < all[1]; y += MOST_GROUPS) {
            to->first[1] = loop->box.lo[1] + y * points[1];
            to->first[2] = loop->box.lo[2] + z * points[2];
            launch->groups[1] = smaller(all[1] - y, MOST_GROUPS);
            launch->groups[2] = smaller(all[2] - z, MOST_GROUPS);
            if (!put_given(l, g, arguments) || !device_run(l->d->device, l->ready->kernel, launch))
                return device_failed(l, "failed in");
        }
    return KATA_OK;
}

/* The kernel, which is made when it is first needed, or fields have grown. */
static device_kernel *kernel_of(const device_loop *l)
{
    device_ready *r = l->ready;
    if (!r->kernel || r->wide != device_is_wide(l->loop))
        r->kernel = device_kernel_of(l, &r->shape);
    r->wide = r->shape.wide;
    return r->kernel;
}

/* What was written outside of fields goes where it belongs. */
static kata_status end_writes(const device_loop *l)
{
    kata_status status = KATA_OK;
    for (int p = 0; p < l->loop->kernel->param_count && !status; p++) {
        if (!ir_param_is_written_field(&l->loop->kernel->params[p])) continue;
        store_device_changed(l->loop->bindings[p].slot);
        if (l->ready->outside >> p & 1) status = device_scatter(l, p);
    }
    return status;
}

/* Runs a level after another: each finds around fields what those before it have written. */
static kata_status run_levels(const device_loop *l, given *g, const codegen_shape *shape,
                              device_launch *launch, device_argument *arguments)
{
    const int d = l->loop->kernel->ordered;
    const bool forward = l->loop->kernel->direction == IR_FORWARD;
    const int64_t lo = l->loop->box.lo[d], hi = l->loop->box.hi[d];
    kata_status status = KATA_OK;
    for (int64_t i = 0; i < hi - lo && !status; i++) {
        chain_loop level = *l->loop;
        device_loop own = *l;
        abi_launch *to = (abi_launch *)(void *)g->d->given;
        own.loop = &level;
        level.box.lo[d] = to->lo[d] = to->first[d] = forward ? lo + i : hi - 1 - i;
        level.box.hi[d] = to->hi[d] = level.box.lo[d] + 1;
        if (i) status = device_fill_level(&own);
        if (!status) status = launch_all(&own, g, shape, launch, arguments);
        if (!status) status = end_writes(&own);
    }
    return status;
}

/* Checks the points of a loop, if it has checks, and runs it. */
static kata_status run_points(const device_loop *l, given *g, device_launch *launch,
                              device_argument *arguments)
{
    abi_launch *to = (abi_launch *)(void *)g->d->given;
    codegen_shape shape = fit(l->loop, l->ready->shape, l->ready->reduces);
    kata_status status = KATA_OK;
    if (l->ready->twice) {
        to->checks = ABI_CHECK;
        status = launch_all(l, g, &shape, launch, arguments);
        to->checks = ABI_WRITE;
    }
    if (status) return status;
    if (l->ready->by_level) return run_levels(l, g, &shape, launch, arguments);
    status = launch_all(l, g, &shape, launch, arguments);
    return status ? status : end_writes(l);
}

static kata_status start(const device_loop *l, given *g, device_argument *arguments)
{
    const ir_kernel *kernel = l->loop->kernel;
    grid_box bricks = bricks_of(&l->loop->box);
    int count = 0;
    kata_status status = kernel_of(l) ? KATA_OK : l->m->status;
    arguments[count++] = (device_argument){NULL, g->d->given, g->count};
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p]))
            arguments[count++] =
                (device_argument){l->loop->bindings[p].slot->on_device->memory, NULL, 0};
    for (int i = 0; i < kernel->store_count && l->ready->reduces && !status; i++) {
        if (!ir_param_is_reduction(&kernel->params[kernel->stores[i].param])) continue;
        device_memory *partials;
        status = device_begin_reduction(l, i, &bricks, &partials);
        arguments[count++] = (device_argument){partials, NULL, 0};
    }
    abi_launch *to = (abi_launch *)(void *)g->d->given;
    if (kernel->check_count && !status) {
        device_memory *flags = NULL;
        status = device_begin_checks(l, &flags, &to->flag);
        arguments[count++] = (device_argument){flags, NULL, 0};
    }
    device_launch launch = {.arguments = arguments, .argument_count = count};
    if (!status) status = run_points(l, g, &launch, arguments);
    return !status && l->ready->reduces ? device_end_reductions(l) : status;
}

/* A reduction over no points has a result, too. */
static kata_status reduce_nothing(const device_loop *l)
{
    kata_status status = KATA_OK;
    device_memory *none;
    for (int i = 0; i < l->loop->kernel->store_count && !status; i++)
        if (ir_param_is_reduction(&l->loop->kernel->params[l->loop->kernel->stores[i].param]))
            status = device_begin_reduction(l, i, &l->loop->box, &none);
    return status;
}

kata_status device_run_loop(const device_loop *l)
{
    enum { MOST = 128 };
    const ir_kernel *kernel = l->loop->kernel;
    device_argument few[MOST], *arguments = few;
    if (grid_box_is_empty(&l->loop->box)) return reduce_nothing(l);
    if (l->loop->copy) return device_run_copy(l);
    size_t most = (size_t)(2 + kernel->param_count + kernel->store_count);
    if (most > MOST) arguments = calloc(most, sizeof *arguments);
    given g = make_given(l);
    kata_status status = arguments && !g.failed ? start(l, &g, arguments) : message_no_memory(l->m);
    if (arguments != few) free(arguments);
    return status;
}
