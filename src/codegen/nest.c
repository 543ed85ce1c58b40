/* Building trees of generated code. */
#include "codegen/nest.h"

#include <stdlib.h>

nest *nest_new(void)
{
    nest *file = calloc(1, sizeof *file);
    nest *spare = calloc(1, sizeof *spare);
    if (!file || !spare) {
        free(file);
        free(spare);
        return NULL;
    }
    file->spare = spare->spare = spare;
    return file;
}

static void free_node(nest *node)
{
    for (nest *child = node->first, *next; child; child = next) {
        next = child->next;
        free_node(child);
    }
    text_free(&node->head);
    free(node);
}

void nest_free(nest *file)
{
    if (!file) return;
    free_node(file->spare);
    free_node(file);
}

nest *nest_add(nest *in, nest_kind kind)
{
    nest *node = in == in->spare ? NULL : calloc(1, sizeof *node);
    if (!node) {
        in->spare->head.failed = true; /* for nest_print */
        return in->spare;
    }
    node->kind = kind;
    node->spare = in->spare;
    if (in->last)
        in->last->next = node;
    else
        in->first = node;
    in->last = node;
    return node;
}

nest *nest_format(nest *in, nest_kind kind, const char *format, ...)
{
    nest *node = nest_add(in, kind);
    va_list list;
    va_start(list, format);
    text_add_list(&node->head, format, list);
    va_end(list);
    return node;
}

nest *nest_loop(nest *in, nest_hint hint, const char *format, ...)
{
    nest *loop = nest_add(in, NEST_LOOP);
    va_list list;
    loop->hint = hint;
    va_start(list, format);
    text_add_list(&loop->head, format, list);
    va_end(list);
    return loop;
}

void nest_statement(nest *in, const char *format, ...)
{
    nest *node = nest_add(in, NEST_STATEMENT);
    va_list list;
    va_start(list, format);
    text_add_list(&node->head, format, list);
    va_end(list);
}
