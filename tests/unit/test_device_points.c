/* Points between grid points on a device: waves with sources and receivers give the bits of the
 * executor "reference", on whole fields and by planes, and no loop runs on the CPU. */
/* Labels: hostile slow */
#include "api/api.h"
#include "device_kinds.h"
#include "exec/on_device.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_POINTS = 40, STEPS = 12, MOST_VALUES = 2 * 40000 };

static const char *kind; /* "cuda", "opencl" */

static uint64_t state;

static double draw(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

static int from(int low, int high) { return (int)floor(draw(low, high + 1)); }

static void report(void *data, kata_status status, const char *message)
{
    (void)data;
    if (status) fprintf(stderr, "%s\n", message);
}

static kata *open_on(const char *device, int64_t memory)
{
    return kata_open(&(kata_options){.executor = device ? "cpu" : "reference",
                                     .device = device ? device : "none",
                                     .device_memory = memory,
                                     .handler = report,
                                     .wait = true});
}

/* ---- waves ----------------------------------------------------------------------------------- */

static const char wave_text[] =
    "kernel wave1(in double u, inout double v, in double m) {\n"
    "    v = 2*u - v + m * (u[-1] + u[1] - 2*u);\n"
    "}\n"
    "kernel wave2(in double u, inout double v, in double m) {\n"
    "    v = 2*u - v + m * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u);\n"
    "}\n"
    "kernel wave3(in double u, inout double v, in double m) {\n"
    "    v = 2*u - v + m * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1]"
    " - 6*u);\n"
    "}\n";

/* A program, drawn from its seed. */
typedef struct wave {
    kata *k;
    kata_grid *g;
    int rank, sources, receivers;
    int64_t n[3];
    kata_field *u, *v, *full, *scale; /* scale: NULL, none */
    kata_points *from_here, *to_here;
    kata_scalar *traces;
    kata_kernel *step;
    bool walls;   /* no side is periodic: then fields can be streamed in few planes */
    bool chained; /* what was recorded is injected, too */
} wave;

typedef struct outcome {
    int64_t count, traced, on_host, streamed;
    double u[MOST_VALUES], traces[STEPS * MOST_POINTS];
} outcome;

static kata_points *make_points(const wave *w, const char *name, int count)
{
    double at[MOST_POINTS * 3];
    const int reach = from(0, 3) ? 0 : from(1, 2);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < w->rank; d++) {
            const double x = draw(reach, (double)w->n[d] - 1 - reach);
            at[i * w->rank + d] = from(0, 3) ? x : floor(x);
            if (i && !from(0, 3)) at[i * w->rank + d] = at[(i - 1) * w->rank + d];
        }
    return kata_points_new(w->g, name, at, count, .reach = reach);
}

static void make_grid(wave *w)
{
    const int most = w->rank == 1 ? 300 : w->rank == 2 ? 150 : 30;
    for (int d = 0; d < w->rank; d++) w->n[d] = from(most / 3, most);
    w->g = w->rank == 1   ? kata_grid_1d(w->k, w->n[0])
           : w->rank == 2 ? kata_grid_2d(w->k, w->n[0], w->n[1])
                          : kata_grid_3d(w->k, w->n[0], w->n[1], w->n[2]);
}

static void make_fields(wave *w)
{
    static const kata_type types[] = {KATA_F32, KATA_F64, KATA_F32, KATA_BF16, KATA_F16};
    const kata_type type = types[from(0, (int)COUNT_OF(types) - 1)];
    const kata_rule rule = from(0, 1) && !w->walls ? KATA_PERIODIC : KATA_CLAMP;
    const int along = from(0, 2);
    w->u = kata_field_new(w->g, "u", type, .boundary = rule);
    w->v = kata_field_like(w->u, "v");
    w->full = kata_field_new(w->g, "full", KATA_F64);
    w->scale = kata_field_new(w->g, "scale", from(0, 1) ? KATA_F32 : KATA_F64,
                              .along = along == 1   ? KATA_X
                                       : along == 2 ? 1 << (w->rank - 1)
                                                    : 0);
    kata_fill(w->scale, kata_on(w->scale), 0.3);
    kata_fill(w->full, kata_on(w->full), 0.2);
    if (!from(0, 2)) w->scale = NULL;
}

