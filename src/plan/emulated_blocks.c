/* The time of blocks whose fields stay in the memories of cores: in phases, as on machines without
 * overlap. All cores compute what needs nothing new; they meet; they exchange. The slowest core
 * rules each phase. Moves between a field's home and its blocks cost nothing, since blocks are its
 * home there; but after blocks with other cuts, what a block takes comes from its new neighbours.
 */
#include "plan/emulated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTIAL_BYTES = 8 };

static void show(plan_timed *part, machine_act act, double begin, double end)
{
    if (part->shown_count == PLAN_SHOWN || end <= begin) return;
    part->shown[part->shown_count++] =
        (machine_operation){.act = act, .begin = begin, .end = end, .turn = part->meetings};
}

/* ---- phases -----------------------------------------------------------------------------------
 */

/* The first block on the chip of a block: blocks fill chip after chip. */
static int chip_of(const emulated_recorder *r, int block)
{
    int each = r->m->siblings / (int)larger(r->m->chips, 1);
    return block / each * each;
}

/* Seconds that bytes between chips take, of the chip that has most; 0: there are none. */
static double between_chips(const emulated_recorder *r, int count)
{
    double most = 0;
    for (int b = 0; b < count; b++)
        most = fmax(most, fmax(r->blocks[b].far_in, r->blocks[b].far_out));
    return most > 0 ? r->m->far + most / r->m->between : 0;
}

static void end_exchange(emulated_recorder *r, plan_timed *part, int count)
{
    double most = 0, begin = part->time.seconds, ready = begin + r->m->barrier + r->m->latency;
    for (int b = 0; b < count; b++) {
        const emulated_block *x = &r->blocks[b];
        most = fmax(most, fmax(x->in, x->out));
        part->got += x->in;
    }
    part->time.seconds = ready + fmax(most / r->m->exchange, between_chips(r, count));
    part->time.moving += part->time.seconds - begin;
    show(part, MACHINE_GET, begin,
         ready + fmax(r->blocks[0].in, r->blocks[0].out) / r->m->exchange);
    part->meetings++;
}

static void end_work(emulated_recorder *r, plan_timed *part, int count)
{
    double most = 0, begin = part->time.seconds;
    for (int b = 0; b < count; b++) {
        most = fmax(most, r->blocks[b].work);
        part->time.computing += r->blocks[b].work / count;
    }
    show(part, MACHINE_COMPUTE, begin, begin + r->blocks[0].work);
    part->time.seconds += most;
}

static void end_phase(emulated_recorder *r)
{
    int count = walk_block_count(r->dealt);
    plan_timed *part = emulated_part(r);
    if (r->some && r->exchanging) end_exchange(r, part, count);
    if (r->some && !r->exchanging) end_work(r, part, count);
    memset(r->blocks, 0, (size_t)count * sizeof *r->blocks);
    r->some = false;
}

static void send(emulated_recorder *r, int from, int to, double bytes)
{
    int chip_from = chip_of(r, from), chip_to = chip_of(r, to);
    r->blocks[from].out += bytes;
    r->blocks[to].in += bytes;
    if (chip_from == chip_to) return;
    r->blocks[chip_from].far_out += bytes;
    r->blocks[chip_to].far_in += bytes;
}

static void enter_phase(emulated_recorder *r, bool exchanging)
{
    if (r->some && r->exchanging != exchanging) end_phase(r);
    r->exchanging = exchanging;
    r->some = true;
}

/* ---- parts ------------------------------------------------------------------------------------
 */

static bool begin_blocks(emulated_recorder *r, const plan_node *node)
{
    plan_timed part = {.resident = true, .siblings = walk_block_count(node)};
    emulated_block *blocks = realloc(r->blocks, (size_t)part.siblings * sizeof *blocks);
    if (blocks) r->blocks = blocks;
    if (!blocks) r->failed = true;
    if (!blocks) return false;
    memset(blocks, 0, (size_t)part.siblings * sizeof *blocks);
    emulated_describe(r, node, &part);
    part.turns = part.siblings;
    part.time.seconds = r->m->launch;
    for (int d = 0; d < 3; d++)
        for (int i = 0; node->parts[d] > 1 && i < node->parts[d]; i++)
            part.tile[d] = larger(part.tile[d], node->cuts[d][i + 1] - node->cuts[d][i]);
    r->dealt = node;
    return emulated_add_part(r, part);
}

bool emulated_end_blocks(emulated_recorder *r)
{
    if (r->dealt) {
        end_phase(r);
        emulated_part(r)->needed = emulated_part(r)->got;
        r->last = r->dealt;
    }
    r->dealt = NULL;
    return !r->failed;
}

/* The part of the blocks that are walked now. */
static bool enter_blocks(emulated_recorder *r, const plan_walk *walk)
{
    if (r->dealt == walk->blocks) return true;
    return emulated_end_blocks(r) && begin_blocks(r, walk->blocks);
}

/* Whether blocks have other cuts than those before. */
static bool are_dealt_anew(const emulated_recorder *r)
{
    bool same = true;
    for (int d = 0; r->last && d < 3; d++) {
        size_t bytes = ((size_t)r->dealt->parts[d] + 1) * sizeof *r->dealt->cuts[d];
        same = same && r->last->parts[d] == r->dealt->parts[d] &&
               !memcmp(r->last->cuts[d], r->dealt->cuts[d], bytes);
    }
    return !same;
}

/* ---- what is noted ----------------------------------------------------------------------------
 */

bool emulated_compute(emulated_recorder *r, const plan_walk *walk, const plan_run *run)
{
    if (!enter_blocks(r, walk)) return false;
    enter_phase(r, false);
    r->blocks[walk->block].work +=
        emulated_operations(r->a->loops[run->loop].loop, &run->box) / r->m->operations;
    return true;
}

bool emulated_exchange(emulated_recorder *r, const plan_walk *walk, const plan_copy *copy,
                       double bytes)
{
    bool in = !copy->from->buffer;
    if (!enter_blocks(r, walk)) return false;
    if (!copy->to->buffer || (in && !are_dealt_anew(r))) return true;
    enter_phase(r, true);
    if (!in) send(r, copy->from->block, copy->to->block, bytes);
    if (in) r->blocks[copy->to->block].in += bytes;
    return true;
}

/* Partial results go to one core, and what comes out goes back. */
bool emulated_reduce(emulated_recorder *r, int loop)
{
    const analysis_loop *l = &r->a->loops[loop];
    if (!r->dealt || !l->reduces) return true;
    int count = walk_block_count(r->dealt);
    for (int back = 0; back < 2; back++) {
        enter_phase(r, true);
        for (int b = 1; b < count; b++) send(r, back ? 0 : b, back ? b : 0, PARTIAL_BYTES);
        end_phase(r);
    }
    return true;
}
