/* bench: how fast loops are, beside plain loops and hand-written kernels.
 *
 * sweeps.c and loops.c list the cases, plain/ and hand/ hold the competitors, case_data.c makes
 * their arrays, case_program.c the same in Katagami; measure.c takes times, bench_table.c and
 * bench_summary.c print. A case is a step that is done again and again: a few kernels, after which
 * fields may be swapped. */
#ifndef BENCH_H
#define BENCH_H

#include <kata/kata.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BENCH_FIELDS = 8,
    BENCH_NUMBERS = 16,
    BENCH_STAGES = 8,
    BENCH_TOTALS = 3,
    BENCH_TABLE = 256,
    BENCH_SWEPT = 12,
    BENCH_REPETITIONS = 101
};

/* ---- arguments of the competitors ------------------------------------------------------------ */

/* Points, without ghosts, and where they lie: point (x,y,z) of component c of a field is element
 * x + y*row + z*plane + c*component. x = 0 begins a cache line of the case's type, and rows are
 * padded to whole lines. */
typedef struct bench_layout {
    int64_t n[3];
    int64_t row, plane, component;
} bench_layout;

typedef struct bench_data {
    int64_t n[3]; /* as in bench_layout */
    int64_t row, plane, component;
    bench_layout coarse; /* of BENCH_COARSE fields */
    void *field[BENCH_FIELDS];
    double number[BENCH_NUMBERS]; /* the numbers of the case */
    double table[BENCH_TABLE];
    double total[BENCH_TOTALS]; /* of reductions, set */
    void *memory[BENCH_FIELDS]; /* whole, for bench_data_free */
    size_t bytes[BENCH_FIELDS];
} bench_data;

typedef void bench_loop(bench_data *d);

/* Exchanges two fields, as a program does after a sweep. */
static inline void bench_swap(bench_data *d, int a, int b)
{
    void *field = d->field[a];
    d->field[a] = d->field[b];
    d->field[b] = field;
}

/* How many sweeps in one pass over memory are cut into tiles: rows in z and in y, sweeps in a pass;
 * far: whether passes fetch ahead and leave past the caches. */
typedef struct bench_tile {
    int64_t z, y, depth;
    bool far;
} bench_tile;

/* That many sweeps, the two fields swapped after each. False when memory is out. */
typedef bool bench_chain(bench_data *d, int64_t sweeps, bench_tile tile);

/* ---- sweeps.c, loops.c: cases ---------------------------------------------------------------- */

/* How a step is repeated; to be combined. */
enum {
    BENCH_SAME = 1,   /* the same fields again and again, never swapped */
    BENCH_SINGLE = 2, /* fields swapped after each step, which runs before the next is queued */
    BENCH_CHAIN = 4   /* fields swapped after each step, many steps queued before they run */
};

typedef enum bench_kind {
    BENCH_FULL = 0,  /* a value of the case's type at each point */
    BENCH_COARSE,    /* on the grid with half as many points in each dimension */
    BENCH_PROFILE,   /* one value for each z, one after another */
    BENCH_TEMPORARY, /* lives within a step */
    BENCH_ESOTERIC,  /* a D3Q19 lattice as esoteric pull keeps it: see bench_home */
    BENCH_INDEX,     /* int: indices of the table */
    BENCH_MASK       /* uint8_t: 1 in a ball in the middle, 0 elsewhere */
} bench_kind;

typedef struct bench_field {
    const char *name;
    int components; /* 0 ends the list */
    bench_kind kind;
    double scale; /* of the numbers at the start; 0 means 1 */
} bench_field;

typedef enum bench_points {
    BENCH_ALL = 0,
    BENCH_NEEDED, /* of temporary fields */
    BENCH_RED,
    BENCH_BLACK,
    BENCH_PARENTS /* of the coarse grid */
} bench_points;

typedef struct bench_stage {
    const char *kernel;    /* NULL ends the list */
    const char *arguments; /* fields by position as digits; n: the next number, t: the next total,
                              w: the table */
    bench_points on;
} bench_stage;

/* Grids: of runs at length, of --quick, in a second-level cache (where results are compared, too),
 * of --sizes. */
