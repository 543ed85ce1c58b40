/* Files that stay when others take their names. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int give_name(const char *path, const char *name)
{
    if (unlink(name) && errno != ENOENT) return errno;
    if (!link(path, name)) return 0;
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

int file_sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    text folder = {0};
    if (slash)
        text_add(&folder, "%.*s", (int)(slash - path) + 1, path);
    else
        text_add(&folder, ".");
    int error = folder.failed ? ENOMEM : 0;
    int file = error ? -1 : open(text_get(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    text_free(&folder);
    if (error) return error;
    if (file < 0) return errno;
    if (fsync(file) && errno != EINVAL) error = errno;
    close(file);
    return error;
}
