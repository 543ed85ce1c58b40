/* Kernels of the library's own, for kata_copy and kata_fill. They are texts like others, compiled
 * to their trees when a type and number of components is met for the first time. */
#include "api/apply.h"

#include <string.h>

typedef struct api_own_kernel {
    const char *name;
    ir_type type;
    int components, along;
    kata_kernel *kernel;
    struct api_own_kernel *next;
} api_own_kernel;

/* The dimensions along which a field extends; 0: all. */
static int along_of(const chain_slot *slot)
{
    int along = 0, rank = slot->shape.rank;
    for (int d = 0; d < rank; d++) along |= slot->absent_axis[d] ? 0 : 1 << d;
    return along == (1 << rank) - 1 ? 0 : along;
}

/* "out double to[3] along xy" */
static void print_param(text *out, const api_own_kernel *own, const char *mode, const char *name)
{
    text_add(out, "%s %s %s", mode, ir_types[own->type].name, name);
    if (own->components > 1) text_add(out, "[%d]", own->components);
    if (own->along) text_add(out, " along ");
    for (int d = 0; d < 3; d++)
        if (own->along >> d & 1) text_add(out, "%c", "xyz"[d]);
}

static void print_kernel(text *out, const api_own_kernel *own)
{
    bool copies = !strcmp(own->name, "kata_copy"), many = own->components > 1;
    text_add(out, "kernel %s(", own->name);
    if (copies) {
        print_param(out, own, "in", "from");
        text_add(out, ", ");
    }
    print_param(out, own, "out", "to");
    if (!copies) text_add(out, ", %s value", ir_types[own->type].name);
    text_add(out, ")\n{\n    ");
    if (many) text_add(out, "for (int c = 0; c < %d; c++) ", own->components);
    text_add(out, "to%s = %s%s;\n}\n", many ? "[c]" : "", copies ? "from" : "value",
             copies && many ? "[c]" : "");
}

/* The program means what it fills with: such kernels are not watched. */
static kata_kernel *make(kata *k, const api_own_kernel *own)
{
    bool watched = k->watched;
    text body = {0};
    print_kernel(&body, own);
    kata_module_options options = {.size = sizeof options, .source = text_get(&body)};
    kata_module *module = NULL;
    k->watched = false;
    if (body.failed)
        api_no_memory(k);
    else
        module = kata_module_from_text_with(k, own->name, &options);
    k->watched = watched;
    text_free(&body);
    return module ? kata_module_kernel(module, 0) : NULL;
}

bool api_is_built_in(const kata *k, const ir_kernel *kernel)
{
    const api_own_kernel *own = k->own_kernels;
    while (own && own->kernel->kernel != kernel) own = own->next;
    return own;
}

kata_kernel *api_built_in(kata *k, const char *name, const chain_slot *slot)
{
    api_own_kernel like = {.name = name,
                           .type = ir_type_of_storage(slot->type),
                           .components = slot->components,
                           .along = strcmp(name, "kata_copy") != 0 ? along_of(slot) : 0};
    for (api_own_kernel *own = k->own_kernels; own; own = own->next)
        if (!strcmp(own->name, name) && own->type == like.type &&
            own->components == like.components && own->along == like.along)
            return own->kernel;
    like.kernel = make(k, &like);
    if (!like.kernel) return NULL;
    api_own_kernel *own = arena_alloc(&k->memory, sizeof *own);
    if (!own) {
        api_no_memory(k);
        return NULL;
    }
    *own = like;
    own->next = k->own_kernels;
    k->own_kernels = own;
    return own->kernel;
}
