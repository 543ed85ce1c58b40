/* What a rank has of fields while a plan that deals a chain out is proven. */
#include "plan/dealt_proof.h"

#include <inttypes.h>

void dealt_say_rank(dealt_proof *v) { text_add(v->v.why, "rank %d: ", v->c->ranks->rank); }

static bool refuse_box(dealt_proof *v, int slot, const grid_box *box, const char *reason)
{
    dealt_say_rank(v);
    text_add(v->v.why, "field '%s' ", proof_slot_name(&v->v, slot));
    grid_box_print(v->v.why, box, v->c->a->slots[slot]->shape.rank);
    return proof_refuse(&v->v, " %s", reason);
}

/* ---- indices beyond periodic sides ----------------------------------------------------------- */

typedef struct image {
    grid_box inside;  /* indices of the field */
    int64_t shift[3]; /* added: where they lie on the rank */
} image;

/* Splits a box on the rank into images of the grid, of which there are some to each side. */
static int split(const dealt_proof *v, int slot, const grid_box *box, image out[PLAN_IMAGES])
{
    const chain_slot *field = v->c->a->slots[slot];
    int count = 0;
    for (int i = 0; i < PLAN_IMAGES; i++) {
        const int at[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        image *piece = &out[count];
        bool may = true;
        for (int d = 0; d < 3; d++) {
            int64_t n = chain_slot_axis(field, d).cells;
            bool wraps = plan_may_wrap(field, d);
            may = may && (wraps || !at[d]);
            piece->shift[d] = at[d] * n;
            piece->inside.lo[d] = box->lo[d] - at[d] * n;
            piece->inside.hi[d] = box->hi[d] - at[d] * n;
            if (wraps) piece->inside.lo[d] = larger(piece->inside.lo[d], 0);
            if (wraps) piece->inside.hi[d] = smaller(piece->inside.hi[d], n);
        }
        count += may && !grid_box_is_empty(&piece->inside);
    }
    return count;
}

/* Sets a box to what another content, of indices of the field, has there: of one component. */
static bool copy_component(dealt_proof *v, int slot, int component, const content *from,
                           const grid_box *box, content *to)
{
    image images[PLAN_IMAGES];
    int count = split(v, slot, box, images);
    for (int i = 0; i < count; i++)
        for (size_t e = 0; e < from->count; e++) {
            content_entry entry = from->entries[e];
            entry.box = grid_box_intersect(&entry.box, &images[i].inside);
            if (entry.component != component || grid_box_is_empty(&entry.box)) continue;
            entry.box = grid_box_moved(&entry.box, images[i].shift, 1);
            content_set(to, entry);
        }
    return !to->failed || proof_no_memory(&v->v);
}

static bool copy_content(dealt_proof *v, int slot, const content *from, const grid_box *box,
                         content *to)
{
    bool done = true;
    for (int c = 0; c < v->c->a->slots[slot]->components && done; c++)
        done = copy_component(v, slot, c, from, box, to);
    return done;
}

/* ---- what is right --------------------------------------------------------------------------- */

/* Whether the rank has a box of what one entry of the truth says; `inside`: of the field. */
static bool check_entry(dealt_proof *v, int loop, const content_entry *entry, const image *part)
{
    content *mine = &v->shares[entry->slot].mine;
    content_query wanted = {entry->slot, entry->component, entry->writer, CONTENT_NONE};
    content_query any = {entry->slot, entry->component, CONTENT_ANY, CONTENT_NONE};
    grid_box there = grid_box_intersect(&entry->box, &part->inside), missing;
    if (grid_box_is_empty(&there)) return true;
    there = grid_box_moved(&there, part->shift, 1);
    if (content_holds(mine, &wanted, &there, &missing)) return true;
    const content_entry *found = content_find(mine, &any, &missing);
    dealt_say_rank(v);
    proof_say_needs(&v->v, loop);
    text_add(v->v.why, "field '%s' ", proof_slot_name(&v->v, entry->slot));
    grid_box_print(v->v.why, &missing, v->c->a->slots[entry->slot]->shape.rank);
    return proof_refuse_writer(&v->v, entry->writer, found ? found->writer : CONTENT_NONE);
}

bool dealt_check(dealt_proof *v, int loop, int slot, int component, const grid_box *box)
{
    const content *truth = &v->shares[slot].truth;
    image images[PLAN_IMAGES];
    int count = split(v, slot, box, images);
    for (int i = 0; i < count; i++)
        for (size_t e = 0; e < truth->count; e++)
            if (truth->entries[e].component == component &&
                !check_entry(v, loop, &truth->entries[e], &images[i]))
                return false;
    return true;
}

bool dealt_check_all(dealt_proof *v, int loop, int slot, const grid_box *box)
{
    bool right = true;
    for (int c = 0; c < v->c->a->slots[slot]->components && right; c++)
        right = dealt_check(v, loop, slot, c, box);
    return right;
}

/* Adds the parts of a box that the rank has of what one entry of the truth says. */
static bool add_right(const content *mine, const content_entry *entry, const image *part,
                      grid_region *right)
{
    grid_box there = grid_box_intersect(&entry->box, &part->inside);
    there = grid_box_moved(&there, part->shift, 1);
    for (size_t i = 0; i < mine->count; i++) {
        const content_entry *has = &mine->entries[i];
        grid_box both = grid_box_intersect(&has->box, &there);
        bool same = has->component == entry->component && has->writer == entry->writer;
        if (same && !grid_box_is_empty(&both) && !grid_region_add(right, &both)) return false;
    }
    return true;
}

bool dealt_find_right(dealt_proof *v, int slot, int component, const grid_box *box,
                      grid_region *right)
{
    const dealt_share *share = &v->shares[slot];
    image images[PLAN_IMAGES];
    int count = split(v, slot, box, images);
    for (int i = 0; i < count; i++)
        for (size_t e = 0; e < share->truth.count; e++)
            if (share->truth.entries[e].component == component &&
                !add_right(&share->mine, &share->truth.entries[e], &images[i], right))
                return proof_no_memory(&v->v);
    return true;
}

/* ---- whole and dealt out --------------------------------------------------------------------- */

static void find_held(dealt_proof *v, int slot)
{
    plan_span margin[3];
    for (int d = 0; d < 3; d++) {
        int64_t far = v->c->p->margin[d];
        margin[d] = (plan_span){-far, far};
    }
    v->shares[slot].held =
        plan_held(v->c->a->slots[slot], v->c->ranks, v->c->ranks->rank, margin, v->c->p->wraps);
}

/* The first box of this rank, and the one behind its last. */
static int first_box(const dealt_proof *v) { return v->c->ranks->first[v->c->ranks->rank]; }
static int end_box(const dealt_proof *v) { return v->c->ranks->first[v->c->ranks->rank + 1]; }

/* The memory that a rank has before stays, as far as it is worth something. */
static bool begin_part(dealt_proof *v, int slot)
{
    const plan_home *home = &v->c->before[slot];
    const chain_slot *field = v->c->a->slots[slot];
    dealt_share *share = &v->shares[slot];
    bool done = true;
    find_held(v, slot);
    for (int b = first_box(v); b < end_box(v) && done; b++) {
        const grid_box own = plan_own_box(field, v->c->ranks, b);
        grid_box valid = plan_around(field, v->c->ranks, &own, home->valid, home->images);
        share->held = grid_box_hull(&share->held, &valid);
        done = copy_content(v, slot, &share->truth, &valid, &share->mine);
    }
    return done;
}

bool dealt_begin_shares(dealt_proof *v)
{
    size_t slots = (size_t)v->c->a->slot_count;
    v->shares = arena_array(&v->memory, slots + 1, sizeof *v->shares);
    bool done = v->shares;
    for (int s = 0; s < v->c->a->slot_count && done; s++) {
        const chain_slot *field = v->c->a->slots[s];
        dealt_share *share = &v->shares[s];
        grid_box all = chain_slot_memory(field);
        if (field->is_scalar) continue;
        for (int c = 0; c < field->components; c++)
            content_set(&share->truth, (content_entry){s, c, CONTENT_FIRST, all});
        share->whole = v->c->before[s].whole;
        done =
            share->whole ? copy_content(v, s, &share->truth, &all, &share->mine) : begin_part(v, s);
    }
    return done || proof_no_memory(&v->v);
}

void dealt_free_shares(dealt_proof *v)
{
    for (int s = 0; v->shares && s < v->c->a->slot_count; s++) {
        content_free(&v->shares[s].truth);
        content_free(&v->shares[s].mine);
    }
    arena_free(&v->memory);
}

bool dealt_deal_out(dealt_proof *v, int slot)
{
    dealt_share *share = &v->shares[slot];
    content old = share->mine;
    if (!share->whole) return true;
    share->whole = false;
    share->mine = (content){0};
    find_held(v, slot);
    bool done = copy_content(v, slot, &old, &share->held, &share->mine);
    content_free(&old);
    return done;
}

void dealt_make_empty(dealt_proof *v, int slot)
{
    dealt_share *share = &v->shares[slot];
    if (!share->whole) content_free(&share->mine);
    share->whole = true;
}

/* ---- between ranks --------------------------------------------------------------------------- */

/* Whether boxes that ranks have meet one of this rank; `own`: its number. */
static bool check_apart(dealt_proof *v, int slot, int own)
{
    const chain_slot *field = v->c->a->slots[slot];
    const plan_ranks *ranks = v->c->ranks;
    const grid_box mine = plan_own_box(field, ranks, own);
    for (int b = 0; b < ranks->first[ranks->total]; b++) {
        const grid_box other = plan_own_box(field, ranks, b);
        if (b != own && grid_box_meet(&mine, &other))
            return refuse_box(v, slot, &other,
                              b >= first_box(v) && b < end_box(v) ? "is a rank's own twice"
                                                                  : "is another rank's own, too");
    }
    return true;
}

/* Whether ranks have each index of a field once. */
static bool check_tiled(dealt_proof *v, int slot)
{
    const chain_slot *field = v->c->a->slots[slot];
    dealt_share *share = &v->shares[slot];
    const plan_ranks *ranks = v->c->ranks;
    const grid_box all = chain_slot_memory(field);
    int64_t points = 0;
    if (share->tiled) return true;
    for (int b = 0; b < ranks->first[ranks->total]; b++) {
        grid_box other = plan_own_box(field, ranks, b);
        points += grid_box_points(&other);
        if (!grid_box_contains(&all, &other))
            return refuse_box(v, slot, &other, "is a rank's own, and not of the field");
    }
    for (int b = first_box(v); b < end_box(v); b++)
        if (!check_apart(v, slot, b)) return false;
    if (points != grid_box_points(&all))
        return refuse_box(v, slot, &all, "has indices that are no rank's own");
    return share->tiled = true;
}

/* Whether the rank has right values of all that is its own. */
static bool check_own(dealt_proof *v, int loop, int slot)
{
    bool right = true;
    for (int b = first_box(v); b < end_box(v) && right; b++) {
        const grid_box own = plan_own_box(v->c->a->slots[slot], v->c->ranks, b);
        right = dealt_check_all(v, loop, slot, &own);
    }
    return right;
}

bool dealt_gather(dealt_proof *v, int loop, int slot)
{
    dealt_share *share = &v->shares[slot];
    const grid_box all = chain_slot_memory(v->c->a->slots[slot]);
    if (share->whole) return true;
    if (!check_tiled(v, slot) || !check_own(v, loop, slot)) return false;
    content_free(&share->mine);
    share->whole = true;
    return copy_content(v, slot, &share->truth, &all, &share->mine);
}

/* Takes what a box of a rank's own, or its images a period away, have of another box. */
static bool take_from(dealt_proof *v, int slot, int from, const grid_box *box)
{
    const chain_slot *field = v->c->a->slots[slot];
    dealt_share *share = &v->shares[slot];
    grid_box own = plan_own_box(field, v->c->ranks, from);
    bool wraps[3], done = true;
    for (int d = 0; d < 3; d++) wraps[d] = v->c->p->wraps[d] && plan_may_wrap(field, d);
    for (int i = 0; i < PLAN_IMAGES && done; i++) {
        int at[3];
        int64_t shift[3];
        if (!plan_image(i, wraps, at)) continue;
        for (int d = 0; d < 3; d++) shift[d] = at[d] * field->shape.size[d];
        grid_box there = grid_box_moved(&own, shift, 1);
        there = grid_box_intersect(&there, box);
        if (!grid_box_is_empty(&there))
            done = copy_content(v, slot, &share->truth, &there, &share->mine);
    }
    return done;
}

/* Takes what near ranks have of the indices around a box of this rank's own. */
static bool take_around(dealt_proof *v, int slot, int number, const plan_span span[3])
{
    const plan_ranks *ranks = v->c->ranks;
    const chain_slot *field = v->c->a->slots[slot];
    grid_box pieces[6], own = plan_own_box(field, ranks, number);
    grid_box around = plan_around(field, ranks, &own, span, v->c->p->wraps);
    if (!grid_box_contains(&v->shares[slot].held, &around))
        return refuse_box(v, slot, &around, "is exchanged, and is more than there is memory for");
    int parts = grid_box_subtract(&around, &own, pieces);
    bool done = true;
    for (int i = 0; i < parts; i++)
        for (int k = 0; k < ranks->near_count; k++) {
            const int near = ranks->near[k];
            for (int b = ranks->first[near]; b < ranks->first[near + 1] && done; b++)
                done = take_from(v, slot, b, &pieces[i]);
        }
    return done;
}

bool dealt_exchange(dealt_proof *v, int loop, int slot, const plan_span span[3])
{
    if (!dealt_deal_out(v, slot) || !check_tiled(v, slot) || !check_own(v, loop, slot))
        return false;
    bool done = true;
    for (int b = first_box(v); b < end_box(v) && done; b++) done = take_around(v, slot, b, span);
    return done;
}
