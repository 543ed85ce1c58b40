/* Sets of indices, as lists of boxes. Boxes that together are a box become one, so that a field
 * written part by part is one box in the end. */
#include "grid/grid.h"

#include <stdlib.h>
#include <string.h>

static void take_out(grid_region *region, size_t i)
{
    region->boxes[i] = region->boxes[--region->count];
}

bool grid_region_add(grid_region *region, const grid_box *box)
{
    grid_box added = *box, rest;
    if (grid_box_is_empty(box) || grid_region_holds(region, box, &rest)) return true;
    void *boxes = region->boxes;
    if (!vector_reserve(&boxes, &region->capacity, region->count + 1, sizeof *region->boxes))
        return false;
    region->boxes = boxes;
    for (size_t i = 0; i < region->count;) {
        bool inside = grid_box_contains(&added, &region->boxes[i]);
        if (!inside && !grid_box_join(&added, &region->boxes[i])) {
            i++;
            continue;
        }
        take_out(region, i);
        i = 0; /* the grown box may join earlier ones */
    }
    region->boxes[region->count++] = added;
    return true;
}

static bool holds_from(const grid_region *region, size_t i, const grid_box *box, grid_box *missing)
{
    grid_box pieces[6];
    if (i == region->count) {
        *missing = *box;
        return false;
    }
    int count = grid_box_subtract(box, &region->boxes[i], pieces);
    for (int p = 0; p < count; p++)
        if (!holds_from(region, i + 1, &pieces[p], missing)) return false;
    return true;
}

bool grid_region_holds(const grid_region *region, const grid_box *box, grid_box *missing)
{
    return grid_box_is_empty(box) || holds_from(region, 0, box, missing);
}

bool grid_region_cut(grid_region *region, const grid_box *box)
{
    size_t left = 0, count = region->count;
    grid_box pieces[6];
    for (size_t i = 0; i < count; i++) {
        grid_box old = region->boxes[i];
        int n = grid_box_subtract(&old, box, pieces);
        void *boxes = region->boxes;
        if (!vector_reserve(&boxes, &region->capacity, region->count + 6, sizeof old)) return false;
        region->boxes = boxes;
        if (n > 0) region->boxes[left++] = pieces[0];
        for (int k = 1; k < n; k++) region->boxes[region->count++] = pieces[k];
    }
    if (left == count) return true;
    memmove(region->boxes + left, region->boxes + count,
            (region->count - count) * sizeof *region->boxes);
    region->count -= count - left;
    return true;
}

static bool append(grid_region *region, const grid_box *added, size_t count)
{
    void *boxes = region->boxes;
    if (!vector_reserve(&boxes, &region->capacity, region->count + count, sizeof *added))
        return false;
    region->boxes = boxes;
    for (size_t i = 0; i < count; i++) region->boxes[region->count++] = added[i];
    return true;
}

bool grid_region_add_apart(grid_region *region, const grid_box *box)
{
    grid_region rest = {0};
    bool meets = false;
    for (size_t i = 0; i < region->count; i++)
        meets = meets || grid_box_meet(&region->boxes[i], box);
    if (grid_box_is_empty(box)) return true;
    if (!meets) return append(region, box, 1);
    bool done = append(&rest, box, 1);
    for (size_t i = 0; i < region->count && done; i++)
        done = grid_region_cut(&rest, &region->boxes[i]);
    done = done && append(region, rest.boxes, rest.count);
    grid_region_free(&rest);
    return done;
}

void grid_region_clear(grid_region *region) { region->count = 0; }

void grid_region_free(grid_region *region)
{
    free(region->boxes);
    *region = (grid_region){0};
}
