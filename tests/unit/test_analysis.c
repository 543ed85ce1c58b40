/* The indices that loops touch, and the exact text of refusals. */
/* Labels: hostile */
#include "legality/legality.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- kernels and loops by hand --------------------------------------------------------------- */

enum { MOST = 8 };

/* A loop on fields of the loop's own grid, with what it is made of. */
typedef struct example {
    source text;
    ir_param params[MOST];
    ir_access accesses[MOST];
    ir_store stores[MOST];
    ir_kernel kernel;
    chain_slot slots[MOST];
    grid_boundary boundaries[MOST];
    chain_binding bindings[MOST];
    chain_loop loop;
    messages m;
    text heard;
    int calls;
} example;

static void hear(void *data, kata_status status, const char *message)
{
    example *e = data;
    (void)status;
    e->calls++;
    text_add(&e->heard, "%s", message);
}

static uint32_t find(const example *e, const char *word)
{
    const char *found = strstr(e->text.text, word);
    assert_non_null(found);
    return (uint32_t)(found - e->text.text);
}

static void start(example *e, const char *kernel_text, int64_t nx, int64_t ny)
{
    *e = (example){0};
    e->text = (source){.name = "k.kata", .text = kernel_text, .length = strlen(kernel_text)};
    e->kernel = (ir_kernel){.name = "heat",
                            .text = &e->text,
                            .params = e->params,
                            .accesses = e->accesses,
                            .stores = e->stores};
    e->kernel.at = find(e, "heat");
    e->loop = (chain_loop){.kernel = &e->kernel, .bindings = e->bindings, .file = "main.c"};
    e->loop.line = 17;
    e->loop.shape = (grid_shape){ny > 0 ? 2 : 1, {nx, ny > 0 ? ny : 1, 1}};
    e->loop.box = grid_shape_box(&e->loop.shape);
    e->m.handler = hear;
    e->m.handler_data = e;
}

/* Adds a parameter, declared at `word`, bound to a slot of its own. */
static int add_param(example *e, const char *word, const char *name, ir_param_kind kind)
{
    int p = e->kernel.param_count++;
    e->params[p] =
        (ir_param){.name = name, .kind = kind, .type = IR_F64, .count = 1, .at = find(e, word)};
    e->slots[p] = (chain_slot){.shape = e->loop.shape, .components = 1};
    e->bindings[p] =
        (chain_binding){.slot = &e->slots[p], .name = name, .boundary = &e->boundaries[p]};
    return p;
}

static void add_access(example *e, int param, const char *word, int dx, int dy)
{
    e->accesses[e->kernel.access_count++] = (ir_access){param, 0, {dx, dy, 0}, find(e, word)};
}

static void add_store(example *e, int param, const char *word)
{
    e->stores[e->kernel.store_count++] = (ir_store){.param = param, .at = find(e, word)};
}

static void set_rule(example *e, int param, int side, kata_rule rule)
{
    e->boundaries[param].side[side].rule = rule;
}

static void accepts(example *e)
{
    assert_int_equal(legality_check(&e->loop, &e->m), KATA_OK);
    assert_int_equal(e->calls, 0);
    message_free(&e->m);
    text_free(&e->heard);
}

static void refuses(example *e, const char *message)
{
    assert_int_equal(legality_check(&e->loop, &e->m), KATA_ERROR_APPLICATION);
    assert_int_equal(e->calls, 1);
    assert_string_equal(text_get(&e->heard), message);
    message_free(&e->m);
    text_free(&e->heard);
}

static const char heat[] = "kernel heat(in double u, out double v)\n"
                           "{\n"
                           "    v = u[1,0] + u[-1,0] + u;\n"
                           "}\n";

static void start_heat(example *e, int64_t nx, int64_t ny)
{
    start(e, heat, nx, ny);
    int u = add_param(e, "u,", "u", IR_PARAM_IN), v = add_param(e, "v)", "v", IR_PARAM_OUT);
    e->kernel.rank = 2;
    e->kernel.rank_at = find(e, "u[1,0]");
    add_access(e, u, "u[-1,0]", -1, 0);
    add_access(e, u, "u;", 0, 0);
    add_access(e, u, "u[1,0]", 1, 0);
    add_store(e, v, "v = ");
}

/* ---- footprint ------------------------------------------------------------------------------- */

static void reaches_hold_all_offsets(void **state)
{
    (void)state;
    example e;
    analysis_reach reaches[MOST];
    start_heat(&e, 16, 16);
    e.accesses[3] = (ir_access){.param = 0, .component = 1, .offset = {2, -3, 0}};
    e.kernel.access_count = 4;
    assert_int_equal(analysis_reaches(&e.kernel, reaches), 2);
    assert_int_equal(reaches[0].lo[0], -1);
    assert_int_equal(reaches[0].hi[0], 1);
    assert_int_equal(reaches[0].hi[1], 0);
    assert_int_equal(reaches[1].component, 1);
    assert_int_equal(reaches[1].lo[0], 2);
    assert_int_equal(reaches[1].hi[1], -3);
}

