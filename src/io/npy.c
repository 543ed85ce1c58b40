/* NumPy's array files: their values. npy_header.c reads what stands before them. */
#include "io/npy.h"

#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- arrays ---------------------------------------------------------------------------------- */

int64_t io_array_count(const io_array *a)
{
    int64_t count = 1;
    for (int i = 0; i < a->axes; i++) count *= a->size[i];
    return count;
}

void io_array_print(text *out, const io_array *a)
{
    if (!a->axes) text_add(out, "one number");
    for (int i = 0; i < a->axes; i++)
        text_add(out, "%s%lld", i ? " x " : "", (long long)a->size[i]);
}

bool io_widens(kata_type from, kata_type to)
{
    switch (from) {
    case KATA_U8: return to == KATA_U16 || to == KATA_I16 || to == KATA_I32 || to == KATA_I64;
    case KATA_U16:
    case KATA_I16: return to == KATA_I32 || to == KATA_I64;
    case KATA_I32: return to == KATA_I64;
    default: return false;
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Opens a file up to its values. */
static bool open_file(io_npy_reader *r, const char *path)
{
    int fd, error = file_open(path, &fd);
    if (error) return io_npy_fail(r, file_reason(error));
    r->file = fdopen(fd, "rb");
    if (r->file) return io_npy_read_header(r);
    io_npy_fail(r, strerror(errno));
    close(fd);
    return false;
}

static kata_status finish(io_npy_reader *r, const char *path, bool good, messages *m)
{
    if (r->file) fclose(r->file);
    return good ? KATA_OK : message_fail(m, KATA_ERROR_FILE, "cannot read %s: %s", path, r->reason);
}

kata_status io_npy_shape(const char *path, io_array *a, messages *m)
{
    io_npy_reader *r = calloc(1, sizeof *r);
    if (!r) return message_no_memory(m);
    bool good = open_file(r, path);
    if (good) *a = r->array;
    kata_status status = finish(r, path, good, m);
    free(r);
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_turned(const io_npy_reader *r) { return r->fortran && r->array.axes > 1; }

/* Where value i, in the order of the file, belongs when the last axis is to be the fastest. */
static int64_t position_of(const io_array *a, int64_t i)
{
    int64_t position = 0, stride = io_array_count(a);
    for (int axis = 0; axis < a->axes; axis++) {
        stride /= a->size[axis];
        position += i % a->size[axis] * stride;
        i /= a->size[axis];
    }
    return position;
}

static void swap_bytes(char *values, int64_t count, int bytes)
{
    for (int64_t i = 0; i < count; i++, values += bytes)
        for (int low = 0, high = bytes - 1; low < high; low++, high--) {
            char byte = values[low];
            values[low] = values[high];
            values[high] = byte;
        }
}

/* An integer of 1, 2 or 4 bytes; of a bool 0 or 1. */
static int64_t integer_at(const io_npy_type *type, const char *value)
{
    uint32_t raw = 0;
    if (type->bytes == 1)
        raw = (uint8_t)value[0];
    else if (type->bytes == 2)
        raw = *(const uint16_t *)(const void *)value;
    else
        raw = *(const uint32_t *)(const void *)value;
    if (type->name[0] == 'b') return raw != 0;
    int unused = 64 - 8 * type->bytes;
    return type->is_signed ? (int64_t)((uint64_t)raw << unused) >> unused : (int64_t)raw;
}

/* Stores an integer in a type of integers that has it. */
static void store_integer(kata_type type, int64_t value, void *to)
{
    if (type == KATA_U8)
        *(uint8_t *)to = (uint8_t)value;
    else if (type == KATA_U16 || type == KATA_I16)
        *(uint16_t *)to = (uint16_t)value;
    else if (type == KATA_I32)
        *(int32_t *)to = (int32_t)value;
    else
        *(int64_t *)to = value;
}

/* Whether values are stored as they are in the file, but for the order of their bytes. */
static bool is_copied(const io_npy_type *type, kata_type to)
{
    return type->bytes == store_type_bytes(to) && type->name[0] != 'b';
}

/* Puts values of a piece of the file, the first of which is value `first`, where they belong. */
static void put_piece(const io_npy_reader *r, const char *piece, int64_t first, int64_t count,
                      kata_type to, char *values)
{
    int size = store_type_bytes(to), bytes = r->type->bytes;
    const bool turned = is_turned(r);
    for (int64_t i = 0; i < count; i++) {
        int64_t position = turned ? position_of(&r->array, first + i) : first + i;
        if (is_copied(r->type, to))
            memcpy(values + position * size, piece + i * bytes, (size_t)bytes);
        else
            store_integer(to, integer_at(r->type, piece + i * bytes), values + position * size);
    }
}

/* The values from the first on: of so many all, where the order is another one. */
static bool read_pieces(io_npy_reader *r, kata_type to, int64_t count, char *values)
{
    _Alignas(8) char piece[1 << 15];
    int64_t bytes = r->type->bytes, most = (int64_t)sizeof piece / bytes;
    for (int64_t first = 0; first < count; first += most) {
        int64_t here = smaller(most, count - first);
        if (!io_npy_read_bytes(r, piece, (size_t)(here * bytes))) return false;
        if (r->swapped) swap_bytes(piece, here, r->type->bytes);
        put_piece(r, piece, first, here, to, values);
    }
    return true;
}

/* Whether values of the file can be read as a type: their own, or a wider integer. */
static bool reads_as(const io_npy_type *type, kata_type to)
{
    return type->type == to || io_widens(type->type, to);
}

static bool is_expected(const io_npy_reader *r, const io_array *expected)
{
    const io_array *a = &r->array;
    return reads_as(r->type, expected->type) && a->axes == expected->axes &&
           !memcmp(a->size, expected->size, (size_t)a->axes * sizeof *a->size);
}

typedef struct npy_values {
    io_npy_reader reader;
    kata_type type;
    char path[];
} npy_values;

static bool read_next(npy_values *v, int64_t count, void *values)
{
    io_npy_reader *r = &v->reader;
    if (is_copied(r->type, v->type) && !r->swapped && !is_turned(r))
        return io_npy_read_bytes(r, values, (size_t)(count * r->type->bytes));
    return read_pieces(r, v->type, count, values);
}

static kata_status next(void *data, int64_t count, void *values, messages *m)
{
    npy_values *v = data;
    if (read_next(v, count, values)) return KATA_OK;
    return message_fail(m, KATA_ERROR_FILE, "cannot read %s: %s", v->path, v->reader.reason);
}

static void end(void *data)
{
    npy_values *v = data;
    if (v->reader.file) fclose(v->reader.file);
    free(v);
}

static kata_status open_values(npy_values *v, const io_array *expected, messages *m)
{
    io_npy_reader *r = &v->reader;
    if (open_file(r, v->path) &&
        (is_expected(r, expected) || io_npy_fail(r, "it has changed while it was read")))
        return KATA_OK;
    return message_fail(m, KATA_ERROR_FILE, "cannot read %s: %s", v->path, r->reason);
}

/* Values in Fortran order: all at once. */
static kata_status turn(npy_values *v, const io_array *expected, io_reading *out, messages *m)
{
    const size_t size = (size_t)store_type_bytes(expected->type);
    const int64_t count = io_array_count(expected);
    void *values = calloc((size_t)count + 1, size);
    kata_status status = values ? next(v, count, values, m) : message_no_memory(m);
    if (!status) return io_reading_of(out, values, size, m);
    free(values);
    return status;
}

kata_status io_npy_open(const char *path, const io_array *expected, io_reading *values, messages *m)
{
    const size_t length = strlen(path) + 1;
    npy_values *v = calloc(1, sizeof *v + length);
    if (!v) return message_no_memory(m);
    memcpy(v->path, path, length);
    v->type = expected->type;
    kata_status status = open_values(v, expected, m);
    const bool turned = !status && is_turned(&v->reader);
    if (turned) status = turn(v, expected, values, m);
    if (status || turned)
        end(v);
    else
        *values = (io_reading){v, next, end};
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

enum { ALIGNMENT = 64 };

/* NULL for a type that NumPy lacks. Values are written in this machine's order. */
static const char *descr_of(kata_type type)
{
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    switch (type) {
    case KATA_F64: return little ? "<f8" : ">f8";
    case KATA_F32: return little ? "<f4" : ">f4";
    case KATA_F16: return little ? "<f2" : ">f2";
    case KATA_I64: return little ? "<i8" : ">i8";
    case KATA_I32: return little ? "<i4" : ">i4";
    case KATA_U8: return "|u1";
    case KATA_U16: return little ? "<u2" : ">u2";
    case KATA_I16: return little ? "<i2" : ">i2";
    default: return NULL;
    }
}

static bool add_header(text *out, const io_array *a, const char *descr)
{
    text words = {0};
    text_add(&words, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < a->axes; i++)
        text_add(&words, "%s%lld%s", i ? ", " : "", (long long)a->size[i], a->axes == 1 ? "," : "");
    text_add(&words, "), }");
    int length = (int)((10 + words.length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - 10);
    text_add(out, "%-*s\n", length - 1, text_get(&words));
    out->failed |= words.failed;
    text_free(&words);
    return !out->failed;
}

/* Returns 0 or an errno value; ECANCELED where the source has failed. */
static int write_all(const file_draft *draft, const io_array *a, const text *header,
                     const io_source *source)
{
    unsigned char begin[10] = "\x93NUMPY\x01";
    begin[8] = (unsigned char)(header->length & 255);
    begin[9] = (unsigned char)(header->length >> 8);
    const file_part parts[] = {{begin, sizeof begin}, {header->data, header->length}};
    int64_t count = io_array_count(a), here = 0;
    int error = file_write_open(draft->file, parts, 2);
    for (int64_t first = 0; first < count && !error; first += here) {
        const void *values;
        here = source->take(source->data, 0, first, &values);
        const file_part piece = {values, (size_t)here * (size_t)store_type_bytes(a->type)};
        error = here ? file_write_open(draft->file, &piece, 1) : ECANCELED;
    }
    return error;
}

kata_status io_npy_write(const char *path, const io_array *a, const io_source *source, messages *m)
{
    const char *descr = descr_of(a->type);
    if (!descr)
        return message_fail(
            m, KATA_ERROR_ARGUMENT,
            "cannot write %s: an NPY file takes f64, f32, f16, i64, i32, i16, u16 and "
            "u8",
            path);
    text header = {0};
    file_draft draft;
    int error = add_header(&header, a, descr) ? file_draft_begin(&draft, path) : ENOMEM;
    if (!error) error = file_draft_end(&draft, write_all(&draft, a, &header, source));
    text_free(&header);
    if (error == ENOMEM) return message_no_memory(m);
    if (error && error != ECANCELED)
        message_fail(m, KATA_ERROR_FILE, "cannot write %s: %s", path, file_reason(error));
    return error ? m->status : KATA_OK;
}
