/* Compiled texts in a folder. Files are trusted only if they are what KEY.sum says, so that a
 * truncated or damaged library, or one whose KEY.sum was just replaced by another process, is
 * compiled anew and never executed. */
#include "jit/jit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_LIBRARY = 1 << 30 };

/* The paths of a key, in one folder. `object`, in `work`, is where the compiler writes. */
typedef struct place {
    const char *folder;
    text source, shared, sum, work, object;
} place;

static bool place_make(place *p, const char *folder, const char *key)
{
    *p = (place){.folder = folder};
    text_add(&p->source, "%s/%s.c", folder, key);
    text_add(&p->shared, "%s/%s.so", folder, key);
    text_add(&p->sum, "%s/%s.sum", folder, key);
    text_add(&p->work, "%s/" FILE_DRAFT_PREFIX "XXXXXX", folder);
    return !p->source.failed && !p->shared.failed && !p->sum.failed && !p->work.failed;
}

static void place_free(place *p)
{
    text_free(&p->source);
    text_free(&p->shared);
    text_free(&p->sum);
    text_free(&p->work);
    text_free(&p->object);
}

static int hash_file(const char *path, char hex[33])
{
    char *data;
    size_t size;
    int error = file_read(path, LARGEST_LIBRARY, &data, &size);
    if (!error) hash_hex(data, size, hex);
    free(data);
    return error;
}

/* *handle stays NULL when the library is not there or is not what its sum says. Returns ENOMEM
 * when memory is out, otherwise 0. */
static int load_checked(const place *p, void **handle)
{
    char *sum, hex[33];
    size_t size;
    int error = file_read(p->sum.data, 64, &sum, &size);
    if (!error) error = hash_file(p->shared.data, hex);
    if (!error && size == 32 && memcmp(sum, hex, 32) == 0) {
        utimensat(AT_FDCWD, p->shared.data, NULL, 0); /* used last now, see trim.c */
        *handle = dlopen(p->shared.data, RTLD_NOW | RTLD_LOCAL);
    }
    free(sum);
    return error == ENOMEM ? error : 0;
}

/* Files the object that the compiler wrote. */
static bool keep(const place *p, text *report)
{
    char hex[33];
    int error = hash_file(p->object.data, hex);
    if (!error) error = file_write(p->sum.data, hex, 32);
    if (!error && rename(p->object.data, p->shared.data)) error = errno;
    if (error) text_add(report, "%s: %s\n", p->shared.data, file_reason(error));
    return !error;
}

/* Lets the compiler write p->object, in a folder of its own; what else it leaves there goes. */
static jit_outcome compile(const jit *j, place *p, bool native, jit_work *w)
{
    if (!mkdtemp(p->work.data)) {
        text_add(&w->report, "%s: %s\n", p->work.data, strerror(errno));
        return JIT_BAD_FOLDER;
    }
    text_add(&p->object, "%s/object.so", p->work.data);
    if (p->object.failed) return JIT_NO_MEMORY;
    const jit_process how = {j->environment, p->work.data, JIT_MOST_SECONDS, w->stop};
    bool good = jit_compiler_run(j->compiler.data, native, j->debug, p->source.data, p->object.data,
                                 &how, &w->report);
    struct stat status;
    if (w->stop && atomic_load(w->stop)) return JIT_STOPPED;
    if (good && (stat(p->object.data, &status) || status.st_size == 0)) {
        text_add(&w->report, "it wrote nothing\n");
        good = false;
    }
    if (good) return keep(p, &w->report) ? JIT_LOADED : JIT_BAD_FOLDER;
    return jit_folder_has_space(p->folder) ? JIT_BAD_COMPILER : JIT_BAD_FOLDER;
}

/* Compiles a text in a folder and loads it. */
static jit_outcome build(const jit *j, place *p, bool native, jit_work *w)
{
    int error = file_write(p->source.data, w->c_text, w->length);
    if (error) {
        text_add(&w->report, "%s: %s\n", p->source.data, file_reason(error));
        return JIT_BAD_FOLDER;
    }
    jit_outcome result = compile(j, p, native, w);
    jit_folder_remove(p->work.data);
    if (result == JIT_BAD_COMPILER) text_add(&w->report, "the text is %s\n", p->source.data);
    if (result != JIT_LOADED) return result;
    w->handle = dlopen(p->shared.data, RTLD_NOW | RTLD_LOCAL);
    if (w->handle) return JIT_LOADED;
    text_add(&w->report, "%s\n", dlerror());
    return JIT_BAD_FOLDER;
}

bool jit_library_load(const char *folder, const char *key, void **handle)
{
    place p;
    bool good = place_make(&p, folder, key) && !load_checked(&p, handle);
    place_free(&p);
    return good;
}

void jit_library_unload(void *handle) { dlclose(handle); }

jit_outcome jit_library_make(const jit *j, const char *folder, bool native, jit_work *w)
{
    place p;
    jit_outcome result = JIT_NO_MEMORY;
    if (place_make(&p, folder, w->key) && !load_checked(&p, &w->handle))
        result = w->handle ? JIT_LOADED : build(j, &p, native, w);
    place_free(&p);
    if (result == JIT_LOADED && w->count) jit_index(j, folder, w, native);
    return result;
}
