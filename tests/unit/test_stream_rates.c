/* How deep sections are follows from measured rates: deeper where the disk takes longer than the
 * loops, so that less is moved; not deeper than they must be otherwise. */
/* Labels: slow */
#include "files_world.h"

#include "api/api.h"
#include "exec/on_files.h"

static void sections_grow_where_the_disk_decides(void **state)
{
    (void)state;
    exec_streams f = {.deepest = STREAM_DEPTH};
    files_learn(&f, 9, 10, 5);
    assert_int_equal(f.deepest, 2 * STREAM_DEPTH);
    files_learn(&f, 4, 10, 2); /* half as long as the loops: good as it is */
    assert_int_equal(f.deepest, 2 * STREAM_DEPTH);
    for (int i = 0; i < 10; i++) files_learn(&f, 9, 10, 5);
    assert_int_equal(f.deepest, STREAM_DEEPEST);
    for (int i = 0; i < 10; i++) files_learn(&f, 1, 10, 1);
    assert_int_equal(f.deepest, STREAM_DEPTH);
}

enum { NX = 512, NY = 512, STEPS = 200, CHAINS = 4, MEMORY = 2500000 };

/* On a disk that is slow for certain, chains move less than at first, and give the same. */
static void a_slow_disk_makes_sections_deep(void **state)
{
    (void)state;
    world w = {0};
    assert_int_equal(setenv("KATA_SPILL_RATE", "6M", 1), 0);
    w.k = kata_open(&(kata_options){
        .memory = MEMORY, .spill = "/var/tmp", .handler = keep_message, .handler_data = &w});
    assert_int_equal(unsetenv("KATA_SPILL_RATE"), 0);
    assert_non_null(w.k);
    kata_module *m = kata_module_from_text(w.k, "heat.kata",
                                           "kernel heat(in double u, out double v)\n"
                                           "{ v = 0.5*u + 0.25*(u[0,-1] + u[0,1]); }\n");
    kata_grid *g = kata_grid_2d(w.k, NX, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    size_t moved[CHAINS + 1] = {0};
    for (int c = 0; c < CHAINS; c++) {
        for (int i = 0; i < STEPS; i++)
            kata_apply(kata_kernel_find(m, "heat"), kata_all(g), i % 2 ? v : u, i % 2 ? u : v);
        assert_int_equal(kata_flush(w.k), KATA_OK);
        port *p = w.k->exec.files->port;
        moved[c + 1] = port_moved(p, false) + port_moved(p, true);
    }
    assert_true(w.k->exec.files->streams.deepest > STREAM_DEPTH);
    assert_true(moved[CHAINS] - moved[CHAINS - 1] < moved[2] - moved[1]);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_grow_where_the_disk_decides),
        cmocka_unit_test(a_slow_disk_makes_sections_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
