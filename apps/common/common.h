/* common: what the simulations and the kata command share. */
#ifndef COMMON_COMMON_H
#define COMMON_COMMON_H

#include <kata/kata.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

/* Exit code of a command that was called wrongly; 1 is that of one that failed. */
enum { EXIT_USAGE = 2 };

/* ---- options.c, option_*.c: the command line, read by a table -------------------------------- */

typedef struct option_words {
    char **words;
    int count;
} option_words;

/* One option or argument. Exactly one pointer is set: it says of which kind the value is and where
 * it goes. What is there beforehand is the default. */
typedef struct option {
    const char *name; /* without the dashes; an argument's name is what the help calls it */
    const char *help; /* a line; no capital, no full stop */
    bool *flag;
    int64_t *integer;
    double *real;
    const char **text;
    int *choice;                /* an index into choices */
    option_words *list;         /* all arguments that no positional option takes */
    bool positional;            /* an argument, known by its place; text and list only */
    double low, high;           /* inclusive bounds of integer and real; both zero: any value */
    const char *const *choices; /* names, ended by NULL */
    const char *placeholder;    /* what the help calls the value; NULL: N, X or TEXT */
    const char *otherwise;      /* what the help calls the default; NULL: its value */
} option;

typedef struct options {
    const char *program; /* as typed: "kata run heat" */
    const char *summary; /* what it does: the help's first lines, ending in a newline */
    const option *table;
    size_t count;
} options;

/* Reads `--name value`, `--name=value`, flags and arguments (all that follows `--` is arguments).
 * Returns true to go on. Returns false with the exit code when that is all: 0 after --help or -h,
 * EXIT_USAGE after a message about what is wrong, where, and what would be right. */
bool options_read(const options *o, int argc, char **argv, int *exit_code);
/* Prints "program: message" to standard error; returns EXIT_USAGE. For what a table cannot say. */
int options_wrong(const options *o, const char *format, ...) PRINTF_LIKE(2, 3);

/* For a file to be written at the end: 0, or the exit code after a message where its name or place
 * is wrong, as far as can be told without writing it. `name` is that of the option, "--output". */
int options_check_file(const options *o, const char *name, const char *path, const char *ending);

/* For the files option*.c only: stores a value, false after a message; prints the help. */
bool option_store(const options *o, const option *entry, const char *value);
bool option_missing(const options *o, const option *entry);
void option_print_help(const options *o);

/* ---- spelling.c: the nearest name ------------------------------------------------------------ */

typedef struct spelling {
    const char *word;    /* what was typed */
    const char *nearest; /* the best name tried so far; NULL when none is a likely meaning */
    int distance;        /* letters to change, add or remove; only smaller ones are taken */
} spelling;

spelling spelling_of(const char *word);
void spelling_try(spelling *s, const char *name);

/* ---- progress.c: how far, how fast, how long still ------------------------------------------- */

/* Shows on standard error how much of its work a context has done: on a terminal as one line,
 * redrawn at most ten times a second and erased at the end, otherwise as a line every 5 seconds. */
typedef struct progress {
    const kata *k;
    const char *title;
    char note[48];
    double total;          /* points to update in all, which may be set again; 0: not known */
    double share;          /* done, as shown: it never falls, and is not all before the end */
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

#endif
