/* How many loops of a chain make a section, with one exchange before them. */
#include "lang/lang.h"
#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LOOPS = 48, BLUR = 0, SCALE = 1 };

static const char kernels[] = "kernel blur(in double u, out double v) { v = u[0,1] + u[0,-1]; }\n"
                              "kernel scale(in double u, out double v) { v = 2*u; }\n";

typedef struct world {
    lang_module *module;
    chain_slot slots[2];
    grid_boundary boundary;
    chain chain;
    messages m;
} world;

/* Loops to and fro between two fields, of which each `every`-th one blurs. */
static void queue_loops(world *w, int64_t rows, int every)
{
    chain_binding bindings[2] = {{.name = "u", .boundary = &w->boundary},
                                 {.name = "v", .boundary = &w->boundary}};
    for (int side = 0; side < 6; side++) w->boundary.side[side].rule = KATA_CLAMP;
    for (int i = 0; i < 2; i++)
        w->slots[i] =
            (chain_slot){.shape = {2, {4000, rows, 1}}, .type = KATA_F64, .components = 1};
    for (int i = 0; i < LOOPS; i++) {
        chain_loop loop = {.kernel = w->module->kernels[i % every == 0 ? BLUR : SCALE],
                           .shape = w->slots[0].shape,
                           .bindings = bindings};
        bindings[0].slot = &w->slots[i % 2];
        bindings[1].slot = &w->slots[1 - i % 2];
        loop.box = grid_shape_box(&loop.shape);
        assert_int_equal(chain_append(&w->chain, &loop, &w->m), KATA_OK);
    }
}

/* The lengths of a chain's sections on two ranks: "16 16 16 ". */
static void find_sections(const world *w, text *out)
{
    plan_home homes[2] = {{.whole = false}, {.whole = false}};
    plan_dealt p = {.raster = {{1, 2, 1}, {1, 1, 1}, {0, 0, 0}, 0}, .every = LOOPS};
    analysis_chain a;
    int loops = 0;
    assert_true(analysis_chain_make(&w->chain, &a));
    assert_true(plan_deal(&p, &a, homes));
    for (int i = 0; i < p.count; i++) {
        if (p.steps[i].kind == PLAN_DEALT_EXCHANGE && loops) {
            text_add(out, "%d ", loops);
            loops = 0;
        }
        loops += p.steps[i].kind == PLAN_DEALT_PART;
    }
    text_add(out, "%d ", loops);
    plan_dealt_free(&p);
    analysis_chain_free(&a);
}

static void expect_sections(int64_t rows, int every, const char *expected)
{
    world w = {.module = NULL};
    text sections = {0};
    assert_int_equal(lang_compile("sections", kernels, strlen(kernels), NULL, &w.m, &w.module),
                     KATA_OK);
    queue_loops(&w, rows, every);
    find_sections(&w, &sections);
    assert_string_equal(text_get(&sections), expected);
    text_free(&sections);
    chain_free(&w.chain);
    lang_module_free(w.module);
    message_free(&w.m);
}

/* Of 48 loops that all read neighbours, a section would compute a tenth of its points twice. */
static void many_loops_make_a_section_where_they_compute_little_twice(void **state)
{
    (void)state;
    expect_sections(1000, 1, "16 16 16 ");
    expect_sections(4000, 1, "48 ");
    expect_sections(1000, 8, "48 ");
}

/* Of up to 16 loops it may be an eighth, here of 100 rows. */
static void few_loops_may_compute_more_twice(void **state)
{
    (void)state;
    expect_sections(200, 1, "13 13 13 9 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_loops_make_a_section_where_they_compute_little_twice),
        cmocka_unit_test(few_loops_may_compute_more_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
