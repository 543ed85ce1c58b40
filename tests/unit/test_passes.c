/* Passes of code generation make kernels faster and change no bit: with each of them left out, and
 * with all, compiled kernels give what the reference executor gives. Each pass changes the code of
 * some kernel here, so that leaving it out is no empty promise. */
/* Labels: hostile slow */
#include "codegen/codegen.h"
#include "lang/lang.h"
#include "sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { EVEN = 72, NX = 86, NY = 5, NZ = 9, POINTS = NX * NY * NZ, MOST = 6 * POINTS + 1 };

/* A star that is high, and reads many rows, and its own at many x; a box whose points share sums
 * along x; many results; components that stand in blocks; sums, of points that write a field, in
 * any rows and in rows of whole vectors, and of points that do not; bytes that decide between
 * numbers; levels that run in order; points of a colour; elements of a table; sums along columns;
 * numbers of 16 bits. */
static const char text_of_kernels[] =
    "kernel star(in double u, out double v)\n"
    "{\n"
    "    double sum = 0;\n"
    "    for (int k = 1; k <= 3; k++)\n"
    "        sum += k*(u[0,0,-k] - 2*u[0,0,k] + u[-k,0,0] + u[k,0,0]/8 + u[0,k,0] + 3*u[0,-k,0]);\n"
    "    v = sum;\n"
    "}\n"
    "static double across(in double u, double a, double b)\n"
    "{\n"
    "    double sum = a*u + b*(u[0,-1,0] + u[0,1,0]);\n"
    "    return sum + a*b*(u[0,-1,-1] + u[0,0,-1] + u[0,1,-1]) - b*(u[0,-1,1] - u[0,1,1] + "
    "u[0,0,1]);\n"
    "}\n"
    "kernel box(in double u, out double v)\n"
    "{ v = across(u, 3, 0.5) + (across(u[-1,0,0], 0.7, 2) + across(u[1,0,0], 0.7, 2)); }\n"
    "kernel many(in double u, out double v[6])\n"
    "{ for (int q = 0; q < 6; q++) v[q] = u[-1,0,0]*(q + 1) + 0.125*q; }\n"
    "kernel parts(in double u[3], out double v[3])\n"
    "{ for (int q = 0; q < 3; q++) v[q] = u[q] + u[2-q][1,0,0]; }\n"
    "kernel total(in double u, out double v, sum double s) { v = 0.5*u; s += u*u; }\n"
    "kernel even(in double u, out double v, sum double s) { v = u - 0.3; s += 0.1*u; }\n"
    "kernel alone(in double u, sum double s) { s += u*u; }\n"
    "kernel bytes(in double u, in uchar m, out double v)\n"
    "{ v = m == 0 && m[-1,0,0] != 0 ? u : m[1,1,0] > 100 ? 2*u[1,0,0] : m*u; }\n"
    "kernel masked(in double u, in uchar m, out double v, sum double s)\n"
    "{\n"
    "    v = m != 0 ? 0.5 : u;\n"
    "    for (int k = -1; k <= 1; k++) {\n"
    "        bool wall = m == 0 && m[k,1,0] != 0;\n"
    "        v += wall ? u : u[k,1,0]/3;\n"
    "        s += k*(wall ? -2*u : 0);\n"
    "    }\n"
    "}\n"
    "kernel levels(in double u, out double v) forward(z)\n"
    "{\n"
    "    interval [0, 1) { v = u; }\n"
    "    interval [1, nz) { v = 0.5*v[0,0,-1] + exp(u) + u[-2,0,0]*u[-1,0,0] - u[1,0,0]/(2 + "
    "u[2,0,0]); }\n"
    "}\n"
    "kernel nest(inout double u) forward(x, y, z) { u = 0.5*u[-1,0,0] + 0.25*u[0,-1,0] + u; }\n"
    "kernel colored(in double u, inout double v) { v = 0.5*(v[1,0,0] + v) + u; }\n"
    "const double powers[9] = {1, 2, 4, 8, 16, 32, 64, 128, 256};\n"
    "kernel chosen(in double u, out double v) { v = powers[(int)u%9]; }\n"
    "kernel columns(in double u, sum double v along xy) { v += 0.3*u + iz; }\n"
    "kernel halves(in float u, out float v) { v = u[-1,0,0]*u[1,0,0] - u[0,1,-1]/3; }\n";
