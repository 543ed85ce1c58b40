/* See cells.h. */
#include "oracle/cells.h"

#include <stdlib.h>

#include "oracle/oracle.h"
#include "store/store.h"

/* The memory of a buffer: index i of a dimension lies at i modulo size. */
typedef struct cells {
    int64_t size[3];
    ir_value *values; /* elements as stored; component slowest */
    bool *set;
} cells;

static size_t cell_of(const cells *c, int component, const int64_t index[3])
{
    size_t at = (size_t)component;
    for (int d = 2; d >= 0; d--) {
        int64_t i = index[d] % c->size[d];
        at = at * (size_t)c->size[d] + (size_t)(i < 0 ? i + c->size[d] : i);
    }
    return at;
}

static bool is_inside(const plan_place *place, const chain_slot *slot, const int64_t index[3])
{
    grid_box field = chain_slot_memory(slot);
    for (int d = 0; d < 3; d++)
        if ((!place->buffer || !place->buffer->capacity[d]) &&
            (index[d] < field.lo[d] || index[d] >= field.hi[d]))
            return false;
    return true;
}

bool oracle_cells_get(const plan_place *place, const chain_slot *slot, int component,
                      const int64_t index[3], ir_value *out)
{
    if (!is_inside(place, slot, index)) return false;
    if (!place->buffer) {
        *out = store_get_element(slot->array, component, index);
        return true;
    }
    const cells *c = place->data;
    size_t at = cell_of(c, component, index);
    *out = c->values[at];
    return c->set[at];
}

bool oracle_cells_put(const plan_place *place, const chain_slot *slot, int component,
                      const int64_t index[3], ir_value element)
{
    if (!is_inside(place, slot, index)) return false;
    if (!place->buffer) {
        store_set_element(slot->array, component, index, element);
        return true;
    }
    cells *c = place->data;
    size_t at = cell_of(c, component, index);
    c->values[at] = element;
    c->set[at] = true;
    return true;
}

bool oracle_cells_open(plan_place *place, const chain_slot *slot)
{
    cells *c = calloc(1, sizeof *c);
    place->data = c;
    if (!c) return false;
    size_t total = (size_t)slot->components;
    grid_box field = chain_slot_memory(slot);
    for (int d = 0; d < 3; d++) {
        int64_t capacity = place->buffer->capacity[d];
        c->size[d] = capacity ? capacity : field.hi[d] - field.lo[d];
        if (__builtin_mul_overflow(total, (size_t)c->size[d], &total)) return false;
    }
    c->values = calloc(total, sizeof *c->values);
    c->set = calloc(total, sizeof *c->set);
    return c->values && c->set;
}

void oracle_cells_close(plan_place *place)
{
    cells *c = place->data;
    if (c) free(c->values);
    if (c) free(c->set);
    free(c);
    place->data = NULL;
}
