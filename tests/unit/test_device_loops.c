/* Loops of every kind run on a device, with the bits of the executor "reference"; where one fails,
 * the message is that of the reference, too. On each kind of device that this machine has. */
/* Labels: hostile slow */
#include "api/api.h"
#include "device_kinds.h"
#include "exec/on_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 70, NY = 9, NZ = 5, POINTS = NX * NY * NZ, MOST = 8 * POINTS };

static const char *kind; /* "cuda", "opencl" */

/* What a program leaves, and what is said when it fails. */
typedef struct outcome {
    double values[MOST];
    int count;
    char message[2000];
    int64_t device_loops, host_loops;
} outcome;

static outcome expected, found;

typedef void program(kata *k, outcome *o);

static void keep_message(void *data, kata_status status, const char *message)
{
    outcome *o = data;
    (void)status;
    if (!o->message[0]) snprintf(o->message, sizeof o->message, "%s", message);
}

static void run(program *p, const char *device, outcome *o)
{
    memset(o, 0, sizeof *o);
    kata *k = kata_open(&(kata_options){.executor = device ? "cpu" : "reference",
                                        .device = device ? device : "none",
                                        .handler = keep_message,
                                        .handler_data = o,
                                        .wait = true});
    assert_non_null(k);
    p(k, o);
    if (device && k->exec.device) {
        o->device_loops = k->exec.device->loops;
        o->host_loops = k->exec.device->host_loops;
    }
    kata_close(k);
}

/* Runs a program by the reference and on the device, of which `host` loops run on the CPU. */
static void compare_failing(program *p, int64_t host)
{
    run(p, NULL, &expected);
    run(p, kind, &found);
    assert_string_equal(found.message, expected.message);
    assert_int_equal(found.count, expected.count);
    assert_memory_equal(found.values, expected.values, (size_t)found.count * sizeof(double));
    assert_int_equal(found.host_loops, host);
    if (!found.device_loops) fail_msg("nothing ran on the device: %s", found.message);
}

static void compare(program *p, int64_t host)
{
    compare_failing(p, host);
    assert_string_equal(found.message, "");
}

/* ---- programs -------------------------------------------------------------------------------- */

static kata_grid *make_grid(kata *k) { return kata_grid_3d(k, NX, NY, NZ); }

/* Values that differ from point to point. */
static void put_values(kata_field *f, kata_grid *g, int first)
{
    static int ints[POINTS];
    for (int i = 0; i < POINTS; i++) ints[i] = (int)((i * 7919LL + first) % 1009) - 500;
    kata_put(f, kata_all(g), ints, POINTS);
}

static void put_doubles(kata_field *f, kata_grid *g, int first)
{
    static double all[POINTS];
    for (int i = 0; i < POINTS; i++) all[i] = (double)((i * 7919LL + first) % 1009) / 37 - 11;
    kata_put(f, kata_all(g), all, POINTS);
}

static void keep_doubles(outcome *o, kata_field *f, kata_range range, int count)
{
    assert_true(o->count + count <= MOST);
    kata_get(f, range, o->values + o->count, count);
    o->count += count;
}

static void keep_ints(outcome *o, kata_field *f, kata_range range, int count)
{
    static int ints[MOST];
    assert_true(o->count + count <= MOST);
    kata_get(f, range, ints, count);
    for (int i = 0; i < count; i++) o->values[o->count++] = ints[i];
}

