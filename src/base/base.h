/* base: what any C program needs. Knows nothing of stencils. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "kata/kata.h"

#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

/* A size that changes speed, not results. A hostile build (KATAGAMI_HOSTILE) takes the second,
 * which is so small that rare cases happen all the time. It also fills new memory with junk where
 * nobody may read it. */
#ifdef KATA_HOSTILE
#define HOSTILE(usual, hostile) (hostile)
#else
#define HOSTILE(usual, hostile) (usual)
#endif
enum { HOSTILE_JUNK = 0xa5 };

/* ---- numbers --------------------------------------------------------------------------------- */

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t larger(int64_t a, int64_t b) { return a < b ? b : a; }
/* Rounded down; by > 0. */
static inline int64_t floor_divide(int64_t x, int64_t by) { return x / by - (x % by < 0); }
/* The least multiple that is not less; to > 0. */
static inline int64_t round_up(int64_t x, int64_t to) { return -floor_divide(-x, to) * to; }

/* ---- arena.c: memory freed all at once ------------------------------------------------------- */

typedef struct arena {
    struct arena_block *head;
    size_t bytes; /* handed out so far */
} arena;          /* zero-initialised is empty */

/* Zeroed memory aligned to 16 bytes, or NULL when memory is out. */
void *arena_alloc(arena *a, size_t size);
/* count * size bytes, NULL also when the product overflows. */
void *arena_array(arena *a, size_t count, size_t size);
/* A terminated copy of the first `length` bytes; NULL when memory is out. */
char *arena_copy_text(arena *a, const char *text, size_t length);
void arena_free(arena *a);
/* The same, but holds some memory back for later allocations. */
void arena_clear(arena *a);

/* ---- vector.c: arrays that grow -------------------------------------------------------------- */

/* Makes room for at least `needed` elements of `size` bytes at *data (malloc'd, *capacity long).
 * Returns false, changing nothing, when memory is out. */
bool vector_reserve(void **data, size_t *capacity, size_t needed, size_t size);

/* ---- text.c: text that grows, with numbers as in C, whatever the program's locale -------------
 */

typedef struct text {
    char *data; /* always terminated once something was added; NULL at first */
    size_t length, capacity;
    bool failed; /* memory was out: text is missing */
} text;          /* zero-initialised is empty */

void text_add(text *t, const char *format, ...) PRINTF_LIKE(2, 3);
void text_add_list(text *t, const char *format, va_list list);
void text_clear(text *t);
void text_free(text *t);
/* The text so far, "" when there is none. */
const char *text_get(const text *t);

/* ---- hash.c ---------------------------------------------------------------------------------- */

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed);
/* 128 bits as 32 hexadecimal digits and a terminator. */
void hash_hex(const void *data, size_t size, char hex[33]);

/* ---- message.c: errors ----------------------------------------------------------------------- */

/* A text that messages can point into. Several texts can form a list: then `start` is the position
 * of a text's first byte, and the next text starts behind its end. For a text that another imports,
 * messages also show the import, at `imported_at`. */
typedef struct source {
    const char *name, *text;
    size_t length;
    uint32_t start;
    bool imported;
    uint32_t imported_at;
    const struct source *next;
} source;

enum { MESSAGE_MOST = 10 }; /* errors, or warnings, in one message */

/* Reports between message_gather and message_gathered, in the order of their positions. */
typedef struct message_part {
    uint32_t at;
    text body;
} message_part;
typedef struct message_list {
    int count;
    bool full; /* more reports were dropped */
    message_part part[MESSAGE_MOST];
} message_list;

/* Collects the message of the first error. Lower folders report here; the context owns one. */
typedef struct messages {
    kata_status status; /* of the first error, KATA_OK before */
    bool sent;          /* its message has gone to the handler */
    text body;          /* its message, without a newline at its end */
    kata_handler handler;
    void *handler_data;
    bool no_warnings;
    bool silent; /* without a handler nothing is printed */
    bool gathering;
    kata_status gathered;   /* status of the first error gathered */
    text *part;             /* the part of `errors` that takes the present error */
    const source *location; /* of the present error, until its message ends; NULL: none */
    uint32_t location_at;
    message_list errors, warnings;
} messages;

/* Starts the message of an error with "error: ..."; message_line adds to it and message_send hands
 * the whole to the handler. While `status` is set, a new error is dropped with its lines. All
 * functions that return a status return the first error's. */