static void the_interior_reads_inside_only(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    grid_box inside = analysis_interior(&e.loop);
    assert_memory_equal(&inside, (&(grid_box){{1, 0, 0}, {15, 16, 1}}), sizeof inside);
    e.loop.box = (grid_box){{0, 3, 0}, {1, 9, 1}};
    inside = analysis_interior(&e.loop);
    assert_true(grid_box_is_empty(&inside));
}

/* ---- what fits ------------------------------------------------------------------------------- */

static void legal_loops_pass(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    set_rule(&e, 0, KATA_X_LOW, KATA_PERIODIC);
    set_rule(&e, 0, KATA_X_HIGH, KATA_PERIODIC);
    accepts(&e);
    start_heat(&e, 16, 16);
    e.loop.box = (grid_box){{1, 0, 0}, {15, 16, 1}};
    accepts(&e);
    start_heat(&e, 1, 16);
    set_rule(&e, 0, KATA_X_LOW, KATA_CONSTANT);
    set_rule(&e, 0, KATA_X_HIGH, KATA_REFLECT_FACE);
    accepts(&e);
}

static void nothing_is_read_for_an_empty_box(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    e.loop.box = (grid_box){{9, 0, 0}, {7, 16, 1}};
    accepts(&e);
}

static void one_field_may_be_read_and_written_at_the_point(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    e.bindings[1] = e.bindings[0];
    e.accesses[0] = e.accesses[1];
    e.kernel.access_count = 1;
    accepts(&e);
}

static void a_component_that_is_not_written_may_be_read_anywhere(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    e.bindings[1] = e.bindings[0];
    for (int side = 0; side < 6; side++) set_rule(&e, 0, side, KATA_CLAMP);
    for (int p = 0; p < 2; p++) e.params[p].count = 2;
    e.slots[0].components = 2;
    e.stores[0].component = 1;
    accepts(&e);
}

static void floating_storage_serves_both_floating_types(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    e.loop.box = (grid_box){{1, 0, 0}, {15, 16, 1}};
    e.slots[0].type = KATA_F32;
    e.params[1].type = IR_F32;
    accepts(&e);
}

/* ---- what does not --------------------------------------------------------------------------- */

static void reads_outside_need_a_rule(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    e.bindings[0].name = "temperature";
    refuses(&e,
            "k.kata:3:18: error: 'u' is read at [-1,0], outside the grid\n"
            "        v = u[1,0] + u[-1,0] + u;\n"
            "                     ^\n"
            "  kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid\n"
            "  point [0, 0] reads [-1, 0] of field 'temperature'\n"
            "  'temperature' has no boundary rule at KATA_X_LOW\n"
            "  give 'temperature' a rule for all sides, as .boundary = KATA_CLAMP, or apply the "
            "kernel to kata_box_2d(g, 1, 15, 0, 16)");
    start_heat(&e, 16, 16);
    set_rule(&e, 0, KATA_X_LOW, KATA_CLAMP);
    e.loop.box = (grid_box){{0, 4, 0}, {16, 16, 1}};
    e.loop.file = NULL;
    refuses(&e, "k.kata:3:9: error: 'u' is read at [1,0], outside the grid\n"
                "        v = u[1,0] + u[-1,0] + u;\n"
                "            ^\n"
                "  kernel 'heat' applied to [0, 16) x [4, 16) of a 16 x 16 grid\n"
                "  point [15, 4] reads [16, 4] of field 'u'\n"
                "  'u' has no boundary rule at KATA_X_HIGH\n"
                "  give 'u' a boundary rule at KATA_X_HIGH, or apply the kernel to "
                "kata_box_2d(g, 0, 15, 4, 16)");
}

/* No smaller range is offered where none has a point. */
static void a_thin_grid_needs_a_rule_at_the_opposite_side_too(void **state)
{
    (void)state;
    example e;
    start(&e, "kernel heat(in double u, out double v) { v = u[-3]; }\n", 2, 0);
    add_param(&e, "u,", "u", IR_PARAM_IN);
    add_param(&e, "v)", "v", IR_PARAM_OUT);
    add_access(&e, 0, "u[-3]", -3, 0);
    add_store(&e, 1, "v = ");
    set_rule(&e, 0, KATA_X_LOW, KATA_REFLECT_FACE);
    refuses(&e, "k.kata:1:46: error: 'u' is read at [-3], outside the grid\n"
                "    kernel heat(in double u, out double v) { v = u[-3]; }\n"
                "                                                 ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 2) of a grid of 2 points\n"
                "  point [0] reads [-3] of field 'u', which KATA_REFLECT_FACE at KATA_X_LOW takes "
                "past KATA_X_HIGH\n"
                "  'u' has no boundary rule at KATA_X_HIGH\n"
                "  give 'u' a boundary rule at KATA_X_HIGH");
}

