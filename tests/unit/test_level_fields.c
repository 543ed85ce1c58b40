/* Recurrences along ordered levels over fields of lower rank and over finer fields: against loops
 * written by hand, by both executors. */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const executors[] = {"reference", "cpu"};

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

static kata *open_with(const char *executor)
{
    return kata_open(&(kata_options){
        .executor = executor, .threads = 2, .handler = ignore, .no_warnings = true});
}

/* ---- lower rank ------------------------------------------------------------------------------ */

static const char profiles[] =
    "kernel weight(in double rho along z, out double p along z) backward(z)\n"
    "{ interval [nz-1, nz) { p = rho; } interval [0, nz-1) { p = p[0,0,1] + rho; } }\n"
    "kernel carry(inout double p along z) forward(z) { p = 0.5*p[0,0,-1] + p; }\n"
    "kernel lines(inout double s along xy) forward(y) { s = s[0,-1,0] - s[0,1,0]; }\n";

static void check_profiles(const char *executor, int64_t n)
{
    double rho[16], p[16], want[16];
    kata *k = open_with(executor);
    kata_module *m = kata_module_from_text(k, "profiles", profiles);
    kata_grid *g = kata_grid_3d(k, 3, 2, n);
    kata_field *r = kata_field_new(g, "r", KATA_F64, .along = KATA_Z);
    kata_field *f = kata_field_new(g, "p", KATA_F64, .along = KATA_Z, .boundary = KATA_CLAMP);
    for (int64_t z = 0; z < n; z++) rho[z] = 1.0 / (double)(z + 3);
    kata_put(r, kata_on(r), rho, n);
    kata_apply(kata_kernel_find(m, "weight"), kata_on(f), r, f);
    kata_apply(kata_kernel_find(m, "carry"), kata_box_3d(g, 0, 1, 0, 1, 0, n), f);
    kata_get(f, kata_on(f), p, n);
    assert_string_equal(kata_error_message(k), "");
    for (int64_t z = n - 1; z >= 0; z--) want[z] = z == n - 1 ? rho[z] : want[z + 1] + rho[z];
    for (int64_t z = 0; z < n; z++) want[z] = fma(0.5, want[z > 0 ? z - 1 : 0], want[z]);
    assert_memory_equal(p, want, (size_t)n * sizeof *p);
    kata_close(k);
}

static void check_surface(const char *executor, int64_t n)
{
    double s[3 * 16], want[3 * 16];
    kata *k = open_with(executor);
    kata_module *m = kata_module_from_text(k, "profiles", profiles);
    kata_grid *g = kata_grid_3d(k, 3, n, 4);
    kata_field *f =
        kata_field_new(g, "s", KATA_F64, .along = KATA_X | KATA_Y, .boundary = KATA_PERIODIC);
    for (int64_t i = 0; i < 3 * n; i++) want[i] = s[i] = (double)(i * i % 7);
    kata_put(f, kata_on(f), s, 3 * n);
    kata_apply(kata_kernel_find(m, "lines"), kata_on(f), f);
    kata_get(f, kata_on(f), s, 3 * n);
    assert_string_equal(kata_error_message(k), "");
    for (int64_t y = 0; y < n; y++)
        for (int64_t x = 0; x < 3; x++)
            want[3 * y + x] = want[3 * ((y + n - 1) % n) + x] - want[3 * ((y + 1) % n) + x];
    assert_memory_equal(s, want, 3 * (size_t)n * sizeof *s);
    kata_close(k);
}

static void test_fields_of_lower_rank_follow_their_levels(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++)
        for (int64_t n = 1; n <= 7; n++) {
            check_profiles(executors[e], n);
            check_surface(executors[e], n);
        }
}

/* ---- finer fields ---------------------------------------------------------------------------- */

enum { LARGEST = 4, REACH = 6, MOST = 3 * LARGEST + 1 };

typedef struct sweep {
    int64_t n, ratio;
    int offset;
    bool backward;
    kata_rule rule;
    int staggered;
} sweep;

static int64_t points(const sweep *s)
{
    return s->ratio * s->n + (s->staggered && s->rule != KATA_PERIODIC);
}

/* Where a read ends; -1 at a constant. */
static int64_t map(const sweep *s, int64_t i)
{
    int64_t n = points(s);
    while (i < 0 || i >= n) {
        if (s->rule == KATA_CONSTANT) return -1;
        if (s->rule == KATA_CLAMP)
            i = i < 0 ? 0 : n - 1;
        else if (s->rule == KATA_REFLECT_FACE)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else
            i += i < 0 ? n : -n;
    }
    return i;
}

