/* jit: compiling generated C, loading it, and keeping it on disk.
 *
 * The cache folder holds KEY.c, KEY.so and KEY.sum. KEY is a hash of the text, the compiler (its
 * path, size, time of change and arguments), the flags, the CPU and Katagami's version. KEY.sum
 * holds the hash of KEY.so, so that a damaged file is noticed and compiled anew. KEY.limit says
 * that the compiler needed too much time or memory for a text.
 *
 * KEY.bin is a kernel of a device.
 *
 * KEY.key says in which library a function is, whatever other functions are in it. There KEY is the
 * hash of the function's own text and of the same rest. A second file has the words "any compiler"
 * in place of the compiler: a machine without a compiler looks for that one.
 *
 * A file is written under another name and then renamed. A compiler works in a folder of its own
 * within the cache folder. The cache folder is private to the user (0700) and kept below 256 MiB;
 * one that others may write to is refused. A folder that cannot be written to, of the user or of
 * root, is still read. */
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include "base/base.h"

/* ---- jit.c ----------------------------------------------------------------------------------- */

typedef struct jit jit;

/* compiler, cache: as in kata_options; NULL for the defaults. Cheap: nothing is started yet. */
kata_status jit_open(const char *compiler, const char *cache, messages *m, jit **out);
/* From here on, compiles with what debuggers need. */
void jit_debug(jit *j);
/* Unloads everything. */
void jit_close(jit *j);
bool jit_has_compiler(const jit *j);
/* Reports that there is none for a kernel; NULL: not for a single one. */
kata_status jit_report_no_compiler(const jit *j, const char *kernel, messages *m);
/* Path, arguments and version line of the compiler, "" when none is found. */
const char *jit_compiler(jit *j);
/* command.c: adds the paths of all compilers that one is chosen from, by commas. */
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
/* library.c: the address of a function of a loaded library; NULL if it has none of this name. */
void *jit_symbol(void *library, const char *name);

/* ---- note.c: texts that are kept with the kernels -------------------------------------------- */

/* Adds the text of a note to *out; false where there is none of at most `most` bytes. Whoever reads
 * it checks it. */
bool jit_note_read(const jit *j, const char *name, size_t most, text *out);
/* Whether there is something of that name, which may not be read. */
bool jit_note_is_there(const jit *j, const char *name);
/* Keeps a note, in the place of an older one; false where no cache folder takes it. */
bool jit_note_write(const jit *j, const char *name, const char *lines);
/* Gives a note another name, with an ending, in the place of what has it. */
void jit_note_keep(const jit *j, const char *name, const char *ending);

/* ---- binary.c: kernels of devices ------------------------------------------------------------ */

/* Reads the bytes, to be freed, that are kept under a key, a hash by hash_hex; false where there
 * are none, or they are damaged. */
bool jit_binary_read(const jit *j, const char *key, char **bytes, size_t *count);
/* False where they cannot be kept. On any thread. */
bool jit_binary_write(const jit *j, const char *key, const char *bytes, size_t count);
/* Warns once that they cannot be kept, though a folder was asked for. */
void jit_binary_unkept(jit *j, messages *m);
/* Waits until no other process makes what is kept under a key (some seconds at most, and not when
 * *stop is set), and keeps others waiting until the end of the turn. A process has a turn at a time
 * on each of its threads. */
int jit_binary_turn(const jit *j, const char *key, const _Atomic bool *stop);
void jit_turn_end(int turn);

/* ---- entries.c: functions, whatever library they are in -------------------------------------- */

/* How many passes of a compiler a function is worth. Results are the same. */
typedef enum jit_effort {
    JIT_FULL,
    JIT_LIGHT, /* it is plain: the first passes are enough, and take two thirds of the time */
    JIT_BRIEF  /* it is so large that all passes would take minutes */
} jit_effort;

/* A function: its name and the hash, by hash_hex, of all text that it is compiled from. */
typedef struct jit_function {
    char name[64], text[33];
    jit_effort effort;
} jit_function;

/* Looks for a function in what is loaded and in the cache; *code is NULL when it is not there.
 * KATA_OK, or KATA_ERROR_MEMORY, not reported. */
kata_status jit_find(jit *j, const jit_function *f, void **code);

/* ---- job.c: compiling beside the program ----------------------------------------------------- */

/* A file of functions that a thread compiles. At most as many compilers run as there are cores;
 * more jobs wait for their turn, first come, first served. */
typedef struct jit_job jit_job;

/* How a job is done. */
typedef enum jit_urgency {
    JIT_SOON,
    JIT_LATER /* by a thread of its own, beside all others, and a compiler of low priority; where
                 there is no thread, the job fails */
} jit_urgency;

/* Begins to compile a text that defines functions, or to load it from the cache; all of
 * one effort. The text is the job's from here on, also on failure. Reports it where there is no
 * compiler, or no memory. Where no thread can be had, work that is needed soon is done at once. */
kata_status jit_start(jit *j, text *c_text, const jit_function *functions, size_t count,
                      jit_urgency urgency, messages *m, jit_job **out);
/* Whether jit_finish would not wait. */
bool jit_is_done(const jit_job *job);
/* Whether this process was made by fork since the job was started: then nobody works on it. */
bool jit_is_lost(const jit_job *job);
/* Waits for a job and frees it; *library is for jit_symbol. A compiler error is
 * KATA_ERROR_COMPILER with the first lines of its output and the path of the text. In a process
 * made by fork since the job was started it compiles anew. */
kata_status jit_finish(jit *j, jit_job *job, messages *m, void **library);
/* Tells a job that nobody waits for it: a compiler that runs is ended. */
void jit_stop(jit *j, jit_job *job);
/* Ends a job and frees it, whether it is done or not; a compiler that runs is ended. */
void jit_drop(jit *j, jit_job *job);

#endif
