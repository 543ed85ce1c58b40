/* Loops with a sum, whose rows stay whole, do not keep the loops before them and behind them out of
 * tiles. */
#include "lang/lang.h"
#include "legality/legality.h"
#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 256, STEPS = 4 };

static const char kernels[] =
    "kernel spread(in double u, out double v) { v = u[1,0] + u[-1,0] + u[0,1] + u[0,-1]; }\n"
    "kernel add(in double u, sum double total) { total += u; }\n";

static chain_slot fields[2], total;
static grid_boundary around;
static const char *const names[] = {"u", "v"};

static void apply(chain *c, const lang_module *module, int kernel, int from, messages *m)
{
    chain_binding bindings[2] = {{0}};
    chain_loop loop = {
        .bindings = bindings, .shape = {2, {SIDE, SIDE, 1}}, .kernel = module->kernels[kernel]};
    loop.box = grid_shape_box(&loop.shape);
    for (int side = 0; side < 4; side++) around.side[side].rule = KATA_PERIODIC;
    for (int p = 0; p < 2; p++)
        bindings[p] = (chain_binding){.slot = kernel && p ? &total : &fields[p ? 1 - from : from],
                                      .name = names[p],
                                      .boundary = &around};
    if (legality_check(&loop, m)) fail_msg("%s", text_get(&m->body));
    assert_int_equal(chain_append(c, &loop, m), KATA_OK);
}

static void queue_steps(chain *c, const lang_module *module, messages *m)
{
    for (int i = 0; i < STEPS; i++) apply(c, module, 0, i % 2, m);
}

/* How many loops lie in tiles of a wave, counted in each tile around them. */
static int count_tiled(const chain *c)
{
    analysis_chain a;
    plan p = {0};
    plan_request r;
    text why = {0};
    int tiled = 0;
    assert_true(plan_request_read("tiled cache=64k threads=2", &r, 1, &why));
    assert_true(analysis_chain_make(c, &a));
    assert_true(plan_make(&p, &a, &r));
    if (!plan_verify(&p, &a, &why)) fail_msg("%s", text_get(&why));
    for (int n = 0; n < p.count; n++)
        if (p.nodes[n].kind == PLAN_TILE && !p.nodes[n].parallel) tiled += p.nodes[n].leaf_count;
    plan_free(&p);
    analysis_chain_free(&a);
    text_free(&why);
    return tiled;
}

static void steps_around_a_sum_are_tiled(void **state)
{
    chain c = {0};
    messages m = {0};
    lang_module *module;
    (void)state;
    assert_int_equal(lang_compile("sums.kata", kernels, strlen(kernels), NULL, &m, &module),
                     KATA_OK);
    for (int i = 0; i < 2; i++)
        fields[i] = (chain_slot){.shape = {2, {SIDE, SIDE, 1}}, .type = KATA_F64, .components = 1};
    total =
        (chain_slot){.shape = {1, {1, 1, 1}}, .type = KATA_F64, .components = 1, .is_scalar = true};
    queue_steps(&c, module, &m);
    const int alone = count_tiled(&c);
    assert_true(alone > 0);
    apply(&c, module, 1, 0, &m);
    assert_int_equal(count_tiled(&c), alone);
    queue_steps(&c, module, &m);
    assert_int_equal(count_tiled(&c), 2 * alone);
    chain_free(&c);
    lang_module_free(module);
    message_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_around_a_sum_are_tiled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
