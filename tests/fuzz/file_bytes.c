/* What the library does with a file of a stranger: PNG, NPY and HDF5. Any bytes may be given. The
 * parts that run in kata-read-hdf5 are called here directly, so that sanitizers watch them.
 * libFuzzer calls this with bytes it makes up (./dev fuzz files), mutate_files.c with mutated
 * files. */
#include "file_bytes.h"

#include "io/reading.h"
#include "reader/reader.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_VALUES = 1 << 20 }; /* of arrays that are read */

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "file_bytes: %s\n", what);
    abort();
}

/* A message is text that a terminal can be given, whatever the file has in it. */
static void check_message(void *data, kata_status status, const char *message)
{
    int *errors = data;
    *errors += status != KATA_OK;
    require(message[0] != '\0', "an empty message");
    for (const char *c = message; *c; c++)
        require((unsigned char)*c >= ' ' && *c != 127,
                "a message holds a sign that terminals obey");
}

/* Each failure has one message, each success none. */
static void check_outcome(kata_status status, const messages *m, int errors)
{
    require(status == m->status, "a wrong status");
    require(errors == (status != KATA_OK), "not one message per error");
}

/* ---- PNG ------------------------------------------------------------------------------------- */

static bool read_png(const char *path, int channels)
{
    int errors = 0;
    messages m = {.handler = check_message, .handler_data = &errors};
    io_image image = {0};
    kata_status status = io_png_read(path, channels, &image, &m);
    check_outcome(status, &m, errors);
    require(status ? !image.pixels : image.width > 0 && image.height > 0, "a wrong image");
    unsigned sum = 0;
    for (int64_t i = 0; i < image.width * image.height * image.channels; i++)
        sum += image.pixels[i];
    require(sum <= UINT32_MAX, "no sum");
    io_image_free(&image);
    message_free(&m);
    return status == KATA_OK;
}

static int read_pngs(const char *path)
{
    int errors = 0, read = 0;
    messages m = {.handler = check_message, .handler_data = &errors};
    io_image image = {0};
    kata_status status = io_png_header(path, &image, &m);
    check_outcome(status, &m, errors);
    message_free(&m);
    if (!status && image.width * image.height > MOST_VALUES) return 0;
    for (int channels = 1; channels <= 4; channels++) read += read_png(path, channels);
    return read;
}

/* ---- NPY ------------------------------------------------------------------------------------- */

static int read_npy(const char *path)
{
    int errors = 0;
    messages m = {.handler = check_message, .handler_data = &errors};
    io_array a;
    kata_status status = io_npy_shape(path, &a, &m);
    if (!status && io_array_count(&a) <= MOST_VALUES) {
        size_t size = (size_t)io_array_count(&a) * (size_t)store_type_bytes(a.type);
        void *values = malloc(size ? size : 1); /* of exactly its size: beyond it shows */
        require(values != NULL, "out of memory");
        io_reading from;
        status = io_npy_open(path, &a, &from, &m);
        const int64_t count = io_array_count(&a), half = count / 2;
        if (!status) status = from.next(from.data, half, values, &m);
        char *rest = (char *)values + half * store_type_bytes(a.type);
        if (!status) status = from.next(from.data, count - half, rest, &m);
        if (!status) from.end(from.data);
        require(status == KATA_OK, "a file that was measured cannot be read");
        free(values);
    }
    check_outcome(status, &m, errors);
    message_free(&m);
    return status == KATA_OK;
}

/* ---- HDF5 ------------------------------------------------------------------------------------ */

static int64_t count_of(const reader_reply *reply)
{
    int64_t count = 1;
    require(reply->axes >= 0 && reply->axes <= READER_MOST_AXES, "a wrong number of axes");
    for (int i = 0; i < reply->axes; i++) {
        require(reply->size[i] >= 0, "a negative size");
        require(!__builtin_mul_overflow(count, reply->size[i], &count), "too many values");
    }
    return count;
}

static void check_reply(const reader_reply *reply)
{
    require(reply->mark == READER_MARK, "a reply without its mark");
    require(memchr(reply->reason, 0, sizeof reply->reason) != NULL, "an endless reason");
    for (const char *c = reply->reason; *c; c++)
        require(*c >= ' ' && *c <= '~', "a reason holds a sign that terminals obey");
}

/* What was answered: a reply, and so many bytes of values. */
typedef struct answer {
    reader_reply reply;
    bool replied;
    int64_t bytes;
    unsigned sum;
} answer;

static bool note(void *data, const void *bytes, size_t count)
{
    answer *a = data;
    if (!a->replied) {
        require(count == sizeof a->reply, "a reply of another size");
        memcpy(&a->reply, bytes, count);
        a->replied = true;
        return true;
    }
    for (size_t i = 0; i < count; i++) a->sum += ((const uint8_t *)bytes)[i];
    a->bytes += (int64_t)count;
    return true;
}

static reader_end ask(int file, const reader_request *request, answer *a)
{
    *a = (answer){.replied = false};
    const reader_end end = reader_answer(file, request, &(reader_sink){a, note});
    require(a->replied, "no reply");
    check_reply(&a->reply);
    return end;
}

static bool read_hdf5(int file, reader_kind kind, const char *name)
{
    reader_request request = {.kind = kind, .name = name};
    answer a;
    require(ask(file, &request, &a) == READER_DONE, "a shape that is cut off");
    require(!a.bytes, "values that nobody asked for");
    if (a.reply.reason[0] || count_of(&a.reply) > MOST_VALUES || !count_of(&a.reply)) return false;
    request.type = (kata_type)a.reply.type;
    request.bytes = count_of(&a.reply) * store_type_bytes(request.type);
    const reader_end end = ask(file, &request, &a);
    if (end == READER_CUT) return false;
    require(end == READER_DONE, "an answer that is not taken");
    require(a.bytes == (a.reply.reason[0] ? 0 : request.bytes), "neither values nor a reason");
    require(a.sum <= UINT32_MAX, "no sum");
    return !a.reply.reason[0];
}

/* ---- any ------------------------------------------------------------------------------------- */

file_kind file_kind_of(const uint8_t *data, size_t size)
{
    if (size >= 4 && !memcmp(data, "\x89PNG", 4)) return FILE_PNG;
    if (size >= 6 && !memcmp(data, "\x93NUMPY", 6)) return FILE_NPY;
    return FILE_HDF5;
}

static int read_as(file_kind kind, int file, const char *path)
{
    switch (kind) {
    case FILE_PNG: return read_pngs(path);
    case FILE_NPY: return read_npy(path);
    default:
        return read_hdf5(file, READER_MEMBER, "u") + read_hdf5(file, READER_IMAGE, "u") +
               read_hdf5(file, READER_DATASET, "/group/u");
    }
}

int file_bytes_read(const uint8_t *data, size_t size)
{
    char path[40];
    int file = memfd_create("bytes", MFD_CLOEXEC);
    require(file >= 0 && write(file, data, size) == (ssize_t)size, "no file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int read = read_as(file_kind_of(data, size), file, path);
    close(file);
    return read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    file_bytes_read(data, size);
    return 0;
}
