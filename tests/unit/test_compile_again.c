/* A compiler that fails is asked again once the error is cleared: nothing that failed before is
 * waited for. */
/* Labels: compiler */
#include "jit_world.h"
#include "kata/kata.h"

static const char kernels[] = "kernel one(in double u, out double v) { v = u + 1; }\n"
                              "kernel two(in double u, out double v) { v = 2*u; }\n"
                              "kernel three(in double u, out double v) { v = u - 3; }\n";

static void quiet(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

static void a_compiler_that_works_again_is_used(void **state)
{
    char script[8192], broken[4096];
    const char *folder = *state;
    snprintf(broken, sizeof broken, "%s/broken", folder);
    snprintf(script, sizeof script, "if [ -e '%s' ]; then exit 1; fi; exec cc \"$@\"", broken);
    assert_int_equal(file_write(broken, "", 0), 0);
    kata *k = kata_open(&(kata_options){.compiler = write_script(folder, script),
                                        .cache = folder,
                                        .wait = true,
                                        .no_warnings = true,
                                        .handler = quiet});
    kata_grid *g = kata_grid_1d(k, 1000);
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    static const char *const names[] = {"one", "two", "three"};
    double zeros[1000] = {0}, found = 5;
    for (int round = 0; round < 2; round++) {
        kata_put(u, kata_all(g), zeros, 1000);
        for (int i = 0; i < 3; i++) {
            kata_apply(kata_kernel_find(m, names[i]), kata_all(g), u, v);
            kata_swap(u, v);
        }
        assert_int_equal(kata_flush(k), round ? KATA_OK : KATA_ERROR_COMPILER);
        kata_error_clear(k);
        unlink(broken);
    }
    kata_get(u, kata_box_1d(g, 0, 1), &found, 1);
    assert_true(found == -1);
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    char folder[] = "/tmp/kata-compile-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_compiler_that_works_again_is_used, folder),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_folder(folder);
    return failed;
}
