/* What a loop reads outside of a field is written around its values: once, also where the field is
 * given to several parameters that reach differently far, and whatever threads there are. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "kernel twice(in double a, in double b, out double v)\n"
                           "{ v = a[0,-1,0] + 3*b[-2,-1,1] + 5*b[1,2,0] + 7*a[-1,0,-2]; }\n"
                           "kernel star(in double a, in double b, out double v)\n"
                           "{ v = a[-2,0,0] + 3*b[1,0,0] + 5*a[0,-1,0] + 7*b[0,2,0]\n"
                           "  + 11*a[0,0,1] + 13*b[0,0,-2]; }\n"
                           "kernel behind(in double a, in double b, out double face)\n"
                           "{ face = a[-1,0,0] + b[-1,0,0]; }\n"
                           "kernel start(out double u) { u = sin(0.1*(ix + 7*iy + 3*iz)); }\n";

typedef struct settings {
    const char *executor, *kernel;
    int threads;
    const int64_t *size;
    kata_rule rule;
} settings;

static void run(const settings *s, double *out, int repetitions)
{
    const int64_t *n = s->size;
    kata *k =
        kata_open(&(kata_options){.executor = s->executor, .threads = s->threads, .wait = true});
    kata_module *m = kata_module_from_text(k, "fill", text);
    kata_kernel *twice = kata_kernel_find(m, s->kernel);
    kata_grid *g = kata_grid_3d(k, n[0], n[1], n[2]);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = s->rule, .boundary_value = 0.3);
    kata_field *v = kata_field_new(g, "v", KATA_F64);
    int64_t count = n[0] * n[1] * n[2];
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    for (int i = 0; i < repetitions; i++) {
        kata_apply(twice, kata_all(g), u, u, v);
        kata_get(v, kata_all(g), out + i * count, count);
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

static void check(const char *kernel, kata_rule rule, const int64_t size[3])
{
    enum { TIMES = 12 };
    size_t count = (size_t)(size[0] * size[1] * size[2]);
    double *expected = malloc(count * sizeof *expected);
    double *found = malloc(TIMES * count * sizeof *found);
    assert_true(expected && found);
    run(&(settings){"reference", kernel, 1, size, rule}, expected, 1);
    for (int threads = 1; threads <= 4; threads++) {
        run(&(settings){"cpu", kernel, threads, size, rule}, found, TIMES);
        for (size_t i = 0; i < TIMES; i++)
            if (memcmp(found + i * count, expected, count * sizeof *found) != 0)
                fail_msg("%s: rule %d, %d threads, %d x %d x %d: other values, time %d", kernel,
                         (int)rule, threads, (int)size[0], (int)size[1], (int)size[2], (int)i);
    }
    free(expected);
    free(found);
}

static void check_all(const char *kernel)
{
    static const int64_t sizes[][3] = {{61, 17, 13}, {16, 40, 20}, {3, 5, 7}, {1, 300, 50}};
    static const kata_rule rules[] = {KATA_CONSTANT, KATA_CLAMP, KATA_REFLECT_FACE,
                                      KATA_ANTISYMMETRIC_FACE, KATA_PERIODIC};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) check(kernel, rules[r], sizes[i]);
}

static void a_field_given_twice_is_filled_once(void **state)
{
    (void)state;
    check_all("twice");
}

/* What stars read outside is filled by the thread that runs the block. */
static void blocks_of_a_star_fill_for_themselves(void **state)
{
    (void)state;
    check_all("star");
}

/* The last face along x reads the last point, and nothing beyond it. */
static void nothing_is_filled_that_no_point_reads(void **state)
{
    enum { FACES = 2 * 3 * 4 };
    double found[FACES];
    (void)state;
    kata *k = kata_open(&(kata_options){.executor = "cpu", .threads = 1, .wait = true});
    kata_module *m = kata_module_from_text(k, "fill", text);
    kata_grid *g = kata_grid_3d(k, 1, 3, 4);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *face = kata_field_new(g, "face", KATA_F64, .staggered = KATA_X);
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    kata_apply(kata_kernel_find(m, "behind"), kata_on(face), u, u, face);
    kata_get(face, kata_on(face), found, FACES);
    assert_int_equal(kata_close(k), KATA_OK);
    for (int i = 0; i < FACES; i += 2) assert_true(found[i] == found[i + 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_given_twice_is_filled_once),
        cmocka_unit_test(blocks_of_a_star_fill_for_themselves),
        cmocka_unit_test(nothing_is_filled_that_no_point_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
