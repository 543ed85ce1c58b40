/* The loops of a tile: a chain of its own, on rings. Their reductions are over all tiles of the
 * section: what each tile gives is kept, and all of it is reduced in the one order, as that of
 * ranks is. After the last tile the result is that of the whole loop. */
#include "exec/streams.h"

#include <stdlib.h>
#include <string.h>

bool stream_no_memory(stream_run *run)
{
    if (!run->status) run->status = message_no_memory(run->m);
    return false;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static void widen(stream_planes *planes, stream_planes by)
{
    planes->first = smaller(planes->first, by.first);
    planes->end = larger(planes->end, by.end);
}

/* Notes the planes that a loop touches in rings. */
static void note_touches(stream_run *run, const analysis_loop *l, const grid_box *box)
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        const stream_ring *ring = t->scalar ? NULL : run->rings[t->slot];
        if (ring) widen(&run->touched[t->slot], stream_touched(t, box, ring->dimension));
    }
}

static int dimension_of(const stream_run *run)
{
    int d = 0;
    for (int s = 0; s < run->a->slot_count && run->open; s++)
        if (run->rings[s]) d = run->rings[s]->dimension;
    return d;
}

/* Whether a loop is one of the next tile: rings have room for one. */
static bool is_next_tile(const stream_run *run, int number)
{
    size_t count = run->local.chain.count;
    return run->open && count && run->local.numbers[count - 1] >= number;
}

static bool add(stream_run *run, int number, const grid_box *box)
{
    const analysis_loop *l = &run->a->loops[number];
    bool tiled = run->open && number >= run->begin;
    int parted = tiled ? 1 << dimension_of(run) : 0;
    if (run->failing >= 0 && number != run->failing) return true;
    chain_binding *bindings = exec_local_add(&run->local, l->loop, number, box, parted);
    for (int p = 0; p < l->loop->kernel->param_count && bindings; p++) {
        int slot = run->slots[number][p];
        if (slot >= 0 && run->rings[slot]) bindings[p].slot = run->rings[slot]->slot;
    }
    if (!grid_box_is_empty(box)) note_touches(run, l, box);
    run->met[number] = true;
    run->begun[number] = run->begun[number] || !grid_box_is_empty(box);
    return (bindings && exec_local_bound(&run->local)) || stream_no_memory(run);
}

/* Adds loops of the section that reduce, up to loop `end`, and have no points in the tile. They
 * reduce in each tile, behind those before them: of several that reduce into one scalar, the last
 * one counts. */
static bool add_reducing(stream_run *run, int end)
{
    static const grid_box nowhere = {{0, 0, 0}, {0, 0, 0}};
    size_t count = run->local.chain.count;
    int l = count ? run->local.numbers[count - 1] + 1 : 0;
    bool done = true;
    if (run->later) return true;
    for (l = (int)larger(l, run->begin); run->open && l < end && done; l++)
        if (run->a->loops[l].reduces && !run->a->loops[l].loop->once) done = add(run, l, &nowhere);
    return done;
}

/* Adds loops before loop `end`, and before the section, that reduce over no points and were not
 * met: they come before others that reduce into the same scalars. */
static bool add_empty(stream_run *run, int end)
{
    bool done = true;
    if (run->open) end = (int)smaller(end, run->begin);
    for (; run->passed < end && done; run->passed++) {
        const analysis_loop *l = &run->a->loops[run->passed];
        bool empty = l->reduces && !l->loop->once && grid_box_is_empty(&l->loop->box);
        if (empty && !run->met[run->passed]) done = add(run, run->passed, &l->loop->box);
    }
    return done;
}

bool stream_reduce_nothing(stream_run *run)
{
    bool all = true;
    for (int l = run->begin; l < run->end; l++)
        all = all && (run->met[l] || !run->a->loops[l].reduces);
    return all || run->later || run->failing >= 0 ||
           (add_reducing(run, run->end) && stream_run_loops(run));
}

bool stream_add_loop(stream_run *run, int number, const grid_box *box)
{
    if (is_next_tile(run, number) && !stream_run_loops(run)) return false;
    if (run->a->loops[number].loop->once) return add(run, number, box); /* plans run it anywhere */
    return add_empty(run, number) && add_reducing(run, number) && add(run, number, box);
}

/* ---- reductions ------------------------------------------------------------------------------ */

bool stream_begin_section(stream_run *run, int begin, int end)
{
    const stream_memory *memory = run->streams->memory;
    run->begin = begin;
    run->end = end;
    run->later = false;
    if (memory->begin_section && !memory->begin_section(run)) return false;
    for (int s = 0; s < run->a->slot_count; s++) {
        const chain_slot *slot = run->a->slots[s];
        if (!slot->is_scalar) continue;
        size_t count = (size_t)slot->components;
        if (!run->scalars[s]) run->scalars[s] = arena_array(&run->memory, count, sizeof(ir_value));
        if (!run->scalars[s]) return stream_no_memory(run);
        for (int i = 0; i < slot->components; i++) run->scalars[s][i] = store_scalar(slot, i);
    }
    for (int l = 0; l < run->a->loop_count; l++) run->partials[l].count = 0;
    return true;
}

