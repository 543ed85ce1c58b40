/* Chains on fields with periodic sides where the tiles of planes begin and end.
 *
 * A section of such a chain is rolled out: its tiles go once around. Of a field of n planes, each
 * loop runs on n planes from a first one on, and plane n + i is plane i. A loop begins as far
 * behind those before it as it reads and as they still read what it writes. So the first planes
 * keep the values that the last tiles need: they go home when the first tiles have left
 * them, and come back at the end as planes n and on. Of fields without a use before or after the
 * section these planes alone are moved.
 *
 * Loops that cannot run beyond their sides run between such sections. */
#include "exec/streams.h"

#include <math.h>
#include <stdlib.h>

typedef struct seams {
    exec_streams *streams;
    const analysis_chain *a;
    const chain_slot *far; /* one of the chain's slots that is moved */
    int dimension;
    chain_slot *rolled; /* by slot: the same field, rolled out */
    exec_local local;   /* the loops that run next */
    arena memory;       /* of a section */
    messages *m;
} seams;

/* ---- what can be rolled out ------------------------------------------------------------------ */

static int slowest(const analysis_loop *l) { return l->loop->shape.rank == 3 ? 2 : 1; }

/* Whether a field has a plane for each of the loop's. */
static bool suits(const analysis_loop *l, const analysis_touch *t, int d)
{
    const chain_slot *slot = l->loop->bindings[t->param].slot;
    if (t->scalar || slot->absent_axis[d]) return !t->writes;
    bool own = !slot->array || slot->array->bytes;
    return own && !t->remapped && !slot->staggered[d] && !slot->ghosts[d] &&
           slot->shape.size[d] == l->loop->shape.size[d];
}

static bool can_roll(const analysis_loop *l)
{
    const chain_loop *loop = l->loop;
    const int d = slowest(l);
    bool can = !loop->once && loop->shape.rank > 1 && !l->uncuttable && !l->gathers &&
               loop->kernel->order[d] == IR_UNORDERED && analysis_may_wrap(l, d) &&
               loop->box.lo[d] >= 0 && loop->box.hi[d] <= loop->shape.size[d] &&
               !grid_box_is_empty(&loop->box);
    for (int i = 0; i < l->touch_count && can; i++) can = suits(l, &l->touches[i], d);
    return can;
}

bool stream_has_seam(const analysis_chain *a)
{
    bool some = false;
    for (int l = 0; l < a->loop_count && !some; l++) {
        const analysis_loop *loop = &a->loops[l];
        for (int i = 0; i < loop->touch_count && can_roll(loop) && !some; i++)
            some = !loop->touches[i].scalar && loop->touches[i].far[slowest(loop)].periodic;
    }
    return some;
}

/* ---- a section ------------------------------------------------------------------------------- */

/* The plane at which each loop of a section begins, and how many planes are touched twice. */
static bool find_starts(seams *s, const analysis_section *part, int64_t *starts, int64_t *reach)
{
    size_t count = (size_t)(part->end - part->first);
    analysis_span(*lags)[3] = arena_array(&s->memory, count, sizeof *lags);
    int64_t low = 0;
    *reach = 0;
    if (!lags || !analysis_find_lags(part, NULL, lags)) return false;
    /* No loop reads below plane 0: that says where the first one begins. */
    for (int pass = 0; pass < 2; pass++)
        for (int l = part->first; l < part->end; l++) {
            const analysis_loop *loop = &s->a->loops[l];
            const int64_t late = -lags[l - part->first][s->dimension].lo, at = low + late;
            starts[l - part->first] = at;
            for (int i = 0; i < loop->touch_count; i++) {
                if (loop->touches[i].scalar) continue;
                analysis_distance far = loop->touches[i].far[s->dimension];
                if (pass == 0) low = larger(low, -(late + far.lo));
                if (pass == 1) *reach = larger(*reach, larger(at, at + far.hi));
            }
        }
    return true;
}

