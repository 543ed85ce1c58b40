/* Loop intervals of groups of kernels, as in GridTools (core/interval.hpp): levels are numbered as
 * if splitters lay far apart, and an axis is cut wherever a body begins or ends. */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

int64_t analysis_level_index(analysis_level level, int most)
{
    return (int64_t)most * (2 * (int64_t)level.splitter + 1) + level.offset - (level.offset > 0);
}

analysis_level analysis_level_at(int64_t index, int most)
{
    int64_t splitter = index / (2 * most), rest = index % (2 * most) - most;
    return (analysis_level){(int)splitter, (int)(rest < 0 ? rest : rest + 1)};
}

/* ---- cutting --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts and drops what is there twice. */
static int sort_once(int64_t *numbers, int count)
{
    int kept = 0;
    if (count > 0) qsort(numbers, (size_t)count, sizeof *numbers, compare);
    for (int i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[kept - 1]) numbers[kept++] = numbers[i];
    return kept;
}

/* Sets bodies[k] for each kernel at one level; says whether there is any. */
static bool find_bodies(const analysis_body *all, int count, int kernels, int most, int64_t level,
                        int *bodies)
{
    bool any = false;
    for (int k = 0; k < kernels; k++) bodies[k] = -1;
    for (int i = 0; i < count; i++) {
        if (level < analysis_level_index(all[i].first, most) ||
            level > analysis_level_index(all[i].last, most))
            continue;
        bodies[all[i].kernel] = all[i].body;
        any = true;
    }
    return any;
}

/* Adds the levels from lo to below hi, to the last interval where that goes on. */
static int add_interval(analysis_loop_interval *list, int count, int64_t lo, int64_t hi, int most,
                        const int *bodies, int kernels)
{
    analysis_loop_interval *last = count ? &list[count - 1] : NULL;
    analysis_level first = analysis_level_at(lo, most), end = analysis_level_at(hi - 1, most);
    if (last && analysis_level_index(last->last, most) == lo - 1 &&
        !memcmp(last->bodies, bodies, (size_t)kernels * sizeof *bodies)) {
        last->last = end;
        return count;
    }
    list[count] = (analysis_loop_interval){first, end, bodies};
    return count + 1;
}

int analysis_loop_intervals(const analysis_body *bodies, int count, int kernels, int most,
                            arena *memory, analysis_loop_interval **out)
{
    size_t ends = 2 * (size_t)count;
    int64_t *cuts = arena_array(memory, ends + 1, sizeof *cuts);
    int *found = arena_array(memory, (ends + 1) * (size_t)(kernels + 1), sizeof *found);
    analysis_loop_interval *list = arena_array(memory, ends + 1, sizeof *list);
    if (!cuts || !found || !list) return -1;
    for (int i = 0; i < count; i++) {
        cuts[2 * i] = analysis_level_index(bodies[i].first, most);
        cuts[2 * i + 1] = analysis_level_index(bodies[i].last, most) + 1;
    }
    int cut_count = sort_once(cuts, (int)ends), made = 0;
    for (int i = 0; i + 1 < cut_count; i++, found += kernels)
        if (find_bodies(bodies, count, kernels, most, cuts[i], found))
            made = add_interval(list, made, cuts[i], cuts[i + 1], most, found, kernels);
    *out = list;
    return made;
}

/* ---- the axis of loops ----------------------------------------------------------------------- */

/* Where the body of an interval begins and ends; false when it has no levels. */
static bool levels_of(const chain_loop *loop, int i, int64_t *lo, int64_t *hi)
{
    const ir_kernel *kernel = loop->kernel;
    int64_t size = loop->shape.size[kernel->ordered];
    *lo = 0;
    *hi = size;
    if (i < kernel->interval_count) {
        *lo = analysis_bound_value(loop, &kernel->intervals[i].lo);
        *hi = analysis_bound_value(loop, &kernel->intervals[i].hi);
    }
    if (*lo < 0) *lo = 0;
    if (*hi > size) *hi = size;
    return *lo < *hi;
}

static int bodies_of(const ir_kernel *kernel)
{
    return kernel->interval_count ? kernel->interval_count : 1;
}

