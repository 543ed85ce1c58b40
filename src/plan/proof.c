/* The proof: a visitor that tracks, for each place, which loop wrote each box last. */
#include "plan/proof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The boxes that a touch of a run ends in, place by place. */
typedef struct target {
    plan_piece pieces[ANALYSIS_RESOLVED_BOXES * 2];
    int count;
} target;

/* ---- loops ----------------------------------------------------------------------------------- */

static bool find_target(proof *v, const plan_walk *walk, const plan_run *run,
                        const analysis_touch *t, target *out)
{
    const plan_place *innermost = plan_innermost(walk, t->slot);
    grid_box boxes[ANALYSIS_RESOLVED_BOXES];
    int64_t shift[3];
    for (int d = 0; d < 3; d++) shift[d] = innermost->wraps[d] ? run->shift[d] : 0;
    int count = analysis_resolved_boxes(&v->a->loops[run->loop], t, &run->box, innermost->wraps,
                                        shift, boxes);
    out->count = 0;
    for (int i = 0; i < count; i++) {
        plan_piece pieces[PLAN_PIECES];
        int n = plan_pieces(walk, t->slot, &boxes[i], pieces);
        for (int k = 0; k < n; k++) {
            if (out->count == COUNT_OF(out->pieces))
                return proof_refuse_loop(v, run->loop, "finds a field in too many places");
            out->pieces[out->count++] = pieces[k];
        }
    }
    return true;
}

static bool check_scalar(proof *v, int loop, const analysis_touch *t)
{
    int writer = CONTENT_FIRST;
    for (int l = loop - 1; l >= 0 && writer < 0; l--)
        for (int i = 0; i < v->a->loops[l].touch_count; i++)
            if (v->a->loops[l].touches[i].slot == t->slot && v->a->loops[l].touches[i].writes)
                writer = l;
    if (v->scalar_writer[t->slot] == writer) return true;
    proof_say_needs(v, loop);
    text_add(v->why, "scalar '%s'", proof_slot_name(v, t->slot));
    return proof_refuse_writer(v, writer, v->scalar_writer[t->slot]);
}

/* Whether points of a coloured loop read themselves over the seam: in places that wrap, their
 * copies lie at other indices, and may have run already. */
static bool reads_own_copy(const proof *v, const plan_walk *walk, const plan_run *run,
                           const analysis_touch *t)
{
    const plan_place *innermost = plan_innermost(walk, t->slot);
    bool copy = false;
    if (t->writes || v->a->loops[run->loop].loop->colors <= 1) return false;
    for (int d = 0; d < 3; d++) {
        int64_t n = innermost->wraps[d] ? chain_slot_axis(v->a->slots[t->slot], d).cells : PLAN_FAR;
        if (t->lo[d] % n || t->hi[d] % n) return false;
        copy = copy || t->lo[d] || t->hi[d];
    }
    return copy;
}

/* Checks the part of a box that is not in the run's own targets, from number `i` on. */
static bool check_beside(proof_reading *r, const grid_box *box, const target *own, int i)
{
    grid_box pieces[6];
    while (i < own->count && own->pieces[i].place != r->place) i++;
    if (i == own->count) return proof_check_box(r, box);
    int count = grid_box_subtract(box, &own->pieces[i].box, pieces);
    for (int k = 0; k < count; k++)
        if (!check_beside(r, &pieces[k], own, i + 1)) return false;
    return true;
}

/* Checks reads, and the old values that writes leave in part. `after` its writes a run must still
 * find the values that it read, except its own: its points run one after another. */
