/* Values of fields that are dealt out, for the program and its files: piece by piece, from the
 * ranks whose own they are to all ranks or the first one, so that little memory is needed. */
#include "exec/ranks.h"

#include <stdlib.h>
#include <string.h>

enum { ALL_RANKS = -1, MOST_BYTES = HOSTILE(4 << 20, 1 << 9) };

kata_status exec_meet(exec_context *context, const char *what, uint64_t hash, messages *m)
{
    return context->ranks ? ranks_meet(context->ranks, hash, m, "%s", what) : KATA_OK;
}

void exec_note_values(exec_context *context, const chain_slot *slot, const grid_box *box)
{
    if (!context->ranks || grid_box_is_empty(box)) return;
    int64_t points = grid_box_points(box), bytes = store_type_bytes(slot->type);
    char *values = malloc(MOST_BYTES);
    if (!values) comm_give_up(context->ranks->comm, "out of memory");
    for (int c = 0; c < slot->components; c++) {
        const store_array one = store_components(slot->array, c, 1);
        for (int64_t first = 0, count; first < points; first += count) {
            grid_box piece = store_piece(box, first, MOST_BYTES / bytes);
            count = grid_box_points(&piece);
            store_pack(&one, &piece, values);
            exec_note_put(context, values, (size_t)(count * bytes));
        }
    }
    free(values);
}

kata_status exec_share(exec_context *context, char **bytes, size_t *count, messages *m)
{
    struct exec_ranks *r = context->ranks;
    if (!r) return KATA_OK;
    const bool first = comm_rank(r->comm) == 0;
    kata_status status = comm_gather_starts(r->comm, first ? *count : 0, r->starts, m);
    if (!status) status = ranks_gather_known(r, first ? *bytes : NULL, m);
    if (status || first) return status;
    *count = r->starts[comm_ranks(r->comm)];
    *bytes = malloc(*count + 1);
    if (!*bytes) comm_give_up(r->comm, "out of memory");
    memcpy(*bytes, r->gathered.data, *count);
    return KATA_OK;
}

/* The values that a box of a rank's own gives. */
static store_values given_by(const struct exec_ranks *r, const chain_slot *slot,
                             const store_values *of, int box)
{
    grid_box own = plan_own_box(slot, &r->box, box);
    return (store_values){grid_box_intersect(&own, &of->box), of->first, of->components};
}

static size_t bytes_of(const chain_slot *slot, const store_values *of)
{
    if (grid_box_is_empty(&of->box)) return 0;
    return (size_t)(grid_box_points(&of->box) * of->components * store_type_bytes(slot->type));
}

static void find_starts(struct exec_ranks *r, const chain_slot *slot, const store_values *of)
{
    size_t at = 0;
    for (int i = 0; i < comm_ranks(r->comm); i++) {
        r->starts[i] = at;
        for (int b = r->box.first[i]; b < r->box.first[i + 1]; b++) {
            store_values part = given_by(r, slot, of, b);
            at += bytes_of(slot, &part);
        }
    }
    r->starts[comm_ranks(r->comm)] = at;
}

/* One message from each rank that has some of the values to the first one. */
static kata_status send_to_first(struct exec_ranks *r, void *mine, messages *m)
{
    int me = comm_rank(r->comm), ranks = comm_ranks(r->comm), count = 0;
    comm_message *list = calloc((size_t)ranks, sizeof *list);
    if (!list) comm_give_up(r->comm, "out of memory");
    if (me == 0) ranks_make_room(r, &r->gathered, r->starts[ranks] + 1);
    size_t bytes = r->starts[me + 1] - r->starts[me];
    if (me == 0) memcpy(r->gathered.data, mine, bytes);
    if (me > 0 && bytes) list[count++] = (comm_message){0, true, mine, bytes};
    for (int i = 1; i < ranks && me == 0; i++) {
        bytes = r->starts[i + 1] - r->starts[i];
        if (bytes) list[count++] = (comm_message){i, false, r->gathered.data + r->starts[i], bytes};
    }
    kata_status status = comm_exchange(r->comm, list, count, m);
    free(list);
    return status;
}

