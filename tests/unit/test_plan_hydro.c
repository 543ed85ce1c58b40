/* A chain like those of hydrodynamics codes (CloverLeaf: Mallinson et al., 2013): two time steps of
 * 80 loops over 25 fields at cells, faces and nodes with ghosts, and a time step found by a
 * reduction in each. One group of tiles reaches from the first step's time step to the second's. */
#include "exec/exec.h"
#include "lang/lang.h"
#include "legality/legality.h"
#include "oracle/oracle.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { NX = 14, NY = 11, GHOSTS = 2, FIELDS = 25, STEP_LOOPS = 80 };

static const char kernels[] =
    "kernel eos(in double d, in double e, out double p, out double c)\n"
    "{ p = 0.4*d*e; c = sqrt(fabs(0.5*p) + 0.1); }\n"
    "kernel left(inout double f) { f = f[1,0]; }\n"
    "kernel right(inout double f) { f = f[-1,0]; }\n"
    "kernel bottom(inout double f) { f = f[0,1]; }\n"
    "kernel top(inout double f) { f = f[0,-1]; }\n"
    "kernel viscosity(in double p, in double u, in double v, in double d, out double q)\n"
    "{ double div = u[1,0] + u[1,1] - u - u[0,1] + v[0,1] + v[1,1] - v - v[1,0];\n"
    "  q = div < 0 ? 0.1*d*div*div + 0.01*(p[1,0] - p[-1,0] + p[0,1] - p[0,-1]) : 0; }\n"
    "kernel limit(in double c, in double q, in double u, in double v, min double dt)\n"
    "{ dt = min(dt, 0.1/(1 + c + fabs(q) + fabs(u) + fabs(v[1,1]))); }\n"
    "kernel clock(in double dt, inout double t) { t = t + dt; }\n"
    "kernel pdv(in double xa, in double ya, in double p, in double q, in double u, in double v,\n"
    "           in double d0, in double e0, out double d1, out double e1, double dt)\n"
    "{ double w = dt*(xa[1,0]*(u[1,0] + u[1,1]) - xa*(u + u[0,1])\n"
    "           + ya[0,1]*(v[0,1] + v[1,1]) - ya*(v + v[1,0]));\n"
    "  e1 = e0 - 0.1*(p + q)*w; d1 = d0/(1 + 0.1*w*w); }\n"
    "kernel copy2(in double a, in double b, out double c, out double d) { c = a; d = b; }\n"
    "kernel push(in double d, in double p, in double q, in double u0, in double v0,\n"
    "            out double u1, out double v1, double dt)\n"
    "{ double m = 0.25*(d + d[-1,0] + d[0,-1] + d[-1,-1]) + 1;\n"
    "  u1 = u0 - dt*(p - p[-1,0] + p[0,-1] - p[-1,-1] + q - q[-1,0])/m;\n"
    "  v1 = v0 - dt*(p - p[0,-1] + p[-1,0] - p[-1,-1] + q - q[0,-1])/m; }\n"
    "kernel flux_x(in double xa, in double u0, in double u1, out double f, double dt)\n"
    "{ f = 0.25*dt*xa*(u0 + u0[0,1] + u1 + u1[0,1]); }\n"
    "kernel flux_y(in double ya, in double v0, in double v1, out double f, double dt)\n"
    "{ f = 0.25*dt*ya*(v0 + v0[1,0] + v1 + v1[1,0]); }\n"
    "kernel donor_x(in double f, in double d, in double e, out double mf, out double w)\n"
    "{ double up = f > 0 ? d[-1,0] : d; double far = f > 0 ? d[-2,0] : d[1,0];\n"
    "  mf = f*(up + 0.1*(up - far)); w = mf*(f > 0 ? e[-1,0] : e); }\n"
    "kernel donor_y(in double f, in double d, in double e, out double mf, out double w)\n"
    "{ double up = f > 0 ? d[0,-1] : d; double far = f > 0 ? d[0,-2] : d[0,1];\n"
    "  mf = f*(up + 0.1*(up - far)); w = mf*(f > 0 ? e[0,-1] : e); }\n"
    "kernel cells_x(in double mf, in double w, inout double d, inout double e)\n"
    "{ d += 0.1*(mf - mf[1,0]); e += 0.1*(w - w[1,0]); }\n"
    "kernel cells_y(in double mf, in double w, inout double d, inout double e)\n"
    "{ d += 0.1*(mf - mf[0,1]); e += 0.1*(w - w[0,1]); }\n"
    "kernel nodes(in double mf, in double d, out double w1, out double w2)\n"
    "{ w1 = 0.25*(mf + mf[0,-1]); w2 = 0.25*(d + d[-1,0] + d[0,-1] + d[-1,-1]) + 1; }\n"
    "kernel moment_x(in double w1, in double u, out double w3)\n"
    "{ w3 = w1*(w1 > 0 ? u[-1,0] : u); }\n"
    "kernel moment_y(in double w1, in double u, out double w3)\n"
    "{ w3 = w1*(w1 > 0 ? u[0,-1] : u); }\n"
    "kernel carry_x(in double w3, in double w2, inout double u) { u += (w3 - w3[1,0])/w2; }\n"
    "kernel carry_y(in double w3, in double w2, inout double u) { u += (w3 - w3[0,1])/w2; }\n";

