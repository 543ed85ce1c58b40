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

void reader_answer(int file, const reader_request *request, reader_reply *reply, void **values)
{
    *values = NULL;
    *reply = (reader_reply){.mark = READER_MARK, .components = 1};
    reader r = {H5I_INVALID_HID,
                H5I_INVALID_HID,
                H5I_INVALID_HID,
                H5I_INVALID_HID,
                -1,
                reply->reason,
                false};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0);
    bool open = open_requested(&r, file, request, &reply->table);
    if (open && reply->table.absent) reply->type = KATA_I32;
    if (open && !reply->table.absent && reader_take_shape(&r, reply, file) &&
        (request->kind != READER_IMAGE || reader_take_components(&r, reply)) && request->bytes)
        *values = reader_take_values(&r, request);
    close_all(&r);
}
