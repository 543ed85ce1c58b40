/* The queue of applied kernels: versions, copies, text form. */
#include "chain/chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ir_param params[] = {
    {.name = "u", .kind = IR_PARAM_IN, .type = IR_F64, .count = 1},
    {.name = "v", .kind = IR_PARAM_OUT, .type = IR_F64, .count = 1},
    {.name = "c", .kind = IR_PARAM_NUMBER, .type = IR_F64, .count = 1},
    {.name = "w", .kind = IR_PARAM_TABLE, .type = IR_I32, .count = 3},
    {.name = "dt", .kind = IR_PARAM_SUM, .type = IR_F32, .count = 1},
};
static const ir_kernel heat = {
    .name = "heat", .params = params, .param_count = COUNT_OF(params), .table_elements = 3};

typedef struct example {
    chain_slot u, v, dt;
    ir_value table[3];
    chain_binding bindings[COUNT_OF(params)];
    chain_loop loop;
} example;

static void start(example *e)
{
    *e = (example){.table = {{.i32 = 1}, {.i32 = 2}, {.i32 = 3}}};
    e->bindings[0] = (chain_binding){.slot = &e->u, .name = "a", .boundary = &grid_boundary_none};
    e->bindings[1] = (chain_binding){.slot = &e->v, .name = "b", .boundary = &grid_boundary_none};
    e->bindings[2].number.f64 = 0.1;
    e->bindings[3].table = e->table;
    e->bindings[4] = (chain_binding){.slot = &e->dt, .name = "dt", .boundary = &grid_boundary_none};
    e->loop = (chain_loop){.kernel = &heat,
                           .shape = {2, {16, 8, 1}},
                           .box = {{0, 2, 0}, {16, 8, 1}},
                           .bindings = e->bindings};
}

static void swaps_leave_what_was_queued_alone(void **state)
{
    (void)state;
    example e;
    chain c = {0};
    messages m = {0};
    start(&e);
    for (int t = 0; t < 4; t++) {
        assert_int_equal(chain_append(&c, &e.loop, &m), KATA_OK);
        chain_slot *slot = e.bindings[0].slot;
        e.bindings[0].slot = e.bindings[1].slot;
        e.bindings[1].slot = slot;
    }
    assert_int_equal(c.count, 4);
    for (size_t t = 0; t < 4; t++) {
        const chain_binding *b = c.loops[t].bindings;
        assert_ptr_equal(b[0].slot, t % 2 ? &e.v : &e.u);
        assert_ptr_equal(b[1].slot, t % 2 ? &e.u : &e.v);
        assert_int_equal(b[0].version, (t + 1) / 2);
        assert_int_equal(b[1].version, t / 2);
        assert_int_equal(b[4].version, t);
    }
    assert_int_equal(e.u.version, 2);
    assert_int_equal(e.v.version, 2);
    assert_int_equal(e.dt.version, 4);
    chain_clear(&c);
    assert_int_equal(c.count, 0);
    assert_int_equal(e.u.version, 2);
    chain_free(&c);
}

static void numbers_and_tables_are_copied(void **state)
{
    (void)state;
    example e;
    chain c = {0};
    messages m = {0};
    start(&e);
    assert_int_equal(chain_append(&c, &e.loop, &m), KATA_OK);
    e.table[0].i32 = 99;
    e.bindings[2].number.f64 = 99;
    assert_int_equal(c.loops[0].bindings[3].table[0].i32, 1);
    assert_true(c.loops[0].bindings[2].number.f64 == 0.1);
    chain_free(&c);
}

/* Memory for a loop that is not queued after all serves the next loop; memory of queued loops does
 * not. */
