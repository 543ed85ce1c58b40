/* Machines by their names: those that come with the library, and files. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

/* The texts of *.machine. */
extern const char ipu_machine[], mppa256_machine[], sw26010_machine[];

enum { MOST_BYTES = 1 << 16 };

static const struct {
    const char *name, *words;
} shipped[] = {
    {"ipu", ipu_machine},
    {"mppa256", mppa256_machine},
    {"sw26010", sw26010_machine},
};

/* NULL: there is none of this name. */
static const char *words_of(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(shipped); i++)
        if (!strcmp(shipped[i].name, name)) return shipped[i].words;
    return NULL;
}

const char *machine_shipped_name(int i)
{
    return i >= 0 && i < (int)COUNT_OF(shipped) ? shipped[i].name : NULL;
}

/* The last part of a path, without what follows a point. */
static void name_of(const char *path, char *name, size_t room)
{
    const char *last = strrchr(path, '/');
    last = last ? last + 1 : path;
    snprintf(name, room, "%.*s", (int)strcspn(last, "."), last);
}

static bool read_path(const char *path, machine_emulated *out, text *why)
{
    char *words = NULL, name[sizeof out->name];
    size_t size = 0;
    int error = file_read(path, MOST_BYTES, &words, &size);
    if (error) {
        text_add(why, "cannot read %s: %s", path, file_reason(error));
        return false;
    }
    text_add(why, "%s: ", path);
    name_of(path, name, sizeof name);
    bool right = machine_emulated_read(words, size, name, out, why);
    free(words);
    return right;
}

bool machine_emulated_find(const char *name, machine_emulated *out, text *why)
{
    const char *words = words_of(name);
    if (words) return machine_emulated_read(words, strlen(words), name, out, why);
    if (strpbrk(name, "./")) return read_path(name, out, why);
    text_add(why, "there is no machine '%s'; it can be", name);
    for (size_t i = 0; i < COUNT_OF(shipped); i++) text_add(why, " %s,", shipped[i].name);
    text_add(why, " or the path of a file, as ./%s.machine", name);
    return false;
}
