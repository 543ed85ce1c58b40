/* Sets of indices, as lists of boxes. Boxes that make one box together become one, so that what a
 * program writes part by part is one box in the end. */
#include "grid/grid.h"

#include <stdlib.h>

static void take_out(grid_region *region, size_t i)
{
    region->boxes[i] = region->boxes[--region->count];
}

/* Whether two boxes touch or overlap along one dimension and are alike in the others; makes *a
 * both. */
static bool join(grid_box *a, const grid_box *b)
{
    int along = -1;
    for (int d = 0; d < 3; d++) {
        if (a->lo[d] == b->lo[d] && a->hi[d] == b->hi[d]) continue;
        if (along >= 0 || a->hi[d] < b->lo[d] || b->hi[d] < a->lo[d]) return false;
        along = d;
    }
    if (along < 0) return true;
    if (b->lo[along] < a->lo[along]) a->lo[along] = b->lo[along];
    if (b->hi[along] > a->hi[along]) a->hi[along] = b->hi[along];
    return true;
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
        if (!inside && !join(&added, &region->boxes[i])) {
            i++;
            continue;
        }
        take_out(region, i);
        i = 0; /* what was grown may be joined with those before */
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

void grid_region_clear(grid_region *region) { region->count = 0; }

void grid_region_free(grid_region *region)
{
    free(region->boxes);
    *region = (grid_region){0};
}
