/* A flat torus of N times N parallelograms, as an icosahedral grid and as a mesh with the same
 * neighbours: element (colour c, i, j) of the grid is number (c*N + j)*N + i of the mesh. */
#ifndef MESH_TORUS_H
#define MESH_TORUS_H

#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The table of a relation; to be freed. */
static inline int32_t *torus_table(int n, kata_location from, kata_location to)
{
    const ir_relation *r = ir_relation_of(from, to);
    int32_t *table = malloc(sizeof *table * (size_t)(ir_colors(from) * n * n * r->count)),
            *t = table;
    assert_non_null(table);
    for (int c = 0; c < ir_colors(from); c++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                for (int slot = 0; slot < r->count; slot++) {
                    const ir_neighbour *to_ = &r->of[c][slot];
                    *t++ = (to_->color * n + (j + to_->y + n) % n) * n + (i + to_->x + n) % n;
                }
    return table;
}

static inline kata_grid *torus_mesh(kata *k, int n, int nz)
{
    int32_t *tables[9];
    kata_mesh_options options = {.size = sizeof options,
                                 .cells = 2 * n * n,
                                 .edges = 3 * n * n,
                                 .vertices = n * n,
                                 .nz = nz};
    kata_neighbours *given[9] = {
        &options.cell_cells,   &options.cell_edges,   &options.cell_vertices,
        &options.edge_cells,   &options.edge_edges,   &options.edge_vertices,
        &options.vertex_cells, &options.vertex_edges, &options.vertex_vertices};
    for (int i = 0; i < 9; i++) {
        kata_location from = KATA_CELLS + i / 3, to = KATA_CELLS + i % 3;
        tables[i] = torus_table(n, from, to);
        *given[i] = (kata_neighbours){tables[i], ir_relation_of(from, to)->count};
    }
    kata_grid *g = kata_grid_mesh_with(k, &options);
    for (int i = 0; i < 9; i++) free(tables[i]);
    return g;
}

/* Copies values of a field between the order of the mesh and that of the grid. `values`: for each
 * neighbour, or 1. */
static inline void torus_reorder(int n, int nz, kata_location on, int values, const double *mesh,
                                 double *grid)
{
    int colors = ir_colors(on), points = n * n;
    for (int v = 0; v < values; v++)
        for (int z = 0; z < nz; z++)
            for (int c = 0; c < colors; c++)
                memcpy(grid + ((c * values + v) * nz + z) * points,
                       mesh + ((v * nz + z) * colors + c) * points, sizeof *mesh * (size_t)points);
}

#endif