static const char *const kernels[] = {"star",    "box",    "many",    "parts",  "total",
                                      "even",    "alone",  "bytes",   "masked", "levels",
                                      "colored", "chosen", "columns", "halves"};
static const int components[] = {1, 1, 6, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* ---- text ------------------------------------------------------------------------------------ */

static lang_module *compile(void)
{
    messages m = {0};
    lang_module *module = NULL;
    assert_int_equal(lang_compile("text", text_of_kernels, sizeof text_of_kernels - 1,
                                  &(lang_options){0}, &m, &module),
                     KATA_OK);
    message_free(&m);
    return module;
}

/* The function of a kernel without some passes, its name taken out: that tells the passes, too. */
static text code_of(const ir_kernel *kernel, uint32_t without)
{
    static const kata_type storage[4] = {KATA_F64, KATA_F64, KATA_F64, KATA_F64};
    static const kata_type with_bytes[4] = {KATA_F64, KATA_U8, KATA_F64, KATA_F64};
    static const kata_type halves[4] = {KATA_F16, KATA_F16};
    static const codegen_rows blocked[3] = {CODEGEN_BLOCKED, CODEGEN_BLOCKED, CODEGEN_BLOCKED};
    bool bytes = strcmp(kernel->name, "bytes") == 0 || strcmp(kernel->name, "masked") == 0;
    codegen_loop loop = {.kernel = kernel,
                         .storage = bytes                                 ? with_bytes
                                    : strcmp(kernel->name, "halves") == 0 ? halves
                                                                          : storage,
                         .rows = strcmp(kernel->name, "parts") == 0 ? blocked : NULL,
                         .colored = strcmp(kernel->name, "colored") == 0,
                         .without = without};
    char name[64];
    text code = {0}, nameless = {0};
    codegen_name(&loop, name);
    codegen_function_text(&code, &loop);
    const char *rest = text_get(&code);
    for (const char *at; (at = strstr(rest, name)); rest = at + strlen(name))
        text_add(&nameless, "%.*sNAME", (int)(at - rest), rest);
    text_add(&nameless, "%s", rest);
    assert_false(code.failed || nameless.failed);
    text_free(&code);
    return nameless;
}

static bool changes(const ir_kernel *kernel, uint32_t without)
{
    text with = code_of(kernel, 0), other = code_of(kernel, without);
    bool differs = strcmp(text_get(&with), text_get(&other)) != 0;
    text_free(&with);
    text_free(&other);
    return differs;
}

/* ---- results --------------------------------------------------------------------------------- */

static bool is_kernel(size_t kernel, const char *name)
{
    return strcmp(kernels[kernel], name) == 0;
}

/* A field of bytes, half of which are zero; of a mask all but those of a few points. */
static kata_field *bytes_field(kata_grid *g, bool mask)
{
    static uint8_t bytes[POINTS];
    kata_field *field = kata_field_new(g, "m", KATA_U8, .boundary = KATA_CLAMP);
    for (int i = 0; i < POINTS; i++)
        bytes[i] = (uint8_t)(mask ? i % 167 == 40 : i / 3 % 2 ? i * 29 : 0);
    kata_put(field, kata_all(g), bytes, POINTS);
    return field;
}

/* A kernel that is queued, and where its results are. */
typedef struct queued {
    kata_field *v;
    kata_scalar *s;
} queued;

static queued queue_kernel(kata *k, kata_grid *g, kata_module *m, size_t kernel)
{
    static double values[3 * POINTS];
    int n = components[kernel], parts = is_kernel(kernel, "parts");
    kata_layout layout = parts ? KATA_BLOCKS : KATA_ARRAYS;
    const kata_type type = is_kernel(kernel, "halves") ? KATA_F16 : KATA_F64;
    kata_field *u = kata_field_new(g, "u", type, .components = parts ? 3 : 1, .layout = layout,
                                   .boundary = KATA_CLAMP);
    bool columns = is_kernel(kernel, "columns");
    kata_field *v = kata_field_new(g, "v", type, .components = n, .layout = layout,
                                   .along = columns ? KATA_X | KATA_Y : 0);
    for (int i = 0; i < (parts ? 3 : 1) * POINTS; i++) values[i] = (double)(i * 37 % 251) / 16;
    kata_put(u, kata_all(g), values, (parts ? 3 : 1) * POINTS);
    kata_kernel *f = kata_kernel_find(m, kernels[kernel]);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64);
    if (is_kernel(kernel, "total"))
        kata_apply(f, kata_all(g), u, v, s);
    else if (is_kernel(kernel, "even"))
        kata_apply(f, kata_box_3d(g, 0, EVEN, 0, NY, 0, NZ), u, v, s);
    else if (is_kernel(kernel, "alone"))
        kata_apply(f, kata_all(g), u, s);
    else if (is_kernel(kernel, "bytes"))
        kata_apply(f, kata_all(g), u, bytes_field(g, false), v);
    else if (is_kernel(kernel, "masked"))
        kata_apply(f, kata_all(g), u, bytes_field(g, true), v, s);
    else if (is_kernel(kernel, "colored"))
        kata_apply(f, kata_color(kata_box_3d(g, 0, NX - 1, 0, NY, 0, NZ), 2, 1), u, v);
    else
        kata_apply(f, kata_all(g), u, v);
    return (queued){v, s};
}

