/* Where a long chain had better end. A program that repeats some loops makes chains of one kind
 * only if each ends where the loops begin again. Otherwise every chain begins with another loop,
 * and needs a plan of its own. */
#include "exec/alike.h"

bool exec_loops_to_end(const chain *c, size_t *more)
{
    size_t start, period;
    if (!cpu_find_repeat(c, &start)) return false;
    chain rest = *c;
    rest.loops += start;
    rest.count -= start;
    if (!cpu_find_period(&rest, &period)) return false;
    *more = period ? (period - rest.count % period) % period : 0;
    return true;
}
