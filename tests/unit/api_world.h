/* What the tests of the public interface share: a context with a few kernels, a grid and two
 * fields. */
#ifndef TESTS_API_WORLD_H
#define TESTS_API_WORLD_H

#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernels[] =
    "kernel set(out double u, double c) { u = c; }\n"
    "kernel where(out double u) { u = ix + 10*iy; }\n"
    "kernel add(in double u, inout double v, double w[3]) { v += w[1]*u; }\n"
    "kernel shift(in double u, out double v) { v = u[-1,0]; }\n"
    "kernel total(in double u, sum double s) { s += u; }\n"
    "kernel scale(inout double u, double by) { u *= by; }\n"
    "kernel count(inout long n) { n += 1; }\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v;
    int errors;
} world;

enum { NX = 5, NY = 3, POINTS = NX * NY };

static inline void count_error(void *data, kata_status status, const char *message)
{
    (void)status;
    (void)message;
    ++*(int *)data;
}

static inline void ignore(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    (void)message;
}

static inline void open_world(world *w)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = count_error, .handler_data = &w->errors});
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_2d(w->k, NX, NY);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w->v = kata_field_like(w->u, "v");
    assert_true(kata_ok(w->k));
}

static inline void close_world(world *w) { assert_int_equal(kata_close(w->k), KATA_OK); }

static inline kata_kernel *find(world *w, const char *name) { return kata_kernel_find(w->m, name); }

static inline double at(world *w, kata_field *f, int64_t x, int64_t y)
{
    double value;
    kata_get(f, kata_box_2d(w->g, x, x + 1, y, y + 1), &value, 1);
    return value;
}

#endif
