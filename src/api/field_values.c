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

/* Takes part in reading the next piece, which goes to the first rank (values: or NULL). Returns the
 * number of its points, 0 on failure. */
static int64_t next_piece(api_field_list *list, void *values)
{
    kata_field *field = list->field[list->array];
    kata *k = field->k;
    const chain_slot *slot = field->slot;
    grid_box all = chain_slot_points(slot, &field->boundary);
    int64_t points = grid_box_points(&all);
    int components = list->together ? slot->components : 1;
    store_values of = {.components = components, .first = (int)(list->first / points)};
    of.box = store_piece(&all, list->first % points, MOST_VALUES / components);
    if (exec_read_on_first(&k->exec, slot, &of, list->type[list->array], values, &k->messages)) {
        api_note_error(k);
        return 0;
    }
    int64_t count = grid_box_points(&of.box);
    list->first += count;
    if (list->first < points * (slot->components / components)) return count;
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

void *api_values_of(api_field_list *list)
{
    const kata_field *field = list->field[0];
    const io_source source = api_source(list);
    grid_box all = chain_slot_points(field->slot, &field->boundary);
    int64_t count = grid_box_points(&all) * field->slot->components, here;
    size_t size = (size_t)store_type_bytes(list->type[0]);
    char *values = calloc((size_t)count, size);
    if (!values) api_no_memory(field->k);
    for (int64_t first = 0; values && first < count; first += here) {
        const void *piece;
        here = source.take(source.data, 0, first, &piece);
        if (here) memcpy(values + (size_t)first * size, piece, (size_t)here * size);
        if (here) continue;
        free(values);
        return NULL;
    }
    return values;
}
