/* The cpu executor gives the reference executor's bits: on kernels that between them use every kind
 * of parameter and node, on grids from one point to several bricks and blocks, under every boundary
 * rule, on any part of the grid, with any number of threads. */
/* Labels: hostile threads slow */
#include "exec/cpu.h"
#include "lang/lang.h"
#include "legality/legality.h"
#include "sweep/loop.h"

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] =
    "kernel line(in double u, out double v, double c) { v = u + c*(u[1] - 2*u + u[-1]); }\n"
    "kernel wide(in float u, out float v) { v = 0.5*(u[7] + u[-5]) - u[2]; }\n"
    "kernel heat2(in double u, out double v, double c)\n"
    "{ v = u + c*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }\n"
    "kernel heat3(in float u, out float v, float c)\n"
    "{ v = u + c*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1] - 6*u); }\n"
    "kernel corners(in double u, out double v)\n"
    "{ v = u[2,1,3]*0.25 - u[-1,-3,-2]*0.5 + u[-3,2,-1]; }\n"
    "const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};\n"
    "const int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};\n"
    "kernel stream(in double f[9], out double g[9], double w[9], sum double mass)\n"
    "{ double rho = 0;\n"
    "  for (int q = 0; q < 9; q++) rho += f[q][-cx[q], -cy[q]];\n"
    "  for (int q = 0; q < 9; q++) {\n"
    "    double h = f[q][-cx[q], -cy[q]];\n"
    "    g[q] = ix == 0 || iy == ny - 1 ? w[q] : h + 0.7*(w[q]*rho - h); }\n"
    "  mass += rho; }\n"
    "kernel indices(inout double u, in float v, out double w)\n"
    "{ double old = u; u = sqrt(fabs(v[1,-1])) + old; w = old / (u + iy) + ix; }\n"
    "kernel swap(inout double a, inout double b) { double old = a; a = b; b = old; }\n"
    "kernel whole(in int a, in long b, out int c, out long d, int k)\n"
    "{ c = (a[1,1] * 7 + k) / (a[-1,0] % 5); d = b[0,-1] * b[-1,0] - (a << 3) + (b >> k); }\n"
    "kernel totals(in double u, in float v, in int a, sum double s, min double lo, max double hi,\n"
    "              sum float t, max float top, sum int n, min int least)\n"
    "{ s += u[0,1]*v; lo = min(lo, u); hi = max(hi, u - v[1,0]); t += v;\n"
    "  top = max(top, v); n += a; least = min(least, a[0,-1]); }\n"
    "kernel functions(in double u, in float v, out double w, out float x)\n"
    "{ w = exp(u)*sin(u[1,0]) + pow(fabs(u), 0.3) + round(3*u) + atan2(u, 0.5);\n"
    "  x = tanh(v) + log(fabs(v) + 1) + floor(4*v[-1,0]) + fma(v, v, v[0,1]); }\n"
    "kernel limits(in double u, out double v, out double w)\n"
    "{ double a = u[1,0] - u, b = u - u[-1,0];\n"
    "  double s = a*b > 0 ? (fabs(a) < fabs(b) ? a : b) : 0;\n"
    "  if (ix > nx/2 && !(iy < 3)) { v = s; } else { v = min(a, b); }\n"
    "  w = max(s, (double)(int)(1000*u)); }\n"
    "kernel sometimes(in double u, inout double v, inout float w[2], int k)\n"
    "{ if (u > 0) v = u[1,0]; if (ix % 3 == k) { w[0] = v; } else if (u < -1) w[1] = 2; }\n"
    "const uchar steps[2] = {3, 255};\n"
    "const short shifts[2] = {-7, 30000};\n"
    "kernel halves(in ushort a, inout short b, out ushort c, out short d, in float u, ushort k)\n"
    "{ ushort s = a[1,0] + a[-1,2] + k; if (b > s) s -= shifts[ix%2 == 0]; d = s*u; c = 100*u;\n"
    "  b = s + shifts[0]*a; }\n"
    "kernel half_chosen(in double u, in ushort m, in short n, out double v)\n"
    "{ v = m[1,0] > 9000 ? u + m : n[0,1] < 0 ? u[1,0] - n : u; }\n"
    "kernel bytes(in uchar a, inout uchar b, out uchar c, in float u, uchar k)\n"
    "{ uchar s = a[1,0] + a[-1,2] + k; if (b > s) s -= steps[1]; b = s*u; c = b + steps[0]*a; }\n"
    /* values that points of a row share, of different widths and one made of another */
    "static double curve(in double u, double k)\n"
    "{ return k*u - (u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,0,-1]); }\n"
    "static double flux(in double u, double k)\n"
    "{ double f = curve(u[1,0,0], k) - curve(u, k);\n"
    "  return f*(u[1,0,0] - u) > 0 ? 0 : f; }\n"
    "kernel fluxes(in double u, in float c, out double v, sum double s, double k)\n"
    "{ v = u - c*(flux(u, k) - flux(u[-1,0,0], k)) + curve(u[0,1,0], k); s += flux(u, k); }\n"
    "static double steep(in double u, double k)\n"
    "{ double f = exp(0.1*curve(u[1,0,0], k)) - exp(0.1*curve(u, k));\n"
    "  return f*(u[1,0,0] - u) > 0 ? 0 : sqrt(fabs(f)); }\n"
    "kernel nested(in double u, out double v, double k)\n"
    "{ v = steep(u, k) - steep(u[-1,0,0], k) + exp(0.1*curve(u[-1,0,0], k)); }\n"
    "kernel distances(in double u, out double v)\n"
    "{ v = exp(u[1,0,0] - u) - exp(u[2,0,0] - u[1,0,0])*exp(u[2,0,0] - u); }\n"
    "static float bent(in float a) { return exp(a*0.25)*a + a[2,0]; }\n"
    "kernel apart(in float a, in float b, out float p, out float q, inout float r, out float s,\n"
    "             out float t, out float w, int k)\n"
    "{ float most = max(bent(a[-3,0]), bent(a[11,0]));\n"
    "  p = bent(a) - most; q = bent(b[13,0]) - bent(b[-13,0]); r += bent(a[1,0]);\n"
    "  s = a[0,1]*b + b[0,-1]; t = (a*b[1,1] + b)*(a[1,0]*b[2,1] + b[1,0]);\n"
    "  if (ix + iy > k) w = sqrt(fabs(b[0,2] + a)) / sqrt(fabs(b[1,2] + a[1,0])); else w = p; }\n";

