/* A pass: the rows of a line are found from few of them by strides.
 *
 * A star of radius 8 reads 33 rows, and a processor has some 15 registers for their addresses: the
 * others would be read from memory at each vector, beside what lies in the rows. Processors add a
 * register and a multiple of another one as they load. So one row in eight of those that follow one
 * another along y or z has a register, its base, and so have the distance of rows and its odd
 * multiples:
 *
 *     base + 1, 2, 4, 8 * stride, base + 1, 2 * (3 * stride), base + 5 * stride, base + 7 * stride
 *
 * Bases are moved to each vector, and hidden there: compilers would otherwise compute the addresses
 * of all rows in front of the row's first vector, and keep them in memory. */
#include "codegen/strides.h"

enum {
    APART = HOSTILE(8, 3),  /* rows from a base to the next */
    FEWEST = HOSTILE(4, 2), /* of a line with strides */
    REGISTERS =
        HOSTILE(12, 1), /* for addresses of rows: kernels that read more of them have strides */
    FARTHEST = 32,      /* a row of a line from the point */
    MOST_ROWS = 128
};

typedef struct row {
    const ir_access *read; /* one that reads it */
    int32_t at[3];
} row;

/* Those that are read, also for the second of a pair. */
typedef struct rows {
    row of[MOST_ROWS];
    int count;
    bool all;
} rows;

/* How a row is found: so many strides along dimension d behind a base. */
typedef struct place {
    int d, times;
    row base;
} place;

/* ---- which rows ------------------------------------------------------------------------------ */

static bool is_of(const row *a, const row *b)
{
    return a->read->param == b->read->param && a->read->component == b->read->component;
}

static bool is_same(const row *a, const row *b)
{
    return is_of(a, b) && a->at[1] == b->at[1] && a->at[2] == b->at[2];
}

static void add_row(rows *r, const row *new)
{
    for (int i = 0; i < r->count; i++)
        if (is_same(&r->of[i], new)) return;
    if (r->count < MOST_ROWS)
        r->of[r->count++] = *new;
    else
        r->all = false;
}

static row row_of(const codegen_writer *w, const ir_access *a)
{
    return (row){a, {0, a->offset[1] + codegen_second_y(w), a->offset[2] + codegen_second_z(w)}};
}

static rows find_rows(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    codegen_writer of = *w;
    rows found = {.all = true};
    for (of.second = 0; of.second < codegen_together(w); of.second++)
        for (int i = 0; i < kernel->access_count; i++) {
            row new = row_of(&of, &kernel->accesses[i]);
            if (codegen_needs_row(w, i) && codegen_is_regular(kernel, new.read->param))
                add_row(&found, &new);
        }
    return found;
}

/* The rows of the line through a row along dimension d, as bits: that at -FARTHEST first. */
static uint64_t line_of(const rows *all, const row *through, int d)
{
    uint64_t line = 0;
    for (int i = 0; i < all->count; i++) {
        const row *r = &all->of[i];
        int64_t bit = (int64_t)r->at[d] + FARTHEST;
        if (is_of(r, through) && r->at[3 - d] == through->at[3 - d] && bit >= 0 && bit < 64)
            line |= UINT64_C(1) << bit;
    }
    return line;
}

/* Whether a row has a place in a line with strides. */
static bool find_place(const rows *all, const row *r, place *found)
{
    for (int d = 1; d < 3; d++) {
        uint64_t line = line_of(all, r, d);
        if (__builtin_popcountll(line) < FEWEST || r->at[d] < -FARTHEST || r->at[d] >= FARTHEST)
            continue;
        int32_t lowest = __builtin_ctzll(line) - FARTHEST;
        int32_t highest = FARTHEST - 1 - __builtin_clzll(line), far = r->at[d] - lowest;
        int32_t before = far / APART - (far && far % APART == 0 && r->at[d] == highest);
        *found = (place){d, far - before * APART, *r};
        found->base.at[d] = lowest + before * APART;
        return true;
    }
    return false;
}

bool codegen_use_strides(codegen_writer *w)
{
    bool may = w->line && !w->loop->colored && !w->loop->wraps[1] && !w->loop->wraps[2] &&
               !(w->reuse && w->reuse->count);
    codegen_writer widest = *w;
    widest.paired = w->pair;
    rows all = find_rows(&widest);
    w->strides = may && all.all && all.count > REGISTERS;
    return true;
}

bool codegen_is_strided(const codegen_writer *w, const ir_access *a)
{
    const rows all = find_rows(w);
    const row r = row_of(w, a);
    place at;
    return w->strides && find_place(&all, &r, &at);
}

bool codegen_has_strides(const codegen_writer *w, int param)
{
    const ir_kernel *kernel = w->loop->kernel;
    bool has = false;
    for (int i = 0; i < kernel->access_count && w->strides && !has; i++)
        has = kernel->accesses[i].param == param && codegen_is_strided(w, &kernel->accesses[i]);
    return has;
}

