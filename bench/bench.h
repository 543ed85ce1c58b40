/* bench: how fast one application of a kernel is, beside a plain loop and a hand-written kernel.
 *
 * cases.c lists the cases, plain/ and hand/ hold the competitors, case_data.c makes their arrays,
 * measure.c takes times, bench_table.c prints. All fields of a case have the same points, and
 * ghosts around them that nobody writes. */
#ifndef BENCH_H
#define BENCH_H

#include <kata/kata.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_FIELDS = 8, BENCH_NUMBERS = 16, BENCH_STAGES = 2, BENCH_REPETITIONS = 101 };

/* ---- arguments of the competitors ------------------------------------------------------------ */

/* Arrays of the case's type. Point (x,y,z) of component c of field f is element
 * x + y*row + z*plane + c*component of field[f]; x = 0 begins a cache line, and rows are padded to
 * whole lines. */
typedef struct bench_data {
    int64_t n[3]; /* points, without ghosts */
    int64_t row, plane, component;
    void *field[BENCH_FIELDS];
    double number[BENCH_NUMBERS]; /* those of the case */
    double total;                 /* of reductions, set */
    void *memory[BENCH_FIELDS];   /* whole, for bench_data_free */
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

/* ---- cases.c --------------------------------------------------------------------------------- */

typedef struct bench_field {
    const char *name;
    int components; /* 0 ends the list */
    bool written;   /* compared between competitors */
} bench_field;

typedef struct bench_case {
    const char *name;
    const char *kernel[BENCH_STAGES];    /* applied in order */
    const char *arguments[BENCH_STAGES]; /* fields by position as digits, numbers as n, the total
                                            as t: "01nn" */
    bench_field fields[BENCH_FIELDS];
    double numbers[BENCH_NUMBERS]; /* taken in order */
    kata_type type;
    int dimensions, ghosts;
    int64_t size[3], quick[3], cached[3]; /* of runs at length, of --quick, and in a second-level
                                             cache */
    int bytes; /* per point that a sweep cannot avoid to move: each element read once and written
                  once, past the caches */
    bench_loop *plain, *hand;
} bench_case;

extern const bench_case bench_cases[];
extern const int bench_case_count;

/* ---- case_data.c ----------------------------------------------------------------------------- */

/* Makes the arrays of a case on a grid, filled with numbers that do not compress. False when memory
 * is out. */
bool bench_data_make(bench_data *d, const bench_case *c, const int64_t size[3]);
void bench_data_free(bench_data *d, const bench_case *c);
/* The number of an element before any loop has run: 1, plus or minus a sixteenth. So lattices have
 * a density, and systems of equations a solution. */
double bench_start(int field, int component, const int64_t index[3]);
/* The largest difference between the results of two of them, relative to the largest number. */
double bench_data_differ(const bench_case *c, const bench_data *a, const bench_data *b);
/* A Katagami program of the case: the same numbers in fields. */
typedef struct bench_program {
    kata *k;
    kata_field *field[BENCH_FIELDS];
    kata_kernel *kernel[BENCH_STAGES];
    kata_scalar *total;
    kata_range range;
    const bench_case *c;
} bench_program;
bool bench_program_make(bench_program *p, const bench_case *c, const int64_t size[3], int threads);
void bench_program_free(bench_program *p);
/* Applies the kernels that many times, and runs them. */
bool bench_program_run(bench_program *p, int64_t times);
/* Copies the results of the program to arrays. */
bool bench_program_get(bench_program *p, bench_data *d);

/* ---- copy_rate.c ----------------------------------------------------------------------------- */

/* GB/s of a copy with streaming stores between arrays of 64 MiB, on all threads. Bytes read and
 * bytes written count. */
double bench_copy_rate(void);

/* ---- measure.c ------------------------------------------------------------------------------- */

/* Medians over the repetitions whose copies agree within a tenth. Rates in 1e9 points/s. */
typedef struct bench_result {
    const bench_case *c;
    int64_t size[3];
    int repetitions, kept;
    double kata, plain, hand; /* rates */
    double to_plain, to_hand; /* medians of the ratios within a repetition */
    double bandwidth;         /* GB/s of the copies */
    double core;              /* rate of the hand-written kernel in cache, all threads */
    double to_bound;          /* rate over 1 / (bytes / bandwidth + 1 / core) */
    double hand_to_bound;
    double difference; /* between Katagami and the hand-written kernel; plain likewise */
} bench_result;

bool bench_measure(const bench_case *c, const int64_t size[3], int threads, double seconds,
                   bench_result *out);

/* ---- bench_table.c --------------------------------------------------------------------------- */

void bench_print_head(void);
void bench_print(const bench_result *r);
bool bench_write_json(const char *path, const bench_result *r, int count, int threads,
                      const char *without);
bool bench_write_svg(const char *path, const bench_result *r, int count);

/* ---- plain/, hand/ --------------------------------------------------------------------------- */

bench_loop plain_copy, plain_star5, plain_box9, plain_star7, plain_star13, plain_box27;
bench_loop hand_copy, hand_star5, hand_box9, hand_star7, hand_star13, hand_box27;
bench_loop plain_acoustic8, plain_acoustic16, hand_acoustic8, hand_acoustic16;
bench_loop plain_diffuse, plain_advect, hand_diffuse, hand_advect;
bench_loop plain_d2q9, plain_d3q19, plain_d3q19_f32;
bench_loop hand_d2q9, hand_d3q19, hand_d3q19_f32;
bench_loop plain_sum, plain_greatest;
bench_loop hand_sum, hand_greatest;
bench_chain hand_skewed7;

#endif
