/* Loop intervals of groups of kernels, as in GridTools (core/interval.hpp): an axis is cut wherever
 * a body begins or ends. */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

/* ---- bodies ---------------------------------------------------------------------------------- */

static int bodies_of(const ir_kernel *kernel)
{
    return kernel->interval_count ? kernel->interval_count : 1;
}

int analysis_bodies_of(const chain_loop *const *loops, int count, arena *memory,
                       analysis_body **out)
{
    size_t most = 0;
    for (int l = 0; l < count; l++) most += (size_t)bodies_of(loops[l]->kernel);
    analysis_body *bodies = arena_array(memory, most + 1, sizeof *bodies);
    int made = 0;
    for (int l = 0; bodies && l < count; l++)
        for (int i = 0; i < bodies_of(loops[l]->kernel); i++) {
            const ir_kernel *kernel = loops[l]->kernel;
            analysis_span levels =
                analysis_levels(loops[l], kernel->interval_count ? &kernel->intervals[i] : NULL);
            if (levels.lo < levels.hi)
                bodies[made++] = (analysis_body){l, i, levels.lo, levels.hi - 1};
        }
    *out = bodies;
    return bodies ? made : -1;
}

/* ---- cutting --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sets found[k] for each kernel at one level; says whether there is any. */
static bool find_bodies(const analysis_body *bodies, int count, int kernels, int64_t level,
                        int *found)
{
    bool any = false;
    for (int k = 0; k < kernels; k++) found[k] = -1;
    for (int i = 0; i < count; i++) {
        if (level < bodies[i].first || level > bodies[i].last) continue;
        found[bodies[i].kernel] = bodies[i].body;
        any = true;
    }
    return any;
}

int analysis_loop_intervals(const analysis_body *bodies, int count, int kernels, arena *memory,
                            analysis_loop_interval **out)
{
    size_t ends = 2 * (size_t)count;
    int64_t *cuts = arena_array(memory, ends + 1, sizeof *cuts);
    int *found = arena_array(memory, (ends + 1) * (size_t)(kernels + 1), sizeof *found);
    analysis_loop_interval *list = arena_array(memory, ends + 1, sizeof *list);
    if (!cuts || !found || !list) return -1;
    for (int i = 0; i < count; i++) {
        cuts[2 * i] = bodies[i].first;
        cuts[2 * i + 1] = bodies[i].last + 1;
    }
    qsort(cuts, ends, sizeof *cuts, compare);
    int made = 0;
    for (size_t i = 0; i + 1 < ends; i++, found += kernels) {
        analysis_loop_interval *before = made ? &list[made - 1] : NULL;
        if (cuts[i] == cuts[i + 1] || !find_bodies(bodies, count, kernels, cuts[i], found))
            continue;
        if (before && before->last == cuts[i] - 1 &&
            !memcmp(before->bodies, found, (size_t)kernels * sizeof *found))
            before->last = cuts[i + 1] - 1;
        else
            list[made++] = (analysis_loop_interval){cuts[i], cuts[i + 1] - 1, found};
    }
    *out = list;
    return made;
}
