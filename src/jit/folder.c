/* Folders for compiled kernels. Libraries in them are loaded into the process, so nobody but
 * the owner may write there. A folder is checked once it is open, and used by its descriptor from
 * then on: its path may lead elsewhere by then. */
#include "jit/jit_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOR_OTHERS = S_IWGRP | S_IWOTH };

/* ---- opening --------------------------------------------------------------------------------- */

/* Makes a folder and those above it that are missing, for this user alone. */
static void make_folders(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
}

const char *jit_folder_complaint(int file, bool or_root)
{
    struct stat status;
    if (fstat(file, &status)) return strerror(errno);
    if (status.st_uid != geteuid() && !(or_root && status.st_uid == 0))
        return "it belongs to another user";
    if (status.st_mode & FOR_OTHERS) return "others may write to it";
    int access = or_root ? R_OK | X_OK : R_OK | W_OK | X_OK;
    return faccessat(file, ".", access, AT_EACCESS) ? strerror(errno) : NULL;
}

/* Where the cache should be; false when nothing says so. */
static bool choose(const char *given, text *path)
{
    const char *root;
    if (given)
        text_add(path, "%s", given);
    else if ((root = environment_get("KATA_CACHE_DIR")))
        text_add(path, "%s", root);
    else if ((root = environment_get("XDG_CACHE_HOME")) && *root == '/')
        text_add(path, "%s/katagami", root);
    else if ((root = environment_get("HOME")) && *root == '/')
        text_add(path, "%s/.cache/katagami", root);
    return path->length > 0 && !path->failed;
}

/* Opens a folder above the three standard files, which may be closed. Returns NULL, or why not. */
static const char *open_folder(const char *path, bool or_root, int *file)
{
    int low = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (low < 0) return errno == ENOTDIR ? "it is not a folder" : strerror(errno);
    *file = fcntl(low, F_DUPFD_CLOEXEC, 3);
    const char *wrong = *file < 0 ? strerror(errno) : jit_folder_complaint(*file, or_root);
    close(low);
    if (wrong && *file >= 0) close(*file);
    return wrong;
}

/* Opens a folder, with its path from the root. */
static const char *open_known(const char *path, bool or_root, jit_folder *out)
{
    const char *wrong = open_folder(path, or_root, &out->file);
    if (wrong) return wrong;
    char *resolved = realpath(path, NULL);
    text_add(&out->path, "%s", resolved ? resolved : path);
    free(resolved);
    if (!out->path.failed) return NULL;
    jit_folder_close(out);
    return strerror(ENOMEM);
}

bool jit_folder_find(const char *given, jit_folder *out, text *why)
{
    text chosen = {0};
    if (choose(given, &chosen)) {
        make_folders(chosen.data);
        const char *wrong = open_known(chosen.data, false, out);
        if (wrong) text_add(why, "'%s' cannot be used: %s", chosen.data, wrong);
    }
    text_free(&chosen);
    return out->path.length > 0;
}

bool jit_folder_find_readable(const char *given, jit_folder *out)
{
    text chosen = {0};
    if (choose(given, &chosen)) open_known(chosen.data, true, out);
    text_free(&chosen);
    return out->path.length > 0;
}

void jit_folder_close(jit_folder *folder)
{
    if (folder->path.length) close(folder->file);
    text_free(&folder->path);
}

/* ---- files ----------------------------------------------------------------------------------- */

int jit_folder_open(const jit_folder *folder, const char *name, int *file)
{
    struct stat status;
    int fd = openat(folder->file, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) return errno;
    int error = fstat(fd, &status)                                 ? errno
                : !S_ISREG(status.st_mode)                         ? FILE_NOT_PLAIN
                : status.st_uid != geteuid() && status.st_uid != 0 ? EPERM
                : (status.st_mode & FOR_OTHERS) != 0               ? EPERM
                                                                   : 0;
    if (error)
        close(fd);
    else
        *file = fd;
    return error;
}

int jit_folder_read(const jit_folder *folder, const char *name, size_t limit, char **data,
                    size_t *size)
{
    *data = NULL;
    *size = 0;
    int fd = -1, error = jit_folder_open(folder, name, &fd);
    if (error) return error;
    error = file_read_open(fd, limit, data, size);
    close(fd);
    return error;
}

int jit_folder_protect(int file)
{
    struct stat status;
    if (fstat(file, &status)) return errno;
    return fchmod(file, status.st_mode & 0777 & ~(mode_t)FOR_OTHERS) ? errno : 0;
}

int jit_folder_write(const jit_folder *folder, const char *name, const file_part *parts, int count)
{
    file_draft draft;
    int error = file_draft_begin_at(&draft, folder->file, name);
    if (error) return error;
    error = jit_folder_protect(draft.file);
    if (!error) error = file_write_open(draft.file, parts, count);
    return file_draft_end(&draft, error);
}

bool jit_folder_has_space(const jit_folder *folder)
{
    enum { SIZE = 1 << 18 };
    static const char name[] = FILE_DRAFT_PREFIX "space";
    char *zeros = calloc(1, SIZE);
    bool good = zeros && jit_folder_write(folder, name, &(file_part){zeros, SIZE}, 1) == 0;
    if (good) unlinkat(folder->file, name, 0);
    free(zeros);
    return good;
}
