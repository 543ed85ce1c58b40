/* kata_swap and kata_rotate: handles exchange the slots that hold their values. */
#include "api/api.h"

#include <string.h>

/* Whether two fields can exchange their values. */
static inline bool are_alike(const kata_field *a, const kata_field *b)
{
    const chain_slot *x = a->slot, *y = b->slot;
    return a->k == b->k && !a->mapped && !b->mapped && chain_slot_same_points(x, y) &&
           x->temporary == y->temporary && x->type == y->type && x->components == y->components &&
           x->on == y->on && x->each == y->each;
}

/* The property in which two fields that are not alike differ, as a phrase for the message. */
static const char *difference(const chain_slot *x, const chain_slot *y)
{
    grid_shape x_grid = chain_slot_grid(x), y_grid = chain_slot_grid(y);
    if (!grid_shape_equal(&x_grid, &y_grid)) return "grid size";
    if (x->temporary != y->temporary) return "whether they are temporary";
    if (memcmp(x->ghosts, y->ghosts, sizeof x->ghosts) != 0) return "ghosts";
    for (int d = 0; d < 3; d++)
        if (x->absent_axis[d] != y->absent_axis[d]) return "the dimensions that they extend along";
    if (!chain_slot_same_points(x, y)) return "the dimensions that they are staggered in";
    if (x->on != y->on || x->each != y->each) return "where they lie, on cells, edges or vertices";
    return x->type != y->type ? "type" : "number of components";
}

static kata_status not_alike(const char *call, const kata_field *a, const kata_field *b)
{
    kata *k = a->k;
    if (api_check_unmapped(a, call) || api_check_unmapped(b, call)) return k->messages.status;
    if (b->k != k)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: '%s' and '%s' are of two contexts", call,
                        a->name, b->name);
    return api_fail(k, KATA_ERROR_ARGUMENT, "%s: '%s' and '%s' differ in %s", call, a->name,
                    b->name, difference(a->slot, b->slot));
}

static void exchange(kata_field *a, kata_field *b)
{
    chain_slot *slot = a->slot;
    a->slot = b->slot;
    b->slot = slot;
    if (!a->slot->exchanged) a->slot->exchanged = true; /* a store may delay loads beside it */
    if (!b->slot->exchanged) b->slot->exchanged = true;
}

static kata_status exchange_traced(kata_field *a, kata_field *b)
{
    kata_status status = api_flush(a->k, "kata_swap");
    if (status) return status;
    ir_value *a_before = api_trace_before(a), *b_before = api_trace_before(b);
    exchange(a, b);
    api_trace_after(a, "kata_swap", a_before);
    api_trace_after(b, "kata_swap", b_before);
    return KATA_OK;
}

kata_status kata_swap(kata_field *a, kata_field *b)
{
    if (!a && !b) return api_null("kata_swap", "the first field");
    if (!a || !b)
        return api_fail(a ? a->k : b->k, KATA_ERROR_ARGUMENT, "kata_swap: %s field is NULL",
                        a ? "the second" : "the first");
    if (a->k->messages.status) return a->k->messages.status;
    if (!are_alike(a, b)) return not_alike("kata_swap", a, b);
    if (a->k->exec.trace) return exchange_traced(a, b);
    exchange(a, b);
    return KATA_OK;
}

kata_status kata_rotate(kata_field *a, kata_field *b, kata_field *c)
{
    const kata_field *given = a ? a : b ? b : c;
    if (!given) return api_null("kata_rotate", "the first field");
    if (!a || !b || !c)
        return api_fail(given->k, KATA_ERROR_ARGUMENT, "kata_rotate: %s field is NULL",
                        !a   ? "the first"
                        : !b ? "the second"
                             : "the third");
    if (a->k->messages.status) return a->k->messages.status;
    if (!are_alike(a, b)) return not_alike("kata_rotate", a, b);
    if (!are_alike(a, c)) return not_alike("kata_rotate", a, c);
    if (a == b || b == c || c == a)
        return api_fail(a->k, KATA_ERROR_ARGUMENT, "kata_rotate: field '%s' is given twice",
                        a == b || c == a ? a->name : b->name);
    if (a->k->exec.trace && api_flush(a->k, "kata_rotate")) return a->k->messages.status;
    kata_field *const fields[3] = {a, b, c};
    ir_value *before[3];
    for (int i = 0; i < 3; i++) before[i] = api_trace_before(fields[i]);
    chain_slot *slot = a->slot;
    a->slot = b->slot;
    b->slot = c->slot;
    c->slot = slot;
    for (int i = 0; i < 3; i++) fields[i]->slot->exchanged = true;
    for (int i = 0; i < 3; i++) api_trace_after(fields[i], "kata_rotate", before[i]);
    return KATA_OK;
}
