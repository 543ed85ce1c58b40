/* Kernel files and their kernels. */
#include "api/api.h"
#include "api/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static kata_module *module_new(kata *k, const char *name, const char *text, size_t length,
                               const lang_options *options)
{
    kata_module *m = arena_alloc(&k->memory, sizeof *m);
    if (!m) {
        api_no_memory(k);
        return NULL;
    }
    m->k = k;
    if (lang_compile(name, text, length, options, &k->messages, &m->module)) {
        api_note_error(k);
        return NULL;
    }
    const char *constants = options->constants;
    m->constants = constants ? arena_copy_text(&k->memory, constants, strlen(constants)) : NULL;
    if (constants && !m->constants) {
        api_no_memory(k);
        lang_module_free(m->module);
        return NULL;
    }
    m->next = k->modules;
    k->modules = m;
    m->kernels = arena_array(&k->memory, (size_t)m->module->count + 1, sizeof *m->kernels);
    if (!m->kernels) {
        api_no_memory(k);
        return NULL;
    }
    for (int i = 0; i < m->module->count; i++) {
        m->kernels[i] = (kata_kernel){m, m->module->kernels[i], m->module->f32_versions[i]};
        store_pool_expect(k->pool, m->module->kernels[i], false);
    }
    return m;
}

kata_module *kata_module_from_text_with(kata *k, const char *name,
                                        const kata_module_options *options)
{
    static const api_options kind =
        API_OPTIONS("kata_module_from_text", kata_module_options,
                    "kata_module_from_text(k, \"wave\", text, .constants = \"R=8\")", folder);
    kata_module_options copy = {.size = sizeof copy};
    if (!k) {
        api_null("kata_module_from_text", "the context");
        return NULL;
    }
    if (options && api_options_read(k, &kind, options, &copy)) return NULL;
    const char *text = copy.source;
    if (!name || !text) {
        api_fail(k, KATA_ERROR_ARGUMENT, "kata_module_from_text: the %s is NULL",
                 name ? "text" : "name");
        return NULL;
    }
    const lang_options language = {
        .constants = copy.constants, .folder = copy.folder, .watched = k->watched};
    return k->messages.status ? NULL : module_new(k, name, text, strlen(text), &language);
}

/* Reads a kernel file, to be freed; reports. */
static kata_status read_file(kata *k, const char *path, char **text, size_t *length)
{
    if (!path[0]) return api_fail(k, KATA_ERROR_ARGUMENT, "the name of the kernel file is empty");
    int error = file_read(path, LANG_MAX_TEXT, text, length);
    if (error == EFBIG)
        return api_fail(k, KATA_ERROR_LIMIT, "%s: the text has more than the %d bytes allowed",
                        path, (int)LANG_MAX_TEXT);
    return error ? api_fail(k, KATA_ERROR_FILE, "%s: cannot read the kernel file: %s", path,
                            file_reason(error))
                 : KATA_OK;
}

kata_module *kata_module_load_with(kata *k, const kata_module_options *options)
{
    static const api_options kind =
        API_OPTIONS("kata_module_load", kata_module_options,
                    "kata_module_load(k, \"wave.kata\", .constants = \"R=8\")", folder);
    kata_module_options copy = {.size = sizeof copy};
    if (!k) {
        api_null("kata_module_load", "the context");
        return NULL;
    }
    if (options && api_options_read(k, &kind, options, &copy)) return NULL;
    const char *path = copy.source;
    if (!path) {
        api_fail(k, KATA_ERROR_ARGUMENT, "kata_module_load: the path is NULL");
        return NULL;
    }
    if (copy.folder) {
        api_fail(k, KATA_ERROR_ARGUMENT,
                 "kata_module_load: a folder is given, but %s imports from its own", path);
        return NULL;
    }
    if (k->messages.status) return NULL;
    char *text;
    size_t length;
    if (read_file(k, path, &text, &length)) return NULL;
    const lang_options language = {
        .constants = copy.constants, .path = path, .watched = k->watched};
    kata_module *m = module_new(k, path, text, length, &language);
    free(text);
    return m;
}

