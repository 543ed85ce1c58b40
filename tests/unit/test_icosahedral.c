/* Neighbours in an icosahedral grid, against its geometry: vertices are points of the plane, edges
 * pairs and cells triples of them, on a torus. All nine relations as sets, their duals and the
 * order of neighbours; and kernels that go through them, also through two. */
/* Labels: hostile slow */
#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 7, NY = 5, NZ = 3, LARGEST = 3 * NX * NY };

/* An edge or cell is named by the sum of its vertices' places, times the number of vertices, in
 * sixths of a step: its centre. */
typedef struct place {
    int x, y;
} place;

typedef struct element {
    kata_location on;
    int i, j, color;
} element;

static const kata_location all[] = {KATA_CELLS, KATA_EDGES, KATA_VERTICES};

static int corners_of(element e, place corners[3])
{
    static const place of_cell[2][3] = {{{1, 0}, {0, 0}, {0, 1}}, {{0, 1}, {1, 1}, {1, 0}}};
    static const place of_edge[3][2] = {{{1, 0}, {0, 0}}, {{0, 0}, {0, 1}}, {{0, 1}, {1, 0}}};
    int count = e.on == KATA_CELLS ? 3 : e.on == KATA_EDGES ? 2 : 1;
    for (int n = 0; n < count; n++) {
        place p = {0, 0};
        if (e.on == KATA_CELLS) p = of_cell[e.color][n];
        if (e.on == KATA_EDGES) p = of_edge[e.color][n];
        corners[n] = (place){e.i + p.x, e.j + p.y};
    }
    return count;
}

/* Vertices that two have in common, in the plane. */
static int shared(element a, element b)
{
    place of_a[3], of_b[3];
    int count = 0, na = corners_of(a, of_a), nb = corners_of(b, of_b);
    for (int p = 0; p < na; p++)
        for (int q = 0; q < nb; q++) count += of_a[p].x == of_b[q].x && of_a[p].y == of_b[q].y;
    return count;
}

static bool same(element a, element b)
{
    return a.on == b.on && a.i == b.i && a.j == b.j && a.color == b.color;
}

/* Whether two lie in one cell. */
static bool in_one_cell(element a, element b)
{
    for (int i = -2; i <= 2; i++)
        for (int j = -2; j <= 2; j++)
            for (int color = 0; color < 2; color++) {
                element cell = {KATA_CELLS, a.i + i, a.j + j, color};
                place corners[3];
                if (shared(cell, a) == corners_of(a, corners) &&
                    shared(cell, b) == corners_of(b, corners))
                    return true;
            }
    return false;
}

/* Neighbours of one kind share as many vertices as they can without being the same; of vertices and
 * edges, those in a cell with this one. Of different kinds, one contains the other. */
static bool are_neighbours(element a, element b)
{
    place corners[3];
    int na = corners_of(a, corners), nb = corners_of(b, corners);
    if (a.on != b.on) return shared(a, b) == (na < nb ? na : nb);
    if (same(a, b)) return false;
    return a.on == KATA_CELLS ? shared(a, b) == 2 : in_one_cell(a, b);
}

static element neighbour(element a, kata_location on, int slot)
{
    ir_neighbour n = ir_relation_of(a.on, on)->of[a.color][slot];
    return (element){on, a.i + n.x, a.j + n.y, n.color};
}

static void each_color(void (*check)(element a, kata_location to))
{
    for (int f = 0; f < 3; f++)
        for (int color = 0; color < ir_colors(all[f]); color++)
            for (int t = 0; t < 3; t++) check((element){all[f], 0, 0, color}, all[t]);
}

static void check_set(element a, kata_location to)
{
    int found = 0, count = ir_relation_of(a.on, to)->count;
    for (int i = -3; i <= 3; i++)
        for (int j = -3; j <= 3; j++)
            for (int color = 0; color < ir_colors(to); color++) {
                element b = {to, i, j, color};
                int times = 0;
                for (int slot = 0; slot < count; slot++) times += same(b, neighbour(a, to, slot));
                assert_int_equal(times, are_neighbours(a, b));
                found += times;
            }
    assert_int_equal(found, count);
}

