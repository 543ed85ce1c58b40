/* Reads of fields, here and at offsets, and calls of helpers that read fields. Each read is noted
 * in the symbol's use, which decides to which ranges the kernel can be applied. */
#include "generate.h"

typedef struct offset {
    const char *text; /* "dx,dy", of the program's rank; NULL: none is written */
    int lo[3], hi[3];
    bool zero;
} offset;

/* ---- offsets --------------------------------------------------------------------------------- */

static int small_offset(chance *c)
{
    int kind = chance_from(c, 0, 99);
    if (kind < 40) return 0;
    if (kind < 80) return chance_of(c, 50) ? 1 : -1;
    if (kind < 97) return chance_from(c, -3, 3);
    return chance_from(c, -9, 9);
}

static const symbol *pick_table(builder *b)
{
    const symbol *found = NULL;
    for (int i = 0; i < b->symbol_count; i++) {
        const symbol *s = &b->symbols[i];
        bool whole = s->known && (s->type == INT || s->type == LONG);
        if (whole && s->hi - s->lo <= 6 && chance_of(b->chance, 70)) found = s;
    }
    return found;
}

static const symbol *pick_counter(builder *b)
{
    const symbol *found = NULL;
    for (int i = 0; i < b->symbol_count; i++)
        if (b->symbols[i].kind == LOOP && chance_of(b->chance, 60)) found = &b->symbols[i];
    return found;
}

static const char *table_offset(builder *b, const symbol *table, int *lo, int *hi)
{
    unsigned mask;
    const char *index = generate_index(b, table->length, &mask);
    bool minus = chance_of(b->chance, 50);
    *lo = minus ? -table->hi : table->lo;
    *hi = minus ? -table->lo : table->hi;
    return pool_text(&b->program->memory, "%s%s[%s]", minus ? "-" : "", table->name, index);
}

static const char *loop_offset(builder *b, const symbol *loop, int *lo, int *hi)
{
    int shift = chance_from(b->chance, 0, 2);
    *lo = loop->lo - shift;
    *hi = loop->hi - shift;
    return pool_text(&b->program->memory, shift ? "%s - %d" : "%s", loop->name, shift);
}

static const char *generate_offset_part(builder *b, int *lo, int *hi)
{
    const symbol *table = !b->plain && chance_of(b->chance, 25) ? pick_table(b) : NULL;
    const symbol *loop = chance_of(b->chance, 20) ? pick_counter(b) : NULL;
    if (table) return table_offset(b, table, lo, hi);
    if (loop) return loop_offset(b, loop, lo, hi);
    *lo = *hi = b->plain ? chance_from(b->chance, -1, 1) : small_offset(b->chance);
    return pool_text(&b->program->memory, "%d", *lo);
}

/* An offset, which may be none at all, 0 along dimensions that a field lacks. */
static offset generate_offset(builder *b, const symbol *s, bool shifted)
{
    int along = s->own ? s->own->along : 0;
    offset o = {.zero = true};
    if (!shifted) return o;
    o.text = "";
    for (int d = 0; d < b->program->rank; d++) {
        bool lacks = along && !(along >> d & 1);
        const char *part = lacks ? "0" : generate_offset_part(b, &o.lo[d], &o.hi[d]);
        o.text = pool_text(&b->program->memory, "%s%s%s", o.text, d ? "," : "", part);
        o.zero = o.zero && o.lo[d] == 0 && o.hi[d] == 0;
    }
    return o;
}

/* ---- use ------------------------------------------------------------------------------------- */

static void widen(field_use *use, const int lo[3], const int hi[3])
{
    for (int d = 0; d < 3; d++) {
        if (lo[d] < use->lo[d]) use->lo[d] = lo[d];
        if (hi[d] > use->hi[d]) use->hi[d] = hi[d];
    }
}

static void note(field_use *use, const offset *o, unsigned mask)
{
    widen(use, o->lo, o->hi);
    if (!o->zero) use->shifted |= mask;
}

