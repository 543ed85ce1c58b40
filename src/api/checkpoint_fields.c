/* The values of all fields, for a checkpoint and from one: piece by piece, so that ranks need
 * little memory, and with the checksums of all pieces. */
#include "api/checkpoint.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1 << 19 }; /* in a piece: files depend on it, so no build has another */

/* ---- datasets -------------------------------------------------------------------------------- */

/* Types whose values are stored as codes are written as these. */
static kata_type type_of(const chain_slot *slot)
{
    kata_type type = slot->type;
    if (type == KATA_F16 || type == KATA_BF16) return KATA_U16;
    return type == KATA_UNORM8 ? KATA_U8 : type;
}

io_array checkpoint_array_of(const kata_field *field)
{
    const chain_slot *slot = field->slot;
    const grid_box all = chain_slot_memory(slot);
    io_array a = {.type = type_of(slot)};
    if (slot->components > 1) a.size[a.axes++] = slot->components;
    for (int d = slot->shape.rank - 1; d >= 0; d--)
        if (!slot->absent_axis[d]) a.size[a.axes++] = all.hi[d] - all.lo[d];
    if (!a.axes) a.size[a.axes++] = 1;
    return a;
}

static void add(checkpoint_set *set, const char *name, io_array array, kata_field *field)
{
    set->arrays[set->count] = (io_named_array){name, array, NULL};
    set->fields[set->count++] = field;
}

bool checkpoint_set_open(kata *k, checkpoint_bytes *state, checkpoint_set *set)
{
    size_t count = 2;
    *set = (checkpoint_set){.k = k, .state = state};
    for (const kata_field *f = k->fields; f; f = f->next) count++;
    set->arrays = calloc(count, sizeof *set->arrays);
    set->fields = calloc(count, sizeof *set->fields);
    set->checksums = calloc(count, sizeof *set->checksums);
    if (!set->arrays || !set->fields || !set->checksums) return false;
    io_array bytes = {.type = KATA_U8, .axes = 1, .size = {(int64_t)state->count}};
    add(set, CHECKPOINT_STATE, bytes, NULL);
    for (kata_field *f = k->fields; f; f = f->next)
        if (!f->slot->temporary && checkpoint_dataset_of(f, state))
            add(set, f->name, checkpoint_array_of(f), f);
    io_array numbers = {.type = KATA_I64, .axes = 1, .size = {set->count}};
    add(set, CHECKPOINT_CHECKSUMS, numbers, NULL);
    return true;
}

void checkpoint_set_free(checkpoint_set *set)
{
    free(set->arrays);
    free(set->fields);
    free(set->checksums);
    free(set->piece);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void hash_piece(int64_t *checksum, const void *values, int64_t bytes)
{
    *checksum = (int64_t)hash_bytes(values, (size_t)bytes, (uint64_t)*checksum);
}

/* The piece of a field's values from number `first` on. */
static store_values piece_at(const chain_slot *slot, int64_t first)
{
    const grid_box all = chain_slot_memory(slot);
    const int64_t points = grid_box_points(&all);
    store_values of = {.components = 1, .first = (int)(first / points)};
    of.box = store_piece(&all, first % points, MOST_VALUES);
    return of;
}

/* Takes part in reading the next piece, which goes to the first rank (values: or NULL). Returns the
 * number of its values, 0 on failure. */
static int64_t next_piece(checkpoint_set *set, void *values)
{
    kata *k = set->k;
    chain_slot *slot = set->fields[set->array]->slot;
    const store_values of = piece_at(slot, set->first);
    const int64_t count = grid_box_points(&of.box);
    if (exec_read_on_first(&k->exec, slot, &of, slot->type, values, &k->messages)) {
        api_note_error(k);
        return 0;
    }
    if (values)
        hash_piece(&set->checksums[set->array], values, count * store_type_bytes(slot->type));
    set->first += count;
    if (set->first < io_array_count(&set->arrays[set->array].array)) return count;
    set->array++;
    set->first = 0;
    return count;
}

static int64_t take_bytes(checkpoint_set *set, int i, const void **values)
{
    const bool is_state = i == 0;
    *values = is_state ? (const void *)set->state->data : set->checksums;
    const int64_t count = io_array_count(&set->arrays[i].array);
    if (is_state) hash_piece(&set->checksums[0], *values, count);
    set->array++;
    return count;
}

static int64_t take(void *data, int i, int64_t first, const void **values)
{
    enum { MOST_BYTES = 8 };
    checkpoint_set *set = data;
    if (i != set->array || first != set->first) abort(); /* a defect of a writer */
    if (!set->fields[i]) return take_bytes(set, i, values);
    if (!set->piece) set->piece = malloc((size_t)MOST_VALUES * MOST_BYTES);
    if (!set->piece) api_no_memory(set->k);
    *values = set->piece;
    return set->piece ? next_piece(set, set->piece) : 0;
}

io_source checkpoint_source(checkpoint_set *set) { return (io_source){.data = set, .take = take}; }

void checkpoint_end_values(checkpoint_set *set)
{
    if (exec_ranks_count(&set->k->exec) == 1) return;
    if (set->array == 0) set->array++;
    while (set->array < set->count - 1 && next_piece(set, NULL)) continue;
}

kata_status checkpoint_checksum(const kata_field *field, const io_reading *from, int64_t *checksum,
                                messages *m)
{
    const chain_slot *slot = field->slot;
    const io_array a = checkpoint_array_of(field);
    const int64_t all = io_array_count(&a), bytes = store_type_bytes(slot->type);
    void *values = malloc((size_t)MOST_VALUES * (size_t)bytes);
    kata_status status = values ? KATA_OK : message_no_memory(m);
    *checksum = 0;
    for (int64_t first = 0, count; first < all && !status; first += count) {
        const store_values of = piece_at(slot, first);
        count = grid_box_points(&of.box);
        status = from->next(from->data, count, values, m);
        if (!status) hash_piece(checksum, values, count * bytes);
    }
    free(values);
    return status;
}

/* ---- back ------------------------------------------------------------------------------------ */

kata_status checkpoint_take_values(kata_field *field, api_loading *file)
{
    kata *k = field->k;
    chain_slot *slot = field->slot;
    const grid_box box = chain_slot_memory(slot);
    kata_status status = exec_ranks_count(&k->exec) > 1
                             ? exec_deal_begin(&k->exec, slot, api_deals(k), &k->messages)
                             : api_begin_put(field, &box);
    if (!status) status = api_take_values(field, &box, 1, file);
    return status ? status : api_note_put(field, &box);
}
