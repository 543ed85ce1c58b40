/* What the files of jit share with each other alone.
 *
 * A folder that holds compiled kernels stays open as a descriptor, and every file in it is reached
 * from there: whoever may rename the folders above it cannot put another in its place. A file is
 * loaded only when it is the user's or root's and nobody else may write to it. */
#ifndef JIT_JIT_PRIVATE_H
#define JIT_JIT_PRIVATE_H

#include "jit/jit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* ---- folder.c: folders that stay open -------------------------------------------------------- */

typedef struct jit_folder {
    int file;  /* its descriptor */
    text path; /* from the root, as it was when the folder was opened; empty: there is none */
} jit_folder;

/* Opens the cache folder, and makes it if it is missing. False when there is none that can be used:
 * *why is then "'PATH' cannot be used: ...", or empty where nothing says which it should be.
 * `given` as in kata_options. */
bool jit_folder_find(const char *given, jit_folder *out, text *why);
/* Opens a cache folder that is only read, and may be root's. */
bool jit_folder_find_readable(const char *given, jit_folder *out);
/* Whether a folder is the user's, or root's where `or_root`, and nobody else may write to it; NULL,
 * or why not. */
const char *jit_folder_complaint(int file, bool or_root);
void jit_folder_close(jit_folder *folder);
/* Whether a file of the size of a library can be written there. */
bool jit_folder_has_space(const jit_folder *folder);

/* Opens a file for reading. EPERM where it belongs to somebody else than the user or root, or
 * others may write to it; a link is not followed. Returns 0 or the error. */
int jit_folder_open(const jit_folder *folder, const char *name, int *file);
/* Takes from others the right to write to an open file. */
int jit_folder_protect(int file);
/* Reads a whole file of at most `limit` bytes, as file_read does, opened as
 * above. */
int jit_folder_read(const jit_folder *folder, const char *name, size_t limit, char **data,
                    size_t *size);
/* Writes a file that appears whole or not at all, and that only the user may write to. Returns 0 or
 * the error. */
int jit_folder_write(const jit_folder *folder, const char *name, const file_part *parts, int count);

/* ---- scratch.c: folders that go with the process --------------------------------------------- */

/* A folder for one process and some time. While it is in use its descriptor holds a lock, which
 * ends with the process, however that ends: a folder whose lock can be had was left behind. */
typedef struct jit_scratch {
    jit_folder folder;
    char name[48]; /* in the folder above it; empty: there is none */
    int parent;    /* descriptor of that */
} jit_scratch;

/* Makes a folder in another. Returns 0 or an error. */
int jit_scratch_make(int parent, const char *prefix, jit_scratch *out);
/* Removes it with all that is in it, if there is one. */
void jit_scratch_remove(jit_scratch *s);
/* Makes a folder for compiled kernels in the first of the usual folders for temporary files, from
 * number *root on, that takes one; *root is then the number of the next to try. `first`: TMPDIR, or
 * NULL. */
bool jit_scratch_make_temporary(const char *first, int *root, jit_scratch *out);
void jit_scratch_remove_temporary(jit_scratch *s);
/* Removes the folders that processes which have ended left among the temporary files. */
void jit_scratch_sweep_temporary(const char *first);
/* Removes a folder of this user if nobody uses it any more. */
void jit_scratch_remove_abandoned(int parent, const char *name);

/* ---- trim.c ---------------------------------------------------------------------------------- */

/* Keeps a cache folder small: removes what interrupted compilations left there, and while it holds
 * more than `limit` bytes of compiled kernels, the kernels used longest ago. Touches nothing that
 * is not named as jit names it. */
void jit_trim(const jit_folder *folder, int64_t limit);
/* The first of these alone: asks for the size and age of few files. */
void jit_trim_drafts(const jit_folder *folder);

/* ---- command.c: which compiler --------------------------------------------------------------- */

/* A compiler and the arguments that it was named with. */
typedef struct jit_command {
    const char *path;             /* absolute; NULL when there is none */
    const char *const *arguments; /* ended by NULL */
    const char *wrapped;          /* of "ccache gcc" the path of gcc; or NULL */
    const char *wrong;            /* why the one asked for is none; NULL: it cannot be run */
} jit_command;

/* Finds the compiler to run. `given`: as in kata_options, or what KATA_CC says, NULL for the usual
 * ones; memory for the command is the arena's. False when memory is out. */
bool jit_command_find(const char *given, arena *memory, jit_command *out);

