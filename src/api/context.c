/* Opens and closes contexts, by their options and the environment. */
#include "api/api.h"
#include "api/explain.h"

#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    /* OpenMP's variable may be a list; its first number counts */
    const char *openmp = environment_get("OMP_NUM_THREADS");
    if (!threads && openmp) threads = strtol(openmp, NULL, 10);
    if (threads < 1 || threads > MOST) threads = machine_cores();
    k->exec.threads = (int)threads;
    return KATA_OK;
}

static kata_status choose_executor(kata *k, const kata_options *options)
{
    const char *name = options->executor, *machine = options->machine;
    if (!name) name = environment_get("KATA_EXECUTOR");
    if (!machine) machine = environment_get("KATA_MACHINE");
    k->executor = exec_find(name ? name : "cpu");
    if (!k->executor)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "there is no executor '%s'; KATA_EXECUTOR and kata_options.executor can be "
                        "'cpu', 'reference', 'plan' or 'scratchpad'",
                        name);
    if (!machine && k->executor == &exec_on_scratchpad)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "the executor 'scratchpad' needs a machine: kata_options.machine, or "
                        "KATA_MACHINE, such as 'sw26010'");
    if (!machine) return KATA_OK;
    const exec_executor *values = name ? k->executor : NULL;
    k->executor = &exec_on_scratchpad;
    return exec_scratchpad_open(&k->exec, machine, values, &k->messages);
}

/* An emulated machine has the whole of each chain. */
static kata_status refuse_beside_machine(kata *k, const char *what)
{
    if (k->executor != &exec_on_scratchpad) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "kata_open: an emulated machine (kata_options.machine, KATA_MACHINE) does not "
                    "go together with %s; choose one of them",
                    what);
}

static kata_status choose_warnings(kata *k, const kata_options *options)
{
    bool shown = true;
    kata_status status = KATA_OK;
    if (environment_get("KATA_WARNINGS")) status = api_read_switch(k, "KATA_WARNINGS", &shown);
    k->messages.no_warnings = options->no_warnings || !shown;
    return status;
}

static kata_status choose_waiting(kata *k, const kata_options *options)
{
    bool wait;
    kata_status status = api_read_switch(k, "KATA_WAIT", &wait);
    k->exec.wait = options->wait || wait;
    return status ? status : api_read_switch(k, "KATA_LARGER", &k->exec.larger);
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

static void free_context(kata *k)
{
    api_checkpoint_end(k);
    chain_free(&k->chain);
    exec_cpu_free(k->exec.cpu);
    exec_ranks_close(&k->exec);
    exec_files_close(&k->exec);
    exec_scratchpad_close(&k->exec);
    plan_cache_free(k->exec.plans);
    observe_trace_free(k->exec.trace);
    observe_timeline_free(k->exec.timeline);
    free(k->apply_cache);
    observe_record_free(k->record);
    observe_meter_free(k->exec.meter);
    for (kata_module *m = k->modules; m; m = m->next) lang_module_free(m->module);
    api_output_free(k); /* before what it writes to */
    api_series_free(k->series);
    api_rows_free(k->row_files);
    api_slots_free(k);
    exec_device_close(&k->exec);
    jit_close(k->exec.jit); /* after the threads that compile for a device */
    store_pool_free(k->pool);
    message_free(&k->messages);
    for (size_t i = 0; i < COUNT_OF(k->machine); i++) text_free(&k->machine[i]);
    text_free(&k->plans);
    arena_free(&k->memory);
    free(k);
}

/* Of the search for the fastest plan. */
static kata_status choose_search(kata *k)
{
    static const int64_t MOST = INT64_C(1) << 40;
    const char *size = environment_get("KATA_L2");
    k->exec.remember = true;
    k->tune_file = environment_get("KATA_TUNE");
    k->exec.tune = k->tune_file;
    k->exec.larger = k->exec.larger || k->exec.tune;
    int error = k->tune_file ? file_may_write(k->tune_file) : 0;
    if (error && error != FILE_NOT_PLAIN)
        return api_fail(k, KATA_ERROR_FILE,
                        "the environment variable KATA_TUNE names %s, which cannot be written: %s",
                        k->tune_file, file_reason(error));
    if (size && !parse_integer(size, 1024, MOST, &k->exec.second_cache))
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "the environment variable KATA_L2 is '%s', not bytes from 1024 to %lld",
                        size, (long long)MOST);
    return environment_get("KATA_WISDOM") ? api_read_switch(k, "KATA_WISDOM", &k->exec.remember)
                                          : KATA_OK;
}

