/* One buffer instead of two: fields that live only while a chain runs have planes alone, and all
 * others stay in memory. Nothing goes to a disk then; values are those without a limit, for any
 * number of steps, threads, and planes. Other chains get files, and the fields that were kept. */
/* Labels: slow */
#include "files_world.h"

#include "api/api.h"
#include "exec/on_files.h"

#include <math.h>
#include <sys/resource.h>

enum { MOST = 20 };

static const char program[] =
    "kernel start(out double u) { u = 0.5*ix + iy*iz % 13; }\n"
    "kernel heat(in double u, out double v)\n"
    "{ v = u + 0.1*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1] - 6*u); }\n"
    "kernel far(in double u, out double v)\n"
    "{ v = 0.5*u + 0.125*(u[0,0,2] + u[0,0,-2] + u[0,1,1] + u[1,0,-1]); }\n"
    "kernel turn(in double old, in double u, out double v) { v = 2*u - old + 0.1*u[0,0,1]; }\n"
    "kernel flux(in double u, out double f) { f = u[0,0,1] - u[0,0,-1] + u[1,0,0]; }\n"
    "kernel add(in double u, in double f, out double v) { v = u + 0.05*(f[0,0,1] - f); }\n"
    "kernel change(in double u, in double v, max double most) { most = max(most, fabs(u - v)); }\n";

/* What a program does in a step. */
typedef enum kind { HEAT, FAR, TURN, FLUX, CHANGE, KINDS } kind;

typedef struct shape {
    kind kind;
    int threads, chains, steps, more; /* steps of a chain, and so many more of each later one */
    int64_t n[3];
    kata_rule rule;
    bool discards;
} shape;

typedef struct made {
    double *values, most;
    size_t moved, count;
    int64_t beside;
} made;

typedef struct fields {
    kata_grid *grid;
    kata_field *u, *v, *w;
    kata_scalar *most;
    kata_module *m;
} fields;

static const kata_kernel *kernel(const fields *f, const char *name)
{
    kata_kernel *k = kata_kernel_find(f->m, name);
    assert_non_null(k);
    return k;
}

static void step(const fields *f, const shape *s)
{
    const kata_range all = kata_all(f->grid);
    switch (s->kind) {
    case TURN:
        kata_apply(kernel(f, "turn"), all, f->w, f->u, f->v);
        if (s->discards) kata_discard(f->w);
        kata_rotate(f->w, f->u, f->v);
        return;
    case FLUX:
        kata_apply(kernel(f, "flux"), all, f->u, f->w);
        kata_apply(kernel(f, "add"), all, f->u, f->w, f->v);
        if (s->discards) kata_discard(f->w);
        break;
    case FAR: kata_apply(kernel(f, "far"), all, f->u, f->v); break;
    default: kata_apply(kernel(f, "heat"), all, f->u, f->v);
    }
    if (s->kind == CHANGE) kata_apply(kernel(f, "change"), all, f->u, f->v, f->most);
    if (s->discards) kata_discard(f->u);
    kata_swap(f->u, f->v);
}

static void put(const fields *f, kata_field *field, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) values[i] = (double)(i * 7919 % 1000) / 1000;
    assert_int_equal(kata_put(field, kata_all(f->grid), values, (int64_t)count), KATA_OK);
}

static made run(const shape *s, int64_t memory)
{
    world w;
    made out = {.count = (size_t)(s->n[0] * s->n[1] * s->n[2])};
    out.values = malloc(out.count * sizeof *out.values);
    assert_non_null(out.values);
    open_limited(&w, memory, s->threads);
    fields f = {.grid = kata_grid_3d(w.k, s->n[0], s->n[1], s->n[2])};
    f.u = kata_field_new(f.grid, "u", KATA_F64, .boundary = s->rule);
    f.v = kata_field_like(f.u, "v");
    f.w = s->kind == TURN || s->kind == FLUX ? kata_field_like(f.u, "w") : NULL;
    f.most = kata_scalar_new(w.k, "most", KATA_F64);
    f.m = kata_module_from_text(w.k, "beside.kata", program);
    if (!f.m) fail_msg("%s", w.message);
    put(&f, f.u, out.values, out.count);
    if (s->kind == TURN) put(&f, f.w, out.values, out.count);
    for (int c = 0; c < s->chains; c++) {
        for (int i = 0; i < s->steps + c * s->more; i++) step(&f, s);
        assert_int_equal(kata_flush(w.k), KATA_OK);
    }
    const struct exec_files *files = w.k->exec.files;
    if (memory && files->port) out.moved = port_moved(files->port, false);
    if (memory && files->port) out.moved += port_moved(files->port, true);
    if (memory) out.beside = files->beside;
    assert_int_equal(kata_get(f.u, kata_all(f.grid), out.values, (int64_t)out.count), KATA_OK);
    if (s->kind == CHANGE) assert_int_equal(kata_scalar_get(f.most, &out.most), KATA_OK);
    close_world(&w);
    return out;
}

