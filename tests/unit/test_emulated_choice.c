/* What the planner chooses for emulated machines takes at most 2 % longer than the best of all
 * blocks, intervals between exchanges, slots, columns and sweeps in place. */
/* Labels: slow */
#include "emulated_chain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double BOUND = 1.02;

/* ---- the best of all --------------------------------------------------------------------------
 */

typedef struct search {
    emulated_chain *c;
    machine_emulated m;
    plan_request chosen; /* nothing is asked for */
    int64_t sizes[3];
    double least;
    int tried;
} search;

/* Seconds of a plan; INFINITY where loops are not in blocks. */
static double seconds_of(const search *s, const plan_request *r)
{
    plan p = {0};
    plan_times times = {0};
    assert_true(plan_make(&p, &s->c->a, r));
    assert_true(p.refusal_count || plan_find_times(&p, &s->c->a, &s->m, NULL, &times));
    double seconds = p.refusal_count ? INFINITY : times.seconds;
    for (size_t i = 0; i < times.count; i++)
        if (times.parts[i].direct) seconds = INFINITY;
    plan_times_free(&times);
    plan_free(&p);
    return seconds;
}

static void try_one(search *s, const plan_request *r)
{
    s->tried++;
    s->least = fmin(s->least, seconds_of(s, r));
}

static void try_parts(search *s, int64_t every)
{
    plan_request r = s->chosen;
    int64_t most = s->m.siblings;
    r.every = every;
    for (r.parts[2] = 1; r.parts[2] <= s->sizes[2]; r.parts[2]++)
        for (r.parts[1] = 1; r.parts[1] <= s->sizes[1]; r.parts[1]++)
            for (r.parts[0] = 1; r.parts[0] <= s->sizes[0]; r.parts[0]++) {
                int64_t parts = r.parts[0] * r.parts[1] * r.parts[2];
                if (parts > 1 && parts <= most) try_one(s, &r);
            }
}

static int64_t next_size(const search *s, int64_t size)
{
    return s->m.powers ? 2 * size : size + 1;
}

/* Blocks of fewer points than an eighth of a side take too many turns to be of interest. */
static void try_sizes(search *s, plan_request r)
{
    int64_t most = s->m.powers ? 2 : 1, least = 1;
    while (16 * least <= s->sizes[0]) least *= 2;
    for (r.tile[2] = least; r.tile[2] < most * s->sizes[2] + 1; r.tile[2] = next_size(s, r.tile[2]))
        for (r.tile[1] = least; r.tile[1] < most * s->sizes[1] + 1;
             r.tile[1] = next_size(s, r.tile[1]))
            for (r.tile[0] = least; r.tile[0] < most * s->sizes[0] + 1;
                 r.tile[0] = next_size(s, r.tile[0]))
                try_one(s, &r);
}

static void try_turns(search *s)
{
    plan_request r = s->chosen;
    for (r.slots = 1; r.slots <= s->m.slots; r.slots++)
        for (r.columns = 0; r.columns <= !s->m.powers; r.columns++)
            for (r.in_place = 0; r.in_place <= 1; r.in_place++) try_sizes(s, r);
}

static void check_choice(emulated_chain *c, const char *machine, int64_t most_every)
{
    search s = {.c = c, .least = INFINITY};
    text why = {0};
    assert_true(machine_emulated_find(machine, &s.m, &why));
    s.chosen = (plan_request){.method = s.m.local ? "blocked" : "scratchpad",
                              .machine = &s.m,
                              .siblings = s.m.siblings,
                              .memory = s.m.free,
                              .last = s.m.last};
    memcpy(s.sizes, c->slots[0].shape.size, sizeof s.sizes);
    for (int64_t every = 1; s.m.local && every <= most_every; every++) try_parts(&s, every);
    if (!s.m.local) try_turns(&s);
    double chosen = seconds_of(&s, &s.chosen);
    assert_true(s.least < INFINITY && s.tried > 100);
    if (chosen > BOUND * s.least)
        fail_msg("%s: %.6g s, and %.6g s at best", machine, chosen, s.least);
    text_free(&why);
    emulated_end(c);
}

/* ---- applications -----------------------------------------------------------------------------
 */

static void test_blocks_of_a_lattice_by_turns(void **unused)
{
    (void)unused;
    static const int sides[] = {12, 24};
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        emulated_chain c;
        emulated_make_lattice(&c, sides[i], KATA_F32, 1 + (int)(i % 2));
        check_choice(&c, "mppa256", 0);
    }
}

static void test_blocks_and_columns_of_a_smoother(void **unused)
{
    (void)unused;
    for (int64_t side = 6; side <= 7; side++) {
        emulated_chain c;
        emulated_make_smoother(&c, side);
        check_choice(&c, "sw26010", 0);
    }
}

static void test_blocks_of_a_blur_that_stay(void **unused)
{
    (void)unused;
    for (int64_t side = 13; side <= 20; side += 7) {
        emulated_chain c;
        emulated_make_blur(&c, side, side + 6, 2);
        check_choice(&c, "ipu", 2);
    }
}

static void test_blocks_of_a_lattice_that_stay(void **unused)
{
    (void)unused;
    emulated_chain c;
    emulated_make_lattice(&c, 7, KATA_F32, 2);
    check_choice(&c, "ipu", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_of_a_lattice_by_turns),
        cmocka_unit_test(test_blocks_and_columns_of_a_smoother),
        cmocka_unit_test(test_blocks_of_a_blur_that_stay),
        cmocka_unit_test(test_blocks_of_a_lattice_that_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