static void relations_are_incidence(void **state)
{
    (void)state;
    each_color(check_set);
}

/* Whether b is so much a neighbour of a as a of b. */
static void check_dual(element a, kata_location to)
{
    for (int slot = 0; slot < ir_relation_of(a.on, to)->count; slot++) {
        element b = neighbour(a, to, slot);
        int back = 0;
        for (int s = 0; s < ir_relation_of(to, a.on)->count; s++)
            back += same(a, neighbour(b, a.on, s));
        assert_int_equal(back, 1);
    }
}

static void relations_are_duals(void **state)
{
    (void)state;
    each_color(check_dual);
}

/* The order of neighbours, as docs/meshes.md promises it. */
static void order_of_neighbours(void **state)
{
    (void)state;
    for (int color = 0; color < 2; color++)
        for (int s = 0; s < 3; s++) {
            element c = {KATA_CELLS, 0, 0, color}, edge = neighbour(c, KATA_EDGES, s);
            assert_int_equal(shared(neighbour(c, KATA_CELLS, s), edge), 2);    /* across it */
            assert_int_equal(shared(neighbour(c, KATA_VERTICES, s), edge), 0); /* opposite it */
        }
    for (int s = 0; s < 6; s++) {
        element v = {KATA_VERTICES, 0, 0, 0};
        assert_int_equal(shared(neighbour(v, KATA_VERTICES, s), neighbour(v, KATA_EDGES, s)), 1);
        element next = neighbour(v, KATA_EDGES, (s + 1) % 6);
        assert_true(in_one_cell(neighbour(v, KATA_EDGES, s), next)); /* around the vertex */
    }
    for (int color = 0; color < 3; color++)
        for (int s = 0; s < 2; s++)
            assert_int_equal(neighbour((element){KATA_EDGES, 0, 0, color}, KATA_CELLS, s).color,
                             1 - s);
}

static void orientations(void **state)
{
    (void)state;
    for (int t = 0; t < 3; t += 2)
        for (int color = 0; color < 3; color++)
            for (int slot = 0; slot < 2; slot++) {
                element e = {KATA_EDGES, 0, 0, color}, b = neighbour(e, all[t], slot);
                assert_int_equal(ir_orientation(KATA_EDGES, all[t], color, slot), 1 - 2 * slot);
                for (int s = 0; s < ir_relation_of(all[t], KATA_EDGES)->count; s++)
                    if (same(neighbour(b, KATA_EDGES, s), e))
                        assert_int_equal(ir_orientation(all[t], KATA_EDGES, b.color, s),
                                         1 - 2 * slot);
            }
}

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct session {
    kata *k;
    kata_grid *grid;
    kata_range range;
} session;

static session begin(const char *executor)
{
    session s = {.k = kata_open(&(kata_options){.executor = executor, .threads = 2})};
    s.grid = kata_grid_icosahedral(s.k, NX, NY, NZ);
    s.range = kata_all(s.grid);
    return s;
}

static kata_kernel *kernel(session *s, const char *text)
{
    kata_module *m = kata_module_from_text(s->k, "k.kata", text);
    return kata_module_kernel(m, 0);
}

static kata_field *field(session *s, const char *name, kata_location on, kata_location each)
{
    return kata_field_new(s->grid, name, KATA_I64, .on = on, .each = each,
                          .boundary = KATA_PERIODIC);
}

static int64_t number_of(element e, int z)
{
    int i = (e.i + 10 * NX) % NX, j = (e.j + 10 * NY) % NY;
    return i + NX * (j + NY * (z + (int64_t)NZ * e.color));
}

static int64_t value_of(element e, int z) { return number_of(e, z) * number_of(e, z) + 17; }

static void put_values(session *s, kata_field *f, kata_location on)
{
    int64_t values[LARGEST * NZ];
    int64_t count = (int64_t)ir_colors(on) * NX * NY * NZ;
    for (int64_t n = 0; n < count; n++) values[n] = n * n + 17;
    assert_int_equal(kata_put(f, s->range, values, count), KATA_OK);
}

