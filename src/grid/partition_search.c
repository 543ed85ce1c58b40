/* Finds boxes of a list by a binary tree over it, in the order of the list: a node is the hull of a
 * range of boxes, its children are those of the range's halves. A node with n boxes has 2n - 1
 * nodes in all: itself, those of the first half, those of the second. In the orders in which
 * partitions are made, neighbours in the list are neighbours in the grid: a search visits few
 * nodes, about the logarithm of the number of boxes. In any other order it is right, and slower. */
#include "grid/partition.h"

#include <stdlib.h>

static int first_half(int count) { return count / 2; }

static void fill(grid_box *node, const grid_box *boxes, int count)
{
    int half = first_half(count);
    if (count == 1) {
        *node = boxes[0];
        return;
    }
    grid_box *second = node + 2 * half;
    fill(node + 1, boxes, half);
    fill(second, boxes + half, count - half);
    *node = grid_box_hull(node + 1, second);
}

grid_box *grid_search_hulls(const grid_box *boxes, int count)
{
    grid_box *hulls = count ? malloc((2 * (size_t)count - 1) * sizeof *hulls) : NULL;
    if (hulls) fill(hulls, boxes, count);
    return hulls;
}

typedef struct search {
    grid_box met;
    grid_search_visit *visit;
    void *data;
} search;

static bool descend(const search *s, const grid_box *node, int first, int count)
{
    int half = first_half(count);
    if (!grid_box_meet(node, &s->met)) return true;
    if (count == 1) return s->visit(s->data, first);
    return descend(s, node + 1, first, half) &&
           descend(s, node + 2 * half, first + half, count - half);
}

bool grid_search(const grid_box *hulls, int count, const grid_box *met, grid_search_visit *visit,
                 void *data)
{
    search s = {*met, visit, data};
    return count == 0 || descend(&s, hulls, 0, count);
}
