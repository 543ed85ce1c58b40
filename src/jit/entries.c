/* Which library a function is in. KEY.key holds the key of the library and, so that a damaged file
 * is noticed, the hash of both keys; the library has its own sum. */
#include "jit/jit_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KEY = 32 };

static void entry_name(char name[40], const char *key) { snprintf(name, 40, "%s.key", key); }

/* Hash of the key of a function and that of its library. */
static void sum_of(const char function[33], const char library[33], char hex[33])
{
    char both[2 * KEY];
    memcpy(both, function, KEY);
    memcpy(both + KEY, library, KEY);
    hash_hex(both, sizeof both, hex);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void enter(const jit_folder *folder, const char key[33], const char library[33])
{
    char name[40], sum[33];
    sum_of(key, library, sum);
    entry_name(name, key);
    const file_part parts[] = {{library, KEY}, {sum, KEY}};
    jit_folder_write(folder, name, parts, COUNT_OF(parts));
}

void jit_index(const jit *j, const jit_folder *folder, const jit_work *w, jit_flags flags)
{
    char key[33];
    for (size_t i = 0; i < w->count; i++)
        for (int any = 0; any < 2; any++)
            if (jit_key(j, "function ", w->functions[i].text, any, flags, key))
                enter(folder, key, w->key);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* *known: whether there is an entry; then the key of the library. */
static kata_status read_entry(const jit_folder *folder, const char key[33], bool *known,
                              char library[33])
{
    char name[40], *data = NULL, sum[33];
    size_t size = 0;
    entry_name(name, key);
    int error = jit_folder_read(folder, name, 2 * KEY, &data, &size);
    if (!error && size == 2 * KEY) {
        memcpy(library, data, KEY);
        library[KEY] = '\0';
        sum_of(key, library, sum);
        *known = memcmp(sum, data + KEY, KEY) == 0 && strspn(library, "0123456789abcdef") == KEY;
        if (*known) utimensat(folder->file, name, NULL, 0); /* its last use, see trim.c */
    }
    free(data);
    return error == ENOMEM ? KATA_ERROR_MEMORY : KATA_OK;
}

static void *loaded(const jit *j, const char key[33])
{
    for (size_t i = 0; i < j->count; i++)
        if (memcmp(j->libraries[i].key, key, KEY) == 0) return j->libraries[i].handle;
    return NULL;
}

/* *handle stays NULL where the library is not there. */
static kata_status load_library(jit *j, const jit_folder *folder, const char key[33], void **handle)
{
    void *libraries = j->libraries;
    if ((*handle = loaded(j, key))) return KATA_OK;
    if (!vector_reserve(&libraries, &j->capacity, j->count + 1, sizeof *j->libraries))
        return KATA_ERROR_MEMORY;
    j->libraries = libraries;
    jit_library *l = &j->libraries[j->count];
    l->handle = NULL;
    if (!jit_library_load(folder, key, &l->handle)) return KATA_ERROR_MEMORY;
    memcpy(l->key, key, sizeof l->key);
    *handle = l->handle;
    j->count += l->handle != NULL;
    return KATA_OK;
}

/* In a folder, compiled with given flags. */
static kata_status find_in(jit *j, const jit_folder *folder, const jit_function *f, jit_flags flags,
                           void **code)
{
    char key[33], library[33];
    bool known = false;
    void *handle = NULL;
    if (!jit_key(j, "function ", f->text, !j->compiler.path, flags, key)) return KATA_ERROR_MEMORY;
    kata_status status = read_entry(folder, key, &known, library);
    if (!status && known) status = load_library(j, folder, library, &handle);
    if (handle) *code = jit_symbol(handle, f->name);
    return status;
}

/* In all folders. */
static kata_status find(jit *j, const jit_function *f, jit_flags flags, void **code)
{
    const jit_folder *const folders[] = {&j->cache, &j->read_only_cache};
    kata_status status = KATA_OK;
    for (size_t i = 0; i < COUNT_OF(folders) && !status && !*code; i++)
        if (folders[i]->path.length) status = find_in(j, folders[i], f, flags, code);
    return status;
}

/* A plain function may have been compiled with all passes, beside one that is not plain. Without a
 * compiler, what was compiled for any CPU of this kind is welcome, too. */
kata_status jit_find(jit *j, const jit_function *f, void **code)
{
    const bool native = !j->portable && !j->plain;
    const jit_flags tries[] = {{native, j->debug, f->effort},
                               {native, j->debug, JIT_FULL},
                               {false, j->debug, f->effort},
                               {false, j->debug, JIT_FULL}};
    const size_t count = native && !j->compiler.path ? COUNT_OF(tries) : 2;
    kata_status status = KATA_OK;
    *code = NULL;
    for (size_t i = 0; i < count && !status && !*code; i++)
        if (i % 2 == 0 || f->effort == JIT_LIGHT) status = find(j, f, tries[i], code);
    return status;
}
