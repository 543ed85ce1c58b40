/* Ways of running a loop that compute the same and of which the faster depends on the machine, on
 * what else it does, and on how many streams the loop has: writing past the caches or not. Both are
 * tried, in turn, and the faster is kept, until it is time to try again. */
#include "exec/cpu.h"

#include <time.h>

enum {
    TRIES = 3 * CPU_WAYS,             /* of which the best count: the first touches new memory */
    FEWEST_KEPT = HOSTILE(30, TRIES), /* runs before the next tries, at first: a machine that was */
    MOST_KEPT = 16 * FEWEST_KEPT      /* busy may have misled them; later twice as many each time */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_alike(int64_t a, int64_t b) { return a <= 2 * b && b <= 2 * a; }

int cpu_way_begin(cpu_way *way, int64_t points)
{
    if (!is_alike(way->points, points)) *way = (cpu_way){.kept = FEWEST_KEPT};
    if (way->runs >= TRIES + way->kept) {
        int64_t twice = 2 * way->kept;
        *way = (cpu_way){.kept = twice < MOST_KEPT ? twice : MOST_KEPT};
    }
    way->points = points;
    way->now = way->runs < TRIES ? way->runs % CPU_WAYS : way->best;
    way->runs++;
    way->start = way->runs <= TRIES ? now() : 0;
    return way->now;
}

void cpu_way_end(cpu_way *way)
{
    if (way->runs > TRIES) return;
    double each = (now() - way->start) / (double)way->points, *least = &way->least[way->now];
    if (*least == 0 || each < *least) *least = each;
    for (int i = 0; i < CPU_WAYS; i++)
        if (way->least[i] > 0 && way->least[i] < way->least[way->best]) way->best = i;
}
