/* Needed extents: the table of GridTools, in each dimension, and the hazard that its last row has
 * when its stages are fused or enlarged. */
#include "analysis/analysis.h"
#include "lang/lang.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { A, B, C, D, E, FIELDS, MOST_STAGES = 3, READS = 3 };

typedef struct stage {
    int output, inputs[READS], lo[READS], hi[READS], reads;
} stage;

static const stage rows[3][MOST_STAGES] = {
    {{A, {B, C}, {-1, 0}, {1, 1}, 2},
     {D, {B, C}, {-2, -1}, {0, 2}, 2},
     {E, {A, D, C}, {-1, -2, -1}, {2, 2, 1}, 3}},
    {{A, {B, C}, {-1, 0}, {1, 1}, 2},
     {D, {B, A}, {-2, -1}, {0, 2}, 2},
     {E, {A, D, C}, {-1, -2, -1}, {2, 2, 1}, 3}},
    {{A, {B, C}, {-1, 0}, {1, 1}, 2},
     {C, {B, A}, {-2, -1}, {0, 2}, 2},
     {E, {A, D, C}, {-1, -2, -1}, {2, 2, 1}, 3}},
};

static const int32_t expected[2][FIELDS][2] = {
    {{-1, 2}, {-4, 3}, {-3, 4}, {-2, 2}, {0, 0}},
    {{-3, 4}, {-4, 5}, {-3, 5}, {-2, 2}, {0, 0}},
};

static void print_offset(char *out, int dimension, int by)
{
    static const char *const forms[] = {"[%d,0,0]", "[0,%d,0]", "[0,0,%d]"};
    sprintf(out, forms[dimension], by); /* NOLINT: the form is one of three */
}

/* A kernel for a stage: the sum of the first and last value that it reads. */
static void print_stage(char *text, const stage *s, int number, int dimension)
{
    char lo[32], hi[32];
    text += sprintf(text, "kernel s%d(", number);
    for (int i = 0; i < s->reads; i++) text += sprintf(text, "in double p%d, ", i);
    text += sprintf(text, "out double r) { r = 0");
    for (int i = 0; i < s->reads; i++) {
        print_offset(lo, dimension, s->lo[i]);
        print_offset(hi, dimension, s->hi[i]);
        text += sprintf(text, " + p%d%s + p%d%s", i, lo, i, hi);
    }
    sprintf(text, "; }\n");
}

/* The stages of a row as loops on all points of a periodic grid, and the extents at which they are
 * needed for the last field. */
typedef struct row {
    lang_module *module;
    chain_slot slots[FIELDS], *list[FIELDS];
    chain_binding bindings[MOST_STAGES][READS + 1];
    chain_loop loops[MOST_STAGES];
    analysis_chain a;
    analysis_span needs[FIELDS][3], extents[MOST_STAGES][3];
} row;

static const grid_shape cube = {3, {100, 100, 100}};

static const grid_boundary periodic = {.side = {{KATA_PERIODIC, 0},
                                                {KATA_PERIODIC, 0},
                                                {KATA_PERIODIC, 0},
                                                {KATA_PERIODIC, 0},
                                                {KATA_PERIODIC, 0},
                                                {KATA_PERIODIC, 0}}};

static void bind(row *r, int stage, int param, int field)
{
    chain_binding *b = &r->bindings[stage][param];
    b->slot = &r->slots[field];
    b->boundary = &periodic;
}

static void make_loops(row *r, const stage *stages)
{
    for (int f = 0; f < FIELDS; f++) {
        r->slots[f] = (chain_slot){.shape = cube, .components = 1, .number = f};
        r->list[f] = &r->slots[f];
    }
    for (int s = 0; s < MOST_STAGES; s++) {
        for (int i = 0; i < stages[s].reads; i++) bind(r, s, i, stages[s].inputs[i]);
        bind(r, s, stages[s].reads, stages[s].output);
        r->loops[s] = (chain_loop){.kernel = r->module->kernels[s],
                                   .shape = cube,
                                   .box = grid_shape_box(&cube),
                                   .bindings = r->bindings[s]};
    }
}