static int number_of(const seams *s, const chain_slot *slot)
{
    int n = 0;
    while (s->a->slots[n] != slot) n++;
    return n;
}

/* The rules of a field, none along the dimension that is rolled out. */
static const grid_boundary *rules_without(seams *s, const grid_boundary *rules)
{
    grid_boundary *own = arena_alloc(&s->local.memory, sizeof *own);
    if (!own) return NULL;
    *own = *rules;
    own->side[2 * s->dimension] = own->side[2 * s->dimension + 1] = grid_boundary_none.side[0];
    return own;
}

/* Adds planes of a loop, as they are when it is rolled out. */
static bool add(seams *s, int number, int64_t lo, int64_t hi)
{
    const chain_loop *loop = s->a->loops[number].loop;
    grid_box box = loop->box;
    box.lo[s->dimension] = lo;
    box.hi[s->dimension] = hi;
    if (lo >= hi) return true;
    chain_binding *b = exec_local_add(&s->local, loop, number, &box, 0);
    for (int p = 0; p < loop->kernel->param_count && b; p++) {
        chain_slot *slot = b[p].slot;
        if (!slot || slot->is_scalar || slot->absent_axis[s->dimension]) continue;
        b[p].slot = &s->rolled[number_of(s, slot)];
        if (!(b[p].boundary = rules_without(s, b[p].boundary))) return false;
    }
    return b && exec_local_bound(&s->local);
}

/* Makes the section's chain. */
static bool roll_out(seams *s, const analysis_section *part, const int64_t *starts, int64_t reach)
{
    const int d = s->dimension;
    for (int i = 0; i < s->a->slot_count; i++) {
        s->rolled[i] = *s->a->slots[i];
        s->rolled[i].shape.size[d] += reach;
    }
    for (int l = part->first; l < part->end; l++) {
        const chain_loop *loop = s->a->loops[l].loop;
        const int64_t start = starts[l - part->first], period = loop->shape.size[d];
        const grid_box *box = &loop->box;
        if (!(box->lo[d] == 0 && box->hi[d] == period)) {
            if (!add(s, l, larger(start, box->lo[d]), box->hi[d]) ||
                !add(s, l, period + box->lo[d], period + smaller(start, box->hi[d])))
                return false;
        } else if (!add(s, l, start, period + start)) {
            return false;
        }
    }
    return true;
}

/* What the fields of the rolled out chain are needed for, outside of the section. */
static bool find_uses(seams *s, const analysis_section *part, stream_seam *seam)
{
    const chain *c = &s->local.chain;
    seam->takes = arena_array(&s->memory, c->slot_count + 1, sizeof *seam->takes);
    seam->leaves = arena_array(&s->memory, c->slot_count + 1, sizeof *seam->leaves);
    if (!seam->takes || !seam->leaves) return false;
    for (size_t i = 0; i < c->slot_count; i++) {
        ptrdiff_t slot = c->slots[i] - s->rolled;
        if (c->slots[i]->is_scalar || c->slots[i]->absent_axis[s->dimension]) continue;
        bool passes = analysis_passes(part, (int)slot);
        seam->takes[i] = !passes && analysis_takes(part, (int)slot);
        seam->leaves[i] = !passes && analysis_leaves(part, (int)slot);
    }
    return true;
}

/* Whether each field that is rolled out has a ring. */
static bool have_rings(const seams *s, const plan *p, const chain *c)
{
    for (size_t i = 0; i < c->slot_count; i++) {
        bool ring = c->slots[i]->is_scalar || c->slots[i]->absent_axis[s->dimension];
        for (int n = 1; n < p->count && !ring; n++)
            ring = p->nodes[n].kind == PLAN_BUFFER && p->nodes[n].slot == (int)i;
        if (!ring) return false;
    }
    return true;
}

