/* KATA_EXPLAIN: shows the plans of chains as they are met. When the context is closed, it shows the
 * costs of its kernels and how its chains ended. docs/explain.md describes text, JSON lines and
 * picture. */
#include "api/explain.h"
#include "api/api.h"
#include "machine/machine.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its chains run as if nothing were explained. */
bool api_shows_scaling(const kata *k) { return k->explain && !strcmp(k->explain, "scaling"); }

static bool shows_pipeline(const kata *k) { return k->explain && !strcmp(k->explain, "pipeline"); }

/* Pictures that are no plans, and need no figures of kernels. */
static bool shows_one_picture(const kata *k) { return api_shows_scaling(k) || shows_pipeline(k); }

kata_status api_read_explain(kata *k)
{
    static const char *const forms[] = {"text", "json",     "x",       "y",
                                        "z",    "roofline", "scaling", "pipeline"};
    const char *form = environment_get("KATA_EXPLAIN"),
               *path = environment_get("KATA_EXPLAIN_FILE");
    if (exec_rank(&k->exec) > 0) return KATA_OK; /* the first one speaks */
    for (size_t i = 0; form && i < COUNT_OF(forms); i++)
        if (!strcmp(form, forms[i])) k->explain = forms[i];
    if (form && !k->explain)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "the environment variable KATA_EXPLAIN is '%s', not text, json, x, y, z, "
                        "roofline, scaling or pipeline",
                        form);
    k->explain_file = path;
    if (path && !form) api_warn_of_unused(k, "KATA_EXPLAIN_FILE", "KATA_EXPLAIN", "text");
    kata_status status = api_read_switch(k, "KATA_EXPLAIN_QUICK", &k->explain_quick);
    if (k->explain_quick && !form)
        api_warn_of_unused(k, "KATA_EXPLAIN_QUICK", "KATA_EXPLAIN", "text");
    if (!status) status = api_read_network(k);
    if (!status && shows_pipeline(k) && !k->exec.scratchpad)
        return api_fail(
            k, KATA_ERROR_ARGUMENT,
            "KATA_EXPLAIN is 'pipeline', which needs a machine: kata_options.machine or "
            "KATA_MACHINE");
    if (status || !k->explain || !k->explain[1] || shows_one_picture(k)) return status;
    k->exec.meter = calloc(1, sizeof *k->exec.meter);
    if (k->exec.meter) k->exec.meter->waits = true;
    return k->exec.meter ? KATA_OK : api_no_memory(k);
}

static void show_in(kata *k, const text *shown, const char *what, const char *path, bool adds)
{
    FILE *to = path ? file_stream(path, adds) : stderr;
    int error = !to ? errno : shown->failed ? ENOMEM : 0;
    if (to && !error && fputs(text_get(shown), to) < 0) error = errno;
    if (to && to != stderr && fclose(to) && !error) error = errno;
    if (error)
        api_fail(k, KATA_ERROR_FILE, "cannot write %s to %s: %s", what,
                 path ? path : "standard error", file_reason(error));
}

static const char explanation[] = "the explanation";

static void show(kata *k, const text *shown)
{
    show_in(k, shown, explanation, k->explain_file, true);
}

/* A picture is a document of its own: it replaces the file. A program's second context writes its
 * picture to FILE.2. */
static void show_picture(kata *k, text *drawn)
{
    static atomic_int shown_before;
    text path = {0};
    int number = 1 + atomic_fetch_add(&shown_before, 1);
    if (k->explain_file) text_add(&path, number > 1 ? "%s.%d" : "%s", k->explain_file, number);
    if (path.failed) drawn->failed = true;
    show_in(k, drawn, explanation,
            k->explain_file && !path.failed ? text_get(&path) : k->explain_file, false);
    text_free(&path);
}

static bool shows_fastest(const kata *k) { return k->exec.fastest && k->executor == &exec_cpu; }

/* Of the forms, one shows no plans. */
static bool shows_roofline(const kata *k) { return !strcmp(k->explain, "roofline"); }

bool api_explains_before(const kata *k)
{
    return k->explain && !shows_fastest(k) && !shows_one_picture(k);
}

/* The plan to be shown; NULL: it was shown before, or memory is out. */
static const plan *find_plan(kata *k, const analysis_chain **a)
{
    plan_request request = k->exec.request[0];
    bool fastest = shows_fastest(k);
    if (fastest) request = exec_cpu_fastest(&k->exec, &k->chain);
    bool known = !fastest && k->exec.plans && plan_cache_knows(k->exec.plans, &k->chain, &request);
    if (known) k->shown.again++;
    return known ? NULL : exec_plan_of(&k->exec, &request, &k->chain, a, &k->messages);
}

