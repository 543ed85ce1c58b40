/* The clock of an emulated machine. Each sibling has a core, which does its operations in order,
 * and an engine, which makes transfers in the order in which they were started. Engines that move
 * share the rate of the global memory equally. Time goes on from event to event: a core is ready
 * again, or an engine has moved what it had to. */
#include "machine/machine.h"

#include <math.h>
#include <stdlib.h>

typedef struct sibling {
    size_t next, end; /* operations: what the core does next */
    size_t moving;    /* the transfer that the engine makes, or the next operation to look at */
    bool moves;       /* the engine makes one */
    double left;      /* bytes of it */
    double rate;      /* at which it moves now */
    double ready;     /* when the core goes on; INFINITY: it waits for transfers */
    double computing, busy; /* seconds so far */
} sibling;

typedef struct clock_state {
    const machine_emulated *m;
    machine_program *p;
    sibling *siblings;
    double *known; /* per operation that waits: when the last of its transfers is known to end */
    double now;
} clock_state;

static bool is_transfer(const machine_operation *o)
{
    return o->act == MACHINE_GET || o->act == MACHINE_PUT;
}

/* ---- cores ------------------------------------------------------------------------------------
 */

/* Does one operation; false where the core has to wait for transfers. */
static bool do_operation(clock_state *c, sibling *s)
{
    machine_operation *o = &c->p->operations[s->next];
    if (o->act == MACHINE_AWAIT && o->amount > 0) return false;
    double takes = o->act == MACHINE_COMPUTE ? o->amount : is_transfer(o) ? c->m->issue : 0;
    if (o->act == MACHINE_AWAIT) takes = fmax(c->known[s->next] - c->now, 0);
    if (o->act == MACHINE_COMPUTE) s->computing += takes;
    if (!is_transfer(o)) o->begin = c->now;
    if (!is_transfer(o)) o->end = c->now + takes;
    s->ready = c->now + takes;
    s->next++;
    return true;
}

static void run_core(clock_state *c, sibling *s)
{
    while (s->next < s->end && s->ready <= c->now)
        if (!do_operation(c, s)) {
            s->ready = INFINITY;
            return;
        }
}

/* ---- engines ----------------------------------------------------------------------------------
 */

/* The next transfer that the core has started. */
static void start_engine(clock_state *c, sibling *s)
{
    while (!s->moves && s->moving < s->next) {
        machine_operation *o = &c->p->operations[s->moving];
        s->moves = is_transfer(o);
        if (s->moves) s->left = o->amount;
        if (s->moves) o->begin = c->now;
        if (!s->moves) s->moving++;
    }
}

static void end_transfer(clock_state *c, sibling *s)
{
    machine_operation *o = &c->p->operations[s->moving];
    o->end = c->now;
    s->moves = false;
    s->moving++;
    if (o->awaited == SIZE_MAX) return;
    machine_operation *waits = &c->p->operations[o->awaited];
    double known = c->now + c->m->latency;
    waits->amount--;
    c->known[o->awaited] = fmax(c->known[o->awaited], known);
    bool blocked = s->ready == INFINITY && s->next == o->awaited;
    if (blocked && waits->amount == 0) s->ready = c->now;
}

/* Sets the rates at which engines move now. */
static void share_rate(clock_state *c)
{
    int engines = 0, puts = 0;
    for (int i = 0; i < c->p->siblings; i++) {
        const sibling *s = &c->siblings[i];
        engines += s->moves;
        puts += s->moves && c->p->operations[s->moving].act == MACHINE_PUT;
    }
    for (int i = 0; i < c->p->siblings; i++) {
        sibling *s = &c->siblings[i];
        if (!s->moves) continue;
        const machine_operation *o = &c->p->operations[s->moving];
        bool both = puts && puts < engines;
        const machine_rates *r = both                    ? &c->m->both
                                 : o->act == MACHINE_PUT ? &c->m->put
                                                         : &c->m->get;
        s->rate = machine_rate_at(r, o->length) / engines;
        if (c->m->link > 0) s->rate = fmin(s->rate, c->m->link * c->p->cores);
    }
}

/* ---- events -----------------------------------------------------------------------------------
 */

/* Seconds until the next event; INFINITY: there is none. */
static double find_next(const clock_state *c)
{
    double next = INFINITY;
    for (int i = 0; i < c->p->siblings; i++) {
        const sibling *s = &c->siblings[i];
        if (s->moves) next = fmin(next, s->left / s->rate);
        if (s->ready > c->now) next = fmin(next, s->ready - c->now);
    }
    return next;
}

/* Engines that end at the same time do so in one event, whatever rounding left of their bytes. */
static void go_on(clock_state *c, double seconds)
{
    static const double ROUNDING = 1e-9; /* of a transfer */
    c->now += seconds;
    for (int i = 0; i < c->p->siblings; i++) {
        sibling *s = &c->siblings[i];
        if (!s->moves) continue;
        s->left -= s->rate * seconds;
        s->busy += seconds;
        if (s->left <= ROUNDING * c->p->operations[s->moving].amount) end_transfer(c, s);
    }
}

static void run_events(clock_state *c)
{
    double next = 0;
    while (next < INFINITY) {
        go_on(c, next);
        for (int i = 0; i < c->p->siblings; i++) {
            run_core(c, &c->siblings[i]);
            start_engine(c, &c->siblings[i]);
        }
        share_rate(c);
        next = find_next(c);
    }
}

bool machine_clock(const machine_emulated *m, machine_program *p, machine_time *out)
{
    clock_state c = {.m = m, .p = p};
    c.siblings = calloc((size_t)p->siblings + 1, sizeof *c.siblings);
    c.known = calloc(p->count + 1, sizeof *c.known);
    *out = (machine_time){0};
    for (int i = 0; c.siblings && i < p->siblings; i++) {
        sibling *s = &c.siblings[i];
        s->next = s->moving = p->first[i];
        s->end = p->first[i + 1];
    }
    if (c.siblings && c.known) run_events(&c);
    for (int i = 0; c.siblings && i < p->siblings; i++) {
        out->computing += c.siblings[i].computing / p->siblings;
        out->moving += c.siblings[i].busy / p->siblings;
    }
    out->seconds = c.now;
    bool done = c.siblings && c.known;
    free(c.siblings);
    free(c.known);
    return done;
}
