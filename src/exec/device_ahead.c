/* Before a chain runs on a device, the kernels of its loops that are neither loaded nor in the
 * cache folder are compiled side by side: a compiler takes some tenths of a second for each. Texts
 * are made, and binaries loaded, by the thread of the program; others only compile. */
#include "exec/device_points.h"
#include "exec/device_tune.h"

#include "machine/machine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST_THREADS = 16, MOST_AHEAD = 1024 /* kernels of a chain */ };

typedef struct ahead {
    const device *device;
    device_making *all;
    size_t count, room;
    atomic_size_t next;
} ahead;

/* ---- which kernels --------------------------------------------------------------------------- */

static bool is_among(const ahead *a, uint64_t key)
{
    bool among = false;
    for (size_t i = 0; i < a->count; i++) among = among || a->all[i].key == key;
    return among;
}

/* Adds what has begun, unless it is there. */
static void add(ahead *a, const device_loop *l, device_making *made)
{
    void *all = a->all;
    if (is_among(a, made->key) || a->count == MOST_AHEAD || device_making_find(l, made) ||
        made->source.failed || !vector_reserve(&all, &a->room, a->count + 1, sizeof *a->all)) {
        device_making_free(made);
        return;
    }
    a->all = all;
    a->all[a->count++] = *made;
}

static void add_fills(ahead *a, const device_loop *l)
{
    device_making made;
    for (int p = 0; p < l->loop->kernel->param_count; p++) {
        if (!(l->ready->firsts >> p & 1)) continue;
        const chain_binding *b = &l->loop->bindings[p];
        grid_box inside = chain_binding_inside(b);
        if (grid_box_contains(&inside, &l->ready->touched[p])) continue;
        device_begin_fill(l, b->slot->type, CODEGEN_FILL_NAME, &made);
        add(a, l, &made);
    }
}

static void add_trees(ahead *a, const device_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    device_making made;
    for (int p = 0; p < kernel->param_count && l->ready->reduces; p++) {
        if (!ir_param_is_reduction(&kernel->params[p])) continue;
        device_begin_tree(l, &kernel->params[p], &made);
        add(a, l, &made);
    }
}

static void add_sparse(ahead *a, const device_loop *l)
{
    device_making made;
    device_begin_sparse(l, false, &made);
    add(a, l, &made);
    if (!l->loop->sparse->products) return;
    device_begin_sparse(l, true, &made);
    add(a, l, &made);
}

static void add_loop(ahead *a, const device_loop *l)
{
    const struct device_tune *t = l->ready->tune;
    device_making made;
    if ((t && t->ways[t->best].kernel) || l->ready->why || grid_box_is_empty(&l->loop->box)) return;
    if (l->loop->sparse) {
        add_sparse(a, l);
        return;
    }
    if (device_begin_kernel(l, -1, &made)) add(a, l, &made);
    add_fills(a, l);
    add_trees(a, l);
}

/* ---- compiling ------------------------------------------------------------------------------- */

static void *compile(void *data)
{
    ahead *a = data;
    size_t i;
    while ((i = atomic_fetch_add(&a->next, 1)) < a->count)
        device_making_compile(a->device, &a->all[i], NULL);
    return NULL;
}

/* By this thread and others; these get no signals, which are for the program's own. */
static void compile_all(ahead *a)
{
    pthread_t threads[MOST_THREADS];
    sigset_t all, before;
    size_t most = (size_t)smaller(machine_cores(), MOST_THREADS), started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started + 1 < most && started + 1 < a->count &&
           pthread_create(&threads[started], NULL, compile, a) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    compile(a);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

void device_compile_ahead(exec_context *context, const chain *c, messages *m)
{
    struct exec_device *d = context->device;
    ahead a = {.device = d->device};
    device_loop l = {context, d, c->loops, m, NULL};
    for (size_t i = 0; i < c->count; i++) {
        l.loop = &c->loops[i];
        l.ready = device_ready_of(d, l.loop);
        if (l.ready && !l.loop->at_once) add_loop(&a, &l);
    }
    if (a.count > 1) compile_all(&a);
    for (size_t i = 0; i < a.count; i++) {
        device_making_end(&l, &a.all[i]);
        device_making_free(&a.all[i]);
    }
    free(a.all);
}