/* As JSON, each plan once. */
static void add_json(kata *k, const plan *p, const analysis_chain *a, text *out)
{
    plan_print_json(out, p, a);
    if (!shows_fastest(k) || api_explain_is_new(&k->shown, out)) return;
    k->shown.again++;
    text_clear(out);
}

/* As a panel of the picture, each plan once. */
static void add_panel(kata *k, const plan *p, const analysis_chain *a)
{
    text words = {0};
    plan_print(&words, p, a);
    bool fresh = !shows_fastest(k) || api_explain_is_new(&k->shown, &words);
    text_free(&words);
    if (fresh && !io_svg_add(&k->picture, p, a, k->explain[0] - 'x')) api_no_memory(k);
}

/* Plans of chains that have run follow the figures, which are read first. Those that are asked for
 * are shown at once, before they run. */
static void keep_or_show(kata *k, const text *out)
{
    bool later = shows_fastest(k) && !strcmp(k->explain, "text");
    if (later && !out->failed) text_add(&k->plans, "%s", text_get(out));
    if (k->plans.failed) api_no_memory(k);
    if (!later && (out->length || out->failed)) show(k, out);
}

void api_explain(kata *k)
{
    const analysis_chain *a;
    text out = {0};
    const plan *p = shows_roofline(k) ? NULL : find_plan(k, &a);
    if (!p) return;
    if (k->explain[1]) api_advice_note(k, a);
    if (!k->explain[1]) {
        add_panel(k, p, a);
        return;
    }
    const char *why = k->executor == &exec_cpu ? exec_cpu_refuses(p, a) : NULL;
    if (!strcmp(k->explain, "json"))
        add_json(k, p, a, &out);
    else if (!api_explain_plan(&k->shown, p, a, why, &out))
        k->shown.again++;
    else
        exec_explain_dealt(&k->exec, &out);
    keep_or_show(k, &out);
    text_free(&out);
}

