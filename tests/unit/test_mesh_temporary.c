/* Temporaries of a mesh that are computed where they are read at neighbours have the bits of the
 * reference executor; one that is made by a boundary rule along z is not computed there. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { NZ = 16, EDGES = 480, VERTICES = 162 };

static const char kernels[] =
    "kernel here(in double a on edge, out double t on edge) on edge { t = 0.5*a; }\n"
    "kernel below(in double a on edge, out double t on edge) on edge { t = 0.5*a + a[0,0,-1]; }\n"
    "kernel gather(in double t on edge, out double v on vertex) on vertex\n"
    "{ double s = 0; for (e : edges) s += orientation(e)*t[e]; v = s; }\n";

static void run(const char *kernel, const char *executor, double *v)
{
    static double values[EDGES * NZ];
    kata *k = kata_open(&(kata_options){.executor = executor, .no_warnings = true});
    kata_grid *g = kata_grid_sphere(k, 2, 1, NZ);
    kata_module *m = kata_module_from_text(k, "temporary.kata", kernels);
    kata_field *a = kata_field_new(g, "a", KATA_F64, .on = KATA_EDGES, .boundary = KATA_CLAMP);
    kata_field *t = kata_field_new(g, "t", KATA_F64, .on = KATA_EDGES, .temporary = true);
    kata_field *to = kata_field_new(g, "v", KATA_F64, .on = KATA_VERTICES);
    for (int i = 0; i < EDGES * NZ; i++) values[i] = (double)(i * 7919 % 2003) / 1001 - 1;
    kata_put(a, kata_on(a), values, EDGES * NZ);
    kata_apply(kata_kernel_find(m, kernel), kata_all(g), a, t);
    kata_apply(kata_kernel_find(m, "gather"), kata_all(g), t, to);
    kata_step(k);
    kata_get(to, kata_on(to), v, VERTICES * NZ);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void temporaries_have_the_bits_of_the_reference(void **unused)
{
    static double got[VERTICES * NZ], expected[VERTICES * NZ];
    static const char *const made[] = {"here", "below"};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        run(made[i], "cpu", got);
        run(made[i], "reference", expected);
        assert_memory_equal(got, expected, sizeof got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temporaries_have_the_bits_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