static void a_node_needs_two_points(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 1, 16);
    set_rule(&e, 0, KATA_X_LOW, KATA_REFLECT_NODE);
    set_rule(&e, 0, KATA_X_HIGH, KATA_CLAMP);
    refuses(&e, "k.kata:3:18: error: 'u' is read at [-1,0], outside the grid\n"
                "        v = u[1,0] + u[-1,0] + u;\n"
                "                     ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 1) x [0, 16) of a 1 x 16 grid\n"
                "  point [0, 0] reads [-1, 0] of field 'u'\n"
                "  KATA_REFLECT_NODE at KATA_X_LOW needs two points along x\n"
                "  give 'u' a rule about the face at KATA_X_LOW");
}

static void one_periodic_side_is_refused(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    set_rule(&e, 0, KATA_X_LOW, KATA_CLAMP);
    set_rule(&e, 0, KATA_X_HIGH, KATA_PERIODIC);
    refuses(&e, "k.kata:3:18: error: 'u' is read at [-1,0], outside the grid\n"
                "        v = u[1,0] + u[-1,0] + u;\n"
                "                     ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid\n"
                "  field 'u' is KATA_CLAMP at KATA_X_LOW but KATA_PERIODIC at KATA_X_HIGH\n"
                "  make both sides of a dimension periodic, or neither");
}

static void what_is_written_is_not_read_elsewhere(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    e.bindings[1] = e.bindings[0];
    refuses(&e, "k.kata:3:18: error: 'u' is read at [-1,0] while other points write it\n"
                "        v = u[1,0] + u[-1,0] + u;\n"
                "                     ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid\n"
                "  field 'u' is given both for 'u' (in) and for 'v' (out)\n"
                "  write to a second field and exchange the two with kata_swap\n"
                "k.kata:3:5: note: it is written here\n"
                "        v = u[1,0] + u[-1,0] + u;\n"
                "        ^");
    start(&e, "kernel heat(inout double u) { u = u[0,1]; }\n", 16, 16);
    add_param(&e, "u)", "u", IR_PARAM_INOUT);
    add_access(&e, 0, "u[0,1]", 0, 1);
    add_store(&e, 0, "u = ");
    refuses(&e, "k.kata:1:35: error: 'u' is read at [0,1] while other points write it\n"
                "    kernel heat(inout double u) { u = u[0,1]; }\n"
                "                                      ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid\n"
                "  field 'u' is given for 'u', which the kernel also writes\n"
                "  write to a second field and exchange the two with kata_swap\n"
                "  or let the points run one after the other, and read new values: write "
                "'forward(y)' behind the parameters\n"
                "  or apply it to the points of one colour, then to those of the next: "
                "kata_color(range, 2, 0) and so on\n"
                "k.kata:1:31: note: it is written here\n"
                "    kernel heat(inout double u) { u = u[0,1]; }\n"
                "                                  ^");
}

static void a_value_has_one_writer(void **state)
{
    (void)state;
    example e;
    start(&e, "kernel heat(out double a, out double b) { a = 1; b = 2; }\n", 16, 16);
    add_param(&e, "a,", "a", IR_PARAM_OUT);
    add_param(&e, "b)", "b", IR_PARAM_OUT);
    e.bindings[0].name = "u";
    e.bindings[1] = e.bindings[0];
    refuses(&e, "k.kata:1:38: error: parameters 'a' and 'b' both write field 'u'\n"
                "    kernel heat(out double a, out double b) { a = 1; b = 2; }\n"
                "                                         ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid\n"
                "  give each of them a field of its own");
    start(&e, "kernel heat(sum double a, max double b) { a += 1; b = max(b, 2); }\n", 16, 0);
    add_param(&e, "a,", "a", IR_PARAM_SUM);
    add_param(&e, "b)", "b", IR_PARAM_MAX);
    e.slots[0].is_scalar = true;
    e.bindings[0].name = "s";
    e.bindings[1] = e.bindings[0];
    refuses(&e, "k.kata:1:38: error: parameters 'a' and 'b' both write scalar 's'\n"
                "    kernel heat(sum double a, max double b) { a += 1; b = max(b, 2); }\n"
                "                                         ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 16) of a grid of 16 points\n"
                "  give each of them a scalar of its own");
}

