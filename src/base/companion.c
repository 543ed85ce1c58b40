/* Where the files are that are installed with the library, such as kata-read-hdf5. The shared
 * library looks beside itself: who may write there may replace the library as well. A program that
 * is linked with the static library looks where the project was to be installed; the folder that
 * the program itself lies in may belong to anybody. */
#include "base/base.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether it is there, and only its owner (root or this user) or their group may change it. */
static bool may_run(const char *path)
{
    struct stat status;
    if (stat(path, &status) || !S_ISREG(status.st_mode) || access(path, X_OK)) return false;
    return (status.st_uid == 0 || status.st_uid == geteuid()) && !(status.st_mode & S_IWOTH);
}

/* Tries one path; the last tried stays in *path, others in *tried. */
static bool try_path(const text *candidate, text *tried)
{
    if (may_run(text_get(candidate))) return true;
    text_add(tried, "%s%s", tried->length ? ", " : "", text_get(candidate));
    return false;
}

/* The folder of the shared library, with its last slash; nothing in a static program. */
static void library_folder(text *folder)
{
    Dl_info info;
    static const char name[] = "libkatagami";
    if (!dladdr(name, &info) || !info.dli_fname) return;
    const char *slash = strrchr(info.dli_fname, '/');
    if (!slash || strncmp(slash + 1, name, sizeof name - 1) != 0) return;
    text_add(folder, "%.*s", (int)(slash + 1 - info.dli_fname), info.dli_fname);
}

/* Adds the path to look at in turn i; none where it is not known. */
static void add_candidate(const char *name, const char *variable, int i, const text *folder,
                          text *path)
{
    const char *named = environment_get(variable);
    if (i == 0 && named) text_add(path, "%s", named);
    if (i == 1 && folder->length) text_add(path, "%s%s", text_get(folder), name);
    if (i == 2 && folder->length)
        text_add(path, "%s%s/%s", text_get(folder), KATA_LIBEXEC_FROM_LIBRARY, name);
    if (i == 3) text_add(path, "%s/%s", KATA_LIBEXEC, name);
}

bool companion_find(const char *name, const char *variable, text *path)
{
    text tried = {0}, folder = {0};
    bool found = false;
    library_folder(&folder);
    for (int i = 0; !found && !path->failed && i < 4; i++) {
        text_clear(path);
        add_candidate(name, variable, i, &folder, path);
        if (path->length) found = try_path(path, &tried);
    }
    bool failed = path->failed || tried.failed || folder.failed;
    if (!found && !failed) {
        text_clear(path);
        text_add(path, "%s", text_get(&tried));
    }
    path->failed |= failed;
    text_free(&tried);
    text_free(&folder);
    return found && !path->failed;
}
