/* Checksums of what moves have written: what comes back from the disk is compared with them.
 *
 * A unit is a plane, or a part of a large one. The sum of each is known from when it was moved
 * until somebody writes to the mapped memory. The system tells that by the time of the file's last
 * change: moves set it to one that no clock shows, and the first write to a mapped page sets it to
 * now. A new file is asked whether its file system does that; otherwise sums are forgotten between
 * the moves of one section and those of the next. */
#include "port/spill_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct timespec MARK = {.tv_sec = 1, .tv_nsec = 0};

static bool is_marked(const port_file *file)
{
    struct stat now;
    return !fstat(file->fd, &now) && now.st_mtim.tv_sec == MARK.tv_sec &&
           now.st_mtim.tv_nsec == MARK.tv_nsec;
}

static bool set_mark(const port_file *file)
{
    return !futimens(file->fd, (const struct timespec[]){MARK, MARK}) && is_marked(file);
}

bool spill_sums_make(port_file *file, size_t plane)
{
    file->plane = plane;
    file->unit = plane < SPILL_PIECE ? plane : SPILL_PIECE;
    size_t units = (plane + file->unit - 1) / file->unit;
    file->sum_count = (file->bytes + plane - 1) / plane * units;
    file->sums = calloc(file->sum_count, sizeof *file->sums);
    if (!file->sums) return false;
    bool marked = set_mark(file);
    *(volatile char *)file->memory = 0;
    file->tells = marked && !is_marked(file);
    return true;
}

void port_file_moved(port_file *file) { file->tells = file->tells && set_mark(file); }

void spill_sums_settle(port_file *file)
{
    if (!file->tells || !is_marked(file))
        memset(file->sums, 0, file->sum_count * sizeof *file->sums);
}

size_t spill_piece(const port_file *file, size_t place, size_t bytes)
{
    const size_t in = place % file->plane, whole = SPILL_PIECE / file->plane * file->plane;
    size_t most = file->plane - in;
    if (whole > file->plane)
        most = whole - in;
    else if (most > SPILL_PIECE)
        most = SPILL_PIECE - in % SPILL_PIECE;
    return bytes < most ? bytes : most;
}

/* The sum of the unit that begins at a place, and the unit's bytes; NULL: none begins there. */
static uint64_t *sum_of(port_file *file, size_t place, size_t *bytes)
{
    const size_t in = place % file->plane, units = (file->plane + file->unit - 1) / file->unit;
    const size_t number = place / file->plane * units + in / file->unit;
    *bytes = file->plane - in < file->unit ? file->plane - in : file->unit;
    return in % file->unit || number >= file->sum_count ? NULL : &file->sums[number];
}

/* Of a unit; never 0. */
static uint64_t sum(const void *memory, size_t bytes) { return hash_bytes(memory, bytes, 0) | 1; }

/* Moves of parts of units are not looked at. */
void spill_sums_note(port_file *file, size_t place, const void *memory, size_t bytes)
{
    for (size_t at = 0, step; at < bytes; at += step) {
        uint64_t *known = sum_of(file, place + at, &step);
        if (known) *known = step <= bytes - at ? sum((const char *)memory + at, step) : 0;
    }
}

bool spill_sums_agree(port_file *file, size_t place, const void *memory, size_t bytes)
{
    bool agree = true;
    for (size_t at = 0, step; at < bytes && agree; at += step) {
        uint64_t *known = sum_of(file, place + at, &step);
        if (!known || step > bytes - at) continue;
        const uint64_t found = sum((const char *)memory + at, step);
        agree = !*known || *known == found;
        if (agree) *known = found;
    }
    return agree;
}
