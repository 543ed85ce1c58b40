/* Temporaries that are computed where they are read: results are those of the reference executor,
 * and fields are left out exactly where nothing can tell. */
/* Labels: compiler slow */
#include "api/api.h"
#include "exec/inline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 67, NY = 21, GHOSTS = 2, POINTS = (NX + 2 * GHOSTS) * (NY + 2 * GHOSTS) };

static const char kernels[] =
    "kernel laplace(in double u, out double l)\n"
    "{ l = 4*u - (u[1,0] + u[-1,0] + u[0,1] + u[0,-1]); }\n"
    "kernel limit(in double u, in double l, out double f[2])\n"
    "{\n"
    "    double x = l[1,0] - l, y = l[0,1] - l;\n"
    "    f[0] = x*(u[1,0] - u) > 0 ? 0 : x;\n"
    "    f[1] = y*(u[0,1] - u) > 0 ? 0 : y;\n"
    "}\n"
    "kernel spread(in double u, in double f[2], out double v, double c)\n"
    "{ v = u - c*(f[0] - f[0][-1,0] + f[1] - f[1][0,-1]); }\n"
    "kernel add(in double l, inout double v, sum double s) { v += l; s += l*v; }\n"
    "kernel scale(in double u, out double l, double c) { l = c*u; }\n"
    "kernel some(in double u, out double l) { l = ix > 3 ? u : 2*u; }\n"
    "kernel heavy(in double u, out double l) { l = exp(u) + sin(u); }\n"
    "kernel around(in double l, out double v) { v = l[-1,0] + l[1,0] + l[0,-1] + l[0,1]; }\n"
    "kernel change(inout double u) { u = 0.5*u + 1; }\n"
    "kernel copy(in double u, out double v) { v = u; }\n"
    "kernel mix0(in double a, in double b, out double c) { c = a - 0.5*b; }\n"
    "kernel mix1(in double a, in double b, out double c) { c = a[1,0]*b[0,-1]; }\n"
    "kernel mix2(in double a, in double b, out double c) { c = a[-1,0] + 0.3*b; }\n"
    "kernel mix3(in double a, in double b, out double c) { c = a[0,1] - a + b[1,1]; }\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v, *l, *f;
    kata_scalar *s;
} world;

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

static world begin(const char *executor, kata_type stored, kata_rule rule)
{
    world w = {
        .k = kata_open(&(kata_options){.executor = executor, .threads = 2, .handler = ignore})};
    static double start[POINTS];
    for (int i = 0; i < POINTS; i++) start[i] = (double)(i * i % 101) / 7;
    w.m = kata_module_from_text(w.k, "k.kata", kernels);
    w.g = kata_grid_2d(w.k, NX, NY);
    int ghosts = rule == KATA_NONE ? GHOSTS : 0;
    w.u = kata_field_new(w.g, "u", KATA_F64, .ghosts = ghosts, .boundary = rule);
    w.v = kata_field_like(w.u, "v");
    w.l = kata_field_new(w.g, "l", stored, .ghosts = ghosts, .boundary = rule, .temporary = true);
    w.f = kata_field_new(w.g, "f", KATA_F64, .components = 2, .ghosts = ghosts, .boundary = rule,
                         .temporary = true);
    w.s = kata_scalar_new(w.k, "s", KATA_F64);
    kata_range all = kata_box_2d(w.g, -ghosts, NX + ghosts, -ghosts, NY + ghosts);
    kata_put(w.u, all, start, (NX + 2 * ghosts) * (NY + 2 * ghosts));
    kata_put(w.v, all, start, (NX + 2 * ghosts) * (NY + 2 * ghosts));
    w.k->exec.wait = true;
    assert_int_equal(kata_error(w.k), KATA_OK);
    return w;
}

static kata_kernel *find(const world *w, const char *name) { return kata_kernel_find(w->m, name); }

