/* Blocks of several groups of loops, on a machine whose fields stay in the memories of its cores.
 * Each group is planned first for what comes before it. Where groups have chosen different blocks,
 * fields are dealt anew between them, which may take longer than other blocks would. So all groups
 * are also planned with blocks alike: those that one of them has chosen, or, where all possible
 * ones have few runs together, any. The clock of the whole chain decides. */
#include "plan/planner.h"

#include <string.h>

enum {
    MOST_CHOSEN = 8,  /* blocks of groups that are looked at */
    MOST_EVERY = 16,  /* loops between exchanges */
    MOST_RUNS = 60000 /* runs of loops on blocks, of all that is tried */
};

typedef struct together {
    plan *p; /* the best so far */
    const analysis_chain *a;
    plan_request r;
    plan_build *build;
    double seconds, runs;
} together;

static double seconds_of(plan *p, const together *t)
{
    plan_times times;
    if (!plan_find_times(p, t->a, t->r.machine, NULL, &times)) p->failed = true;
    double seconds = times.seconds;
    plan_times_free(&times);
    return seconds;
}

/* Plans all groups with blocks alike, and keeps that if it is faster and refuses no more. */
static void try_alike(together *t, const int64_t parts[3], int64_t every)
{
    plan other = {0};
    plan_request r = t->r;
    memcpy(r.parts, parts, sizeof r.parts);
    r.every = every;
    t->runs += (double)(parts[0] * parts[1] * parts[2]) * t->a->loop_count;
    bool made = t->build(&other, t->a, &r);
    if (!made) t->p->failed = true;
    if (!made || other.refusal_count > t->p->refusal_count) {
        plan_free(&other);
        return;
    }
    double seconds = seconds_of(&other, t);
    bool better = !other.failed && seconds < t->seconds;
    plan kept = better ? other : *t->p;
    plan_free(better ? t->p : &other);
    *t->p = kept;
    if (better) t->seconds = seconds;
}

static void try_all_intervals(together *t, const int64_t parts[3])
{
    int64_t most = smaller(t->a->loop_count, MOST_EVERY);
    for (int64_t every = t->r.every ? t->r.every : 1;
         every <= larger(most, t->r.every) && t->runs < MOST_RUNS; every++) {
        try_alike(t, parts, every);
        if (t->r.every) return;
    }
}

/* The different blocks that groups have. Returns their number; *nodes: of all groups. */
static int find_chosen(const plan *p, int64_t chosen[MOST_CHOSEN][3], int *nodes)
{
    int count = 0;
    for (int i = 1; i < p->count; i++) {
        const plan_node *n = &p->nodes[i];
        if (n->kind != PLAN_BLOCKS) continue;
        int64_t parts[3] = {n->parts[0], n->parts[1], n->parts[2]};
        int known = 0;
        while (known < count && memcmp(chosen[known], parts, sizeof parts) != 0) known++;
        if (known == count && count < MOST_CHOSEN) memcpy(chosen[count++], parts, sizeof parts);
        ++*nodes;
    }
    return count;
}

/* All blocks that siblings can have, as long as they are few. */
static void try_any(together *t)
{
    int64_t most = larger(t->r.siblings, 1), parts[3];
    for (parts[2] = 1; parts[2] <= most; parts[2]++)
        for (parts[1] = 1; parts[1] <= most / parts[2]; parts[1]++)
            for (parts[0] = 1; parts[0] <= most / parts[2] / parts[1]; parts[0]++)
                if (t->runs < MOST_RUNS && parts[0] * parts[1] * parts[2] > 1)
                    try_all_intervals(t, parts);
}

void plan_blocks_unite(plan *p, const analysis_chain *a, const plan_request *r, plan_build *build)
{
    int64_t chosen[MOST_CHOSEN][3];
    int nodes = 0;
    bool chooses = r->machine && r->machine->local && !r->parts[0] && !r->parts[1] && !r->parts[2];
    int count = chooses ? find_chosen(p, chosen, &nodes) : 0;
    together t = {.p = p, .a = a, .r = *r, .build = build};
    if (nodes < 2) return;
    t.seconds = seconds_of(p, &t);
    for (int i = 0; i < count; i++) try_all_intervals(&t, chosen[i]);
    try_any(&t);
}