static void make(wave *w, uint64_t seed)
{
    char name[] = "wave1";
    state = seed * 2654435761u + 12345;
    w->rank = from(1, 3);
    w->sources = from(1, MOST_POINTS);
    w->chained = from(0, 1);
    w->receivers = w->chained ? w->sources : from(1, MOST_POINTS);
    make_grid(w);
    make_fields(w);
    w->from_here = make_points(w, "sources", w->sources);
    w->to_here = make_points(w, "receivers", w->receivers);
    w->traces =
        kata_scalar_array_new(w->k, "traces", from(0, 1) ? KATA_F64 : KATA_F32, w->receivers);
    kata_scalar_log(w->traces, STEPS);
    name[4] = (char)('0' + w->rank);
    w->step = kata_kernel_find(kata_module_from_text(w->k, "wave", wave_text), name);
}

static void step(const wave *w, bool first)
{
    double values[MOST_POINTS];
    for (int i = 0; i < w->sources; i++) values[i] = draw(-1, 1);
    kata_apply(w->step, kata_all(w->g), w->u, w->v, w->full);
    if (w->scale)
        kata_inject(w->from_here, kata_table_of(KATA_F64, values, w->sources), w->v,
                    .scale = w->scale);
    else
        kata_inject(w->from_here, kata_table_of(KATA_F64, values, w->sources), w->v);
    if (w->chained && !first) kata_inject(w->from_here, w->traces, w->v);
    kata_record(w->to_here, w->traces, w->v);
    kata_step(w->k);
}

/* Where fields do not fit, those that lack a dimension are filled on the CPU. */
static int64_t count_on_host(const struct exec_device *d)
{
    int64_t loops = 0;
    for (int i = 0; i < d->reason_count; i++)
        if (strcmp(d->reasons[i].kernel, "kata_fill") != 0) loops += d->reasons[i].loops;
    return loops;
}

static void run(uint64_t seed, bool walls, const char *device, int64_t memory, outcome *out)
{
    wave w = {.k = open_on(device, memory), .n = {1, 1, 1}, .walls = walls};
    assert_non_null(w.k);
    make(&w, seed);
    kata_flush(w.k);
    for (int i = 0; i < STEPS; i++) {
        step(&w, !i);
        kata_swap(w.u, w.v);
    }
    out->count = w.n[0] * w.n[1] * w.n[2];
    out->traced = (int64_t)STEPS * w.receivers;
    kata_get(w.u, kata_all(w.g), out->u, out->count);
    kata_scalar_log_get(w.traces, out->traces, out->traced);
    if (device) out->on_host = count_on_host(w.k->exec.device);
    if (device) out->streamed = w.k->exec.device->streams.streamed;
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void expect_same(const outcome *a, const outcome *b, uint64_t seed)
{
    assert_int_equal(a->count, b->count);
    if (memcmp(a->u, b->u, (size_t)a->count * sizeof *a->u) != 0)
        fail_msg("seed %llu: fields differ", (unsigned long long)seed);
    for (int64_t i = 0; i < a->traced; i++)
        if (memcmp(&a->traces[i], &b->traces[i], sizeof *a->traces) != 0)
            fail_msg("seed %llu: trace %lld of %lld is %a, not %a", (unsigned long long)seed,
                     (long long)i, (long long)a->traced, b->traces[i], a->traces[i]);
}

static outcome expected, found;

static void waves_have_the_bits_of_the_reference(void **unused)
{
    enum { SEEDS = 14 };
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run(seed, false, NULL, 0, &expected);
        run(seed, false, kind, 0, &found);
        expect_same(&expected, &found, seed);
        assert_int_equal(found.on_host, 0);
        assert_int_equal(found.streamed, 0);
    }
}

/* On a device too small for all fields. */
static void waves_that_stream_have_the_bits_of_the_reference(void **unused)
{
    enum { SEEDS = 14, MEMORY = 180 << 10 };
    int64_t streamed = 0, on_host = 0;
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run(seed, true, NULL, 0, &expected);
        run(seed, true, kind, MEMORY, &found);
        expect_same(&expected, &found, seed);
        on_host += found.streamed ? found.on_host : 0;
        streamed += found.streamed;
    }
    assert_true(streamed > SEEDS / 4);
    assert_int_equal(on_host, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_have_the_bits_of_the_reference),
        cmocka_unit_test(waves_that_stream_have_the_bits_of_the_reference),
    };
    static const char *const kinds[] = {"cuda", "opencl"};
    int failed = 0;
    setenv("KATA_CUDA", getenv("KATA_SHIM_CUDA"), 0);
    setenv("KATA_NVRTC", getenv("KATA_SHIM_NVRTC"), 0);
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) failed += DEVICE_RUN_TESTS(kinds[i], kind, tests);
    return failed;
}
