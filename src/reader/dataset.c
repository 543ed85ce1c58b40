/* A dataset's type and shape. What the file says of sizes is held against the bytes that it
 * has before memory is taken by them. */
#include "reader/reader_hdf5.h"

#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_RATIO = 1100,     /* deflate makes at most 1032 bytes of one */
    FREE_CHUNK = 16 << 20, /* bytes of a chunk that are fine for the smallest of datasets */
    FREE_BYTES = 1 << 16   /* bytes of values that may be made of nothing */
};

static const int64_t most_values = (int64_t)1 << 48;

/* ---- where the values are -------------------------------------------------------------------- */

/* Filters that are part of libhdf5: deflate, shuffle, fletcher32, szip, nbit, scaleoffset. */
static bool check_filters(reader *r, hid_t properties)
{
    int count = H5Pget_nfilters(properties);
    for (int i = 0; i < count; i++) {
        unsigned flags, values[16], encoding;
        size_t most = COUNT_OF(values);
        H5Z_filter_t filter =
            H5Pget_filter2(properties, (unsigned)i, &flags, &most, values, 0, NULL, &encoding);
        if (filter < H5Z_FILTER_DEFLATE || filter > H5Z_FILTER_SCALEOFFSET)
            return reader_fail(r,
                               "the dataset is compressed by filter %d, which is not part of "
                               "HDF5; repack it with gzip",
                               (int)filter);
    }
    return count >= 0 || reader_fail(r, "HDF5 cannot tell a dataset's filters");
}

static bool check_properties(reader *r, hid_t properties)
{
    if (H5Pget_layout(properties) == H5D_VIRTUAL)
        return reader_fail(r, "the dataset is a virtual one, made of others; copy it into one");
    if (H5Pget_external_count(properties) != 0)
        return reader_fail(r, "the dataset's values are in another file; copy them into this one");
    return check_filters(r, properties);
}

bool reader_check_storage(reader *r)
{
    hid_t properties = H5Dget_create_plist(r->set);
    if (properties < 0) return reader_fail(r, "HDF5 cannot tell a dataset's layout");
    bool good = check_properties(r, properties);
    H5Pclose(properties);
    return good;
}

/* ---- type ------------------------------------------------------------------------------------ */

static bool take_type(reader *r, int32_t *type)
{
    size_t bytes = H5Tget_size(r->type);
    H5T_class_t class = H5Tget_class(r->type);
    bool is_signed = class == H5T_INTEGER && H5Tget_sign(r->type) == H5T_SGN_2;
    if (class == H5T_FLOAT && bytes <= 16)
        *type = bytes <= 4 ? KATA_F32 : KATA_F64;
    else if (class == H5T_INTEGER && bytes == 1 && !is_signed)
        *type = KATA_U8;
    else if (class == H5T_INTEGER && bytes <= 2)
        *type = is_signed ? KATA_I16 : KATA_U16;
    else if (class == H5T_INTEGER && (bytes < 4 || (bytes == 4 && is_signed)))
        *type = KATA_I32;
    else if (class == H5T_INTEGER && (bytes < 8 || (bytes == 8 && is_signed)))
        *type = KATA_I64;
    else
        return reader_fail(r, "the dataset is not made of numbers, or of unsigned ones of 64 bits");
    return true;
}

/* ---- shape ----------------------------------------------------------------------------------- */

/* The bytes of a chunk; 0 where the dataset is stored otherwise. */
static int64_t chunk_bytes(reader *r, int axes)
{
    hsize_t size[H5S_MAX_RANK];
    int64_t bytes = (int64_t)H5Tget_size(r->type);
    hid_t properties = H5Dget_create_plist(r->set);
    bool chunked = properties >= 0 && H5Pget_layout(properties) == H5D_CHUNKED &&
                   H5Pget_chunk(properties, H5S_MAX_RANK, size) == axes;
    if (properties >= 0) H5Pclose(properties);
    for (int i = 0; chunked && i < axes; i++)
        if (__builtin_mul_overflow(bytes, (int64_t)size[i], &bytes)) return INT64_MAX;
    return chunked ? bytes : 0;
}

/* Whether the file can hold the values: what it says of them costs it almost nothing. */
static bool check_claim(reader *r, int file, int axes, int64_t values)
{
    struct stat status;
    int64_t bytes = values * (int64_t)H5Tget_size(r->type), chunk = chunk_bytes(r, axes);
    int64_t stored = (int64_t)H5Dget_storage_size(r->set);
    if (fstat(file, &status) || stored < 0 || stored > status.st_size)
        return reader_fail(r, "the dataset claims to be larger than the file");
    int64_t most = chunk ? stored * MOST_RATIO : stored;
    if (bytes > FREE_BYTES && bytes > most)
        return reader_fail(r, "the dataset's values take %lld bytes, and the file has %lld of them",
                           (long long)bytes, (long long)stored);
    if (chunk > FREE_CHUNK && chunk > 2 * bytes)
        return reader_fail(r, "a chunk of the dataset takes %lld bytes, and all its values %lld",
                           (long long)chunk, (long long)bytes);
    return true;
}

static bool take_sizes(reader *r, reader_reply *reply, int64_t *values)
{
    hsize_t size[H5S_MAX_RANK], count = 1;
    int axes = H5Sis_simple(r->space) > 0 ? H5Sget_simple_extent_ndims(r->space) : -1;
    int skipped = r->step >= 0;
    if (H5Sget_simple_extent_type(r->space) == H5S_NULL)
        return reader_fail(r, "the dataset holds no values");
    if (axes < 0 || axes - skipped > READER_MOST_AXES)
        return reader_fail(r, "the dataset has more than %d axes", READER_MOST_AXES);
    if (H5Sget_simple_extent_dims(r->space, size, NULL) < 0)
        return reader_fail(r, "HDF5 cannot tell a dataset's shape");
    for (int i = 0; i < axes; i++)
        if (__builtin_mul_overflow(count, size[i], &count) || count >= (hsize_t)most_values)
            return reader_fail(r, "the dataset has 2^48 values or more");
    *values = (int64_t)count;
    reply->axes = axes - skipped;
    for (int i = 0; i < reply->axes; i++) reply->size[i] = (int64_t)size[i + skipped];
    return true;
}

bool reader_take_shape(reader *r, reader_reply *reply, int file)
{
    int64_t values = 0;
    return take_type(r, &reply->type) && take_sizes(r, reply, &values) &&
           check_claim(r, file, reply->axes + (r->step >= 0), values);
}
