/* A VTKHDF file that grows. It is written under another name until it has its first step. From then
 * on the program holds its descriptor, and HDF5 opens the file by it for each step: what somebody
 * else has put under the name since is not touched. Between steps the file is complete.
 *
 * Space is reserved before HDF5 is called, as for files that are written in one go. */
#include "io/growing.h"
#include "io/vtkhdf_steps.h"

#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct io_series {
    arena memory; /* of names */
    const char *path;
    io_lattice lattice;
    io_vtkhdf_layout layout;
    int count;
    io_points arrays[IO_MOST_ARRAYS];
    int file; /* -1 before the first step */
    int64_t steps;
    double last; /* time */
};

/* ---- making ---------------------------------------------------------------------------------- */

static bool copy_names(io_series *s, const char *path, const io_points *arrays)
{
    s->path = arena_copy_text(&s->memory, path, strlen(path));
    for (int i = 0; i < s->count; i++) {
        s->arrays[i] = arrays[i];
        s->arrays[i].name = arena_copy_text(&s->memory, arrays[i].name, strlen(arrays[i].name));
        const char *units = arrays[i].units;
        if (units) s->arrays[i].units = arena_copy_text(&s->memory, units, strlen(units));
        if (!s->arrays[i].name || (units && !s->arrays[i].units)) return false;
    }
    return s->path;
}

static kata_status check_rows(const io_series *s, messages *m)
{
    for (int i = 0; i < s->count; i++)
        if (!io_steps_fit(&s->layout, &s->arrays[i]))
            return message_fail(m, KATA_ERROR_ARGUMENT,
                                "cannot write %s: a %s of '%s' takes 4 GiB or more", s->path,
                                s->layout.rank == 3 ? "plane" : "row", s->arrays[i].name);
    return KATA_OK;
}

io_series *io_series_new(const char *path, const io_lattice *lattice, int count,
                         const io_points *arrays, messages *m)
{
    if (io_vtkhdf_check(path, lattice, m)) return NULL;
    io_series *s = calloc(1, sizeof *s);
    if (s) {
        *s = (io_series){.lattice = *lattice, .count = count, .file = -1};
        s->layout = io_vtkhdf_layout_of(&s->lattice);
    }
    if (!s || !copy_names(s, path, arrays)) {
        message_no_memory(m);
        goto fail;
    }
    if (!check_rows(s, m)) return s;
fail:
    io_series_free(s);
    return NULL;
}

bool io_series_rename(io_series *s, const char *path)
{
    const char *copy = arena_copy_text(&s->memory, path, strlen(path));
    if (copy && s->file < 0) s->path = copy;
    return copy;
}

void io_series_free(io_series *s)
{
    if (!s) return;
    if (s->file >= 0) close(s->file);
    arena_free(&s->memory);
    free(s);
}

/* ---- space ----------------------------------------------------------------------------------- */

static size_t step_bytes(const io_series *s)
{
    size_t bytes = 0;
    for (int i = 0; i < s->count; i++)
        bytes += io_vtkhdf_size_of(&s->layout, &s->arrays[i])->count *
                 (size_t)s->arrays[i].components * (size_t)store_type_bytes(s->arrays[i].type);
    return bytes;
}

static int reserve(const io_series *s, int file)
{
    enum { FRAME = 1 << 20 }; /* what HDF5 writes of a step */
    return io_reserve(file, step_bytes(s) + FRAME);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int space(io_series *s, int descriptor, haddr_t *positions, text *reason)
{
    io_quiet quiet = io_quiet_begin(reason);
    hid_t file = io_hdf5_reopen(descriptor);
    bool good =
        file >= 0 && io_steps_extend(file, &s->layout, s->count, s->arrays, s->steps, positions);
    if (file >= 0) good = H5Fclose(file) >= 0 && good;
    io_quiet_end(&quiet);
    return good ? 0 : EIO;
}

/* Makes the step, whose values are written, one of the file's; or takes it away after an error. */
static int enter(io_series *s, int descriptor, double time, int error, text *reason)
{
    io_quiet quiet = io_quiet_begin(reason);
    hid_t file = io_hdf5_reopen(descriptor);
    if (file < 0 || (!error && !io_steps_enter(file, s->count, s->arrays, s->steps, time)))
        error = error ? error : EIO;
    if (error && file >= 0) io_steps_shrink(file, s->count, s->arrays, s->steps);
    if (file >= 0 && H5Fclose(file) < 0 && !error) error = EIO;
    io_quiet_end(&quiet);
    return error;
}

static int grow(io_series *s, int descriptor, double time, const io_source *source, text *reason)
{
    size_t chunks = 1; /* the allocation is never empty */
    for (int i = 0; i < s->count; i++) chunks += io_steps_chunks(&s->layout, &s->arrays[i]);
    int error = reserve(s, descriptor);
    haddr_t *positions = error ? NULL : calloc(chunks, sizeof *positions);
    if (!error && !positions) error = ENOMEM;
    if (error) return error;
    error = space(s, descriptor, positions, reason);
    if (!error)
        error = io_steps_write(descriptor, positions, &s->layout, s->count, s->arrays, source);
    free(positions);
    return enter(s, descriptor, time, error, reason);
}

/* Makes the file of no steps at a path. */
static int make(const io_series *s, const char *path, text *reason)
{
    io_quiet quiet = io_quiet_begin(reason);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool made = file >= 0 && io_steps_make(file, &s->layout, s->count, s->arrays);
    if (file >= 0) made = H5Fclose(file) >= 0 && made;
    io_quiet_end(&quiet);
    return made ? 0 : EIO;
}

static int begin(io_series *s, double time, const io_source *source, text *reason)
{
    file_draft draft;
    int error = io_grow_begin(&draft, s->path, &s->file);
    if (error) return error;
    error = reserve(s, s->file);
    if (!error) error = make(s, text_get(&draft.name), reason);
    if (!error) error = grow(s, s->file, time, source, reason);
    return io_grow_end(&draft, &s->file, error);
}

kata_status io_series_add(io_series *s, double time, const io_source *source, messages *m)
{
    if (s->steps && time == s->last) return KATA_OK; /* another file failed, and it comes again */
    if (s->steps && time < s->last)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "cannot write %s: the time of a step is %g, after one of %g", s->path,
                            time, s->last);
    text reason = {0};
    int error =
        s->file < 0 ? begin(s, time, source, &reason) : grow(s, s->file, time, source, &reason);
    kata_status status = io_cannot_write(s->path, error, &reason, m);
    text_free(&reason);
    if (error) return status;
    s->steps++;
    s->last = time;
    return KATA_OK;
}
