/* The search for the shape that runs a loop fastest on a device. No rule finds it: it differs by
 * loop, type and device. A loop that has run for long enough has other shapes compiled beside the
 * program; then each runs it some times in the place of the usual one, which is measured before and
 * behind them. All shapes have the same results. Loops of few points are left alone: what starts
 * them takes longer than what they compute. */
#include "exec/device_tune.h"

#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

enum { WARM = HOSTILE(1, 0) };                          /* runs that do not count */
static const double ENOUGH = HOSTILE(2147483648.0, 64); /* points that have run */
static const double LEAST_SECONDS = HOSTILE(10e-6, 0);  /* of a run */
static const double CLEARLY_SLOWER = 1.4, FASTER = 0.98;

static void free_all(struct device_tune *first)
{
    for (struct device_tune *t = first; t; t = t->next)
        for (int i = 0; i < t->count; i++) {
            if (!t->ways[i].compiled) continue;
            device_making made = device_beside_end(t->ways[i].compiled);
            device_making_free(&made);
        }
}

void device_tune_free(struct exec_device *d)
{
    free_all(d->tunes);
    free_all(d->sections);
}

/* ---- kernels --------------------------------------------------------------------------------- */

void device_tune_drop(struct device_tune *t, int i, const char *why)
{
    t->ways[i].dropped = why;
    if (t->best == i) t->best = 0;
}

static bool begin(const device_loop *l, const struct device_tune *t, int i, device_making *out)
{
    return t->sections ? device_begin_section(l, t, i, out) : device_begin_kernel(l, i, out);
}

device_kernel *device_tune_kernel(const device_loop *l, struct device_tune *t, int i)
{
    device_way *way = &t->ways[i];
    device_making made;
    if (way->kernel) return way->kernel;
    if (begin(l, t, i, &made))
        way->kernel = device_make(l, &made, i == 0);
    else if (i == 0)
        message_no_memory(l->m);
    if (!way->kernel && i) device_tune_drop(t, i, "it does not compile");
    return way->kernel;
}

/* Whether the text of an earlier way that is compiled now is the same. */
static bool is_compiled(const struct device_tune *t, int i, uint64_t key)
{
    bool compiled = false;
    for (int j = 0; j < i; j++)
        compiled = compiled || (t->ways[j].compiled && t->ways[j].key == key);
    return compiled;
}

static void begin_compiling(const device_loop *l, struct device_tune *t)
{
    for (int i = 1; i < t->count; i++) {
        device_making made;
        device_way *way = &t->ways[i];
        if (!begin(l, t, i, &made)) continue;
        way->key = made.key;
        way->kernel = device_making_find(l, &made);
        if (way->kernel || made.source.failed || is_compiled(t, i, made.key))
            device_making_free(&made);
        else
            way->compiled = device_beside_start(l->d, &made);
    }
    t->phase = DEVICE_COMPILES;
}

/* Whether nothing of a loop is compiled any more. The program waits where it has said so. */
static bool has_compiled(const device_loop *l, const struct device_tune *t)
{
    bool all = true;
    for (int i = 1; i < t->count && all; i++) {
        if (!t->ways[i].compiled) continue;
        if (l->context->wait || l->context->tune) device_beside_wait(l->d, t->ways[i].compiled);
        all = device_beside_is_done(l->d, t->ways[i].compiled);
    }
    return all;
}

static void end_compiling(const device_loop *l, struct device_tune *t)
{
    for (int i = 1; i < t->count; i++) {
        device_way *way = &t->ways[i];
        if (!way->compiled) continue;
        device_making made = device_beside_end(way->compiled);
        way->compiled = NULL;
        way->kernel = device_making_end(l, &made);
        device_making_free(&made);
    }
    for (int i = 1; i < t->count; i++) {
        device_making made;
        if (t->ways[i].kernel || !begin(l, t, i, &made)) continue;
        t->ways[i].kernel = device_making_find(l, &made); /* the text of another way */
        device_making_free(&made);
        if (!t->ways[i].kernel) device_tune_drop(t, i, "it does not compile");
    }
    if (!t->of_tiles) device_tune_points(l->loop, t->points);
    t->phase = DEVICE_TRIES;
}

