/* Compiling beside the program. A job waits in a queue until a thread takes it, which runs a
 * compiler and loads what it made. There are as many threads as cores, at most, and a thread ends
 * when nothing waits. A job that is not urgent has a thread of its own, so that it keeps no other
 * one waiting. A thread reads of its jit what does not change, or what is guarded by the lock, and
 * touches no messages: jit_finish, on the program's thread, does.
 *
 * A process made by fork has no such threads. There a job of its parent is done when it is asked
 * for. */
#include "jit/jit_private.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct jit_job {
    jit_job *next; /* in the queue */
    text c_text;
    jit_function *functions;
    jit_work work;
    jit *jit;
    jit_outcome outcome;
    _Atomic bool stop, done;
    pid_t owner;
};

static void free_job(jit_job *job)
{
    text_free(&job->c_text);
    text_free(&job->work.report);
    free(job->functions);
    free(job);
}

/* ---- the queue; whoever calls has the lock --------------------------------------------------- */

static void append(jit *j, jit_job *job)
{
    jit_job **at = &j->queue;
    while (*at) at = &(*at)->next;
    *at = job;
}

static jit_job *take_first(jit *j)
{
    jit_job *job = j->queue;
    if (job) j->queue = job->next;
    return job;
}

/* Whether a job was still in the queue. */
static bool take_out(jit *j, const jit_job *job)
{
    for (jit_job **at = &j->queue; *at; at = &(*at)->next)
        if (*at == job) {
            *at = job->next;
            return true;
        }
    return false;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Begins the end of a thread; whoever calls has the lock, and gives it up. A thread that ends waits
 * for the one that ended before it, so that who waits for the last has waited for all: no thread is
 * still in the library when this may be unloaded, or in malloc when the program forks. */
static void leave(jit *j)
{
    const bool follows = j->has_ended;
    const pthread_t before = j->last_ended;
    j->last_ended = pthread_self();
    j->has_ended = true;
    pthread_cond_broadcast(&j->ended);
    pthread_mutex_unlock(&j->lock);
    if (follows) pthread_join(before, NULL);
}

static void do_job(jit *j, jit_job *job)
{
    job->outcome = atomic_load(&job->stop) ? JIT_STOPPED : jit_work_do(j, &job->work);
}

/* Works until the queue is empty. Once `running` is less nothing of the jit may be touched but its
 * lock, which jit_close takes. */
static void *run(void *data)
{
    jit *j = data;
    jit_job *job;
    pthread_mutex_lock(&j->lock);
    while ((job = take_first(j))) {
        pthread_mutex_unlock(&j->lock);
        do_job(j, job);
        pthread_mutex_lock(&j->lock);
        atomic_store(&job->done, true);
        pthread_cond_broadcast(&j->ended);
    }
    j->running--;
    leave(j);
    return NULL;
}

/* Works on one job. */
static void *run_alone(void *data)
{
    jit_job *job = data;
    jit *j = job->jit;
    do_job(j, job);
    pthread_mutex_lock(&j->lock);
    atomic_store(&job->done, true); /* from here on the job may be freed */
    j->beside--;
    leave(j);
    return NULL;
}

/* A thread that receives no signals: they are for the program's own. */
static bool start_thread(void *(*work)(void *), void *data)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, work, data) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* Where no thread can be had and none runs, the work is done at once. */
static void enqueue(jit *j, jit_job *job)
{
    pthread_mutex_lock(&j->lock);
    append(j, job);
    bool more = j->running < j->most, alone = false;
    if (more) {
        j->running++; /* for a thread that may see the jit before it is counted otherwise */
        bool started = start_thread(run, j);
        if (!started) j->running--;
        alone = !started && j->running == 0;
    }
    if (alone) take_out(j, job);
    pthread_mutex_unlock(&j->lock);
    if (!alone) return;
    do_job(j, job);
    atomic_store(&job->done, true);
}

static void start_alone(jit *j, jit_job *job)
{
    pthread_mutex_lock(&j->lock);
    bool started = start_thread(run_alone, job);
    j->beside += started;
    if (!started) job->outcome = JIT_NO_MEMORY;
    if (!started) atomic_store(&job->done, true);
    pthread_mutex_unlock(&j->lock);
}

void jit_wait_for_threads(jit *j)
{
    pthread_mutex_lock(&j->lock);
    while (j->running || j->beside) pthread_cond_wait(&j->ended, &j->lock);
    const bool any = j->has_ended;
    j->has_ended = false;
    pthread_mutex_unlock(&j->lock);
    if (any) pthread_join(j->last_ended, NULL);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

kata_status jit_start(jit *j, text *c_text, const jit_function *functions, size_t count,
                      jit_urgency urgency, messages *m, jit_job **out)
{
    jit_job *job = calloc(1, sizeof *job);
    if (!job || !(job->functions = calloc(count + 1, sizeof *functions)) || !j->compiler.path) {
        text_free(c_text);
        if (job) free_job(job);
        return j->compiler.path ? message_no_memory(m) : jit_report_no_compiler(j, NULL, m);
    }
    jit_adopt(j);
    memcpy(job->functions, functions, count * sizeof *functions);
    job->jit = j;
    job->owner = getpid();
    job->c_text = *c_text;
    *c_text = (text){0};
    job->work = (jit_work){.c_text = job->c_text.data,
                           .length = job->c_text.length,
                           .functions = job->functions,
                           .count = count,
                           .portable = j->portable,
                           .effort = count > 0 ? functions[0].effort : JIT_FULL,
                           .low_priority = urgency == JIT_LATER,
                           .stop = &job->stop};
    if (urgency == JIT_LATER)
        start_alone(j, job);
    else
        enqueue(j, job);
    *out = job;
    return KATA_OK;
}

bool jit_is_lost(const jit_job *job) { return job->owner != getpid(); }

bool jit_is_done(const jit_job *job) { return atomic_load(&job->done) || jit_is_lost(job); }

/* Waits until a job is done; where it is another process's, begins anew. */
static void complete(jit *j, jit_job *job)
{
    if (job->owner != getpid()) {
        jit_adopt(j);
        job->work.handle = NULL;
        job->work.report = (text){0};
        job->outcome = jit_work_do(j, &job->work);
        return;
    }
    pthread_mutex_lock(&j->lock);
    while (!atomic_load(&job->done)) pthread_cond_wait(&j->ended, &j->lock);
    pthread_mutex_unlock(&j->lock);
}

kata_status jit_finish(jit *j, jit_job *job, messages *m, void **library)
{
    complete(j, job);
    kata_status status = jit_work_end(j, &job->work, job->outcome, m);
    if (status == KATA_OK) *library = job->work.handle;
    free_job(job);
    return status;
}

void jit_stop(jit *j, jit_job *job)
{
    if (job->owner != getpid()) return;
    pthread_mutex_lock(&j->lock);
    atomic_store(&job->stop, true);
    if (take_out(j, job)) {
        job->outcome = JIT_STOPPED;
        atomic_store(&job->done, true);
    }
    pthread_cond_broadcast(&j->ended);
    pthread_mutex_unlock(&j->lock);
}

void jit_drop(jit *j, jit_job *job)
{
    jit_stop(j, job);
    if (job->owner == getpid()) {
        complete(j, job);
        if (job->outcome == JIT_LOADED) jit_library_unload(job->work.handle);
    }
    free_job(job);
}
