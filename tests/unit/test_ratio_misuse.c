/* What goes wrong with finer and coarser fields when a kernel is applied, each with the exact text
 * of tests/misuse/NAME.txt; KATA_FIXTURES_UPDATE=1 writes the texts. And kernels that read and
 * write one finer field: on all small boxes, what is accepted is free of conflicts, and what is
 * free of them and stays inside the grid is accepted. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] = "kernel mean(in double f finer(2), out double c)\n"
                              "{\n"
                              "    c = (f + f[1,0] + f[0,1] + f[1,1])/4;\n"
                              "}\n"
                              "kernel add(in double c coarser(2,3), inout double f)\n"
                              "{\n"
                              "    f += c;\n"
                              "}\n"
                              "kernel shift(inout double f finer(2))\n"
                              "{\n"
                              "    f[0,1] = f[2,1] + f[1,0];\n"
                              "}\n"
                              "kernel wide(in double f finer(2), out double c)\n"
                              "{\n"
                              "    c = f[3,0] - f[-2,0];\n"
                              "}\n"
                              "kernel some(in double c, inout double f finer(2))\n"
                              "{\n"
                              "    f[0,0] = c;\n"
                              "    f[1,0] = c;\n"
                              "    f[0,1] = c;\n"
                              "}\n"
                              "kernel all(in double c, out double f finer(2))\n"
                              "{\n"
                              "    for (int q = 0; q < 4; q++) f[q%2,q/2] = c;\n"
                              "}\n"
                              "kernel alone(in double c, out double f finer(2))\n"
                              "{\n"
                              "    f = c;\n"
                              "}\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *coarse, *fine;
    kata_field *c, *f;
    char message[4096];
    int messages;
} world;

static void receive(void *data, kata_status status, const char *message)
{
    world *w = data;
    assert_int_not_equal(status, KATA_OK);
    snprintf(w->message, sizeof w->message, "%s", message);
    w->messages++;
}

static void open_world(world *w)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = receive, .handler_data = w, .no_warnings = true});
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->coarse = kata_grid_2d(w->k, 4, 3);
    w->fine = kata_grid_2d(w->k, 8, 6);
    w->c = kata_field_new(w->coarse, "c", KATA_F64);
    w->f = kata_field_new(w->fine, "f", KATA_F64);
    assert_true(kata_ok(w->k));
}

/* A kernel as if applied at main.c:17. */
static const kata_kernel *find(world *w, const char *name)
{
    return kata_here(kata_kernel_find(w->m, name), "main.c", 17);
}

