/* Threads that move pieces between memory and files. The pieces of a move go to whichever thread is
 * free: a disk is fast when it is asked for several at once. */
#include "port/spill_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4 };

typedef struct piece {
    bool out;
    port_file *file;
    size_t place, bytes;
    char *memory;
} piece;

struct port {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t threads[THREADS]; /* of the process `owner`, and of none that it has forked */
    pid_t owner;
    int thread_count;
    piece *pieces; /* from `first` on they wait for a thread */
    size_t first, count, capacity;
    int busy[2]; /* pieces that are not done yet, by direction */
    size_t moved[2];
    port_failure failure; /* error 0: none */
    bool ends;
    double rate, next;  /* bytes per second; when the pieces that were taken may have ended */
    double busy_since;  /* where pieces are not done */
    double busy_before; /* seconds before that */
};

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Moves all of a piece; an error number of the system. */
static int move_bytes(const piece *p)
{
    for (size_t done = 0; done < p->bytes;) {
        off_t place = (off_t)(p->place + done);
        ssize_t n = p->out ? pwrite(p->file->direct, p->memory + done, p->bytes - done, place)
                           : pread(p->file->direct, p->memory + done, p->bytes - done, place);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n ? errno : EIO;
        done += (size_t)n;
    }
    return 0;
}

/* As port_failure says. */
static int move(const piece *p)
{
    if (p->out) spill_sums_note(p->file, p->place, p->memory, p->bytes);
    int error = move_bytes(p);
    bool damaged = !p->out && !error && !spill_sums_agree(p->file, p->place, p->memory, p->bytes);
    return damaged ? PORT_DAMAGED : error;
}

static void sleep_until(double time)
{
    double left = time - clock_seconds();
    if (left <= 0) return;
    struct timespec wait = {.tv_sec = (time_t)left};
    wait.tv_nsec = (long)((left - (double)wait.tv_sec) * 1e9);
    nanosleep(&wait, NULL);
}

/* When a piece ends at the earliest. A thread that is late does not make the port slower: the next
 * ones follow on what was to be. The lock is held. */
static double end_of(port *p, size_t bytes)
{
    return p->rate > 0 ? p->next += (double)bytes / p->rate : 0;
}

static bool is_busy(const port *p) { return p->busy[false] || p->busy[true]; }

static void *work(void *data)
{
    port *p = data;
    if (p->rate > 0) prctl(PR_SET_TIMERSLACK, 1000UL); /* nanoseconds: sleeps end in time */
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->ends && p->first == p->count) pthread_cond_wait(&p->work, &p->lock);
        if (p->first == p->count) break;
        piece own = p->pieces[p->first++];
        double end = end_of(p, own.bytes);
        bool failed = p->failure.error;
        pthread_mutex_unlock(&p->lock);
        int error = failed ? 0 : move(&own);
        sleep_until(end);
        pthread_mutex_lock(&p->lock);
        if (error && !p->failure.error)
            p->failure = (port_failure){own.out, own.file, own.place, own.bytes, error};
        p->moved[own.out] += own.bytes;
        if (!--p->busy[own.out]) pthread_cond_broadcast(&p->done);
        if (!is_busy(p)) p->busy_before += clock_seconds() - p->busy_since;
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- the port -------------------------------------------------------------------------------- */

port *port_open(double rate)
{
    port *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->rate = rate;
    p->owner = getpid();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    while (p->thread_count < THREADS &&
           !pthread_create(&p->threads[p->thread_count], NULL, work, p))
        p->thread_count++;
    if (p->thread_count) return p;
    port_close(p);
    return NULL;
}

void port_close(port *p)
{
    if (!p || p->owner != getpid()) return;
    pthread_mutex_lock(&p->lock);
    p->ends = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->thread_count; i++) pthread_join(p->threads[i], NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    free(p->pieces);
    free(p);
}

/* Adds a piece; the lock is held. */
static bool add(port *p, const piece *one)
{
    void *pieces = p->pieces;
    if (p->first == p->count) p->first = p->count = 0;
    if (!vector_reserve(&pieces, &p->capacity, p->count + 1, sizeof *p->pieces)) return false;
    p->pieces = pieces;
    if (!is_busy(p)) p->busy_since = p->next = clock_seconds();
    p->pieces[p->count++] = *one;
    p->busy[one->out]++;
    return true;
}

bool port_start(port *p, bool out, port_file *file, size_t place, void *memory, size_t bytes)
{
    bool done = true;
    pthread_mutex_lock(&p->lock);
    for (size_t at = 0, step; at < bytes && done; at += step) {
        step = spill_piece(file, place + at, bytes - at);
        done = add(p, &(piece){.out = out,
                               .file = file,
                               .place = place + at,
                               .bytes = step,
                               .memory = (char *)memory + at});
    }
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    return done;
}

bool port_wait(port *p, bool out)
{
    pthread_mutex_lock(&p->lock);
    while (p->busy[out]) pthread_cond_wait(&p->done, &p->lock);
    bool good = !p->failure.error;
    pthread_mutex_unlock(&p->lock);
    return good;
}

bool port_failed(port *p, port_failure *failure)
{
    pthread_mutex_lock(&p->lock);
    *failure = p->failure;
    p->failure = (port_failure){.error = 0};
    pthread_mutex_unlock(&p->lock);
    return failure->error;
}

size_t port_moved(const port *p, bool out) { return p->moved[out]; }

double port_busy(port *p)
{
    pthread_mutex_lock(&p->lock);
    double busy = p->busy_before + (is_busy(p) ? clock_seconds() - p->busy_since : 0);
    pthread_mutex_unlock(&p->lock);
    return busy;
}
