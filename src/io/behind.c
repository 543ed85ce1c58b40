/* Files that are written behind: a thread writes them while the program goes on.
 *
 * An output is a function, which writes a file from a source of values, and the pieces of values
 * that the program has copied for it. The thread takes outputs in the order in which they were
 * begun, and the pieces of each in their order: so the files are those that the program would have
 * written itself. Pieces that were written are used again. All pieces together take no more than a
 * limit: beyond it the program waits until the thread has written some. It never waits for ever,
 * since outputs before the last one have all their pieces, and the last one uses up what it has.
 *
 * What is queued is written before the process exits. A process made by fork has no such thread:
 * what was queued is its parent's, which writes it. */
#include "io/write_hdf5.h"

#include "base/rounding.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* Charged for each piece and each output beside their values. */
enum { OVERHEAD = 1024 };

typedef struct piece {
    struct piece *next;
    size_t room, bytes; /* for values; charged */
    int64_t count;      /* points */
    char *values;
} piece;

typedef struct job {
    struct job *next;
    struct io_behind *behind;
    io_output output;
    piece *first, *last, *current; /* to be written; being written */
    bool complete;                 /* no more pieces will come */
    bool over;                     /* no more pieces are wanted */
} job;

struct io_behind {
    size_t most, held, kept; /* bytes: the limit; charged now; of spare pieces */
    int pieces;              /* with the thread or the program */
    pthread_t thread;
    pid_t owner;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    job *first, *last; /* the first one is being written */
    piece *given;      /* to the program, for the last output: not yet added */
    piece *spare;
    bool stop; /* the thread ends when it has written everything; no more pieces will come */
    bool ended;
    atomic_bool failed;
    messages error; /* the first since it was last taken */
    struct io_behind *next;
};

/* ---- all of the process ---------------------------------------------------------------------- */

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct io_behind *all;
static bool ends_all;

static void lock_all(void) { pthread_mutex_lock(&all_lock); }
static void unlock_all(void) { pthread_mutex_unlock(&all_lock); }

/* A process made by fork finds the list free. */
static void watch_forks(void) { pthread_atfork(lock_all, unlock_all, unlock_all); }

/* Lets the thread write what is queued, and end; once it has ended, nothing happens. */
static void finish(struct io_behind *b)
{
    pthread_mutex_lock(&b->lock);
    b->stop = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    if (!b->ended) pthread_join(b->thread, NULL);
    b->ended = true;
}

/* When the program ends. */
static void finish_all(void)
{
    lock_all();
    for (struct io_behind *b = all; b; b = b->next)
        if (b->owner == getpid()) finish(b);
    unlock_all();
}

static void enlist(struct io_behind *b)
{
    static pthread_once_t forks = PTHREAD_ONCE_INIT;
    io_hdf5_start(); /* what begins later ends earlier: HDF5 is there until the last file is */
    pthread_once(&forks, watch_forks); /* later than HDF5's: this lock is taken before that one */
    lock_all();
    if (!ends_all) ends_all = atexit(finish_all) == 0;
    b->next = all;
    all = b;
    unlock_all();
}

