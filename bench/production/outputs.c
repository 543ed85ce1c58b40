/* A run that writes a field every so many steps, behind, while it goes on.
 *
 * Three things take turns: the run without output, the run with it, and a plain program's writes of
 * the same bytes. What is written waits for the disk (fsync) at the end of each of the last two. */
#include "base/base.h"
#include "bench.h"
#include "production.h"
#include "production_kata.h"

#include <fcntl.h>
#include <kata/kata.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EVERY = 20, OUTPUTS = 4, PIECE = 8 << 20, MOST_PATH = 4096 };

typedef struct run {
    kata *k;
    kata_grid *grid;
    kata_field *u, *v;
    kata_kernel *step;
    double bytes; /* of an output */
} run;

static run open_run(int side)
{
    run r = {.k = kata_open(&(kata_options){.wait = true})};
    r.grid = kata_grid_3d(r.k, side, side, side);
    r.u = kata_field_new(r.grid, "u", KATA_F64, .boundary = KATA_CLAMP);
    r.v = kata_field_like(r.u, "v");
    r.step = kata_module_kernel(kata_module_from_text(r.k, "production.kata", production_kata), 1);
    r.bytes = 8.0 * side * side * side;
    kata_fill(r.u, kata_all(r.grid), 1);
    return r;
}

static void advance(run *r)
{
    for (int t = 0; t < EVERY; t++) {
        kata_apply(r->step, kata_all(r->grid), r->u, r->v, 0.1);
        kata_swap(r->u, r->v);
    }
}

static void name_file(char path[MOST_PATH], const char *folder, int number)
{
    snprintf(path, MOST_PATH, "%s/kata-bench-output-%d.npy", folder, number);
}

/* Whether a file's bytes are on the disk. */
static bool synchronise(const char *path)
{
    int file = open(path, O_RDONLY);
    bool good = file >= 0 && !fsync(file);
    if (file >= 0) close(file);
    return good;
}

/* Seconds until all steps are done; in *all until all files are on the disk, too, and negative if
 * that failed. Without a folder nothing is written. */
static double seconds_of_run(run *r, const char *folder, double *all)
{
    char path[MOST_PATH];
    bool good = true;
    double start = clock_seconds();
    for (int i = 0; i < OUTPUTS; i++) {
        advance(r);
        if (!folder) continue;
        name_file(path, folder, i);
        kata_save(r->u, path, .behind = true);
    }
    kata_flush(r->k);
    double steps = clock_seconds() - start;
    if (folder) kata_output_wait(r->k);
    for (int i = 0; i < OUTPUTS && folder && kata_ok(r->k); i++) {
        name_file(path, folder, i);
        good = synchronise(path) && good;
    }
    *all = good ? clock_seconds() - start : -1;
    return steps;
}

static bool write_bytes(const char *path, double bytes, const char *piece)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    bool good = file >= 0;
    for (double left = bytes; left > 0 && good; left -= PIECE) {
        size_t size = left < PIECE ? (size_t)left : PIECE;
        good = write(file, piece, size) == (ssize_t)size;
    }
    if (file >= 0) close(file);
    return good;
}

/* Seconds to write as many bytes to as many files. Negative on error. */
static double seconds_of_disk(double bytes, const char *folder)
{
    char path[MOST_PATH], *piece = calloc(1, PIECE);
    bool good = piece != NULL;
    double start = clock_seconds();
    for (int i = 0; i < OUTPUTS && good; i++) {
        name_file(path, folder, i);
        good = write_bytes(path, bytes, piece);
    }
    for (int i = 0; i < OUTPUTS && good; i++) {
        name_file(path, folder, i);
        good = synchronise(path);
    }
    free(piece);
    return good ? clock_seconds() - start : -1;
}

/* So that nothing is left of it for what comes next. */
static void remove_files(const char *folder)
{
    char path[MOST_PATH];
    for (int i = 0; i < OUTPUTS; i++) {
        name_file(path, folder, i);
        unlink(path);
    }
}

bool measure_output(int side, const char *folder)
{
    double plain[MOST_ROUNDS], steps[MOST_ROUNDS], all[MOST_ROUNDS], disk[MOST_ROUNDS];
    int counted = 0;
    run r = open_run(side);
    seconds_of_run(&r, NULL, &all[0]);   /* compiles, searches for a plan */
    seconds_of_run(&r, folder, &all[0]); /* memory for copies */
    remove_files(folder);
    while (counted < rounds && kata_ok(r.k)) {
        int i = counted;
        plain[i] = seconds_of_run(&r, NULL, &all[i]);
        steps[i] = seconds_of_run(&r, folder, &all[i]) - plain[i];
        remove_files(folder);
        disk[i] = seconds_of_disk(r.bytes, folder);
        remove_files(folder);
        if (all[i] < 0 || disk[i] < 0) break;
        all[i] -= plain[i];
        counted++;
    }
    const bool good = counted == rounds;
    if (kata_ok(r.k) && !good) fprintf(stderr, "%s: a file cannot be written\n", folder);
    kata_close(r.k);
    if (!good) return false;
    printf("%d outputs of %.2f GB, one every %d steps; medians of %d rounds, in seconds\n", OUTPUTS,
           1e-9 * r.bytes, EVERY, counted);
    printf("%-50s %8.2f\n", "the steps alone", bench_median(plain, counted));
    printf("%-50s %8.2f\n", "more with output, until the last step", bench_median(steps, counted));
    printf("%-50s %8.2f\n", "more with output, until all is on the disk",
           bench_median(all, counted));
    printf("%-50s %8.2f\n", "as many bytes alone, until they are on the disk",
           bench_median(disk, counted));
    return true;
}