enum { MOST = 12 }; /* parameters */

/* Both executors' copies of the fields of one application. */
typedef struct application {
    chain_slot slots[2][MOST];
    chain_binding bindings[2][MOST];
    grid_boundary boundaries[MOST];
    ir_value table[16];
    bool other_storage; /* fields are stored in another type than they are computed in */
} application;

typedef struct fixture {
    jit *jit;
    lang_module *module;
    messages m;
} fixture;

static double random_value(void) { return (double)rand() / RAND_MAX * 4 - 2; }

static kata_rule random_rule(int64_t size)
{
    kata_rule rule = (kata_rule)(KATA_CONSTANT + rand() % (KATA_PERIODIC - KATA_CONSTANT));
    return grid_rule_lacks_points(rule, size) ? KATA_CLAMP : rule;
}

static grid_boundary random_boundary(const grid_shape *shape)
{
    grid_boundary b = {0};
    for (int side = 0; side < 6; side++)
        b.side[side] = (grid_side_rule){random_rule(shape->size[side / 2]), random_value()};
    for (int d = 0; d < 3; d++)
        if (rand() % 3 == 0) b.side[2 * d].rule = b.side[2 * d + 1].rule = KATA_PERIODIC;
    return b;
}

static void fill(chain_slot *slot)
{
    grid_box all = grid_shape_box(&slot->shape);
    size_t count = (size_t)(grid_box_points(&all) * slot->components);
    bool floating = ir_type_is_floating(ir_type_of_storage(slot->type));
    bool special = rand() % 4 == 0;
    double *values = malloc(count * sizeof *values);
    int64_t *whole = malloc(count * sizeof *whole);
    int32_t *narrow = malloc(count * sizeof *narrow);
    assert_true(values && whole && narrow);
    uint8_t *bytes = malloc(count);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)rand();
        values[i] = rand() % 8 ? random_value() : rand() % 2 ? 0.0 : -0.0;
        if (special && rand() % 50 == 0) values[i] = rand() % 2 ? (double)NAN : (double)INFINITY;
        whole[i] = (int64_t)((uint64_t)rand() << 33) ^ rand();
        narrow[i] = rand() % 3 ? rand() % 20 - 10 : (int32_t)((uint32_t)rand() * 2 + 1);
    }
    const void *source = floating                                           ? (const void *)values
                         : slot->type == KATA_I64                           ? (const void *)whole
                         : slot->type == KATA_U8                            ? (const void *)bytes
                         : slot->type == KATA_U16 || slot->type == KATA_I16 ? (const void *)narrow
                                                                            : narrow;
    assert_non_null(store_slot_array(slot));
    store_write(slot->array, &all, floating ? KATA_F64 : slot->type, source);
    free(values);
    free(whole);
    free(narrow);
    free(bytes);
}

