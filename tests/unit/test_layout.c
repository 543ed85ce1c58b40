/* Where values lie in memory changes no bit of them: fields of every layout, and fields on memory
 * of the program with any strides, get from compiled kernels what the reference executor gives to
 * fields of the default layout. Between the values of wrapped memory nothing is ever written. */
/* Labels: hostile compiler slow */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] =
    "const int cx[3] = {0, 1, -1};\n"
    "const int cy[3] = {0, -1, 1};\n"
    "kernel stream(in double f[3], out double g[3], sum double mass[2])\n"
    "{ double rho = 0;\n"
    "  for (int q = 0; q < 3; q++) rho += f[q][-cx[q], -cy[q]];\n"
    "  for (int q = 0; q < 3; q++) g[q] = 0.25*f[q][-cx[q], -cy[q]] + 0.15*rho + f[q][2,-3];\n"
    "  mass[0] += rho; mass[1] += g[1]; }\n"
    "kernel exchange(inout double f[3])\n"
    "{ double a = f[0], b = f[1][1,0], c = f[2][-1,2];\n"
    "  f[0] = b + c; f[1][1,0] = a; f[2][-1,2] = a - b; }\n"
    "kernel some(inout float h[3], in double f[3])\n"
    "{ if (h[1] > 0.25) { h[0] = h[2]*2 + f[2][1,1]; } h[2] = h[2] + 1; }\n"
    "kernel types(in float a[2], in float b[3], in int n[2], out float c[2], out int m[2])\n"
    "{ c[0] = a[1]; c[1] = a[0][0,-1] - b[2][3,0];\n"
    "  m[0] = n[1][-1,0] * 3; m[1] = n[0] + (int)(2*b[0]); }\n"
    "kernel red(inout double f[3]) { f[2] = 0.25*(f[2][1,0] + f[2][-1,0] + f[2][0,1]) + f[1]; }\n"
    "kernel low(in double f[3], out double g[3], double limit)\n"
    "{ assert(f[2][1,0] + ix + 3*iy < limit); g[2] = f[2]; }\n";

/* ---- where a field is ------------------------------------------------------------------------ */

typedef enum memory {
    ARRAYS,
    STRUCTURES,
    BLOCKS,
    WRAPPED,  /* contiguous rows in an array with room around */
    SPREAD,   /* every third element */
    TURNED,   /* y is the contiguous dimension, z backwards, components between points */
    FLIPPED,  /* x and y backwards */
    TOGETHER, /* components side by side, rows apart */
    MEMORIES
} memory;

enum { MOST = 512, CANARY = 0xc5 };

/* Memory of a wrapped field, and which bytes of it belong to values. */
typedef struct room {
    unsigned char *bytes, *used;
    size_t size;
} room;

typedef struct world {
    kata *k;
    kata_module *m;
    room rooms[MOST];
    int room_count;
    char message[2000];
} world;

static void receive(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(((world *)data)->message, sizeof((world *)data)->message, "%s", message);
}

static void open_world(world *w, const char *executor)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.executor = executor,
                                     .threads = 3,
                                     .handler = receive,
                                     .handler_data = w,
                                     .no_warnings = true});
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    assert_true(kata_ok(w->k));
}

static size_t bytes_of(kata_type type)
{
    static const size_t bytes[] = {8, 4, 8, 4, 1, 2, 2, 1};
    return bytes[type];
}

static void strides_of(memory kind, const int64_t n[3], int components, kata_wrap_options *o)
{
    int64_t rows = n[1] * n[2];
    switch (kind) {
    case WRAPPED:
        o->stride[1] = n[0] + 5;
        o->component_stride = (n[0] + 5) * (rows + 3);
        break;
    case SPREAD:
        o->stride[0] = 3;
        o->stride[1] = 3 * n[0] + 1;
        break;
    case TURNED:
        o->stride[1] = 1;
        o->component_stride = n[1];
        o->stride[0] = n[1] * components + 2;
        o->stride[2] = -(n[1] * components + 2) * n[0];
        break;
    case FLIPPED:
        o->stride[0] = -1;
        o->stride[1] = -(n[0] + 2);
        break;
    default:
        o->component_stride = 1;
        o->stride[0] = components;
        o->stride[1] = components * n[0] + 7;
        break;
    }
}