/* ---- what is written ------------------------------------------------------------------------- */

static codegen_label name_of(const codegen_writer *w, const row *r)
{
    return codegen_row_name(w->loop->kernel, r->read->param, r->read->component, r->at);
}

/* "p0_u_y3": three times the bytes from a row to the next one along y. */
static codegen_label stride_of(const codegen_writer *w, const row *r, int d, int odd)
{
    return codegen_format(
        "%s_%c%d", codegen_component_name(w->loop->kernel, r->read->param, r->read->component).is,
        "xyz"[d], odd);
}

/* The odd multiple of the distance of rows that a place needs, as a bit; 0: none. */
static unsigned odd_of(const place *at)
{
    return at->times ? 1u << (at->times >> __builtin_ctz((unsigned)at->times)) : 0;
}

/* Those that rows of a component need along a dimension, alone and in pairs. */
static unsigned odds_of(const codegen_writer *w, const row *of, int d)
{
    codegen_writer part = *w;
    unsigned odds = 0;
    place at;
    for (int pair = 0; pair < (w->pair ? 2 : 1); pair++) {
        part.paired = pair ? w->pair : 0;
        const rows all = find_rows(&part);
        for (int i = 0; i < all.count; i++)
            if (is_of(&all.of[i], of) && find_place(&all, &all.of[i], &at) && at.d == d)
                odds |= odd_of(&at);
    }
    return odds;
}

static void add_strides(const codegen_writer *w, nest *in, const row *of, int d)
{
    const unsigned odds = odds_of(w, of, d);
    const int view = codegen_view_index(w->loop->kernel, of->read->param) + of->read->component;
    for (int odd = 1; odd <= APART; odd += 2) {
        if (!(odds >> odd & 1)) continue;
        codegen_label name = stride_of(w, of, d, odd);
        nest_statement(in, "int64_t %s = %d * (int64_t)sizeof(%s) * view[%d].%c", name.is, odd,
                       codegen_field_type(w, of->read->param).is, view, "xyz"[d]);
        nest_statement(in, "KATA_HIDDEN(%s)", name.is);
    }
}

void codegen_strides(const codegen_writer *w, nest *in)
{
    const rows all = find_rows(w);
    for (int i = 0; i < all.count && w->strides; i++)
        for (int d = 1; d < 3; d++)
            if (!(i > 0 && is_of(&all.of[i], &all.of[i - 1]))) add_strides(w, in, &all.of[i], d);
}

/* Whether a row is the first of those before `count` that is found from its base. */
static bool brings_base(const rows *all, int count, place *at)
{
    place other;
    if (!find_place(all, &all->of[count], at)) return false;
    for (int i = 0; i < count; i++)
        if (find_place(all, &all->of[i], &other) && is_same(&other.base, &at->base)) return false;
    return true;
}

void codegen_stride_bases(const codegen_writer *w, nest *in)
{
    const rows all = find_rows(w);
    place at;
    for (int i = 0; i < all.count && w->strides; i++) {
        if (!brings_base(&all, i, &at)) continue;
        const ir_access *a = at.base.read;
        const char *type = codegen_field_type(w, a->param).is;
        int view = codegen_view_index(w->loop->kernel, a->param) + a->component;
        nest_statement(in, "const %s *%s_base = %s + (%d) * view[%d].y + (%d) * view[%d].z", type,
                       name_of(w, &at.base).is,
                       codegen_component_name(w->loop->kernel, a->param, a->component).is,
                       (int)at.base.at[1], view, (int)at.base.at[2], view);
        nest_statement(in, "KATA_HIDDEN(%s_base)", name_of(w, &at.base).is);
    }
}

static void add_strided(const codegen_writer *w, nest *in, const row *r, const place *at)
{
    const char *type = codegen_field_type(w, r->read->param).is;
    text *line = &nest_format(in, NEST_STATEMENT, "const %s *const %s = (const %s *)(%s_here", type,
                              name_of(w, r).is, type, name_of(w, &at->base).is)
                      ->head;
    if (at->times) {
        int even = __builtin_ctz((unsigned)at->times);
        text_add(line, " + %d * %s", 1 << even, stride_of(w, r, at->d, at->times >> even).is);
    }
    text_add(line, ") - at");
}

void codegen_strided_rows(const codegen_writer *w, nest *in)
{
    const rows all = find_rows(w);
    place at;
    for (int i = 0; i < all.count && w->strides; i++) {
        if (!brings_base(&all, i, &at)) continue;
        codegen_label base = name_of(w, &at.base);
        nest_statement(in, "const char *%s_here = (const char *)(%s_base + at)", base.is, base.is);
        nest_statement(in, "KATA_HIDDEN(%s_here)", base.is);
    }
    for (int i = 0; i < all.count && w->strides; i++)
        if (find_place(&all, &all.of[i], &at)) add_strided(w, in, &all.of[i], &at);
}
