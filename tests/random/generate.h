/* How random programs are made: from chances alone, so that a seed stands for a program. */
#ifndef RANDOM_GENERATE_H
#define RANDOM_GENERATE_H

#include "random.h"

typedef enum symbol_kind { VALUE, LOOP, ARRAY, FIELD } symbol_kind;

/* A name that kernel text can use. */
typedef struct symbol {
    symbol_kind kind;
    const char *name;
    value_type type;
    int length; /* of an ARRAY (tables too); components of a FIELD, 0: none */
    int lo, hi; /* of a LOOP variable, and of the elements of an ARRAY known when compiling */
    bool known; /* ARRAY: its elements are known when compiling */
    bool assignable;
    field_use *use;   /* FIELD */
    const param *own; /* FIELD of a kernel */
    unsigned *set;    /* FIELD: components surely written so far */
} symbol;

typedef struct helper_param {
    bool is_field;
    value_type type;
    int count; /* components, 0: none */
    field_use use;
} helper_param;

typedef struct helper {
    const char *name;
    value_type type;
    bool random; /* calls random */
    int param_count;
    helper_param params[MAX_HELPER_PARAMS];
} helper;

enum { MAX_SYMBOLS = 96 };

typedef struct builder {
    chance *chance;
    program *program;
    symbol symbols[MAX_SYMBOLS];
    int symbol_count;
    helper helpers[MAX_HELPERS];
    int helper_count;
    int names;    /* given so far */
    int costly;   /* elementary functions still allowed */
    bool checked; /* an index that no compiler knows was written */
    kernel *kernel;
    bool plain; /* reads are near and of what other kernels have written; nothing depends on
                   indices, and none is checked */
    unsigned set[MAX_PARAMS];
    int randoms;      /* calls of random so far */
    int rounds;       /* loops around that are not unrolled */
    int below, above; /* levels that there surely are below and above the point's, in an interval */
} builder;

term *builder_term(builder *b, value_type type, const char *pattern);
symbol *builder_symbol(builder *b, symbol_kind kind, value_type type, const char *name);
const char *builder_name(builder *b);
/* What a variable of a type is declared as; some that are read as int hold bytes. */
const char *builder_variable_type(builder *b, value_type type);

/* ---- generate_expression.c ------------------------------------------------------------------- */

/* An expression of about that depth. Of an integer type when `want` is one (bool is none). */
term *generate_term(builder *b, value_type want, int depth);
/* A value that no compiler knows. */
term *generate_unknown(builder *b, value_type want);
term *generate_literal(builder *b, value_type want);
/* An index below `length`, known when compiling; the values it takes in *mask. */
const char *generate_index(builder *b, int length, unsigned *mask);

/* The value of something that stands for itself: a name, a number, a read. */
term *generate_leaf(builder *b, value_type want);

/* ---- generate_read.c ------------------------------------------------------------------------- */

/* A read of a field; NULL where there is none that can be read, or no integer one. */
term *generate_read(builder *b, bool integer);
/* A call of a helper; NULL where nothing suits its parameters. */
term *generate_call(builder *b, const helper *h, int depth);

/* ---- generate_statement.c -------------------------------------------------------------------- */

typedef struct line_list {
    line *first, **tail;
} line_list;
line *builder_line(builder *b, const char *pattern, term *a, term *c);
void line_append(line_list *list, line *l);
void generate_statements(builder *b, line_list *list, int count, int depth);
/* A condition that no compiler knows. */
term *generate_condition(builder *b);

/* ---- generate_level.c ------------------------------------------------------------------------ */

/* Perhaps orders the levels of a kernel, with a parameter for its intervals. */
void generate_order(builder *b, kernel *k);
/* " forward(z)", "" */
const char *order_text(builder *b, const kernel *k);
/* Perhaps intervals, with bodies that write. */
void generate_intervals(builder *b, line_list *list);
/* The same of a kernel with an order along several dimensions: generate_wave.c. */
void generate_orders(builder *b, kernel *k);
const char *orders_text(builder *b, const kernel *k);
term *generate_wave_read(builder *b, const symbol *s, const char *target, unsigned mask);
/* A read of what the kernel writes, `target` with its component, at another level. NULL where
 * that is not possible. */