static bool check_touch(proof *v, const plan_walk *walk, const plan_run *run,
                        const analysis_touch *t, bool after)
{
    const analysis_loop *l = &v->a->loops[run->loop];
    const analysis_touch *earlier = proof_earlier_write(l, t);
    bool own_too = !t->writes && (after || l->loop->colors > 1);
    target ends, own = {.count = 0};
    if (t->scalar) return t->writes || check_scalar(v, run->loop, t);
    if (t->writes && (after || !t->partial)) return true;
    if (reads_own_copy(v, walk, run, t))
        return proof_refuse(v, "points of loop %d '%s' read themselves over the seam", run->loop,
                            l->loop->kernel->name);
    if (!find_target(v, walk, run, t, &ends)) return false;
    if (earlier && !find_target(v, walk, run, earlier, &own)) return false;
    for (int i = 0; i < ends.count; i++) {
        const plan_piece *piece = &ends.pieces[i];
        proof_reading r = {.v = v,
                           .place = piece->place,
                           .slot = t->slot,
                           .component = t->component,
                           .loop = run->loop + (earlier ? 1 : 0),
                           .also = own_too ? run->loop : CONTENT_NONE};
        if (!proof_touch_box(v, piece->place, t->slot, t->component, &piece->box, false) ||
            !check_beside(&r, &piece->box, &own, 0))
            return false;
    }
    return true;
}

static bool apply_write(proof *v, const plan_walk *walk, const plan_run *run,
                        const analysis_touch *t)
{
    target ends;
    if (!t->writes || t->scalar) return true;
    if (!find_target(v, walk, run, t, &ends)) return false;
    for (int i = 0; i < ends.count; i++) {
        const plan_piece *piece = &ends.pieces[i];
        for (int k = 0; k < i; k++) {
            const plan_piece *other = &ends.pieces[k];
            if (proof_meets(piece->place, &piece->box, other->place->number, &other->box))
                return proof_refuse_box(v, piece->place, t->slot, &piece->box,
                                        " is written over another part of one loop");
        }
        if (!proof_touch_box(v, piece->place, t->slot, t->component, &piece->box, true) ||
            !proof_set_box(v, piece->place, t->slot, t->component, &piece->box, run->loop))
            return false;
    }
    return true;
}

/* Points that contribute to reductions, or may stop the chain, do so once. */
static bool count_points(proof *v, const plan_run *run)
{
    const analysis_loop *l = &v->a->loops[run->loop];
    grid_region *counted = &v->loops[run->loop].counted;
    if ((!l->reduces && !l->checks) || grid_box_is_empty(&run->core)) return true;
    for (size_t i = 0; i < counted->count; i++) {
        if (!l->reduces || !grid_box_meet(&counted->boxes[i], &run->core)) continue;
        grid_box both = grid_box_intersect(&counted->boxes[i], &run->core);
        text points = {0};
        grid_box_print(&points, &both, l->loop->shape.rank);
        proof_refuse_loop(v, run->loop, "counts points %s twice", text_get(&points));
        text_free(&points);
        return false;
    }
    return (grid_region_cut(counted, &run->core) && grid_region_add(counted, &run->core)) ||
           proof_no_memory(v);
}

static bool run_part(void *data, const plan_walk *walk, const plan_run *run)
{
    proof *v = data;
    const analysis_loop *l = &v->a->loops[run->loop];
    if (v->loops[run->loop].finished)
        return proof_refuse_loop(v, run->loop, "runs after its reductions were finished");
    if (l->gathers && (memcmp(&run->box, &l->loop->box, sizeof run->box) != 0 ||
                       memcmp(&run->core, &l->loop->box, sizeof run->core) != 0))
        return proof_refuse_loop(v, run->loop, "reduces some of its points into a field");
    v->colored = l->loop->colors > 1 ? run->loop : -1;
    for (int t = 0; t < l->touch_count; t++)
        if (!check_touch(v, walk, run, &l->touches[t], false)) return false;
    for (int t = 0; t < l->touch_count; t++)
        if (!apply_write(v, walk, run, &l->touches[t])) return false;
    for (int t = 0; t < l->touch_count; t++)
        if (!check_touch(v, walk, run, &l->touches[t], true)) return false;
    v->colored = -1;
    return count_points(v, run);
}

static bool check_counted(proof *v, int loop)
{
    const analysis_loop *l = &v->a->loops[loop];
    int64_t points = 0;
    for (size_t i = 0; i < v->loops[loop].counted.count; i++)
        points += grid_box_points(&v->loops[loop].counted.boxes[i]);
    return points == grid_box_points(&l->loop->box) ||
           proof_refuse_loop(v, loop, "is finished with %" PRId64 " of its %" PRId64 " points",
                             points, grid_box_points(&l->loop->box));
}