/* ---- process.c ------------------------------------------------------------------------------- */

enum {
    JIT_EXIT_UNKNOWN = -1,
    JIT_MOST_SECONDS = 120,        /* of processor time, for each program that a compiler starts */
    JIT_MOST_WAIT_SECONDS = 600,   /* by the clock, for a call of a compiler */
    JIT_MOST_VERSION_SECONDS = 10, /* both, for one that tells its version */
    JIT_MOST_TURN_SECONDS = 20, /* by the clock, for another process that compiles the same text */
    JIT_MOST_MEGABYTES = 2048   /* of addresses, for each program */
};

/* How a program runs. */
typedef struct jit_process {
    char *const *environment; /* ended by NULL */
    int folder;               /* descriptor of the folder that it starts in; -1: the caller's */
    const char *temporary;    /* its folder for temporary files; NULL: that of the environment */
    int seconds;              /* of processor time */
    int wait_seconds;
    int megabytes;
    bool low_priority;
    const _Atomic bool *stop; /* true: it is to be ended; NULL: never */
} jit_process;

/* How it ended. */
typedef struct jit_end {
    int exit_code;    /* 128 + the signal that ended it, or JIT_EXIT_UNKNOWN where the host has the
                         kernel discard exit codes */
    bool out_of_time; /* it failed once its time was over */
} jit_end;

/* Runs a program without a shell: argv[0] is its path, NULL ends argv. Waits for it; up to 16 KiB
 * of what it printed is added to *output. The program has its limits before it starts, no
 * descriptor of this process but one that reads nothing, and a process group of its own. The group
 * is killed once *stop is true, when the program has ended or its time is over, and when this
 * process ends, however it ends. Returns 0, or an errno value if the program did not start. Any
 * thread may call it. */
int jit_process_run(const char *const *argv, const jit_process *process, text *output,
                    jit_end *end);
/* A copy of the environment, which the program may change meanwhile; NULL when memory is out. */
char **jit_environment_copy(arena *memory);

/* ---- launch.c -------------------------------------------------------------------------------- */

/* What a child does between its birth and the program that it becomes. */
typedef struct jit_launch {
    const char *const *argv;
    char *const *environment;
    const jit_process *process;
    int out, lifeline; /* descriptors: where it prints; a pipe to which this process alone holds the
                          end that writes */
} jit_launch;

/* Starts a program; *pid is also the number of its process group. Returns 0 or an errno value. */
int jit_launch_start(const jit_launch *launch, pid_t *pid);

/* ---- compiler.c ------------------------------------------------------------------------------ */

/* How much work a compiler puts into a text. No result depends on it. */
typedef struct jit_flags {
    bool native; /* for this machine's CPU */
    bool debug;  /* with what debuggers need */
    jit_effort effort;
} jit_flags;

/* Adds what tells one compiler from another, and the flags: the compiler's part of a key. NULL: any
 * compiler. */
void jit_compiler_key(text *out, const jit_command *compiler, jit_flags flags);

typedef enum jit_verdict {
    JIT_COMPILED,
    JIT_REFUSED,  /* it failed */
    JIT_EXHAUSTED /* it needed more time or memory than it may have */
} jit_verdict;

/* Compiles `source` to the shared library `object`, both seen from process->folder. What the
 * compiler printed and how it ended is added to *report unless all went well. */
jit_verdict jit_compiler_run(const jit_command *compiler, jit_flags flags, const char *source,
                             const char *object, const jit_process *process, text *report);
/* The first line of what `compiler --version` prints, in the environment of a process, and until
 * that is to be ended. */
void jit_compiler_version(const jit_command *compiler, const jit_process *as, text *line);

/* ---- jit.c ----------------------------------------------------------------------------------- */

typedef struct jit_library {
    char key[33];
    void *handle;
} jit_library;

