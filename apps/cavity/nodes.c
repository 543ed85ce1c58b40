#include "cavity.h"

#include <stdlib.h>

/* Copies values of cells to the nodes inside, and one value to the nodes on the lid. */
static void copy_to_nodes(const double *cells, double on_lid, int64_t n, double *nodes)
{
    for (int64_t y = 0; y < n; y++)
        for (int64_t x = 0; x < n; x++) nodes[(y + 1) * (n + 2) + x + 1] = cells[y * n + x];
    for (int64_t x = 0; x < n + 2; x++) nodes[(n + 1) * (n + 2) + x] = on_lid;
}

bool cavity_nodes_read(cavity_nodes *nodes, const cavity_flow *flow, int64_t cells)
{
    int64_t inside = cells * cells, all = (cells + 2) * (cells + 2);
    double *values = malloc((size_t)(2 * inside) * sizeof *values);
    *nodes = (cavity_nodes){.cells = cells};
    nodes->u = calloc((size_t)all, sizeof *nodes->u);
    nodes->v = calloc((size_t)all, sizeof *nodes->v);
    bool done = values && nodes->u && nodes->v &&
                kata_get(flow->velocity, kata_all(flow->grid), values, 2 * inside) == KATA_OK;
    if (done) copy_to_nodes(values, 1, cells, nodes->u);
    if (done) copy_to_nodes(values + inside, 0, cells, nodes->v);
    free(values);
    return done;
}

void cavity_nodes_free(cavity_nodes *nodes)
{
    free(nodes->u);
    free(nodes->v);
    *nodes = (cavity_nodes){0};
}

double cavity_node_position(int64_t cells, int64_t node)
{
    return node <= 0 ? 0 : node > cells ? 1 : ((double)node - 0.5) / (double)cells;
}

/* Lagrange's weights of two nodes on either side, or of the four nearest a wall. */
cavity_weights cavity_weights_at(int64_t cells, double position)
{
    int64_t below = (int64_t)(position * (double)cells + 0.5), last = cells - 2;
    cavity_weights w = {.first = below < 1 ? 0 : below - 1 > last ? last : below - 1};
    double node[4];
    for (int i = 0; i < 4; i++) node[i] = cavity_node_position(cells, w.first + i);
    for (int i = 0; i < 4; i++) {
        w.weight[i] = 1;
        for (int j = 0; j < 4; j++)
            if (j != i) w.weight[i] *= (position - node[j]) / (node[i] - node[j]);
    }
    return w;
}

double cavity_interpolate(const double *values, int64_t cells, const cavity_weights *x,
                          const cavity_weights *y)
{
    double sum = 0;
    for (int j = 0; j < 4; j++) {
        const double *row = values + (y->first + j) * (cells + 2) + x->first;
        double along = 0;
        for (int i = 0; i < 4; i++) along += x->weight[i] * row[i];
        sum += y->weight[j] * along;
    }
    return sum;
}
