/* Loops that read far run on a device in tiles that groups of threads share, with the bits of the
 * executor "reference": random kernels on random boxes, in random tiles. On each kind of device
 * that this machine has. Where KATA_TEST_FULL is 1, many of them. */
/* Labels: hostile slow */
#include "api/api.h"
#include "device_kinds.h"
#include "exec/device_tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SIZE = 44, MOST = MOST_SIZE * 26 * 22, FEW = 16, MANY = 300, STEPS = 3 };

static const char *kind;   /* "cuda", "opencl" */
static uint64_t state_now; /* of the numbers that are drawn */

/* A number from low to high. */
static int draw(int low, int high)
{
    state_now = state_now * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (int)((state_now >> 33) % (uint64_t)(high - low + 1));
}

typedef struct program {
    char text[4000], shape[100];
    kata_type type;                   /* of the fields */
    int before[3], behind[3];         /* how far the kernel reads */
    int64_t size[3], low[3], high[3]; /* of the grid; the points of the range */
    kata_rule rule[3];
} program;

/* ---- programs -------------------------------------------------------------------------------- */

static void add_arm(text *t, int d, int offset)
{
    int at[3] = {0, 0, 0};
    at[d] = offset;
    text_add(t, " %c 0.0625f*u[%d,%d,%d]", draw(0, 2) ? '+' : '-', at[0], at[1], at[2]);
}

static void draw_kernel(program *p)
{
    static const kata_type types[] = {KATA_F64, KATA_F32, KATA_F16};
    text t = {0};
    p->type = types[draw(0, 2)];
    const char *type = p->type == KATA_F64 ? "double" : "float";
    text_add(
        &t,
        "kernel far(in %s u, in float c, out %s v, out float w, double a, int n)\n{ double s = a*u",
        type, type);
    for (int d = 0; d < 3; d++) {
        p->before[d] = draw(d ? 2 : 0, 4);
        p->behind[d] = draw(d && p->before[d] < 4 ? 6 - p->before[d] : d ? 2 : 0, 5);
        for (int k = 1; k <= p->before[d]; k++)
            if (k == p->before[d] || draw(0, 3)) add_arm(&t, d, -k);
        for (int k = 1; k <= p->behind[d]; k++)
            if (k == p->behind[d] || draw(0, 3)) add_arm(&t, d, k);
    }
    if (draw(0, 3) == 0)
        text_add(&t, " + 0.5f*u[%d,%d,0]", draw(-p->before[0], p->behind[0]),
                 draw(-p->before[1], p->behind[1]));
    if (draw(0, 1)) text_add(&t, " + 0.125f*c[%d,%d,%d]", draw(-1, 1), draw(-2, 2), draw(-1, 1));
    if (draw(0, 3) == 0) text_add(&t, " + 0.0625f*((ix + 2*iy + 3*iz + n) %% 7)");
    text_add(&t, ";\n  %sv = (%s)%s;\n  w = (float)(s - u); }\n",
             draw(0, 2) ? "" : "if (c > 0.5f) ", type, "s");
    snprintf(p->text, sizeof p->text, "%s", text_get(&t));
    text_free(&t);
}

/* Ranges of all points have rules; others end where reads stay inside. */
static void draw_range(program *p, int d)
{
    static const kata_rule rules[] = {KATA_PERIODIC, KATA_CONSTANT, KATA_CLAMP, KATA_NONE};
    static const int most[] = {MOST_SIZE, 26, 22};
    const int reach = p->before[d] + p->behind[d];
    p->size[d] = draw(0, 4) ? draw(reach + 1, most[d]) : draw(reach + 1, reach + 3);
    if (d == 0 && draw(0, 1)) p->size[d] = (p->size[d] + 3) / 4 * 4;
    p->rule[d] = rules[draw(0, 3)];
    const bool inside = p->rule[d] == KATA_NONE;
    p->low[d] = inside ? p->before[d] : 0;
    p->high[d] = p->size[d] - (inside ? p->behind[d] : 0);
    if (p->high[d] - p->low[d] > 2 && !draw(0, 2)) {
        p->low[d] += draw(0, (int)(p->high[d] - p->low[d]) / 2);
        p->high[d] -= draw(0, (int)(p->high[d] - p->low[d]) / 2);
    }
}

