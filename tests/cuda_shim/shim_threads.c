/* The threads of a block take turns on one thread of the processor.
 *
 * A fiber is a stack on which threads run. It runs one after another until one waits; then it is
 * that thread's, and others go on with another fiber. So the threads of a kernel that never waits
 * are plain calls. When no thread can run any more, those are released that have waited for each
 * other: all of the block at one barrier, or the lanes of a warp that have named each other. */
#include "cuda_shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 1024, STACK = 1 << 20, PAGE = 4096 };

typedef enum state { NEW, READY, AT_BARRIER, AT_EXCHANGE, ENDED } state;

typedef struct thread {
    state state;
    struct fiber *fiber;
    shim_size at;
    int line; /* of the text, where it waits */
    /* of an exchange: */
    unsigned lanes;
    unsigned long long value, result;
    int source;
    bool votes;
} thread;

typedef struct fiber {
    shim_turn turn;
    unsigned char *stack; /* behind a page that nobody may touch */
    bool is_started;
    thread *thread; /* NULL: it is free */
} fiber;

static thread threads[MOST];
static fiber fibers[MOST];
static int count, next; /* of the block; how many of them have begun */
static bool from_last;  /* in which order */
static fiber *running;
static shim_turn scheduler;
static const shim_launch *now;

/* ---- in a thread ----------------------------------------------------------------------------- */

static thread *in_order(int number) { return &threads[from_last ? count - 1 - number : number]; }

static void work(void)
{
    for (;;) {
        fiber *own = running;
        while (next < count) {
            thread *t = in_order(next++);
            own->thread = t;
            t->fiber = own;
            now->function->calls->thread = t->at;
            now->function->entry->run(now->arguments);
            t->state = ENDED;
        }
        own->thread = NULL;
        shim_turn_change(&own->turn, &scheduler);
    }
}

static thread *wait_here(state where, int line)
{
    fiber *own = running;
    thread *t = own->thread;
    t->state = where;
    t->line = line;
    shim_turn_change(&own->turn, &scheduler);
    now->function->calls->thread = t->at;
    return t;
}

static void wait_for_block(int line) { wait_here(AT_BARRIER, line); }

static unsigned long long exchange(int line, unsigned lanes, unsigned long long value, int source)
{
    thread *t = running->thread;
    t->lanes = lanes;
    t->value = value;
    t->source = source;
    t->votes = false;
    return wait_here(AT_EXCHANGE, line)->result;
}

static unsigned long long vote(int line, unsigned lanes, unsigned long long value)
{
    thread *t = running->thread;
    t->lanes = lanes;
    t->value = value;
    t->votes = true;
    return wait_here(AT_EXCHANGE, line)->result;
}

void shim_calls_set(shim_calls *calls)
{
    calls->wait = wait_for_block;
    calls->exchange = exchange;
    calls->vote = vote;
}

/* ---- fibers ---------------------------------------------------------------------------------- */