/* The ends of the axis and the values of parameters; `all`: every bound. */
static int64_t *find_splitters(const chain_loop *const *loops, int count, bool all, arena *memory,
                               int *splitters)
{
    size_t most = 2;
    for (int l = 0; l < count; l++) most += 2 * (size_t)bodies_of(loops[l]->kernel);
    int64_t *position = arena_array(memory, most, sizeof *position);
    int64_t size = count ? loops[0]->shape.size[loops[0]->kernel->ordered] : 0;
    int n = 0;
    if (!position) return NULL;
    position[n++] = 0;
    position[n++] = size;
    for (int l = 0; l < count; l++)
        for (int i = 0; i < loops[l]->kernel->interval_count; i++) {
            const ir_interval *interval = &loops[l]->kernel->intervals[i];
            const ir_bound *bounds[2] = {&interval->lo, &interval->hi};
            for (int b = 0; b < 2; b++) {
                ir_bound base = *bounds[b];
                if (!all) base.shift = 0;
                int64_t at = analysis_bound_value(loops[l], &base);
                if (at > 0 && at < size) position[n++] = at;
            }
        }
    *splitters = sort_once(position, n);
    return position;
}

/* The splitter that a bound belongs to, and the levels from it to the bound. */
static int splitter_of(const analysis_axis *axis, const chain_loop *loop, const ir_bound *bound,
                       int64_t at, int64_t *shift)
{
    int64_t wanted = at;
    ir_bound base = {0};
    if (bound) {
        base = *bound;
        base.shift = 0;
        wanted = analysis_bound_value(loop, &base);
    }
    for (int pass = 0; pass < 2; pass++, wanted = at)
        for (int s = 0; s < axis->splitters; s++)
            if (axis->position[s] == wanted) {
                *shift = at - wanted;
                return s;
            }
    int nearest = 0; /* a bound beside the axis, of levels on it */
    while (nearest + 1 < axis->splitters && axis->position[nearest + 1] <= at) nearest++;
    *shift = at - axis->position[nearest];
    return nearest;
}

static void add_body(analysis_axis *axis, const chain_loop *loop, int kernel, int i, bool all)
{
    int64_t lo, hi, shift;
    if (!levels_of(loop, i, &lo, &hi)) return;
    bool bare = all || loop->kernel->interval_count == 0;
    const ir_interval *interval = bare ? NULL : &loop->kernel->intervals[i];
    analysis_body *body = &axis->bodies[axis->body_count++];
    *body = (analysis_body){.kernel = kernel, .body = i};
    body->first.splitter = splitter_of(axis, loop, bare ? NULL : &interval->lo, lo, &shift);
    body->first.offset = (int)(shift >= 0 ? shift + 1 : shift);
    body->last.splitter = splitter_of(axis, loop, bare ? NULL : &interval->hi, hi, &shift);
    body->last.offset = (int)(shift > 0 ? shift : shift - 1);
}

static void widen(analysis_axis *axis, int offset)
{
    int size = offset < 0 ? -offset : offset;
    if (size >= axis->most) axis->most = size + 1;
}

static int64_t position_of(const analysis_axis *axis, analysis_level level)
{
    return axis->position[level.splitter] + level.offset - (level.offset > 0);
}

/* Whether the numbers of levels are in the order of the levels, up to the neighbours of those that
 * begin or end a body: so where splitters lie apart. */
static bool is_in_order(const analysis_axis *axis)
{
    int64_t before = -1;
    for (int s = 0; s < axis->splitters; s++)
        for (int offset = s ? -axis->most : 1; offset <= axis->most; offset++) {
            if (!offset || (s == axis->splitters - 1 && offset > 0)) continue;
            int64_t at = position_of(axis, (analysis_level){s, offset});
            if (at <= before && s) return false;
            before = at;
        }
    return true;
}

static bool make_bodies(const chain_loop *const *loops, int count, bool all, arena *memory,
                        analysis_axis *axis)
{
    axis->position = find_splitters(loops, count, all, memory, &axis->splitters);
    axis->body_count = 0;
    axis->most = 1;
    if (!axis->position) return false;
    for (int l = 0; l < count; l++)
        for (int i = 0; i < bodies_of(loops[l]->kernel); i++) add_body(axis, loops[l], l, i, all);
    for (int i = 0; i < axis->body_count; i++) {
        widen(axis, axis->bodies[i].first.offset);
        widen(axis, axis->bodies[i].last.offset);
    }
    return true;
}

/* Where splitters lie too near one another, each bound is a splitter of its own. */
bool analysis_axis_of(const chain_loop *const *loops, int count, arena *memory, analysis_axis *out)
{
    analysis_axis axis = {0};
    size_t bodies = 0;
    for (int l = 0; l < count; l++) bodies += (size_t)bodies_of(loops[l]->kernel);
    axis.bodies = arena_array(memory, bodies + 1, sizeof *axis.bodies);
    if (!axis.bodies || !make_bodies(loops, count, false, memory, &axis)) return false;
    if (!is_in_order(&axis)) {
        if (!make_bodies(loops, count, true, memory, &axis)) return false;
        axis.most = 1;
    }
    *out = axis;
    return true;
}
