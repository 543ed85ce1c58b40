/* Asks for checkpoints, and finds out when one is due. */
#include "api/checkpoint.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- signals --------------------------------------------------------------------------------- */

enum { SIGNALS = 65 };
static atomic_int signals[SIGNALS]; /* of each number, that have come */

static void note_signal(int number) { atomic_fetch_add(&signals[number], 1); }

/* Contexts that wait for a signal, and what it did before the first of them. A process made by fork
 * finds them free. */
static pthread_mutex_t caught_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t forks = PTHREAD_ONCE_INIT;
static void lock(void) { pthread_mutex_lock(&caught_lock); }
static void unlock(void) { pthread_mutex_unlock(&caught_lock); }
static void watch_forks(void) { pthread_atfork(lock, unlock, unlock); }
static struct caught {
    int contexts;
    struct sigaction before;
} caught[SIGNALS];

static kata_status catch_signal(kata *k, int number)
{
    const struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    bool good = number > 0 && number < SIGNALS;
    pthread_once(&forks, watch_forks);
    lock();
    if (good && !caught[number].contexts)
        good = !sigaction(number, &action, &caught[number].before);
    if (good) caught[number].contexts++;
    unlock();
    return good ? KATA_OK
                : api_fail(k, KATA_ERROR_ARGUMENT, "kata_checkpoint: signal %d cannot be caught",
                           number);
}

/* A handler that the program has set since stays. */
void api_checkpoint_end(kata *k)
{
    const int number = k->checkpoint ? k->checkpoint->signal : 0;
    struct sigaction now;
    if (!number) return;
    lock();
    if (!--caught[number].contexts && !sigaction(number, NULL, &now) &&
        now.sa_handler == note_signal)
        sigaction(number, &caught[number].before, NULL);
    unlock();
}

/* ---- asking ---------------------------------------------------------------------------------- */

static kata_status check(kata *k, const kata_checkpoint_options *o)
{
    static const char call[] = "kata_checkpoint";
    if (k->checkpoint)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the context has checkpoints already, in %s",
                        call, k->checkpoint->path);
    if (!o->path || !*o->path)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the path is %s", call,
                        o->path ? "empty" : "NULL");
    if (o->steps < 0)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: steps is %lld, less than 0", call,
                        (long long)o->steps);
    if (!isfinite(o->minutes) || o->minutes < 0)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: minutes is %g, not a number from 0 on", call,
                        o->minutes);
    return KATA_OK;
}

/* The first rank sees whether the file can be written: its folder is there, and what has its name
 * is a plain file. */
static kata_status check_path(kata *k, const char *path)
{
    kata_status status = KATA_OK;
    int error = exec_rank(&k->exec) == 0 ? file_may_write(path) : 0;
    if (error)
        status = api_fail(k, KATA_ERROR_FILE, "kata_checkpoint: cannot write %s: %s", path,
                          file_reason(error));
    return exec_agree(&k->exec, "kata_checkpoint", status, &k->messages);
}

kata_status kata_checkpoint_with(kata *k, const kata_checkpoint_options *given)
{
    static const api_options kind =
        API_OPTIONS("kata_checkpoint", kata_checkpoint_options,
                    "kata_checkpoint(k, \"run.h5\", .minutes = 10)", signal);
    kata_checkpoint_options o;
    if (!k) return api_null("kata_checkpoint", "the context");
    if (k->messages.status) return k->messages.status;
    if (!given) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_checkpoint: the options are NULL");
    kata_status status = api_options_read(k, &kind, given, &o);
    if (!status) status = check(k, &o);
    if (!status) status = check_path(k, o.path);
    if (status) return status;
    struct api_checkpoint *c = arena_alloc(&k->memory, sizeof *c);
    const char *path = arena_copy_text(&k->memory, o.path, strlen(o.path));
    if (!c || !path) return api_no_memory(k);
    if (o.signal) status = catch_signal(k, o.signal);
    if (status) return status;
    *c = (struct api_checkpoint){.path = path,
                                 .signal = o.signal,
                                 .signals = atomic_load(&signals[o.signal]),
                                 .steps = o.steps,
                                 .seconds = 60 * o.minutes,
                                 .by_time = o.minutes > 0,
                                 .last = clock_seconds()};
    k->checkpoint = c;
    return KATA_OK;
}

