/* kata_grid_mesh_load: the mesh of a file. */
#include "api/api.h"

#include "io/reading.h"

#include <string.h>

#define CALL "kata_grid_mesh_load"

static kata_status check(kata *k, const char *path, int64_t nz)
{
    if (!path) return api_fail(k, KATA_ERROR_ARGUMENT, CALL ": the path is NULL");
    if (nz >= 1 && nz <= (int64_t)1 << 16) return api_output_wait(k);
    return api_fail(k, KATA_ERROR_ARGUMENT, CALL ": nz is %lld, not 1 to 65536", (long long)nz);
}

kata_grid *kata_grid_mesh_load(kata *k, const char *path, int64_t nz)
{
    grid_mesh mesh;
    if (!k) {
        api_null(CALL, "the context");
        return NULL;
    }
    if (k->messages.status || check(k, path, nz)) return NULL;
    const char *kept = arena_copy_text(&k->memory, path, strlen(path));
    if (!kept) {
        api_no_memory(k);
        return NULL;
    }
    if (io_mesh_read(kept, &mesh, &k->memory, &k->messages)) {
        api_note_error(k);
        return NULL;
    }
    return api_mesh_new(k, kept, &mesh, nz, KATA_ORDER_FOUND);
}
