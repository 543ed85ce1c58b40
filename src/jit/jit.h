/* jit: compiling generated C, loading it, and keeping it on disk.
 *
 * The cache folder holds KEY.c, KEY.so and KEY.sum; KEY is a hash of text, compiler (where it lies,
 * its size and time of change), flags, CPU and Katagami's version; KEY.sum is the hash of KEY.so,
 * so that a damaged file is noticed and compiled anew. Beside them, KEY.key says in which library a
 * function is, whatever others are in it. There KEY is the hash of the function's own text and of
 * the same rest; and, in a second file, with the words "any compiler" in the place of the compiler:
 * that is the one looked for on a machine that has none. Files are written under another name and
 * renamed; compilers work in a folder of their own within. The folder is private to the user
 * (0700); one that others may write to is refused. It is kept below 256 MiB. A folder that cannot
 * be written to, of the user or of root, is read all the same. */
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* ---- jit.c ----------------------------------------------------------------------------------- */

typedef struct jit jit;

/* compiler, cache: as in kata_options; NULL for the defaults. Cheap: nothing is started yet. */
kata_status jit_open(const char *compiler, const char *cache, messages *m, jit **out);
/* From here on, compiles with what debuggers need. */
void jit_debug(jit *j);
/* Unloads everything. */
void jit_close(jit *j);
bool jit_has_compiler(const jit *j);
/* Reports that there is none. */
kata_status jit_report_no_compiler(const jit *j, messages *m);
/* Path and version line of the compiler, "" when none is found. */
const char *jit_compiler(jit *j);
/* compiler.c: adds the paths of all compilers that one is chosen from, by commas. */
void jit_compiler_list(text *out);
/* The cache folder, "" when there is none that can be used (then a private temporary one, removed
 * at close, serves). */
const char *jit_cache(jit *j);
/* Whether something was compiled that the cache folder did not take. */
bool jit_is_temporary(jit *j);
/* Reports (KATA_ERROR_FILE) where there is no cache folder that can be written to. */
kata_status jit_require_cache(const jit *j, messages *m);
/* From here on, compiles for any CPU of this kind; or, again, for this one. */
void jit_portable(jit *j, bool portable);
/* NULL when there is none of this name. */
void *jit_symbol(void *library, const char *name);

/* ---- entries.c: functions, whatever library they are in -----------------------------------------
 */

/* A function: its name and the hash, by hash_hex, of all text that it is compiled from. */
typedef struct jit_function {
    char name[64], text[33];
} jit_function;

/* Looks for a function in what is loaded and in the cache; *code is NULL when it is not there.
 * KATA_OK, or KATA_ERROR_MEMORY, not reported. */
kata_status jit_find(jit *j, const jit_function *f, void **code);

/* ---- job.c: compiling beside the program -------------------------------------------------------
 */

/* A file of functions that a thread compiles. At most as many compilers run as there are cores. */
typedef struct jit_job jit_job;

/* Begins to compile a text that defines functions, or to load it from the cache; the text is the
 * job's from here on, also on failure. Without a compiler, or where memory is out, this is
 * reported. Where no thread can be had, the work is done at once. */
kata_status jit_start(jit *j, text *c_text, const jit_function *functions, size_t count,
                      messages *m, jit_job **out);
/* Whether jit_finish would not wait. */
bool jit_is_done(const jit_job *job);
/* Waits for a job and frees it; *library is for jit_symbol. A compiler error is
 * KATA_ERROR_COMPILER with the first lines of its output and the path of the text. In a process
 * made by fork since the job was started it compiles anew. */
kata_status jit_finish(jit *j, jit_job *job, messages *m, void **library);
/* Tells a job that nobody waits for it: a compiler that runs is ended. */
void jit_stop(jit *j, jit_job *job);
/* Ends a job and frees it, whether it is done or not; a compiler that runs is ended. */
void jit_drop(jit *j, jit_job *job);

/* ---- what the files of jit share ---------------------------------------------------------------
 */

typedef struct jit_library {
    char key[33];
    void *handle;
} jit_library;

struct jit {
    text compiler;        /* path, empty when there is none */
    text description;     /* path and version, once asked for */
    text cache;           /* empty when there is none that can be written to */
    text read_only_cache; /* then: one that can only be read; or empty */
    char **environment;   /* of compilers */
    const char *place;    /* TMPDIR, or NULL */
    arena memory;         /* of the environment */
    char *asked_for;      /* the compiler named in the options or KATA_CC, NULL when none was */
    bool portable, debug;
    jit_library *libraries;
    size_t count, capacity;
    /* What follows is shared with the threads of jobs, under `lock`. */
    pthread_mutex_t lock;
    pthread_cond_t ended;  /* a job */
    pid_t owner;           /* the process for which all this is: one made by fork has no threads */
    int running, most;     /* compilers */
    text complaint;        /* about the folder asked for, until it is said; empty: none */
    text temporary;        /* empty until it is needed */
    int next_place;        /* for it, where the present one does not serve */
    pid_t temporary_owner; /* the process that made it and removes it */
    _Atomic bool plain;    /* the compiler does not take the flags for this CPU */
    bool complained;       /* about the cache folder */
    pthread_mutex_t
        temporary_work; /* whoever has it may use the temporary folder, and take `lock` */
};

