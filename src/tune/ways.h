/* Proposals, as the search sees them. */
#ifndef TUNE_WAYS_H
#define TUNE_WAYS_H

#include "tune/tune.h"

/* Whether a request that was kept may be run: its sizes are among those that are tried. */
bool tune_ways_may_run(const tune_ways *ways, const plan_request *request);
/* The known way that is fastest; `tiled`: of those in tiles. -1: there is none. */
int tune_ways_fastest(const tune_ways *ways, bool tiled);
/* Whether a way that was looked at should not move many more bytes than one that has run. */
bool tune_ways_promises(const tune_ways *ways, const tune_way *way);
/* By how many seconds per loop a way may be slower than the fastest one, as the model says of
 * loops, and the fastest tiles of others. */
double tune_ways_excess(const tune_ways *ways, const tune_way *way);
/* The next way to try; -1: there is none, the fastest is known. `tries_loops`: before others. */
int tune_ways_next(tune_ways *ways, bool tries_loops);

#endif
