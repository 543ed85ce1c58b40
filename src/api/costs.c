/* The costs of a kernel per point, as text and as a JSON object: accesses, operations, bytes, the
 * rate that the machine allows, and the measured rate. */
#include "api/api.h"
#include "api/explain.h"
#include "ir/run_cost.h"
#include "machine/machine.h"

#include <stdlib.h>

static const char *const operation_names[] = {
#define X(name, word) word,
    IR_COST_OPERATIONS(X)
#undef X
};
/* Adds a separator before each item of a list but the first. */
static void separate(text *out, int *count, const char *between)
{
    if ((*count)++) text_add(out, "%s", between);
}

/* ---- halo ------------------------------------------------------------------------------------ */

/* Smallest and largest offset of all reads of a parameter; false when there are none. */
static bool find_halo(const ir_kernel *kernel, int param, int32_t lo[3], int32_t hi[3])
{
    bool found = false;
    for (int d = 0; d < 3; d++) lo[d] = hi[d] = 0;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (a->param != param) continue;
        found = true;
        for (int d = 0; d < 3; d++) {
            if (a->offset[d] < lo[d]) lo[d] = a->offset[d];
            if (a->offset[d] > hi[d]) hi[d] = a->offset[d];
        }
    }
    return found;
}

static void print_halo(text *out, const ir_kernel *kernel)
{
    int32_t lo[3], hi[3];
    int fields = 0;
    text_add(out, "  halo        ");
    for (int p = 0; p < kernel->param_count; p++) {
        if (!find_halo(kernel, p, lo, hi)) continue;
        int shown = 0;
        for (int d = 0; d < 3; d++) {
            if (!lo[d] && !hi[d]) continue;
            if (!shown++) separate(out, &fields, ", ");
            if (shown == 1) text_add(out, "%s", kernel->params[p].name);
            text_add(out, " %c %d..%d", "xyz"[d], (int)lo[d], (int)hi[d]);
        }
    }
    text_add(out, fields ? "\n" : "none\n");
}

static void print_halo_json(text *out, const ir_kernel *kernel)
{
    int32_t lo[3], hi[3];
    int fields = 0;
    text_add(out, ", \"halo\": {");
    for (int p = 0; p < kernel->param_count; p++) {
        if (!find_halo(kernel, p, lo, hi)) continue;
        separate(out, &fields, ", ");
        text_add(out, "\"%s\": [[%d, %d, %d], [%d, %d, %d]]", kernel->params[p].name, (int)lo[0],
                 (int)lo[1], (int)lo[2], (int)hi[0], (int)hi[1], (int)hi[2]);
    }
    text_add(out, "}");
}

/* ---- parameters: storage and reads ----------------------------------------------------------- */

static void print_stored(text *out, const api_costs *c)
{
    int fields = 0;
    text_add(out, "  stored      ");
    for (int p = 0; p < c->kernel->param_count && !c->once; p++) {
        if (!ir_param_is_field(&c->kernel->params[p])) continue;
        separate(out, &fields, ", ");
        text_add(out, "%s %s", c->kernel->params[p].name, ir_storages[c->storage[p]].name);
    }
    text_add(out, fields ? "\n" : "no fields\n");
}

static void print_offsets_json(text *out, const ir_kernel *kernel, int param)
{
    int reads = 0;
    text_add(out, ", \"reads\": [");
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (a->param != param) continue;
        separate(out, &reads, ", ");
        text_add(out, "{\"component\": %d, \"offset\": [%d, %d, %d]}", a->component,
                 (int)a->offset[0], (int)a->offset[1], (int)a->offset[2]);
    }
    text_add(out, "]");
}

static void print_params_json(text *out, const api_costs *c)
{
    text_add(out, ", \"parameters\": [");
    for (int p = 0; p < c->kernel->param_count; p++) {
        const ir_param *param = &c->kernel->params[p];
        text_add(out, "%s{\"name\": \"%s\", \"mode\": \"%s\", \"type\": \"%s\", \"count\": %d",
                 p ? ", " : "", param->name, ir_param_mode(param), ir_types[param->type].name,
                 param->count);
        if (ir_param_is_field(param) && !c->once)
            text_add(out, ", \"stored\": \"%s\"", ir_storages[c->storage[p]].name);
        if (ir_param_is_field(param)) print_offsets_json(out, c->kernel, p);
        text_add(out, "}");
    }
    text_add(out, "]");
}

/* ---- operations and bytes -------------------------------------------------------------------- */

static double intensity(const ir_run_cost *w)
{
    double bytes = w->read + w->written;
    return bytes > 0 ? (double)w->floating / bytes : 0;
}

static void print_work(text *out, const ir_run_cost *w)
{
    int kinds = 0;
    text_add(out, "  operations  ");
    for (int i = 0; i < IR_COST_OPERATION_COUNT; i++) {
        if (!w->operations[i]) continue;
        separate(out, &kinds, ", ");
        text_add(out, "%s %lld", operation_names[i], (long long)w->operations[i]);
    }
    text_add(out, kinds ? " per point\n" : "none\n");
    double bytes = w->read + w->written;
    text_add(out,
             "  bytes       %.4g per point: %.4g read, %.4g written; %.4g with write-allocate\n",
             bytes, w->read, w->written, bytes + w->allocated);
    text_add(out, "  intensity   %.4g operations per byte\n", intensity(w));
}

static void print_work_json(text *out, const ir_run_cost *w)
{
    text_add(out, ", \"operations\": {");
    for (int i = 0; i < IR_COST_OPERATION_COUNT; i++)
        text_add(out, "%s\"%s\": %lld", i ? ", " : "", operation_names[i],
                 (long long)w->operations[i]);
    text_add(out,
             "}, \"bytes_read\": %.6g, \"bytes_written\": %.6g, \"bytes_allocated\": %.6g, "
             "\"intensity\": %.6g",
             w->read, w->written, w->allocated, intensity(w));
}

