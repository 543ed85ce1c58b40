/* What tests of compiled kernels share: folders, and compilers that are shell scripts. */
#ifndef TESTS_JIT_WORLD_H
#define TESTS_JIT_WORLD_H

#include "base/base.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Removes a folder with the files in it, and those in its folders. */
static inline void remove_folder(const char *path)
{
    char *below = NULL;
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        assert_true(asprintf(&below, "%s/%s", path, entry->d_name) > 0);
        if (unlink(below)) remove_folder(below);
        free(below);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

/* Path of the first file in a folder whose name ends so; "" when there is none. */
static inline const char *file_in(const char *folder, const char *ending, char path[4096])
{
    DIR *d = opendir(folder);
    const struct dirent *entry;
    path[0] = '\0';
    while (d && (entry = readdir(d))) {
        size_t length = strlen(entry->d_name), tail = strlen(ending);
        if (length > tail && strcmp(entry->d_name + length - tail, ending) == 0)
            snprintf(path, 4096, "%s/%s", folder, entry->d_name);
    }
    if (d) closedir(d);
    return path;
}

/* How many names in a folder begin so, and do not begin with a dot where `prefix` is empty. */
static inline int count_in(const char *folder, const char *prefix)
{
    int count = 0;
    DIR *d = opendir(folder);
    const struct dirent *entry;
    while (d && (entry = readdir(d)))
        count +=
            *prefix ? strncmp(entry->d_name, prefix, strlen(prefix)) == 0 : entry->d_name[0] != '.';
    if (d) closedir(d);
    return count;
}

/* A compiler that is a shell script; the path stays until the next call. */
static inline const char *write_script(const char *folder, const char *body)
{
    static char path[4096];
    char line[8192];
    snprintf(path, sizeof path, "%s/cc.sh", folder);
    int length = snprintf(line, sizeof line, "#!/bin/sh\n%s\n", body);
    assert_int_equal(file_write(path, line, (size_t)length), 0);
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

#endif
