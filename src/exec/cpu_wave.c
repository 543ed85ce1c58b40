/* Running waves of tiles. The tiles of one outermost frame are a row. A thread takes the next row
 * and runs its tiles in order, each after the tile at the same position of the row before; so all
 * tiles that come before it in every dimension have ended. Rows are taken in order, so that the row
 * that is waited for is always under way. Rows of independent tiles wait for none; each thread
 * begins with rows of its own. */
#include "exec/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- equal loops ----------------------------------------------------------------------------- */

static bool same_binding(const ir_param *param, const chain_binding *a, const chain_binding *b)
{
    bool fields = a->slot && !a->slot->is_scalar;
    if (a->slot || b->slot)
        return a->slot == b->slot && a->boundary == b->boundary &&
               (fields || a->version == b->version);
    if (a->table && b->table)
        return !memcmp(a->table, b->table, (size_t)param->count * sizeof *a->table);
    return !a->table && !b->table && a->number.bits == b->number.bits;
}

static bool same_loop(const chain_loop *a, const chain_loop *b)
{
    if (a->hash != b->hash || a->kernel != b->kernel || a->sparse != b->sparse) return false;
    for (int p = 0; p < a->kernel->param_count; p++)
        if (!same_binding(&a->kernel->params[p], &a->bindings[p], &b->bindings[p])) return false;
    return true;
}

/* The entry of a loop in a table of loops by their hashes, or the empty one where it belongs. */
static int *entry_of(const cpu_chain *c, int *table, size_t size, int loop)
{
    const chain_loop *l = cpu_loop_of(c, loop);
    size_t i = (size_t)(l->hash ^ l->hash >> 32) & (size - 1);
    while (table[i] && !same_loop(cpu_loop_of(c, table[i] - 1), l)) i = (i + 1) & (size - 1);
    return &table[i];
}

