/* Copies between fields on a device. */
#include "exec/on_device.h"

static void steps_of(const abi_place *place, int64_t steps[3])
{
    steps[0] = 1;
    steps[1] = place->y;
    steps[2] = place->z;
}

static abi_copy copy_of(const chain_loop *loop)
{
    const abi_place *to = &loop->bindings[CHAIN_COPY_TO].slot->on_device->place;
    const abi_place *from = &loop->bindings[CHAIN_COPY_FROM].slot->on_device->place;
    const chain_copy *map = loop->copy;
    int64_t steps[3];
    abi_copy copy = {.to = to->at,
                     .to_component = to->component,
                     .from = from->at,
                     .from_component = from->component};
    steps_of(to, copy.to_step);
    steps_of(from, steps);
    for (int d = 0; d < 3; d++) {
        copy.size[d] = loop->box.hi[d] - loop->box.lo[d];
        copy.to += loop->box.lo[d] * copy.to_step[d];
        copy.from += chain_copy_index(map, d, loop->box.lo) * steps[d];
        copy.from_step[map->axis[d]] = map->sign[d] * steps[d];
    }
    return copy;
}

kata_status device_run_copy(const device_loop *l)
{
    chain_slot *to = l->loop->bindings[CHAIN_COPY_TO].slot;
    const chain_slot *from = l->loop->bindings[CHAIN_COPY_FROM].slot;
    abi_copy copy = copy_of(l->loop);
    device_kernel *kernel = device_copy_kernel(l, ir_storages[to->type].bytes);
    if (!kernel) return l->m->status;
    const device_argument arguments[] = {{NULL, &copy, sizeof copy},
                                         {to->on_device->memory, NULL, 0},
                                         {from->on_device->memory, NULL, 0}};
    int64_t points = grid_box_points(&l->loop->box);
    device_launch launch = {
        .groups = {-floor_divide(-points, CODEGEN_COPY_THREADS), to->components, 1},
        .threads = {CODEGEN_COPY_THREADS, 1, 1},
        .arguments = arguments,
        .argument_count = 3};
    if (!device_run(l->d->device, kernel, &launch)) return device_failed(l, "failed in");
    store_device_changed(to);
    return KATA_OK;
}
