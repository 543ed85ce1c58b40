/* Neighbours: the widened box is cut at the sides of the grid into pieces, one in each copy of it;
 * each piece, moved back into the grid, is searched for. */
#include "grid/partition.h"

#include <stdlib.h>
#include <string.h>

typedef struct around {
    const grid_partition *p;
    grid_box inner, widened;
    int64_t shift[3];
    grid_neighbours *found;
    bool no_memory;
} around;

static bool add_neighbour(void *data, int box)
{
    around *a = data;
    const grid_box moved = grid_box_moved(&a->p->boxes[box], a->shift, 1);
    grid_neighbour n = {box, a->p->owner[box], .meets = grid_box_intersect(&moved, &a->widened)};
    if (grid_box_contains(&a->inner, &n.meets)) return true;
    void *list = a->found->list;
    a->no_memory = !vector_reserve(&list, &a->found->capacity, a->found->count + 1, sizeof n);
    if (a->no_memory) return false;
    a->found->list = list;
    memcpy(n.shift, a->shift, sizeof n.shift);
    a->found->list[a->found->count++] = n;
    return true;
}

/* In the copy of the grid that is moved by a->shift. */
static void search_copy(around *a)
{
    const grid_box met = grid_box_moved(&a->widened, a->shift, -1);
    if (!a->no_memory) grid_search(a->p->hulls, a->p->count, &met, add_neighbour, a);
}

/* Copies that the widened box meets along a dimension. */
static void copies(const around *a, int d, int64_t *first, int64_t *last)
{
    int64_t size = a->p->shape.size[d];
    *first = floor_divide(a->widened.lo[d], size);
    *last = floor_divide(a->widened.hi[d] - 1, size);
}

static void search_copies(around *a, int d)
{
    int64_t first, last;
    copies(a, d, &first, &last);
    for (int64_t c = first; c <= last && !a->no_memory; c++) {
        a->shift[d] = c * a->p->shape.size[d];
        if (d == 0)
            search_copy(a);
        else
            search_copies(a, d - 1);
    }
}

bool grid_partition_neighbours(const grid_partition *p, const grid_box *box, const int64_t low[3],
                               const int64_t high[3], const bool periodic[3],
                               grid_neighbours *found)
{
    around a = {.p = p, .inner = *box, .widened = *box, .found = found};
    found->count = 0;
    if (grid_box_is_empty(box)) return true;
    for (int d = 0; d < 3; d++) {
        a.widened.lo[d] -= low[d];
        a.widened.hi[d] += high[d];
        if (periodic[d]) continue;
        a.widened.lo[d] = larger(a.widened.lo[d], 0);
        a.widened.hi[d] = smaller(a.widened.hi[d], p->shape.size[d]);
    }
    search_copies(&a, 2);
    return !a.no_memory;
}

void grid_neighbours_free(grid_neighbours *found)
{
    if (!found) return;
    free(found->list);
    *found = (grid_neighbours){0};
}
