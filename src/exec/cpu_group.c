/* Groups of functions, each compiled by a job of its own. There are at least as many groups as
 * cores, so that all compile at once, and so many that no compiler takes long. Beside a running
 * program there are more and smaller groups, so that the first functions needed are ready early. */
#include "exec/cpu.h"

#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

/* Of a group, in operations, and of the loops around those of a function. */
enum { MOST_COST = 8000, LOOPS_COST = 60 };

static size_t cost_of(const cpu_missing *f)
{
    return (size_t)ir_compile_cost(f->loop.kernel) + LOOPS_COST;
}

/* Whether two functions may be in one file. */
static bool go_together(const cpu_missing *a, const cpu_missing *b)
{
    return (a->id.effort == JIT_BRIEF) == (b->id.effort == JIT_BRIEF);
}

/* A file is compiled with all passes if one of its functions is worth them: starting one more
 * compiler would take longer than these passes do for the others. */
static jit_effort effort_of(const cpu_missing *missing, size_t count)
{
    jit_effort effort = missing[0].id.effort;
    for (size_t i = 1; i < count; i++)
        if (missing[i].id.effort != effort) effort = JIT_FULL;
    return effort;
}

static kata_status start_job(exec_context *context, const cpu_missing *missing, size_t count,
                             jit_urgency urgency, messages *m, cpu_group **out)
{
    struct exec_cpu *cpu = context->cpu;
    text c_text = {0};
    cpu_group *group = calloc(1, sizeof *group);
    codegen_loop *loops = calloc(count, sizeof *loops);
    jit_function *ids = calloc(count, sizeof *ids);
    bool good = group && loops && ids;
    for (size_t i = 0; i < count && good; i++) {
        loops[i] = missing[i].loop;
        ids[i] = missing[i].id;
        ids[i].effort = effort_of(missing, count);
    }
    if (good) codegen_file_text(&c_text, loops, count);
    kata_status status = good && !c_text.failed
                             ? jit_start(context->jit, &c_text, ids, count, urgency, m, &group->job)
                             : message_no_memory(m);
    free(loops);
    free(ids);
    text_free(&c_text);
    if (status) {
        free(group);
        return status;
    }
    for (size_t i = 0; i < count; i++) cpu->functions[missing[i].function].group = group;
    *out = group;
    return KATA_OK;
}

/* Starts a group of consecutive functions. */
static kata_status start(exec_context *context, const cpu_missing *missing, size_t count,
                         messages *m)
{
    cpu_group *group;
    kata_status status = start_job(context, missing, count, JIT_SOON, m, &group);
    if (status) return status;
    group->next = context->cpu->groups;
    context->cpu->groups = group;
    return KATA_OK;
}

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

cpu_group *cpu_group_start_later(exec_context *context, const cpu_missing *missing, size_t count)
{
    messages unheard = {.handler = ignore};
    cpu_group *group = NULL;
    if (start_job(context, missing, count, JIT_LATER, &unheard, &group)) group = NULL;
    message_free(&unheard);
    return group;
}

/* How many groups are wanted for functions of this cost altogether. */
static size_t count_groups(const exec_context *context, size_t count, size_t total)
{
    size_t groups = (size_t)machine_cores(), cheap = total / MOST_COST + 1;
    size_t small = context->wait ? 0 : (count + CPU_MOST_IN_GROUP - 1) / CPU_MOST_IN_GROUP;
    if (groups < cheap) groups = cheap;
    return groups < small ? small : groups;
}

kata_status cpu_group_start(exec_context *context, const cpu_missing *missing, size_t count,
                            messages *m)
{
    size_t total = 0, done = 0, first = 0;
    kata_status status = KATA_OK;
    for (size_t i = 0; i < count; i++) total += cost_of(&missing[i]);
    const size_t groups = count_groups(context, count, total);
    for (size_t i = 0, group = 1; i < count && !status; i++) {
        done += cost_of(&missing[i]);
        bool last = i + 1 == count || !go_together(&missing[i], &missing[i + 1]);
        if (!last && done * groups < total * group) continue;
        status = start(context, missing + first, i + 1 - first, m);
        first = i + 1;
        while (done * groups >= total * group) group++;
    }
    return status;
}

static void unlink_group(struct exec_cpu *cpu, cpu_group *group)
{
    cpu_group **at = &cpu->groups;
    while (*at != group) at = &(*at)->next;
    *at = group->next;
}

kata_status cpu_group_fetch(exec_context *context, cpu_group *group, messages *m)
{
    struct exec_cpu *cpu = context->cpu;
    void *library = NULL;
    double begin = clock_seconds();
    kata_status status = jit_finish(context->jit, group->job, m, &library);
    context->compiling += clock_seconds() - begin;
    observe_timeline_end(context->timeline, "compile", "waits for the compiler", begin, NULL);
    for (size_t i = 0; i < cpu->function_count; i++) {
        cpu_function *f = &cpu->functions[i];
        if (f->group != group) continue;
        f->group = NULL;
        context->compiled++;
        void *code = library ? jit_symbol(library, f->id.name) : NULL;
        if (library && !code)
            status = message_fail(m, KATA_ERROR_INTERNAL, "no function %s", f->id.name);
        memcpy(&f->run, &code, sizeof code); /* ISO C has no cast for this */
    }
    unlink_group(cpu, group);
    free(group);
    return status;
}

void cpu_groups_drop(struct exec_cpu *cpu)
{
    for (size_t i = 0; i < cpu->function_count; i++)
        if (cpu->functions[i].group != cpu->beside) cpu->functions[i].group = NULL;
    for (const cpu_group *g = cpu->groups; g; g = g->next) jit_stop(cpu->jit, g->job);
    while (cpu->groups) {
        cpu_group *group = cpu->groups;
        cpu->groups = group->next;
        jit_drop(cpu->jit, group->job);
        free(group);
    }
}