/* The number of kernels that became one with others. */
static int joined(const world *w)
{
    int count = 0;
    for (joined_kernel *j = w->k->exec.cpu ? w->k->exec.cpu->joined : NULL; j; j = j->next)
        count += j->kernel != NULL;
    return count;
}

/* Steps of a kind, and how many kernels are made of several. */
typedef struct program {
    void (*step)(const world *w, int number);
    kata_type stored;
    kata_rule rule;
    int joined;
} program;

static void run(const char *executor, const program *p, double *out, int *joints)
{
    world w = begin(executor, p->stored, p->rule);
    for (int i = 0; i < 5; i++) {
        p->step(&w, i);
        kata_swap(w.u, w.v);
        kata_step(w.k);
    }
    kata_get(w.u, kata_all(w.g), out, NX * NY);
    kata_get(w.v, kata_all(w.g), out + NX * NY, NX * NY);
    kata_scalar_get(w.s, &out[2 * NX * NY]);
    *joints = joined(&w);
    assert_int_equal(kata_error(w.k), KATA_OK);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void check(const program *p)
{
    static double expected[2 * NX * NY + 1], found[2 * NX * NY + 1];
    int joints;
    run("reference", p, expected, &joints);
    run("cpu", p, found, &joints);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(joints, p->joined);
}

/* ---- left out -------------------------------------------------------------------------------- */

static void diffuse(const world *w, int number)
{
    kata_apply(find(w, "laplace"), kata_needed(w->g), w->u, w->l);
    kata_apply(find(w, "limit"), kata_needed(w->g), w->u, w->l, w->f);
    kata_apply(find(w, "spread"), kata_all(w->g), w->u, w->f, w->v, 0.01 * (number + 1));
}

static void several_stages_become_one_loop(void **state)
{
    (void)state;
    check(&(program){diffuse, KATA_F64, KATA_NONE, 1});
}

static void one_step(const char *executor, double *out, int64_t *loops)
{
    world w = begin(executor, KATA_F64, KATA_NONE);
    diffuse(&w, 1);
    kata_step(w.k);
    kata_get(w.v, kata_all(w.g), out, NX * NY);
    *loops = joined(&w);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void one_step_alone_becomes_one_loop(void **state)
{
    (void)state;
    static double expected[NX * NY], found[NX * NY];
    int64_t loops;
    one_step("reference", expected, &loops);
    one_step("cpu", found, &loops);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(loops, 1);
}

/* The same temporary is read by two loops, one of which changes a field and sums. */
static void use_twice(const world *w, int number)
{
    kata_apply(find(w, "scale"), kata_all(w->g), w->u, w->l, 0.5 + number);
    kata_apply(find(w, "copy"), kata_all(w->g), w->l, w->v);
    kata_apply(find(w, "add"), kata_all(w->g), w->l, w->v, w->s);
}

static void several_loops_compute_one_temporary(void **state)
{
    (void)state;
    check(&(program){use_twice, KATA_F64, KATA_CLAMP, 2});
}

/* A temporary that is made twice in a step. */
static void make_twice(const world *w, int number)
{
    kata_apply(find(w, "scale"), kata_all(w->g), w->u, w->l, 1.5);
    kata_apply(find(w, "copy"), kata_all(w->g), w->l, w->v);
    kata_apply(find(w, "scale"), kata_all(w->g), w->v, w->l, 0.1 * number);
    kata_apply(find(w, "add"), kata_all(w->g), w->l, w->v, w->s);
}

static void what_is_made_of_changed_values_stays(void **state)
{
    (void)state;
    check(&(program){make_twice, KATA_F64, KATA_NONE, 0}); /* 'add' changes what 'scale' reads */
}

/* ---- kept ------------------------------------------------------------------------------------ */

static void change_between(const world *w, int number)
{
    (void)number;
    kata_apply(find(w, "laplace"), kata_needed(w->g), w->u, w->l);
    kata_apply(find(w, "change"), kata_all(w->g), w->u);
    kata_apply(find(w, "around"), kata_all(w->g), w->l, w->v);
}

static void read_outside(const world *w, int number)
{
    (void)number;
    kata_apply(find(w, "scale"), kata_all(w->g), w->u, w->l, 0.25);
    kata_apply(find(w, "around"), kata_all(w->g), w->l, w->v);
}

static void make_by_index(const world *w, int number)
{
    (void)number;
    kata_apply(find(w, "some"), kata_needed(w->g), w->u, w->l);
    kata_apply(find(w, "around"), kata_all(w->g), w->l, w->v);
}

static void make_much(const world *w, int number)
{
    (void)number;
    kata_apply(find(w, "heavy"), kata_needed(w->g), w->u, w->l);
    kata_apply(find(w, "around"), kata_all(w->g), w->l, w->v);
}

/* The result takes the place of what the temporary is made of. */
static void change_source(const world *w, int number)
{
    (void)number;
    kata_apply(find(w, "laplace"), kata_needed(w->g), w->u, w->l);
    kata_apply(find(w, "around"), kata_all(w->g), w->l, w->u);
}

/* A copy reads other points than the one it writes. */
static void make_by_copy(const world *w, int number)
{
    kata_range all = kata_box_2d(w->g, -1, NX + 1, -1, NY + 1);
    kata_copy(w->l, all, w->u, kata_box_2d(w->g, -1 - number % 2, NX + 1 - number % 2, -2, NY));
    kata_apply(find(w, "around"), kata_all(w->g), w->l, w->v);
}

static void copy_made(const world *w, int number)
{
    kata_range all = kata_box_2d(w->g, -1, NX + 1, -1, NY + 1);
    kata_apply(find(w, "scale"), all, w->u, w->l, 0.5 + number);
    kata_copy(w->v, kata_all(w->g), w->l, kata_box_2d(w->g, 1, NX + 1, -1, NY - 1));
}

static void temporaries_stay_where_they_must(void **state)
{
    (void)state;
    check(&(program){change_between, KATA_F64, KATA_NONE, 0});
    check(&(program){read_outside, KATA_F64, KATA_CLAMP, 0});
    check(&(program){make_by_index, KATA_F64, KATA_NONE, 0});
    check(&(program){make_much, KATA_F64, KATA_NONE, 0});
    check(&(program){change_source, KATA_F64, KATA_NONE, 0});
    check(&(program){make_by_copy, KATA_F64, KATA_NONE, 0});
    check(&(program){copy_made, KATA_F64, KATA_NONE, 0});
    check(&(program){diffuse, KATA_F32, KATA_NONE, 1}); /* 'l' is rounded: only 'f' is left out */
}

/* ---- random chains --------------------------------------------------------------------------- */

static uint32_t state_of_chance;

static int chance(int count)
{
    state_of_chance = state_of_chance * 1664525u + 1013904223u;
    return (int)((state_of_chance >> 8) % (uint32_t)count);
}

/* Loops over lasting fields and temporaries. Those read what the step has written before. */
static void mix(const world *w, kata_field *const fields[5], int loops)
{
    static const char *const names[] = {"mix0", "mix1", "mix2", "mix3"};
    bool set[5] = {true, true};
    for (int i = 0; i < loops; i++) {
        int a, b, c = chance(10), kernel = chance(4), narrow = chance(12);
        c = c < 7 ? 2 + c % 3 : c % 2;
        do a = chance(5);
        while (!set[a] || a == c);
        do b = chance(5);
        while (!set[b] || b == c);
        kata_range range = c >= 2 && narrow ? kata_needed(w->g) : kata_inner(w->g, 8 - narrow % 2);
        if (a == b) continue;
        kata_apply(find(w, names[kernel]), range, fields[a], fields[b], fields[c]);
        set[c] = set[c] || narrow;
    }
}

/* Between equal chains fields are exchanged, or get other values or rules. */
static void change_between_chains(const world *w, uint32_t bits)
{
    static const double values[8] = {0.5, -1, 2, 0.25, 3, -0.125, 1, 7};
    if (bits & 1) kata_swap(w->u, w->v);
    if (bits & 2) kata_put(w->u, kata_box_2d(w->g, 9, 13, 9, 11), values, 8);
    if (bits & 4) kata_boundary_set(w->v, KATA_X_LOW, bits & 8 ? KATA_CLAMP : KATA_NONE, 0);
    if (bits & 16) kata_flush(w->k);
}

static int run_mixed(const char *executor, uint32_t seed, double *out)
{
    world w = begin(executor, KATA_F64, KATA_NONE);
    kata_field *fields[5] = {w.u, w.v, w.l, NULL, NULL};
    for (int i = 3; i < 5; i++)
        fields[i] = kata_field_new(w.g, "t", KATA_F64, .ghosts = GHOSTS, .temporary = true);
    for (int step = 0; step < 5; step++) {
        state_of_chance = seed * 2654435761u;
        mix(&w, fields, 12);
        kata_step(w.k);
        change_between_chains(&w, (seed * 2246822519u) >> (4 * step + 3));
    }
    kata_get(w.u, kata_all(w.g), out, NX * NY);
    kata_get(w.v, kata_all(w.g), out + NX * NY, NX * NY);
    int joints = joined(&w);
    assert_int_equal(kata_error(w.k), KATA_OK);
    kata_close(w.k);
    return joints;
}

static void random_chains_compute_what_they_say(void **state)
{
    (void)state;
    enum { CHAINS = 150, FEWEST = 20 };
    static double expected[2 * NX * NY], found[2 * NX * NY];
    int joints = 0;
    for (uint32_t seed = 1; seed <= CHAINS; seed++) {
        run_mixed("reference", seed, expected);
        joints += run_mixed("cpu", seed, found);
        if (memcmp(found, expected, sizeof found) != 0) fail_msg("seed %u differs", seed);
    }
    assert_true(joints >= FEWEST);
}

/* ---- chains that differ by their fields alone ------------------------------------------------ */

/* The second pair of loops reads `read`. The hash of the last loop, once temporaries are left out.
 */
static uint64_t hash_of_last(const world *w, kata_field *read, kata_field *other)
{
    struct exec_cpu cpu = {0};
    analysis_chain a = {0};
    chain own;
    kata_apply(find(w, "scale"), kata_needed(w->g), w->u, w->l, 0.125);
    kata_apply(find(w, "around"), kata_inner(w->g, 1), w->l, w->v);
    kata_apply(find(w, "scale"), kata_needed(w->g), read, w->l, 0.25);
    kata_apply(find(w, "around"), kata_inner(w->g, 2), w->l, other);
    kata_step(w->k);
    assert_true(analysis_chain_make(&w->k->chain, &a));
    assert_true(cpu_inline(&cpu, &w->k->chain, &a, &own));
    assert_int_equal(own.count, 2);
    uint64_t hash = own.loops[1].hash;
    analysis_chain_free(&a);
    joined_kernels_free(&cpu.joined);
    arena_free(&cpu.chain_memory);
    kata_flush(w->k);
    return hash;
}

/* Plans are remembered by the hashes of loops. */
static void chains_of_equal_kernels_and_other_fields_differ(void **state)
{
    (void)state;
    world w = begin("cpu", KATA_F64, KATA_NONE);
    kata_field *other = kata_field_like(w.u, "other");
    kata_flush(w.k);
    uint64_t first = hash_of_last(&w, w.u, other), second = hash_of_last(&w, w.v, other);
    assert_true(first != second);
    assert_true(first == hash_of_last(&w, w.u, other));
    assert_int_equal(kata_close(w.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_stages_become_one_loop),
        cmocka_unit_test(one_step_alone_becomes_one_loop),
        cmocka_unit_test(several_loops_compute_one_temporary),
        cmocka_unit_test(what_is_made_of_changed_values_stays),
        cmocka_unit_test(temporaries_stay_where_they_must),
        cmocka_unit_test(chains_of_equal_kernels_and_other_fields_differ),
        cmocka_unit_test(random_chains_compute_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
