/* Proposals, as the search sees them. */
#ifndef TUNE_WAYS_H
#define TUNE_WAYS_H

#include "tune/tune.h"

/* Loops of a try, at least: in tiles, and one after another. */
enum { TUNE_SHORT = HOSTILE(16, 2), TUNE_FEW = HOSTILE(4, 1) };

/* Whether a request that was kept may be run: its sizes are among those that are tried. */
bool tune_ways_may_run(const tune_ways *ways, const plan_request *request);
/* The known way that is fastest; `tiled`: of those in tiles. -1: there is none. */
int tune_ways_fastest(const tune_ways *ways, bool tiled);
/* Whether a way that was looked at should not move many more bytes than one that has run. */
bool tune_ways_promises(const tune_ways *ways, const tune_way *way);
/* The next way to try, of those that should lose so many seconds at most. TUNE_NONE: there is none,
 * the fastest is known; TUNE_LATER: all that are left may lose more. */
enum { TUNE_NONE = -1, TUNE_LATER = -2 };
int tune_ways_next(tune_ways *ways, double budget);

#endif
