/* A resident team of threads. The caller announces a piece of work and for how many threads it is;
 * members that see it and are among them run their share and count `running` down. A thread that
 * waits spins for a short while, longer than the loops of a chain that run on one thread, then
 * sleeps: back-to-back loops cost less than a microsecond, and an idle or crowded machine is not
 * burdened. With more threads than cores, nobody spins.
 *
 * Who is about to sleep says so first, and looks once more; who gives reason to wake up does that
 * first, and looks who sleeps then. So one of the two sees the other. Only sleepers cost a call of
 * the system.
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

enum { LINE = 128, PAUSES = HOSTILE(64, 1) /* between looks at the clock */ };
static const double longest_spin = HOSTILE(100e-6, 1e-6);

typedef struct member {
    _Alignas(LINE) atomic_bool asleep; /* or about to be */
    pthread_cond_t begun;
    struct sweep_team *team;
    pthread_t thread;
    int number;
} member;

/* A piece of work: its number, and for how many threads it is, the caller included. */
enum { THREADS_BITS = 32 };

struct sweep_team {
    _Alignas(LINE) _Atomic uint64_t announced; /* piece of work */
    sweep_work *work;
    void *data;
    bool closing;
    _Alignas(LINE) atomic_int running; /* members that have not finished the present work */
    atomic_bool caller_asleep;         /* or about to be */
    _Alignas(LINE) bool spins;
    bool is_here;         /* its members live in this process */
    pthread_mutex_t lock; /* of sleepers */
    pthread_cond_t finished;
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

/* Pauses for the i-th time; false when it is time to sleep. */
static bool spin(int i, double *end)
{
    pause_briefly();
    if (i % PAUSES) return true;
    double now = clock_seconds();
    if (!i) *end = now + longest_spin;
    return now < *end;
}

void sweep_await(const _Atomic int64_t *count, int64_t least, const _Atomic bool *failed)
{
    enum { SPINS = HOSTILE(1200, 3) };
    for (int i = 0; atomic_load_explicit(count, memory_order_acquire) < least; i++) {
        if (atomic_load_explicit(failed, memory_order_relaxed)) return;
        if (i < SPINS)
            pause_briefly();
        else
            sched_yield();
    }
}

static uint64_t await_work(member *me, uint64_t seen)
{
    struct sweep_team *t = me->team;
    double end = 0;
    uint64_t now = atomic_load_explicit(&t->announced, memory_order_acquire);
    for (int i = 0; now == seen && t->spins && spin(i, &end); i++)
        now = atomic_load_explicit(&t->announced, memory_order_acquire);
    if (now != seen) return now;
    pthread_mutex_lock(&t->lock);
    atomic_store(&me->asleep, true);
    while ((now = atomic_load(&t->announced)) == seen) pthread_cond_wait(&me->begun, &t->lock);
    atomic_store(&me->asleep, false);
    pthread_mutex_unlock(&t->lock);
    return now;
}

static void await_members(struct sweep_team *t)
{
    double end = 0;
    for (int i = 0; atomic_load_explicit(&t->running, memory_order_acquire); i++)
        if (!t->spins || !spin(i, &end)) break;
    if (!atomic_load_explicit(&t->running, memory_order_acquire)) return;
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->caller_asleep, true);
    while (atomic_load(&t->running)) pthread_cond_wait(&t->finished, &t->lock);
    atomic_store(&t->caller_asleep, false);
    pthread_mutex_unlock(&t->lock);
}

static void wake(struct sweep_team *t, pthread_cond_t *sleeper)
{
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(sleeper);
    pthread_mutex_unlock(&t->lock);
}

static void *live(void *data)
{
    member *me = data;
    struct sweep_team *t = me->team;
    uint64_t seen = 0;
    fesetenv(FE_DFL_ENV);
    for (;;) {
        seen = await_work(me, seen);
        if ((uint64_t)me->number >= (seen & UINT32_MAX)) continue; /* the rest is for others */
        if (t->closing) return NULL;
        t->work(t->data, me->number);
        if (atomic_fetch_sub(&t->running, 1) == 1 && atomic_load(&t->caller_asleep))
            wake(t, &t->finished);
    }
}