typedef enum jit_outcome {
    JIT_LOADED,
    JIT_BAD_FOLDER,
    JIT_BAD_COMPILER,
    JIT_NO_MEMORY,
    JIT_STOPPED
} jit_outcome;

/* A text to be compiled, and how far that is. */
typedef struct jit_work {
    const char *c_text;
    size_t length;
    const jit_function *functions; /* that it defines, to be entered in the index */
    size_t count;
    bool portable;            /* not for this CPU alone */
    const _Atomic bool *stop; /* true: the compiler is to be ended; NULL: never */
    char key[33];
    text report;  /* what went wrong */
    void *handle; /* of the library, when it is loaded */
} jit_work;

/* Loads a text from the cache or compiles it. Any thread may call it. */
jit_outcome jit_work_do(jit *j, jit_work *w);
/* Files the library of a work that was done, reports what went wrong, and frees its report. */
kata_status jit_work_end(jit *j, jit_work *w, jit_outcome outcome, messages *m);
/* Begins anew in a process made by fork: nobody else has the lock. */
void jit_adopt(jit *j);
/* Hash of a text's hash with all else that a key depends on; `kind` tells keys of functions from
 * those of files. False when memory is out. */
bool jit_key(const jit *j, const char *kind, const char text[33], bool any_compiler, bool native,
             char key[33]);
/* entries.c: enters functions as those of a library in a folder. What cannot be written is left
 * out: it is compiled again. */
void jit_index(const jit *j, const char *folder, const jit_work *w, bool native);

/* ---- library.c: one library in one folder
 * --------------------------------------------------------
 */

/* Loads a library if it is there and is what its sum says; *handle stays NULL otherwise. False when
 * memory is out. */
bool jit_library_load(const char *folder, const char *key, void **handle);
void jit_library_unload(void *handle);
/* Loads a text from a folder, or compiles it there. */
jit_outcome jit_library_make(const jit *j, const char *folder, bool native, jit_work *w);

/* ---- folder.c: for jit's own use ------------------------------------------------------------- */

/* Writes the absolute path of the cache folder, made if missing, to *path; false, leaving it empty,
 * when there is none that can be used: *why is then "'PATH' cannot be used: ...", or empty where
 * nothing says which it should be. `given` as in kata_options. */
bool jit_folder_find(const char *given, text *path, text *why);
/* The same of one that need not be written to, and may be root's. */
bool jit_folder_find_readable(const char *given, text *path);
/* Makes a folder for this process alone in the first place for temporary files, of those from
 * *place (0 at first) on, that takes one; *place is then that of the next to try. `first`: TMPDIR,
 * or NULL. */
bool jit_folder_make_temporary(const char *first, int *place, text *path);
/* Removes a folder with the files in it. */
void jit_folder_remove(const char *path);
/* Whether a file of the size of a library can be written there. */
bool jit_folder_has_space(const char *path);

/* ---- trim.c: for jit's own use --------------------------------------------------------------- */

/* Keeps a cache folder small: removes what interrupted compilations left there more than an hour
 * ago, and while it holds more than `limit` bytes of compiled kernels, those used longest ago.
 * Touches nothing that is not named as jit names it. */
void jit_trim(const char *folder, int64_t limit);

/* ---- process.c: for jit's own use ------------------------------------------------------------ */

enum {
    JIT_EXIT_UNKNOWN = -1,
    JIT_MOST_SECONDS = 300 /* of processor time for a call of a compiler */
};

/* Runs a program without a shell: argv[0] is its path, NULL ends argv; `folder`
 * is its place for temporary files. Waits for it, not for what it leaves running; up to 16 KiB of
 * what it printed is added to *output. It and each program that it starts has so many seconds of
 * processor time. Sets *exit_code to its exit code, 128 + the signal that ended it, or
 * JIT_EXIT_UNKNOWN where the program has its children waited for elsewhere. With `stop` they are a
 * process group, which is killed once *stop is true. Returns 0, or an errno value if it did not
 * start. Any thread may call it. */
typedef struct jit_process {
    char *const *environment; /* ended by NULL */
    const char *folder;       /* NULL: that of the environment */
    int seconds;
    const _Atomic bool *stop; /* NULL: never */
} jit_process;
int jit_process_run(const char *const *argv, const jit_process *how, text *output, int *exit_code);
/* A copy of the environment, which the program may change meanwhile; NULL when memory is out. */
char **jit_environment_copy(arena *memory);

/* ---- compiler.c: for jit's own use ----------------------------------------------------------- */

/* Path of the compiler to run; false, leaving it empty, when there is none. `given` as in
 * kata_options. */
bool jit_compiler_find(const char *given, text *path);
/* Adds what tells one compiler from another, and the flags: the compiler's part of a key. NULL: any
 * compiler. */
void jit_compiler_key(text *out, const char *compiler, bool native, bool debug);
/* Compiles `source` to the shared library `object`; false, with what the compiler printed and how
 * it ended in *report, when it failed. `native`: for this machine's CPU; `debug`: with what
 * debuggers need. */
bool jit_compiler_run(const char *compiler, bool native, bool debug, const char *source,
                      const char *object, const jit_process *how, text *report);
/* The first line of what `compiler --version` prints. */
void jit_compiler_version(const char *compiler, char *const *environment, text *line);

#endif
