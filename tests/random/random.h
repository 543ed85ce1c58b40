/* Random programs, run by every executor and compared with the reference executor bit for bit.
 *
 * A program is data: a grid, fields, scalars, a kernel text and a sequence of steps. Its kernel
 * text is a tree, so that a failing program can be made smaller piece by piece. It knows
 * the library by its public interface alone. */
#ifndef RANDOM_RANDOM_H
#define RANDOM_RANDOM_H

#include <kata/kata.h>
#include <stdio.h>

enum {
    MAX_FIELDS = 6,
    MAX_COMPONENTS = 4,
    MAX_SCALARS = 8,
    MAX_KERNELS = 4,
    MAX_PARAMS = 10,
    MAX_TABLE = 20,
    MAX_STEPS = 48,
    MAX_AT = 3, /* points between grid points */
    MAX_HELPERS = 2,
    MAX_HELPER_PARAMS = 4
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- chance.c: random choices and memory ----------------------------------------------------- */

typedef struct chance {
    uint64_t state;
} chance;

uint64_t chance_bits(chance *c);
/* From low to high, both included. */
int chance_from(chance *c, int low, int high);
bool chance_of(chance *c, int percent);
/* From 0 to 1. */
double chance_fraction(chance *c);
/* Well mixed bits of two numbers. */
uint64_t chance_hash(uint64_t a, uint64_t b);
#define CHANCE_PICK(c, array) ((array)[chance_from(c, 0, (int)COUNT_OF(array) - 1)])

/* Memory freed all at once; zero-initialised is empty. Running out of it ends the process. */
typedef struct pool {
    struct pool_block *blocks;
} pool;

void *pool_new(pool *p, size_t size); /* zeroed */
char *pool_text(pool *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pool_free(pool *p);

/* ---- code.c: kernel text as a tree ----------------------------------------------------------- */

typedef enum value_type { BOOL, INT, LONG, FLOAT, DOUBLE } value_type;

bool is_floating(value_type type);
const char *type_name(value_type type);
/* Of uchar, ushort or short; NULL for other types. */
const char *narrow_name(kata_type type);
value_type type_of_storage(kata_type type);

enum { MAX_PARTS = 4 };

/* An expression: its pattern with each '$' replaced by the next part. */
typedef struct term {
    const char *pattern;
    value_type type;
    struct term *part[MAX_PARTS];
} term;

/* A statement or definition: a pattern as above, then the blocks it has. */
typedef struct line {
    const char *pattern;
    struct term *part[MAX_PARTS];
    bool has_body, has_other;
    struct line *body, *other; /* lists */
    struct line *next;
} line;

/* Writes a list of lines. */
void code_print(FILE *out, const line *lines, int indent);

/* ---- the program ----------------------------------------------------------------------------- */

typedef enum param_kind { IN, OUT, INOUT, NUMBER, TABLE, SUM, MIN, MAX, WHERE } param_kind;

/* The reads of a field: the box of offsets, the components read at other points (bits), and whether
 * it is read at indices that no compiler knows. */
typedef struct field_use {
    int lo[3], hi[3];
    unsigned shifted;
    bool anywhere;
} field_use;

typedef struct param {
    param_kind kind;
    value_type type;
    int count; /* components of a field, elements of a table */
    int up;    /* of a field: levels from that of the kernel's grid to its own, -1 to 1 */
    field_use use;
    unsigned written;   /* components that may be written */
    unsigned sure;      /* components that are written on every path */
    int along;          /* of a field, as there */
    const char *narrow; /* an INT declared uchar, ushort or short: takes such fields only */
    int sample;         /* a field or scalar that suits it */
    bool brackets;      /* declared as p[count] */
    bool onto;          /* SUM, MIN, MAX: declared inout */
    bool single;        /* MIN, MAX: a single scalar, of which the point is wanted */
    int of;             /* WHERE: the number of that parameter */
    bool columns;       /* the same: into the field `sample`, which lacks dimensions */
    int handed_on;      /* OUT, INOUT: bit d: levels run along d, which the field lacks */
    bool splits;        /* an INT that bounds intervals */
} param;

/* Of programs whose temporaries pass values on. */
typedef enum stage {
    STAGE_ANY,
    STAGE_MAKES,  /* temporaries, of lasting fields */
    STAGE_PASSES, /* temporaries, of others too */
    STAGE_TAKES   /* lasting fields, of temporaries too */
} stage;

typedef struct kernel {
    stage stage;
    char name[8];
    int param_count;
    param params[MAX_PARAMS]; /* named p0, p1, .. */
    bool sums_floating;
    int level;     /* of the grid it is applied to */
    bool once;     /* on scalars: those are given for IN, OUT and INOUT */
    bool checked;  /* an index is checked at each point */
    int order;     /* of its levels: 1 forward, -1 backward, 0 none */
    int ordered;   /* dimension of the levels; of several, the outermost */
    int orders[3]; /* along each dimension; all 0 unless there are several */
} kernel;

/* The memory of a field's values. The first three are layouts of the library, as in kata_layout. */
typedef enum home {
    HOME_ARRAYS,
    HOME_STRUCTURES,
    HOME_BLOCKS,
    HOME_WRAPPED,          /* memory of the program: contiguous rows */
    HOME_WRAPPED_SPREAD,   /* points apart, dimensions in any order and direction */
    HOME_WRAPPED_TOGETHER, /* components of a point side by side */
    HOMES
} home;

/* The rule of a side. Of KATA_LINEAR with its depth and count; live.c has the weights. */
typedef struct wall {
    kata_rule rule;
    double value;
    int depth, count;
} wall;

typedef struct field {
    kata_type type;
    int components;
    int level;                    /* of its grid: 1 is finer */
    int staggered, along, ghosts; /* options of kata_field_new; along is 0 for all */
    bool temporary;
    home home; /* that of all fields of this level, type and number of components */
    wall walls[6];
    uint64_t seed; /* of its first values; 0: it stays zero */
} field;

enum { LOG_ENTRIES = 3 }; /* remembered of each scalar */

typedef struct scalar {
    kata_type type;
    int count; /* elements */
    double start;
} scalar;

typedef enum range_kind { RANGE_ALL, RANGE_INNER, RANGE_FACE, RANGE_BOX, RANGE_NEEDED } range_kind;

typedef struct range {
    range_kind kind;
    int level;            /* of the grid it is of */
    int side, depth;      /* of INNER, FACE */
    int64_t lo[3], hi[3]; /* of all kinds: the box it is */
    int colors, color;    /* above 1: only the points of a colour */
} range;

typedef struct argument {
    int index; /* of a field or scalar; -1: a number */
    kata_arg number;
    int64_t integers[MAX_TABLE];
    double reals[MAX_TABLE];
} argument;

typedef enum step_kind {
    STEP_APPLY,
    STEP_SWAP,     /* fields index, second */
    STEP_ROTATE,   /* fields index, second, third */
    STEP_END,      /* of a time step */
    STEP_BOUNDARY, /* field index: rules of the dimension of `side` */
    STEP_GET,      /* field index, range */
    STEP_GET_SCALAR,
    STEP_PUT, /* field index, range, seed */
    STEP_SET_SCALAR,
    STEP_COPY,   /* to `range` of field index from `source` of field second, by axes */
    STEP_FILL,   /* field index, range, value */
    STEP_INJECT, /* to field index at points: values, or scalar second; scaled by field third */
    STEP_RECORD, /* of field index at points, to scalar second; likewise */
    STEP_UNTIL   /* the step before again, until scalar index is beyond `value` */
} step_kind;

typedef struct step {
    step_kind kind;
    int kernel, index, second, third;
    range range, source;
    int axes[3]; /* as in kata_copy */
    argument args[MAX_PARAMS];
    int side;
    wall walls[2];
    double value;        /* of SET_SCALAR, FILL, UNTIL */
    bool above;          /* UNTIL: is above it; otherwise below */
    int64_t most, every; /* UNTIL: steps at most; looks at the scalar */
    uint64_t seed;
    bool other_type;              /* GET: as the other floating type */
    int points, reach, component; /* INJECT, RECORD */
    double at[MAX_AT][3], values[MAX_AT];
    bool dropped;
} step;

typedef struct program {
    uint64_t seed;
    pool memory;
    int rank;
    int64_t size[3]; /* 1 beyond the rank */
    int ratio[3];    /* of the finer grid to this one; all 1: there is none */
    bool passes;     /* temporaries pass values from loop to loop in each of several time steps */
    bool shiftable;  /* shifted fields give shifted fields, and the same scalars */
    int field_count, scalar_count, kernel_count, step_count;
    field fields[MAX_FIELDS];
    scalar scalars[MAX_SCALARS];
    kernel kernels[MAX_KERNELS];
    line *text;
    step steps[MAX_STEPS];
} program;

/* Whether a parameter of a kernel on a grid is given a field. */
static inline bool takes_field(const param *p) { return p->kind <= INOUT || p->columns; }

/* The size along a dimension of the grid of a level, and the range of all its points. */
int64_t program_size(const program *p, int level, int d);
range program_all(const program *p, int level);
/* The program of a seed. Neighbouring seeds either all read values in the middle or none does,
 * since that cuts the chains of all programs run beside them. */
program *program_generate(uint64_t seed);
/* Another program of a seed: its time steps, which end at once for programs side by side, are of
 * loops that make temporaries and loops that read them. */
program *program_generate_passing(uint64_t seed);
/* The same with grids of which ranks may have parts. */
program *program_generate_dealt(uint64_t seed);
program *program_generate_dealt_passing(uint64_t seed);
void program_free(program *p);
/* The kernel text, malloc'd. */
char *program_kernels(const program *p);
/* The whole as a C program. */
void program_print(FILE *out, const program *p);

/* ---- generate_data.c ------------------------------------------------------------------------- */

/* The value of a field that was put with a seed, at a point. */
double value_floating(uint64_t seed, kata_type type, const int64_t point[3], int component);
int64_t value_integer(uint64_t seed, kata_type type, const int64_t point[3], int component);

/* ---- points.c: where fields have values -------------------------------------------------------
 */

bool has_dimension(const field *f, int d);
/* The points and, where `ghosts`, the ghosts of a field under its rules. */
void points_box(const program *p, const field *f, const wall *walls, bool ghosts, range *out);
/* Whether two fields can exchange their values. */
bool is_alike(const field *a, const field *b);

/* ---- run.c: programs in a context ------------------------------------------------------------ */

typedef struct setting {
    const char *name, *executor;
    int threads;
    bool eager;       /* run each application at once */
    bool split;       /* cut ranges in two */
    bool shift;       /* of shiftable programs: shift the values given, and shift back those got */
    bool at_home;     /* fields lie where the program says; otherwise they are made as usual */
    const char *plan; /* as in KATA_PLAN; NULL: none */
    bool counted;     /* how many kernels were made of several is found out */
    int64_t device;   /* bytes of the device that KATA_TEST_DEVICE names; 1: all; 0: on the CPU */
    bool resumed;     /* a program ends after some time step, and goes on in another context */
    int64_t memory;   /* bytes for fields, others are in files; 0: no limit */
} setting;

/* A value that a program's user saw. */
typedef struct seen {
    int step; /* step_count at the end */
    bool is_scalar, is_log;
    int index; /* of the field or scalar */
    kata_type type;
    range range;
    int64_t count;
    void *values;
} seen;

typedef struct record {
    seen *items;
    size_t count, capacity;
} record;

void record_free(record *r);

/* Runs programs side by side in a new context; records[i] belongs to programs[i]. Errors are
 * printed to `out` (NULL: nowhere). */
kata_status run_programs(program *const *programs, int count, const setting *s, FILE *out,
                         record *records);
/* Unless NULL, is called where programs on a device have queued all their kernels, before any runs:
 * it may compile them in its own way. */
extern void (*run_when_warm)(kata *k);
size_t type_bytes(kata_type type);
/* The user's type for values of a field: f32 if C has no type for them. */
kata_type type_of_user(kata_type type);

/* ---- live.c: a program in a context ---------------------------------------------------------- */

typedef struct room_list room_list; /* memory of wrapped fields */

typedef struct live {
    room_list *rooms;
    const program *p;
    const setting *setting;
    kata *k;
    kata_grid *grids[2]; /* by level */
    kata_module *module;
    kata_kernel *kernels[MAX_KERNELS];
    kata_field *fields[MAX_FIELDS];
    kata_scalar *scalars[MAX_SCALARS];
    kata_points *points[MAX_STEPS]; /* of steps that have such; NULL until they run */
} live;

void live_set_wall(kata_field *field, int side, const wall *wall);
void live_open(live *l, kata *k, const program *p, const setting *s);
/* Applies every kernel once to other fields, for all storage types that it will meet, so that one
 * call of the compiler serves all. */
void live_warm(live *l);
void live_put(live *l, int f, const range *r, uint64_t seed);
void live_get(live *l, int f, const range *r, kata_type type, void *values, int64_t count);
void live_apply(live *l, const step *s);
void live_copy(live *l, const step *s);
void live_fill(live *l, const step *s);
void live_sparse(live *l, const step *s);
/* Applies the step before it again until its scalar is beyond a value. */
void live_until(live *l, const step *s);
int64_t range_points(const range *r);

/* ---- room.c: where fields lie ---------------------------------------------------------------- */

room_list *rooms_new(void);
/* Frees the memory of fields whose context is closed. False if a byte between their values was
 * written. */
bool rooms_close(room_list *rooms);
/* A field like field f of the program, with one rule on every side. */
kata_field *room_field(const live *l, int f, const char *name, kata_rule rule);
/* The strides of field f where it is wrapped. */
void room_strides(const program *p, int f, kata_wrap_options *o);

/* ---- compare.c ------------------------------------------------------------------------------- */

/* Whether two records are equal, any NaN being equal to any other; says where not, to `out` (NULL:
 * nowhere). */
bool record_compare(FILE *out, const program *p, const record *expected, const record *found,
                    const char *name);

/* ---- judge.c: programs in processes of their own --------------------------------------------- */

typedef enum verdict { PASSED, DIFFERS, REFUSED, CRASHED } verdict;

typedef struct judgement {
    verdict verdict;
    kata_status status; /* REFUSED */
    int setting;        /* DIFFERS: the first that does */
} judgement;

/* The settings a program is run in; the first is the reference. */
typedef struct trial {
    const setting *settings;
    int count;
    FILE *out; /* where differences and errors are told; NULL: nowhere */
} trial;

/* ---- joined.c: kernels that compute temporaries where they read them ------------------------- */

/* Until the end, contexts that are opened explain what they do. False when that is not possible. */
bool joined_begin(void);
/* The number of kernels that those contexts, which are closed, have made of several; -1 where that
 * cannot be known. */
int joined_end(void);

/* Starts judging in another process, which judge_finish waits for. */
typedef struct court {
    int pid;
    judgement *judgements; /* shared with the process */
    int *joined;           /* shared: kernels made of several, in the settings that count them */
    int count;
} court;
bool judge_start(court *c, program *const *programs, int count, const trial *t);
/* The judgements, one per program, to `out`; all CRASHED when the process did. Gives the number of
 * kernels made of several, as far as settings count them. */
int judge_finish(court *c, judgement *out);
/* The same in this process. */
void judge_here(program *const *programs, int count, const trial *t, judgement *out);
judgement judge_alone(program *p, const trial *t);

/* ---- watched.c ------------------------------------------------------------------------------- */

/* Runs a program in contexts that look for NaN: whether all settings report what the first one
 * does, and where none reports anything, give the same values. Adds 1 to *reports where they do. */
bool watched_agrees(program *p, const trial *t, int *reports);

/* ---- shrink.c -------------------------------------------------------------------------------- */

/* Makes a program smaller while its judgement stays the same. */
void shrink(program *p, const judgement *j, const trial *t);

#endif