/* All elements that a field with these strides has, by the definition of kata_mapping. */
static void mark_used(room *r, const kata_wrap_options *o, const int64_t n[3], int64_t origin)
{
    size_t bytes = bytes_of(o->type);
    for (int c = 0; c < o->components; c++)
        for (int64_t z = 0; z < n[2]; z++)
            for (int64_t y = 0; y < n[1]; y++)
                for (int64_t x = 0; x < n[0]; x++) {
                    int64_t element = origin + x * o->stride[0] + y * o->stride[1] +
                                      z * o->stride[2] + c * o->component_stride;
                    memset(r->used + (size_t)element * bytes, 1, bytes);
                }
}

/* Strides left out, as kata.h says. */
static void complete(kata_wrap_options *o, const int64_t n[3])
{
    int64_t next = 1;
    for (int d = 0; d < 3; d++) {
        if (!o->stride[d]) o->stride[d] = next;
        next = llabs(o->stride[d]) * n[d];
    }
    if (!o->component_stride) o->component_stride = next;
}

static kata_field *wrap(world *w, kata_grid *g, const int64_t n[3], const char *name, memory kind,
                        kata_wrap_options o)
{
    room *r = &w->rooms[w->room_count++];
    assert_true(w->room_count <= MOST);
    strides_of(kind, n, o.components, &o);
    o.size = sizeof o;
    kata_wrap_options full = o;
    complete(&full, n);
    int64_t low = 0, high = 0;
    for (int d = 0; d < 4; d++) {
        int64_t far =
            d < 3 ? (n[d] - 1) * full.stride[d] : (o.components - 1) * full.component_stride;
        *(far < 0 ? &low : &high) += far;
    }
    size_t bytes = bytes_of(o.type);
    r->size = (size_t)(high - low + 1 + 20) * bytes;
    r->bytes = malloc(r->size);
    r->used = calloc(r->size, 1);
    assert_true(r->bytes && r->used);
    memset(r->bytes, CANARY, r->size);
    mark_used(r, &full, n, 10 - low);
    o.memory = r->bytes + (size_t)(10 - low) * bytes;
    return kata_field_wrap_with(g, name, -1, &o);
}

static kata_field *make(world *w, kata_grid *g, const int64_t n[3], const char *name, memory kind,
                        kata_type type, int components, kata_rule rule)
{
    if (kind <= BLOCKS)
        return kata_field_new(g, name, type, .components = components, .boundary = rule,
                              .boundary_value = 0.5, .layout = (kata_layout)kind);
    kata_wrap_options o = {
        .type = type, .components = components, .boundary = rule, .boundary_value = 0.5};
    return wrap(w, g, n, name, kind, o);
}

static void check_canaries(const world *w)
{
    for (int i = 0; i < w->room_count; i++)
        for (size_t b = 0; b < w->rooms[i].size; b++)
            if (!w->rooms[i].used[b] && w->rooms[i].bytes[b] != CANARY)
                fail_msg("byte %zu of room %d was written", b, i);
}

static void close_rooms(world *w)
{
    check_canaries(w);
    for (int i = 0; i < w->room_count; i++) {
        free(w->rooms[i].bytes);
        free(w->rooms[i].used);
    }
    w->room_count = 0;
}

/* ---- one program in two memories ------------------------------------------------------------- */

enum { FIELDS = 9 };

typedef struct shown {
    char *values[FIELDS];
    double mass[2];
    char message[2000];
} shown;

static const struct {
    kata_type type, user;
    int components;
} specs[FIELDS] = {{KATA_F64, KATA_F64, 3},    {KATA_F64, KATA_F64, 3}, {KATA_F32, KATA_F32, 3},
                   {KATA_F16, KATA_F32, 2},    {KATA_F64, KATA_F64, 3}, {KATA_I64, KATA_I64, 2},
                   {KATA_UNORM8, KATA_F32, 2}, {KATA_U8, KATA_U8, 2},   {KATA_F64, KATA_F64, 3}};

