/* Kernels of the library's own, for kata_copy, kata_fill, kata_inject and kata_record. They are
 * texts like others, compiled to their trees when a type and number of components is met for the
 * first time. */
#include "api/sparse.h"

#include <stdio.h>
#include <string.h>

typedef struct api_own_kernel {
    const char *name;
    ir_type type;
    int components, along;
    const char *body; /* of kernels that are known by their text; otherwise NULL */
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
static kata_kernel *make(kata *k, const char *name, const text *body)
{
    bool watched = k->watched;
    kata_module_options options = {.size = sizeof options, .source = text_get(body)};
    kata_module *module = NULL;
    k->watched = false;
    if (body->failed)
        api_no_memory(k);
    else
        module = kata_module_from_text_with(k, name, &options);
    k->watched = watched;
    kata_kernel *kernel = module ? kata_module_kernel(module, 0) : NULL;
    if (kernel) kernel->kernel->anywhere = true;
    return kernel;
}

/* Remembers a kernel, if there is one. */
static kata_kernel *keep(kata *k, const api_own_kernel *like)
{
    if (!like->kernel) return NULL;
    api_own_kernel *own = arena_alloc(&k->memory, sizeof *own);
    if (!own) {
        api_no_memory(k);
        return NULL;
    }
    *own = *like;
    own->next = k->own_kernels;
    k->own_kernels = own;
    return own->kernel;
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
    text body = {0};
    print_kernel(&body, &like);
    like.kernel = make(k, name, &body);
    text_free(&body);
    return keep(k, &like);
}

/* ---- over points between those of a grid ----------------------------------------------------- */

static void print_field(text *out, const char *mode, const char *name, const chain_slot *slot)
{
    const api_own_kernel like = {.type = ir_type_of_storage(slot->type),
                                 .components = slot->components,
                                 .along = along_of(slot)};
    print_param(out, &like, mode, name);
    text_add(out, ", ");
}

/* Such a kernel says what a loop touches at a target; what it does there is written in
 * sweep/run_sparse.c. */
static void print_sparse(text *out, const api_sparse_kernel *s)
{
    const char *of_field = ir_types[ir_type_of_storage(s->field->type)].name;
    const char *type = s->scalar ? ir_types[ir_type_of_storage(s->scalar->type)].name : of_field;
    char field[32] = "u";
    if (s->field->components > 1) snprintf(field, sizeof field, "u[%d]", s->component);
    text_add(out, "kernel %s(", s->records ? "kata_record" : "kata_inject");
    print_field(out, s->records ? "in" : "inout", "u", s->field);
    if (s->scale) print_field(out, "in", "scale", s->scale);
    text_add(out, "%s%s values)\n{\n    ", s->records ? "sum " : "", type);
    text_add(out, "%s += (%s)%s", s->records ? "values" : field, s->records ? type : of_field,
             s->records ? field : "values");
    if (s->scale) text_add(out, " * (%s)scale", s->records ? type : of_field);
    text_add(out, ";\n}\n");
}

kata_kernel *api_built_in_sparse(kata *k, const api_sparse_kernel *like)
{
    text body = {0};
    print_sparse(&body, like);
    kata_kernel *kernel = NULL;
    for (api_own_kernel *own = k->own_kernels; own && !body.failed && !kernel; own = own->next)
        if (own->body && !strcmp(own->body, text_get(&body))) kernel = own->kernel;
    if (!kernel) {
        api_own_kernel own = {.name = like->records ? "kata_record" : "kata_inject"};
        own.kernel = make(k, own.name, &body);
        own.body = own.kernel ? arena_copy_text(&k->memory, body.data, body.length) : NULL;
        if (own.kernel && !own.body) api_no_memory(k);
        kernel = own.body ? keep(k, &own) : NULL;
    }
    text_free(&body);
    return kernel;
}
