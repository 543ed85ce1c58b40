/* Streams of fields with large planes: those of several components lie beside one another in a
 * ring. Sections on periodic fields end where few values wait to be read. Loops in a tile of planes
 * are cut so that all threads have some. */
/* Labels: slow */
#include "files_world.h"

#include "api/api.h"
#include "exec/on_files.h"

enum { COMPONENTS = 4, STEPS = 40 };

static const char program[] =
    "kernel spread(in double u, out double t[4])\n"
    "{ t[0] = u[0,0,-1]; t[1] = u[0,0,1]; t[2] = u[1,0,0] + u[-1,0,0]; t[3] = u[0,1,0]; }\n"
    "kernel gather(in double t[4], in double u, out double v)\n"
    "{ v = 0.5*u + 0.125*(t[0] + t[1] + t[2][0,0,1] - t[3][0,0,-1]); }\n";

/* A field of 32 x 32 x 64 values goes in or out 26 times in sections that end with a step, and 58
 * times in those that are as long as they can be. */
enum { VALUES = 32 * 32 * 64 * 8 };

/* Of a run: the values at the end, and the bytes that were moved. */
static size_t run(int64_t n, int64_t planes, kata_rule rule, int64_t memory, double *values)
{
    world w;
    open_limited(&w, memory, 0);
    kata_module *m = kata_module_from_text(w.k, "stages.kata", program);
    kata_kernel *spread = kata_kernel_find(m, "spread"), *gather = kata_kernel_find(m, "gather");
    kata_grid *g = kata_grid_3d(w.k, n, n, planes);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = rule),
               *v = kata_field_like(u, "v");
    kata_field *t = kata_field_new(g, "t", KATA_F64, .components = COMPONENTS, .boundary = rule);
    for (int64_t i = 0; i < n * n * planes; i++) values[i] = (double)(i * 7919 % 1000) / 1000;
    assert_int_equal(kata_put(u, kata_all(g), values, n * n * planes), KATA_OK);
    for (int i = 0; i < STEPS; i++) {
        kata_apply(spread, kata_all(g), u, t);
        kata_apply(gather, kata_all(g), t, u, v);
        kata_swap(u, v);
    }
    kata_discard(t);
    kata_discard(v);
    assert_int_equal(kata_flush(w.k), KATA_OK);
    port *p = memory ? w.k->exec.files->port : NULL;
    const size_t moved = p ? port_moved(p, false) + port_moved(p, true) : 0;
    assert_int_equal(kata_get(u, kata_all(g), values, n * n * planes), KATA_OK);
    close_world(&w);
    return moved;
}

static void compare(int64_t n, int64_t planes, kata_rule rule, int64_t memory, size_t most)
{
    const size_t count = (size_t)(n * n * planes), bytes = count * sizeof(double);
    double *one = malloc(bytes), *other = malloc(bytes);
    assert_true(one && other);
    run(n, planes, rule, 0, one);
    const size_t moved = run(n, planes, rule, memory, other);
    assert_memory_equal(one, other, bytes);
    assert_true(moved > 0);
    if (moved > most)
        fail_msg("moved %.2f fields, not %.2f", (double)moved / (double)bytes,
                 (double)most / (double)bytes);
    free(one);
    free(other);
}

static void components_of_large_planes_lie_together(void **state)
{
    (void)state;
    compare(96, 40, KATA_CLAMP, 12 << 20, SIZE_MAX);
    compare(96, 40, KATA_PERIODIC, 12 << 20, SIZE_MAX);
}

static void sections_end_where_few_values_wait(void **state)
{
    (void)state;
    compare(32, 64, KATA_PERIODIC, 1 << 20, 28 * VALUES);
}

/* The size of tiles along z; 0: there are none. */
static int64_t size_of_tiles(const analysis_chain *a, int threads)
{
    plan p = {.nodes = NULL};
    int64_t size = 0;
    assert_true(
        plan_make(&p, a, &(plan_request){.method = "tiled", .cache = 1 << 20, .threads = threads}));
    for (int i = 1; i < p.count; i++)
        if (p.nodes[i].kind == PLAN_TILE && p.nodes[i].dimension == 2) size = p.nodes[i].size;
    plan_free(&p);
    return size;
}

static void tiles_of_few_planes_are_cut_for_all_threads(void **state)
{
    enum { N = 256, PLANES = 6, LOOPS = 12 };
    (void)state;
    world w;
    analysis_chain a;
    open_world(&w);
    kata_module *m = kata_module_from_text(
        w.k, "heat.kata", "kernel heat(in double u, out double v) { v = u[0,0,-1] + u[0,1,1]; }\n");
    kata_grid *g = kata_grid_3d(w.k, N, N, N);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    for (int i = 0; i < LOOPS; i++) { /* as in a tile of a streamed plan */
        const int64_t z = N / 2 - i;
        kata_apply(kata_kernel_find(m, "heat"), kata_box_3d(g, 0, N, 0, N, z, z + PLANES),
                   i % 2 ? v : u, i % 2 ? u : v);
    }
    assert_true(analysis_chain_make(&w.k->chain, &a));
    assert_int_equal(size_of_tiles(&a, 2), PLANES / 2);
    assert_int_equal(size_of_tiles(&a, 3), PLANES / 3);
    analysis_chain_free(&a);
    chain_clear(&w.k->chain);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_of_large_planes_lie_together),
        cmocka_unit_test(sections_end_where_few_values_wait),
        cmocka_unit_test(tiles_of_few_planes_are_cut_for_all_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
