#include "sweep/loop.h"

#include <stdlib.h>

bool sweep_workers_make(sweep_workers *workers, int threads)
{
    *workers = (sweep_workers){.count = threads < 1 ? 1 : threads};
    size_t bytes = (size_t)workers->count * sizeof *workers->threads;
    workers->threads = aligned_alloc(_Alignof(sweep_thread), bytes);
    for (int t = 0; workers->threads && t < workers->count; t++)
        workers->threads[t] = (sweep_thread){0};
    return workers->threads;
}

void sweep_workers_free(sweep_workers *workers)
{
    sweep_team_free(workers->team);
    for (int t = 0; workers->threads && t < workers->count; t++) {
        free(workers->threads[t].gathered);
        free(workers->threads[t].reduced);
    }
    free(workers->threads);
    arena_free(&workers->memory);
}
