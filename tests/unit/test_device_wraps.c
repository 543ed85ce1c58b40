/* Loops on a device find what lies beyond a periodic side at the other one, and fill around their
 * fields what they find by other rules. On each kind of device that this machine has. */
/* Labels: hostile slow */
#include "api/api.h"
#include "device_kinds.h"
#include "exec/on_device.h"

#include <cmocka.h>

enum { NX = 20, NY = 9, NZ = 7, POINTS = NX * NY * NZ };

static const char *kind; /* "cuda", "opencl" */

static const char kernels_text[] =
    "kernel start(out double u, double by) { u = ((ix*7 + iy*13 + iz*31) % 101)*by; }\n"
    /* near, far along y and z, and at corners */
    "kernel near(in double u, out double v)\n"
    "{\n"
    "    v = u + 0.3*u[0,1,0] - 0.2*u[0,-1,0] + 0.7*u[0,0,1] - u[0,0,-1] + 0.1*u[1,1,-1];\n"
    "}\n"
    "kernel far(in double u, out double v)\n"
    "{\n"
    "    v = u[0,5,0] + 0.5*u[2,-4,6] - 0.25*u[-1,0,-7] + 0.125*u[0,-9,3];\n"
    "}\n"
    /* another field is read and written, and a sum made */
    "kernel both(in double u, inout double w, sum double s)\n"
    "{\n"
    "    w += u[0,-2,1];\n"
    "    s += u[0,3,-1]*w;\n"
    "}\n"
    /* where it is written beside the point, a field has to be filled */
    "kernel beside(in double u, out double v) { v[0,1,0] = u[0,-1,0] + u[0,1,1]; }\n";

/* What a program leaves. */
typedef struct outcome {
    double v[POINTS], w[POINTS], sum;
    size_t tables; /* by which values around fields were found */
} outcome;

typedef struct program {
    kata_rule y, z;
    const char *kernel;
    bool inner;        /* it runs on the points inside */
    const char *shape; /* of its threads; NULL: as is chosen */
} program;

static kata_range range_of(const kata_grid *g, bool inner)
{
    return inner ? kata_box_3d(g, 3, NX, 2, NY - 1, 1, NZ) : kata_all(g);
}

static void set_sides(kata_field *f, kata_side low, kata_rule rule)
{
    if (rule == KATA_PERIODIC) return; /* as all sides are */
    for (int side = 0; side < 2; side++) kata_boundary_set(f, (kata_side)(low + side), rule, 0);
}

static void run(const program *p, const char *device, outcome *o)
{
    memset(o, 0, sizeof *o);
    kata *k = kata_open(&(kata_options){.device = device, .plan = "loops", .wait = true});
    assert_non_null(k);
    kata_module *m = kata_module_from_text(k, "wraps.kata", kernels_text);
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *fields[3];
    for (int i = 0; i < 3; i++) {
        fields[i] = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
        set_sides(fields[i], KATA_Y_LOW, p->y);
        set_sides(fields[i], KATA_Z_LOW, p->z);
        kata_apply(kata_kernel_find(m, "start"), kata_all(g), fields[i], 0.37 + i);
    }
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64);
    kata_kernel *kernel = kata_kernel_find(m, p->kernel);
    for (int i = 0; i < 3; i++) {
        kata_apply(kernel, range_of(g, p->inner), fields[0], fields[1]);
        kata_apply(kata_kernel_find(m, "both"), range_of(g, p->inner), fields[1], fields[2], s);
        kata_swap(fields[0], fields[1]);
    }
    kata_scalar_get(s, &o->sum);
    kata_get(fields[0], kata_all(g), o->v, POINTS);
    kata_get(fields[2], kata_all(g), o->w, POINTS);
    assert_true(kata_ok(k));
    if (k->exec.device) o->tables = k->exec.device->table_count;
    kata_close(k);
}

static void compare(const program *p)
{
    static outcome expected, found;
    run(p, "none", &expected);
    if (p->shape) setenv("KATA_DEVICE_SHAPE", p->shape, 1);
    run(p, kind, &found);
    unsetenv("KATA_DEVICE_SHAPE");
    assert_memory_equal(found.v, expected.v, sizeof found.v);
    assert_memory_equal(found.w, expected.w, sizeof found.w);
    assert_memory_equal(&found.sum, &expected.sum, sizeof found.sum);
    const bool wraps = p->y == KATA_PERIODIC && p->z == KATA_PERIODIC;
    if (HOSTILE(false, true) || !strcmp(p->kernel, "beside")) return;
    assert_int_equal(found.tables == 0, wraps);
}

static void other_sides_are_read(void **state)
{
    static const kata_rule rules[][2] = {
        {KATA_PERIODIC, KATA_PERIODIC}, {KATA_PERIODIC, KATA_CLAMP}, {KATA_CLAMP, KATA_PERIODIC}};
    static const char *const kernels[] = {"near", "far"};
    (void)state;
    for (size_t r = 0; r < COUNT_OF(rules); r++)
        for (size_t i = 0; i < COUNT_OF(kernels); i++)
            for (int inner = 0; inner < 2; inner++)
                compare(&(program){rules[r][0], rules[r][1], kernels[i], inner, NULL});
    for (int inner = 0; inner < 2; inner++)
        compare(&(program){KATA_PERIODIC, KATA_CLAMP, "beside", inner, NULL});
}

