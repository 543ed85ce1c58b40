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

port_file *port_file_new(const char *folder, size_t bytes, text *why)
{
    port_file *file = calloc(1, sizeof *file);
    if (!file) return NULL;
    *file = (port_file){.fd = open_unnamed(folder), .direct = -1, .bytes = bytes};
    int failed = file->fd < 0 ? errno : posix_fallocate(file->fd, 0, (off_t)bytes);
    if (!failed) {
        file->direct = open_direct(file->fd);
        file->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
        if (file->memory == MAP_FAILED || file->direct < 0) failed = errno;
        if (file->memory == MAP_FAILED) file->memory = NULL;
    }
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
    free(file);
}

void *port_file_memory(const port_file *file) { return file->memory; }

bool port_file_settle(port_file *file)
{
    bool done = !msync(file->memory, file->bytes, MS_SYNC);
    done = done && !madvise(file->memory, file->bytes, MADV_DONTNEED);
    return done && !posix_fadvise(file->fd, 0, (off_t)file->bytes, POSIX_FADV_DONTNEED);
}

/* ---- rings ----------------------------------------------------------------------------------- */

enum { HUGE_PAGE = 2 << 20, WORTH_HUGE = HOSTILE(8, 1) * HUGE_PAGE };

size_t port_ring_bytes(size_t least)
{
    const size_t unit = least < WORTH_HUGE ? PORT_ALIGN : HUGE_PAGE;
    return (least + unit - 1) / unit * unit;
}

static bool map_twice(int fd, char *at, size_t bytes, int number)
{
    off_t place = (off_t)bytes * number;
    for (int i = 0; i < 2; i++)
        if (mmap(at + (size_t)i * bytes, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                 place) == MAP_FAILED)
            return false;
    return true;
}

/* Addresses without memory, which begin at a huge page. */
static char *reserve(size_t bytes)
{
    char *all = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return NULL;
    size_t before = (HUGE_PAGE - (uintptr_t)all % HUGE_PAGE) % HUGE_PAGE;
    if (before > 0) munmap(all, before);
    munmap(all + before + bytes, HUGE_PAGE - before);
    return all + before;
}

/* Asks for huge pages, which the system does not give shared memory by itself. It makes none of
 * pages that were never touched. Without them all works, but slower: loops at two thirds of the
 * speed. */
static void use_huge_pages(char *ring, size_t bytes)
{
#ifndef MADV_COLLAPSE
    enum { MADV_COLLAPSE = 25 }; /* since Linux 6.1 */
#endif
    for (size_t i = 0; i < bytes; i += HUGE_PAGE) *(volatile char *)(ring + i) = 0;
    madvise(ring, bytes, MADV_COLLAPSE);
}

void *port_ring_new(size_t bytes, int times)
{
    size_t all = bytes * (size_t)times;
    char *ring = reserve(2 * all + PORT_ALIGN);
    if (!ring) return NULL;
    int fd = memfd_create("katagami", MFD_CLOEXEC);
    bool done = fd >= 0 && !ftruncate(fd, (off_t)all);
    for (int i = 0; i < times && done; i++)
        done = map_twice(fd, ring + 2 * bytes * (size_t)i, bytes, i);
    if (fd >= 0) close(fd);
    for (int i = 0; i < times && done && bytes % HUGE_PAGE == 0; i++)
        use_huge_pages(ring + 2 * bytes * (size_t)i, bytes);
    if (done) return ring;
    port_ring_free(ring, bytes, times);
    return NULL;
}

void port_ring_free(void *ring, size_t bytes, int times)
{
    if (ring) munmap(ring, 2 * bytes * (size_t)times + PORT_ALIGN);
}
