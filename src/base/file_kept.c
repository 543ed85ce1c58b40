/* Files that stay when others take their names. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Another process may give the same name meanwhile. */
static int give_name(const char *path, const char *name)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        if (unlink(name) && errno != ENOENT) return errno;
        if (!link(path, name)) return 0;
        if (errno != EEXIST) break;
    }
    bool cannot = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK;
    if (!cannot) return errno;
    return rename(path, name) ? errno : 0;
}

int file_keep(const char *path, const char *ending)
{
    text name = {0};
    if (access(path, F_OK)) return errno == ENOENT ? 0 : errno;
    text_add(&name, "%s%s", path, ending);
    int error = name.failed ? ENOMEM : give_name(path, text_get(&name));
    text_free(&name);
    return error;
}

/* The folder of a file; folder->failed when memory is out. */
static void name_folder(const char *path, text *folder)
{
    const char *slash = strrchr(path, '/');
    if (slash)
        text_add(folder, "%.*s", (int)(slash - path) + 1, path);
    else
        text_add(folder, ".");
}

int file_may_write(const char *path)
{
    struct stat status;
    text folder = {0};
    if (!stat(path, &status))
        return S_ISDIR(status.st_mode) ? EISDIR : S_ISREG(status.st_mode) ? 0 : FILE_NOT_PLAIN;
    if (errno != ENOENT) return errno;
    if (!lstat(path, &status)) return FILE_IS_ASTRAY;
    name_folder(path, &folder);
    int error = folder.failed ? ENOMEM : access(text_get(&folder), W_OK | X_OK) ? errno : 0;
    text_free(&folder);
    return error;
}

int file_sync_folder(const char *path)
{
    text folder = {0};
    name_folder(path, &folder);
    int error = folder.failed ? ENOMEM : 0;
    int file = error ? -1 : open(text_get(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    text_free(&folder);
    if (error) return error;
    if (file < 0) return errno;
    if (fsync(file) && errno != EINVAL) error = errno;
    close(file);
    return error;
}
