#include "common/common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && !strcasecmp(path + length - tail, ending);
}

bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

int options_check_file(const options *o, const char *name, const char *path, const char *ending)
{
    if (!ends_with(path, ending))
        return options_wrong(o, "%s takes the name of a file that ends in %s, not '%s'", name,
                             ending, path);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    struct stat there;
    bool good = folder && !access(folder, W_OK | X_OK);
    if (good && !stat(path, &there) && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        good = false;
    }
    if (!good) options_wrong(o, "%s cannot be written: %s", path, strerror(errno));
    free(folder);
    return good ? 0 : EXIT_FAILURE;
}