/* Before the loops of a tile run: what they reduce into is as it was before the section. */
static bool restore_scalars(const stream_run *run)
{
    const chain *local = &run->local.chain;
    bool done = true;
    for (size_t l = 0; l < local->count; l++) {
        const chain_loop *loop = &local->loops[l];
        for (int p = 0; p < loop->kernel->param_count && loop->parted && !run->later; p++) {
            int s = run->slots[run->local.numbers[l]][p];
            if (s < 0 || !ir_param_is_reduction(&loop->kernel->params[p]) || !run->scalars[s])
                continue;
            for (int i = 0; i < run->a->slots[s]->components; i++)
                done = done && store_scalar_set(run->a->slots[s], i, run->scalars[s][i]);
        }
    }
    return done;
}

static bool reduces(const chain_loop *loop)
{
    bool some = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        some = some || ir_param_is_reduction(&loop->kernel->params[p]);
    return some && loop->parted;
}

static bool append(stream_partials *all, const void *mine, size_t bytes)
{
    size_t at = all->count ? all->starts[all->count] : 0;
    void *to = all->bytes, *starts = all->starts;
    if (!vector_reserve(&starts, &all->starts_room, (size_t)all->count + 2, sizeof *all->starts))
        return false;
    all->starts = starts;
    if (!vector_reserve(&to, &all->room, at + bytes, 1)) return false;
    all->bytes = to;
    memcpy(all->bytes + at, mine, bytes);
    all->starts[all->count++] = at;
    all->starts[all->count] = at + bytes;
    return true;
}

/* Whether a loop of the tile meets those of other tiles now. */
static bool meets(const stream_run *run, int at)
{
    const int number = run->local.numbers[at];
    const bool later = run->later && number >= run->begin && number < run->end;
    return !later && reduces(&run->local.chain.loops[at]);
}

/* Loops reduce in their order. */
int stream_gather(void *data, const void *mine, size_t bytes, const char **all,
                  const size_t **starts)
{
    stream_run *run = ((exec_context *)data)->stream;
    while (!meets(run, run->reduced)) run->reduced++;
    stream_partials *own = &run->partials[run->local.numbers[run->reduced++]];
    if (!append(own, mine, bytes)) return 0;
    *all = own->bytes;
    *starts = own->starts;
    return own->count;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Keeps the first point that fails. A loop with checks has a section of its own. */
static void note_failure(stream_run *run)
{
    exec_failure *failure = &run->context->failure;
    int number = exec_local_number(&run->local, failure->loop);
    if (number < 0) return;
    run->status = KATA_OK;
    if (run->failing >= 0 &&
        observe_point_before(failure->loop, run->fault.point, failure->fault.point))
        return;
    run->failing = number;
    run->fault = failure->fault;
}

/* The first plane of a slot that loops touch which have not begun; INT64_MAX: none. */
static int64_t first_of_later(const stream_run *run, int slot)
{
    int64_t first = INT64_MAX;
    for (int number = run->begin; number < run->end; number++) {
        const analysis_loop *l = &run->a->loops[number];
        for (int i = 0; i < l->touch_count && !run->begun[number]; i++) {
            const analysis_touch *t = &l->touches[i];
            if (t->scalar || t->slot != slot || grid_box_is_empty(&l->loop->box)) continue;
            const int d = run->rings[slot]->dimension;
            first = smaller(first, stream_touched(t, &l->loop->box, d).first);
        }
    }
    return first;
}

static bool show_rings(stream_run *run)
{
    for (int s = 0; s < run->a->slot_count; s++) {
        const stream_planes planes = run->touched[s];
        run->touched[s] = STREAM_NO_PLANES;
        if (!run->rings[s] || planes.first >= planes.end) continue;
        int64_t low = smaller(planes.first, first_of_later(run, s));
        if (!run->streams->memory->show(run, run->rings[s], &planes, low)) return false;
    }
    return true;
}

bool stream_run_loops(stream_run *run)
{
    chain *local = &run->local.chain;
    if (!local->count) return !run->status;
    if (!add_reducing(run, run->end) || !show_rings(run)) return false;
    run->reduced = 0;
    run->context->failure = (exec_failure){.loop = NULL};
    if (!restore_scalars(run)) return stream_no_memory(run);
    run->status = run->streams->memory->run(run, local);
    if (run->status == KATA_ERROR_ASSERT) note_failure(run);
    exec_local_clear(&run->local);
    return !run->status;
}

bool stream_end_section(stream_run *run)
{
    if (run->later && run->failing < 0) run->status = run->streams->memory->leave_section(run);
    if (run->failing < 0) return !run->status;
    run->status = observe_fault_report(&run->c->loops[run->failing], &run->fault, run->m);
    return false;
}
