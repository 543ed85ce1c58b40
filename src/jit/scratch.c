/* Folders that go with the process that made them.
 *
 * A process that is killed cannot remove its folders, and the number of a process tells nothing on
 * another machine that shares the disk. So whoever uses a folder holds a lock on it (flock), which
 * the kernel drops when the process ends. A folder whose lock another can take was left behind and
 * is removed by the next process that compiles in the same place. Between its making and its lock a
 * new folder looks abandoned, too: its maker then finds it locked, or without links, and makes
 * another. Where locks are not to be had, an hour without a change decides. */
#include "jit/jit_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TEMPORARY_PREFIX "katagami-"
enum { STALE_SECONDS = 3600, DEEPEST = 8, RANDOM_LETTERS = 6 };

/* ---- removing -------------------------------------------------------------------------------- */

/* Removes what is in a folder, folders as well; takes the descriptor. */
static void empty(int file, int depth)
{
    DIR *listing = fdopendir(file);
    if (!listing) {
        close(file);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(listing))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (unlinkat(file, name, 0) == 0 || depth == DEEPEST) continue;
        int below = openat(file, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0) empty(below, depth + 1);
        unlinkat(file, name, AT_REMOVEDIR);
    }
    closedir(listing);
}

/* Removes an open folder. It is emptied by its descriptor: the name may be another's by now. */
static void remove_folder(int parent, const char *name, int file)
{
    int again = openat(file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again >= 0) empty(again, 0);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* Whether nobody uses a folder; its lock is taken then. */
static bool is_abandoned(int file)
{
    struct stat status;
    if (fstat(file, &status) || status.st_uid != geteuid()) return false;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    return errno != EWOULDBLOCK && time(NULL) - status.st_mtim.tv_sec >= STALE_SECONDS;
}

void jit_scratch_remove_abandoned(int parent, const char *name)
{
    int file = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return;
    if (is_abandoned(file)) remove_folder(parent, name, file);
    close(file);
}

/* ---- making ---------------------------------------------------------------------------------- */

static void make_name(const char *prefix, char name[48])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    static _Atomic uint64_t made;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t seed[] = {(uint64_t)now.tv_nsec, (uint64_t)now.tv_sec, (uint64_t)getpid(),
                             atomic_fetch_add(&made, 1)};
    uint64_t bits = hash_bytes(seed, sizeof seed, 0);
    int length = snprintf(name, 48 - RANDOM_LETTERS, "%s", prefix);
    for (int i = 0; i < RANDOM_LETTERS; i++) name[length + i] = letters[bits >> (5 * i) & 31];
    name[length + RANDOM_LETTERS] = '\0';
}

/* Opens and locks a folder just made. EAGAIN where another process has taken it to be abandoned. */
static int claim(int parent, const char *name, int *file)
{
    struct stat status;
    int low = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (low < 0) return errno == ENOENT ? EAGAIN : errno;
    *file = fcntl(low, F_DUPFD_CLOEXEC, 3);
    int error = *file < 0 ? errno : 0;
    close(low);
    if (error) return error;
    if (flock(*file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) error = EAGAIN;
    if (!error && (fstat(*file, &status) || status.st_nlink == 0)) error = EAGAIN;
    if (!error && status.st_uid != geteuid()) error = EPERM;
    if (error) close(*file);
    return error;
}

int jit_scratch_make(int parent, const char *prefix, jit_scratch *out)
{
    enum { TRIES = 100 };
    int error = EEXIST;
    *out = (jit_scratch){.parent = parent};
    for (int i = 0; i < TRIES && (error == EEXIST || error == EAGAIN); i++) {
        make_name(prefix, out->name);
        error =
            mkdirat(parent, out->name, 0700) ? errno : claim(parent, out->name, &out->folder.file);
    }
    if (!error) text_add(&out->folder.path, "%s", out->name);
    if (!error && out->folder.path.failed) {
        remove_folder(parent, out->name, out->folder.file);
        close(out->folder.file);
        error = ENOMEM;
    }
    if (error) *out = (jit_scratch){0};
    return error;
}

void jit_scratch_remove(jit_scratch *s)
{
    if (!s->name[0]) return;
    remove_folder(s->parent, s->name, s->folder.file);
    jit_folder_close(&s->folder);
    *s = (jit_scratch){0};
}

/* ---- among temporary files ------------------------------------------------------------------- */

enum { ROOTS = 4 };

/* Descriptor of the folder for temporary files of a number, its path in *path; -1: there is none.
 */
static int open_root(const char *first, int number, const char **path)
{
    const char *const roots[ROOTS] = {first, "/tmp", "/dev/shm", "/var/tmp"};
    *path = roots[number];
    if (!*path || **path != '/') return -1;
    return open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool jit_scratch_make_temporary(const char *first, int *root, jit_scratch *out)
{
    const char *path;
    while (*root < ROOTS) {
        int low = open_root(first, (*root)++, &path), parent = -1;
        if (low >= 0) parent = fcntl(low, F_DUPFD_CLOEXEC, 3);
        if (low >= 0) close(low);
        if (parent < 0) continue;
        if (jit_scratch_make(parent, TEMPORARY_PREFIX, out) == 0) {
            text_clear(&out->folder.path);
            text_add(&out->folder.path, "%s/%s", path, out->name);
            if (!out->folder.path.failed) return true;
            jit_scratch_remove(out);
        }
        close(parent);
    }
    return false;
}

void jit_scratch_remove_temporary(jit_scratch *s)
{
    int parent = s->parent;
    bool made = s->name[0];
    jit_scratch_remove(s);
    if (made) close(parent);
}

static bool is_temporary(const char *name)
{
    size_t length = strlen(TEMPORARY_PREFIX);
    return strncmp(name, TEMPORARY_PREFIX, length) == 0 && strlen(name) == length + RANDOM_LETTERS;
}

void jit_scratch_sweep_temporary(const char *first)
{
    const char *path;
    for (int i = 0; i < ROOTS; i++) {
        int file = open_root(first, i, &path);
        DIR *listing = file < 0 ? NULL : fdopendir(file);
        const struct dirent *entry;
        while (listing && (entry = readdir(listing)))
            if (is_temporary(entry->d_name)) jit_scratch_remove_abandoned(file, entry->d_name);
        if (listing)
            closedir(listing);
        else if (file >= 0)
            close(file);
    }
}
