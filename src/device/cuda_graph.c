/* Launches of small kernels, some at a time. A driver takes longer to start a kernel than a device
 * takes for a loop on a small grid, but starts a graph of many kernels in little more time than
 * one. So launches wait until there are enough of them, and go as a graph of so many kernels one
 * behind the other, which is kept: only what differs from the last time is set anew.
 *
 * Where a program waits for the device after few launches, each goes at once: the device has
 * nothing else to do.
 *
 * All other calls send off what waits first, by cuda_enter, so that nobody sees it wait. A launch
 * waits only if the same kernel has been started before with as many threads: those do not fail for
 * want of resources. */
#include "device/cuda_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = HOSTILE(32, 4), /* launches of a graph, while the device has work */
    FEW = HOSTILE(8, 2),   /* when it may have none: it begins sooner */
    SMALL = 1 << 19,       /* threads of a launch that waits, at most */
    ARGUMENTS = 32,        /* of it, at most, and their bytes */
    ARGUMENT_BYTES = 1 << 10,
    SIZES = 2, /* of graphs: MOST, FEW */
    TURNS = 2, /* graphs of each: one is set while the other may still run */
    KNOWN = 64 /* kernels that have been started */
};

typedef struct waiting_launch {
    cuda_kernel_node node; /* without arguments */
    size_t bytes;          /* of arguments */
    void *pointers[ARGUMENTS];
    _Alignas(16) unsigned char arguments[ARGUMENT_BYTES];
} waiting_launch;

typedef struct kept_graph {
    void *graph, *runs, *nodes[MOST];
    waiting_launch *launches; /* what its nodes are */
    int count;
} kept_graph;

struct cuda_batch {
    waiting_launch waiting[MOST];
    int count, full; /* launches that wait; so many are sent */
    int64_t since;   /* launches since the program has waited for the device */
    int64_t before;  /* and as many before */
    bool refused;    /* the driver makes no graphs of these kernels */
    kept_graph graphs[SIZES][TURNS];
    int turn[SIZES];
    cuda_kernel_node known[KNOWN];
};

/* ---- kernels that have been started ---------------------------------------------------------- */

static cuda_kernel_node *known_of(cuda_batch *b, const void *function)
{
    enum { SHIFT = 6 };
    return &b->known[((uintptr_t)function >> SHIFT) % KNOWN];
}

/* Whether two launches need as much of the device. */
static bool is_alike(const cuda_kernel_node *a, const cuda_kernel_node *b)
{
    return a->function == b->function && a->shared == b->shared &&
           !memcmp(a->threads, b->threads, sizeof a->threads);
}

static cuda_kernel_node node_of(void *function, const device_launch *launch)
{
    cuda_kernel_node node = {.function = function, .shared = (unsigned)launch->local};
    for (int d = 0; d < 3; d++) {
        node.groups[d] = (unsigned)launch->groups[d];
        node.threads[d] = (unsigned)launch->threads[d];
    }
    return node;
}

