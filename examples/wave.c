/* Sound from sources between grid points, recorded by receivers between grid points.
 *
 *     wave [ORDER]    ORDER in space: 2, 4, ..., 16 (8 if it is not given)
 *
 * First in a medium that is the same everywhere: beside the exact pressure. Then over two layers:
 * the seismogram of a line of receivers, as a picture and as data. */
#include <kata/kata.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

typedef struct medium {
    kata *k;
    kata_grid *g;
    kata_module *m;
    kata_field *p, *next, *speed; /* speed: (c*dt/h)^2 */
    kata_field *dx, *dy, *dz;     /* damping, along one dimension each */
    double period;                /* of the sources, in steps */
} medium;

static void damp(medium *w, const char *name, kata_field *d, double most)
{
    kata_apply(kata_kernel_find(w->m, name), kata_on(d), d, 16, most);
}

static medium open_medium(kata *k, const char *constants, int nx, int ny, int nz, double most)
{
    medium w = {.k = k, .g = kata_grid_3d(k, nx, ny, nz)};
    w.m = kata_module_load(k, "wave.kata", .constants = constants);
    w.p = kata_field_new(w.g, "p", KATA_F32, .boundary = KATA_CONSTANT);
    w.next = kata_field_like(w.p, "next");
    w.speed = kata_field_like(w.p, "speed");
    w.dx = kata_field_new(w.g, "dx", KATA_F32, .along = KATA_X);
    w.dy = kata_field_new(w.g, "dy", KATA_F32, .along = KATA_Y);
    w.dz = kata_field_new(w.g, "dz", KATA_F32, .along = KATA_Z);
    damp(&w, "damp_x", w.dx, most);
    damp(&w, "damp_y", w.dy, most);
    damp(&w, "damp_z", w.dz, most);
    return w;
}

/* Ricker's wavelet. */
static double ricker(double t, double period)
{
    double a = pow(pi * (t / period - 1.2), 2);
    return (1 - 2 * a) * exp(-a);
}

/* Makes the steps of a shot; the log of the scalar gets the pressure at the receivers after each.
 */
static void shoot(medium *w, kata_points *source, kata_points *receivers, kata_scalar *traces,
                  int steps)
{
    kata_kernel *step = kata_kernel_find(w->m, "step");
    kata_scalar_log(traces, steps);
    for (int t = 0; t < steps; t++) {
        kata_apply(step, kata_all(w->g), w->p, w->next, w->speed, w->dx, w->dy, w->dz);
        kata_inject(source, ricker(t, w->period), w->next, .scale = w->speed);
        kata_record(receivers, traces, w->next);
        kata_swap(w->p, w->next);
        kata_step(w->k);
    }
}

/* ---- beside the exact solution --------------------------------------------------------------- */

enum { NEAR = 4, NEAR_STEPS = 580 };

static void compare(kata *k, const char *constants)
{
    const double source[3] = {39.3, 40.4, 39.7}, courant = 0.1;
    const double at[NEAR][3] = {
        {51.3, 40.4, 39.7}, {39.3, 52.6, 44.1}, {30.9, 33.2, 49.5}, {28.6, 30.3, 25.2}};
    static double traces[NEAR_STEPS][NEAR];
    medium w = open_medium(k, constants, 80, 80, 80, 0);
    w.period = 16 / courant; /* the waves are 16 points long */
    kata_fill(w.speed, kata_all(w.g), courant * courant);
    kata_points *from = kata_points_new(w.g, "source", source, 1, .reach = 4);
    kata_points *to = kata_points_new(w.g, "receivers", at[0], NEAR, .reach = 4);
    kata_scalar *pressure = kata_scalar_array_new(k, "pressure", KATA_F64, NEAR);
    shoot(&w, from, to, pressure, NEAR_STEPS);
    kata_scalar_log_get(pressure, traces[0], NEAR_STEPS * NEAR);

    for (int i = 0; i < NEAR; i++) {
        double r = 0, worst = 0, most = 0;
        for (int d = 0; d < 3; d++) r += pow(at[i][d] - source[d], 2);
        r = sqrt(r);
        for (int t = 0; t < NEAR_STEPS; t++) {
            double exact = ricker(t + 1 - r / courant, w.period) / (4 * pi * r);
            worst = fmax(worst, fabs(traces[t][i] - exact));
            most = fmax(most, fabs(exact));
        }
        printf("distance %5.2f: off by %.2f %% of the exact trace\n", r, 100 * worst / most);
    }
}

/* ---- two layers ------------------------------------------------------------------------------ */

enum { LINE = 160, LINE_STEPS = 480 };

static void layers(kata *k, const char *constants)
{
    const double source[3] = {80.5, 32.5, 20.5};
    static double at[LINE][3];
    static float traces[LINE_STEPS][LINE], picture[LINE_STEPS][LINE];
    medium w = open_medium(k, constants, 192, 64, 64, 0.15);
    w.period = 30;
    kata_apply(kata_kernel_find(w.m, "layers"), kata_all(w.g), w.speed, 0.3, 0.45, 42);
    for (int i = 0; i < LINE; i++) {
        at[i][0] = 16.5 + i;
        at[i][1] = 32.5;
        at[i][2] = 18.5;
    }
    kata_points *from = kata_points_new(w.g, "shot", source, 1, .reach = 4);
    kata_points *to = kata_points_new(w.g, "line", at[0], LINE);
    kata_scalar *pressure = kata_scalar_array_new(k, "line_pressure", KATA_F32, LINE);
    shoot(&w, from, to, pressure, LINE_STEPS);
    kata_scalar_log_get(pressure, traces[0], LINE_STEPS * LINE);

    /* time runs down in the picture, whose rows are saved upwards */
    kata_grid *plane = kata_grid_2d(k, LINE, LINE_STEPS);
    kata_field *seismogram = kata_field_new(plane, "seismogram", KATA_F32);
    kata_put(seismogram, kata_all(plane), traces[0], LINE * LINE_STEPS);
    kata_save(seismogram, "seismogram.npy");
    for (int t = 0; t < LINE_STEPS; t++)
        for (int i = 0; i < LINE; i++) picture[t][i] = traces[LINE_STEPS - 1 - t][i];
    kata_put(seismogram, kata_all(plane), picture[0], LINE * LINE_STEPS);
    kata_save(seismogram, "seismogram.png", .low = -5e-4, .high = 5e-4);
    printf("seismogram.png, seismogram.npy: %d traces of %d steps\n", LINE, LINE_STEPS);
}

int main(int argc, char **argv)
{
    int order = argc > 1 ? atoi(argv[1]) : 8;
    char constants[16];
    if (argc > 2 || order < 2 || order > 16 || order % 2) {
        fprintf(stderr, "usage: wave [ORDER], ORDER 2, 4, ..., 16\n");
        return 2;
    }
    snprintf(constants, sizeof constants, "R=%d", order / 2);
    kata *k = kata_open(NULL);
    compare(k, constants);
    layers(k, constants);
    return kata_close(k);
}
