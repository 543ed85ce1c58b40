/* NumPy's array files (NEP 1):
 *
 *     \x93NUMPY  major  minor  length of the header (2 bytes in version 1, 4 in version 2)
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   padded with blanks, \n
 *     values
 *
 * The header is a dictionary in Python's syntax; these three keys, each once and in any order, are
 * all that is taken. Files come from strangers: nothing is allocated by what a header says before
 * it was compared with the size of the file. */
#include "io/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_HEADER = 1 << 16, ALIGNMENT = 64 };
static const int64_t most_values = (int64_t)1 << 48;

static const struct npy_type {
    const char *descr;
    kata_type type;
    int bytes;
} types[] = {{"<f8", KATA_F64, 8},
             {"<f4", KATA_F32, 4},
             {"<i8", KATA_I64, 8},
             {"<i4", KATA_I32, 4},
             {"|u1", KATA_U8, 1}};

static const struct npy_type *type_of(kata_type type)
{
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (types[i].type == type) return &types[i];
    return NULL;
}

typedef struct reader {
    FILE *file;
    io_array array;
    const struct npy_type *type;
    bool fortran;
    char header[LONGEST_HEADER + 1];
    const char *at;   /* in the header */
    char reason[160]; /* of a failure */
} reader;

static bool wrong(reader *r, const char *reason)
{
    if (!r->reason[0]) snprintf(r->reason, sizeof r->reason, "%s", reason);
    return false;
}

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

/* ---- the header's text ----------------------------------------------------------------------- */

static void skip_blanks(reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t') r->at++;
}

