/* How fast a chain would be on many ranks: a simulation on real plans.
 *
 * The chain is stretched to a larger grid and dealt out as on ranks. Each rank has a clock. Loops
 * take the time of their points, at the rate that was measured on one rank. An exchange begins when
 * the ranks next to one have come to it, and takes the time of the rank's messages. Where all ranks
 * meet, all wait for the last one. */
#include "exec/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_DEPTH = 48, ROUNDS = 3, FEWEST_ROWS = 8 };

/* ---- a larger grid --------------------------------------------------------------------------- */

/* What lies near the high side stays near it. */
static int64_t stretch_index(int64_t i, int64_t points, int64_t times)
{
    return i <= points / 2 ? i : i + points * (times - 1);
}

static chain_slot *stretch_slot(const chain_slot *slot, const int64_t times[3], arena *memory)
{
    chain_slot *larger_one = arena_array(memory, 1, sizeof *larger_one);
    if (!larger_one || slot->is_scalar) {
        if (larger_one) *larger_one = *slot;
        return larger_one;
    }
    *larger_one = *slot;
    larger_one->array = NULL;
    larger_one->part = NULL;
    for (int d = 0; d < 3 && d < slot->shape.rank; d++) {
        int64_t more = slot->staggered[d];
        larger_one->shape.size[d] = (slot->shape.size[d] - more) * times[d] + more;
        if (slot->absent_axis[d]) larger_one->shape.size[d] = slot->shape.size[d];
        larger_one->absent_axis[d] *= times[d];
    }
    return larger_one;
}

static bool stretch_loop(chain_loop *loop, const int64_t times[3], chain_slot **slots,
                         arena *memory)
{
    size_t params = (size_t)loop->kernel->param_count;
    chain_binding *bindings = arena_array(memory, params + 1, sizeof *bindings);
    if (!bindings) return false;
    memcpy(bindings, loop->bindings, params * sizeof *bindings);
    for (size_t p = 0; p < params; p++)
        if (bindings[p].slot) bindings[p].slot = slots[bindings[p].slot->number];
    loop->bindings = bindings;
    for (int d = 0; d < loop->shape.rank && !loop->once; d++) {
        int64_t points = loop->shape.size[d];
        loop->box.lo[d] = stretch_index(loop->box.lo[d], points, times[d]);
        loop->box.hi[d] = stretch_index(loop->box.hi[d], points, times[d]);
        loop->shape.size[d] *= times[d];
    }
    return true;
}

/* False when memory is out. */
static bool stretch(const chain *c, const int64_t times[3], arena *memory, chain *out)
{
    *out = *c;
    out->after = 0;
    out->slots = arena_array(memory, c->slot_count + 1, sizeof(chain_slot *));
    out->loops = arena_array(memory, c->count + 1, sizeof *out->loops);
    bool done = out->slots && out->loops;
    for (size_t i = 0; i < c->slot_count && done; i++)
        done = (out->slots[i] = stretch_slot(c->slots[i], times, memory)) != NULL;
    if (done) memcpy(out->loops, c->loops, c->count * sizeof *out->loops);
    for (size_t i = 0; i < c->count && done; i++)
        done = stretch_loop(&out->loops[i], times, out->slots, memory);
    return done;
}

/* ---- ranks with clocks ----------------------------------------------------------------------- */

enum { CLASSES = 9 };

typedef struct cluster {
    plan_ranks ranks;
    int count[3];             /* along each dimension */
    plan_ranks seat[CLASSES]; /* a rank of each class */
    const plan_dealt *p;
    const analysis_chain *a;
    const exec_network *network;
    double rate;          /* seconds for a byte that a loop touches */
    double *clock, *next; /* by rank */
    double *along[3];     /* by rank along a dimension, of a loop: its points */
    int total;
} cluster;

static bool was_before(const analysis_loop *l, int i)
{
    const analysis_touch *t = &l->touches[i];
    for (int k = 0; k < i; k++)
        if (l->touches[k].slot == t->slot && l->touches[k].component == t->component &&
            l->touches[k].writes == t->writes)
            return true;
    return false;
}

