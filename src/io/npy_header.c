/* The header of NumPy's array files (NEP 1):
 *
 *     \x93NUMPY  major  minor  length of the header (2 bytes in version 1, 4 in version 2)
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   padded with blanks, \n
 *     values
 *
 * The header is a dictionary in Python's syntax; these three keys, each once and in any order, are
 * all that is taken. Files come from strangers: nothing is allocated by what a header says before
 * it was compared with the size of the file. */
#include "io/npy.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t most_values = (int64_t)1 << 48;

static const io_npy_type types[] = {
    {"f8", KATA_F64, 8, false}, {"f4", KATA_F32, 4, false}, {"f2", KATA_F16, 2, false},
    {"i8", KATA_I64, 8, true},  {"i4", KATA_I32, 4, true},  {"i2", KATA_I16, 2, true},
    {"i1", KATA_I16, 1, true},  {"u4", KATA_I64, 4, false}, {"u2", KATA_U16, 2, false},
    {"u1", KATA_U8, 1, false},  {"b1", KATA_U8, 1, false}};

bool io_npy_fail(io_npy_reader *r, const char *reason)
{
    if (!r->reason[0]) snprintf(r->reason, sizeof r->reason, "%s", reason);
    return false;
}

/* ---- the header's text ----------------------------------------------------------------------- */

static void skip_blanks(io_npy_reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t') r->at++;
}

/* Takes a word or sign if it comes next. */
static bool take(io_npy_reader *r, const char *word)
{
    skip_blanks(r);
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

/* A text in single or double quotes, without either inside. */
static bool take_text(io_npy_reader *r, char *out, size_t size)
{
    skip_blanks(r);
    char quote = *r->at;
    if (quote != '\'' && quote != '"') return false;
    size_t length = strcspn(r->at + 1, "'\"\\\n\t");
    if (length >= size || r->at[1 + length] != quote) return false;
    memcpy(out, r->at + 1, length);
    out[length] = 0;
    r->at += length + 2;
    return true;
}

/* An order of bytes ('|' where there is one byte) and a type. */
static bool read_descr(io_npy_reader *r)
{
    char descr[32];
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (!take_text(r, descr, sizeof descr))
        return io_npy_fail(r, "its values are of a compound type");
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (descr[0] && !strcmp(types[i].name, descr + 1)) r->type = &types[i];
    bool one = r->type && r->type->bytes == 1;
    bool ordered = descr[0] == '<' || descr[0] == '>' || (descr[0] == '|' && one);
    r->swapped = !one && descr[0] == (little ? '>' : '<');
    if (r->type && ordered) return true;
    snprintf(r->reason, sizeof r->reason,
             "its values are of type '%s'; f8, f4, f2, i8, i4, i2, i1, u4, u2, u1 and b1 can be "
             "read",
             descr);
    return false;
}

static bool read_order(io_npy_reader *r)
{
    r->fortran = take(r, "True");
    return r->fortran || take(r, "False") || io_npy_fail(r, "its header is damaged");
}

static bool read_size(io_npy_reader *r, int64_t *size)
{
    skip_blanks(r);
    *size = 0;
    const char *start = r->at;
    for (; *r->at >= '0' && *r->at <= '9' && *size < most_values; r->at++)
        *size = *size * 10 + (*r->at - '0');
    return r->at > start || io_npy_fail(r, "its header is damaged");
}

static bool read_sizes(io_npy_reader *r)
{
    if (!take(r, "(")) return io_npy_fail(r, "its header is damaged");
    while (!take(r, ")")) {
        if (r->array.axes == IO_MOST_AXES) return io_npy_fail(r, "it has more than 8 axes");
        if (!read_size(r, &r->array.size[r->array.axes++])) return false;
        if (take(r, ",")) continue;
        return take(r, ")") || io_npy_fail(r, "its header is damaged");
    }
    return true;
}

static bool read_dictionary(io_npy_reader *r)
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
    return (good && descr && order && sizes && !*r->at) || io_npy_fail(r, "its header is damaged");
}

/* ---- the file -------------------------------------------------------------------------------- */

bool io_npy_read_bytes(io_npy_reader *r, void *to, size_t size)
{
    if (fread(to, 1, size, r->file) == size) return true;
    return io_npy_fail(r, ferror(r->file) ? strerror(errno) : "the file ends too early");
}

/* Messages quote the header: it holds nothing that a terminal obeys. */
static bool is_plain_text(const char *header, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool blank = header[i] == '\n' || header[i] == '\t';
        if (!blank && (header[i] < ' ' || header[i] > '~')) return false;
    }
    return true;
}

/* Reads up to the values, whose position in the file goes to *start. */
static bool read_frame(io_npy_reader *r, int64_t *start)
{
    unsigned char begin[8], length[4] = {0};
    if (!io_npy_read_bytes(r, begin, sizeof begin) || memcmp(begin, "\x93NUMPY", 6) != 0) {
        r->reason[0] = 0;
        return io_npy_fail(r, ferror(r->file) ? strerror(errno) : "it is not an NPY file");
    }
    if (begin[6] < 1 || begin[6] > 2 || begin[7])
        return io_npy_fail(r, "it is of an unknown version; versions 1.0 and 2.0 can be read");
    size_t digits = begin[6] == 1 ? 2 : 4;
    if (!io_npy_read_bytes(r, length, digits)) return false;
    size_t size =
        length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
    if (size > IO_LONGEST_HEADER) return io_npy_fail(r, "its header is too long");
    if (!io_npy_read_bytes(r, r->header, size)) return false;
    if (!is_plain_text(r->header, size)) return io_npy_fail(r, "its header is damaged");
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

bool io_npy_read_header(io_npy_reader *r)
{
    struct stat status;
    int64_t start = 0, size;
    if (fstat(fileno(r->file), &status)) return io_npy_fail(r, strerror(errno));
    if (!read_frame(r, &start) || !read_dictionary(r)) return false;
    r->array.type = r->type->type;
    if (!measure(&r->array, r->type->bytes, &size))
        return io_npy_fail(r, "it has 2^48 values or more");
    if (status.st_size - start == size) return true;
    snprintf(r->reason, sizeof r->reason,
             "its values take %lld bytes by its header, and %lld in it", (long long)size,
             (long long)status.st_size - (long long)start);
    return false;
}