static void draw_program(program *p, uint64_t seed)
{
    static const int vectors[] = {1, 2, 4};
    memset(p, 0, sizeof *p);
    state_now = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    draw_kernel(p);
    for (int d = 0; d < 3; d++) draw_range(p, d);
    snprintf(p->shape, sizeof p->shape, "x=%d y=%d vector=%d rows=%d chunk=%d", 4 * draw(1, 5),
             draw(1, 6), vectors[draw(0, 2)], draw(1, 3), draw(1, 24));
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct outcome {
    double values[3 * MOST];
    bool tiled;
} outcome;

static outcome expected, found;

static kata_field *field_of(const program *p, kata_grid *g, const char *name, kata_type type)
{
    static double values[MOST];
    const int64_t count = p->size[0] * p->size[1] * p->size[2];
    kata_field *f = kata_field_new(g, name, type, .boundary = KATA_CLAMP);
    for (int d = 0; d < 3 && name[0] != 'c'; d++)
        for (int side = 0; side < 2; side++)
            kata_boundary_set(f, (kata_side)(2 * d + side), p->rule[d], 2.0 * d + side);
    for (int64_t i = 0; i < count; i++) values[i] = (double)((i + name[0]) * 7919 % 1009) / 1009;
    kata_put(f, kata_all(g), values, count);
    return f;
}

/* Whether loops of the kernel have run in tiles. */
static bool is_tiled(const struct exec_device *d)
{
    for (const struct device_tune *t = d->tunes; t; t = t->next)
        if (t->ways[t->best].shape.tall) return true;
    return false;
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
    kata_kernel *kernel = kata_kernel_find(kata_module_from_text(k, "far.kata", p->text), "far");
    kata_field *f[3] = {field_of(p, g, "u", p->type), field_of(p, g, "v", p->type),
                        field_of(p, g, "w", KATA_F32)};
    kata_field *c = field_of(p, g, "c", KATA_F32);
    for (int i = 0; i < STEPS; i++) {
        kata_apply(
            kernel,
            kata_box_3d(g, p->low[0], p->high[0], p->low[1], p->high[1], p->low[2], p->high[2]),
            f[0], c, f[1], f[2], 0.5 + 0.125 * i, i);
        kata_swap(f[0], f[1]);
    }
    for (int i = 0; i < 3; i++) kata_get(f[i], kata_all(g), o->values + i * MOST, count);
    if (!kata_ok(k)) fail_msg("%s\n%s", p->text, kata_error_message(k));
    o->tiled = device && is_tiled(k->exec.device);
    kata_close(k);
}

/* Which NaN a NaN is, is not defined. */
static bool are_equal(const outcome *a, const outcome *b)
{
    bool equal = true;
    for (int i = 0; i < 3 * MOST; i++) {
        const double x = a->values[i], y = b->values[i];
        equal = equal && (!memcmp(&x, &y, sizeof x) || (x != x && y != y));
    }
    return equal;
}

static void random_loops_give_the_same(void **state)
{
    (void)state;
    const char *full = environment_get("KATA_TEST_FULL");
    const bool all = full && full[0] == '1';
    const bool slow = strcmp(kind, "cuda") != 0; /* PoCL compiles a tile for seconds */
    const int programs = all ? (slow ? FEW : MANY) : slow ? 2 : FEW;
    int tiled = 0;
    for (int i = 0; i < programs; i++) {
        program p;
        draw_program(&p, (uint64_t)i);
        memset(&expected, 0, sizeof expected);
        memset(&found, 0, sizeof found);
        run(&p, NULL, &expected);
        setenv("KATA_DEVICE_SHAPE", p.shape, 1);
        run(&p, kind, &found);
        unsetenv("KATA_DEVICE_SHAPE");
        tiled += found.tiled;
        if (!are_equal(&found, &expected))
            fail_msg("program %d, '%s', of %lld x %lld x %lld points:\n%s", i, p.shape,
                     (long long)p.size[0], (long long)p.size[1], (long long)p.size[2], p.text);
    }
    print_message("%d of %d programs in tiles\n", tiled, programs);
    assert_true(2 * tiled > programs);
}

static int test_kind(const char *name)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_loops_give_the_same)};
    return DEVICE_RUN_TESTS(name, kind, tests);
}

int main(void)
{
    device_use_shim();
    const int failed = test_kind("cuda");
    return failed + test_kind("opencl");
}
