/* Running the compiled function of a loop on a box that has no edges, on one thread. */
#include "sweep/loop.h"

#include <string.h>

/* All boxes run, also when a point has failed: another may hold one that comes before it. */
bool sweep_run_plain(const sweep_loop *l, const grid_box *box, sweep_share *share)
{
    abi_box points;
    memcpy(points.lo, box->lo, sizeof points.lo);
    memcpy(points.hi, box->hi, sizeof points.hi);
    share->failure.found = 0;
    share->arguments.ends[0] = share->cut ? share->cut->lo[0] : box->lo[0];
    share->arguments.ends[1] = share->cut ? share->cut->hi[0] : box->hi[0];
    l->run(&points, &share->arguments);
    return !share->failure.found || sweep_fault_note(l, share, true);
}
