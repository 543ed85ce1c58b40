/* The cpu executor: each loop of a chain as a compiled function, on threads; or interpreted, while
 * its function is being compiled. Results are the same.
 *
 * The floating-point environment is the default one, so that no program, nor a library compiled
 * with -ffast-math, can change results: set here for the calling thread and in team.c for the
 * others. */
#include "exec/cpu.h"
#include "oracle/oracle.h"

#include <fenv.h>
#include <stdlib.h>

static struct exec_cpu *new_state(int threads)
{
    struct exec_cpu *cpu = calloc(1, sizeof *cpu);
    if (cpu && sweep_workers_make(&cpu->workers, threads)) return cpu;
    exec_cpu_free(cpu);
    return NULL;
}

void exec_cpu_free(struct exec_cpu *cpu)
{
    if (!cpu) return;
    cpu_groups_drop(cpu);
    sweep_workers_free(&cpu->workers);
    free(cpu->functions);
    free(cpu);
}

/* A chain that runs as its plan says, which is loop by loop. */
typedef struct cpu_chain {
    exec_context *context;
    const analysis_chain *a;
    size_t *functions; /* numbers, per loop */
    messages *m;
    kata_status status;
} cpu_chain;

static bool run_loop(cpu_chain *c, int loop)
{
    const chain_loop *l = c->a->loops[loop].loop;
    struct exec_cpu *cpu = c->context->cpu;
    abi_function *run;
    c->status = store_make_arrays(l, c->m);
    if (!c->status) c->status = cpu_compiled(c->context, c->functions[loop], l, c->m, &run);
    double start = observe_meter_now(c->context->meter);
    if (!c->status)
        c->status = run ? sweep_loop_run(l, run, &cpu->functions[c->functions[loop]].way,
                                         &cpu->workers, c->m)
                        : oracle_interpret_loop(l, NULL, c->m);
    if (c->status == KATA_OK) observe_meter_note(c->context->meter, l, start);
    return c->status == KATA_OK;
}

static bool run_whole(void *data, const plan_walk *walk, const plan_run *run)
{
    (void)walk;
    return run_loop(data, run->loop);
}

/* Reductions are finished with their loop, which is not met when it has no points. */
static bool run_scalar(void *data, int loop)
{
    cpu_chain *c = data;
    const chain_loop *l = c->a->loops[loop].loop;
    return (!l->once && !grid_box_is_empty(&l->box)) || run_loop(c, loop);
}

static kata_status run_chain(exec_context *context, const chain *c, messages *m)
{
    arena memory = {0};
    cpu_chain chain = {.context = context, .m = m};
    plan_visitor visitor = {.data = &chain, .run = run_whole, .scalar = run_scalar};
    const plan *p = exec_plan_of(context, &(plan_request){.method = "loops"}, c, &chain.a, m);
    chain.functions = arena_array(&memory, c->count, sizeof *chain.functions);
    plan_place *homes = arena_array(&memory, c->slot_count + 1, sizeof *homes);
    kata_status status = p ? KATA_OK : KATA_ERROR_MEMORY;
    if (!chain.functions || !homes) status = message_no_memory(m);
    if (!status) status = cpu_compile(context, c, chain.functions, m);
    if (!status && !plan_walk_all(p, chain.a, homes, &visitor))
        status = chain.status ? chain.status : message_no_memory(m);
    arena_free(&memory);
    return status;
}

static kata_status cpu_run(exec_context *context, chain *c, messages *m)
{
    if (!context->cpu) context->cpu = new_state(context->threads);
    if (!context->cpu) return message_no_memory(m);
    context->cpu->workers.poison = context->poison;
    context->cpu->jit = context->jit;
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    kata_status status = run_chain(context, c, m);
    fesetenv(&environment);
    return status;
}

const exec_executor exec_cpu = {"cpu", cpu_run};
