/* What a run has taken, in a table when its context is closed: kernels by their time, and where the
 * rest of the time went. docs/watching.md describes it. */
#include "api/api.h"
#include "api/explain.h"
#include "ir/run_cost.h"
#include "machine/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST_ROWS = 20, LONGEST = 200 /* bytes of a note */ };

kata_status api_read_summary(kata *k, bool asked)
{
    kata_status status = api_read_switch(k, "KATA_SUMMARY", &k->summary);
    k->summary = (k->summary || asked) && exec_rank(&k->exec) == 0; /* the first one speaks */
    k->opened = clock_seconds();
    if (status || !k->summary || k->exec.meter) return status;
    k->exec.meter = calloc(1, sizeof *k->exec.meter);
    return k->exec.meter ? KATA_OK : api_no_memory(k);
}

/* ---- the rate of copies ---------------------------------------------------------------------- */

static double measure(int threads)
{
    machine found;
    kata_ceilings c;
    machine_detect(&found);
    if (!machine_measure(&found, threads, &c)) return 0;
    return c.copy.best > c.copy_streaming.best ? c.copy.best : c.copy_streaming.best;
}

/* Bytes per second, as it was measured once; 0: not known. */
static double copy_rate(const kata *k)
{
    text name = {0}, line = {0};
    static const char key[] = "copy ";
    const size_t length = sizeof key - 1;
    double rate = 0;
    machine_note_name(&name, "copy", k->exec.threads);
    if (jit_note_read(k->exec.jit, text_get(&name), LONGEST, &line) &&
        !strncmp(text_get(&line), key, length))
        rate = parse_real(text_get(&line) + length, NULL);
    if (!isfinite(rate) || rate <= 0) {
        rate = measure(k->exec.threads);
        text_clear(&line);
        text_add(&line, "%s%.6g\n", key, rate);
        if (rate > 0 && !name.failed && !line.failed)
            jit_note_write(k->exec.jit, text_get(&name), text_get(&line));
    }
    text_free(&line);
    text_free(&name);
    return rate;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const observe_meter_entry *x = *(const observe_meter_entry *const *)a,
                              *y = *(const observe_meter_entry *const *)b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? 1 : -1;
    return (x->runs < y->runs) - (x->runs > y->runs);
}

/* The fewest bytes that its loops can have moved. */
static double bytes_of(const observe_meter_entry *e)
{
    ir_run_cost cost;
    if (e->once || !ir_find_run_cost(e->kernel, e->storage, e->rank, &cost)) return 0;
    return (cost.read + cost.written) * (e->colors > 1 ? e->colors : 1) * (double)e->points;
}

/* Loops on a device have no times. */
static void print_kernel(text *out, const observe_meter_entry *e, double total, double copy)
{
    double bytes = bytes_of(e), rate = e->seconds > 0 ? bytes / e->seconds : 0;
    text_add(out, "  %-40.40s %9lld", e->kernel->name, (long long)e->runs);
    if (total > 0)
        text_add(out, " %9.3f s %5.1f %% %9.3f GB", e->seconds, 100 * e->seconds / total,
                 bytes / 1e9);
    else
        text_add(out, " %11s %7s %9.3f GB", "-", "-", bytes / 1e9);
    if (rate > 0) text_add(out, " %8.2f GB/s", rate / 1e9);
    if (rate > 0 && copy > 0) text_add(out, " %6.0f %%", 100 * rate / copy);
    text_add(out, "\n");
}

static double total_of(const observe_meter *meter)
{
    double total = 0;
    for (size_t i = 0; i < meter->count; i++) total += meter->entries[i].seconds;
    return total;
}

static void print_kernels(text *out, const observe_meter *meter, double total, double copy)
{
    const observe_meter_entry **all = calloc(meter->count + 1, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < meter->count && all; i++)
        if (meter->entries[i].storage && meter->entries[i].runs) all[count++] = &meter->entries[i];
    if (!all) out->failed = true;
    if (count) {
        qsort(all, count, sizeof *all, by_time);
        text_add(out, "  %-40s %9s %11s %7s %12s %13s %8s\n", "kernel", "loops", "time", "share",
                 "bytes", "rate", copy > 0 ? "of copy" : "");
    }
    for (size_t i = 0; i < count && i < MOST_ROWS; i++) print_kernel(out, all[i], total, copy);
    if (count > MOST_ROWS) text_add(out, "  and %zu others\n", count - MOST_ROWS);
    free(all);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void print_ranks(text *out, const kata *k)
{
    exec_messages m = exec_find_messages(&k->exec);
    if (exec_ranks_count(&k->exec) == 1) return;
    text_add(out,
             "  ranks       rank 0 of %d: %.3f s in exchanges, %.3f s of it waiting or sending; "
             "%.3f s agreeing; %.3f GB sent\n",
             exec_ranks_count(&k->exec), m.packing + m.sending + m.unpacking, m.sending, m.agreeing,
             (double)m.counted.bytes / 1e9);
}

static void print_memory(text *out, const kata *k)
{
    struct rusage used = {0};
    getrusage(RUSAGE_SELF, &used);
    text_add(out, "  memory      %.3f GB of fields; at most %.3f GB in the whole process\n",
             (double)store_pool_declared(k->pool) / 1e9, (double)used.ru_maxrss * 1024 / 1e9);
}

static void print(text *out, const kata *k)
{
    const observe_meter *meter = k->exec.meter;
    double now = clock_seconds() - k->opened, kernels = total_of(meter);
    double copy = kernels > 0 && !k->exec.device ? copy_rate(k) : 0;
    text_add(out, "summary of %.3f s on %d thread%s\n", now, k->exec.threads,
             k->exec.threads > 1 ? "s" : "");
    text_add(out, "  chains      %.3f s, of which kernels %.3f s", k->chain_seconds, kernels);
    text_add(out, ", waiting for the compiler %.3f s, tries of plans %.3f s\n", k->exec.compiling,
             k->exec.trying);
    print_kernels(out, meter, kernels, copy);
    if (k->exec.device)
        text_add(out,
                 "  kernels     on the device run beside the program: they have no times here\n");
    if (copy > 0)
        text_add(out, "  copy        %.2f GB/s is what this machine reaches\n", copy / 1e9);
    text_add(out, "  work        %lld loops, %lld points, %lld chains, %lld time steps\n",
             (long long)k->work.loops, (long long)k->work.points, (long long)k->work.chains,
             (long long)k->work.steps);
    if (k->exec.compiled || k->exec.found)
        text_add(out, "  compiled    %lld functions; %lld were in the cache\n",
                 (long long)k->exec.compiled, (long long)k->exec.found);
    print_memory(out, k);
    print_ranks(out, k);
    exec_files_explain(&k->exec, false, out);
    exec_device_explain(&k->exec, false, out);
}

void api_summary_end(kata *k)
{
    text out = {0};
    if (!k->work.chains) return;
    print(&out, k);
    if (out.failed)
        api_no_memory(k);
    else
        fputs(text_get(&out), stderr);
    text_free(&out);
}
