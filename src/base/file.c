#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *file_reason(int error)
{
    return error == FILE_NOT_PLAIN   ? "it is not an ordinary file"
           : error == FILE_IS_LINK   ? "it is reached by a symbolic link"
           : error == FILE_IS_TAKEN  ? "another process writes it at the same time"
           : error == FILE_IS_ASTRAY ? "it is a symbolic link that leads to no file"
                                     : strerror(error);
}

int file_finish(FILE *stream)
{
    bool written = fflush(stream) == 0 && !ferror(stream);
    return written ? 0 : errno ? errno : EIO;
}

/* Opening a pipe without a writer would wait. */
enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK };

/* Sets *file to `fd` if that is a plain file, and closes it otherwise. */
static int take_plain(int fd, int *file)
{
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

int file_open(const char *path, int *file)
{
    int fd = open(path, OPEN_FLAGS);
    return fd < 0 ? errno : take_plain(fd, file);
}

/* Opens one part of a path, of `length` letters, in a folder, which it closes. */
static int enter(int *folder, const char *name, size_t length, bool last)
{
    char part[256];
    struct stat status;
    if (length >= sizeof part) {
        close(*folder);
        return ENAMETOOLONG;
    }
    memcpy(part, name, length);
    part[length] = 0;
    int fd = openat(*folder, part, OPEN_FLAGS | O_NOFOLLOW | (last ? 0 : O_DIRECTORY));
    int error = fd < 0 ? errno : 0;
    bool link =
        error && !fstatat(*folder, part, &status, AT_SYMLINK_NOFOLLOW) && S_ISLNK(status.st_mode);
    close(*folder);
    *folder = fd;
    return link ? FILE_IS_LINK : error;
}

static int open_below(const char *folder, const char *path, int *file)
{
    int fd = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY), error = fd < 0 ? errno : 0;
    while (!error) {
        size_t length = strcspn(path, "/");
        bool last = !path[length];
        error = enter(&fd, path, length, last);
        if (last) break;
        path += length + 1;
    }
    return error ? error : take_plain(fd, file);
}

int file_read_open(int fd, size_t limit, char **data, size_t *size)
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
    int fd = -1, error = file_open(path, &fd);
    if (error) return error;
    error = file_read_open(fd, limit, data, size);
    close(fd);
    return error;
}

int file_read_below(const char *folder, const char *path, size_t limit, char **data, size_t *size)
{
    *data = NULL;
    *size = 0;
    int fd = -1, error = open_below(folder, path, &fd);
    if (error) return error;
    error = file_read_open(fd, limit, data, size);
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

int file_write_open(int fd, const file_part *parts, int count)
{
    int error = 0;
    for (int i = 0; i < count && !error; i++) error = write_all(fd, parts[i].data, parts[i].size);
    return error;
}

int file_write(const char *path, const void *data, size_t size)
{
    return file_write_parts(path, &(file_part){data, size}, 1);
}

int file_write_parts(const char *path, const file_part *parts, int count)
{
    file_draft draft;
    int error = file_draft_begin(&draft, path);
    return error ? error : file_draft_end(&draft, file_write_open(draft.file, parts, count));
}
