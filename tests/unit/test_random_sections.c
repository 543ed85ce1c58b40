/* Random chains of loops that take turns run at once on a device, in random tiles, with the bits of
 * the executor "reference". On each kind of device that this machine has. Where KATA_TEST_FULL is
 * 1, many of them. */
/* Labels: hostile slow */
#include "api/api.h"
#include "device_kinds.h"
#include "exec/on_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SIZE = 40, MOST = MOST_SIZE * 20 * 16, FEW = 14, MANY = 300, MOST_STEPS = 12 };

static const char *kind;   /* "cuda", "opencl" */
static uint64_t state_now; /* of the numbers that are drawn */

/* A number from low to high. */
static int draw(int low, int high)
{
    state_now = state_now * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (int)((state_now >> 33) % (uint64_t)(high - low + 1));
}

typedef struct program {
    char text[2000], shape[100];
    kata_type type;                   /* of the fields that take turns */
    int reach[3];                     /* of the kernel */
    int64_t size[3], low[3], high[3]; /* of the grid; the points of the range */
    kata_rule rule[6];                /* of its sides */
    int steps;                        /* of the chain */
    bool narrow;                      /* a loop runs on fewer points than the others */
} program;

/* ---- programs -------------------------------------------------------------------------------- */

static void draw_kernel(program *p)
{
    static const kata_type types[] = {KATA_F64, KATA_F32, KATA_F16};
    static const char *const signs[] = {" + ", " - ", " * "};
    text t = {0};
    p->type = types[draw(0, 2)];
    const char *type = p->type == KATA_F64 ? "double" : "float";
    for (int d = 0; d < 3; d++) p->reach[d] = draw(0, 9) ? draw(0, 1) : 2;
    text_add(&t, "kernel turn(in %s u, in float c, out %s v, double a, int n)\n{ v = (%s)a*u", type,
             type, type);
    for (int i = draw(1, 6); i > 0; i--) {
        text_add(&t, "%s0.25f*u[%d", i == 1 ? " - " : signs[draw(0, 2)],
                 draw(-p->reach[0], p->reach[0]));
        text_add(&t, ",%d,%d]", draw(-p->reach[1], p->reach[1]), draw(-p->reach[2], p->reach[2]));
    }
    if (draw(0, 2) == 0)
        text_add(&t, " + 0.125f*c[%d,%d,%d]", draw(-1, 1), draw(-1, 1), draw(-1, 1));
    if (draw(0, 3) == 0) text_add(&t, " + 0.0625f*((ix + 2*iy + 3*iz + n) %% 7)");
    if (draw(0, 3) == 0) text_add(&t, " + (u > 0.5f ? u : c)");
    text_add(&t, "; }\n");
    snprintf(p->text, sizeof p->text, "%s", text_get(&t));
    text_free(&t);
}

/* The points beyond a side that a range keeps away from: where there is no rule, all that is read.
 */
static int64_t draw_away(const program *p, int d, int high)
{
    const int least = p->rule[2 * d + high] == KATA_NONE ? p->reach[d] : 0;
    const int64_t room = p->size[d] - p->reach[d] - least - 1;
    return least + (draw(0, 3) || room < 2 ? 0 : draw(0, (int)room / 2));
}

/* Ranges end where reads stay inside, or at sides with rules. */
static void draw_range(program *p, int d)
{
    static const kata_rule rules[] = {KATA_CONSTANT, KATA_NONE, KATA_CLAMP, KATA_REFLECT_FACE,
                                      KATA_REFLECT_NODE};
    static const int most[] = {MOST_SIZE, 20, 16};
    const bool periodic = draw(0, 3) == 0;
    bool open = false;
    for (int i = 2 * d; i < 2 * d + 2; i++) {
        p->rule[i] = periodic ? KATA_PERIODIC : rules[draw(0, 4)];
        open = open || p->rule[i] == KATA_NONE;
    }
    const int least = open ? 2 * p->reach[d] + 1 : p->reach[d] + 1;
    p->size[d] = draw(0, 4) ? draw(11, most[d]) : draw(least, 11);
    p->low[d] = periodic ? 0 : draw_away(p, d, 0);
    p->high[d] = p->size[d] - (periodic ? 0 : draw_away(p, d, 1));
}

