/* Levels that run in order, their intervals, and reads of other levels. The library must accept all
 * of them: intervals do not overlap whatever their parameter is, and reads beside the column find
 * another level of the grid. */
#include "generate.h"

#define TEXT(...) pool_text(&b->program->memory, __VA_ARGS__)

void generate_order(builder *b, kernel *k)
{
    if (k->once || b->program->shiftable || !chance_of(b->chance, 30)) return;
    k->order = chance_of(b->chance, 50) ? 1 : -1;
    k->ordered = chance_from(b->chance, 0, b->program->rank - 1);
    if (k->ordered && chance_of(b->chance, 50)) {
        generate_orders(b, k);
        return;
    }
    if (k->param_count == MAX_PARAMS || chance_of(b->chance, 50)) return;
    k->params[k->param_count++] = (param){.kind = NUMBER, .type = INT, .count = 1, .splits = true};
}

const char *order_text(builder *b, const kernel *k)
{
    const char *word = k->order > 0 ? "forward" : "backward";
    if (k->orders[k->ordered]) return orders_text(b, k);
    return k->order ? TEXT(" %s(%c)", word, "xyz"[k->ordered]) : "";
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* Statements, and perhaps stores, for levels of which there are some below or above. */
static void add_interval(builder *b, line_list *list, const char *lo, const char *hi, int below,
                         int above)
{
    unsigned before[MAX_PARAMS];
    line *l = builder_line(b, TEXT("interval [%s, %s)", lo, hi), NULL, NULL);
    line_list body = {0};
    int mark = b->symbol_count;
    for (int p = 0; p < MAX_PARAMS; p++) before[p] = b->set[p];
    b->below = below;
    b->above = above;
    generate_statements(b, &body, chance_from(b->chance, 0, 2), 2);
    for (int p = 0; p < b->kernel->param_count; p++)
        if (chance_of(b->chance, 70)) generate_store(b, &body, p, 2);
    b->below = b->above = 0;
    for (int p = 0; p < MAX_PARAMS; p++) b->set[p] = before[p];
    b->symbol_count = mark;
    l->has_body = true;
    l->body = body.first;
    line_append(list, l);
}

/* Of the parameter that splits. */
static const char *splitter(builder *b)
{
    for (int p = 0; p < b->kernel->param_count; p++)
        if (b->kernel->params[p].splits) return TEXT("p%d", p);
    return NULL;
}

static void split_by_parameter(builder *b, line_list *list, const char *k, const char *n)
{
    switch (chance_from(b->chance, 0, 3)) {
    case 0:
        add_interval(b, list, "0", k, 0, 0);
        add_interval(b, list, k, n, 0, 0);
        return;
    case 1:
        add_interval(b, list, TEXT("1 + %s", k), n, 0, 0);
        add_interval(b, list, "0", TEXT("%s - 1", k), 0, 0);
        return;
    case 2: add_interval(b, list, "1", k, 1, 0); return;
    default: add_interval(b, list, k, TEXT("%s-2", n), 0, 2); return;
    }
}

static void split_ends(builder *b, line_list *list, const char *n)
{
    int a = chance_from(b->chance, 1, 3);
    bool thick = b->program->size[b->kernel->ordered] > 1;
    switch (chance_from(b->chance, 0, thick ? 3 : 2)) {
    case 0:
        add_interval(b, list, "0", TEXT("%d", a), 0, 0);
        add_interval(b, list, TEXT("%d", a), n, a, 0);
        return;
    case 1:
        add_interval(b, list, TEXT("%s-%d", n, a), n, 0, 0);
        add_interval(b, list, "0", TEXT("%s-%d", n, a), 0, a);
        return;
    case 2: add_interval(b, list, TEXT("%d", a), TEXT("%s - 1", n), a, 1); return;
    default:
        add_interval(b, list, "0", "1", 0, 0);
        add_interval(b, list, "1", TEXT("%s-1", n), 1, 1);
        add_interval(b, list, TEXT("%s-1", n), n, 0, 0);
        return;
    }
}

void generate_intervals(builder *b, line_list *list)
{
    if (!b->kernel->order || b->kernel->orders[b->kernel->ordered]) return;
    if (!chance_of(b->chance, 75)) return;
    const char *k = splitter(b), *n = TEXT("n%c", "xyz"[b->kernel->ordered]);
    if (k)
        split_by_parameter(b, list, k, n);
    else
        split_ends(b, list, n);
}

/* ---- reads ----------------------------------------------------------------------------------- */

/* Distance, in levels, of a read: to a level that ran before, or to any. */
static int away(builder *b, bool before)
{
    int by = chance_from(b->chance, 1, 2);
    return (before || chance_of(b->chance, 50) ? -b->kernel->order : b->kernel->order) * by;
}

/* The condition that a level at this distance lies in the grid. */
static const char *on_grid(builder *b, int by)
{
    char z = "xyz"[b->kernel->ordered];
    if (by < 0)
        return chance_of(b->chance, 50) ? TEXT("i%c >= %d", z, -by) : TEXT("%d < i%c", -by - 1, z);
    return TEXT("i%c + %d < n%c", z, by, z);
}

term *generate_level_read(builder *b, const symbol *s, const char *target, unsigned mask)
{
    const kernel *k = b->kernel;
    if (k->orders[k->ordered]) return generate_wave_read(b, s, target, mask);
    bool written = s->own && s->own->kind != IN && (mask & s->own->written) == mask;
    int along = s->own && s->own->along ? s->own->along : 7;
    if (!written || !(along >> k->ordered & 1)) return NULL;
    int by = away(b, s->own->kind == OUT), offset[3] = {0};
    bool beside = chance_of(b->chance, 40);
    const char *text = "";
    for (int d = 0; d < b->program->rank; d++) {
        offset[d] = d == k->ordered            ? by
                    : beside && along >> d & 1 ? chance_from(b->chance, -2, 2)
                                               : 0;
        text = TEXT("%s%s%d", text, d ? "," : "", offset[d]);
    }
    bool inside = by < 0 ? -by <= b->below : by <= b->above;
    bool guarded = !inside && (beside || chance_of(b->chance, 50));
    s->use->shifted |= mask;
    for (int d = 0; d < b->program->rank; d++) {
        if (d == k->ordered && (inside || guarded)) continue;
        if (offset[d] < s->use->lo[d]) s->use->lo[d] = offset[d];
        if (offset[d] > s->use->hi[d]) s->use->hi[d] = offset[d];
    }
    term *read = builder_term(b, s->type, TEXT("%s[%s]", target, text));
    if (!guarded) return read;
    term *t = builder_term(b, s->type, TEXT("(%s ? $ : $)", on_grid(b, by)));
    t->part[0] = read;
    t->part[1] = generate_literal(b, s->type);
    return t;
}
