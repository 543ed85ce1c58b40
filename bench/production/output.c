/* A run that writes a field every so many steps, behind, while it goes on.
 *
 * Three things take turns: the run without output, the run with it until its last file is written,
 * and a plain program's writes of the same bytes. All files end on the disk (fsync), the run's
 * by the library, which does it before a file gets its name. */
#include "base/base.h"
#include "production.h"
#include "production_kata.h"

#include <fcntl.h>
#include <kata/kata.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EVERY = 20, OUTPUTS = 4, PIECE = 8 << 20 };

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

/* Seconds until all steps are done and all files are written. */
static double seconds_of_run(run *r, const char *path)
{
    double start = clock_seconds();
    for (int i = 0; i < OUTPUTS; i++) {
        advance(r);
        if (path) kata_save(r->u, path, .behind = true);
    }
    kata_flush(r->k);
    if (path) kata_output_wait(r->k);
    return clock_seconds() - start;
}

/* Seconds to write as many bytes to as many files, each with one fsync. Negative on error. */
static double seconds_of_disk(double bytes, const char *path)
{
    char *piece = calloc(1, PIECE);
    bool good = piece != NULL;
    double start = clock_seconds();
    for (int i = 0; i < OUTPUTS && good; i++) {
        int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        good = file >= 0;
        for (double left = bytes; left > 0 && good; left -= PIECE) {
            size_t size = left < PIECE ? (size_t)left : PIECE;
            good = write(file, piece, size) == (ssize_t)size;
        }
        good = good && !fsync(file);
        if (file >= 0) close(file);
    }
    double seconds = clock_seconds() - start;
    unlink(path);
    free(piece);
    return good ? seconds : -1;
}

void measure_output(int side, const char *folder)
{
    double plain[MOST_ROUNDS], with[MOST_ROUNDS], disk[MOST_ROUNDS], more[MOST_ROUNDS];
    char path[4096], alone[4096];
    snprintf(path, sizeof path, "%s/bench-output.npy", folder);
    snprintf(alone, sizeof alone, "%s/bench-output.bytes", folder);
    run r = open_run(side);
    seconds_of_run(&r, NULL); /* compiles, searches for a plan */
    for (int i = 0; i < rounds && kata_ok(r.k); i++) {
        plain[i] = seconds_of_run(&r, NULL);
        with[i] = seconds_of_run(&r, path);
        disk[i] = seconds_of_disk(r.bytes, alone);
        more[i] = with[i] - plain[i];
        if (disk[i] < 0) {
            perror(alone);
            break;
        }
        printf("%.2f s, with output %.2f s, its bytes alone %.2f s\n", plain[i], with[i], disk[i]);
        if (i + 1 < rounds) continue;
        printf("%d outputs of %.2f GB, one every %d steps: medians of %d rounds\n", OUTPUTS,
               1e-9 * r.bytes, EVERY, rounds);
        printf("  the run %.2f s; output makes it longer by %.2f s; the disk alone needs %.2f s\n",
               median(plain, rounds), median(more, rounds), median(disk, rounds));
    }
    kata_close(r.k);
    unlink(path);
}
