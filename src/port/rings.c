/* Rings: memory that lies twice, one behind the other.
 *
 * All rings are parts of one memory, which only grows while they come and go: large pages are
 * found once, which takes the system up to seconds for a gigabyte, and not for each section of
 * planes. */
#include "port/port.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20, WORTH_HUGE = HOSTILE(8, 1) * HUGE_PAGE };

struct port_rings {
    int fd;
    size_t bytes, used; /* that there are; that rings have had since there was none */
    int count;          /* of rings */
};

size_t port_ring_bytes(size_t least)
{
    const size_t unit = least < WORTH_HUGE ? PORT_ALIGN : HUGE_PAGE;
    return (least + unit - 1) / unit * unit;
}

port_rings *port_rings_open(void)
{
    port_rings *rings = calloc(1, sizeof *rings);
    if (!rings) return NULL;
    rings->fd = memfd_create("katagami", MFD_CLOEXEC);
    if (rings->fd >= 0) return rings;
    free(rings);
    return NULL;
}

void port_rings_close(port_rings *rings)
{
    if (!rings) return;
    close(rings->fd);
    free(rings);
}

void port_rings_keep(port_rings *rings, size_t bytes)
{
    bytes = bytes / HUGE_PAGE * HUGE_PAGE;
    if (rings->count || bytes >= rings->bytes) return;
    if (!ftruncate(rings->fd, (off_t)bytes)) rings->bytes = bytes;
}

/* ---- a ring ---------------------------------------------------------------------------------- */

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

static bool map_twice(const port_rings *rings, char *at, size_t bytes, size_t place)
{
    for (int i = 0; i < 2; i++)
        if (mmap(at + (size_t)i * bytes, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                 rings->fd, (off_t)place) == MAP_FAILED)
            return false;
    return true;
}

/* Asks for huge pages, which the system does not give shared memory by itself. It makes none of
 * pages that were never touched. Without them all works, but slower: loops at two thirds of the
 * speed. */
static void use_huge_pages(char *memory, size_t bytes)
{
#ifndef MADV_COLLAPSE
    enum { MADV_COLLAPSE = 25 }; /* since Linux 6.1 */
#endif
    for (size_t i = 0; i < bytes; i += HUGE_PAGE) *(volatile char *)(memory + i) = 0;
    madvise(memory, bytes, MADV_COLLAPSE);
}

/* The system takes this memory for a file, whose size may be limited. */
static bool set_bytes(const port_rings *rings, size_t bytes)
{
    file_limit limit;
    file_limit_hold(&limit);
    bool done = !ftruncate(rings->fd, (off_t)bytes);
    file_limit_release(&limit);
    return done;
}

int64_t port_rings_most(void) { return file_limit_bytes() / HUGE_PAGE * HUGE_PAGE; }

/* Makes the memory larger, by huge pages if asked for; false when there is none. */
static bool grow(port_rings *rings, size_t bytes, bool huge)
{
    const size_t old = rings->bytes;
    if (bytes <= old) return true;
    bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (!set_bytes(rings, bytes)) return false;
    rings->bytes = bytes;
    char *memory = huge ? reserve(bytes - old) : NULL;
    if (!memory) return true;
    if (mmap(memory, bytes - old, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, rings->fd,
             (off_t)old) != MAP_FAILED)
        use_huge_pages(memory, bytes - old);
    munmap(memory, bytes - old);
    return true;
}

void *port_ring_new(port_rings *rings, size_t bytes, int times)
{
    const size_t all = bytes * (size_t)times;
    const size_t unit = bytes % HUGE_PAGE ? PORT_ALIGN : HUGE_PAGE;
    const size_t first = (rings->used + unit - 1) / unit * unit;
    char *ring = grow(rings, first + all, unit == HUGE_PAGE) ? reserve(2 * all + PORT_ALIGN) : NULL;
    bool done = ring;
    for (int i = 0; i < times && done; i++)
        done = map_twice(rings, ring + 2 * bytes * (size_t)i, bytes, first + bytes * (size_t)i);
    if (ring && !done) munmap(ring, 2 * all + PORT_ALIGN);
    if (!done) return NULL;
    rings->used = first + all;
    rings->count++;
    return ring;
}

void port_ring_free(port_rings *rings, void *ring, size_t bytes, int times)
{
    if (!ring) return;
    munmap(ring, 2 * bytes * (size_t)times + PORT_ALIGN);
    if (--rings->count == 0) rings->used = 0;
}
