/* What is measured, and what its chains must move. */
#include "bench_streams.h"

#include <math.h>
#include <string.h>

/* Members that a row leaves out are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* clang-format off */
/* Beyond the sides are constants, or the values of the opposite side. */
static const bench_case own_cases[] = {
    {"acoustic 8 f32, constant outside", {{"acoustic8", "0123"}},
     .fields = {{"u", 1}, {"previous", 1}, {"c", 1, .scale = 0.1}, {"next", 1}}, .swaps = "1301",
     .type = KATA_F32, .dimensions = 3, .ghosts = 4, .rule = KATA_CONSTANT},
    {"D3Q19, periodic", {{"d3q19", "01n"}}, .fields = {{"f", 19}, {"g", 19}}, .swaps = "01",
     .numbers = {1.2}, .dimensions = 3, .ghosts = 1, .rule = KATA_PERIODIC},
    {"D3Q19, constant outside", {{"d3q19", "01n"}}, .fields = {{"f", 19}, {"g", 19}},
     .swaps = "01", .numbers = {1.2}, .dimensions = 3, .ghosts = 1, .rule = KATA_CONSTANT},
};
enum { OWN_CASES = sizeof own_cases / sizeof *own_cases };

const streams_case streams_cases[] = {
    /* u comes and v goes, or v comes and u goes; at the end the old one stays, too */
    {"7-point, constant outside", {288, 288, 288}, 240, .fields = 16, .in = 8, .out = 8, .last = 8, .reach = 1},
    /* u, the one before and c come, u and the one before go; so does `next`, at the end */
    {"acoustic 8 f32, constant outside", {288, 288, 288}, 120, .fields = 16, .in = 12, .out = 8, .last = 4,
     .reach = 4},
    /* density, energy, two velocities, pressure and viscosity come and go in each step; at the end
       all that is no temporary stays */
    {"hydrodynamics", {1680, 1680, 1}, 17, .fields = 136, .in = 48, .out = 48, .last = 88,
     .reach = 1, .waits = true},
    /* the state; at the end also the old one and the base. Each stage shifts the window by six
       planes, and as many are kept for the end of the turn around the box */
    {"Taylor-Green vortex", {128, 128, 128}, 24, .fields = 184, .in = 40, .out = 40, .last = 80,
     .reach = 36},
    {"D3Q19, periodic", {108, 108, 108}, 240, .fields = 304, .in = 152, .out = 152, .last = 152,
     .reach = 2},
    {"D3Q19, constant outside", {108, 108, 108}, 240, .fields = 304, .in = 152, .out = 152,
     .last = 152, .reach = 1},
    /* with ghosts that nobody writes */
    {"7-point 3-D", {288, 288, 288}, 240, .fields = 16, .in = 8, .out = 8, .last = 8, .reach = 1},
};
/* clang-format on */
const int streams_case_count = sizeof streams_cases / sizeof *streams_cases;

const bench_case *streams_find_case(const char *name)
{
    for (int i = 0; i < OWN_CASES; i++)
        if (!strcmp(own_cases[i].name, name)) return &own_cases[i];
    for (int i = 0; i < bench_sweep_count; i++)
        if (!strcmp(bench_sweeps[i].name, name)) return &bench_sweeps[i];
    for (int i = 0; i < bench_loop_count; i++)
        if (!strcmp(bench_loops[i].name, name)) return &bench_loops[i];
    return NULL;
}

double streams_points(const streams_case *c)
{
    return (double)c->size[0] * (double)c->size[1] * (double)c->size[2];
}

double streams_bytes(const streams_case *c) { return streams_points(c) * c->fields; }

/* Of a window a plane is computed, one comes in, one goes out, and the others are those by which
 * its steps are shifted. */
streams_bound streams_find_bound(const streams_case *c, double limit)
{
    const double along = (double)c->size[c->size[2] > 1 ? 2 : 1];
    const int64_t planes = (int64_t)(limit / (streams_bytes(c) / along));
    streams_bound b = {.deepest = (planes - 3) / c->reach};
    if (c->waits || b.deepest < 1) b.deepest = 1;
    if (b.deepest > c->steps) b.deepest = c->steps;
    b.sections = (c->steps + b.deepest - 1) / b.deepest;
    b.least = ((double)b.sections * (c->in + c->out) + c->last) * streams_points(c);
    return b;
}
