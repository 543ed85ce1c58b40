/* Fields read at indices known only at run time: each misuse has its own message, and plans leave
 * what such a loop reads whole. */
/* Labels: hostile */
#include "api/api.h"
#include "plan/node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse_texts.h"

static const char kernels[] = "kernel set(in double u, out double v)\n"
                              "{\n"
                              "    v = 2*u;\n"
                              "}\n"
                              "kernel below(in double u, out double v, int k)\n"
                              "{\n"
                              "    v = u[0,at(k)];\n"
                              "}\n"
                              "kernel beside(in double u, out double v, int k)\n"
                              "{\n"
                              "    v = u[1,at(k)];\n"
                              "}\n"
                              "kernel reduced(in double p along y, sum double t along y)\n"
                              "{\n"
                              "    t += p[0,at(1)];\n"
                              "}\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v, *brief, *tall;
    char message[4096];
    int messages;
} world;

static void receive(void *data, kata_status status, const char *message)
{
    world *w = data;
    assert_int_not_equal(status, KATA_OK);
    snprintf(w->message, sizeof w->message, "%s", message);
    w->messages++;
}

static void open_world(world *w)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = receive, .handler_data = w, .no_warnings = true});
    w->g = kata_grid_2d(w->k, 8, 6);
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w->v = kata_field_new(w->g, "v", KATA_F64, .ghosts = 1);
    w->brief = kata_field_new(w->g, "b", KATA_F64, .temporary = true);
    w->tall = kata_field_new(w->g, "t", KATA_F64, .along = KATA_Y);
}

static kata_kernel *find(const world *w, const char *name) { return kata_kernel_find(w->m, name); }

/* As if applied at main.c:17. */
static kata_status apply(world *w, const char *name, kata_range range, kata_field *a, kata_field *b)
{
    return kata_apply_args(
        kata_here(find(w, name), "main.c", 17), &range, 3,
        (kata_arg[]){kata_arg_field(a, 0), kata_arg_field(b, 0), kata_arg_integer(2, 0)});
}

/* ---- misuses --------------------------------------------------------------------------------- */

static kata_status level_of_written(world *w)
{
    return apply(w, "below", kata_all(w->g), w->u, w->u);
}

static kata_status level_of_reduced(world *w)
{
    const kata_range all = kata_all(w->g);
    return kata_apply_args(kata_here(find(w, "reduced"), "main.c", 17), &all, 2,
                           (kata_arg[]){kata_arg_field(w->tall, 0), kata_arg_field(w->tall, 0)});
}

/* There is a rule for the offset, but it is not asked. */
static kata_status level_read_outside(world *w)
{
    return apply(w, "beside", kata_all(w->g), w->u, w->v);
}

static kata_status level_read_of_ghosts(world *w)
{
    return apply(w, "below", kata_ghost(w->v, KATA_X_LOW, 1), w->u, w->v);
}

static kata_status level_of_temporary(world *w)
{
    apply(w, "below", kata_box_2d(w->g, 0, 8, 1, 6), w->u, w->brief);
    return apply(w, "below", kata_box_2d(w->g, 0, 8, 2, 4), w->brief, w->v);
}

static kata_status level_of_discarded(world *w)
{
    kata_discard(w->u);
    return apply(w, "below", kata_all(w->g), w->u, w->v);
}

static kata_status level_in_needed(world *w)
{
    return apply(w, "below", kata_needed(w->g), w->u, w->brief);
}

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }

static const struct {
    const char *name;
    kata_status (*run)(world *w);
} cases[] = {
    CASE(level_of_written),   CASE(level_of_reduced),   CASE(level_read_outside),
    CASE(level_of_temporary), CASE(level_of_discarded), CASE(level_read_of_ghosts),
    CASE(level_in_needed),
};

static void each_misuse_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        open_world(&w);
        assert_int_equal(cases[i].run(&w), KATA_ERROR_APPLICATION);
        assert_int_equal(w.messages, 1);
        expect_text(cases[i].name, w.message);
        kata_close(w.k);
    }
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Whether a plan is accepted that runs the chain's loops one after another in tiles of a size along
 * a dimension. */
static bool accepts_tiles(const world *w, int dimension, int64_t size)
{
    analysis_chain a;
    plan p = {0};
    text why = {0};
    assert_true(analysis_chain_make(&w->k->chain, &a));
    p.root = plan_add(&p, 0, (plan_node){.kind = PLAN_SEQ});
    int tile =
        plan_add(&p, p.root, (plan_node){.kind = PLAN_TILE, .dimension = dimension, .size = size});
    int seq = plan_add(&p, tile, (plan_node){.kind = PLAN_SEQ});
    for (int i = 0; i < a.loop_count; i++)
        plan_add(&p, seq, (plan_node){.kind = PLAN_LOOP, .loop = i});
    plan_end_tile(&p, tile, NULL, NULL);
    bool right = plan_verify(&p, &a, &why);
    text_free(&why);
    plan_free(&p);
    analysis_chain_free(&a);
    return right;
}

/* The second loop reads all that the first has written along y: tiles along y come too early. */
static void tiles_do_not_cut_what_is_read(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_apply(find(&w, "set"), kata_all(w.g), w.u, w.v);
    kata_apply(find(&w, "below"), kata_all(w.g), w.v, w.u, 3);
    assert_false(accepts_tiles(&w, 1, 2));
    assert_true(accepts_tiles(&w, 1, 6));
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* What reads so runs alone, between groups of loops that may be cut. */
static void planners_let_it_run_alone(void **state)
{
    (void)state;
    static const char *const requests[] = {"loops",          "skewed y=4",   "tiled cache=1024",
                                           "overlapped y=3", "streamed y=2", "single y=2"};
    world w;
    open_world(&w);
    kata_apply(find(&w, "set"), kata_all(w.g), w.u, w.v);
    kata_apply(find(&w, "below"), kata_all(w.g), w.v, w.u, 3);
    kata_apply(find(&w, "set"), kata_all(w.g), w.u, w.v);
    analysis_chain a;
    assert_true(analysis_chain_make(&w.k->chain, &a));
    assert_true(a.loops[1].checks);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        plan p = {0};
        plan_request r;
        text why = {0};
        assert_true(plan_request_read(requests[i], &r, 1, &why));
        assert_true(plan_make(&p, &a, &r));
        if (!plan_verify(&p, &a, &why)) fail_msg("%s: %s", requests[i], text_get(&why));
        plan_free(&p);
        text_free(&why);
    }
    analysis_chain_free(&a);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_misuse_has_its_message),
        cmocka_unit_test(tiles_do_not_cut_what_is_read),
        cmocka_unit_test(planners_let_it_run_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
