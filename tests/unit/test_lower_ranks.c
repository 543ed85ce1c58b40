/* Fields of every lower rank of one three-dimensional grid, as a test program of the OPS library
 * has them: a field is made of planes and lines, and reduced into planes, lines and a number, each
 * by sum, least and greatest. Values are small multiples of 1/8: every sum is exact, so that plain
 * loops give the same bits in any order. */
/* Labels: hostile */
#include <kata/kata.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 70, NY = 11, NZ = 67, POINTS = NX * NY * NZ, SHAPES = 6, KINDS = 3 };
enum { LARGEST_PLANE = NX * NZ };

static const char text_of_kernels[] =
    "kernel set_plane(out double t along xy) { t = 0.125*(ix*7%11 + iy*5%13); }\n"
    "kernel set_line(out double t along z) { t = 0.5*(iz*3%17); }\n"
    "kernel compose(in double xy along xy, in double z along z, out double a)\n"
    "{ a = xy + z - 0.25*((ix + 2*iy + 3*iz)%29); }\n"
#define REDUCE(along)                                                                              \
    "kernel reduce_" along "(in double a, inout sum double s along " along ",\n"                   \
    "    min double l along " along ", max double g along " along ")\n"                            \
    "{ s += a; l = min(l, a); g = max(g, a); }\n"
    REDUCE("x") REDUCE("y") REDUCE("z") REDUCE("xy") REDUCE("xz")
        REDUCE("yz") "kernel reduce(in double a, sum double s, min double l, max double g)\n"
                     "{ s += a; l = min(l, a); g = max(g, a); }\n";

typedef struct shape {
    const char *kernel;
    int along; /* bits of dimensions */
} shape;

static const shape shapes[SHAPES] = {
    {"reduce_x", KATA_X},           {"reduce_y", KATA_Y},           {"reduce_z", KATA_Z},
    {"reduce_xy", KATA_X | KATA_Y}, {"reduce_xz", KATA_X | KATA_Z}, {"reduce_yz", KATA_Y | KATA_Z}};

typedef struct reduced {
    double values[KINDS][LARGEST_PLANE]; /* sum, least, greatest */
} reduced;

/* ---- in C ------------------------------------------------------------------------------------ */

static double value_at(int x, int y, int z)
{
    double plane = 0.125 * (x * 7 % 11 + y * 5 % 13), line = 0.5 * (z * 3 % 17);
    return plane + line - 0.25 * ((x + 2 * y + 3 * z) % 29);
}

static int element_of(int along, int x, int y, int z)
{
    int element = along & KATA_Z ? z : 0;
    if (along & KATA_Y) element = element * NY + y;
    if (along & KATA_X) element = element * NX + x;
    return element;
}

static int elements_of(int along)
{
    return (along & KATA_X ? NX : 1) * (along & KATA_Y ? NY : 1) * (along & KATA_Z ? NZ : 1);
}

static void combine(reduced *out, int i, double a)
{
    out->values[0][i] += a;
    if (a < out->values[1][i]) out->values[1][i] = a;
    if (a > out->values[2][i]) out->values[2][i] = a;
}

/* Sums go on from `rounds` applications. */
static void by_loops(int along, int rounds, reduced *out)
{
    for (int i = 0; i < LARGEST_PLANE; i++) {
        out->values[0][i] = 0;
        out->values[1][i] = 1e9;
        out->values[2][i] = -1e9;
    }
    for (int round = 0; round < rounds; round++)
        for (int z = 0; z < NZ; z++)
            for (int y = 0; y < NY; y++)
                for (int x = 0; x < NX; x++)
                    combine(out, element_of(along, x, y, z), value_at(x, y, z));
}

/* ---- in kernels ------------------------------------------------------------------------------ */

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *a;
} world;

static kata_kernel *find(world *w, const char *name) { return kata_kernel_find(w->m, name); }

static void open_world(world *w, const kata_options *options)
{
    w->k = kata_open(options);
    w->m = kata_module_from_text(w->k, "ranks.kata", text_of_kernels);
    w->g = kata_grid_3d(w->k, NX, NY, NZ);
    w->a = kata_field_new(w->g, "a", KATA_F64);
    kata_field *xy = kata_field_new(w->g, "xy", KATA_F64, .along = KATA_X | KATA_Y);
    kata_field *z = kata_field_new(w->g, "z", KATA_F64, .along = KATA_Z);
    kata_apply(find(w, "set_plane"), kata_on(xy), xy);
    kata_apply(find(w, "set_line"), kata_on(z), z);
    kata_apply(find(w, "compose"), kata_all(w->g), xy, z, w->a);
}

static void check_shape(world *w, const shape *s)
{
    static reduced expected;
    static double found[LARGEST_PLANE];
    static const char *const names[KINDS] = {"sum", "least", "greatest"};
    enum { ROUNDS = 2 };
    int elements = elements_of(s->along);
    kata_field *t[KINDS];
    for (int i = 0; i < KINDS; i++)
        t[i] = kata_field_new(w->g, names[i], KATA_F64, .along = s->along);
    for (int round = 0; round < ROUNDS; round++)
        kata_apply(find(w, s->kernel), kata_all(w->g), w->a, t[0], t[1], t[2]);
    by_loops(s->along, ROUNDS, &expected);
    for (int i = 0; i < KINDS; i++) {
        kata_get(t[i], kata_on(t[i]), found, elements);
        assert_memory_equal(found, expected.values[i], (size_t)elements * sizeof *found);
    }
}

static void check_number(world *w)
{
    static reduced expected;
    static const char *const names[KINDS] = {"sum", "least", "greatest"};
    kata_scalar *s[KINDS];
    for (int i = 0; i < KINDS; i++) s[i] = kata_scalar_new(w->k, names[i], KATA_F64);
    kata_apply(find(w, "reduce"), kata_all(w->g), w->a, s[0], s[1], s[2]);
    by_loops(0, 1, &expected);
    for (int i = 0; i < KINDS; i++) {
        double value = 0;
        kata_scalar_get(s[i], &value);
        assert_true(value == expected.values[i][0]);
    }
}

static void test_lower_ranks(void **state)
{
    (void)state;
    static const kata_options ways[] = {{.executor = "reference"},
                                        {.executor = "cpu", .threads = 1, .wait = true},
                                        {.executor = "cpu", .threads = 3, .wait = true}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        world w;
        open_world(&w, &ways[i]);
        for (int j = 0; j < SHAPES; j++) check_shape(&w, &shapes[j]);
        check_number(&w);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lower_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