const char *api_module_text(const kata_module *module, const char *call, size_t *length)
{
    kata *k = module->k;
    text whole = {0};
    const source *failing = lang_module_text(module->module, &whole);
    char *copy = whole.failed ? NULL : arena_copy_text(&k->memory, text_get(&whole), whole.length);
    *length = whole.length;
    text_free(&whole);
    if (failing)
        api_fail(k, KATA_ERROR_KERNEL,
                 "%s: %s has a line that begins with " LANG_PART ", or a zero byte: "
                 "it cannot be a part of a text",
                 call, failing->name);
    else if (!copy)
        api_no_memory(k);
    return failing ? NULL : copy;
}

const char *kata_module_text(kata_module *module)
{
    size_t length;
    if (!module) {
        api_null("kata_module_text", "the module");
        return NULL;
    }
    if (module->k->messages.status) return NULL;
    return api_module_text(module, "kata_module_text", &length);
}

int kata_module_kernels(const kata_module *module)
{
    if (module) return module->module->count;
    api_null("kata_module_kernels", "the module");
    return 0;
}

kata_kernel *kata_module_kernel(kata_module *module, int i)
{
    if (!module) {
        api_null("kata_module_kernel", "the module");
        return NULL;
    }
    return i >= 0 && i < module->module->count ? &module->kernels[i] : NULL;
}

static void no_such_kernel(kata_module *module, const char *name)
{
    const lang_module *m = module->module;
    const char **names = calloc((size_t)m->count + 1, sizeof *names);
    text others = {0};
    for (int i = 0; i < m->count; i++) {
        if (names) names[i] = m->kernels[i]->name;
        if (i < 8) text_add(&others, "%s%s", i ? ", " : "", m->kernels[i]->name);
    }
    const char *nearest = names ? nearest_name(name, names, (size_t)m->count) : NULL;
    if (nearest)
        api_fail(module->k, KATA_ERROR_ARGUMENT, "%s has no kernel '%.64s'; did you mean '%s'?",
                 m->text.name, name, nearest);
    else
        api_fail(module->k, KATA_ERROR_ARGUMENT, "%s has no kernel '%.64s'; it has %s%s",
                 m->text.name, name, m->count ? text_get(&others) : "none",
                 m->count > 8 ? ", ..." : "");
    text_free(&others);
    free(names);
}

kata_kernel *kata_kernel_find(kata_module *module, const char *name)
{
    if (!module) {
        api_null("kata_kernel_find", "the module");
        return NULL;
    }
    if (!name) {
        api_fail(module->k, KATA_ERROR_ARGUMENT, "kata_kernel_find: the name is NULL");
        return NULL;
    }
    if (module->k->messages.status) return NULL;
    for (int i = 0; i < module->module->count; i++) {
        if (strcmp(module->module->kernels[i]->name, name) != 0) continue;
        store_pool_expect(module->k->pool, module->module->kernels[i], true);
        return &module->kernels[i];
    }
    no_such_kernel(module, name);
    return NULL;
}

const char *kata_kernel_name(const kata_kernel *kernel)
{
    if (kernel) return kernel->kernel->name;
    api_null("kata_kernel_name", "the kernel");
    return NULL;
}

static void print_code(text *out, const ir_kernel *kernel, uint32_t without)
{
    kata_type *storage = api_natural_storage(kernel);
    if (storage)
        codegen_function_text(
            out, &(codegen_loop){.kernel = kernel, .storage = storage, .without = without});
    else
        out->failed = true;
    free(storage);
}

const char *kata_kernel_describe(kata_kernel *kernel, kata_aspect aspect)
{
    if (!kernel) {
        api_null("kata_kernel_describe", "the kernel");
        return NULL;
    }
    kata *k = kernel->module->k;
    if (k->messages.status) return NULL;
    if (aspect != KATA_ACCESSES && aspect != KATA_IR && aspect != KATA_CODE) {
        api_fail(k, KATA_ERROR_ARGUMENT, "kata_kernel_describe: there is no aspect %d",
                 (int)aspect);
        return NULL;
    }
    text shown = {0};
    const ir_kernel *versions[2] = {kernel->kernel, kernel->f32_version};
    for (int i = 0; i < 2 && versions[i]; i++) {
        if (i) text_add(&shown, "\n");
        if (aspect == KATA_IR)
            ir_print(&shown, versions[i]);
        else if (aspect == KATA_CODE)
            print_code(&shown, versions[i], k->exec.without);
        else
            ir_print_accesses(&shown, versions[i]);
    }
    char *copy = shown.failed ? NULL : arena_copy_text(&k->memory, text_get(&shown), shown.length);
    text_free(&shown);
    if (!copy) api_no_memory(k);
    return copy;
}