/* One of a few for each parameter, so that the compiler is not called too often. */
static kata_type storage_of(const application *a, const ir_kernel *kernel, int p)
{
    static const kata_type floating[] = {KATA_F16, KATA_F64, KATA_BF16, KATA_F32, KATA_UNORM8};
    static const kata_type whole[] = {KATA_U8, KATA_I32, KATA_U16, KATA_I64, KATA_I16};
    const ir_param *param = &kernel->params[p];
    size_t choice = (size_t)p + kernel->graph.count;
    if (!ir_param_is_field(param) || !a->other_storage) return ir_storage_of_type(param->type);
    if (ir_type_is_narrow(param->type)) return ir_storage_of_type(param->type);
    if (ir_type_is_floating(param->type)) return floating[choice % COUNT_OF(floating)];
    return whole[choice % COUNT_OF(whole)];
}

static void bind(application *a, const ir_kernel *kernel, int p, const grid_shape *shape)
{
    const ir_param *param = &kernel->params[p];
    const grid_shape point = {1, {1, 1, 1}};
    a->boundaries[p] = random_boundary(shape);
    chain_binding b = {.name = param->name, .boundary = &a->boundaries[p]};
    if (param->kind == IR_PARAM_NUMBER) b.number = ir_value_of_double(param->type, 3.25);
    for (int i = 0; i < 16; i++) a->table[i] = ir_value_of_double(param->type, 0.1 * i);
    if (param->kind == IR_PARAM_TABLE) b.table = a->table;
    chain_slot slot = {.components = param->count, .type = storage_of(a, kernel, p)};
    slot.is_scalar = ir_param_is_reduction(param);
    slot.shape = slot.is_scalar ? point : *shape;
    bool is_slot = ir_param_is_field(param) || slot.is_scalar;
    if (ir_param_is_field(param)) fill(&slot);
    a->slots[0][p] = a->slots[1][p] = slot;
    if (ir_param_is_field(param)) {
        a->slots[1][p].array = NULL;
        store_assign(store_slot_array(&a->slots[1][p]), slot.array);
    }
    for (int side = 0; side < 2; side++) {
        a->bindings[side][p] = b;
        if (is_slot) a->bindings[side][p].slot = &a->slots[side][p];
    }
}

static bool same_value(kata_type type, const char *x, const char *y)
{
    if (memcmp(x, y, (size_t)store_type_bytes(type)) == 0) return true;
    if (!ir_type_is_floating(ir_type_of_storage(type))) return false;
    return isnan(ir_storage_read(type, IR_F64, x).f64) &&
           isnan(ir_storage_read(type, IR_F64, y).f64);
}

static void assert_same(const application *a, const ir_kernel *kernel, int p)
{
    const chain_slot *x = &a->slots[0][p], *y = &a->slots[1][p];
    grid_box all = grid_shape_box(&x->shape);
    size_t count = (size_t)(grid_box_points(&all) * x->components);
    size_t size = (size_t)store_type_bytes(x->type);
    char *values = malloc(2 * count * size), *others = values + count * size;
    assert_non_null(values);
    store_read(x->array, &all, x->components, x->type, values);
    store_read(y->array, &all, x->components, x->type, others);
    for (size_t i = 0; i < count; i++)
        if (!same_value(x->type, values + i * size, others + i * size))
            fail_msg("%s, parameter %d, value %zu of %lld x %lld x %lld", kernel->name, p, i,
                     (long long)x->shape.size[0], (long long)x->shape.size[1],
                     (long long)x->shape.size[2]);
    free(values);
}

