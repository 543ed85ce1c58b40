/* What makes the function of a loop: its kernel, and how the fields of the loop are stored. Its
 * name says the same, and the hash of its text tells it from those of other versions in the cache.
 */
#include "exec/cpu.h"

bool cpu_bind(const chain_loop *loop, const exec_context *context, arena *memory, codegen_loop *out)
{
    int count = loop->kernel->param_count;
    kata_type *storage = arena_array(memory, (size_t)count + 1, sizeof *storage);
    codegen_rows *rows = arena_array(memory, (size_t)count + 1, sizeof *rows);
    for (int p = 0; storage && rows && p < count; p++)
        if (ir_param_is_field(&loop->kernel->params[p])) {
            storage[p] = loop->bindings[p].slot->type;
            rows[p] = store_slot_rows(loop->bindings[p].slot);
        }
    *out = (codegen_loop){.kernel = loop->kernel,
                          .storage = storage,
                          .rows = rows,
                          .colored = loop->colors > 1,
                          .lines = context->lines,
                          .without = context->without};
    return storage && rows;
}

/* Hash of what stands before functions in a file, whichever of it they need. */
static bool know_basis(struct exec_cpu *cpu)
{
    text basis = {0};
    if (cpu->basis[0]) return true;
    codegen_file_text(&basis, NULL, 0);
    text_add(&basis, "%s%s", ir_elementary_text, ir_elementary_trig_text);
    bool good = !basis.failed;
    if (good) hash_hex(basis.data, basis.length, cpu->basis);
    text_free(&basis);
    return good;
}

bool cpu_identify(struct exec_cpu *cpu, const codegen_loop *loop, jit_function *id)
{
    text alone = {0};
    if (!know_basis(cpu)) return false;
    codegen_name(loop, id->name);
    id->effort = cpu_effort(loop);
    codegen_function_text(&alone, loop);
    text_add(&alone, "%s", cpu->basis);
    bool good = !alone.failed;
    if (good) hash_hex(alone.data, alone.length, id->text);
    text_free(&alone);
    return good;
}
