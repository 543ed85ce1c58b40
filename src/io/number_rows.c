/* Columns of named numbers over time. Rows wait in memory for whoever writes: as many as there are
 * by then are written together, so that a row costs little even where a write costs much. */
#include "io/number_rows.h"
#include "io/write_hdf5.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool copy_columns(io_columns *c, const char *path, const io_column *columns)
{
    io_column *own = arena_array(&c->memory, (size_t)c->count, sizeof *own);
    c->path = arena_copy_text(&c->memory, path, strlen(path));
    if (!own || !c->path) return false;
    for (int i = 0; i < c->count; i++) {
        const char *units = columns[i].units;
        own[i] = columns[i];
        own[i].name = arena_copy_text(&c->memory, columns[i].name, strlen(columns[i].name));
        if (units) own[i].units = arena_copy_text(&c->memory, units, strlen(units));
        if (!own[i].name || (units && !own[i].units)) return false;
        c->width += columns[i].elements;
    }
    c->columns = own;
    return true;
}

io_columns *io_columns_new(const char *path, bool hdf5, int count, const io_column *columns)
{
    io_columns *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    *c = (io_columns){.hdf5 = hdf5, .count = count, .width = 1, .file = -1};
    pthread_mutex_init(&c->lock, NULL);
    if (copy_columns(c, path, columns)) return c;
    io_columns_free(c);
    return NULL;
}

bool io_columns_rename(io_columns *c, const char *path)
{
    const char *copy = arena_copy_text(&c->memory, path, strlen(path));
    if (copy && c->file < 0) c->path = copy;
    return copy;
}

void io_columns_free(io_columns *c)
{
    if (!c) return;
    if (c->file >= 0) close(c->file);
    pthread_mutex_destroy(&c->lock);
    free(c->waiting);
    arena_free(&c->memory);
    free(c);
}

/* ---- rows ------------------------------------------------------------------------------------ */

bool io_columns_add(io_columns *c, int64_t rows, const double *times, const double *values)
{
    const size_t width = (size_t)c->width, more = (size_t)rows * width;
    pthread_mutex_lock(&c->lock);
    void *waiting = c->waiting;
    bool fits = vector_reserve(&waiting, &c->wait_room, c->wait_count + more, sizeof *values);
    c->waiting = waiting;
    for (int64_t i = 0; fits && i < rows; i++) {
        double *row = c->waiting + c->wait_count + (size_t)i * width;
        row[0] = times[i];
        memcpy(row + 1, values + (size_t)i * (width - 1), (width - 1) * sizeof *values);
    }
    if (fits) c->wait_count += more;
    pthread_mutex_unlock(&c->lock);
    return fits;
}

size_t io_columns_waiting(io_columns *c, bool *asked)
{
    pthread_mutex_lock(&c->lock);
    size_t bytes = c->wait_count * sizeof *c->waiting;
    *asked = c->asked;
    c->asked = true;
    pthread_mutex_unlock(&c->lock);
    return bytes;
}

/* Takes the rows that wait, to be freed; returns their number. */
static int64_t take_rows(io_columns *c, double **rows)
{
    pthread_mutex_lock(&c->lock);
    int64_t count = (int64_t)(c->wait_count / (size_t)c->width);
    *rows = c->waiting;
    c->waiting = NULL;
    c->wait_count = c->wait_room = 0;
    c->asked = false;
    pthread_mutex_unlock(&c->lock);
    return count;
}

/* Rows that could not be written wait again, before those that have come since. Where memory is
 * out, or they are many, they are lost. */
static void put_back(io_columns *c, const double *rows, int64_t count)
{
    static const size_t MOST = (size_t)64 << 20; /* bytes */
    const size_t more = (size_t)(count * c->width);
    if (!more) return;
    pthread_mutex_lock(&c->lock);
    void *waiting = c->waiting;
    bool fits = (c->wait_count + more) * sizeof *rows <= MOST &&
                vector_reserve(&waiting, &c->wait_room, c->wait_count + more, sizeof *rows);
    c->waiting = waiting;
    if (fits) {
        memmove(c->waiting + more, c->waiting, c->wait_count * sizeof *rows);
        memcpy(c->waiting, rows, more * sizeof *rows);
        c->wait_count += more;
    }
    pthread_mutex_unlock(&c->lock);
}

/* Drops rows with the time of the one before: where another file has failed, a step that this one
 * has may come again. Returns how many are left. */
static int64_t drop_repeated(const io_columns *c, double *rows, int64_t count)
{
    const size_t width = (size_t)c->width;
    const double *before = c->rows ? &c->last : NULL;
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        const double *row = rows + (size_t)i * width;
        double *to = rows + (size_t)kept * width;
        if (before && row[0] == *before) continue;
        memmove(to, row, width * sizeof *to);
        before = to;
        kept++;
    }
    return kept;
}

kata_status io_columns_write(io_columns *c, messages *m)
{
    double *rows;
    text reason = {0};
    int64_t count = take_rows(c, &rows);
    count = drop_repeated(c, rows, count);
    int error = !count    ? 0
                : c->hdf5 ? io_columns_hdf5(c, rows, count, &reason)
                          : io_columns_text(c, rows, count);
    kata_status status = io_cannot_write(c->path, error, &reason, m);
    if (!error && count) c->last = rows[(size_t)(count - 1) * (size_t)c->width];
    if (!error) c->rows += count;
    if (error) put_back(c, rows, count);
    text_free(&reason);
    free(rows);
    return status;
}