typedef enum name {
    D0,
    D1,
    E0,
    E1,
    P,
    Q,
    C,
    VOLUME, /* cells */
    U0,
    U1,
    V0,
    V1, /* nodes */
    FX,
    MX,
    XA, /* faces across x, and across y */
    FY,
    MY,
    YA,
    W1,
    W2,
    W3,
    W4,
    W5,
    W6,
    W7, /* nodes */
    DT,
    T
} name;

static const char *const names[] = {"d0", "d1", "e0", "e1", "p",  "q",  "c",  "volume", "u0",
                                    "u1", "v0", "v1", "fx", "mx", "xa", "fy", "my",     "ya",
                                    "w1", "w2", "w3", "w4", "w5", "w6", "w7", "dt",     "t"};

typedef struct hydro {
    chain_slot slots[FIELDS + 2];
    store_array *first[FIELDS + 2];
    lang_module *module;
    chain chain;
    messages m;
} hydro;

static const ir_kernel *kernel_named(const hydro *h, const char *wanted)
{
    for (int i = 0; i < h->module->count; i++)
        if (!strcmp(h->module->kernels[i]->name, wanted)) return h->module->kernels[i];
    fail_msg("no kernel %s", wanted);
    return NULL;
}

static void apply(hydro *h, const char *kernel, grid_box box, const name *fields)
{
    chain_binding bindings[16] = {{0}};
    chain_loop loop = {.kernel = kernel_named(h, kernel),
                       .bindings = bindings,
                       .box = box,
                       .shape = {2, {NX, NY, 1}},
                       .once = !strcmp(kernel, "clock")};
    if (loop.once) loop.shape = (grid_shape){1, {1, 1, 1}};
    for (int p = 0; p < loop.kernel->param_count; p++) {
        bindings[p].slot = &h->slots[fields[p]];
        bindings[p].name = names[fields[p]];
        bindings[p].boundary = &grid_boundary_none;
    }
    if (legality_check(&loop, &h->m)) fail_msg("%s", text_get(&h->m.body));
    assert_int_equal(chain_append(&h->chain, &loop, &h->m), KATA_OK);
}

#define APPLY(h, kernel, box, ...) apply(h, kernel, box, (const name[]){__VA_ARGS__})

/* The points of a field, and `by` more around them. */
static grid_box points(const hydro *h, name field, int64_t by)
{
    grid_box box = grid_shape_box(&h->slots[field].shape);
    for (int d = 0; d < 2; d++) {
        box.lo[d] -= by;
        box.hi[d] += by;
    }
    return box;
}

/* One layer of ghosts, mirrored. */
static void halo(hydro *h, name field)
{
    grid_box all = points(h, field, 0), box = all;
    box.lo[0] = -1;
    box.hi[0] = 0;
    APPLY(h, "left", box, field);
    box.lo[0] = all.hi[0];
    box.hi[0] = all.hi[0] + 1;
    APPLY(h, "right", box, field);
    box = points(h, field, 1);
    box.hi[1] = 0;
    APPLY(h, "bottom", box, field);
    box = points(h, field, 1);
    box.lo[1] = all.hi[1];
    APPLY(h, "top", box, field);
}

