/* Dealing chains out to ranks, one after another: copies of neighbours' values that one chain has
 * left valid are not exchanged by the next. */
/* Labels: hostile */
#include "lang/lang.h"
#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Appends to `out` the steps of a chain of one loop, from one field to another, with a rule. */
static void deal_one(const ir_kernel *kernel, chain_slot slots[2], kata_rule rule,
                     plan_home homes[2], text *out)
{
    grid_boundary boundary = {0};
    chain_binding bindings[2] = {{.slot = &slots[0], .name = "u", .boundary = &boundary},
                                 {.slot = &slots[1], .name = "v", .boundary = &boundary}};
    chain_loop loop = {.kernel = kernel, .shape = slots[0].shape, .bindings = bindings};
    chain c = {0};
    messages m = {0};
    analysis_chain a;
    plan_dealt p = {.raster = {{1, 2, 1}, {1, 1, 1}, {0, 0, 0}, 0}, .every = 1, .small = true};
    for (int side = 0; side < 6; side++) boundary.side[side].rule = rule;
    loop.box = grid_shape_box(&loop.shape);
    assert_int_equal(chain_append(&c, &loop, &m), KATA_OK);
    assert_true(analysis_chain_make(&c, &a));
    assert_true(plan_deal(&p, &a, homes));
    plan_dealt_print(out, &p, &a);
    plan_dealt_free(&p);
    analysis_chain_free(&a);
    chain_free(&c);
    message_free(&m);
}

#define EXCHANGE "exchange field 0 y -1 1\n"
#define PART "part loop 0 y 0 0 # blur\n"

/* Copies that are valid are not exchanged again. But those beyond a side are there only if that was
 * periodic: after another chain has exchanged, it may be. */
static void copies_beyond_a_side_come_when_it_becomes_periodic(void **state)
{
    (void)state;
    static const char kernels[] =
        "kernel blur(in double u, out double v) { v = u[0,1] + u[0,-1]; }";
    chain_slot slots[2];
    plan_home homes[2] = {{.whole = false}, {.whole = true}};
    lang_module *module;
    messages m = {0};
    text steps = {0};
    assert_int_equal(lang_compile("blur", kernels, strlen(kernels), NULL, &m, &module), KATA_OK);
    for (int i = 0; i < 2; i++)
        slots[i] = (chain_slot){.shape = {2, {8, 8, 1}}, .type = KATA_F64, .components = 1};
    for (int turn = 0; turn < 5; turn++)
        deal_one(module->kernels[0], slots, turn / 2 % 2 ? KATA_PERIODIC : KATA_CLAMP, homes,
                 &steps);
    assert_string_equal(text_get(&steps), EXCHANGE PART PART EXCHANGE PART PART PART);
    text_free(&steps);
    lang_module_free(module);
    message_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_beyond_a_side_come_when_it_becomes_periodic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
