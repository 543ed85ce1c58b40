/* Memory of a device in which planes take turns: they follow one another without end, and byte `at`
 * of all that have been there lies at byte at % turn. So a ring goes on where the one before it has
 * ended, while that is still worked on: what comes in waits for those alone that have left the
 * bytes that it takes. Events say when; of many only the last are kept, and who waits for one that
 * was dropped waits for the next. */
#include "store/device_turns.h"

#include <stdlib.h>

store_turns *store_turns_new(device *d, size_t turn, int arrays)
{
    store_turns *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->device = d;
    t->turn = (int64_t)turn;
    t->arrays = arrays;
    t->memory = device_allocate_rings(d, turn, arrays);
    if (t->memory) return t;
    free(t);
    return NULL;
}

void store_turns_free(store_turns *t)
{
    if (!t) return;
    for (int way = 0; way < 2; way++)
        for (int i = 0; i < STORE_LEFT; i++) device_event_free(t->device, t->left[way].event[i]);
    device_release(t->device, t->memory);
    free(t);
}

int64_t store_turns_bytes(const store_turns *t) { return t->turn * t->arrays; }

bool store_turns_settle(store_turns *t)
{
    const bool known = t->field;
    t->field = NULL;
    return known;
}

store_suits store_turns_suit(const store_turns *t, const chain_slot *field, int64_t bytes)
{
    if (t->arrays != field->components || store_turns_bytes(t) < bytes) return STORE_NOT;
    return t->field == field ? STORE_OWN : t->field ? STORE_NOT : STORE_NOBODYS;
}

/* ---- who has left ---------------------------------------------------------------------------- */

bool store_turns_leave(store_turns *t, bool out, int64_t below)
{
    store_left *l = &t->left[out];
    below = smaller(below, t->given);
    if (l->count && below <= l->below[(l->first + l->count - 1) % STORE_LEFT]) return true;
    if (l->count == STORE_LEFT) {
        l->first = (l->first + 1) % STORE_LEFT;
        l->count--;
    }
    const int at = (l->first + l->count) % STORE_LEFT;
    if (!l->event[at]) l->event[at] = device_event_new(t->device);
    if (!l->event[at] || !device_note(t->device, l->event[at], out ? DEVICE_OUT : DEVICE_WORK))
        return false;
    l->below[at] = below;
    l->count++;
    return true;
}

bool store_turns_await(const store_turns *t, int queue, bool out, int64_t below)
{
    const store_left *l = &t->left[out];
    if (below <= 0 || queue == (out ? DEVICE_OUT : DEVICE_WORK)) return true;
    for (int i = 0; i < l->count; i++) {
        const int at = (l->first + i) % STORE_LEFT;
        if (l->below[at] >= below) return device_order_behind(t->device, queue, l->event[at]);
    }
    return false;
}
