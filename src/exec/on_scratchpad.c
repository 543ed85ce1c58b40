/* The executor of chains on an emulated machine. Each chain has a plan of the method "scratchpad",
 * or "blocked" where fields stay in the local memories, unless another one is asked for. The plan
 * is verified once, also that its buffers fit a local memory; the machine's clock runs it once; and
 * each time the chain's values move through buffers of these sizes, every access checked. Where
 * another executor is asked for, that one makes the values, and the clock runs alone. */
#include "exec/on_scratchpad.h"
#include "exec/refused.h"
#include "oracle/oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What makes chains equal here: their loops and their plan. 0 when memory is out. */
static uint64_t key_of(const chain *c, const plan *p)
{
    text words = {0};
    plan_print(&words, p, NULL);
    uint64_t key = hash_bytes(text_get(&words), words.length, c->count);
    for (size_t i = 0; i < c->count; i++)
        key = hash_bytes(&c->loops[i].hash, sizeof c->loops[i].hash, key);
    bool failed = words.failed;
    text_free(&words);
    return failed ? 0 : key | 1;
}

static scratchpad_known *find_known(struct exec_scratchpad *s, uint64_t key)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->known[i].key == key) return &s->known[i];
    return NULL;
}

static const char *name_of(const analysis_chain *a, const plan_timed *t)
{
    return a->loops[t->first].loop->kernel->name;
}

/* Adds a chain that was not met before; NULL when memory is out. */
static scratchpad_known *add_known(struct exec_scratchpad *s, uint64_t key, const plan *p,
                                   const analysis_chain *a)
{
    void *known = s->known;
    scratchpad_known new = {.key = key};
    if (!vector_reserve(&known, &s->room, s->count + 1, sizeof *s->known)) return NULL;
    s->known = known;
    if (!plan_find_times(p, a, &s->machine, NULL, &new.times)) {
        plan_times_free(&new.times);
        return NULL;
    }
    new.names = calloc(new.times.count + 1, sizeof *new.names);
    for (size_t i = 0; new.names &&i < new.times.count; i++)
        snprintf(new.names[i], sizeof new.names[i], "%s", name_of(a, &new.times.parts[i]));
    if (new.names) s->known[s->count++] = new;
    if (!new.names) plan_times_free(&new.times);
    return new.names ? &s->known[s->count - 1] : NULL;
}

static const char *method_of(const machine_emulated *m)
{
    return m->local ? "blocked" : "scratchpad";
}

/* Without a global memory nothing comes and goes in turns. */
static kata_status check_method(const exec_context *context, messages *m)
{
    const machine_emulated *machine = &context->scratchpad->machine;
    const char *asked = context->request[0].method;
    if (!machine->local || strcmp(asked, "scratchpad") != 0) return KATA_OK;
    return message_fail(
        m, KATA_ERROR_ARGUMENT,
        "the plan 'scratchpad' does not suit the machine %s: fields stay in its local "
        "memories; 'blocked' does",
        machine->name);
}

/* Nor has a loop that is not dealt out its fields anywhere but in one core's memory. */
static kata_status check_fits(const struct exec_scratchpad *s, const scratchpad_known *known,
                              messages *m)
{
    for (size_t i = 0; s->machine.local && i < known->times.count; i++) {
        const plan_timed *t = &known->times.parts[i];
        if (!t->direct || t->bytes <= s->machine.free) continue;
        return message_fail(m, KATA_ERROR_MEMORY,
                            "kernel '%s' is not dealt out, and its fields need %" PRId64
                            " bytes of the %" PRId64 " of a memory of the machine %s, which has no "
                            "global one",
                            known->names[i], t->bytes, s->machine.free, s->machine.name);
    }
    return KATA_OK;
}

/* The chain as it was met first, when its plan was verified. */
static kata_status meet(struct exec_scratchpad *s, const chain *c, const plan *p,
                        const analysis_chain *a, messages *m)
{
    uint64_t key = key_of(c, p);
    scratchpad_known *known = key ? find_known(s, key) : NULL;
    text why = {0};
    if (!known && !plan_verify(p, a, &why)) {
        kata_status status = exec_refuse_plan(p, a, c, text_get(&why), m);
        text_free(&why);
        return status;
    }
    text_free(&why);
    if (!known && key) known = add_known(s, key, p, a);
    if (!known) return message_no_memory(m);
    kata_status status = check_fits(s, known, m);
    if (status) return status;
    known->runs++;
    s->seconds += known->times.seconds;
    s->chains++;
    return KATA_OK;
}

/* Another executor makes the values, by its own ways. */
static kata_status run_values(exec_context *context, chain *c, messages *m)
{
    plan_request asked = context->request[0];
    context->request[0] = (plan_request){.method = "loops"};
    context->fastest = true;
    kata_status status = context->scratchpad->values->run(context, c, m);
    context->request[0] = asked;
    context->fastest = false;
    return status;
}

static bool may_stop(const chain *c)
{
    bool stops = false;
    for (size_t i = 0; i < c->count; i++) stops = stops || c->loops[i].kernel->check_count > 0;
    return stops;
}

static kata_status run(exec_context *context, chain *c, messages *m)
{
    const analysis_chain *a;
    kata_status status = check_method(context, m);
    if (status) return status;
    const plan *p = exec_plan_of(context, context->request, c, &a, m);
    if (!p) return KATA_ERROR_MEMORY;
    status = meet(context->scratchpad, c, p, a, m);
    if (status) return status;
    if (context->scratchpad->values) return run_values(context, c, m);
    if (may_stop(c) || context->trace)
        return oracle_run_chain(c, context->trace, context->meter, m);
    return oracle_run_plan(p, a, &(oracle_plan_order){.late = true}, m);
}

const exec_executor exec_on_scratchpad = {"scratchpad", run};

kata_status exec_scratchpad_open(exec_context *context, const char *machine,
                                 const exec_executor *values, messages *m)
{
    text why = {0};
    struct exec_scratchpad *s = calloc(1, sizeof *s);
    if (!s) return message_no_memory(m);
    context->scratchpad = s;
    bool found = machine_emulated_find(machine, &s->machine, &why);
    kata_status status = KATA_OK;
    if (!found) status = message_fail(m, KATA_ERROR_ARGUMENT, "the machine: %s", text_get(&why));
    text_free(&why);
    s->values = values == &exec_on_scratchpad ? NULL : values;
    return status;
}

void exec_scratchpad_ask(exec_context *context)
{
    const machine_emulated *m = &context->scratchpad->machine;
    plan_request *r = context->request;
    if (context->fastest) *r = (plan_request){.method = method_of(m)};
    context->fastest = false;
    if (strcmp(r->method, method_of(m)) != 0) return;
    r->machine = m;
    if (!r->siblings) r->siblings = m->siblings;
    if (!r->memory) r->memory = m->free;
    if (m->last) r->last = 1;
}

void exec_scratchpad_close(exec_context *context)
{
    struct exec_scratchpad *s = context->scratchpad;
    for (size_t i = 0; s && i < s->count; i++) {
        plan_times_free(&s->known[i].times);
        free(s->known[i].names);
    }
    if (s) free(s->known);
    free(s);
    context->scratchpad = NULL;
}