static void run(fixture *f, const exec_executor *executor, int threads, const chain_loop *loop)
{
    exec_context context = {.threads = threads, .jit = f->jit, .wait = true, .larger = true};
    chain c = {0};
    assert_int_equal(chain_append(&c, loop, &f->m), KATA_OK);
    assert_int_equal(executor->run(&context, &c, &f->m), KATA_OK);
    chain_free(&c);
    exec_cpu_free(context.cpu);
    plan_cache_free(context.plans);
}

static void check(fixture *f, const ir_kernel *kernel, const grid_shape *shape, const grid_box *box,
                  int threads)
{
    application a = {.other_storage = rand() % 2};
    for (int p = 0; p < kernel->param_count; p++) bind(&a, kernel, p, shape);
    for (int side = 0; side < 2; side++) {
        chain_loop loop = {
            .kernel = kernel, .shape = *shape, .box = *box, .bindings = a.bindings[side]};
        assert_int_equal(legality_check(&loop, &f->m), KATA_OK);
        run(f, side ? &exec_reference : &exec_cpu, threads, &loop);
    }
    for (int p = 0; p < kernel->param_count; p++) {
        if (a.bindings[0][p].slot) assert_same(&a, kernel, p);
        store_array_free(a.slots[0][p].array);
        store_array_free(a.slots[1][p].array);
    }
}

/* ---- properties ------------------------------------------------------------------------------ */

static int rank_of(const ir_kernel *kernel) { return kernel->rank ? kernel->rank : 2; }

static grid_shape random_shape(int rank, int64_t most)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 64, 97, 257, 512, 513, 1031};
    grid_shape shape = {rank, {1, 1, 1}};
    for (int d = 0; d < rank; d++) {
        int64_t size = sizes[(size_t)rand() % COUNT_OF(sizes)];
        shape.size[d] = size < most ? size : most;
        most = most / shape.size[d] > 1 ? most / shape.size[d] : 1;
    }
    return shape;
}

static grid_box random_box(const grid_shape *shape)
{
    grid_box box = grid_shape_box(shape);
    for (int d = 0; d < 3 && rand() % 2; d++) {
        box.lo[d] = rand() % shape->size[d];
        box.hi[d] = box.lo[d] + 1 + rand() % (shape->size[d] - box.lo[d]);
    }
    return box;
}

static void agrees_with_the_reference(void **state)
{
    static const int threads[] = {1, 2, 3, 7};
    fixture *f = *state;
    const char *sanitized = environment_get("KATA_SANITIZED");
    int rounds = sanitized && *sanitized == '1' ? 10 : 40;
    srand(7);
    for (int i = 0; i < f->module->count; i++)
        for (int round = 0; round < rounds; round++) {
            const ir_kernel *kernel = f->module->kernels[i];
            grid_shape shape = random_shape(rank_of(kernel), round % 10 ? 600 : 6000);
            grid_box box = random_box(&shape);
            check(f, kernel, &shape, &box, threads[(round / 10 + round) % 4]);
        }
}

static void cuts_long_rows_into_blocks(void **state)
{
    fixture *f = *state;
    grid_shape shape = {1, {300007, 1, 1}};
    grid_box box = {{1001, 0, 0}, {299990, 1, 1}};
    check(f, f->module->kernels[0], &shape, &box, 3);
}

