/* Texts for which a compiler was found to need more time or memory than it may have. They are
 * remembered by their keys, in the process and as KEY.limit in the folder of compiled kernels, so
 * that a program does not wait for the same failure again at each of its runs. A KEY.limit stands
 * until it is removed: a key changes with the compiler and with Katagami's version. */
#include "jit/jit_private.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 4096 };

static bool file_name(text *name, const char *key)
{
    text_add(name, "%s.limit", key);
    return !name->failed;
}

static bool is_remembered(jit *j, const char *key)
{
    bool found = false;
    pthread_mutex_lock(&j->lock);
    for (size_t i = 0; i < j->exhausted_count; i++)
        found = found || strcmp(j->exhausted[i], key) == 0;
    pthread_mutex_unlock(&j->lock);
    return found;
}

/* Adds what the file says, in letters of ASCII. */
static bool read_file(const jit_folder *folder, const char *key, text *report)
{
    text name = {0};
    char *said = NULL;
    size_t size = 0;
    bool found =
        file_name(&name, key) && jit_folder_read(folder, name.data, MOST_TEXT, &said, &size) == 0;
    for (size_t i = 0; found && i < size; i++)
        if ((said[i] < ' ' || said[i] > '~') && said[i] != '\n') said[i] = '?';
    if (found)
        text_add(report, "%ssee %s/%s, which has to be removed for another attempt\n", said,
                 text_get(&folder->path), name.data);
    free(said);
    text_free(&name);
    return found;
}

bool jit_is_exhausted(jit *j, const jit_folder *folder, const char *key, text *report)
{
    if (read_file(folder, key, report)) return true;
    if (!is_remembered(j, key)) return false;
    text_add(report, "it needed too much time or memory before, and is not called again\n");
    return true;
}

void jit_remember_exhausted(jit *j, const jit_folder *folder, const char *key, const text *report)
{
    text name = {0};
    size_t skipped = report->length > MOST_TEXT ? report->length - MOST_TEXT : 0;
    const file_part part = {text_get(report) + skipped, report->length - skipped};
    if (file_name(&name, key)) jit_folder_write(folder, name.data, &part, 1);
    text_free(&name);
    pthread_mutex_lock(&j->lock);
    void *keys = j->exhausted;
    if (vector_reserve(&keys, &j->exhausted_capacity, j->exhausted_count + 1,
                       sizeof *j->exhausted)) {
        j->exhausted = keys;
        memcpy(j->exhausted[j->exhausted_count++], key, sizeof *j->exhausted);
    }
    pthread_mutex_unlock(&j->lock);
}
