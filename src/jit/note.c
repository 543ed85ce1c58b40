/* Texts that are kept with the compiled kernels: what was found out about this machine. They are
 * small, few, and never trimmed. */
#include "jit/jit_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_in(const jit_folder *folder, const char *name, size_t most, text *out)
{
    char *data;
    size_t size;
    if (!folder->path.length || jit_folder_read(folder, name, most, &data, &size)) return false;
    bool good = !memchr(data, '\0', size);
    if (good) text_add(out, "%.*s", (int)size, data);
    free(data);
    return good && !out->failed;
}

bool jit_note_read(const jit *j, const char *name, size_t most, text *out)
{
    return read_in(&j->cache, name, most, out) || read_in(&j->read_only_cache, name, most, out);
}

static bool is_in(const jit_folder *folder, const char *name)
{
    return folder->path.length && !faccessat(folder->file, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

bool jit_note_is_there(const jit *j, const char *name)
{
    return is_in(&j->cache, name) || is_in(&j->read_only_cache, name);
}

bool jit_note_write(const jit *j, const char *name, const char *lines)
{
    return j->cache.path.length &&
           jit_folder_write(&j->cache, name, &(file_part){lines, strlen(lines)}, 1) == 0;
}

void jit_note_keep(const jit *j, const char *name, const char *ending)
{
    text kept = {0};
    struct stat status;
    text_add(&kept, "%s%s", name, ending);
    if (j->cache.path.length && !kept.failed &&
        !fstatat(j->cache.file, name, &status, AT_SYMLINK_NOFOLLOW) && S_ISREG(status.st_mode))
        renameat(j->cache.file, name, j->cache.file, text_get(&kept));
    text_free(&kept);
}
