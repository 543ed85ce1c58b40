/* A file that appears whole or not at all: it is written under another name in the same folder,
 * with the permissions of the file that it replaces, and renamed. The name is short, however long
 * the file's own is. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static atomic_uint drafts;

/* ---- the names ------------------------------------------------------------------------------- */

/* The file to be written, links followed, and its present permissions, 0 if it is new. */
static int find_target(file_draft *d, const char *path, mode_t *mode)
{
    struct stat status;
    *mode = 0;
    if (lstat(path, &status) && errno == ENOENT) return (d->target = strdup(path)) ? 0 : ENOMEM;
    d->target = realpath(path, NULL);
    if (!d->target && errno == ENOENT) return FILE_IS_ASTRAY;
    if (!d->target || stat(d->target, &status)) return errno;
    *mode = status.st_mode & 0777;
    return S_ISREG(status.st_mode) ? 0 : S_ISDIR(status.st_mode) ? EISDIR : FILE_NOT_PLAIN;
}

/* The same of a file in an open folder, where a link is not followed. */
static int find_target_at(file_draft *d, const char *name, mode_t *mode)
{
    struct stat status;
    *mode = 0;
    if (!(d->target = strdup(name))) return ENOMEM;
    if (fstatat(d->folder, name, &status, AT_SYMLINK_NOFOLLOW)) return errno == ENOENT ? 0 : errno;
    return S_ISDIR(status.st_mode) ? EISDIR : 0;
}

static void name_draft(file_draft *d)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const char *slash = strrchr(d->target, '/');
    int folder = slash ? (int)(slash - d->target) + 1 : 0;
    text_clear(&d->name);
    text_add(&d->name, "%.*s" FILE_DRAFT_PREFIX "%lx-%lx-%x", folder, d->target, (long)getpid(),
             now.tv_nsec, atomic_fetch_add(&drafts, 1));
}

/* The target's name with an ending; removes what has it. */
static int take_name(file_draft *d, const char *ending)
{
    text_clear(&d->name);
    text_add(&d->name, "%s%s", d->target, ending);
    if (d->name.failed) return ENOMEM;
    return unlinkat(d->folder, d->name.data, 0) && errno != ENOENT ? errno : 0;
}

/* `ending`: of the draft's name; NULL: one that nothing has. */
static int create(file_draft *d, const char *ending, mode_t mode)
{
    enum { TRIES = 100 };
    d->file = -1;
    for (int i = 0; d->file < 0 && i < TRIES; i++) {
        int error = ending ? take_name(d, ending) : 0;
        if (error) return error;
        if (!ending) name_draft(d);
        if (d->name.failed) return ENOMEM;
        d->file = openat(d->folder, d->name.data, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
                         mode ? 0600 : 0666);
        if (d->file < 0 && errno != EEXIST) return errno;
    }
    if (d->file < 0) return EEXIST;
    if (!mode || fchmod(d->file, mode) == 0) return 0;
    int error = errno;
    close(d->file);
    unlinkat(d->folder, d->name.data, 0);
    return error;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void forget(file_draft *d)
{
    text_free(&d->name);
    free(d->target);
}

static int begin(file_draft *d, int folder, const char *path, const char *ending)
{
    *d = (file_draft){.folder = folder};
    mode_t mode;
    int error = folder == AT_FDCWD ? find_target(d, path, &mode) : find_target_at(d, path, &mode);
    if (!error) error = create(d, ending, mode);
    if (error)
        forget(d);
    else
        file_limit_hold(&d->limit);
    return error;
}

int file_draft_begin(file_draft *d, const char *path) { return begin(d, AT_FDCWD, path, NULL); }

int file_draft_begin_as(file_draft *d, const char *path, const char *ending)
{
    return begin(d, AT_FDCWD, path, ending);
}

int file_draft_begin_at(file_draft *d, int folder, const char *name)
{
    return begin(d, folder, name, NULL);
}

int file_draft_check(const file_draft *d)
{
    struct stat own, named;
    if (fstat(d->file, &own)) return errno;
    bool same = !fstatat(d->folder, d->name.data, &named, AT_SYMLINK_NOFOLLOW) &&
                named.st_ino == own.st_ino && named.st_dev == own.st_dev;
    return same ? 0 : FILE_IS_TAKEN;
}

/* Moves the draft to its path. If its name is gone from a folder that is there, another process has
 * taken it. */
static int move(file_draft *d)
{
    if (!renameat(d->folder, d->name.data, d->folder, d->target)) return 0;
    int error = errno;
    char *slash = strrchr(d->name.data, '/');
    if (slash) slash[1] = '\0';
    bool there = !faccessat(d->folder, slash ? d->name.data : ".", F_OK, 0);
    return error == ENOENT && there ? FILE_IS_TAKEN : error;
}

int file_draft_end(file_draft *d, int error)
{
    if (close(d->file) && !error) error = errno;
    if (!error) error = move(d);
    if (error && error != FILE_IS_TAKEN) unlinkat(d->folder, d->name.data, 0);
    file_limit_release(&d->limit);
    forget(d);
    return error;
}
