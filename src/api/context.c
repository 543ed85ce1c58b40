#include "api/api.h"

#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---------------------------------------------------------------------------------- */

const char *kata_status_name(kata_status status)
{
    switch (status) {
    case KATA_OK: return "KATA_OK";
    case KATA_ERROR_ARGUMENT: return "KATA_ERROR_ARGUMENT";
    case KATA_ERROR_KERNEL: return "KATA_ERROR_KERNEL";
    case KATA_ERROR_APPLICATION: return "KATA_ERROR_APPLICATION";
    case KATA_ERROR_LIMIT: return "KATA_ERROR_LIMIT";
    case KATA_ERROR_MEMORY: return "KATA_ERROR_MEMORY";
    case KATA_ERROR_COMPILER: return "KATA_ERROR_COMPILER";
    case KATA_ERROR_FILE: return "KATA_ERROR_FILE";
    case KATA_ERROR_INTERNAL: return "KATA_ERROR_INTERNAL";
    case KATA_ERROR_ASSERT: return "KATA_ERROR_ASSERT";
    }
    return "unknown status";
}

kata_status api_fail(kata *k, kata_status status, const char *format, ...)
{
    if (k->messages.status) return k->messages.status;
    text body = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&body, format, list);
    va_end(list);
    message_fail(&k->messages, status, "%s", text_get(&body));
    text_free(&body);
    api_note_error(k);
    return k->messages.status;
}

kata_status api_no_memory(kata *k)
{
    message_no_memory(&k->messages);
    api_note_error(k);
    return k->messages.status;
}

bool kata_ok(const kata *k) { return k && k->messages.status == KATA_OK; }

kata_status kata_error(const kata *k)
{
    return k ? k->messages.status : api_null("kata_error", "the context");
}

const char *kata_error_message(const kata *k)
{
    return k && k->messages.status ? text_get(&k->messages.body) : "";
}

void kata_error_clear(kata *k)
{
    if (!k) {
        api_null("kata_error_clear", "the context");
        return;
    }
    api_null_unexplained();
    message_clear(&k->messages);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static kata_status choose_threads(kata *k, const kata_options *options)
{
    enum { MOST = 1024 };
    int64_t threads = options->threads;
    if (threads < 0 || threads > MOST)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_open: threads is %d, not 0 to %d",
                        options->threads, MOST);
    const char *asked = environment_get("KATA_THREADS");
    if (!threads && asked && !parse_integer(asked, 1, MOST, &threads))
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "the environment variable KATA_THREADS is '%s', not a number from 1 to %d",
                        asked, MOST);
    /* OpenMP's variable may be a list, of which the first number counts here */
    const char *openmp = environment_get("OMP_NUM_THREADS");
    if (!threads && openmp) threads = strtol(openmp, NULL, 10);
    if (threads < 1 || threads > MOST) threads = machine_cores();
    k->exec.threads = (int)threads;
    return KATA_OK;
}

static kata_status choose_executor(kata *k, const kata_options *options)
{
    const char *name = options->executor;
    if (!name) name = environment_get("KATA_EXECUTOR");
    if (!name) name = "cpu";
    k->executor = exec_find(name);
    if (k->executor) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "there is no executor '%s'; KATA_EXECUTOR and kata_options.executor can be "
                    "'cpu', 'reference' or 'plan'",
                    name);
}

static kata_status choose_warnings(kata *k, const kata_options *options)
{
    const char *asked = environment_get("KATA_WARNINGS");
    int64_t shown = 1;
    if (asked && !parse_integer(asked, 0, 1, &shown))
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "the environment variable KATA_WARNINGS is '%s', not 0 or 1", asked);
    k->messages.no_warnings = options->no_warnings || !shown;
    return KATA_OK;
}

static kata_status choose_waiting(kata *k, const kata_options *options)
{
    const char *asked = environment_get("KATA_WAIT");
    int64_t wait = 0;
    if (asked && !parse_integer(asked, 0, 1, &wait))
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "the environment variable KATA_WAIT is '%s', not 0 or 1", asked);
    k->exec.wait = options->wait || wait;
    return KATA_OK;
}

/* KATA_WITHOUT leaves out passes of code generation, to see what each is worth. */
static kata_status choose_passes(kata *k)
{
    const char *asked = environment_get("KATA_WITHOUT");
    if (!asked || codegen_read_passes(asked, &k->exec.without)) return KATA_OK;
    text names = {0};
    for (int i = 0; codegen_pass_name(i); i++)
        text_add(&names, "%s%s", i ? ", " : "", codegen_pass_name(i));
    kata_status status = api_fail(k, KATA_ERROR_ARGUMENT,
                                  "the environment variable KATA_WITHOUT is '%s', not passes of "
                                  "code generation with commas between them: %s",
                                  asked, text_get(&names));
    text_free(&names);
    return status;
}

static void free_slots(kata *k)
{
    for (struct api_slot *s = k->slots; s; s = s->next) {
        store_array_free(s->slot.array);
        grid_region_free(&s->slot.set);
        if (s->slot.log) free(s->slot.log->values);
    }
}

static void free_context(kata *k)
{
    chain_free(&k->chain);
    exec_cpu_free(k->exec.cpu);
    plan_cache_free(k->exec.plans);
    jit_close(k->exec.jit);
    observe_trace_free(k->exec.trace);
    free(k->repeated);
    observe_record_free(k->record);
    observe_meter_free(k->exec.meter);
    for (kata_module *m = k->modules; m; m = m->next) lang_module_free(m->module);
    api_series_free(k->series);
    free_slots(k);
    message_free(&k->messages);
    for (size_t i = 0; i < COUNT_OF(k->machine); i++) text_free(&k->machine[i]);
    arena_free(&k->memory);
    free(k);
}

