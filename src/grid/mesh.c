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
            if (!mesh->name[from][to])
                mesh->name[from][to] = ir_relation_name(KATA_CELLS + from, KATA_CELLS + to);
    kata_status status = check_given(&w);
    if (!status) status = mesh_derive(&w);
    if (!status) status = mesh_check_whole(&w);
    for (int i = 0; i < KINDS * KINDS && !status; i++) note_missing(mesh, i / KINDS, i % KINDS);
    return status;
}

int grid_mesh_axis(const grid_mesh *mesh, int d)
{
    return !mesh || mesh->along == 0 ? d : (d + 1) % 3; /* levels lie along x */
}

grid_box grid_mesh_shown(const grid_mesh *mesh, const grid_box *box)
{
    grid_box shown;
    for (int d = 0; d < 3; d++) {
        shown.lo[d] = box->lo[grid_mesh_axis(mesh, d)];
        shown.hi[d] = box->hi[grid_mesh_axis(mesh, d)];
    }
    return shown;
}
