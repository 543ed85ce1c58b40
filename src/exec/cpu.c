/* The cpu executor: each loop of a chain as a compiled function, on threads.
 *
 * The floating-point environment is the default one, so that no program, nor a library compiled
 * with -ffast-math, can change results: set here for the calling thread and in cpu_loop.c for the
 * others. */
#include "exec/exec.h"

#include <fenv.h>
#include <stdlib.h>

static struct exec_cpu *new_state(int threads)
{
    struct exec_cpu *cpu = calloc(1, sizeof *cpu);
    if (!cpu) return NULL;
    cpu->thread_count = threads < 1 ? 1 : threads;
    size_t bytes = (size_t)cpu->thread_count * sizeof *cpu->threads;
    cpu->threads = aligned_alloc(_Alignof(cpu_thread), bytes);
    if (!cpu->threads) {
        free(cpu);
        return NULL;
    }
    for (int t = 0; t < cpu->thread_count; t++) cpu->threads[t] = (cpu_thread){0};
    return cpu;
}

void exec_cpu_free(struct exec_cpu *cpu)
{
    if (!cpu) return;
    exec_team_free(cpu->team);
    for (int t = 0; t < cpu->thread_count; t++) {
        free(cpu->threads[t].gathered);
        free(cpu->threads[t].contributions);
    }
    free(cpu->threads);
    free(cpu->functions);
    free(cpu);
}

static kata_status run_chain(exec_context *context, const chain *c, messages *m)
{
    arena memory = {0};
    codegen_function **functions = arena_array(&memory, c->count, sizeof *functions);
    kata_status status = functions ? cpu_compile(context, c, functions, m) : message_no_memory(m);
    for (size_t i = 0; i < c->count && status == KATA_OK; i++) {
        status = exec_make_arrays(&c->loops[i], m);
        if (status == KATA_OK) status = cpu_loop_run(&c->loops[i], functions[i], context->cpu, m);
    }
    arena_free(&memory);
    return status;
}

static kata_status cpu_run(exec_context *context, chain *c, messages *m)
{
    if (!context->cpu) context->cpu = new_state(context->threads);
    if (!context->cpu) return message_no_memory(m);
    context->cpu->poison = context->poison;
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    kata_status status = run_chain(context, c, m);
    fesetenv(&environment);
    return status;
}

const exec_executor exec_cpu = {"cpu", cpu_run};
