/* kata_grid_sphere: the sphere as a mesh of triangles, with its geometry. */
#include "api/api.h"

#define CALL "kata_grid_geometry"

kata_grid *kata_grid_sphere(kata *k, int root, int bisections, int64_t nz)
{
    static const char call[] = "kata_grid_sphere";
    grid_mesh mesh;
    double *vertices;
    if (!k) {
        api_null(call, "the context");
        return NULL;
    }
    if (k->messages.status) return NULL;
    if (nz < 1 || nz > (int64_t)1 << 16) {
        api_fail(k, KATA_ERROR_ARGUMENT, "%s: nz is %lld, not 1 to 65536", call, (long long)nz);
        return NULL;
    }
    if (grid_mesh_sphere(root, bisections, &mesh, &vertices, &k->memory, &k->messages)) {
        api_note_error(k);
        return NULL;
    }
    kata_grid *g = api_mesh_new(k, call, &mesh, nz, KATA_ORDER_GIVEN);
    if (g) g->mesh->vertices = vertices;
    return g;
}

static kata_status check(const kata_grid *grid, kata_location on, kata_geometry what,
                         const double *values)
{
    static const char *const names[] = {"KATA_POSITION",    "KATA_NORMAL", "KATA_LENGTH",
                                        "KATA_DUAL_LENGTH", "KATA_AREA",   "KATA_DUAL_AREA"};
    kata *k = grid->k;
    if (!grid->mesh || !grid->mesh->vertices)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        CALL ": the grid has none; one made by kata_grid_sphere has");
    if ((unsigned)on - 1 >= KATA_VERTICES || (unsigned)what > KATA_DUAL_AREA)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        CALL ": there is no geometry %d of elements of kind %d", (int)what,
                        (int)on);
    if (!grid_mesh_geometry_values(on - KATA_CELLS, what))
        return api_fail(k, KATA_ERROR_ARGUMENT, CALL ": %s have no %s", ir_location_name(on, true),
                        names[what]);
    return values ? KATA_OK : api_fail(k, KATA_ERROR_ARGUMENT, CALL ": values is NULL");
}

kata_status kata_grid_geometry(const kata_grid *grid, kata_location on, kata_geometry what,
                               double *values, int64_t count)
{
    if (!grid) return api_null(CALL, "the grid");
    if (grid->k->messages.status) return grid->k->messages.status;
    kata_status status = check(grid, on, what, values);
    if (status) return status;
    const grid_mesh *mesh = &grid->mesh->given;
    int64_t needed =
        mesh->count[on - KATA_CELLS] * grid_mesh_geometry_values(on - KATA_CELLS, what);
    if (count != needed)
        return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                        CALL ": there are %lld values, and count is %lld", (long long)needed,
                        (long long)count);
    grid_mesh_geometry(mesh, grid->mesh->vertices, on - KATA_CELLS, what, values);
    return KATA_OK;
}