term *generate_level_read(builder *b, const symbol *s, const char *target, unsigned mask);

/* ---- generate_output.c ----------------------------------------------------------------------- */

/* Writes every parameter that is written at least once. */
void generate_outputs(builder *b, line_list *list);
/* The same by few operations that read fields, as a rule. */
void generate_few_outputs(builder *b, line_list *list);
/* Writes parameter p, if it can be, perhaps. */
void generate_store(builder *b, line_list *list, int p, int depth);

/* ---- generate_kernel.c ----------------------------------------------------------------------- */

void generate_definitions(builder *b, line_list *list);
void generate_kernel(builder *b, line_list *list, kernel *k);

/* ---- generate_arguments.c --------------------------------------------------------------------
 */

/* What is known of fields between two steps. */
typedef struct world {
    chance *chance;
    program *p;
    wall walls[MAX_FIELDS][6]; /* present rules */
    bool set[MAX_FIELDS];      /* of temporaries: all of it was written in this time step */
} world;

/* Draws the arguments of a step that applies a kernel; and its numbers and tables alone. */
void arguments_bind(world *w, const kernel *k, step *s);
void arguments_bind_numbers(world *w, const kernel *k, step *s);
/* Whether its temporaries have values where they are read and are wholly written; and whether it is
 * legal, too. */
bool arguments_suit_temporaries(const world *w, const kernel *k, const step *s);
bool arguments_suit(const world *w, const kernel *k, const step *s);

/* ---- generate_stages.c ----------------------------------------------------------------------- */

/* Equal time steps of loops that make temporaries and loops that read them. Between them fields are
 * exchanged, or get other values or rules, and numbers change. */
void generate_stages(chance *c, program *p, bool chatty);

/* ---- generate_steps.c ------------------------------------------------------------------------ */

/* `chatty`: with values put and got in the middle. */
void generate_steps(chance *c, program *p, bool chatty);

/* ---- generate_program.c ---------------------------------------------------------------------- */

/* Whether there is a finer grid. Then all fields have their points and no others. */
bool has_levels(const program *p);

/* ---- generate_range.c ------------------------------------------------------------------------ */

range generate_range(chance *c, const program *p, int level);
bool is_same_box(const range *a, const range *b);
bool is_range_empty(const range *r);
/* Any rule from `lowest` on but KATA_PERIODIC. */
wall generate_wall(chance *c, kata_rule lowest, double value);
/* Takes away the points of a range at which a parameter reads what no rule of a field covers. */
void restrict_range(const program *p, const param *param, const field *f, const wall *walls,
                    range *r);
/* Takes away what lies outside of another; all of it when nothing is left. */
void clip_range(range *r, const range *to);
/* " finer(2,3)" of a parameter; "" where its field lies on the kernel's grid. */
const char *generate_ratio(builder *b, const param *p);
/* An offset at which a parameter can be written, as "[1,0]": "" for none, or 0 in all dimensions of
 * its children. Whether it is certainly the first child in *first. */
const char *generate_child(builder *b, const param *p, bool *first);

/* ---- generate_data.c ------------------------------------------------------------------------- */

double generate_double(chance *c);
int64_t generate_integer(chance *c, bool wide);

/* ---- generate_sparse.c ----------------------------------------------------------------------- */

/* Draws a step that adds at points between grid points, or takes values there; one that ends a time
 * step where no field or scalar suits. */
void generate_sparse(world *w, step *s);

/* ---- generate_copy.c ------------------------------------------------------------------------- */

/* Draws the axes of a copy, and boxes of equal shape in two others, which are not both empty. */
void generate_boxes(chance *c, const range *to, const range *from, step *s);

#endif