/* What a kernel sees of a neighbour's value, so that its place in the order counts. */
static int64_t add(int64_t sum, int64_t value)
{
    return (int64_t)((uint64_t)sum * 31 + (uint64_t)value);
}

/* Calls expected(a, z) for each that the kernel has computed. */
static void compare(session *s, kata_field *out, kata_location on,
                    int64_t (*expected)(element a, kata_location to, int z), kata_location to)
{
    int64_t values[LARGEST * NZ];
    int64_t count = (int64_t)ir_colors(on) * NX * NY * NZ;
    assert_int_equal(kata_get(out, s->range, values, count), KATA_OK);
    for (int color = 0; color < ir_colors(on); color++)
        for (int z = 0; z < NZ; z++)
            for (int j = 0; j < NY; j++)
                for (int i = 0; i < NX; i++) {
                    element a = {on, i, j, color};
                    assert_int_equal(values[number_of(a, z)], expected(a, to, z));
                }
}

static int64_t once_through(element a, kata_location to, int z)
{
    int64_t sum = 0;
    for (int s = 0; s < ir_relation_of(a.on, to)->count; s++)
        sum = add(sum, value_of(neighbour(a, to, s), z));
    return sum;
}

static int64_t twice_through(element a, kata_location to, int z)
{
    int64_t sum = 0;
    for (int s = 0; s < ir_relation_of(a.on, to)->count; s++) {
        element b = neighbour(a, to, s);
        for (int t = 0; t < ir_relation_of(to, a.on)->count; t++)
            sum = add(sum, value_of(neighbour(b, a.on, t), z) * (s + 10 * t));
    }
    return sum;
}

/* Level z of each neighbour, from the level above. */
static int64_t through_levels(element a, kata_location to, int z)
{
    int64_t sum = 0;
    for (int s = 0; s < ir_relation_of(a.on, to)->count; s++)
        sum = add(sum, value_of(neighbour(a, to, s), (z + 1) % NZ));
    return sum + z * a.color;
}

static void run(session *s, const char *body, kata_location on, kata_location to,
                kata_location read, int64_t (*expected)(element a, kata_location to, int z))
{
    char text[512];
    snprintf(text, sizeof text,
             "kernel f(in long u on %s, out long v on %s) on %s { long s = 0; %s v = s; }",
             ir_location_name(read, false), ir_location_name(on, false),
             ir_location_name(on, false), body);
    kata_field *u = field(s, "u", read, KATA_NOWHERE), *v = field(s, "v", on, KATA_NOWHERE);
    put_values(s, u, read);
    kata_apply(kernel(s, text), s->range, u, v);
    compare(s, v, on, expected, to);
}

static void all_relations(const char *executor)
{
    session s = begin(executor);
    for (int f = 0; f < 3; f++)
        for (int t = 0; t < 3; t++) {
            const char *to = ir_location_name(all[t], true), *from = ir_location_name(all[f], true);
            char body[256];
            snprintf(body, sizeof body, "for (n : %s) s = s*31 + u[n];", to);
            run(&s, body, all[f], all[t], all[t], once_through);
            snprintf(body, sizeof body,
                     "for (int k, n : %s) for (long l, m : %s[n]) s = s*31 + u[m]*(k + 10*l);", to,
                     from);
            run(&s, body, all[f], all[t], all[f], twice_through);
            snprintf(body, sizeof body, "for (n : %s) s = s*31 + u[n][0,0,1]; s += iz*ic;", to);
            run(&s, body, all[f], all[t], all[t], through_levels);
        }
    assert_int_equal(kata_close(s.k), KATA_OK);
}

static void kernels_find_neighbours(void **state)
{
    (void)state;
    all_relations("cpu");
    all_relations("reference");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_are_incidence), cmocka_unit_test(relations_are_duals),
        cmocka_unit_test(order_of_neighbours),     cmocka_unit_test(orientations),
        cmocka_unit_test(kernels_find_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