static kata_status apply_two(world *w, const char *name, kata_range range, kata_field *a,
                             kata_field *b)
{
    return kata_apply_args(find(w, name), &range, 2,
                           (kata_arg[]){kata_arg_field(a, 0), kata_arg_field(b, 0)});
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static kata_status ratio_other_size(world *w)
{
    kata_grid *g = kata_grid_2d(w->k, 9, 6);
    return apply_two(w, "mean", kata_all(w->coarse), kata_field_new(g, "f", KATA_F64), w->c);
}

static kata_status ratio_same_grid(world *w)
{
    return apply_two(w, "mean", kata_all(w->coarse), kata_field_like(w->c, "other"), w->c);
}

static kata_status ratio_odd(world *w)
{
    kata_grid *g = kata_grid_2d(w->k, 8, 7);
    return apply_two(w, "add", kata_all(g), w->c, kata_field_new(g, "f", KATA_F64));
}

static kata_status ratio_wrong_side(world *w)
{
    return apply_two(w, "add", kata_all(w->coarse), w->f, w->c);
}

static kata_status ratio_of_other_rank(world *w)
{
    kata_grid *g = kata_grid_1d(w->k, 8);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    return apply_two(w, "add", kata_all(g), u, kata_field_like(u, "v"));
}

static kata_status ratio_once(world *w)
{
    kata_scalar *a = kata_scalar_new(w->k, "a", KATA_F64),
                *b = kata_scalar_new(w->k, "b", KATA_F64);
    return kata_apply_args(find(w, "alone"), (kata_range[]){kata_once(w->k)}, 2,
                           (kata_arg[]){kata_arg_scalar(a, 0), kata_arg_scalar(b, 0)});
}

static kata_status ratio_conflict(world *w)
{
    return kata_apply_args(find(w, "shift"), (kata_range[]){kata_box_2d(w->coarse, 0, 3, 0, 3)}, 1,
                           (kata_arg[]){kata_arg_field(w->f, 0)});
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static kata_status ratio_range_outside(world *w)
{
    kata_field *face = kata_field_new(w->coarse, "face", KATA_F64, .staggered = KATA_Y);
    return apply_two(w, "all", kata_on(face), face, w->f);
}

/* ---- reads ----------------------------------------------------------------------------------- */

static kata_status ratio_read_outside(world *w)
{
    return apply_two(w, "wide", kata_all(w->coarse), w->f, w->c);
}

static kata_status ratio_read_outside_box(world *w)
{
    return apply_two(w, "wide", kata_box_2d(w->coarse, 1, 4, 0, 3), w->f, w->c);
}

/* All children are written by one kernel, three of four by another. */
static kata_status ratio_discarded(world *w)
{
    kata_discard(w->f);
    apply_two(w, "all", kata_all(w->coarse), w->c, w->f);
    apply_two(w, "mean", kata_all(w->coarse), w->f, w->c);
    assert_true(kata_ok(w->k));
    kata_discard(w->f);
    apply_two(w, "some", kata_all(w->coarse), w->c, w->f);
    return apply_two(w, "mean", kata_all(w->coarse), w->f, w->c);
}

/* ---- all ------------------------------------------------------------------------------------- */

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }

static const struct misuse {
    const char *name;
    kata_status (*commit)(world *w);
} cases[] = {
    CASE(ratio_other_size), CASE(ratio_same_grid),     CASE(ratio_odd),
    CASE(ratio_wrong_side), CASE(ratio_of_other_rank), CASE(ratio_once),
    CASE(ratio_conflict),   CASE(ratio_read_outside),  CASE(ratio_read_outside_box),
    CASE(ratio_discarded),  CASE(ratio_range_outside),
};

static void expect_text(const char *name, const char *message)
{
    char path[1024], expected[4096] = "";
    snprintf(path, sizeof path, "%s/tests/misuse/%s.txt", getenv("KATA_SOURCE"), name);
    bool update = getenv("KATA_FIXTURES_UPDATE") != NULL;
    FILE *file = fopen(path, update ? "w" : "r");
    assert_non_null(file);
    if (update)
        fprintf(file, "%s\n", message);
    else
        expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    if (update) return;
    size_t length = strlen(expected);
    if (length && expected[length - 1] == '\n') expected[length - 1] = '\0';
    assert_string_equal(message, expected);
}

static void test_each_misuse_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        open_world(&w);
        assert_int_equal(cases[i].commit(&w), KATA_ERROR_APPLICATION);
        assert_int_equal(w.messages, 1);
        expect_text(cases[i].name, w.message);
        assert_int_equal(kata_close(w.k), KATA_ERROR_APPLICATION);
    }
}

/* ---- reading and writing one field ----------------------------------------------------------- */

enum { LARGEST = 5, REACH = 5, MOST_RATIO = 3 };

/* Where a read of index i ends; -1 where it ends at no point. */
static int64_t map(kata_rule rule, int64_t i, int64_t n)
{
    while (i < 0 || i >= n) {
        if (rule == KATA_CLAMP)
            i = i < 0 ? 0 : n - 1;
        else if (rule == KATA_REFLECT_FACE)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else if (rule == KATA_PERIODIC)
            i += i < 0 ? n : -n;
        else
            return -1;
    }
    return i;
}

/* f[child] = 2*f[offset] from the points lo..hi-1 of a grid of n. */
typedef struct sweep {
    int64_t n, lo, hi;
    int ratio, child, offset;
    kata_rule rule;
} sweep;

static bool conflicts(const sweep *s, bool *leaves)
{
    bool found = false;
    *leaves = false;
    for (int64_t p = s->lo; p < s->hi; p++) {
        int64_t read = s->ratio * p + s->offset, end = map(s->rule, read, s->ratio * s->n);
        if (end < 0 || end != read) *leaves = true;
        for (int64_t q = s->lo; q < s->hi; q++)
            if (q != p && s->ratio * q + s->child == end) found = true;
    }
    return found;
}

typedef struct session {
    kata *k;
    kata_kernel *kernels[MOST_RATIO + 1][MOST_RATIO][2 * REACH + 1];
} session;

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

