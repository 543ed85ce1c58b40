/* How far from an element its neighbours lie, by their numbers. */
#include "grid/mesh.h"

int64_t grid_mesh_other(const grid_mesh *mesh, int from, int to, int64_t i)
{
    const int64_t n = mesh->count[to], all = mesh->count[from];
    return i / all * n + i % all * n / all; /* i*n may have more than 64 bits */
}

static grid_reach find_reach(const grid_mesh *mesh, int from, int to)
{
    const grid_relation *r = &mesh->relation[from][to];
    grid_reach reach = {0, 0};
    for (int64_t i = 0; i < mesh->count[from]; i++) {
        const int64_t other = grid_mesh_other(mesh, from, to, i);
        for (int slot = 0; slot < r->width; slot++) {
            const int64_t neighbour = mesh_at(r, i, slot);
            if (neighbour < 0) continue;
            reach.lo = smaller(reach.lo, neighbour - other);
            reach.hi = larger(reach.hi, neighbour - other);
        }
    }
    return reach;
}

grid_reach grid_mesh_reach(const grid_mesh *mesh, int from, int to)
{
    grid_reaches *known = mesh->reaches;
    if (!known) return find_reach(mesh, from, to);
    if (!known->known[from][to]) known->of[from][to] = find_reach(mesh, from, to);
    known->known[from][to] = true;
    return known->of[from][to];
}

void grid_mesh_span(const grid_mesh *mesh, int from, int to, int64_t *lo, int64_t *hi)
{
    const grid_relation *r = &mesh->relation[from][to];
    int64_t least = INT64_MAX, end = INT64_MIN;
    for (int64_t i = larger(*lo, 0); i < smaller(*hi, mesh->count[from]); i++)
        for (int slot = 0; slot < r->width; slot++) {
            int64_t neighbour = mesh_at(r, i, slot);
            if (neighbour < 0) neighbour = grid_mesh_other(mesh, from, to, i);
            least = smaller(least, neighbour);
            end = larger(end, neighbour + 1);
        }
    *lo = least < end ? least : 0;
    *hi = least < end ? end : 0;
}
