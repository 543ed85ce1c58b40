/* Copies between the fields of random chains: of boxes of any size, turned and reversed. */
#include "plan_world.h"

#include "legality/legality.h"

#include <stdlib.h>
#include <string.h>

/* For one component, and for two. */
static const ir_kernel *copy_kernel(int components)
{
    static const char text[] =
        "kernel one(in double from, out double to) { to = from; }\n"
        "kernel two(in double from[2], out double to[2]) { to[0] = from[0]; to[1] = from[1]; }\n";
    static lang_module *module;
    messages m = {0};
    if (!module && lang_compile("copies", text, strlen(text), &(lang_options){0}, &m, &module))
        abort();
    return module->kernels[components - 1];
}

/* A field of the world, on either grid. */
static const world_field *any_field(world *w)
{
    int64_t count = w->field_count + (w->has_ratios ? WORLD_FINE : 0),
            f = world_from(w, 0, count - 1);
    return f < w->field_count ? &w->fields[f] : &w->fine[f - w->field_count];
}

/* A permutation of the axes with signs, no axis of which leads into a field that is too thin. */
static void draw_map(world *w, const grid_box *to, const grid_box *from, chain_copy *map,
                     grid_box *box)
{
    for (int d = 0; d < 3; d++) map->axis[d] = d;
    for (int d = 2; d > 0; d--) {
        int64_t other = world_from(w, 0, d), axis = map->axis[d];
        map->axis[d] = map->axis[other];
        map->axis[other] = axis;
    }
    for (int d = 0; d < 3; d++) {
        int64_t e = map->axis[d], room = to->hi[e] - to->lo[e], other = from->hi[d] - from->lo[d];
        int64_t least = smaller(room, other),
                count = world_from(w, world_chance(w, 50) ? least : 1, least);
        int64_t first = from->lo[d] + world_from(w, 0, other - count);
        map->sign[d] = world_chance(w, 50) ? 1 : -1;
        box->lo[e] = to->lo[e] + world_from(w, 0, room - count);
        box->hi[e] = box->lo[e] + count;
        map->shift[d] = map->sign[d] > 0 ? first - box->lo[e] : first + box->hi[e] - 1;
    }
}

void world_try_copy(world *w)
{
    const world_field *ends[2] = {any_field(w), any_field(w)};
    chain_binding bindings[2] = {{0}};
    chain_copy map;
    for (int p = 0; p < 2; p++) {
        bindings[p].slot = ends[p]->slot;
        bindings[p].name = ends[p]->name;
        bindings[p].boundary = &ends[p]->boundary;
    }
    chain_loop loop = {.kernel = copy_kernel(ends[CHAIN_COPY_TO]->slot->components),
                       .shape = chain_slot_grid(ends[CHAIN_COPY_TO]->slot),
                       .bindings = bindings};
    grid_box to = chain_binding_inside(&bindings[CHAIN_COPY_TO]);
    grid_box from = chain_binding_inside(&bindings[CHAIN_COPY_FROM]);
    draw_map(w, &to, &from, &map, &loop.box);
    loop.copy = chain_keep_copy(&w->chain, &map);
    message_clear(&w->m);
    if (!loop.copy) abort();
    if (legality_check_copy(&loop, &w->m) != KATA_OK) return;
    if (chain_append(&w->chain, &loop, &w->m) != KATA_OK) abort();
    if (analysis_writes_all(&loop, CHAIN_COPY_TO)) bindings[CHAIN_COPY_TO].slot->discarded = false;
}
