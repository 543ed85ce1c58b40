/* Threads that compile kernels for a device while the program runs: at low priority, and few. They
 * touch nothing of the program but their jobs. They end when the device is closed, and when the
 * program ends without that: compilers must not run while their libraries go.
 *
 * A process made by fork has no such threads; there all jobs have ended with nothing. */
#include "exec/device_tune.h"

#include "machine/machine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LOWER = 10, MOST_THREADS = 4 }; /* by how much their priority is lower; at most */

struct device_beside_job {
    device_making made;
    bool done;
    struct device_beside_job *next;
};

struct device_beside {
    const device *device;
    pthread_t threads[MOST_THREADS];
    int started, running; /* of these */
    pid_t owner;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct device_beside_job *queue;
    _Atomic bool stop;
    struct device_beside *next; /* among all of this process */
};

/* ---- all of the process ---------------------------------------------------------------------- */

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct device_beside *all;
static bool ends_all;

static void lock_all(void) { pthread_mutex_lock(&all_lock); }
static void unlock_all(void) { pthread_mutex_unlock(&all_lock); }

/* A process made by fork finds the list free. */
static void watch_forks(void) { pthread_atfork(lock_all, unlock_all, unlock_all); }

static void stop(struct device_beside *b)
{
    pthread_mutex_lock(&b->lock);
    b->stop = true;
    pthread_cond_broadcast(&b->changed);
    while (b->running) pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

/* When the program ends. */
static void stop_all(void)
{
    lock_all();
    for (struct device_beside *b = all; b; b = b->next)
        if (b->owner == getpid()) stop(b);
    unlock_all();
}

static void enlist(struct device_beside *b)
{
    static pthread_once_t forks = PTHREAD_ONCE_INIT;
    pthread_once(&forks, watch_forks);
    lock_all();
    if (!ends_all) ends_all = atexit(stop_all) == 0;
    b->next = all;
    all = b;
    unlock_all();
}

static void delist(const struct device_beside *b)
{
    lock_all();
    for (struct device_beside **at = &all; *at; at = &(*at)->next)
        if (*at == b) {
            *at = b->next;
            break;
        }
    unlock_all();
}

/* ---- the threads ----------------------------------------------------------------------------- */

static struct device_beside_job *wait_for_job(struct device_beside *b)
{
    while (!b->queue && !b->stop) pthread_cond_wait(&b->changed, &b->lock);
    struct device_beside_job *job = b->stop ? NULL : b->queue;
    if (job) b->queue = job->next;
    return job;
}

static void *run(void *data)
{
    struct device_beside *b = data;
    struct device_beside_job *job;
    /* Of this thread alone, on Linux. */
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + LOWER);
    pthread_mutex_lock(&b->lock);
    while ((job = wait_for_job(b))) {
        pthread_mutex_unlock(&b->lock);
        device_making_compile(b->device, &job->made, &b->stop);
        pthread_mutex_lock(&b->lock);
        job->done = true;
        pthread_cond_broadcast(&b->changed);
    }
    b->running--;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* As many as leave a core to the program. */
static void start_threads(struct device_beside *b)
{
    sigset_t every, before;
    int most = (int)smaller(larger(machine_cores() - 1, 1), MOST_THREADS);
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before); /* signals are for the program's threads */
    pthread_mutex_lock(&b->lock);
    while (b->started < most && pthread_create(&b->threads[b->started], NULL, run, b) == 0)
        b->running = ++b->started;
    pthread_mutex_unlock(&b->lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The threads of a device; NULL: there are none. */
static struct device_beside *threads_of(struct exec_device *d)
{
    if (d->beside) return d->beside->owner == getpid() && !d->beside->stop ? d->beside : NULL;
    struct device_beside *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->device = d->device;
    b->owner = getpid();
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    start_threads(b);
    if (b->started) {
        enlist(b);
        return d->beside = b;
    }
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
    return NULL;
}

void device_beside_close(struct exec_device *d)
{
    struct device_beside *b = d->beside;
    if (!b) return;
    if (b->owner == getpid()) {
        delist(b);
        stop(b);
        for (int i = 0; i < b->started; i++) pthread_join(b->threads[i], NULL);
        pthread_cond_destroy(&b->changed);
        pthread_mutex_destroy(&b->lock);
        free(b);
    }
    d->beside = NULL; /* that of a parent stays, for its locks may be held */
}

/* ---- jobs ------------------------------------------------------------------------------------ */

struct device_beside_job *device_beside_start(struct exec_device *d, device_making *made)
{
    struct device_beside *b = threads_of(d);
    struct device_beside_job *job = b ? calloc(1, sizeof *job) : NULL;
    if (!job) {
        device_making_free(made);
        return NULL;
    }
    job->made = *made;
    pthread_mutex_lock(&b->lock);
    struct device_beside_job **at = &b->queue;
    while (*at) at = &(*at)->next;
    *at = job;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return job;
}

/* Whether nobody works on jobs any more. */
static bool is_over(const struct device_beside *b)
{
    return !b || b->owner != getpid() || !b->running;
}

bool device_beside_is_done(const struct exec_device *d, const struct device_beside_job *job)
{
    struct device_beside *b = d->beside;
    if (!b || b->owner != getpid()) return true;
    pthread_mutex_lock(&b->lock);
    bool done = job->done || is_over(b);
    pthread_mutex_unlock(&b->lock);
    return done;
}

void device_beside_wait(struct exec_device *d, struct device_beside_job *job)
{
    struct device_beside *b = d->beside;
    if (!b || b->owner != getpid()) return;
    pthread_mutex_lock(&b->lock);
    while (!job->done && !is_over(b)) pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

device_making device_beside_end(struct device_beside_job *job)
{
    device_making made = job->made;
    free(job);
    return made;
}
