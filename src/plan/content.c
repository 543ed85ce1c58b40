/* Lists of disjoint boxes, plain and with what they hold. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- boxes ----------------------------------------------------------------------------------- */

void box_list_add(box_list *l, const grid_box *box)
{
    void *boxes = l->boxes;
    if (grid_box_is_empty(box)) return;
    if (!vector_reserve(&boxes, &l->room, l->count + 1, sizeof *l->boxes)) {
        l->failed = true;
        return;
    }
    l->boxes = boxes;
    l->boxes[l->count++] = *box;
}

void box_list_cut(box_list *l, const grid_box *box)
{
    size_t kept = 0, count = l->count;
    grid_box pieces[6];
    for (size_t i = 0; i < count; i++) {
        grid_box both = grid_box_intersect(&l->boxes[i], box), old = l->boxes[i];
        if (grid_box_is_empty(&both)) {
            l->boxes[kept++] = old;
            continue;
        }
        int n = grid_box_subtract(&old, box, pieces);
        for (int k = 0; k < n; k++) box_list_add(l, &pieces[k]);
    }
    if (kept == count) return;
    memmove(l->boxes + kept, l->boxes + count, (l->count - count) * sizeof *l->boxes);
    l->count -= count - kept;
}

void box_list_free(box_list *l)
{
    free(l->boxes);
    *l = (box_list){0};
}

/* ---- contents -------------------------------------------------------------------------------- */

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
    size_t kept = 0, count = c->count;
    grid_box pieces[6];
    for (size_t i = 0; i < count; i++) {
        content_entry old = c->entries[i];
        grid_box both = grid_box_intersect(&old.box, box);
        if (old.component != component || grid_box_is_empty(&both)) {
            c->entries[kept++] = old;
            continue;
        }
        int n = grid_box_subtract(&old.box, box, pieces);
        for (int k = 0; k < n; k++) {
            old.box = pieces[k];
            add(c, &old);
        }
    }
    bool found = kept < count;
    if (found) {
        memmove(c->entries + kept, c->entries + count, (c->count - count) * sizeof *c->entries);
        c->count -= count - kept;
    }
    return found;
}

/* Two boxes that differ in one dimension, where they meet. */
static bool join(grid_box *a, const grid_box *b)
{
    int differ = -1;
    for (int d = 0; d < 3; d++) {
        if (a->lo[d] == b->lo[d] && a->hi[d] == b->hi[d]) continue;
        if (differ >= 0) return false;
        differ = d;
    }
    if (differ < 0) return true;
    if (a->hi[differ] == b->lo[differ])
        a->hi[differ] = b->hi[differ];
    else if (b->hi[differ] == a->lo[differ])
        a->lo[differ] = b->lo[differ];
    else
        return false;
    return true;
}

/* Boxes of one loop are put together where they meet, so that lists stay short. */
void content_set(content *c, content_entry entry)
{
    content_clear(c, entry.component, &entry.box);
    for (size_t i = 0; i < c->count; i++) {
        content_entry *old = &c->entries[i];
        if (old->slot != entry.slot || old->component != entry.component ||
            old->writer != entry.writer || !join(&entry.box, &old->box))
            continue;
        *old = c->entries[--c->count];
        i = (size_t)-1;
    }
    add(c, &entry);
}

void content_free(content *c)
{
    free(c->entries);
    *c = (content){0};
}