/* Takes a word or sign if it comes next. */
static bool take(reader *r, const char *word)
{
    skip_blanks(r);
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

/* A text in single or double quotes, without either inside. */
static bool take_text(reader *r, char *out, size_t size)
{
    skip_blanks(r);
    char quote = *r->at;
    if (quote != '\'' && quote != '"') return false;
    size_t length = strcspn(r->at + 1, "'\"\\\n");
    if (length >= size || r->at[1 + length] != quote) return false;
    memcpy(out, r->at + 1, length);
    out[length] = 0;
    r->at += length + 2;
    return true;
}

static bool read_descr(reader *r)
{
    char descr[32];
    if (!take_text(r, descr, sizeof descr)) return wrong(r, "its values are of a compound type");
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (!strcmp(types[i].descr, descr)) r->type = &types[i];
    if (r->type) return true;
    snprintf(r->reason, sizeof r->reason,
             "its values are of type '%s'; <f8, <f4, <i8, <i4 and |u1 can be read", descr);
    return false;
}

static bool read_order(reader *r)
{
    r->fortran = take(r, "True");
    return r->fortran || take(r, "False") || wrong(r, "its header is damaged");
}

static bool read_size(reader *r, int64_t *size)
{
    skip_blanks(r);
    *size = 0;
    const char *start = r->at;
    for (; *r->at >= '0' && *r->at <= '9' && *size < most_values; r->at++)
        *size = *size * 10 + (*r->at - '0');
    return r->at > start || wrong(r, "its header is damaged");
}

static bool read_sizes(reader *r)
{
    if (!take(r, "(")) return wrong(r, "its header is damaged");
    while (!take(r, ")")) {
        if (r->array.axes == IO_MOST_AXES) return wrong(r, "it has more than 8 axes");
        if (!read_size(r, &r->array.size[r->array.axes++])) return false;
        if (take(r, ",")) continue;
        return take(r, ")") || wrong(r, "its header is damaged");
    }
    return true;
}

static bool read_dictionary(reader *r)
{
    char key[32];
    bool descr = false, order = false, sizes = false, good = take(r, "{");
    while (good && !take(r, "}")) {
        good = take_text(r, key, sizeof key) && take(r, ":");
        if (good && !descr && !strcmp(key, "descr"))
            good = descr = read_descr(r);
        else if (good && !order && !strcmp(key, "fortran_order"))
            good = order = read_order(r);
        else if (good && !sizes && !strcmp(key, "shape"))
            good = sizes = read_sizes(r);
        else
            good = false;
        if (good && !take(r, ",")) {
            good = take(r, "}");
            break;
        }
    }
    skip_blanks(r);
    return (good && descr && order && sizes && !*r->at) || wrong(r, "its header is damaged");
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool read_bytes(reader *r, void *to, size_t size)
{
    if (fread(to, 1, size, r->file) == size) return true;
    return wrong(r, ferror(r->file) ? strerror(errno) : "the file ends too early");
}

/* Reads up to the values, whose place in the file goes to *start. */
static bool read_frame(reader *r, int64_t *start)
{
    unsigned char begin[8], length[4] = {0};
    if (!read_bytes(r, begin, sizeof begin) || memcmp(begin, "\x93NUMPY", 6) != 0) {
        r->reason[0] = 0;
        return wrong(r, ferror(r->file) ? strerror(errno) : "it is not an NPY file");
    }
    if (begin[6] < 1 || begin[6] > 2 || begin[7])
        return wrong(r, "it is of an unknown version; versions 1.0 and 2.0 can be read");
    size_t digits = begin[6] == 1 ? 2 : 4;
    if (!read_bytes(r, length, digits)) return false;
    size_t size =
        length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
    if (size > LONGEST_HEADER) return wrong(r, "its header is too long");
    if (!read_bytes(r, r->header, size)) return false;
    if (memchr(r->header, 0, size)) return wrong(r, "its header is damaged");
    r->at = r->header;
    *start = (int64_t)(sizeof begin + digits + size);
    return true;
}

/* Bytes of all values; false when they are more than a grid can have. */
static bool measure(const io_array *a, int bytes, int64_t *size)
{
    int64_t count = 1;
    for (int i = 0; i < a->axes; i++)
        if (__builtin_mul_overflow(count, a->size[i], &count) || count >= most_values) return false;
    *size = count * bytes;
    return true;
}

static bool read_header(reader *r)
{
    struct stat status;
    int64_t start = 0, size;
    if (fstat(fileno(r->file), &status)) return wrong(r, strerror(errno));
    if (!S_ISREG(status.st_mode)) return wrong(r, "it is not a regular file");
    if (!read_frame(r, &start) || !read_dictionary(r)) return false;
    r->array.type = r->type->type;
    if (!measure(&r->array, r->type->bytes, &size)) return wrong(r, "it has 2^48 values or more");
    if (status.st_size - start == size) return true;
    snprintf(r->reason, sizeof r->reason,
             "its values take %lld bytes by its header, and %lld in it", (long long)size,
             (long long)status.st_size - (long long)start);
    return false;
}

/* Opens a file up to its values. */
static bool open_file(reader *r, const char *path)
{
    r->file = fopen(path, "rbe");
    return r->file ? read_header(r) : wrong(r, strerror(errno));
}

static kata_status finish(reader *r, const char *path, bool good, messages *m)
{
    if (r->file) fclose(r->file);
    return good ? KATA_OK : message_fail(m, KATA_ERROR_FILE, "cannot read %s: %s", path, r->reason);
}

kata_status io_npy_shape(const char *path, io_array *a, messages *m)
{
    reader *r = calloc(1, sizeof *r);
    if (!r) return message_no_memory(m);
    bool good = open_file(r, path);
    if (good) *a = r->array;
    kata_status status = finish(r, path, good, m);
    free(r);
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Where value i, in the order of the file, belongs when the last axis is to be the fastest. */
static int64_t place_of(const io_array *a, int64_t i)
{
    int64_t place = 0, stride = io_array_count(a);
    for (int axis = 0; axis < a->axes; axis++) {
        stride /= a->size[axis];
        place += i % a->size[axis] * stride;
        i /= a->size[axis];
    }
    return place;
}

/* Reads values whose first axis is the fastest. */
static bool read_turned(reader *r, char *values)
{
    char piece[4096];
    int64_t bytes = r->type->bytes, most = (int64_t)sizeof piece / bytes;
    int64_t count = io_array_count(&r->array);
    for (int64_t i = 0; i < count; i++) {
        int64_t left = count - i, here = i % most;
        if (!here && !read_bytes(r, piece, (size_t)((left < most ? left : most) * bytes)))
            return false;
        memcpy(values + place_of(&r->array, i) * bytes, piece + here * bytes, (size_t)bytes);
    }
    return true;
}

static bool is_expected(const io_array *a, const io_array *expected)
{
    return a->type == expected->type && a->axes == expected->axes &&
           !memcmp(a->size, expected->size, (size_t)a->axes * sizeof *a->size);
}

static bool read_values(reader *r, const io_array *expected, void *values)
{
    if (!is_expected(&r->array, expected)) return wrong(r, "it has changed while it was read");
    if (r->fortran && r->array.axes > 1) return read_turned(r, values);
    return read_bytes(r, values, (size_t)(io_array_count(expected) * r->type->bytes));
}

kata_status io_npy_read(const char *path, const io_array *expected, void *values, messages *m)
{
    reader *r = calloc(1, sizeof *r);
    if (!r) return message_no_memory(m);
    bool good = open_file(r, path) && read_values(r, expected, values);
    kata_status status = finish(r, path, good, m);
    free(r);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void add_header(text *out, const io_array *a, const struct npy_type *type)
{
    text words = {0};
    text_add(&words, "{'descr': '%s', 'fortran_order': False, 'shape': (", type->descr);
    for (int i = 0; i < a->axes; i++)
        text_add(&words, "%s%lld%s", i ? ", " : "", (long long)a->size[i], a->axes == 1 ? "," : "");
    text_add(&words, "), }");
    int length = (int)((10 + words.length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - 10);
    text_add(out, "%-*s\n", length - 1, text_get(&words));
    out->failed |= words.failed;
    text_free(&words);
}

kata_status io_npy_write(const char *path, const io_array *a, const void *values, messages *m)
{
    const struct npy_type *type = type_of(a->type);
    if (!type)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "cannot write %s: an NPY file takes f64, f32, i64 and i32", path);
    text header = {0};
    add_header(&header, a, type);
    unsigned char begin[10] = "\x93NUMPY\x01";
    begin[8] = (unsigned char)(header.length & 255);
    begin[9] = (unsigned char)(header.length >> 8);
    const file_part parts[] = {{begin, sizeof begin},
                               {header.data, header.length},
                               {values, (size_t)io_array_count(a) * (size_t)type->bytes}};
    int error = header.failed ? ENOMEM : file_write_parts(path, parts, 3);
    text_free(&header);
    if (error == ENOMEM) return message_no_memory(m);
    if (error)
        return message_fail(m, KATA_ERROR_FILE, "cannot write %s: %s", path, strerror(error));
    return KATA_OK;
}