static bool scalar(void *data, int loop)
{
    proof *v = data;
    const analysis_loop *l = &v->a->loops[loop];
    if (v->loops[loop].finished) return proof_refuse_loop(v, loop, "is finished twice");
    if (!l->loop->once && !check_counted(v, loop)) return false;
    for (int t = 0; t < l->touch_count; t++) {
        const analysis_touch *touch = &l->touches[t];
        bool reads = touch->scalar && (!touch->writes || touch->partial);
        if (reads && !check_scalar(v, loop, touch)) return false;
    }
    for (int t = 0; t < l->touch_count; t++)
        if (l->touches[t].writes && l->touches[t].scalar)
            v->scalar_writer[l->touches[t].slot] = loop;
    v->loops[loop].finished = true;
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool check_end(proof *v, plan_place *homes)
{
    int end = v->a->loop_count;
    for (int l = 0; l < end; l++) {
        const analysis_loop *loop = &v->a->loops[l];
        if (loop->checks && !loop->loop->once && !check_counted(v, l)) return false;
        if (!v->loops[l].finished && (loop->reduces || loop->loop->once))
            return proof_refuse_loop(v, l, "is never finished");
    }
    for (int s = 0; s < v->a->slot_count; s++) {
        const chain_slot *slot = v->a->slots[s];
        grid_box all = chain_slot_memory(slot);
        if (slot->is_scalar && !check_scalar(v, end, &(analysis_touch){.slot = s})) return false;
        if (slot->is_scalar || v->a->dead[s]) continue;
        for (int c = 0; c < slot->components; c++) {
            proof_reading r = {v, &homes[s], s, c, end, CONTENT_NONE, {0, 0, 0}};
            if (!proof_check_box(&r, &all)) return false;
        }
    }
    return true;
}

/* NULL when memory is out. */
static plan_place *make_homes(proof *v)
{
    size_t slots = (size_t)v->a->slot_count + 1;
    plan_place *homes = arena_array(&v->memory, slots, sizeof *homes);
    content *contents = arena_array(&v->memory, slots, sizeof *contents);
    v->scalar_writer = arena_array(&v->memory, slots, sizeof *v->scalar_writer);
    v->loops = arena_array(&v->memory, (size_t)v->a->loop_count + 1, sizeof *v->loops);
    if (!homes || !contents || !v->scalar_writer || !v->loops) return NULL;
    for (int s = 0; s < v->a->slot_count; s++) {
        grid_box all = chain_slot_memory(v->a->slots[s]);
        for (int c = 0; c < v->a->slots[s]->components; c++)
            content_set(&contents[s], (content_entry){s, c, CONTENT_FIRST, all});
        homes[s].data = &contents[s];
        v->scalar_writer[s] = CONTENT_FIRST;
    }
    return homes;
}

static void release(proof *v, plan_place *homes)
{
    for (int s = 0; homes && s < v->a->slot_count; s++) content_free(homes[s].data);
    for (int l = 0; homes && l < v->a->loop_count; l++) grid_region_free(&v->loops[l].counted);
    while (v->lane_depth) free(v->lanes[--v->lane_depth].touches);
    free(v->moves);
    arena_free(&v->memory);
}

bool plan_verify(const plan *p, const analysis_chain *a, text *why)
{
    int node = 0;
    const char *malformed = plan_check_form(p, a, &node);
    if (malformed) {
        text_add(why, "node %d: %s", node, malformed);
        return false;
    }
    proof v = {.p = p, .a = a, .why = why, .places = a->slot_count, .colored = -1};
    plan_visitor visitor = {.data = &v,
                            .run = run_part,
                            .copy = proof_copy,
                            .wait = proof_wait,
                            .scalar = scalar,
                            .open = proof_open,
                            .close = proof_close,
                            .tile = proof_tile};
    plan_place *homes = make_homes(&v);
    bool right = homes && plan_walk_all(p, a, homes, &visitor);
    if (right && v.move_count)
        right = proof_refuse(&v, "move %d is never waited for", v.moves[0].tag);
    if (right) right = check_end(&v, homes);
    if (!right && !v.wrong) text_add(why, "out of memory");
    release(&v, homes);
    return right && !v.no_memory;
}
