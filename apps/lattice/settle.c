/* Steps until the flow is steady. The velocity is measured once in a period. The first period is
 * not timed where there is another one: kernels are compiled, and plans tried, meanwhile. */
#include "lattice.h"

#include <math.h>
#include <stdio.h>

static lattice_state state_of(const lattice *l, const lattice_request *r, const lattice_flow *flow,
                              bool whole_period)
{
    if (!kata_ok(l->k)) return LATTICE_FAILED;
    if (!(flow->change < 1e3)) return LATTICE_DIVERGED; /* also when it is not a number */
    return whole_period && flow->change < r->tolerance ? LATTICE_STEADY : LATTICE_UNSTEADY;
}

/* The change falls about exponentially, so its logarithm says how much of the work is done. */
static void note(progress *p, const lattice *l, const lattice_request *r, double change)
{
    double cells = (double)(l->setup.size[0] * l->setup.size[1] * l->setup.size[2]);
    if (change < 0.1 && r->tolerance > 0)
        p->total = (double)l->steps * cells * fmax(1, log(r->tolerance) / log(change));
    progress_note(p, "step %lld, change %.1e", (long long)l->steps, change);
}

static void advance(lattice *l, int64_t steps, progress *p)
{
    for (int64_t i = 0; i < steps && kata_ok(l->k); i++) {
        lattice_step(l);
        progress_show(p);
    }
}

/* Whether the velocity is to be measured where a resumed run goes on: checkpoints are written
 * before.
 */
static bool measures_first(const lattice *l, const lattice_request *r, int64_t period)
{
    return l->steps > 0 && (l->steps % period == 0 || l->steps >= r->most_steps);
}

lattice_flow lattice_settle(lattice *l, const lattice_request *r, double speed, int64_t period)
{
    lattice_flow flow = {.state = kata_ok(l->k) ? LATTICE_UNSTEADY : LATTICE_FAILED,
                         .period = period};
    progress p;
    const int64_t first = l->steps = options_resume(l->k, &r->checkpoints);
    int64_t timed_from = first;
    double start = progress_clock();
    bool due = measures_first(l, r, period);
    progress_start(&p, l->k, "lattice", 0, r->quiet);
    while (flow.state == LATTICE_UNSTEADY && (due || l->steps < r->most_steps)) {
        const int64_t left = r->most_steps - l->steps, whole = period - l->steps % period;
        if (timed_from == first && l->steps > first) {
            timed_from = l->steps;
            start = progress_clock();
        }
        if (!due) advance(l, left < whole ? left : whole, &p);
        flow.change = lattice_measure(l) / speed;
        flow.state = state_of(l, r, &flow, l->steps % period == 0);
        note(&p, l, r, flow.change);
        due = false;
    }
    progress_erase(&p);
    flow.timed_steps = l->steps - timed_from;
    flow.seconds = progress_clock() - start;
    return flow;
}
