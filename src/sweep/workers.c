#include "sweep/loop.h"

#include <stdlib.h>

sweep_workers *sweep_workers_new(int threads, bool poison)
{
    sweep_workers *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->count = threads < 1 ? 1 : threads;
    w->crowded = w->count > machine_cores();
    w->poison = poison;
    w->threads = aligned_alloc(_Alignof(sweep_thread), (size_t)w->count * sizeof *w->threads);
    for (int t = 0; w->threads && t < w->count; t++) w->threads[t] = (sweep_thread){0};
    if (w->threads) return w;
    free(w);
    return NULL;
}

void sweep_workers_set_ranks(sweep_workers *w, const sweep_ranks *ranks) { w->ranks = *ranks; }

int sweep_workers_count(const sweep_workers *w) { return w->count; }

void sweep_workers_free(sweep_workers *w)
{
    if (!w) return;
    sweep_team_free(w->team);
    for (int t = 0; t < w->count; t++) {
        free(w->threads[t].gathered);
        free(w->threads[t].reduced);
        free(w->threads[t].values);
    }
    free(w->threads);
    free(w->sizes);
    sweep_cache_free(w->cache);
    free(w);
}

void sweep_workers_watch(sweep_workers *w, observe_timeline *timeline) { w->timeline = timeline; }