static void run_by_hand(const sweep *s, double *values)
{
    for (int64_t l = 0; l < s->n; l++) {
        int64_t i = s->backward ? s->n - 1 - l : l, from = map(s, s->ratio * i + s->offset);
        values[s->ratio * i] = fma(0.5, from < 0 ? 3 : values[from], (double)i);
    }
}

/* In one dimension a level is one point, which nothing can meet. */
static void check_sweep(kata *k, kata_kernel *kernel, const sweep *s)
{
    double values[MOST], found[MOST];
    kata_grid *g = kata_grid_1d(k, s->n), *fine = kata_grid_1d(k, s->ratio * s->n);
    kata_field *f = kata_field_new(fine, "f", KATA_F64, .boundary = s->rule, .boundary_value = 3,
                                   .staggered = s->staggered);
    for (int64_t i = 0; i < points(s); i++) values[i] = (double)(i * i % 11) / 3;
    kata_put(f, kata_on(f), values, points(s));
    kata_apply(kernel, kata_all(g), f);
    kata_get(f, kata_on(f), found, points(s));
    assert_string_equal(kata_error_message(k), "");
    run_by_hand(s, values);
    assert_memory_equal(found, values, (size_t)points(s) * sizeof *found);
}

static void check_fields(kata *k, kata_kernel *kernel, sweep s)
{
    static const kata_rule rules[] = {KATA_CONSTANT, KATA_CLAMP, KATA_REFLECT_FACE, KATA_PERIODIC};
    for (s.n = 1; s.n <= LARGEST; s.n++)
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
            for (int staggered = 0; staggered < 2; staggered++) {
                s.rule = rules[r];
                s.staggered = staggered ? KATA_X : 0;
                check_sweep(k, kernel, &s);
            }
}

static void check_offset(kata *k, sweep s)
{
    char text[128];
    snprintf(text, sizeof text, "kernel q(inout double f finer(%d)) %s(x) { f = 0.5*f[%d] + ix; }",
             (int)s.ratio, s.backward ? "backward" : "forward", s.offset);
    check_fields(k, kata_kernel_find(kata_module_from_text(k, "q", text), "q"), s);
}

static void test_finer_fields_follow_the_levels_of_their_parents(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        kata *k = open_with(executors[e]);
        for (int ratio = 2; ratio <= 3; ratio++)
            for (int offset = -REACH; offset <= REACH; offset += e ? 3 : 1)
                for (int backward = 0; backward < 2; backward++)
                    check_offset(k,
                                 (sweep){.ratio = ratio, .offset = offset, .backward = backward});
        assert_int_equal(kata_close(k), KATA_OK);
    }
}

/* Of one level, what other points write stays forbidden. */
static void test_reads_within_a_level_are_refused(void **state)
{
    (void)state;
    kata *k = open_with("reference");
    kata_module *m =
        kata_module_from_text(k, "m",
                              "kernel beside(inout double f finer(2)) forward(y) { f = f[2,0]; }\n"
                              "kernel back(inout double f finer(2)) forward(y) { f = f[2,-2]; }\n"
                              "kernel other(inout double f finer(2)) forward(y) { f = f[1,0]; }\n");
    kata_grid *g = kata_grid_2d(k, 3, 2);
    kata_field *f = kata_field_new(kata_grid_2d(k, 6, 4), "f", KATA_F64, .boundary = KATA_PERIODIC);
    assert_int_equal(kata_apply(kata_kernel_find(m, "beside"), kata_all(g), f),
                     KATA_ERROR_APPLICATION);
    kata_error_clear(k);
    assert_int_equal(kata_apply(kata_kernel_find(m, "back"), kata_all(g), f), KATA_OK);
    assert_int_equal(kata_apply(kata_kernel_find(m, "other"), kata_all(g), f), KATA_OK);
    kata_grid *flat = kata_grid_2d(k, 3, 1); /* the level before is the level itself */
    f = kata_field_new(kata_grid_2d(k, 6, 2), "f", KATA_F64, .boundary = KATA_PERIODIC);
    assert_int_equal(kata_apply(kata_kernel_find(m, "back"), kata_all(flat), f),
                     KATA_ERROR_APPLICATION);
    assert_non_null(strstr(kata_error_message(k), "takes the read back to its own level"));
    kata_close(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_of_lower_rank_follow_their_levels),
        cmocka_unit_test(test_finer_fields_follow_the_levels_of_their_parents),
        cmocka_unit_test(test_reads_within_a_level_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
