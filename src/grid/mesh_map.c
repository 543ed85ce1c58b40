/* Maps of a sphere: which element of a mesh lies nearest to each pixel. */
#include "grid/mesh.h"

#include <math.h>
#include <stdlib.h>

/* Elements of one kind: x of all, then y, then z. */
typedef struct points {
    double *at;
    int64_t count;
} points;

static double nearness(const points *p, int64_t i, const double to[3])
{
    return p->at[i] * to[0] + p->at[p->count + i] * to[1] + p->at[2 * p->count + i] * to[2];
}

/* Of the elements in a row of a table the one that is nearest; `best`, where none is nearer. */
static int32_t nearest_in_row(const grid_relation *r, int64_t row, const points *p, int32_t best,
                              const double to[3])
{
    double far = best < 0 ? -2 : nearness(p, best, to);
    for (int slot = 0; slot < r->width; slot++) {
        const int32_t i = mesh_at(r, row, slot);
        if (i < 0 || nearness(p, i, to) <= far) continue;
        best = i;
        far = nearness(p, i, to);
    }
    return best;
}

/* From neighbour to neighbour, each nearer than the one before. On a Delaunay mesh, as that of a
 * sphere is, this ends at the nearest vertex. */
static int32_t walk(const grid_relation *neighbours, const points *p, int32_t from,
                    const double to[3])
{
    for (;;) {
        const int32_t next = nearest_in_row(neighbours, from, p, from, to);
        if (next == from) return from;
        from = next;
    }
}

/* Of the cells, or edges, of the nearest vertex, and from there on. */
static int32_t nearest_at(const grid_mesh *mesh, int kind, const points *p, int32_t vertex,
                          const double to[3])
{
    const int32_t here = nearest_in_row(&mesh->relation[VERTEX][kind], vertex, p, -1, to);
    return walk(&mesh->relation[kind][kind], p, here, to);
}

/* The middle of a pixel. */
static void direction(int64_t x, int64_t y, int64_t width, int64_t height, double to[3])
{
    const double east = M_PI * ((2.0 * (double)x + 1) / (double)width - 1);
    const double north = M_PI / 2 * ((2.0 * (double)y + 1) / (double)height - 1);
    to[0] = cos(north) * cos(east);
    to[1] = cos(north) * sin(east);
    to[2] = sin(north);
}

static void find(const grid_mesh *mesh, const points *vertices, int kind, const points *wanted,
                 int64_t width, int64_t height, int32_t *elements)
{
    int32_t vertex = 0;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            double to[3];
            direction(x, y, width, height, to);
            vertex = walk(&mesh->relation[VERTEX][VERTEX], vertices, vertex, to);
            elements[y * width + x] =
                kind == VERTEX ? vertex : nearest_at(mesh, kind, wanted, vertex, to);
        }
}

/* To be freed; NULL when memory is out. */
static double *positions(const grid_mesh *mesh, const double *vertices, int kind)
{
    double *at = malloc((size_t)mesh->count[kind] * 3 * sizeof *at);
    if (at) grid_mesh_geometry(mesh, vertices, kind, KATA_POSITION, at);
    return at;
}

bool grid_mesh_map(const grid_mesh *mesh, const double *vertices, int kind, int64_t width,
                   int64_t height, int32_t *elements)
{
    const points corners = {positions(mesh, vertices, VERTEX), mesh->count[VERTEX]};
    const points wanted = {positions(mesh, vertices, kind), mesh->count[kind]};
    const bool found = corners.at && wanted.at;
    if (found) find(mesh, &corners, kind, &wanted, width, height, elements);
    free(corners.at);
    free(wanted.at);
    return found;
}