/* Puts together what r->gathered has, and reads it as the program wants it. */
static void assemble(struct exec_ranks *r, const chain_slot *slot, const store_values *of,
                     kata_type type, void *values)
{
    store_array like = {.type = slot->type, .components = of->components};
    like.box = like.room = of->box;
    store_array *piece = store_array_make(&like, KATA_ARRAYS, false);
    if (!piece) comm_give_up(r->comm, "out of memory");
    const char *from = r->gathered.data; /* boxes follow one another, in the order of ranks */
    for (int b = 0; b < r->box.first[r->box.total]; b++) {
        store_values part = given_by(r, slot, of, b);
        if (grid_box_is_empty(&part.box)) continue;
        store_unpack(piece, &part.box, from);
        from += bytes_of(slot, &part);
    }
    store_read(piece, &of->box, of->components, type, values);
    store_array_free(piece);
}

/* Packs what this rank gives, box by box. */
static void pack_own(const struct exec_ranks *r, const chain_slot *slot, const store_values *of,
                     char *to)
{
    const store_array own = store_components(slot->part->slot.array, of->first, of->components);
    for (int b = r->box.first[r->box.rank]; b < r->box.first[r->box.rank + 1]; b++) {
        store_values part = given_by(r, slot, of, b);
        if (grid_box_is_empty(&part.box)) continue;
        store_pack(&own, &part.box, to);
        to += bytes_of(slot, &part);
    }
}

static kata_status collect(struct exec_ranks *r, const chain_slot *slot, const store_values *of,
                           int to, kata_type type, void *values, messages *m)
{
    find_starts(r, slot, of);
    const int me = r->box.rank;
    char *mine = malloc(r->starts[me + 1] - r->starts[me] + 1);
    if (!mine) comm_give_up(r->comm, "out of memory");
    pack_own(r, slot, of, mine);
    kata_status status =
        to == ALL_RANKS ? ranks_gather_known(r, mine, m) : send_to_first(r, mine, m);
    free(mine);
    if (!status && values) assemble(r, slot, of, type, values);
    return status;
}

/* Programs and files count the elements of a mesh by numbers, which may lie anywhere. */
static kata_status gather_elements(struct exec_ranks *r, chain_slot *slot, messages *m)
{
    return slot->part && slot->mesh ? ranks_make_whole(r, slot, m) : KATA_OK;
}

kata_status exec_read_on_first(exec_context *context, chain_slot *slot, const store_values *of,
                               kata_type type, void *values, messages *m)
{
    kata_status status = gather_elements(context->ranks, slot, m);
    if (status) return status;
    if (slot->part) return collect(context->ranks, slot, of, 0, type, values, m);
    if (values) store_read_slot(slot, of, type, values);
    return KATA_OK;
}

/* One component after another, as values lie in plain order. */
static kata_status collect_box(struct exec_ranks *r, const chain_slot *slot, const grid_box *box,
                               kata_type type, char *values, messages *m)
{
    kata_status status = KATA_OK;
    int64_t points = grid_box_points(box), bytes = store_type_bytes(type);
    for (int c = 0; c < slot->components; c++)
        for (int64_t first = 0, count; first < points && !status; first += count) {
            store_values of = {store_piece(box, first, MOST_BYTES / bytes), c, 1};
            count = grid_box_points(&of.box);
            status = collect(r, slot, &of, ALL_RANKS, type, values, m);
            values += count * bytes;
        }
    return status;
}

kata_status exec_read(exec_context *context, chain_slot *slot, const grid_box *box, kata_type type,
                      void *values, messages *m)
{
    struct exec_ranks *r = context->ranks;
    kata_status status = exec_tell_changes(context, slot, m);
    if (status) return status;
    if (!slot->part) {
        store_read_slot(slot, &(store_values){*box, 0, slot->components}, type, values);
        return KATA_OK;
    }
    status = ranks_meet(r, hash_bytes(box, sizeof *box, 0), m, "get values of a field");
    if (status || grid_box_is_empty(box)) return status;
    status = gather_elements(r, slot, m);
    if (status || slot->part) return status ? status : collect_box(r, slot, box, type, values, m);
    store_read_slot(slot, &(store_values){*box, 0, slot->components}, type, values);
    return KATA_OK;
}