kata_status message_begin(messages *m, kata_status status, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Starts it with "file:line:column: error: ...", the source line and a caret under `at`. If that is
 * in an imported text, a note at the end of the message shows the import. */
kata_status message_begin_at(messages *m, kata_status status, const source *s, uint32_t at,
                             const char *format, ...) PRINTF_LIKE(5, 6);
/* Adds a line, indented by two. */
void message_line(messages *m, const char *format, ...) PRINTF_LIKE(2, 3);
/* Adds "file:line:column: note: ..." with the source line and a caret. */
void message_note_at(messages *m, const source *s, uint32_t at, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Calls the handler with the message begun, once. Returns m->status. */
kata_status message_send(messages *m);
/* An error of one line, sent. */
kata_status message_fail(messages *m, kata_status status, const char *format, ...)
    PRINTF_LIKE(3, 4);
kata_status message_fail_at(messages *m, kata_status status, const source *s, uint32_t at,
                            const char *format, ...) PRINTF_LIKE(5, 6);
/* An error with the message of another one, all of it. */
kata_status message_repeat(messages *m, kata_status status, const char *message);
/* "out of memory", sent; KATA_ERROR_MEMORY. */
kata_status message_no_memory(messages *m);
/* Several errors in one message. message_gather begins to collect errors instead of sending them.
 * message_next ends the present error, if any, and sets the status to KATA_OK, so that another can
 * be reported; it returns false when there is no room for another. An error at a position that has
 * one already is dropped. message_gathered sends the errors in the order of their positions,
 * followed by their number when there are several, and returns the status of the first reported.
 * Without errors it sends the warnings and returns KATA_OK. `name` is the text's name. */
void message_gather(messages *m);
bool message_next(messages *m);
kata_status message_gathered(messages *m, const char *name);
/* A warning while gathering: like an error with a line of advice, but the status stays. Dropped
 * when its position has one already, or warnings are not wanted. */
void message_warn_at(messages *m, const source *s, uint32_t at, const char *advice,
                     const char *format, ...) PRINTF_LIKE(5, 6);
/* A warning about no position in a text, sent at once. */
void message_warn(messages *m, const char *advice, const char *format, ...) PRINTF_LIKE(3, 4);
/* Forgets the error. */
void message_clear(messages *m);
void message_free(messages *m);

/* Finds among `count` names the nearest to `name` by edit distance. NULL when none is near enough
 * to be meant: a third of the letters may differ, and one in any case. NULL names are skipped. */
const char *nearest_name(const char *name, const char *const *names, size_t count);
/* The text of a list that holds a position. */
const source *source_holding(const source *first, uint32_t at);
/* Whether no line ends between two positions. */
bool source_same_line(const source *first, uint32_t a, uint32_t b);
/* Line and column (in bytes, a tab counting one), both from 1, of a position. */
void source_line_column(const source *s, uint32_t at, int *line, int *column);

/* ---- file.c ---------------------------------------------------------------------------------- */

/* Results of the calls below, beside errno values. */
enum {
    FILE_NOT_PLAIN = -1, /* a device, a pipe */
    FILE_IS_LINK = -2,   /* a symbolic link, which is not followed */
    FILE_IS_TAKEN = -3,  /* another process writes it, too */
    FILE_IS_ASTRAY = -4  /* a symbolic link that leads to no file */
};
const char *file_reason(int error);
/* Opens a plain file for reading; never waits. */
int file_open(const char *path, int *file);
/* Reads a whole file (at most `limit` bytes) into malloc'd, terminated memory. On failure sets
 * *data to NULL and returns the error (EFBIG when it is larger than the limit). */
int file_read(const char *path, size_t limit, char **data, size_t *size);
/* The same for an open file, from its position on. On failure *data stays as it is. */
int file_read_open(int file, size_t limit, char **data, size_t *size);
/* The same for a file below a folder. `path` is relative, without "..", and no part of it may be a
 * symbolic link. */
int file_read_below(const char *folder, const char *path, size_t limit, char **data, size_t *size);
/* Writes a file so that it appears whole or not at all, as below. Returns 0 or the error. */
int file_write(const char *path, const void *data, size_t size);
typedef struct file_part {
    const void *data;
    size_t size;
} file_part;
/* The same for parts that follow one another in the file. */
int file_write_parts(const char *path, const file_part *parts, int count);
/* Writes parts to an open file. Returns 0 or the error. */
int file_write_open(int file, const file_part *parts, int count);
/* Writes what a stream still holds. Returns 0 if all that was given to it has been written, or the
 * error. */
int file_finish(FILE *stream);

/* ---- file_limit.c ---------------------------------------------------------------------------- */

/* What is kept while a thread receives no SIGXFSZ. */
typedef struct file_limit {
    bool was_pending;
    sigset_t signals;
} file_limit;

/* Between these two calls, writes beyond the limit of the size of files return EFBIG, and the
 * process goes on. errno stays. */
void file_limit_hold(file_limit *l);
void file_limit_release(const file_limit *l);
/* That limit; INT64_MAX: none. */
int64_t file_limit_bytes(void);

/* ---- file_stream.c --------------------------------------------------------------------------- */

/* Opens a file for writing: at its end, or in place of what it holds. NULL, and errno, where that
 * cannot be. A write that fails, beyond the limit of the size of files too, is an error of the
 * stream. */
FILE *file_stream(const char *path, bool adds);

/* ---- file_standard.c ------------------------------------------------------------------------- */

/* Opens those of the descriptors 0 to 2 that are closed, so that no file gets them. Input cannot be
 * read then, nor output written, as if they were closed. */
void file_hold_standard(void);

/* ---- file_draft.c ---------------------------------------------------------------------------- */

#define FILE_DRAFT_PREFIX ".katagami-" /* of the names of drafts */

/* A file being written: under `name`, in the folder of `target`, open for writing as `file`. */
typedef struct file_draft {
    int folder; /* descriptor of that from which both are named */
    text name;
    char *target; /* links followed */
    int file;
    file_limit limit;
} file_draft;

/* Begins a file that will appear at `path`. If there is a plain file already, the new one takes its
 * permissions. Until the draft ends, the thread receives no SIGXFSZ. Returns 0, then *d must be
 * ended; or the error. */
int file_draft_begin(file_draft *d, const char *path);
/* The same; the draft has the target's name with an ending. What has it is removed: a process that
 * was ended may have left it. */
int file_draft_begin_as(file_draft *d, const char *path, const char *ending);
/* The same for a plain name in an open folder. Whatever has the name is replaced, links too. */
int file_draft_begin_at(file_draft *d, int folder, const char *name);
/* Whether the name of the draft is still that of its file: 0, or FILE_IS_TAKEN where another
 * process begins the same draft. */
int file_draft_check(const file_draft *d);
/* Moves the file to its path, or removes it when writing failed (`error` is not 0). Returns the
 * first error. */
int file_draft_end(file_draft *d, int error);

/* ---- file_kept.c ----------------------------------------------------------------------------- */

/* Gives a file a second name: its own with an ending. Whatever has that loses it. Nothing happens
 * where there is no such file. Returns 0 or the error. On file systems without links the file loses
 * its own name. */
int file_keep(const char *path, const char *ending);
/* Whether a file can be written, or made: its folder is there and may be written, and what has the
 * name is a plain file. Returns 0 or the error. */
int file_may_write(const char *path);
/* Sees to it that names in the folder of a file are on the disk. Returns 0 or the error. */
int file_sync_folder(const char *path);

/* ---- clock.c --------------------------------------------------------------------------------- */

/* Seconds since some moment before the program began; never goes back. */
double clock_seconds(void);

/* ---- companion.c ----------------------------------------------------------------------------- */

/* The path of a file that is installed with the library: the variable's value, or beside the shared
 * library, or where it was to be installed. False, with every path tried in *path, where it is in
 * none of these, or other users may change it; path->failed when memory is out. */
bool companion_find(const char *name, const char *variable, text *path);

/* ---- environment.c --------------------------------------------------------------------------- */

/* The variable's value, NULL when it is unset or empty. */
const char *environment_get(const char *name);
/* A whole number from low to high; false when `text` is anything else. */
bool parse_integer(const char *text, int64_t low, int64_t high, int64_t *value);
/* The same of bytes, which may have a unit: 1024k, 8M, 2G. */
bool parse_bytes(const char *text, int64_t low, int64_t high, int64_t *value);

/* ---- plain_locale.c -------------------------------------------------------------------------- */

/* Between these two calls the thread prints and reads numbers as in C: with a point, not with the
 * comma of a locale that the program has set. False when memory is out. */
bool plain_locale_enter(locale_t *around);
void plain_locale_leave(locale_t around);
/* As strtod in that locale. */
double parse_real(const char *text, char **end);

#endif
