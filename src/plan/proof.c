/* The proof: a visitor that keeps, for each place, which loop wrote what last. */
#include "plan/proof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- loops ----------------------------------------------------------------------------------- */

static bool find_target(proof *v, const plan_walk *walk, const plan_run *run,
                        const analysis_touch *t, proof_target *out)
{
    const plan_place *innermost = plan_innermost(walk, t->slot);
    grid_box boxes[ANALYSIS_LANDINGS];
    int64_t shift[3];
    for (int d = 0; d < 3; d++) shift[d] = innermost->wraps[d] ? run->shift[d] : 0;
    int count =
        analysis_landings(&v->a->loops[run->loop], t, &run->box, innermost->wraps, shift, boxes);
    out->count = 0;
    for (int i = 0; i < count; i++) {
        plan_piece pieces[PLAN_PIECES];
        int n = plan_pieces(walk, t->slot, &boxes[i], pieces);
        for (int k = 0; k < n; k++) {
            if (out->count == COUNT_OF(out->pieces)) {
                text_add(v->why, "loop %d '%s' finds a field in too many places", run->loop,
                         proof_loop_name(v, run->loop));
                return proof_refuse(v);
            }
            out->pieces[out->count++] = pieces[k];
        }
    }
    return true;
}

static bool check_scalar(proof *v, int loop, const analysis_touch *t)
{
    int writer = -1;
    for (int l = loop - 1; l >= 0 && writer < 0; l--)
        for (int i = 0; i < v->a->loops[l].touch_count; i++)
            if (v->a->loops[l].touches[i].slot == t->slot && v->a->loops[l].touches[i].writes)
                writer = l;
    if (v->scalar_writer[t->slot] == writer) return true;
    if (loop < v->a->loop_count)
        text_add(v->why, "loop %d '%s' needs ", loop, proof_loop_name(v, loop));
    else
        text_add(v->why, "the chain ends and needs ");
    text_add(v->why, "scalar '%s' to be ", proof_slot_name(v, t->slot));
    proof_say_writer(v, writer);
    text_add(v->why, ", but finds ");
    proof_say_writer(v, v->scalar_writer[t->slot]);
    return proof_refuse(v);
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

/* Whether levels run in order and a touch reads what earlier ones have written. */
static bool reads_earlier(const analysis_loop *l, const analysis_touch *t)
{
    const ir_kernel *kernel = l->loop->kernel;
    if (!kernel->direction || t->writes || ir_level_after(kernel, t->lo) >= 0) return false;
    for (int i = 0; i < l->touch_count; i++)
        if (l->touches[i].writes && l->touches[i].slot == t->slot &&
            l->touches[i].component == t->component)
            return true;
    return false;
}

/* What the run itself writes of what a touch reads. */
static bool find_own(proof *v, const plan_walk *walk, const plan_run *run, const analysis_touch *t,
                     proof_target *own)
{
    const analysis_loop *l = &v->a->loops[run->loop];
    for (int i = 0; i < l->touch_count; i++)
        if (l->touches[i].writes && l->touches[i].slot == t->slot &&
            l->touches[i].component == t->component)
            return find_target(v, walk, run, &l->touches[i], own);
    return true;
}

/* Reads, and of writes what has to be there before. `after` its writes a run is to find what it
 * read, too, but for what it has written itself: its points run one after another. */
static bool check_touch(proof *v, const plan_walk *walk, const plan_run *run,
                        const analysis_touch *t, bool after)
{
    const analysis_loop *l = &v->a->loops[run->loop];
    if (v->a->slots[t->slot]->is_scalar) return t->writes || check_scalar(v, run->loop, t);
    if (t->writes && (after || !t->keeps)) return true;
    proof_target ends;
    if (reads_own_copy(v, walk, run, t)) {
        text_add(v->why, "points of loop %d '%s' read themselves over the seam", run->loop,
                 proof_loop_name(v, run->loop));
        return proof_refuse(v);
    }
    if (!find_target(v, walk, run, t, &ends)) return false;
    bool earlier = reads_earlier(l, t);
    proof_target own = {.count = 0};
    if (earlier && !find_own(v, walk, run, t, &own)) return false;
    for (int i = 0; i < ends.count; i++) {
        const plan_piece *piece = &ends.pieces[i];
        proof_reading r = {.v = v,
                           .place = piece->place,
                           .slot = t->slot,
                           .component = t->component,
                           .loop = run->loop + earlier,
                           .also = !t->writes && (after || l->loop->colors > 1) ? run->loop : -1};
        if (!proof_touch_box(v, piece->place, t->slot, t->component, &piece->box, false) ||
            !proof_check_beside(&r, &piece->box, &own))
            return false;
    }
    return true;
}

static bool apply_write(proof *v, const plan_walk *walk, const plan_run *run,
                        const analysis_touch *t)
{
    proof_target ends;
    if (!t->writes || v->a->slots[t->slot]->is_scalar) return true;
    if (!find_target(v, walk, run, t, &ends)) return false;
    for (int i = 0; i < ends.count; i++) {
        const plan_piece *piece = &ends.pieces[i];
        for (int k = 0; k < i; k++) {
            const plan_piece *other = &ends.pieces[k];
            if (!proof_meets(piece->place, &piece->box, other->place->number, &other->box))
                continue;
            proof_say_where(v, piece->place, t->slot, &piece->box);
            text_add(v->why, " is written over another part of one loop");
            return proof_refuse(v);
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
    grid_region *counted = &v->counted[run->loop];
    if ((!l->reduces && !l->checks) || grid_box_is_empty(&run->core)) return true;
    for (size_t i = 0; i < counted->count; i++) {
        grid_box both = grid_box_intersect(&counted->boxes[i], &run->core);
        if (grid_box_is_empty(&both) || !l->reduces) continue;
        text_add(v->why, "loop %d '%s' counts points ", run->loop, proof_loop_name(v, run->loop));
        grid_box_print(v->why, &both, l->loop->shape.rank);
        text_add(v->why, " twice");
        return proof_refuse(v);
    }
    if (!grid_region_cut(counted, &run->core) || !grid_region_add(counted, &run->core))
        v->no_memory = true;
    return !v->no_memory;
}

static bool run_part(void *data, const plan_walk *walk, const plan_run *run)
{
    proof *v = data;
    const analysis_loop *l = &v->a->loops[run->loop];
    if (v->finished[run->loop]) {
        text_add(v->why, "loop %d '%s' runs after its reductions were finished", run->loop,
                 proof_loop_name(v, run->loop));
        return proof_refuse(v);
    }
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
    for (size_t i = 0; i < v->counted[loop].count; i++)
        points += grid_box_points(&v->counted[loop].boxes[i]);
    if (points == grid_box_points(&l->loop->box)) return true;
    text_add(v->why, "loop %d '%s' is finished with %" PRId64 " of its %" PRId64 " points", loop,
             proof_loop_name(v, loop), points, grid_box_points(&l->loop->box));
    return proof_refuse(v);
}

static bool scalar(void *data, int loop)
{
    proof *v = data;
    const analysis_loop *l = &v->a->loops[loop];
    if (v->finished[loop]) {
        text_add(v->why, "loop %d '%s' is finished twice", loop, proof_loop_name(v, loop));
        return proof_refuse(v);
    }
    if (!l->loop->once && !check_counted(v, loop)) return false;
    for (int t = 0; t < l->touch_count; t++) {
        const analysis_touch *touch = &l->touches[t];
        if (!v->a->slots[touch->slot]->is_scalar) continue;
        if ((!touch->writes || touch->keeps) && !check_scalar(v, loop, touch)) return false;
    }
    for (int t = 0; t < l->touch_count; t++)
        if (l->touches[t].writes && v->a->slots[l->touches[t].slot]->is_scalar)
            v->scalar_writer[l->touches[t].slot] = loop;
    v->finished[loop] = true;
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool check_end(proof *v, plan_place *homes)
{
    int end = v->a->loop_count;
    for (int l = 0; l < end; l++) {
        const analysis_loop *loop = &v->a->loops[l];
        if (loop->checks && !loop->loop->once && !check_counted(v, l)) return false;
        if (v->finished[l] || (!loop->reduces && !loop->loop->once)) continue;
        text_add(v->why, "loop %d '%s' is never finished", l, proof_loop_name(v, l));
        return proof_refuse(v);
    }
    for (int s = 0; s < v->a->slot_count; s++) {
        const chain_slot *slot = v->a->slots[s];
        grid_box all = chain_slot_memory(slot);
        if (slot->is_scalar && !check_scalar(v, end, &(analysis_touch){.slot = s})) return false;
        if (slot->is_scalar || v->a->dead[s]) continue;
        for (int c = 0; c < slot->components; c++) {
            proof_reading r = {
                .v = v, .place = &homes[s], .slot = s, .component = c, .loop = end, .also = -1};
            if (!proof_check_box(&r, &all)) return false;
        }
    }
    return true;
}

static bool make_homes(proof *v, plan_place *homes)
{
    for (int s = 0; s < v->a->slot_count; s++) {
        homes[s].data = calloc(1, sizeof(content));
        if (!homes[s].data) return false;
        for (int c = 0; c < v->a->slots[s]->components; c++)
            content_set(homes[s].data,
                        (content_entry){s, c, -1, chain_slot_memory(v->a->slots[s])});
        v->scalar_writer[s] = -1;
    }
    return true;
}

static void release(proof *v, plan_place *homes)
{
    for (int s = 0; homes && s < v->a->slot_count; s++) {
        if (homes[s].data) content_free(homes[s].data);
        free(homes[s].data);
    }
    for (int l = 0; v->counted && l < v->a->loop_count; l++) grid_region_free(&v->counted[l]);
    while (v->lane_depth) free(v->lanes[--v->lane_depth].touches);
    free(v->counted);
    free(v->finished);
    free(v->scalar_writer);
    free(v->moves);
    free(homes);
}

bool plan_verify(const plan *p, const analysis_chain *a, text *why)
{
    int node;
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
    size_t slots = (size_t)a->slot_count + 1, loops = (size_t)a->loop_count + 1;
    plan_place *homes = calloc(slots, sizeof *homes);
    v.scalar_writer = calloc(slots, sizeof *v.scalar_writer);
    v.counted = calloc(loops, sizeof *v.counted);
    v.finished = calloc(loops, sizeof *v.finished);
    bool right = homes && v.scalar_writer && v.counted && v.finished && make_homes(&v, homes);
    if (right) right = plan_walk_all(p, a, homes, &visitor);
    if (right && v.move_count) {
        text_add(why, "move %d is never waited for", v.moves[0].copy.tag);
        right = proof_refuse(&v);
    }
    if (right) right = check_end(&v, homes);
    if (!right && !v.wrong) text_add(why, "out of memory");
    release(&v, homes);
    return right && !v.no_memory;
}
