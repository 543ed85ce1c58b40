/* Constants outside fields, where tiles of loops run as a wave. They stay: so they are written once
 * before the wave, and its tiles neither fill them nor wait for those that do. That holds for a
 * field if all loops of the wave that fill around it would write the same constants. */
#include "exec/cpu.h"

#include <stdlib.h>

/* What the loops of a wave fill around a field, or change there. */
typedef struct around {
    const sweep_loop *loop; /* the first that fills, and which of its fills; NULL: none */
    int fill;
    bool differs; /* loops fill other things, or cells that belong to their points */
} around;

static void note_fill(around *at, const sweep_loop *l, int fill)
{
    if (!at->loop) {
        at->loop = l;
        at->fill = fill;
    }
    if (fill >= SWEEP_MOST_FILLS || !sweep_fill_stays(l, fill) ||
        !sweep_fills_alike(at->loop, at->fill, l, fill))
        at->differs = true;
}

static void note_loop(const cpu_chain *c, const plan_wave_loop *part, around *slots)
{
    const chain_loop *loop = cpu_loop_of(c, part->loop);
    const sweep_loop *l = cpu_step_of(c, part->loop)->sweep;
    int component;
    if (loop->copy) return;
    for (int f = 0; f < sweep_fill_count(l); f++)
        note_fill(&slots[sweep_fill_slot(l, f, loop, &component)->number], l, f);
    for (int w = 0; w < sweep_wrap_count(l); w++)
        slots[sweep_wrap_slot(l, w, loop, &component)->number].differs = true;
}

/* The fills of a loop whose constants stay. */
static uint64_t constants_of(const cpu_chain *c, const plan_wave_loop *part, const around *slots)
{
    const chain_loop *loop = cpu_loop_of(c, part->loop);
    const sweep_loop *l = cpu_step_of(c, part->loop)->sweep;
    uint64_t constants = 0;
    int component;
    for (int f = 0; !loop->copy && f < sweep_fill_count(l) && f < SWEEP_MOST_FILLS; f++)
        if (!slots[sweep_fill_slot(l, f, loop, &component)->number].differs)
            constants |= UINT64_C(1) << f;
    return constants;
}

bool cpu_find_constants(cpu_chain *c, const plan_wave *wave)
{
    const plan_wave_loop *parts = &c->schedule->loops[wave->first];
    around *slots = calloc((size_t)c->a->slot_count + 1, sizeof *slots);
    if (!slots) return cpu_no_memory(c);
    for (int k = 0; k < wave->loops; k++) note_loop(c, &parts[k], slots);
    for (int k = 0; k < wave->loops; k++)
        c->constants[wave->first + k] = constants_of(c, &parts[k], slots);
    free(slots);
    return true;
}

void cpu_fill_constants(cpu_chain *c, const plan_wave *wave)
{
    const plan_wave_loop *parts = &c->schedule->loops[wave->first];
    for (int k = 0; k < wave->loops; k++) cpu_step_of(c, parts[k].loop)->filled = false;
    for (int k = 0; k < wave->loops; k++) {
        cpu_step *s = cpu_step_of(c, parts[k].loop);
        uint64_t constants = c->constants[wave->first + k];
        if (constants && !s->filled) sweep_fill_constants(s->sweep, constants);
        s->filled = true;
    }
}