/* Compares a run with one whose limit is so many times the memory of a field, with what lies around
 * its values. */
static made compare(const shape *s, double fields)
{
    const double bytes = (double)((s->n[0] + 20) * (s->n[1] + 2) * (s->n[2] + 2) * 8);
    made one = run(s, 0), other = run(s, (int64_t)fmax(fields * bytes, 4096));
    if (memcmp(one.values, other.values, one.count * sizeof(double)) != 0 || one.most != other.most)
        fail_msg(
            "kind %d, %lld x %lld x %lld, %d chains of %d + %d steps, %d threads: other values",
            s->kind, (long long)s->n[0], (long long)s->n[1], (long long)s->n[2], s->chains,
            s->steps, s->more, s->threads);
    free(one.values);
    free(other.values);
    return other;
}

/* For the fields with homes, and planes of the others. */
static const double enough[KINDS] = {
    [HEAT] = 1.55, [FAR] = 1.6, [TURN] = 2.5, [FLUX] = 1.9, [CHANGE] = 1.6};

/* ---- what is in memory ----------------------------------------------------------------------- */

static void one_field_is_enough_for_even_and_odd_chains(void **state)
{
    (void)state;
    for (int steps = 2; steps < 8; steps += 3)
        for (kind k = HEAT; k < KINDS; k++) {
            const shape s = {.kind = k,
                             .threads = 2,
                             .chains = 3,
                             .steps = steps + (k == TURN), /* three fields take turns */
                             .more = 1,
                             .n = {248, 40, 128},
                             .rule = KATA_CLAMP,
                             .discards = true};
            const made m = compare(&s, enough[k]);
            if (m.beside != s.chains || m.moved)
                fail_msg("kind %d, %d steps: %lld chains beside, %zu bytes moved", k, steps,
                         (long long)m.beside, m.moved);
        }
}

/* Where the program may read the old values afterwards, they go to a file. */
static void values_that_may_be_read_have_homes(void **state)
{
    (void)state;
    const shape s = {.threads = 2,
                     .chains = 3,
                     .steps = 6,
                     .n = {248, 40, 128},
                     .rule = KATA_CLAMP,
                     .discards = false};
    const made m = compare(&s, enough[HEAT]);
    assert_int_equal(m.beside, 0);
    assert_true(m.moved > 0);
}

/* Chains of one step have no third field: the next value lies in a file. */
static void single_steps_use_files(void **state)
{
    (void)state;
    const shape s = {.threads = 1,
                     .chains = 5,
                     .steps = 1,
                     .n = {248, 40, 128},
                     .rule = KATA_CLAMP,
                     .discards = true};
    assert_int_equal(compare(&s, enough[HEAT]).beside, 0);
}

/* Rings are files to the system, whose size may be limited: planes beyond the field count, too. */
static void run_in_small_files(int rows, int64_t memory, double *values, int64_t count)
{
    world w;
    open_limited(&w, memory, 0);
    kata_module *m = kata_module_from_text(w.k, "beside.kata", program);
    if (!m) fail_msg("%s", w.message);
    const kata_kernel *start = kata_kernel_find(m, "start"), *heat = kata_kernel_find(m, "heat");
    kata_grid *g = kata_grid_3d(w.k, 96, rows, 96);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    kata_apply(start, kata_all(g), u);
    for (int i = 0; i < 24; i++) {
        kata_apply(heat, kata_all(g), u, v);
        kata_discard(u);
        kata_swap(u, v);
    }
    if (kata_flush(w.k)) fail_msg("%d rows: %s", rows, w.message);
    if (memory) assert_int_equal(w.k->exec.files->beside, 1);
    assert_int_equal(kata_get(u, kata_all(g), values, count), KATA_OK);
    close_world(&w);
}

static void rings_keep_to_the_size_of_files(void **state)
{
    enum { MOST_ROWS = 100, MOST_COUNT = 96 * 96 * MOST_ROWS };
    struct rlimit before, few;
    double *one = malloc(MOST_COUNT * sizeof *one), *other = malloc(MOST_COUNT * sizeof *other);
    (void)state;
    assert_true(one && other);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    few = (struct rlimit){.rlim_cur = 3 << 20, .rlim_max = before.rlim_max};
    for (int rows = 76; rows <= MOST_ROWS; rows += 4) {
        const int64_t count = INT64_C(96) * 96 * rows;
        run_in_small_files(rows, 0, one, count);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
        run_in_small_files(rows, count * 14, other, count);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_memory_equal(one, other, (size_t)count * sizeof *one);
    }
    free(one);
    free(other);
}