static void delist(const struct io_behind *b)
{
    lock_all();
    for (struct io_behind **at = &all; *at; at = &(*at)->next)
        if (*at == b) {
            *at = b->next;
            break;
        }
    unlock_all();
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void free_pieces(piece *p)
{
    while (p) {
        piece *next = p->next;
        free(p->values);
        free(p);
        p = next;
    }
}

/* Takes back a piece that is not needed any more; NULL: nothing. */
static void take_back(struct io_behind *b, piece *p)
{
    if (!p) return;
    b->held -= p->bytes;
    b->pieces--;
    b->kept += p->room;
    p->next = b->spare;
    b->spare = p;
    pthread_cond_broadcast(&b->changed);
}

static piece *take_spare(struct io_behind *b)
{
    piece *p = b->spare;
    if (!p) return NULL;
    b->spare = p->next;
    b->kept -= p->room;
    p->next = NULL;
    return p;
}

static piece *new_piece(size_t bytes)
{
    piece *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->values = malloc(bytes);
    p->room = bytes;
    if (p->values) return p;
    free(p);
    return NULL;
}

/* A spare piece of the right size, or a new one; NULL when memory is out. Spare ones and those in
 * use stay below the limit together. */
static piece *find_piece(struct io_behind *b, size_t bytes)
{
    piece *p = take_spare(b);
    if (p && p->room >= bytes && p->room / 2 <= bytes) return p;
    free_pieces(p);
    while (b->spare && b->held + b->kept > b->most) free_pieces(take_spare(b));
    return new_piece(bytes);
}

/* What the thread's outputs take their values from. */
static int64_t take(void *data, int i, int64_t first, const void **values)
{
    (void)i, (void)first; /* pieces come in their order */
    job *j = data;
    struct io_behind *b = j->behind;
    pthread_mutex_lock(&b->lock);
    take_back(b, j->current);
    while (!j->first && !j->complete && !b->stop) pthread_cond_wait(&b->changed, &b->lock);
    piece *p = j->current = j->first;
    if (p) j->first = p->next;
    if (!j->first) j->last = NULL;
    pthread_mutex_unlock(&b->lock);
    if (p) *values = p->values;
    return p ? p->count : 0;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void free_job(job *j)
{
    j->output.free(j->output.data);
    free(j);
}

/* Gives back the pieces that an output has left, and waits for those that it will still get. */
static void use_up(struct io_behind *b, job *j)
{
    take_back(b, j->current);
    j->current = NULL;
    while (true) {
        while (j->first) {
            piece *p = j->first;
            j->first = p->next;
            take_back(b, p);
        }
        j->last = NULL;
        if (j->complete || b->stop) return;
        pthread_cond_wait(&b->changed, &b->lock);
    }
}

static void note_error(struct io_behind *b, const messages *m)
{
    if (!m->status || b->error.status) return;
    message_repeat(&b->error, m->status, text_get(&m->body));
    atomic_store(&b->failed, true);
}

static void write_job(struct io_behind *b, job *j)
{
    const io_source source = {.data = j, .take = take};
    messages m = {.silent = true};
    j->output.write(j->output.data, &source, &m);
    pthread_mutex_lock(&b->lock);
    j->over = true;
    use_up(b, j);
    note_error(b, &m);
    b->held -= OVERHEAD;
    b->first = j->next;
    if (!b->first) b->last = NULL;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    message_free(&m);
    free_job(j);
}

static job *wait_for_job(struct io_behind *b)
{
    pthread_mutex_lock(&b->lock);
    while (!b->first && !b->stop) pthread_cond_wait(&b->changed, &b->lock);
    job *j = b->first;
    pthread_mutex_unlock(&b->lock);
    return j;
}

static void *run(void *data)
{
    struct io_behind *b = data;
    rounding_environment own;
    job *j;
    rounding_enter(&own); /* colours are computed */
    while ((j = wait_for_job(b))) write_job(b, j);
    return NULL;
}

static bool start_thread(struct io_behind *b)
{
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before); /* signals are for the program's threads */
    bool started = !pthread_create(&b->thread, NULL, run, b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

io_behind *io_behind_new(int64_t most)
{
    struct io_behind *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->most = (size_t)most;
    b->owner = getpid();
    b->error.silent = true;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    enlist(b);
    if (start_thread(b)) return b;
    delist(b);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
    return NULL;
}

bool io_behind_is_here(const io_behind *b) { return b && b->owner == getpid() && !b->ended; }

/* That of a parent stays: its lock may be held. */
void io_behind_free(io_behind *b)
{
    if (!io_behind_is_here(b)) return;
    delist(b);
    finish(b);
    if (b->given) free_pieces(b->given);
    free_pieces(b->spare);
    message_free(&b->error);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* Waits until more fits below the limit; the lock is held. A piece fits where there is no other. */
static void wait_for_room(struct io_behind *b, size_t bytes)
{
    while (b->pieces && b->held + bytes > b->most && !b->stop)
        pthread_cond_wait(&b->changed, &b->lock);
    b->held += bytes;
}

bool io_behind_begin(io_behind *b, const io_output *output)
{
    job *j = calloc(1, sizeof *j);
    if (!j) return false;
    *j = (job){.behind = b, .output = *output};
    pthread_mutex_lock(&b->lock);
    wait_for_room(b, OVERHEAD);
    if (b->last) b->last->next = j;
    b->last = j;
    if (!b->first) b->first = j;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return true;
}

bool io_behind_wants_more(io_behind *b)
{
    pthread_mutex_lock(&b->lock);
    const bool wants = !b->stop && b->last && !b->last->over;
    pthread_mutex_unlock(&b->lock);
    return wants;
}

void *io_behind_room(io_behind *b, size_t bytes)
{
    pthread_mutex_lock(&b->lock);
    wait_for_room(b, bytes + OVERHEAD);
    piece *p = b->given = find_piece(b, bytes);
    if (p) p->bytes = bytes + OVERHEAD;
    if (p)
        b->pieces++;
    else
        b->held -= bytes + OVERHEAD;
    pthread_mutex_unlock(&b->lock);
    return p ? p->values : NULL;
}

void io_behind_add(io_behind *b, int64_t count)
{
    pthread_mutex_lock(&b->lock);
    piece *p = b->given;
    job *j = b->stop ? NULL : b->last; /* the program ends: nothing is added any more */
    b->given = NULL;
    p->count = count;
    if (!j) take_back(b, p);
    if (j && j->last) j->last->next = p;
    if (j) j->last = p;
    if (j && !j->first) j->first = p;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

void io_behind_end(io_behind *b)
{
    pthread_mutex_lock(&b->lock);
    if (!b->stop) b->last->complete = true;
    take_back(b, b->given);
    b->given = NULL;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

void io_behind_wait(io_behind *b)
{
    if (!io_behind_is_here(b)) return;
    pthread_mutex_lock(&b->lock);
    while (b->first) pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

kata_status io_behind_take_error(io_behind *b, messages *m)
{
    if (!io_behind_is_here(b) || !atomic_load(&b->failed)) return KATA_OK;
    pthread_mutex_lock(&b->lock);
    kata_status status = message_repeat(m, b->error.status, text_get(&b->error.body));
    message_clear(&b->error);
    atomic_store(&b->failed, false);
    pthread_mutex_unlock(&b->lock);
    return status;
}
