/* Compiled texts in a folder. Files are trusted only if they are what KEY.sum says, so that a
 * truncated or damaged library, or one whose KEY.sum was just replaced by another process, is
 * compiled anew and never executed.
 *
 * A library is loaded by a path that begins at the open folder, /proc/PID/fd/FOLDER/KEY.so: who
 * renames the folder, or one above it, changes nothing, and a debugger finds the file by that path,
 * too. The compiler starts in the open folder and is given names seen from there. */
#include "jit/jit_private.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_LIBRARY = 1 << 30 };

/* The files of a key in a folder, by their names there; `object` is where the compiler writes. */
typedef struct files {
    const jit_folder *folder;
    char source[40], shared[40], sum[40], object[64];
} files;

static files files_of(const jit_folder *folder, const char *key)
{
    files f = {.folder = folder};
    snprintf(f.source, sizeof f.source, "%s.c", key);
    snprintf(f.shared, sizeof f.shared, "%s.so", key);
    snprintf(f.sum, sizeof f.sum, "%s.sum", key);
    return f;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The number by which /proc knows this process, which need not be getpid(). */
static bool find_self(char self[32])
{
    ssize_t length = readlink("/proc/self", self, 31);
    self[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* NULL where it cannot be loaded. dlopen knows libraries by their paths, so a path holds the key.
 */
static void *open_library(const files *f, text *report)
{
    char self[32];
    text path = {0};
    if (!find_self(self)) {
        text_add(report, "/proc is not mounted, and compiled kernels are loaded from there\n");
        return NULL;
    }
    text_add(&path, "/proc/%s/fd/%d/%s", self, f->folder->file, f->shared);
    void *handle = path.failed ? NULL : dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    if (!handle && !path.failed) text_add(report, "%s\n", dlerror());
    text_free(&path);
    return handle;
}

/* Closes a library that this processor cannot run, and says which instructions it lacks. */
static const char *close_unable(void **handle)
{
    const char *lacking = jit_lacking(*handle);
    if (!lacking) return NULL;
    dlclose(*handle);
    *handle = NULL;
    return lacking;
}

static int hash_file(const jit_folder *folder, const char *name, char hex[33])
{
    char *data;
    size_t size;
    int error = jit_folder_read(folder, name, LARGEST_LIBRARY, &data, &size);
    if (!error) hash_hex(data, size, hex);
    free(data);
    return error;
}

/* *handle stays NULL when the library is not there, is not what its sum says, or may be another
 * user's work. Returns ENOMEM when memory is out, otherwise 0. */
static int load_checked(const files *f, void **handle)
{
    char *sum = NULL, hex[33];
    size_t size = 0;
    text ignored = {0};
    int error = jit_folder_complaint(f->folder->file, true) ? EPERM : 0;
    if (!error) error = jit_folder_read(f->folder, f->sum, 64, &sum, &size);
    if (!error) error = hash_file(f->folder, f->shared, hex);
    if (!error && size == 32 && memcmp(sum, hex, 32) == 0) {
        utimensat(f->folder->file, f->shared, NULL, 0); /* its last use, see trim.c */
        *handle = open_library(f, &ignored);
        if (*handle) close_unable(handle);
    }
    free(sum);
    text_free(&ignored);
    return error == ENOMEM ? error : 0;
}

bool jit_library_load(const jit_folder *folder, const char *key, void **handle)
{
    files f = files_of(folder, key);
    return load_checked(&f, handle) == 0;
}

void jit_library_unload(void *handle) { dlclose(handle); }

/* ---- compiling ------------------------------------------------------------------------------- */

/* Takes from others the right to write to the object, which the compiler made as the umask says.
 * ENODATA where there is no file, or an empty one. */
static int protect(const files *f)
{
    struct stat status;
    int file = openat(f->folder->file, f->object, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return errno == ENOENT || errno == ELOOP ? ENODATA : errno;
    int error = fstat(file, &status) ? errno : 0;
    bool any = !error && S_ISREG(status.st_mode) && status.st_size > 0;
    if (!error) error = any ? jit_folder_protect(file) : ENODATA;
    close(file);
    return error;
}

/* Files the object that the compiler wrote. */
static jit_outcome keep(const files *f, text *report)
{
    char hex[33];
    int folder = f->folder->file, error = protect(f);
    if (error == ENODATA) {
        text_add(report, "it wrote nothing\n");
        return JIT_BAD_COMPILER;
    }
    if (!error) error = hash_file(f->folder, f->object, hex);
    if (!error) error = jit_folder_write(f->folder, f->sum, &(file_part){hex, 32}, 1);
    if (!error && renameat(folder, f->object, folder, f->shared)) error = errno;
    if (!error) return JIT_LOADED;
    text_add(report, "%s/%s: %s\n", text_get(&f->folder->path), f->shared, file_reason(error));
    return JIT_BAD_FOLDER;
}

/* Lets the compiler write f->object in a folder of its own. */
static jit_outcome compile(jit *j, const files *f, const jit_scratch *scratch, jit_flags flags,
                           jit_work *w)
{
    const jit_process process = {.environment = j->environment,
                                 .folder = f->folder->file,
                                 .temporary = scratch->name,
                                 .seconds = JIT_MOST_SECONDS,
                                 .wait_seconds = JIT_MOST_WAIT_SECONDS,
                                 .megabytes = JIT_MOST_MEGABYTES,
                                 .low_priority = w->low_priority,
                                 .stop = w->stop};
    jit_verdict verdict =
        jit_compiler_run(&j->compiler, flags, f->source, f->object, &process, &w->report);
    if (w->stop && atomic_load(w->stop)) return JIT_STOPPED;
    if (verdict == JIT_EXHAUSTED) {
        jit_remember_exhausted(j, f->folder, w->key, &w->report);
        return JIT_TOO_MUCH;
    }
    jit_outcome result = verdict == JIT_COMPILED ? keep(f, &w->report) : JIT_BAD_COMPILER;
    if (result == JIT_BAD_COMPILER && !jit_folder_has_space(f->folder)) result = JIT_BAD_FOLDER;
    return result;
}

static void report_file(const files *f, const char *name, int error, text *report)
{
    text_add(report, "%s/%s: %s\n", text_get(&f->folder->path), name, file_reason(error));
}

/* Writes the text where the compiler finds it, and lets it work. */
static jit_outcome build(jit *j, files *f, jit_flags flags, jit_work *w)
{
    jit_scratch scratch;
    int error = jit_folder_write(f->folder, f->source, &(file_part){w->c_text, w->length}, 1);
    if (error) {
        report_file(f, f->source, error, &w->report);
        return JIT_BAD_FOLDER;
    }
    if ((error = jit_scratch_make(f->folder->file, FILE_DRAFT_PREFIX, &scratch))) {
        report_file(f, FILE_DRAFT_PREFIX, error, &w->report);
        return JIT_BAD_FOLDER;
    }
    snprintf(f->object, sizeof f->object, "%s/object.so", scratch.name);
    jit_outcome result = compile(j, f, &scratch, flags, w);
    jit_scratch_remove(&scratch);
    if (result == JIT_BAD_COMPILER || result == JIT_TOO_MUCH)
        text_add(&w->report, "the text is %s/%s\n", text_get(&f->folder->path), f->source);
    return result;
}

/* Whether the system runs what is in the folder: then a file there that cannot be loaded is no
 * library. */
static bool is_executable(const files *f)
{
    enum { SOME = 1 };
    int file = -1;
    if (jit_folder_open(f->folder, f->shared, &file)) return false;
    void *some = mmap(NULL, SOME, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    close(file);
    if (some == MAP_FAILED) return false;
    munmap(some, SOME);
    return true;
}

/* Takes a library out of the folder that the compiler has made wrong, and closes it. */
static jit_outcome reject(const files *f, jit_work *w)
{
    if (w->handle) dlclose(w->handle);
    w->handle = NULL;
    unlinkat(f->folder->file, f->sum, 0);
    unlinkat(f->folder->file, f->shared, 0);
    return JIT_BAD_COMPILER;
}

/* The first function that the library should have, and has not; NULL: it has all. */
static const char *missing_function(const jit_work *w)
{
    for (size_t i = 0; i < w->count; i++)
        if (!jit_symbol(w->handle, w->functions[i].name)) return w->functions[i].name;
    return NULL;
}

static jit_outcome build_and_load(jit *j, files *f, jit_flags flags, jit_work *w)
{
    if (jit_is_exhausted(j, f->folder, w->key, &w->report)) return JIT_TOO_MUCH;
    jit_outcome result = build(j, f, flags, w);
    if (result != JIT_LOADED) return result;
    w->handle = open_library(f, &w->report);
    if (!w->handle && !is_executable(f)) return JIT_BAD_FOLDER;
    if (!w->handle) {
        text_add(&w->report, "what it made is no library for this machine\n");
        return reject(f, w);
    }
    const char *missing = missing_function(w);
    if (missing) {
        text_add(&w->report, "what it made has no function %s\n", missing);
        return reject(f, w);
    }
    const char *lacking = close_unable(&w->handle);
    if (!lacking) return JIT_LOADED;
    text_add(&w->report,
             "it makes code with instructions that this processor lacks (%s): name it without the "
             "arguments that ask for them\n",
             lacking);
    return JIT_BAD_COMPILER;
}

/* Compiles a text in a folder and loads it, unless another process just did. */
static jit_outcome take_turn(jit *j, files *f, jit_flags flags, jit_work *w)
{
    int turn = jit_turn_take(f->folder, w->key, w->stop);
    jit_outcome result = load_checked(f, &w->handle) ? JIT_NO_MEMORY
                         : w->handle                 ? JIT_LOADED
                                                     : build_and_load(j, f, flags, w);
    jit_turn_end(turn);
    return result;
}

jit_outcome jit_library_make(jit *j, const jit_folder *folder, jit_flags flags, jit_work *w)
{
    files f = files_of(folder, w->key);
    const char *wrong = jit_folder_complaint(folder->file, false); /* it may be opened to others */
    if (wrong) {
        text_add(&w->report, "%s: %s\n", text_get(&folder->path), wrong);
        return JIT_BAD_FOLDER;
    }
    if (load_checked(&f, &w->handle)) return JIT_NO_MEMORY;
    return w->handle ? JIT_LOADED : take_turn(j, &f, flags, w);
}

void *jit_symbol(void *library, const char *name) { return dlsym(library, name); }
