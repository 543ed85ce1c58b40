/* Compiling beside the program. A job is a thread that waits for its turn, runs a compiler and
 * loads what it made. It reads of its jit what does not change, or what is guarded by the lock, and
 * touches no messages: jit_finish, on the program's thread, does.
 *
 * A process made by fork has no such threads. There a job is done when it is asked for. */
#include "jit/jit_private.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct jit_job {
    jit *j;
    text c_text;
    jit_function *functions;
    jit_work work;
    jit_outcome outcome;
    _Atomic bool stop, done;
    bool has_thread;
    pid_t owner;
    pthread_t thread;
};

static void free_job(jit_job *job)
{
    text_free(&job->c_text);
    text_free(&job->work.report);
    free(job->functions);
    free(job);
}

static void *run(void *data)
{
    jit_job *job = data;
    jit *j = job->j;
    pthread_mutex_lock(&j->lock);
    while (j->running >= j->most && !atomic_load(&job->stop))
        pthread_cond_wait(&j->ended, &j->lock);
    j->running++;
    pthread_mutex_unlock(&j->lock);
    job->outcome = atomic_load(&job->stop) ? JIT_STOPPED : jit_work_do(j, &job->work);
    pthread_mutex_lock(&j->lock);
    j->running--;
    pthread_cond_broadcast(&j->ended);
    pthread_mutex_unlock(&j->lock);
    atomic_store(&job->done, true);
    return NULL;
}

/* On a thread that receives no signals: they are for the program's own. */
static void begin(jit_job *job)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    job->has_thread = pthread_create(&job->thread, NULL, run, job) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!job->has_thread) run(job);
}

kata_status jit_start(jit *j, text *c_text, const jit_function *functions, size_t count,
                      messages *m, jit_job **out)
{
    jit_job *job = calloc(1, sizeof *job);
    if (!job || !(job->functions = calloc(count + 1, sizeof *functions)) || !j->compiler.path) {
        text_free(c_text);
        if (job) free_job(job);
        return j->compiler.path ? message_no_memory(m) : jit_report_no_compiler(j, m);
    }
    jit_adopt(j);
    memcpy(job->functions, functions, count * sizeof *functions);
    job->j = j;
    job->owner = getpid();
    job->c_text = *c_text;
    *c_text = (text){0};
    job->work = (jit_work){.c_text = job->c_text.data,
                           .length = job->c_text.length,
                           .functions = job->functions,
                           .count = count,
                           .portable = j->portable,
                           .brief = count > 0 && job->functions[0].brief,
                           .stop = &job->stop};
    begin(job);
    *out = job;
    return KATA_OK;
}

bool jit_is_done(const jit_job *job) { return atomic_load(&job->done) || job->owner != getpid(); }

/* Waits for the thread; where it is in another process, begins anew. */
static void complete(jit *j, jit_job *job)
{
    if (job->owner == getpid()) {
        if (job->has_thread) pthread_join(job->thread, NULL);
        return;
    }
    jit_adopt(j);
    job->work.handle = NULL;
    job->work.report = (text){0};
    job->outcome = jit_work_do(j, &job->work);
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
    pthread_cond_broadcast(&j->ended);
    pthread_mutex_unlock(&j->lock);
}

void jit_drop(jit *j, jit_job *job)
{
    jit_stop(j, job);
    if (job->owner == getpid()) {
        if (job->has_thread) pthread_join(job->thread, NULL);
        if (job->outcome == JIT_LOADED) jit_library_unload(job->work.handle);
    }
    free_job(job);
}