/* TMPDIR is no word about this folder: where no file can be made in it, another one serves. */
static const char *usual_folder(void)
{
    const char *folder = environment_get("TMPDIR");
    struct stat status;
    bool good =
        folder && !stat(folder, &status) && S_ISDIR(status.st_mode) && !access(folder, W_OK | X_OK);
    return good ? folder : "/var/tmp";
}

/* How fast fields are moved that memory does not hold; 0: as fast as it goes. */
static kata_status choose_rate(kata *k, int64_t *rate)
{
    static const int64_t MOST = INT64_C(1) << 50;
    const char *asked = environment_get("KATA_SPILL_RATE");
    *rate = 0;
    if (!asked || parse_bytes(asked, 1 << 10, MOST, rate)) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "the environment variable KATA_SPILL_RATE is '%s', not bytes per second "
                    "from 1k on, such as 500M",
                    asked);
}

/* The folder for these fields. */
static kata_status choose_files(kata *k, const char *folder, int64_t memory, int64_t rate)
{
    if (!folder) folder = environment_get("KATA_SPILL");
    if (!folder) folder = usual_folder();
    if (!store_pool_limit(k->pool, memory, folder)) return api_no_memory(k);
    return exec_files_open(&k->exec, rate, &k->messages);
}

/* How much memory fields may take. */
static kata_status choose_memory(kata *k, const kata_options *options)
{
    static const int64_t LEAST = 1 << 12, MOST = INT64_C(1) << 50;
    const char *asked = environment_get("KATA_MEMORY");
    int64_t bytes = options->memory, rate;
    kata_status status = choose_rate(k, &rate);
    if (status) return status;
    if (bytes && (bytes < LEAST || bytes > MOST))
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_open: memory is %lld bytes, not %lld to %lld",
                        (long long)bytes, (long long)LEAST, (long long)MOST);
    if (!bytes && asked && !parse_bytes(asked, LEAST, MOST, &bytes))
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "the environment variable KATA_MEMORY is '%s', not bytes from 4k on, such "
                        "as 8G",
                        asked);
    k->field_memory = bytes;
    if (environment_get("KATA_SPILL") && !bytes)
        api_warn_of_unused(k, "KATA_SPILL", "KATA_MEMORY", "8G");
    if (rate && !bytes) api_warn_of_unused(k, "KATA_SPILL_RATE", "KATA_MEMORY", "8G");
    return bytes ? choose_files(k, options->spill, bytes, rate) : KATA_OK;
}

/* Loops that are dealt out meet other ranks, which interpreted ones cannot. Ranks share the cores
 * of their machine. The first rank keeps what is found out about plans. */
static kata_status join_ranks(kata *k, const kata_options *options)
{
    kata_status status = exec_ranks_open(&k->exec, options->communicator, &k->messages);
    bool asked =
        options->threads || environment_get("KATA_THREADS") || environment_get("OMP_NUM_THREADS");
    if (!asked) k->exec.threads = larger(k->exec.threads / exec_node_ranks(&k->exec), 1);
    if (exec_ranks_count(&k->exec) > 1) k->exec.wait = true;
    if (exec_rank(&k->exec) > 0) k->exec.remember = k->exec.tune = false;
    if (exec_rank(&k->exec) > 0) k->tune_file = NULL;
    if (options->communicator) k->messages.silent = exec_rank(&k->exec) > 0;
    if (!status && exec_ranks_count(&k->exec) > 1)
        status = refuse_beside_machine(k, "several ranks");
    return status;
}

/* How much memory of a device may be used; 0: what it has, less a reserve. */
static kata_status choose_device_memory(kata *k, const kata_options *options, int64_t *bytes)
{
    static const int64_t LEAST = 1 << 12, MOST = INT64_C(1) << 50;
    const char *asked = environment_get("KATA_DEVICE_MEMORY");
    *bytes = options->device_memory;
    if (*bytes && (*bytes < LEAST || *bytes > MOST))
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "kata_open: device_memory is %lld bytes, not %lld to %lld",
                        (long long)*bytes, (long long)LEAST, (long long)MOST);
    if (!*bytes && asked && !parse_bytes(asked, LEAST, MOST, bytes))
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "the environment variable KATA_DEVICE_MEMORY is '%s', not bytes from 4k "
                        "on, such as 8G",
                        asked);
    return KATA_OK;
}

