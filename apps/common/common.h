/* common: parts that the simulations and the kata command share. */
#ifndef COMMON_COMMON_H
#define COMMON_COMMON_H

#include <kata/kata.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

/* A command that was called wrongly exits with this, one that failed with 1. */
enum { EXIT_USAGE = 2 };

/* ---- options.c, option_*.c: the command line, read by a table -------------------------------- */

typedef struct option_words {
    char **words;
    int count;
} option_words;

typedef struct option_bytes {
    int64_t bytes; /* 0: not given */
} option_bytes;

typedef enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_INTEGER, /* int64_t */
    OPTION_REAL,    /* double */
    OPTION_TEXT,    /* const char * */
    OPTION_CHOICE,  /* int: an index into choices */
    OPTION_BYTES,   /* option_bytes: 65536, 64k, 500M, 8G */
    OPTION_LIST     /* option_words: all arguments that no other positional option takes */
} option_kind;

/* One option or argument. Its value is a member of a struct that options_read fills in. */
typedef struct option {
    const char *name; /* without the dashes; an argument's name is how the help calls it */
    const char *help; /* a line; no capital, no full stop */
    option_kind kind;
    size_t offset;              /* of the member */
    bool positional;            /* an argument, known by its position; text and list only */
    double low, high;           /* inclusive bounds of integer and real; both zero: any value */
    const char *const *choices; /* names, ended by NULL; of a text: words that shells suggest */
    const char *placeholder;    /* how the help calls the value; NULL: N, X or TEXT */
    const char *otherwise;      /* how the help calls the default; NULL: its value */
    bool may_change;            /* a run that is resumed may have another value */
} option;

/* The kind and the offset of an option whose value is this member. */
#define OPTION_VALUE(type, member)                                                                 \
    .kind = _Generic(((type *)0)->member,                                                          \
                     bool: OPTION_FLAG,                                                            \
                     int64_t: OPTION_INTEGER,                                                      \
                     double: OPTION_REAL,                                                          \
                     const char *: OPTION_TEXT,                                                    \
                     int: OPTION_CHOICE,                                                           \
                     option_bytes: OPTION_BYTES,                                                   \
                     option_words: OPTION_LIST),                                                   \
    .offset = offsetof(type, member)

/* What a command takes: the parser, --help, the manual page and the completion read this. */
typedef struct options {
    const char *program; /* as typed: "kata run heat" */
    const char *summary; /* what it does: the help's first lines, ending in a newline */
    const option *table;
    size_t count;
    const void *defaults; /* the struct of values to begin with */
    size_t size;          /* of that struct */
} options;

/* Sets `values` to the defaults and reads `--name value`, `--name=value`, flags and arguments (all
 * words after `--` are arguments). Returns true to go on. Returns false with the exit code when
 * there is nothing more to do: 0 after --help or -h, EXIT_USAGE after a message that says which
 * word is wrong, and what would be right. */
bool options_read(const options *o, void *values, int argc, char **argv, int *exit_code);
/* Prints "program: message" to standard error; returns EXIT_USAGE. For rules that a table cannot
 * express. */
