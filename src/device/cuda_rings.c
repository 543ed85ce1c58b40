/* Rings in the memory of a CUDA device: one piece of memory each, mapped twice, one behind the
 * other. The rings of an allocation follow one another in a range of addresses of their own. */
#include "device/cuda_private.h"

static cuda_pieces pieces_of(int device)
{
    return (cuda_pieces){.kind = CUDA_PINNED_MEMORY, .place = {CUDA_PLACE_DEVICE, device}};
}

int64_t cuda_turn(const cuda_api *api, int device)
{
    int maps = 0;
    size_t unit = 0;
    const cuda_pieces pieces = pieces_of(device);
    if (api->device_attribute(&maps, CUDA_MAPS_MEMORY, device) != CUDA_OK || !maps) return 0;
    return api->piece_unit(&unit, &pieces, 0) == CUDA_OK ? (int64_t)unit : 0;
}

/* Maps the piece of a ring twice. It stays as long as it is mapped. */
static bool map_ring(device *d, const cuda_api *api, uint64_t address, size_t turn)
{
    const int number = ((cuda_device *)d->own)->device;
    const cuda_pieces pieces = pieces_of(number);
    const cuda_access access = {{CUDA_PLACE_DEVICE, number}, CUDA_READ_AND_WRITE};
    uint64_t piece;
    if (!cuda_check(d, "cuMemCreate", api->piece_create(&piece, turn, &pieces, 0))) return false;
    bool first = cuda_check(d, "cuMemMap", api->map(address, turn, 0, piece, 0));
    bool both = first && cuda_check(d, "cuMemMap", api->map(address + turn, turn, 0, piece, 0));
    bool done = both && cuda_check(d, "cuMemSetAccess", api->allow(address, 2 * turn, &access, 1));
    api->piece_release(piece);
    if (both && !done) api->unmap(address + turn, turn);
    if (first && !done) api->unmap(address, turn);
    return done;
}

static void unmap_rings(const cuda_api *api, const device_memory *memory, size_t rings)
{
    for (size_t i = 0; i < 2 * rings; i++)
        api->unmap(memory->address + i * memory->turn, memory->turn);
    api->address_free(memory->address, memory->bytes);
}

bool cuda_allocate_rings(device *d, device_memory *memory, int rings)
{
    const cuda_api *api = cuda_enter(d);
    if (!api || !cuda_check(d, "cuMemAddressReserve",
                            api->address_reserve(&memory->address, memory->bytes, 0, 0, 0)))
        return false;
    for (int i = 0; i < rings; i++)
        if (!map_ring(d, api, memory->address + (size_t)i * 2 * memory->turn, memory->turn)) {
            unmap_rings(api, memory, (size_t)i);
            return false;
        }
    return true;
}

void cuda_release_rings(device *d, device_memory *memory)
{
    const cuda_api *api = cuda_enter(d);
    if (api) unmap_rings(api, memory, memory->bytes / (2 * memory->turn));
}