/* The device that kernels run on. "any" where there is none is the CPU. */
static kata_status choose_device(kata *k, const kata_options *options)
{
    int64_t bytes;
    kata_status status = choose_device_memory(k, options, &bytes);
    if (status) return status;
    const char *name = options->device ? options->device : environment_get("KATA_DEVICE");
    bool none = !name || !strcmp(name, "none");
    if (none && environment_get("KATA_DEVICE_SHAPE"))
        api_warn_of_unused(k, "KATA_DEVICE_SHAPE", "KATA_DEVICE", "any");
    if (none && environment_get("KATA_DEVICE_MPI"))
        api_warn_of_unused(k, "KATA_DEVICE_MPI", "KATA_DEVICE", "any");
    if (none) return KATA_OK;
    status = refuse_beside_machine(k, "a device");
    if (status) return status;
    device_listed first;
    if (!strcmp(name, "any") && !device_list(&first, 1)) return KATA_OK;
    return exec_device_open(&k->exec, name, bytes, &k->messages);
}

/* What kernels look for, that are compiled from here on. */
static kata_status choose_check(kata *k, const kata_options *options)
{
    const char *given = options->check, *asked = environment_get("KATA_CHECK");
    const char *check = given ? given : asked ? asked : "none";
    k->watched = !strcmp(check, "nan");
    if (k->watched || !strcmp(check, "none")) return KATA_OK;
    return given ? api_fail(k, KATA_ERROR_ARGUMENT,
                            "kata_open: the check is '%s', not \"nan\" or \"none\"", given)
                 : api_fail(k, KATA_ERROR_ARGUMENT,
                            "the environment variable KATA_CHECK is '%s', not nan or none", asked);
}

/* Reads all options and the environment; the order decides which error is reported. */
static kata_status read_options(kata *k, const kata_options *options)
{
    kata_status status = choose_threads(k, options);
    if (!status) status = choose_executor(k, options);
    if (!status) status = choose_warnings(k, options);
    if (!status) api_warn_of_misspelt(k);
    if (!status) status = choose_waiting(k, options);
    if (!status) status = choose_passes(k);
    if (!status) status = choose_search(k);
    if (!status) status = choose_check(k, options);
    if (!status) status = choose_memory(k, options);
    if (!status) status = api_choose_behind(k);
    if (!status) status = jit_open(options->compiler, options->cache, &k->messages, &k->exec.jit);
    if (!status) status = join_ranks(k, options);
    if (!status) status = exec_meet_devices(&k->exec, choose_device(k, options), &k->messages);
    return status ? status : api_read_debugging(k, options);
}

/* A context with the handler of the options and nothing else. */
static kata *new_context(const kata_options *options)
{
    kata *k = calloc(1, sizeof *k);
    if (k) k->pool = store_pool_new();
    if (!k || !k->pool) {
        free(k);
        fprintf(stderr, "error: kata_open: out of memory\n");
        return NULL;
    }
    k->messages.handler = options->handler;
    k->messages.handler_data = options->handler_data;
    k->messages.silent = !options->communicator && kata_rank(NULL) > 0;
    k->once = (kata_grid){.k = k, .shape = {1, {1, 1, 1}}};
    return k;
}

kata *kata_open_with(const kata_options *given)
{
    static const api_options kind = {.call = "kata_open",
                                     .type = "kata_options",
                                     .example = "kata_open(&(kata_options){.threads = 4})",
                                     .size = sizeof(kata_options),
                                     .least = API_END(kata_options, machine)};
    static const kata_options defaults = {.size = sizeof defaults};
    kata_options options;
    file_hold_standard();
    if (!given) given = &defaults;
    api_options_copy(&kind, given, &options);
    kata *k = new_context(&options);
    if (!k) return NULL;
    kata_status status = api_options_check(k, &kind, given);
    if (!status) status = read_options(k, &options);
    api_null_restart();
    if (!status) return k;
    api_note_error(k); /* NULL contexts are its consequence */
    free_context(k);
    return NULL;
}

int kata_close(kata *k)
{
    if (!k) return api_null("kata_close", "the context");
    api_output_wait(k);
    if (k->explain) api_explain_end(k);
    if (k->summary) api_summary_end(k);
    if (k->tune_file) api_tune_end(k);
    api_end_debugging(k);
    kata_status status = k->messages.status;
    if (status) api_null_unexplained();
    free_context(k);
    return status;
}