void api_tune_end(kata *k)
{
    text out = {0};
    exec_cpu_explain(&k->exec, NULL, NULL, false, &out);
    exec_files_explain(&k->exec, false, &out);
    exec_device_explain(&k->exec, false, &out);
    if (out.length || out.failed) show_in(k, &out, "the plans that were found", k->tune_file, true);
    text_free(&out);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* In exchanges. */
static double seconds_of(const exec_messages *m) { return m->packing + m->sending + m->unpacking; }

/* Nothing on one rank. */
static void print_messages(text *out, const kata *k)
{
    exec_messages m = exec_find_messages(&k->exec);
    if (exec_ranks_count(&k->exec) == 1) return;
    text_add(
        out,
        "  sent        by rank 0: %lld messages, %lld bytes in %lld exchanges, %.3g s; planned: "
        "%lld messages, %lld bytes in %lld\n",
        (long long)m.counted.messages, (long long)m.counted.bytes, (long long)m.counted.exchanges,
        seconds_of(&m), (long long)m.planned.messages, (long long)m.planned.bytes,
        (long long)m.planned.exchanges);
}

static void print_messages_json(text *out, const kata *k)
{
    exec_messages m = exec_find_messages(&k->exec);
    if (exec_ranks_count(&k->exec) == 1) return;
    text_add(
        out,
        "{\"kind\": \"sent\", \"rank\": 0, \"ranks\": %d, \"messages\": %lld, \"bytes\": %lld, "
        "\"exchanges\": %lld, \"seconds\": %.6g, \"planned_messages\": %lld, "
        "\"planned_bytes\": %lld, \"planned_exchanges\": %lld}\n",
        exec_ranks_count(&k->exec), (long long)m.counted.messages, (long long)m.counted.bytes,
        (long long)m.counted.exchanges, seconds_of(&m), (long long)m.planned.messages,
        (long long)m.planned.bytes, (long long)m.planned.exchanges);
}

static void print_work(text *out, const kata *k)
{
    const kata_work *w = &k->work;
    text_add(out, "work\n  loops       %lld, %lld points\n  steps       %lld\n",
             (long long)w->loops, (long long)w->points, (long long)w->steps);
    text_add(out, "  chains      %lld: %lld ended by a step, %lld where the queue was long\n",
             (long long)w->chains, (long long)w->chains_step, (long long)w->chains_long);
    if (k->shown.again)
        text_add(out, "  plans       those %s; %lld %s a plan that is shown once\n",
                 k->plans.length ? "below" : "above", (long long)k->shown.again,
                 k->shown.again == 1 ? "chain has" : "chains have");
    text_add(out, "  forced      %lld", (long long)w->chains_forced);
    for (int i = 0; i < k->force_count; i++)
        text_add(out, "%s %s %lld, first after %lld steps", i ? ";" : ":", k->forces[i].call,
                 (long long)k->forces[i].count, (long long)k->forces[i].first_step);
    text_add(out, "\n");
    print_messages(out, k);
    api_print_advice(out, k);
}

static void print_work_json(text *out, const kata *k)
{
    const kata_work *w = &k->work;
    text_add(out,
             "{\"kind\": \"work\", \"loops\": %lld, \"points\": %lld, \"steps\": %lld, "
             "\"chains\": %lld, \"forced\": %lld, \"ended_by_step\": %lld, \"long\": %lld, "
             "\"forced_by\": [",
             (long long)w->loops, (long long)w->points, (long long)w->steps, (long long)w->chains,
             (long long)w->chains_forced, (long long)w->chains_step, (long long)w->chains_long);
    for (int i = 0; i < k->force_count; i++)
        text_add(out, "%s{\"call\": \"%s\", \"count\": %lld, \"first_after_steps\": %lld}",
                 i ? ", " : "", k->forces[i].call, (long long)k->forces[i].count,
                 (long long)k->forces[i].first_step);
    text_add(out, "]}\n");
    print_messages_json(out, k);
}

/* All kernels that have run. `c`: NULL without bounds. */
static void print_kernels(text *out, kata *k, const machine *found, const kata_ceilings *c,
                          bool json)
{
    observe_meter *meter = k->exec.meter;
    for (size_t i = 0; meter && i < meter->count; i++) {
        observe_meter_entry *e = &meter->entries[i];
        if (e->storage && e->rates)
            api_print_kernel(out,
                             &(api_costs){.kernel = e->kernel,
                                          .storage = e->storage,
                                          .rank = e->rank,
                                          .colors = e->colors,
                                          .once = e->once,
                                          .threads = k->exec.threads,
                                          .bytes = e->bytes,
                                          .machine = found,
                                          .ceilings = c,
                                          .measured = k->explain_quick || !e->runs ? NULL : e},
                             json);
    }
}

static void print_all(text *out, kata *k, const machine *m, const kata_ceilings *c)
{
    bool json = !strcmp(k->explain, "json");
    print_kernels(out, k, m, c, json);
    if (k->executor == &exec_cpu) exec_cpu_explain(&k->exec, m, c, json, out);
    exec_files_explain(&k->exec, json, out);
    exec_device_explain(&k->exec, json, out);
    exec_scratchpad_explain(&k->exec, json, out);
    if (json)
        print_work_json(out, k);
    else
        print_work(out, k);
    if (k->plans.length) text_add(out, "plans\n%s", text_get(&k->plans));
    text_free(&k->plans);
}

/* The picture of the plans. */
static void end_picture(kata *k)
{
    text out = {0};
    if (k->picture.count) io_svg_print(&out, &k->picture);
    if (k->picture.count) show_picture(k, &out);
    io_svg_free(&k->picture);
    text_free(&out);
}

static void end_scaling(kata *k)
{
    text out = {0};
    if (k->scaling.count) api_print_scaling(&out, k);
    if (k->scaling.count) show_picture(k, &out);
    text_free(&out);
}

static void end_pipeline(kata *k)
{
    text out = {0};
    api_print_pipeline(&out, k);
    if (out.length || out.failed) show_picture(k, &out);
    text_free(&out);
}

void api_explain_end(kata *k)
{
    machine found = {.cores = 0};
    kata_ceilings measured;
    text out = {0};
    bool quick = k->explain_quick && !shows_roofline(k);
    if (!k->explain[1]) end_picture(k);
    if (api_shows_scaling(k)) end_scaling(k);
    if (shows_pipeline(k)) end_pipeline(k);
    if (!k->explain[1] || shows_one_picture(k) || (!k->work.chains && !k->work.steps)) return;
    if (!quick) machine_detect(&found);
    bool bounded = !quick && machine_measure(&found, k->exec.threads, &measured);
    if (!shows_roofline(k)) {
        print_all(&out, k, &found, bounded ? &measured : NULL);
        show(k, &out);
    } else if (bounded) {
        api_print_roofline(&out, k->exec.meter,
                           &(api_roofline_machine){&found, &measured, k->exec.threads});
        show_picture(k, &out);
    } else {
        api_no_memory(k);
    }
    text_free(&out);
}
