/* kata_module_compile: compiles kernels for fields that a program will have, before it has any. */
#include "api/apply.h"

#include <string.h>

#define CALL "kata_module_compile"

/* "u=f32", or "f32" for all fields that can be stored so. */
typedef struct typing {
    char name[65]; /* "" for all fields */
    kata_type type;
    bool used;
} typing;

typedef struct ahead {
    kata *k;
    const kata_compile_options *options;
    arena memory;
    typing *typings;
    int typing_count;
    codegen_loop *loops;
    size_t count;
} ahead;

/* ---- types ----------------------------------------------------------------------------------- */

static kata_status read_type(kata *k, const char *word, kata_type *type)
{
    for (int t = 0; t < IR_STORAGE_COUNT; t++) {
        *type = (kata_type)t;
        if (!strcmp(ir_storages[t].name, word)) return KATA_OK;
    }
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    CALL ": there is no type '%.40s'; the types are f64, f32, f16, bf16, i64, i32, "
                         "u8, unorm8, u16 and i16",
                    word);
}

/* Whether a type and an earlier one are for the same fields. */
static bool is_again(const typing *t, const typing *before)
{
    const bool alike = ir_type_is_floating(ir_type_of_storage(t->type)) ==
                       ir_type_is_floating(ir_type_of_storage(before->type));
    return !strcmp(t->name, before->name) && (t->name[0] || alike);
}

static kata_status check_once(const ahead *a, const char *word)
{
    const typing *last = &a->typings[a->typing_count - 1];
    for (const typing *t = a->typings; t < last; t++)
        if (is_again(last, t))
            return api_fail(a->k, KATA_ERROR_ARGUMENT,
                            CALL ": '%.80s' is a second type for the same fields; the first is %s",
                            word, ir_storages[t->type].name);
    return KATA_OK;
}

static kata_status read_typing(ahead *a, const char *word)
{
    typing *t = &a->typings[a->typing_count++];
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : 0;
    if (length >= sizeof t->name) length = sizeof t->name - 1;
    memcpy(t->name, word, length);
    kata_status status = read_type(a->k, equals ? equals + 1 : word, &t->type);
    return status ? status : check_once(a, word);
}

static kata_status read_typings(ahead *a)
{
    const char *words = a->options->types ? a->options->types : "";
    char *copy = arena_copy_text(&a->memory, words, strlen(words)), *rest = copy, *word;
    a->typings = arena_array(&a->memory, strlen(words) + 1, sizeof *a->typings);
    if (!copy || !a->typings) return api_no_memory(a->k);
    kata_status status = KATA_OK;
    while (!status && *words && (word = strsep(&rest, ","))) status = read_typing(a, word);
    return status;
}

/* Sets the type that was given for a field parameter, if any; the last one counts. */
static kata_status find_type(ahead *a, const ir_kernel *kernel, const ir_param *param,
                             kata_type *type)
{
    for (int i = 0; i < a->typing_count; i++) {
        typing *t = &a->typings[i];
        bool named = !strcmp(t->name, param->name), suits = ir_storage_suits(t->type, param->type);
        if (named && !suits)
            return api_fail(a->k, KATA_ERROR_ARGUMENT,
                            CALL ": '%s' of kernel '%s' is %s, which cannot be stored as %s",
                            param->name, kernel->name, ir_types[param->type].name,
                            ir_storages[t->type].name);
        if (!named && (t->name[0] || !suits)) continue;
        *type = t->type;
        t->used = true;
    }
    return KATA_OK;
}

