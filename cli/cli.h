/* The `kata` command: a table of verbs, each in a file of its own. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "common/common.h"

#include <stdio.h>

typedef struct verb {
    const char *name, *arguments, *summary;
    int (*main)(int argc, char **argv); /* argv[0] is the verb; returns the exit code */
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
int verb_run(int argc, char **argv);
int verb_trace(int argc, char **argv);

/* Becomes another program; returns the exit code of a shell where that fails. */
int become(const char *verb, char **words, int count);

/* Complains that `program` has no `what` of this name, and suggests the nearest one tried. */
void no_such(const char *program, const char *what, const spelling *s);

/* A number with as few digits as tell it from its neighbours. */
void number_words(char *words, size_t size, double x, bool is_float);

/* A text in JSON's quotes; NULL is an empty one. */
void json_text(FILE *to, const char *value);

/* ---- apply_*.c: what `kata apply` is made of ------------------------------------------------- */

/* A kernel with what the command line gives its parameters. */
typedef struct apply_param {
    kata_param param;
    const char *word;  /* after NAME=; NULL when it is not given */
    const char *input; /* of fields: a file to read; NULL: none */
    const char *output;
    void *table;
    kata_field *field;
    kata_scalar *scalar;
    kata_type stored; /* of fields */
    int staggered;
    kata_rule rule;
    double rule_value;
    kata_arg arg;
} apply_param;

typedef struct apply {
    const options *o;
    kata *k;
    kata_kernel *kernel;
    apply_param *params;
    int count;
} apply;

/* The parameter of a name that ends at `length`; NULL, after a message, when there is none. */
apply_param *apply_find(const apply *a, const char *name, size_t length);
bool apply_is_field(const apply_param *p);
bool apply_is_written(const apply_param *p); /* a field */
bool apply_is_reduction(const apply_param *p);
/* "double c" */
void apply_describe(const apply_param *p, char *words, size_t size);
/* Hands out the words NAME=VALUE, and checks that those needed are there; false after a message. */
bool apply_read_words(apply *a, char **words, int count);
/* Sets the boundary rules of fields from "RULE", "RULE:VALUE" or "FIELD=RULE:VALUE,..."; false
 * after a message. */
bool apply_read_rules(apply *a, const char *rules);
/* Sets the types in which fields are stored from "TYPE" or "FIELD=TYPE,..."; false after a message.
 */
bool apply_read_types(apply *a, const char *types);
/* Sets the dimensions along which fields are staggered from "xy" or "FIELD=xy,..."; false after a
 * message. */
bool apply_read_staggered(apply *a, const char *dimensions);
/* Prints "s = 3.5" for a reduction. */
kata_status apply_print(const apply_param *p);

/* ---- record_file.c: what KATA_RECORD wrote --------------------------------------------------- */

typedef struct record_item {
    char *line;   /* "field v@7 f64 1 8 8 1 HASH" */
    char *values; /* of a field: in hexadecimal, each after a blank; NULL where there are none */
} record_item;

/* A loop, or a call that put values into a field. */
typedef struct record_entry {
    char *head; /* "loop 7 heat" or "put u"; NULL at the end of the file */
    char *range, *place;
    record_item *items;
    int count;
} record_entry;

typedef struct record_file {
    const char *path;
    FILE *file;
    char *line, *buffer; /* the next line, NULL at the end; where it is */
    size_t capacity;
    int line_number;
    record_entry entry;
} record_file;

/* False after a message. record_close frees in any case. */
bool record_open(record_file *f, const char *path);
/* Reads the next entry to f->entry. False after a message. */
bool record_next(record_file *f);
void record_close(record_file *f);

#endif