/* ---- tries ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void settle(const device_loop *l, struct device_tune *t)
{
    t->phase = DEVICE_SETTLED;
    for (int i = 1; i < t->count; i++) {
        const device_way *way = &t->ways[i];
        double most = t->best ? t->ways[t->best].each : FASTER * t->ways[0].each;
        if (!way->dropped && way->each > 0 && way->each < most) t->best = i;
    }
    if (l->context->remember) device_shapes_keep(l, t);
}

static int tried(const struct device_tune *t) { return t->turn < t->count ? t->turn : 0; }

/* Goes on to the next way; behind the last one, the usual one is tried again, unless it is known.
 */
static void next_try(const device_loop *l, struct device_tune *t)
{
    bool brief = t->turn == 0 && t->ways[0].each < LEAST_SECONDS && !l->context->tune;
    do {
        t->turn++;
    } while (t->turn < t->count && t->ways[t->turn].dropped);
    t->runs = t->missed = 0;
    if (brief || t->turn > t->count - t->of_tiles) settle(l, t);
}

void device_tune_note(const device_loop *l, struct device_tune *t, double seconds)
{
    device_way *way = &t->ways[tried(t)];
    const double usual = t->ways[0].each;
    if (way->dropped) next_try(l, t);
    if (way->dropped || t->runs++ < WARM) return;
    int count = t->runs - WARM;
    way->taken[count - 1] = seconds;
    bool slow = tried(t) && seconds > CLEARLY_SLOWER * usual;
    if (count < DEVICE_RUNS && !slow) return;
    qsort(way->taken, (size_t)count, sizeof *way->taken, compare);
    way->each = way->taken[count / 2];
    if (t->turn == t->count && usual < way->each) way->each = usual;
    next_try(l, t);
}

/* ---- running --------------------------------------------------------------------------------- */

static void advance(const device_loop *l, struct device_tune *t)
{
    if (t->phase == DEVICE_COUNTS) {
        t->ran += (double)grid_box_points(&l->loop->box);
        if (t->ran >= ENOUGH || l->context->tune) begin_compiling(l, t);
    }
    if (t->phase == DEVICE_COMPILES && has_compiled(l, t)) end_compiling(l, t);
}

int device_tune_turn(const device_loop *l, struct device_tune *t, bool *timed)
{
    int64_t points[3];
    advance(l, t);
    device_tune_points(l->loop, points);
    *timed = t->phase == DEVICE_TRIES && !memcmp(points, t->points, sizeof points);
    return *timed ? tried(t) : t->best;
}

bool device_tune_glues(const device_loop *l, struct device_tune *t)
{
    if (t->phase == DEVICE_COUNTS) begin_compiling(l, t);
    if (t->phase == DEVICE_COMPILES && has_compiled(l, t)) {
        end_compiling(l, t);
        next_try(l, t);
    }
    return t->phase == DEVICE_TRIES || (t->phase == DEVICE_SETTLED && t->best);
}

int device_tune_tile_way(const struct device_tune *t, int64_t planes, bool *timed)
{
    int first = 0;
    *timed = t->phase == DEVICE_TRIES && 4 * planes >= 3 * t->points[2];
    if (t->phase == DEVICE_TRIES && !t->ways[tried(t)].dropped) return tried(t);
    *timed = false;
    for (int i = t->count - 1; i > 0; i--) {
        const device_way *way = &t->ways[i], *best = &t->ways[first];
        if (!way->dropped && (!first || (way->each > 0 && way->each < best->each))) first = i;
    }
    return t->best && !t->ways[t->best].dropped ? t->best : first;
}

device_way *device_tune_way(const device_loop *l, bool *timed)
{
    struct device_tune *t = l->ready->tune;
    if (!t || t->wide != device_is_wide(l->loop)) {
        device_making made;
        bool begun = device_begin_kernel(l, -1, &made);
        device_making_free(&made);
        if (!begun) return message_no_memory(l->m), NULL;
        t = l->ready->tune;
    }
    int way = device_tune_turn(l, t, timed);
    if (device_tune_kernel(l, t, way)) return &t->ways[way];
    *timed = false;
    return way && device_tune_kernel(l, t, 0) ? &t->ways[0] : NULL;
}

