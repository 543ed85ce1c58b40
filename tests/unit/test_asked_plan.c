/* The plan that a program asks for, by an option or the environment: what cannot be one is refused,
 * and what cannot be used is said. */
#include "kata/kata.h"
#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(data, 1024, "%s", message);
}

static void check_refused(const char *option, const char *environment, const char *first_line)
{
    char message[1024] = "";
    if (environment) setenv("KATA_PLAN", environment, 1);
    assert_null(kata_open(
        &(kata_options){.plan = option, .handler = keep_message, .handler_data = message}));
    unsetenv("KATA_PLAN");
    message[strcspn(message, "\n")] = '\0';
    assert_string_equal(message, first_line);
}

static void test_what_is_no_plan_is_refused_where_it_comes_from(void **state)
{
    (void)state;
    check_refused("skewed q=1", NULL,
                  "error: the plan is 'skewed q=1', in which 'q=1' means nothing");
    check_refused("", NULL, "error: the plan is '': a method is missing");
    check_refused("y=1", "loops", "error: the plan is 'y=1', in which 'y=1' means nothing");
    check_refused(
        NULL, "y=1",
        "error: the environment variable KATA_PLAN is 'y=1', in which 'y=1' means nothing");
}

static void test_a_word_without_effect_is_refused(void **state)
{
    (void)state;
    check_refused("loops x=3", NULL,
                  "error: the plan is 'loops x=3', in which 'x=3' has no effect: 'loops' takes no "
                  "words");
    check_refused("tiled cache=1048576 y=16", NULL,
                  "error: the plan is 'tiled cache=1048576 y=16', in which 'y=16' has no effect: "
                  "'tiled' takes depth=, cache=, threads=");
    check_refused("shared cache=1M threads=2", NULL,
                  "error: the plan is 'shared cache=1M threads=2', in which 'threads=2' has no "
                  "effect: 'shared' takes depth=, cache=");
    check_refused("streamed z=4 every=3", NULL,
                  "error: the plan is 'streamed z=4 every=3', in which 'every=3' has no effect: "
                  "'streamed' takes x=, y=, z=, depth=, prefetch, rims=");
    check_refused("skewed y=8 inner.x=2", NULL,
                  "error: the plan is 'skewed y=8 inner.x=2', in which 'inner.x=2' has no effect "
                  "without x=");
    check_refused("skewed y=8 y=9", NULL,
                  "error: the plan is 'skewed y=8 y=9', in which 'y=9' gives y twice");
    check_refused("skewed y=8 skewed", NULL,
                  "error: the plan is 'skewed y=8 skewed', in which 'skewed' means nothing");
}

static void test_methods_lie_in_the_tiles_of_those_that_take_them(void **state)
{
    (void)state;
    check_refused("overlapped y=8 / skewed y=4", NULL,
                  "error: the plan is 'overlapped y=8 / skewed y=4', in which '/' has no effect: "
                  "'overlapped' takes no other method in its tiles");
    check_refused("skewed y=8 / streamed y=4", NULL,
                  "error: the plan is 'skewed y=8 / streamed y=4', in which 'streamed' cannot be "
                  "in the tiles of 'skewed'");
    check_refused("skewed y=8 /", NULL, "error: the plan is 'skewed y=8 /': a method is missing");
    check_refused("skewed y=8 / skewed y=4 / skewed y=2 / loops", NULL,
                  "error: the plan is 'skewed y=8 / skewed y=4 / skewed y=2 / loops', in which "
                  "'loops' is more than 3 methods");
}

static void test_a_number_out_of_bounds_is_refused_with_the_bounds(void **state)
{
    static const char *const sizes[] = {"0",   "-1", "1073741825",          "4k",
                                        "1.5", "",   "99999999999999999999"};
    static const char *const bytes[] = {"1MB", "0", "1m", "2048G", "k", "1099511627777", "1kk"};
    char plan[80], expected[200];
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(plan, sizeof plan, "skewed z=%s", sizes[i]);
        snprintf(expected, sizeof expected,
                 "error: the plan is '%s', in which 'z=%s' needs a number from 1 to 1073741824",
                 plan, sizes[i]);
        check_refused(plan, NULL, expected);
    }
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        snprintf(plan, sizeof plan, "tiled cache=%s", bytes[i]);
        snprintf(expected, sizeof expected,
                 "error: the plan is '%s', in which 'cache=%s' needs bytes from 1 to "
                 "1099511627776, such as cache=1048576, 1024k or 1M",
                 plan, bytes[i]);
        check_refused(plan, NULL, expected);
    }
}