static void put_random(kata_field *f, kata_grid *g, int spec, int64_t points, unsigned seed)
{
    int64_t count = points * specs[spec].components;
    char *values = calloc((size_t)count, 8);
    assert_non_null(values);
    srand(seed);
    for (int64_t i = 0; i < count; i++) {
        int x = rand() % 201 - 100;
        switch (specs[spec].user) {
        case KATA_F64: ((double *)values)[i] = 0.01 * x; break;
        case KATA_F32: ((float *)values)[i] = 0.01f * (float)x; break;
        case KATA_I64: ((int64_t *)values)[i] = x; break;
        default: values[i] = (char)x; break;
        }
    }
    kata_range all = kata_all(g);
    kata_put_values(f, &all, specs[spec].user, values, count);
    free(values);
}

static void apply_all(world *w, kata_grid *g, kata_field *const f[FIELDS], kata_scalar *mass,
                      const int64_t n[3])
{
    kata_range all = kata_all(g);
    kata_apply(kata_kernel_find(w->m, "stream"), all, f[0], f[1], mass);
    kata_apply(kata_kernel_find(w->m, "stream"), kata_inner(g, 1), f[1], f[8], mass);
    kata_apply(kata_kernel_find(w->m, "some"), all, f[2], f[1]);
    kata_apply(kata_kernel_find(w->m, "types"), all, f[3], f[2], f[5], f[6], f[7]);
    if (n[0] >= 4) kata_apply(kata_kernel_find(w->m, "exchange"), all, f[0]);
    if (n[0] % 2 == 0 && n[1] % 2 == 0)
        for (int color = 0; color < 2; color++)
            kata_apply(kata_kernel_find(w->m, "red"), kata_color(all, 2, color), f[1]);
}

static void get_all(kata_grid *g, kata_field *const f[FIELDS], int64_t points, shown *out)
{
    kata_range all = kata_all(g);
    for (int i = 0; i < FIELDS; i++) {
        int64_t count = points * specs[i].components;
        out->values[i] = calloc((size_t)count, 8);
        assert_non_null(out->values[i]);
        kata_get_values(f[i], &all, specs[i].user, out->values[i], count);
    }
}

static void run(world *w, const int64_t n[3], memory kind, kata_rule rule, shown *out)
{
    int64_t points = n[0] * n[1];
    kata_grid *g = kata_grid_2d(w->k, n[0], n[1]);
    kata_field *f[FIELDS];
    kata_scalar *mass = kata_scalar_array_new(w->k, "mass", KATA_F64, 2);
    for (int i = 0; i < FIELDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        kata_rule own = i == 0 ? KATA_PERIODIC : rule; /* of f0 values are written outside */
        f[i] = make(w, g, n, name, kind, specs[i].type, specs[i].components, own);
        put_random(f[i], g, i, points, 7 + (unsigned)i);
    }
    assert_string_equal(kata_error_message(w->k), "");
    apply_all(w, g, f, mass, n);
    kata_scalar_get_all(mass, out->mass, 2);
    get_all(g, f, points, out);
    assert_string_equal(kata_error_message(w->k), "");
    kata_apply(kata_here(kata_kernel_find(w->m, "low"), "main.c", 9), kata_all(g), f[1], f[8],
               0.6 * (double)(n[0] + 3 * n[1]));
    kata_flush(w->k);
    snprintf(out->message, sizeof out->message, "%s", w->message);
    w->message[0] = '\0';
    kata_error_clear(w->k);
}

static void compare(const shown *a, const shown *b, const int64_t n[3], memory kind, kata_rule rule)
{
    static const size_t size[] = {8, 4, 8, 4, 1};
    assert_memory_equal(a->mass, b->mass, sizeof a->mass);
    assert_string_equal(a->message, b->message);
    for (int i = 0; i < FIELDS; i++) {
        size_t bytes = (size_t)(n[0] * n[1] * specs[i].components) * size[specs[i].user];
        if (memcmp(a->values[i], b->values[i], bytes))
            fail_msg("field %d in memory %d on %lld x %lld, rule %d", i, (int)kind, (long long)n[0],
                     (long long)n[1], (int)rule);
    }
}

static void free_shown(shown *s)
{
    for (int i = 0; i < FIELDS; i++) free(s->values[i]);
}

static const int64_t sizes[][3] = {{1, 1, 1},  {2, 3, 1},  {4, 1, 1},  {7, 5, 1},   {15, 4, 1},
                                   {16, 6, 1}, {17, 4, 1}, {33, 7, 1}, {64, 70, 1}, {130, 41, 1}};

