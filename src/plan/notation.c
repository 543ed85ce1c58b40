/* The text form of plans:
 *
 *     seq
 *       buffer field 1 alias -1 capacity 0 0 6 window 0 reach 0 0
 *         tile dimension 2 size 4 overlap 0 parallel 0 wave 0 seam 0 period 0 0 0
 *           seq
 *             move field 1 out 0 tag 0 spans 1 1
 *             loop number 0 spans 0 0  # heat
 *       scalar number 1
 *
 * A leaf has the spans of the tiles around it, outermost first, two numbers each (at seams four, of
 * blocks six).
 * A loop has a scale, as in "loop number 3 scale 1 2 2 spans ...", unless that is 1 1 1. What is
 * about turns is told where it is not 0: "siblings 16 group 4 bytes 65536" of a tile, "depth 3" of
 * a buffer, "ahead 2 only 0 8 0 0 0 0" of a move, "behind 1" of a wait. PLAN_FAR is written as far
 * and its negative as -far, in JSON as texts. */
#include "plan/notation.h"

#include <inttypes.h>
#include <stddef.h>

const char *const notation_kinds[NOTATION_KINDS] = {
    [PLAN_SEQ] = "seq",       [PLAN_TILE] = "tile",         [PLAN_BLOCKS] = "blocks",
    [PLAN_BUFFER] = "buffer", [PLAN_MOVE] = "move",         [PLAN_WAIT] = "wait",
    [PLAN_SCALAR] = "scalar", [PLAN_EXCHANGE] = "exchange", [PLAN_LOOP] = "loop",
};

#define SOME_NUMBERS(kind, label, member, count, usual)                                            \
    {                                                                                              \
        PLAN_##kind, label, offsetof(plan_node, member),                                           \
            sizeof(((plan_node *)0)->member) / (count), count, usual                               \
    }
#define NUMBERS(kind, label, member, count) SOME_NUMBERS(kind, label, member, count, NOTATION_TOLD)
const notation_number notation_numbers[] = {
    NUMBERS(TILE, "dimension", dimension, 1),
    NUMBERS(TILE, "size", size, 1),
    NUMBERS(TILE, "overlap", overlap, 1),
    NUMBERS(TILE, "parallel", parallel, 1),
    NUMBERS(TILE, "wave", wave, 1),
    NUMBERS(TILE, "seam", seam, 1),
    SOME_NUMBERS(TILE, "siblings", siblings, 1, 0),
    SOME_NUMBERS(TILE, "group", group, 1, 0),
    SOME_NUMBERS(TILE, "bytes", bytes, 1, 0),
    NUMBERS(TILE, "period", period, 3),
    NUMBERS(BLOCKS, "parts", parts, 3),
    NUMBERS(BLOCKS, "period", period, 3),
    SOME_NUMBERS(BLOCKS, "bytes", bytes, 1, 0),
    NUMBERS(BUFFER, "field", slot, 1),
    NUMBERS(BUFFER, "alias", alias, 1),
    NUMBERS(BUFFER, "capacity", capacity, 3),
    NUMBERS(BUFFER, "window", window, 1),
    NUMBERS(BUFFER, "reach", reach, 2),
    SOME_NUMBERS(BUFFER, "depth", depth, 1, 0),
    NUMBERS(MOVE, "field", slot, 1),
    NUMBERS(MOVE, "out", out, 1),
    NUMBERS(MOVE, "tag", tag, 1),
    SOME_NUMBERS(MOVE, "ahead", ahead, 1, 0),
    SOME_NUMBERS(MOVE, "only", only, 6, 0),
    NUMBERS(WAIT, "tag", tag, 1),
    SOME_NUMBERS(WAIT, "behind", behind, 1, 0),
    NUMBERS(EXCHANGE, "field", slot, 1),
    NUMBERS(EXCHANGE, "margin", margin, 6),
    NUMBERS(SCALAR, "number", loop, 1),
    NUMBERS(LOOP, "number", loop, 1),
    SOME_NUMBERS(LOOP, "scale", scale, 3, 1),
};
const int notation_number_count = (int)COUNT_OF(notation_numbers);

static int64_t get_number(const plan_node *n, const notation_number *x, int i)
{
    const char *at = (const char *)n + x->offset + (size_t)i * x->size;
    if (x->size == sizeof(int64_t)) return *(const int64_t *)at;
    return x->size == sizeof(int) ? *(const int *)at : *(const bool *)at;
}

/* ---- printing -------------------------------------------------------------------------------- */

