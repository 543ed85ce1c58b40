/* Small kernels have two functions: one for chains that fit the caches, and a larger one that also
 * prefetches and streams. Each is compiled when a chain needs it, once; where the larger one is
 * there, chains that fit take it, too; and both give the same bits. */
/* Labels: compiler */
#include "codegen/codegen.h"
#include "jit_world.h"
#include "kata/kata.h"
#include "lang/lang.h"

enum { SMALL = 32, LARGE = 1600, CHECKED = 16 };

static const char star[] = "kernel star(in double u, out double v)\n"
                           "{ v = u + 0.1*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }\n"
                           "kernel start(out double u) { u = 0.37*ix - 0.11*iy*iy; }\n";

/* ---- which kernels --------------------------------------------------------------------------- */

static codegen_loop loop_of(const lang_module *m, int kernel, kata_type storage[4])
{
    for (int p = 0; p < 4; p++) storage[p] = KATA_F64;
    return (codegen_loop){.kernel = m->kernels[kernel], .storage = storage};
}

static void small_kernels_that_read_nothing_they_write(void **state)
{
    static const char text[] = "kernel plain(in double u, out double v) { v = u[1,0] - u[-1,0]; }\n"
                               "kernel root(in double u, out double v) { v = exp(u); }\n"
                               "kernel sum_(in double u, sum double s) { s += u*u; }\n"
                               "kernel place(in double u, inout double v) { v += u[1,0]; }\n"
                               "kernel ordered(in double u, out double v) forward(x)\n"
                               "{ interval [0, 1) { v = u; } interval [1, nx) { v = v[-1,0]; } }\n"
                               "kernel large(in double u, out double v)\n"
                               "{ v = 0; for (int k = -50; k <= 50; k++) v += k*u[k,0]; }\n";
    static const bool plain[] = {true, false, false, false, false, false};
    static const bool two[] = {true, true, true, false, false, false};
    messages m = {0};
    lang_module *module = NULL;
    kata_type storage[4];
    (void)state;
    kata_status status = lang_compile("k", text, strlen(text), NULL, &m, &module);
    if (status) print_message("%s\n", text_get(&m.body));
    assert_int_equal(status, KATA_OK);
    for (int i = 0; i < (int)COUNT_OF(two); i++) {
        codegen_loop loop = loop_of(module, i, storage);
        assert_int_equal(codegen_passes_past_caches(&loop) != 0, two[i]);
        assert_false(codegen_is_plain(&loop));
        loop.without = codegen_passes_past_caches(&loop);
        assert_int_equal(codegen_is_plain(&loop), plain[i]);
        loop.colored = true;
        assert_false(codegen_is_plain(&loop));
    }
    lang_module_free(module);
    message_free(&m);
}

/* ---- when they are compiled ------------------------------------------------------------------ */

static kata *open_counted(const char *folder)
{
    char path[100];
    snprintf(path, sizeof path, "'%s/cc.sh'", folder);
    return kata_open(
        &(kata_options){.compiler = path, .cache = folder, .wait = true, .threads = 2});
}

/* Applies the star on a grid, and gives some of its values. */
static void run_star(kata *k, kata_module *m, int64_t n, double out[CHECKED])
{
    kata_grid *g = kata_grid_2d(k, n, n);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v");
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    kata_apply(kata_kernel_find(m, "star"), kata_all(g), u, v);
    assert_int_equal(kata_get(v, kata_box_2d(g, 3, 3 + CHECKED, 5, 6), out, CHECKED), KATA_OK);
}

/* How often the compiler was called since the last time. */
static int calls(const char *folder)
{
    char path[200], *data = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/calls", folder);
    file_read(path, 1 << 20, &data, &size);
    free(data);
    unlink(path);
    return (int)size;
}

static void each_is_compiled_when_it_is_needed(void **state)
{
    const char *folder = *state;
    double small[CHECKED], large[CHECKED], again[CHECKED];
    for (int round = 0; round < 2; round++) {
        kata *k = open_counted(folder);
        kata_module *m = kata_module_from_text(k, "star", star);
        run_star(k, m, SMALL, small);
        assert_int_equal(calls(folder) > 0, round == 0);
        run_star(k, m, LARGE, large);
        assert_int_equal(calls(folder) > 0, round == 0);
        run_star(k, m, SMALL, again);
        assert_int_equal(calls(folder), 0);
        assert_memory_equal(small, large, sizeof small); /* far from the periodic sides */
        assert_memory_equal(small, again, sizeof small);
        assert_int_equal(kata_close(k), KATA_OK);
    }
}

static void the_larger_one_serves_for_both(void **state)
{
    const char *folder = *state;
    double values[CHECKED];
    kata *k = open_counted(folder);
    assert_int_equal(kata_module_compile(kata_module_from_text(k, "star", star), NULL), KATA_OK);
    assert_int_equal(kata_close(k), KATA_OK);
    assert_true(calls(folder) > 0);
    k = open_counted(folder);
    run_star(k, kata_module_from_text(k, "star", star), SMALL, values);
    assert_int_equal(calls(folder), 0);
    assert_int_equal(kata_close(k), KATA_OK);
}

static int set_up(void **state)
{
    char *path = strdup("/tmp/kata-two-XXXXXX"), script[200];
    *state = path;
    if (!path || !mkdtemp(path)) return -1;
    snprintf(script, sizeof script, "echo >>'%s/calls'\nexec cc \"$@\"", path);
    write_script(path, script); /* once: a compiler that changes is another compiler */
    return 0;
}

static int tear_down(void **state)
{
    remove_folder(*state);
    free(*state);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(small_kernels_that_read_nothing_they_write),
        TEST(each_is_compiled_when_it_is_needed),
        TEST(the_larger_one_serves_for_both),
    };
    unsetenv("KATA_CC");
    unsetenv("KATA_WITHOUT");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
