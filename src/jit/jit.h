/* jit: compiling generated C, loading it, and keeping it on disk.
 *
 * The cache folder holds KEY.c, KEY.so and KEY.sum; KEY is a hash of text, compiler (where it lies,
 * its size and time of change), flags, CPU and Katagami's version; KEY.sum is the hash of KEY.so,
 * so that a damaged file is noticed and compiled anew. Files are written under another name and
 * renamed; compilers work in a folder of their own within. The folder is private to the user
 * (0700); one that others may write to is refused. It is kept below 256 MiB. */
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
/* Path and version line of the compiler, "" when none is found. */
const char *jit_compiler(jit *j);
/* compiler.c: adds the paths of all compilers that one is chosen from, by commas. */
void jit_compiler_list(text *out);
/* The cache folder, "" when there is none that can be used (then a private temporary one, removed
 * at close, serves). */
const char *jit_cache(jit *j);
/* Compiles a C text, or finds it in the cache, and loads it. *library is for jit_symbol. A compiler
 * error is KATA_ERROR_COMPILER with the first lines of its output and the path of the text. */
kata_status jit_load(jit *j, const char *c_text, size_t length, messages *m, void **library);
/* NULL when there is none of this name. */
void *jit_symbol(void *library, const char *name);

/* ---- folder.c: for jit's own use ------------------------------------------------------------- */

/* Writes the absolute path of the cache folder, made if missing, to *path; false, leaving it empty,
 * when there is none that can be used: *why is then "'PATH' cannot be used: ...", or empty where
 * nothing says which it should be. `given` as in kata_options. */
bool jit_folder_find(const char *given, text *path, text *why);
/* Makes a folder for this process alone in the first place for temporary files, of those from
 * *place (0 at first) on, that takes one; *place is then that of the next to try. */
bool jit_folder_make_temporary(int *place, text *path);
/* Removes a folder with the files in it. */
void jit_folder_remove(const char *path);
/* Whether a file of the size of a library can be written there. */
bool jit_folder_has_space(const char *path);

/* ---- trim.c: for jit's own use --------------------------------------------------------------- */

/* Keeps a cache folder small: removes what interrupted compilations left there more than an hour
 * ago, and while it holds more than `limit` bytes of compiled kernels, those used longest ago.
 * Touches nothing that is not named as jit names it. */
void jit_trim(const char *folder, int64_t limit);

/* ---- compiler.c: for jit's own use ----------------------------------------------------------- */

/* Path of the compiler to run; false, leaving it empty, when there is none. `given` as in
 * kata_options. */
bool jit_compiler_find(const char *given, text *path);
/* Adds what tells one compiler from another, and the flags: the compiler's part of a key. */
void jit_compiler_key(text *out, const char *compiler, bool native, bool debug);
/* Compiles `source` to the shared library `object`; false, with what the compiler printed and how
 * it ended in *report, when it failed. `native`: for this machine's CPU; `debug`: with what
 * debuggers need. Temporary files go to `folder`. */
bool jit_compiler_run(const char *compiler, bool native, bool debug, const char *folder,
                      const char *source, const char *object, text *report);
/* The first line of what `compiler --version` prints. */
void jit_compiler_version(const char *compiler, text *line);

/* ---- process.c: for jit's own use ------------------------------------------------------------ */

enum { JIT_EXIT_UNKNOWN = -1 };

/* Runs a program without a shell: argv[0] is its path, NULL ends argv; `folder` (NULL: unchanged)
 * is its place for temporary files. Waits for it, not for what it leaves running; up to 16 KiB of
 * what it printed is added to *output. It and each program that it starts has so many seconds of
 * processor time. Sets *exit_code to its exit code, 128 + the signal that ended it, or
 * JIT_EXIT_UNKNOWN where the program has its children waited for elsewhere. Returns 0, or an errno
 * value if it did not start. */
int jit_process_run(const char *const *argv, const char *folder, int seconds, text *output,
                    int *exit_code);

#endif