typedef struct bench_sizes {
    int64_t full[3], quick[3], cached[3], swept[BENCH_SWEPT][3];
} bench_sizes;

typedef struct bench_own bench_own;

typedef struct bench_case {
    const char *name;
    bench_stage stages[BENCH_STAGES]; /* in order */
    bench_field fields[BENCH_FIELDS];
    const char *swaps; /* after a step: pairs of positions, as "0112"; NULL: none */
    double numbers[BENCH_NUMBERS];
    int table; /* entries */
    kata_type type;
    int dimensions, ghosts, ways;
    kata_rule rule; /* at all sides, with the value 1; KATA_NONE: ghosts that nobody writes */
    const bench_sizes *sizes;
    int updates; /* of each point in a step; 0 means 1 */
    int bytes;   /* per point that a sweep cannot avoid to move: each element read once and written
                    once, past the caches; 0: not known */
    bench_loop *plain, *hand; /* hand: NULL where there is none */
    bench_chain *skewed;      /* NULL where there is none */
    const bench_own *own;     /* NULL: all of the above */
} bench_case;

extern const bench_case bench_sweeps[], bench_loops[];
extern const int bench_sweep_count, bench_loop_count;

enum { BENCH_KATA, BENCH_PLAIN, BENCH_HAND, BENCH_SKEWED, BENCH_COMPETITORS };

/* Of a case that is a program of its own. */
struct bench_own {
    /* NULL when something failed. */
    void *(*make)(const int64_t size[3], int threads);
    void (*free)(void *program);
    /* That many steps; Katagami ends the chain after each or after the last. */
    void (*run)(void *program, int who, int64_t steps, bool each);
    /* The largest difference between Katagami's results and the plain ones, relative to the
     * largest number. */
    double (*differ)(void *program);
};
extern const bench_own bench_vcycle, bench_hydro, bench_vortex;
extern const bench_own bench_columns, bench_bins_u8, bench_bins_f32;

/* ---- case_data.c ----------------------------------------------------------------------------- */

/* Makes the arrays of a case on a grid, filled with numbers that do not compress. False when memory
 * is out; bench_data_free works then, too. */
bool bench_data_make(bench_data *d, const bench_case *c, const int64_t size[3]);
void bench_data_free(bench_data *d);
/* Exchanges the fields that the case swaps. */
void bench_data_swap(bench_data *d, const bench_case *c);
/* The largest difference between the results of two of them, relative to the largest number. */
double bench_data_differ(const bench_case *c, const bench_data *a, const bench_data *b);

kata_type bench_field_type(const bench_case *c, int field);
/* Index ranges of a field, with its ghosts. */
void bench_field_extent(const bench_case *c, int field, const int64_t size[3], int64_t lo[3],
                        int64_t hi[3]);
/* The number of an element before any loop has run: 1, plus or minus a sixteenth, times its scale.
 * So lattices have a density, and systems of equations a solution. */
double bench_start(const bench_case *c, int field, int component, const int64_t index[3],
                   const int64_t size[3]);
/* Where a lattice pulled from one field to another has what Katagami's field keeps of a component
 * at an index: the same, but of BENCH_ESOTERIC fields. There, for odd q, component q has the values
 * of q + 1, and component q + 1 those of q as they arrive. */
void bench_home(const bench_case *c, int field, const int64_t size[3], int *component,
                int64_t index[3]);
/* Elements of an array of any type. */
void bench_set(void *array, kata_type type, int64_t at, double value);
double bench_get(const void *array, kata_type type, int64_t at);

/* ---- case_program.c -------------------------------------------------------------------------- */

/* A Katagami program of the case: the same numbers in fields. */
typedef struct bench_program {
    kata *k;
    kata_grid *grid, *coarse;
    kata_field *field[BENCH_FIELDS];
    kata_kernel *kernel[BENCH_STAGES];
    kata_scalar *total[BENCH_TOTALS];
    double table[BENCH_TABLE];
    const bench_case *c;
} bench_program;

