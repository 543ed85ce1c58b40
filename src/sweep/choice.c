/* A choice between two ways to run a loop that compute the same, such as stores that go through the
 * caches or past them: which is faster depends on the machine, on what else it does, and on the
 * loop. Both are tried in turn, in blocks of consecutive runs. The first run of a block does not
 * count: it finds in the caches what the other way left there. One block of each is enough where
 * the chosen way is clearly faster, and one more of it where it is clearly slower; otherwise the
 * best of several blocks must say so. Then the faster one is taken until it is time to doubt: a
 * busy machine may have misled the tries. */
#include "sweep/sweep.h"

enum {
    BLOCK = 3,                       /* runs, of which the first does not count */
    MOST_BLOCKS = 3,                 /* of each way */
    SHORTEST_PAUSE = HOSTILE(30, 6), /* runs before doubt; after each doubt twice as many */
    LONGEST_PAUSE = 16 * SHORTEST_PAUSE
};

/* A way that takes so much longer is not tried again before it is time; and one must be so much
 * faster to replace the one that was chosen. */
static const double clearly = 1.25, noticeably = 1.02;

static bool is_alike(int64_t a, int64_t b) { return a <= 2 * b && b <= 2 * a; }

static int other(int way) { return 1 - way; }

/* Whether blocks have shown which way to take. */
static bool is_decided(const sweep_choice *c)
{
    int rival = other(c->best);
    if (c->blocks[c->best] < 1 || c->blocks[rival] < 1) return false;
    if (c->least[rival] > clearly * c->least[c->best]) return true;
    if (c->least[c->best] > clearly * c->least[rival]) return c->blocks[c->best] > 1;
    return c->blocks[c->best] >= MOST_BLOCKS && c->blocks[rival] >= MOST_BLOCKS;
}

/* The blocks begin with the way that has had fewer, or with the chosen one. */
static int next_way(const sweep_choice *c)
{
    return c->blocks[other(c->best)] < c->blocks[c->best] ? other(c->best) : c->best;
}

int sweep_choice_begin(sweep_choice *c, int64_t bytes, int first, bool doubtful)
{
    if (!is_alike(c->bytes, bytes)) {
        *c = (sweep_choice){.best = first};
        c->pause = doubtful ? SHORTEST_PAUSE : LONGEST_PAUSE;
        c->left = doubtful ? 0 : LONGEST_PAUSE;
    }
    c->bytes = bytes;
    c->tried = c->left == 0;
    if (!c->tried) {
        c->left--;
        c->now = c->best;
    } else if (c->runs == 0) {
        c->now = next_way(c);
    }
    return c->now;
}

/* The ways are no longer tried: the best of them is taken. */
static void decide(sweep_choice *c)
{
    int before = c->best, rival = other(c->best);
    if (c->least[rival] * noticeably < c->least[before]) c->best = rival;
    c->left = c->best == before ? c->pause : SHORTEST_PAUSE;
    c->pause = 2 * c->left < LONGEST_PAUSE ? 2 * c->left : LONGEST_PAUSE;
    c->blocks[0] = c->blocks[1] = 0;
}

bool sweep_choice_end(sweep_choice *c, double seconds)
{
    double *least = &c->least[c->now];
    if (!c->tried) return false;
    if (++c->runs == 1) return false;
    if ((c->blocks[c->now] == 0 && c->runs == 2) || seconds < *least) *least = seconds;
    if (c->runs < BLOCK) return false;
    c->runs = 0;
    c->blocks[c->now]++;
    if (!is_decided(c)) return false;
    decide(c);
    return true;
}

double sweep_choice_gain(const sweep_choice *c)
{
    return c->least[other(c->best)] / c->least[c->best];
}
