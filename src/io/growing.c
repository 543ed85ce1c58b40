/* Files that grow: space for what comes, and writes at a place. */
#include "io/growing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int io_reserve(int file, size_t bytes)
{
    struct stat status;
    if (fstat(file, &status)) return errno;
    if (!status.st_nlink) return ENOENT;
    if ((int64_t)bytes > file_limit_bytes() - status.st_size) return EFBIG;
    if (!fallocate(file, FALLOC_FL_KEEP_SIZE, status.st_size, (off_t)bytes)) return 0;
    return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
}

int io_write_at(int file, off_t position, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        ssize_t put = pwrite(file, from, size, position);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        from += put;
        position += put;
        size -= (size_t)put;
    }
    return 0;
}

int io_grow_begin(file_draft *draft, const char *path, int *file)
{
    int error = file_draft_begin(draft, path);
    if (error) return error;
    *file = openat(draft->folder, text_get(&draft->name), O_RDWR | O_CLOEXEC);
    return *file < 0 ? file_draft_end(draft, errno) : 0;
}

int io_grow_end(file_draft *draft, int *file, int error)
{
    error = file_draft_end(draft, error);
    if (!error) return 0;
    close(*file);
    *file = -1;
    return error;
}
