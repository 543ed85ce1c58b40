/* What a rank sends to others by a plan that deals a chain out, predicted from the sizes of boxes.
 * Copies reach no farther than the next rank along a dimension. So a rank sends to up to eight
 * others: those next to it along the dimensions that are cut, and over corners. */
#include "plan/dealt.h"

#include <string.h>

enum { MOST_PEERS = 26 };

/* Where a rank is in the box of ranks. */
typedef struct seat {
    const plan_dealt *p;
    int at[3];
} seat;

/* The peers of the exchanges that are made together. */
typedef struct peers {
    int rank[MOST_PEERS];
    int count;
} peers;

static bool is_cut(const seat *s, const chain_slot *slot, int d)
{
    return s->p->parts[d] > 1 && !slot->absent_axis[d];
}

/* How many indices of a dimension are a rank's own: the first and the last one have ghosts and
 * faces, too. */
static int64_t own_extent(const seat *s, const chain_slot *slot, int d)
{
    grid_box all = chain_slot_memory(slot);
    int64_t points = chain_slot_grid(slot).size[d], lo = all.lo[d], hi = all.hi[d];
    if (is_cut(s, slot, d) && s->at[d] > 0) lo = plan_cut(points, s->p->parts[d], s->at[d]);
    if (is_cut(s, slot, d) && s->at[d] < s->p->parts[d] - 1)
        hi = plan_cut(points, s->p->parts[d], s->at[d] + 1);
    return hi - lo;
}

/* Whether indices beyond the sides are copies of those a period away. */
static bool wraps(const seat *s, const chain_slot *slot, int d)
{
    return s->p->wraps[d] && !slot->ghosts[d] && !slot->staggered[d];
}

/* The peer in a direction, with -1, 0 or 1 along each dimension; -1: there is none. */
static int peer_at(const seat *s, const chain_slot *slot, const int direction[3])
{
    int peer = 0;
    for (int d = 2; d >= 0; d--) {
        int parts = s->p->parts[d], at = s->at[d] + direction[d];
        if (direction[d] && !is_cut(s, slot, d)) return -1;
        if ((at < 0 || at >= parts) && !wraps(s, slot, d)) return -1;
        peer = peer * parts + (at + parts) % parts;
    }
    return peer;
}

/* Indices that a peer in a direction needs of this rank. */
static int64_t indices_for(const seat *s, const chain_slot *slot, const plan_span span[3],
                           const int direction[3])
{
    int64_t count = 1;
    for (int d = 0; d < 3; d++) {
        int64_t deep = direction[d] > 0 ? -span[d].lo : span[d].hi;
        count *= direction[d] ? deep : own_extent(s, slot, d);
    }
    return count;
}

static bool is_new(peers *found, int rank)
{
    for (int i = 0; i < found->count; i++)
        if (found->rank[i] == rank) return false;
    found->rank[found->count++] = rank;
    return true;
}

static void add_exchange(const seat *s, const chain_slot *slot, const plan_span span[3],
                         peers *found, plan_messages *out)
{
    int64_t value = slot->components * (int64_t)ir_storages[slot->type].bytes;
    for (int i = 0; i < 27; i++) {
        const int direction[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        bool here = !direction[0] && !direction[1] && !direction[2];
        int peer = here ? -1 : peer_at(s, slot, direction);
        int64_t count = peer < 0 ? 0 : indices_for(s, slot, span, direction);
        if (!count) continue;
        out->messages += is_new(found, peer);
        out->bytes += count * value;
    }
}

plan_messages plan_find_messages(const plan_dealt *p, const analysis_chain *a, int rank)
{
    seat s = {.p = p};
    peers found = {.count = 0};
    plan_messages out = {0};
    for (int d = 0; d < 3; d++) {
        s.at[d] = rank % p->parts[d];
        rank /= p->parts[d];
    }
    for (int i = 0; i < p->count; i++) {
        const plan_dealt_step *step = &p->steps[i];
        bool together = i > 0 && step[-1].kind == PLAN_DEALT_EXCHANGE;
        if (step->kind != PLAN_DEALT_EXCHANGE) continue;
        if (!together) found.count = 0;
        out.exchanges += !together;
        add_exchange(&s, a->slots[step->slot], step->span, &found, &out);
    }
    return out;
}
