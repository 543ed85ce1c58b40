/* Says what the clock of an emulated machine has found: of each kind of work its blocks, bytes and
 * time, and what bounds it. */
#include "exec/on_scratchpad.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Parts that are alike, of all chains. */
typedef struct line {
    const char *name;
    const plan_timed *part;
    int64_t runs;
    double seconds; /* of all runs */
} line;

static bool is_alike(const line *l, const char *name, const plan_timed *t)
{
    const plan_timed *p = l->part;
    return !strcmp(l->name, name) && !memcmp(p->tile, t->tile, sizeof p->tile) &&
           p->end - p->first == t->end - t->first && p->direct == t->direct &&
           p->bytes == t->bytes && p->got == t->got && p->put == t->put &&
           p->time.seconds == t->time.seconds;
}

static size_t add_part(line *lines, size_t count, const char *name, const plan_timed *part,
                       int64_t runs)
{
    size_t i = 0;
    while (i < count && !is_alike(&lines[i], name, part)) i++;
    if (i == count) lines[count++] = (line){.name = name, .part = part};
    lines[i].runs += runs;
    lines[i].seconds += (double)runs * part->time.seconds;
    return count;
}

static int compare(const void *a, const void *b)
{
    const line *x = a, *y = b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

/* The parts of all chains, the costliest first; to be freed. NULL when memory is out. */
static line *find_lines(const struct exec_scratchpad *s, size_t *count)
{
    size_t most = 0;
    for (size_t i = 0; i < s->count; i++) most += s->known[i].times.count;
    line *lines = calloc(most + 1, sizeof *lines);
    *count = 0;
    for (size_t i = 0; lines && i < s->count; i++)
        for (size_t k = 0; k < s->known[i].times.count; k++)
            *count = add_part(lines, *count, s->known[i].names[k], &s->known[i].times.parts[k],
                              s->known[i].runs);
    if (lines) qsort(lines, *count, sizeof *lines, compare);
    return lines;
}

/* ---- words ------------------------------------------------------------------------------------
 */

static const char *bound_of(const plan_timed *t, const char *transfers)
{
    static const double ALMOST = 0.9;
    bool phases = t->direct || t->resident;
    if (phases) return t->time.moving >= t->time.computing ? transfers : "operations";
    if (t->time.moving >= ALMOST * t->time.seconds) return transfers;
    if (t->time.computing >= ALMOST * t->time.seconds) return "operations";
    return t->time.moving >= t->time.computing ? "waiting, mostly for transfers"
                                               : "waiting, mostly for operations";
}

static double halo_of(const plan_timed *t)
{
    return t->got > t->needed ? 1 - t->needed / t->got : 0;
}

static void print_tile(text *out, const plan_timed *t)
{
    const char *before = "";
    for (int d = 0; d < 3; d++) {
        if (!t->tile[d]) continue;
        text_add(out, "%s%c=%" PRId64, before, 'x' + d, t->tile[d]);
        before = " ";
    }
}

static void print_blocks(text *out, const machine_emulated *m, const plan_timed *t)
{
    text_add(out, t->columns ? "    columns   " : "    blocks    ");
    print_tile(out, t);
    text_add(out, ", %" PRId64 " of them on %d sibling%s", t->turns, t->siblings,
             t->siblings == 1 ? "" : "s");
    if (t->group > 1) text_add(out, " of %d cores", t->group);
    if (!t->columns) text_add(out, ", %d slot%s", t->slots, t->slots == 1 ? "" : "s");
    text_add(out, ": %" PRId64 " of %" PRId64 " bytes\n", t->bytes, m->free);
    text_add(out, "    moved     %.4g bytes in, of which halo %.1f %%; %.4g out\n", t->got,
             100 * halo_of(t), t->put);
}

/* Blocks that stay where they are. */
static void print_resident(text *out, const machine_emulated *m, const plan_timed *t)
{
    text_add(out, "    blocks    ");
    print_tile(out, t);
    text_add(out, ", %d of them, each on a sibling of its own: %" PRId64 " of %" PRId64 " bytes\n",
             t->siblings, t->bytes, m->free);
    text_add(out, "    exchanged %.4g bytes in %" PRId64 " meetings\n", t->got, t->meetings);
}

static void print_line(text *out, const machine_emulated *m, const line *l)
{
    const plan_timed *t = l->part;
    int loops = t->end - t->first;
    const char *kind = t->resident || m->local ? "exchange" : "transfers";
    text_add(out, "  %s", l->name);
    if (loops > 1) text_add(out, " and %d more", loops - 1);
    text_add(out, ": %.4g s, %" PRId64 " times\n", t->time.seconds, l->runs);
    if (t->direct && m->local)
        text_add(out, "    alone     on one sibling, which gets %.4g bytes from the others\n",
                 t->got);
    else if (t->direct)
        text_add(out, "    direct    %.4g bytes, in the global memory\n", t->got);
    else if (t->resident)
        print_resident(out, m, t);
    else
        print_blocks(out, m, t);
    text_add(out, "    bound by  %s: %s %.0f %%, operations %.0f %% of the time\n",
             bound_of(t, kind), kind, 100 * t->time.moving / t->time.seconds,
             100 * t->time.computing / t->time.seconds);
}

static void print_text(text *out, const struct exec_scratchpad *s, const line *lines, size_t count)
{
    const machine_emulated *m = &s->machine;
    text_add(out, "machine %s%s%s\n", m->name, *m->about ? ": " : "", m->about);
    if (*m->calibrated)
        text_add(out, "  calibrated on published results, thus no evidence: %s\n", m->calibrated);
    for (size_t i = 0; i < count; i++) print_line(out, m, &lines[i]);
    text_add(out, "  simulated %.6g s in %" PRId64 " chains; values by %s\n", s->seconds, s->chains,
             s->values ? s->values->name : "local memories, each access checked");
}

/* ---- JSON -------------------------------------------------------------------------------------
 */

static void print_json(text *out, const struct exec_scratchpad *s, const line *lines, size_t count)
{
    const machine_emulated *m = &s->machine;
    for (size_t i = 0; i < count; i++) {
        const plan_timed *t = lines[i].part;
        text_add(out,
                 "{\"kind\": \"scratchpad\", \"kernel\": \"%s\", \"loops\": %d, \"direct\": %s, "
                 "\"resident\": %s, \"meetings\": %" PRId64 ", \"columns\": %s, "
                 "\"x\": %" PRId64 ", \"y\": %" PRId64 ", \"z\": %" PRId64 ", \"blocks\": %" PRId64
                 ", \"siblings\": %d, \"slots\": %d, \"bytes\": %" PRId64 ", \"cores\": %d, ",
                 lines[i].name, t->end - t->first, t->direct ? "true" : "false",
                 t->resident ? "true" : "false", t->meetings, t->columns ? "true" : "false",
                 t->tile[0], t->tile[1], t->tile[2], t->turns, t->siblings, t->slots, t->bytes,
                 (int)larger(t->group, 1));
        text_add(out,
                 "\"got\": %.17g, \"put\": %.17g, \"halo\": %.6g, \"seconds\": %.17g, "
                 "\"moving\": %.17g, \"computing\": %.17g, \"bound\": \"%s\", \"runs\": %" PRId64
                 "}\n",
                 t->got, t->put, halo_of(t), t->time.seconds, t->time.moving, t->time.computing,
                 bound_of(t, s->machine.local ? "exchange" : "transfers"), lines[i].runs);
    }
    text_add(out,
             "{\"kind\": \"machine\", \"name\": \"%s\", \"seconds\": %.17g, \"chains\": %" PRId64
             ", \"calibrated\": \"%s\"}\n",
             m->name, s->seconds, s->chains, m->calibrated);
}

void exec_scratchpad_explain(const exec_context *context, bool json, text *out)
{
    size_t count;
    const struct exec_scratchpad *s = context->scratchpad;
    if (!s) return;
    line *lines = find_lines(s, &count);
    if (!lines) out->failed = true;
    if (lines && json) print_json(out, s, lines, count);
    if (lines && !json) print_text(out, s, lines, count);
    free(lines);
}

double exec_scratchpad_seconds(const exec_context *context)
{
    return context->scratchpad ? context->scratchpad->seconds : 0;
}

const machine_emulated *exec_scratchpad_machine(const exec_context *context)
{
    return &context->scratchpad->machine;
}

const plan_timed *exec_scratchpad_longest(const exec_context *context, const char **kernel)
{
    const struct exec_scratchpad *s = context->scratchpad;
    const plan_timed *longest = NULL;
    for (size_t i = 0; s && i < s->count; i++)
        for (size_t k = 0; k < s->known[i].times.count; k++) {
            const plan_timed *t = &s->known[i].times.parts[k];
            if (t->direct || (longest && longest->time.seconds >= t->time.seconds)) continue;
            longest = t;
            *kernel = s->known[i].names[k];
        }
    return longest;
}
