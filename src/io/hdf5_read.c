/* Values out of HDF5 files, which another process reads: src/reader. */
#include "io/read_hdf5.h"

#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static kata_status cannot_read(const char *path, const char *reason, messages *m)
{
    return message_fail(m, KATA_ERROR_FILE, "cannot read %s: %s", path, reason);
}

/* Opens the file at a descriptor above the standard ones, which the process that reads replaces. */
static int open_above(const char *path, int *file)
{
    int low, error = file_open(path, &low);
    if (error) return error;
    *file = fcntl(low, F_DUPFD_CLOEXEC, 3);
    error = *file < 0 ? errno : 0;
    close(low);
    return error;
}

static kata_status start(io_reader *p, const char *path, const reader_request *request,
                         reader_reply *reply, messages *m)
{
    text program = {0};
    const char *reason;
    int file, error = open_above(path, &file);
    if (error) return cannot_read(path, file_reason(error), m);
    kata_status status = KATA_OK;
    bool found = companion_find(READER_PROGRAM, "KATA_READ_HDF5", &program);
    if (program.failed)
        status = message_no_memory(m);
    else if (!found)
        status = message_fail(m, KATA_ERROR_FILE,
                              "cannot read %s: the program " READER_PROGRAM
                              ", which reads HDF5 files, is at none of %s; KATA_READ_HDF5 says "
                              "where it is",
                              path, text_get(&program));
    else if (!io_reader_start(p, text_get(&program), file, request, reply, &reason))
        status = reason ? cannot_read(path, reason, m) : message_no_memory(m);
    text_free(&program);
    close(file);
    return status;
}

static kata_status take(io_reader *p, const char *path, void *values, int64_t bytes, messages *m)
{
    const char *reason;
    if (io_reader_take(p, values, (size_t)bytes, &reason)) return KATA_OK;
    return cannot_read(path, reason, m);
}

kata_status io_reader_ask(const char *path, const reader_request *request, reader_reply *reply,
                          void *values, messages *m)
{
    io_reader p;
    kata_status status = start(&p, path, request, reply, m);
    if (status) return status;
    status = take(&p, path, values, request->bytes, m);
    io_reader_end(&p);
    return status;
}

static io_array array_of(const reader_reply *reply)
{
    io_array a = {.type = (kata_type)reply->type, .axes = reply->axes};
    for (int i = 0; i < a.axes; i++) a.size[i] = reply->size[i];
    return a;
}

static reader_request request_of(const io_dataset *d)
{
    static const reader_kind kinds[] = {[IO_DATASET] = READER_DATASET,
                                        [IO_ONLY_DATASET] = READER_MEMBER,
                                        [IO_POINT_DATA] = READER_IMAGE};
    return (reader_request){.kind = kinds[d->kind], .name = d->name ? d->name : ""};
}

kata_status io_hdf5_shape(const io_dataset *d, io_array *a, int *components, messages *m)
{
    reader_reply reply = {0};
    reader_request request = request_of(d);
    kata_status status = io_reader_ask(d->path, &request, &reply, NULL, m);
    if (status) return status;
    *a = array_of(&reply);
    *components = reply.components;
    return KATA_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

typedef struct hdf5_values {
    io_reader process;
    kata_type type;
    char path[];
} hdf5_values;

static kata_status next(void *data, int64_t count, void *values, messages *m)
{
    hdf5_values *v = data;
    return take(&v->process, v->path, values, count * store_type_bytes(v->type), m);
}

static void end(void *data)
{
    hdf5_values *v = data;
    io_reader_end(&v->process);
    free(v);
}

kata_status io_hdf5_open(const io_dataset *d, const io_array *expected, io_reading *values,
                         messages *m)
{
    reader_reply reply = {0};
    reader_request request = request_of(d);
    request.type = expected->type;
    request.bytes = io_array_count(expected) * store_type_bytes(expected->type);
    const size_t length = strlen(d->path) + 1;
    hdf5_values *v = malloc(sizeof *v + length);
    if (!v) return message_no_memory(m);
    memcpy(v->path, d->path, length);
    v->type = expected->type;
    kata_status status = start(&v->process, d->path, &request, &reply, m);
    if (status) {
        free(v);
        return status;
    }
    io_array found = array_of(&reply);
    if (found.axes != expected->axes ||
        memcmp(found.size, expected->size, (size_t)found.axes * sizeof *found.size) != 0) {
        end(v);
        return cannot_read(d->path, "it has changed while it was read", m);
    }
    *values = (io_reading){v, next, end};
    return KATA_OK;
}
