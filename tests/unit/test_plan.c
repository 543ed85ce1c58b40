/* Plans compute the same as their chains: the verifier accepts random chains, planned by every
 * method with all kinds of sizes, and running the plans gives the reference executor's bits. The
 * verifier refuses damaged plans whenever they give other bits. Cuts between blocks may lie where
 * the planner does not put them: blocks of uneven sizes that the verifier accepts do the same. */
/* Labels: slow */
#include "plan_mutants.h"
#include "plan_parse.h"
#include "sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The most chains drawn to meet each kind of damage: this many times their number. */
enum { MOST_TURNS = 5 };

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

/* KATA_TEST_CHAINS gives another number, KATA_TEST_SEED another start. */
static uint64_t chain_count(void)
{
    const uint64_t few = is_sanitized() ? 200 : 1000;
    return from_environment("KATA_TEST_CHAINS",
                            from_environment("KATA_TEST_FULL", 0) ? 50000 : few);
}

/* The chain's values by the reference executor. */
static uint64_t *expected_values(world *w, size_t *count)
{
    exec_context context = {.threads = 1};
    world_reset(w);
    assert_int_equal(exec_reference.run(&context, &w->chain, &w->m), KATA_OK);
    return world_values(w, count);
}

/* Whether a plan, run, gives the expected values. */
static bool gives(world *w, const plan *p, const analysis_chain *a, oracle_plan_order order,
                  const uint64_t *expected, size_t count)
{
    size_t found_count;
    world_reset(w);
    message_clear(&w->m);
    if (oracle_run_plan(p, a, &order, &w->m) != KATA_OK) return false;
    uint64_t *found = world_values(w, &found_count);
    bool same = found_count == count && !memcmp(found, expected, count * sizeof *found);
    free(found);
    return same;
}

static void check_text(const plan *p)
{
    text first = {0}, second = {0};
    plan again = {0};
    int line;
    plan_print(&first, p, NULL);
    assert_true(plan_parse(&again, text_get(&first), &line));
    plan_print(&second, &again, NULL);
    assert_string_equal(text_get(&first), text_get(&second));
    text_free(&first);
    text_free(&second);
    plan_free(&again);
}

static void show(const plan *p, const analysis_chain *a, const world *w)
{
    text shown = {0};
    chain_print(&shown, &w->chain);
    plan_print(&shown, p, a);
    fprintf(stderr, "%s\n", text_get(&shown));
    text_free(&shown);
}

/* Moves cuts between blocks, within the order that they have; false where there are none. */
static bool move_cuts(world *w, plan *p)
{
    bool moved = false;
    for (int i = 1; i < p->count; i++) {
        plan_node *n = &p->nodes[i];
        for (int d = 0; d < 3 && n->kind == PLAN_BLOCKS; d++)
            for (int c = 1; c < n->parts[d]; c++) {
                int64_t old = n->cuts[d][c];
                n->cuts[d][c] = world_from(w, n->cuts[d][c - 1], n->cuts[d][c + 1]);
                moved = moved || n->cuts[d][c] != old;
            }
    }
    return moved;
}

/* Plans with moved cuts that were made, and accepted. */
typedef struct uneven {
    int made, accepted;
} uneven;

static void check_chain(uint64_t seed, int plans, uneven *counted)
{
    world w;
    analysis_chain a;
    size_t count;
    world_make(&w, seed, &(world_kind){.most_loops = seed % 4 ? 12 : WORLD_LOOPS});
    uint64_t *expected = expected_values(&w, &count);
    assert_true(analysis_chain_make(&w.chain, &a));
    for (int i = 0; i < plans; i++) {
        plan p = {0};
        text why = {0};
        plan_request r = world_request(&w);
        assert_true(plan_make(&p, &a, &r));
        bool moved = seed % 2 && move_cuts(&w, &p);
        bool right = plan_verify(&p, &a, &why), refused = moved && !right;
        counted->made += moved;
        counted->accepted += moved && right;
        oracle_plan_order order = {world_random(&w) & 1, world_random(&w) & 1};
        bool same = refused || gives(&w, &p, &a, order, expected, count);
        if ((!right && !refused) || !same) {
            show(&p, &a, &w);
            world_say_request(seed, &r);
            fprintf(stderr, "verifier: %s; run: %s %s\n", right ? "accepts" : text_get(&why),
                    same ? "same" : "differs", text_get(&w.m.body));
        }
        check_text(&p);
        assert_true((right || refused) && same);
        plan_free(&p);
        text_free(&why);
    }
    analysis_chain_free(&a);
    free(expected);
    world_free(&w);
}

