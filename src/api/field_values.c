/* The values of fields, for files: the first rank gets them piece by piece, in the order in which
 * files have them. */
#include "api/files.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = HOSTILE(1 << 19, 1 << 6) }; /* in a piece, unless a point has more */

kata_type api_file_type(kata_type type)
{
    bool narrow = ir_storages[type].coded && ir_type_is_floating(ir_type_of_storage(type));
    return narrow ? KATA_F32 : type;
}

kata_status api_begin_values(api_field_list *list)
{
    kata *k = list->field[0]->k;
    uint64_t hash = (uint64_t)list->count;
    list->array = 0;
    list->first = 0;
    for (int i = 0; i < list->count; i++) {
        const kata_field *field = list->field[i];
        grid_box all = chain_slot_points(field->slot, &field->boundary);
        kata_status status = api_check_value(field, list->call, &all);
        if (status) return status;
        hash = hash_bytes(field->name, strlen(field->name), hash);
    }
    kata_status status = api_flush(k, list->call);
    if (!status) status = exec_meet(&k->exec, list->call, hash, &k->messages);
    for (int i = 0; i < list->count && !status; i++)
        status = exec_tell_changes(&k->exec, list->field[i]->slot, &k->messages);
    api_note_error(k);
    return status;
}

int api_components_of(const api_field_list *list, int i)
{
    return list->component[i] ? 1 : list->field[i]->slot->components;
}

/* Takes part in reading the next piece, which goes to the first rank (values: or NULL). Returns the
 * number of its points, 0 on failure. */
static int64_t next_piece(api_field_list *list, void *values)
{
    kata_field *field = list->field[list->array];
    kata *k = field->k;
    chain_slot *slot = field->slot;
    grid_box all = chain_slot_points(slot, &field->boundary);
    int64_t points = grid_box_points(&all);
    int components = list->together ? api_components_of(list, list->array) : 1;
    store_values of = {.components = components, .first = (int)(list->first / points)};
    if (list->component[list->array]) of.first = list->component[list->array] - 1;
    of.box = store_piece(&all, list->first % points, MOST_VALUES / components);
    if (exec_read_on_first(&k->exec, slot, &of, list->type[list->array], values, &k->messages)) {
        api_note_error(k);
        return 0;
    }
    int64_t count = grid_box_points(&of.box);
    list->first += count;
    if (list->first < points * (api_components_of(list, list->array) / components)) return count;
    list->array++;
    list->first = 0;
    return count;
}

static int64_t take_piece(void *data, int i, int64_t first, const void **values)
{
    enum { MOST_BYTES = 8 };
    api_field_list *list = data;
    if (i != list->array || first != list->first) abort(); /* a defect of a writer */
    int64_t count = larger(MOST_VALUES, list->field[i]->slot->components);
    if (!list->piece) list->piece = malloc((size_t)count * MOST_BYTES);
    if (!list->piece) api_no_memory(list->field[i]->k);
    *values = list->piece;
    return list->piece ? next_piece(list, list->piece) : 0;
}

io_source api_source(api_field_list *list) { return (io_source){.data = list, .take = take_piece}; }

void api_end_values(api_field_list *list)
{
    kata *k = list->field[0]->k;
    bool alone = exec_ranks_count(&k->exec) == 1;
    free(list->piece);
    list->piece = NULL;
    while (!alone && list->array < list->count && next_piece(list, NULL)) continue;
}

/* The most bytes of the next piece. */
static size_t bytes_of_next(const api_field_list *list)
{
    const kata_field *field = list->field[list->array];
    grid_box all = chain_slot_points(field->slot, &field->boundary);
    int64_t components = api_components_of(list, list->array);
    int64_t values = (grid_box_points(&all) * components) - list->first;
    if (list->together) values = (grid_box_points(&all) - list->first) * components;
    return (size_t)smaller(values, larger(MOST_VALUES, components)) *
           (size_t)store_type_bytes(list->type[list->array]);
}

void api_copy_values(api_field_list *list, io_behind *behind)
{
    while (list->array < list->count && io_behind_wants_more(behind)) {
        void *room = io_behind_room(behind, bytes_of_next(list));
        if (!room) api_no_memory(list->field[0]->k);
        int64_t count = room ? next_piece(list, room) : 0;
        if (!count) return;
        io_behind_add(behind, count);
    }
}
