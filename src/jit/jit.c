/* Compiled texts: from the cache, or compiled into it.
 *
 * Files are trusted only if they are what KEY.sum says, so that a truncated or damaged library, or
 * one whose KEY.sum was just replaced by another process, is compiled anew and never executed.
 * Where the cache folder does not serve (none, full, not executable), a temporary folder does;
 * where the compiler refuses the flags for this CPU, it is called without them. */
#include "jit/jit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    text temporary;   /* empty until it is needed */
    pid_t owner;      /* the process that made it and removes it */
    char *asked_for;  /* the compiler named in the options or KATA_CC, NULL when none was */
    bool plain;       /* the compiler does not take the flags for this CPU */
    bool debug;
    library *libraries;
    size_t count, capacity;
};

enum { LARGEST_LIBRARY = 1 << 30, MESSAGE_LINES = 20 };

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
    jit_folder_find(cache, &j->cache);
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

/* The four paths of a key, in one folder. `object` is where the compiler writes. */
typedef struct place {
    const char *folder;
    text source, shared, sum, object;
} place;

static bool place_make(place *p, const char *folder, const char *key)
{
    *p = (place){.folder = folder};
    text_add(&p->source, "%s/%s.c", folder, key);
    text_add(&p->shared, "%s/%s.so", folder, key);
    text_add(&p->sum, "%s/%s.sum", folder, key);
    text_add(&p->object, "%s/%s.so.XXXXXX", folder, key);
    return !p->source.failed && !p->shared.failed && !p->sum.failed && !p->object.failed;
}

static void place_free(place *p)
{
    text_free(&p->source);
    text_free(&p->shared);
    text_free(&p->sum);
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

/* NULL when the library is not there or is not what its sum says. */
static void *load_checked(const place *p)
{
    char *sum, hex[33];
    size_t size;
    if (file_read(p->sum.data, 64, &sum, &size)) return NULL;
    bool sound = size == 32 && hash_file(p->shared.data, hex) == 0 && memcmp(sum, hex, 32) == 0;
    free(sum);
    return sound ? dlopen(p->shared.data, RTLD_NOW | RTLD_LOCAL) : NULL;
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

/* Compiles a text in a folder and loads it; NULL, with the reason in *report, when that failed. */
static void *build(const jit *j, const place *p, const char *c_text, size_t length, text *report)
{
    void *handle = NULL;
    int error = file_write(p->source.data, c_text, length);
    if (error) {
        text_add(report, "%s: %s\n", p->source.data, file_reason(error));
        return NULL;
    }
    int fd = mkostemp(p->object.data, O_CLOEXEC);
    if (fd < 0) {
        text_add(report, "%s: %s\n", p->object.data, strerror(errno));
        return NULL;
    }
    close(fd);
    if (jit_compiler_run(j->compiler.data, !j->plain, j->debug, p->folder, p->source.data,
                         p->object.data, report) &&
        keep(p, report)) {
        handle = dlopen(p->shared.data, RTLD_NOW | RTLD_LOCAL);
        if (!handle) text_add(report, "%s\n", dlerror());
    }
    unlink(p->object.data);
    return handle;
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
static void *load_in(const jit *j, const char *folder, const char *key, const char *c_text,
                     size_t length, text *report)
{
    place p;
    void *handle = NULL;
    if (place_make(&p, folder, key)) {
        handle = load_checked(&p);
        if (!handle) handle = build(j, &p, c_text, length, report);
        if (!handle) text_add(report, "the text is %s\n", p.source.data);
    }
    place_free(&p);
    return handle;
}

/* Makes the temporary folder if there is none of this process: a parent's goes with the parent. */
static bool have_temporary(jit *j)
{
    if (j->temporary.length && j->owner == getpid()) return true;
    j->owner = getpid();
    return jit_folder_make_temporary(&j->temporary);
}

/* Tries the cache folder, a temporary folder, and then plain flags. The report is of the first
 * failure. */
static void *load_somewhere(jit *j, const char *c_text, size_t length, char key[33], text *report)
{
    void *handle = NULL;
    if (!make_key(j, c_text, length, key)) return NULL;
    if (j->cache.length) handle = load_in(j, j->cache.data, key, c_text, length, report);
    if (handle) return handle;
    text later = {0}, *to = report->length ? &later : report;
    if (!have_temporary(j))
        text_add(to, "there is no folder for temporary files that can be written to\n");
    else
        handle = load_in(j, j->temporary.data, key, c_text, length, to);
    text_free(&later);
    if (handle || j->plain) return handle;
    j->plain = true;
    handle = load_somewhere(j, c_text, length, key, &later);
    if (!handle) j->plain = false;
    text_free(&later);
    return handle;
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

static kata_status report_failure(const jit *j, const text *report, messages *m)
{
    message_begin(m, KATA_ERROR_COMPILER, "the C compiler failed: %s", j->compiler.data);
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
    l->handle = load_somewhere(j, c_text, length, l->key, &report);
    kata_status status = l->handle ? KATA_OK : report_failure(j, &report, m);
    if (l->handle) {
        *out = l->handle;
        j->count++;
    }
    text_free(&report);
    return status;
}