static void what_was_reserved_in_vain_is_given_again(void **state)
{
    (void)state;
    example e;
    chain c = {0};
    messages m = {0};
    start(&e);
    for (int i = 0; i < 40; i++) {
        chain_binding *vain = chain_reserve(&c, &heat);
        assert_non_null(vain);
        vain[0].entry = vain[3].table[2].i32 = 99;
        chain_binding *b = chain_reserve(&c, &heat);
        assert_ptr_equal(b, vain);
        assert_true(b[0].entry == 0 && b[3].table[2].i32 == 0);
        for (int p = 0; p < (int)COUNT_OF(params); p++)
            if (p != 3) b[p] = e.bindings[p];
        b[3].table[0].i32 = i;
        chain_loop *loop = chain_next(&c);
        *loop = e.loop;
        loop->bindings = b;
        assert_int_equal(chain_append(&c, loop, &m), KATA_OK);
    }
    for (int i = 0; i < 40; i++) {
        assert_int_equal(c.loops[i].bindings[3].table[0].i32, i);
        assert_int_equal(c.loops[i].bindings[1].version, i);
    }
    chain_free(&c);
}

static void a_chain_prints_a_line_per_loop(void **state)
{
    (void)state;
    example e;
    chain c = {0};
    messages m = {0};
    text out = {0};
    start(&e);
    for (int t = 0; t < 2; t++) assert_int_equal(chain_append(&c, &e.loop, &m), KATA_OK);
    chain_print(&out, &c);
    assert_string_equal(text_get(&out),
                        "heat [0, 16) x [2, 8): a@0, b@0->1, c = 0.10000000000000001, "
                        "w = {1, 2, 3}, dt@0->1\n"
                        "heat [0, 16) x [2, 8): a@0, b@1->2, c = 0.10000000000000001, "
                        "w = {1, 2, 3}, dt@1->2\n");
    text_free(&out);
    chain_free(&c);
}

static void a_step_ends_after_its_loops(void **state)
{
    (void)state;
    example e;
    chain c = {0};
    messages m = {0};
    start(&e);
    for (int t = 0; t < 3; t++) assert_int_equal(chain_append(&c, &e.loop, &m), KATA_OK);
    assert_int_equal(chain_end_step(&c), 3);
    assert_int_equal(chain_append(&c, &e.loop, &m), KATA_OK);
    assert_int_equal(chain_end_step(&c), 1);
    assert_int_equal(chain_end_step(&c), 0);
    chain_clear(&c);
    assert_int_equal(chain_append(&c, &e.loop, &m), KATA_OK);
    assert_int_equal(chain_end_step(&c), 1);
    chain_free(&c);
}

static void a_loop_knows_its_entry_in_a_log(void **state)
{
    (void)state;
    example e;
    chain c = {0};
    chain_log log = {.room = 2};
    messages m = {0};
    text out = {0};
    start(&e);
    assert_int_equal(chain_append(&c, &e.loop, &m), KATA_OK);
    e.dt.log = &log;
    e.loop.once = true;
    for (int t = 0; t < 3; t++) assert_int_equal(chain_append(&c, &e.loop, &m), KATA_OK);
    assert_null(c.loops[0].bindings[4].log);
    assert_ptr_equal(c.loops[3].bindings[4].log, &log);
    assert_int_equal(c.loops[3].bindings[4].entry, 2);
    assert_int_equal(log.count, 3);
    chain_clear(&c);
    assert_int_equal(chain_append(&c, &e.loop, &m), KATA_OK);
    chain_print(&out, &c);
    assert_string_equal(text_get(&out), "heat once: a@0, b@4->5, c = 0.10000000000000001, "
                                        "w = {1, 2, 3}, dt@4->5\n");
    text_free(&out);
    chain_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swaps_leave_what_was_queued_alone),
        cmocka_unit_test(numbers_and_tables_are_copied),
        cmocka_unit_test(what_was_reserved_in_vain_is_given_again),
        cmocka_unit_test(a_step_ends_after_its_loops),
        cmocka_unit_test(a_loop_knows_its_entry_in_a_log),
        cmocka_unit_test(a_chain_prints_a_line_per_loop),
    };
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
