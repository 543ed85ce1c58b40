/* Writing trees of generated code: one line for each statement, those that are too long broken
 * behind a comma. */
#include "codegen/nest.h"

#include <string.h>

enum { STEP = 4, LONGEST_LINE = 100 };

typedef struct printer {
    text *out;
    const codegen_dialect *dialect;
    bool breaks; /* lines that are too long */
} printer;

static void add_indent(const printer *p, int depth) { text_add(p->out, "%*s", STEP * depth, ""); }

/* Where a text can be broken first, from a position on: behind the comma of a list, but not of a
 * list inside another. `depth`: of parentheses, at the position before and after. 0: nowhere. */
static size_t next_break(const char *text, size_t from, int *depth)
{
    for (size_t i = from; text[i]; i++) {
        if (text[i] == '(') ++*depth;
        if (text[i] == ')') --*depth;
        bool ends = text[i] == ',' || text[i] == ';';
        if (ends && text[i + 1] == ' ' && *depth <= 1) return i + 2;
    }
    return 0;
}

/* The length of the part of a text that fits so many columns: the longest that ends at a break, or
 * the first if that is longer; all of it, if there is no break. `depth` as for next_break. */
static size_t fitting(const char *text, size_t columns, int *depth)
{
    size_t best = 0;
    int inside = *depth;
    if (strnlen(text, columns + 1) <= columns) return strlen(text);
    for (size_t next = 0; (next = next_break(text, next, &inside)); best = next, *depth = inside)
        if (best && next > columns + 1) break;
    return best ? best : strlen(text);
}

/* A text from the present column on, with so many columns behind it. */
static void add_broken(const printer *p, const char *text, int depth, size_t before, size_t behind)
{
    size_t used = (size_t)(STEP * depth) + before, next;
    int inside = 0; /* parentheses */
    for (;; text += next) {
        size_t room = LONGEST_LINE - behind > used ? LONGEST_LINE - behind - used : 1;
        next = p->breaks ? fitting(text, room, &inside) : strlen(text);
        if (!text[next]) break;
        text_add(p->out, "%.*s\n", (int)next - 1, text); /* without the space */
        add_indent(p, depth + 1);
        used = (size_t)STEP * ((size_t)depth + 1);
    }
    text_add(p->out, "%s", text);
}

static void add_line(const printer *p, const char *open, const char *middle, const char *close,
                     int depth)
{
    add_indent(p, depth);
    text_add(p->out, "%s", open);
    add_broken(p, middle, depth, strlen(open), strlen(close));
    text_add(p->out, "%s\n", close);
}

static void print_node(const printer *p, const nest *node, int depth);

/* What is in a node, and the brace behind it, which an ELSE follows on the same line. */
static void print_inside(const printer *p, const nest *node, int depth)
{
    for (const nest *child = node->first; child; child = child->next)
        print_node(p, child, depth + 1);
    add_indent(p, depth);
    text_add(p->out, node->next && node->next->kind == NEST_ELSE ? "} " : "}\n");
}

static void print_else(const printer *p, const nest *node, int depth)
{
    const char *condition = text_get(&node->head);
    text_add(p->out, "else %s%s%s{\n", *condition ? "if (" : "", condition, *condition ? ") " : "");
    print_inside(p, node, depth);
}

static void print_loop(const printer *p, const nest *node, int depth)
{
    const char *hint = p->dialect->hints[node->hint];
    if (*hint) text_add(p->out, "%s\n", hint);
    add_line(p, "for (", text_get(&node->head), ") {", depth);
    print_inside(p, node, depth);
}

static void print_node(const printer *p, const nest *node, int depth)
{
    const char *head = text_get(&node->head);
    if (node->head.failed) p->out->failed = true;
    switch (node->kind) {
    case NEST_FILE: break;
    case NEST_COMMENT: add_line(p, "/* ", head, " */", depth); break;
    case NEST_POSITION: text_add(p->out, "%s\n", head); break;
    case NEST_FUNCTION:
        add_line(p, "", head, "", depth);
        text_add(p->out, "{\n");
        print_inside(p, node, depth);
        break;
    case NEST_BLOCK:
        add_indent(p, depth);
        text_add(p->out, "{\n");
        print_inside(p, node, depth);
        break;
    case NEST_LOOP: print_loop(p, node, depth); break;
    case NEST_IF:
        add_line(p, "if (", head, ") {", depth);
        print_inside(p, node, depth);
        break;
    case NEST_ELSE: print_else(p, node, depth); break;
    case NEST_STATEMENT: add_line(p, "", head, ";", depth); break;
    case NEST_PREFETCH:
        add_line(p, p->dialect->prefetch, head, p->dialect->prefetch_end, depth);
        break;
    case NEST_PREFETCH_WRITTEN:
        add_line(p, p->dialect->prefetch, head, p->dialect->prefetch_written_end, depth);
        break;
    }
}

void nest_print(text *out, const nest *file, const codegen_dialect *dialect, bool breaks)
{
    const printer p = {out, dialect, breaks};
    for (const nest *node = file->first; node; node = node->next) {
        text_add(out, node->kind == NEST_COMMENT ? "\n" : "");
        print_node(&p, node, 0);
    }
    if (file->spare->head.failed) out->failed = true;
}