void cuda_batch_started(device *d, void *function, const device_launch *launch)
{
    cuda_device *own = d->own;
    if (!own->api->graph_add_kernel || !own->api->graph_set_kernel) return;
    if (!own->batch && (own->batch = calloc(1, sizeof *own->batch))) own->batch->full = FEW;
    if (own->batch) *known_of(own->batch, function) = node_of(function, launch);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static void free_graph(device *d, kept_graph *g)
{
    const cuda_device *own = d->own;
    if (g->runs) own->api->stream_wait(own->stream[DEVICE_WORK]); /* it may run */
    if (g->runs) own->api->graph_release_runs(g->runs);
    if (g->graph) own->api->graph_release(g->graph);
    free(g->launches);
    memset(g, 0, sizeof *g);
}

void cuda_batch_forget(device *d)
{
    cuda_batch *b = ((cuda_device *)d->own)->batch;
    if (!b) return;
    for (int i = 0; i < SIZES; i++)
        for (int k = 0; k < TURNS; k++) free_graph(d, &b->graphs[i][k]);
    memset(b->known, 0, sizeof b->known);
}

void cuda_batch_free(device *d)
{
    cuda_device *own = d->own;
    cuda_batch_forget(d);
    free(own->batch);
    own->batch = NULL;
}

/* What a launch is, with the addresses of its arguments. */
static cuda_kernel_node with_arguments(waiting_launch *l)
{
    cuda_kernel_node node = l->node;
    node.arguments = l->pointers;
    return node;
}

static bool make_graph(const cuda_api *api, kept_graph *g, waiting_launch *launches, int count)
{
    g->launches = malloc((size_t)count * sizeof *launches);
    bool made = g->launches && api->graph_create(&g->graph, 0) == CUDA_OK;
    for (int i = 0; i < count && made; i++) {
        const cuda_kernel_node node = with_arguments(&launches[i]);
        made = api->graph_add_kernel(&g->nodes[i], g->graph, i ? &g->nodes[i - 1] : NULL, i > 0,
                                     &node) == CUDA_OK;
        g->launches[i] = launches[i];
    }
    g->count = count;
    return made && api->graph_make_runs(&g->runs, g->graph, 0) == CUDA_OK;
}

static bool is_same(const waiting_launch *a, const waiting_launch *b)
{
    return is_alike(&a->node, &b->node) && a->bytes == b->bytes &&
           !memcmp(a->node.groups, b->node.groups, sizeof a->node.groups) &&
           !memcmp(a->arguments, b->arguments, a->bytes);
}

static bool change_graph(const cuda_api *api, kept_graph *g, waiting_launch *launches)
{
    bool changed = true;
    for (int i = 0; i < g->count && changed; i++) {
        if (is_same(&launches[i], &g->launches[i])) continue;
        const cuda_kernel_node node = with_arguments(&launches[i]);
        changed = api->graph_set_kernel(g->runs, g->nodes[i], &node) == CUDA_OK;
        g->launches[i] = launches[i];
    }
    return changed;
}

/* Gives launches to the graph of their number. False, and they have not been started, where the
 * driver refuses. */
static bool prepare_graph(device *d, kept_graph *g, waiting_launch *launches, int count)
{
    const cuda_api *api = ((cuda_device *)d->own)->api;
    const bool ready =
        g->runs ? change_graph(api, g, launches) : make_graph(api, g, launches, count);
    if (!ready) free_graph(d, g);
    return ready;
}

/* ---- sending --------------------------------------------------------------------------------- */

static bool send_one(device *d, waiting_launch *l)
{
    const cuda_device *own = d->own;
    const cuda_kernel_node *n = &l->node;
    return cuda_check(d, "cuLaunchKernel",
                      own->api->launch(n->function, n->groups[0], n->groups[1], n->groups[2],
                                       n->threads[0], n->threads[1], n->threads[2], n->shared,
                                       own->stream[DEVICE_WORK], l->pointers, NULL));
}

/* Sends some of the launches that wait, from number `first` on; returns how many, 0 after an error.
 */
static int send_some(device *d, int first)
{
    static const int sizes[SIZES] = {MOST, FEW};
    const cuda_device *own = d->own;
    cuda_batch *b = own->batch;
    int size = 0;
    while (size < SIZES && b->count - first < sizes[size]) size++;
    if (size < SIZES && !b->refused) {
        kept_graph *g = &b->graphs[size][b->turn[size]++ % TURNS];
        b->refused = !prepare_graph(d, g, &b->waiting[first], sizes[size]);
        if (!b->refused)
            return cuda_check(d, "cuGraphLaunch",
                              own->api->graph_launch(g->runs, own->stream[DEVICE_WORK]))
                       ? sizes[size]
                       : 0;
    }
    return send_one(d, &b->waiting[first]);
}

static bool send(device *d)
{
    cuda_batch *b = ((cuda_device *)d->own)->batch;
    int sent = 0, some = 1;
    while (sent < b->count && some) {
        some = send_some(d, sent);
        sent += some;
    }
    b->count = 0;
    return some;
}

bool cuda_batch_send(device *d)
{
    cuda_batch *b = ((cuda_device *)d->own)->batch;
    if (!b || !b->count) return true;
    b->full = FEW;
    return send(d);
}

const cuda_api *cuda_enter(device *d)
{
    const cuda_device *own = d->own;
    const bool entered = cuda_check(d, "cuCtxSetCurrent", own->api->context_set(own->context));
    return entered && cuda_batch_send(d) ? own->api : NULL;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static int64_t all_threads(const device_launch *launch)
{
    int64_t threads = 1;
    for (int d = 0; d < 3; d++) threads *= launch->groups[d] * launch->threads[d];
    return threads;
}

static bool keep_arguments(waiting_launch *l, const device_launch *launch)
{
    enum { ALIGNED = 16 };
    l->bytes = 0;
    for (int i = 0; i < launch->argument_count; i++) {
        const device_argument *a = &launch->arguments[i];
        const size_t bytes = a->memory ? sizeof a->memory->address : a->bytes;
        const size_t room = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
        if (i >= ARGUMENTS || l->bytes + room > ARGUMENT_BYTES) return false;
        l->pointers[i] = l->arguments + l->bytes;
        memset(l->arguments + l->bytes + room - ALIGNED, 0, ALIGNED);
        memcpy(l->pointers[i], a->memory ? (const void *)&a->memory->address : a->value, bytes);
        l->bytes += room;
    }
    return true;
}

bool cuda_batch_takes(device *d, void *function, const device_launch *launch)
{
    const cuda_device *own = d->own;
    cuda_batch *b = own->batch;
    if (!b || b->refused || (b->since++ < FEW && b->before < FEW)) return false;
    if (all_threads(launch) > SMALL) return false;
    waiting_launch *l = &b->waiting[b->count];
    l->node = node_of(function, launch);
    if (!is_alike(&l->node, known_of(b, function)) || !keep_arguments(l, launch)) return false;
    b->count++;
    return true;
}

void cuda_batch_waited(device *d)
{
    cuda_batch *b = ((cuda_device *)d->own)->batch;
    if (!b || !b->since) return;
    b->before = b->since;
    b->since = 0;
}

bool cuda_batch_send_full(device *d)
{
    const cuda_device *own = d->own;
    if (own->batch->count < own->batch->full) return true;
    own->batch->full = MOST;
    return cuda_check(d, "cuCtxSetCurrent", own->api->context_set(own->context)) && send(d);
}
