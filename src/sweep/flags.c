/* What the function of a loop may do on a box: prefetch, write past the caches, compute two planes
 * at once.
 *
 * What the whole chain touches counts, for that is what passes through the caches until a loop runs
 * again. Where it fits the second-level caches of all threads, a loop reads and writes there.
 * Otherwise it prefetches; and past some size, the crossover, streaming stores are faster. The
 * crossover is the machine's and is learned by running loops both ways. Far from it, loops do as it
 * says and doubt it seldom; near it, and where a loop writes so many streams that the machine's
 * crossover says little, they find out by themselves (choice.c). Below the crossover a last-level
 * cache may hold everything, and prefetching may cost more than it saves: loops find that out, too.
 * A loop on a part of its points, a tile, has been given as much as the caches hold: it writes
 * there. */
#include "sweep/loop.h"

enum { FEW_STREAMS = 4 };

/* The crossover as long as nothing is known. */
static const int64_t usual_crossover = 64 << 20;

/* ---- what a chain touches -------------------------------------------------------------------- */

/* Whether so many bytes, passing through the caches, leave the second-level ones. */
static bool leaves_caches(const sweep_workers *workers, int64_t bytes)
{
    return bytes > HOSTILE(machine_second_cache(), -1) * workers->count;
}

static int64_t slot_bytes(const chain_slot *slot)
{
    grid_box memory = chain_slot_memory(slot);
    if (slot->is_scalar) return 0;
    return grid_box_points(&memory) * slot->components * store_type_bytes(slot->type);
}

int64_t sweep_chain_bytes(const chain *c)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < c->slot_count; i++) bytes += slot_bytes(c->slots[i]);
    return bytes;
}

bool sweep_chain_fits(const sweep_workers *workers, const chain *c)
{
    return !leaves_caches(workers, sweep_chain_bytes(c));
}

/* A short chain between long ones finds in the caches what these have left there. */
bool sweep_workers_chain(sweep_workers *workers, int64_t bytes)
{
    if (workers->team) sweep_team_look(workers->team);
    workers->touched = larger(bytes, workers->touched - workers->touched / 16);
    return leaves_caches(workers, workers->touched);
}

machine_crossover *sweep_workers_crossover(sweep_workers *workers) { return &workers->crossover; }

/* ---- flags ----------------------------------------------------------------------------------- */

/* Times the run if it is a try of a choice. */
static void time_try(sweep_loop *l, sweep_choice *c)
{
    if (!c->tried) return;
    l->timed = c;
    l->start = clock_seconds();
}

static bool stores_stream(sweep_loop *l, int64_t bytes)
{
    int64_t known = machine_crossover_bytes(&l->workers->crossover);
    int64_t crossover = known ? known : usual_crossover;
    bool near = !known || (bytes >= crossover / 2 && bytes <= 4 * crossover);
    int taken =
        sweep_choice_begin(&l->stores, bytes, bytes >= crossover, near || l->streams > FEW_STREAMS);
    time_try(l, &l->stores);
    return taken;
}

/* Two planes at once: at first from memory only. */
static int planes(sweep_loop *l, int64_t bytes, bool leaves)
{
    int taken = sweep_choice_begin(&l->planes, bytes, leaves, true);
    time_try(l, &l->planes);
    return taken;
}

/* Prefetching, of a loop that leaves the second-level caches. */
static bool prefetches(sweep_loop *l, int64_t bytes)
{
    int64_t known = machine_crossover_bytes(&l->workers->crossover);
    int64_t crossover = known ? known : usual_crossover;
    int taken = sweep_choice_begin(&l->prefetches, bytes, 1, bytes < crossover);
    time_try(l, &l->prefetches);
    return taken;
}

/* While another choice is tried, or on some of the points, nothing is found out: then a loop
 * prefetches as it was last found to be faster. */
static bool usually_prefetches(const sweep_loop *l)
{
    return !l->prefetches.bytes || l->prefetches.best;
}

/* One choice is tried at a time. */
void sweep_flags_begin(sweep_loop *l, int64_t points)
{
    bool whole = points == grid_box_points(&l->loop->box);
    int64_t bytes = larger(l->bytes * points, l->workers->touched);
    bool leaves = leaves_caches(l->workers, bytes), streams = false, paired = leaves;
    l->timed = NULL;
    const bool chooses = leaves && whole && !l->manner.smaller;
    if (chooses && l->streams) streams = stores_stream(l, bytes);
    if (l->high && whole && !l->timed) paired = planes(l, bytes, leaves);
    bool finds_out = chooses && !l->timed;
    bool fetches = finds_out ? prefetches(l, bytes) : leaves && usually_prefetches(l);
    l->flags = l->usual_flags | (streams ? ABI_STREAM : 0) | (fetches ? ABI_PREFETCH : 0);
    if (fetches && !streams) l->flags |= ABI_PREFETCH_WRITTEN;
    if (l->high && paired) l->flags |= ABI_PLANES;
}

/* What is clear of the stores of loops with few streams is the machine's, too. */
void sweep_flags_end(sweep_loop *l)
{
    const double clear = 1.05;
    if (!l->timed || !sweep_choice_end(l->timed, clock_seconds() - l->start)) return;
    if (l->timed == &l->stores && l->streams <= FEW_STREAMS &&
        sweep_choice_gain(&l->stores) > clear)
        machine_crossover_note(&l->workers->crossover, l->stores.bytes, l->stores.best);
}