static void test_memory_changes_no_bit(void **state)
{
    (void)state;
    static const kata_rule rules[] = {KATA_PERIODIC, KATA_ANTISYMMETRIC_FACE, KATA_CONSTANT,
                                      KATA_CLAMP};
    static world reference, compiled;
    open_world(&reference, "reference");
    open_world(&compiled, "cpu");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = ARRAYS; kind < MEMORIES; kind++) {
            kata_rule rule = rules[(s + (size_t)kind) % 4];
            shown expected = {0}, found = {0}, interpreted = {0};
            run(&reference, sizes[s], ARRAYS, rule, &expected);
            run(&compiled, sizes[s], (memory)kind, rule, &found);
            compare(&expected, &found, sizes[s], (memory)kind, rule);
            if (s < 7) run(&reference, sizes[s], (memory)kind, rule, &interpreted);
            if (s < 7) compare(&expected, &interpreted, sizes[s], (memory)kind, rule);
            free_shown(&expected);
            free_shown(&found);
            free_shown(&interpreted);
        }
    kata_close(reference.k);
    kata_close(compiled.k);
    close_rooms(&reference);
    close_rooms(&compiled);
}

/* ---- three dimensions ------------------------------------------------------------------------ */

static void test_planes_too(void **state)
{
    (void)state;
    static const char text[] = "kernel k(in double f[2], out double g[2])\n"
                               "{ g[0] = f[1][1,-1,2] - f[0]; g[1] = f[0][-2,1,-1] + 0.5*f[1]; }\n";
    static const int64_t n[3] = {19, 5, 4};
    enum { COUNT = 19 * 5 * 4 * 2 };
    double expected[COUNT], found[COUNT];
    for (int kind = ARRAYS; kind < MEMORIES; kind++) {
        world w;
        open_world(&w, "cpu");
        kata_grid *g = kata_grid_3d(w.k, n[0], n[1], n[2]);
        kata_kernel *k = kata_kernel_find(kata_module_from_text(w.k, "k", text), "k");
        kata_field *f = make(&w, g, n, "f", (memory)kind, KATA_F64, 2, KATA_REFLECT_FACE);
        kata_field *h = make(&w, g, n, "h", (memory)kind, KATA_F64, 2, KATA_PERIODIC);
        srand(3);
        for (int i = 0; i < COUNT; i++) found[i] = rand();
        kata_put(f, kata_all(g), found, COUNT);
        kata_apply(k, kata_all(g), f, h);
        kata_apply(k, kata_all(g), h, f);
        kata_get(f, kata_all(g), kind == ARRAYS ? expected : found, COUNT);
        if (kind != ARRAYS) assert_memory_equal(expected, found, sizeof found);
        assert_int_equal(kata_close(w.k), KATA_OK);
        close_rooms(&w);
    }
}

/* Fields of one kind exchange values whatever their layouts. */
static void test_layouts_go_with_the_values(void **state)
{
    (void)state;
    world w;
    open_world(&w, "cpu");
    kata_grid *g = kata_grid_1d(w.k, 21);
    double values[42], got[42];
    for (int i = 0; i < 42; i++) values[i] = i;
    kata_field *a = kata_field_new(g, "a", KATA_F64, .components = 2, .layout = KATA_STRUCTURES);
    kata_field *b = kata_field_new(g, "b", KATA_F64, .components = 2, .layout = KATA_BLOCKS);
    kata_put(a, kata_all(g), values, 42);
    kata_swap(a, b);
    kata_get(b, kata_all(g), got, 42);
    assert_memory_equal(values, got, sizeof got);
    double *memory;
    kata_mapping at;
    assert_int_equal(kata_map(b, &memory, &at), KATA_OK);
    assert_int_equal(at.stride[0], 2);
    kata_unmap(b);
    kata_field *like = kata_field_like(b, "like");
    kata_map(like, &memory, &at);
    assert_int_equal(at.stride[0], 2);
    assert_int_equal(at.component_stride, 1);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_changes_no_bit),
        cmocka_unit_test(test_planes_too),
        cmocka_unit_test(test_layouts_go_with_the_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
