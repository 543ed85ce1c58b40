/* Files without a name, on the disk of a folder. */
#include "port/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Opens a file that has no name, or whose name is removed at once. */
static int open_unnamed(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char path[4096];
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return fd;
    if (snprintf(path, sizeof path, "%s/kata-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    return fd;
}

/* The same file, past the cache of the system; its own descriptor where that cannot be. */
static int open_direct(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int direct = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    return direct >= 0 ? direct : dup(fd);
}

/* Takes the room on the disk; an error number of the system. Beyond the limit of the size of files
 * the system would end the process. */
static int take_room(int fd, size_t bytes)
{
    if ((int64_t)bytes > file_limit_bytes()) return EFBIG;
    return posix_fallocate(fd, 0, (off_t)bytes);
}

/* Whether so few bytes can be written, and read, at a place that is a multiple of no more. */
static bool moves_so_few(int direct, size_t bytes)
{
    char *memory = aligned_alloc(PORT_ALIGN, PORT_ALIGN);
    if (!memory) return false;
    memset(memory, 0, PORT_ALIGN);
    const bool moves = pwrite(direct, memory + bytes, bytes, (off_t)bytes) == (ssize_t)bytes &&
                       pread(direct, memory + bytes, bytes, (off_t)bytes) == (ssize_t)bytes;
    free(memory);
    return moves;
}

int64_t port_unit(const char *folder)
{
    const int fd = open_unnamed(folder), direct = fd < 0 ? -1 : open_direct(fd);
    const bool few =
        direct >= 0 && !take_room(fd, PORT_ALIGN) && moves_so_few(direct, PORT_LEAST_UNIT);
    if (direct >= 0) close(direct);
    if (fd >= 0) close(fd);
    return few ? PORT_LEAST_UNIT : PORT_ALIGN;
}

port_file *port_file_new(const char *folder, size_t bytes, size_t plane, text *why)
{
    port_file *file = calloc(1, sizeof *file);
    if (!file) return NULL;
    *file = (port_file){.fd = open_unnamed(folder), .direct = -1, .bytes = bytes};
    int failed = file->fd < 0 ? errno : take_room(file->fd, bytes);
    if (!failed) {
        file->direct = open_direct(file->fd);
        file->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
        if (file->memory == MAP_FAILED || file->direct < 0) failed = errno;
        if (file->memory == MAP_FAILED) file->memory = NULL;
    }
    if (!failed && !spill_sums_make(file, plane)) failed = ENOMEM;
    if (!failed) return file;
    text_add(why, "%s", strerror(failed));
    port_file_free(file);
    return NULL;
}

void port_file_free(port_file *file)
{
    if (!file) return;
    if (file->memory) munmap(file->memory, file->bytes);
    if (file->direct >= 0) close(file->direct);
    if (file->fd >= 0) close(file->fd);
    free(file->sums);
    free(file);
}

void *port_file_memory(const port_file *file) { return file->memory; }

void port_file_leave(port_file *file, const void *from, const void *to)
{
    char *first = file->memory, *end = first + file->bytes;
    char *low = first + ((const char *)from - first) / PORT_ALIGN * PORT_ALIGN;
    char *high = first + ((const char *)to - first + PORT_ALIGN - 1) / PORT_ALIGN * PORT_ALIGN;
    if (high > end) high = end;
    if (low >= first && low < high) madvise(low, (size_t)(high - low), MADV_DONTNEED);
}

bool port_file_settle(port_file *file)
{
    spill_sums_settle(file);
    bool done = !msync(file->memory, file->bytes, MS_SYNC);
    done = done && !madvise(file->memory, file->bytes, MADV_DONTNEED);
    return done && !posix_fadvise(file->fd, 0, (off_t)file->bytes, POSIX_FADV_DONTNEED);
}
