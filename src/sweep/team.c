/* A resident team of threads. The caller opens a door: members that see it and are among the
 * threads that are wanted enter, and share the work. When the caller finds nothing left to do, it
 * shuts the door and waits for those that have entered. So a member that sleeps, or has no core
 * just now, holds nobody up: the others do its share.
 *
 * A thread that waits spins for a short while, longer than the loops of a chain that run on one
 * thread, then sleeps: back-to-back loops cost less than a microsecond, and an idle or crowded
 * machine is not burdened. With more threads than cores, nobody spins. Who is about to sleep says
 * so first, and looks once more; who gives reason to wake up does that first, and looks who sleeps
 * then. So one of the two sees the other. Only sleepers cost a call of the system.
 *
 * A team with as many threads as cores pins each member to a core of its own, near the memory that
 * it touched first. The caller is not pinned, since its affinity belongs to the program; the system
 * finds it the remaining core. Smaller teams are not pinned, because other processes may share the
 * cores, and none is if OMP_PROC_BIND is false.
 *
 * A process made by fork has no members, and locks in any state: there the caller runs alone, and
 * touches nothing of the team. */
#include "sweep/loop.h"

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

/* A door is four numbers in one word: how often one was opened, whether it is open, for how many
 * threads, and how many members have entered. */
enum { ENTERED_BITS = 16, THREADS_BITS = 15, MOST_THREADS = (1 << THREADS_BITS) - 1 };
#define DOOR_OPEN (UINT64_C(1) << (ENTERED_BITS + THREADS_BITS))

struct sweep_team {
    _Alignas(LINE) _Atomic uint64_t door;
    sweep_work *work;
    void *data;
    bool closing;
    _Alignas(LINE) atomic_int finished; /* of the members that have entered */
    atomic_bool caller_asleep;          /* or about to be */
    _Alignas(LINE) bool spins;
    bool is_here;         /* its members live in this process */
    pthread_mutex_t lock; /* of sleepers */
    pthread_cond_t ended;
    int count;   /* members that were started */
    pid_t owner; /* the process they live in */
    member *members;
};

static uint64_t number_of(uint64_t door) { return door >> (ENTERED_BITS + THREADS_BITS + 1); }

static int threads_of(uint64_t door) { return (int)(door >> ENTERED_BITS) & MOST_THREADS; }

static int entered(uint64_t door) { return (int)(door & ((1 << ENTERED_BITS) - 1)); }

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Pauses for the i-th time; false when so many seconds have passed since the first. */
static bool spin_for(double seconds, int i, double *end)
{
    pause_briefly();
    if (i % PAUSES) return true;
    double now = clock_seconds();
    if (!i) *end = now + seconds;
    return now < *end;
}

static bool spin(int i, double *end) { return spin_for(longest_spin, i, end); }

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

/* Waits for a door with another number. */
static uint64_t await_door(member *me, uint64_t seen)
{
    struct sweep_team *t = me->team;
    double end = 0;
    uint64_t now = atomic_load_explicit(&t->door, memory_order_acquire);
    for (int i = 0; number_of(now) == seen && t->spins && spin(i, &end); i++)
        now = atomic_load_explicit(&t->door, memory_order_acquire);
    if (number_of(now) != seen) return now;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        atomic_store(&me->asleep, true); /* again, after a signal for a door that was seen */
        if (number_of(now = atomic_load(&t->door)) != seen) break;
        pthread_cond_wait(&me->begun, &t->lock);
    }
    atomic_store(&me->asleep, false);
    pthread_mutex_unlock(&t->lock);
    return now;
}

/* False: that door is shut. */
static bool enter(struct sweep_team *t, uint64_t door)
{
    uint64_t now = door;
    while (number_of(now) == number_of(door) && (now & DOOR_OPEN))
        if (atomic_compare_exchange_weak(&t->door, &now, now + 1)) return true;
    return false;
}

static bool have_finished(struct sweep_team *t, int members)
{
    return atomic_load_explicit(&t->finished, memory_order_acquire) == members;
}

