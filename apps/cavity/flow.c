/* The time loop. Populations are stored twice, the old and the new; they are exchanged after each
 * step. The velocity is measured once in a convective time. The flow is steady when it has hardly
 * changed since. */
#include "cavity.h"
#include "cavity_kata.h"
#include "common/common.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/* Everything that is the same in all steps. */
typedef struct run {
    const cavity_case *c;
    kata *k;
    kata_grid *grid;
    kata_kernel *step, *measure;
    kata_field *now, *next, *velocity;
    kata_scalar *change;
    double even, odd; /* relaxation rates */
} run;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int64_t cavity_period(const cavity_case *c) { return llround((double)c->size / c->lid); }

/* The even rate sets the viscosity. The odd rate is free. It is chosen so that Lambda, the product
 * of `even` and `odd` below, is 1/4: then the steady flow depends on the Reynolds number and the
 * cells alone, not on the speed of the lid. BGK takes the same rate for both. */
static void set_rates(run *r)
{
    double viscosity = r->c->lid * (double)r->c->size / r->c->reynolds;
    double even = 3 * viscosity, odd = r->c->collision == CAVITY_BGK ? even : 0.25 / even;
    r->even = 1 / (even + 0.5);
    r->odd = 1 / (odd + 0.5);
}

/* A new field is zero, and zero is the fluid at rest. The kernel reads beyond the walls and does
 * not use these values; the boundary rule is there for these reads. */
static run prepare(kata *k, const cavity_case *c)
{
    run r = {.c = c, .k = k, .grid = kata_grid_2d(k, c->size, c->size)};
    kata_module *m = kata_module_from_text(k, "cavity.kata", cavity_kata);
    r.step = kata_kernel_find(m, "step");
    r.measure = kata_kernel_find(m, "measure");
    r.now = kata_field_new(r.grid, "populations", c->type, .components = 9, .boundary = KATA_CLAMP);
    r.next = kata_field_like(r.now, "next");
    r.velocity = kata_field_new(r.grid, "velocity", KATA_F64, .components = 2);
    r.change = kata_scalar_new(k, "change", KATA_F64);
    set_rates(&r);
    return r;
}

static double measure(const run *r)
{
    double change;
    kata_apply(r->measure, kata_all(r->grid), r->now, r->velocity, r->c->lid, r->change);
    kata_scalar_get(r->change, &change);
    return change;
}

static void advance(const run *r, int64_t steps, progress *p)
{
    for (int64_t i = 0; i < steps && kata_ok(r->k); i++) {
        kata_apply(r->step, kata_all(r->grid), r->now, r->next, r->even, r->odd, r->c->lid);
        kata_discard(r->now); /* nobody reads a step back */
        kata_swap(r->now, r->next);
        kata_step(r->k);
        progress_show(p);
    }
}

/* The change falls about exponentially, so its logarithm says how much of the work is done. */
static void note(progress *p, const run *r, const cavity_flow *flow)
{
    double points = (double)flow->steps * (double)(r->c->size * r->c->size);
    if (flow->change < 0.1 && r->c->tolerance > 0)
        p->total = points * fmax(1, log(r->c->tolerance) / log(flow->change));
    progress_note(p, "step %lld, change %.1e", (long long)flow->steps, flow->change);
}

static cavity_state state_of(const run *r, const cavity_flow *flow, bool whole_period)
{
    if (!kata_ok(r->k)) return CAVITY_FAILED;
    if (!(flow->change < 1e3)) return CAVITY_DIVERGED; /* also when it is not a number */
    return whole_period && flow->change < r->c->tolerance ? CAVITY_STEADY : CAVITY_UNSTEADY;
}

/* Whether the velocity is to be measured where a resumed run goes on: checkpoints are written
 * before.
 */
static bool measures_first(const cavity_flow *flow, const cavity_case *c)
{
    return flow->steps > 0 && (flow->steps % cavity_period(c) == 0 || flow->steps >= c->most_steps);
}

cavity_flow cavity_flow_run(kata *k, const cavity_case *c, const checkpoints *checkpoints)
{
    char title[64];
    progress p;
    run r = prepare(k, c);
    cavity_flow flow = {.grid = r.grid, .velocity = r.velocity};
    flow.state = kata_ok(k) ? CAVITY_UNSTEADY : CAVITY_FAILED;
    int64_t period = cavity_period(c);
    flow.steps = flow.first = options_resume(k, checkpoints);
    bool due = measures_first(&flow, c);
    double start = seconds();
    snprintf(title, sizeof title, "cavity, Re %g", c->reynolds);
    progress_start(&p, k, title, 0, c->quiet);
    while (flow.state == CAVITY_UNSTEADY && (due || flow.steps < c->most_steps)) {
        int64_t left = c->most_steps - flow.steps, whole = period - flow.steps % period;
        int64_t steps = due ? 0 : left < whole ? left : whole;
        advance(&r, steps, &p);
        flow.steps += steps;
        flow.change = measure(&r);
        flow.state = state_of(&r, &flow, flow.steps % period == 0);
        due = false;
        note(&p, &r, &flow);
    }
    progress_erase(&p);
    flow.seconds = seconds() - start;
    return flow;
}