static kata_kernel *kernel_of(kata *k, const char *body)
{
    return kata_module_kernel(kata_module_from_text(k, "k.kata", body), 0);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void copies_of(kata *k, outcome *o, kata_type type)
{
    kata_grid *g = make_grid(k), *turned = kata_grid_3d(k, NZ, NX, NY);
    kata_field *u = kata_field_new(g, "u", type, .ghosts = 1);
    kata_field *v = kata_field_new(turned, "v", type), *w = kata_field_like(u, "w");
    put_doubles(u, g, 3);
    kata_apply(kernel_of(k, "kernel twice(inout double u) { u = 2*u; }"), kata_all(g), u);
    kata_copy(v, kata_all(turned), u, kata_all(g), .axes = {-3, 1, -2});
    kata_copy(w, kata_box_3d(g, -1, NX - 1, 2, 3, 0, NZ), u,
              kata_box_3d(g, 1, NX + 1, 0, 1, 0, NZ));
    kata_apply(kernel_of(k, "kernel less(inout double u) { u -= 1; }"), kata_all(turned), v);
    keep_doubles(o, v, kata_all(turned), POINTS);
    keep_doubles(o, w, kata_box_3d(g, -1, NX - 1, 0, NY, 0, NZ), POINTS);
}

static void copies_of_doubles(kata *k, outcome *o) { copies_of(k, o, KATA_F64); }
static void copies_of_halves(kata *k, outcome *o) { copies_of(k, o, KATA_F16); }
static void copies_of_bytes(kata *k, outcome *o) { copies_of(k, o, KATA_UNORM8); }

static void fields_are_copied(void **state)
{
    (void)state;
    compare(copies_of_doubles, 0);
    compare(copies_of_halves, 0);
    compare(copies_of_bytes, 0);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static const char gather[] =
    "kernel gather(in int a, in double u, out double v, double few[5], double many[300])\n"
    "{\n"
    "    assert(a < 600);\n"
    "    v = few[(a + 500) % 5] + many[(a + 500) % 300] + u[0,0,at((a + 500) % nz)];\n"
    "}\n";

static double few[5], many[300];

static void looks_up(kata *k, outcome *o, int wrong)
{
    kata_grid *g = make_grid(k);
    kata_field *a = kata_field_new(g, "a", KATA_I32);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    for (int i = 0; i < 300; i++) many[i] = i / 7.0;
    for (int i = 0; i < 5; i++) few[i] = i / 3.0;
    put_values(a, g, 1);
    put_doubles(u, g, 5);
    if (wrong) kata_put(a, kata_box_3d(g, 66, 67, 4, 5, 3, 4), &wrong, 1);
    kata_apply(kernel_of(k, gather), kata_all(g), a, u, v, few, many);
    kata_apply(kernel_of(k, "kernel again(inout int a, out double u) { u = a; a = 0; }"),
               kata_all(g), a, u);
    keep_doubles(o, v, kata_all(g), POINTS);
    keep_ints(o, a, kata_all(g), POINTS);
}

static void looks_up_all(kata *k, outcome *o) { looks_up(k, o, 0); }
static void looks_up_before(kata *k, outcome *o) { looks_up(k, o, -501); }
static void looks_up_behind(kata *k, outcome *o) { looks_up(k, o, 601); }

/* Elements of tables, and levels, at indices that are known only at run time. */
static void elements_are_looked_up(void **state)
{
    (void)state;
    compare(looks_up_all, 0);
}

/* The loop behind has changed what the check has read. */
static void an_index_outside_is_reported(void **state)
{
    (void)state;
    compare_failing(looks_up_before, 0);
    assert_non_null(strstr(found.message, "-1"));
    compare_failing(looks_up_behind, 0);
    assert_non_null(strstr(found.message, "assert"));
}

static void changes_in_place(kata *k, outcome *o)
{
    kata_grid *g = make_grid(k);
    kata_field *a = kata_field_new(g, "a", KATA_I32);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_I32);
    kata_kernel *half = kernel_of(
        k, "kernel half(inout int a, sum int s) { assert(a % 8 != 5); a = a / 2; s += a; }");
    static int even[POINTS];
    for (int i = 0; i < POINTS; i++) even[i] = 4096 * (i % 37);
    even[POINTS - 3] = 5 << 7;
    even[POINTS - 2] = 5 << 7;
    kata_put(a, kata_all(g), even, POINTS);
    for (int i = 0; i < 10; i++) kata_apply(half, kata_all(g), a, s);
    keep_ints(o, a, kata_all(g), POINTS);
}

/* Each loop checks what the one before it has written. */
static void a_check_in_place_fails_where_it_does_on_the_cpu(void **state)
{
    (void)state;
    compare_failing(changes_in_place, 0);
    assert_non_null(strstr(found.message, "half"));
}

/* More than a device takes as arguments. */
static void takes_many_numbers(kata *k, outcome *o)
{
    kata_grid *g = make_grid(k);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    static double table[5000];
    put_doubles(u, g, 5);
    kata_kernel *pick = kernel_of(k, "kernel pick(in double u, out double v, double t[5000])\n"
                                     "{ v = t[(ix * 71 + iy * 13 + iz) % 5000] + t[4999] * u; }");
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5000; i++) table[i] = (i + round) / 9.0;
        kata_apply(pick, kata_all(g), u, v, table);
        keep_doubles(o, v, kata_all(g), POINTS);
    }
}