device_way *device_tune_narrow(const device_loop *l, device_way *way, const codegen_shape *shape)
{
    struct device_tune *t = l->ready->tune;
    int threads = shape->threads[0] * shape->threads[1] * shape->threads[2];
    bool may = !shape->tall && (l->ready->bricks ? shape->threads[1] > 1 : threads > 1);
    if (may) {
        way->most_threads = threads / 2;
        return way;
    }
    if (way == &t->ways[0]) return NULL;
    device_tune_drop(t, (int)(way - t->ways), "the device has too little for it");
    return device_tune_kernel(l, t, 0) ? &t->ways[0] : NULL;
}

/* ---- explaining ------------------------------------------------------------------------------ */

static void explain_shape(const device_way *way, text *out)
{
    const codegen_shape *s = &way->shape;
    text_add(out, "groups of %d x %d x %d threads", s->threads[0], s->threads[1], s->threads[2]);
    if (way->most_threads) text_add(out, ", of which %d run", way->most_threads);
    text_add(out, ", vectors of %d", s->vector);
    if (s->chunk > 1) text_add(out, ", chunks of %d along %c", s->chunk, 'x' + s->along);
    if (s->tall)
        text_add(out, ", %d row%s, tiles in shared memory of %lld x %lld, %d planes along z",
                 s->tall, s->tall == 1 ? "" : "s", (long long)codegen_group_points(s, 0),
                 (long long)codegen_group_points(s, 1), s->depth);
}

static void explain_tries(const struct device_tune *t, text *out)
{
    int measured = 0, dropped = 0;
    for (int i = 0; i < t->count; i++) {
        measured += t->ways[i].each > 0;
        dropped += t->ways[i].dropped != NULL;
    }
    if (t->remembered) text_add(out, "; an earlier start has found it");
    if (t->phase == DEVICE_COMPILES) text_add(out, "; others are compiled");
    if (t->phase == DEVICE_TRIES) text_add(out, "; others are tried");
    if (t->sections) return;
    if (measured && t->phase == DEVICE_SETTLED)
        text_add(out, "; %.4g ms, the fastest of %d shapes", 1e3 * t->ways[t->best].each, measured);
    if (measured && t->phase == DEVICE_SETTLED && t->best)
        text_add(out, "; the usual one takes %.4g ms", 1e3 * t->ways[0].each);
    if (dropped) text_add(out, "; %d shapes cannot be run", dropped);
}

static void explain_way(const struct device_tune *t, int i, text *out)
{
    const device_way *way = &t->ways[i];
    const codegen_section *s = &way->section;
    if (i)
        text_add(out,
                 "%d at once, tiles of %lld x %lld, %d planes along z, groups of %d x %d threads, "
                 "vectors of %d, %d rows%s",
                 s->steps, (long long)way->gives[0], (long long)way->gives[1], s->chunk,
                 s->threads[0], s->threads[1], s->vector, s->rows,
                 s->fetches ? ", planes fetched ahead" : "");
    else
        text_add(out, "one by one");
    if (way->dropped) text_add(out, ": %s", way->dropped);
    if (way->each > 0) text_add(out, ": %.4g ms a loop", 1e3 * way->each);
}

/* What runs, and each way that was tried. */
static void explain_section(const struct device_tune *t, text *out)
{
    text_add(out, "#   loops of '%s' on %lld x %lld x %lld points: ", t->kernel,
             (long long)t->points[0], (long long)t->points[1], (long long)t->points[2]);
    explain_way(t, t->best, out);
    explain_tries(t, out);
    text_add(out, "\n");
    for (int i = 0; i < t->count; i++) {
        if (i == t->best || (t->ways[i].each <= 0 && !t->ways[i].dropped)) continue;
        text_add(out, "#     ");
        explain_way(t, i, out);
        text_add(out, "\n");
    }
}

void device_tune_explain(const struct exec_device *d, text *out)
{
    for (const struct device_tune *t = d->sections; t; t = t->next)
        if (t->count > 1) explain_section(t, out);
    for (const struct device_tune *t = d->tunes; t; t = t->next) {
        text_add(out, "#   kernel '%s' on %lld x %lld x %lld points: ", t->kernel,
                 (long long)t->points[0], (long long)t->points[1], (long long)t->points[2]);
        explain_shape(&t->ways[t->best], out);
        explain_tries(t, out);
        text_add(out, "\n");
    }
}