/* Reports names of fields that no kernel has. */
static kata_status check_used(const ahead *a)
{
    for (int i = 0; i < a->typing_count; i++) {
        const typing *t = &a->typings[i];
        if (!t->used && t->name[0])
            return api_fail(a->k, KATA_ERROR_ARGUMENT, CALL ": no kernel has a field '%s'",
                            t->name);
        if (!t->used)
            return api_fail(a->k, KATA_ERROR_ARGUMENT, CALL ": no field can be stored as %s",
                            ir_storages[t->type].name);
    }
    return KATA_OK;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static codegen_rows rows_of(const ahead *a, const ir_param *param)
{
    chain_slot like = {.components = param->count, .layout = a->options->layout};
    return store_slot_rows(&like);
}

static codegen_loop loop_of(const ahead *a, const ir_kernel *kernel, const kata_type *storage,
                            const codegen_rows *rows)
{
    return (codegen_loop){.kernel = kernel,
                          .storage = storage,
                          .rows = rows,
                          .colored = a->options->colors,
                          .lines = a->k->exec.lines,
                          .without = a->k->exec.without};
}

/* Adds what kata_fill runs for fields like a parameter's, unless it is there. */
static kata_status add_fill(ahead *a, const ir_param *param, kata_type type)
{
    chain_slot like = {
        .type = type, .components = param->count, .layout = a->options->layout, .shape.rank = 3};
    for (int d = 0; d < 3; d++) like.absent_axis[d] = param->absent_axis[d];
    const kata_kernel *fill = api_built_in(a->k, "kata_fill", &like);
    if (!fill) return a->k->messages.status;
    for (size_t i = 0; i < a->count; i++)
        if (a->loops[i].kernel == fill->kernel && a->loops[i].storage[0] == type) return KATA_OK;
    kata_type *storage = arena_array(&a->memory, 2, sizeof *storage);
    codegen_rows *rows = arena_array(&a->memory, 2, sizeof *rows);
    if (!storage || !rows) return api_no_memory(a->k);
    storage[0] = type;
    rows[0] = store_slot_rows(&like);
    a->loops[a->count++] = loop_of(a, fill->kernel, storage, rows);
    return KATA_OK;
}

static kata_status add_fills(ahead *a, const ir_kernel *kernel, const kata_type *storage)
{
    kata_status status = KATA_OK;
    for (int p = 0; p < kernel->param_count && !status; p++) {
        const ir_param *param = &kernel->params[p];
        if (ir_param_is_field(param) && !param->on) status = add_fill(a, param, storage[p]);
    }
    return status;
}

/* Adds one version of a kernel (double or float), unless the storage of fields needs the other. */
static kata_status add_version(ahead *a, const kata_kernel *of, const ir_kernel *kernel)
{
    size_t params = (size_t)kernel->param_count + 1;
    kata_type *storage = arena_array(&a->memory, params, sizeof *storage);
    codegen_rows *rows = arena_array(&a->memory, params, sizeof *rows);
    if (!storage || !rows) return api_no_memory(a->k);
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        if (!ir_param_is_field(param)) continue;
        storage[p] = ir_storage_of_type(param->type);
        kata_status status = find_type(a, kernel, param, &storage[p]);
        if (status) return status;
        rows[p] = rows_of(a, param);
    }
    bool f32 = of->f32_version && ir_type_of_storage(storage[kernel->real_param]) == IR_F32;
    if (of->f32_version && f32 != (kernel == of->f32_version)) return KATA_OK;
    a->loops[a->count++] = loop_of(a, kernel, storage, rows);
    return add_fills(a, kernel, storage);
}

static kata_status add_kernel(ahead *a, const kata_kernel *kernel)
{
    kata_status status = add_version(a, kernel, kernel->kernel);
    return status || !kernel->f32_version ? status : add_version(a, kernel, kernel->f32_version);
}

/* Room for two versions of each kernel, and a fill for each of their parameters. */
static size_t room_for(const kata_module *module)
{
    size_t room = 1;
    for (int i = 0; i < module->module->count; i++)
        room += 2 * ((size_t)module->kernels[i].kernel->param_count + 1);
    return room;
}

static kata_status add_kernels(ahead *a, kata_module *module)
{
    int all = module->module->count;
    const char *only = a->options->kernel;
    a->loops = arena_array(&a->memory, room_for(module), sizeof *a->loops);
    if (!a->loops) return api_no_memory(a->k);
    if (only) {
        const kata_kernel *kernel = kata_kernel_find(module, only);
        return kernel ? add_kernel(a, kernel) : a->k->messages.status;
    }
    kata_status status = KATA_OK;
    for (int i = 0; i < all && !status; i++) status = add_kernel(a, &module->kernels[i]);
    return status;
}

static kata_status compile(ahead *a, kata_module *module)
{
    unsigned layout = a->options->layout;
    if (layout > KATA_BLOCKS)
        return api_fail(a->k, KATA_ERROR_ARGUMENT, CALL ": there is no layout %d", (int)layout);
    kata_status status = read_typings(a);
    if (!status) status = add_kernels(a, module);
    if (!status) status = check_used(a);
    if (!status)
        status = exec_compile_ahead(&a->k->exec, a->loops, a->count, a->options->portable,
                                    &a->k->messages);
    api_note_error(a->k);
    return status;
}

kata_status kata_module_compile_with(kata_module *module, const kata_compile_options *options)
{
    static const api_options kind = API_OPTIONS(
        CALL, kata_compile_options, CALL "(module, \"step\", .types = \"u=f32\")", portable);
    kata_compile_options copy = {.size = sizeof copy};
    if (!module) return api_null(CALL, "the module");
    kata *k = module->k;
    kata_status status = k->messages.status;
    if (!status && options) status = api_options_read(k, &kind, options, &copy);
    if (status) return status;
    ahead a = {.k = k, .options = &copy};
    status = compile(&a, module);
    arena_free(&a.memory);
    return status;
}