static const char *name_of(const analysis_chain *a, const plan_node *n)
{
    if (!a || n->kind == PLAN_SEQ || plan_is_tile(n) || n->kind == PLAN_WAIT) return NULL;
    if (n->kind == PLAN_LOOP || n->kind == PLAN_SCALAR) return a->loops[n->loop].loop->kernel->name;
    return plan_slot_name(a, n->slot);
}

typedef struct printer {
    text *out;
    const plan *p;
    const analysis_chain *a;
    bool json;
    int tiles[NOTATION_DEPTH]; /* around */
    int depth;
} printer;

static void print_number(const printer *w, int64_t x)
{
    const char *quote = w->json ? "\"" : "";
    if (x == PLAN_FAR || x == -PLAN_FAR)
        text_add(w->out, "%s%sfar%s", quote, x < 0 ? "-" : "", quote);
    else
        text_add(w->out, "%" PRId64, x);
}

/* Spans of a leaf in the tiles around it. */
static void print_spans(printer *w, const plan_node *leaf, const char *before, const char *between)
{
    for (int i = 0; i < w->depth; i++) {
        const plan_node *t = &w->p->nodes[w->tiles[i]];
        for (int k = 0; k < plan_spans_per_leaf(t); k++) {
            plan_span span = *plan_span_number(t, leaf->leaf, k);
            text_add(w->out, "%s", i + k ? between : before);
            print_number(w, span.lo);
            text_add(w->out, "%s", between);
            print_number(w, span.hi);
        }
    }
}

static void print_cuts(const printer *w, const plan_node *n, const char *between)
{
    const char *label = w->json ? ", \"cuts\": [" : " cuts ";
    for (int d = 0; d < 3; d++)
        for (int i = 0; i <= n->parts[d]; i++) {
            text_add(w->out, "%s", d + i ? between : label);
            print_number(w, n->cuts[d][i]);
        }
    if (w->json) text_add(w->out, "]");
}

static bool is_told(const plan_node *n, const notation_number *x)
{
    bool usual = true;
    for (int i = 0; i < x->count; i++) usual = usual && get_number(n, x, i) == x->usual;
    return !usual;
}

/* The kind and the numbers of a node, as words or as members of a JSON object. */
static void print_numbers(printer *w, const plan_node *n)
{
    const char *between = w->json ? ", " : " ";
    text_add(w->out, w->json ? "{\"kind\": \"%s\"" : "%s", notation_kinds[n->kind]);
    for (int k = 0; k < notation_number_count; k++) {
        const notation_number *x = &notation_numbers[k];
        if (x->kind != n->kind || !is_told(n, x)) continue;
        text_add(w->out, w->json ? ", \"%s\": " : " %s ", x->label);
        if (w->json && x->count > 1) text_add(w->out, "[");
        for (int i = 0; i < x->count; i++) {
            text_add(w->out, "%s", i ? between : "");
            print_number(w, get_number(n, x, i));
        }
        if (w->json && x->count > 1) text_add(w->out, "]");
    }
    if (n->kind == PLAN_BLOCKS) print_cuts(w, n, between);
    if (!plan_is_leaf(n)) return;
    print_spans(w, n, w->json ? ", \"spans\": [" : " spans ", between);
    if (w->json) text_add(w->out, w->depth ? "]" : "");
}

static void print_node(printer *w, int node, int indent)
{
    const plan_node *n = &w->p->nodes[node];
    if (!w->json) text_add(w->out, "%*s", 2 * indent, "");
    print_numbers(w, n);
    const char *name = name_of(w->a, n);
    if (name) text_add(w->out, w->json ? ", \"name\": \"%s\"" : "  # %s", name);
    if (!w->json) text_add(w->out, "\n");
    bool tile = plan_is_tile(n) && w->depth < NOTATION_DEPTH;
    if (tile) w->tiles[w->depth++] = node;
    for (int child = n->child; child; child = w->p->nodes[child].next) {
        if (w->json) text_add(w->out, child == n->child ? ", \"children\": [" : ", ");
        print_node(w, child, indent + 1);
    }
    if (w->json) text_add(w->out, n->child ? "]}" : "}");
    w->depth -= tile;
}

void plan_print(text *out, const plan *p, const analysis_chain *a)
{
    printer w = {.out = out, .p = p, .a = a};
    if (p->root) print_node(&w, p->root, 0);
}

void plan_print_json(text *out, const plan *p, const analysis_chain *a)
{
    printer w = {.out = out, .p = p, .a = a, .json = true};
    if (p->root) print_node(&w, p->root, 0);
    text_add(out, "\n");
}
