/* The text form of plans:
 *
 *     seq
 *       buffer field 1 twin -1 capacity 0 0 6 window 0 reach 0 0
 *         tile dimension 2 size 4 overlap 0 parallel 0 period 0 0 0
 *           seq
 *             move field 1 out 0 tag 0 spans 1 1
 *             loop number 0 spans 0 0  # heat
 *       scalar number 1
 *
 * Spans are those of the tiles around, outermost first, two numbers each (of blocks, six). */
#include "plan/plan.h"

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
    NUMBERS(BUFFER, "twin", twin, 1),
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
    if (!a || n->kind == PLAN_SEQ || n->kind == PLAN_TILE || n->kind == PLAN_BLOCKS ||
        n->kind == PLAN_WAIT)
        return NULL;
    if (n->kind == PLAN_LOOP || n->kind == PLAN_SCALAR) return a->loops[n->loop].loop->kernel->name;
    for (int l = 0; l < a->loop_count; l++) {
        const chain_loop *loop = a->loops[l].loop;
        for (int p = 0; p < loop->kernel->param_count; p++)
            if (loop->bindings[p].slot == a->slots[n->slot] && loop->bindings[p].name)
                return loop->bindings[p].name;
    }
    return NULL;
}

typedef struct printer {
    text *out;
    const plan *p;
    const analysis_chain *a;
    bool json;
    int tiles[DEEPEST]; /* around */
    int depth;
} printer;

/* Spans of a leaf in the tiles around it. */
static void print_spans(printer *w, const plan_node *leaf, const char *before, const char *between)
{
    for (int i = 0; i < w->depth; i++) {
        const plan_node *t = &w->p->nodes[w->tiles[i]];
        int each = t->kind == PLAN_BLOCKS ? 3 : 1;
        for (int k = 0; k < each; k++) {
            plan_span span = t->spans[(leaf->leaf - t->leaf) * each + k];
            text_add(w->out, "%s%" PRId64 "%s%" PRId64, i + k ? between : before, span.lo, between,
                     span.hi);
        }
    }
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
        for (int i = 0; i < x->count; i++)
            text_add(w->out, "%s%" PRId64, i ? between : "", get_number(n, x, i));
        if (w->json && x->count > 1) text_add(w->out, "]");
    }
    const char *label = w->json ? ", \"cuts\": [" : " cuts ";
    for (int d = 0; n->kind == PLAN_BLOCKS && d < 3; d++)
        for (int i = 0; i <= n->parts[d]; i++)
            text_add(w->out, "%s%" PRId64, d + i ? between : label, n->cuts[d][i]);
    if (n->kind == PLAN_BLOCKS && w->json) text_add(w->out, "]");
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
    bool tile = (n->kind == PLAN_TILE || n->kind == PLAN_BLOCKS) && w->depth < DEEPEST;
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

/* Reads the numbers of a line, skipping labels; false when it is no line of a plan. */
static bool read_line(const char *words, line *out)
{
    size_t indent = strspn(words, " ");
    out->indent = (int)(indent / 2);
    out->count = 0;
    out->kind = PLAN_NONE;
    words += indent;
    for (size_t k = 1; k < COUNT_OF(kind_names); k++) {
        size_t length = strlen(kind_names[k]);
        if (!strncmp(words, kind_names[k], length) && !isalpha((unsigned char)words[length]))
            out->kind = (plan_kind)k;
    }
    while (*words && *words != '\n' && *words != '#') {
        char *end;
        if (*words == ' ' || isalpha((unsigned char)*words)) {
            words++;
            continue;
        }
        errno = 0;
        int64_t value = strtoll(words, &end, 10);
        if (end == words || errno || out->count == (int)COUNT_OF(out->numbers) ||
            value < -PLAN_FAR || value > PLAN_FAR)
            return false;
        out->numbers[out->count++] = value;
        words = end;
    }
    return out->kind != PLAN_NONE && indent % 2 == 0;
}

typedef struct parser {
    plan *p;
    int open[DEEPEST];
    int64_t *spans[1 << 12]; /* per leaf: its numbers, outermost tile first */
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

/* Adds the node of a line; those deeper than its parent have ended. */
static bool add_line(parser *r, const line *l, int *depth)
{
    if (l->indent > *depth || l->indent >= DEEPEST || (l->indent == 0 && r->p->count)) return false;
    *depth = l->indent;
    int node = plan_add(r->p, l->indent ? r->open[l->indent - 1] : 0, l->kind);
    if (!node) return false;
    plan_node *n = &r->p->nodes[node];
    int own = 0;
    for (size_t k = 0; k < COUNT_OF(numbers); k++)
        for (int i = 0; numbers[k].kind == l->kind && i < numbers[k].count; i++, own++)
            if (own < l->count) set_number(n, &numbers[k], i, l->numbers[own]);
    if (l->count < own) return false;
    r->open[(*depth)++] = node;
    if (n->kind == PLAN_BLOCKS) return read_cuts(r->p, n, l, own);
    if (!plan_is_leaf(n)) return l->count == own;
    if (n->leaf >= (int)COUNT_OF(r->spans)) return false;
    size_t spans = (size_t)(l->count - own);
    r->spans[n->leaf] = arena_array(&r->p->memory, spans + 1, sizeof(int64_t));
    if (!r->spans[n->leaf]) return false;
    r->spans[n->leaf][0] = (int64_t)spans;
    memcpy(r->spans[n->leaf] + 1, l->numbers + own, spans * sizeof(int64_t));
    return true;
}

static int count_leaves(const plan *p, int node)
{
    int count = plan_is_leaf(&p->nodes[node]);
    for (int child = p->nodes[node].child; child; child = p->nodes[child].next)
        count += count_leaves(p, child);
    return count;
}

/* Gives tiles their spans, once their leaves are known. `used`: numbers of each leaf that tiles
 * outside take. */
static bool finish_tiles(parser *r, int node, int64_t used)
{
    plan_node *n = &r->p->nodes[node];
    bool tile = n->kind == PLAN_TILE || n->kind == PLAN_BLOCKS;
    int each = n->kind == PLAN_BLOCKS ? 3 : 1;
    if (plan_is_leaf(n)) return r->spans[n->leaf][0] == used;
    for (int child = n->child; child; child = r->p->nodes[child].next)
        if (!finish_tiles(r, child, used + (tile ? 2 * each : 0))) return false;
    if (!tile) return true;
    n->leaf_count = count_leaves(r->p, node);
    n->spans = arena_array(&r->p->memory, (size_t)(n->leaf_count * each) + 1, sizeof *n->spans);
    for (int i = 0; n->spans && i < n->leaf_count * each; i++) {
        const int64_t *span = r->spans[n->leaf + i / each] + 1 + used + 2 * (i % each);
        n->spans[i] = (plan_span){span[0], span[1]};
    }
    return n->spans;
}

bool plan_parse(plan *p, const char *words, int *number)
{
    parser *r = calloc(1, sizeof *r);
    line *l = calloc(1, sizeof *l);
    int depth = 0;
    bool done = r && l;
    *number = 0;
    if (done) r->p = p;
    while (done && *words) {
        size_t length = strcspn(words, "\n");
        ++*number;
        if (strspn(words, " ") < length) done = read_line(words, l) && add_line(r, l, &depth);
        words += length + (words[length] == '\n');
    }
    done = done && p->root && finish_tiles(r, p->root, 0);
    free(r);
    free(l);
    return done;
}
