/* Two jets on a turning plane break up into vortices. The program prints and plots how well energy
 * and potential enstrophy are kept, and draws the potential vorticity.
 *     shallow_water [energy | enstrophy | balance] [POINTS [HOURS]]
 * The first word says which of the two the scheme keeps. `balance` leaves the jets undisturbed, and
 * prints how far they change. */
#include <kata/kata.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double side = 4e6, speed = 40, width = 1.2e5; /* of the plane, and of the jets; SI */

typedef struct model {
    kata *k;
    kata_grid *g;
    kata_module *m;
    kata_field *h, *u, *v, *U, *V, *q, *B, *rate, *before, *earlier;
    kata_scalar *energy, *enstrophy, *across;
    double dx;
    int64_t steps;
} model;

static kata_field *periodic(model *s, const char *name)
{
    return kata_field_new(s->g, name, KATA_F64, .boundary = KATA_PERIODIC);
}

static void make_fields(model *s)
{
    s->h = periodic(s, "h"), s->u = periodic(s, "u"), s->v = periodic(s, "v");
    s->U = periodic(s, "U"), s->V = periodic(s, "V");
    s->q = periodic(s, "q"), s->B = periodic(s, "B");
    s->rate = kata_field_new(s->g, "rate", KATA_F64, .components = 3);
    s->before = kata_field_like(s->rate, "before");
    s->earlier = kata_field_like(s->rate, "earlier");
    kata_fill(s->before, kata_all(s->g), 0);
    kata_fill(s->earlier, kata_all(s->g), 0);
    s->energy = kata_scalar_new(s->k, "energy", KATA_F64);
    s->enstrophy = kata_scalar_new(s->k, "enstrophy", KATA_F64);
    s->across = kata_scalar_new(s->k, "across", KATA_F64);
}

/* The first two steps have no rates of change at earlier steps, or only one. */
static void step(model *s, double dt)
{
    static const double weights[3][3] = {{1, 0, 0}, {1.5, -0.5, 0}, {23. / 12, -16. / 12, 5. / 12}};
    const double *w = weights[s->steps < 2 ? s->steps : 2];
    kata_apply(kata_kernel_find(s->m, "diagnose"), kata_all(s->g), s->h, s->u, s->v, s->U, s->V,
               s->q, s->B, 1 / s->dx);
    kata_apply(kata_kernel_find(s->m, "advance"), kata_all(s->g), s->h, s->u, s->v, s->U, s->V,
               s->q, s->B, s->rate, s->before, s->earlier, dt * w[0], dt * w[1], dt * w[2],
               1 / s->dx);
    kata_rotate(s->earlier, s->before, s->rate); /* the earliest rates are overwritten next */
    kata_step(s->k);
    s->steps++;
}

typedef struct sums {
    double energy, enstrophy, across;
} sums;

static sums measure(model *s)
{
    sums now = {0};
    kata_apply(kata_kernel_find(s->m, "measure"), kata_all(s->g), s->h, s->u, s->v, s->energy,
               s->enstrophy, s->across, 1 / s->dx);
    kata_scalar_get(s->energy, &now.energy);
    kata_scalar_get(s->enstrophy, &now.enstrophy);
    kata_scalar_get(s->across, &now.across);
    return now;
}

/* ---- a plot -----------------------------------------------------------------------------------
 */

enum { LINES = 8, PER_LINE = 12, TIMES = LINES * PER_LINE, ACROSS = 5 * TIMES, UP = 241 };

/* The row of a change: from 1e-12 at the bottom to 1 at the top, 20 to a decade. */
static int row_of(double change)
{
    double row = 20 * (log10(fabs(change)) + 12);
    return row > 0 ? (row < UP - 1 ? (int)row : UP - 1) : 0;
}

/* From row to row: what jumps stays a line. */
static void draw_curve(float (*picture)[ACROSS], const double *change, float colour)
{
    int last = row_of(change[0]);
    for (int t = 0; t < TIMES; t++) {
        int row = row_of(change[t]), step = row < last ? -1 : 1;
        for (int y = last; y != row; y += step) picture[y][5 * t] = colour;
        for (int x = 0; x < 5; x++) picture[row][5 * t + x] = colour;
        last = row;
    }
}