/* Blocks cover a box once, wherever it lies and whatever its proportions are. */
static void blocks_cover_the_box(void **state)
{
    (void)state;
    srand(3);
    for (int round = 0; round < 3000; round++) {
        grid_box box;
        for (int d = 0; d < 3; d++) {
            box.lo[d] = rand() % 3000;
            box.hi[d] = box.lo[d] + 1 + rand() % (rand() % 4 ? 50 : 20000);
        }
        sweep_reuse reuse = {.planes = 1 + rand() % 3000,
                             .rows = 1 + rand() % 3000,
                             .span = {rand() % 20, rand() % 2 * 7, rand() % 2 * 9},
                             .reduces = rand() % 2};
        int uncut = rand() % 2 ? rand() % 8 : 0; /* dimensions */
        sweep_blocks blocks = sweep_blocks_make(&box, &reuse, 1 + rand() % 64, rand() % 2, uncut);
        int64_t unit = reuse.reduces ? ABI_BRICK : 8;
        int64_t points = 0;
        for (int64_t i = 0; i < blocks.total && i < 4000; i++) {
            grid_box block = sweep_block_box(&blocks, i);
            assert_false(grid_box_is_empty(&block));
            assert_true(grid_box_contains(&box, &block));
            assert_true(block.lo[0] == box.lo[0] || block.lo[0] % unit == 0);
            for (int d = 0; d < 3; d++) {
                if (!(uncut >> d & 1)) continue;
                assert_int_equal(block.lo[d], box.lo[d]);
                assert_int_equal(block.hi[d], box.hi[d]);
            }
            points += grid_box_points(&block);
        }
        if (blocks.total <= 4000) assert_int_equal(points, grid_box_points(&box));
    }
}

static void an_empty_box_reduces_to_the_start(void **state)
{
    fixture *f = *state;
    grid_shape shape = {2, {5, 5, 1}};
    grid_box empty = {{2, 2, 0}, {2, 4, 1}};
    for (int i = 0; i < f->module->count; i++)
        if (strcmp(f->module->kernels[i]->name, "totals") == 0)
            check(f, f->module->kernels[i], &shape, &empty, 2);
}

/* Neither are results changed by the program's rounding mode, nor is the mode. */
static void keeps_the_floating_point_environment(void **state)
{
    fixture *f = *state;
    grid_shape shape = {2, {100, 100, 1}};
    grid_box box = grid_shape_box(&shape);
    fesetround(FE_UPWARD);
    check(f, f->module->kernels[2], &shape, &box, 3);
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
}

/* Two chains with a kernel in common compile it once, and the second chain runs without a compiler.
 */
static void compiles_each_kernel_once(void **state)
{
    fixture *f = *state;
    exec_context context = {.threads = 1, .jit = f->jit, .wait = true, .larger = true};
    grid_shape shape = {2, {9, 9, 1}};
    application a = {0};
    const ir_kernel *kernel = f->module->kernels[2];
    for (int p = 0; p < kernel->param_count; p++) bind(&a, kernel, p, &shape);
    chain_loop loop = {
        .kernel = kernel, .shape = shape, .box = grid_shape_box(&shape), .bindings = a.bindings[0]};
    chain c = {0};
    for (int i = 0; i < 5; i++) assert_int_equal(chain_append(&c, &loop, &f->m), KATA_OK);
    assert_int_equal(exec_cpu.run(&context, &c, &f->m), KATA_OK);
    context.jit = NULL;
    assert_int_equal(exec_cpu.run(&context, &c, &f->m), KATA_OK);
    assert_int_equal(context.cpu->function_count, 1);
    chain_free(&c);
    exec_cpu_free(context.cpu);
    plan_cache_free(context.plans);
    for (int p = 0; p < kernel->param_count; p++) {
        store_array_free(a.slots[0][p].array);
        store_array_free(a.slots[1][p].array);
    }
}

static int set_up(void **state)
{
    static fixture f;
    if (jit_open(NULL, NULL, &f.m, &f.jit) != KATA_OK) return -1;
    *state = &f;
    return lang_compile("test_cpu", kernels, strlen(kernels), NULL, &f.m, &f.module) == KATA_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    lang_module_free(f->module);
    jit_close(f->jit);
    message_free(&f->m);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_reference),
        cmocka_unit_test(cuts_long_rows_into_blocks),
        cmocka_unit_test(blocks_cover_the_box),
        cmocka_unit_test(an_empty_box_reduces_to_the_start),
        cmocka_unit_test(keeps_the_floating_point_environment),
        cmocka_unit_test(compiles_each_kernel_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
