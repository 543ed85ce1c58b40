/* Boxes of bytes in the form that drivers take. */
#include "device/device_private.h"

bool device_box_fits(const device_box *box, size_t bytes)
{
    size_t rows, planes, end;
    if (!box->row || !box->rows || !box->planes) return true;
    if (box->rows > 1 && (box->row_pitch < box->row || box->host_row_pitch < box->row))
        return false;
    if (box->planes > 1 && (box->plane_pitch < box->row || box->host_plane_pitch < box->row))
        return false;
    return !__builtin_mul_overflow(box->rows - 1, box->row_pitch, &rows) &&
           !__builtin_mul_overflow(box->planes - 1, box->plane_pitch, &planes) &&
           !__builtin_add_overflow(rows, planes, &end) &&
           !__builtin_add_overflow(end, box->row, &end) &&
           !__builtin_add_overflow(end, box->at, &end) && end <= bytes;
}

/* Pitches that nobody steps by are what they would be without gaps. */
static void settle(device_box *b)
{
    if (b->rows == 1) b->row_pitch = b->host_row_pitch = b->row;
    if (b->planes > 1) return;
    b->plane_pitch = b->rows * b->row_pitch;
    b->host_plane_pitch = b->rows * b->host_row_pitch;
}

static void planes_become_rows(device_box *b)
{
    b->rows = b->planes;
    b->row_pitch = b->plane_pitch;
    b->host_row_pitch = b->host_plane_pitch;
    b->planes = 1;
}

/* Makes one row of rows that follow each other without gaps. */
static void join_rows(device_box *b)
{
    for (int i = 0; i < 2; i++) {
        settle(b);
        size_t joined = b->rows * b->row;
        if (b->row_pitch != b->row || b->host_row_pitch != b->row) return;
        if (b->plane_pitch < joined || b->host_plane_pitch < joined) return;
        b->row = joined;
        planes_become_rows(b);
    }
    settle(b);
}

static bool steps_by_rows(size_t plane_pitch, size_t row_pitch, size_t rows)
{
    return row_pitch && plane_pitch % row_pitch == 0 && plane_pitch / row_pitch >= rows;
}

size_t device_box_parts(const device_box *box, device_box *first, size_t *step, size_t *host_step)
{
    *first = *box;
    *step = *host_step = 0;
    if (!box->row || !box->rows || !box->planes) return 0;
    join_rows(first);
    if (steps_by_rows(first->plane_pitch, first->row_pitch, first->rows) &&
        steps_by_rows(first->host_plane_pitch, first->host_row_pitch, first->rows))
        return 1;
    size_t parts = first->planes;
    *step = first->plane_pitch;
    *host_step = first->host_plane_pitch;
    first->planes = 1;
    settle(first);
    return parts;
}

int device_box_cut(const device_box *box, size_t edge, device_box parts[3], size_t host[3])
{
    const bool planes = box->planes > 1, rows = !planes && box->rows > 1;
    const size_t pitch = planes ? box->plane_pitch : rows ? box->row_pitch : 1;
    const size_t host_pitch = planes ? box->host_plane_pitch : rows ? box->host_row_pitch : 1;
    const size_t all = planes ? box->planes : rows ? box->rows : box->row;
    const size_t each = planes ? (box->rows - 1) * box->row_pitch + box->row : rows ? box->row : 1;
    const size_t room = edge - box->at;
    const size_t before = room < each ? 0 : (room - each) / pitch + 1;
    const size_t across = before * pitch < room ? 1 : 0; /* begins before it, and ends behind */
    const size_t counts[3] = {before, across, all - before - across};
    int count = 0;
    for (size_t i = 0, at = 0; i < 3; at += counts[i++]) {
        if (!counts[i]) continue;
        parts[count] = *box;
        parts[count].at += at * pitch;
        *(planes ? &parts[count].planes
          : rows ? &parts[count].rows
                 : &parts[count].row) = counts[i];
        host[count++] = at * host_pitch;
    }
    return count;
}