static void tables_are_as_large_as_they_like(void **state)
{
    (void)state;
    compare(takes_many_numbers, 0);
}

/* ---- levels ---------------------------------------------------------------------------------- */

static const char needs_others[] =
    "kernel down(inout double u, in double v, double c) backward(z)\n"
    "{ u = c*u[-1,2,1] + v[1,0,0] - u[3,0,2]/8; }\n";

/* Levels that read columns beside their own, also beyond the sides, where rules give them what
 * levels before have written. */
static void levels_of(kata *k, outcome *o, kata_rule rule)
{
    kata_grid *g = make_grid(k);
    kata_field *u = kata_field_new(g, "u", KATA_F32, .boundary = rule);
    kata_field *v = kata_field_new(g, "v", KATA_F64, .boundary = KATA_PERIODIC);
    put_doubles(u, g, 3);
    put_doubles(v, g, 8);
    kata_kernel *down = kernel_of(k, needs_others);
    kata_apply(down, kata_box_3d(g, 0, NX, 0, NY, 0, NZ - 2), u, v, 0.5);
    kata_apply(
        kernel_of(k, "kernel east(inout double u) forward(x) { u = u[-1,0,0]/2 + u[-1,1,0]; }"),
        kata_box_3d(g, 2, NX, 0, NY, 0, NZ), u);
    kata_apply(down, kata_box_3d(g, 3, NX - 1, 0, NY, 1, NZ - 2), u, v, 0.25);
    keep_doubles(o, u, kata_all(g), POINTS);
}

static void levels_between_walls(kata *k, outcome *o) { levels_of(k, o, KATA_CLAMP); }
static void levels_in_a_ring(kata *k, outcome *o) { levels_of(k, o, KATA_PERIODIC); }
static void levels_in_mirrors(kata *k, outcome *o) { levels_of(k, o, KATA_ANTISYMMETRIC_FACE); }

static void levels_see_other_columns(void **state)
{
    (void)state;
    compare(levels_between_walls, 0);
    compare(levels_in_a_ring, 0);
    compare(levels_in_mirrors, 0);
}

