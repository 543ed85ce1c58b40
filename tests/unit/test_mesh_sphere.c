/* The sphere as a mesh: its numbers, lengths and areas; what holds exactly of its operators; and
 * their errors for a rotation. */
/* Labels: threads */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) fail_msg("%.12g, not %.12g", found, expected);
}

static const char text[] =
    "kernel div(in double u on edge, in double len on edge along xy, in double area on cell along "
    "xy,\n"
    "           out double d on cell) on cell\n"
    "{\n"
    "    double flow = 0;\n"
    "    for (e : edges) flow += orientation(e)*u[e]*len[e];\n"
    "    d = flow/area;\n"
    "}\n"
    "kernel curl(in double u on edge, in double duallen on edge along xy,\n"
    "            in double dualarea on vertex along xy, out double c on vertex) on vertex\n"
    "{\n"
    "    double around = 0;\n"
    "    for (e : edges) around -= orientation(e)*u[e]*duallen[e];\n"
    "    c = around/dualarea;\n"
    "}\n"
    "kernel gradients(in double f on cell, in double g on vertex, in double len on edge along xy,\n"
    "                 in double duallen on edge along xy, out double normal on edge,\n"
    "                 out double tangential on edge) on edge\n"
    "{\n"
    "    double across = 0, along_it = 0;\n"
    "    for (c : cells) across -= orientation(c)*f[c];\n"
    "    for (v : vertices) along_it -= orientation(v)*g[v];\n"
    "    normal = across/duallen;\n"
    "    tangential = along_it/len;\n"
    "}\n"
    "kernel integral_cells(in double f on cell, in double area on cell along xy, sum double s) on "
    "cell\n"
    "{\n"
    "    s += f*area;\n"
    "}\n"
    "kernel integral_vertices(in double f on vertex, in double area on vertex along xy, sum double "
    "s)\n"
    "    on vertex\n"
    "{\n"
    "    s += f*area;\n"
    "}\n"
    "kernel parts_cells(in double f on cell, in double g on cell, in double area on cell along "
    "xy,\n"
    "                   sum double s) on cell\n"
    "{\n"
    "    s += f*g*area;\n"
    "}\n"
    "kernel parts_edges(in double u on edge, in double g on edge, in double len on edge along xy,\n"
    "                   in double duallen on edge along xy, sum double s) on edge\n"
    "{\n"
    "    s += u*g*len*duallen;\n"
    "}\n";

typedef struct world {
    kata *k;
    kata_grid *g;
    kata_module *m;
    int64_t count[4];
    kata_field *len, *duallen, *area, *dualarea, *u, *f, *p, *div, *curl, *normal, *tangential;
} world;

static double *geometry(const world *w, kata_location on, kata_geometry what, int values)
{
    int64_t count = w->count[on] * values;
    double *out = malloc(sizeof *out * (size_t)count);
    assert_int_equal(kata_grid_geometry(w->g, on, what, out, count), KATA_OK);
    return out;
}

static kata_field *fixed(const world *w, const char *name, kata_location on, kata_geometry what)
{
    kata_field *f = kata_field_new(w->g, name, KATA_F64, .on = on, .along = KATA_X | KATA_Y);
    double *values = geometry(w, on, what, 1);
    kata_put(f, kata_on(f), values, w->count[on]);
    free(values);
    return f;
}

static kata_field *plain(const world *w, const char *name, kata_location on)
{
    return kata_field_new(w->g, name, KATA_F64, .on = on);
}

