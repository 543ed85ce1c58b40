/* The text form of plans:
 *
 *     seq
 *       buffer field 1 alias -1 capacity 0 0 6 window 0 reach 0 0
 *         tile dimension 2 size 4 overlap 0 parallel 0 period 0 0 0
 *           seq
 *             move field 1 out 0 tag 0 spans 1 1
 *             loop number 0 spans 0 0  # heat
 *       scalar number 1
 *
 * Spans are those of the tiles around, outermost first, two numbers each (of blocks, six). PLAN_FAR
 * is written as far and its negative as -far, in JSON as texts. */
#include "plan/node.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

static const char *const kind_names[] = {
    [PLAN_SEQ] = "seq",       [PLAN_TILE] = "tile",         [PLAN_BLOCKS] = "blocks",
    [PLAN_BUFFER] = "buffer", [PLAN_MOVE] = "move",         [PLAN_WAIT] = "wait",
    [PLAN_SCALAR] = "scalar", [PLAN_EXCHANGE] = "exchange", [PLAN_LOOP] = "loop",
};

/* The numbers of each kind of node, in the order in which they are written. */
typedef struct number {
    plan_kind kind;
    const char *label;
    size_t offset;
    size_t size; /* of one: that of bool, int or int64_t */
    int count;
} number;

#define NUMBERS(kind, label, member, count)                                                        \
    {                                                                                              \
        PLAN_##kind, label, offsetof(plan_node, member),                                           \
            sizeof(((plan_node *)0)->member) / (count), count                                      \
    }
static const number numbers[] = {
    NUMBERS(TILE, "dimension", dimension, 1),
    NUMBERS(TILE, "size", size, 1),
    NUMBERS(TILE, "overlap", overlap, 1),
    NUMBERS(TILE, "parallel", parallel, 1),
    NUMBERS(TILE, "period", period, 3),
    NUMBERS(BLOCKS, "parts", parts, 3),
    NUMBERS(BLOCKS, "period", period, 3),
    NUMBERS(BUFFER, "field", slot, 1),
    NUMBERS(BUFFER, "alias", alias, 1),
    NUMBERS(BUFFER, "capacity", capacity, 3),
    NUMBERS(BUFFER, "window", window, 1),
    NUMBERS(BUFFER, "reach", reach, 2),
    NUMBERS(MOVE, "field", slot, 1),
    NUMBERS(MOVE, "out", out, 1),
    NUMBERS(MOVE, "tag", tag, 1),
    NUMBERS(WAIT, "tag", tag, 1),
    NUMBERS(EXCHANGE, "field", slot, 1),
    NUMBERS(EXCHANGE, "margin", margin, 6),
    NUMBERS(SCALAR, "number", loop, 1),
    NUMBERS(LOOP, "number", loop, 1),
};

static int64_t get_number(const plan_node *n, const number *x, int i)
{
    const char *at = (const char *)n + x->offset + (size_t)i * x->size;
    if (x->size == sizeof(int64_t)) return *(const int64_t *)at;
    return x->size == sizeof(int) ? *(const int *)at : *(const bool *)at;
}

