/* Compiled texts: from the cache, or compiled into it.
 *
 * Files are trusted only if they are what KEY.sum says, so that a truncated or damaged library, or
 * one whose KEY.sum was just replaced by another process, is compiled anew and never executed.
 * Where the cache folder does not serve (none, full, not executable), a temporary folder does;
 * where the compiler refuses the flags for this CPU, it is called without them. A compiler that
 * fails where there is space for what it writes is to blame itself, and not called elsewhere. */
#include "jit/jit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef KATA_VERSION
#define KATA_VERSION "unknown"
#endif

typedef struct library {
    char key[33];
    void *handle;
} library;

struct jit {
    text compiler;    /* path, empty when there is none */
    text description; /* path and version, once asked for */
    text cache;       /* empty when there is none */
    text complaint;   /* about the folder asked for, until it is said; empty: none */
    text temporary;   /* empty until it is needed */
    int next_place;   /* for it, where the present one does not serve */
    pid_t owner;      /* the process that made it and removes it */
    char *asked_for;  /* the compiler named in the options or KATA_CC, NULL when none was */
    bool plain;       /* the compiler does not take the flags for this CPU */
    bool debug;
    bool complained; /* about the cache folder */
    library *libraries;
    size_t count, capacity;
};

enum { LARGEST_LIBRARY = 1 << 30, MESSAGE_LINES = 20, MOST_CACHED = 256 << 20 };

/* ---- opening --------------------------------------------------------------------------------- */

kata_status jit_open(const char *compiler, const char *cache, messages *m, jit **out)
{
    jit *j = calloc(1, sizeof *j);
    if (!j) return message_no_memory(m);
    const char *name = compiler ? compiler : environment_get("KATA_CC");
    if (name && !(j->asked_for = strdup(name))) {
        free(j);
        return message_no_memory(m);
    }
    jit_compiler_find(compiler, &j->compiler);
    jit_folder_find(cache, &j->cache, &j->complaint);
    if (!cache && !environment_get("KATA_CACHE_DIR")) text_clear(&j->complaint); /* nobody asked */
    *out = j;
    return KATA_OK;
}

void jit_debug(jit *j) { j->debug = true; }

void jit_close(jit *j)
{
    if (!j) return;
    for (size_t i = 0; i < j->count; i++) dlclose(j->libraries[i].handle);
    if (j->temporary.length && j->owner == getpid()) jit_folder_remove(j->temporary.data);
    text_free(&j->compiler);
    text_free(&j->description);
    text_free(&j->cache);
    text_free(&j->complaint);
    text_free(&j->temporary);
    free(j->asked_for);
    free(j->libraries);
    free(j);
}

const char *jit_compiler(jit *j)
{
    if (j->compiler.length && !j->description.length) {
        text_add(&j->description, "%s: ", j->compiler.data);
        jit_compiler_version(j->compiler.data, &j->description);
    }
    return text_get(&j->description);
}

const char *jit_cache(jit *j) { return text_get(&j->cache); }

void *jit_symbol(void *library, const char *name) { return dlsym(library, name); }

/* ---- one library in one folder --------------------------------------------------------------- */

/* The paths of a key, in one folder. `object`, in `work`, is where the compiler writes. */
typedef struct place {
    const char *folder;
    text source, shared, sum, work, object;
} place;

typedef enum outcome { LOADED, BAD_FOLDER, BAD_COMPILER, NO_MEMORY } outcome;

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
static outcome compile(const jit *j, place *p, text *report)
{
    if (!mkdtemp(p->work.data)) {
        text_add(report, "%s: %s\n", p->work.data, strerror(errno));
        return BAD_FOLDER;
    }
    text_add(&p->object, "%s/object.so", p->work.data);
    if (p->object.failed) return NO_MEMORY;
    bool good = jit_compiler_run(j->compiler.data, !j->plain, j->debug, p->work.data,
                                 p->source.data, p->object.data, report);
    struct stat status;
    if (good && (stat(p->object.data, &status) || status.st_size == 0)) {
        text_add(report, "it wrote nothing\n");
        good = false;
    }
    if (good) return keep(p, report) ? LOADED : BAD_FOLDER;
    return jit_folder_has_space(p->folder) ? BAD_COMPILER : BAD_FOLDER;
}

/* Compiles a text in a folder and loads it. */
static outcome build(const jit *j, place *p, const char *c_text, size_t length, text *report,
                     void **handle)
{
    int error = file_write(p->source.data, c_text, length);
    if (error) {
        text_add(report, "%s: %s\n", p->source.data, file_reason(error));
        return BAD_FOLDER;
    }
    outcome result = compile(j, p, report);
    jit_folder_remove(p->work.data);
    if (result != LOADED) return result;
    *handle = dlopen(p->shared.data, RTLD_NOW | RTLD_LOCAL);
    if (*handle) return LOADED;
    text_add(report, "%s\n", dlerror());
    return BAD_FOLDER;
}

/* ---- loading --------------------------------------------------------------------------------- */

static bool make_key(const jit *j, const char *c_text, size_t length, char key[33])
{
    char hex[33];
    text all = {0};
    hash_hex(c_text, length, hex);
    text_add(&all, "katagami %s\n%s\n", KATA_VERSION, hex);
    jit_compiler_key(&all, j->compiler.data, !j->plain, j->debug);
    if (!all.failed) hash_hex(all.data, all.length, key);
    bool made = !all.failed;
    text_free(&all);
    return made;
}