/* Threads that run some points read rows that wrap, too. */
static void shapes_wrap(void **state)
{
    static const char *const shapes[] = {"chunk=4 along=1", "chunk=3 along=2", "vector=1",
                                         "vector=2 chunk=2 along=1"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        compare(&(program){KATA_PERIODIC, KATA_PERIODIC, "near", false, shapes[i]});
        compare(&(program){KATA_PERIODIC, KATA_PERIODIC, "far", true, shapes[i]});
    }
}

/* ---- components that are chosen when a kernel runs ------------------------------------------- */

enum { COMPONENTS = 18 };

static const char chosen_text[] =
    "kernel start(out double u[18])\n"
    "{\n"
    "    for (int c = 0; c < 18; c++) u[c] = ((ix*7 + iy*13 + iz*31 + c*5) % 101)*0.37;\n"
    "}\n"
    "kernel chosen(in double u[18], out double v, sum double s)\n"
    "{\n"
    "    int c = (ix + 2*iy + 5*iz) % 17;\n"
    "    v = u[c][-1,0,0] + 0.3*u[c][2,1,-1] - 0.5*u[c + 1][0,-3,2];\n"
    "    s += u[c][0,0,1];\n"
    "}\n"
    "kernel chosen_alone(in double u[18], out double v)\n"
    "{\n"
    "    int c = (ix + 2*iy + 5*iz) % 17;\n"
    "    v = u[c][1,0,0] + 0.3*u[c][-2,1,-1] - 0.5*u[c + 1][0,-3,2];\n"
    "}\n";

static void run_chosen(const char *device, const char *shape, outcome *o)
{
    memset(o, 0, sizeof *o);
    if (shape) setenv("KATA_DEVICE_SHAPE", shape, 1);
    kata *k = kata_open(&(kata_options){.device = device, .wait = true});
    unsetenv("KATA_DEVICE_SHAPE");
    assert_non_null(k);
    kata_module *m = kata_module_from_text(k, "chosen.kata", chosen_text);
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *u =
        kata_field_new(g, "u", KATA_F64, .components = COMPONENTS, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_new(g, "v", KATA_F64), *w = kata_field_new(g, "w", KATA_F64);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64);
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    kata_apply(kata_kernel_find(m, "chosen"), kata_all(g), u, v, s);
    kata_apply(kata_kernel_find(m, "chosen_alone"), kata_all(g), u, w);
    kata_scalar_get(s, &o->sum);
    kata_get(v, kata_all(g), o->v, POINTS);
    kata_get(w, kata_all(g), o->w, POINTS);
    assert_true(kata_ok(k));
    kata_close(k);
}

static void chosen_components_wrap(void **state)
{
    static const char *const shapes[] = {NULL, "chunk=4 along=1", "vector=1"};
    static outcome expected, found;
    (void)state;
    run_chosen("none", NULL, &expected);
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        run_chosen(kind, shapes[i], &found);
        assert_memory_equal(&found, &expected, sizeof found);
    }
}

/* ---- fields of lower rank -------------------------------------------------------------------- */

static const char surface_text[] =
    "kernel start(out double s along xy) { s = ((ix*7 + iy*13) % 101)*0.37; }\n"
    "kernel start_section(out double t along xz) { t = ((ix*5 + iz*17) % 97)*0.11; }\n"
    "kernel over(in double s along xy, in double t along xz, out double v, out double w)\n"
    "{\n"
    "    v = iz + s[1,-1,0] + 0.5*s[0,2,0];\n"
    "    w = iy*v + t[-1,0,1] - t[2,0,-3];\n"
    "}\n";

static void run_surface(const char *device, outcome *o)
{
    memset(o, 0, sizeof *o);
    kata *k = kata_open(&(kata_options){.device = device, .wait = true});
    assert_non_null(k);
    kata_module *m = kata_module_from_text(k, "surface.kata", surface_text);
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *s =
        kata_field_new(g, "s", KATA_F64, .along = KATA_X | KATA_Y, .boundary = KATA_PERIODIC);
    kata_field *t =
        kata_field_new(g, "t", KATA_F64, .along = KATA_X | KATA_Z, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_new(g, "v", KATA_F64), *w = kata_field_new(g, "w", KATA_F64);
    kata_apply(kata_kernel_find(m, "start"), kata_on(s), s);
    kata_apply(kata_kernel_find(m, "start_section"), kata_on(t), t);
    kata_apply(kata_kernel_find(m, "over"), kata_all(g), s, t, v, w);
    kata_get(v, kata_all(g), o->v, POINTS);
    kata_get(w, kata_all(g), o->w, POINTS);
    assert_true(kata_ok(k));
    kata_close(k);
}

/* A field has one index, 0, along a dimension that it lacks, also where it wraps along others. */
static void fields_of_lower_rank_wrap(void **state)
{
    static outcome expected, found;
    (void)state;
    run_surface("none", &expected);
    run_surface(kind, &found);
    assert_memory_equal(&found, &expected, sizeof found);
}

static int test_kind(const char *name)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_sides_are_read), cmocka_unit_test(shapes_wrap),
        cmocka_unit_test(chosen_components_wrap), cmocka_unit_test(fields_of_lower_rank_wrap)};
    return DEVICE_RUN_TESTS(name, kind, tests);
}

int main(void)
{
    if (!device_is_there("cuda")) device_use_shim();
    int failed = test_kind("cuda");
    return failed + test_kind("opencl");
}
