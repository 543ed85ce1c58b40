/* The proof that what one rank does by a plan is right. */
#include "plan/dealt_proof.h"

#include <string.h>

static const bool nowhere[3] = {false, false, false};
static const int64_t no_shift[3] = {0, 0, 0};

static const dealt_share *share_of(const dealt_run *r, const analysis_touch *t)
{
    return &r->v->shares[t->slot];
}

/* Along which dimensions there are copies of what a touch finds beyond the sides. */
static void find_wraps(const dealt_run *r, const analysis_touch *t, bool wraps[3])
{
    const chain_slot *field = r->v->c->a->slots[t->slot];
    for (int d = 0; d < 3; d++)
        wraps[d] = !share_of(r, t)->whole && r->v->c->p->wraps[d] && plan_may_wrap(field, d);
}

/* Of neighbours in a mesh, those that the tables have, of all elements. */
static void narrow_to_neighbours(const dealt_run *r, const analysis_touch *t, const grid_box *at,
                                 grid_box *end)
{
    const int d = t->level - 1;
    int64_t lo = at->lo[d], hi = at->hi[d];
    for (int i = 0; i < t->hops.count; i++)
        grid_mesh_span(r->l->loop->mesh, t->hops.from[i], t->hops.to[i], &lo, &hi);
    end->lo[d] = lo;
    end->hi[d] = hi;
}