/* ---- constants around fields in files ----------------------------------------------------------
 */

static const char sweeps[] = "kernel rise(in double u, out double w) forward(z)\n"
                             "{\n"
                             "    interval [0, 1) { w = u[1,0,0] + u[0,-1,0]; }\n"
                             "    interval [1, nz) { w = 0.5*w[0,0,-1] + u[-1,0,0] + u[0,1,0]; }\n"
                             "}\n"
                             "kernel mix(in double w, in double v, out double u) { u = w + v; }\n";

/* Values after sweeps on mapped files, between which planes of u go out: they take what lies around
 * them along. */
static void run_sweeps(int64_t memory, double *values, int64_t count)
{
    world w;
    open_limited(&w, memory, 0);
    kata_module *m = kata_module_from_text(w.k, "sweeps.kata", sweeps);
    if (!m) fail_msg("%s", w.message);
    kata_kernel *rise = kata_kernel_find(m, "rise"), *mix = kata_kernel_find(m, "mix");
    kata_grid *g = kata_grid_3d(w.k, 40, 20, 30);
    kata_field *u =
        kata_field_new(g, "u", KATA_F64, .boundary = KATA_CONSTANT, .boundary_value = 0.5);
    kata_field *v = kata_field_like(u, "v"), *t = kata_field_like(u, "t");
    for (int64_t i = 0; i < count; i++) values[i] = (double)(i * 7919 % 1000) / 1000;
    kata_put(u, kata_all(g), values, count);
    kata_put(v, kata_all(g), values, count);
    for (int i = 0; i < 6; i++) {
        kata_apply(rise, kata_all(g), u, t);
        kata_flush(w.k);
        kata_apply(mix, kata_all(g), t, v, u);
        assert_int_equal(kata_flush(w.k), KATA_OK);
    }
    assert_int_equal(kata_get(u, kata_all(g), values, count), KATA_OK);
    close_world(&w);
}

static void constants_around_files_are_made_again(void **state)
{
    enum { COUNT = 40 * 20 * 30 };
    double *one = malloc(COUNT * sizeof *one), *other = malloc(COUNT * sizeof *other);
    (void)state;
    assert_true(one && other);
    run_sweeps(0, one, COUNT);
    for (int64_t memory = 16 << 10; memory <= 512 << 10; memory *= 2) {
        run_sweeps(memory, other, COUNT);
        if (memcmp(one, other, COUNT * sizeof *one) != 0)
            fail_msg("other values with %lld bytes", (long long)memory);
    }
    free(one);
    free(other);
}

/* ---- random programs ------------------------------------------------------------------------- */

static uint64_t random_next(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

static int from(uint64_t *x, int lo, int hi)
{
    return lo + (int)(random_next(x) % (uint64_t)(hi - lo + 1));
}

/* KATA_TEST_PROGRAMS for another number, KATA_TEST_SEED for another start. */
static void random_programs_have_the_same_values(void **state)
{
    static const kata_rule rules[] = {KATA_CLAMP, KATA_CONSTANT, KATA_REFLECT_FACE, KATA_PERIODIC};
    static const int threads[] = {1, 2, 3, 7};
    const char *number = getenv("KATA_TEST_PROGRAMS"), *start = getenv("KATA_TEST_SEED");
    const uint64_t count = number ? strtoull(number, NULL, 10) : MOST;
    const uint64_t first = start ? strtoull(start, NULL, 10) : 1;
    int64_t beside = 0;
    (void)state;
    for (uint64_t seed = first; seed < first + count; seed++) {
        uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
        const bool small = from(&x, 0, 3) == 0;
        shape s = {.kind = (kind)from(&x, 0, KINDS - 1),
                   .threads = threads[from(&x, 0, 3)],
                   .chains = from(&x, 1, 4),
                   .steps = from(&x, 1, 20),
                   .more = from(&x, 0, 2),
                   .n = {from(&x, small ? 1 : 90, small ? 40 : 250), from(&x, small ? 1 : 16, 40),
                         from(&x, small ? 1 : 70, small ? 30 : 200)},
                   .rule = rules[from(&x, 0, 3)],
                   .discards = from(&x, 0, 9) > 0};
        beside += compare(&s, enough[s.kind] * from(&x, 80, 120) / 100).beside;
    }
    print_message("             %lld chains with planes alone\n", (long long)beside);
    assert_true(count < MOST || beside > (int64_t)count / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_field_is_enough_for_even_and_odd_chains),
        cmocka_unit_test(values_that_may_be_read_have_homes),
        cmocka_unit_test(single_steps_use_files),
        cmocka_unit_test(rings_keep_to_the_size_of_files),
        cmocka_unit_test(constants_around_files_are_made_again),
        cmocka_unit_test(random_programs_have_the_same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
