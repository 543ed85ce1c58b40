/* Ghosts that a boundary rule hides keep their values while loops read beyond the side: copies find
 * them in the same chain and in a later one, and so do loops once the rule is gone. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const char text[] = "kernel star(in double u, out double v)\n"
                           "{ v = 0.5*u + 0.125*(u[2,0] + u[-2,0] + u[0,1] + u[0,-1]); }\n";

enum { NX = 13, NY = 9, G = 2, LOOPS = 6, ALL = (NX + 2 * G) * (NY + 2 * G) };

typedef struct found {
    double values[NX * NY], before[ALL], between[ALL], after[ALL], open[NX * NY];
} found;

/* At three sides; the fourth has none. */
static void set_rule(kata_field *u, kata_rule rule)
{
    for (int side = 0; side < 4; side++)
        kata_boundary_set(u, (kata_side)side, side == KATA_Y_LOW ? KATA_NONE : rule, 3);
}

/* All values of a field, ghosts too, go to another one without a rule. */
static void copy_all(kata_field *to, kata_field *from, kata_grid *g, kata_rule rule)
{
    kata_range all = kata_box_2d(g, -G, NX + G, -G, NY + G);
    set_rule(from, KATA_NONE);
    kata_copy(to, all, from, all);
    set_rule(from, rule);
}

static void sweep(kata_kernel *star, kata_grid *g, kata_field *u, kata_field *v)
{
    for (int i = 0; i < LOOPS; i++) {
        kata_apply(star, kata_all(g), u, v);
        kata_swap(u, v);
    }
}

static void run(const kata_options *options, kata_rule rule, found *out)
{
    kata *k = kata_open(options);
    kata_kernel *star = kata_kernel_find(kata_module_from_text(k, "star", text), "star");
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .ghosts = G);
    kata_field *v = kata_field_like(u, "v"), *w = kata_field_like(u, "w");
    for (int i = 0; i < ALL; i++) out->before[i] = i * 37 % 101;
    kata_put(u, kata_box_2d(g, -G, NX + G, -G, NY + G), out->before, ALL);
    copy_all(v, u, g, rule);
    set_rule(v, rule);
    sweep(star, g, u, v);
    kata_flush(k);
    sweep(star, g, u, v);
    copy_all(w, u, g, rule); /* in a chain with loops that read beyond the sides */
    sweep(star, g, u, v);
    kata_get(w, kata_box_2d(g, -G, NX + G, -G, NY + G), out->between, ALL);
    kata_get(u, kata_all(g), out->values, NX * NY);
    copy_all(w, v, g, rule);
    kata_get(w, kata_box_2d(g, -G, NX + G, -G, NY + G), out->after, ALL);
    set_rule(u, KATA_NONE);
    kata_apply(star, kata_all(g), u, v);
    kata_get(v, kata_all(g), out->open, NX * NY);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void hidden_ghosts_keep_their_values(void **data)
{
    static const kata_rule rules[] = {KATA_CLAMP, KATA_CONSTANT, KATA_REFLECT_NODE};
    static const kata_options ways[] = {{.threads = 1},
                                        {.threads = 3},
                                        {.threads = 1, .plan = "loops"},
                                        {.threads = 2, .plan = "skewed x=5 y=4"},
                                        {.threads = 3, .plan = "diamond x=40"},
                                        {.threads = 2, .plan = "overlapped y=3"}};
    (void)data;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        static found wanted, got;
        run(&(kata_options){.executor = "reference"}, rules[r], &wanted);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            kata_options o = ways[i];
            o.wait = o.no_warnings = true;
            run(&o, rules[r], &got);
            assert_memory_equal(wanted.values, got.values, sizeof wanted.values);
            assert_memory_equal(wanted.between, got.between, sizeof wanted.between);
            assert_memory_equal(wanted.after, got.after, sizeof wanted.after);
            assert_memory_equal(wanted.open, got.open, sizeof wanted.open);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hidden_ghosts_keep_their_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
