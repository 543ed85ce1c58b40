/* Programs with indices and loops of run time, against the same loops in C, bit for bit: a camera's
 * curve of 1,024 entries, and a bilateral grid of 24 bins, made and sliced. */
/* Labels: compiler */
#include "base/base.h"
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 67, NY = 21, POINTS = NX * NY, ENTRIES = 1024, BINS = 24 };

static const char text_of_kernels[] =
    "contract off;\n"
    /* the curve between its two nearest entries */
    "kernel camera(in double raw, out double out_value, double curve[1024], double gain)\n"
    "{ double at = fmin(fmax(gain*raw, 0.0), 1023.0);\n"
    "  int i = min((int)at, 1022);\n"
    "  out_value = curve[i] + (at - i)*(curve[i + 1] - curve[i]); }\n"
    /* each bin counts, with weights that fall, the values near it around the point */
    "kernel spread(in double u, out double bins[24], double sharp)\n"
    "{ for (int b = 0; b < 24; b++) {\n"
    "    double total = 0;\n"
    "    for (int j = -1; j <= 1; j++)\n"
    "      for (int i = -1; i <= 1; i++) total += max(0.0, 1 - sharp*fabs(u[i,j] - b));\n"
    "    bins[b] = total; } }\n"
    "kernel slice(in double u, in double bins[24], out double v)\n"
    "{ double at = min(max(u, 0.0), 22.5);\n"
    "  int b = (int)at;\n"
    "  v = bins[b]*(1 - (at - b)) + bins[b + 1]*(at - b); }\n"
    /* the mean of the bins up to the first that is empty */
    "kernel filled(in double bins[24], out double v, int most)\n"
    "{ double total = 0; int n = 0;\n"
    "  for (int b = 0; b < most && b < 24; b++) {\n"
    "    if (bins[b] == 0) break;\n"
    "    total += bins[b]*b; n++; }\n"
    "  v = n > 0 ? total/n : -1; }\n";

static double u[NY][NX], curve[ENTRIES], bins[BINS][NY][NX];

static double value_at(int i, int j)
{
    i = i < 0 ? 0 : i >= NX ? NX - 1 : i;
    j = j < 0 ? 0 : j >= NY ? NY - 1 : j;
    return u[j][i];
}

static double camera(double raw, double gain)
{
    double at = fmin(fmax(gain * raw, 0.0), 1023.0);
    int i = (int)at < 1022 ? (int)at : 1022;
    return curve[i] + (at - i) * (curve[i + 1] - curve[i]);
}

static double spread(int i, int j, int b, double sharp)
{
    double total = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++) {
            double near = 1 - sharp * fabs(value_at(i + x, j + y) - b);
            total += 0.0 < near ? near : 0.0;
        }
    return total;
}

static double slice(int i, int j)
{
    double at = u[j][i] > 0 ? u[j][i] : 0;
    if (at > 22.5) at = 22.5;
    int b = (int)at;
    return bins[b][j][i] * (1 - (at - b)) + bins[b + 1][j][i] * (at - b);
}

static double filled(int i, int j, int most)
{
    double total = 0;
    int n = 0;
    for (int b = 0; b < most && b < BINS; b++) {
        if (bins[b][j][i] == 0) break;
        total += bins[b][j][i] * b;
        n++;
    }
    return n > 0 ? total / n : -1;
}

static void make_values(void)
{
    for (int k = 0; k < POINTS; k++) (&u[0][0])[k] = (double)(k * 59 % 1021) / 40 - 1;
    for (int k = 0; k < ENTRIES; k++) curve[k] = 255 * pow(k / 1023.0, 1 / 2.2);
    for (int b = 0; b < BINS; b++)
        for (int k = 0; k < POINTS; k++)
            bins[b][k / NX][k % NX] = spread(k % NX, k / NX, b, 0.0625);
}

static void expect(kata_field *field, kata_grid *g, double (*value)(int i, int j))
{
    static double found[NY][NX];
    assert_int_equal(kata_get(field, kata_all(g), &found[0][0], POINTS), KATA_OK);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            double expected = value(i, j);
            if (memcmp(&expected, &found[j][i], sizeof expected) != 0)
                fail_msg("(%d, %d): %.17g, not %.17g", i, j, found[j][i], expected);
        }
}

static double camera_at(int i, int j) { return camera(u[j][i], 40.5); }
static double filled_at(int i, int j) { return filled(i, j, 19); }

static void programs_are_those_of_c(void **state)
{
    (void)state;
    make_values();
    kata *k = kata_open(&(kata_options){.threads = 2, .wait = true});
    kata_module *m = kata_module_from_text(k, "text", text_of_kernels);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *in = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *out = kata_field_new(g, "v", KATA_F64);
    kata_field *made = kata_field_new(g, "bins", KATA_F64, .components = BINS);
    kata_put(in, kata_all(g), &u[0][0], POINTS);
    kata_apply(kata_kernel_find(m, "camera"), kata_all(g), in, out,
               kata_table_of(KATA_F64, curve, ENTRIES), 40.5);
    expect(out, g, camera_at);
    kata_apply(kata_kernel_find(m, "spread"), kata_all(g), in, made, 0.0625);
    kata_apply(kata_kernel_find(m, "slice"), kata_all(g), in, made, out);
    expect(out, g, slice);
    kata_apply(kata_kernel_find(m, "filled"), kata_all(g), made, out, 19);
    expect(out, g, filled_at);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    text_add(data, "%s", message);
}

static void look_outside(const char *executor, text *message)
{
    kata *k = kata_open(&(kata_options){
        .executor = executor, .wait = true, .handler = keep_message, .handler_data = message});
    kata_module *m = kata_module_from_text(
        k, "text", "kernel pick(in double f[5], in int which, out double v) { v = f[which]; }");
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *f = kata_field_new(g, "f", KATA_F64, .components = 5);
    kata_field *which = kata_field_new(g, "which", KATA_I32);
    kata_field *v = kata_field_new(g, "v", KATA_F64);
    kata_put(which, kata_box_2d(g, 60, 62, 2, 3), ((int[]){5, -1}), 2);
    kata_apply(kata_kernel_find(m, "pick"), kata_all(g), f, which, v);
    assert_int_equal(kata_flush(k), KATA_ERROR_ASSERT);
    kata_close(k);
}

static void a_component_outside_is_reported(void **state)
{
    text expected = {0}, found = {0};
    (void)state;
    look_outside("reference", &expected);
    look_outside("cpu", &found);
    assert_string_equal(text_get(&expected), text_get(&found));
    assert_non_null(strstr(text_get(&found), "index 5 is outside 'f' at point (60, 2)"));
    text_free(&expected);
    text_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_those_of_c),
        cmocka_unit_test(a_component_outside_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
