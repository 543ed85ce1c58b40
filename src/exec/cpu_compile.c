/* From the loops of a chain to compiled functions. A function serves all loops whose kernels
 * compute the same on the same storage types and layouts; its name says so. */
#include "exec/exec.h"

#include <string.h>

/* Functions that are missing, and their loops. */
typedef struct missing {
    arena memory;
    codegen_loop *loops;
    size_t count, first; /* `first`: where they begin among the state's functions */
} missing;

static cpu_function *find(const struct exec_cpu *cpu, const char *name)
{
    for (size_t i = 0; i < cpu->function_count; i++)
        if (strcmp(cpu->functions[i].name, name) == 0) return &cpu->functions[i];
    return NULL;
}

static bool bind_storage(const chain_loop *loop, bool lines, arena *memory, codegen_loop *out)
{
    int count = loop->kernel->param_count;
    kata_type *storage = arena_array(memory, (size_t)count + 1, sizeof *storage);
    codegen_rows *rows = arena_array(memory, (size_t)count + 1, sizeof *rows);
    for (int p = 0; storage && rows && p < count; p++)
        if (ir_param_is_field(&loop->kernel->params[p])) {
            storage[p] = loop->bindings[p].slot->type;
            rows[p] = exec_slot_rows(loop->bindings[p].slot);
        }
    *out = (codegen_loop){loop->kernel, storage, rows, loop->colors > 1, lines};
    return storage && rows;
}

/* Sets *index to the function of a loop, which may have no code yet. */
static bool look_up(exec_context *context, const chain_loop *loop, missing *new, size_t *index)
{
    struct exec_cpu *cpu = context->cpu;
    codegen_loop bound;
    char name[64];
    if (!bind_storage(loop, context->lines, &new->memory, &bound)) return false;
    codegen_name(&bound, name);
    cpu_function *known = find(cpu, name);
    if (!known) {
        void *functions = cpu->functions;
        if (!vector_reserve(&functions, &cpu->function_capacity, cpu->function_count + 1,
                            sizeof *cpu->functions))
            return false;
        cpu->functions = functions;
        new->loops[new->count++] = bound;
        known = &cpu->functions[cpu->function_count++];
        *known = (cpu_function){0};
        memcpy(known->name, name, sizeof name);
    }
    *index = (size_t)(known - cpu->functions);
    return true;
}

static kata_status build(exec_context *context, const missing *new, messages *m)
{
    text c_text = {0};
    void *library = NULL;
    codegen_file_text(&c_text, new->loops, new->count);
    kata_status status = c_text.failed
                             ? message_no_memory(m)
                             : jit_load(context->jit, c_text.data, c_text.length, m, &library);
    text_free(&c_text);
    for (size_t i = 0; i < new->count &&status == KATA_OK; i++) {
        cpu_function *f = &context->cpu->functions[new->first + i];
        void *symbol = jit_symbol(library, f->name);
        if (!symbol) status = message_fail(m, KATA_ERROR_INTERNAL, "no function %s", f->name);
        memcpy(&f->run, &symbol, sizeof symbol); /* ISO C has no cast for this */
    }
    return status;
}

kata_status cpu_compile(exec_context *context, const chain *c, codegen_function **functions,
                        messages *m)
{
    struct exec_cpu *cpu = context->cpu;
    missing new = {.first = cpu->function_count};
    size_t *index = arena_array(&new.memory, c->count, sizeof *index);
    new.loops = arena_array(&new.memory, c->count, sizeof *new.loops);
    bool found = index && new.loops;
    for (size_t i = 0; i < c->count && found; i++)
        found = look_up(context, &c->loops[i], &new, &index[i]);
    kata_status status = found ? KATA_OK : message_no_memory(m);
    if (status == KATA_OK && new.count > 0) status = build(context, &new, m);
    if (status != KATA_OK) cpu->function_count = new.first;
    for (size_t i = 0; i < c->count && status == KATA_OK; i++)
        functions[i] = cpu->functions[index[i]].run;
    arena_free(&new.memory);
    return status;
}