static void await_members(struct sweep_team *t, int members)
{
    double end = 0;
    for (int i = 0; !have_finished(t, members); i++)
        if (!t->spins || !spin(i, &end)) break;
    if (have_finished(t, members)) return;
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->caller_asleep, true);
    while (atomic_load(&t->finished) != members) pthread_cond_wait(&t->ended, &t->lock);
    atomic_store(&t->caller_asleep, false);
    pthread_mutex_unlock(&t->lock);
}

static void *live(void *data)
{
    member *me = data;
    struct sweep_team *t = me->team;
    uint64_t door = 0;
    fesetenv(FE_DFL_ENV);
    for (;;) {
        door = await_door(me, number_of(door));
        if (me->number >= threads_of(door) || !enter(t, door)) continue;
        if (t->closing) return NULL;
        t->work(t->data, me->number);
        atomic_fetch_add(&t->finished, 1);
        if (!atomic_load(&t->caller_asleep)) continue;
        pthread_mutex_lock(&t->lock);
        pthread_cond_signal(&t->ended);
        pthread_mutex_unlock(&t->lock);
    }
}

static void wake(struct sweep_team *t, member *sleeper)
{
    pthread_mutex_lock(&t->lock);
    atomic_store(&sleeper->asleep, false); /* once is enough */
    pthread_cond_signal(&sleeper->begun);
    pthread_mutex_unlock(&t->lock);
}

/* Opens the door for the first `threads` of the team. */
static void open_door(struct sweep_team *t, int threads)
{
    uint64_t number = number_of(atomic_load_explicit(&t->door, memory_order_relaxed)) + 1;
    atomic_store(&t->door, (number << (ENTERED_BITS + THREADS_BITS + 1)) | DOOR_OPEN |
                               (uint64_t)threads << ENTERED_BITS);
    for (int i = 0; i < threads - 1; i++)
        if (atomic_load(&t->members[i].asleep)) wake(t, &t->members[i]);
}

static int shut_door(struct sweep_team *t)
{
    return entered(atomic_fetch_and(&t->door, ~DOOR_OPEN));
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
    pthread_cond_init(&t->ended, NULL);
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
    threads = (int)smaller(threads, MOST_THREADS);
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
    open_door(t, t->count + 1); /* and leave it open: all have to go */
    for (int i = 0; i < t->count; i++) {
        pthread_join(t->members[i].thread, NULL);
        pthread_cond_destroy(&t->members[i].begun);
    }
    pthread_cond_destroy(&t->ended);
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
    if (threads < 2 || !t->is_here) {
        work(data, 0);
        return;
    }
    t->work = work;
    t->data = data;
    atomic_store_explicit(&t->finished, 0, memory_order_relaxed);
    open_door(t, threads);
    work(data, 0);
    await_members(t, shut_door(t));
}

/* ---- what it costs --------------------------------------------------------------------------- */

typedef struct meeting {
    struct sweep_team *team;
    int threads;
    _Atomic int64_t here;
} meeting;

/* The caller waits for all others, but not for long. */
static void meet(void *data, int thread)
{
    const double patience = 20e-6;
    meeting *m = data;
    double end = 0;
    atomic_fetch_add(&m->here, 1);
    for (int i = 0; !thread && atomic_load(&m->here) < m->threads && spin_for(patience, i, &end);
         i++)
        if (!m->team->spins) sched_yield();
}

double sweep_team_meeting(struct sweep_team *t, int threads)
{
    enum { RUNS = 10, BLOCKS = 6 };
    const double enough = 300e-6;
    double least = 0, spent = 0;
    meeting m = {.team = t, .threads = (int)smaller(threads, t->count + 1)};
    for (int i = -1; i < BLOCKS && spent < enough; i++) {
        double start = clock_seconds();
        for (int k = 0; k < RUNS; k++) {
            atomic_store(&m.here, 0);
            sweep_team_run(t, threads, meet, &m);
        }
        double seconds = clock_seconds() - start;
        if (i <= 0 || seconds < least) least = seconds;
        if (i >= 0) spent += seconds; /* before, members may only just begin */
    }
    return least / RUNS;
}