/* Time to the right; upwards how much each sum has changed, with a line for each decade. */
static void plot(model *s, const double *energy, const double *enstrophy)
{
    static float picture[UP][ACROSS];
    for (int y = 0; y < UP; y += 20)
        for (int x = 0; x < ACROSS; x++) picture[y][x] = 0.15f;
    draw_curve(picture, energy, 1);
    draw_curve(picture, enstrophy, 0.6f);
    kata_grid *plane = kata_grid_2d(s->k, ACROSS, UP);
    kata_field *sums = kata_field_new(plane, "sums", KATA_F32);
    kata_put(sums, kata_all(plane), picture[0], ACROSS * UP);
    kata_save(sums, "sums.png", .low = 0, .high = 1);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Waves of the surface pass a fifth of a cell in a step. */
static void run(model *s, double hours)
{
    static double energy[TIMES], enstrophy[TIMES];
    const double part = 3600 * hours / LINES, fastest = sqrt(9.81 * 1000) + 2 * speed;
    const int64_t steps = (int64_t)ceil(part / (0.2 * s->dx / fastest));
    const sums first = measure(s);
    kata_rows *rows = kata_rows_new(s->k, "sums.csv", "energy, enstrophy");
    printf("hours   energy      enstrophy   fastest across\n");
    for (int i = 0; i < TIMES && kata_ok(s->k); i++) {
        const int of = i % PER_LINE; /* the steps of a line, in parts */
        for (int64_t t = steps * of / PER_LINE; t < steps * (of + 1) / PER_LINE; t++)
            step(s, part / (double)steps);
        const sums now = measure(s);
        energy[i] = now.energy / first.energy - 1;
        enstrophy[i] = now.enstrophy / first.enstrophy - 1;
        const double hour = (i + 1) * hours / TIMES, row[] = {energy[i], enstrophy[i]};
        kata_rows_add(rows, 1, &hour, row, 2);
        if (of == PER_LINE - 1)
            printf("%5g   %+.2e   %+.2e   %.2f m/s\n", hour, energy[i], enstrophy[i], now.across);
    }
    plot(s, energy, enstrophy);
}

static void run_in_balance(model *s, double hours)
{
    kata_field *first = periodic(s, "first");
    double change = 0;
    kata_copy(first, kata_all(s->g), s->u, kata_all(s->g));
    run(s, hours);
    kata_apply(kata_kernel_find(s->m, "compare"), kata_all(s->g), s->u, first, s->across);
    kata_scalar_get(s->across, &change);
    printf("the jets have changed by %.1e of their speed\n", change / speed);
}

int main(int argc, char **argv)
{
    const char *const keeps = argc > 1 ? argv[1] : "enstrophy";
    const int points = argc > 2 ? atoi(argv[2]) : 128;
    const double hours = argc > 3 ? atof(argv[3]) : 48;
    const bool enstrophy = !strcmp(keeps, "enstrophy"), balance = !strcmp(keeps, "balance");
    if (points < 8 || !(hours > 0) || (!enstrophy && !balance && strcmp(keeps, "energy") != 0)) {
        fprintf(stderr, "usage: shallow_water [energy | enstrophy | balance] [POINTS [HOURS]]\n");
        return 2;
    }
    model s = {.k = kata_open(NULL), .dx = side / points};
    s.g = kata_grid_2d(s.k, points, points);
    s.m = kata_module_load(s.k, "shallow_water.kata",
                           .constants = enstrophy ? "ENSTROPHY=true" : NULL);
    make_fields(&s);
    kata_apply(kata_kernel_find(s.m, "start"), kata_all(s.g), s.h, s.u, s.v, speed, width,
               balance ? 0 : 1, s.dx);
    if (balance)
        run_in_balance(&s, hours);
    else
        run(&s, hours);
    kata_save(s.q, "shallow_water.png");
    return kata_close(s.k);
}