struct jit {
    jit_command compiler;
    text description;           /* of the compiler, once asked for */
    jit_folder cache;           /* that can be written to */
    jit_folder read_only_cache; /* where there is none, one that can only be read */
    char **environment;         /* of compilers */
    const char *temporary_root; /* TMPDIR, or NULL */
    arena memory;               /* of the above */
    const char *asked_for; /* the compiler named in the options or KATA_CC, NULL when none was */
    bool portable, debug;
    jit_library *libraries;
    size_t count, capacity;
    /* What follows is shared with the threads of jobs, under `lock`. */
    pthread_mutex_t lock;
    pthread_cond_t ended; /* a job */
    pid_t owner;          /* the process for which all this is: one made by fork has no threads */
    int running, most;    /* threads that take jobs of the queue */
    int beside;           /* threads with a job of their own */
    pthread_t last_ended; /* of these threads, where one has ended that nobody has waited for */
    bool has_ended;
    jit_job *queue;        /* jobs that no thread has taken yet */
    text complaint;        /* about the folder asked for, until it is said; empty: none */
    bool complained;       /* it was said */
    jit_scratch temporary; /* a folder for kernels, once it is needed */
    int next_root;         /* where to make the next, if the present one does not serve */
    pid_t temporary_owner; /* the process that made it and removes it */
    bool swept;            /* folders of processes that have ended were looked for */
    _Atomic bool plain;    /* the compiler does not take the flags for this CPU */
    char (*exhausted)[33]; /* keys of texts that took the compiler too much */
    size_t exhausted_count, exhausted_capacity;
    pthread_mutex_t
        temporary_work; /* whoever has it may use the temporary folder, and take `lock` */
};

/* ---- build.c: one text, from the cache or compiled --------------------------------------------
 */

typedef enum jit_outcome {
    JIT_LOADED,
    JIT_BAD_FOLDER,
    JIT_BAD_COMPILER,
    JIT_TOO_MUCH, /* for a compiler that may take so much time and memory */
    JIT_NO_MEMORY,
    JIT_STOPPED
} jit_outcome;

/* A text to be compiled, and how far that is. */
typedef struct jit_work {
    const char *c_text;
    size_t length;
    const jit_function *functions; /* that it defines, to be entered in the index */
    size_t count;
    bool portable; /* not for this CPU alone */
    jit_effort effort;
    bool low_priority;
    const _Atomic bool *stop; /* true: the compiler is to be ended; NULL: never */
    char key[33];
    text report;  /* what went wrong */
    void *handle; /* of the library, when it is loaded */
} jit_work;

/* Loads a text from the cache or compiles it. Any thread may call it. */
jit_outcome jit_work_do(jit *j, jit_work *w);
/* Files the library of a work that was done, reports what went wrong, and frees its report. */
kata_status jit_work_end(jit *j, jit_work *w, jit_outcome outcome, messages *m);

/* ---- key.c ----------------------------------------------------------------------------------- */

/* Hash of a text's hash with all else that a key depends on; `kind` tells keys of functions from
 * those of files. False when memory is out. */
bool jit_key(const jit *j, const char *kind, const char text[33], bool any_compiler,
             jit_flags flags, char key[33]);

/* ---- owner.c --------------------------------------------------------------------------------- */

/* Begins anew in a process made by fork: nobody else has the lock. */
void jit_adopt(jit *j);

/* ---- job.c ----------------------------------------------------------------------------------- */

/* Waits until no thread of this process uses the jit. */
void jit_wait_for_threads(jit *j);

/* ---- entries.c ------------------------------------------------------------------------------- */

/* Enters functions as those of a library in a folder. What cannot be written is left out: it is
 * compiled again. */
void jit_index(const jit *j, const jit_folder *folder, const jit_work *w, jit_flags flags);

/* ---- library.c: one library in one folder ---------------------------------------------------- */

/* Loads a library if it is there and is what its sum says; *handle stays NULL otherwise. False when
 * memory is out. */
bool jit_library_load(const jit_folder *folder, const char *key, void **handle);
void jit_library_unload(void *handle);
/* Loads a text from a folder, or compiles it there. */
jit_outcome jit_library_make(jit *j, const jit_folder *folder, jit_flags flags, jit_work *w);

/* ---- instructions.c: what the processor must have -------------------------------------------- */

/* The instructions that a library was compiled for and this processor lacks; NULL: none. */
const char *jit_lacking(void *library);

/* ---- turn.c: one process compiles a text ------------------------------------------------------
 */

/* Waits while another process, or another thread, compiles the text of a key in a folder; less long
 * once *stop is true. Returns what ends the turn. */
int jit_turn_take(const jit_folder *folder, const char *key, const _Atomic bool *stop);

/* ---- exhausted.c ----------------------------------------------------------------------------- */

/* Whether a compiler was found to need too much for the text of a key: by this process, or by
 * another that left KEY.limit in the folder. Then *report says so. */
bool jit_is_exhausted(jit *j, const jit_folder *folder, const char *key, text *report);
/* Remembers that, with how the compiler ended. */
void jit_remember_exhausted(jit *j, const jit_folder *folder, const char *key, const text *report);

#endif