static void sweep(hydro *h, bool x)
{
    name flux = x ? FX : FY, mass = x ? MX : MY;
    APPLY(h, x ? "donor_x" : "donor_y", points(h, flux, 0), flux, D1, E1, mass, W4);
    APPLY(h, x ? "cells_x" : "cells_y", points(h, D1, 0), mass, W4, D1, E1);
    grid_box inner = points(h, U0, -1);
    APPLY(h, "nodes", inner, mass, D1, W1, W2);
    for (int v = 0; v < 2; v++) {
        name speed = v ? V1 : U1;
        APPLY(h, x ? "moment_x" : "moment_y", inner, W1, speed, W3);
        grid_box most = points(h, U0, -2);
        APPLY(h, x ? "carry_x" : "carry_y", most, W3, W2, speed);
    }
}

static void step(hydro *h)
{
    grid_box cells = points(h, D0, 0), once = {{0, 0, 0}, {1, 1, 1}};
    APPLY(h, "eos", cells, D0, E0, P, C);
    halo(h, P);
    halo(h, E0);
    halo(h, D0);
    halo(h, U0);
    halo(h, V0);
    APPLY(h, "viscosity", cells, P, U0, V0, D0, Q);
    halo(h, Q);
    APPLY(h, "limit", cells, C, Q, U0, V0, DT);
    APPLY(h, "clock", once, DT, T);
    APPLY(h, "pdv", cells, XA, YA, P, Q, U0, V0, D0, E0, D1, E1, DT);
    APPLY(h, "eos", cells, D1, E1, P, C);
    halo(h, P);
    APPLY(h, "push", points(h, U0, -1), D0, P, Q, U0, V0, U1, V1, DT);
    APPLY(h, "pdv", cells, XA, YA, P, Q, U1, V1, D0, E0, D1, E1, DT);
    APPLY(h, "flux_x", points(h, FX, 0), XA, U0, U1, FX, DT);
    APPLY(h, "flux_y", points(h, FY, 0), YA, V0, V1, FY, DT);
    halo(h, D1);
    halo(h, E1);
    sweep(h, true);
    halo(h, D1);
    halo(h, E1);
    sweep(h, false);
    halo(h, U1);
    halo(h, V1);
    APPLY(h, "nodes", points(h, U0, -1), MX, D1, W5, W6);
    APPLY(h, "moment_x", points(h, U0, -1), W5, V1, W7);
    APPLY(h, "copy2", points(h, D0, 0), D1, E1, D0, E0);
    APPLY(h, "copy2", points(h, U0, 0), U1, V1, U0, V0);
}

static void fill(hydro *h, int i)
{
    chain_slot *slot = &h->slots[i];
    grid_box all = chain_slot_memory(slot);
    int64_t count = grid_box_points(&all);
    double *values = malloc((size_t)count * sizeof *values);
    slot->array = store_array_new(&all, slot->type, 1, KATA_ARRAYS);
    assert_true(values && slot->array);
    for (int64_t k = 0; k < count; k++) values[k] = 1 + 0.1 * (double)((k * 7 + i * 13) % 17) / 17;
    store_write(slot->array, &all, KATA_F64, values);
    h->first[i] = store_array_copy(slot->array);
    free(values);
}

static void make(hydro *h)
{
    *h = (hydro){0};
    assert_int_equal(lang_compile("hydro.kata", kernels, strlen(kernels), NULL, &h->m, &h->module),
                     KATA_OK);
    for (int i = 0; i < FIELDS + 2; i++) {
        bool scalar = i >= FIELDS, node = (i >= U0 && i <= V1) || (i >= W1 && i < FIELDS);
        chain_slot *slot = &h->slots[i];
        *slot =
            (chain_slot){.shape = {2, {NX, NY, 1}}, .components = 1, .ghosts = {GHOSTS, GHOSTS}};
        slot->staggered[0] = node || (i >= FX && i <= XA);
        slot->staggered[1] = node || (i >= FY && i <= YA);
        for (int d = 0; d < 2; d++) slot->shape.size[d] += slot->staggered[d];
        if (scalar)
            *slot = (chain_slot){.shape = {1, {1, 1, 1}}, .components = 1, .is_scalar = true};
        fill(h, i);
    }
    step(h);
    assert_int_equal(h->chain.count, STEP_LOOPS);
    step(h);
}

static void reset(hydro *h)
{
    for (int i = 0; i < FIELDS + 2; i++) {
        store_array_free(h->slots[i].array);
        h->slots[i].array = store_array_copy(h->first[i]);
    }
}

static double *values_of(hydro *h, size_t *bytes)
{
    enum { ROOM = (FIELDS + 2) * (NX + 5) * (NY + 5) };
    double *values = calloc(ROOM, sizeof *values), *next = values;
    for (int i = 0; i < FIELDS + 2; i++) {
        grid_box all = chain_slot_memory(&h->slots[i]);
        store_read(h->slots[i].array, &all, 1, KATA_F64, next);
        next += grid_box_points(&all);
    }
    *bytes = ROOM * sizeof *values;
    return values;
}