kata_status kata_keep(kata *k, const char *name, void *variable, size_t bytes)
{
    static const char call[] = "kata_keep";
    if (!k) return api_null(call, "the context");
    if (k->messages.status) return k->messages.status;
    const char *copy = api_name(k, call, name);
    if (!copy) return k->messages.status;
    if (!variable || !bytes)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: '%s' %s", call, name,
                        variable ? "has no bytes" : "is NULL");
    if (bytes >= CHECKPOINT_MOST_STATE)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: '%s' has %zu bytes; variables have less than 1 GiB", call, name,
                        bytes);
    for (const struct api_kept *v = k->kept; v; v = v->next)
        if (!strcmp(v->name, name))
            return api_fail(k, KATA_ERROR_ARGUMENT, "%s: two variables are called '%s'", call,
                            name);
    struct api_kept *v = arena_alloc(&k->memory, sizeof *v);
    if (!v) return api_no_memory(k);
    *v = (struct api_kept){copy, variable, bytes, k->kept};
    k->kept = v;
    return KATA_OK;
}

kata_status kata_require(kata *k, const char *name, const char *value)
{
    static const char call[] = "kata_require";
    if (!k) return api_null(call, "the context");
    if (k->messages.status) return k->messages.status;
    const char *copy = api_name(k, call, name);
    if (!copy) return k->messages.status;
    if (!value)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the value of '%s' is NULL", call, name);
    const size_t length = strlen(value);
    if (length > CHECKPOINT_MOST_REQUIRED)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: '%s' has %zu letters, more than %d", call,
                        name, length, CHECKPOINT_MOST_REQUIRED);
    for (const struct api_required *r = k->required; r; r = r->next)
        if (!strcmp(r->name, name))
            return api_fail(k, KATA_ERROR_ARGUMENT, "%s: '%s' is required already", call, name);
    struct api_required *r = arena_alloc(&k->memory, sizeof *r);
    const char *text = arena_copy_text(&k->memory, value, length);
    if (!r || !text) return api_no_memory(k);
    *r = (struct api_required){copy, text, k->required};
    k->required = r;
    return KATA_OK;
}

/* ---- when one is due ------------------------------------------------------------------------- */

/* Time and signals are those of the first rank: others hear of it. They ask after a chain has run,
 * which all of them know. */
static kata_status ask_first(kata *k, bool *due)
{
    struct api_checkpoint *c = k->checkpoint;
    char byte = *due, *bytes = &byte;
    size_t count = 1;
    if (exec_ranks_count(&k->exec) == 1) return KATA_OK;
    *due = false;
    if (k->work.chains == c->chains) return KATA_OK;
    c->chains = k->work.chains;
    kata_status status = exec_share(&k->exec, &bytes, &count, &k->messages);
    if (status) return status;
    *due = bytes[0];
    if (bytes != &byte) free(bytes);
    return KATA_OK;
}

static kata_status find_due(kata *k, int64_t step, bool *due)
{
    const struct api_checkpoint *c = k->checkpoint;
    *due = c->steps && step % c->steps == 0;
    if (*due || (!c->by_time && !c->signal)) return KATA_OK;
    *due = (c->signal && atomic_load(&signals[c->signal]) != c->signals) ||
           (c->by_time && clock_seconds() - c->last >= c->seconds);
    return ask_first(k, due);
}

kata_status api_checkpoint_step(kata *k)
{
    struct api_checkpoint *c = k->checkpoint;
    const int64_t step = c->before + k->work.steps;
    bool due;
    kata_status status = find_due(k, step, &due);
    if (status || !due) return status;
    c->signals = atomic_load(&signals[c->signal]);
    double begin = clock_seconds();
    status = api_output_wait(k); /* files have all that the program does not write again */
    if (status) return status;
    status = checkpoint_write(k, step);
    observe_timeline_end(k->exec.timeline, "checkpoint", "checkpoint", begin, NULL);
    c->last = clock_seconds();
    return status;
}