static void a_scalar_read_and_written_gives_its_old_value(void **state)
{
    (void)state;
    example e;
    start(&e, "kernel heat(sum double a, double b) { a += b; }\n", 16, 0);
    add_param(&e, "a,", "a", IR_PARAM_SUM);
    add_param(&e, "b)", "b", IR_PARAM_NUMBER);
    e.slots[0].is_scalar = true;
    e.bindings[1] = e.bindings[0];
    accepts(&e);
}

static void the_rank_must_fit(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 0);
    refuses(&e,
            "k.kata:3:9: error: kernel 'heat' reads at offsets [dx,dy] of a 2-dimensional grid\n"
            "        v = u[1,0] + u[-1,0] + u;\n"
            "            ^\n"
            "  kernel 'heat' applied at main.c:17 to [0, 16) of a grid of 16 points\n"
            "  apply it to a grid made by kata_grid_2d, or write its offsets as [dx]");
}

static void the_range_must_lie_in_the_grid(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    e.loop.box = (grid_box){{0, -1, 0}, {16, 16, 1}};
    refuses(&e, "k.kata:1:8: error: kernel 'heat' is applied to points outside the fields that it "
                "is given\n"
                "    kernel heat(in double u, out double v)\n"
                "           ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 16) x [-1, 16) of a 16 x 16 grid\n"
                "  along y the range is [-1, 16), and field 'v' has [0, 16)\n"
                "  use kata_all(g), kata_on(v) or a box within, or make it with .ghosts");
}

static void grid_sizes_must_match(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    e.slots[1].shape.size[1] = 32;
    e.bindings[1].name = "w";
    refuses(&e, "k.kata:1:37: error: parameter 'v' is given a field of another grid size\n"
                "    kernel heat(in double u, out double v)\n"
                "                                        ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid\n"
                "  field 'w' has 16 x 32 points, the range belongs to a grid of 16 x 16\n"
                "  give it a field of the grid that the range was made for");
}

static void components_must_match(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    e.slots[0].components = 9;
    refuses(&e, "k.kata:1:23: error: parameter 'u' is given a field with another number of "
                "components\n"
                "    kernel heat(in double u, out double v)\n"
                "                          ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid\n"
                "  field 'u' has 9, 'u' takes 1\n"
                "  declare it 'in double u[9]', or make the field with .components = 1");
}

static void types_must_match(void **state)
{
    (void)state;
    example e;
    start_heat(&e, 16, 16);
    e.slots[0].type = KATA_I64;
    refuses(&e, "k.kata:1:23: error: parameter 'u' is given a field of another type\n"
                "    kernel heat(in double u, out double v)\n"
                "                          ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid\n"
                "  field 'u' holds long, 'u' is double\n"
                "  declare it 'in long u', or make the field with KATA_F64");
    start(&e, "kernel heat(sum double a) { a += 1; }\n", 16, 0);
    add_param(&e, "a)", "a", IR_PARAM_SUM);
    e.slots[0].type = KATA_F32;
    e.bindings[0].name = "total";
    refuses(&e, "k.kata:1:24: error: parameter 'a' is given a scalar of another type\n"
                "    kernel heat(sum double a) { a += 1; }\n"
                "                           ^\n"
                "  kernel 'heat' applied at main.c:17 to [0, 16) of a grid of 16 points\n"
                "  scalar 'total' is float, 'a' is double\n"
                "  make the scalar with KATA_F64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaches_hold_all_offsets),
        cmocka_unit_test(the_interior_reads_inside_only),
        cmocka_unit_test(legal_loops_pass),
        cmocka_unit_test(nothing_is_read_for_an_empty_box),
        cmocka_unit_test(one_field_may_be_read_and_written_at_the_point),
        cmocka_unit_test(a_component_that_is_not_written_may_be_read_anywhere),
        cmocka_unit_test(floating_storage_serves_both_floating_types),
        cmocka_unit_test(reads_outside_need_a_rule),
        cmocka_unit_test(a_thin_grid_needs_a_rule_at_the_opposite_side_too),
        cmocka_unit_test(a_node_needs_two_points),
        cmocka_unit_test(one_periodic_side_is_refused),
        cmocka_unit_test(what_is_written_is_not_read_elsewhere),
        cmocka_unit_test(a_value_has_one_writer),
        cmocka_unit_test(a_scalar_read_and_written_gives_its_old_value),
        cmocka_unit_test(the_rank_must_fit),
        cmocka_unit_test(the_range_must_lie_in_the_grid),
        cmocka_unit_test(grid_sizes_must_match),
        cmocka_unit_test(components_must_match),
        cmocka_unit_test(types_must_match),
    };
    return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