static void make_row(row *r, const stage *stages, int dimension)
{
    char text[2000] = "";
    messages m = {0};
    *r = (row){0};
    for (int s = 0; s < MOST_STAGES; s++)
        print_stage(text + strlen(text), &stages[s], s, dimension);
    assert_int_equal(lang_compile("k", text, strlen(text), NULL, &m, &r->module), KATA_OK);
    message_free(&m);
    make_loops(r, stages);
    chain c = {.loops = r->loops, .count = MOST_STAGES, .slots = r->list, .slot_count = FIELDS};
    assert_true(analysis_chain_make(&c, &r->a));
    for (int d = 0; d < 3; d++) {
        for (int f = 0; f < FIELDS; f++)
            r->needs[f][d] = f == E ? (analysis_span){0, 0} : ANALYSIS_NONE;
        for (int s = 0; s < MOST_STAGES; s++) r->extents[s][d] = ANALYSIS_NONE;
    }
    analysis_section all = {&r->a, 0, MOST_STAGES};
    analysis_find_extents(&all, r->needs, r->extents);
}

static void free_row(row *r)
{
    analysis_chain_free(&r->a);
    lang_module_free(r->module);
}

static bool is_none(const analysis_span *s) { return s->lo > s->hi; }

/* The first field that is overwritten too early; -1 when there is none. */
static int find_hazard(const row *r)
{
    analysis_section all = {&r->a, 0, MOST_STAGES};
    for (int f = 0; f < FIELDS; f++)
        for (int d = 0; d < 3; d++)
            if (analysis_is_hazard(&all, f, r->needs[f][d])) return f;
    return -1;
}

static void extents_are_those_of_the_table(void **state)
{
    (void)state;
    for (int dimension = 0; dimension < 3; dimension++)
        for (int i = 0; i < 2; i++) {
            row r;
            make_row(&r, rows[i], dimension);
            for (int f = 0; f < FIELDS; f++) {
                for (int d = 0; d < 3; d++) {
                    assert_int_equal(r.needs[f][d].lo, d == dimension ? expected[i][f][0] : 0);
                    assert_int_equal(r.needs[f][d].hi, d == dimension ? expected[i][f][1] : 0);
                }
            }
            assert_int_equal(find_hazard(&r), -1);
            free_row(&r);
        }
}

static void a_field_overwritten_after_it_was_read_is_a_hazard(void **state)
{
    (void)state;
    row r;
    make_row(&r, rows[2], 1);
    assert_int_equal(find_hazard(&r), C);
    free_row(&r);
}

static void what_nothing_needs_is_not_computed(void **state)
{
    (void)state;
    static const stage stages[MOST_STAGES] = {
        {A, {B}, {-1}, {1}, 1}, {D, {A}, {-1}, {1}, 1}, {E, {B}, {0}, {2}, 1}};
    row r;
    make_row(&r, stages, 0);
    assert_true(is_none(&r.needs[A][0]));
    assert_true(is_none(&r.extents[0][0]));
    assert_true(is_none(&r.extents[1][0]));
    assert_false(is_none(&r.extents[2][0]));
    assert_int_equal(r.needs[B][0].lo, 0);
    assert_int_equal(r.needs[B][0].hi, 2);
    free_row(&r);
}

/* At the point alone, and once, nothing is read too late. */
static void updates_at_the_point_are_no_hazard(void **state)
{
    (void)state;
    static const stage stages[MOST_STAGES] = {
        {A, {B}, {0}, {0}, 1}, {B, {A}, {0}, {0}, 1}, {E, {A, B}, {0, 0}, {0, 0}, 2}};
    static const stage enlarged[MOST_STAGES] = {
        {A, {B}, {0}, {0}, 1}, {B, {A}, {0}, {0}, 1}, {E, {A, B}, {0, 0}, {0, 1}, 2}};
    row r;
    make_row(&r, stages, 2);
    assert_int_equal(find_hazard(&r), -1);
    free_row(&r);
    make_row(&r, enlarged, 2);
    assert_int_equal(find_hazard(&r), B);
    free_row(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents_are_those_of_the_table),
        cmocka_unit_test(a_field_overwritten_after_it_was_read_is_a_hazard),
        cmocka_unit_test(what_nothing_needs_is_not_computed),
        cmocka_unit_test(updates_at_the_point_are_no_hazard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