int options_wrong(const options *o, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same for a command that was called rightly, and failed; returns EXIT_FAILURE. */
int options_failed(const options *o, const char *format, ...) PRINTF_LIKE(2, 3);

/* Checks the name of a file to be written at the end, as far as that goes without writing it.
 * Returns 0, or the exit code after a message. `name` is the option's, "--output". */
int options_check_file(const options *o, const char *name, const char *path, const char *ending);

/* Whether two names lead to one file that exists. */
bool same_file(const char *a, const char *b);
/* The folder of a file; returns the name of the file in it. */
const char *folder_of(const char *path, char parent[PATH_MAX]);
/* Why a file cannot be written, of an errno value. */
const char *output_reason(const char *path, int error);
/* Whether two names are of one file, also where there is none yet. */
bool same_output(const char *one, const char *other);

/* Whether a word gives a value to --help, -h or --version, which stand alone; says so if it does.
 */
bool option_alone_has_value(const char *program, const char *word);

/* "N", "2|3", "FILE": stands for the value of an option that is not a flag. */
void option_value_words(const option *e, char *words, size_t size);
/* "256", "the kernel cache": the default; an empty text where there is none to name. */
void option_default_words(const options *o, const option *e, char *words, size_t size);
/* "usage: kata check [options] FILE.kata...", without "usage: ". */
void option_usage_words(const options *o, char *words, size_t size);
/* ", from 1 to 9"; an empty text where there are no bounds. */
void option_bounds_words(const option *e, char *words, size_t size);

/* For the files option*.c only: stores a value, false after a message; prints the help. */
bool option_store(const options *o, const option *e, void *values, const char *value);
bool option_missing(const options *o, const option *e);
void option_print_help(const options *o);
/* Whether no two options name one file; says so if not. */
bool options_files_differ(const options *o, const void *values);

/* ---- option_resources.c: memory, devices, and what is watched ---------------------------------
 */

/* What kata_options.memory, .spill, .device, .check, .summary and .timeline shall be. */
typedef struct resources {
    option_bytes memory;
    const char *spill, *device, *check, *timeline;
    bool summary;
} resources;

/* The rows of a table for them, the member being `limit`. */
#define OPTIONS_OF_RESOURCES(type)                                                                 \
    {"memory",                                                                                     \
     "most memory for fields, such as 500M or 8G; others lie in files",                            \
     OPTION_VALUE(type, limit.memory),                                                             \
     .may_change = true,                                                                           \
     .placeholder = "BYTES",                                                                       \
     .otherwise = "KATA_MEMORY, or no limit"},                                                     \
        {"spill",                                                                                  \
         "the folder for these files",                                                             \
         OPTION_VALUE(type, limit.spill),                                                          \
         .may_change = true,                                                                       \
         .placeholder = "FOLDER",                                                                  \
         .otherwise = "KATA_SPILL, TMPDIR or /var/tmp"},                                           \
        {"device",                                                                                 \
         "run on a device: cuda, cuda:1, opencl, ..., any, or none",                               \
         OPTION_VALUE(type, limit.device),                                                         \
         .may_change = true,                                                                       \
         .placeholder = "NAME",                                                                    \
         .otherwise = "KATA_DEVICE, or none"},                                                     \
        {"check-values",                                                                           \
         "nan: stop where a NaN or an infinity arises, and name the point; or none",               \
         OPTION_VALUE(type, limit.check),                                                          \
         .may_change = true,                                                                       \
         .placeholder = "WHAT",                                                                    \
         .otherwise = "KATA_CHECK, or none"},                                                      \
        {"summary", "show at the end what kernels took", OPTION_VALUE(type, limit.summary),        \
         .may_change = true},                                                                      \
    {                                                                                              \
        "timeline", "write what the run did when, for Perfetto",                                   \
            OPTION_VALUE(type, limit.timeline), .may_change = true, .placeholder = "FILE.json",    \
                                                .otherwise = "KATA_TIMELINE, or none"              \
    }

/* kata_open with these. NULL after a message; then *exit_code is that of the command. */
kata *options_open(const options *o, const resources *limit, int *exit_code);

/* ---- option_checkpoint.c: runs that go on -----------------------------------------------------
 */

/* Options of kata_checkpoint, and whether kata_resume is called. */
typedef struct checkpoints {
    const char *file;
    int64_t steps;
    double minutes;
    bool resume;
    const options *table; /* of the command, and what was read by it */
    const void *values;
} checkpoints;

/* The rows of a table for them, the member being `checkpoints`. */
#define OPTIONS_OF_CHECKPOINTS(type)                                                               \
    {"checkpoint",                                                                                 \
     "write checkpoints: every 10 minutes, or as these options say, and at SIGUSR1",               \
     OPTION_VALUE(type, checkpoints.file),                                                         \
     .may_change = true,                                                                           \
     .placeholder = "FILE.h5",                                                                     \
     .otherwise = "none"},                                                                         \
        {"checkpoint-steps",                                                                       \
         "write one after every so many time steps",                                               \
         OPTION_VALUE(type, checkpoints.steps),                                                    \
         .may_change = true,                                                                       \
         .low = 1,                                                                                 \
         .high = 1e12,                                                                             \
         .otherwise = "by time"},                                                                  \
        {"checkpoint-minutes",                                                                     \
         "write one when the last is so old",                                                      \
         OPTION_VALUE(type, checkpoints.minutes),                                                  \
         .may_change = true,                                                                       \
         .low = 0.001,                                                                             \
         .high = 1e6,                                                                              \
         .otherwise = "10"},                                                                       \
    {                                                                                              \
        "resume", "go on from the checkpoint, if there is one",                                    \
            OPTION_VALUE(type, checkpoints.resume), .may_change = true                             \
    }

/* Returns 0, or EXIT_USAGE after a message: the other options need --checkpoint. `values`, as they
 * were read, stay where they are. */
int options_check_checkpoints(const options *o, const void *values, checkpoints *c);
/* After all fields and scalars are made: asks for checkpoints, and resumes where that is wished,
 * from a run with the same values of all options but those that may change. Returns the time steps
 * that were made before. */
int64_t options_resume(kata *k, const checkpoints *c);
/* Whether a run that goes on after `first` steps may end after `last`; false after a message. */
bool options_may_end(const checkpoints *c, int64_t first, int64_t last);

/* ---- spelling.c: the nearest name ------------------------------------------------------------ */

typedef struct spelling {
    const char *word;    /* as it was typed */
    const char *nearest; /* the best name tried so far; NULL when none is a likely meaning */
    int distance;        /* letters to change, add or remove; only smaller ones are taken */
} spelling;

spelling spelling_of(const char *word);
void spelling_try(spelling *s, const char *name);

/* ---- progress.c: how far, how fast, how long still ------------------------------------------- */

/* Shows on standard error how much of its work a context has done. On a terminal that is one line,
 * no longer than the terminal is wide (80 columns where it does not say and COLUMNS is not set),
 * redrawn at most ten times a second and erased at the end. Elsewhere it is a line every 5 seconds.
 */
typedef struct progress {
    const kata *k;
    const char *title;
    char note[48];
    double total;          /* points to update in all, which may be set again; 0: not known */
    double share;          /* done, as shown: it never falls, and stays below 1 */
    int64_t before, until; /* points updated before the start, and until the latest line */
    double start, latest;  /* times in seconds: of the start, of the latest line */
    double rate;           /* points per second lately */
    bool quiet, terminal, shown;
} progress;

/* Starts to count, and shows nothing yet. The title stays the caller's. */
void progress_start(progress *p, const kata *k, const char *title, double total, bool quiet);
/* Shows the progress when the time has come. It costs a look at the clock otherwise. */
void progress_show(progress *p);
/* A few words that the lines from here on end with. */
void progress_note(progress *p, const char *format, ...) PRINTF_LIKE(2, 3);
/* Erases the line until the next is due. Call it before printing anything else, and at the end. */
void progress_erase(progress *p);
/* Seconds since some moment. */
double progress_clock(void);

/* ---- enlarged.c: pictures of planes ------------------------------------------------------------
 */

/* Writes a plane of a field of type KATA_F64 as a PNG, in the colours of kata_save, with up to 16
 * pixels per point along each side. `plane`: all points of a field of two dimensions; of one of
 * three it has one index along the dimension that is left out. `across`: the dimensions that run to
 * the right and upwards, 1 for x, 2 for y, 3 for z; `size`: their numbers of points. `ends`: the
 * values at the two ends of the colours; NULL: the least and the greatest in the picture. */
kata_status enlarged_plane_save(kata *k, kata_field *field, const kata_range *plane,
                                const int64_t size[2], const int across[2], const double ends[2],
                                const char *path);

#endif
