/* From smaller functions to larger ones. A small kernel has two functions (see cpu_compile.c). In
 * chains that fit no cache the larger one is faster, but compilers need twice the time for it. So
 * such chains, too, begin with the smaller one, and the time that its loops run is counted. When a
 * function has run for long enough, a compiler of low priority makes its larger one, beside the
 * program; and when that has ended, the next chain, or part of a long one, takes it. Results are
 * the same.
 *
 * There is one such compiler at a time, for a few functions. It is ended with the context. What it
 * made is in the cache folder: the next start of the program finds it there and begins with it. If
 * it fails, loops stay with what they have.
 *
 * The chain's thread alone does all this, before and after it runs loops; so no loop sees its
 * function change. The larger function has a number of its own: chains take it by looking for their
 * functions, as always. Which plan is fastest is found out anew then. */
#include "exec/cpu.h"

#include <stdlib.h>
#include <string.h>

/* Seconds that a function runs before a larger one is made. Compiling that takes 0.05 to 0.1 s, and
 * it is mostly 5 to 30 % faster: sooner, compiling would often take longer than it saves. */
static const double WORTH_REPLACING = HOSTILE(0.25, 0);

/* ---- taking over ----------------------------------------------------------------------------- */

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

/* The library of a job; NULL where it failed. */
static void *library_of(exec_context *context, jit_job *job)
{
    messages unheard = {.handler = ignore};
    void *library = NULL;
    if (jit_finish(context->jit, job, &unheard, &library)) library = NULL;
    message_free(&unheard);
    return library;
}

/* Gives functions of a group their code; those that had to make do without it search again. */
static void replace(struct exec_cpu *cpu, const cpu_group *group, void *library)
{
    for (size_t i = 0; i < cpu->function_count; i++) {
        cpu_function *f = &cpu->functions[i];
        if (f->group != group) continue;
        void *code = library ? jit_symbol(library, f->id.name) : NULL;
        memcpy(&f->run, &code, sizeof code); /* ISO C has no cast for this */
        f->failed = !code;
        f->group = NULL;
    }
    for (size_t i = 0; i < cpu->function_count; i++) {
        cpu_function *f = &cpu->functions[i];
        const cpu_function *larger =
            f->larger == CPU_NO_FUNCTION ? NULL : &cpu->functions[f->larger];
        if (larger && (larger->run || larger->failed)) f->larger = CPU_NO_FUNCTION;
    }
    memset(cpu->bound, 0, sizeof cpu->bound);
}

bool cpu_larger_take(exec_context *context)
{
    struct exec_cpu *cpu = context->cpu;
    cpu_group *group = cpu->beside;
    if (!group || !jit_is_done(group->job)) return false;
    bool lost = jit_is_lost(group->job);
    cpu_larger_wait(context);
    return !lost;
}

void cpu_larger_drop(struct exec_cpu *cpu)
{
    cpu_group *group = cpu->beside;
    if (!group) return;
    for (size_t i = 0; i < cpu->function_count; i++)
        if (cpu->functions[i].group == group) cpu->functions[i].group = NULL;
    jit_drop(cpu->jit, group->job);
    cpu->beside = NULL;
    free(group);
}

void cpu_larger_wait(exec_context *context)
{
    cpu_group *group = context->cpu->beside;
    if (jit_is_lost(group->job)) {
        cpu_larger_drop(context->cpu);
        return;
    }
    replace(context->cpu, group, library_of(context, group->job));
    context->cpu->beside = NULL;
    free(group);
}

/* ---- earning --------------------------------------------------------------------------------- */

/* The function of a loop; NULL: it needs none. */
static cpu_function *function_of(const struct exec_cpu *cpu, size_t number)
{
    return number == CPU_NO_FUNCTION ? NULL : &cpu->functions[number];
}

void cpu_larger_begin(exec_context *context, const chain *c, const size_t *functions)
{
    struct exec_cpu *cpu = context->cpu;
    bool complete = true;
    cpu->provisional = false;
    for (size_t i = 0; i < c->count; i++) {
        const cpu_function *f = function_of(cpu, functions[i]);
        complete = complete && (!f || f->run);
        cpu->provisional = cpu->provisional || (f && f->larger != CPU_NO_FUNCTION);
    }
    cpu->counts = cpu->provisional && complete && !cpu->fits;
}

/* Each loop has a share of the chain's time by its points. */
static void count(struct exec_cpu *cpu, const chain *c, const size_t *functions, double seconds)
{
    double points = 1;
    for (size_t i = 0; i < c->count; i++) points += (double)chain_loop_points(&c->loops[i]);
    for (size_t i = 0; i < c->count; i++) {
        cpu_function *f = function_of(cpu, functions[i]);
        if (f) f->seconds += seconds * (double)chain_loop_points(&c->loops[i]) / points;
    }
}

static bool is_listed(const cpu_missing *missing, size_t count, size_t function)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) found = found || missing[i].function == function;
    return found;
}

/* The larger functions that are worth it. */
static size_t find_due(const exec_context *context, const chain *c, const size_t *functions,
                       arena *memory, cpu_missing missing[CPU_MOST_IN_GROUP])
{
    const struct exec_cpu *cpu = context->cpu;
    size_t due = 0;
    for (size_t i = 0; i < c->count && due < CPU_MOST_IN_GROUP; i++) {
        const cpu_function *f = function_of(cpu, functions[i]);
        if (!f || f->larger == CPU_NO_FUNCTION || f->seconds < WORTH_REPLACING) continue;
        if (is_listed(missing, due, f->larger)) continue;
        cpu_missing *next = &missing[due];
        *next = (cpu_missing){.id = cpu->functions[f->larger].id, .function = f->larger};
        due += cpu_bind(&c->loops[i], context, memory, &next->loop);
    }
    return due;
}

void cpu_larger_end(exec_context *context, const chain *c, const size_t *functions, double seconds)
{
    struct exec_cpu *cpu = context->cpu;
    cpu_missing missing[CPU_MOST_IN_GROUP];
    arena memory = {0};
    if (!cpu->counts) return;
    count(cpu, c, functions, seconds);
    if (cpu->beside || !jit_has_compiler(context->jit)) return;
    size_t due = find_due(context, c, functions, &memory, missing);
    if (due) cpu->beside = cpu_group_start_later(context, missing, due);
    arena_free(&memory);
}
