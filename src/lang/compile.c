/* The passes over a kernel file. The first declares constants and the names of functions in the
 * order of the text; the next translates bodies, so that a function may be used before its
 * definition. */
#include "lang/check.h"
#include "lang/parse.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

static bool declare_function(lang_compiler *c, lang_function *f)
{
    lang_symbol *symbol = lang_declare(c, f->kernel ? LANG_KERNEL : LANG_HELPER, f->name, f->at);
    if (symbol) symbol->function = f;
    return symbol;
}

static bool declare_constants(lang_compiler *c, const lang_function *f)
{
    ir_stmt *none;
    for (const lang_stmt *s = f->body; s; s = s->next) {
        lang_declared applied;
        lang_tree_start(c, &c->syntax, s->declared.name->text);
        if (lang_constant_apply(c, &s->declared, &applied) &&
            lang_check_declared(c, &applied, true, &none))
            continue;
        lang_forgive(c, s->declared.name);
        if (!lang_recover(c)) return false;
    }
    return true;
}

static bool declare_all(lang_compiler *c, lang_function *f)
{
    for (; f; f = f->next) {
        c->contract_off = f->contract_off;
        if (!(f->constant ? declare_constants(c, f) : declare_function(c, f)) && !lang_recover(c))
            return false;
    }
    c->contract_off = false;
    return true;
}

static bool check_helpers(lang_compiler *c, lang_function *f)
{
    for (; f; f = f->next)
        if (!f->constant && !f->kernel && !f->wrong && !lang_check_helper(c, f) && !lang_recover(c))
            return false;
    return true;
}

static bool make_kernel(lang_compiler *c, lang_function *f, ir_kernel **out)
{
    lang_module *module = c->module;
    ir_kernel *kernel = arena_alloc(&module->memory, sizeof *kernel);
    if (!kernel) return lang_no_memory(c);
    c->uses_real = f->real;
    if (f->wrong || !lang_check_kernel(c, f, kernel)) return false;
    *out = kernel;
    kernel->watched = c->watched;
    if (!lang_check_real(c, f, kernel) || ir_lower(kernel, &module->memory, c->m)) return false;
    if (ir_check_compile_cost(kernel, c->m)) return false;
    lang_warn_gaps(c, kernel);
    lang_warn_partly_written(c, kernel);
    return true;
}

/* Translates a kernel; if it uses `real`, once more with `real` as float. Then numbers lose
 * precision as they are meant to, so that is without warnings. */
static bool make_both(lang_compiler *c, lang_function *f)
{
    int i = c->module->count++;
    lang_set_real(c, IR_F64);
    if (!make_kernel(c, f, &c->module->kernels[i])) return false;
    if (!c->uses_real) return true;
    bool no_warnings = c->m->no_warnings;
    lang_set_real(c, IR_F32);
    c->m->no_warnings = true;
    bool made = make_kernel(c, f, &c->module->f32_versions[i]);
    c->m->no_warnings = no_warnings;
    return made;
}

static bool is_wanted(const lang_compiler *c, const lang_function *f)
{
    return f->kernel && (!c->only || !strcmp(c->only, f->name->text));
}

static bool make_kernels(lang_compiler *c, lang_function *first)
{
    size_t count = 0;
    for (const lang_function *f = first; f; f = f->next) count += f->kernel;
    c->module->kernels = arena_array(&c->module->memory, count + 1, sizeof(ir_kernel *));
    c->module->f32_versions = arena_array(&c->module->memory, count + 1, sizeof(ir_kernel *));
    if (!c->module->kernels || !c->module->f32_versions) return lang_no_memory(c);
    for (lang_function *f = first; f; f = f->next)
        if (is_wanted(c, f) && !make_both(c, f) && !lang_recover(c)) return false;
    return true;
}

static void run_passes(lang_compiler *c, const lang_options *options)
{
    bool ok;
    if (!lang_names_start(c) || !lang_import_split(c) ||
        !lang_constants_parse(c, options->constants))
        return;
    lang_function *functions = lang_parse_all(c, options, &ok);
    if (!ok || !declare_all(c, functions)) return;
    if (!functions && !c->module->file.next) lang_warn_empty(c); /* a file may import alone */
    if (!lang_constants_all_taken(c, functions) && !lang_recover(c)) return;
    if (c->only || check_helpers(c, functions)) make_kernels(c, functions);
}

static void end(lang_compiler *c)
{
    free(c->locals);
    free(c->tables);
    free(c->reals);
    arena_free(&c->syntax);
}

/* An empty module with copies of name and text, NULL when memory is out. */
static lang_module *module_new(const char *name, const char *text, size_t length)
{
    lang_module *module = calloc(1, sizeof *module);
    if (!module) return NULL;
    module->text.name = arena_copy_text(&module->memory, name, strlen(name));
    module->text.text = arena_copy_text(&module->memory, text, length);
    module->text.length = length;
    module->file.text = &module->text;
    module->last_file = &module->file;
    if (module->text.name && module->text.text) return module;
    lang_module_free(module);
    return NULL;
}

/* Compiles with rounding to nearest and subnormal numbers, whatever the program has set. */
static void compile(lang_compiler *c, const lang_options *options)
{
    fenv_t environment;
    if (fegetenv(&environment) || fesetenv(FE_DFL_ENV)) {
        lang_error(c, 0, "the floating-point environment cannot be set");
        return;
    }
    run_passes(c, options);
    fesetenv(&environment);
}

static kata_status send_gathered(const lang_compiler *c, const char *name)
{
    text all = {0};
    text_add(&all, "%s%s", name, c->module->file.next ? " and what it imports" : "");
    kata_status status = message_gathered(c->m, text_get(&all));
    text_free(&all);
    return status;
}

kata_status lang_compile(const char *name, const char *text, size_t length,
                         const lang_options *options, messages *m, lang_module **out)
{
    static const lang_options none;
    if (length > LANG_MAX_TEXT)
        return message_fail(m, KATA_ERROR_LIMIT,
                            "%s: the text has %zu bytes, more than the %d "
                            "allowed",
                            name, length, LANG_MAX_TEXT);
    lang_module *module = module_new(name, text, length);
    if (!module) return message_no_memory(m);
    if (!options) options = &none;
    lang_compiler c = {.module = module,
                       .m = m,
                       .watched = options->watched,
                       .mesh = options->mesh,
                       .only = options->only};
    message_gather(m);
    compile(&c, options);
    end(&c);
    kata_status status = send_gathered(&c, name);
    if (status)
        lang_module_free(module);
    else
        *out = module;
    return status;
}

void lang_module_free(lang_module *module)
{
    if (!module) return;
    for (int i = 0; i < module->count; i++) {
        ir_kernel_free(module->kernels[i]);
        ir_kernel_free(module->f32_versions[i]);
    }
    arena memory = module->memory;
    free(module);
    arena_free(&memory);
}
