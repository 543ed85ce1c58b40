/* Reads the text form of plans back. */
#include "plan_parse.h"

#include "plan/notation.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void set_number(plan_node *n, const notation_number *x, int i, int64_t value)
{
    char *at = (char *)n + x->offset + (size_t)i * x->size;
    if (x->size == sizeof(int64_t))
        *(int64_t *)at = value;
    else if (x->size == sizeof(int))
        *(int *)at = (int)value;
    else
        *(bool *)at = value;
}

typedef struct line {
    int indent, count;
    plan_kind kind;
    int64_t numbers[1024];
    unsigned
        told; /* bits: numbers of the table that the line has, of those that it may leave out */
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

/* Notes a label of numbers that may be left out. */
static void note_label(const char *label, line *out)
{
    for (int k = 0; k < notation_number_count; k++)
        if (notation_numbers[k].kind == out->kind && is_word(label, notation_numbers[k].label))
            out->told |= 1u << k;
}

/* Reads the numbers of a line, skipping labels; false when it is no line of a plan. */
static bool read_line(const char *words, line *out)
{
    size_t indent = strspn(words, " ");
    out->indent = (int)(indent / 2);
    out->count = 0;
    out->told = 0;
    out->kind = PLAN_NONE;
    words += indent;
    for (int k = 1; k < NOTATION_KINDS; k++)
        if (is_word(words, notation_kinds[k])) out->kind = (plan_kind)k;
    for (words += strcspn(words, " \n"); *words && *words != '\n' && *words != '#';) {
        int64_t value;
        if (*words == ' ') {
            words++;
        } else if (isalpha((unsigned char)*words) && !is_word(words, "far")) {
            note_label(words, out);
            words += strcspn(words, " \n");
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
    int open[NOTATION_DEPTH], depth; /* the node of the last line, and those around it */
    int64_t *spans[1 << 12];         /* per leaf: its numbers, outermost tile first */
    size_t tiles;                    /* around: numbers of each leaf that they take */
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
        for (int i = 0; n->seam && !r->p->failed && i < n->leaf_count; i++) {
            const int64_t *numbers = r->spans[n->leaf + i] + r->tiles + 2;
            *plan_seam_of(n, n->leaf + i) = (plan_span){numbers[0], numbers[1]};
        }
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
    if (l->indent > r->depth || l->indent >= NOTATION_DEPTH || (l->indent == 0 && r->p->count))
        return false;
    end_nodes(r, l->indent);
    for (int k = 0; k < notation_number_count; k++) {
        const notation_number *x = &notation_numbers[k];
        if (x->usual != NOTATION_TOLD && !(l->told & 1u << k)) continue;
        for (int i = 0; x->kind == l->kind && i < x->count; i++, own++)
            if (own < l->count) set_number(&n, x, i, l->numbers[own]);
    }
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
