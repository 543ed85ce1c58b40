/* Loops that run as one, point by point: results are those of the reference executor, and loops
 * become one exactly where nothing looks around at what another one writes. */
/* Labels: compiler slow */
#include "api/api.h"
#include "exec/fuse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 67, NY = 21, FIELDS = 6, POINTS = NX * NY, STEPS = 4 };

static const char kernels[] =
    "kernel scale(in double a, out double b, double c) { b = c*a; }\n"
    "kernel add(in double a, inout double b) { b += 0.5*a; }\n"
    "kernel change(inout double a, double c) { a = a/(1 + a*a) + c; }\n"
    "kernel both(in double a, out double b, out double c) { b = 1 - a; c = a*a; }\n"
    "kernel gradient(in double a, inout double b) { b -= 0.1*(a[1,0] - a[-1,0] + a[0,1] - "
    "a[0,-1]); }\n"
    "kernel laplace(in double a, out double b) { b = 4*a - (a[1,0] + a[-1,0] + a[0,1] + a[0,-1]); "
    "}\n"
    "kernel by_index(in double a, out double b) { b = ix > 3 && iy < 9 ? a : -a; }\n"
    "kernel edge(in double a, inout double b) { b = ix > 0 ? b + a[-1,0] : b; }\n"
    "kernel look_up(in double a, out double b, double t[3]) { b = a*t[0] + t[1]*t[2]; }\n"
    "kernel float_sum(in float a, inout float b) { b = b*0.25f + a; }\n"
    "kernel widen(in float a, out double b) { b = 0.1 + (double)a; }\n"
    "kernel sum_up(in double a, inout double b, sum double s) { b = 0.5*b + a; s += b; }\n"
    "kernel extremes(in double a, in double b, min double low, max double high)\n"
    "{ low = min(low, a); if (b > 0) high = max(high, a*b); }\n"
    "kernel second(in double a, inout double pair[2]) { pair[1] = pair[1]/(1 + a*a) + a; }\n"
    "kernel first(in double pair[2], out double a) { a = pair[0] - 0.5*pair[1]; }\n"
    "kernel nothing(inout double a) { if (1 > 2) a = 0; }\n"
    "kernel turn(inout double pair[2]) { double t = pair[0]; pair[0] = 0.5*pair[1]; pair[1] = -t; "
    "}\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *f[FIELDS], *single, *half, *pair;
    kata_scalar *s, *low, *high;
} world;

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

static kata_field *field(const world *w, const char *name, kata_type type, kata_rule rule,
                         int components)
{
    static double start[2 * POINTS];
    for (int i = 0; i < components * POINTS; i++) start[i] = (double)(i * i % 101) / 70 - 0.6;
    kata_field *f = kata_field_new(w->g, name, type, .boundary = rule, .components = components);
    kata_put(f, kata_all(w->g), start, components * POINTS);
    return f;
}

static world begin(const char *executor, kata_rule rule)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    world w = {
        .k = kata_open(&(kata_options){.executor = executor, .threads = 2, .handler = ignore})};
    w.k->exec.wait = w.k->exec.tune = true; /* kernels in one are made at once */
    w.m = kata_module_from_text(w.k, "k.kata", kernels);
    w.g = kata_grid_2d(w.k, NX, NY);
    for (int i = 0; i < FIELDS; i++) w.f[i] = field(&w, names[i], KATA_F64, rule, 1);
    w.single = field(&w, "single", KATA_F32, rule, 1);
    w.half = field(&w, "half", KATA_F16, rule, 1);
    w.pair = field(&w, "pair", KATA_F64, rule, 2);
    w.s = kata_scalar_new(w.k, "s", KATA_F64);
    w.low = kata_scalar_new(w.k, "low", KATA_F64);
    w.high = kata_scalar_new(w.k, "high", KATA_F64);
    assert_int_equal(kata_error(w.k), KATA_OK);
    return w;
}

/* The number of kernels that stand for several. */
static int fused(const world *w)
{
    int count = 0;
    const struct exec_cpu *cpu = w->k->exec.cpu;
    for (const joined_kernel *f = cpu && cpu->fuser ? cpu->fuser->kernels : NULL; f; f = f->next)
        count += f->used;
    return count;
}

#define APPLY(w, name, range, ...) kata_apply(kata_kernel_find((w)->m, name), range, __VA_ARGS__)

