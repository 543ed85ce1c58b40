/* kata_local: a rank's own points; kata_get and kata_put of them, which other ranks take no part
 * in. What would need the others is an error. */
#include "api/api.h"

/* ---- the range ------------------------------------------------------------------------------- */

kata_status api_find_own(const kata_grid *grid, const bool staggered[3], grid_box *own, bool *dealt)
{
    kata *k = grid->k;
    exec_context alone = {.ranks = NULL};
    bool deals = api_deals(k) && !grid->mesh;
    kata_status status = exec_own_points(deals ? &k->exec : &alone, &grid->shape, staggered, own,
                                         dealt, &k->messages);
    api_note_error(k);
    return status;
}

kata_status kata_local(const kata_grid *grid, int staggered, kata_range *range)
{
    static const char call[] = "kata_local";
    const bool faces[3] = {staggered & KATA_X, staggered & KATA_Y, staggered & KATA_Z};
    grid_box own;
    bool dealt;
    if (range) *range = (kata_range){0};
    if (!grid) return api_null(call, "the grid");
    if (!range) return api_fail(grid->k, KATA_ERROR_ARGUMENT, "%s: the range is NULL", call);
    if (grid->k->messages.status) return grid->k->messages.status;
    kata_status status = api_check_dimensions(grid, call, "staggered", staggered);
    if (!status) status = api_find_own(grid, faces, &own, &dealt);
    if (status) return status;
    *range = (kata_range){.grid = grid, .rank = grid->shape.rank, .local = dealt};
    for (int d = 0; d < 3; d++) {
        range->lo[d] = own.lo[d];
        range->hi[d] = own.hi[d];
    }
    return KATA_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static kata_status outside(const kata_field *field, const char *call, const grid_box *box,
                           const grid_box *own)
{
    kata *k = field->k;
    text given = {0}, has = {0};
    grid_box_print(&given, box, field->grid->shape.rank);
    grid_box_print(&has, own, field->grid->shape.rank);
    api_fail(k, KATA_ERROR_ARGUMENT,
             "%s: the range %s is marked by kata_local, and rank %d has %s of field '%s'", call,
             text_get(&given), exec_rank(&k->exec), text_get(&has), field->name);
    text_free(&given);
    text_free(&has);
    return k->messages.status;
}

static kata_status check_own(const kata_field *field, const char *call, const grid_box *box)
{
    grid_box own;
    bool dealt;
    kata_status status = api_find_own(field->grid, field->slot->staggered, &own, &dealt);
    if (status) return status;
    if (!dealt)
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: the range is marked as one of kata_local, which did not make it: "
                        "every rank has all points of its grid",
                        call);
    return grid_box_contains(&own, box) ? KATA_OK : outside(field, call, box, &own);
}

static kata_status check_queue(const kata_field *field, const char *call, bool waits,
                               const char *what)
{
    if (!waits) return KATA_OK;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: queued kernels %s field '%s', and only all ranks together run them; call "
                    "kata_flush on all before a range of kata_local is used",
                    call, what, field->name);
}

kata_status api_get_own(const kata_field *field, const grid_box *box, kata_type type, void *values)
{
    static const char call[] = "kata_get";
    kata_status status = check_own(field, call, box);
    if (!status)
        status = check_queue(field, call, api_slot_is_awaited(field->k, field->slot), "write");
    return status ? status
                  : exec_read_own(&field->k->exec, field->slot, box, type, values,
                                  &field->k->messages);
}

kata_status api_put_own(const kata_field *field, const grid_box *box, kata_type type,
                        const void *values)
{
    static const char call[] = "kata_put";
    kata *k = field->k;
    chain_slot *slot = field->slot;
    kata_status status = check_own(field, call, box);
    if (!status) status = check_queue(field, call, api_slot_is_queued(k, slot), "use");
    if (status) return status;
    if (slot->array && !slot->array->bytes)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' is on memory that has all of its values on every rank; a "
                        "rank cannot put a part of them",
                        call, field->name);
    if (slot->discarded || slot->tracked)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: the value of field '%s' was discarded; kata_fill sets all of it, "
                        "before ranks put their own parts",
                        call, field->name);
    if (grid_box_is_empty(box)) return KATA_OK;
    api_forget_shown(slot);
    return exec_write_own(&k->exec, slot, box, type, values, &k->messages);
}