static void draw_program(program *p, uint64_t seed)
{
    static const int vectors[] = {1, 2, 4};
    *p = (program){.steps = 0};
    state_now = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    draw_kernel(p);
    for (int d = 0; d < 3; d++) draw_range(p, d);
    p->steps = draw(4, MOST_STEPS);
    p->narrow = draw(0, 3) == 0;
    const int vector = vectors[draw(0, 2)], rows = draw(1, 4), at_once = draw(0, 3) ? 3 : 5;
    const int least[2] = {2 * at_once * p->reach[0] + 2 * vector, 2 * at_once * p->reach[1]};
    snprintf(p->shape, sizeof p->shape, "steps=%d x=%d y=%d vector=%d rows=%d chunk=%d%s", at_once,
             least[0] / vector + draw(1, 8), least[1] / rows + draw(1, 6), vector, rows,
             draw(1, 17), draw(0, 1) ? " fetch=1" : "");
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct outcome {
    double values[2 * MOST];
    int64_t at_once;
} outcome;

static outcome expected, found;

static kata_field *field_of(const program *p, kata_grid *g, const char *name, kata_type type)
{
    static double values[MOST];
    const int64_t count = p->size[0] * p->size[1] * p->size[2];
    const bool turns = strcmp(name, "c") != 0;
    kata_field *f = kata_field_new(g, name, type, .boundary = KATA_CLAMP);
    for (int d = 0; d < 3 && turns; d++)
        for (int side = 0; side < 2; side++)
            kata_boundary_set(f, (kata_side)(2 * d + side), p->rule[2 * d + side], 0.5 * d - side);
    for (int64_t i = 0; i < count; i++) values[i] = (double)((i + name[0]) * 7919 % 1009) / 1009;
    kata_put(f, kata_all(g), values, count);
    return f;
}

static void run(const program *p, const char *device, outcome *o)
{
    const int64_t count = p->size[0] * p->size[1] * p->size[2];
    kata *k = kata_open(&(kata_options){.executor = device ? "cpu" : "reference",
                                        .device = device ? device : "none",
                                        .no_warnings = true,
                                        .wait = true});
    assert_non_null(k);
    kata_grid *g = kata_grid_3d(k, p->size[0], p->size[1], p->size[2]);
    kata_kernel *kernel = kata_kernel_find(kata_module_from_text(k, "turn.kata", p->text), "turn");
    kata_field *u = field_of(p, g, "u", p->type), *v = field_of(p, g, "v", p->type);
    kata_field *c = field_of(p, g, "c", KATA_F32);
    for (int i = 0; i < p->steps; i++) {
        const int64_t less = p->narrow && i == p->steps / 2 && p->high[2] - p->low[2] > 1;
        kata_apply(kernel,
                   kata_box_3d(g, p->low[0], p->high[0], p->low[1], p->high[1], p->low[2],
                               p->high[2] - less),
                   u, c, v, 0.5 + 0.125 * (i % 3), i);
        kata_swap(u, v);
    }
    kata_get(u, kata_all(g), o->values, count);
    kata_get(v, kata_all(g), o->values + MOST, count);
    if (!kata_ok(k)) fail_msg("%s\n%s", p->text, kata_error_message(k));
    o->at_once = device ? k->exec.device->at_once : 0;
    kata_close(k);
}

/* Which NaN a NaN is, is not defined. */
static bool are_equal(const outcome *a, const outcome *b)
{
    bool equal = true;
    for (int i = 0; i < 2 * MOST; i++) {
        const double x = a->values[i], y = b->values[i];
        equal = equal && (!memcmp(&x, &y, sizeof x) || (x != x && y != y));
    }
    return equal;
}

static void random_chains_give_the_same(void **state)
{
    (void)state;
    const char *full = environment_get("KATA_TEST_FULL");
    const bool all = full && full[0] == '1';
    const bool slow = strcmp(kind, "cuda") != 0; /* PoCL compiles a section for ten seconds */
    const int first = slow && !all ? 3 : 0, programs = all ? MANY : slow ? 1 : FEW;
    int64_t at_once = 0;
    for (int i = first; i < first + programs; i++) {
        program p;
        draw_program(&p, (uint64_t)i);
        memset(&expected, 0, sizeof expected);
        memset(&found, 0, sizeof found);
        run(&p, NULL, &expected);
        setenv("KATA_DEVICE_SHAPE", p.shape, 1);
        run(&p, kind, &found);
        unsetenv("KATA_DEVICE_SHAPE");
        at_once += found.at_once;
        if (!are_equal(&found, &expected))
            fail_msg("program %d, '%s', %d steps, of %lld x %lld x %lld points:\n%s", i, p.shape,
                     p.steps, (long long)p.size[0], (long long)p.size[1], (long long)p.size[2],
                     p.text);
    }
    print_message("%lld loops at once in %d programs\n", (long long)at_once, programs);
    assert_true(at_once > 2 * programs);
}

static int test_kind(const char *name)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_chains_give_the_same)};
    return DEVICE_RUN_TESTS(name, kind, tests);
}

int main(void)
{
    device_use_shim();
    int failed = test_kind("cuda");
    return failed + HOSTILE(test_kind("opencl"), 0); /* PoCL compiles sections slowly */
}
