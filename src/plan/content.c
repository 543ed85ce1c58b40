/* The content of a place: disjoint boxes, and the loops that wrote them. */
#include "plan/proof.h"

#include <stdlib.h>
#include <string.h>

static void add(content *c, const content_entry *entry)
{
    void *entries = c->entries;
    if (grid_box_is_empty(&entry->box)) return;
    if (!vector_reserve(&entries, &c->room, c->count + 1, sizeof *c->entries)) {
        c->failed = true;
        return;
    }
    c->entries = entries;
    c->entries[c->count++] = *entry;
}

bool content_clear(content *c, int component, const grid_box *box)
{
    size_t untouched = 0, count = c->count;
    grid_box pieces[6];
    for (size_t i = 0; i < count; i++) {
        content_entry old = c->entries[i];
        grid_box both = grid_box_intersect(&old.box, box);
        if (old.component != component || grid_box_is_empty(&both)) {
            c->entries[untouched++] = old;
            continue;
        }
        int n = grid_box_subtract(&old.box, box, pieces);
        for (int k = 0; k < n; k++) {
            old.box = pieces[k];
            add(c, &old);
        }
    }
    bool found = untouched < count;
    if (found) {
        memmove(c->entries + untouched, c->entries + count,
                (c->count - count) * sizeof *c->entries);
        c->count -= count - untouched;
    }
    return found;
}

/* Joins boxes of one loop that meet, so that lists stay short. */
void content_set(content *c, content_entry entry)
{
    content_clear(c, entry.component, &entry.box);
    for (size_t i = 0; i < c->count; i++) {
        content_entry *old = &c->entries[i];
        if (old->slot != entry.slot || old->component != entry.component ||
            old->writer != entry.writer || !grid_box_join(&entry.box, &old->box))
            continue;
        *old = c->entries[--c->count];
        i = (size_t)-1;
    }
    add(c, &entry);
}

static bool suits(const content_entry *e, const content_query *q)
{
    bool writer = e->writer == q->writer || e->writer == q->also || q->writer == CONTENT_ANY;
    return e->slot == q->slot && e->component == q->component && writer;
}

/* Looks at entries from number `first` on. */
static bool holds_from(const content *c, size_t first, const content_query *q, const grid_box *box,
                       grid_box *missing)
{
    size_t i = first;
    grid_box pieces[6];
    while (i < c->count && !(suits(&c->entries[i], q) && grid_box_meet(&c->entries[i].box, box)))
        i++;
    *missing = *box;
    if (i == c->count) return grid_box_is_empty(box);
    int count = grid_box_subtract(box, &c->entries[i].box, pieces);
    for (int k = 0; k < count; k++)
        if (!holds_from(c, i + 1, q, &pieces[k], missing)) return false;
    return true;
}

bool content_holds(const content *c, const content_query *q, const grid_box *box, grid_box *missing)
{
    return holds_from(c, 0, q, box, missing);
}

const content_entry *content_find(const content *c, const content_query *q, const grid_box *box)
{
    for (size_t i = 0; i < c->count; i++)
        if (suits(&c->entries[i], q) && grid_box_meet(&c->entries[i].box, box))
            return &c->entries[i];
    return NULL;
}

void content_free(content *c)
{
    free(c->entries);
    *c = (content){0};
}