bool cpu_find_same(cpu_chain *c)
{
    size_t size = 16;
    while (size < 2 * (size_t)c->a->loop_count) size *= 2;
    int *table = calloc(size, sizeof *table);
    if (!table) return cpu_no_memory(c);
    for (int i = 0; i < c->schedule->count; i++) {
        const plan_step *step = &c->schedule->steps[i];
        for (int k = 0; step->kind == PLAN_STEP_WAVE && k < step->wave.loops; k++) {
            int loop = c->schedule->loops[step->wave.first + k].loop;
            if (c->a->loops[loop].reduces) continue;
            int *entry = entry_of(c, table, size, loop);
            if (!*entry) *entry = loop + 1;
            c->steps[loop].same = *entry - 1;
        }
    }
    free(table);
    return true;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* How many tiles of a row have ended. */
typedef struct row {
    _Alignas(128) _Atomic int64_t done;
    _Atomic bool taken; /* by a thread; of independent tiles */
} row;

typedef struct wave_run {
    const cpu_chain *c;
    const plan_wave *wave;
    int64_t rows, tiles; /* rows, and tiles in each */
    row *ended;          /* per row */
    int64_t threads;
    _Atomic int64_t next;
    _Atomic bool failed;
} wave_run;

/* The numbers of a tile of a row. */
static void find_tile(const plan_wave *wave, int64_t row, int64_t tile, int64_t at[3])
{
    at[0] = wave->tiles[0].lo + row;
    for (int i = wave->count - 1; i > 0; i--) {
        int64_t count = wave->tiles[i].hi - wave->tiles[i].lo + 1;
        at[i] = wave->tiles[i].lo + tile % count;
        tile /= count;
    }
}

/* Where other tiles have run before a box of a tile. Around a period, the first tiles may be empty:
 * the points begin and end at the seam. */
static void find_before(const plan_wave *wave, const plan_wave_loop *part, const grid_box *box,
                        sweep_tile *tile)
{
    for (int i = 0; i < wave->count; i++) {
        int d = wave->dimension[i];
        plan_span seam = {analysis_coarse(part->seam[i].lo, part->scale[i]),
                          analysis_coarse(part->seam[i].hi, part->scale[i])};
        bool around = wave->period[i] && box->hi[d] <= seam.hi;
        bool first = wave->period[i] ? box->lo[d] <= seam.lo : wave->independent && i == 0;
        tile->before[d] = around ? SWEEP_BEFORE_HIGH : first ? SWEEP_BEFORE_NONE : SWEEP_BEFORE_LOW;
    }
}

static bool run_tile(const wave_run *w, const int64_t at[3], int thread)
{
    grid_box boxes[PLAN_WAVE_BOXES];
    sweep_tile tile = {.filled = 0};
    for (int k = 0; k < w->wave->loops; k++) {
        const plan_wave_loop *part = &w->c->schedule->loops[w->wave->first + k];
        const sweep_loop *sweep = cpu_step_of(w->c, part->loop)->sweep;
        int count = plan_wave_boxes(w->wave, part, cpu_loop_of(w->c, part->loop), at, boxes);
        const bool copies = cpu_loop_of(w->c, part->loop)->copy;
        tile.filled = w->c->filled[w->wave->first + k];
        for (int i = 0; i < count; i++) {
            if (copies) {
                sweep_copy_alone(cpu_loop_of(w->c, part->loop), &boxes[i]);
                continue;
            }
            find_before(w->wave, part, &boxes[i], &tile);
            if (!sweep_run_alone(sweep, &boxes[i], thread, &tile)) return false;
        }
    }
    return true;
}

static void run_row(wave_run *w, int64_t number, int thread)
{
    int64_t at[3] = {0, 0, 0};
    for (int64_t tile = 0; tile < w->tiles; tile++) {
        if (number && !w->wave->independent)
            sweep_await(&w->ended[number - 1].done, tile + 1, &w->failed);
        if (atomic_load_explicit(&w->failed, memory_order_relaxed)) return;
        find_tile(w->wave, number, tile, at);
        if (!run_tile(w, at, thread)) atomic_store(&w->failed, true);
        atomic_store_explicit(&w->ended[number].done, tile + 1, memory_order_release);
    }
}

static void run_rows(void *data, int thread)
{
    wave_run *w = data;
    int64_t number;
    while ((number = atomic_fetch_add(&w->next, 1)) < w->rows) run_row(w, number, thread);
}

/* A thread finds in its caches what it has left there: it begins with the rows that it had in other
 * waves. Then it helps others. */
static void run_independent(void *data, int thread)
{
    wave_run *w = data;
    for (int64_t i = 0; i < w->threads; i++)
        for (int64_t row = (thread + i) % w->threads; row < w->rows; row += w->threads)
            if (!atomic_exchange(&w->ended[row].taken, true)) run_row(w, row, thread);
}

/* ---- the wave -------------------------------------------------------------------------------- */

static int64_t points_of(const cpu_chain *c, int loop)
{
    return grid_box_points(&cpu_loop_of(c, loop)->box);
}

/* Notes what each loop took: its share, by points, of what the wave took. */
static void note_seconds(cpu_chain *c, const plan_wave *wave, double seconds)
{
    const plan_wave_loop *loops = &c->schedule->loops[wave->first];
    int64_t points = 0;
    for (int k = 0; k < wave->loops; k++) points += points_of(c, loops[k].loop);
    for (int k = 0; k < wave->loops && points; k++)
        c->steps[loops[k].loop].seconds +=
            seconds * (double)points_of(c, loops[k].loop) / (double)points;
}

/* A copy has nothing to begin. */
static bool begin(cpu_chain *c, int loop)
{
    return cpu_loop_of(c, loop)->copy || cpu_begin(c, loop);
}

bool cpu_run_wave(cpu_chain *c, const plan_wave *wave)
{
    wave_run w = {.c = c, .wave = wave, .tiles = 1};
    sweep_workers *workers = c->context->cpu->workers;
    double start = observe_meter_now(c->context->meter);
    w.rows = wave->tiles[0].hi - wave->tiles[0].lo + 1;
    for (int i = 1; i < wave->count && w.rows > 0 && w.tiles > 0; i++)
        w.tiles *= wave->tiles[i].hi - wave->tiles[i].lo + 1; /* an empty range is far below 0 */
    if (w.rows <= 0 || w.tiles <= 0) return true;
    for (int k = 0; k < wave->loops; k++)
        if (!begin(c, c->schedule->loops[wave->first + k].loop)) return false;
    cpu_fill_constants(c, wave);
    w.ended = aligned_alloc(_Alignof(row), (size_t)w.rows * sizeof *w.ended);
    if (!w.ended) return cpu_no_memory(c);
    for (int64_t i = 0; i < w.rows; i++) {
        atomic_init(&w.ended[i].done, 0);
        atomic_init(&w.ended[i].taken, false);
    }
    w.threads = smaller(sweep_workers_count(workers), w.rows);
    sweep_workers_run(workers, (int)w.threads, wave->independent ? run_independent : run_rows, &w);
    free(w.ended);
    note_seconds(c, wave, observe_meter_now(c->context->meter) - start);
    return !atomic_load(&w.failed) || cpu_no_memory(c);
}
