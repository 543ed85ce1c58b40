/* What is needed around a point, backwards through a list of loops. */
#include "analysis/analysis.h"

/* What encloses two extents. */
static analysis_extent enclose(const analysis_extent *a, const analysis_extent *b)
{
    if (!a->needed) return *b;
    if (!b->needed) return *a;
    analysis_extent both = *a;
    for (int d = 0; d < 3; d++) {
        if (b->lo[d] < both.lo[d]) both.lo[d] = b->lo[d];
        if (b->hi[d] > both.hi[d]) both.hi[d] = b->hi[d];
    }
    return both;
}

static analysis_extent shifted(const analysis_extent *a, const int32_t by[3])
{
    analysis_extent moved = *a;
    for (int d = 0; d < 3; d++) {
        moved.lo[d] += by[d];
        moved.hi[d] += by[d];
    }
    return moved;
}

static bool is_point(const analysis_extent *a)
{
    bool point = true;
    for (int d = 0; d < 3; d++) point = point && !a->lo[d] && !a->hi[d];
    return point;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static analysis_extent *find(const analysis_extents *e, const chain_slot *slot)
{
    for (int i = 0; i < e->field_count; i++)
        if (e->fields[i].slot == slot) return &e->fields[i].extent;
    return NULL;
}

static bool list_fields(const chain_loop *loops, int count, arena *memory, analysis_extents *e)
{
    size_t most = 0;
    for (int l = 0; l < count; l++) most += (size_t)loops[l].kernel->param_count;
    e->fields = arena_array(memory, most + 1, sizeof *e->fields);
    e->loops = arena_array(memory, (size_t)count + 1, sizeof *e->loops);
    if (!e->fields || !e->loops) return false;
    for (int l = 0; l < count; l++)
        for (int p = 0; p < loops[l].kernel->param_count; p++) {
            const chain_slot *slot = loops[l].bindings[p].slot;
            if (ir_param_is_field(&loops[l].kernel->params[p]) && !find(e, slot))
                e->fields[e->field_count++].slot = slot;
        }
    return true;
}

/* ---- needs ----------------------------------------------------------------------------------- */

/* Where a loop must be computed; then what it reads. */
static void step_back(const chain_loop *loop, analysis_extents *e, analysis_extent *computed)
{
    const ir_kernel *kernel = loop->kernel;
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_written_field(&kernel->params[p]))
            *computed = enclose(computed, find(e, loop->bindings[p].slot));
    for (int i = 0; i < kernel->access_count && computed->needed; i++) {
        analysis_extent *need = find(e, loop->bindings[kernel->accesses[i].param].slot);
        analysis_extent read = shifted(computed, kernel->accesses[i].offset);
        *need = enclose(need, &read);
    }
}

bool analysis_find_extents(const chain_loop *loops, int count, const chain_slot *const *wanted,
                           int wanted_count, arena *memory, analysis_extents *out)
{
    static const analysis_extent point = {.needed = true};
    analysis_extents e = {0};
    if (!list_fields(loops, count, memory, &e)) return false;
    for (int i = 0; i < wanted_count; i++) {
        analysis_extent *need = find(&e, wanted[i]);
        if (need) *need = point;
    }
    for (int l = count; l-- > 0;) step_back(&loops[l], &e, &e.loops[l]);
    *out = e;
    return true;
}

/* ---- hazards --------------------------------------------------------------------------------- */

static bool writes(const chain_loop *loop, const chain_slot *slot)
{
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_written_field(&loop->kernel->params[p]) && loop->bindings[p].slot == slot)
            return true;
    return false;
}

/* The loop that overwrites what an access of a loop has read, beside the point or more than once;
 * -1 when there is none. */
static int find_writer(const chain_loop *loops, int count, const analysis_extents *e, int reader,
                       const ir_access *access)
{
    const chain_slot *slot = loops[reader].bindings[access->param].slot;
    analysis_extent read = shifted(&e->loops[reader], access->offset);
    for (int writer = reader; writer < count; writer++)
        if (e->loops[reader].needed && e->loops[writer].needed && writes(&loops[writer], slot) &&
            !(is_point(&read) && is_point(&e->loops[writer])))
            return writer;
    return -1;
}

bool analysis_find_hazard(const chain_loop *loops, int count, const analysis_extents *e,
                          analysis_hazard *out)
{
    for (int l = 0; l < count; l++)
        for (int i = 0; i < loops[l].kernel->access_count; i++) {
            const ir_access *access = &loops[l].kernel->accesses[i];
            int writer = find_writer(loops, count, e, l, access);
            if (writer < 0) continue;
            *out = (analysis_hazard){loops[l].bindings[access->param].slot, l, writer};
            return true;
        }
    return false;
}
