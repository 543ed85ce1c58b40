/* Running a chain by a streamed plan (plan/streamed.c): tiles along the slowest dimension, whose
 * planes lie in rings (store/ring.c) while loops use them. A port moves planes in and out beside
 * the work.
 *
 * The loops of a tile are a chain of their own, as those of a rank are. The executor "cpu" runs it
 * as any chain: in tiles for the caches. */
#include "exec/on_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The tags of moves, see plan/streamed.c. */
enum { IN = 1, OUT };

static port *port_of(const files_run *run) { return run->context->files->port; }

/* ---- the visitor ----------------------------------------------------------------------------- */

static bool await(files_run *run, bool out)
{
    double start = clock_seconds();
    bool done = port_wait(port_of(run), out);
    run->context->files->waited += clock_seconds() - start;
    return done || files_report_move(run);
}

/* Also after an error: before rings are freed. */
static void await_all(const files_run *run)
{
    for (int out = 0; out < 2; out++) port_wait(port_of(run), out);
}

static bool visit_wait(void *data, int tag)
{
    files_run *run = data;
    return files_run_loops(run) && await(run, tag == OUT);
}

/* Of planes that move, those that are needed: where the chain was rolled out, all that is touched
 * twice, and of the others what comes from before the section or stays for afterwards. */
static bool move_planes(files_run *run, int slot, bool out, int64_t first, int64_t end)
{
    const files_seam *seam = run->seam;
    store_ring *ring = run->rings[slot];
    if (seam && out && !seam->leaves[slot]) end = smaller(end, seam->reach);
    if (seam && !out && !seam->takes[slot]) first = larger(first, seam->period);
    if (first >= end) return true;
    bool comes_back = seam && !out && end > seam->period; /* it went out before */
    if (comes_back && !await(run, true)) return false;
    return store_ring_move(ring, port_of(run), out, first, end) || files_no_memory(run);
}

static bool visit_copy(void *data, const plan_walk *walk, const plan_copy *copy)
{
    files_run *run = data;
    const int d = run->rings[copy->slot]->dimension;
    const bool out = !copy->to->buffer;
    (void)walk;
    if (!files_run_loops(run)) return false;
    if (grid_box_is_empty(&copy->box)) return true;
    if (!move_planes(run, copy->slot, out, copy->box.lo[d], copy->box.hi[d])) return false;
    return copy->tag || await(run, out);
}

static bool visit_run(void *data, const plan_walk *walk, const plan_run *part)
{
    (void)walk;
    return files_add_loop(data, part->loop, &part->box);
}

/* Loops without a grid, and reductions over no points. */
static bool visit_scalar(void *data, int loop)
{
    files_run *run = data;
    return run->met[loop] || files_add_loop(run, loop, &run->c->loops[loop].box);
}

/* Planes beyond a field that loops touch, at one side at most. */
static int64_t planes_outside(const files_run *run, int slot, int d)
{
    grid_box all = chain_slot_memory(run->a->slots[slot]);
    int64_t most = 0;
    for (int l = 0; l < run->a->loop_count; l++)
        for (int i = 0; i < run->a->loops[l].touch_count; i++) {
            const analysis_touch *t = &run->a->loops[l].touches[i];
            const grid_box *box = &run->a->loops[l].loop->box;
            if (t->scalar || t->slot != slot) continue;
            most = larger(most, all.lo[d] - (box->lo[d] + t->lo[d]));
            most = larger(most, box->hi[d] + t->hi[d] - all.hi[d]);
        }
    return most;
}

/* Widens a range of loops by those below a node. */
static void find_loops(const plan *p, int node, int *begin, int *end)
{
    const plan_node *n = &p->nodes[node];
    if (n->kind == PLAN_LOOP) {
        *begin = (int)smaller(*begin, n->loop);
        *end = (int)larger(*end, n->loop + 1);
    }
    for (int child = n->child; child; child = p->nodes[child].next)
        find_loops(p, child, begin, end);
}

static bool begin_section(files_run *run, const plan_node *buffer)
{
    int begin = INT_MAX, end = 0;
    find_loops(run->p, buffer->child, &begin, &end);
    return files_begin_section(run, begin, end);
}

static bool visit_open(void *data, plan_place *place)
{
    files_run *run = data;
    if (!place->buffer) return true;
    const chain_slot *slot = run->a->slots[place->slot];
    const int d = store_ring_dimension(slot);
    if (!files_run_loops(run) || (!run->open && !begin_section(run, place->buffer))) return false;
    store_ring *ring = calloc(1, sizeof *ring);
    int64_t planes = place->buffer->capacity[d] + 2 * planes_outside(run, place->slot, d);
    if (!ring || !port_file_settle(slot->array->file) ||
        !store_ring_make(ring, slot, planes, run->seam ? run->seam->period : 0)) {
        free(ring);
        return files_no_memory(run);
    }
    run->rings[place->slot] = ring;
    run->open++;
    return true;
}

static bool visit_close(void *data, plan_place *place)
{
    files_run *run = data;
    if (!place->buffer || !run->rings[place->slot]) return true;
    bool done = files_run_loops(run) && (run->open > 1 || files_reduce_nothing(run));
    done = done && await(run, false) && await(run, true);
    if (!done) await_all(run);
    store_ring_free(run->rings[place->slot]);
    free(run->rings[place->slot]);
    run->rings[place->slot] = NULL;
    run->open--;
    return done && (run->open || files_end_section(run));
}

/* ---- a chain --------------------------------------------------------------------------------- */

