/* Kernels for meshes: compiled from the text of their module when they are first applied to one,
 * and kept with it. */
#include "api/api.h"

#include <string.h>

struct api_mesh_kernel {
    const kata_kernel *of;
    const ir_kernel *wide, *narrow; /* narrow: with `real` as float, or NULL */
    api_mesh_kernel *next;
};

/* A module with one kernel, which the context owns; NULL on error. */
static lang_module *compile(const kata_grid *grid, const kata_kernel *kernel)
{
    kata *k = grid->k;
    const kata_module *module = kernel->module;
    const lang_module *given = module->module;
    const lang_options options = {.constants = module->constants,
                                  .mesh = &grid->mesh->as,
                                  .only = kernel->kernel->name,
                                  .watched = k->watched};
    size_t length = given->text.length;
    const char *text = given->file.next ? api_module_text(module, "kata_apply to a mesh", &length)
                                        : given->text.text;
    lang_module *made = NULL;
    bool no_warnings = k->messages.no_warnings;
    k->messages.no_warnings = true; /* those of the kernel have been shown */
    rounding_environment own;
    rounding_enter(&own);
    if (text) lang_compile(given->text.name, text, length, &options, &k->messages, &made);
    rounding_leave(&own);
    k->messages.no_warnings = no_warnings;
    api_note_error(k);
    kata_module *owner = made ? arena_alloc(&k->memory, sizeof *owner) : NULL;
    if (made && !owner) {
        api_no_memory(k);
        lang_module_free(made);
        return NULL;
    }
    if (owner) *owner = (kata_module){.k = k, .module = made, .next = k->modules};
    if (owner) k->modules = owner;
    return made;
}

static api_mesh_kernel *find(const kata_grid *grid, const kata_kernel *kernel)
{
    api_mesh_kernel *known = grid->mesh->kernels;
    while (known && known->of != kernel) known = known->next;
    return known;
}

const ir_kernel *api_mesh_kernel_for(const kata_grid *grid, const kata_kernel *kernel, bool narrow)
{
    kata *k = grid->k;
    api_mesh_kernel *known = find(grid, kernel);
    if (known) return narrow ? known->narrow : known->wide;
    if (k->messages.status) return NULL;
    lang_module *made = compile(grid, kernel);
    known = made ? arena_alloc(&k->memory, sizeof *known) : NULL;
    if (made && !known) api_no_memory(k);
    if (!known) return NULL;
    *known =
        (api_mesh_kernel){kernel, made->kernels[0], made->f32_versions[0], grid->mesh->kernels};
    grid->mesh->kernels = known;
    return narrow ? known->narrow : known->wide;
}