/* The bytes that a point of a loop reads and writes. */
static double bytes_of(const analysis_chain *a, const analysis_loop *l)
{
    double bytes = 0;
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (!t->scalar && !was_before(l, i))
            bytes += (double)store_type_bytes(a->slots[t->slot]->type);
    }
    return bytes;
}

static double all_bytes(const analysis_chain *a)
{
    double bytes = 0;
    for (int l = 0; l < a->loop_count; l++)
        bytes += bytes_of(a, &a->loops[l]) * (double)grid_box_points(&a->loops[l].loop->box);
    return bytes;
}

/* Sets how many points each rank along a dimension has of a loop, those beyond sides included. */
static void find_along(cluster *c, const plan_dealt_step *step, int d)
{
    const chain_loop *loop = c->a->loops[step->loop].loop;
    int stride = 1;
    for (int k = 0; k < d; k++) stride *= c->count[k];
    for (int at = 0; at < c->count[d]; at++) {
        c->along[d][at] = 0;
        for (int i = -c->p->wraps[d]; i <= c->p->wraps[d]; i++) {
            int image[3] = {0, 0, 0};
            image[d] = i;
            grid_box box = plan_own_points(loop, &c->ranks, at * stride, step->span, image);
            c->along[d][at] += (double)larger(box.hi[d] - box.lo[d], 0);
        }
    }
}

static void run_part(cluster *c, const plan_dealt_step *step)
{
    double point = c->rate * bytes_of(c->a, &c->a->loops[step->loop]);
    double *clock = c->clock;
    for (int d = 0; d < 3; d++) find_along(c, step, d);
    for (int z = 0; z < c->count[2]; z++)
        for (int y = 0; y < c->count[1]; y++)
            *clock++ += point * c->along[0][0] * c->along[1][y] * c->along[2][z];
}

static double rounds_of(const cluster *c) { return ceil(log2(c->total)); }

/* All ranks meet, and get bytes of all. */
static void meet(cluster *c, double rounds, double bytes)
{
    double last = 0;
    for (int r = 0; r < c->total; r++) last = fmax(last, c->clock[r]);
    last += rounds * c->network->latency + bytes / c->network->bandwidth;
    for (int r = 0; r < c->total; r++) c->clock[r] = last;
}

/* Of sums ranks get the partials of all: one for each brick of a row. */
static double partial_bytes(const cluster *c, const analysis_loop *l)
{
    const grid_box *box = &l->loop->box;
    double rows = (double)((box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]));
    double bricks = ceil((double)(box->hi[0] - box->lo[0]) / IR_BRICK);
    return c->total * (double)sizeof *box + rows * bricks * (double)sizeof(ir_value);
}

/* Ranks at the ends of a dimension have other neighbours than those between them: 0, 1, 2. */
static int class_of(int at, int count) { return at == 0 ? 0 : at == count - 1 ? 2 : 1; }

static int rank_of_class(const cluster *c, int y, int z)
{
    const int *n = c->count;
    int at_y = y == 0 ? 0 : y == 2 ? n[1] - 1 : n[1] / 2;
    int at_z = z == 0 ? 0 : z == 2 ? n[2] - 1 : n[2] / 2;
    return at_z * n[1] + at_y;
}

/* The seconds that a rank needs for its messages of exchanges that are made together. */
static double seconds_of(const cluster *c, const plan_dealt *exchanges, const plan_ranks *seat)
{
    plan_messages sent = plan_find_messages(exchanges, c->a, seat);
    const exec_network *n = c->network;
    double bytes = (double)sent.bytes;
    return sent.messages ? n->latency + bytes / n->bandwidth + 2 * bytes / n->packing : 0;
}

/* When the ranks next to one have come as far as it: along a dimension that wraps, also beyond the
 * sides. */
