/* A resident team of threads. A piece of work is announced by raising `generation`; members that
 * see it run their share and count `running` down. A thread that waits spins for a short while,
 * then sleeps: back-to-back loops cost a microsecond, and an idle or crowded machine is not
 * burdened. With more threads than cores, nobody spins.
 *
 * A team with as many threads as cores pins each member to a core of its own, near the memory that
 * it touched first. The caller is not pinned, since its affinity belongs to the program; the system
 * finds it the remaining core. Smaller teams are not pinned, because other processes may share the
 * cores, and none is if OMP_PROC_BIND is false.
 *
 * A process made by fork has no members, and locks in any state: there the caller runs alone, and
 * touches nothing of the team. */
#include "sweep/sweep.h"

#include "machine/machine.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { SPINS = HOSTILE(1200, 3) }; /* some 50 microseconds */

typedef struct member {
    struct sweep_team *team;
    pthread_t thread;
    int number;
} member;

struct sweep_team {
    atomic_uint generation;
    atomic_int running; /* members that have not finished the present work */
    sweep_work *work;
    void *data;
    int active; /* threads of the present work, the caller included */
    bool closing;
    int spins;
    pthread_mutex_t lock; /* guards sleeping: a sleeper looks again under it before it sleeps */
    pthread_cond_t begun, finished;
    int count;   /* members that were started */
    pid_t owner; /* the process they live in */
    member *members;
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void sweep_await(const _Atomic int64_t *count, int64_t least, const _Atomic bool *failed)
{
    for (int i = 0; atomic_load_explicit(count, memory_order_acquire) < least; i++) {
        if (atomic_load_explicit(failed, memory_order_relaxed)) return;
        if (i < SPINS)
            pause_briefly();
        else
            sched_yield();
    }
}

static unsigned await_work(struct sweep_team *t, unsigned seen)
{
    unsigned now = atomic_load_explicit(&t->generation, memory_order_acquire);
    for (int i = 0; now == seen && i < t->spins; i++) {
        pause_briefly();
        now = atomic_load_explicit(&t->generation, memory_order_acquire);
    }
    if (now != seen) return now;
    pthread_mutex_lock(&t->lock);
    while ((now = atomic_load(&t->generation)) == seen) pthread_cond_wait(&t->begun, &t->lock);
    pthread_mutex_unlock(&t->lock);
    return now;
}

static void await_members(struct sweep_team *t)
{
    for (int i = 0; i < t->spins; i++) {
        if (!atomic_load_explicit(&t->running, memory_order_acquire)) return;
        pause_briefly();
    }
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->running)) pthread_cond_wait(&t->finished, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void *live(void *data)
{
    member *me = data;
    struct sweep_team *t = me->team;
    unsigned seen = 0;
    fesetenv(FE_DFL_ENV);
    for (;;) {
        seen = await_work(t, seen);
        if (t->closing) return NULL;
        if (me->number < t->active) t->work(t->data, me->number);
        if (atomic_fetch_sub_explicit(&t->running, 1, memory_order_acq_rel) > 1) continue;
        pthread_mutex_lock(&t->lock);
        pthread_cond_signal(&t->finished);
        pthread_mutex_unlock(&t->lock);
    }
}

static void announce(struct sweep_team *t)
{
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->generation, 1);
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
}

static bool pins(int threads)
{
    const char *bind = environment_get("OMP_PROC_BIND");
    return threads == machine_cores() && !(bind && strcasecmp(bind, "false") == 0);
}

struct sweep_team *sweep_team_new(int threads)
{
    struct sweep_team *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begun, NULL);
    pthread_cond_init(&t->finished, NULL);
    t->owner = getpid();
    t->spins = threads <= machine_cores() ? SPINS : 0;
    t->members = calloc((size_t)threads, sizeof *t->members);
    if (!t->members) {
        sweep_team_free(t);
        return NULL;
    }
    int here = pins(threads) ? machine_here() : -1;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's own threads */
    for (; t->count < threads - 1; t->count++) {
        member *m = &t->members[t->count];
        *m = (member){.team = t, .number = t->count + 1};
        if (pthread_create(&m->thread, NULL, live, m)) break;
        if (here >= 0) machine_pin(m->thread, here, m->number); /* it runs in any case */
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return t;
}

static void dismiss(struct sweep_team *t)
{
    t->closing = true;
    announce(t);
    for (int i = 0; i < t->count; i++) pthread_join(t->members[i].thread, NULL);
    pthread_cond_destroy(&t->finished);
    pthread_cond_destroy(&t->begun);
    pthread_mutex_destroy(&t->lock);
}

void sweep_team_free(struct sweep_team *t)
{
    if (!t) return;
    if (t->owner == getpid()) dismiss(t);
    free(t->members);
    free(t);
}

void sweep_team_run(struct sweep_team *t, int threads, sweep_work *work, void *data)
{
    if (threads > 1 && t->count > 0 && t->owner == getpid()) {
        t->work = work;
        t->data = data;
        t->active = threads;
        atomic_store(&t->running, t->count);
        announce(t);
        work(data, 0);
        await_members(t);
    } else {
        work(data, 0);
    }
}
