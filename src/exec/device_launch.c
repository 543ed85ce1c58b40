/* Starting the kernel of a loop on a device, and its reductions. */
#include "exec/device_points.h"
#include "exec/device_tile_sums.h"
#include "exec/device_tune.h"

#include <stdlib.h>
#include <string.h>

/* Most groups along y and z that CUDA takes. */
enum { MOST_GROUPS = 65535 };

/* ---- launching ------------------------------------------------------------------------------- */

/* The levels that reads find, however far they reach: those inside the field. Where levels run by
 * themselves, rules say what is outside. */
static void give_levels(device_given *g, const device_loop *l, int p)
{
    const chain_loop *loop = l->loop;
    abi_levels *levels = device_give(g, sizeof *levels);
    if (!levels) return;
    *levels = (abi_levels){INT64_MIN, INT64_MAX};
    if (!ir_param_is_field(&loop->kernel->params[p]) || l->ready->by_level) return;
    grid_box inside = chain_binding_inside(&loop->bindings[p]);
    levels->lowest = inside.lo[loop->kernel->ordered];
    levels->highest = inside.hi[loop->kernel->ordered] - 1;
}

static device_given make_given(const device_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    device_given g = {.d = l->d};
    device_give_launch(&g, l->loop);
    device_give_places(&g, l);
    for (int p = 0; p < kernel->param_count && kernel->direction; p++) give_levels(&g, l, p);
    device_give_numbers(&g, l->loop);
    return g;
}

/* Puts it into memory, where it is too much for arguments. */
static bool put_given(const device_loop *l, const device_given *g, device_argument *argument)
{
    struct exec_device *d = l->d;
    device_box box = {.row = g->count, .rows = 1, .planes = 1};
    if (d->far_bytes < g->count) {
        if (!device_wait(d->device, DEVICE_WORK)) return false;
        device_release(d->device, d->far);
        d->far = device_take(d, g->count);
        d->far_bytes = d->far ? g->count : 0;
    }
    *argument = (device_argument){d->far, NULL, 0};
    return d->far && device_put(d->device, d->far, g->d->given, &box);
}

/* Of narrow boxes, threads that would have no point along x have rows instead; and a group has no
 * more threads than the device has shown to take. */
static codegen_shape fit(const chain_loop *loop, const device_way *way, bool reduces)
{
    codegen_shape shape = way->shape;
    int64_t row = loop->box.hi[0] - floor_divide(loop->box.lo[0], ABI_LANES) * ABI_LANES;
    if (shape.tall) return shape;
    bool may = !reduces && loop->kernel->order[0] == IR_UNORDERED &&
               loop->kernel->order[1] == IR_UNORDERED;
    while (may && shape.threads[0] > 1 && shape.threads[1] < DEVICE_THREADS &&
           (shape.threads[0] / 2) * shape.vector >= row) {
        shape.threads[0] /= 2;
        shape.threads[1] *= 2;
    }
    for (int d = 2; d >= (reduces ? 1 : 0) && way->most_threads; d--)
        while (shape.threads[d] > 1 &&
               shape.threads[0] * shape.threads[1] * shape.threads[2] > way->most_threads)
            shape.threads[d] /= 2;
    return shape;
}

/* A loop that is run, and what its kernel is given. */
typedef struct run {
    const device_loop *l;
    device_given *g;
    device_argument *arguments;
    device_launch launch;
} run;

static abi_launch *launched(const run *r) { return (abi_launch *)(void *)r->g->d->given; }

/* How many groups a box takes, and the points of each. */
static void count_groups(const run *r, const codegen_shape *shape, int64_t all[3],
                         int64_t points[3])
{
    const chain_loop *loop = r->l->loop;
    for (int d = 0; d < 3; d++) {
        points[d] = codegen_group_points(shape, d);
        all[d] = -floor_divide(-(loop->box.hi[d] - launched(r)->first[d]), points[d]);
        if (loop->kernel->order[d] != IR_UNORDERED) all[d] = 1;
    }
    if (r->l->ready->bricks) all[0] = launched(r)->bricks[0];
}

/* Runs the box in pieces of as many groups as a device takes. */
static bool launch_all(run *r, device_kernel *kernel, const codegen_shape *shape)
{
    const chain_loop *loop = r->l->loop;
    abi_launch *to = launched(r);
    int64_t all[3], points[3];
    to->first[1] = loop->box.lo[1];
    to->first[2] = loop->box.lo[2];
    count_groups(r, shape, all, points);
    r->launch.groups[0] = all[0];
    for (int d = 0; d < 3; d++) r->launch.threads[d] = shape->threads[d];
    if (shape->tall) to->bricks[0] = shape->depth;
    for (int64_t z = 0; z < all[2]; z += MOST_GROUPS)
        for (int64_t y = 0; y < all[1]; y += MOST_GROUPS) {
            to->first[1] = loop->box.lo[1] + y * points[1];
            to->first[2] = loop->box.lo[2] + z * points[2];
            r->launch.groups[1] = smaller(all[1] - y, MOST_GROUPS);
            r->launch.groups[2] = smaller(all[2] - z, MOST_GROUPS);
            if ((shape->far && !put_given(r->l, r->g, r->arguments)) ||
                !device_run(r->l->d->device, kernel, &r->launch))
                return false;
        }
    return true;
}