/* What a condition leaves as it is, at the other end of a row, and beyond the rows. */
static void kept_at_the_other_end(kata *k, outcome *o)
{
    enum { WRAPPED = 68 * NY * NZ }; /* rows of multiples of 4 points wrap */
    kata_grid *g = kata_grid_3d(k, 68, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .components = 2, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_new(g, "v", KATA_F32, .boundary = KATA_PERIODIC);
    kata_kernel *seal = kernel_of(k, "kernel seal(inout double u[2], inout double v) {\n"
                                     "    if (ix > 0) { u[1][-1,1,0] += 0.5; u[0] += 0.25; }\n"
                                     "    if (ix < nx - 1) v[1,0,-1] *= 2;\n"
                                     "}\n");
    kata_kernel *start = kernel_of(k, "kernel start(out double u[2], out double v) {\n"
                                      "    u[0] = ix + 10*iy; u[1] = ix - iz; v = ix + iz;\n"
                                      "}\n");
    kata_apply(start, kata_all(g), u, v);
    kata_apply(seal, kata_face(g, KATA_Y_HIGH, 1), u, v);
    kata_apply(seal, kata_all(g), u, v);
    static double both[2 * WRAPPED];
    kata_get(u, kata_all(g), both, 2 * WRAPPED);
    keep_doubles(o, v, kata_all(g), WRAPPED);
    for (int i = 0; i < 2 * WRAPPED; i++) o->values[o->count++] = both[i];
}

static void conditions_keep_the_other_end(void **state)
{
    (void)state;
    compare(kept_at_the_other_end, 0);
}

/* Of so many bricks that they are combined on the device, by kernels of their own for each type and
 * operation. */
static void reductions_of_all_kinds(kata *k, outcome *o)
{
    static const struct {
        const char *text;
        kata_type type;
    } kinds[] = {
        {"kernel f(in double u, sum double s) { s += u; }\n", KATA_F64},
        {"kernel f(in double u, max float s) { s = max(s, (float)u); }\n", KATA_F32},
        {"kernel f(in double u, sum long s) { s += (long)u; }\n", KATA_I64},
        {"kernel f(in double u, max int s) { s = max(s, (int)u); }\n", KATA_I32},
        {"kernel f(in double u, sum float s) { s += (float)u; }\n", KATA_F32},
        {"kernel f(in double u, max long s) { s = max(s, (long)u); }\n", KATA_I64},
        {"kernel f(in double u, min double s) { s = min(s, u); }\n", KATA_F64},
        {"kernel f(in double u, sum int s) { s += (int)u; }\n", KATA_I32},
        {"kernel f(in double u, min int s) { s = min(s, (int)u); }\n", KATA_I32},
        {"kernel f(in double u, max double s) { s = max(s, u); }\n", KATA_F64},
    };
    kata_grid *g = kata_grid_2d(k, 64, 512);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_apply(kernel_of(k, "kernel start(out double u) { u = 1 + ix*0.25 + iy; }"), kata_all(g),
               u);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        kata_scalar *s = kata_scalar_new(k, "s", kinds[i].type);
        kata_apply(kernel_of(k, kinds[i].text), kata_all(g), u, s);
        kata_scalar_get(s, &o->values[o->count++]);
    }
}

/* Threads meet behind a check, on boxes that leave some of them without points. */
static void sums_beside_checks(kata *k, outcome *o)
{
    kata_grid *g = make_grid(k);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_kernel *sum = kernel_of(k, "kernel f(in double u, out double v, sum int n, sum double s,\n"
                                    "  max float m)\n"
                                    "{\n"
                                    "    assert(u < 1000);\n"
                                    "    v = 2*u;\n"
                                    "    n += 1;\n"
                                    "    s += u;\n"
                                    "    m = max(m, (float)u);\n"
                                    "}\n");
    put_doubles(u, g, 4);
    for (int64_t n = 0; n < 3; n++) {
        kata_scalar *sums[] = {kata_scalar_new(k, "n", KATA_I32), kata_scalar_new(k, "s", KATA_F64),
                               kata_scalar_new(k, "m", KATA_F32)};
        kata_apply(sum, kata_inner(g, n), u, v, sums[0], sums[1], sums[2]);
        for (int i = 0; i < 3; i++) kata_scalar_get(sums[i], &o->values[o->count++]);
    }
    keep_doubles(o, v, kata_all(g), POINTS);
}

static void checked_points_are_reduced(void **state)
{
    (void)state;
    compare(sums_beside_checks, 0);
}

static void reductions_are_told_apart(void **state)
{
    (void)state;
    compare(reductions_of_all_kinds, 0);
}

/* What fields hold after a chain that has failed: no value of it. */
static void fields_of_a_failed_chain(kata *k, outcome *o)
{
    static const kata_type types[] = {KATA_I32, KATA_U8, KATA_F32, KATA_F16};
    kata_grid *g = make_grid(k);
    kata_field *u[COUNT_OF(types)], *v = kata_field_new(g, "v", KATA_F64);
    for (size_t i = 0; i < COUNT_OF(types); i++) u[i] = kata_field_new(g, "u", types[i]);
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        const bool whole = types[i] == KATA_I32 || types[i] == KATA_U8;
        kata_kernel *bad =
            kernel_of(k, whole ? "kernel bad(out int u) { assert(ix != 2); u = 7; }"
                               : "kernel bad(out float u) { assert(ix != 2); u = 7; }");
        kata_kernel *copy =
            kernel_of(k, whole ? "kernel copy(in int u, out double v) { v = u; }"
                               : "kernel copy(in float u, out double v) { v = u; }");
        kata_apply(bad, kata_all(g), u[i]);
        kata_flush(k);
        kata_error_clear(k);
        kata_apply(copy, kata_all(g), u[i], v);
        keep_doubles(o, v, kata_all(g), 70);
    }
}

