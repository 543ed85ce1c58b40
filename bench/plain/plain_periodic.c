/* Plain loops: the 7-point star in a periodic cube, whose ghosts are filled before each sweep. */
#include "plain/plain_periodic.h"

void plain_star7_periodic(bench_data *d)
{
    fill_periodic(d, d->field[0]);
    plain_star7(d);
}
