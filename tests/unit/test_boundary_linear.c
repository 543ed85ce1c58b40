/* KATA_LINEAR: values beyond a side are weighted sums of points. A model fills an array with ghosts
 * first beyond the sides of x, then of these beyond those of y, then z, and every executor reads
 * these values. Wrong arguments get messages. Each value beyond a side is read from points two
 * apart; the full count (KATA_TEST_FULL) reads it from every point near enough. */
/* Labels: hostile */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { DEPTH = 2, NX = 5, NY = 4, NZ = 3, POINTS = NX * NY * NZ };
enum { EX = NX + 2 * DEPTH, EY = NY + 2 * DEPTH, EZ = NZ + 2 * DEPTH };
enum { MOST_WIDE = 2 * DEPTH + 1, MOST_OFFSETS = MOST_WIDE * MOST_WIDE * MOST_WIDE };

/* Component q of v is u at offset q of a cube of W offsets along each dimension, S apart. */
static const char text[] =
    "const int S;\n"
    "const int W = 4/S + 1;\n"
    "kernel look(in real u, out real v[W*W*W])\n"
    "{ for (int k = 0; k < W; k++) for (int j = 0; j < W; j++) for (int i = 0; i < W; i++)\n"
    "    v[W*W*k + W*j + i] = u[S*i-2, S*j-2, S*k-2]; }\n"
    "kernel count(in int u, out int v[W*W*W])\n"
    "{ for (int k = 0; k < W; k++) for (int j = 0; j < W; j++) for (int i = 0; i < W; i++)\n"
    "    v[W*W*k + W*j + i] = u[S*i-2, S*j-2, S*k-2]; }\n"
    "kernel far(in double u, out double v) { v = u[-2] + u[2]; }\n"
    "kernel corner(in double u, out double v) { v = u[1,1,1]; }\n"
    "kernel across(in double u, out double v) { v = u[1,4,0]; }\n";

/* The distance of offsets that are read: 2 suffices to see every value beyond a side. */
static int step_of_offsets(void) { return getenv("KATA_TEST_FULL") ? 1 : 2; }
static int offsets_along(void) { return 2 * DEPTH / step_of_offsets() + 1; }
static int offsets(void) { return offsets_along() * offsets_along() * offsets_along(); }

/* The rule of a side: of count points, or another one where count is 0. */
typedef struct wall {
    int count;
    kata_rule rule;
    double value;
    double weights[DEPTH][NX + 1];
} wall;

typedef struct model {
    kata_type type;
    const wall *walls; /* 6 */
    double at[EZ][EY][EX];
} model;

/* ---- the model ------------------------------------------------------------------------------- */

static double rounded(kata_type type, double x)
{
    return type == KATA_F64 ? x : type == KATA_F32 ? (double)(float)x : (double)(int)x;
}

static double sum(const model *m, const wall *w, int j, const double *inside, int step)
{
    if (m->type == KATA_F64) {
        double s = w->weights[j][w->count] * w->value;
        for (int k = 0; k < w->count; k++) {
            double product = w->weights[j][k] * inside[k * step];
            s += product;
        }
        return s;
    }
    float s = (float)w->weights[j][w->count] * (float)w->value;
    for (int k = 0; k < w->count; k++) {
        float product = (float)w->weights[j][k] * (float)inside[k * step];
        s += product;
    }
    return (double)s;
}

/* The value at j + 1 points beyond the point `edge`; `step` leads inwards. */
static double beyond(const model *m, const wall *w, int j, const double *edge, int step)
{
    if (w->count) return sum(m, w, j, edge, step);
    if (w->rule == KATA_CONSTANT) return w->value;
    if (w->rule == KATA_CLAMP) return *edge;
    if (w->rule == KATA_REFLECT_FACE) return edge[j * step];
    return 2 * rounded(m->type, w->value) - edge[j * step]; /* KATA_ANTISYMMETRIC_FACE */
}

/* Fills what lies beyond both sides of a line of n points. */
static void fill_line(const model *m, int dimension, double *first, int step, int n)
{
    const wall *w = &m->walls[2 * dimension];
    double *last = first + (n - 1) * step;
    for (int j = 0; j < DEPTH; j++) {
        first[-(j + 1) * step] = rounded(m->type, beyond(m, &w[0], j, first, step));
        last[(j + 1) * step] = rounded(m->type, beyond(m, &w[1], j, last, -step));
    }
}

