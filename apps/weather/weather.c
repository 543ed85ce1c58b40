/* kata run weather: runs the two stencils of weather models in a time loop, says what they
 * conserve, and draws a plane. */
#include "weather.h"

#include "apps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const starts[] = {"layer", "wave", NULL};

typedef struct request {
    weather_case c;
    bool check, quiet;
    resources limit;
    checkpoints checkpoints;
    const char *picture;
} request;

static const request defaults = {
    .c = {.size = {128, 128, 64}, .steps = 60, .updraft = 0.4, .diffusion = 0.003},
    .picture = "weather.png"};

static const option table[] = {
    {"nx", "points in x", OPTION_VALUE(request, c.size[0]), .low = 4, .high = 4096},
    {"ny", "points in y", OPTION_VALUE(request, c.size[1]), .low = 4, .high = 4096},
    {"nz", "levels", OPTION_VALUE(request, c.size[2]), .low = 3, .high = 1024},
    {"steps", "time steps", OPTION_VALUE(request, c.steps), .may_change = true, .low = 1,
     .high = 1e9},
    {"updraft", "the fastest rising air, in levels per step", OPTION_VALUE(request, c.updraft),
     .low = 0, .high = 10},
    {"diffusion", "of fourth order, in a step; up to four times as strong at the top",
     OPTION_VALUE(request, c.diffusion), .low = 0, .high = 1.0 / 128},
    {"start", "moist air below dry air, or a wave that only diffuses",
     OPTION_VALUE(request, c.start), .choices = starts},
    {"check", "make all steps in plain C, too, and compare", OPTION_VALUE(request, check)},
    {"output", "the picture: height over x, in the middle of a row of updrafts",
     OPTION_VALUE(request, picture), .may_change = true, .placeholder = "FILE.png"},
    OPTIONS_OF_RESOURCES(request),
    OPTIONS_OF_CHECKPOINTS(request),
    {"quiet", "show no progress", OPTION_VALUE(request, quiet), .may_change = true},
};

const options weather_options = {
    "kata run weather",
    "Transports moisture by the two kinds of stencils of weather models: limited horizontal\n"
    "diffusion of fourth order, and implicit vertical advection. Prints what they conserve and\n"
    "draws a plane. The exit code is 1 when a check fails: with --check every value has the bits\n"
    "that plain C computes; a wave without updrafts decays exactly.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

/* Loops of a step. */
enum { LOOPS = 5 };

/* Values at the start; all memory is the caller's. */
typedef struct start {
    double *values, *means, *means_now;
} start;

static int64_t points_of(const weather_case *c) { return c->size[0] * c->size[1] * c->size[2]; }

static void free_start(start *s)
{
    free(s->values);
    free(s->means);
    free(s->means_now);
}

static bool keep_start(start *s, const weather_air *a)
{
    const size_t levels = (size_t)a->c->size[2];
    s->values = malloc((size_t)points_of(a->c) * sizeof *s->values);
    s->means = malloc(levels * sizeof *s->means);
    s->means_now = malloc(levels * sizeof *s->means_now);
    if (!s->values || !s->means || !s->means_now) return false;
    kata_get(a->now, kata_all(a->grid), s->values, points_of(a->c));
    weather_find_means(a, s->means);
    return kata_ok(a->k);
}

/* Makes the steps from number `first` on; returns seconds. */
static double run(const weather_air *a, int64_t first, bool quiet)
{
    const int64_t steps = a->c->steps - first;
    progress p;
    progress_start(&p, a->k, "weather", (double)(LOOPS * steps * points_of(a->c)), quiet);
    const double begin = progress_clock();
    for (int64_t i = first; i < a->c->steps && kata_ok(a->k); i++) {
        weather_step(a);
        progress_show(&p);
    }
    kata_flush(a->k);
    progress_erase(&p);
    return progress_clock() - begin;
}

/* The largest change of the mean of a level, and the change of the mean of all. */
static void print_means(const start *s, const weather_air *a)
{
    const int64_t levels = a->c->size[2];
    double most = 0, total = 0, total_now = 0;
    for (int64_t z = 0; z < levels; z++) {
        most = fmax(most, fabs(s->means_now[z] - s->means[z]));
        total += s->means[z] / (double)levels;
        total_now += s->means_now[z] / (double)levels;
    }
    printf("mean %.12f, at the start %.12f; the mean of a level changed by up to %.2g\n", total_now,
           total, most);
}

/* What a wave in both directions keeps of its height in all steps. */
static double exact_height(const weather_case *c)
{
    const double x = sin(acos(-1) / (double)c->size[0]), y = sin(acos(-1) / (double)c->size[1]);
    const double curvature = 4 * (x * x + y * y);
    return pow(1 - c->diffusion * curvature * curvature, (double)c->steps);
}

/* On the lowest level, where the diffusion is the one asked for. */
static bool check_wave(const start *s, const weather_air *a)
{
    const int64_t n = a->c->size[0] * a->c->size[1];
    const double height = exact_height(a->c);
    double *values = malloc((size_t)n * sizeof *values), most = 0;
    if (!values) return false;
    kata_get(a->now, kata_box_3d(a->grid, 0, a->c->size[0], 0, a->c->size[1], 0, 1), values, n);
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(values[i] - height * s->values[i]));
    free(values);
    printf("the wave keeps %.12f of its height; largest difference from that %.2g\n", height, most);
    return most < 1e-12;
}

