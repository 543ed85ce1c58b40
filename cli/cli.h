/* The `kata` command: a table of verbs, each in a file of its own. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "common/common.h"

#include <stdio.h>

typedef struct verb {
    const char *name, *arguments, *summary;
    int (*main)(int argc, char **argv); /* argv[0] is the verb; returns the exit code */
    const options *options;             /* NULL: the first argument is an application's name */
} verb;

/* All of them, ended by one without a name. */
extern const verb verbs[];
/* NULL, after a message with the nearest name, when there is none of this name. */
const verb *verb_find(const char *name);
/* The verbs, and what they do. */
void verb_list(FILE *to);

int verb_apply(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_compile(int argc, char **argv);
int verb_diff(int argc, char **argv);
int verb_explain(int argc, char **argv);
int verb_help(int argc, char **argv);
int verb_info(int argc, char **argv);
int verb_partition(int argc, char **argv);
int verb_run(int argc, char **argv);
int verb_trace(int argc, char **argv);
int verb_tune(int argc, char **argv);
int verb_wisdom(int argc, char **argv);
extern const options apply_options, check_options, compile_options, diff_options, explain_options,
    help_options, info_options, partition_options, trace_options, tune_options, wisdom_options;

/* ---- manual.c, completion.c: made of the verbs and their options ----------------------------- */

/* Print the manual page kata(1), and a script that completes words in a shell. */
void manual_print(FILE *to);
enum { SHELL_NONE = -1, SHELL_BASH, SHELL_ZSH, SHELL_FISH };
void completion_print(FILE *to, int shell);

/* Calls `visit` for each command that has options: the verbs, and the applications of run. */
typedef void visit_command(void *data, const options *o, const char *summary);
void each_command(visit_command *visit, void *data);

/* ---- small things ---------------------------------------------------------------------------- */

/* Becomes another program; returns the exit code of a shell where that fails. */
int become(const char *verb, char **words, int count);

/* Says that `program` has no `kind` ("verb") of this name, and suggests the nearest one tried. */
void no_such(const char *program, const char *kind, const spelling *s);

/* A number with as few digits as tell it from its neighbours. */
void number_words(char *words, size_t size, double x, bool is_float);

/* Makes a text the file of this name, whole or not at all; false after a message. */
bool write_text(const options *o, const char *path, const char *text);

/* ---- tune_file.c ----------------------------------------------------------------------------- */

/* Makes a temporary file, which goes with this process. NULL, and errno, where that cannot be. */
const char *tune_file_make(void);
void tune_file_remove(void);

/* A text in JSON's quotes; NULL is an empty one. */
void json_text(FILE *to, const char *value);

/* ---- apply_*.c: the parts of `kata apply` ---------------------------------------------------- */

/* The options. */
typedef struct apply_request {
    option_words words;
    int64_t steps, inner;
    const char *swap, *boundary, *size, *types, *staggered;
    resources limit;
    bool overwrite, quiet;
} apply_request;

enum { APPLY_LINEAR_MOST = 8 };

/* Weights of kata_boundary_linear. */
typedef struct apply_linear {
    int depth, count; /* 0: the rule is another one */
    double weights[(APPLY_LINEAR_MOST + 1) * (APPLY_LINEAR_MOST + 1)];
} apply_linear;

/* A kernel's parameter with what the command line says of it. */
typedef struct apply_param {
    kata_param param;
    const char *word;  /* after NAME=; NULL when it is not given */
    const char *input; /* of fields: a file to read; NULL: none */
    const char *output;
    bool discarded; /* of fields that are written: NAME= or NAME=IN, asks for no file */
    void *table;
    kata_field *field;
    kata_scalar *scalar;
    kata_type stored; /* of fields */
    int staggered;
    kata_rule rule;
    double rule_value;
    apply_linear linear;
    kata_arg arg;
} apply_param;

typedef struct apply {
    const options *o;
    kata *k;
    kata_kernel *kernel;
    apply_param *params;
    int count;
} apply;

/* apply_param.c */

/* The parameter of a name that ends at `length`; NULL, after a message, when there is none. */
apply_param *apply_find(const apply *a, const char *name, size_t length);
bool apply_is_column(const apply_param *p);    /* a reduction into a field, along dimensions */
bool apply_is_field(const apply_param *p);     /* also a column */
bool apply_is_output(const apply_param *p);    /* a field that is written only */
bool apply_is_written(const apply_param *p);   /* a field */
bool apply_is_reduction(const apply_param *p); /* into a scalar */
bool apply_is_floating(const apply_param *p);
/* "double c" */
void apply_describe(const apply_param *p, char *words, size_t size);
/* Prints "s = 3.5" for a reduction. */
kata_status apply_print(const apply_param *p, FILE *to);

/* apply_words.c: reads the words NAME=VALUE, and checks that those needed are there; false after a
 * message. */
bool apply_read_words(apply *a, char **words, int count);
/* Whether a word is a number beyond those that a double holds. */
bool apply_is_too_large(const char *word);

/* apply_fields.c: options that say something of each field, as "WORD" or "FIELD=WORD,..."; false
 * after a message. */

/* Boundary rules: "RULE" or "RULE:VALUE". */
bool apply_read_rules(apply *a, const char *rules);
/* apply_linear.c: "VALUE:ROW..." of the rule "linear:VALUE:ROW..."; and that rule for all sides of
 * the parameter's field, if it was read for it. */
bool apply_read_linear(const apply *a, apply_param *p, char *numbers);
void apply_set_linear(const apply_param *p, int rank);
/* Types in which fields are stored. */
bool apply_read_types(apply *a, const char *types);
/* Dimensions along which fields are staggered: "xy". */
bool apply_read_staggered(apply *a, const char *dimensions);
extern const char *const apply_rule_names[], *const apply_type_names[]; /* ended by NULL */

/* apply_files.c: files of fields. */

/* Checks that a field that is written has a file, that the file can take it on a grid of this rank,
 * and that no file is lost; false after a message. */
bool apply_check_files(const apply *a, const char *kernel_file, int rank, bool overwrite);

/* apply_pipes.c: standard input and output as files of fields. */

/* Whether a name stands for one of them. */
bool apply_is_pipe(const char *name);
/* Puts standard input, where a parameter names it, into a temporary file, which the parameter then
 * names. */
bool apply_open_pipes(apply *a);
/* Writes the fields to their files; those named - to standard output. */
void apply_save(const apply *a);
/* Removes the temporary files. */
void apply_close_pipes(void);
/* Standard output; standard error where a field takes that. */
FILE *apply_results_to(const apply *a);

/* apply_grid.c: the grid, and the points that the kernel is applied to. */

/* The shape of the grid: of the first input that extends along all dimensions or, where there is
 * none, of the size given. False after a message. */
bool apply_find_shape(const apply *a, const char *size, kata_shape *shape);
/* From the shape of the grid to the shape of a parameter's fields, or back. */
void apply_scale(kata_shape *shape, const int times[3], const int by[3]);
kata_grid *apply_make_grid(const apply *a, const kata_shape *shape);
kata_range apply_range(const apply *a, int64_t inner, kata_grid *grid);

/* ---- record_file.c: the files that KATA_RECORD makes ---------------------------------------- */

enum {
    RECORD_LONGEST = 1 << 16, /* bytes of a line, but for one of values */
    RECORD_MOST_ITEMS = 4096, /* of an entry */
    RECORD_NOT_AGAIN = -1     /* the file is a pipe */
};

typedef struct record_item {
    char *line;   /* "field v@7 f64 1 8 8 1 HASH" */
    off_t values; /* of a field: where they are in the file; 0 where there are none */
} record_item;

/* A loop, or a call that put values into a field. */
typedef struct record_entry {
    char *head;             /* "loop 7 heat" or "put u"; NULL at the end of the file */
    char *range, *location; /* location: in the program, "probe.c:19" */
    record_item *items;
    int count;
} record_entry;

typedef struct record_file {
    const char *path;
    FILE *file;
    char *line; /* the next one, NULL at the end */
    char buffer[RECORD_LONGEST];
    off_t values; /* if the line is of values: where they are */
    int line_number;
    record_entry entry;
} record_file;

/* False after a message. record_close frees in any case. */
bool record_open(record_file *f, const char *path);
/* Reads the next entry to f->entry. False after a message. */
bool record_next(record_file *f);
/* The file, ready to read the values of an item of f->entry: in hexadecimal, each after a blank, up
 * to the end of the line. NULL where there are none, or the file cannot be read twice. Nothing else
 * can be read from the record afterwards. */
FILE *record_values(const record_file *f, int item);
void record_close(record_file *f);

#endif
