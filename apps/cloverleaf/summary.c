/* The totals that the mini-app prints, and its official check. */
#include "cloverleaf.h"

#include <math.h>
#include <stdio.h>

clover_summary clover_summarise(const clover_mesh *m)
{
    double totals[5];
    clover_summary s = {0};
    kata_range cells = kata_all(m->grid);
    kata_apply(m->kernels[CLOVER_IDEAL_GAS], cells, m->density[0], m->energy[0], m->pressure,
               m->soundspeed);
    kata_apply(kata_kernel_find(m->module, "summarise"), cells, m->volume, m->density[0],
               m->energy[0], m->pressure, m->velocity[CLOVER_X][0], m->velocity[CLOVER_Y][0],
               m->totals);
    kata_scalar_get_all(m->totals, totals, 5);
    kata_scalar_get(m->time, &s.time);
    s.volume = totals[0];
    s.mass = totals[1];
    s.density = s.mass / s.volume;
    s.pressure = totals[4] / s.volume;
    s.internal = totals[2];
    s.kinetic = totals[3];
    s.total = s.internal + s.kinetic;
    return s;
}

void clover_summary_print(const clover_summary *s, int64_t step)
{
    printf("%7lld %11.7f %13.6e %13.6e %13.6e %13.6e %15.6e %14.6e %13.6e\n", (long long)step,
           s->time, s->volume, s->mass, s->density, s->pressure, s->internal, s->kinetic, s->total);
}

/* The mini-app's field_summary.f90 has these kinetic energies, for the decks that it names so. */
static const double expected[CLOVER_TEST_PROBLEMS] = {
    1.82280367310258, 1.19316898756307, 2.58984003503994, 0.307475452287895, 4.85350315783719};

bool clover_check(const clover_deck *deck, const clover_summary *s)
{
    if (!deck->test_problem) return true;
    double kinetic = expected[deck->test_problem - 1];
    double percent = fabs(100 * s->kinetic / kinetic - 100);
    bool passed = percent < 0.001; /* false for NaN */
    printf("\ntest problem %lld: the kinetic energy is within %.2g %% of %.15g: %s\n",
           (long long)deck->test_problem, percent, kinetic, passed ? "PASSED" : "NOT PASSED");
    return passed;
}