static bool check_in_c(const start *s, const weather_air *a)
{
    const double most = weather_compare(a, s->values);
    printf("largest difference from plain C: %g\n", most);
    return most == 0;
}

static bool report(const start *s, const weather_air *a, const request *r, int64_t first,
                   double seconds)
{
    const int64_t steps = a->c->steps - first;
    const weather_bounds b = weather_find_bounds(a);
    bool good = true;
    weather_find_means(a, s->means_now);
    if (!kata_ok(a->k)) return false;
    printf("%lld steps in %.2f s, %.1f million points per second\n", (long long)steps, seconds,
           1e-6 * (double)(steps * points_of(a->c)) / seconds);
    printf("values from %.6f to %.6f\n", b.low, b.high);
    print_means(s, a);
    if (r->check) good = check_in_c(s, a);
    if (a->c->start == WEATHER_WAVE && a->c->updraft == 0) good = check_wave(s, a) && good;
    return good;
}

/* Height over x. */
static void draw(const weather_air *a, const char *path)
{
    const int64_t *n = a->c->size, y = n[1] / 8;
    const kata_range plane = kata_box_3d(a->grid, 0, n[0], y, y + 1, 0, n[2]);
    enlarged_plane_save(a->k, a->now, &plane, (const int64_t[]){n[0], n[2]}, (const int[]){1, 3},
                        NULL, path);
    if (kata_ok(a->k)) printf("wrote %s\n", path);
}

static bool run_from(const start *s, weather_air *a, const request *r, int64_t first)
{
    const double seconds = run(a, first, r->quiet);
    const bool good = kata_ok(a->k) && report(s, a, r, first, seconds);
    if (kata_ok(a->k)) draw(a, r->picture);
    return good;
}

static bool compute(kata *k, const request *r)
{
    weather_air a;
    start s = {0};
    bool good = false;
    weather_air_make(&a, k, &r->c);
    printf("weather: %lld x %lld points, %lld levels\n", (long long)r->c.size[0],
           (long long)r->c.size[1], (long long)r->c.size[2]);
    fflush(stdout);
    if (kata_ok(k) && keep_start(&s, &a)) {
        const int64_t first = options_resume(k, &r->checkpoints);
        good = kata_ok(k) && options_may_end(&r->checkpoints, first, r->c.steps) &&
               run_from(&s, &a, r, first);
    }
    free_start(&s);
    return good;
}

int weather_main(int argc, char **argv)
{
    request r;
    int exit_code;
    if (!options_read(&weather_options, &r, argc, argv, &exit_code)) return exit_code;
    exit_code = options_check_file(&weather_options, "--output", r.picture, ".png");
    if (!exit_code) exit_code = options_check_checkpoints(&weather_options, &r, &r.checkpoints);
    if (exit_code) return exit_code;
    kata *k = options_open(&weather_options, &r.limit, &exit_code);
    if (!k) return exit_code;
    const bool good = compute(k, &r);
    return kata_close(k) == KATA_OK && good ? 0 : EXIT_FAILURE;
}
