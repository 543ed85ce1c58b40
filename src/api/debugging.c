/* Switches of the environment that help to find errors: kata.h, "debugging". */
#include "api/api.h"
#include "api/explain.h"

#ifdef NDEBUG
static const bool proves = false;
#else
static const bool proves = true;
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One rank knows all values of its chains; of several, none does. */
static kata_status refuse_ranks(kata *k, const char *variable)
{
    if (exec_ranks_count(&k->exec) == 1) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "%s is for programs on one rank, and there are %d: launch it on one", variable,
                    exec_ranks_count(&k->exec));
}

/* Only the interpreter traces. */
static kata_status open_trace(kata *k)
{
    const char *point = environment_get("KATA_TRACE"), *path = environment_get("KATA_TRACE_FILE");
    if (path && !point) api_warn_of_unused(k, "KATA_TRACE_FILE", "KATA_TRACE", "u@12,7");
    if (!point) return KATA_OK;
    if (refuse_ranks(k, "KATA_TRACE")) return k->messages.status;
    k->executor = &exec_reference;
    return observe_trace_open(point, path, &k->messages, &k->exec.trace);
}

static kata_status open_record(kata *k)
{
    bool full;
    kata_status status = api_read_switch(k, "KATA_RECORD_FULL", &full);
    const char *path = environment_get("KATA_RECORD");
    if (full && !path) api_warn_of_unused(k, "KATA_RECORD_FULL", "KATA_RECORD", "run.rec");
    if (!status && path) status = refuse_ranks(k, "KATA_RECORD");
    return status || !path ? status : observe_record_open(path, full, &k->messages, &k->record);
}

static kata_status open_timeline(kata *k, const char *given)
{
    static const int64_t LEAST = 1 << 10, MOST = INT64_C(1) << 40;
    const char *path = given ? given : environment_get("KATA_TIMELINE");
    const char *asked = environment_get("KATA_TIMELINE_MOST");
    int64_t most = 64 << 20;
    if (asked && !path) api_warn_of_unused(k, "KATA_TIMELINE_MOST", "KATA_TIMELINE", "run.json");
    if (asked && !parse_bytes(asked, LEAST, MOST, &most))
        return api_fail(
            k, KATA_ERROR_ARGUMENT,
            "the environment variable KATA_TIMELINE_MOST is '%s', not bytes from 1k on, "
            "such as 64M",
            asked);
    return path ? observe_timeline_open(path, exec_rank(&k->exec), most, &k->messages,
                                        &k->exec.timeline)
                : KATA_OK;
}

ir_value *api_trace_before(const kata_field *field)
{
    const observe_trace *trace = field->k->exec.trace;
    bool wanted = observe_trace_wants(trace, field->name, field->slot);
    return wanted ? observe_trace_values(trace, field->slot) : NULL;
}

void api_trace_after(const kata_field *field, const char *call, ir_value *before)
{
    if (before) observe_trace_call(field->k->exec.trace, call, field->name, field->slot, before);
    free(before);
}

void api_end_debugging(kata *k)
{
    int timeline_error = observe_timeline_finish(k->exec.timeline);
    if (k->messages.status) return;
    const char *trace = environment_get("KATA_TRACE_FILE");
    int record_error = observe_record_error(k->record);
    int trace_error = observe_trace_error(k->exec.trace);
    if (record_error)
        api_fail(k, KATA_ERROR_FILE, "the record of the run could not be written whole to %s: %s",
                 k->record->path, file_reason(record_error));
    else if (trace_error)
        api_fail(k, KATA_ERROR_FILE, "the trace could not be written whole to %s: %s",
                 trace ? trace : "standard error", file_reason(trace_error));
    else if (timeline_error)
        api_fail(k, KATA_ERROR_FILE, "the timeline could not be written whole to %s: %s",
                 k->exec.timeline->path, file_reason(timeline_error));
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* `source`: where the plan was given. `wrong`: what is wrong in it, "" where the method is missing.
 */
static kata_status refuse_plan(kata *k, const char *source, const char *words, const char *wrong)
{
    text methods = {0};
    for (int i = 0; plan_method_name(i); i++)
        text_add(&methods, i ? ", %s" : "%s", plan_method_name(i));
    if (*wrong)
        message_begin(&k->messages, KATA_ERROR_ARGUMENT, "the %s is '%s', in which %s", source,
                      words, wrong);
    else
        message_begin(&k->messages, KATA_ERROR_ARGUMENT, "the %s is '%s': a method is missing",
                      source, words);
    message_line(&k->messages, "write a method (%s) and sizes: 'skewed y=16 z=8'",
                 text_get(&methods));
    message_send(&k->messages);
    text_free(&methods);
    api_note_error(k);
    return k->messages.status;
}

static kata_status read_plan(kata *k, const char *given)
{
    text wrong = {0};
    const char *words = given ? given : environment_get("KATA_PLAN");
    k->exec.fastest = !words;
    bool good =
        plan_request_read(words ? words : "loops", k->exec.request, PLAN_MOST_METHODS, &wrong);
    kata_status status = good ? KATA_OK
                              : refuse_plan(k, given ? "plan" : "environment variable KATA_PLAN",
                                            words, text_get(&wrong));
    text_free(&wrong);
    if (!status && k->exec.scratchpad) exec_scratchpad_ask(&k->exec);
    return status;
}

static void warn_of_unused_plan(kata *k)
{
    if (k->explain || k->executor != &exec_reference) return;
    message_warn(&k->messages,
                 "the executors 'cpu' and 'plan' run chains by plans, and KATA_EXPLAIN shows them",
                 "a plan is asked for, and the executor '%s' does not take it", k->executor->name);
}

kata_status api_read_debugging(kata *k, const kata_options *options)
{
    kata_status status = api_read_switch(k, "KATA_EAGER", &k->eager);
    if (!status) status = api_read_switch(k, "KATA_POISON", &k->exec.poison);
    k->exec.prove = proves;
    if (!status && environment_get("KATA_PROVE"))
        status = api_read_switch(k, "KATA_PROVE", &k->exec.prove);
    if (!status) status = api_read_switch(k, "KATA_DEBUG_LINES", &k->exec.lines);
    if (!status && k->exec.lines) jit_debug(k->exec.jit);
    if (!status) status = open_trace(k);
    if (!status) status = open_record(k);
    if (!status) status = read_plan(k, options->plan);
    if (!status) status = api_read_explain(k);
    if (!status) status = api_read_summary(k, options->summary);
    if (!status) status = open_timeline(k, options->timeline);
    if (!status && (options->plan || environment_get("KATA_PLAN"))) warn_of_unused_plan(k);
    return status;
}
