/* #line directives, by which debuggers and profilers show the kernel's lines. */
#include "codegen/emit.h"

#include <stdlib.h>

/* A name as a C string; the kernel's file by its full path, where there is one. A line must not end
 * in it, whatever a compiler takes for its end. */
static void add_name(text *out, const char *name)
{
    char *full = realpath(name, NULL);
    text_add(out, "\"");
    for (const char *c = full ? full : name; *c; c++)
        text_add(out, *c == '"' || *c == '\\' ? "\\%c" : "%c",
                 (unsigned char)*c < ' ' || *c == 127 ? ' ' : *c);
    text_add(out, "\"");
    free(full);
}

void codegen_position(const codegen_writer *w, nest *in, uint32_t at)
{
    if (!w->loop->lines || !at) return; /* what joins two branches has no position */
    int line, column;
    source_line_column(w->loop->kernel->text, at, &line, &column);
    nest *node = nest_format(in, NEST_POSITION, "#line %d ", line);
    add_name(&node->head, source_holding(w->loop->kernel->text, at)->name);
}

void codegen_name_by_line(const ir_kernel *kernel, codegen_step *steps)
{
    const ir_graph *g = &kernel->graph;
    for (ir_id id = 1; id < g->count; id++)
        for (int k = 0; k < ir_ops[g->nodes[id].op].operands; k++) {
            ir_id used = g->nodes[id].arg[k];
            bool apart = g->nodes[used].at &&
                         !source_same_line(kernel->text, g->nodes[id].at, g->nodes[used].at);
            if (apart && !steps[used].leaf) steps[used].named = true;
        }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        bool apart = !source_same_line(kernel->text, s->at, g->nodes[s->value].at);
        if (apart && !steps[s->value].leaf) steps[s->value].named = true;
    }
}
