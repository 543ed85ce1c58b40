/* Compiled texts: from the cache, or compiled into it.
 *
 * Where the cache folder does not serve (none, full, not executable), a temporary folder does;
 * where the compiler refuses the flags for this CPU, it is called without them. A compiler that
 * fails where there is space for what it writes is to blame itself, and not called elsewhere. */
#include "jit/jit.h"

#include "machine/machine.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef KATA_VERSION
#define KATA_VERSION "unknown"
#endif

enum { MESSAGE_LINES = 20, MOST_CACHED = 256 << 20 };

/* ---- opening --------------------------------------------------------------------------------- */

static bool remember(jit *j, const char *compiler)
{
    const char *name = compiler ? compiler : environment_get("KATA_CC");
    const char *place = environment_get("TMPDIR");
    j->environment = jit_environment_copy(&j->memory);
    j->place = place ? arena_copy_text(&j->memory, place, strlen(place)) : NULL;
    j->asked_for = name ? arena_copy_text(&j->memory, name, strlen(name)) : NULL;
    return j->environment && !place == !j->place && !name == !j->asked_for;
}

kata_status jit_open(const char *compiler, const char *cache, messages *m, jit **out)
{
    jit *j = calloc(1, sizeof *j);
    if (!j) return message_no_memory(m);
    if (!remember(j, compiler)) {
        arena_free(&j->memory);
        free(j);
        return message_no_memory(m);
    }
    j->most = machine_cores();
    jit_adopt(j);
    jit_compiler_find(compiler, &j->compiler);
    if (!jit_folder_find(cache, &j->cache, &j->complaint))
        jit_folder_find_readable(cache, &j->read_only_cache);
    if (!cache && !environment_get("KATA_CACHE_DIR")) text_clear(&j->complaint); /* nobody asked */
    *out = j;
    return KATA_OK;
}

void jit_adopt(jit *j)
{
    if (j->owner == getpid()) return;
    j->owner = getpid();
    j->running = 0;
    pthread_mutex_init(&j->lock, NULL);
    pthread_mutex_init(&j->temporary_work, NULL);
    pthread_cond_init(&j->ended, NULL);
}

void jit_debug(jit *j) { j->debug = true; }

void jit_portable(jit *j, bool portable) { j->portable = portable; }

void jit_close(jit *j)
{
    if (!j) return;
    jit_adopt(j);
    for (size_t i = 0; i < j->count; i++) dlclose(j->libraries[i].handle);
    if (j->temporary.length && j->temporary_owner == getpid()) jit_folder_remove(j->temporary.data);
    text *const texts[] = {&j->compiler,        &j->description, &j->cache,
                           &j->read_only_cache, &j->complaint,   &j->temporary};
    for (size_t i = 0; i < COUNT_OF(texts); i++) text_free(texts[i]);
    pthread_cond_destroy(&j->ended);
    pthread_mutex_destroy(&j->temporary_work);
    pthread_mutex_destroy(&j->lock);
    arena_free(&j->memory);
    free(j->libraries);
    free(j);
}

bool jit_has_compiler(const jit *j) { return j->compiler.length > 0; }

const char *jit_compiler(jit *j)
{
    if (j->compiler.length && !j->description.length) {
        text_add(&j->description, "%s: ", j->compiler.data);
        jit_compiler_version(j->compiler.data, j->environment, &j->description);
    }
    return text_get(&j->description);
}

const char *jit_cache(jit *j)
{
    return text_get(j->cache.length ? &j->cache : &j->read_only_cache);
}

kata_status jit_require_cache(const jit *j, messages *m)
{
    if (j->cache.length) return KATA_OK;
    if (j->complaint.length)
        return message_fail(m, KATA_ERROR_FILE, "the cache folder %s", j->complaint.data);
    return message_fail(m, KATA_ERROR_FILE,
                        "there is no cache folder that can be used: name one in KATA_CACHE_DIR");
}

bool jit_is_temporary(jit *j)
{
    jit_adopt(j);
    pthread_mutex_lock(&j->lock);
    bool temporary = j->temporary.length > 0;
    pthread_mutex_unlock(&j->lock);
    return temporary;
}

void *jit_symbol(void *library, const char *name) { return dlsym(library, name); }

/* ---- keys ------------------------------------------------------------------------------------ */

bool jit_key(const jit *j, const char *kind, const char hex[33], bool any_compiler, bool native,
             char key[33])
{
    text all = {0};
    text_add(&all, "katagami %s\n%s%s\n", KATA_VERSION, kind, hex);
    jit_compiler_key(&all, any_compiler ? NULL : j->compiler.data, native, j->debug);
    if (!all.failed) hash_hex(all.data, all.length, key);
    bool made = !all.failed;
    text_free(&all);
    return made;
}