/* Other chains number the slots that they share with this one anew. */
static void clear(seams *s)
{
    exec_local_clear(&s->local);
    for (int i = 0; i < s->a->slot_count; i++) s->a->slots[i]->number = i;
}

/* Fields of which all planes are touched in one order are moved, also small ones. */
static kata_status send_away(const seams *s, const analysis_loop *l)
{
    kata_status status = KATA_OK;
    for (int i = 0; i < l->touch_count && !status; i++) {
        const chain_binding *b = &l->loop->bindings[l->touches[i].param];
        bool rolled = !l->touches[i].scalar && !b->slot->absent_axis[slowest(l)];
        if (rolled) status = s->streams->memory->send_away(b, s->m);
    }
    return status;
}

/* Runs a section if its rings fit; *done says whether. */
static kata_status run_section(seams *s, int first, int end, bool *done)
{
    const analysis_section part = {s->a, first, end};
    stream_seam seam = {.period = s->a->loops[first].loop->shape.size[s->dimension]};
    int64_t *starts = arena_array(&s->memory, (size_t)(end - first), sizeof *starts);
    analysis_chain a;
    plan p = {.nodes = NULL};
    plan_request r;
    chain *c = &s->local.chain;
    kata_status status = KATA_OK;
    for (int l = first; l < end && !status; l++) status = send_away(s, &s->a->loops[l]);
    if (status) return status;
    bool made = starts && find_starts(s, &part, starts, &seam.reach) &&
                roll_out(s, &part, starts, seam.reach) && find_uses(s, &part, &seam);
    if (!made) {
        clear(s);
        return message_no_memory(s->m);
    }
    const stream_room room = {.memory = s->streams->memory->left(s->streams, s->far),
                              .planes = seam.period - seam.reach};
    if (!analysis_chain_make(c, &a))
        status = message_no_memory(s->m);
    else
        *done = stream_plan_section(s->streams, &p, &a, &room, &r) && have_rings(s, &p, c);
    if (!status && *done && !stream_seam_find(&seam, &a, s->dimension, &s->memory))
        status = message_no_memory(s->m);
    if (!status && *done)
        status = stream_run_section(s->streams, &(stream_work){c, &p, &a, &r, &seam}, s->m);
    plan_free(&p);
    analysis_chain_free(&a);
    clear(s);
    arena_clear(&s->memory);
    return status;
}

/* ---- a chain --------------------------------------------------------------------------------- */

static kata_status run_streamed(const seams *s, chain *c)
{
    analysis_chain a;
    kata_status status = analysis_chain_make(c, &a) ? KATA_OK : message_no_memory(s->m);
    if (!status)
        status =
            stream_run_chain(s->streams, c, &a, s->streams->memory->left(s->streams, s->far), s->m);
    analysis_chain_free(&a);
    return status;
}

/* Runs loops as they are: streamed, if they can be, or not. */
static kata_status run_plainly(seams *s, int first, int end, bool streamed)
{
    bool done = true;
    for (int l = first; l < end && done; l++) {
        const chain_loop *loop = s->a->loops[l].loop;
        done = exec_local_add(&s->local, loop, l, &loop->box, loop->parted) &&
               exec_local_bound(&s->local);
    }
    kata_status status = done ? KATA_OK : message_no_memory(s->m);
    if (!status && streamed) status = run_streamed(s, &s->local.chain);
    if (!status && !streamed) {
        stream_note_home(s->streams, &s->local.chain.loops[0], end - first,
                         s->streams->memory->no_periods);
        status = stream_run_home(s->streams, &s->local.chain, false, s->m);
    }
    clear(s);
    return status;
}

static int64_t plane_bytes(const seams *s, const chain_slot *slot)
{
    const int d = s->dimension;
    const grid_box all = chain_slot_memory(slot);
    const int64_t planes = larger(all.hi[d] - all.lo[d], 1);
    return grid_box_points(&all) / planes * slot->components * store_type_bytes(slot->type);
}

