#include "common/common.h"

#include <errno.h>
#include <stdio.h>
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

const char *folder_of(const char *path, char parent[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int length = !slash ? 1 : slash == path ? 1 : (int)(slash - path);
    snprintf(parent, PATH_MAX, "%.*s", length, slash ? path : ".");
    return slash ? slash + 1 : path;
}

const char *output_reason(const char *path, int error)
{
    struct stat status;
    bool astray = error == ENOENT && !lstat(path, &status) && S_ISLNK(status.st_mode);
    return astray ? "it is a symbolic link that leads to no file" : strerror(error);
}

bool same_output(const char *one, const char *other)
{
    char parent[PATH_MAX], other_parent[PATH_MAX];
    const char *name = folder_of(one, parent), *other_name = folder_of(other, other_parent);
    return same_file(one, other) || (!strcmp(name, other_name) && same_file(parent, other_parent));
}

/* The file that an option names; NULL where it names none. */
static const char *file_of(const option *e, const void *values)
{
    static const char file[] = "FILE";
    bool names =
        e->kind == OPTION_TEXT && e->placeholder && !strncmp(e->placeholder, file, sizeof file - 1);
    return names ? *(const char *const *)(const void *)((const char *)values + e->offset) : NULL;
}

/* Devices, such as /dev/null, take what several options write. */
static bool is_device(const char *path)
{
    struct stat there;
    return !stat(path, &there) && !S_ISREG(there.st_mode);
}

bool options_files_differ(const options *o, const void *values)
{
    for (const option *e = o->table; e < o->table + o->count; e++) {
        const char *file = file_of(e, values);
        if (!file || is_device(file)) continue;
        for (const option *before = o->table; before < e; before++) {
            const char *other = file_of(before, values);
            if (!other || !same_output(other, file)) continue;
            options_wrong(o, "--%s and --%s are both %s: name another file", before->name, e->name,
                          file);
            return false;
        }
    }
    return true;
}

int options_check_file(const options *o, const char *name, const char *path, const char *ending)
{
    if (!ends_with(path, ending))
        return options_wrong(o, "%s takes the name of a file that ends in %s, not '%s'", name,
                             ending, path);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    struct stat there;
    int error = !folder || access(folder, W_OK | X_OK) ? errno
                : !stat(path, &there)                  ? S_ISDIR(there.st_mode) ? EISDIR : 0
                : !lstat(path, &there)                 ? ENOENT
                                                       : 0;
    if (error) options_wrong(o, "%s cannot be written: %s", path, output_reason(path, error));
    free(folder);
    return error ? EXIT_FAILURE : 0;
}
