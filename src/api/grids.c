/* Grids. */
#include "api/api.h"

static kata_grid *grid_new(kata *k, const char *call, int rank, int64_t nx, int64_t ny, int64_t nz)
{
    if (!k) {
        api_null(call, "the context");
        return NULL;
    }
    if (k->messages.status) return NULL;
    int64_t size[3] = {nx, ny, nz}, points = 1;
    for (int d = 0; d < 3; d++) {
        if (size[d] < 1) {
            api_fail(k, KATA_ERROR_ARGUMENT, "%s: n%c is %lld; a size is at least 1", call,
                     "xyz"[d], (long long)size[d]);
            return NULL;
        }
        if (__builtin_mul_overflow(points, size[d], &points) || points >= (int64_t)1 << 48) {
            api_fail(k, KATA_ERROR_ARGUMENT, "%s: the grid has 2^48 points or more", call);
            return NULL;
        }
    }
    kata_grid *g = arena_alloc(&k->memory, sizeof *g);
    if (!g) {
        api_no_memory(k);
        return NULL;
    }
    *g = (kata_grid){.k = k, .shape = {rank, {nx, ny, nz}}};
    return g;
}

kata_grid *kata_grid_1d(kata *k, int64_t nx) { return grid_new(k, "kata_grid_1d", 1, nx, 1, 1); }

kata_grid *kata_grid_2d(kata *k, int64_t nx, int64_t ny)
{
    return grid_new(k, "kata_grid_2d", 2, nx, ny, 1);
}

kata_grid *kata_grid_3d(kata *k, int64_t nx, int64_t ny, int64_t nz)
{
    return grid_new(k, "kata_grid_3d", 3, nx, ny, nz);
}

kata_grid *kata_grid_icosahedral(kata *k, int64_t nx, int64_t ny, int64_t nz)
{
    kata_grid *g = grid_new(k, "kata_grid_icosahedral", 3, nx, ny, nz);
    if (g) g->icosahedral = true;
    return g;
}

static int64_t coarse_size(const kata_grid *grid, int d, int ratio)
{
    int64_t size = grid->shape.size[d];
    if (d >= grid->shape.rank) return 1;
    if (ratio >= 1 && size % ratio == 0) return size / ratio;
    if (ratio < 1)
        api_fail(grid->k, KATA_ERROR_ARGUMENT,
                 "kata_grid_coarsen: the ratio along %c is %d; it is at least 1", "xyz"[d], ratio);
    else
        api_fail(grid->k, KATA_ERROR_ARGUMENT,
                 "kata_grid_coarsen: the grid has %lld points along %c, which %d does not divide",
                 (long long)size, "xyz"[d], ratio);
    return 0;
}

kata_grid *kata_grid_coarsen(const kata_grid *grid, int x, int y, int z)
{
    const int ratio[3] = {x, y, z};
    int64_t n[3];
    if (!grid) {
        api_null("kata_grid_coarsen", "the grid");
        return NULL;
    }
    if (grid->k->messages.status) return NULL;
    if (grid->icosahedral) {
        api_fail(grid->k, KATA_ERROR_ARGUMENT,
                 "kata_grid_coarsen: an icosahedral grid has no coarser one: no kernel on cells, "
                 "edges or vertices has a ratio");
        return NULL;
    }
    if (grid->mesh) {
        api_fail(grid->k, KATA_ERROR_ARGUMENT, "kata_grid_coarsen: a mesh has no coarser one");
        return NULL;
    }
    for (int d = 0; d < 3; d++)
        if (!(n[d] = coarse_size(grid, d, ratio[d]))) return NULL;
    return grid_new(grid->k, "kata_grid_coarsen", grid->shape.rank, n[0], n[1], n[2]);
}
