/* The text form of plans:
 *
 *     seq
 *       buffer 1 twin -1 capacity 0 0 6 window 0 0 0
 *         tile z size 4 period 0
 *           seq
 *             move 1 in tag 0 spans 1 1
 *             loop 0 spans 0 0     # heat
 *       scalar 1
 *
 * Spans are those of the tiles around, outermost first, two numbers each (of blocks, six). */
#include "plan/plan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

static const char *const kind_names[] = {
    [PLAN_SEQ] = "seq",       [PLAN_TILE] = "tile",         [PLAN_BLOCKS] = "blocks",
    [PLAN_BUFFER] = "buffer", [PLAN_MOVE] = "move",         [PLAN_WAIT] = "wait",
    [PLAN_SCALAR] = "scalar", [PLAN_EXCHANGE] = "exchange", [PLAN_LOOP] = "loop",
};

/* The numbers of a node, in the order in which they are written; `label` stands before the first of
 * a group. */
typedef struct number {
    const char *label;
    int64_t value;
} number;

enum { MOST_NUMBERS = 32 };

static int add_three(number *out, const char *label, const int64_t value[3])
{
    for (int d = 0; d < 3; d++) out[d] = (number){d ? NULL : label, value[d]};
    return 3;
}

/* All but spans and cuts. */
static int numbers_of(const plan_node *n, number out[MOST_NUMBERS])
{
    int count = 0;
    switch (n->kind) {
    case PLAN_NONE:
    case PLAN_SEQ: break;
    case PLAN_TILE:
        out[count++] = (number){"dimension", n->dimension};
        out[count++] = (number){"size", n->size};
        out[count++] = (number){"overlap", n->overlap};
        out[count++] = (number){"parallel", n->parallel};
        count += add_three(out + count, "period", n->period);
        break;
    case PLAN_BLOCKS:
        for (int d = 0; d < 3; d++) out[count++] = (number){d ? NULL : "parts", n->parts[d]};
        count += add_three(out + count, "period", n->period);
        break;
    case PLAN_BUFFER:
        out[count++] = (number){"field", n->slot};
        out[count++] = (number){"twin", n->twin};
        count += add_three(out + count, "capacity", n->capacity);
        out[count++] = (number){"window", n->window};
        out[count++] = (number){NULL, n->reach.lo};
        out[count++] = (number){NULL, n->reach.hi};
        break;
    case PLAN_MOVE:
        out[count++] = (number){"field", n->slot};
        out[count++] = (number){"out", n->out};
        out[count++] = (number){"tag", n->tag};
        break;
    case PLAN_WAIT: out[count++] = (number){"tag", n->tag}; break;
    case PLAN_EXCHANGE:
        out[count++] = (number){"field", n->slot};
        for (int d = 0; d < 3; d++) {
            out[count++] = (number){d ? NULL : "margin", n->margin[d].lo};
            out[count++] = (number){NULL, n->margin[d].hi};
        }
        break;
    case PLAN_SCALAR:
    case PLAN_LOOP: out[count++] = (number){"number", n->loop}; break;
    }
    return count;
}

