/* Folders for compiled kernels. What lies in one is loaded into the process, so nobody but its
 * owner may write to it. */
#include "jit/jit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Why a folder is not for this user alone to use; NULL when it is. */
static const char *complaint(const char *path)
{
    struct stat status;
    if (stat(path, &status)) return strerror(errno);
    if (!S_ISDIR(status.st_mode)) return "it is not a folder";
    if (status.st_uid != geteuid()) return "it belongs to another user";
    if (status.st_mode & (S_IWGRP | S_IWOTH)) return "others may write to it";
    return access(path, R_OK | W_OK | X_OK) ? strerror(errno) : NULL;
}

/* Where the cache should be; false when nothing says so. */
static bool choose(const char *given, text *path)
{
    const char *place;
    if (given)
        text_add(path, "%s", given);
    else if ((place = environment_get("KATA_CACHE_DIR")))
        text_add(path, "%s", place);
    else if ((place = environment_get("XDG_CACHE_HOME")) && *place == '/')
        text_add(path, "%s/katagami", place);
    else if ((place = environment_get("HOME")))
        text_add(path, "%s/.cache/katagami", place);
    return path->length > 0 && !path->failed;
}

bool jit_folder_find(const char *given, text *path, text *why)
{
    text chosen = {0};
    char *resolved = NULL;
    if (choose(given, &chosen)) {
        make_folders(chosen.data);
        const char *wrong = complaint(chosen.data);
        if (wrong) text_add(why, "'%s' cannot be used: %s", chosen.data, wrong);
        resolved = wrong ? NULL : realpath(chosen.data, NULL);
    }
    if (resolved) text_add(path, "%s", resolved);
    free(resolved);
    text_free(&chosen);
    if (path->failed) text_clear(path);
    return path->length > 0;
}

bool jit_folder_find_readable(const char *given, text *path)
{
    text chosen = {0};
    struct stat status;
    bool good = choose(given, &chosen) && stat(chosen.data, &status) == 0 &&
                S_ISDIR(status.st_mode) && (status.st_uid == geteuid() || status.st_uid == 0) &&
                !(status.st_mode & (S_IWGRP | S_IWOTH)) && access(chosen.data, R_OK | X_OK) == 0;
    char *resolved = good ? realpath(chosen.data, NULL) : NULL;
    if (resolved) text_add(path, "%s", resolved);
    free(resolved);
    text_free(&chosen);
    if (path->failed) text_clear(path);
    return path->length > 0;
}

bool jit_folder_make_temporary(const char *first, int *place, text *path)
{
    const char *places[] = {first, "/tmp", "/dev/shm", "/var/tmp"};
    while (*place < (int)COUNT_OF(places)) {
        int i = (*place)++;
        if (!places[i] || *places[i] != '/') continue;
        text_clear(path);
        text_add(path, "%s/katagami-XXXXXX", places[i]);
        if (!path->failed && mkdtemp(path->data)) return true;
    }
    text_clear(path);
    return false;
}

void jit_folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    rmdir(path);
}

bool jit_folder_has_space(const char *path)
{
    enum { SIZE = 1 << 18 };
    text name = {0};
    char *zeros = calloc(1, SIZE);
    text_add(&name, "%s/" FILE_DRAFT_PREFIX "space", path);
    bool good = zeros && !name.failed && file_write(name.data, zeros, SIZE) == 0;
    if (good) unlink(name.data);
    free(zeros);
    text_free(&name);
    return good;
}