/* Components that may be read at offsets: not of what this kernel writes. */
static bool may_shift(const symbol *s, unsigned mask)
{
    if (!s->own) return true;
    return s->own->kind == IN || (s->own->kind == INOUT && !(mask & s->own->written));
}

/* A field that the kernel writes can be read once it surely was written, other fields any time. */
static bool may_read(const symbol *s, unsigned mask)
{
    return !s->own || s->own->kind != OUT || (mask & ~*s->set) == 0;
}

/* ---- reads ----------------------------------------------------------------------------------- */

static const symbol *pick_field(builder *b, bool integer)
{
    const symbol *found = NULL;
    int count = 0;
    for (int i = 0; i < b->symbol_count; i++) {
        const symbol *s = &b->symbols[i];
        if (s->kind != FIELD || (integer && is_floating(s->type))) continue;
        if (chance_from(b->chance, 0, count++) == 0) found = s;
    }
    return found;
}

#define TEXT(...) pool_text(&b->program->memory, __VA_ARGS__)

static const char *inside_low(builder *b, char axis, int reach)
{
    switch (chance_from(b->chance, 0, 3)) {
    case 0: return TEXT("%d <= i%c", reach, axis);
    case 1: return TEXT("!(i%c < %d)", axis, reach);
    case 2: return TEXT("i%c - %d >= 0", axis, reach);
    default: return TEXT("i%c >= %d", axis, reach);
    }
}

static const char *inside_high(builder *b, char axis, int reach)
{
    switch (chance_from(b->chance, 0, 3)) {
    case 0: return TEXT("i%c + %d <= n%c - 1", axis, reach, axis);
    case 1: return TEXT("n%c > i%c + %d", axis, axis, reach);
    case 2: return TEXT("!(i%c >= n%c - %d)", axis, axis, reach);
    default: return TEXT("i%c < n%c - %d", axis, axis, reach);
    }
}

/* The condition that an offset stays inside the grid. */
static const char *inside(builder *b, const offset *o)
{
    const char *text = "";
    for (int d = 0; d < b->program->rank; d++) {
        if (o->lo[d] < 0)
            text = TEXT("%s%s%s", text, *text ? " && " : "", inside_low(b, "xyz"[d], -o->lo[d]));
        if (o->hi[d] > 0)
            text = TEXT("%s%s%s", text, *text ? " && " : "", inside_high(b, "xyz"[d], o -> hi[d]));
    }
    return text;
}

/* A read where it stays inside the grid, and another value elsewhere: no rule is needed. */
static term *guard(builder *b, term *read, const offset *o)
{
    const char *pattern = TEXT("(%s ? $ : $)", inside(b, o));
    term *t = builder_term(b, read->type, pattern);
    t->part[0] = read;
    t->part[1] = generate_literal(b, read->type);
    return t;
}

/* ---- at indices that no compiler knows ------------------------------------------------------- */

static bool may_read_anywhere(const builder *b, const symbol *s)
{
    return s->own && s->own->kind == IN && s->own->up == 0 && !b->plain && !b->kernel->once &&
           !b->program->shiftable;
}

/* A dimension that a field has. */
static int pick_dimension(builder *b, const symbol *s)
{
    int d = chance_from(b->chance, 0, b->program->rank - 1);
    for (int i = 0; i < 3 && s->own->along && !(s->own->along >> d & 1); i++)
        d = (d + 1) % b->program->rank;
    return d;
}

/* Reads `target`, a field with its component, at an index along one dimension; where that is beside
 * the point, only inside the grid. */