static double time_around(const cluster *c, int y, int z)
{
    const int ny = c->count[1], nz = c->count[2];
    double last = 0;
    for (int i = 0; i < 9; i++) {
        int at_y = y + i % 3 - 1, at_z = z + i / 3 - 1;
        if (!c->p->wraps[1] && (at_y < 0 || at_y >= ny)) continue;
        if (!c->p->wraps[2] && (at_z < 0 || at_z >= nz)) continue;
        last = fmax(last, c->clock[(at_z + nz) % nz * ny + (at_y + ny) % ny]);
    }
    return last;
}

static void exchange(cluster *c, int first, int count)
{
    plan_dealt these = *c->p;
    double needs[3][3], *swap = c->clock;
    const int ny = c->count[1], nz = c->count[2];
    these.steps += first;
    these.count = count;
    for (int i = 0; i < CLASSES; i++) needs[i / 3][i % 3] = seconds_of(c, &these, &c->seat[i]);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            c->next[z * ny + y] = time_around(c, y, z) + needs[class_of(z, nz)][class_of(y, ny)];
    c->clock = c->next;
    c->next = swap;
}

static double whole_bytes(const chain_slot *slot)
{
    grid_box all = chain_slot_memory(slot);
    return (double)(grid_box_points(&all) * slot->components * store_type_bytes(slot->type));
}

/* Returns how many steps it has run: exchanges that follow one another are one. */
static int run_step(cluster *c, int i)
{
    const plan_dealt_step *step = &c->p->steps[i];
    int count = 1;
    switch (step->kind) {
    case PLAN_DEALT_PART:
        run_part(c, step);
        if (c->a->loops[step->loop].reduces)
            meet(c, 2 * rounds_of(c), partial_bytes(c, &c->a->loops[step->loop]));
        break;
    case PLAN_DEALT_WHOLE: {
        const analysis_loop *l = &c->a->loops[step->loop];
        double each = c->rate * bytes_of(c->a, l) * (double)grid_box_points(&l->loop->box);
        for (int r = 0; r < c->total; r++) c->clock[r] += each;
        break;
    }
    case PLAN_DEALT_GATHER: meet(c, rounds_of(c), whole_bytes(c->a->slots[step->slot])); break;
    case PLAN_DEALT_EXCHANGE:
        while (i + count < c->p->count && step[count].kind == PLAN_DEALT_EXCHANGE) count++;
        exchange(c, i, count);
        break;
    }
    return count;
}

/* The seconds until the last rank has run a plan; 0 when memory is out. */
static double run_plan(cluster *c)
{
    size_t room = (size_t)c->total;
    arena memory = {0};
    double last = 0;
    c->clock = arena_array(&memory, room, sizeof *c->clock);
    c->next = arena_array(&memory, room, sizeof *c->next);
    bool done = c->clock && c->next;
    for (int d = 0; d < 3; d++) {
        c->along[d] = arena_array(&memory, (size_t)c->count[d], sizeof(double));
        done = done && c->along[d];
    }
    if (done && c->total > 1) meet(c, rounds_of(c), 0); /* ranks agree on the chain */
    for (int i = 0; i < c->p->count && done;) i += run_step(c, i);
    if (done && c->total > 1) meet(c, rounds_of(c), 0); /* and on how it ended */
    for (int r = 0; r < c->total && done; r++) last = fmax(last, c->clock[r]);
    arena_free(&memory);
    return last;
}

/* ---- one number of ranks --------------------------------------------------------------------- */

/* The plan of a chain that follows an equal one. */
static bool find_plan(const analysis_chain *a, const plan_raster *raster, int64_t every,
                      plan_dealt *p)
{
    plan_home *homes = calloc((size_t)a->slot_count + 1, sizeof *homes);
    bool done = homes;
    for (int s = 0; s < a->slot_count && done; s++) homes[s].whole = true;
    for (int i = 0; i < ROUNDS && done; i++) {
        plan_dealt_free(p);
        *p = (plan_dealt){.raster = *raster, .every = every};
        done = plan_deal(p, a, homes);
    }
    free(homes);
    return done;
}

