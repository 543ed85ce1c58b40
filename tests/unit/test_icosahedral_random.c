/* Random kernels on cells, edges and vertices, in random steps: each executor, plan and number of
 * threads gives the bits of the reference executor. */
/* Labels: hostile threads slow */
#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LOCATIONS = 3, COPIES = 2, KERNELS = 2, STEPS = 8, ROOM = 1 << 14, LARGEST = 1 << 14 };

static uint64_t state;

/* From low to high. */
static int from(int low, int high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (int)((state >> 33) % (uint64_t)(high - low + 1));
}

static bool chance(int percent) { return from(1, 100) <= percent; }

static const char *one(int l) { return ir_location_name(KATA_CELLS + l, false); }
static const char *many(int l) { return ir_location_name(KATA_CELLS + l, true); }

/* ---- kernels --------------------------------------------------------------------------------- */

/* Parameters: f, on each location; w, for each of its neighbours; q, of two components; p, a
 * profile; g, on the surface; and out, and a sum. */
typedef struct kernel_text {
    int on, each, order; /* each: the relation of w; order: +1, -1 or 0 along z */
    char text[ROOM];
    size_t length;
} kernel_text;

static void add(kernel_text *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(kernel_text *k, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    k->length += (size_t)vsnprintf(k->text + k->length, ROOM - k->length, format, list);
    va_end(list);
    assert_true(k->length < ROOM);
}

static const char *level(void)
{
    static const char *const levels[] = {"", "", "[0,0,1]", "[0,0,-1]", "[0,0,2]"};
    return levels[from(0, 4)];
}

/* A value at a neighbour n of location l. */
static void add_value(kernel_text *k, int of, int l, const char *n, bool direct)
{
    bool same = l == k->on, oriented = (of == 1) != (l == 1);
    switch (from(0, 5)) {
    case 0: add(k, "q%d[%d][%s]%s", l, from(0, 1), n, level()); break;
    case 1: add(k, "g%d[%s]", l, n); break;
    case 2:
        if (of == k->on && l == k->each)
            add(k, "w[%s]%s", n, level());
        else
            add(k, "mean(f%d)", k->on);
        break;
    case 3:
        if (k->order && same)
            add(k, "(iz > 0 && iz + 1 < nz ? made[%s][0,0,%d] : 0.5)", n, -k->order);
        else
            add(k, "f%d[%s]", l, n);
        break;
    case 4:
        if (oriented && direct)
            add(k, "orientation(%s)*f%d[%s]", n, l, n);
        else
            add(k, "max(f%d[%s], 0.25)", l, n);
        break;
    default: add(k, "f%d[%s]%s", l, n, level());
    }
}

static void add_loop(kernel_text *k, int depth, int of, const char *n)
{
    int l = from(0, 2);
    const char *names[] = {"a", "b"};
    char in[8] = "";
    if (n) snprintf(in, sizeof in, "[%s]", n);
    add(k, "    for (int k%d, %s : %s%s) {\n", depth, names[depth], many(l), in);
    if (depth == 0 && chance(40)) add_loop(k, 1, l, names[0]);
    add(k, "        s = s*0.75 + 0.125*(k%d + 1)*", depth);
    add_value(k, of, l, names[depth], true);
    add(k, ";\n    }\n");
}

static void add_own(kernel_text *k)
{
    switch (from(0, 4)) {
    case 0: add(k, "    s += 0.01*ix - 0.02*iy*(ic + 1) + p[0,0,1];\n"); break;
    case 1: add(k, "    if (f%d < -0.9) return;\n", k->on); break;
    case 2: add(k, "    s -= f%d%s*p;\n", k->on, level()); break;
    case 3: add(k, "    s += random(%d) - 0.5;\n", from(1, 9)); break;
    default: add(k, "    s = s > 4 ? 4 : g%d - s;\n", k->on);
    }
}

static void make_kernel(kernel_text *k, int number)
{
    static const char *const orders[] = {"backward(z)", "", "forward(z)"};
    k->length = 0;
    k->on = from(0, 2);
    k->each = from(0, 2);
    k->order = chance(30) ? 2 * from(0, 1) - 1 : 0;
    add(k, "static double mean(in double f on %s) on %s\n{\n    double s = 0;\n", one(k->on),
        one(k->on));
    add(k, "    for (n : %s) s += f[n];\n    return s/8;\n}\n", many(k->on));
    add(k, "kernel k%d(", number);
    for (int l = 0; l < LOCATIONS; l++)
        add(k, "in double f%d on %s, in double q%d[2] on %s, in double g%d on %s along xy, ", l,
            one(l), l, one(l), l, one(l));
    add(k, "in double w on %s : %s, in double p along z, ", one(k->on), many(k->each));
    add(k, "inout double made on %s, sum double total, max double most) on %s %s\n{\n", one(k->on),
        one(k->on), orders[k->order + 1]);
    add(k, "    double s = 0.5*made;\n");
    for (int i = from(1, 3); i > 0; i--) {
        add_loop(k, 0, k->on, NULL);
        if (chance(50)) add_own(k);
    }
    add(k, "    made = s;\n    total += s;\n    most = max(most, s);\n}\n");
}

/* ---- programs -------------------------------------------------------------------------------- */

typedef struct step {
    int kernel, copy; /* which of the fields is written */
    bool swapped, inner;
} step;

typedef struct program {
    int64_t size[3];
    kata_rule rule[2]; /* along x and y, and along z */
    kernel_text kernels[KERNELS];
    step steps[STEPS];
} program;

static void make_program(program *p)
{
    static const kata_rule rules[] = {KATA_PERIODIC, KATA_PERIODIC, KATA_CLAMP, KATA_CONSTANT};
    for (int d = 0; d < 3; d++) p->size[d] = from(1, d < 2 ? 12 : 5);
    p->rule[0] = rules[from(0, 3)];
    p->rule[1] = rules[from(1, 3)];
    for (int i = 0; i < KERNELS; i++) make_kernel(&p->kernels[i], i);
    for (int i = 0; i < STEPS; i++)
        p->steps[i] = (step){from(0, KERNELS - 1), from(0, COPIES - 1), chance(40), chance(20)};
}

typedef struct run {
    kata *k;
    kata_grid *grid;
    kata_kernel *kernels[KERNELS];
    kata_field *f[LOCATIONS][COPIES + 1], *q[LOCATIONS], *g[LOCATIONS];
    kata_field *w[LOCATIONS][LOCATIONS], *profile;
    kata_scalar *total, *most;
} run;

/* Deterministic values between -1 and 1. */
static void put_values(const run *r, kata_field *f, kata_field_options like, int seed)
{
    static double values[LARGEST];
    kata_range all = kata_on(f);
    int64_t count = ir_values_on(like.on, like.each) * (like.components ? like.components : 1);
    for (int d = 0; d < 3; d++) count *= all.hi[d];
    (void)r;
    assert_true(count <= LARGEST);
    for (int64_t i = 0; i < count; i++)
        values[i] = (double)((i * 7919 + seed * 104729) % 2003) / 1001 - 1;
    kata_put(f, all, values, count);
}

static kata_field *field(const run *r, const program *p, const char *name, kata_field_options like,
                         int seed)
{
    like.size = sizeof like;
    kata_field *f = kata_field_new_with(r->grid, name, &like);
    for (int side = 0; f && side < 6; side++)
        if (!like.along || like.along >> side / 2 & 1)
            kata_boundary_set(f, (kata_side)side, p->rule[side / 4], 0.75);
    put_values(r, f, like, seed);
    return f;
}

static void make_fields(run *r, const program *p)
{
    static const char *const letters[] = {"c", "e", "v"};
    for (int l = 0; l < LOCATIONS; l++) {
        kata_location on = KATA_CELLS + l;
        char name[16];
        for (int i = 0; i <= COPIES; i++) {
            snprintf(name, sizeof name, "%s%d", letters[l], i);
            r->f[l][i] = field(r, p, name, (kata_field_options){.on = on}, 10 * l + i);
        }
        r->q[l] = field(r, p, "q", (kata_field_options){.on = on, .components = 2}, 40 + l);
        r->g[l] = field(r, p, "g", (kata_field_options){.on = on, .along = KATA_X | KATA_Y}, 50);
        for (int m = 0; m < LOCATIONS; m++)
            r->w[l][m] =
                field(r, p, "w", (kata_field_options){.on = on, .each = KATA_CELLS + m}, 60 + m);
    }
    r->profile = field(r, p, "p", (kata_field_options){.along = KATA_Z}, 90);
    r->total = kata_scalar_new(r->k, "total", KATA_F64);
    r->most = kata_scalar_new(r->k, "most", KATA_F64);
}

static void run_step(run *r, const program *p, const step *s)
{
    int on = p->kernels[s->kernel].on;
    kata_range range = s->inner ? kata_inner(r->grid, 1) : kata_all(r->grid);
    kata_arg args[16];
    int n = 0;
    for (int l = 0; l < LOCATIONS; l++) {
        args[n++] = kata_arg_field(r->f[l][COPIES], 0);
        args[n++] = kata_arg_field(r->q[l], 0);
        args[n++] = kata_arg_field(r->g[l], 0);
    }
    args[n++] = kata_arg_field(r->w[on][p->kernels[s->kernel].each], 0);
    args[n++] = kata_arg_field(r->profile, 0);
    args[n++] = kata_arg_field(r->f[on][s->copy], 0);
    args[n++] = kata_arg_scalar(r->total, 0);
    args[n++] = kata_arg_scalar(r->most, 0);
    kata_apply_args(r->kernels[s->kernel], &range, n, args);
    if (s->swapped) kata_swap(r->f[on][s->copy], r->f[on][COPIES]);
    kata_step(r->k);
}

/* Runs a program and gives a hash of all results. */
static uint64_t result_of(const program *p, const kata_options *options)
{
    static double values[LARGEST];
    run r = {.k = kata_open(options)};
    r.grid = kata_grid_icosahedral(r.k, p->size[0], p->size[1], p->size[2]);
    for (int i = 0; i < KERNELS; i++)
        r.kernels[i] =
            kata_module_kernel(kata_module_from_text(r.k, "k.kata", p->kernels[i].text), 0);
    make_fields(&r, p);
    for (int i = 0; i < STEPS; i++) run_step(&r, p, &p->steps[i]);
    uint64_t hash = 0;
    for (int l = 0; l < LOCATIONS; l++)
        for (int i = 0; i <= COPIES; i++) {
            int64_t count = ir_colors(KATA_CELLS + l) * p->size[0] * p->size[1] * p->size[2];
            kata_get(r.f[l][i], kata_all(r.grid), values, count);
            hash = hash_bytes(values, (size_t)count * sizeof *values, hash);
        }
    kata_scalar_get(r.total, &values[0]);
    kata_scalar_get(r.most, &values[1]);
    hash = hash_bytes(values, 2 * sizeof *values, hash);
    assert_int_equal(kata_close(r.k), KATA_OK);
    return hash;
}

static void check_program(uint64_t seed)
{
    static const char *const plans[] = {NULL, "skewed z=2 y=3", "tiled cache=20000",
                                        "overlapped z=2 y=3", "blocked parts.y=2"};
    static program p;
    state = seed;
    make_program(&p);
    uint64_t expected =
        result_of(&p, &(kata_options){.executor = "reference", .no_warnings = true});
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        kata_options options = {.threads = 1 + (int)(i % 3), .plan = plans[i], .no_warnings = true};
        uint64_t got = result_of(&p, &options);
        if (got == expected) continue;
        print_message("seed %llu, plan %s\n", (unsigned long long)seed, plans[i]);
        for (int k = 0; k < KERNELS; k++) print_message("%s\n", p.kernels[k].text);
        assert_int_equal(got, expected);
    }
}

static void random_programs_have_the_same_bits(void **unused)
{
    (void)unused;
    const char *full = getenv("KATA_TEST_FULL");
    uint64_t count = full && *full == '1' ? 200 : 2;
    for (uint64_t seed = 1; seed <= count; seed++) check_program(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
