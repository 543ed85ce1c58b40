/* Runs the vortex and notes energy and enstrophy at ten moments in a unit of time. The chain ends
 * at these moments only. */
#include "common/common.h"
#include "vortex.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Loops of a step, each over all points. */
enum { LOOPS = 9 };

static bool blew_up(const vortex_sample *s) { return !(s->energy < 1); }

static void take_sample(vortex_history *h, const vortex_box *b, progress *p)
{
    const vortex_sample sample = vortex_box_measure(b); /* in it, a checkpoint may be written */
    h->samples[h->count++] = sample;
    progress_note(p, "time %.1f", (double)(h->count - 1) / VORTEX_RATE);
}

static void advance(vortex_history *h, const vortex_box *b, int64_t steps, progress *p)
{
    while (h->steps < h->count * steps && kata_ok(b->k)) {
        h->steps++; /* a checkpoint at the end of the step has it */
        vortex_box_step(b, 1.0 / VORTEX_RATE / (double)steps);
        progress_show(p);
    }
    take_sample(h, b, p);
}

/* Samples and steps belong to checkpoints. Begins with the vortex where there is none. */
static void begin(vortex_history *h, const vortex_box *b, const vortex_wishes *w, int64_t samples)
{
    kata_keep(b->k, "steps", &h->steps, sizeof h->steps);
    kata_keep(b->k, "sample_count", &h->count, sizeof h->count);
    kata_keep(b->k, "samples", h->samples, (size_t)samples * sizeof *h->samples);
    if (!options_resume(b->k, &w->checkpoints)) vortex_box_start(b);
    h->first = h->steps;
}

/* Until the end, an error, or the flow's own end. */
static void run(vortex_history *h, const vortex_box *b, const vortex_wishes *w, progress *p)
{
    const int64_t last = llround(w->until * VORTEX_RATE);
    const int64_t drawn = llround(fmin(w->slice_time, w->until) * VORTEX_RATE);
    const int64_t steps = vortex_steps(&h->c, 1.0 / VORTEX_RATE);
    p->total = (double)(LOOPS * steps * last) * pow((double)h->c.size, 3);
    begin(h, b, w, last + 1);
    if (!h->count) take_sample(h, b, p);
    while (h->count <= last && kata_ok(b->k)) {
        advance(h, b, steps, p);
        if (blew_up(&h->samples[h->count - 1])) return;
        if (w->slice && h->count - 1 == drawn) h->drawn = !vortex_slice_save(b, w->slice);
    }
}

bool vortex_history_run(vortex_history *h, kata *k, const vortex_case *c, const vortex_wishes *w)
{
    const size_t most = (size_t)llround(w->until * VORTEX_RATE) + 1;
    vortex_box b;
    progress p;
    *h = (vortex_history){.c = *c, .samples = calloc(most, sizeof *h->samples)};
    if (!h->samples) return false;
    vortex_box_make(&b, k, c);
    progress_start(&p, k, "vortex", 0, w->quiet);
    const double start = progress_clock();
    if (kata_ok(k)) run(h, &b, w, &p);
    h->seconds = progress_clock() - start;
    progress_erase(&p);
    if (kata_ok(k) && h->count && blew_up(&h->samples[h->count - 1])) {
        fprintf(stderr,
                "kata run vortex: the flow blew up before time %.1f; a smaller --courant or more "
                "points (--size) help\n",
                (double)(h->count - 1) / VORTEX_RATE);
        return false;
    }
    return h->complete = kata_ok(k);
}

void vortex_history_free(vortex_history *h) { free(h->samples); }

double vortex_dissipation(const vortex_history *h, int64_t i)
{
    const vortex_sample *s = h->samples;
    const int64_t last = h->count - 1;
    if (last < 1) return NAN;
    if (last == 1) return VORTEX_RATE * (s[0].energy - s[1].energy);
    if (i == 0) return VORTEX_RATE * (1.5 * s[0].energy - 2 * s[1].energy + 0.5 * s[2].energy);
    if (i == last)
        return -VORTEX_RATE * (1.5 * s[i].energy - 2 * s[i - 1].energy + 0.5 * s[i - 2].energy);
    return VORTEX_RATE * (s[i - 1].energy - s[i + 1].energy) / 2;
}

double vortex_friction(const vortex_history *h, int64_t i)
{
    return 2 * h->samples[i].enstrophy / h->c.reynolds;
}
