/* Chains whose fields are dealt out to ranks: which loops a rank runs on its own points, and what
 * it needs of others before.
 *
 * All grids are cut alike, into a box of parts, one per rank. Of a field that is dealt out a rank
 * has the values at its own indices, and valid copies of some around them. Other fields are whole:
 * every rank has all values. The plan is a list of steps, the same on all ranks:
 *
 *   exchange   a field's copies around a rank's own indices become valid, so many indices deep
 *   gather     a field becomes whole
 *   part       a loop runs on a rank's own points and some around them; the fields that it writes
 *              are dealt out
 *   whole      a loop runs on all points on every rank; its fields are whole
 *
 * Loops between two exchanges are a section. In it loops compute around a rank's own points what
 * later loops of the section read there, and neighbours compute the same. So a section needs the
 * values of others once.
 *
 * Beyond a periodic side that is cut, indices go on: copies of the first points lie behind the last
 * ones. A loop that computes there must not look at the index of its points. */
#ifndef PLAN_DEALT_H
#define PLAN_DEALT_H

#include "plan/plan.h"

/* How far around its own indices a rank has valid values of a field: lo <= 0 <= hi per dimension
 * that is cut. */
typedef struct plan_home {
    bool whole; /* all values */
    bool fixed; /* it cannot be dealt out, and stays whole: memory of the program */
    plan_span valid[3];
} plan_home;

typedef enum plan_dealt_kind {
    PLAN_DEALT_EXCHANGE,
    PLAN_DEALT_GATHER,
    PLAN_DEALT_PART,
    PLAN_DEALT_WHOLE
} plan_dealt_kind;

typedef struct plan_dealt_step {
    plan_dealt_kind kind;
    int slot;          /* of EXCHANGE and GATHER */
    int loop;          /* of PART and WHOLE */
    plan_span span[3]; /* of EXCHANGE: the copies; of PART: added to the ends of a rank's points */
} plan_dealt_step;

typedef struct plan_dealt {
    int parts[3];  /* ranks along each dimension; above 1: it is cut */
    int64_t every; /* loops in a section, at most */
    bool small;    /* grids of few points are dealt out, too */
    plan_dealt_step *steps;
    int count;
    size_t capacity;
    int64_t margin[3]; /* indices that are touched beyond a rank's own, at most */
    bool wraps[3];     /* there are indices beyond the grid */
} plan_dealt;

/* Whether a grid has enough points to be dealt out. */
bool plan_is_dealt(const grid_shape *shape, bool small);
/* Plans a chain for `parts`, `every` and `small`, which are set. `homes`, per slot of the chain,
 * are those before it, and then those after it. False when memory is out. */
bool plan_deal(plan_dealt *p, const analysis_chain *a, plan_home *homes);
void plan_dealt_free(plan_dealt *p);
/* A line per step, with the names of kernels and fields. */
void plan_dealt_print(text *out, const plan_dealt *p, const analysis_chain *a);

/* Of n points along a dimension that is cut into R parts, part r has those from ceil(r n / R) on.
 * So a grid that is k times as coarse as another is cut where that is: ceil(ceil(r n / R) / k) is
 * ceil(r (n / k) / R). */
static inline int64_t plan_cut(int64_t points, int parts, int r)
{
    return (points * r + parts - 1) / parts;
}

#endif
