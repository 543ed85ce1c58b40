/* Lines of text that are kept with the compiled kernels: what was found out about this machine.
 * They are small, few, and never trimmed. */
#include "jit/jit_private.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1000 };

static bool read_in(const jit_folder *folder, const char *name, text *out)
{
    char *data;
    size_t size;
    if (!folder->path.length || jit_folder_read(folder, name, LONGEST, &data, &size)) return false;
    bool good = !memchr(data, '\0', size);
    if (good) text_add(out, "%.*s", (int)size, data);
    free(data);
    return good && !out->failed;
}

bool jit_note_read(const jit *j, const char *name, text *out)
{
    return read_in(&j->cache, name, out) || read_in(&j->read_only_cache, name, out);
}

void jit_note_write(const jit *j, const char *name, const char *line)
{
    if (j->cache.path.length)
        jit_folder_write(&j->cache, name, &(file_part){line, strlen(line)}, 1);
}