static void get_results(kata_grid *g, size_t kernel, queued q, double *values)
{
    int n = components[kernel];
    bool columns = is_kernel(kernel, "columns");
    kata_get(q.v, kata_box_3d(g, 0, NX, 0, NY, 0, columns ? 1 : NZ), values,
             columns ? NX * NY : n * POINTS);
    assert_int_equal(kata_scalar_get(q.s, &values[n * POINTS]), KATA_OK);
}

/* The results of some kernels, one after the other. They run in one chain: one call of the C
 * compiler, or few, for all of them. */
static void compute(const char *executor, const char *without, uint32_t some, double *values)
{
    queued q[COUNT_OF(kernels)];
    if (without) setenv("KATA_WITHOUT", without, 1);
    kata *k = kata_open(
        &(kata_options){.executor = executor, .plan = "loops", .threads = 2, .wait = true});
    unsetenv("KATA_WITHOUT");
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_module *m = kata_module_from_text(k, "text", text_of_kernels);
    memset(values, 0, COUNT_OF(kernels) * MOST * sizeof *values);
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        if (some >> i & 1) q[i] = queue_kernel(k, g, m, i);
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        if (some >> i & 1) get_results(g, i, q[i], values + i * MOST);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void add_all_names(text *out)
{
    for (int i = 0; codegen_pass_name(i); i++)
        text_add(out, "%s%s", i ? "," : "", codegen_pass_name(i));
}

/* The kernels whose code changes without a pass. That of the others gives what it gave before. */
static uint32_t changed_kernels(const lang_module *module, uint32_t without)
{
    uint32_t some = 0;
    for (int k = 0; k < module->count; k++)
        for (size_t i = 0; i < COUNT_OF(kernels); i++)
            if (is_kernel(i, module->kernels[k]->name) && changes(module->kernels[k], without))
                some |= (uint32_t)1 << i;
    return some;
}

static void results_do_not_depend_on_passes(void **state)
{
    static double expected[COUNT_OF(kernels) * MOST], found[COUNT_OF(kernels) * MOST];
    const uint32_t every = (1 << COUNT_OF(kernels)) - 1;
    (void)state;
    lang_module *module = compile();
    text all = {0};
    add_all_names(&all);
    compute("reference", NULL, every, expected);
    compute("cpu", NULL, every, found);
    assert_memory_equal(expected, found, sizeof found);
    compute("cpu", text_get(&all), every, found);
    assert_memory_equal(expected, found, sizeof found);
    for (int i = 0; codegen_pass_name(i); i++) {
        uint32_t some = changed_kernels(module, (uint32_t)1 << i);
        if (!some || (is_sanitized() && i % 2)) continue; /* see below; and a part of the runs */
        compute("cpu", codegen_pass_name(i), some, found);
        for (size_t f = 0; f < COUNT_OF(kernels); f++)
            if (some >> f & 1)
                assert_memory_equal(expected + f * MOST, found + f * MOST, MOST * sizeof *found);
    }
    text_free(&all);
    lang_module_free(module);
}

/* ---- what passes change ---------------------------------------------------------------------- */

static void each_pass_changes_some_code(void **state)
{
    (void)state;
    lang_module *module = compile();
    for (int i = 0; codegen_pass_name(i); i++) {
        uint32_t without = 0;
        bool some = false;
        assert_true(codegen_read_passes(codegen_pass_name(i), &without));
        assert_int_equal(without, (uint32_t)1 << i);
        for (int k = 0; k < module->count; k++) some = some || changes(module->kernels[k], without);
        const char *name = codegen_pass_name(i);
        bool of_chains = !strcmp(name, "inline") || !strcmp(name, "fuse"); /* see their tests */
        if (!some && !of_chains) fail_msg("no code changes without %s", codegen_pass_name(i));
    }
    lang_module_free(module);
}

/* A tile may be one row wide: then the next row of a level lies in another tile. Rows of planes
 * that are added up in turn are not prefetched. */
static void the_next_level_is_prefetched_behind_the_last_row_of_a_level(void **state)
{
    (void)state;
    lang_module *module = compile();
    for (int k = 0; k < module->count; k++) {
        text code = code_of(module->kernels[k], 0);
        const char *next = strstr(text_get(&code), "next_y * view[0].y + next_z * view[0].z");
        const char *name = module->kernels[k]->name;
        bool has_levels = strcmp(name, "levels") == 0, adds_up = strcmp(name, "columns") == 0;
        assert_int_equal(next != NULL, has_levels);
        if (adds_up) assert_null(strstr(text_get(&code), "__builtin_prefetch"));
        if (has_levels) assert_non_null(strstr(text_get(&code), "last_row = iy + 1 == hi[1]"));
        text_free(&code);
    }
    lang_module_free(module);
}

/* Results of 8 bytes lie 8 to a cache line; bytes that decide between them do not change that. */
static void bytes_that_are_read_make_no_longer_vectors(void **state)
{
    (void)state;
    lang_module *module = compile();
    for (int k = 0; k < module->count; k++) {
        if (strcmp(module->kernels[k]->name, "bytes") != 0) continue;
        text code = code_of(module->kernels[k], 0);
        assert_non_null(strstr(text_get(&code), "enum { lanes = KATA_VECTOR(8) }"));
        assert_null(strstr(text_get(&code), "enum { lanes = KATA_VECTOR(16) }"));
        text_free(&code);
    }
    lang_module_free(module);
}

/* Compiled code of one choice is not taken for code of another. */
static void names_tell_which_passes_are_left_out(void **state)
{
    static const kata_type storage[] = {KATA_F64, KATA_F64};
    (void)state;
    lang_module *module = compile();
    char names[3][64];
    for (uint32_t i = 0; i < 3; i++)
        codegen_name(&(codegen_loop){module->kernels[0], storage, .without = i}, names[i]);
    assert_string_not_equal(names[0], names[1]);
    assert_string_not_equal(names[0], names[2]);
    assert_string_not_equal(names[1], names[2]);
    lang_module_free(module);
}

/* ---- lists of names -------------------------------------------------------------------------- */

static void lists_of_passes_are_read(void **state)
{
    (void)state;
    uint32_t one = 0, other = 0, both = 0, unchanged = 77;
    assert_true(codegen_read_passes("prefetch", &one));
    assert_true(codegen_read_passes("pair-y", &other));
    assert_true(codegen_read_passes("pair-y,prefetch", &both));
    assert_int_equal(both, one | other);
    static const char *const wrong[] = {"pair", "prefetch,",       ",prefetch", "prefetch,,stream",
                                        " ",    "prefetch stream", "PREFETCH",  "prefetch2",
                                        ","};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_false(codegen_read_passes(wrong[i], &unchanged));
        assert_int_equal(unchanged, 77);
    }
}

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    text_add(data, "%s", message);
}

static void unknown_passes_are_refused(void **state)
{
    (void)state;
    text message = {0};
    setenv("KATA_WITHOUT", "prefetch,magic", 1);
    kata *k = kata_open(&(kata_options){.handler = keep_message, .handler_data = &message});
    unsetenv("KATA_WITHOUT");
    assert_null(k);
    assert_non_null(strstr(text_get(&message), "KATA_WITHOUT is 'prefetch,magic'"));
    assert_non_null(strstr(text_get(&message), "pair-z, pair-y"));
    text_free(&message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_passes),
        cmocka_unit_test(each_pass_changes_some_code),
        cmocka_unit_test(the_next_level_is_prefetched_behind_the_last_row_of_a_level),
        cmocka_unit_test(bytes_that_are_read_make_no_longer_vectors),
        cmocka_unit_test(names_tell_which_passes_are_left_out),
        cmocka_unit_test(lists_of_passes_are_read),
        cmocka_unit_test(unknown_passes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
