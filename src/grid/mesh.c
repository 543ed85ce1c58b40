/* Meshes of cells, edges and vertices: tables of neighbours, completed and checked.
 *
 * Rows keep the order in which they are given, and sums over neighbours run in it. What is derived
 * has an order of its own: see mesh_derive.c. */
#include "grid/mesh.h"

#include "ir/ir.h"

static kata_status check_given(mesh_work *w)
{
    kata_status status = KATA_OK;
    for (int from = 0; from < KINDS; from++)
        for (int to = 0; to < KINDS && !status; to++)
            if (mesh_has(w, from, to)) status = mesh_check_table(w, from, to);
    return status;
}

static void note_missing(grid_mesh *mesh, int from, int to)
{
    grid_relation *r = &mesh->relation[from][to];
    for (int64_t i = 0; r->of && i < mesh->count[from] * r->width; i++)
        if (r->of[i] < 0) r->misses |= UINT64_C(1) << i % r->width;
}

kata_status grid_mesh_complete(grid_mesh *mesh, arena *memory, messages *m)
{
    mesh_work w = {mesh, memory, m};
    for (int from = 0; from < KINDS; from++)
        for (int to = 0; to < KINDS; to++)
            if (!mesh->name[from][to]) mesh->name[from][to] = ir_relation_name(KATA_CELLS + from, KATA_CELLS + to);
    kata_status status = check_given(&w);
    if (!status) status = mesh_derive(&w);
    if (!status) status = mesh_check_whole(&w);
    for (int i = 0; i < KINDS * KINDS && !status; i++) note_missing(mesh, i / KINDS, i % KINDS);
    return status;
}

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
