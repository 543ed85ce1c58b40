/* Loop intervals of groups of kernels: the example of GridTools, from levels and from kernels as
 * they are written. */
#include "analysis/analysis.h"
#include "lang/lang.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Splitters lie between levels of an axis that is not known in numbers. A level is the offset-th
 * above a splitter, or, where the offset is negative, below it; it is never 0. */
typedef struct level {
    int splitter, offset;
} level;

/* The number of a level as if splitters lay 2*most levels apart. */
static int64_t level_index(level l, int most)
{
    return (int64_t)most * (2 * (int64_t)l.splitter + 1) + l.offset - (l.offset > 0);
}

/* ---- the example ----------------------------------------------------------------------------- */

enum { KERNELS = 3 };

/* Loops (0,1)-(1,-1): F1, F2 first body; (1,1)-(2,-1): F1, F2 second; (2,1)-(3,-2): F2 second;
 * (3,-1)-(3,-1): F0, F2 second. */
static const struct {
    level first, last;
    int bodies[KERNELS];
} expected[] = {
    {{0, 1}, {1, -1}, {-1, 0, 0}},
    {{1, 1}, {2, -1}, {-1, 0, 1}},
    {{2, 1}, {3, -2}, {-1, -1, 1}},
    {{3, -1}, {3, -1}, {0, -1, 1}},
};

/* `at`: the number of a level. */
static void assert_example(const analysis_body *bodies, int count, int64_t (*at)(level l, int most),
                           int most)
{
    arena memory = {0};
    analysis_loop_interval *loops;
    int found = analysis_loop_intervals(bodies, count, KERNELS, &memory, &loops);
    assert_int_equal(found, sizeof expected / sizeof *expected);
    for (int i = 0; i < found; i++) {
        assert_int_equal(loops[i].first, at(expected[i].first, most));
        assert_int_equal(loops[i].last, at(expected[i].last, most));
        assert_memory_equal(loops[i].bodies, expected[i].bodies, sizeof expected[i].bodies);
    }
    arena_free(&memory);
}

static void the_example_is_cut_as_it_should(void **state)
{
    (void)state;
    static const struct {
        int kernel, body;
        level first, last;
    } given[] = {
        {0, 0, {3, -1}, {3, -1}},
        {1, 0, {0, 1}, {2, -1}},
        {2, 0, {0, 1}, {1, -1}},
        {2, 1, {1, 1}, {3, -1}},
    };
    for (int most = 2; most < 6; most++) {
        analysis_body bodies[4];
        for (int i = 0; i < 4; i++)
            bodies[i] =
                (analysis_body){given[i].kernel, given[i].body, level_index(given[i].first, most),
                                level_index(given[i].last, most)};
        assert_example(bodies, 4, level_index, most);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const char program[] =
    "kernel f0(inout double u) forward(z) { interval [nz-1, nz) { u += 1; } }\n"
    "kernel f1(inout double u, int middle) backward(z) { interval [0, middle) { u += 1; } }\n"
    "kernel f2(inout double u, int low) forward(z)\n"
    "{\n"
    "    interval [0, low) { u += 1; }\n"
    "    interval [low, nz) { u += 2; }\n"
    "}\n"
    "kernel near(inout double u, int low) forward(z)\n"
    "{\n"
    "    interval [low+3, nz-1) { u += 2; }\n"
    "}\n"
    "kernel all(inout double u) forward(z) { u += 2; }\n";

typedef struct group {
    lang_module *module;
    chain_binding bindings[5][2];
    chain_loop loops[5];
    const chain_loop *list[5];
} group;

/* Loops of all kernels on `size` levels, whose int parameters are given. */
static void make_group(group *g, int64_t size, int low, int middle)
{
    messages m = {0};
    m.no_warnings = true;
    *g = (group){0};
    assert_int_equal(lang_compile("k", program, strlen(program), NULL, &m, &g->module), KATA_OK);
    message_free(&m);
    for (int i = 0; i < 5; i++) {
        g->bindings[i][1].number = ir_value_of_int(IR_I32, i == 1 ? middle : low);
        g->loops[i] = (chain_loop){.kernel = g->module->kernels[i],
                                   .shape = {3, {4, 4, size}},
                                   .bindings = g->bindings[i]};
        g->list[i] = &g->loops[i];
    }
}

/* The number of a level where splitters are known. */
static int64_t known_level(level level, int most)
{
    static const int64_t splitters[] = {0, 10, 25, 40};
    (void)most;
    return splitters[level.splitter] + level.offset - (level.offset > 0);
}

static void kernels_are_cut_where_their_bodies_change(void **state)
{
    (void)state;
    group g;
    arena memory = {0};
    analysis_body *bodies;
    make_group(&g, 40, 10, 25);
    int count = analysis_bodies_of(g.list, KERNELS, &memory, &bodies);
    assert_example(bodies, count, known_level, 0);
    arena_free(&memory);
    lang_module_free(g.module);
}

/* The body of a kernel of the text at a level, as written. */
static int body_at(int kernel, int64_t z, int64_t size, int low, int middle)
{
    switch (kernel) {
    case 0: return z == size - 1 ? 0 : -1;
    case 1: return z < middle ? 0 : -1;
    case 2: return z < low ? 0 : 1;
    case 3: return z >= low + 3 && z < size - 1 ? 0 : -1;
    default: return 0;
    }
}

static void check_levels(int64_t size, int low, int middle)
{
    group g;
    arena memory = {0};
    analysis_body *bodies;
    analysis_loop_interval *loops;
    make_group(&g, size, low, middle);
    int body_count = analysis_bodies_of(g.list, 5, &memory, &bodies);
    int count = analysis_loop_intervals(bodies, body_count, 5, &memory, &loops);
    int64_t z = 0;
    for (int i = 0; i < count; i++) {
        assert_int_equal(loops[i].first, z);
        for (; z <= loops[i].last; z++)
            for (int k = 0; k < 5; k++)
                assert_int_equal(loops[i].bodies[k], body_at(k, z, size, low, middle));
    }
    assert_int_equal(z, size);
    arena_free(&memory);
    lang_module_free(g.module);
}

static void every_level_has_the_bodies_of_its_kernels(void **state)
{
    (void)state;
    for (int64_t size = 1; size < 14; size++)
        for (int low = -2; low < size + 2; low++)
            for (int middle = -1; middle < size + 2; middle += 2) check_levels(size, low, middle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_is_cut_as_it_should),
        cmocka_unit_test(kernels_are_cut_where_their_bodies_change),
        cmocka_unit_test(every_level_has_the_bodies_of_its_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