static void fill_model(model *m)
{
    for (int z = DEPTH; z < DEPTH + NZ; z++)
        for (int y = DEPTH; y < DEPTH + NY; y++) fill_line(m, 0, &m->at[z][y][DEPTH], 1, NX);
    for (int z = DEPTH; z < DEPTH + NZ; z++)
        for (int x = 0; x < EX; x++) fill_line(m, 1, &m->at[z][DEPTH][x], EX, NY);
    for (int y = 0; y < EY; y++)
        for (int x = 0; x < EX; x++) fill_line(m, 2, &m->at[DEPTH][y][x], EX * EY, NZ);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void set_walls(kata_field *u, const wall *walls)
{
    double packed[DEPTH * (NX + 1)];
    for (int side = KATA_X_LOW; side <= KATA_Z_HIGH; side++) {
        const wall *w = &walls[side];
        for (int i = 0; i < DEPTH * (w->count + 1); i++)
            packed[i] = w->weights[i / (w->count + 1)][i % (w->count + 1)];
        if (w->count)
            kata_boundary_linear(u, (kata_side)side, DEPTH, w->count, packed, .value = w->value);
        else
            kata_boundary_set(u, (kata_side)side, w->rule, w->value);
    }
}

static void get(kata_field *v, kata_type type, kata_range all, double *out)
{
    static float narrow[MOST_OFFSETS * POINTS];
    static int whole[MOST_OFFSETS * POINTS];
    int count = offsets() * POINTS;
    if (type == KATA_F64) kata_get(v, all, out, count);
    if (type == KATA_F32) kata_get(v, all, narrow, count);
    if (type == KATA_I32) kata_get(v, all, whole, count);
    for (int i = 0; i < count && type != KATA_F64; i++)
        out[i] = type == KATA_F32 ? (double)narrow[i] : whole[i];
}

static void put(kata_field *u, kata_type type, kata_range all, const double *values)
{
    int whole[POINTS];
    for (int i = 0; i < POINTS; i++) whole[i] = (int)values[i];
    if (type == KATA_I32)
        kata_put(u, all, whole, POINTS);
    else
        kata_put(u, all, values, POINTS);
}

static kata_module *load(kata *k)
{
    return kata_module_from_text(k, "k.kata", text,
                                 .constants = step_of_offsets() == 1 ? "S=1" : "S=2");
}

/* What reads of points around every point find. */
static void look(const char *executor, kata_type type, const wall *walls, const double *values,
                 double *out)
{
    kata *k = kata_open(&(kata_options){.executor = executor, .threads = 2});
    kata_module *m = load(k);
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", type);
    kata_field *v = kata_field_new(g, "v", type, .components = offsets());
    set_walls(u, walls);
    kata_field *like = kata_field_like(u, "like");
    put(like, type, kata_all(g), values);
    kata_swap(u, like);
    kata_apply(kata_kernel_find(m, type == KATA_I32 ? "count" : "look"), kata_all(g), u, v);
    get(v, type, kata_all(g), out);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void compare(const model *m, const double *found, const char *executor)
{
    int step = step_of_offsets(), wide = offsets_along();
    for (int q = 0; q < offsets(); q++)
        for (int i = 0; i < POINTS; i++) {
            int x = i % NX + q % wide * step, y = i / NX % NY + q / wide % wide * step;
            int z = i / NX / NY + q / wide / wide * step;
            double expected = m->at[z][y][x], value = found[q * POINTS + i];
            if (memcmp(&value, &expected, sizeof value) != 0 && !(isnan(value) && isnan(expected)))
                fail_msg("%s, type %d: at %d, %d, %d found %a, expected %a", executor, (int)m->type,
                         x - DEPTH, y - DEPTH, z - DEPTH, value, expected);
        }
}

static void check(kata_type type, const wall *walls)
{
    static const char *const executors[] = {"reference", "cpu"};
    static model m;
    static double values[POINTS], found[MOST_OFFSETS * POINTS];
    m.type = type;
    m.walls = walls;
    for (int i = 0; i < POINTS; i++) {
        values[i] = rounded(type, (rand() % 2001 - 1000) * 0.013);
        m.at[DEPTH + i / NX / NY][DEPTH + i / NX % NY][DEPTH + i % NX] = values[i];
    }
    fill_model(&m);
    for (size_t e = 0; e < COUNT_OF(executors); e++) {
        look(executors[e], type, walls, values, found);
        compare(&m, found, executors[e]);
    }
}

static wall random_wall(int most)
{
    wall w = {.count = 1 + rand() % most, .value = (rand() % 201 - 100) * 0.017};
    for (int j = 0; j < DEPTH; j++)
        for (int k = 0; k <= w.count; k++) w.weights[j][k] = (rand() % 401 - 200) * 0.011;
    return w;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void values_outside_are_the_sums(void **state)
{
    static const int sizes[] = {NX, NY, NZ};
    static const kata_type types[] = {KATA_F64, KATA_F32, KATA_I32};
    (void)state;
    srand(3);
    for (int i = 0; i < 12; i++) {
        wall walls[6];
        for (int side = 0; side < 6; side++) walls[side] = random_wall(sizes[side / 2]);
        check(types[i % 3], walls);
    }
}

/* Beyond edges, sums are made of what other rules make, and they of sums. */
static void other_rules_follow_the_order(void **state)
{
    static const int sizes[] = {NX, NY, NZ};
    static const kata_rule rules[] = {KATA_CONSTANT, KATA_CLAMP, KATA_REFLECT_FACE,
                                      KATA_ANTISYMMETRIC_FACE};
    (void)state;
    srand(4);
    for (int i = 0; i < 18; i++) {
        wall walls[6];
        for (int side = 0; side < 6; side++) walls[side] = random_wall(sizes[side / 2]);
        for (int side = 2 * (i % 3); side < 2 * (i % 3) + 2; side++) {
            walls[side].count = 0;
            walls[side].rule = rules[rand() % (int)COUNT_OF(rules)];
        }
        check(i % 2 ? KATA_F64 : KATA_F32, walls);
    }
}

/* A sum beyond z is made of reads beyond x and y. They meet no sum, and go from x upwards: to 5,
 * not to 2*1 - 5. Of two points along y, a step from one side meets the sum of the other. */
static void reads_in_sums_have_an_order_of_their_own(void **state)
{
    static const double expected[] = {5, 2 * 1 - (3 * 0.5 + 5)}, sum[] = {1, 3};
    const char *const names[] = {"corner", "across"};
    (void)state;
    for (int run = 0; run < 4; run++) {
        bool thin = run % 2;
        kata *k = kata_open(&(kata_options){.executor = run < 2 ? "reference" : "cpu", .wait = 1});
        kata_grid *g = kata_grid_3d(k, 1, thin ? 2 : 1, 1);
        kata_field *u =
            kata_field_new(g, "u", KATA_F64, .boundary = KATA_CONSTANT, .boundary_value = 5);
        kata_field *v = kata_field_new(g, "v", KATA_F64);
        kata_boundary_set(u, KATA_Y_HIGH, KATA_ANTISYMMETRIC_FACE, 1);
        kata_boundary_linear(u, thin ? KATA_Y_LOW : KATA_Z_HIGH, 1, 1, sum,
                             .value = thin ? 0.5 : 0);
        kata_range first = kata_box_3d(g, 0, 1, 0, 1, 0, 1);
        kata_apply(kata_kernel_find(load(k), names[thin]), first, u, v);
        double found = 0;
        kata_get(v, first, &found, 1);
        assert_true(found == expected[thin]);
        assert_int_equal(kata_close(k), KATA_OK);
    }
}

/* Weights of Lagrange's polynomial through the value on the face at -1/2 and `count` points. */
static void extrapolate(int depth, int count, double *weights)
{
    for (int j = 0; j < depth; j++)
        for (int k = 0; k <= count; k++) {
            double x = -1 - j, at = k < count ? k : -0.5, w = 1;
            for (int l = 0; l <= count; l++)
                if (l != k) w *= (x - (l < count ? l : -0.5)) / (at - (l < count ? l : -0.5));
            weights[j * (count + 1) + k] = w;
        }
}

static double cubic(double x) { return 1 + 0.5 * x - 0.25 * x * x + 0.125 * x * x * x; }

/* Extrapolation through a wall's value and three points continues a cubic at both sides. */
static void a_cubic_goes_on_beyond_the_wall(void **state)
{
    enum { N = 9 };
    double weights[8], u[N], v[N];
    (void)state;
    extrapolate(2, 3, weights);
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_1d(k, N);
    kata_field *a = kata_field_new(g, "a", KATA_F64), *b = kata_field_new(g, "b", KATA_F64);
    kata_boundary_linear(a, KATA_X_LOW, 2, 3, weights, .value = cubic(-0.5));
    kata_boundary_linear(a, KATA_X_HIGH, 2, 3, weights, .value = cubic(N - 0.5));
    for (int i = 0; i < N; i++) u[i] = cubic(i);
    kata_put(a, kata_all(g), u, N);
    kata_module *m = load(k);
    kata_apply(kata_kernel_find(m, "far"), kata_all(g), a, b);
    kata_get(b, kata_all(g), v, N);
    for (int i = 0; i < N; i++) assert_true(fabs(v[i] - cubic(i - 2) - cubic(i + 2)) < 1e-11);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* Weights changed between steps change the values from then on; the same side set anew. */
static void rules_may_change_between_steps(void **state)
{
    (void)state;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_1d(k, 6);
    kata_field *a = kata_field_new(g, "a", KATA_F64), *b = kata_field_new(g, "b", KATA_F64);
    kata_kernel *far = kata_kernel_find(load(k), "far");
    double u[6] = {1, 2, 3, 4, 5, 6}, v[6];
    kata_put(a, kata_all(g), u, 6);
    kata_boundary_set(a, KATA_X_HIGH, KATA_CLAMP, 0);
    for (int i = 0; i < 5; i++) {
        double weights[2][2] = {{i, 1}, {-i, 2}};
        if (i == 3)
            kata_boundary_set(a, KATA_X_LOW, KATA_CONSTANT, 10);
        else
            kata_boundary_linear(a, KATA_X_LOW, 2, 1, weights[0], .value = 0.5);
        kata_apply(far, kata_all(g), a, b);
        weights[0][0] = weights[1][1] = 99; /* they were copied */
        kata_get(b, kata_all(g), v, 6);
        assert_true(v[0] == (i == 3 ? 10 : 1 - i) + u[2]);
        assert_true(v[1] == (i == 3 ? 10 : 0.5 + i) + u[3]);
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

/* ---- wrong arguments ------------------------------------------------------------------------- */

typedef struct world {
    kata *k;
    kata_field *u;
    char said[512];
} world;

static void keep(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(data, 512, "%s", message);
}

static void expect(world *w, kata_status status, const char *message)
{
    assert_int_equal(status, KATA_ERROR_ARGUMENT);
    assert_string_equal(w->said, message);
    kata_error_clear(w->k);
}

static void wrong_arguments_are_refused(void **state)
{
    static const double weights[4] = {0, 1, NAN, 3};
    world w = {0};
    (void)state;
    w.k = kata_open(&(kata_options){.handler = keep, .handler_data = w.said});
    w.u = kata_field_new(kata_grid_1d(w.k, 8), "u", KATA_F64);
    expect(&w, kata_boundary_linear(w.u, KATA_X_LOW, 0, 1, weights),
           "error: kata_boundary_linear: the depth is 0, not 1 to 8");
    expect(&w, kata_boundary_linear(w.u, KATA_X_LOW, 9, 1, weights),
           "error: kata_boundary_linear: the depth is 9, not 1 to 8");
    expect(&w, kata_boundary_linear(w.u, KATA_X_LOW, 1, 0, weights),
           "error: kata_boundary_linear: the count is 0, not 1 to 8");
    expect(&w, kata_boundary_linear(w.u, KATA_X_LOW, 1, 9, weights),
           "error: kata_boundary_linear: the count is 9, not 1 to 8");
    expect(&w, kata_boundary_linear(w.u, KATA_X_LOW, 1, 1, NULL),
           "error: kata_boundary_linear: the weights are NULL");
    expect(&w, kata_boundary_linear(w.u, KATA_X_LOW, 2, 1, weights),
           "error: kata_boundary_linear: weights[1][0] is not a finite number");
    expect(&w, kata_boundary_linear(w.u, KATA_Y_LOW, 1, 1, weights),
           "error: kata_boundary_linear: field 'u' has 1 dimension, and so no side KATA_Y_LOW");
    expect(&w, kata_boundary_linear_with(w.u, KATA_X_LOW, NULL),
           "error: kata_boundary_linear: the options are NULL");
    expect(
        &w, kata_boundary_set(w.u, KATA_X_LOW, KATA_LINEAR, 0),
        "error: kata_boundary_set: KATA_LINEAR needs weights; kata_boundary_linear gives it to a "
        "side");
    assert_null(kata_field_new(kata_grid_1d(w.k, 8), "v", KATA_F64, .boundary = KATA_LINEAR));
    kata_error_clear(w.k);
    assert_int_equal(kata_boundary_linear(w.u, KATA_X_LOW, 1, 1, weights), KATA_OK);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_outside_are_the_sums),
        cmocka_unit_test(other_rules_follow_the_order),
        cmocka_unit_test(reads_in_sums_have_an_order_of_their_own),
        cmocka_unit_test(a_cubic_goes_on_beyond_the_wall),
        cmocka_unit_test(rules_may_change_between_steps),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
