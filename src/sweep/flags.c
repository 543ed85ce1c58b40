/* What the function of a loop may do on a box: prefetch, and write past the caches.
 *
 * What the whole chain touches counts, for that is what passes through the caches until a loop runs
 * again. Where it fits the second-level caches of all threads, a loop reads and writes there.
 * Otherwise it prefetches; and past some size, the crossover, streaming stores are faster. The
 * crossover is the machine's and is learned by running loops both ways. Far from it, loops do as it
 * says and doubt it seldom; near it, and where a loop writes so many streams that the machine's
 * crossover says little, they find out by themselves (store_choice.c). A loop on a part of its
 * points, a tile, has been given as much as the caches hold: it writes there. */
#include "sweep/loop.h"

enum { FEW_STREAMS = 4 };

/* The crossover as long as nothing is known. */
static const int64_t usual_crossover = 64 << 20;

/* ---- what a chain touches -------------------------------------------------------------------- */

/* Whether so many bytes, passing through the caches, leave the second-level ones. */
static bool leaves_caches(const sweep_workers *workers, int64_t bytes)
{
    return HOSTILE(bytes > machine_second_cache() * workers->count, bytes >= 0);
}

static int64_t slot_bytes(const chain_slot *slot)
{
    grid_box memory = chain_slot_memory(slot);
    if (slot->is_scalar) return 0;
    return grid_box_points(&memory) * slot->components * store_type_bytes(slot->type);
}

/* A short chain between long ones finds in the caches what these have left there. */
bool sweep_workers_chain(sweep_workers *workers, const chain *c)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < c->slot_count; i++) bytes += slot_bytes(c->slots[i]);
    workers->touched = larger(bytes, workers->touched - workers->touched / 16);
    return leaves_caches(workers, workers->touched);
}

machine_crossover *sweep_workers_crossover(sweep_workers *workers) { return &workers->crossover; }

/* ---- flags ----------------------------------------------------------------------------------- */

static int stores(sweep_loop *l, int64_t bytes)
{
    int64_t known = machine_crossover_bytes(&l->workers->crossover);
    int64_t crossover = known ? known : usual_crossover;
    bool near = !known || (bytes >= crossover / 2 && bytes <= 4 * crossover);
    return sweep_store_choice_begin(&l->choice, bytes, bytes >= crossover,
                                    near || l->streams > FEW_STREAMS);
}

void sweep_flags_begin(sweep_loop *l, int64_t points)
{
    bool whole = points == grid_box_points(&l->loop->box);
    int64_t bytes = larger(l->bytes * points, l->workers->touched);
    l->flags = l->usual_flags;
    l->timed = false;
    if (!leaves_caches(l->workers, bytes)) return;
    l->flags |= ABI_PREFETCH;
    if (!whole || !l->streams) return;
    if (stores(l, bytes)) l->flags |= ABI_STREAM;
    l->timed = l->choice.tried;
    if (l->timed) l->start = clock_seconds();
}

/* Clear results of loops with few streams are the machine's, too. */
void sweep_flags_end(sweep_loop *l)
{
    const double clear = 1.05;
    if (!l->timed || !sweep_store_choice_end(&l->choice, clock_seconds() - l->start)) return;
    if (l->streams <= FEW_STREAMS && sweep_store_choice_gain(&l->choice) > clear)
        machine_crossover_note(&l->workers->crossover, l->choice.bytes, l->choice.best);
}
