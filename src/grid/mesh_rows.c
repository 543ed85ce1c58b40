/* What rows of tables say of an edge. */
#include "grid/mesh.h"

int32_t mesh_joining(const mesh_work *w, int64_t cell, int32_t a, int32_t b)
{
    const grid_relation *edges = mesh_relation(w, CELL, EDGE);
    const grid_relation *ends = mesh_relation(w, EDGE, VERTEX);
    for (int slot = 0; slot < edges->width; slot++) {
        int32_t edge = mesh_at(edges, cell, slot);
        if (edge < 0) continue;
        int32_t v[] = {mesh_at(ends, edge, 0), mesh_at(ends, edge, 1)};
        if ((v[0] == a && v[1] == b) || (v[0] == b && v[1] == a)) return edge;
    }
    return -1;
}

int grid_mesh_sign(const grid_mesh *mesh, int from, int to, int64_t element, int slot)
{
    int32_t neighbour = mesh_at(&mesh->relation[from][to], element, slot);
    if (neighbour < 0) return 0;
    if (from == EDGE) return slot == 0 ? 1 : -1;
    return mesh_at(&mesh->relation[to][from], neighbour, 0) == element ? 1 : -1;
}
