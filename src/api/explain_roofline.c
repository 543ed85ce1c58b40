/* The roofline of a program: its kernels by what they cost and how fast they ran, beside the rates
 * that this machine was measured to have. */
#include "api/api.h"
#include "api/explain.h"
#include "io/io.h"
#include "ir/run_cost.h"

#include <math.h>
#include <stdlib.h>

/* False when memory is out. */
static bool find_kernel(observe_meter_entry *e, const api_roofline_machine *m,
                        io_roofline_kernel *out)
{
    ir_run_cost cost;
    *out = (io_roofline_kernel){.name = e->kernel->name};
    if (!ir_find_run_cost(e->kernel, e->storage, e->rank, &cost)) return false;
    double bytes = cost.read + cost.written, points = observe_meter_median(e);
    ir_rate_bound bound = ir_find_rate_bound(&cost, e->bytes, m->machine, m->threads, m->ceilings);
    if (bytes > 0 && !e->once) out->intensity = (double)cost.floating / bytes;
    out->rate = points * (double)cost.floating;
    out->share = bound.points > 0 ? points / bound.points : 0;
    return true;
}

void api_print_roofline(text *out, observe_meter *meter, const api_roofline_machine *m)
{
    const kata_ceilings *c = m->ceilings;
    io_roofline_kernel *kernels = calloc(meter->count + 1, sizeof *kernels);
    io_roofline r = {.kernels = kernels,
                     .roofs = {{"memory", fmax(c->copy.best, c->copy_streaming.best)},
                               {"L3 cache", c->l3_copy_all.best},
                               {"L2 cache", c->l2_copy_all.best}},
                     .peak = 2 * m->threads * fmax(c->fma_f64.best, 1),
                     .peak_name = "fma of f64, all threads"};
    for (size_t i = 0; kernels && i < meter->count; i++) {
        observe_meter_entry *e = &meter->entries[i];
        if (!e->storage || !e->rates || !e->runs) continue;
        if (!find_kernel(e, m, &kernels[r.count++])) out->failed = true;
    }
    if (!kernels) out->failed = true;
    if (kernels) io_svg_roofline(out, &r);
    free(kernels);
}
