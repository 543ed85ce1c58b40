/* How chains have run, as it is explained: which way was fastest, which ways were tried, how long
 * they took, or why there was nothing to try. */
#include "exec/alike.h"
#include "exec/fuse.h"
#include "exec/inline.h"
#include "ir/run_cost.h"

#include <math.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

static bool has_method(const tune_way *way, const char *method)
{
    return !strcmp(way->request.method, method);
}

static void say_way(text *out, const tune_way *way)
{
    const tune_tiles *tiles = &way->tiles;
    if (!tiles->plan) {
        text_add(out, "as ");
        plan_request_print(out, &way->request);
        return;
    }
    if (!way->request.cache || !tiles->loops) {
        text_add(out, "loop by loop");
        return;
    }
    text_add(out, has_method(way, "windowed") ? "windows in tiles"
                  : has_method(way, "shared") ? "tiles that all threads share"
                                              : "tiles");
    for (int d = 2; d >= 0; d--)
        if (tiles->size[d]) text_add(out, " %c=%lld", 'x' + d, (long long)tiles->size[d]);
    text_add(out, " depth=%d", tiles->loops);
    if (tiles->coarser) text_add(out, " (%d on coarser grids)", tiles->coarser);
    text_add(out, " for cache=%lld", (long long)way->request.cache);
}

/* Whether a way is not listed: it has not run, or turned out to be loop by loop or as another one.
 */
static bool is_left_out(const tune_ways *w, int i)
{
    const tune_way *way = &w->ways[i];
    bool out = way->least <= 0 || (way->tiles.plan && way->request.cache && !way->tiles.loops);
    for (int k = 0; k < i && way->tiles.plan; k++)
        out = out || (w->ways[k].least > 0 && w->ways[k].tiles.plan == way->tiles.plan);
    return out;
}

static void say_tries(text *out, const tune_ways *w)
{
    const char *before = "; tried, seconds per loop: ";
    for (int i = 0; i < w->count; i++) {
        const tune_way *way = &w->ways[i];
        if (is_left_out(w, i)) continue;
        text_add(out, "%s", before);
        if (way->request.cache)
            text_add(out, "%scache=%lld",
                     has_method(way, "windowed") ? "windows "
                     : has_method(way, "shared") ? "shared "
                                                 : "",
                     (long long)way->request.cache);
        else
            text_add(out, "loops");
        if (way->request.depth) text_add(out, " depth=%lld", (long long)way->request.depth);
        text_add(out, " %.3g", way->least);
        before = ", ";
    }
}

/* ---- what it should take --------------------------------------------------------------------- */

/* The rates of a machine; ceilings: NULL where they are not known. */
typedef struct rates {
    const machine *machine;
    const kata_ceilings *ceilings;
} rates;

/* Points per second that the bytes moved allow; 0: that is not known. `outer`: the level of memory
 * that holds all fields. */
typedef struct bound {
    ir_cost_level level;
    double outer, cache;
} bound;

static bound bound_of(const tune_ways *w, const plan_traffic *t, const rates *r)
{
    const kata_ceilings *c = r->ceilings;
    if (!c) return (bound){.outer = 0};
    bound b = {.level = ir_find_cost_level(w->bytes, r->machine, w->threads)};
    double outer = b.level == IR_COST_MEMORY ? fmax(c->copy.best, c->copy_streaming.best)
                   : b.level == IR_COST_L3   ? c->l3_copy_all.best
                                             : 0;
    if (t->memory > 0) b.outer = outer / t->memory;
    if (t->cache > 0) b.cache = c->l2_copy_all.best / t->cache;
    return b;
}

/* The smaller of those that are known. */
static double least_of(const bound *b)
{
    return b->outer > 0 && b->cache > 0 ? fmin(b->outer, b->cache) : fmax(b->outer, b->cache);
}

static void say_traffic(text *out, const tune_ways *w, const tune_way *way, const rates *r)
{
    const plan_traffic *t = &way->tiles.traffic;
    bound b = bound_of(w, t, r);
    double most = least_of(&b), measured = way->least > 0 ? t->points / way->least : 0;
    if (!way->tiles.plan || t->points <= 0) return;
    text_add(out, "\n    predicted bytes per point: memory %.3g, cache %.3g", t->memory, t->cache);
    if (t->tile > 0) text_add(out, "; a tile's fields fill %.3g MB", 1e-6 * t->tile);
    if (most > 0)
        text_add(out, "; bound %.3g points/s by %s", most,
                 ir_cost_level_name(most == b.cache ? IR_COST_L2 : b.level));
    if (measured > 0) text_add(out, "; measured %.3g points/s", measured);
    if (measured > 0 && most > 0) text_add(out, ", share %.3g", measured / most);
}

/* ---- what would be faster ------------------------------------------------------------------- */

/* What keeps loops out of tiles, as a part of the reason, and what a program can do about it. */
static const struct {
    const char *why, *advice;
} remedies[] = {
    {"a loop with checks runs alone",
     "kernels with assert run alone: assert in a kernel of its own, and apply it every few steps"},
    {"sums go over whole rows",
     "a kernel with a sum is not cut along x: where the sum is not needed in every step, apply a "
     "kernel without it in the others"},
    {"values are read over its periodic sides",
     "no tiles cut the only periodic dimension: other boundary rules at these sides, or a grid "
     "with more points in another dimension, allow them"},
};

