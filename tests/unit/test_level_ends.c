/* Sweeps over levels that not all fields have: on ranges that reach beyond the grid a column goes
 * on where a field has ended, and nothing beyond its memory is touched. The field lies between
 * pages that cannot be read. */
/* Labels: hostile */
#include "api_world.h"

#include <sys/mman.h>

enum {
    SIDE = 64,
    LEVELS = 12,
    CONSTANT = 3,
    GHOSTS = 3,
    MOST = SIDE * SIDE * (LEVELS + 2 * GHOSTS)
};

/* An interval for each level, more than there are cases of, all of which read but the last few. */
static void write_text(char *out, const char *order, const char *read)
{
    out += sprintf(out, "kernel sweep(in double u, inout double v) %s\n{\n    double s = iz;\n",
                   order);
    for (int i = 0; i < LEVELS - CONSTANT; i++)
        out +=
            sprintf(out, "    interval [%d, %d) { s = %d*%s + %d; }\n", i, i + 1, i + 2, read, i);
    for (int i = LEVELS - CONSTANT; i < LEVELS; i++)
        out += sprintf(out, "    interval [%d, %d) { s = %d; }\n", i, i + 1, i);
    sprintf(out, "    v = s;\n}\n");
}

typedef struct sweep {
    const char *order, *read;
    kata_rule rule; /* along x */
    bool staggered; /* v has one level more; otherwise ghosts, */
    int64_t lo;     /* and this is the first level of the range */
} sweep;

static void run(const sweep *s, const char *executor, double *u, double values[MOST])
{
    char text[2048];
    write_text(text, s->order, s->read);
    kata *k = kata_open(
        &(kata_options){.executor = executor, .threads = 2, .wait = true, .no_warnings = true});
    kata_grid *g = kata_grid_3d(k, SIDE, SIDE, LEVELS);
    kata_module *m = kata_module_from_text(k, "sweep", text);
    kata_field *from = kata_field_wrap(g, "u", KATA_F64, u);
    kata_field *to = s->staggered ? kata_field_new(g, "v", KATA_F64, .staggered = KATA_Z)
                                  : kata_field_new(g, "v", KATA_F64, .ghosts = GHOSTS);
    kata_range all =
        s->staggered ? kata_on(to) : kata_box_3d(g, 0, SIDE, 0, SIDE, s->lo, LEVELS + GHOSTS);
    kata_boundary_set(from, KATA_X_LOW, s->rule, 0);
    kata_boundary_set(from, KATA_X_HIGH, s->rule, 0);
    kata_apply(kata_kernel_find(m, "sweep"), all, from, to);
    kata_get(to, all, values, (all.hi[0] - all.lo[0]) * SIDE * (all.hi[2] - all.lo[2]));
    assert_string_equal(kata_error_message(k), "");
    assert_int_equal(kata_close(k), KATA_OK);
}

static void nothing_beyond_a_field_is_touched(void **state)
{
    static const sweep sweeps[] = {
        {"forward(z)", "u", KATA_NONE, true, 0},
        {"backward(z)", "u", KATA_NONE, true, 0},
        {"forward(z)", "u", KATA_NONE, false, -GHOSTS},
        {"backward(z)", "u", KATA_NONE, false, 1 - GHOSTS},
        {"forward(z)", "u[1,0,0]", KATA_CLAMP, true, 0},
        {"forward(z)", "u[-1,0,0]", KATA_PERIODIC, false, -GHOSTS},
        {"forward(z)", "u[-1,0,0]", KATA_CLAMP, false, LEVELS},
        {"backward(z)", "u[1,0,0]", KATA_CLAMP, false, LEVELS + 1},
    };
    static double expected[MOST], found[MOST];
    enum { FENCE = 1 << 20, BYTES = SIDE * SIDE * LEVELS * (int)sizeof(double) };
    char *pages = mmap(NULL, BYTES + 2 * FENCE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + FENCE, BYTES, PROT_READ | PROT_WRITE), 0);
    double *u = (double *)(pages + FENCE);
    for (int i = 0; i < SIDE * SIDE * LEVELS; i++) u[i] = (double)(i * 37 % 101) / 8;
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        run(&sweeps[i], "reference", u, expected);
        run(&sweeps[i], "cpu", u, found);
        assert_memory_equal(expected, found, sizeof found);
    }
    munmap(pages, BYTES + 2 * FENCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_beyond_a_field_is_touched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