static bool find_slots(files_run *run)
{
    bool done = true;
    for (int l = 0; l < run->a->loop_count && done; l++) {
        const chain_loop *loop = run->a->loops[l].loop;
        size_t params = (size_t)loop->kernel->param_count;
        run->slots[l] = arena_array(&run->memory, params + 1, sizeof **run->slots);
        done = run->slots[l];
        for (size_t p = 0; p < params && done; p++)
            run->slots[l][p] = loop->bindings[p].slot ? loop->bindings[p].slot->number : -1;
    }
    return done;
}

static bool prepare(files_run *run)
{
    size_t slots = (size_t)run->a->slot_count + 1, loops = (size_t)run->a->loop_count + 1;
    exec_local_begin(&run->local, run->c);
    run->slots = arena_array(&run->memory, loops, sizeof *run->slots);
    run->rings = arena_array(&run->memory, slots, sizeof *run->rings);
    run->first = arena_array(&run->memory, slots, sizeof *run->first);
    run->met = arena_array(&run->memory, loops, sizeof *run->met);
    run->partials = arena_array(&run->memory, loops, sizeof *run->partials);
    run->scalars = arena_array(&run->memory, slots, sizeof *run->scalars);
    bool done = run->slots && run->rings && run->first && run->met && run->partials && run->scalars;
    for (size_t s = 0; s < slots && done; s++) run->first[s] = INT64_MAX;
    return done && find_slots(run);
}

static void end(files_run *run)
{
    port_failure none;
    await_all(run);
    port_failed(port_of(run), &none);
    for (int s = 0; run->rings && s < run->a->slot_count; s++) {
        if (run->rings[s]) store_ring_free(run->rings[s]);
        free(run->rings[s]);
    }
    for (int l = 0; run->partials && l < run->a->loop_count; l++) {
        free(run->partials[l].bytes);
        free(run->partials[l].starts);
    }
    for (size_t s = 0; s < run->c->slot_count; s++) run->c->slots[s]->number = (int)s;
    exec_local_free(&run->local);
    arena_free(&run->memory);
}

static kata_status run_plan(exec_context *context, const files_work *w, messages *m)
{
    struct exec_files *files = context->files;
    const plan *p = w->p;
    const analysis_chain *a = w->a;
    files_run run = {
        .context = context, .c = w->c, .p = p, .a = a, .seam = w->seam, .failing = -1, .m = m};
    plan_visitor visitor = {.data = &run,
                            .run = visit_run,
                            .copy = visit_copy,
                            .wait = visit_wait,
                            .scalar = visit_scalar,
                            .open = visit_open,
                            .close = visit_close};
    double start = clock_seconds();
    if (!files->port) files->port = port_open((double)files->rate);
    if (!files->port) return message_no_memory(m);
    files->run = &run;
    context->quiet = true;
    plan_place *homes = calloc((size_t)a->slot_count + 1, sizeof *homes);
    bool done = homes && prepare(&run) && plan_walk_all(p, a, homes, &visitor);
    done = done && files_run_loops(&run);
    if (!done && !run.status) files_no_memory(&run);
    end(&run);
    free(homes);
    files->run = NULL;
    context->quiet = false;
    files->seconds += clock_seconds() - start;
    return run.status;
}

kata_status exec_files_run_plan(exec_context *context, const chain *c, const plan *p,
                                const analysis_chain *a, messages *m)
{
    return run_plan(context, &(files_work){.c = c, .p = p, .a = a}, m);
}

/* ---- ways to run a chain --------------------------------------------------------------------- */

kata_status files_run_streamed(exec_context *context, const files_work *work, messages *m)
{
    struct exec_files *files = context->files;
    const double seconds = files->seconds, waited = files->waited;
    const double busy = files->port ? port_busy(files->port) : 0;
    files->streamed++;
    files->rolled += work->seam != NULL;
    if (work->c->count > files->longest) {
        files->longest = work->c->count;
        files->request = *work->request;
    }
    files_note_refusals(files, work->c, work->p);
    kata_status status = run_plan(context, work, m);
    if (files->port && work->c->count >= (size_t)work->request->depth)
        files_learn(files, port_busy(files->port) - busy, files->seconds - seconds,
                    files->waited - waited);
    return status;
}

/* Says once that what is asked for cannot be had. */
static void say_refused(struct exec_files *files, const chain *c, messages *m)
{
    if (!files->asked.method || files->refused) return;
    files->refused = true;
    message_warn(
        m,
        "its planes need more memory than is left of the limit, or it reads over periodic "
        "sides farther than such tiles allow",
        "a chain of %zu loops, the first '%s', is not 'streamed' as the plan asks: it runs "
        "on mapped files",
        c->count, c->loops[0].kernel->name);
}

kata_status files_run_home(exec_context *context, chain *c, messages *m)
{
    context->files->home++;
    say_refused(context->files, c, m);
    return exec_cpu.run(context, c, m);
}

static void note_home(struct exec_files *files, const chain *c, const plan *p)
{
    files_note_refusals(files, c, p);
    if (!p->refusal_count) files_note_mapped(files, &c->loops[0], (int64_t)c->count, FILES_NO_ROOM);
}

kata_status files_run_chain(exec_context *context, chain *c, const analysis_chain *a,
                            int64_t memory, messages *m)
{
    struct exec_files *files = context->files;
    plan p = {.nodes = NULL};
    plan_request r;
    kata_status status;
    const files_room room = {.memory = memory, .asked = &files->asked, .deepest = files->deepest};
    if (files_plan(&p, a, &room, &r)) {
        status = files_run_streamed(context, &(files_work){c, &p, a, &r, NULL}, m);
    } else {
        note_home(files, c, &p);
        status = files_run_home(context, c, m);
    }
    plan_free(&p);
    return status;
}
