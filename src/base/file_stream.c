/* Streams to files that grow while a program runs. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ssize_t put(void *data, const char *bytes, size_t size)
{
    const int *file = data;
    file_limit limit;
    file_limit_hold(&limit);
    int error = file_write_open(*file, &(file_part){bytes, size}, 1);
    file_limit_release(&limit);
    if (!error) return (ssize_t)size;
    errno = error;
    return 0;
}

static int end(void *data)
{
    const int file = *(int *)data;
    free(data);
    return close(file);
}

FILE *file_stream(const char *path, bool adds)
{
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (adds ? O_APPEND : O_TRUNC);
    int *file = malloc(sizeof *file);
    if (!file) return NULL;
    *file = open(path, flags, 0666);
    FILE *stream =
        *file < 0 ? NULL
                  : fopencookie(file, "w", (cookie_io_functions_t){.write = put, .close = end});
    if (stream) return stream;
    const int error = errno;
    if (*file >= 0) close(*file);
    free(file);
    errno = error;
    return NULL;
}
