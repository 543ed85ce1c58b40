/* Ways of running a loop that compute the same and of which the faster depends on the machine, on
 * what else it does, and on how many streams the loop has: streaming stores or plain ones. Both are
 * tried in turn, and the faster is chosen until it is time to try again. One try of each is enough
 * to see that the chosen way is clearly faster; to change it, the best of several tries must say
 * so.
 */
#include "sweep/sweep.h"

enum {
    TRIES = 3,                       /* of each way at most */
    SHORTEST_PAUSE = HOSTILE(30, 6), /* runs before the next tries, at first: a machine that was */
    LONGEST_PAUSE =
        16 * SHORTEST_PAUSE /* busy may have misled them; later twice as many each time */
};

/* A way that takes so much longer than another is not tried again before it is time. */
static const double clearly = 1.25;

static bool is_alike(int64_t a, int64_t b) { return a <= 2 * b && b <= 2 * a; }

/* The fastest as far as is known; of equal ones the chosen one. */
static int fastest(const sweep_store_choice *way)
{
    int best = way->best;
    for (int i = 0; i < SWEEP_STORE_CHOICES; i++)
        if (way->least[i] < way->least[best]) best = i;
    return best;
}

/* Whether the tries have shown which way to keep. */
static bool is_decided(const sweep_store_choice *way)
{
    bool all = true, clear = true;
    for (int i = 0; i < SWEEP_STORE_CHOICES; i++) {
        if (way->tries[i] < 1) return false;
        all = all && way->tries[i] >= TRIES;
        clear = clear && (i == way->best || way->least[i] > clearly * way->least[way->best]);
    }
    return all || clear;
}

int sweep_store_choice_begin(sweep_store_choice *way, int64_t points)
{
    /* The first run finds new memory and counts for nothing. */
    if (!is_alike(way->points, points))
        *way = (sweep_store_choice){.pause = SHORTEST_PAUSE, .tries = {-1}};
    way->points = points;
    way->now = way->best;
    way->tried = way->left == 0;
    if (!way->tried) {
        way->left--;
        return way->now;
    }
    for (int i = 0; i < SWEEP_STORE_CHOICES; i++)
        if (way->tries[i] < way->tries[way->now]) way->now = i;
    return way->now;
}

void sweep_store_choice_end(sweep_store_choice *way, double seconds)
{
    if (!way->tried) return;
    double each = seconds / (double)way->points, *least = &way->least[way->now];
    way->tries[way->now]++;
    if (way->tries[way->now] == 1 || each < *least) *least = each;
    if (!is_decided(way)) return;
    int before = way->best;
    way->best = fastest(way);
    way->left = way->best == before ? way->pause : SHORTEST_PAUSE;
    way->pause = 2 * way->left < LONGEST_PAUSE ? 2 * way->left : LONGEST_PAUSE;
    for (int i = 0; i < SWEEP_STORE_CHOICES; i++) way->tries[i] = 0;
}
