/* One request, from the open file to the reply. */
#include "reader/reader_hdf5.h"

static bool open_requested(reader *r, int file, const reader_request *request, reader_table *table)
{
    r->file = reader_open_file(file);
    if (r->file < 0) return reader_fail(r, "it is not an HDF5 file, or is damaged");
    switch (request->kind) {
    case READER_DATASET: return reader_open_dataset(r, request->name);
    case READER_MEMBER: return reader_open_member(r, "/", request->name);
    case READER_IMAGE: return reader_open_image(r, request->name);
    case READER_MESH: return reader_open_table(r, request->name, table);
    }
    return reader_fail(r, "it was asked for nothing");
}

static void close_all(const reader *r)
{
    if (r->type >= 0) H5Tclose(r->type);
    if (r->space >= 0) H5Sclose(r->space);
    if (r->set >= 0) H5Dclose(r->set);
    if (r->file >= 0) H5Fclose(r->file);
}

static bool find_shape(reader *r, int file, const reader_request *request, reader_reply *reply)
{
    return reader_take_shape(r, reply, file) &&
           (request->kind != READER_IMAGE || reader_take_components(r, reply));
}

/* The reply follows when a first part has been read: most of what is wrong shows there. */
static reader_end put_values(reader *r, const reader_request *request, const reader_reply *reply,
                             const reader_sink *to)
{
    reader_values v;
    const bool read = reader_values_begin(r, request, &v) && (!v.left || reader_values_next(&v));
    reader_end end = to->put(to->data, reply, sizeof *reply) ? READER_DONE : READER_DEAF;
    for (bool more = read && v.count; more && !end;) {
        more = v.left;
        if (!to->put(to->data, v.values, v.count))
            end = READER_DEAF;
        else if (more && !reader_values_next(&v))
            end = READER_CUT;
    }
    reader_values_end(&v);
    return end;
}

reader_end reader_answer(int file, const reader_request *request, const reader_sink *to)
{
    reader_reply reply = {.mark = READER_MARK, .components = 1};
    reader_end end = READER_DONE;
    reader r = {H5I_INVALID_HID,
                H5I_INVALID_HID,
                H5I_INVALID_HID,
                H5I_INVALID_HID,
                -1,
                reply.reason,
                false};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0);
    bool open = open_requested(&r, file, request, &reply.table), absent = reply.table.absent;
    if (open && absent) reply.type = KATA_I32;
    if (open && !absent && find_shape(&r, file, request, &reply) && request->bytes)
        end = put_values(&r, request, &reply, to);
    else if (!to->put(to->data, &reply, sizeof reply))
        end = READER_DEAF;
    close_all(&r);
    return end;
}
