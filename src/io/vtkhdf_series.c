/* A VTKHDF file that grows. It is written under another name until it has its first step. From then
 * on the program holds its descriptor, and HDF5 opens the file by it for each step: what somebody
 * else has put under the name since is not touched. Between steps the file is complete.
 *
 * Space is reserved before HDF5 is called, as for files that are written in one go. */
#include "io/vtkhdf_steps.h"

#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
        if (!s->arrays[i].name) return false;
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

const char *io_series_path(const io_series *s) { return s->path; }

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
        bytes += s->layout.points * (size_t)s->arrays[i].components *
                 (size_t)store_type_bytes(s->arrays[i].type);
    return bytes;
}

/* Reserves space behind the file for a step and what HDF5 writes of it. Returns 0 or an errno
 * value; file systems that cannot reserve are believed to have it. */
static int reserve(int file, size_t bytes)
{
    enum { FRAME = 1 << 20 };
    struct stat status;
    struct rlimit limit;
    if (fstat(file, &status)) return errno;
    if (!status.st_nlink) return ENOENT;
    if (getrlimit(RLIMIT_FSIZE, &limit)) return errno;
    rlim_t end = (rlim_t)status.st_size + bytes + FRAME;
    if (limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur) return EFBIG;
    if (!fallocate(file, FALLOC_FL_KEEP_SIZE, status.st_size, (off_t)(bytes + FRAME))) return 0;
    return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Without locks: readers may have the file open. */
static hid_t open_again(int file)
{
    char path[40];
    hid_t properties = H5Pcreate(H5P_FILE_ACCESS);
    if (properties < 0) return properties;
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(properties, false, true);
#endif
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    hid_t opened = H5Fopen(path, H5F_ACC_RDWR, properties);
    H5Pclose(properties);
    return opened;
}

static int grow(io_series *s, int descriptor, double time, const io_source *source, text *reason)
{
    int error = reserve(descriptor, step_bytes(s));
    if (error) return error;
    io_quiet quiet = io_quiet_begin(reason);
    hid_t file = open_again(descriptor);
    error = file < 0 ? EIO
                     : io_steps_grow(descriptor, file, &s->layout, s->count, s->arrays, s->steps,
                                     time, source);
    if (error && file >= 0) io_steps_shrink(file, s->count, s->arrays, s->steps);
    if (file >= 0 && H5Fclose(file) < 0 && !error) error = EIO;
    io_quiet_end(&quiet);
    return error;
}

/* Makes the file of no steps at a path, and opens it. */
static int make(const io_series *s, const char *path, int *descriptor, text *reason)
{
    io_quiet quiet = io_quiet_begin(reason);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool made = file >= 0 && io_steps_make(file, &s->layout, s->count, s->arrays);
    if (file >= 0) made = H5Fclose(file) >= 0 && made;
    io_quiet_end(&quiet);
    if (!made) return EIO;
    *descriptor = open(path, O_RDWR | O_CLOEXEC);
    return *descriptor < 0 ? errno : 0;
}

static int begin(io_series *s, double time, const io_source *source, text *reason)
{
    file_draft draft;
    int descriptor = -1, error = file_draft_begin(&draft, s->path);
    if (error) return error;
    error = reserve(draft.file, step_bytes(s));
    if (!error) error = make(s, text_get(&draft.name), &descriptor, reason);
    if (!error) error = grow(s, descriptor, time, source, reason);
    error = file_draft_end(&draft, error);
    if (!error)
        s->file = descriptor;
    else if (descriptor >= 0)
        close(descriptor);
    return error;
}

kata_status io_series_add(io_series *s, double time, const io_source *source, messages *m)
{
    if (!isfinite(time) || (s->steps && time <= s->last))
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
