/* Hand-written kernels: the 7-point star in a periodic cube. Ghosts are few beside the cube. */
#include "plain/plain_periodic.h"

void hand_star7_periodic(bench_data *d)
{
    fill_periodic(d, d->field[0]);
    hand_star7(d);
}
