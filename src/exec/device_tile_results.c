/* What sections whose tiles were summed together have left on the device: it is fetched, and
 * combined in the one order of reductions, behind the last section, or before somebody needs a
 * result. */
#include "exec/device_tile_sums.h"

#include "exec/device_trees.h"

#include <stdlib.h>

int64_t device_tile_sums_room(const struct exec_device *d)
{
    enum { PART = 512, SMALL = 16, LEAST = 1 << 13 };
    return larger(d->limit / PART, smaller(d->limit / SMALL, LEAST));
}

void device_tile_sums_release(struct device_tile_sums *s)
{
    for (int i = 0; i < DEVICE_TILE_SUMS; i++) {
        if (s->partials[i]) s->partials[i]->used = false;
        s->partials[i] = NULL;
    }
    if (s->results) s->results->used = false;
    s->results = NULL;
    s->run = NULL;
}

/* Whether it is what a tile has left of a reduction. */
static bool is_of(const device_tile_left *t, int loop, int store)
{
    return t->loop == loop && t->store == store;
}

/* The box of what is left of the partials of a tile. */
static grid_box left_of(const device_tile_left *t)
{
    grid_box box = t->bricks;
    for (int d = 0; d < t->cut; d++) {
        box.lo[d] = 0;
        box.hi[d] = 1;
    }
    return box;
}

/* Puts what tiles have left of a reduction to its place in the box of all of it. */
static void place(const device_tile_left *t, const ir_value *from, const grid_box *whole,
                  ir_value *to)
{
    const grid_box box = left_of(t);
    const int64_t rows = whole->hi[1] - whole->lo[1];
    for (int64_t z = box.lo[2]; z < box.hi[2]; z++)
        for (int64_t y = box.lo[1]; y < box.hi[1]; y++)
            to[(z - whole->lo[2]) * rows + y - whole->lo[1]] = *from++;
}

static kata_status set_result(const device_loop *l, const device_tile_ended *e, int number,
                              int store, const ir_value *results)
{
    const device_tile_left *all = l->d->tile_sums->all + e->first;
    grid_box whole = {{0, 0, 0}, {0, 0, 0}};
    for (size_t i = 0; i < e->count; i++) {
        const grid_box left = left_of(&all[i]);
        if (!is_of(&all[i], number, store)) continue;
        whole = grid_box_is_empty(&whole) ? left : grid_box_hull(&whole, &left);
    }
    ir_value *values = calloc((size_t)grid_box_points(&whole) + 1, sizeof *values);
    for (size_t i = 0; i < e->count && values; i++)
        if (is_of(&all[i], number, store)) place(&all[i], results + all[i].to, &whole, values);
    const device_waiting w = {.loop = l->loop, .store = store};
    kata_status status =
        values ? device_set_result(&w, &whole, values, l->m) : message_no_memory(l->m);
    free(values);
    return status;
}

/* Sets what a loop reduces into, whether or not it has run on some points. */
static kata_status set_results(const device_loop *l, const device_tile_ended *e, int number,
                               const ir_value *results)
{
    const ir_kernel *kernel = l->loop->kernel;
    kata_status status = KATA_OK;
    for (int i = 0; i < kernel->store_count && !status; i++)
        if (ir_param_is_reduction(&kernel->params[kernel->stores[i].param]))
            status = set_result(l, e, number, i, results);
    if (!status) store_log(l->loop);
    return status;
}

/* Fetches all results; NULL, reported, when that fails. */
static ir_value *fetch(const device_loop *l, const device_tile_ended *e)
{
    const size_t bytes = e->results->bytes;
    const device_box box = {.row = bytes, .rows = 1, .planes = 1};
    ir_value *results = malloc(bytes);
    if (!results)
        message_no_memory(l->m);
    else if (!device_get(l->d->device, e->results->memory, results, &box))
        device_failed(l, "failed before");
    else
        return results;
    free(results);
    return NULL;
}

static kata_status settle(const stream_run *run, const device_tile_ended *e)
{
    device_loop l = {run->context, run->context->device, run->a->loops[e->begin].loop, run->m,
                     NULL};
    ir_value *results = fetch(&l, e);
    kata_status status = results ? KATA_OK : run->m->status;
    for (int n = e->begin; n < e->end && !status; n++) {
        l.loop = run->a->loops[n].loop;
        if (device_tile_reduces(&run->a->loops[n])) status = set_results(&l, e, n, results);
    }
    free(results);
    return status;
}

kata_status device_tile_sums_settle(const stream_run *run)
{
    struct device_tile_sums *s = run->context->device->tile_sums;
    kata_status status = KATA_OK;
    for (size_t i = 0; s && i < s->ended_count && !status; i++) {
        status = settle(run, &s->ended[i]);
        s->ended[i].results->used = false;
    }
    if (!s || status) return status;
    s->ended_count = 0;
    s->kept = 0;
    if (!s->run) s->count = 0;
    return status;
}

kata_status device_tile_sums_leave(stream_run *run)
{
    struct exec_device *d = run->context->device;
    struct device_tile_sums *s = d->tile_sums;
    void *all = s->ended;
    if (!vector_reserve(&all, &s->ended_room, s->ended_count + 1, sizeof *s->ended))
        return message_no_memory(run->m);
    s->ended = all;
    s->ended[s->ended_count++] =
        (device_tile_ended){run->begin, run->end, s->first, s->count - s->first, s->results};
    s->kept += (int64_t)s->results->bytes;
    for (int n = run->begin; n < run->end; n++)
        run->met[n] = run->met[n] || device_tile_reduces(&run->a->loops[n]);
    s->results = NULL;
    device_tile_sums_release(s);
    run->later = false;
    return s->kept <= device_tile_sums_room(d) ? KATA_OK : device_tile_sums_settle(run);
}