static world begin(int bisections)
{
    world w = {.k = kata_open(&(kata_options){.threads = 2})};
    w.g = kata_grid_sphere(w.k, 2, bisections, 1);
    w.m = kata_module_from_text(w.k, "sphere", text);
    for (int on = KATA_CELLS; on <= KATA_VERTICES; on++) w.count[on] = kata_grid_count(w.g, on);
    w.len = fixed(&w, "len", KATA_EDGES, KATA_LENGTH);
    w.duallen = fixed(&w, "duallen", KATA_EDGES, KATA_DUAL_LENGTH);
    w.area = fixed(&w, "area", KATA_CELLS, KATA_AREA);
    w.dualarea = fixed(&w, "dualarea", KATA_VERTICES, KATA_DUAL_AREA);
    w.u = plain(&w, "u", KATA_EDGES);
    w.f = plain(&w, "f", KATA_CELLS);
    w.p = plain(&w, "p", KATA_VERTICES);
    w.div = plain(&w, "div", KATA_CELLS);
    w.curl = plain(&w, "curl", KATA_VERTICES);
    w.normal = plain(&w, "normal", KATA_EDGES);
    w.tangential = plain(&w, "tangential", KATA_EDGES);
    assert_true(kata_ok(w.k));
    return w;
}

static void end(world *w) { assert_int_equal(kata_close(w->k), KATA_OK); }

static void apply_div(world *w, kata_field *u)
{
    kata_apply(kata_kernel_find(w->m, "div"), kata_all(w->g), u, w->len, w->area, w->div);
}
static void apply_curl(world *w, kata_field *u)
{
    kata_apply(kata_kernel_find(w->m, "curl"), kata_all(w->g), u, w->duallen, w->dualarea, w->curl);
}
static void apply_gradients(world *w)
{
    kata_apply(kata_kernel_find(w->m, "gradients"), kata_all(w->g), w->f, w->p, w->len, w->duallen,
               w->normal, w->tangential);
}

static double *values_of(const world *w, kata_field *f, kata_location on)
{
    double *out = malloc(sizeof *out * (size_t)w->count[on]);
    assert_int_equal(kata_get(f, kata_on(f), out, w->count[on]), KATA_OK);
    return out;
}

static double largest(const world *w, kata_field *f, kata_location on)
{
    double *values = values_of(w, f, on), most = 0;
    for (int64_t i = 0; i < w->count[on]; i++) most = fmax(most, fabs(values[i]));
    free(values);
    return most;
}

/* ---- the mesh -------------------------------------------------------------------------------- */

static void twelve_vertices_have_five_neighbours(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    for (int root = 1; root <= 4; root++)
        for (int b = 0; b < 2; b++) {
            kata_grid *g = kata_grid_sphere(k, root, b, 1);
            int64_t n = (int64_t)root * root * (b ? 4 : 1), fives = 0;
            int64_t vertices = kata_grid_count(g, KATA_VERTICES);
            assert_int_equal(kata_grid_count(g, KATA_CELLS), 20 * n);
            assert_int_equal(kata_grid_count(g, KATA_EDGES), 30 * n);
            assert_int_equal(vertices, 10 * n + 2);
            kata_neighbours edges = kata_grid_neighbours(g, KATA_VERTICES, KATA_EDGES);
            assert_int_equal(edges.width, n > 1 ? 6 : 5);
            for (int64_t v = 0; v < vertices; v++) fives += n == 1 || edges.table[6 * v + 5] < 0;
            assert_int_equal(fives, 12);
        }
    assert_int_equal(kata_close(k), KATA_OK);
}

static void assert_span(const double *values, int64_t count, double least, double most, double to)
{
    double lo = values[0], hi = values[0];
    for (int64_t i = 0; i < count; i++) {
        lo = fmin(lo, values[i]);
        hi = fmax(hi, values[i]);
    }
    assert_near(lo, least, to);
    assert_near(hi, most, to);
}

static double sum(const double *values, int64_t count)
{
    double s = 0;
    for (int64_t i = 0; i < count; i++) s += values[i];
    return s;
}