static term *read_anywhere(builder *b, const symbol *s, const char *target)
{
    int d = pick_dimension(b, s);
    offset o = {.zero = true};
    const char *text = TEXT("%s[", target), axis = "xyz"[d];
    bool own = chance_of(b->chance, 15), beside = chance_of(b->chance, 30);
    for (int k = 0; k < b->program->rank; k++) {
        const char *part = own ? TEXT("at(i%c)", axis) : TEXT("at(($ & 1023) %% n%c)", axis);
        bool lacks = s->own->along && !(s->own->along >> k & 1);
        if (k != d) {
            o.lo[k] = o.hi[k] = beside && !lacks ? small_offset(b->chance) : 0;
            o.zero = o.zero && !o.lo[k];
            part = TEXT("%d", o.lo[k]);
        }
        text = TEXT("%s%s%s", text, k ? "," : "", part);
    }
    b->checked = true;
    s->use->anywhere = true;
    term *read = builder_term(b, s->type, TEXT("%s]", text));
    if (!own) read->part[0] = generate_leaf(b, chance_of(b->chance, 50) ? INT : LONG);
    return o.zero ? read : guard(b, read, &o);
}

/* ---- by the remainder of an index -------------------------------------------------------------
 */

static const char *first_or_last(builder *b, char axis, int group, bool first)
{
    static const char *const odd[] = {"(i%c & 1)", "i%c %% 2 == 1", "i%c %% 2 != 0"};
    static const char *const even[] = {"(i%c & 1) == 0", "i%c %% 2 == 0", "!(i%c & 1)"};
    if (group > 2) return TEXT("i%c %% %d == %d", axis, group, first ? 0 : group - 1);
    return TEXT(first ? CHANCE_PICK(b->chance, even) : CHANCE_PICK(b->chance, odd), axis);
}

static term *read_beside(builder *b, const symbol *s, const char *target, int d, int by)
{
    const char *text = "";
    for (int k = 0; k < b->program->rank; k++)
        text = TEXT("%s%s%d", text, k ? "," : "", k == d ? by : 0);
    return builder_term(b, s->type, TEXT("%s[%s]", target, text));
}

/* Points in groups along a dimension: the first (or last) of each reads some point behind (before)
 * it in its group, the others read the one before (behind) them. Where all groups are whole, no
 * read is outside of the grid, and no rule is needed. */
static term *read_in_groups(builder *b, const symbol *s, const char *target, unsigned mask)
{
    int d = pick_dimension(b, s), group = chance_from(b->chance, 2, 4);
    bool first = chance_of(b->chance, 50);
    offset o = {0};
    o.lo[d] = first ? -1 : -chance_from(b->chance, 1, group - 1);
    o.hi[d] = first ? chance_from(b->chance, 1, group - 1) : 1;
    if (program_size(b->program, b->kernel->level, d) % group)
        note(s->use, &o, mask);
    else
        s->use->anywhere = b->checked = true;
    const char *condition = first_or_last(b, "xyz"[d], group, first);
    term *t = builder_term(b, s->type, TEXT("(%s ? $ : $)", condition));
    t->part[0] = read_beside(b, s, target, d, first ? o.hi[d] : o.lo[d]);
    t->part[1] = read_beside(b, s, target, d, first ? o.lo[d] : o.hi[d]);
    return t;
}

/* ---- any ------------------------------------------------------------------------------------- */

/* Which component of a field is read: at times one that no compiler knows, by the index *at. */
static const char *generate_component(builder *b, const symbol *s, unsigned *mask, term **at)
{
    if (!s->length) return NULL;
    if (!may_read_anywhere(b, s) || !chance_of(b->chance, 8))
        return generate_index(b, s->length, mask);
    *mask = (1u << s->length) - 1;
    *at = generate_leaf(b, INT);
    b->checked = true;
    return TEXT("($ & 255) %% %d", s->length);
}

/* Reads in other ways than at an offset; NULL: in none of them. */
static term *read_otherwise(builder *b, const symbol *s, const char *target, unsigned mask)
{
    if (b->kernel && b->kernel->order && chance_of(b->chance, 60)) {
        term *read = generate_level_read(b, s, target, mask);
        if (read) return read;
    }
    if (!may_read_anywhere(b, s)) return NULL;
    if (chance_of(b->chance, 6)) return read_anywhere(b, s, target);
    if (chance_of(b->chance, 6)) return read_in_groups(b, s, target, mask);
    return NULL;
}

