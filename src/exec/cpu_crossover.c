/* The crossover of streaming stores is kept in the cache folder of kernels, in a file for this
 * processor and number of threads. It is read when a chain first leaves the caches, so that small
 * programs do not wait for it, and written when the context ends, if loops have moved it. */
#include "exec/cpu.h"

enum { LONGEST = 1000 }; /* bytes of the file */

static bool read_file(const jit *j, int threads, machine_crossover *out)
{
    text name = {0}, line = {0};
    machine_note_name(&name, "crossover", threads);
    bool found = !name.failed && jit_note_read(j, text_get(&name), LONGEST, &line) &&
                 machine_crossover_read(text_get(&line), out);
    text_free(&line);
    text_free(&name);
    return found;
}

void cpu_crossover_load(struct exec_cpu *cpu)
{
    machine_crossover found;
    if (cpu->crossover_loaded) return;
    cpu->crossover_loaded = true;
    if (read_file(cpu->jit, sweep_workers_count(cpu->workers), &found))
        *sweep_workers_crossover(cpu->workers) = found;
}

void cpu_crossover_save(struct exec_cpu *cpu)
{
    machine_crossover *c = sweep_workers_crossover(cpu->workers);
    text name = {0}, line = {0};
    if (!c->changed) return;
    machine_note_name(&name, "crossover", sweep_workers_count(cpu->workers));
    machine_crossover_print(&line, c);
    if (!name.failed && !line.failed) jit_note_write(cpu->jit, name.data, line.data);
    c->changed = false;
    text_free(&line);
    text_free(&name);
}

void exec_crossover(const exec_context *context, machine_crossover *out)
{
    *out = (machine_crossover){0};
    if (context->cpu && context->cpu->crossover_loaded)
        *out = *sweep_workers_crossover(context->cpu->workers);
    else
        read_file(context->jit, context->threads, out);
}
