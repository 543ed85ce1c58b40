/* One text: loaded from the cache, or compiled into it.
 *
 * Where the cache folder does not serve (none, full, not executable), a temporary folder does;
 * where the compiler refuses the flags for this CPU, it is called without them. A compiler that
 * fails where there is space for what it writes is to blame itself, and not called elsewhere. One
 * that needed too much time or memory for a text is not called for that text again. */
#include "jit/jit_private.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_LINES = 20, MOST_CACHED = 256 << 20 };

/* ---- in a folder ----------------------------------------------------------------------------- */

static jit_outcome load_in(jit *j, const jit_folder *folder, jit_flags flags, jit_work *w)
{
    jit_outcome result = jit_library_make(j, folder, flags, w);
    if (result == JIT_LOADED && w->count) jit_index(j, folder, w, flags);
    return result;
}

/* ---- the temporary folder -------------------------------------------------------------------- */

/* Makes the temporary folder if there is none of this process: a parent's goes with the parent. */
static bool have_temporary(jit *j)
{
    if (j->temporary.name[0] && j->temporary_owner == getpid()) return true;
    j->temporary_owner = getpid();
    return jit_scratch_make_temporary(j->temporary_root, &j->next_root, &j->temporary);
}

/* NULL where there is none. Whoever calls has `temporary_work`, so that it stays. */
static const jit_folder *find_temporary(jit *j)
{
    pthread_mutex_lock(&j->lock);
    if (j->cache.path.length && !j->complained && !j->complaint.length)
        text_add(&j->complaint,
                 "'%s' cannot be used: it is full, takes no programs, or has a folder in the place "
                 "of a file",
                 j->cache.path.data);
    bool have = have_temporary(j);
    pthread_mutex_unlock(&j->lock);
    return have ? &j->temporary.folder : NULL;
}

static void drop_temporary(jit *j)
{
    pthread_mutex_lock(&j->lock);
    jit_scratch_remove_temporary(&j->temporary);
    pthread_mutex_unlock(&j->lock);
}

/* One work at a time: folders that do not serve are removed. */
static jit_outcome load_temporarily(jit *j, jit_flags flags, jit_work *w)
{
    jit_outcome result = JIT_BAD_FOLDER;
    const jit_folder *folder;
    pthread_mutex_lock(&j->temporary_work);
    while (result == JIT_BAD_FOLDER && (folder = find_temporary(j))) {
        result = w->stop && atomic_load(w->stop) ? JIT_STOPPED : load_in(j, folder, flags, w);
        if (result == JIT_BAD_FOLDER) drop_temporary(j);
    }
    pthread_mutex_lock(&j->lock);
    if (result == JIT_BAD_FOLDER) j->next_root = 0;
    pthread_mutex_unlock(&j->lock);
    pthread_mutex_unlock(&j->temporary_work);
    return result;
}

/* ---- loading --------------------------------------------------------------------------------- */

static bool make_key(const jit *j, jit_work *w, jit_flags flags)
{
    char hex[33];
    hash_hex(w->c_text, w->length, hex);
    return jit_key(j, "", hex, false, flags, w->key);
}

/* Removes, once, what processes that were killed have left among the temporary files. */
static void sweep(jit *j)
{
    pthread_mutex_lock(&j->lock);
    bool due = !j->swept;
    j->swept = true;
    pthread_mutex_unlock(&j->lock);
    if (due) jit_scratch_sweep_temporary(j->temporary_root);
}

/* Asking for the size and age of all files of a large cache takes as long as compiling a small
 * kernel. So one kernel in sixteen does it, chosen by its key. */
static void trim(const jit *j, const jit_work *w)
{
    if (w->key[0] == '0')
        jit_trim(&j->cache, MOST_CACHED);
    else
        jit_trim_drafts(&j->cache);
}

/* Tries the cache folder, then temporary ones. */
static jit_outcome load_somewhere(jit *j, jit_flags flags, jit_work *w)
{
    jit_outcome result = JIT_BAD_FOLDER;
    if (!make_key(j, w, flags)) return JIT_NO_MEMORY;
    sweep(j);
    if (j->cache.path.length) {
        trim(j, w);
        result = load_in(j, &j->cache, flags, w);
    }
    return result == JIT_BAD_FOLDER ? load_temporarily(j, flags, w) : result;
}

/* A compiler that refuses the flags for this CPU is called without them from then on. */
jit_outcome jit_work_do(jit *j, jit_work *w)
{
    jit_flags flags = {!w->portable && !j->plain, j->debug, w->effort};
    jit_outcome result = load_somewhere(j, flags, w);
    if (result != JIT_BAD_COMPILER || !flags.native) return result;
    text first = w->report;
    w->report = (text){0};
    flags.native = false;
    result = load_somewhere(j, flags, w);
    if (result == JIT_LOADED) j->plain = true;
    if (result == JIT_TOO_MUCH) {
        text_free(&first);
        return result;
    }
    text_free(&w->report);
    w->report = first;
    return result == JIT_LOADED || result == JIT_STOPPED ? result : JIT_BAD_COMPILER;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Says once that compiled kernels are not kept. */
static void warn_about_folder(jit *j, messages *m)
{
    pthread_mutex_lock(&j->lock);
    bool due = j->complaint.length && j->temporary.name[0] && !j->complained;
    text advice = {0};
    j->complained = j->complained || due;
    text_add(&advice,
             "compiled kernels are in %s until the context is closed; set KATA_CACHE_DIR to a "
             "folder of your own",
             text_get(&j->temporary.folder.path));
    pthread_mutex_unlock(&j->lock);
    if (due) message_warn(m, text_get(&advice), "the cache folder %s", j->complaint.data);
    text_free(&advice);
}

/* The first lines of a report, and its last. */
static void add_lines(const text *report, messages *m)
{
    const char *line = text_get(report), *end = line + report->length, *last = end;
    if (last > line) last--; /* the newline at the end */
    while (last > line && last[-1] != '\n') last--;
    for (int n = 0; line < end; n++) {
        size_t length = strcspn(line, "\n");
        if (n < MESSAGE_LINES || line == last) message_line(m, "%.*s", (int)length, line);
        if (n == MESSAGE_LINES && line != last) message_line(m, "...");
        line += length + (line[length] == '\n');
    }
}

static kata_status report_failure(const jit *j, jit_outcome result, const text *report, messages *m)
{
    if (result == JIT_BAD_COMPILER)
        message_begin(m, KATA_ERROR_COMPILER, "the C compiler failed: %s", j->compiler.path);
    else if (result == JIT_TOO_MUCH)
        message_begin(m, KATA_ERROR_COMPILER, "the C compiler needs too much time or memory: %s",
                      j->compiler.path);
    else
        message_begin(m, KATA_ERROR_COMPILER, "compiled kernels cannot be written anywhere");
    add_lines(report, m);
    if (result == JIT_TOO_MUCH)
        message_line(m,
                     "make several kernels of each that is large, or set KATA_EXECUTOR=reference");
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
