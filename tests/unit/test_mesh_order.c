/* Where the elements of a mesh lie in memory: neighbours near each other, and a program does not
 * see it. */
/* Labels: hostile threads */
#include "grid/grid.h"

#include "files_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a sphere whose elements are numbered at random -------------------------------------------
 */

typedef struct shuffled {
    int64_t cells, vertices;
    int32_t *corners;
} shuffled;

static uint64_t state = 7;

static int64_t below(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}

static int32_t *shuffle(int64_t n)
{
    int32_t *to = malloc((size_t)n * sizeof *to);
    for (int64_t i = 0; i < n; i++) to[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = below(i + 1);
        int32_t t = to[i];
        to[i] = to[j];
        to[j] = t;
    }
    return to;
}

static shuffled shuffled_sphere(int bisections)
{
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_sphere(k, 2, bisections, 1);
    shuffled s = {kata_grid_count(g, KATA_CELLS), kata_grid_count(g, KATA_VERTICES), NULL};
    const int32_t *corners = kata_grid_neighbours(g, KATA_CELLS, KATA_VERTICES).table;
    int32_t *cell = shuffle(s.cells), *vertex = shuffle(s.vertices);
    s.corners = malloc((size_t)s.cells * 3 * sizeof *s.corners);
    for (int64_t c = 0; c < s.cells; c++)
        for (int i = 0; i < 3; i++) s.corners[3 * cell[c] + i] = vertex[corners[3 * c + i]];
    free(cell);
    free(vertex);
    assert_int_equal(kata_close(k), KATA_OK);
    return s;
}

static kata_grid *grid_of(kata *k, const shuffled *s, int64_t nz, kata_order order)
{
    return kata_grid_mesh(k, s->cells, .vertices = s->vertices, .cell_vertices = {s->corners, 3},
                          .nz = nz, .order = order);
}

static char folder[] = "/tmp/kata_mesh_order_XXXXXX";

static int enter_folder(void **unused)
{
    (void)unused;
    return !mkdtemp(folder) || chdir(folder);
}