/* Bytes that a section costs per plane of its fields: what it leaves goes out, and comes in again;
 * and of planes that are touched twice: all goes out, and comes in again. */
static void find_costs(const seams *s, const analysis_section *part, int64_t *all, int64_t *twice)
{
    *all = *twice = 0;
    for (int i = 0; i < s->a->slot_count; i++) {
        const analysis_use use = analysis_use_of(part, i);
        if (!s->a->slots[i]->far || !use.touched) continue;
        const int64_t plane = plane_bytes(s, s->a->slots[i]);
        *twice += 2 * plane;
        if (!use.written)
            *all += plane;
        else if (!analysis_passes(part, i) && analysis_leaves(part, i))
            *all += 2 * plane;
    }
}

/* Bytes that a section moves for each of its loops; INFINITY where that is not known. */
static double moved_per_loop(seams *s, int first, int end)
{
    const analysis_section part = {s->a, first, end};
    const int64_t period = s->a->loops[first].loop->shape.size[s->dimension];
    int64_t *starts = arena_array(&s->memory, (size_t)(end - first), sizeof *starts);
    int64_t reach, all, twice;
    if (!starts || !find_starts(s, &part, starts, &reach)) return INFINITY;
    find_costs(s, &part, &all, &twice);
    return (double)(all * period + twice * reach) / (end - first);
}

/* How many loops of those from `first` on, `most` at most and not many fewer, make a section that
 * moves the fewest bytes per loop: it ends where few values wait to be read. */
static int best_size(seams *s, int first, int most)
{
    double least = INFINITY;
    int best = most;
    for (int size = most; size > most / 2; size--) {
        const double each = moved_per_loop(s, first, first + size);
        if (each >= least) continue;
        best = size;
        least = each;
    }
    arena_clear(&s->memory);
    return best;
}

/* Runs loops that can be rolled out: in the deepest sections for which there is memory. */
static kata_status run_rolled(seams *s, int first, int end)
{
    kata_status status = KATA_OK;
    const int64_t asked = s->streams->asked.depth, steps = stream_steps(s->a);
    int64_t most = larger((asked ? asked : s->streams->deepest) / steps, 1);
    s->dimension = slowest(&s->a->loops[first]);
    for (int l = first; l < end && !status; l++) status = send_away(s, &s->a->loops[l]);
    while (first < end && !status) {
        const int left = (int)smaller(most, end - first);
        const int size = asked ? left : best_size(s, first, left);
        bool done = true;
        status = run_section(s, first, first + size, &done);
        if (!done && size == 1 && !status) status = run_plainly(s, first, first + 1, false);
        if (done || size == 1)
            first += size;
        else
            most = larger(size - larger(size / 10, 1), 1);
    }
    return status;
}

static bool same_grid(const analysis_loop *a, const analysis_loop *b)
{
    return grid_shape_equal(&a->loop->shape, &b->loop->shape);
}

kata_status stream_run_seams(exec_streams *streams, const chain *c, const analysis_chain *a,
                             messages *m)
{
    seams s = {.streams = streams, .a = a, .m = m};
    kata_status status = KATA_OK;
    s.rolled = calloc((size_t)a->slot_count + 1, sizeof *s.rolled);
    if (!s.rolled) return message_no_memory(m);
    for (int i = 0; i < a->slot_count; i++)
        if (a->slots[i]->far) s.far = a->slots[i];
    exec_local_begin(&s.local, c);
    for (int first = 0, end; first < a->loop_count && !status; first = end) {
        bool rolls = can_roll(&a->loops[first]);
        for (end = first + 1; end < a->loop_count && can_roll(&a->loops[end]) == rolls; end++)
            if (rolls && !same_grid(&a->loops[first], &a->loops[end])) break;
        status = rolls ? run_rolled(&s, first, end) : run_plainly(&s, first, end, true);
    }
    exec_local_free(&s.local);
    arena_free(&s.memory);
    free(s.rolled);
    return status;
}
