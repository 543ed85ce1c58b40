/* Where the elements of a mesh lie: arrays and loops count their places, programs their numbers.
 *
 * Reading and writing values (store_read, store_write) goes from one to the other, so that files,
 * kata_get and kata_put know nothing of it. What shows memory itself, or computes a part of the
 * elements, puts all of them back to where their numbers say. */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

kata_status api_mesh_order(kata *k, api_mesh *mesh, kata_order order)
{
    grid_places places[3];
    const bool shows_points = k->record || k->exec.trace; /* which are those of arrays */
    if (order == KATA_ORDER_GIVEN || shows_points) return KATA_OK;
    grid_nearness nearness = order == KATA_ORDER_NEAR ? GRID_NEAR_ALWAYS : GRID_NEAR_IF_BETTER;
    arena *memory = &k->memory;
    kata_status status =
        grid_mesh_find_places(&mesh->given, nearness, places, memory, &k->messages);
    bool found = !status && places[0].place;
    if (found) status = grid_mesh_place(&mesh->given, places, &mesh->tables, memory, &k->messages);
    for (int kind = 0; kind < 3; kind++) mesh->as.placed[kind] = found;
    api_note_error(k);
    return status;
}

/* Moves the values of a slot. */
static kata_status put_back(kata *k, chain_slot *slot)
{
    kata_status status = api_make_whole(k, slot);
    store_array *a = slot->array;
    if (status || !a) return status;
    const grid_box box = chain_slot_memory(slot);
    size_t bytes = (size_t)(grid_box_points(&box) * a->components * store_type_bytes(a->type));
    void *room = malloc(bytes + 1);
    if (!room) return api_no_memory(k);
    store_read(a, &box, a->components, a->type, room);
    a->place = NULL;
    store_write(a, &box, a->type, room);
    slot->version++;
    free(room);
    return KATA_OK;
}

kata_status api_mesh_as_given(const kata_grid *grid, const char *call)
{
    api_mesh *mesh = grid->mesh;
    if (!mesh || !mesh->as.placed[0]) return KATA_OK;
    kata *k = grid->k;
    kata_status status = api_flush(k, call);
    for (struct api_slot *s = k->slots; s && !status; s = s->next)
        if (s->slot.mesh == &mesh->tables) status = put_back(k, &s->slot);
    if (status) return status;
    mesh->tables = mesh->given;
    memset(mesh->as.placed, 0, sizeof mesh->as.placed);
    memset(mesh->hidden, 0, sizeof mesh->hidden);
    mesh->kernels = NULL; /* they read numbers of elements */
    return KATA_OK;
}

kata_status api_mesh_part(const kata_range *range, kata_location on, const char *call)
{
    const kata_grid *grid = range ? range->grid : NULL;
    if (!grid || !grid->mesh || !on || range->rank != grid->shape.rank) return KATA_OK;
    const grid_box box = api_mesh_box(grid, range, on);
    const grid_box shown = api_mesh_shown(grid, &box);
    const bool all = shown.lo[0] == 0 && shown.hi[0] == grid->mesh->tables.count[on - KATA_CELLS];
    return all ? KATA_OK : api_mesh_as_given(grid, call);
}