static int leave_folder(void **unused)
{
    (void)unused;
    static const char *const files[] = {"d.npy", "c.h5", "c.h5.before"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove(files[i]);
    return chdir("/") || rmdir(folder);
}

/* ---- a program ------------------------------------------------------------------------------- */

static const char kernels[] =
    "kernel set(out double u on edge) on edge { u = 0.25*random(ix) + 0.001*ix + iz; }\n"
    "kernel div(in double u on edge, in double w on cell : edges along xy, out double d on cell)"
    " on cell\n"
    "{ double s = 0; for (int k, e : edges) s = 0.5*s + orientation(e)*u[e]*w[e] + k; d = s; }\n"
    "kernel mean(in double d on cell, out double v on vertex, max double most, sum long cells)"
    " on vertex\n"
    "{ double s = 0; for (c : cells) { s = 0.75*s + d[c]; cells += 1; } v = s;"
    " most = max(most, s); }\n"
    "kernel turn(inout double v on vertex) on vertex forward(z)\n"
    "{ interval [0, 1) { v = v + random(3); } interval [1, nz) { v = v + 0.5*v[0,0,-1]; } }\n"
    "kernel part(in double d on cell, inout double e on cell) on cell { e = e + d*ix; }\n"
    "kernel narrow(in double d on cell, double lim, out float n on cell) on cell"
    " { n = d < lim ? d : lim; }\n";

enum { MOST_NUMBERS = 1 << 16 };

typedef struct outcome {
    double values[MOST_NUMBERS];
    int64_t count;
} outcome;

static void take(outcome *o, kata_field *f, kata_range range, int64_t count)
{
    assert_true(o->count + count <= MOST_NUMBERS);
    kata_get(f, range, o->values + o->count, count);
    o->count += count;
}

static void put_numbers(kata_field *f, kata_range range, int64_t count)
{
    double *values = malloc((size_t)count * sizeof *values);
    for (int64_t i = 0; i < count; i++) values[i] = (double)(i % 101) / 7;
    kata_put(f, range, values, count);
    free(values);
}

/* Whole fields, parts of them, files, memory that is shown. */
static void run(kata *k, const shuffled *s, int64_t nz, kata_order order, bool parts, outcome *o)
{
    const int64_t n = s->cells;
    kata_grid *g = grid_of(k, s, nz, order);
    kata_module *m = kata_module_from_text(k, "order.kata", kernels);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .on = KATA_EDGES);
    kata_field *w = kata_field_new(g, "w", KATA_F64, .on = KATA_CELLS, .each = KATA_EDGES,
                                   .along = KATA_X | KATA_Y);
    kata_field *d = kata_field_new(g, "d", KATA_F64, .on = KATA_CELLS);
    kata_field *e = kata_field_new(g, "e", KATA_F64, .on = KATA_CELLS);
    kata_field *narrow = kata_field_new(g, "narrow", KATA_F32, .on = KATA_CELLS);
    kata_field *v = kata_field_new(g, "v", KATA_F64, .on = KATA_VERTICES);
    kata_scalar *most = kata_scalar_new(k, "most", KATA_F64);
    kata_scalar *cells = kata_scalar_new(k, "cells", KATA_I64);
    kata_fill(w, kata_on(w), 2);
    put_numbers(w, kata_on(w), 3 * n);
    put_numbers(e, kata_on(e), n * nz);
    kata_apply(kata_kernel_find(m, "set"), kata_all(g), u);
    kata_apply(kata_kernel_find(m, "div"), kata_all(g), u, w, d);
    kata_apply(kata_kernel_find(m, "mean"), kata_all(g), d, v, most, cells);
    kata_apply(kata_kernel_find(m, "turn"), kata_all(g), v);
    kata_apply(kata_kernel_find(m, "narrow"), kata_all(g), d, 3.5, narrow);
    put_numbers(e, kata_box_3d(g, 5, 9, 0, 1, 0, nz), 4 * nz); /* one after the other */
    take(o, v, kata_on(v), s->vertices * nz);
    take(o, d, kata_box_3d(g, 3, n - 4, 0, 1, 0, 1), n - 7);
    take(o, narrow, kata_on(narrow), n * nz);
    take(o, e, kata_on(e), n * nz);
    kata_scalar_get(most, &o->values[o->count++]);
    int64_t met;
    kata_scalar_get(cells, &met);
    o->values[o->count++] = (double)met;
    kata_save(d, "d.npy");
    kata_load(e, "d.npy");
    take(o, e, kata_on(e), n * nz);
    if (!parts) return;
    kata_apply(kata_kernel_find(m, "part"), kata_box_3d(g, 7, n / 2, 0, 1, 0, nz), d, e);
    take(o, e, kata_on(e), n * nz);
    kata_fill(e, kata_box_3d(g, 2, 30, 0, 1, 0, nz), 0.5);
    kata_copy(e, kata_box_3d(g, 40, 50, 0, 1, 0, nz), d, kata_box_3d(g, 60, 70, 0, 1, 0, nz));
    take(o, e, kata_on(e), n * nz);
    kata_apply(kata_kernel_find(m, "mean"), kata_all(g), e, v, most, cells);
    take(o, v, kata_on(v), s->vertices * nz);
}

static void check_alike(const char *executor, int64_t nz, bool parts)
{
    static outcome given, found;
    shuffled s = shuffled_sphere(1);
    const kata_options options = {.threads = 2, .executor = executor, .no_warnings = true};
    given.count = found.count = 0;
    kata *a = kata_open(&options), *b = kata_open(&options);
    run(a, &s, nz, KATA_ORDER_GIVEN, parts, &given);
    run(b, &s, nz, KATA_ORDER_NEAR, parts, &found);
    assert_int_equal(kata_close(a), KATA_OK);
    assert_int_equal(kata_close(b), KATA_OK);
    assert_int_equal(given.count, found.count);
    for (int64_t i = 0; i < given.count; i++)
        if (memcmp(&given.values[i], &found.values[i], sizeof(double)))
            fail_msg("value %lld is %.17g, not %.17g", (long long)i, found.values[i],
                     given.values[i]);
    free(s.corners);
}

static void a_program_does_not_see_where_elements_lie(void **unused)
{
    (void)unused;
    static const char *const executors[] = {NULL, "reference", "plan"};
    for (size_t i = 0; i < sizeof executors / sizeof *executors; i++) {
        check_alike(executors[i], 1, false);
        check_alike(executors[i], 12, false);
    }
}

static void parts_of_a_mesh_are_computed_and_copied_by_number(void **unused)
{
    (void)unused;
    check_alike(NULL, 1, true);
    check_alike(NULL, 12, true);
    check_alike("reference", 12, true);
}

/* ---- memory that is shown -------------------------------------------------------------------- */

static double value_at(kata_field *f, int64_t element)
{
    double value = -1;
    kata_range all = kata_on(f);
    kata_get(f, kata_box_3d(all.grid, element, element + 1, 0, 1, 0, 1), &value, 1);
    return value;
}

