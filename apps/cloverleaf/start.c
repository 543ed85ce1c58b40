/* The sizes of cells, and the gas at the beginning. */
#include "cloverleaf.h"

#include <math.h>
#include <stdio.h>

static double width_of(const clover_deck *deck, int d)
{
    return (deck->high[d] - deck->low[d]) / (double)deck->cells[d];
}

/* A kernel that there is for each dimension. */
static kata_kernel *kernel_along(const clover_mesh *m, int d, const char *what)
{
    char name[32];
    snprintf(name, sizeof name, "%c_%s", "xyz"[d], what);
    return kata_kernel_find(m->module, name);
}

void clover_set_geometry(const clover_mesh *m)
{
    for (int d = 0; d < m->dimensions; d++) {
        kata_kernel *set_width = kernel_along(m, d, "set_width");
        double width = width_of(m->deck, d);
        kata_apply(set_width, kata_on(m->cell_width[d]), m->cell_width[d], width);
        kata_apply(set_width, kata_on(m->vertex_width[d]), m->vertex_width[d], width);
    }
    for (int d = 0; d < m->dimensions; d++)
        CLOVER_APPLY(m, kernel_along(m, d, "set_area"), kata_on(m->area[d]),
                     OTHERS(m->cell_width, d), ONE(m->area[d]));
    CLOVER_APPLY(m, kata_kernel_find(m->module, "set_volume"), kata_all(m->grid),
                 EACH(m->cell_width), ONE(m->volume));
}

/* Corners are moved by a hundredth of a cell into the state, so that rounding does not decide
 * whether the cell beside a corner belongs to it. */
static void set_state(const clover_mesh *m, const clover_state *s, bool whole)
{
    double width[3], low[3], high[3];
    for (int d = 0; d < m->dimensions; d++) {
        width[d] = width_of(m->deck, d);
        low[d] = whole ? -INFINITY : s->low[d] + width[d] / 100;
        high[d] = whole ? INFINITY : s->high[d] - width[d] / 100;
    }
    int shape = whole ? CLOVER_BOX : (int)s->shape;
    CLOVER_APPLY(m, kata_kernel_find(m->module, "set_state"), kata_all(m->grid), ONE(m->density[0]),
                 ONE(m->energy[0]), ALONG(m, m->deck->low), ALONG(m, width), ONE(shape),
                 ALONG(m, low), ALONG(m, high), ONE(s->radius), ONE(s->density), ONE(s->energy));
    CLOVER_APPLY(m, kata_kernel_find(m->module, "set_velocity"), kata_on(m->velocity[0][0]),
                 EACH(m->velocity[0]), ALONG(m, m->deck->low), ALONG(m, width), ONE(shape),
                 ALONG(m, low), ALONG(m, high), ONE(s->radius), ALONG(m, s->velocity));
}

void clover_set_gas(const clover_mesh *m)
{
    const clover_deck *deck = m->deck;
    for (int i = 0; i < deck->state_count; i++)
        if (deck->states[i].defined) set_state(m, &deck->states[i], i == 0);
}
