/* When queued loops are run. This file decides it; no other file runs a chain. A chain ends
 *
 *   - where a call needs its result (api_flush). Values: kata_get of what queued loops write,
 *     kata_put to what they use, unless the field is small (see data.c), kata_map, kata_save,
 *     kata_load, kata_series_add. Scalars: kata_scalar_get of what queued loops write,
 *     kata_until_next at its looks, kata_scalar_log_get, and kata_scalar_log if there is a log.
 * Others: kata_flush, kata_swap of traced fields, kata_apply with KATA_EAGER, and checkpoints
 *   - where the queue is long (api_queued)
 *   - where a time step ends and one more step of that length would make the queue long (kata_step)
 *
 * It counts why chains ended, for kata_work_done and KATA_EXPLAIN. */
#include "api/api.h"
#include "api/explain.h"

#include <stdio.h>
#include <string.h>

typedef enum end_reason {
    END_FORCED, /* a result is needed */
    END_LONG,   /* the queue is long */
    END_STEP    /* a time step ends, and the queue would be long after another one */
} end_reason;

/* The first call of a kind: where in the program it is follows from the kernel applied before. */
static void note_force(const kata *k, api_force *force, const char *call)
{
    const chain_loop *last = &k->chain.loops[k->chain.count - 1];
    *force = (api_force){.call = call, .first_step = k->work.steps, .line = last->line};
    snprintf(force->kernel, sizeof force->kernel, "%s", last->kernel->name);
    snprintf(force->file, sizeof force->file, "%s", last->file ? last->file : "");
}

/* Counts a call that needed a result. Where there are too many kinds of calls, the first ones are
 * counted. */
static void count_force(kata *k, const char *call)
{
    int i = 0;
    while (i < k->force_count && strcmp(k->forces[i].call, call) != 0) i++;
    if (i == API_FORCES) return;
    if (i == k->force_count) note_force(k, &k->forces[k->force_count++], call);
    k->forces[i].count++;
}

static void count_work(kata *k, end_reason why, const char *call)
{
    if (why == END_FORCED) count_force(k, call);
    k->work.chains++;
    *(why == END_FORCED ? &k->work.chains_forced
      : why == END_LONG ? &k->work.chains_long
                        : &k->work.chains_step) += 1;
    k->work.loops += (int64_t)k->chain.count;
    for (size_t i = 0; i < k->chain.count; i++)
        k->work.points += chain_loop_points(&k->chain.loops[i]);
}

/* On several ranks compiled loops run on all of them; others run whole on each. */
bool api_deals(const kata *k) { return k->exec.ranks && k->executor == &exec_cpu; }

/* On one rank, fields may lie in files. */
static const exec_executor *executor_of(const kata *k)
{
    if (api_deals(k)) return &exec_on_ranks;
    if (k->exec.device && k->executor == &exec_cpu) return &exec_on_device;
    return k->exec.files && k->executor == &exec_cpu ? &exec_on_files : k->executor;
}

/* Adds the chain that has run to the timeline. */
static void note_chain(kata *k, double begin, end_reason why, const char *call)
{
    char more[200];
    if (!k->exec.timeline) return;
    snprintf(more, sizeof more, "{\"loops\": %zu, \"first\": \"%.64s\", \"ended by\": \"%.40s\"}",
             k->chain.count, k->chain.loops[0].kernel->name,
             why == END_FORCED ? call
             : why == END_LONG ? "its length"
                               : "kata_step");
    observe_timeline_end(k->exec.timeline, "chain", "chain", begin, more);
}

/* A clock for chains: that of the machine which is emulated, if one is. */
static double seconds_so_far(const kata *k)
{
    return k->exec.scratchpad ? exec_scratchpad_seconds(&k->exec) : clock_seconds();
}

static kata_status end_chain(kata *k, end_reason why, const char *call)
{
    if (api_check_process(k) || !k->chain.count) return k->messages.status;
    if (api_explains_before(k)) api_explain(k);
    observe_meter_meet(k->exec.meter, &k->chain);
    double begin = clock_seconds(), before = seconds_so_far(k);
    kata_status status =
        k->record ? exec_run_recorded(k->record, executor_of(k), &k->exec, &k->chain, &k->messages)
                  : executor_of(k)->run(&k->exec, &k->chain, &k->messages);
    k->chain_seconds += clock_seconds() - begin;
    note_chain(k, begin, why, call);
    if (status) {
        api_spoil_results(k);
        api_note_error(k);
    } else {
        count_work(k, why, call);
        if (api_shows_scaling(k))
            api_scale_chain(k, seconds_so_far(k) - before);
        else if (k->explain && !api_explains_before(k))
            api_explain(k);
    }
    chain_clear(&k->chain);
    api_slots_spare(k);
    k->put_bytes = 0;
    k->sparse_bytes = 0;
    store_pool_end_chain(k->pool);
    api_release_discarded(k);
    return status;
}

kata_status api_flush(kata *k, const char *call) { return end_chain(k, END_FORCED, call); }

/* A long queue of loops that repeat waits until they begin again. */
kata_status api_queued(kata *k)
{
    size_t more = 0;
    if (k->eager) return api_flush(k, "kata_apply");
    if (k->sparse_bytes > API_SPARSE_BYTES) return end_chain(k, END_LONG, NULL);
    if (k->chain.count < API_CHAIN_LENGTH) return KATA_OK;
    if (k->chain.count == API_CHAIN_LENGTH) {
        bool found = exec_loops_to_end(&k->chain, &more);
        kata_status status = found ? KATA_OK : message_no_memory(&k->messages);
        api_note_error(k);
        if (status) return status;
        k->longest = k->chain.count + more;
    }
    return k->chain.count < k->longest ? KATA_OK : end_chain(k, END_LONG, NULL);
}

kata_status api_end_step(kata *k)
{
    size_t loops = chain_end_step(&k->chain);
    bool ends = k->chain.count + loops >= API_CHAIN_LENGTH;
    return ends ? end_chain(k, END_STEP, NULL) : KATA_OK;
}

kata_status kata_flush(kata *k)
{
    if (!k) return api_null("kata_flush", "the context");
    kata_status status = api_flush(k, "kata_flush");
    kata_status shown = api_show_all(k);
    api_note_error(k);
    if (!status) status = shown;
    return status ? status : api_output_look(k);
}

kata_status kata_work_done(const kata *k, kata_work *work)
{
    if (!k) return api_null("kata_work_done", "the context");
    if (!work) /* the error changes the context, which is const here for its counts */
        return api_fail((kata *)(uintptr_t)k, KATA_ERROR_ARGUMENT,
                        "kata_work_done: the result is NULL");
    *work = k->work;
    return k->messages.status;
}
