/* Streams of fields in files: rings in memory (store/ring.c), between which and the files a port
 * moves planes. Loops that are not streamed run on the mapped files. */
#include "exec/on_files.h"

#include <stdlib.h>

typedef struct files_ring {
    stream_ring as;
    store_ring ring;
    store_rim *rim; /* NULL: whole planes come in */
    int64_t given;  /* planes below have their rims */
} files_ring;

static store_ring *ring_of(stream_ring *ring) { return &((files_ring *)ring)->ring; }
static store_rim *rim_of(stream_ring *ring) { return ((files_ring *)ring)->rim; }
static struct exec_files *files_of(const stream_run *run) { return run->context->files; }

static int64_t left(const exec_streams *s, const chain_slot *far)
{
    (void)s;
    return smaller(store_pool_left(far->pool), port_rings_most());
}

/* The planes of a ring that has room for so many within the field. */
static int64_t planes_of(const analysis_chain *a, int slot, int64_t inside)
{
    return inside + 2 * stream_outside(a, slot, store_ring_dimension(a->slots[slot]));
}

static int64_t bytes(const exec_streams *s, const analysis_chain *a, int slot, int64_t planes)
{
    const chain_slot *field = a->slots[slot];
    (void)s;
    return (int64_t)store_ring_bytes(field, planes_of(a, slot, planes));
}

/* Rims are kept for the whole chain. */
static int64_t beside(const analysis_chain *a, const plan *p, int node)
{
    (void)node;
    return files_rims_bytes(a, p);
}

static kata_status send_away(const chain_binding *b, messages *m)
{
    return store_slot_send_away(b->slot, true) ? KATA_OK : store_no_memory(b->slot, b->name, m);
}

/* ---- moves ----------------------------------------------------------------------------------- */

static bool begin(stream_run *run)
{
    struct exec_files *f = files_of(run);
    if (!f->port) f->port = port_open((double)f->rate);
    if (f->port) f->busy = port_busy(f->port);
    return (f->port && files_rims_make(run)) || stream_no_memory(run);
}

/* Also after an error: before rings are freed. */
static void wait_for_all(const stream_run *run)
{
    for (int out = 0; out < 2; out++) port_wait(files_of(run)->port, out);
}

static void end(stream_run *run)
{
    port_failure none;
    wait_for_all(run);
    port_failed(files_of(run)->port, &none);
    files_rims_free(run);
}

static bool await(stream_run *run, bool out)
{
    if (!port_wait(files_of(run)->port, out)) return files_report_move(run);
    for (int s = 0; s < run->a->slot_count && !out; s++) {
        stream_ring *ring = run->rings[s];
        if (ring && rim_of(ring)) store_rim_come(rim_of(ring), ring_of(ring));
    }
    return true;
}

static bool move(stream_run *run, stream_ring *ring, bool out, const stream_planes *planes,
                 int64_t passed)
{
    store_rim *rim = rim_of(ring);
    (void)passed;
    if (planes->first >= planes->end) return true;
    if (rim && out) store_rim_take(rim, ring_of(ring), planes->first, planes->end);
    if (rim && !out) store_rim_expect(rim, planes->first, planes->end);
    return store_ring_move(ring_of(ring), files_of(run)->port, out, planes->first, planes->end) ||
           stream_no_memory(run);
}

/* Planes whose rims are not known come in whole. */
static bool give(stream_run *run, stream_ring *ring, const grid_box *box)
{
    store_rim *rim = rim_of(ring);
    int64_t *given = &((files_ring *)ring)->given;
    const int64_t end = box->hi[ring->dimension];
    bool done = true;
    *given = larger(*given, box->lo[ring->dimension]); /* all parts are of the same planes */
    while (done && !store_rim_give(rim, ring_of(ring), given, end)) {
        done = move(run, ring, false, &(stream_planes){*given, *given + 1}, end);
        ++*given;
    }
    *given = larger(*given, end);
    return done;
}

/* ---- rings ----------------------------------------------------------------------------------- */

static stream_ring *open_ring(stream_run *run, const plan_node *buffer)
{
    const chain_slot *field = run->a->slots[buffer->slot];
    files_ring *ring = calloc(1, sizeof *ring);
    if (!ring) return NULL;
    ring->as = (stream_ring){&ring->ring.slot, store_ring_dimension(field)};
    ring->rim = files_rim(run, buffer->slot);
    ring->given = INT64_MIN;
    field->array->around = 0; /* planes that go out take along what lies around them */
    const int64_t planes = planes_of(run->a, buffer->slot, buffer->capacity[ring->as.dimension]);
    port_file *file = field->array->file; /* NULL: it has values in the ring alone */
    if ((!file || port_file_settle(file)) &&
        store_ring_make(&ring->ring, field, planes, run->seam ? run->seam->period : 0))
        return &ring->as;
    free(ring);
    return NULL;
}

static void close_ring(stream_run *run, stream_ring *ring)
{
    wait_for_all(run);
    store_ring_free(ring_of(ring));
    free(ring);
}

static bool show(stream_run *run, stream_ring *ring, const stream_planes *planes, int64_t low)
{
    (void)run, (void)low;
    store_ring_show(ring_of(ring), planes->first);
    return true;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static kata_status run_tile(const stream_run *run, chain *tile)
{
    files_rims_forget(run, tile);
    return exec_cpu.run(run->context, tile, run->m);
}

static kata_status run_whole(exec_streams *s, chain *c, bool full, messages *m)
{
    (void)full;
    return exec_cpu.run(s->context, c, m);
}

/* ---- measured rates -------------------------------------------------------------------------- */

bool files_disk_decides(double busy, double seconds, double waited)
{
    return busy > seconds - waited;
}

void files_learn(exec_streams *s, double busy, double seconds, double waited)
{
    const double loops = seconds - waited;
    if (files_disk_decides(busy, seconds, waited))
        s->deepest = smaller(2 * s->deepest, STREAM_DEEPEST);
    else if (busy < loops / 4)
        s->deepest = larger(s->deepest / 2, STREAM_DEPTH);
}

static void learn(exec_streams *s, double seconds, double waited)
{
    const struct exec_files *f = s->context->files;
    files_learn(s, port_busy(f->port) - f->busy, seconds, waited);
}

const stream_memory files_memory = {
    .left = left,
    .suits = store_ring_suits,
    .bytes = bytes,
    .beside = beside,
    .send_away = send_away,
    .begin = begin,
    .end = end,
    .open = open_ring,
    .close = close_ring,
    .show = show,
    .move = move,
    .give = give,
    .wait = await,
    .run = run_tile,
    .run_whole = run_whole,
    .learn = learn,
    .fair = 4,
    .rims = HOSTILE(8, 1),
    .depth = STREAM_DEPTH,
    .not_so = "on mapped files",
    .no_periods = "the planes that it needs at once, around a periodic side, are more than the "
                  "field or the memory that is left has",
    .no_room = "the planes of one loop need more memory than is left of the limit"};
