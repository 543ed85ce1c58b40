/* From the loops of a chain to compiled functions. A function serves all loops whose kernels
 * compute the same on the same storage types and layouts; its name says so.
 *
 * Small kernels have two functions. Where all that a chain touches fits the caches, the one without
 * prefetching and streaming stores does, which compilers make in half the time. Elsewhere it serves
 * until the larger one has been earned: see cpu_larger.c.
 *
 * A function that is not in the cache is compiled beside the program. Until it is there, a loop is
 * interpreted if that takes less time than the compiler, and waits otherwise. Compilers start only
 * when enough has been interpreted to be worth their time: a tiny run needs none. */
#include "exec/cpu.h"

#include <stdlib.h>
#include <string.h>

/* Estimates, in seconds. */
static const double NODE_SECONDS = 150e-9; /* to interpret a node of a kernel's graph */
static const double WORTH_COMPILING = HOSTILE(5e-3, 0), WORTH_WAITING = HOSTILE(50e-3, 1e-4);

static double seconds_of(const chain_loop *loop)
{
    return (double)chain_loop_points(loop) * (double)loop->kernel->graph.count * NODE_SECONDS;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Identifies a function, and sets its code if that is in the cache. */
static kata_status look_in_cache(exec_context *context, const codegen_loop *bound, cpu_function *f)
{
    void *code = NULL;
    *f = (cpu_function){.larger = CPU_NO_FUNCTION};
    if (!cpu_identify(context->cpu, bound, &f->id)) return KATA_ERROR_MEMORY;
    kata_status status = jit_find(context->jit, &f->id, &code);
    context->found += code != NULL;
    memcpy(&f->run, &code, sizeof code); /* ISO C has no cast for this */
    return status;
}

/* Enters a function that was not met before, or `instead` (NULL: none) if only that is in the
 * cache. */
static kata_status add(exec_context *context, const codegen_loop *bound,
                       const codegen_loop *instead)
{
    cpu_function f, other = {.run = NULL};
    kata_status status = look_in_cache(context, bound, &f);
    if (!status && !f.run && instead) status = look_in_cache(context, instead, &other);
    if (other.run) f = other;
    return status || cpu_functions_add(context->cpu, &f) ? status : KATA_ERROR_MEMORY;
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Functions of a chain without code. */
typedef struct search {
    arena memory;
    size_t loops;         /* of the chain */
    bool fits;            /* all that it touches fits the caches */
    bool larger;          /* elsewhere no smaller function serves for a larger one */
    cpu_missing *missing; /* NULL: none yet */
    size_t count;
    double seconds; /* to interpret their loops */
} search;

/* Whether a search meets a function without code for the first time. */
static bool is_new(const struct exec_cpu *cpu, cpu_function *f)
{
    bool first = f->missed != cpu->searches;
    f->missed = cpu->searches;
    return first;
}

/* The function of a loop, if it was met before. */
static cpu_function *find(const struct exec_cpu *cpu, const codegen_loop *bound)
{
    char name[64];
    codegen_name(bound, name);
    return cpu_functions_find(cpu, name);
}

/* Sets *function to the number of a function, which is added, or `instead` of it (see add), if it
 * was not met before. */
static kata_status get_function(exec_context *context, const codegen_loop *bound,
                                const codegen_loop *instead, size_t *function)
{
    const cpu_function *f = find(context->cpu, bound);
    kata_status status = f ? KATA_OK : add(context, bound, instead);
    if (!status)
        *function = f ? (size_t)(f - context->cpu->functions) : context->cpu->function_count - 1;
    return status;
}

/* Sets *function to the number of the smaller function of a loop, or of the larger one if only that
 * is in the cache; beyond the caches, if that is at all. */
static kata_status look_up_smaller(exec_context *context, bool fits, codegen_loop *bound,
                                   const codegen_loop *larger, size_t *function)
{
    struct exec_cpu *cpu = context->cpu;
    const bool known = find(cpu, larger);
    kata_status status = fits ? KATA_OK : get_function(context, larger, NULL, function);
    const size_t other = *function;
    if (status) return status;
    if (!fits && cpu->functions[other].run) return KATA_OK;
    status = get_function(context, bound, fits && !known ? larger : NULL, function);
    cpu_function *f = status ? NULL : find(cpu, bound);
    if (!f) return status;
    f->smaller = true;
    if (!fits && !cpu->functions[other].failed) f->larger = other;
    return KATA_OK;
}

/* Sets *function to the number of that of a loop: the smaller of two, unless there is code of the
 * larger one, or will be soon. *bound says so where there is none. */
static kata_status look_up(exec_context *context, const search *s, codegen_loop *bound,
                           size_t *function)
{
    struct exec_cpu *cpu = context->cpu;
    const codegen_loop larger = *bound;
    const cpu_function *f = find(cpu, bound);
    bool there = f && (f->run || (f->group && f->group != cpu->beside));
    bool may_be_smaller = (s->fits || !s->larger) && !context->without && !there;
    if (may_be_smaller) bound->without = codegen_passes_past_caches(bound);
    if (bound->without != larger.without)
        return look_up_smaller(context, s->fits, bound, &larger, function);
    return get_function(context, bound, NULL, function);
}

/* Packs into few bits what the name of a loop's function depends on beside its kernel; false when
 * there is too much. */
static bool pack_fields(const chain_loop *loop, bool fits, uint64_t *out)
{
    enum { TYPE_BITS = 4, ROWS_BITS = 2, MOST = 10 };
    _Static_assert(IR_STORAGE_COUNT <= 1 << TYPE_BITS, "a type has too few bits");
    uint64_t fields = (uint64_t)fits << 1 | (loop->colors > 1);
    if (loop->kernel->param_count > MOST) return false;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        bool field = ir_param_is_field(&loop->kernel->params[p]);
        const chain_slot *slot = loop->bindings[p].slot;
        fields <<= TYPE_BITS + ROWS_BITS;
        if (field) fields |= (uint64_t)slot->type << ROWS_BITS | store_slot_rows(slot);
    }
    *out = fields;
    return true;
}

/* Sets *function to the number of that of loops over points between those of a grid. */
static kata_status add_sparse(struct exec_cpu *cpu, size_t *function)
{
    const cpu_function own = {
        .id.name = "kata_sparse", .run = sweep_run_sparse, .larger = CPU_NO_FUNCTION};
    const cpu_function *f = cpu_functions_find(cpu, own.id.name);
    if (!f && !cpu_functions_add(cpu, &own)) return KATA_ERROR_MEMORY;
    *function = f ? (size_t)(f - cpu->functions) : cpu->function_count - 1;
    return KATA_OK;
}

/* Sets *function to the number of that of a loop. */
static kata_status function_of(exec_context *context, const chain_loop *loop, search *s,
                               size_t *function)
{
    uint64_t fields = 0;
    *function = CPU_NO_FUNCTION;
    if (loop->copy) return KATA_OK;
    if (loop->sparse) return add_sparse(context->cpu, function);
    bool few = pack_fields(loop, s->fits, &fields);
    const uint64_t key = ((uintptr_t)loop->kernel ^ fields << 17 ^ fields) * 0x9e3779b97f4a7c15u;
    cpu_bound *known = &context->cpu->bound[(key >> 32) % CPU_BOUND];
    bool is_known = few && known->kernel == loop->kernel && known->fields == fields;
    cpu_function *f = is_known ? &context->cpu->functions[known->function] : NULL;
    codegen_loop bound;
    if (f) *function = known->function;
    if (f && f->run) return KATA_OK;
    if (!cpu_bind(loop, context, &s->memory, &bound)) return KATA_ERROR_MEMORY;
    if (look_up(context, s, &bound, function)) return KATA_ERROR_MEMORY;
    if (few) *known = (cpu_bound){loop->kernel, fields, *function};
    f = &context->cpu->functions[*function];
    if (f->run) return KATA_OK;
    s->seconds += seconds_of(loop);
    if (f->group || !is_new(context->cpu, f)) return KATA_OK;
    if (!s->missing) s->missing = arena_array(&s->memory, s->loops, sizeof *s->missing);
    if (!s->missing) return KATA_ERROR_MEMORY;
    s->missing[s->count++] = (cpu_missing){bound, f->id, *function};
    return KATA_OK;
}

/* Waits for a group. */
static kata_status fetch(exec_context *context, cpu_group *group, messages *m)
{
    if (group != context->cpu->beside) return cpu_group_fetch(context, group, m);
    cpu_larger_wait(context);
    return KATA_OK;
}

/* Before a chain runs: starts compilers for the functions that it lacks, and waits for them if the
 * context says so. */
static kata_status prepare(exec_context *context, const search *s, const size_t *functions,
                           size_t count, messages *m)
{
    struct exec_cpu *cpu = context->cpu;
    kata_status status = KATA_OK;
    bool worth = context->wait || cpu->interpreted + s->seconds > WORTH_COMPILING;
    if (s->count && !jit_has_compiler(context->jit))
        return jit_report_no_compiler(context->jit, s->missing[0].loop.kernel->name, m);
    if (s->count && worth) status = cpu_group_start(context, s->missing, s->count, m);
    for (size_t i = 0; i < count && !status && context->wait; i++)
        if (functions[i] != CPU_NO_FUNCTION && cpu->functions[functions[i]].group)
            status = fetch(context, cpu->functions[functions[i]].group, m);
    return status;
}

/* Finds the functions of a chain, which does what `whole` does, or a part of it. */
static kata_status begin_search(exec_context *context, const chain *whole, const chain *c,
                                size_t *functions, search *s)
{
    kata_status status = KATA_OK;
    *s = (search){.memory = context->cpu->search_memory,
                  .loops = c->count,
                  .fits = sweep_chain_fits(context->cpu->workers, whole),
                  .larger = s->larger};
    context->cpu->fits = s->fits;
    context->cpu->searches++;
    for (size_t i = 0; i < c->count && !status; i++)
        status = function_of(context, &c->loops[i], s, &functions[i]);
    return status;
}

static void end_search(exec_context *context, search *s)
{
    arena_clear(&s->memory);
    context->cpu->search_memory = s->memory;
}

kata_status cpu_compile(exec_context *context, const chain *c, size_t *functions, messages *m)
{
    search s = {.larger = context->larger};
    kata_status status = begin_search(context, c, c, functions, &s);
    status = status ? message_no_memory(m) : prepare(context, &s, functions, c->count, m);
    end_search(context, &s);
    return status;
}

/* Starts a compiler of low priority for some of the functions without code. */
static void start_beside(exec_context *context, search *s)
{
    struct exec_cpu *cpu = context->cpu;
    size_t count = 0;
    for (size_t i = 0; i < s->count && count < CPU_MOST_IN_GROUP; i++)
        if (!cpu->functions[s->missing[i].function].failed) s->missing[count++] = s->missing[i];
    if (count && !cpu->beside && jit_has_compiler(context->jit))
        cpu->beside = cpu_group_start_later(context, s->missing, count);
}

kata_status cpu_compile_beside(exec_context *context, const chain *whole, const chain *c,
                               bool start, bool *has, messages *m)
{
    search s = {.larger = true};
    size_t *functions = arena_array(&context->cpu->chain_memory, c->count + 1, sizeof *functions);
    kata_status status =
        functions ? begin_search(context, whole, c, functions, &s) : KATA_ERROR_MEMORY;
    for (size_t i = 0; i < c->count && !status; i++)
        has[i] = context->cpu->functions[functions[i]].run;
    if (!status && start) start_beside(context, &s);
    if (functions) end_search(context, &s);
    return status ? message_no_memory(m) : KATA_OK;
}

kata_status cpu_compiled(exec_context *context, size_t function, const chain_loop *loop,
                         messages *m, abi_function **run)
{
    struct exec_cpu *cpu = context->cpu;
    cpu_group *group = cpu->functions[function].group;
    double seconds = seconds_of(loop);
    kata_status status = KATA_OK;
    if (group && (seconds > WORTH_WAITING || jit_is_done(group->job)))
        status = fetch(context, group, m);
    *run = cpu->functions[function].run;
    if (!*run) cpu->interpreted += seconds;
    return status;
}

/* ---- without a chain ------------------------------------------------------------------------- */

static kata_status add_ahead(exec_context *context, const codegen_loop *loop, search *s)
{
    const struct exec_cpu *cpu = context->cpu;
    if (find(cpu, loop)) return KATA_OK;
    if (add(context, loop, NULL)) return KATA_ERROR_MEMORY;
    size_t last = cpu->function_count - 1;
    const cpu_function *f = &cpu->functions[last];
    if (!f->run) s->missing[s->count++] = (cpu_missing){*loop, f->id, last};
    return KATA_OK;
}

static kata_status fetch_all(exec_context *context, messages *m)
{
    kata_status status = KATA_OK;
    while (context->cpu->groups && !status)
        status = cpu_group_fetch(context, context->cpu->groups, m);
    if (status || !jit_is_temporary(context->jit)) return status;
    return message_fail(m, KATA_ERROR_FILE, "compiled kernels cannot be kept in the cache folder");
}

/* Compiles some loops, and frees what this needed. */
static kata_status compile_batch(exec_context *ahead, const codegen_loop *loops, size_t count,
                                 messages *m)
{
    search s = {0};
    s.missing = arena_array(&s.memory, count + 1, sizeof *s.missing);
    kata_status status = s.missing ? KATA_OK : KATA_ERROR_MEMORY;
    for (size_t i = 0; i < count && !status; i++) status = add_ahead(ahead, &loops[i], &s);
    if (status) message_no_memory(m);
    if (!status && s.count) status = cpu_group_start(ahead, s.missing, s.count, m);
    if (!status) status = fetch_all(ahead, m);
    cpu_groups_drop(ahead->cpu);
    cpu_functions_free(ahead->cpu);
    arena_free(&s.memory);
    return status;
}

/* Uses a state of its own: the program must not run functions that were compiled for any CPU. Each
 * batch has a new state, so that what it takes does not grow with the number of kernels. */
kata_status exec_compile_ahead(exec_context *context, const codegen_loop *loops, size_t count,
                               bool portable, messages *m)
{
    enum { BATCH = HOSTILE(1024, 3) };
    kata_status status = jit_require_cache(context->jit, m);
    if (status) return status;
    jit_portable(context->jit, portable);
    for (size_t first = 0; first < count && !status; first += BATCH) {
        size_t left = count - first;
        struct exec_cpu own = {.jit = context->jit};
        exec_context ahead = {.jit = context->jit, .cpu = &own, .wait = true};
        status = compile_batch(&ahead, loops + first, left < BATCH ? left : BATCH, m);
    }
    jit_portable(context->jit, false);
    return status;
}