static void memory_that_is_shown_has_elements_by_number(void **unused)
{
    (void)unused;
    shuffled s = shuffled_sphere(0);
    kata *k = kata_open(NULL);
    kata_grid *g = grid_of(k, &s, 1, KATA_ORDER_NEAR);
    kata_module *m =
        kata_module_from_text(k, "n.kata",
                              "kernel number(out double d on cell) on cell { d = ix; }"
                              "kernel twice(in double d on cell, out double e on cell) on cell"
                              "{ e = 0; for (c : cells) e += d[c] - ix; }");
    kata_field *d = kata_field_new(g, "d", KATA_F64, .on = KATA_CELLS);
    kata_apply(kata_kernel_find(m, "number"), kata_all(g), d);
    kata_mapping mapping;
    double *values = NULL, *own = calloc((size_t)s.cells, sizeof *own);
    kata_map(d, &values, &mapping);
    for (int64_t i = 0; i < s.cells; i++) {
        assert_true(values[i * mapping.stride[0]] == (double)i);
        values[i * mapping.stride[0]] += 0.5;
    }
    kata_unmap(d);
    assert_true(value_at(d, 5) == 5.5);
    kata_map(d, &values, &mapping);
    values[5 * mapping.stride[0]] = 7;
    kata_unmap(d);
    assert_true(value_at(d, 5) == 7 && value_at(d, 6) == 6.5);
    kata_put(d, kata_box_3d(g, 5, 6, 0, 1, 0, 1), (double[]){5.5}, 1);
    kata_field *wrapped = kata_field_wrap(g, "own", KATA_F64, own, .on = KATA_CELLS);
    kata_apply(kata_kernel_find(m, "twice"), kata_all(g), d, wrapped);
    kata_flush(k);
    const int32_t *beside = kata_grid_neighbours(g, KATA_CELLS, KATA_CELLS).table;
    for (int64_t i = 0; i < s.cells; i++) {
        double sum = 0;
        for (int slot = 0; slot < 3; slot++) sum += beside[3 * i + slot] + 0.5 - (double)i;
        assert_true(own[i] == sum);
    }
    assert_int_equal(kata_close(k), KATA_OK);
    free(own);
    free(s.corners);
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static void step_through(const shuffled *s, kata_order order, int steps, double *values)
{
    kata *k = kata_open(&(kata_options){.no_warnings = true});
    kata_grid *g = grid_of(k, s, 9, order);
    kata_module *m =
        kata_module_from_text(k, "n.kata",
                              "kernel next(in double d on cell, out double e on cell) on cell"
                              "{ double s = ix; for (c : cells) s = 0.5*s + d[c]; e = s; }");
    kata_field *d = kata_field_new(g, "d", KATA_F64, .on = KATA_CELLS);
    kata_field *e = kata_field_new(g, "e", KATA_F64, .on = KATA_CELLS);
    kata_checkpoint(k, "c.h5", .steps = 2);
    for (int64_t t = kata_resume(k); t < steps; t++) {
        kata_apply(kata_kernel_find(m, "next"), kata_all(g), d, e);
        kata_swap(d, e);
        kata_step(k);
    }
    kata_get(d, kata_on(d), values, s->cells * 9);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void a_checkpoint_has_elements_by_number(void **unused)
{
    (void)unused;
    shuffled s = shuffled_sphere(0);
    size_t bytes = (size_t)s.cells * 9 * sizeof(double);
    double *first = malloc(bytes), *again = malloc(bytes);
    step_through(&s, KATA_ORDER_GIVEN, 4, first);
    remove("c.h5");
    remove("c.h5.before");
    step_through(&s, KATA_ORDER_NEAR, 2, again);
    step_through(&s, KATA_ORDER_GIVEN, 3, again);
    step_through(&s, KATA_ORDER_NEAR, 4, again);
    assert_memory_equal(first, again, bytes);
    free(first);
    free(again);
    free(s.corners);
}

static void keep_text(void *data, kata_status status, const char *message)
{
    if (status) snprintf(data, 200, "%s", message);
}

/* As many cells, of which two have changed their numbers. */
static void a_checkpoint_of_another_mesh_is_refused(void **unused)
{
    (void)unused;
    shuffled s = shuffled_sphere(0);
    char said[200] = "";
    double *values = malloc((size_t)s.cells * 9 * sizeof *values);
    remove("c.h5");
    remove("c.h5.before");
    step_through(&s, KATA_ORDER_GIVEN, 2, values);
    for (int i = 0; i < 3; i++) {
        int32_t corner = s.corners[i];
        s.corners[i] = s.corners[3 + i];
        s.corners[3 + i] = corner;
    }
    kata *k = kata_open(&(kata_options){.handler = keep_text, .handler_data = said});
    kata_grid *g = grid_of(k, &s, 9, KATA_ORDER_GIVEN);
    kata_field_new(g, "d", KATA_F64, .on = KATA_CELLS);
    kata_field_new(g, "e", KATA_F64, .on = KATA_CELLS);
    kata_checkpoint(k, "c.h5", .steps = 2);
    assert_int_equal(kata_resume(k), 0);
    assert_non_null(strstr(said, "lies on another mesh"));
    assert_int_equal(kata_close(k), KATA_ERROR_FILE);
    free(values);
    free(s.corners);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void a_message_has_the_number_of_an_element(void **unused)
{
    (void)unused;
    for (int64_t nz = 1; nz < 20; nz += 12) {
        shuffled s = shuffled_sphere(0);
        world w;
        open_world(&w);
        kata *k = w.k;
        kata_grid *g = grid_of(k, &s, nz, KATA_ORDER_NEAR);
        kata_module *m = kata_module_from_text(k, "n.kata",
                                               "kernel check(out double d on cell) on cell"
                                               "{ d = 0; assert(ix != 17 || iz != nz - 1); }");
        kata_field *d = kata_field_new(g, "d", KATA_F64, .on = KATA_CELLS);
        char expected[40];
        snprintf(expected, sizeof expected, "at point (17, 0, %d)", (int)nz - 1);
        kata_apply(kata_kernel_find(m, "check"), kata_all(g), d);
        assert_int_equal(kata_flush(k), KATA_ERROR_ASSERT);
        assert_non_null(strstr(w.message, expected));
        kata_close(k);
        free(s.corners);
    }
}

/* ---- nearness -------------------------------------------------------------------------------- */

static int64_t farthest(const grid_mesh *mesh, int from, int to)
{
    const grid_relation *r = &mesh->relation[from][to];
    int64_t most = 0;
    for (int64_t i = 0; i < mesh->count[from] * r->width; i++) {
        if (r->of[i] < 0) continue;
        int64_t here = i / r->width * mesh->count[to] / mesh->count[from];
        int64_t apart = here > r->of[i] ? here - r->of[i] : r->of[i] - here;
        most = larger(most, apart);
    }
    return most;
}

/* Rings around a sphere of n cells have some sqrt(n) of them. */
static void neighbours_lie_near_each_other(void **unused)
{
    (void)unused;
    shuffled s = shuffled_sphere(4);
    arena memory = {0};
    messages m = {.silent = true};
    grid_places places[3];
    grid_mesh placed, mesh = {.count = {s.cells, 0, s.vertices}, .where = "here"};
    mesh.relation[0][2] = (grid_relation){.width = 3, .of = s.corners};
    assert_int_equal(grid_mesh_complete(&mesh, &memory, &m), KATA_OK);
    assert_true(farthest(&mesh, 0, 0) > s.cells / 2);
    assert_int_equal(grid_mesh_find_places(&mesh, GRID_NEAR_IF_BETTER, places, &memory, &m), 0);
    assert_int_equal(grid_mesh_place(&mesh, places, &placed, &memory, &m), KATA_OK);
    for (int i = 0; i < 9; i++) assert_true(farthest(&placed, i / 3, i % 3) < s.cells / 20);
    for (int kind = 0; kind < 3; kind++)
        for (int64_t i = 0; i < mesh.count[kind]; i++)
            assert_int_equal(places[kind].number[places[kind].place[i]], i);
    assert_int_equal(grid_mesh_find_places(&placed, GRID_NEAR_IF_BETTER, places, &memory, &m), 0);
    assert_null(places[0].place); /* they are as near as can be */
    arena_free(&memory);
    free(s.corners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_does_not_see_where_elements_lie),
        cmocka_unit_test(parts_of_a_mesh_are_computed_and_copied_by_number),
        cmocka_unit_test(memory_that_is_shown_has_elements_by_number),
        cmocka_unit_test(a_checkpoint_has_elements_by_number),
        cmocka_unit_test(a_checkpoint_of_another_mesh_is_refused),
        cmocka_unit_test(a_message_has_the_number_of_an_element),
        cmocka_unit_test(neighbours_lie_near_each_other),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