static void failed_chains_leave_the_same(void **state)
{
    (void)state;
    compare_failing(fields_of_a_failed_chain, 0);
}

/* Of one colour after the other. */
static void colours_of_levels(kata *k, outcome *o)
{
    kata_grid *g = make_grid(k);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    put_doubles(u, g, 3);
    kata_kernel *up =
        kernel_of(k, "kernel up(inout double u) forward(z) { u = u/2 + u[1,0,-1] + u[0,-1,-1]; }");
    kata_range above = kata_box_3d(g, 0, NX, 0, NY, 1, NZ);
    for (int color = 0; color < 3; color++) kata_apply(up, kata_color(above, 3, color), u);
    keep_doubles(o, u, kata_all(g), POINTS);
}

static void levels_have_colours(void **state)
{
    (void)state;
    compare(colours_of_levels, 0);
}

static void checks_before_levels(kata *k, outcome *o)
{
    kata_grid *g = make_grid(k);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *a = kata_field_new(g, "a", KATA_I32, .boundary = KATA_CLAMP);
    put_doubles(u, g, 3);
    put_values(a, g, 8);
    kata_kernel *up = kernel_of(k, "kernel up(inout double u, in int a, int least) forward(z)\n"
                                   "{ assert(a > least); u = u/2 + u[1,0,-1] * a[0,1,0]; }");
    kata_range above = kata_box_3d(g, 0, NX, 0, NY, 1, NZ);
    kata_apply(up, above, u, a, -501);
    keep_doubles(o, u, kata_all(g), POINTS);
    kata_apply(up, above, u, a, -499);
    keep_doubles(o, u, kata_all(g), POINTS);
}

static void levels_are_checked(void **state)
{
    (void)state;
    compare_failing(checks_before_levels, 0);
    assert_non_null(strstr(found.message, "assert"));
}

/* ---- reductions whose points contribute one by one ------------------------------------------- */

static const char columns[] =
    "kernel columns(in double u, in int a, sum double s along xy, inout min float m along x,\n"
    "               sum int n along yz, inout sum float w along y, inout sum double z along z,\n"
    "               sum double all, max float c[2] along xz)\n"
    "{\n"
    "    s += u; m = min(m, (float)u); n += a; w += (float)u; z += u; all += u*u;\n"
    "    if (a > 0) c[1] = max(c[1], (float)u);\n"
    "    c[0] = max(c[0], (float)-u);\n"
    "}\n";

static kata_field *lower(kata_grid *g, const char *name, kata_type type, int along, int components)
{
    kata_field *f = kata_field_new(g, name, type, .along = along, .components = components);
    kata_range on = kata_on(f);
    static double ones[POINTS];
    static int int_ones[POINTS];
    int64_t count = components;
    for (int d = 0; d < 3; d++) count *= on.hi[d] - on.lo[d];
    for (int i = 0; i < POINTS; i++) ones[i] = int_ones[i] = 1 + i % 3;
    if (type == KATA_I32)
        kata_put(f, on, int_ones, count);
    else
        kata_put(f, on, ones, count);
    return f;
}

