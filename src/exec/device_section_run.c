/* Running some loops at once. The last of them writes what the first does; what the others write
 * stays in registers. The fields of all of them are there, with what is around them. */
#include "exec/device_tune.h"

bool device_section_wraps(const chain_loop *loop, int from, int d)
{
    const chain_binding *b = &loop->bindings[from];
    return grid_boundary_is_periodic(b->boundary, d) && !b->slot->staggered[d] &&
           !b->slot->ghosts[d] && b->slot->shape.size[d] == loop->shape.size[d] &&
           loop->box.lo[d] == 0 && loop->box.hi[d] == loop->shape.size[d];
}

/* The dimensions along which the loops find what lies beyond a side at the other end: all points
 * run there. */
static void give_section(device_given *g, const device_loop *l, const codegen_section *s)
{
    const chain_loop *loop = l->loop;
    const chain_slot *from = loop->bindings[s->from].slot, *to = loop->bindings[s->to].slot;
    const grid_box room = grid_box_intersect(&from->on_device->room, &to->on_device->room);
    abi_section *given = device_give(g, sizeof *given);
    if (!given) return;
    for (int d = 0; d < 3; d++) {
        const bool wraps = device_section_wraps(loop, s->from, d);
        given->low[d] = wraps ? loop->box.lo[d] : room.lo[d];
        given->high[d] = wraps ? loop->box.hi[d] : room.hi[d];
        given->period[d] = wraps ? loop->box.hi[d] - loop->box.lo[d] : 0;
    }
    given->chunk = s->chunk;
}

static device_given make_given(const device_loop *loops, const codegen_section *s)
{
    device_given g = {.d = loops->d};
    device_give_launch(&g, loops->loop);
    device_give_places(&g, loops);
    give_section(&g, loops, s);
    for (int i = 0; i < s->steps; i++) device_give_numbers(&g, loops[i].loop);
    return g;
}

static void count_groups(const device_loop *l, device_way *way, device_launch *launch)
{
    const codegen_section *s = &way->section;
    const chain_loop *loop = l->loop;
    const abi_launch *to = (const abi_launch *)(const void *)l->d->given;
    const int64_t points[3] = {way->gives[0], way->gives[1], s->chunk};
    for (int d = 0; d < 3; d++)
        launch->groups[d] = -floor_divide(-(loop->box.hi[d] - to->first[d]), points[d]);
    launch->threads[0] = s->threads[0];
    launch->threads[1] = s->threads[1];
    launch->threads[2] = 1;
    launch->local = way->local;
}

kata_status device_run_at_once(const device_loop *loops, device_way *way, bool *ran)
{
    enum { MOST = 66 };
    const ir_kernel *kernel = loops->loop->kernel;
    device_argument arguments[MOST];
    device_launch launch = {.arguments = arguments};
    const device_given g = make_given(loops, &way->section);
    if (g.failed) return message_no_memory(loops->m);
    arguments[launch.argument_count++] = (device_argument){NULL, g.d->given, g.count};
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p]))
            arguments[launch.argument_count++] =
                (device_argument){loops->loop->bindings[p].slot->on_device->memory, NULL, 0};
    count_groups(loops, way, &launch);
    *ran = device_run(loops->d->device, way->kernel, &launch);
    if (!*ran)
        return device_is_crowded(loops->d->device) ? KATA_OK : device_failed(loops, "failed in");
    store_device_changed(loops->loop->bindings[way->section.to].slot);
    return KATA_OK;
}