kata *kata_open_with(const kata_options *given)
{
    static const api_options kind = {.call = "kata_open",
                                     .type = "kata_options",
                                     .example = "kata_open(&(kata_options){.threads = 4})",
                                     .size = sizeof(kata_options)};
    static const kata_options defaults = {.size = sizeof defaults};
    kata_options copy;
    const kata_options *options = &copy;
    if (!given) given = &defaults;
    api_options_copy(&kind, given, &copy);
    kata *k = calloc(1, sizeof *k);
    if (!k) {
        fprintf(stderr, "error: kata_open: out of memory\n");
        return NULL;
    }
    k->messages.handler = options->handler;
    k->messages.handler_data = options->handler_data;
    kata_status status = api_options_check(k, &kind, given);
    if (!status) status = choose_threads(k, options);
    if (!status) status = choose_executor(k, options);
    if (!status) status = choose_warnings(k, options);
    if (!status) status = choose_waiting(k, options);
    if (!status) status = choose_passes(k);
    if (!status) status = jit_open(options->compiler, options->cache, &k->messages, &k->exec.jit);
    k->once = (kata_grid){k, {1, {1, 1, 1}}};
    if (!status) status = api_debugging(k, options->plan);
    api_null_restart();
    if (!status) return k;
    api_note_error(k); /* NULL contexts are its consequence */
    free_context(k);
    return NULL;
}

int kata_close(kata *k)
{
    if (!k) return api_null("kata_close", "the context");
    if (k->explain) api_explain_end(k);
    kata_status status = k->messages.status;
    if (status) api_null_unexplained();
    free_context(k);
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Drops the values, which takes no memory; those in memory of the program are overwritten. */
static void poison(chain_slot *slot)
{
    if (slot->array && !slot->array->bytes) {
        store_poison(slot->array);
        return;
    }
    store_array_free(slot->array);
    slot->array = NULL;
    slot->poisoned = true;
}

/* Values that a failed chain should have made are not to be mistaken for results. */
static void poison_written(kata *k)
{
    for (size_t i = 0; i < k->chain.count; i++) {
        const chain_loop *loop = &k->chain.loops[i];
        for (int p = 0; p < loop->kernel->param_count; p++) {
            const ir_param *param = &loop->kernel->params[p];
            chain_slot *slot = loop->bindings[p].slot;
            if (ir_param_is_reduction(param) || ir_param_is_written_field(param)) poison(slot);
        }
        store_log(loop);
    }
}

/* Calls that needed results; that of the first names no farther ones when there are too many. */
static void count_force(kata *k, const char *call)
{
    int i = 0;
    while (i < k->force_count && strcmp(k->forces[i].call, call) != 0) i++;
    if (i == API_FORCES) return;
    if (i == k->force_count)
        k->forces[k->force_count++] = (api_force){.call = call, .first_step = k->work.steps};
    k->forces[i].count++;
}

static void count_work(kata *k, api_end why, const char *call)
{
    if (why == API_END_FORCED) count_force(k, call);
    k->work.chains++;
    *(why == API_END_FORCED ? &k->work.chains_forced
      : why == API_END_LONG ? &k->work.chains_long
                            : &k->work.chains_step) += 1;
    k->work.loops += (int64_t)k->chain.count;
    for (size_t i = 0; i < k->chain.count; i++)
        k->work.points += chain_loop_points(&k->chain.loops[i]);
}

kata_status api_end_chain(kata *k, api_end why, const char *call)
{
    if (k->messages.status || !k->chain.count) return k->messages.status;
    if (k->explain) api_explain(k);
    observe_meter_meet(k->exec.meter, &k->chain);
    kata_status status =
        k->record ? exec_run_recorded(k->record, k->executor, &k->exec, &k->chain, &k->messages)
                  : k->executor->run(&k->exec, &k->chain, &k->messages);
    if (status) {
        poison_written(k);
        api_note_error(k);
    } else {
        count_work(k, why, call);
    }
    chain_clear(&k->chain);
    api_release_discarded(k);
    return status;
}

kata_status api_flush(kata *k, const char *call) { return api_end_chain(k, API_END_FORCED, call); }

kata_status kata_step(kata *k)
{
    if (!k) return api_null("kata_step", "the context");
    if (k->messages.status) return k->messages.status;
    k->work.steps++;
    for (struct api_slot *s = k->slots; s; s = s->next)
        if (s->slot.temporary) grid_region_clear(&s->slot.set);
    size_t loops = chain_end_step(&k->chain);
    bool ends = k->chain.count + loops >= API_CHAIN_LENGTH;
    return ends ? api_end_chain(k, API_END_STEP, NULL) : KATA_OK;
}

kata_status kata_flush(kata *k)
{
    return k ? api_flush(k, "kata_flush") : api_null("kata_flush", "the context");
}

kata_status kata_work_done(const kata *k, kata_work *work)
{
    if (!k) return api_null("kata_work_done", "the context");
    if (!work) /* of a context only what was counted is constant */
        return api_fail((kata *)(uintptr_t)k, KATA_ERROR_ARGUMENT,
                        "kata_work_done: the result is NULL");
    *work = k->work;
    return k->messages.status;
}