static bool make_key(const jit *j, jit_work *w, bool native)
{
    char hex[33];
    hash_hex(w->c_text, w->length, hex);
    return jit_key(j, "", hex, false, native, w->key);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Makes the temporary folder if there is none of this process: a parent's goes with the parent. */
static bool have_temporary(jit *j)
{
    if (j->temporary.length && j->temporary_owner == getpid()) return true;
    j->temporary_owner = getpid();
    return jit_folder_make_temporary(j->place, &j->next_place, &j->temporary);
}

static void drop_temporary(jit *j)
{
    jit_folder_remove(j->temporary.data);
    text_clear(&j->temporary);
}

/* The path of the temporary folder, "" when there is none. */
static void find_temporary(jit *j, text *path)
{
    pthread_mutex_lock(&j->lock);
    if (j->cache.length && !j->complained && !j->complaint.length)
        text_add(&j->complaint, "'%s' cannot be used: it is full, or takes no programs",
                 j->cache.data);
    text_clear(path);
    if (have_temporary(j)) text_add(path, "%s", j->temporary.data);
    pthread_mutex_unlock(&j->lock);
}

/* One work at a time: folders that do not serve are removed. */
static jit_outcome load_temporarily(jit *j, bool native, jit_work *w)
{
    jit_outcome result = JIT_BAD_FOLDER;
    text path = {0};
    pthread_mutex_lock(&j->temporary_work);
    find_temporary(j, &path);
    while (result == JIT_BAD_FOLDER && path.length && !path.failed) {
        result = w->stop && atomic_load(w->stop) ? JIT_STOPPED
                                                 : jit_library_make(j, path.data, native, w);
        if (result != JIT_BAD_FOLDER) break;
        pthread_mutex_lock(&j->lock);
        drop_temporary(j);
        pthread_mutex_unlock(&j->lock);
        find_temporary(j, &path);
    }
    if (result == JIT_BAD_FOLDER) {
        pthread_mutex_lock(&j->lock);
        j->next_place = 0;
        pthread_mutex_unlock(&j->lock);
    }
    pthread_mutex_unlock(&j->temporary_work);
    text_free(&path);
    return result;
}

/* Tries the cache folder, then temporary ones. */
static jit_outcome load_somewhere(jit *j, bool native, jit_work *w)
{
    jit_outcome result = JIT_BAD_FOLDER;
    if (!make_key(j, w, native)) return JIT_NO_MEMORY;
    if (j->cache.length) {
        jit_trim(j->cache.data, MOST_CACHED);
        result = jit_library_make(j, j->cache.data, native, w);
    }
    return result == JIT_BAD_FOLDER ? load_temporarily(j, native, w) : result;
}

/* A compiler that refuses the flags for this CPU is called without them from then on. */
jit_outcome jit_work_do(jit *j, jit_work *w)
{
    bool native = !w->portable && !j->plain;
    jit_outcome result = load_somewhere(j, native, w);
    if (result != JIT_BAD_COMPILER || !native) return result;
    text first = w->report;
    w->report = (text){0};
    result = load_somewhere(j, false, w);
    if (result == JIT_LOADED) j->plain = true;
    text_free(&w->report);
    w->report = first;
    return result == JIT_LOADED || result == JIT_STOPPED ? result : JIT_BAD_COMPILER;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Says once that compiled kernels are not kept. */
static void warn_about_folder(jit *j, messages *m)
{
    pthread_mutex_lock(&j->lock);
    bool due = j->complaint.length && j->temporary.length && !j->complained;
    text advice = {0};
    j->complained = j->complained || due;
    text_add(&advice,
             "compiled kernels are in %s until the context is closed; set KATA_CACHE_DIR to a "
             "folder of your own",
             text_get(&j->temporary));
    pthread_mutex_unlock(&j->lock);
    if (due) message_warn(m, text_get(&advice), "the cache folder %s", j->complaint.data);
    text_free(&advice);
}

kata_status jit_report_no_compiler(const jit *j, messages *m)
{
    if (j->asked_for)
        message_begin(m, KATA_ERROR_COMPILER, "the C compiler '%s' cannot be run", j->asked_for);
    else
        message_begin(m, KATA_ERROR_COMPILER, "no C compiler found: neither cc, gcc nor clang");
    message_line(m, "install one, name one in KATA_CC, or set KATA_EXECUTOR=reference");
    message_line(m, "or bring a cache folder that `kata compile` has filled on such a machine");
    return message_send(m);
}

static kata_status report_failure(const jit *j, jit_outcome result, const text *report, messages *m)
{
    if (result == JIT_BAD_COMPILER)
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

static kata_status keep_library(jit *j, const jit_work *w, messages *m)
{
    void *libraries = j->libraries;
    if (!vector_reserve(&libraries, &j->capacity, j->count + 1, sizeof *j->libraries)) {
        dlclose(w->handle);
        return message_no_memory(m);
    }
    j->libraries = libraries;
    jit_library *l = &j->libraries[j->count++];
    memcpy(l->key, w->key, sizeof l->key);
    l->handle = w->handle;
    warn_about_folder(j, m);
    return KATA_OK;
}

kata_status jit_work_end(jit *j, jit_work *w, jit_outcome outcome, messages *m)
{
    kata_status status = outcome == JIT_LOADED      ? keep_library(j, w, m)
                         : outcome == JIT_NO_MEMORY ? message_no_memory(m)
                                                    : report_failure(j, outcome, &w->report, m);
    text_free(&w->report);
    return status;
}