/* The boxes that a touch of some points ends in, on the rank. */
static int find_ends(const dealt_run *r, const analysis_touch *t, const dealt_points_of *at,
                     grid_box ends[ANALYSIS_RESOLVED_BOXES])
{
    const chain_slot *field = r->v->c->a->slots[t->slot];
    bool wraps[3];
    int64_t shift[3];
    find_wraps(r, t, wraps);
    for (int d = 0; d < 3; d++)
        shift[d] = wraps[d] ? at->image[d] * chain_slot_axis(field, d).cells : 0;
    int count = analysis_resolved_boxes(r->l, t, &at->box, wraps, shift, ends);
    for (int k = 0; k < count && t->hops.count; k++) narrow_to_neighbours(r, t, &at->box, &ends[k]);
    return count;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool check_box(const dealt_run *r, const analysis_touch *t, const grid_box *box)
{
    const dealt_share *share = share_of(r, t);
    if (share->whole || grid_box_contains(&share->held, box))
        return dealt_check(r->v, r->loop, t->slot, t->component, box);
    text where = {0};
    grid_box_print(&where, box, r->v->c->a->slots[t->slot]->shape.rank);
    dealt_refuse(r, "touches field '%s' %s, and there is no memory for that",
                 proof_slot_name(&r->v->v, t->slot), text_get(&where));
    text_free(&where);
    return false;
}

/* Checks the parts of a box that the loop has not written itself before, on earlier levels. */
static bool check_beside(const dealt_run *r, const analysis_touch *t, const grid_box *box,
                         const grid_region *written)
{
    grid_region left = {0};
    bool done = grid_region_add(&left, box);
    for (size_t i = 0; i < written->count && done; i++)
        done = grid_region_cut(&left, &written->boxes[i]);
    if (!done) proof_no_memory(&r->v->v);
    for (size_t i = 0; i < left.count && done; i++) done = check_box(r, t, &left.boxes[i]);
    grid_region_free(&left);
    return done;
}

/* `own`: reads of what the loop writes itself on earlier levels; or all others. */
static bool check_reads(const dealt_run *r, bool own)
{
    for (int i = 0; i < r->l->touch_count; i++) {
        const analysis_touch *t = &r->l->touches[i];
        const analysis_touch *earlier = proof_earlier_write(r->l, t);
        const grid_region none = {0};
        if (t->writes || t->scalar || !earlier == own) continue;
        for (int b = 0; b < r->count; b++) {
            grid_box ends[ANALYSIS_RESOLVED_BOXES];
            int count = find_ends(r, t, &r->boxes[b], ends);
            for (int k = 0; k < count; k++)
                if (!check_beside(r, t, &ends[k], own ? &r->right[earlier - r->l->touches] : &none))
                    return false;
        }
    }
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Takes away what points in an image of the grid touch that do not run here. */
static bool cut_image(const dealt_run *r, const analysis_touch *t, const int image[3],
                      grid_region *right)
{
    grid_region others = {0};
    bool done = grid_region_add(&others, &r->l->loop->box);
    for (int b = 0; b < r->count && done; b++)
        if (!memcmp(r->boxes[b].image, image, sizeof r->boxes[b].image))
            done = grid_region_cut(&others, &r->boxes[b].box);
    for (size_t p = 0; p < others.count && done; p++) {
        grid_box ends[ANALYSIS_RESOLVED_BOXES];
        const dealt_points_of at = {others.boxes[p], {image[0], image[1], image[2]}};
        int count = find_ends(r, t, &at, ends);
        for (int k = 0; k < count && done; k++) done = grid_region_cut(right, &ends[k]);
    }
    grid_region_free(&others);
    return done || proof_no_memory(&r->v->v);
}

/* Takes from what writes complete all that points write, too, which do not run here. */
static bool cut_missing(const dealt_run *r, const analysis_touch *t, grid_region *right)
{
    bool done = true, wraps[3];
    find_wraps(r, t, wraps);
    for (int i = 0; i < PLAN_IMAGES && done; i++) {
        int image[3];
        if (plan_image(i, wraps, image)) done = cut_image(r, t, image, right);
    }
    return done;
}

static bool add_write(const dealt_run *r, const analysis_touch *t, const grid_box *box,
                      grid_region *touched, grid_region *right)
{
    const dealt_share *share = share_of(r, t);
    if (!share->whole && !grid_box_contains(&share->held, box))
        return dealt_refuse(r, "writes to field '%s' where there is no memory",
                            proof_slot_name(&r->v->v, t->slot));
    if (!grid_region_add(touched, box)) return proof_no_memory(&r->v->v);
    if (t->partial) return dealt_find_right(r->v, t->slot, t->component, box, right);
    return grid_region_add(right, box) || proof_no_memory(&r->v->v);
}

/* Sets, for a touch that writes, what is right afterwards: where old values remain in part, only
 * what was right. */
static bool find_written(const dealt_run *r, int number)
{
    const analysis_touch *t = &r->l->touches[number];
    grid_region *right = &r->right[number];
    for (int b = 0; b < r->count; b++) {
        grid_box ends[ANALYSIS_RESOLVED_BOXES];
        int count = find_ends(r, t, &r->boxes[b], ends);
        for (int k = 0; k < count; k++)
            if (!add_write(r, t, &ends[k], &r->touched[number], right)) return false;
    }
    bool single = !memcmp(t->lo, t->hi, sizeof t->lo);
    return single || cut_missing(r, t, right);
}

/* The truth after the loop has run on all of its points. */
static bool write_truth(const dealt_run *r)
{
    for (int i = 0; i < r->l->touch_count; i++) {
        const analysis_touch *t = &r->l->touches[i];
        grid_box ends[ANALYSIS_RESOLVED_BOXES];
        if (!t->writes || t->scalar) continue;
        content *truth = &r->v->shares[t->slot].truth;
        int count = analysis_resolved_boxes(r->l, t, &t->at, nowhere, no_shift, ends);
        for (int k = 0; k < count; k++)
            content_set(truth, (content_entry){t->slot, t->component, r->loop, ends[k]});
        if (truth->failed) return proof_no_memory(&r->v->v);
    }
    return true;
}

static bool write_mine(const dealt_run *r, int number)
{
    const analysis_touch *t = &r->l->touches[number];
    content *mine = &r->v->shares[t->slot].mine;
    for (size_t i = 0; i < r->touched[number].count; i++)
        content_clear(mine, t->component, &r->touched[number].boxes[i]);
    for (size_t i = 0; i < r->right[number].count; i++)
        content_set(mine,
                    (content_entry){t->slot, t->component, r->loop, r->right[number].boxes[i]});
    return !mine->failed || proof_no_memory(&r->v->v);
}

static bool is_write(const analysis_touch *t) { return t->writes && !t->scalar; }

static bool run_loop(dealt_run *r)
{
    size_t touches = (size_t)r->l->touch_count + 1;
    r->right = arena_array(&r->v->memory, touches, sizeof *r->right);
    r->touched = arena_array(&r->v->memory, touches, sizeof *r->touched);
    if (!r->right || !r->touched) return proof_no_memory(&r->v->v);
    bool right = check_reads(r, false);
    for (int i = 0; i < r->l->touch_count && right; i++)
        if (is_write(&r->l->touches[i])) right = find_written(r, i);
    right = right && write_truth(r) && check_reads(r, true);
    for (int i = 0; i < r->l->touch_count && right; i++)
        if (is_write(&r->l->touches[i])) right = write_mine(r, i);
    for (int i = 0; i < r->l->touch_count; i++) {
        grid_region_free(&r->right[i]);
        grid_region_free(&r->touched[i]);
    }
    return right;
}

/* ---- loops in parts -------------------------------------------------------------------------- */

static bool run_part(dealt_proof *v, const plan_dealt_step *step)
{
    dealt_run r = {.v = v, .l = &v->c->a->loops[step->loop], .loop = step->loop};
    const chain_loop *loop = r.l->loop;
    bool right = dealt_check_span(&r, step) && dealt_find_points(&r, step);
    for (int i = 0; i < loop->kernel->param_count && right; i++)
        if (ir_param_is_written_field(&loop->kernel->params[i]))
            right = dealt_deal_out(v, loop->bindings[i].slot->number);
    return right && run_loop(&r);
}

static bool run_whole(dealt_proof *v, const plan_dealt_step *step)
{
    const chain_loop *loop = v->c->a->loops[step->loop].loop;
    dealt_points_of all = {.box = loop->box};
    dealt_run r = {.v = v, .l = &v->c->a->loops[step->loop], .loop = step->loop};
    r.boxes = &all;
    r.count = 1;
    for (int i = 0; i < loop->kernel->param_count; i++) {
        const chain_slot *slot = loop->bindings[i].slot;
        if (slot && !slot->is_scalar) dealt_make_empty(v, slot->number);
    }
    return run_loop(&r);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* `next`: the loop that is to run next. */
static bool run_step(dealt_proof *v, const plan_dealt_step *step, int *next)
{
    bool runs = step->kind == PLAN_DEALT_PART || step->kind == PLAN_DEALT_WHOLE;
    int limit = runs ? v->c->a->loop_count : v->c->a->slot_count;
    int number = runs ? step->loop : step->slot;
    if (number < 0 || number >= limit) return proof_refuse(&v->v, "a step is of nothing");
    if (runs && number != (*next)++)
        return proof_refuse_loop(&v->v, number, "runs out of its turn");
    if (!runs && v->c->a->slots[number]->is_scalar)
        return proof_refuse(&v->v, "a scalar is dealt out");
    switch (step->kind) {
    case PLAN_DEALT_EXCHANGE: return dealt_exchange(v, *next, number, step->span);
    case PLAN_DEALT_GATHER: return dealt_gather(v, *next, number);
    case PLAN_DEALT_PART: return run_part(v, step);
    case PLAN_DEALT_WHOLE: return run_whole(v, step);
    }
    return false;
}

static bool check_home(dealt_proof *v, int slot)
{
    const chain_slot *field = v->c->a->slots[slot];
    const plan_ranks *ranks = v->c->ranks;
    const plan_home *home = &v->c->after[slot];
    const dealt_share *share = &v->shares[slot];
    const int loops = v->c->a->loop_count;
    grid_box all = chain_slot_memory(field);
    bool right = true;
    if (home->whole != share->whole)
        return proof_refuse(&v->v, "field '%s' is %s in the end, not %s",
                            proof_slot_name(&v->v, slot), share->whole ? "whole" : "dealt out",
                            home->whole ? "whole" : "dealt out");
    if (home->whole) return dealt_check_all(v, loops, slot, &all);
    for (int b = ranks->first[ranks->rank]; b < ranks->first[ranks->rank + 1] && right; b++) {
        const grid_box own = plan_own_box(field, ranks, b);
        grid_box valid = plan_around(field, ranks, &own, home->valid, home->images);
        right = dealt_check_all(v, loops, slot, &valid);
    }
    return right;
}

bool plan_dealt_verify(const plan_dealt_claim *claim, text *why)
{
    dealt_proof v = {.c = claim, .v = {.a = claim->a, .why = why}};
    int next = 0;
    bool right = dealt_begin_shares(&v);
    for (int i = 0; i < claim->p->count && right; i++)
        right = run_step(&v, &claim->p->steps[i], &next);
    if (right && next < claim->a->loop_count) right = proof_refuse_loop(&v.v, next, "does not run");
    for (int s = 0; s < claim->a->slot_count && right; s++)
        if (!claim->a->slots[s]->is_scalar) right = check_home(&v, s);
    if (!right && !v.v.wrong) text_add(why, "out of memory");
    dealt_free_shares(&v);
    return right;
}
