/* How long each kernel has run, on fields stored as they are. */
#include "observe/observe.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RATES = 4096 }; /* of the newest runs of a kernel */

double observe_meter_now(const observe_meter *meter) { return meter ? clock_seconds() : 0; }

void observe_meter_free(observe_meter *meter)
{
    for (size_t i = 0; meter && i < meter->count; i++) {
        free(meter->entries[i].storage);
        free(meter->entries[i].rates);
    }
    if (meter) free(meter->entries);
    free(meter);
}

static bool is_of(const observe_meter_entry *e, const chain_loop *loop)
{
    if (e->kernel != loop->kernel || e->rank != loop->shape.rank || e->once != loop->once ||
        e->colors != loop->colors)
        return false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_field(&loop->kernel->params[p]) &&
            e->storage[p] != loop->bindings[p].slot->type)
            return false;
    return true;
}

static observe_meter_entry *add(observe_meter *meter, const chain_loop *loop)
{
    void *entries = meter->entries;
    int count = loop->kernel->param_count;
    if (!vector_reserve(&entries, &meter->capacity, meter->count + 1, sizeof *meter->entries))
        return NULL;
    meter->entries = entries;
    observe_meter_entry *e = &meter->entries[meter->count];
    *e = (observe_meter_entry){.kernel = loop->kernel,
                               .rank = loop->shape.rank,
                               .once = loop->once,
                               .colors = loop->colors,
                               .storage = calloc((size_t)count + 1, sizeof *e->storage),
                               .rates = malloc(MOST_RATES * sizeof *e->rates)};
    meter->count++; /* freed also where memory was out */
    if (!e->storage || !e->rates) return NULL;
    for (int p = 0; p < count; p++)
        if (ir_param_is_field(&loop->kernel->params[p]))
            e->storage[p] = loop->bindings[p].slot->type;
    return e;
}

static observe_meter_entry *find(observe_meter *meter, const chain_loop *loop)
{
    for (size_t i = 0; i < meter->count; i++)
        if (is_of(&meter->entries[i], loop)) return &meter->entries[i];
    return add(meter, loop);
}

/* Bytes of the fields of a loop, each slot once. */
static double bytes_of(const chain_loop *loop)
{
    double bytes = 0;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const chain_slot *slot = loop->bindings[p].slot;
        bool counts = ir_param_takes_field(&loop->kernel->params[p]) && !slot->is_scalar;
        for (int q = 0; q < p; q++) counts = counts && loop->bindings[q].slot != slot;
        if (!counts) continue;
        grid_box all = chain_slot_memory(slot);
        bytes += (double)grid_box_points(&all) * slot->components * ir_storages[slot->type].bytes;
    }
    return bytes;
}

void observe_meter_meet(observe_meter *meter, const chain *c)
{
    for (size_t i = 0; meter && i < c->count && !meter->failed; i++) {
        observe_meter_entry *e = find(meter, &c->loops[i]);
        double bytes = bytes_of(&c->loops[i]);
        meter->failed = !e;
        if (e && e->bytes < bytes) e->bytes = bytes;
    }
}

void observe_meter_note(observe_meter *meter, const chain_loop *loop, double seconds)
{
    if (!meter || meter->failed) return;
    observe_meter_entry *e = find(meter, loop);
    meter->failed = !e;
    if (!e) return;
    int64_t points = chain_loop_points(loop);
    e->rates[e->runs++ % MOST_RATES] = seconds > 0 ? (double)points / seconds : 0;
    e->points += points;
    e->seconds += seconds;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double observe_meter_median(observe_meter_entry *e)
{
    size_t count = (size_t)smaller(e->runs, MOST_RATES);
    qsort(e->rates, count, sizeof *e->rates, ascending);
    return count ? e->rates[count / 2] : 0;
}
