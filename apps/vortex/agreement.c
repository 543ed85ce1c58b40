/* The computed decay beside the published one. */
#include "vortex.h"

#include <math.h>
#include <stdio.h>

enum { EVERY = VORTEX_RATE / VORTEX_ROWS_RATE }; /* samples from a row of the table to the next */

/* Largest differences to accept, as parts of the largest published dissipation, where the whole
 * decay is computed with so many points along a side. Fewer points do not resolve the turbulence.
 */
static const struct {
    int64_t size;
    double limit;
} limits[] = {{64, 0.25}, {0, INFINITY}};

static double limit_of(int64_t size)
{
    int i = 0;
    while (size < limits[i].size) i++;
    return limits[i].limit;
}

static int64_t rows_of(const vortex_history *h)
{
    const int64_t rows = (h->count - 1) / EVERY + 1;
    return rows < VORTEX_ROWS ? rows : VORTEX_ROWS;
}

static double difference(const vortex_history *h, int64_t row)
{
    return vortex_dissipation(h, row * EVERY) - vortex_published_dissipation[row];
}

static int64_t worst_row(const vortex_history *h)
{
    int64_t worst = 0;
    for (int64_t i = 1; i < rows_of(h); i++)
        if (fabs(difference(h, i)) > fabs(difference(h, worst))) worst = i;
    return worst;
}

static void print_row(const vortex_history *h, int64_t row)
{
    const int64_t i = row * EVERY;
    const double time = (double)row / VORTEX_ROWS_RATE;
    printf("%6.1f   %.6f   %.6f   %9.6f   %.6f   %.6f\n", time, h->samples[i].energy,
           vortex_published_energy[row], vortex_dissipation(h, i),
           vortex_published_dissipation[row], vortex_friction(h, i));
}

static void print_table(const vortex_history *h)
{
    printf("          kinetic energy          dissipation\n");
    printf("  time   computed  published    computed  published   from enstrophy\n");
    const int64_t step = rows_of(h) > 30 ? VORTEX_ROWS_RATE : 1;
    for (int64_t i = 0; i < rows_of(h); i += step) print_row(h, i);
}

bool vortex_compare(const vortex_history *h)
{
    const int64_t worst = worst_row(h);
    const double most = fabs(difference(h, worst)), limit = limit_of(h->c.size);
    const double part = most / vortex_published_peak;
    print_table(h);
    printf(
        "largest difference in the dissipation: %.6f at time %.1f, %.2g %% of the published peak",
        most, (double)worst / VORTEX_ROWS_RATE, 100 * part);
    if (isfinite(limit))
        printf(", %s the limit %g %%", part <= limit ? "within" : "ABOVE", 100 * limit);
    printf("\n");
    return part <= limit;
}