static void random_chains_planned_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t chains = chain_count();
    uint64_t first = from_environment("KATA_TEST_SEED", 1);
    uneven counted = {0, 0};
    for (uint64_t seed = first; seed < first + chains; seed++) check_chain(seed, 4, &counted);
    if (getenv("KATA_TEST_VERBOSE"))
        fprintf(stderr, "uneven blocks: %d accepted of %d\n", counted.accepted, counted.made);
    assert_true(chains < 1000 || counted.accepted > 0);
}

/* Whether a plan is more than one loop after another. */
static bool is_cut(const plan *p)
{
    for (int i = 1; i < p->count; i++)
        if (p->nodes[i].kind == PLAN_BUFFER || p->nodes[i].kind == PLAN_TILE) return true;
    return false;
}

typedef struct tally {
    int made, refused;
} tally;

static void check_mutants(uint64_t seed, tally *tallies)
{
    world w;
    analysis_chain a;
    size_t count;
    world_make(&w, seed, &(world_kind){.most_loops = 10});
    uint64_t *expected = expected_values(&w, &count);
    assert_true(analysis_chain_make(&w.chain, &a));
    plan_request r = {0};
    plan p = {0};
    for (int tries = 0; tries < 6 && !is_cut(&p); tries++) {
        plan_free(&p);
        r = world_request(&w);
        assert_true(plan_make(&p, &a, &r));
    }
    for (int i = 0; i < mutant_count; i++) {
        plan damaged = {0};
        text why = {0};
        if (mutants[i].make(&w, &p, &a, &r, &damaged)) {
            bool accepted = plan_verify(&damaged, &a, &why), same = true;
            for (int order = 0; accepted && order < 2 && same; order++)
                same = gives(&w, &damaged, &a, (oracle_plan_order){order, order}, expected, count);
            tallies[i].made++;
            tallies[i].refused += !accepted;
            if (!same) {
                show(&damaged, &a, &w);
                world_say_request(seed, &r);
                fail_msg("the verifier accepts '%s', which gives other values", mutants[i].name);
            }
        }
        plan_free(&damaged);
        text_free(&why);
    }
    plan_free(&p);
    analysis_chain_free(&a);
    free(expected);
    world_free(&w);
}

static int count_unrefused(const tally *tallies)
{
    int count = 0;
    for (int i = 0; i < mutant_count; i++) count += !tallies[i].refused;
    return count;
}

static void print_tallies(const tally *tallies)
{
    for (int i = 0; i < mutant_count; i++) {
        if (getenv("KATA_TEST_VERBOSE"))
            fprintf(stderr, "%-24s made %d refused %d\n", mutants[i].name, tallies[i].made,
                    tallies[i].refused);
        if (!tallies[i].refused) fprintf(stderr, "no %s was refused\n", mutants[i].name);
    }
}

/* A chain with damage of which there is one in 50,000: of fields on two grids in periodic blocks,
 * one that lies at home is exchanged, and its points are copied by the period of the other grid. */
enum { FAR_EXCHANGE = 2185 };

/* Each kind of damage is met, and refused, at least once. Some kinds are rare, and a new method of
 * planning changes which chains meet them. So more chains are drawn until each kind was refused. */
static void damaged_plans_that_give_other_bits_are_refused(void **state)
{
    (void)state;
    tally *tallies = calloc((size_t)mutant_count, sizeof *tallies);
    assert_non_null(tallies);
    uint64_t chains = chain_count();
    uint64_t first = from_environment("KATA_TEST_SEED", 1);
    check_mutants(FAR_EXCHANGE, tallies);
    bool counts = chains >= 1000;
    uint64_t most = counts ? MOST_TURNS * chains : chains;
    for (uint64_t i = 0; i < most && (i < chains || count_unrefused(tallies)); i++)
        check_mutants(first + i, tallies);
    if (counts) print_tallies(tallies);
    int missed = counts ? count_unrefused(tallies) : 0;
    free(tallies);
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_plans_that_give_other_bits_are_refused),
        cmocka_unit_test(random_chains_planned_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