static void lengths_and_areas(int bisections, const double expected[5])
{
    world w = begin(bisections);
    double *len = geometry(&w, KATA_EDGES, KATA_LENGTH, 1);
    double *duallen = geometry(&w, KATA_EDGES, KATA_DUAL_LENGTH, 1);
    double *area = geometry(&w, KATA_CELLS, KATA_AREA, 1), least = area[0], most = area[0];
    double *dualarea = geometry(&w, KATA_VERTICES, KATA_DUAL_AREA, 1);
    assert_span(len, w.count[KATA_EDGES], expected[0], expected[1], 1e-5);
    assert_span(duallen, w.count[KATA_EDGES], expected[3], expected[4], 1e-4);
    assert_near(sum(area, w.count[KATA_CELLS]), 4 * M_PI, 1e-11);
    assert_near(sum(dualarea, w.count[KATA_VERTICES]), 4 * M_PI, 1e-11);
    for (int64_t i = 0; i < w.count[KATA_CELLS]; i++) {
        least = fmin(least, area[i]);
        most = fmax(most, area[i]);
    }
    assert_near(most / least, expected[2], 1e-4);
    free(len);
    free(duallen);
    free(area);
    free(dualarea);
    end(&w);
}

static void lengths_and_areas_are_those_of_the_icosahedron(void **unused)
{
    (void)unused;
    lengths_and_areas(2, (double[]){.13839, .16483, 1.2940, .0546, .1004});
    lengths_and_areas(3, (double[]){.06920, .08263, 1.2989, .0267, .0503});
}

/* ---- what holds exactly ---------------------------------------------------------------------- */

static void put_random(const world *w, kata_field *f, kata_location on, int seed)
{
    double *values = malloc(sizeof *values * (size_t)w->count[on]);
    for (int64_t i = 0; i < w->count[on]; i++)
        values[i] = (double)((i * 7919 + seed * 104729) % 2003) / 1001 - 1;
    kata_put(f, kata_on(f), values, w->count[on]);
    free(values);
}

static double scalar(kata_scalar *s)
{
    double value;
    assert_int_equal(kata_scalar_get(s, &value), KATA_OK);
    return value;
}

static void operators_undo_one_another(int bisections)
{
    world w = begin(bisections);
    kata_scalar *a = kata_scalar_new(w.k, "a", KATA_F64), *b = kata_scalar_new(w.k, "b", KATA_F64);
    put_random(&w, w.u, KATA_EDGES, 1);
    put_random(&w, w.f, KATA_CELLS, 2);
    put_random(&w, w.p, KATA_VERTICES, 3);
    apply_gradients(&w);
    apply_curl(&w, w.normal);
    double scale = 1 / pow(.5, bisections);
    assert_true(largest(&w, w.curl, KATA_VERTICES) < 1e-13 * scale * scale);
    apply_div(&w, w.tangential);
    assert_true(largest(&w, w.div, KATA_CELLS) < 1e-13 * scale * scale);
    apply_div(&w, w.u);
    apply_curl(&w, w.u);
    kata_apply(kata_kernel_find(w.m, "integral_cells"), kata_all(w.g), w.div, w.area, a);
    kata_apply(kata_kernel_find(w.m, "integral_vertices"), kata_all(w.g), w.curl, w.dualarea, b);
    assert_true(fabs(scalar(a)) < 1e-12);
    assert_true(fabs(scalar(b)) < 1e-12);
    kata_apply(kata_kernel_find(w.m, "parts_cells"), kata_all(w.g), w.f, w.div, w.area, a);
    kata_apply(kata_kernel_find(w.m, "parts_edges"), kata_all(w.g), w.u, w.normal, w.len, w.duallen,
               b);
    assert_true(fabs(scalar(a)) > 1e-3);
    assert_true(fabs(scalar(a) + scalar(b)) < 1e-12);
    end(&w);
}

static void gauss_and_stokes_hold(void **unused)
{
    (void)unused;
    for (int bisections = 0; bisections < 4; bisections++) operators_undo_one_another(bisections);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static const double omega[3] = {0.3, 0.4, 0.866};

static double along_axis(const double *at, int64_t count, int64_t i)
{
    double length = sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]), s = 0;
    for (int d = 0; d < 3; d++) s += omega[d] / length * at[d * count + i];
    return s;
}