/* Loads a text from a folder, or compiles it there. */
static outcome load_in(const jit *j, const char *folder, const char *key, const char *c_text,
                       size_t length, text *report, void **handle)
{
    place p;
    outcome result = NO_MEMORY;
    if (place_make(&p, folder, key) && !load_checked(&p, handle)) {
        result = *handle ? LOADED : build(j, &p, c_text, length, report, handle);
        if (result == BAD_COMPILER) text_add(report, "the text is %s\n", p.source.data);
    }
    place_free(&p);
    return result;
}

/* Makes the temporary folder if there is none of this process: a parent's goes with the parent. */
static bool have_temporary(jit *j)
{
    if (j->temporary.length && j->owner == getpid()) return true;
    j->owner = getpid();
    return jit_folder_make_temporary(&j->next_place, &j->temporary);
}

static void drop_temporary(jit *j)
{
    jit_folder_remove(j->temporary.data);
    text_clear(&j->temporary);
}

/* Tries the cache folder, then temporary ones. */
static outcome load_somewhere(jit *j, const char *c_text, size_t length, const char *key,
                              text *report, void **handle)
{
    outcome result = BAD_FOLDER;
    if (j->cache.length) {
        jit_trim(j->cache.data, MOST_CACHED);
        result = load_in(j, j->cache.data, key, c_text, length, report, handle);
        if (result == BAD_FOLDER && !j->complained)
            text_add(&j->complaint, "'%s' cannot be used: it is full, or takes no programs",
                     j->cache.data);
    }
    while (result == BAD_FOLDER && have_temporary(j)) {
        result = load_in(j, j->temporary.data, key, c_text, length, report, handle);
        if (result == BAD_FOLDER) drop_temporary(j);
    }
    if (result == BAD_FOLDER) j->next_place = 0;
    return result;
}

/* A compiler that refuses the flags for this CPU is called without them from then on. */
static outcome load_anyhow(jit *j, const char *c_text, size_t length, char key[33], text *report,
                           void **handle)
{
    if (!make_key(j, c_text, length, key)) return NO_MEMORY;
    outcome result = load_somewhere(j, c_text, length, key, report, handle);
    if (result != BAD_COMPILER || j->plain) return result;
    text later = {0};
    j->plain = true;
    if (make_key(j, c_text, length, key))
        result = load_somewhere(j, c_text, length, key, &later, handle);
    if (result != LOADED) j->plain = false;
    text_free(&later);
    return result == LOADED ? LOADED : BAD_COMPILER;
}

/* Says once that compiled kernels are not kept. */
static void warn_about_folder(jit *j, messages *m)
{
    if (!j->complaint.length || !j->temporary.length || j->complained) return;
    text advice = {0};
    j->complained = true;
    text_add(&advice,
             "compiled kernels are in %s until the context is closed; set KATA_CACHE_DIR to a "
             "folder of your own",
             j->temporary.data);
    message_warn(m, text_get(&advice), "the cache folder %s", j->complaint.data);
    text_free(&advice);
}

static kata_status report_no_compiler(const jit *j, messages *m)
{
    if (j->asked_for)
        message_begin(m, KATA_ERROR_COMPILER, "the C compiler '%s' cannot be run", j->asked_for);
    else
        message_begin(m, KATA_ERROR_COMPILER, "no C compiler found: neither cc, gcc nor clang");
    message_line(m, "install one, name one in KATA_CC, or set KATA_EXECUTOR=reference");
    return message_send(m);
}

static kata_status report_failure(const jit *j, outcome result, const text *report, messages *m)
{
    if (result == BAD_COMPILER)
        message_begin(m, KATA_ERROR_COMPILER, "the C compiler failed: %s", j->compiler.data);
    else
        message_begin(m, KATA_ERROR_COMPILER, "compiled kernels cannot be written anywhere");
    const char *line = text_get(report), *end = line + report->length, *last = end;
    if (last > line) last--; /* the newline at the end */
    while (last > line && last[-1] != '\n') last--;
    for (int n = 0; line < end; n++) {
        size_t length = strcspn(line, "\n");
        if (n < MESSAGE_LINES || line == last) message_line(m, "%.*s", (int)length, line);
        if (n == MESSAGE_LINES && line != last) message_line(m, "...");
        line += length + (line[length] == '\n');
    }
    return message_send(m);
}

kata_status jit_load(jit *j, const char *c_text, size_t length, messages *m, void **out)
{
    if (!j->compiler.length) return report_no_compiler(j, m);
    void *libraries = j->libraries;
    if (!vector_reserve(&libraries, &j->capacity, j->count + 1, sizeof *j->libraries))
        return message_no_memory(m);
    j->libraries = libraries;
    text report = {0};
    library *l = &j->libraries[j->count];
    l->handle = NULL;
    outcome result = load_anyhow(j, c_text, length, l->key, &report, &l->handle);
    kata_status status = result == LOADED      ? KATA_OK
                         : result == NO_MEMORY ? message_no_memory(m)
                                               : report_failure(j, result, &report, m);
    if (result == LOADED) {
        warn_about_folder(j, m);
        *out = l->handle;
        j->count++;
    }
    text_free(&report);
    return status;
}
