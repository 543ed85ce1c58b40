/* HDF5 files that are written in one go: a frame by HDF5, then the values, piece by piece, so that
 * only one of them is in memory. */
#include "io/write_hdf5.h"

#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAME = 1 << 16 }; /* bytes that what is said of IO_MOST_ARRAYS arrays takes at most */

/* ---- errors ---------------------------------------------------------------------------------- */

/* Keeps the first description that says something: of what the system said, or else HDF5. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *data)
{
    (void)n;
    text *reason = data;
    if (reason->length || !error->desc) return 0;
    const char *quoted = strstr(error->desc, "error message = '");
    quoted = quoted ? strchr(quoted, '\'') + 1 : NULL;
    if (quoted)
        text_add(reason, "%.*s", (int)strcspn(quoted, "'"), quoted);
    else
        text_add(reason, "%s (HDF5)", error->desc);
    return 0;
}

/* What HDF5 calls, in place of its printing, when a call fails. */
static herr_t on_error(hid_t stack, void *data)
{
    return H5Ewalk2(stack, H5E_WALK_UPWARD, take_reason, data);
}

/* HDF5 is not safe with threads, unless it was built so. */
static pthread_mutex_t hdf5 = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) { pthread_mutex_lock(&hdf5); }
static void unlock(void) { pthread_mutex_unlock(&hdf5); }

/* A process made by fork finds HDF5 in no call's midst. */
static void watch_forks(void) { pthread_atfork(lock, unlock, unlock); }

static void enter(void)
{
    static pthread_once_t forks = PTHREAD_ONCE_INIT;
    pthread_once(&forks, watch_forks);
    lock();
}

void io_hdf5_start(void)
{
    enter();
    H5open();
    unlock();
}

io_quiet io_quiet_begin(text *reason)
{
    io_quiet q = {NULL, NULL, false};
    enter();
    q.known = H5Eget_auto2(H5E_DEFAULT, &q.print, &q.data) >= 0;
    H5Eset_auto2(H5E_DEFAULT, on_error, reason);
    return q;
}

void io_quiet_end(const io_quiet *q)
{
    H5Eset_auto2(H5E_DEFAULT, q->known ? q->print : NULL, q->data);
    unlock();
}

kata_status io_cannot_write(const char *path, int error, const text *reason, messages *m)
{
    if (!error || error == ECANCELED) return m->status;
    if (error == ENOMEM) return message_no_memory(m);
    return message_fail(m, KATA_ERROR_FILE, "cannot write %s: %s", path,
                        reason->length ? text_get(reason) : file_reason(error));
}

/* ---- the file -------------------------------------------------------------------------------- */

static size_t bytes_of(const io_frame *f)
{
    size_t bytes = 0;
    for (int i = 0; i < f->count; i++)
        bytes += f->points_of[i] * (size_t)f->arrays[i].components *
                 (size_t)store_type_bytes(f->arrays[i].type);
    return bytes;
}

/* Tries whether a file may have this size, and whether there is space for its frame. Returns 0 or
 * an errno value. */
static int try_space(int file, const io_frame *f)
{
    static const char zeros[FRAME];
    const off_t frame = (off_t)sizeof zeros * (f->count / IO_MOST_ARRAYS + 1);
    if (ftruncate(file, (off_t)bytes_of(f) + frame)) return errno;
    for (off_t at = 0; at < frame; at += (off_t)sizeof zeros) {
        ssize_t put = pwrite(file, zeros, sizeof zeros, at);
        if (put < (ssize_t)sizeof zeros) return put < 0 ? errno : ENOSPC;
    }
    return 0;
}

/* What leads to the draft whose name others know, too, and may take meanwhile. */
static void name_file(const file_draft *draft, const io_frame *f, text *name)
{
    if (f->keeping)
        text_add(name, "/proc/self/fd/%d", draft->file);
    else
        text_add(name, "%s", text_get(&draft->name));
}

static bool make_frame(const char *path, const io_frame *f, haddr_t *positions, text *reason)
{
    io_quiet quiet = io_quiet_begin(reason);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool made = file >= 0 && f->make(f->data, file, positions);
    if (file >= 0) made = H5Fclose(file) >= 0 && made;
    io_quiet_end(&quiet);
    return made;
}

/* One array; 0 or an errno value. */
static int write_array(int file, haddr_t position, const io_frame *f, int i,
                       const io_source *source)
{
    const io_points *p = &f->arrays[i];
    int64_t points = (int64_t)f->points_of[i], count = 0;
    int64_t bytes = p->components * store_type_bytes(p->type);
    int error = 0;
    for (int64_t first = 0; first < points && !error; first += count) {
        const void *values;
        off_t at = (off_t)position + (off_t)(first * bytes);
        count = source->take(source->data, i, first, &values);
        if (!count) return ECANCELED;
        error = io_write_points(file, at, p, values, (size_t)count, 0, (size_t)count);
    }
    return error;
}

static int write_arrays(const char *name, const io_frame *f, const haddr_t *positions,
                        const io_source *source)
{
    int file = open(name, O_WRONLY | O_CLOEXEC), error = 0;
    if (file < 0) return errno;
    for (int i = 0; i < f->count && !error; i++)
        error = write_array(file, positions[i], f, i, source);
    if (f->keeping && !error && fsync(file)) error = errno;
    if (close(file) && !error) error = errno;
    return error;
}

/* Writes all of the draft; 0 or an errno value, or a reason and EIO. */
static int fill(const file_draft *draft, const io_frame *f, const io_source *source, text *reason)
{
    haddr_t *positions = calloc((size_t)f->count, sizeof *positions);
    text name = {0};
    name_file(draft, f, &name);
    int error = positions && !name.failed ? try_space(draft->file, f) : ENOMEM;
    if (!error && !make_frame(text_get(&name), f, positions, reason)) error = EIO;
    if (!error) error = write_arrays(text_get(&name), f, positions, source);
    text_free(&name);
    free(positions);
    return error;
}

static int begin(file_draft *draft, const char *path, const io_keeping *keeping)
{
    return keeping ? file_draft_begin_as(draft, path, keeping->draft)
                   : file_draft_begin(draft, path);
}

/* Ends the draft; a file that it replaces gets its other name before. */
static int end(file_draft *draft, const char *path, const io_keeping *keeping, int error)
{
    const int taken = keeping ? file_draft_check(draft) : 0;
    if (taken) error = taken;
    if (keeping && keeping->before && !error) error = file_keep(draft->target, keeping->before);
    error = file_draft_end(draft, error);
    return keeping && !error ? file_sync_folder(path) : error;
}

kata_status io_write_frame(const char *path, const io_frame *frame, const io_source *source,
                           messages *m)
{
    text reason = {0};
    file_draft draft;
    int error = begin(&draft, path, frame->keeping);
    if (!error) error = end(&draft, path, frame->keeping, fill(&draft, frame, source, &reason));
    if (error == FILE_IS_TAKEN) text_clear(&reason); /* HDF5 finds no file */
    kata_status status = io_cannot_write(path, error, &reason, m);
    text_free(&reason);
    return status;
}
