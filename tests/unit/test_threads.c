/* Large loops are shared among threads, also where the points have no fields of their own. */
#include "kata/kata.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "kernel circle(sum double inside, long seed)\n"
    "{\n"
    "    double x = random(seed), y = random(seed);\n"
    "    inside += x*x + y*y < 1 ? 1 : 0;\n"
    "}\n"
    "kernel profile(in double p along z, sum double total) { total += p*ix; }\n"
    "kernel surface(in double s along xy, inout double t along xy) { t = 2*s + t; }\n"
    "kernel plain(in double u, inout double v) { v = 2*u + v; }\n";

/* Of this process; 0 where that cannot be told. */
static int threads_now(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return 0;
    for (const struct dirent *d = readdir(tasks); d; d = readdir(tasks))
        count += d->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* Threads that a context of two starts for a kernel. */
static int started(const char *kernel)
{
    kata *k = kata_open(&(kata_options){.executor = "cpu", .threads = 2, .wait = true});
    kata_grid *g = kata_grid_3d(k, 512, 256, 2);
    kata_module *m = kata_module_from_text(k, "text", text);
    kata_kernel *apply = kata_kernel_find(m, kernel);
    kata_field *p = kata_field_new(g, "p", KATA_F64, .along = KATA_Z);
    kata_field *s = kata_field_new(g, "s", KATA_F64, .along = KATA_X | KATA_Y);
    kata_field *t = kata_field_like(s, "t");
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_scalar *r = kata_scalar_new(k, "r", KATA_F64);
    int before = threads_now();
    if (strcmp(kernel, "circle") == 0)
        kata_apply(apply, kata_all(g), r, 1);
    else if (strcmp(kernel, "profile") == 0)
        kata_apply(apply, kata_all(g), p, r);
    else if (strcmp(kernel, "surface") == 0)
        kata_apply(apply, kata_on(s), s, t);
    else
        kata_apply(apply, kata_all(g), u, v);
    assert_int_equal(kata_flush(k), KATA_OK);
    int after = threads_now();
    assert_int_equal(kata_close(k), KATA_OK);
    return after - before;
}

static void large_loops_are_shared_with_and_without_fields(void **state)
{
    static const char *const kernels[] = {"circle", "profile", "surface", "plain"};
    (void)state;
    if (threads_now() == 0) skip();
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        (void)started(kernels[i]); /* also those that compile it */
        assert_int_equal(started(kernels[i]), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_loops_are_shared_with_and_without_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