static void give_stack(fiber *f)
{
    unsigned char *all = mmap(NULL, STACK + PAGE, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (all == MAP_FAILED || mprotect(all, PAGE, PROT_NONE) != 0) abort();
    f->stack = all + PAGE;
}

static fiber *free_fiber(void)
{
    int i = 0;
    while (fibers[i].thread) i++;
    if (!fibers[i].stack) give_stack(&fibers[i]);
    if (!fibers[i].is_started) shim_turn_begin(&fibers[i].turn, fibers[i].stack, STACK, work);
    fibers[i].is_started = true;
    return &fibers[i];
}

static void resume(fiber *f)
{
    running = f;
    shim_turn_change(&scheduler, &f->turn);
    running = NULL;
}

void shim_threads_drop(void)
{
    for (int i = 0; i < MOST; i++) {
        fibers[i].is_started = false;
        fibers[i].thread = NULL;
    }
    running = NULL;
}

bool shim_threads_own(const void *address)
{
    const unsigned char *p = address;
    for (int i = 0; i < MOST; i++) {
        if (fibers[i].stack && p < fibers[i].stack && p >= fibers[i].stack - PAGE) return true;
    }
    return false;
}

/* ---- releasing those that wait --------------------------------------------------------------- */

static unsigned long long result_of(const thread *t, const thread *warp, int size)
{
    if (!t->votes) {
        const int source = t->source & (SHIM_WARP - 1);
        const bool there = source < size && t->lanes >> source & 1u && warp[source].state != ENDED;
        return there ? warp[source].value : 0xa5a5a5a5a5a5a5a5; /* anything, by CUDA */
    }
    unsigned long long bits = 0;
    for (int lane = 0; lane < size; lane++) {
        const bool counts = t->lanes >> lane & 1u && warp[lane].state != ENDED;
        if (counts && warp[lane].value) bits |= 1ull << lane;
    }
    return bits;
}

/* Whether all that a thread waits for wait for it in the same line. */
static bool is_complete(const thread *t, const thread *warp, int size)
{
    if (!(t->lanes >> (t - warp) & 1u)) return false; /* it must name itself */
    for (int lane = 0; lane < size; lane++) {
        const thread *other = &warp[lane];
        if (!(t->lanes >> lane & 1u) || other->state == ENDED) continue;
        if (other->state != AT_EXCHANGE || other->lanes != t->lanes || other->line != t->line ||
            other->votes != t->votes)
            return false;
    }
    return true;
}

static bool release_warp(thread *warp, int size)
{
    bool complete[SHIM_WARP] = {false}, some = false;
    for (int lane = 0; lane < size; lane++) {
        if (warp[lane].state != AT_EXCHANGE) continue;
        complete[lane] = is_complete(&warp[lane], warp, size);
        if (complete[lane]) warp[lane].result = result_of(&warp[lane], warp, size);
    }
    for (int lane = 0; lane < size; lane++) {
        if (!complete[lane]) continue;
        warp[lane].state = READY;
        some = true;
    }
    return some;
}

static int count_in(state where)
{
    int found = 0;
    for (int i = 0; i < count; i++) found += threads[i].state == where;
    return found;
}

static bool release_block(void)
{
    for (int i = 0; i < count; i++) {
        if (threads[i].state != AT_BARRIER || threads[i].line != threads[0].line) return false;
    }
    for (int i = 0; i < count; i++) threads[i].state = READY;
    return true;
}

static bool release(void)
{
    bool some = false;
    for (int first = 0; first < count; first += SHIM_WARP) {
        const int size = count - first < SHIM_WARP ? count - first : SHIM_WARP;
        if (release_warp(&threads[first], size)) some = true;
    }
    return some || release_block();
}

static void describe_waiting(char words[200])
{
    const thread *one = NULL, *other = NULL;
    for (int i = 0; i < count; i++) {
        if (threads[i].state == ENDED) continue;
        if (!one)
            one = &threads[i];
        else if (threads[i].line != one->line)
            other = &threads[i];
    }
    int written =
        snprintf(words, 200,
                 "threads wait for others for ever: %d at barriers, %d for lanes, "
                 "%d have ended; one in line %d",
                 count_in(AT_BARRIER), count_in(AT_EXCHANGE), count_in(ENDED), one ? one->line : 0);
    if (other && written > 0 && written < 200)
        snprintf(words + written, 200 - (size_t)written, ", another in line %d", other->line);
}

/* ---- a block --------------------------------------------------------------------------------- */

static void begin(const shim_launch *launch, bool descending)
{
    const shim_size size = launch->threads;
    now = launch;
    from_last = descending;
    next = count = 0;
    for (unsigned z = 0; z < size.z; z++) {
        for (unsigned y = 0; y < size.y; y++) {
            for (unsigned x = 0; x < size.x; x++)
                threads[count++] = (thread){.state = NEW, .at = {x, y, z}};
        }
    }
}

bool shim_threads_run(const shim_launch *launch, bool descending, char words[200])
{
    begin(launch, descending);
    while (next < count) resume(free_fiber());
    while (count_in(ENDED) < count) {
        if (!release()) {
            describe_waiting(words);
            shim_threads_drop();
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (in_order(i)->state == READY) resume(in_order(i)->fiber);
        }
    }
    return true;
}