/* Applied to one point, where nothing can conflict. */
static void compile_with_others(session *s, int ratio, kata_kernel *kernel)
{
    kata_grid *g = kata_grid_1d(s->k, 9), *fine = kata_grid_1d(s->k, 9 * ratio);
    kata_apply(kernel, kata_box_1d(g, 4, 5), kata_field_new(fine, "f", KATA_F64));
}

static session open_session(const char *executor)
{
    session s = {0};
    char text[6000] = "", name[32];
    s.k = kata_open(&(kata_options){.executor = executor, .no_warnings = true, .handler = ignore});
    for (int r = 2; r <= MOST_RATIO; r++)
        for (int child = 0; child < r; child++)
            for (int o = 0; o <= 2 * REACH; o++)
                snprintf(text + strlen(text), sizeof text - strlen(text),
                         "kernel k%d_%d_%d(inout double f finer(%d)) { f[%d] = 2*f[%d] + ix; }\n",
                         r, child, o, r, child, o - REACH);
    kata_module *m = kata_module_from_text(s.k, "k.kata", text);
    for (int r = 2; r <= MOST_RATIO; r++)
        for (int child = 0; child < r; child++)
            for (int o = 0; o <= 2 * REACH; o++) {
                snprintf(name, sizeof name, "k%d_%d_%d", r, child, o);
                s.kernels[r][child][o] = kata_kernel_find(m, name);
                compile_with_others(&s, r, s.kernels[r][child][o]);
            }
    assert_int_equal(kata_flush(s.k), KATA_OK);
    return s;
}

static bool apply_sweep(session *in, const sweep *s, double *out)
{
    int64_t count = s->ratio * s->n;
    kata_grid *g = kata_grid_1d(in->k, s->n), *fine = kata_grid_1d(in->k, count);
    kata_field *f = kata_field_new(fine, "f", KATA_F64, .boundary = s->rule);
    for (int64_t i = 0; i < count; i++) out[i] = (double)(i + 1);
    kata_put(f, kata_all(fine), out, count);
    kata_apply(in->kernels[s->ratio][s->child][s->offset + REACH], kata_box_1d(g, s->lo, s->hi), f);
    bool accepted = kata_ok(in->k);
    if (accepted) kata_get(f, kata_all(fine), out, count);
    kata_error_clear(in->k);
    return accepted;
}

static void check_sweep(session in[2], const sweep *s)
{
    double fast[MOST_RATIO * LARGEST] = {0}, slow[MOST_RATIO * LARGEST] = {0};
    bool leaves, conflict = conflicts(s, &leaves), accepted = apply_sweep(&in[0], s, fast);
    if (accepted && conflict)
        fail_msg("accepted f[%d] = f[%d], ratio %d, rule %d", s->child, s->offset, s->ratio,
                 (int)s->rule);
    if (!leaves && !conflict && !accepted)
        fail_msg("refused f[%d] = f[%d], ratio %d, rule %d", s->child, s->offset, s->ratio,
                 (int)s->rule);
    if (!accepted) return;
    assert_true(apply_sweep(&in[1], s, slow));
    assert_memory_equal(fast, slow, sizeof fast);
}

static void check_boxes(session in[2], sweep s)
{
    for (s.n = 1; s.n <= LARGEST; s.n++)
        for (s.lo = 0; s.lo < s.n; s.lo++)
            for (s.hi = s.lo + 1; s.hi <= s.n; s.hi++) check_sweep(in, &s);
}

static void test_what_is_accepted_is_free_of_conflicts(void **state)
{
    (void)state;
    static const kata_rule rules[] = {KATA_NONE, KATA_CLAMP, KATA_REFLECT_FACE, KATA_PERIODIC,
                                      KATA_CONSTANT};
    session in[2] = {open_session("cpu"), open_session("reference")};
    for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++)
        for (int ratio = 2; ratio <= MOST_RATIO; ratio++)
            for (int child = 0; child < ratio; child++)
                for (int offset = -REACH; offset <= REACH; offset++)
                    check_boxes(in, (sweep){.ratio = ratio,
                                            .child = child,
                                            .offset = offset,
                                            .rule = rules[rule]});
    assert_int_equal(kata_close(in[0].k), KATA_OK);
    assert_int_equal(kata_close(in[1].k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_misuse_has_its_message),
        cmocka_unit_test(test_what_is_accepted_is_free_of_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