/* The part of a rotation that is normal to each edge. */
static void put_rotation(const world *w)
{
    int64_t n = w->count[KATA_EDGES];
    double *at = geometry(w, KATA_EDGES, KATA_POSITION, 3), *u = malloc(sizeof *u * (size_t)n);
    double *normal = geometry(w, KATA_EDGES, KATA_NORMAL, 3);
    double length = sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]);
    for (int64_t i = 0; i < n; i++) {
        u[i] = 0;
        for (int d = 0; d < 3; d++) {
            int e = (d + 1) % 3, f = (d + 2) % 3;
            u[i] +=
                (omega[e] * at[f * n + i] - omega[f] * at[e * n + i]) / length * normal[d * n + i];
        }
    }
    kata_put(w->u, kata_on(w->u), u, n);
    free(at);
    free(normal);
    free(u);
}

/* Largest and mean square difference between a field and `times` what a function has there. */
static void find_errors(const world *w, kata_field *f, kata_location on, double times,
                        double (*expected)(const double *at, int64_t count, int64_t i),
                        double out[2])
{
    int64_t n = w->count[on];
    double *at = geometry(w, on, KATA_POSITION, 3), *values = values_of(w, f, on), all = 0;
    double *area = geometry(w, on, on == KATA_CELLS ? KATA_AREA : KATA_DUAL_AREA, 1);
    out[0] = out[1] = 0;
    for (int64_t i = 0; i < n; i++) {
        double error = values[i] - times * expected(at, n, i);
        out[0] = fmax(out[0], fabs(error));
        out[1] += error * error * area[i];
        all += area[i];
    }
    out[1] = sqrt(out[1] / all);
    free(at);
    free(values);
    free(area);
}

static double height(const double *at, int64_t count, int64_t i) { return at[2 * count + i]; }

/* The tables have three digits. */
static void assert_digits(double found, double expected)
{
    assert_near(found, expected, 0.006 * expected);
}

static void assert_errors(int bisections, const double expected[6])
{
    world w = begin(bisections);
    double rot[2], lap[2];
    put_rotation(&w);
    apply_div(&w, w.u);
    apply_curl(&w, w.u);
    assert_digits(largest(&w, w.div, KATA_CELLS), expected[0]);
    find_errors(&w, w.curl, KATA_VERTICES, 2, along_axis, rot);
    assert_digits(rot[0], expected[1]);
    assert_digits(rot[1], expected[2]);
    double *at = geometry(&w, KATA_CELLS, KATA_POSITION, 3);
    kata_put(w.f, kata_on(w.f), at + 2 * w.count[KATA_CELLS], w.count[KATA_CELLS]);
    apply_gradients(&w);
    apply_div(&w, w.normal);
    find_errors(&w, w.div, KATA_CELLS, -2, height, lap);
    assert_digits(lap[1], expected[5]);
    double *normal = geometry(&w, KATA_EDGES, KATA_NORMAL, 3); /* the gradient of z is its z */
    kata_put(w.u, kata_on(w.u), normal + 2 * w.count[KATA_EDGES], w.count[KATA_EDGES]);
    apply_div(&w, w.u);
    find_errors(&w, w.div, KATA_CELLS, -2, height, lap);
    assert_digits(lap[0], expected[3]);
    assert_digits(lap[1], expected[4]);
    free(at);
    free(normal);
    end(&w);
}

static void errors_are_those_of_the_table(void **unused)
{
    (void)unused;
    assert_errors(2, (double[]){5.27e-3, 1.12e-2, 4.16e-3, 1.97e-2, 8.03e-3, 5.26e-2});
    assert_errors(3, (double[]){2.67e-3, 5.27e-3, 1.51e-3, 1.01e-2, 3.99e-3, 3.53e-2});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_vertices_have_five_neighbours),
        cmocka_unit_test(lengths_and_areas_are_those_of_the_icosahedron),
        cmocka_unit_test(gauss_and_stokes_hold),
        cmocka_unit_test(errors_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