bool bench_program_make(bench_program *p, const bench_case *c, const int64_t size[3], int threads);
void bench_program_free(bench_program *p);
/* Queues a step that many times, and runs them. */
bool bench_program_run(bench_program *p, int64_t steps, bool swapped);
/* Copies the results of the program to arrays. */
bool bench_program_get(bench_program *p, bench_data *d);

/* ---- copy_rate.c ----------------------------------------------------------------------------- */

/* GB/s of a copy with streaming stores between arrays of 64 MiB, on all threads. Bytes read and
 * bytes written count. */
double bench_copy_rate(void);

/* ---- statistics.c ---------------------------------------------------------------------------- */

/* Of no numbers: NaN. Sorts them. */
double bench_median(double *numbers, int count);
/* Where the mean of the logarithms lies with a probability of nine tenths: the upper end. One
 * number says nothing: infinity. */
double bench_upper_end(const double *ratios, int count);
double bench_geometric_mean(const double *ratios, int count);

/* ---- measure.c ------------------------------------------------------------------------------- */

/* What is measured. */
typedef struct bench_task {
    const bench_case *c;
    int way;
    int64_t size[3];
    int threads;
    double seconds;
    int64_t steps; /* of a chain */
} bench_task;

/* Katagami's rate over a competitor's: the median of the ratios within a repetition, and the upper
 * end of their interval. */
typedef struct bench_ratio {
    double median, upper;
} bench_ratio;

/* Medians over the repetitions whose copies agree within a tenth, or over all of them where fewer
 * than three do. NaN where there is no such competitor. */
typedef struct bench_result {
    bench_task task;
    int repetitions, counted;
    double rate[BENCH_COMPETITORS];    /* in 1e9 points/s */
    bench_ratio to[BENCH_COMPETITORS]; /* to[BENCH_KATA] is not used */
    bench_tile tile;                   /* of the skewed competitor: the best one */
    double bandwidth;                  /* GB/s of the copies */
    double core;                       /* rate of the hand-written kernel in cache, all threads */
    double to_bound;                   /* rate over 1 / (bytes / bandwidth + 1 / core) */
    double hand_to_bound;
    double difference; /* between the results of the competitors */
} bench_result;

bool bench_measure(const bench_task *task, bench_result *out);
/* Bytes that a case needs on a grid, for Katagami and its competitors. */
double bench_memory(const bench_case *c, const int64_t size[3]);

/* ---- bench_table.c --------------------------------------------------------------------------- */

const char *bench_way_name(int way);
void bench_print_head(void);
void bench_print(const bench_result *r);
bool bench_write_json(const char *path, const bench_result *r, int count, int threads,
                      const char *without);
bool bench_write_svg(const char *path, const bench_result *r, int count);

/* ---- bench_summary.c ------------------------------------------------------------------------- */

/* The geometric means, and the cases whose floors are missed: 0.97 of plain, 0.9 of hand. */
void bench_print_summary(const bench_result *r, int count);

/* ---- plain/, hand/ --------------------------------------------------------------------------- */

bench_loop plain_copy, plain_star5, plain_box9, plain_star7, plain_star13, plain_box27;
bench_loop hand_copy, hand_star5, hand_box9, hand_star7, hand_star13, hand_box27;
bench_loop plain_acoustic8, plain_acoustic16, hand_acoustic8, hand_acoustic16;
bench_loop plain_diffuse, plain_advect, hand_diffuse, hand_advect;
bench_loop plain_d2q9, plain_d3q19, plain_d3q19_f32;
bench_loop plain_d3q19_twice, plain_d3q19_twice_f32;
bench_loop hand_d2q9, hand_d3q19, hand_d3q19_f32;
bench_loop plain_sum, plain_greatest;
bench_loop hand_sum, hand_greatest;
bench_loop plain_star7_periodic, hand_star7_periodic;
bench_loop plain_diffuse_stages;
bench_chain hand_skewed7;

bench_loop plain_star5_sum, plain_star7_sum, plain_lookup, plain_profile, plain_flow;
bench_loop plain_seidel2, plain_synch_p2p, plain_seidel3;
bench_loop plain_red_black2, plain_red_black2_sum, plain_red_black3, plain_red_black3_sum;
bench_loop plain_restrict, plain_prolong;
bench_loop plain_d3q19_obstacle;

#endif