/* Sets the ranks, and one of each class. False when memory is out. */
static bool take_seats(cluster *c, const int count[3], arena *memory)
{
    bool done = plan_ranks_box(&c->ranks, memory, count, 0);
    memcpy(c->count, count, sizeof c->count);
    c->total = c->ranks.total;
    for (int i = 0; i < CLASSES && done; i++) {
        c->seat[i] = c->ranks;
        done = plan_ranks_seat(&c->seat[i], memory, rank_of_class(c, i % 3, i / 3));
    }
    return done;
}

/* `rate`: seconds per byte that loops touch. 0 when memory is out. */
static double simulate(const chain *c, const exec_network *network, double rate, const int count[3],
                       int64_t every)
{
    plan_dealt p = {.count = 0};
    analysis_chain a;
    arena memory = {0};
    cluster all = {.p = &p, .a = &a, .network = network, .rate = rate};
    double seconds = 0;
    if (analysis_chain_make(c, &a) && take_seats(&all, count, &memory) &&
        find_plan(&a, &all.ranks.raster, every, &p))
        seconds = run_plan(&all);
    plan_dealt_free(&p);
    analysis_chain_free(&a);
    arena_free(&memory);
    return seconds;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const chain_loop *largest_loop(const chain *c)
{
    const chain_loop *largest = NULL;
    for (size_t i = 0; i < c->count; i++)
        if (!largest || chain_loop_points(&c->loops[i]) > chain_loop_points(largest))
            largest = &c->loops[i];
    return largest;
}

/* Times that the grid is stretched: with equal parts, or so that the most ranks have some rows. */
static void find_times(const chain_loop *loop, const int count[3], bool equal, int64_t times[3])
{
    for (int d = 0; d < 3; d++) {
        times[d] = equal ? count[d] : 1;
        while (!equal && count[d] > 1 && loop->shape.size[d] * times[d] < FEWEST_ROWS * count[d])
            times[d] *= 2;
    }
}

static bool scale_to(const chain *c, const exec_network *network, double rate, int i,
                     exec_scaling *out)
{
    const chain_loop *loop = largest_loop(c);
    bool done = true;
    for (int strong = 0; strong < 2 && done; strong++) {
        arena memory = {0};
        chain larger_one;
        int64_t times[3];
        int most[3], count[3];
        ranks_choose(loop->shape.rank, EXEC_MOST_RANKS, most);
        ranks_choose(loop->shape.rank, out->ranks[i], count);
        find_times(loop, strong ? most : count, !strong, times);
        done = stretch(c, times, &memory, &larger_one);
        for (int each = 0; each < 2 && done; each++) {
            double loops = each && out->ranks[i] > 1 ? network->loops : 1;
            double seconds =
                simulate(&larger_one, network, rate * loops, count, each ? 1 : USUAL_DEPTH);
            out->seconds[strong][each][i] = seconds;
            done = seconds > 0;
        }
        for (int d = 0; d < 3; d++) out->size[strong][d] = loop->shape.size[d] * times[d];
        arena_free(&memory);
    }
    return done;
}

static bool may_scale(const chain *c)
{
    bool may = c->count > 0 && largest_loop(c)->shape.rank > 1 && !largest_loop(c)->once;
    for (size_t i = 0; i < c->count; i++) may = may && !c->loops[i].copy;
    return may;
}

bool exec_scale(const chain *c, double seconds, const exec_network *network, exec_scaling *out)
{
    analysis_chain a;
    *out = (exec_scaling){.count = 0};
    bool done = may_scale(c) && analysis_chain_make(c, &a);
    if (!done) return false;
    double rate = seconds / all_bytes(&a);
    for (int ranks = 1; ranks < EXEC_MOST_RANKS; ranks *= 4) out->ranks[out->count++] = ranks;
    out->ranks[out->count++] = EXEC_MOST_RANKS;
    for (int i = 0; i < out->count && done; i++) done = scale_to(c, network, rate, i, out);
    analysis_chain_free(&a);
    return done;
}
