/* Orders along several dimensions, and reads along them of what the kernel writes. */
#include "generate.h"

#define TEXT(...) pool_text(&b->program->memory, __VA_ARGS__)

/* `ordered`, which is not x, is the outermost dimension. */
void generate_orders(builder *b, kernel *k)
{
    int inner = chance_from(b->chance, 1, (1 << k->ordered) - 1);
    for (int d = 0; d < k->ordered; d++)
        if (inner >> d & 1) k->orders[d] = chance_of(b->chance, 60) ? k->order : -k->order;
    k->orders[k->ordered] = k->order;
}

/* "forward(x) backward(y)": the dimensions one by one, or those of one direction together. */
const char *orders_text(builder *b, const kernel *k)
{
    const char *all = "", *list = "";
    bool alike = chance_of(b->chance, 50);
    for (int d = 0; d < 3; d++) {
        const char *word = k->orders[d] > 0 ? "forward" : "backward";
        if (!k->orders[d]) continue;
        all = TEXT("%s %s(%c)", all, word, "xyz"[d]);
        list = TEXT("%s%s%c", list, *list ? ", " : "", "xyz"[d]);
        alike = alike && k->orders[d] == k->order;
    }
    return alike ? TEXT(" %s(%s)", k->order > 0 ? "forward" : "backward", list) : all;
}

/* Offsets along ordered dimensions; `before`: of a level that runs before. */
static void choose(builder *b, bool before, int offset[3])
{
    const int *orders = b->kernel->orders;
    int outermost = 3;
    while (outermost == 3)
        for (int d = 0; d < 3; d++) {
            offset[d] = orders[d] ? chance_from(b->chance, -2, 2) : 0;
            if (offset[d]) outermost = d;
        }
    if (before && offset[outermost] * orders[outermost] > 0) offset[outermost] *= -1;
}

/* The condition that what lies at the offset is on the grid. */
static const char *on_grid(builder *b, const int offset[3])
{
    const char *all = "";
    for (int d = 0; d < 3; d++) {
        const char *and = *all ? " && " : "";
        if (offset[d] < 0) all = TEXT("%s%si%c >= %d", all, and, "xyz"[d], -offset[d]);
        if (offset[d] > 0)
            all = TEXT("%s%si%c + %d < n%c", all, and, "xyz"[d], offset[d], "xyz"[d]);
    }
    return all;
}

term *generate_wave_read(builder *b, const symbol *s, const char *target, unsigned mask)
{
    const kernel *k = b->kernel;
    bool written = s->own && s->own->kind != IN && (mask & s->own->written) == mask;
    int along = s->own && s->own->along ? s->own->along : 7, offset[3] = {0};
    const char *text = "";
    for (int d = 0; d < 3; d++) written = written && (!k->orders[d] || along >> d & 1);
    if (!written) return NULL;
    choose(b, s->own->kind == OUT, offset);
    bool guarded = chance_of(b->chance, 70);
    for (int d = 0; d < b->program->rank; d++) {
        text = TEXT("%s%s%d", text, d ? "," : "", offset[d]);
        if (guarded) continue;
        if (offset[d] < s->use->lo[d]) s->use->lo[d] = offset[d];
        if (offset[d] > s->use->hi[d]) s->use->hi[d] = offset[d];
    }
    s->use->shifted |= mask;
    term *read = builder_term(b, s->type, TEXT("%s[%s]", target, text));
    if (!guarded) return read;
    term *t = builder_term(b, s->type, TEXT("(%s ? $ : $)", on_grid(b, offset)));
    t->part[0] = read;
    t->part[1] = generate_literal(b, s->type);
    return t;
}