static void columns_of(kata *k, outcome *o, int colors)
{
    kata_grid *g = make_grid(k);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *a = kata_field_new(g, "a", KATA_I32);
    put_doubles(u, g, 3);
    put_values(a, g, 4);
    kata_field *s = lower(g, "s", KATA_F64, KATA_X | KATA_Y, 1);
    kata_field *m = lower(g, "m", KATA_F16, KATA_X, 1);
    kata_field *n = lower(g, "n", KATA_I32, KATA_Y | KATA_Z, 1);
    kata_field *w = lower(g, "w", KATA_F64, KATA_Y, 1), *z = lower(g, "z", KATA_F32, KATA_Z, 1);
    kata_field *c = lower(g, "c", KATA_F32, KATA_X | KATA_Z, 2);
    kata_scalar *all = kata_scalar_new(k, "all", KATA_F64);
    kata_kernel *run_columns = kernel_of(k, columns);
    kata_range range = kata_box_3d(g, 1, NX, 0, NY - 1, 0, NZ);
    for (int color = 0; color < colors; color++)
        kata_apply(run_columns, colors > 1 ? kata_color(range, colors, color) : range, u, a, s, m,
                   n, w, z, all, c);
    keep_doubles(o, s, kata_on(s), NX * NY);
    keep_doubles(o, m, kata_on(m), NX);
    keep_ints(o, n, kata_on(n), NY * NZ);
    keep_doubles(o, w, kata_on(w), NY);
    keep_doubles(o, z, kata_on(z), NZ);
    keep_doubles(o, c, kata_on(c), 2 * NX * NZ);
    kata_scalar_get(all, &o->values[o->count++]);
}

static void columns_of_all(kata *k, outcome *o) { columns_of(k, o, 1); }
static void columns_of_colours(kata *k, outcome *o) { columns_of(k, o, 2); }

static void fields_are_reduced_into(void **state)
{
    (void)state;
    compare(columns_of_all, 0);
    compare(columns_of_colours, 0);
}

/* Bricks of columns, and sums of a scalar, of levels that run in order. */
static void sums_of_levels(kata *k, outcome *o)
{
    enum { X = 5, Y = 300, Z = 7 };
    kata_grid *g = kata_grid_3d(k, X, Y, Z);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *s = kata_field_new(g, "s", KATA_F32, .along = KATA_X);
    static double all[X * Y * Z];
    for (int i = 0; i < X * Y * Z; i++) all[i] = 1.0 / (1 + i % 101) - 0.3;
    kata_put(u, kata_all(g), all, X * Y * Z);
    kata_scalar *t = kata_scalar_new(k, "t", KATA_F64), *l = kata_scalar_new(k, "l", KATA_F64);
    kata_kernel *down =
        kernel_of(k, "kernel down(inout double u, sum float s along x, sum double t,\n"
                     "            min double l) backward(y)\n"
                     "{ u = u/2 + u[0,1,0]; s += (float)u; t += u; l = min(l, u); }");
    kata_kernel *east = kernel_of(k, "kernel east(inout double u, sum double t) forward(x)\n"
                                     "{ u = u/2 + u[-1,1,0]; t += u; }");
    kata_apply(down, kata_box_3d(g, 0, X, 0, Y - 1, 0, Z), u, s, t, l);
    keep_doubles(o, s, kata_on(s), X);
    kata_scalar_get(t, &o->values[o->count++]);
    kata_apply(east, kata_box_3d(g, 1, X, 0, Y, 0, Z), u, t);
    kata_scalar_get(t, &o->values[o->count++]);
    kata_scalar_get(l, &o->values[o->count++]);
    keep_doubles(o, u, kata_box_3d(g, 0, X, 0, Y, 0, 1), X * Y);
}

static void levels_are_reduced(void **state)
{
    (void)state;
    compare(sums_of_levels, 0);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int test_kind(const char *name)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_copied),
        cmocka_unit_test(elements_are_looked_up),
        cmocka_unit_test(an_index_outside_is_reported),
        cmocka_unit_test(a_check_in_place_fails_where_it_does_on_the_cpu),
        cmocka_unit_test(tables_are_as_large_as_they_like),
        cmocka_unit_test(levels_see_other_columns),
        cmocka_unit_test(conditions_keep_the_other_end),
        cmocka_unit_test(reductions_are_told_apart),
        cmocka_unit_test(checked_points_are_reduced),
        cmocka_unit_test(failed_chains_leave_the_same),
        cmocka_unit_test(levels_have_colours),
        cmocka_unit_test(levels_are_checked),
        cmocka_unit_test(fields_are_reduced_into),
        cmocka_unit_test(levels_are_reduced)};
    return DEVICE_RUN_TESTS(name, kind, tests);
}

int main(void)
{
    if (!device_is_there("cuda")) device_use_shim();
    int failed = test_kind("cuda");
    return failed + test_kind("opencl");
}