typedef struct results {
    double f[FIELDS][POINTS], single[POINTS], half[POINTS], pair[2 * POINTS], s, low, high;
} results;

static void take(const world *w, results *out)
{
    memset(out, 0, sizeof *out);
    const kata_range all = kata_all(w->g);
    for (int i = 0; i < FIELDS; i++) kata_get(w->f[i], all, out->f[i], POINTS);
    kata_get(w->single, all, out->single, POINTS);
    kata_get(w->half, all, out->half, POINTS);
    kata_get(w->pair, all, out->pair, 2 * POINTS);
    kata_scalar_get(w->s, &out->s);
    kata_scalar_get(w->low, &out->low);
    kata_scalar_get(w->high, &out->high);
}

typedef void step(const world *w, int number);

static void run(const char *executor, step *program, kata_rule rule, results *out, int *count)
{
    world w = begin(executor, rule);
    for (int i = 0; i < STEPS; i++) {
        program(&w, i);
        kata_step(w.k);
    }
    take(&w, out);
    *count = fused(&w);
    assert_int_equal(kata_error(w.k), KATA_OK);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

enum { SOME = -1 }; /* kernels that stand for several, however many */
static void check(step *program, kata_rule rule, int count)
{
    static results expected, found;
    int none, some;
    run("reference", program, rule, &expected, &none);
    run("cpu", program, rule, &found, &some);
    assert_memory_equal(&found, &expected, sizeof found);
    assert_true(count == SOME ? some > 0 : some == count);
}

/* ---- one loop -------------------------------------------------------------------------------- */

static void push(const world *w, int number)
{
    APPLY(w, "gradient", kata_all(w->g), w->f[0], w->f[1]);
    APPLY(w, "gradient", kata_all(w->g), w->f[0], w->f[2]);
    APPLY(w, "change", kata_all(w->g), w->f[1], 0.1 * number);
    APPLY(w, "both", kata_all(w->g), w->f[2], w->f[3], w->f[4]);
}

static void write_twice(const world *w, int number)
{
    APPLY(w, "scale", kata_all(w->g), w->f[0], w->f[1], 0.3);
    APPLY(w, "scale", kata_all(w->g), w->f[1], w->f[2], 0.7 + number);
    APPLY(w, "scale", kata_all(w->g), w->f[0], w->f[1], -0.4);
    APPLY(w, "add", kata_all(w->g), w->f[1], w->f[0]);
}

static void round_between(const world *w, int number)
{
    APPLY(w, "scale", kata_all(w->g), w->f[0], w->single, 1.0 / (3 + number));
    APPLY(w, "scale", kata_all(w->g), w->single, w->half, 1.1);
    APPLY(w, "add", kata_all(w->g), w->half, w->f[0]);
    APPLY(w, "add", kata_all(w->g), w->single, w->f[1]);
}

static void use_components(const world *w, int number)
{
    (void)number;
    APPLY(w, "second", kata_all(w->g), w->f[0], w->pair);
    APPLY(w, "first", kata_all(w->g), w->pair, w->f[0]);
    APPLY(w, "turn", kata_all(w->g), w->pair);
    APPLY(w, "first", kata_all(w->g), w->pair, w->f[1]);
}

static void use_tables_and_indices(const world *w, int number)
{
    const double table[3] = {0.5, 0.25 * number, -2};
    APPLY(w, "look_up", kata_all(w->g), w->f[0], w->f[1], table);
    APPLY(w, "by_index", kata_all(w->g), w->f[1], w->f[2]);
    APPLY(w, "edge", kata_all(w->g), w->f[0], w->f[2]);
}

static void sum(const world *w, int number)
{
    APPLY(w, "laplace", kata_all(w->g), w->f[0], w->f[1]);
    APPLY(w, "sum_up", kata_all(w->g), w->f[1], w->f[2], w->s);
    APPLY(w, "change", kata_all(w->g), w->f[2], 0.1 * number);
    APPLY(w, "extremes", kata_all(w->g), w->f[2], w->f[1], w->low, w->high);
}

static void loops_over_the_same_points_become_one(void **state)
{
    (void)state;
    check(push, KATA_CLAMP, 1);
    check(push, KATA_PERIODIC, 1);
    check(write_twice, KATA_CLAMP, 1);
    check(round_between, KATA_CLAMP, 1);
    check(use_components, KATA_CLAMP, 1);
    check(use_tables_and_indices, KATA_NONE, 1);
    check(sum, KATA_CLAMP, 1);
}

/* ---- loops that stay ------------------------------------------------------------------------- */

static void look_at_written(const world *w, int number)
{
    APPLY(w, "scale", kata_all(w->g), w->f[0], w->f[1], 0.5 + number);
    APPLY(w, "laplace", kata_all(w->g), w->f[1], w->f[2]);
}

static void write_what_was_looked_at(const world *w, int number)
{
    APPLY(w, "laplace", kata_all(w->g), w->f[0], w->f[1]);
    APPLY(w, "change", kata_all(w->g), w->f[0], 0.1 * number);
}

static void run_elsewhere(const world *w, int number)
{
    APPLY(w, "scale", kata_all(w->g), w->f[0], w->f[1], 0.5 + number);
    APPLY(w, "add", kata_inner(w->g, 1), w->f[1], w->f[2]);
}

static void share_nothing(const world *w, int number)
{
    APPLY(w, "change", kata_all(w->g), w->f[0], 0.25);
    APPLY(w, "change", kata_all(w->g), w->f[1], 0.1 * number);
}

/* Two loops make one scalar, and one needs it. */
static void meet_in_scalars(const world *w, int number)
{
    (void)number;
    APPLY(w, "sum_up", kata_all(w->g), w->f[0], w->f[1], w->s);
    APPLY(w, "sum_up", kata_all(w->g), w->f[1], w->f[2], w->s);
    APPLY(w, "scale", kata_all(w->g), w->f[2], w->f[3], w->s);
}

static void do_nothing(const world *w, int number)
{
    (void)number;
    APPLY(w, "nothing", kata_all(w->g), w->f[0]);
    APPLY(w, "nothing", kata_all(w->g), w->f[0]);
    kata_flush(w->k);
}

/* A time step ends between them. */
static void one_a_step(const world *w, int number)
{
    APPLY(w, "change", kata_all(w->g), w->f[0], 0.1 * number);
}

static void loops_stay_where_they_must(void **state)
{
    (void)state;
    check(one_a_step, KATA_CLAMP, 0);
    check(look_at_written, KATA_CLAMP, 0);
    check(write_what_was_looked_at, KATA_CLAMP, 0);
    check(run_elsewhere, KATA_CLAMP, 0);
    check(share_nothing, KATA_CLAMP, 0);
    check(meet_in_scalars, KATA_CLAMP, 0);
    check(do_nothing, KATA_CLAMP, 0);
}

/* Loops that were one before, of a single step: hashes of loops do not say where steps end. */
static void a_step_ends_between_loops_that_were_one(void **state)
{
    (void)state;
    world w = begin("cpu", KATA_CLAMP);
    chain found = {.count = 0};
    size_t *functions = NULL;
    for (int again = 0; again < 2; again++) {
        APPLY(&w, "scale", kata_all(w.g), w.f[0], w.f[1], 0.5);
        if (again) kata_step(w.k);
        APPLY(&w, "add", kata_all(w.g), w.f[1], w.f[2]);
        if (!again) kata_flush(w.k);
    }
    assert_int_equal(fused(&w), 1);
    assert_int_equal(w.k->chain.count, 2);
    assert_int_equal(cpu_fuse(&w.k->exec, &w.k->chain, &found, &functions, &w.k->messages),
                     KATA_OK);
    assert_int_equal(found.count, 0);
    kata_close(w.k);
}

/* A program whose loops differ each time makes no more kernels from some number on. */
static void kernels_in_one_are_not_without_number(void **state)
{
    (void)state;
    world w = begin("cpu", KATA_CLAMP);
    share_nothing(&w, 0);
    kata_flush(w.k);
    w.k->exec.cpu->fuser->kernel_count = FUSE_MOST_KERNELS;
    push(&w, 1);
    kata_flush(w.k);
    assert_int_equal(kata_error(w.k), KATA_OK);
    assert_null(w.k->exec.cpu->fuser->kernels);
    kata_close(w.k);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* A wall whose value changes from step to step, and within one. */
static void move_wall(const world *w, int number)
{
    kata_boundary_set(w->f[0], KATA_X_LOW, KATA_CONSTANT, 1.0 + number);
    APPLY(w, "gradient", kata_all(w->g), w->f[0], w->f[1]);
    if (number % 2) kata_boundary_set(w->f[0], KATA_X_LOW, KATA_CONSTANT, -1.0);
    APPLY(w, "gradient", kata_all(w->g), w->f[0], w->f[2]);
    APPLY(w, "add", kata_all(w->g), w->f[1], w->f[2]);
}

static void values_outside_are_those_of_each_loop(void **state)
{
    (void)state;
    check(move_wall, KATA_CLAMP, SOME);
}

/* ---- random programs ------------------------------------------------------------------------- */

static uint32_t state_of_chance;

static int chance(int count)
{
    state_of_chance = state_of_chance * 1664525u + 1013904223u;
    return (int)((state_of_chance >> 8) % (uint32_t)count);
}

static void apply_some(const world *w)
{
    kata_field *a = w->f[chance(FIELDS)], *b = w->f[chance(FIELDS)], *c = w->f[chance(FIELDS)];
    kata_range range = chance(9) ? kata_all(w->g) : kata_inner(w->g, 1 + chance(2));
    const double number = 0.125 * chance(9) - 0.5, table[3] = {number, 0.5, 1.5};
    if (a == b || b == c || a == c) return;
    switch (chance(19)) {
    case 0: APPLY(w, "scale", range, a, b, number); break;
    case 1:
    case 2: APPLY(w, "add", range, a, b); break;
    case 3: APPLY(w, "change", range, a, number); break;
    case 4: APPLY(w, "both", range, a, b, c); break;
    case 5: APPLY(w, "gradient", range, a, b); break;
    case 6: APPLY(w, "laplace", range, a, b); break;
    case 7: APPLY(w, "by_index", range, a, b); break;
    case 8: APPLY(w, "edge", range, a, b); break;
    case 9: APPLY(w, "look_up", range, a, b, table); break;
    case 10: APPLY(w, "float_sum", range, w->half, w->single); break;
    case 11: APPLY(w, "widen", range, chance(2) ? w->half : w->single, b); break;
    case 12: APPLY(w, "second", range, a, w->pair); break;
    case 13: APPLY(w, "first", range, w->pair, a); break;
    case 14: APPLY(w, "scale", range, a, chance(2) ? w->half : w->single, number); break;
    case 15: APPLY(w, "sum_up", range, a, b, w->s); break;
    case 16: APPLY(w, "extremes", range, a, b, w->low, w->high); break;
    case 17: APPLY(w, "scale", range, a, b, w->high); break;
    default: APPLY(w, "turn", range, w->pair); break;
    }
}

static int run_random(const char *executor, uint32_t seed, results *out)
{
    static const kata_rule rules[] = {KATA_CLAMP, KATA_PERIODIC, KATA_REFLECT_FACE, KATA_CONSTANT};
    world w = begin(executor, rules[seed % COUNT_OF(rules)]);
    for (int i = 0; i < STEPS; i++) {
        state_of_chance = seed * 2654435761u;
        for (int loop = 0; loop < 9; loop++) apply_some(&w);
        kata_step(w.k);
        if (seed >> i & 1) kata_swap(w.f[0], w.f[1]);
        if (seed >> i & 2) kata_flush(w.k);
    }
    take(&w, out);
    int count = fused(&w);
    assert_int_equal(kata_error(w.k), KATA_OK);
    kata_close(w.k);
    return count;
}

static void random_programs_compute_what_they_say(void **state)
{
    (void)state;
    enum { USUAL = 40 };
    static results expected, found;
    const char *asked = getenv("KATA_TEST_CHAINS");
    const uint32_t programs = asked ? (uint32_t)strtoul(asked, NULL, 10) : USUAL;
    int groups = 0;
    for (uint32_t seed = 1; seed <= programs; seed++) {
        run_random("reference", seed, &expected);
        groups += run_random("cpu", seed, &found);
        if (memcmp(&found, &expected, sizeof found) != 0) fail_msg("seed %u differs", seed);
    }
    assert_true(groups >= (int)programs / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_over_the_same_points_become_one),
        cmocka_unit_test(loops_stay_where_they_must),
        cmocka_unit_test(a_step_ends_between_loops_that_were_one),
        cmocka_unit_test(kernels_in_one_are_not_without_number),
        cmocka_unit_test(values_outside_are_those_of_each_loop),
        cmocka_unit_test(random_programs_compute_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