static void say_advice(text *out, const tune_ways *w)
{
    if (w->waits[0])
        text_add(out,
                 "\n    faster: %s, so steps run one after another: a number that is found every "
                 "few steps lets the steps between share tiles",
                 w->waits);
    for (size_t i = 0; i < COUNT_OF(remedies) && w->plain; i++)
        if (strstr(w->why, remedies[i].why)) text_add(out, "\n    faster: %s", remedies[i].advice);
}

static void say(text *out, const tune_ways *w, const rates *r)
{
    text_add(out, "  %s, %lld loop%s: ", w->kernel, (long long)w->loops, w->loops == 1 ? "" : "s");
    if (w->plain) {
        text_add(out, "loop by loop on %d thread%s: %s", w->threads, w->threads == 1 ? "" : "s",
                 w->why);
    } else {
        say_way(out, &w->ways[w->best]);
        text_add(out, " on %d thread%s", w->threads, w->threads == 1 ? "" : "s");
        say_tries(out, w);
        if (!w->rests) text_add(out, " (still searching)");
        say_traffic(out, w, &w->ways[w->best], r);
    }
    say_advice(out, w);
    text_add(out, "\n");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void say_tiles_json(text *out, const tune_tiles *tiles)
{
    text_add(out, ", \"tiles\": [%lld, %lld, %lld], \"depth\": %d", (long long)tiles->size[0],
             (long long)tiles->size[1], (long long)tiles->size[2], tiles->loops);
}

static void say_tries_json(text *out, const tune_ways *w)
{
    const char *before = "";
    text_add(out, ", \"tried\": [");
    for (int i = 0; i < w->count && !w->plain; i++) {
        const tune_way *way = &w->ways[i];
        if (way->least <= 0) continue;
        text_add(out, "%s{\"cache\": %lld, \"seconds_per_loop\": %.9g, \"plan\": \"", before,
                 (long long)way->request.cache, way->least);
        plan_request_print(out, &way->request);
        text_add(out, "\"");
        say_tiles_json(out, &way->tiles);
        text_add(out, "}");
        before = ", ";
    }
    text_add(out, "]}\n");
}

static void say_traffic_json(text *out, const tune_ways *w, const tune_way *way, const rates *r)
{
    const plan_traffic *t = &way->tiles.traffic;
    bound b = bound_of(w, t, r);
    if (!way->tiles.plan || t->points <= 0) return;
    text_add(out,
             ", \"predicted\": {\"memory_bytes_per_point\": %.6g, \"cache_bytes_per_point\": "
             "%.6g, \"tile_bytes\": %.6g}",
             t->memory, t->cache, t->tile);
    if (least_of(&b) > 0) text_add(out, ", \"bound_points_per_second\": %.6g", least_of(&b));
    if (way->least > 0)
        text_add(out, ", \"measured_points_per_second\": %.6g", t->points / way->least);
}

static void say_json(text *out, const tune_ways *w, const rates *r)
{
    const tune_way *best = w->plain ? NULL : &w->ways[w->best];
    bool tiled = best && best->request.cache && best->tiles.loops;
    text_add(out,
             "{\"kind\": \"chain\", \"kernel\": \"%s\", \"loops\": %lld, \"threads\": %d, "
             "\"way\": \"%s\"",
             w->kernel, (long long)w->loops, w->threads, tiled ? "tiles" : "loops");
    if (tiled) say_tiles_json(out, &best->tiles);
    if (tiled) text_add(out, ", \"cache\": %lld", (long long)best->request.cache);
    if (w->plain) text_add(out, ", \"why\": \"%s\"", w->why); /* words and names */
    if (best) say_traffic_json(out, w, best, r);
    say_tries_json(out, w);
}

/* ---- all ------------------------------------------------------------------------------------- */

void exec_cpu_explain(const exec_context *context, const machine *m, const kata_ceilings *c,
                      bool json, text *out)
{
    const struct exec_cpu *cpu = context->cpu;
    const rates r = {m, c};
    if (!cpu) return;
    if (!json && (cpu->ways || cpu->asked[0] || cpu->asked[1])) text_add(out, "chains\n");
    for (int i = 0; cpu->ways && i < CPU_KNOWN_CHAINS; i++) {
        const tune_ways *w = &cpu->ways[i];
        if (!w->loops) continue;
        if (json)
            say_json(out, w, &r);
        else
            say(out, w, &r);
    }
    cpu_joined_explain(cpu, json, out);
    cpu_fused_explain(cpu, json, out);
    if (!cpu->asked[0] && !cpu->asked[1]) return;
    text_add(out,
             json ? "{\"kind\": \"asked\", \"by_plan\": %lld, \"loop_by_loop\": %lld}\n"
                  : "  by the plan that was asked for %lld, loop by loop %lld\n",
             (long long)cpu->asked[1], (long long)cpu->asked[0]);
}
