/* What the name of a file says: its ending, and the dataset in it. */
#include "api/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool api_ends_with(const char *path, const char *ending)
{
    size_t a = strlen(path), b = strlen(ending);
    return a > b && !strcasecmp(path + a - b, ending);
}

/* Whether a part of a path names an HDF5 file: one that exists, or would by its ending. */
static bool is_hdf5_file(const char *path, size_t length)
{
    struct stat status;
    char name[PATH_MAX];
    if (length >= sizeof name) return false;
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    if (stat(name, &status) == 0) return !S_ISDIR(status.st_mode);
    return api_ends_with(name, ".h5") || api_ends_with(name, ".hdf5") || api_ends_with(name, ".nc");
}

const char *api_dataset_in(const char *path)
{
    const char *colon = strstr(path, ":/");
    while (colon && !is_hdf5_file(path, (size_t)(colon - path))) colon = strstr(colon + 1, ":/");
    return colon;
}