term *generate_read(builder *b, bool integer)
{
    const symbol *s = pick_field(b, integer);
    unsigned mask = 1;
    term *at = NULL;
    if (!s) return NULL;
    const char *index = generate_component(b, s, &mask, &at);
    const char *text = index ? TEXT("%s[%s]", s->name, index) : s->name;
    term *other = at ? NULL : read_otherwise(b, s, text, mask);
    if (other) return other;
    if (!may_read(s, mask) || (b->plain && s->own && s->own->kind == OUT)) return NULL;
    bool shifts = may_shift(s, mask) && !(b->kernel && b->kernel->once);
    offset o = generate_offset(b, s, shifts && chance_of(b->chance, 65));
    bool guarded = !b->program->passes && s->own && s->own->up >= 0 && !o.zero &&
                   !b->program->shiftable && chance_of(b->chance, 12);
    if (guarded) s->use->shifted |= mask;
    if (!guarded) note(s->use, &o, mask);
    bool first = true;
    if (o.text)
        text = TEXT("%s[%s]", text, o.text);
    else if (s->own && s->own->up > 0 && s->own->kind == INOUT && !b->kernel->once)
        text = TEXT("%s%s", text, generate_child(b, s->own, &first));
    if (!first) s->use->shifted |= mask;
    term *read = builder_term(b, s->type, text);
    read->part[0] = at;
    return guarded ? guard(b, read, &o) : read;
}

/* ---- helpers --------------------------------------------------------------------------------- */

static bool is_still(const field_use *use)
{
    for (int d = 0; d < 3; d++)
        if (use->lo[d] || use->hi[d]) return false;
    return true;
}

/* Whether a field can be given for a helper's parameter. */
static bool fits(const builder *b, const symbol *s, const helper_param *p)
{
    bool type = s->kind == FIELD && s->type == p->type && s->own && !s->own->narrow;
    if (!type || (p->count && s->length != p->count)) return false;
    if (b->kernel->once) return false; /* it may read at an offset */
    for (int d = 0; d < 3; d++)
        if (s->own->along && !(s->own->along >> d & 1) && (p->use.lo[d] || p->use.hi[d]))
            return false;
    return s->own->kind == IN || (s->own->kind == INOUT && is_still(&p->use));
}

/* The field and its shift as an argument; the whole field, shifted or not, if all components are
 * wanted: on a line, one number behind it would be a component. */
static const char *give_field(builder *b, const symbol *s, const helper_param *p)
{
    pool *memory = &b->program->memory;
    unsigned mask = (1u << (s->length ? s->length : 1)) - 1;
    const char *text = s->name;
    if (!p->count && s->length)
        text = pool_text(memory, "%s[%s]", text, generate_index(b, s->length, &mask));
    bool may_shift = s->own->kind == IN && (!p->count || b->program->rank > 1);
    offset o = generate_offset(b, s, may_shift && chance_of(b->chance, 50));
    for (int d = 0; d < 3; d++) {
        o.lo[d] += p->use.lo[d];
        o.hi[d] += p->use.hi[d];
    }
    o.zero = o.zero && is_still(&p->use);
    note(s->use, &o, mask);
    return o.text ? pool_text(memory, "%s[%s]", text, o.text) : text;
}

static term *give(builder *b, const helper_param *p, int depth)
{
    if (!p->is_field) return generate_term(b, p->type, depth);
    for (int tries = 0; tries < 8; tries++) {
        const symbol *s = pick_field(b, !is_floating(p->type));
        if (s && fits(b, s, p)) return builder_term(b, p->type, give_field(b, s, p));
    }
    return NULL;
}

term *generate_call(builder *b, const helper *h, int depth)
{
    static const char *const lists[] = {"()", "($)", "($, $)", "($, $, $)", "($, $, $, $)"};
    const char *list = lists[h->param_count];
    term *t = builder_term(b, h->type, pool_text(&b->program->memory, "%s%s", h->name, list));
    for (int i = 0; i < h->param_count; i++) {
        t->part[i] = give(b, &h->params[i], depth);
        if (!t->part[i]) return NULL;
    }
    return t;
}
