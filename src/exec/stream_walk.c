/* Running a chain by a streamed plan (plan/streamed.c): tiles along the slowest dimension, whose
 * planes lie in rings while loops use them, and are moved in and out beside the work.
 *
 * The loops of a tile are a chain of their own, as those of a rank are. */
#include "exec/streams.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The tags of moves, see plan/streamed.c. */
enum { IN = 1, OUT };

static const stream_memory *memory_of(const stream_run *run) { return run->streams->memory; }

/* ---- the visitor ----------------------------------------------------------------------------- */

static bool await(stream_run *run, bool out)
{
    double start = clock_seconds();
    bool done = memory_of(run)->wait(run, out);
    run->streams->waited += clock_seconds() - start;
    observe_timeline_end(run->context->timeline, "disk",
                         out ? "waits for writes" : "waits for reads", start, NULL);
    return done;
}

static bool visit_wait(void *data, int tag, int64_t turn)
{
    stream_run *run = data;
    (void)turn;
    return stream_run_loops(run) && await(run, tag == OUT);
}

/* Of planes that move, those that are needed where the chain was rolled out. */
static bool move_planes(stream_run *run, int slot, bool out, int64_t first, int64_t end)
{
    const stream_seam *seam = run->seam;
    bool done = true;
    do {
        stream_planes planes = {first, end};
        if (seam) planes = stream_seam_next(seam, slot, out, planes);
        const bool again = planes.first < planes.end && seam && planes.end > seam->period;
        if (again && !out) done = await(run, true); /* what went out before comes back */
        first = planes.end;
        done = done &&
               memory_of(run)->move(run, run->rings[slot], out, &planes, first < end ? first : end);
    } while (done && first < end);
    return done;
}

/* Whether planes that come in do so in part. */
static bool is_part(const stream_run *run, const plan_copy *copy)
{
    const grid_box all = chain_slot_memory(run->a->slots[copy->slot]);
    bool part = false;
    for (int d = 0; d < 3; d++)
        part = part || (d != run->rings[copy->slot]->dimension &&
                        (copy->box.lo[d] > all.lo[d] || copy->box.hi[d] < all.hi[d]));
    return part && memory_of(run)->give;
}

static bool visit_copy(void *data, const plan_walk *walk, const plan_copy *copy)
{
    stream_run *run = data;
    const int d = run->rings[copy->slot]->dimension;
    const bool out = !copy->to->buffer;
    (void)walk;
    if (!stream_run_loops(run)) return false;
    if (grid_box_is_empty(&copy->box)) return true;
    const bool done = is_part(run, copy)
                          ? memory_of(run)->give(run, run->rings[copy->slot], &copy->box)
                          : move_planes(run, copy->slot, out, copy->box.lo[d], copy->box.hi[d]);
    return done && (copy->tag || await(run, out));
}

static bool visit_run(void *data, const plan_walk *walk, const plan_run *part)
{
    (void)walk;
    return stream_add_loop(data, part->loop, &part->box);
}