static void set_number(plan_node *n, const number *x, int i, int64_t value)
{
    char *at = (char *)n + x->offset + (size_t)i * x->size;
    if (x->size == sizeof(int64_t))
        *(int64_t *)at = value;
    else if (x->size == sizeof(int))
        *(int *)at = (int)value;
    else
        *(bool *)at = value;
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
    int tiles[DEEPEST]; /* around */
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
            plan_span span = *plan_span_of(t, leaf->leaf, k);
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

/* The kind and the numbers of a node, as words or as members of a JSON object. */
static void print_numbers(printer *w, const plan_node *n)
{
    const char *between = w->json ? ", " : " ";
    text_add(w->out, w->json ? "{\"kind\": \"%s\"" : "%s", kind_names[n->kind]);
    for (size_t k = 0; k < COUNT_OF(numbers); k++) {
        const number *x = &numbers[k];
        if (x->kind != n->kind) continue;
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
    bool tile = plan_is_tile(n) && w->depth < DEEPEST;
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

/* ---- parsing --------------------------------------------------------------------------------- */

typedef struct line {
    int indent, count;
    plan_kind kind;
    int64_t numbers[1024];
} line;

static bool is_word(const char *at, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(at, word, length) && !isalpha((unsigned char)at[length]);
}

static bool read_number(const char **words, int64_t *value)
{
    if (is_word(*words, "far") || is_word(*words, "-far")) {
        *value = **words == '-' ? -PLAN_FAR : PLAN_FAR;
        *words += strcspn(*words, " \n");
        return true;
    }
    char *end;
    errno = 0;
    *value = strtoll(*words, &end, 10);
    bool read = end > *words && !errno && *value >= -PLAN_FAR && *value <= PLAN_FAR;
    *words = end;
    return read;
}

/* Reads the numbers of a line, skipping labels; false when it is no line of a plan. */
static bool read_line(const char *words, line *out)
{
    size_t indent = strspn(words, " ");
    out->indent = (int)(indent / 2);
    out->count = 0;
    out->kind = PLAN_NONE;
    words += indent;
    for (size_t k = 1; k < COUNT_OF(kind_names); k++)
        if (is_word(words, kind_names[k])) out->kind = (plan_kind)k;
    for (words += strcspn(words, " \n"); *words && *words != '\n' && *words != '#';) {
        int64_t value;
        if (*words == ' ') {
            words++;
        } else if (isalpha((unsigned char)*words) && !is_word(words, "far")) {
            words += strcspn(words, " \n"); /* a label */
        } else {
            if (out->count == (int)COUNT_OF(out->numbers) || !read_number(&words, &value))
                return false;
            out->numbers[out->count++] = value;
        }
    }
    return out->kind != PLAN_NONE && indent % 2 == 0;
}

typedef struct parser {
    plan *p;
    int open[DEEPEST], depth; /* the node of the last line, and those around it */
    int64_t *spans[1 << 12];  /* per leaf: its numbers, outermost tile first */
    size_t tiles;             /* around: numbers of each leaf that they take */
} parser;

static bool read_cuts(plan *p, plan_node *n, const line *l, int at)
{
    for (int d = 0; d < 3; d++) {
        if (n->parts[d] < 1 || at + n->parts[d] + 1 > l->count) return false;
        n->cuts[d] = arena_array(&p->memory, (size_t)n->parts[d] + 1, sizeof(int64_t));
        if (!n->cuts[d]) return false;
        for (int i = 0; i <= n->parts[d]; i++) n->cuts[d][i] = l->numbers[at++];
    }
    return at == l->count;
}

static plan_span read_span(const void *parser_at, const plan_node *leaf, int d)
{
    const parser *r = parser_at;
    const int64_t *span = r->spans[leaf->leaf] + r->tiles;
    const plan_node *tile = &r->p->nodes[r->open[r->depth]];
    if (tile->kind == PLAN_BLOCKS) span += 2 * d;
    return (plan_span){span[0], span[1]};
}

/* Ends the nodes from the innermost to one of a depth. */
static void end_nodes(parser *r, int depth)
{
    while (r->depth > depth) {
        int node = r->open[--r->depth];
        const plan_node *n = &r->p->nodes[node];
        if (!plan_is_tile(n)) continue;
        r->tiles -= 2 * (size_t)plan_spans_per_leaf(n);
        plan_end_tile(r->p, node, read_span, r);
    }
}

/* The numbers of a leaf from `own` on: its spans. */
static bool read_spans(parser *r, const line *l, int leaf, int own)
{
    if (leaf >= (int)COUNT_OF(r->spans) || (size_t)(l->count - own) != r->tiles) return false;
    r->spans[leaf] = arena_array(&r->p->memory, r->tiles + 1, sizeof(int64_t));
    if (!r->spans[leaf]) return false;
    memcpy(r->spans[leaf], l->numbers + own, r->tiles * sizeof(int64_t));
    return true;
}

/* Adds the node of a line; those that are not around it have ended. */
static bool add_line(parser *r, const line *l)
{
    plan_node n = {.kind = l->kind, .alias = -1};
    int own = 0;
    if (l->indent > r->depth || l->indent >= DEEPEST || (l->indent == 0 && r->p->count))
        return false;
    end_nodes(r, l->indent);
    for (size_t k = 0; k < COUNT_OF(numbers); k++)
        for (int i = 0; numbers[k].kind == l->kind && i < numbers[k].count; i++, own++)
            if (own < l->count) set_number(&n, &numbers[k], i, l->numbers[own]);
    if (l->count < own || (n.kind == PLAN_BLOCKS && !read_cuts(r->p, &n, l, own))) return false;
    int node = plan_add(r->p, l->indent ? r->open[l->indent - 1] : 0, n);
    r->open[r->depth++] = node;
    if (plan_is_tile(&n)) r->tiles += 2 * (size_t)plan_spans_per_leaf(&n);
    if (plan_is_leaf(&n)) return node && read_spans(r, l, r->p->nodes[node].leaf, own);
    return node && (n.kind == PLAN_BLOCKS || l->count == own);
}

bool plan_parse(plan *p, const char *words, int *number)
{
    parser *r = calloc(1, sizeof *r);
    line *l = calloc(1, sizeof *l);
    bool done = r && l;
    *number = 0;
    if (done) r->p = p;
    while (done && *words) {
        size_t length = strcspn(words, "\n");
        ++*number;
        if (strspn(words, " ") < length) done = read_line(words, l) && add_line(r, l);
        words += length + (words[length] == '\n');
    }
    if (done) end_nodes(r, 0);
    done = done && p->root && !p->failed;
    free(r);
    free(l);
    return done;
}
