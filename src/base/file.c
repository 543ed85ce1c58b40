#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *file_reason(int error)
{
    return error == FILE_NOT_PLAIN ? "it is not an ordinary file" : strerror(error);
}

int file_open(const char *path, int *file)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer would wait */
    if (fd < 0) return errno;
    struct stat status;
    int error = fstat(fd, &status)         ? errno
                : S_ISDIR(status.st_mode)  ? EISDIR
                : !S_ISREG(status.st_mode) ? FILE_NOT_PLAIN
                                           : 0;
    if (error)
        close(fd);
    else
        *file = fd;
    return error;
}

/* Reads until the end of the file, `limit` bytes at most, into *data. */
static int read_all(int fd, size_t limit, char **data, size_t *size)
{
    size_t capacity = 0, used = 0;
    void *memory = NULL;
    int error = 0;
    while (!error) {
        if (!vector_reserve(&memory, &capacity, used + 4097, 1)) {
            error = ENOMEM;
            break;
        }
        ssize_t got = read(fd, (char *)memory + used, capacity - used - 1);
        if (got < 0) {
            if (errno != EINTR) error = errno;
            continue;
        }
        if (got == 0) break;
        used += (size_t)got;
        if (used > limit) error = EFBIG;
    }
    if (error) {
        free(memory);
        return error;
    }
    *data = memory;
    (*data)[used] = '\0';
    *size = used;
    return 0;
}

int file_read(const char *path, size_t limit, char **data, size_t *size)
{
    *data = NULL;
    *size = 0;
    int fd, error = file_open(path, &fd);
    if (error) return error;
    error = read_all(fd, limit, data, size);
    close(fd);
    return error;
}

static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, data, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        data += put;
        size -= (size_t)put;
    }
    return 0;
}

int file_write(const char *path, const void *data, size_t size)
{
    return file_write_parts(path, &(file_part){data, size}, 1);
}

int file_write_parts(const char *path, const file_part *parts, int count)
{
    file_draft draft;
    int error = file_draft_begin(&draft, path);
    if (error) return error;
    for (int i = 0; i < count && !error; i++)
        error = write_all(draft.file, parts[i].data, parts[i].size);
    return file_draft_end(&draft, error);
}