/* Announces the work to the first `threads` of the team. */
static void announce(struct sweep_team *t, int threads)
{
    uint64_t before = atomic_load_explicit(&t->announced, memory_order_relaxed);
    atomic_store(&t->announced, ((before >> THREADS_BITS) + 1) << THREADS_BITS | (uint64_t)threads);
    for (int i = 0; i < threads - 1; i++)
        if (atomic_load(&t->members[i].asleep)) wake(t, &t->members[i].begun);
}

static bool pins(int threads)
{
    const char *bind = environment_get("OMP_PROC_BIND");
    return threads == machine_cores() && !(bind && strcasecmp(bind, "false") == 0);
}

/* The team without members. */
static struct sweep_team *new_team(int threads)
{
    struct sweep_team *t = aligned_alloc(_Alignof(struct sweep_team), sizeof *t);
    if (!t) return NULL;
    *t = (struct sweep_team){.owner = getpid(), .is_here = true};
    t->spins = threads <= machine_cores();
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->finished, NULL);
    t->members = aligned_alloc(_Alignof(member), (size_t)threads * sizeof *t->members);
    if (t->members) return t;
    sweep_team_free(t);
    return NULL;
}

static bool start(struct sweep_team *t, int number)
{
    member *m = &t->members[number - 1];
    *m = (member){.team = t, .number = number};
    pthread_cond_init(&m->begun, NULL);
    if (!pthread_create(&m->thread, NULL, live, m)) return true;
    pthread_cond_destroy(&m->begun);
    return false;
}

struct sweep_team *sweep_team_new(int threads)
{
    struct sweep_team *t = new_team(threads);
    if (!t) return NULL;
    int here = pins(threads) ? machine_here() : -1;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's own threads */
    while (t->count < threads - 1 && start(t, t->count + 1)) {
        const member *m = &t->members[t->count++];
        if (here >= 0) machine_pin(m->thread, here, m->number); /* it runs in any case */
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return t;
}

static void dismiss(struct sweep_team *t)
{
    t->closing = true;
    announce(t, t->count + 1);
    for (int i = 0; i < t->count; i++) {
        pthread_join(t->members[i].thread, NULL);
        pthread_cond_destroy(&t->members[i].begun);
    }
    pthread_cond_destroy(&t->finished);
    pthread_mutex_destroy(&t->lock);
}

void sweep_team_free(struct sweep_team *t)
{
    if (!t) return;
    if (t->owner == getpid()) dismiss(t);
    free(t->members);
    free(t);
}

void sweep_team_look(struct sweep_team *t) { t->is_here = t->owner == getpid(); }

void sweep_team_run(struct sweep_team *t, int threads, sweep_work *work, void *data)
{
    if (threads > t->count + 1) threads = t->count + 1;
    if (threads > 1 && t->is_here) {
        t->work = work;
        t->data = data;
        atomic_store_explicit(&t->running, threads - 1, memory_order_relaxed);
        announce(t, threads);
        work(data, 0);
        await_members(t);
    } else {
        work(data, 0);
    }
}

/* ---- what it costs --------------------------------------------------------------------------- */

static void nothing(void *data, int thread)
{
    (void)data;
    (void)thread;
}

double sweep_team_meeting(struct sweep_team *t, int threads)
{
    enum { RUNS = 10, BLOCKS = 6 };
    const double enough = 300e-6;
    double least = 0, spent = 0;
    sweep_team_run(t, threads, nothing, NULL); /* members may only just begin */
    for (int i = 0; i < BLOCKS && spent < enough; i++) {
        double start = clock_seconds();
        for (int k = 0; k < RUNS; k++) sweep_team_run(t, threads, nothing, NULL);
        double seconds = clock_seconds() - start;
        if (!i || seconds < least) least = seconds;
        spent += seconds;
    }
    return least / RUNS;
}