static void free_hydro(hydro *h)
{
    for (int i = 0; i < FIELDS + 2; i++) {
        store_array_free(h->slots[i].array);
        store_array_free(h->first[i]);
    }
    chain_free(&h->chain);
    lang_module_free(h->module);
    message_free(&h->m);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Loops in one tile: the largest number, and whether they are of both time steps. */
static int largest_tile(const plan *p, bool *both)
{
    int most = 0;
    for (int i = 1; i < p->count; i++) {
        bool first = false, second = false;
        if (p->nodes[i].kind != PLAN_TILE || p->nodes[i].leaf_count <= most) continue;
        most = p->nodes[i].leaf_count;
        for (int k = i; k < p->count; k++) {
            const plan_node *n = &p->nodes[k];
            if (n->kind != PLAN_LOOP || n->leaf >= p->nodes[i].leaf + most) continue;
            first = first || n->loop < STEP_LOOPS;
            second = second || n->loop >= STEP_LOOPS;
        }
        *both = first && second;
    }
    return most;
}

static void two_steps_are_tiled_together(void **state)
{
    static const char *const wanted[] = {
        "skewed y=4",   "skewed x=7 y=3 inner.y=1", "diamond y=64",
        "streamed y=2", "streamed y=3 prefetch",    "blocked parts.x=2 parts.y=2 every=5",
        "fused y=2"};
    (void)state;
    hydro h;
    size_t bytes, count;
    make(&h);
    exec_context context = {.threads = 1};
    assert_int_equal(exec_reference.run(&context, &h.chain, &h.m), KATA_OK);
    double *expected = values_of(&h, &bytes);
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        plan_request request;
        analysis_chain a;
        plan p = {0};
        text why = {0};
        bool both = false;
        assert_true(plan_request_read(wanted[i], &request, 1, &why));
        assert_true(analysis_chain_make(&h.chain, &a));
        assert_true(plan_make(&p, &a, &request));
        if (!plan_verify(&p, &a, &why)) fail_msg("%s: %s", wanted[i], text_get(&why));
        if (i < 2) assert_int_equal(largest_tile(&p, &both), STEP_LOOPS - 1);
        if (i < 2) assert_true(both);
        reset(&h);
        assert_int_equal(oracle_run_plan(&p, &a, &(oracle_plan_order){true, false}, &h.m), KATA_OK);
        double *found = values_of(&h, &count);
        assert_memory_equal(found, expected, bytes);
        free(found);
        plan_free(&p);
        analysis_chain_free(&a);
    }
    free(expected);
    free_hydro(&h);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A chain seen before gets the plan that it had; KATA_TEST_VERBOSE=1 shows how long both take. */
static void a_chain_seen_before_has_its_plan(void **state)
{
    enum { TIMES = 100 };
    (void)state;
    hydro h;
    plan_request request = {.method = "skewed", .tile = {0, 8, 0}};
    const analysis_chain *a, *again;
    double new = 0, known = 0;
    bool is_new;
    make(&h);
    for (int i = 0; i < TIMES; i++) {
        plan_cache *cache = plan_cache_new();
        assert_false(plan_cache_knows(cache, &h.chain, &request));
        double start = seconds();
        const plan *p = plan_cache_get(cache, &h.chain, &request, &a, &is_new);
        assert_true(is_new);
        double middle = seconds();
        assert_non_null(p);
        assert_ptr_equal(plan_cache_get(cache, &h.chain, &request, &again, &is_new), p);
        assert_false(is_new);
        new += middle - start;
        known += seconds() - middle;
        assert_ptr_equal(a, again);
        assert_ptr_equal(plan_cache_again(cache, &h.chain, &again), p);
        assert_ptr_equal(a, again);
        h.chain.count--;
        assert_null(plan_cache_again(cache, &h.chain, &again));
        h.chain.count++;
        plan_cache_free(cache);
    }
    if (getenv("KATA_TEST_VERBOSE"))
        printf("%d loops: planned in %.3f ms, seen before %.2f us\n", (int)h.chain.count,
               1e3 * new / TIMES, 1e6 * known / TIMES);
    free_hydro(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_steps_are_tiled_together),
        cmocka_unit_test(a_chain_seen_before_has_its_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
