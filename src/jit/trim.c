/* Trimming the cache. A file of a kernel is named KEY and an ending, KEY being 32 hexadecimal
 * digits. The time at which it was last changed is the time of its last use. A library that another
 * process is about to load may go: that process compiles it anew. Folders in which compilers worked
 * go as soon as their process has ended, drafts of files after an hour. */
#include "jit/jit_private.h"

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
    static const char *const endings[] = {".c", ".so", ".sum", ".key", ".limit", ".bin"};
    if (strspn(name, "0123456789abcdef") != KEY_LENGTH) return false;
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        if (strcmp(name + KEY_LENGTH, endings[i]) == 0) return true;
    return false;
}

static bool is_draft(const char *name)
{
    return strncmp(name, FILE_DRAFT_PREFIX, strlen(FILE_DRAFT_PREFIX)) == 0;
}

static void remove_draft(int folder, const char *name, const struct stat *status)
{
    if (S_ISDIR(status->st_mode))
        jit_scratch_remove_abandoned(folder, name);
    else if (time(NULL) - status->st_mtim.tv_sec >= STALE_SECONDS)
        unlinkat(folder, name, 0);
}

static void add_entry(listing *l, const char *name, const struct stat *status)
{
    void *entries = l->entries;
    if (!vector_reserve(&entries, &l->capacity, l->count + 1, sizeof *l->entries)) return;
    l->entries = entries;
    entry *e = &l->entries[l->count++];
    *e = (entry){.size = status->st_size, .used = status->st_mtim};
    memcpy(e->name, name, strlen(name) + 1);
    l->size += e->size;
}

static void look_at(listing *l, const char *name, bool kernels)
{
    struct stat status;
    bool draft = is_draft(name);
    if ((!draft && !(kernels && is_kernel_file(name))) ||
        fstatat(l->folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return;
    if (draft)
        remove_draft(l->folder, name, &status);
    else if (S_ISREG(status.st_mode))
        add_entry(l, name, &status);
}

static int compare(const void *a, const void *b)
{
    const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

static void remove_oldest(listing *l, int64_t limit)
{
    qsort(l->entries, l->count, sizeof *l->entries, compare);
    for (size_t i = 0; i < l->count && l->size > limit / 4 * 3; i++) {
        unlinkat(l->folder, l->entries[i].name, 0);
        l->size -= l->entries[i].size;
    }
}

/* Looks at drafts, and at kernels if asked to. */
static void trim(const jit_folder *folder, bool kernels, int64_t limit)
{
    int file = openat(folder->file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = file < 0 ? NULL : fdopendir(file);
    if (!d) {
        if (file >= 0) close(file);
        return;
    }
    listing l = {.folder = file};
    const struct dirent *found;
    while ((found = readdir(d))) look_at(&l, found->d_name, kernels);
    if (l.entries && l.size > limit) remove_oldest(&l, limit);
    free(l.entries);
    closedir(d);
}

void jit_trim(const jit_folder *folder, int64_t limit) { trim(folder, true, limit); }

void jit_trim_drafts(const jit_folder *folder) { trim(folder, false, INT64_MAX); }
