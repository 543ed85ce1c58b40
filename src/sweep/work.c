/* Memory of threads that grows, and work for all of them. */
#include "sweep/loop.h"

#include <stdlib.h>

enum { LINE_BYTES = 64 };

bool sweep_grow(void **memory, size_t *size, size_t needed)
{
    needed = (needed + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (needed <= *size && !HOSTILE(false, needed > 0)) return true;
    free(*memory);
    *size = 0;
    *memory = aligned_alloc(LINE_BYTES, needed);
    if (!*memory) return false;
    *size = needed;
    if (HOSTILE(false, true)) memset(*memory, HOSTILE_JUNK, needed);
    return true;
}

typedef struct marked {
    sweep_work *work;
    void *data;
    observe_span *spans; /* per thread: when it works */
} marked;

static void work_marked(void *data, int thread)
{
    const marked *m = data;
    m->spans[thread].begin = clock_seconds();
    m->work(m->data, thread);
    m->spans[thread].end = clock_seconds();
}

void sweep_workers_run(sweep_workers *w, int threads, sweep_work *work, void *data)
{
    if (threads > 1 && !w->team) w->team = sweep_team_new(w->count);
    observe_span *spans =
        threads > 1 && w->timeline ? observe_timeline_spans(w->timeline, threads) : NULL;
    if (spans && w->team) {
        sweep_team_run(w->team, threads, work_marked, &(marked){work, data, spans});
        observe_timeline_threads(w->timeline, threads);
        return;
    }
    if (threads > 1 && w->team)
        sweep_team_run(w->team, threads, work, data);
    else
        work(data, 0);
}
