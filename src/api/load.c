/* kata_load. A file gives its values piece by piece: beside its own, a field of any size needs
 * little memory meanwhile. */
#include "api/files.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = HOSTILE(1 << 19, 1 << 6) }; /* in a piece */

/* A field that is given the values of a file. */
typedef struct loading {
    kata_field *field;
    const grid_box *box;
    api_loading *file;       /* of ranks, the first one has it */
    int together;            /* components that come point by point; 1: each comes by itself */
    char *piece, *apart;     /* values as they are in the file; those of one component */
    bool reads, deals, some; /* this rank reads; there are others; the field has got some values */
} loading;

static bool make_room(loading *l)
{
    const size_t bytes = (size_t)store_type_bytes(l->file->type);
    if (!l->piece) l->piece = malloc(MOST_VALUES * bytes);
    if (!l->apart && l->together > 1) l->apart = malloc(MOST_VALUES * bytes);
    return l->piece && (l->together == 1 || l->apart);
}

static kata_status read_piece(loading *l, int64_t points)
{
    kata *k = l->field->k;
    const io_reading *from = &l->file->values;
    if (!make_room(l)) return api_no_memory(k);
    return from->next(from->data, points * l->together, l->piece, &k->messages);
}

/* The values of one component in a piece. */
static const void *component_of(const loading *l, int component, int64_t points)
{
    const size_t size = (size_t)store_type_bytes(l->file->type);
    const char *from = l->piece + (size_t)component * size;
    if (!l->reads || l->together == 1) return l->piece;
    for (int64_t i = 0; i < points; i++, from += (size_t)l->together * size)
        memcpy(l->apart + (size_t)i * size, from, size);
    return l->apart;
}

static kata_status put(const loading *l, int component, const grid_box *box, const void *values)
{
    kata *k = l->field->k;
    const chain_slot *slot = l->field->slot;
    if (l->deals)
        return exec_deal(&k->exec, slot, component, box, l->file->type, values, &k->messages);
    store_array one = store_components(slot->array, component, 1);
    store_write(&one, box, l->file->type, values);
    return KATA_OK;
}

/* Of the components from one on that come together. */
static kata_status take_piece(loading *l, int component, const grid_box *box)
{
    kata *k = l->field->k;
    const int64_t points = grid_box_points(box);
    kata_status status = l->reads ? read_piece(l, points) : KATA_OK;
    if (l->deals) status = exec_agree(&k->exec, "kata_load", status, &k->messages);
    for (int i = 0; i < l->together && !status; i++) {
        status = put(l, component + i, box, component_of(l, i, points));
        l->some = true;
    }
    return status;
}

kata_status api_take_values(kata_field *field, const grid_box *box, int together, api_loading *file)
{
    const exec_context *exec = &field->k->exec;
    const int64_t points = grid_box_points(box), most = larger(MOST_VALUES / together, 1);
    loading l = {
        field, box, file, together, NULL, NULL, exec_rank(exec) == 0, exec_ranks_count(exec) > 1,
        false};
    kata_status status = KATA_OK;
    for (int c = 0; c < field->slot->components; c += together)
        for (int64_t first = 0; first < points && !status;) {
            const grid_box piece = store_piece(box, first, most);
            status = take_piece(&l, c, &piece);
            first += grid_box_points(&piece);
        }
    if (status && l.some) api_lose_values(field);
    free(l.piece);
    free(l.apart);
    return status;
}

/* ---- kata_load ------------------------------------------------------------------------------- */

/* What is loaded from where. */
typedef struct load {
    kata_field *field;
    const api_format *format;
    const char *path;
    grid_box box;
    api_loading file;
} load;

static kata_status take(load *l)
{
    const int together = l->format->takes & API_TOGETHER ? l->field->slot->components : 1;
    return api_take_values(l->field, &l->box, together, &l->file);
}

/* Traces call it a put: a record, which loads what a program has put, has the same trace. */
static kata_status load_alone(load *l)
{
    static const grid_box none; /* what a file does not give stays */
    kata_field *field = l->field;
    kata_status status = l->format->load(field, l->path, &l->file);
    if (!status) status = api_begin_put(field, &none);
    if (status) return status;
    ir_value *before = api_trace_before(field);
    status = take(l);
    if (!status) return api_end_put(field, "kata_put", &l->box, before);
    free(before);
    return status;
}

/* The first rank reads, and sends the others their values. */
static kata_status load_on_ranks(load *l)
{
    kata_field *field = l->field;
    kata *k = field->k;
    kata_status status = api_flush(k, "kata_load");
    uint64_t hash = hash_bytes(field->name, strlen(field->name), 0);
    if (!status) status = exec_meet(&k->exec, "kata_load", hash, &k->messages);
    if (status) return status;
    if (exec_rank(&k->exec) == 0) status = l->format->load(field, l->path, &l->file);
    status = exec_agree(&k->exec, "kata_load", status, &k->messages);
    if (!status) status = exec_deal_begin(&k->exec, field->slot, api_deals(k), &k->messages);
    if (!status) status = take(l);
    return status ? status : api_note_put(field, &l->box);
}

static kata_status load_field(kata_field *field, const char *path)
{
    if (!field) return api_null("kata_load", "the field");
    kata *k = field->k;
    if (!path) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_load: the path is NULL");
    if (k->messages.status || api_check_unmapped(field, "kata_load")) return k->messages.status;
    if (api_check_host(field, "kata_load")) return k->messages.status;
    if (api_output_wait(k)) return k->messages.status;
    const kata_range all = kata_on(field);
    load l = {.field = field, .path = path, .box = api_field_box(field, &all)};
    l.file.type = field->slot->type;
    l.format = api_format_for_reading(k, "kata_load", path);
    if (!l.format) return k->messages.status;
    kata_status status = exec_ranks_count(&k->exec) > 1 ? load_on_ranks(&l) : load_alone(&l);
    if (l.file.values.end) l.file.values.end(l.file.values.data);
    api_note_error(k);
    return status;
}

kata_status kata_load(kata_field *field, const char *path)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = load_field(field, path);
    rounding_leave(&own);
    return status;
}