/* Loops without a grid, and reductions over no points. */
static bool visit_scalar(void *data, int loop)
{
    stream_run *run = data;
    return run->met[loop] || stream_add_loop(run, loop, &run->c->loops[loop].box);
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

static bool begin_section(stream_run *run, const plan_node *buffer)
{
    int begin = INT_MAX, end = 0;
    find_loops(run->p, buffer->child, &begin, &end);
    return stream_begin_section(run, begin, end);
}

static bool visit_open(void *data, plan_place *place)
{
    stream_run *run = data;
    if (!place->buffer) return true;
    if (!stream_run_loops(run) || (!run->open && !begin_section(run, place->buffer))) return false;
    stream_ring *ring = memory_of(run)->open(run, place->buffer);
    if (!ring) return stream_no_memory(run);
    run->rings[place->slot] = ring;
    run->open++;
    return true;
}

static bool visit_close(void *data, plan_place *place)
{
    stream_run *run = data;
    if (!place->buffer || !run->rings[place->slot]) return true;
    bool done = stream_run_loops(run) && (run->open > 1 || stream_reduce_nothing(run));
    done = done && await(run, false) && await(run, true);
    memory_of(run)->close(run, run->rings[place->slot]);
    run->rings[place->slot] = NULL;
    run->open--;
    return done && (run->open || stream_end_section(run));
}

/* ---- a chain --------------------------------------------------------------------------------- */

static bool find_slots(stream_run *run)
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

static bool prepare(stream_run *run)
{
    size_t slots = (size_t)run->a->slot_count + 1, loops = (size_t)run->a->loop_count + 1;
    exec_local_begin(&run->local, run->c);
    run->slots = arena_array(&run->memory, loops, sizeof *run->slots);
    run->rings = arena_array(&run->memory, slots, sizeof *run->rings);
    run->touched = arena_array(&run->memory, slots, sizeof *run->touched);
    run->met = arena_array(&run->memory, loops, sizeof *run->met);
    run->begun = arena_array(&run->memory, loops, sizeof *run->begun);
    run->partials = arena_array(&run->memory, loops, sizeof *run->partials);
    run->scalars = arena_array(&run->memory, slots, sizeof *run->scalars);
    bool done = run->slots && run->rings && run->touched && run->met && run->begun &&
                run->partials && run->scalars;
    for (size_t s = 0; s < slots && done; s++) run->touched[s] = STREAM_NO_PLANES;
    return done && find_slots(run);
}

static void end(stream_run *run)
{
    for (int s = 0; run->rings && s < run->a->slot_count; s++)
        if (run->rings[s]) memory_of(run)->close(run, run->rings[s]);
    memory_of(run)->end(run);
    for (int l = 0; run->partials && l < run->a->loop_count; l++) {
        free(run->partials[l].bytes);
        free(run->partials[l].starts);
    }
    for (size_t s = 0; s < run->c->slot_count; s++) run->c->slots[s]->number = (int)s;
    exec_local_free(&run->local);
    arena_free(&run->memory);
}

/* Sets what sections reduce into. */
static bool settle(stream_run *run)
{
    if (memory_of(run)->settle) run->status = memory_of(run)->settle(run);
    return !run->status;
}

kata_status stream_run_plan(exec_streams *streams, const stream_work *w, messages *m)
{
    exec_context *context = streams->context;
    const plan *p = w->p;
    const analysis_chain *a = w->a;
    stream_run run = {.streams = streams,
                      .context = context,
                      .c = w->c,
                      .p = p,
                      .a = a,
                      .seam = w->seam,
                      .failing = -1,
                      .m = m};
    plan_visitor visitor = {.data = &run,
                            .run = visit_run,
                            .copy = visit_copy,
                            .wait = visit_wait,
                            .scalar = visit_scalar,
                            .open = visit_open,
                            .close = visit_close};
    double start = clock_seconds();
    stream_run *const around = context->stream;
    const bool quiet = context->quiet;
    if (!streams->memory->begin(&run)) return run.status;
    context->stream = &run;
    context->quiet = true;
    plan_place *homes = calloc((size_t)a->slot_count + 1, sizeof *homes);
    bool done = homes && prepare(&run) && plan_walk_all(p, a, homes, &visitor);
    done = done && stream_run_loops(&run) && settle(&run);
    if (!done && !run.status) stream_no_memory(&run);
    end(&run);
    free(homes);
    context->stream = around;
    context->quiet = quiet;
    streams->seconds += clock_seconds() - start;
    return run.status;
}

/* ---- ways to run a chain --------------------------------------------------------------------- */

kata_status stream_run_section(exec_streams *s, const stream_work *work, messages *m)
{
    const double seconds = s->seconds, waited = s->waited;
    s->streamed++;
    s->rolled += work->seam != NULL;
    if (work->c->count > s->longest) {
        s->longest = work->c->count;
        s->request = *work->request;
        s->request.depth *= stream_steps(work->a);
    }
    stream_note_refusals(s, work->c, work->p);
    kata_status status = stream_run_plan(s, work, m);
    if (s->memory->learn && work->c->count >= (size_t)work->request->depth)
        s->memory->learn(s, s->seconds - seconds, s->waited - waited);
    return status;
}

/* Says once that what is asked for cannot be had. */
static void say_refused(exec_streams *s, const chain *c, messages *m)
{
    if (!s->asked.method || s->refused) return;
    s->refused = true;
    message_warn(
        m,
        "its planes need more memory than is left of the limit, or it reads over periodic "
        "sides farther than such tiles allow",
        "a chain of %zu loops, the first '%s', is not 'streamed' as the plan asks: it runs %s",
        c->count, c->loops[0].kernel->name, s->memory->not_so);
}

kata_status stream_run_home(exec_streams *s, chain *c, bool full, messages *m)
{
    s->home++;
    say_refused(s, c, m);
    return s->memory->run_whole(s, c, full, m);
}

static void note_home(exec_streams *s, const chain *c, const plan *p)
{
    stream_note_refusals(s, c, p);
    if (!p->refusal_count) stream_note_home(s, &c->loops[0], (int64_t)c->count, s->memory->no_room);
}

kata_status stream_run_chain(exec_streams *s, chain *c, const analysis_chain *a, int64_t memory,
                             messages *m)
{
    plan p = {.nodes = NULL};
    plan_request r;
    kata_status status;
    const stream_room room = {.memory = memory};
    if (stream_plan(s, &p, a, &room, &r)) {
        status = stream_run_section(s, &(stream_work){c, &p, a, &r, NULL}, m);
    } else {
        note_home(s, c, &p);
        status = stream_run_home(s, c, !p.refusal_count, m);
    }
    plan_free(&p);
    return status;
}