static void set_numbers(plan_node *n, const int64_t *x)
{
    switch (n->kind) {
    case PLAN_NONE:
    case PLAN_SEQ: break;
    case PLAN_TILE:
        n->dimension = (int)x[0];
        n->size = x[1];
        n->overlap = x[2];
        n->parallel = x[3];
        memcpy(n->period, x + 4, sizeof n->period);
        break;
    case PLAN_BLOCKS:
        for (int d = 0; d < 3; d++) n->parts[d] = (int)x[d];
        memcpy(n->period, x + 3, sizeof n->period);
        break;
    case PLAN_BUFFER:
        n->slot = (int)x[0];
        n->twin = (int)x[1];
        memcpy(n->capacity, x + 2, sizeof n->capacity);
        n->window = (int)x[5];
        n->reach = (plan_span){x[6], x[7]};
        break;
    case PLAN_MOVE:
        n->slot = (int)x[0];
        n->out = x[1];
        n->tag = (int)x[2];
        break;
    case PLAN_WAIT: n->tag = (int)x[0]; break;
    case PLAN_EXCHANGE:
        n->slot = (int)x[0];
        for (int d = 0; d < 3; d++) n->margin[d] = (plan_span){x[1 + 2 * d], x[2 + 2 * d]};
        break;
    case PLAN_SCALAR:
    case PLAN_LOOP: n->loop = (int)x[0]; break;
    }
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

/* Spans of a leaf in the tiles around it. */
static void print_spans(text *out, const plan *p, const plan_node *leaf, const int *tiles,
                        int count, const char *before, const char *between)
{
    for (int i = 0; i < count; i++) {
        const plan_node *t = &p->nodes[tiles[i]];
        int each = t->kind == PLAN_BLOCKS ? 3 : 1;
        for (int k = 0; k < each; k++) {
            plan_span span = t->spans[(leaf->leaf - t->leaf) * each + k];
            text_add(out, "%s%" PRId64 "%s%" PRId64, i + k ? between : before, span.lo, between,
                     span.hi);
        }
    }
}

typedef struct printer {
    text *out;
    const plan *p;
    const analysis_chain *a;
    int tiles[DEEPEST];
    int depth;
} printer;

static void print_node(printer *w, int node, int indent)
{
    const plan_node *n = &w->p->nodes[node];
    number numbers[MOST_NUMBERS];
    int count = numbers_of(n, numbers);
    text_add(w->out, "%*s%s", 2 * indent, "", kind_names[n->kind]);
    for (int i = 0; i < count; i++) {
        if (numbers[i].label) text_add(w->out, " %s", numbers[i].label);
        text_add(w->out, " %" PRId64, numbers[i].value);
    }
    for (int d = 0; n->kind == PLAN_BLOCKS && d < 3; d++)
        for (int i = 0; i <= n->parts[d]; i++)
            text_add(w->out, "%s %" PRId64, d + i ? "" : " cuts", n->cuts[d][i]);
    if (plan_is_leaf(n)) print_spans(w->out, w->p, n, w->tiles, w->depth, " spans ", " ");
    const char *name = name_of(w->a, n);
    text_add(w->out, name ? "  # %s\n" : "\n", name);
    bool tile = (n->kind == PLAN_TILE || n->kind == PLAN_BLOCKS) && w->depth < DEEPEST;
    if (tile) w->tiles[w->depth++] = node;
    for (int child = n->child; child; child = w->p->nodes[child].next)
        print_node(w, child, indent + 1);
    w->depth -= tile;
}

void plan_print(text *out, const plan *p, const analysis_chain *a)
{
    printer w = {.out = out, .p = p, .a = a};
    if (p->root) print_node(&w, p->root, 0);
}

static void print_json(printer *w, int node)
{
    const plan_node *n = &w->p->nodes[node];
    number numbers[MOST_NUMBERS];
    int count = numbers_of(n, numbers);
    text_add(w->out, "{\"kind\": \"%s\"", kind_names[n->kind]);
    for (int i = 0; i < count;) {
        int end = i + 1;
        while (end < count && !numbers[end].label) end++;
        text_add(w->out, ", \"%s\": %s", numbers[i].label, end > i + 1 ? "[" : "");
        for (int k = i; k < end; k++)
            text_add(w->out, "%s%" PRId64, k > i ? ", " : "", numbers[k].value);
        text_add(w->out, "%s", end > i + 1 ? "]" : "");
        i = end;
    }
    for (int d = 0; n->kind == PLAN_BLOCKS && d < 3; d++) {
        text_add(w->out, "%s", d ? ", [" : ", \"cuts\": [[");
        for (int i = 0; i <= n->parts[d]; i++)
            text_add(w->out, "%s%" PRId64, i ? ", " : "", n->cuts[d][i]);
        text_add(w->out, d == 2 ? "]]" : "]");
    }
    if (plan_is_leaf(n)) {
        text_add(w->out, ", \"spans\": [");
        print_spans(w->out, w->p, n, w->tiles, w->depth, "", ", ");
        text_add(w->out, "]");
    }
    const char *name = name_of(w->a, n);
    if (name) text_add(w->out, ", \"name\": \"%s\"", name);
    bool tile = (n->kind == PLAN_TILE || n->kind == PLAN_BLOCKS) && w->depth < DEEPEST;
    if (tile) w->tiles[w->depth++] = node;
    for (int child = n->child; child; child = w->p->nodes[child].next) {
        text_add(w->out, child == n->child ? ", \"children\": [" : ", ");
        print_json(w, child);
    }
    text_add(w->out, n->child ? "]}" : "}");
    w->depth -= tile;
}

void plan_print_json(text *out, const plan *p, const analysis_chain *a)
{
    printer w = {.out = out, .p = p, .a = a};
    if (p->root) print_json(&w, p->root);
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
        if (end == words || errno || out->count == (int)COUNT_OF(out->numbers)) return false;
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

static bool fits_int(const line *l, int count)
{
    for (int i = 0; i < count; i++)
        if (l->numbers[i] < -PLAN_FAR || l->numbers[i] > PLAN_FAR) return false;
    return true;
}

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
    number numbers[MOST_NUMBERS];
    int own = numbers_of(n, numbers);
    if (l->count < own || !fits_int(l, l->count)) return false;
    set_numbers(n, l->numbers);
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
