/* What a chain of a random world makes when it runs: values, or a message. For tests that compare
 * executors. */
#ifndef PLAN_OUTCOME_H
#define PLAN_OUTCOME_H

#include "plan_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct said {
    char words[2048];
} said;

static inline void keep_words(void *data, kata_status status, const char *message)
{
    said *s = data;
    (void)status;
    snprintf(s->words, sizeof s->words, "%s", message);
}

/* What a run makes: values, or a message. */
typedef struct outcome {
    kata_status status;
    uint64_t *values;
    size_t count;
    said said;
} outcome;

static inline void begin_run(world *w, outcome *o)
{
    *o = (outcome){0};
    world_reset(w);
    message_clear(&w->m);
    w->m.handler = keep_words;
    w->m.handler_data = &o->said;
}

static inline void end_run(world *w, outcome *o)
{
    if (o->status == KATA_OK) o->values = world_values(w, &o->count);
}

static inline bool is_same(const outcome *a, const outcome *b)
{
    if (a->status != b->status || strcmp(a->said.words, b->said.words) != 0) return false;
    return a->count == b->count &&
           (!a->count || !memcmp(a->values, b->values, a->count * sizeof *a->values));
}

static inline void show(const world *w, const plan *p, const analysis_chain *a)
{
    text shown = {0};
    chain_print(&shown, &w->chain);
    plan_print(&shown, p, a);
    fprintf(stderr, "%s\n", text_get(&shown));
    text_free(&shown);
}

#endif
