/* Programs whose chains run in streams and on mapped files in turn: whatever ran before, fields
 * have the values that they have without a limit. Chains are short, and the same loops run again
 * and again: what one of them leaves around a field, the next may find. */
#include "files_world.h"

enum { MOST = 30, FIELDS = 4, LOOPS = 4, KERNELS = 5 };

static const char program[] =
    "kernel rise(in real u, out real v) forward(z)\n"
    "{\n"
    "    interval [0, 1) { v = 0.5*u[1,0,0] + 0.25*u[0,-1,0]; }\n"
    "    interval [1, nz) { v = 0.5*v[0,0,-1] + 0.25*u[-1,0,0] + 0.25*u[0,1,0]; }\n"
    "}\n"
    "kernel fall(in real u, inout real v) backward(z)\n"
    "{ v = 0.5*v[0,0,1] + 0.25*u[1,0,0]; }\n"
    "kernel star(in real u, out real v)\n"
    "{ v = 0.25*u + 0.125*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1]); }\n"
    "kernel mix(in real u, inout real v) { v = 0.5*u + 0.5*v; }\n"
    "kernel far(in real u, out real v) { v = 0.5*u[3,0,0] + 0.25*u[0,-2,0] + 0.25*u[0,0,2]; }\n";
static const char *const names[KERNELS] = {"rise", "fall", "star", "mix", "far"};

/* A loop of the body, and what follows it. */
typedef struct part {
    int kernel, from, to;
    bool flushes, swaps;
} part;

typedef struct shape {
    uint64_t seed;
    int64_t n[3], points, bytes;
    kata_type type[2];
    double outside[2]; /* before a round, and before the others */
    part body[LOOPS];
    int count, rounds, threads;
} shape;

static int from(uint64_t *x, int lo, int hi)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return lo + (int)((*x >> 20) % (uint64_t)(hi - lo + 1));
}

static shape shape_of(uint64_t seed)
{
    static const kata_type types[] = {KATA_F64, KATA_F16, KATA_F32, KATA_BF16};
    static const double values[] = {0.5, 0, 0.3, -0.7};
    uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
    shape s = {.seed = seed, .count = from(&x, 2, LOOPS), .rounds = from(&x, 3, 6)};
    s.threads = from(&x, 1, 3);
    for (int i = 0; i < 2; i++) {
        s.type[i] = types[from(&x, 0, 3)];
        s.outside[i] = values[from(&x, 0, 3)];
    }
    for (int i = 0; i < s.count; i++) {
        part *p = &s.body[i];
        *p = (part){.kernel = i ? from(&x, 0, KERNELS - 1) : 0, .from = from(&x, 0, FIELDS - 1)};
        p->to = (p->from + from(&x, 1, FIELDS - 1)) % FIELDS;
        p->flushes = from(&x, 0, 2) > 0;
        p->swaps = from(&x, 0, 5) == 0;
    }
    s.n[0] = from(&x, 5, 40);
    s.n[1] = from(&x, 5, 24);
    s.n[2] = from(&x, 20, 60);
    s.points = s.n[0] * s.n[1] * s.n[2];
    s.bytes = s.points * FIELDS * 4;
    return s;
}

/* ---- running ----------------------------------------------------------------------------------
 */

typedef struct live {
    world w;
    kata_grid *grid;
    kata_kernel *kernels[KERNELS];
    kata_field *fields[FIELDS];
} live;

/* Files have room for what kernels read that are found before. */
static void begin(live *l, const shape *s, double *values)
{
    static const char *const field_names[FIELDS] = {"a", "b", "c", "d"};
    kata_module *m = kata_module_from_text(l->w.k, "programs.kata", program);
    for (int i = 0; i < KERNELS; i++) l->kernels[i] = kata_kernel_find(m, names[i]);
    l->grid = kata_grid_3d(l->w.k, s->n[0], s->n[1], s->n[2]);
    for (int f = 0; f < FIELDS; f++) {
        l->fields[f] = kata_field_new(l->grid, field_names[f], s->type[f / 2],
                                      .boundary = KATA_CONSTANT, .boundary_value = s->outside[0]);
        for (int64_t i = 0; i < s->points; i++) values[i] = (double)((i + f) * 7919 % 1000) / 1000;
        kata_put(l->fields[f], kata_all(l->grid), values, s->points);
    }
}

static void run_round(live *l, const shape *s)
{
    for (int i = 0; i < s->count; i++) {
        const part *p = &s->body[i];
        const int other = p->to ^ 1; /* of the same type */
        kata_apply(l->kernels[p->kernel], kata_all(l->grid), l->fields[p->from], l->fields[p->to]);
        if (p->flushes) kata_flush(l->w.k);
        if (p->swaps) kata_swap(l->fields[p->to], l->fields[other]);
    }
}

/* Sets the values of all fields after a program; memory 0: without a limit. */
static void run(const shape *s, int64_t memory, double *values)
{
    live l = {0};
    open_limited(&l.w, memory, s->threads);
    begin(&l, s, values);
    for (int round = 0; round < s->rounds; round++) {
        run_round(&l, s);
        if (round % 2) kata_boundary_set(l.fields[0], KATA_X_HIGH, KATA_CONSTANT, s->outside[1]);
    }
    for (int f = 0; f < FIELDS; f++)
        kata_get(l.fields[f], kata_all(l.grid), values + f * s->points, s->points);
    if (!kata_ok(l.w.k)) fail_msg("program %llu: %s", (unsigned long long)s->seed, l.w.message);
    close_world(&l.w);
}

/* KATA_TEST_PROGRAMS for another number, KATA_TEST_SEED for another start. */
static void programs_have_the_same_values_with_a_limit(void **state)
{
    const char *number = getenv("KATA_TEST_PROGRAMS"), *start = getenv("KATA_TEST_SEED");
    const uint64_t count = number ? strtoull(number, NULL, 10) : MOST;
    const uint64_t first = start ? strtoull(start, NULL, 10) : 1;
    (void)state;
    for (uint64_t seed = first; seed < first + count; seed++) {
        const shape s = shape_of(seed);
        const size_t bytes = (size_t)s.points * FIELDS * sizeof(double);
        const int64_t limit = s.bytes * (int64_t)(seed % 8 + 1) / 8;
        double *one = malloc(bytes), *other = malloc(bytes);
        assert_true(one && other);
        run(&s, 0, one);
        run(&s, limit < 4096 ? 4096 : limit, other);
        if (memcmp(one, other, bytes) != 0)
            fail_msg("program %llu has other values with %lld bytes", (unsigned long long)seed,
                     (long long)limit);
        free(one);
        free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_have_the_same_values_with_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
