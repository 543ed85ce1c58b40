/* Values of a dataset, part by part: as many at once as the library takes, and whole chunks, each
 * of which HDF5 unpacks where a part touches it. */
#include "reader/reader_hdf5.h"

#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = HOSTILE(8 << 20, 64) };

static hid_t memory_type(kata_type type)
{
    switch (type) {
#define TYPE(type, in_memory)                                                                      \
    case type: return in_memory;
        READER_TYPES(TYPE)
#undef TYPE
    default: return H5I_INVALID_HID;
    }
}

/* Puts the extents of the chunks over zeros, which stay where there are none. */
static void find_chunks(const reader *r, hsize_t chunk[H5S_MAX_RANK])
{
    hid_t properties = H5Dget_create_plist(r->set);
    if (properties < 0) return;
    if (H5Pget_layout(properties) == H5D_CHUNKED) H5Pget_chunk(properties, H5S_MAX_RANK, chunk);
    H5Pclose(properties);
}

/* Cuts at the outermost axis along which chunks are thicker than one index, or above which parts
 * would be larger than need be. */
static void find_cut(reader_values *v, const hsize_t chunk[H5S_MAX_RANK])
{
    const hsize_t most = PART_BYTES / v->bytes;
    hsize_t under = 1;
    for (int i = v->first; i < v->axes; i++) under *= v->size[i];
    v->cut = v->first;
    for (; v->cut < v->axes; v->cut++) {
        if (v->size[v->cut]) under /= v->size[v->cut];
        if (under <= most || chunk[v->cut] > 1) break;
    }
    if (v->cut == v->axes) return;
    const hsize_t thick = chunk[v->cut] ? chunk[v->cut] : 1,
                  fit = under ? most / under / thick * thick : thick;
    v->thick = fit > thick ? fit : thick;
    if (v->thick > v->size[v->cut]) v->thick = v->size[v->cut];
    v->part = v->thick * under;
}

bool reader_values_begin(reader *r, const reader_request *request, reader_values *v)
{
    hsize_t chunk[H5S_MAX_RANK] = {0}, count = 1;
    *v = (reader_values){.r = r, .type = memory_type(request->type)};
    v->bytes = H5Tget_size(v->type);
    v->axes = H5Sget_simple_extent_ndims(r->space);
    if (!v->bytes || v->axes < 0 || H5Sget_simple_extent_dims(r->space, v->size, NULL) < 0)
        return reader_fail(r, "HDF5 cannot tell a dataset's shape");
    v->first = r->step < 0 ? 0 : 1;
    if (v->first) v->at[0] = (hsize_t)r->step;
    for (int i = v->first; i < v->axes; i++)
        count *= v->size[i]; /* below 2^48: its shape is known */
    if ((int64_t)(count * v->bytes) != request->bytes)
        return reader_fail(r, "it has changed while it was read");
    find_chunks(r, chunk);
    v->part = 1;
    find_cut(v, chunk);
    v->left = count;
    v->values = calloc(v->part + 1, v->bytes);
    return v->values || reader_fail(r, "memory is out");
}

/* The next indices behind a part. */
static void go_on(reader_values *v, hsize_t thick)
{
    int axis = v->cut;
    if (axis == v->axes) return;
    v->at[axis] += thick;
    while (axis > v->first && v->at[axis] == v->size[axis]) {
        v->at[axis--] = 0;
        v->at[axis]++;
    }
}

static bool read_part(reader_values *v, const hsize_t shape[H5S_MAX_RANK], hsize_t count)
{
    const reader *r = v->r;
    const bool all = v->axes == 0;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    bool read =
        memory >= 0 &&
        (all || H5Sselect_hyperslab(r->space, H5S_SELECT_SET, v->at, NULL, shape, NULL) >= 0) &&
        H5Dread(r->set, v->type, memory, r->space, H5P_DEFAULT, v->values) >= 0;
    if (memory >= 0) H5Sclose(memory);
    return read;
}

bool reader_values_next(reader_values *v)
{
    hsize_t shape[H5S_MAX_RANK], count = 1, thick = 0;
    for (int i = 0; i < v->axes; i++) shape[i] = i < v->cut ? 1 : v->size[i];
    if (v->cut < v->axes) {
        thick = v->size[v->cut] - v->at[v->cut];
        if (thick > v->thick) thick = v->thick;
        shape[v->cut] = thick;
    }
    for (int i = 0; i < v->axes; i++) count *= shape[i];
    if (!read_part(v, shape, count))
        return reader_fail(v->r, "HDF5 cannot read the dataset's values");
    v->count = count * v->bytes;
    v->left -= count;
    go_on(v, thick);
    return true;
}

void reader_values_end(reader_values *v)
{
    free(v->values);
    v->values = NULL;
}