/* Launches a way; where the device has too little for it, with fewer threads, or the usual way. */
static kata_status launch_way(run *r, device_way *way)
{
    const device_loop *l = r->l;
    while (way) {
        codegen_shape shape = fit(l->loop, way, l->ready->bricks);
        r->launch.local = way->local;
        if (launch_all(r, way->kernel, &shape)) return KATA_OK;
        way = device_is_crowded(l->d->device) ? device_tune_narrow(l, way, &shape) : NULL;
    }
    return l->m->status ? l->m->status : device_failed(l, "failed in");
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
static kata_status run_levels(run *r, device_way *way)
{
    const chain_loop *loop = r->l->loop;
    const int d = loop->kernel->ordered;
    const bool forward = loop->kernel->direction == IR_FORWARD;
    const int64_t lo = loop->box.lo[d], hi = loop->box.hi[d];
    kata_status status = KATA_OK;
    for (int64_t i = 0; i < hi - lo && !status; i++) {
        chain_loop level = *loop;
        device_loop own = *r->l;
        run of_level = *r;
        abi_launch *to = launched(r);
        own.loop = &level;
        of_level.l = &own;
        level.box.lo[d] = to->lo[d] = to->first[d] = forward ? lo + i : hi - 1 - i;
        level.box.hi[d] = to->hi[d] = level.box.lo[d] + 1;
        if (i) status = device_fill_level(&own);
        if (!status) status = launch_way(&of_level, way);
        if (!status) status = end_writes(&own);
    }
    return status;
}

/* Checks the points of a loop, if it has checks, and runs it. */
static kata_status run_points(run *r, device_way *way)
{
    kata_status status = KATA_OK;
    if (r->l->ready->twice) {
        launched(r)->checks = ABI_CHECK;
        status = launch_way(r, way);
        launched(r)->checks = ABI_WRITE;
    }
    if (status) return status;
    if (r->l->ready->by_level) return run_levels(r, way);
    status = launch_way(r, way);
    return status ? status : end_writes(r->l);
}

/* The same, and notes how long it takes. */
static kata_status run_timed(run *r, device_way *way)
{
    device *d = r->l->d->device;
    if (!device_wait(d, DEVICE_WORK)) return device_failed(r->l, "failed before");
    double start = clock_seconds();
    kata_status status = run_points(r, way);
    if (!status && !device_wait(d, DEVICE_WORK)) return device_failed(r->l, "failed in");
    if (!status) device_tune_note(r->l, r->l->ready->tune, clock_seconds() - start);
    return status;
}

/* Numbers the points of the box, along x first. */
static void number_points(abi_launch *to)
{
    to->bricks[0] = to->hi[0] - to->lo[0];
    to->bricks[1] = to->hi[1] - to->lo[1];
    to->bricks[2] = (to->lo[2] * to->bricks[1] + to->lo[1]) * to->bricks[0] + to->lo[0];
}

static kata_status start(const device_loop *l, device_given *g, device_argument *arguments)
{
    const ir_kernel *kernel = l->loop->kernel;
    grid_box bricks = device_bricks_of(&l->loop->box);
    int count = 0;
    int64_t at = 0; /* the partials */
    bool timed = false;
    const bool together = device_tile_sums_has(l);
    device_way *way = device_tune_way(l, &timed);
    kata_status status = way ? KATA_OK : l->m->status;
    arguments[count++] = (device_argument){NULL, g->d->given, g->count};
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p]))
            arguments[count++] =
                (device_argument){l->loop->bindings[p].slot->on_device->memory, NULL, 0};
    for (int i = 0; i < kernel->store_count && l->ready->reduces && !status; i++) {
        if (!ir_param_is_reduction(&kernel->params[kernel->stores[i].param])) continue;
        device_memory *partials = NULL;
        status = l->ready->collects ? device_begin_contributions(l, i, &partials)
                 : together         ? device_tile_sum(l, i, &bricks, &partials, &at)
                                    : device_begin_reduction(l, i, &bricks, &partials);
        arguments[count++] = (device_argument){partials, NULL, 0};
    }
    run r = {l, g, arguments, {.arguments = arguments}};
    if (l->ready->collects) number_points(launched(&r));
    launched(&r)->partials = at;
    if (kernel->check_count && !status) {
        device_memory *flags = NULL;
        status = device_begin_checks(l, &flags, &launched(&r)->flag);
        arguments[count++] = (device_argument){flags, NULL, 0};
    }
    r.launch.argument_count = count;
    if (!status) status = (timed ? run_timed : run_points)(&r, way);
    if (!status && l->ready->collects) status = device_end_contributions(l);
    return !status && l->ready->reduces ? device_end_reductions(l) : status;
}

/* A reduction over no points has a result, too. */
static kata_status reduce_nothing(const device_loop *l)
{
    kata_status status = KATA_OK;
    device_memory *none;
    if (device_tile_sums_has(l)) return KATA_OK;
    for (int i = 0; i < l->loop->kernel->store_count && !status; i++) {
        const ir_param *param = &l->loop->kernel->params[l->loop->kernel->stores[i].param];
        if (ir_param_is_reduction(param) && !ir_param_is_column_reduction(param))
            status = device_begin_reduction(l, i, &l->loop->box, &none);
    }
    return status;
}

kata_status device_run_loop(const device_loop *l)
{
    enum { MOST = 128 };
    const ir_kernel *kernel = l->loop->kernel;
    device_argument few[MOST], *arguments = few;
    if (grid_box_is_empty(&l->loop->box)) return reduce_nothing(l);
    if (l->loop->copy) return device_run_copy(l);
    if (l->loop->sparse) return device_run_sparse(l);
    size_t most = 2 + (size_t)kernel->param_count + (size_t)kernel->store_count;
    if (most > MOST) arguments = calloc(most, sizeof *arguments);
    device_given g = make_given(l);
    kata_status status = arguments && !g.failed ? start(l, &g, arguments) : message_no_memory(l->m);
    if (arguments != few) free(arguments);
    return status;
}