/* ---- the bound and the measured rate --------------------------------------------------------- */

static void print_bound(text *out, const ir_rate_bound *b)
{
    if (b->points <= 0) {
        text_add(out, "  bound       none\n");
        return;
    }
    text_add(out, "  bound       %.3g points/s by %s", b->points,
             b->by_memory ? ir_cost_level_name(b->level) : "arithmetic");
    if (b->by_memory && b->allocating > 0 && b->allocating < b->memory)
        text_add(out, ", %.3g with write-allocate", b->allocating);
    if (b->by_memory && b->arithmetic > 0) text_add(out, "; arithmetic %.3g", b->arithmetic);
    if (!b->by_memory && b->memory > 0)
        text_add(out, "; %s %.3g", ir_cost_level_name(b->level), b->memory);
    text_add(out, "\n");
}

static void print_bound_json(text *out, const ir_rate_bound *b)
{
    text_add(out,
             ", \"bound\": {\"points_per_second\": %.6g, \"by\": \"%s\", \"level\": \"%s\", "
             "\"memory\": %.6g, \"memory_allocating\": %.6g, \"arithmetic\": %.6g}",
             b->points,
             b->points <= 0 ? "nothing"
             : b->by_memory ? "memory"
                            : "arithmetic",
             ir_cost_level_name(b->level), b->memory, b->allocating, b->arithmetic);
}

static void print_measured(text *out, observe_meter_entry *e, const ir_rate_bound *b)
{
    double median = observe_meter_median(e);
    text_add(out, "  measured    %.3g points/s, the median of %lld runs; %lld points in %.3g s\n",
             median, (long long)e->runs, (long long)e->points, e->seconds);
    if (b && b->points > 0) text_add(out, "  share       %.3g of the bound\n", median / b->points);
}

static void print_measured_json(text *out, observe_meter_entry *e, const ir_rate_bound *b)
{
    double median = observe_meter_median(e);
    text_add(out,
             ", \"measured\": {\"points_per_second\": %.6g, \"runs\": %lld, \"points\": %lld, "
             "\"seconds\": %.6g",
             median, (long long)e->runs, (long long)e->points, e->seconds);
    if (b && b->points > 0) text_add(out, ", \"share\": %.6g", median / b->points);
    text_add(out, "}");
}

/* ---- the whole ------------------------------------------------------------------------------- */

static ir_run_cost work_of(const api_costs *c, text *out)
{
    ir_run_cost w = {.read = 0};
    int colors = c->colors > 1 ? c->colors : 1;
    if (!ir_find_run_cost(c->kernel, c->storage, c->rank, &w)) out->failed = true;
    if (c->once) w.read = w.written = w.allocated = 0;
    w.read *= colors; /* memory moves points of all colours */
    w.written *= colors;
    w.allocated *= colors;
    return w;
}

void api_print_kernel(text *out, const api_costs *c, bool json)
{
    ir_run_cost w = work_of(c, out);
    ir_rate_bound bound = {.points = 0};
    bool bounded = c->ceilings && !c->once;
    if (bounded) bound = ir_find_rate_bound(&w, c->bytes, c->machine, c->threads, c->ceilings);
    if (json) {
        text_add(out, "{\"kind\": \"kernel\", \"name\": \"%s\", \"rank\": %d", c->kernel->name,
                 c->kernel->rank);
        print_params_json(out, c);
        print_halo_json(out, c->kernel);
        print_work_json(out, &w);
        if (bounded) print_bound_json(out, &bound);
        if (c->measured) print_measured_json(out, c->measured, bounded ? &bound : NULL);
        text_add(out, "}\n");
        return;
    }
    ir_print_accesses(out, c->kernel);
    print_stored(out, c);
    print_halo(out, c->kernel);
    print_work(out, &w);
    if (bounded) print_bound(out, &bound);
    if (c->measured) print_measured(out, c->measured, bounded ? &bound : NULL);
}

kata_type *api_natural_storage(const ir_kernel *kernel)
{
    kata_type *storage = calloc((size_t)kernel->param_count + 1, sizeof *storage);
    for (int p = 0; storage && p < kernel->param_count; p++)
        storage[p] = ir_storage_of_type(kernel->params[p].type);
    return storage;
}

static void explain_version(text *out, const kata *k, const ir_kernel *kernel, const machine *m,
                            const kata_ceilings *ceilings, bool json)
{
    kata_type *storage = api_natural_storage(kernel);
    if (storage)
        api_print_kernel(out,
                         &(api_costs){.kernel = kernel,
                                      .storage = storage,
                                      .rank = kernel->rank ? kernel->rank : 3,
                                      .threads = k->exec.threads,
                                      .machine = m,
                                      .ceilings = ceilings},
                         json);
    else
        out->failed = true;
    free(storage);
}

const char *kata_kernel_explain(kata_kernel *kernel, const kata_ceilings *ceilings, bool json)
{
    if (!kernel) {
        api_null("kata_kernel_explain", "the kernel");
        return NULL;
    }
    kata *k = kernel->module->k;
    if (k->messages.status) return NULL;
    text shown = {0};
    machine found = {.cores = 0}; /* the fields have no size, so its caches do not matter */
    explain_version(&shown, k, kernel->kernel, &found, ceilings, json);
    if (kernel->f32_version) {
        if (!json) text_add(&shown, "\n");
        explain_version(&shown, k, kernel->f32_version, &found, ceilings, json);
    }
    char *copy = shown.failed ? NULL : arena_copy_text(&k->memory, text_get(&shown), shown.length);
    text_free(&shown);
    if (!copy) api_no_memory(k);
    return copy;
}
