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

static void find_boxes(dealt_proof *v, int slot)
{
    const chain_slot *field = v->c->a->slots[slot];
    dealt_share *share = &v->shares[slot];
    plan_span margin[3];
    for (int d = 0; d < 3; d++) {
        int64_t far = v->c->p->margin[d];
        margin[d] = (plan_span){-far, far};
    }
    share->own = plan_own_box(field, v->c->ranks, v->c->ranks->rank);
    share->held = plan_around(field, v->c->ranks, &share->own, margin, v->c->p->wraps);
}

/* The memory that a rank has before stays, as far as it is worth something. */
static bool begin_part(dealt_proof *v, int slot)
{
    const plan_home *home = &v->c->before[slot];
    dealt_share *share = &v->shares[slot];
    find_boxes(v, slot);
    grid_box valid =
        plan_around(v->c->a->slots[slot], v->c->ranks, &share->own, home->valid, home->images);
    share->held = grid_box_hull(&share->held, &valid);
    return copy_content(v, slot, &share->truth, &valid, &share->mine);
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
    find_boxes(v, slot);
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

/* Whether ranks have each index of a field once. */
static bool check_tiled(dealt_proof *v, int slot)
{
    const chain_slot *field = v->c->a->slots[slot];
    dealt_share *share = &v->shares[slot];
    const plan_ranks *ranks = v->c->ranks;
    const grid_box all = chain_slot_memory(field);
    int64_t points = 0;
    for (int r = 0; r < ranks->total && !share->tiled; r++) {
        grid_box other = plan_own_box(field, ranks, r);
        points += grid_box_points(&other);
        if (!grid_box_contains(&all, &other))
            return refuse_box(v, slot, &other, "is a rank's own, and not of the field");
        if (r != ranks->rank && grid_box_meet(&share->own, &other))
            return refuse_box(v, slot, &other, "is another rank's own, too");
    }
    if (!share->tiled && points != grid_box_points(&all))
        return refuse_box(v, slot, &all, "has indices that are no rank's own");
    return share->tiled = true;
}

bool dealt_gather(dealt_proof *v, int loop, int slot)
{
    dealt_share *share = &v->shares[slot];
    const grid_box all = chain_slot_memory(v->c->a->slots[slot]);
    if (share->whole) return true;
    if (!check_tiled(v, slot) || !dealt_check_all(v, loop, slot, &share->own)) return false;
    content_free(&share->mine);
    share->whole = true;
    return copy_content(v, slot, &share->truth, &all, &share->mine);
}

/* Takes what another rank's own, or their images a period away, have of a box. */
static bool take_from(dealt_proof *v, int slot, int rank, const grid_box *box)
{
    const chain_slot *field = v->c->a->slots[slot];
    dealt_share *share = &v->shares[slot];
    grid_box own = plan_own_box(field, v->c->ranks, rank);
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

bool dealt_exchange(dealt_proof *v, int loop, int slot, const plan_span span[3])
{
    dealt_share *share = &v->shares[slot];
    const plan_ranks *ranks = v->c->ranks;
    if (!dealt_deal_out(v, slot) || !check_tiled(v, slot)) return false;
    grid_box pieces[6],
        around = plan_around(v->c->a->slots[slot], ranks, &share->own, span, v->c->p->wraps);
    if (!grid_box_contains(&share->held, &around))
        return refuse_box(v, slot, &around, "is exchanged, and is more than there is memory for");
    bool done = dealt_check_all(v, loop, slot, &share->own);
    int parts = grid_box_subtract(&around, &share->own, pieces);
    for (int i = 0; i < parts; i++)
        for (int k = 0; k < ranks->near_count && done; k++)
            done = take_from(v, slot, ranks->near[k], &pieces[i]);
    return done;
}