static void test_bytes_may_have_units(void **state)
{
    static const struct {
        const char *words, *printed;
    } known[] = {
        {"tiled cache=1M", "tiled cache=1048576"},
        {"tiled threads=2 cache=3k depth=4", "tiled depth=4 cache=3072 threads=2"},
        {"shared depth=4 cache=3k", "shared depth=4 cache=3072"},
        {"tiled cache=1024G", "tiled cache=1099511627776"},
        {"  streamed   z=4 prefetch ", "streamed z=4 prefetch"},
        {"streamed z=4 rims=8", "streamed z=4 rims=8"},
        {"skewed x=9 y=8 z=1073741824 inner.x=3 depth=2",
         "skewed x=9 y=8 z=1073741824 inner.x=3 depth=2"},
        {"blocked parts.y=2 every=3", "blocked parts.y=2 every=3"},
        {"streamed z=4/skewed y=8", "streamed z=4 / skewed y=8"},
        {"blocked parts.z=4 every=2 /tiled cache=1k / skewed z=16 y=16",
         "blocked parts.z=4 every=2 / tiled cache=1024 / skewed y=16 z=16"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        plan_request request[PLAN_MOST_METHODS], again[PLAN_MOST_METHODS];
        text why = {0}, printed = {0};
        assert_true(plan_request_read(known[i].words, request, PLAN_MOST_METHODS, &why));
        plan_request_print(&printed, request);
        assert_string_equal(text_get(&printed), known[i].printed);
        assert_true(plan_request_read(known[i].printed, again, PLAN_MOST_METHODS, &why));
        assert_true(plan_request_equal(request, again));
        text_free(&printed);
    }
}

/* The cores of a machine limit its blocks, which is no word of a plan. */
static void test_what_is_printed_can_be_read(void **state)
{
    (void)state;
    plan_request request, again;
    text why = {0}, printed = {0};
    assert_true(plan_request_read("blocked parts.x=4 memory=1k", &request, 1, &why));
    request.siblings = 16;
    plan_request_print(&printed, &request);
    assert_string_equal(text_get(&printed), "blocked parts.x=4 memory=1024");
    assert_true(plan_request_read(text_get(&printed), &again, 1, &why));
    text_free(&printed);
}

/* ---- methods that cannot be used ------------------------------------------------------------- */

static const char kernels[] =
    "kernel heat(in double u, out double v) { v = 0.2*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1]); }\n"
    "kernel down(in double u, inout double v) forward(y) { v = iy > 0 ? v[0,-1] + u : u; }\n"
    "kernel skip(inout double v) forward(y)\n"
    "{ v = iy > 0 && ix > 0 ? v[-1,-1] + 1 : 1; }\n"
    "kernel split(in double u, out double f finer(2)) { for (int i = 0; i < 2; i++)\n"
    "  for (int j = 0; j < 2; j++) f[i,j] = u; }\n"
    "kernel half(in double u, inout double v) { v += 0.5*u[3,0]; }\n"
    "kernel flux(in double u, out double f) { f = u - u[-1,0]; }\n"
    "kernel far(in double u, out double v) { v = u[1000,1000] - u[-1000,-1000]; }\n"
    "kernel top(in double u, max double r) { r = max(r, u); }\n"
    "kernel scale(in double r, inout double s) { s += r; }\n";

typedef struct world {
    kata *k;
    kata_grid *g;
    kata_module *m;
    kata_field *u, *v, *wide, *fine;
    kata_scalar *r, *s;
    char said[1024];
} world;

static void open_world(world *w, const char *executor, const char *plan)
{
    w->said[0] = '\0';
    w->k = kata_open(&(kata_options){
        .executor = executor, .plan = plan, .handler = keep_message, .handler_data = w->said});
    w->g = kata_grid_2d(w->k, 12, 8);
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    w->v = kata_field_like(w->u, "v");
    w->wide = kata_field_new(w->g, "wide", KATA_F64, .staggered = KATA_X);
    w->fine = kata_field_new(kata_grid_2d(w->k, 24, 16), "fine", KATA_F64);
    w->r = kata_scalar_new(w->k, "r", KATA_F64);
    w->s = kata_scalar_new(w->k, "s", KATA_F64);
}

static kata_kernel *find(const world *w, const char *name) { return kata_kernel_find(w->m, name); }

static void step(world *w)
{
    kata_apply(find(w, "heat"), kata_all(w->g), w->u, w->v);
    kata_swap(w->u, w->v);
}

static void two_steps(world *w)
{
    step(w);
    step(w);
}

static void sweep(world *w) { kata_apply(find(w, "down"), kata_all(w->g), w->u, w->v); }
static void slanted_sweep(world *w) { kata_apply(find(w, "skip"), kata_all(w->g), w->v); }
static void refine(world *w) { kata_apply(find(w, "split"), kata_all(w->g), w->u, w->fine); }

static void change_and_read(world *w)
{
    kata_apply(find(w, "half"), kata_all(w->g), w->u, w->v);
    kata_apply(find(w, "half"), kata_all(w->g), w->v, w->u);
}

static void faces(world *w) { kata_apply(find(w, "flux"), kata_on(w->wide), w->u, w->wide); }

static void three_groups(world *w)
{
    two_steps(w);
    kata_apply(find(w, "top"), kata_all(w->g), w->u, w->r);
    kata_apply(find(w, "scale"), kata_once(w->k), w->r, w->s);
    sweep(w);
}

/* The memory around a point is a million times that of the field. */
static void read_far_outside(world *w)
{
    for (int side = KATA_X_LOW; side <= KATA_Y_HIGH; side++)
        kata_boundary_set(w->u, (kata_side)side, KATA_CLAMP, 0);
    kata_fill(w->u, kata_all(w->g), 2);
    kata_apply(find(w, "far"), kata_all(w->g), w->u, w->v);
}

/* What is said of a chain by an executor and plan. */
static void check_said(const char *executor, const char *plan, void (*program)(world *),
                       const char *said)
{
    world w;
    open_world(&w, executor, plan);
    for (int i = 0; i < 2; i++) { /* the second chain is like the first */
        w.said[0] = '\0';
        program(&w);
        kata_flush(w.k);
        assert_string_equal(w.said, i ? "" : said);
    }
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void check_unused(const char *plan, void (*program)(world *), const char *counts,
                         const char *why)
{
    char expected[1024];
    snprintf(
        expected, sizeof expected,
        "warning: the method '%.*s' cannot be used for %s loops of a chain: they run one after "
        "another\n  %s",
        (int)strcspn(plan, " "), plan, counts, why);
    check_said("plan", plan, program, expected);
}

static void test_a_method_that_cannot_be_used_is_named_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        void (*program)(world *);
        const char *counts, *why;
    } known[] = {
        {"skewed", two_steps, "2 of the 2",
         "'heat' and 1 more: it is given no size of tiles, such as y=16"},
        {"diamond y=1", two_steps, "2 of the 2",
         "'heat' and 1 more: tiles along y shrink too much over these loops: y=2 is the least"},
        {"streamed x=4 z=2", two_steps, "2 of the 2",
         "'heat' and 1 more: not along x: values are read over its periodic sides; not along z: "
         "the grid does not have it"},
        {"fused y=2", two_steps, "2 of the 2",
         "'heat' and 1 more: no field is made and used up within these loops"},
        {"single y=2", sweep, "1 of the 1",
         "'down': no loop makes all of a field from one that is not read again"},
        {"blocked", two_steps, "2 of the 2",
         "'heat' and 1 more: it is given no blocks, such as parts.y=2"},
        {"blocked parts.x=1000000000 parts.y=1000000000", two_steps, "2 of the 2",
         "'heat' and 1 more: there are more than 1048576 blocks, the most that are allowed"},
        {"blocked parts.x=12 parts.y=9", two_steps, "2 of the 2",
         "'heat' and 1 more: 9 blocks along y are more than its 8 points: parts.y=8 is the most"},
        {"skewed y=2", sweep, "1 of the 1", "'down': not along y: levels run in order along it"},
        {"skewed y=2", slanted_sweep, "1 of the 1",
         "'skip': levels run in order and read more of each other than their own column"},
        {"blocked parts.x=2", refine, "1 of the 1",
         "'split': a field is written that is finer, coarser or lacks a dimension"},
        {"overlapped x=4", change_and_read, "2 of the 2",
         "'half' and 1 more: 'u' is changed after it was read around a point"},
        {"sliding y=4", two_steps, "2 of the 2",
         "'heat' and 1 more: not along y: values are read over its periodic sides"},
        {"sliding", two_steps, "2 of the 2",
         "'heat' and 1 more: it needs sizes along two dimensions that can be cut, such as z=1 y=4"},
        {"skewed x=4", faces, "1 of the 1",
         "'flux': not along x: a range goes beyond its periodic sides"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        check_unused(known[i].plan, known[i].program, known[i].counts, known[i].why);
}

static void test_reasons_are_said_once_for_all_loops_they_hold_for(void **state)
{
    (void)state;
    check_unused("diamond y=1", three_groups, "4 of the 5",
                 "'heat' and 2 more: tiles along y shrink too much over these loops: y=2 is the "
                 "least\n  'down': not along y: levels run in order along it");
}

static void test_nothing_is_said_where_the_method_is_used_or_none_is_asked_for(void **state)
{
    (void)state;
    check_said("plan", "skewed y=2", two_steps, "");
    check_said("plan", "loops", three_groups, "");
    check_said("plan", NULL, three_groups, "");
    check_said("reference", "skewed", two_steps, ""); /* and shows no plans */
}

/* ---- the executor of compiled loops ---------------------------------------------------------- */

static void test_what_compiled_loops_cannot_be_planned_like_is_said_once(void **state)
{
    (void)state;
    check_said("cpu", "diamond y=8", two_steps,
               "warning: the executor 'cpu' runs loops one after another, not as 'diamond' plans "
               "them\n  fields have buffers in this plan, and its tiles cannot run at once");
    check_said(
        "cpu", "overlapped x=3 y=2", read_far_outside,
        "warning: the executor 'cpu' runs loops one after another, not as 'overlapped' plans "
        "them\n  a field is read so far outside that its buffer would be many times as large");
    check_said("cpu", "loops", three_groups, "");
}

/* Both methods are said, each with its own loops. */
static void test_what_cannot_be_used_in_tiles_is_said(void **state)
{
    (void)state;
    check_said("plan", "skewed x=4 / diamond y=1", two_steps,
               "warning: the method 'diamond' cannot be used for 2 of the 2 loops of a chain: they "
               "run one after another\n  'heat' and 1 more: values are read over periodic sides "
               "along y, which other tiles do not cut");
}

/* Steps between walls, on compiled loops, tile by tile. */
static void run_between_walls(const char *executor, const char *plan, double values[96])
{
    world w;
    open_world(&w, executor, plan);
    for (int side = KATA_X_LOW; side <= KATA_Y_HIGH; side++) {
        kata_boundary_set(w.u, (kata_side)side, KATA_REFLECT_FACE, 0);
        kata_boundary_set(w.v, (kata_side)side, KATA_CONSTANT, 0.5);
    }
    for (int i = 0; i < 96; i++) values[i] = i % 7;
    kata_put(w.u, kata_all(w.g), values, 96);
    for (int i = 0; i < 3; i++) two_steps(&w);
    kata_get(w.u, kata_all(w.g), values, 96);
    assert_string_equal(w.said, "");
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_compiled_loops_run_as_they_are_planned(void **state)
{
    (void)state;
    double expected[96], found[96];
    run_between_walls("reference", NULL, expected);
    run_between_walls("cpu", "skewed x=5 y=3", found);
    assert_memory_equal(expected, found, sizeof found);
    run_between_walls("cpu", "diamond y=40", found);
    assert_memory_equal(expected, found, sizeof found);
}

enum { SIDE = 96, POINTS = SIDE * SIDE };

/* Two steps on a periodic grid. */
/* Whether the timeline of a program, between whose copies is a loop without a grid, shows tiles
 * that hold no loops. */
static bool has_empty_tiles(const char *plan)
{
    static const char path[] = "asked_plan_timeline.json", second[] = "asked_plan_timeline.json.2";
    static const char *written = path; /* a second context of a process has a file of its own */
    static char line[4096];
    bool some = false;
    world w;
    setenv("KATA_TIMELINE", path, 1);
    setenv("KATA_WAIT", "1", 1);
    open_world(&w, "cpu", plan);
    unsetenv("KATA_TIMELINE");
    unsetenv("KATA_WAIT");
    kata_range low = kata_box_2d(w.g, 0, 3, 0, 3), high = kata_box_2d(w.g, 3, 6, 3, 6);
    kata_copy(w.u, low, w.v, high);
    kata_apply(find(&w, "scale"), kata_once(w.k), w.r, w.s);
    kata_copy(w.v, low, w.u, high);
    kata_apply(find(&w, "heat"), kata_inner(w.g, 1), w.u, w.v);
    assert_int_equal(kata_flush(w.k), KATA_OK);
    assert_int_equal(kata_close(w.k), KATA_OK);
    FILE *timeline = fopen(written, "r");
    assert_non_null(timeline);
    while (fgets(line, sizeof line, timeline)) some = some || strstr(line, "\"loops\": 0");
    fclose(timeline);
    remove(written);
    written = second;
    return some;
}

static void test_loops_without_a_grid_make_no_tiles(void **state)
{
    (void)state;
    assert_false(has_empty_tiles("overlapped y=3"));
    assert_false(has_empty_tiles("diamond y=3"));
}

static void run_two_steps(const char *executor, const char *plan, double values[POINTS])
{
    kata *k = kata_open(&(kata_options){.executor = executor, .plan = plan});
    kata_grid *g = kata_grid_2d(k, SIDE, SIDE);
    kata_kernel *heat = kata_kernel_find(kata_module_from_text(k, "k.kata", kernels), "heat");
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v");
    for (int i = 0; i < POINTS; i++) values[i] = i % 11;
    kata_put(u, kata_all(g), values, POINTS);
    kata_apply(heat, kata_all(g), u, v);
    kata_apply(heat, kata_all(g), v, u);
    kata_get(u, kata_all(g), values, POINTS);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* In a second: minutes, if each block asked each other one for its margins. */
static void test_a_block_for_each_point_is_planned_and_run(void **state)
{
    (void)state;
    static double expected[POINTS], found[POINTS];
    alarm(120);
    run_two_steps("reference", NULL, expected);
    run_two_steps("plan", "blocked parts.x=96 parts.y=96 every=1", found);
    alarm(0);
    assert_memory_equal(expected, found, sizeof found);
}

/* In a second: minutes, if each of 9,216 blocks had margins from hundreds of others. */
static void test_blocks_far_smaller_than_their_margins_are_refused(void **state)
{
    (void)state;
    static char said[1024];
    kata *k = kata_open(&(kata_options){.executor = "plan",
                                        .plan = "blocked parts.x=96 parts.y=96",
                                        .handler = keep_message,
                                        .handler_data = said});
    kata_grid *g = kata_grid_2d(k, SIDE, SIDE);
    kata_kernel *heat = kata_kernel_find(kata_module_from_text(k, "k.kata", kernels), "heat");
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v");
    alarm(120);
    for (int i = 0; i < 8; i++) {
        kata_apply(heat, kata_all(g), u, v);
        kata_apply(heat, kata_all(g), v, u);
    }
    kata_flush(k);
    alarm(0);
    assert_int_equal(kata_close(k), KATA_OK);
    assert_non_null(strstr(said, "its blocks have margins from so many others"));
}

static void test_a_plan_that_nobody_takes_is_said(void **state)
{
    (void)state;
    static const char said[] =
        "warning: a plan is asked for, and the executor 'reference' does not take it\n"
        "  the executors 'cpu' and 'plan' run chains by plans, and KATA_EXPLAIN shows them";
    world w;
    open_world(&w, "reference", "skewed y=2");
    assert_string_equal(w.said, said);
    kata_close(w.k);
    setenv("KATA_PLAN", "loops", 1);
    open_world(&w, "reference", NULL);
    assert_string_equal(w.said, said);
    kata_close(w.k);
    open_world(&w, "plan", NULL);
    assert_string_equal(w.said, "");
    kata_close(w.k);
    unsetenv("KATA_PLAN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_plan_is_refused_where_it_comes_from),
        cmocka_unit_test(test_a_word_without_effect_is_refused),
        cmocka_unit_test(test_methods_lie_in_the_tiles_of_those_that_take_them),
        cmocka_unit_test(test_a_number_out_of_bounds_is_refused_with_the_bounds),
        cmocka_unit_test(test_bytes_may_have_units),
        cmocka_unit_test(test_what_is_printed_can_be_read),
        cmocka_unit_test(test_loops_without_a_grid_make_no_tiles),
        cmocka_unit_test(test_a_method_that_cannot_be_used_is_named_with_the_reason),
        cmocka_unit_test(test_reasons_are_said_once_for_all_loops_they_hold_for),
        cmocka_unit_test(test_a_block_for_each_point_is_planned_and_run),
        cmocka_unit_test(test_blocks_far_smaller_than_their_margins_are_refused),
        cmocka_unit_test(test_a_plan_that_nobody_takes_is_said),
        cmocka_unit_test(test_what_cannot_be_used_in_tiles_is_said),
        cmocka_unit_test(test_what_compiled_loops_cannot_be_planned_like_is_said_once),
        cmocka_unit_test(test_compiled_loops_run_as_they_are_planned),
        cmocka_unit_test(test_nothing_is_said_where_the_method_is_used_or_none_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
