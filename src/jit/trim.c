/* Trimming the cache. Files of kernels are named KEY.c, KEY.so, KEY.sum and KEY.key, KEY being 32
 * hexadecimal digits; a library's time of change is that of its last use. A library that another
 * process is about to load may go: it compiles it anew. */
#include "jit/jit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEY_LENGTH = 32, STALE_SECONDS = 3600 };

typedef struct entry {
    char name[KEY_LENGTH + 8];
    int64_t size;
    struct timespec used;
} entry;

typedef struct listing {
    int folder;
    entry *entries;
    size_t count, capacity;
    int64_t size;
} listing;

static bool is_kernel_file(const char *name)
{
    static const char *const endings[] = {".c", ".so", ".sum", ".key"};
    if (strspn(name, "0123456789abcdef") != KEY_LENGTH) return false;
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        if (strcmp(name + KEY_LENGTH, endings[i]) == 0) return true;
    return false;
}

static bool is_draft(const char *name)
{
    return strncmp(name, FILE_DRAFT_PREFIX, strlen(FILE_DRAFT_PREFIX)) == 0;
}

static void remove_stale(const char *folder, int fd, const char *name, const struct stat *status)
{
    if (time(NULL) - status->st_mtim.tv_sec < STALE_SECONDS) return;
    text path = {0};
    text_add(&path, "%s/%s", folder, name);
    if (S_ISDIR(status->st_mode) && !path.failed)
        jit_folder_remove(path.data);
    else
        unlinkat(fd, name, 0);
    text_free(&path);
}

static void take(listing *l, const char *folder, const char *name)
{
    struct stat status;
    bool draft = is_draft(name);
    if ((!draft && !is_kernel_file(name)) || fstatat(l->folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return;
    if (draft) {
        remove_stale(folder, l->folder, name, &status);
        return;
    }
    void *entries = l->entries;
    if (!S_ISREG(status.st_mode) ||
        !vector_reserve(&entries, &l->capacity, l->count + 1, sizeof *l->entries))
        return;
    l->entries = entries;
    entry *e = &l->entries[l->count++];
    *e = (entry){.size = status.st_size, .used = status.st_mtim};
    memcpy(e->name, name, strlen(name) + 1);
    l->size += e->size;
}

static int compare(const void *a, const void *b)
{
    const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

void jit_trim(const char *folder, int64_t limit)
{
    DIR *d = opendir(folder);
    if (!d) return;
    listing l = {.folder = dirfd(d)};
    const struct dirent *found;
    while ((found = readdir(d))) take(&l, folder, found->d_name);
    if (l.entries && l.size > limit) {
        qsort(l.entries, l.count, sizeof *l.entries, compare);
        for (size_t i = 0; i < l.count && l.size > limit / 4 * 3; i++) {
            unlinkat(l.folder, l.entries[i].name, 0);
            l.size -= l.entries[i].size;
        }
    }
    free(l.entries);
    closedir(d);
}
