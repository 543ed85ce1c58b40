/* Loops of a chain that runs: prepared, begun, released. */
#include "exec/cpu.h"

const chain_loop *cpu_loop_of(const cpu_chain *c, int loop) { return c->a->loops[loop].loop; }

bool cpu_no_memory(cpu_chain *c)
{
    if (!c->status) c->status = message_no_memory(c->m);
    return false;
}

/* A loop is prepared when it is met; where loops run side by side, all of them before. */
bool cpu_prepare(cpu_chain *c, int loop)
{
    cpu_step *s = &c->steps[loop];
    struct exec_cpu *cpu = c->context->cpu;
    if (s->sweep) return true;
    const cpu_function *f = &cpu->functions[s->function];
    sweep_manner manner = {.cut = !c->whole && c->schedule->cut[loop],
                           .copies = s->copies,
                           .covers = cpu_covers(c, loop),
                           .smaller = f->smaller};
    c->status = store_make_arrays(cpu_loop_of(c, loop), c->m);
    if (c->status) return false;
    s->sweep = sweep_prepare(cpu->workers, cpu_loop_of(c, loop), f->run, manner);
    return s->sweep || cpu_no_memory(c);
}

void cpu_release(cpu_step *s)
{
    sweep_release(s->sweep);
    s->sweep = NULL;
    s->begun = false;
}

bool cpu_prepare_copies(cpu_chain *c, int loop)
{
    cpu_release(&c->steps[loop]);
    c->steps[loop].copies = true;
    return cpu_prepare(c, loop);
}

cpu_step *cpu_step_of(const cpu_chain *c, int loop) { return &c->steps[c->steps[loop].same]; }

bool cpu_begin(cpu_chain *c, int loop)
{
    cpu_step *s = cpu_step_of(c, loop);
    if (!cpu_prepare(c, c->steps[loop].same)) return false;
    if (!s->begun) sweep_begin(s->sweep, cpu_loop_of(c, loop));
    return s->begun = true;
}
