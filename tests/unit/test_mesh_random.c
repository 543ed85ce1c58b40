/* Random meshes and random kernels on them: each executor gives the bits of plain loops over the
 * same tables, which are written here and know nothing of the library; with the name of a device as
 * argument, this device does; with the word ranks, on meshes that ranks take parts of. */
/* Labels: hostile threads slow */
#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KINDS = 3, MOST = 40, WIDEST = 5, MOST_Z = 18, TERMS = 5, ROOM = 4096 };

static uint64_t state;

static int from(int low, int high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (int)((state >> 33) % (uint64_t)(high - low + 1));
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Tables as they come, with empty slots anywhere: of cells and vertices, edges and cells, and those
 * of a kind. Edges and vertices know nothing of each other, so that nothing has to go around a
 * cell. */
typedef struct mesh {
    int count[KINDS], width[KINDS][KINDS], nz;
    int near; /* neighbours lie so far, at most, from where they would if all were strewn alike */
    kata_order order;
    int32_t table[KINDS][KINDS][MOST * WIDEST];
} mesh;

enum { CELL, EDGE, VERTEX };

static bool for_ranks; /* neighbours are near, and levels many */

static bool is_in_row(const int32_t *row, int slots, int32_t x)
{
    bool in = false;
    for (int k = 0; k < slots; k++) in = in || row[k] == x;
    return in;
}

/* Elements of the other kind, each at most once; or of the same kind, as often as they come. */
static void draw_table(mesh *m, int a, int b, int empty)
{
    int width = m->width[a][b];
    for (int i = 0; i < m->count[a]; i++)
        for (int k = 0; k < width; k++) {
            const int place = i * m->count[b] / m->count[a];
            int32_t *row = &m->table[a][b][i * width],
                    x = from((int)larger(place - m->near, 0),
                             (int)smaller(place + m->near, m->count[b] - 1));
            bool none = from(1, 100) <= empty || (a != b && is_in_row(row, k, x));
            row[k] = none ? -1 : x;
        }
}

/* The way back, in descending order, so that it is not the one that would be derived. */
static bool turn_table(mesh *m, int a, int b)
{
    int width = m->width[b][a] = WIDEST;
    memset(m->table[b][a], -1, sizeof m->table[b][a]);
    for (int i = m->count[a] - 1; i >= 0; i--)
        for (int k = 0; k < m->width[a][b]; k++) {
            int32_t x = m->table[a][b][i * m->width[a][b] + k];
            int slot = 0;
            while (x >= 0 && slot < width && m->table[b][a][x * width + slot] >= 0) slot++;
            if (slot == width) return false;
            if (x >= 0) m->table[b][a][x * width + slot] = i;
        }
    return true;
}

static void draw_mesh(mesh *m)
{
    bool fits;
    do {
        memset(m, 0, sizeof *m);
        m->nz = for_ranks || !from(0, 2) ? from(8, MOST_Z) : from(0, 1) ? from(1, 10) : 1;
        m->order = (kata_order)from(KATA_ORDER_FOUND, KATA_ORDER_NEAR);
        m->near = for_ranks || from(0, 1) ? from(2, 4) : MOST;
        for (int a = 0; a < KINDS; a++) m->count[a] = from(for_ranks ? MOST / 2 : 8, MOST);
        m->width[EDGE][CELL] = 2;
        m->width[CELL][VERTEX] = from(1, 4);
        for (int a = 0; a < KINDS; a++) m->width[a][a] = from(1, WIDEST);
        draw_table(m, EDGE, CELL, 20);
        draw_table(m, CELL, VERTEX, 20);
        for (int a = 0; a < KINDS; a++) draw_table(m, a, a, a == EDGE ? 0 : 30);
        fits = turn_table(m, EDGE, CELL) && turn_table(m, CELL, VERTEX);
    } while (!fits);
}

static const int relations[][2] = {{CELL, CELL}, {CELL, VERTEX}, {CELL, EDGE},    {EDGE, EDGE},
                                   {EDGE, CELL}, {VERTEX, CELL}, {VERTEX, VERTEX}};

static kata_grid *make_mesh(kata *k, const mesh *m)
{
    kata_mesh_options o = {.size = sizeof o,
                           .cells = m->count[CELL],
                           .edges = m->count[EDGE],
                           .vertices = m->count[VERTEX],
                           .nz = m->nz,
                           .order = m->order};
    kata_neighbours *const to[] = {&o.cell_cells,     &o.cell_vertices, &o.cell_edges,
                                   &o.edge_edges,     &o.edge_cells,    &o.vertex_cells,
                                   &o.vertex_vertices};
    for (int i = 0; i < 7; i++) {
        int a = relations[i][0], b = relations[i][1];
        *to[i] = (kata_neighbours){m->table[a][b], m->width[a][b]};
    }
    return kata_grid_mesh_with(k, &o);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* A loop over neighbours, or one in another: s = s*0.75 + factor*value, where the value is that of
 * field `of` there, one level above or below where there is one; or an orientation times it, or a
 * weight of the pair times it. */
typedef struct term {
    int to, then; /* then: -1, or a loop over the neighbours of the neighbour */
    int level;
    enum { PLAIN, ORIENTED, WEIGHTED, NUMBERED } kind;
} term;

/* `made`: the kernel reads of this kind not the field, but what another kernel makes of it and of
 * its neighbours `from`: a temporary, which may be computed where it is read. */
typedef struct kernel {
    int on, count, made, from;
    bool below; /* that is made of the level below, too, by a rule at the lowest one */
    term terms[TERMS];
    char text[ROOM];
} kernel;

static const char *one(int l) { return ir_location_name(KATA_CELLS + l, false); }
static const char *many(int l) { return ir_location_name(KATA_CELLS + l, true); }

static int draw_relation(const mesh *m, int a)
{
    int b;
    do b = from(0, KINDS - 1);
    while (!m->width[a][b]);
    return b;
}

static void draw_term(const mesh *m, const kernel *k, term *t)
{
    *t = (term){.to = draw_relation(m, k->on), .then = -1};
    if (from(0, 2) == 0) t->then = draw_relation(m, t->to);
    t->level = from(-1, 1);
    t->kind = (int)from(PLAIN, NUMBERED);
    int a = t->then < 0 ? k->on : t->to, b = t->then < 0 ? t->to : t->then;
    if (t->kind == ORIENTED && (a == EDGE) == (b == EDGE)) t->kind = PLAIN;
    if (t->kind == WEIGHTED && t->then >= 0) t->kind = PLAIN;
}

static int add_value(char *out, size_t room, const term *t)
{
    int b = t->then < 0 ? t->to : t->then;
    const char *n = t->then < 0 ? "a" : "b";
    char value[200];
    snprintf(value, sizeof value,
             t->level > 0   ? "(iz + 1 < nz ? f%d[%s][0,0,1] : f%d[%s])"
             : t->level < 0 ? "(iz > 0 ? f%d[%s][0,0,-1] : f%d[%s])"
                            : "f%d[%s]",
             b, n, b, n);
    switch (t->kind) {
    case ORIENTED: return snprintf(out, room, "orientation(%s)*%s", n, value);
    case WEIGHTED: return snprintf(out, room, "w%d[a]*%s", t->to, value);
    case NUMBERED: return snprintf(out, room, "(k + 1)*%s", value);
    default: return snprintf(out, room, "%s", value);
    }
}

static void print_kernel(const mesh *m, kernel *k)
{
    size_t n = 0;
    char value[400];
#define ADD(...) n += (size_t)snprintf(k->text + n, ROOM - n, __VA_ARGS__)
    ADD("contract off;\n"
        "kernel make(in double a on %s, in double b on %s, out double t on %s) on %s\n"
        "{ double s = 0.5*a%s; for (n : %s) s = s*0.75 + b[n]; t = s; }\nkernel k(",
        one(k->made), one(k->from), one(k->made), one(k->made), k->below ? " + a[0,0,-1]" : "",
        many(k->from));
    for (int l = 0; l < KINDS; l++) ADD("in double f%d on %s, ", l, one(l));
    for (int l = 0; l < KINDS; l++)
        if (m->width[k->on][l]) ADD("in double w%d on %s : %s along xy, ", l, one(k->on), many(l));
    ADD("inout double r on %s, max double most) on %s\n{\n    double s = 0.5*r + 0.001*ix;\n",
        one(k->on), one(k->on));
    for (int i = 0; i < k->count; i++) {
        const term *t = &k->terms[i];
        add_value(value, sizeof value, t);
        bool inner = t->then >= 0;
        ADD("    for (%sa : %s)", inner ? "" : "int k, ", many(t->to));
        if (inner) ADD(" for (int k, b : %s[a])", many(t->then));
        ADD(" s = s*0.75 + 0.125*(%s) + 0.001*k;\n", value);
    }
    ADD("    r = s;\n    most = max(most, s);\n}\n");
#undef ADD
}

/* ---- plain loops ----------------------------------------------------------------------------- */

typedef struct data {
    double f[KINDS][MOST_Z * MOST], w[KINDS][WIDEST * MOST], r[MOST_Z * MOST], most;
} data;

static int sign_of(const mesh *m, int a, int b, int element, int slot)
{
    if (a == EDGE) return slot == 0 ? 1 : -1;
    int32_t edge = m->table[a][b][element * m->width[a][b] + slot];
    return m->table[EDGE][a][edge * m->width[EDGE][a]] == element ? 1 : -1;
}

static double value_at(const mesh *m, const data *d, const term *t, int on, int i, int z, int slot,
                       int inner)
{
    int32_t a = m->table[on][t->to][i * m->width[on][t->to] + slot], at = a;
    int kind = t->to, k = slot, of = on, element = i;
    if (t->then >= 0) {
        at = m->table[t->to][t->then][a * m->width[t->to][t->then] + inner];
        kind = t->then;
        k = inner;
        of = t->to;
        element = a;
    }
    int level = z + t->level < 0 || z + t->level >= m->nz ? z : z + t->level;
    double value = d->f[kind][level * m->count[kind] + at];
    if (t->kind == ORIENTED) return sign_of(m, of, kind, element, k) * value;
    if (t->kind == WEIGHTED) return d->w[t->to][slot * m->count[on] + i] * value;
    return t->kind == NUMBERED ? (k + 1) * value : value;
}

static void run_term(const mesh *m, const data *d, const term *t, int on, int i, int z, double *s)
{
    for (int slot = 0; slot < m->width[on][t->to]; slot++) {
        int32_t a = m->table[on][t->to][i * m->width[on][t->to] + slot];
        int rounds = t->then < 0 ? 1 : m->width[t->to][t->then];
        for (int inner = 0; inner < rounds && a >= 0; inner++) {
            if (t->then >= 0 && m->table[t->to][t->then][a * rounds + inner] < 0) continue;
            double value = value_at(m, d, t, on, i, z, slot, inner);
            int k = t->then < 0 ? slot : inner;
            double sum = *s * 0.75 + 0.125 * value;
            *s = sum + 0.001 * k;
        }
    }
}

static void make_plain(const mesh *m, const kernel *k, const data *d, double *made)
{
    const int a = k->made, b = k->from, width = m->width[a][b];
    for (int z = 0; z < m->nz; z++)
        for (int i = 0; i < m->count[a]; i++) {
            double s = 0.5 * d->f[a][z * m->count[a] + i];
            if (k->below) s += d->f[a][(z ? z - 1 : 0) * m->count[a] + i];
            for (int slot = 0; slot < width; slot++) {
                const int32_t n = m->table[a][b][i * width + slot];
                if (n >= 0) s = s * 0.75 + d->f[b][z * m->count[b] + n];
            }
            made[z * m->count[a] + i] = s;
        }
}

static void step_plain(const mesh *m, const kernel *k, data *d)
{
    static double made[MOST_Z * MOST];
    static data read;
    read = *d;
    make_plain(m, k, d, read.f[k->made]);
    d->most = -1e300;
    for (int z = 0; z < m->nz; z++)
        for (int i = 0; i < m->count[k->on]; i++) {
            double s = 0.5 * d->r[z * m->count[k->on] + i] + 0.001 * i;
            for (int t = 0; t < k->count; t++) run_term(m, &read, &k->terms[t], k->on, i, z, &s);
            made[z * m->count[k->on] + i] = s;
            if (s > d->most) d->most = s;
        }
    memcpy(d->r, made, sizeof made);
}

/* Two steps: the second one finds at neighbours what the first one has made. */
static void run_plain(const mesh *m, const kernel *k, data *d)
{
    step_plain(m, k, d);
    memcpy(d->f[k->on], d->r, sizeof(double) * (size_t)(m->count[k->on] * m->nz));
    step_plain(m, k, d);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void draw_data(data *d)
{
    double *values = (double *)d;
    for (size_t i = 0; i < sizeof *d / sizeof *values; i++)
        values[i] = (double)from(-1000, 1000) / 1001;
}

static void run(const mesh *m, const kernel *k, data *d, const kata_options *options)
{
    kata *context = kata_open(options);
    kata_grid *g = make_mesh(context, m);
    kata_module *module = kata_module_from_text(context, "k.kata", k->text);
    kata_kernel *made = kata_kernel_find(module, "k"), *make = kata_kernel_find(module, "make");
    kata_arg args[2 * KINDS + 2];
    kata_field *fields[KINDS];
    int n = 0;
    kata_scalar *most = kata_scalar_new(context, "most", KATA_F64);
    kata_field *r = kata_field_new(g, "r", KATA_F64, .on = KATA_CELLS + k->on);
    for (int l = 0; l < KINDS; l++) {
        kata_field *f = fields[l] =
            kata_field_new(g, "f", KATA_F64, .on = KATA_CELLS + l, .boundary = KATA_CLAMP);
        kata_put(f, kata_on(f), d->f[l], (int64_t)m->count[l] * m->nz);
        args[n++] = kata_arg_field(f, 0);
    }
    kata_field *t = kata_field_new(g, "t", KATA_F64, .on = KATA_CELLS + k->made, .temporary = true);
    args[k->made] = kata_arg_field(t, 0);
    for (int l = 0; l < KINDS; l++) {
        if (!m->width[k->on][l]) continue;
        kata_field *w = kata_field_new(g, "w", KATA_F64, .on = KATA_CELLS + k->on,
                                       .each = KATA_CELLS + l, .along = KATA_X | KATA_Y);
        kata_put(w, kata_on(w), d->w[l], (int64_t)m->count[k->on] * m->width[k->on][l]);
        args[n++] = kata_arg_field(w, 0);
    }
    kata_put(r, kata_on(r), d->r, (int64_t)m->count[k->on] * m->nz);
    args[n++] = kata_arg_field(r, 0);
    args[n++] = kata_arg_scalar(most, 0);
    kata_range all = kata_all(g);
    kata_apply(make, all, fields[k->made], fields[k->from], t);
    kata_apply_args(made, &all, n, args);
    kata_copy(fields[k->on], kata_on(r), r, kata_on(r));
    kata_apply(make, all, fields[k->made], fields[k->from], t);
    kata_apply_args(made, &all, n, args);
    kata_step(context); /* ends the values of `t` */
    kata_get(r, kata_on(r), d->r, (int64_t)m->count[k->on] * m->nz);
    kata_scalar_get(most, &d->most);
    assert_int_equal(kata_close(context), KATA_OK);
}

static const char *device; /* NULL: the processor */

static void check(uint64_t seed)
{
    static const kata_options ways[] = {
        {.threads = 2}, {.executor = "reference"}, {.executor = "plan"}};
    const size_t count = device ? 1 : sizeof ways / sizeof *ways;
    static mesh m;
    static kernel k;
    static data given, expected, got;
    state = seed;
    draw_mesh(&m);
    k = (kernel){.on = from(0, KINDS - 1), .count = from(1, TERMS), .made = from(0, KINDS - 1)};
    k.from = draw_relation(&m, k.made);
    k.below = from(0, 3) == 0;
    for (int i = 0; i < k.count; i++) draw_term(&m, &k, &k.terms[i]);
    if (from(0, 1)) { /* little is made several times */
        k.count = 1;
        k.terms[0] = (term){.to = k.terms[0].to, .then = -1, .kind = PLAIN};
        k.made = k.terms[0].to;
        k.from = draw_relation(&m, k.made);
    }
    print_kernel(&m, &k);
    draw_data(&given);
    expected = given;
    run_plain(&m, &k, &expected);
    size_t bytes = sizeof(double) * (size_t)(m.count[k.on] * m.nz);
    for (size_t i = 0; i < count; i++) {
        kata_options options = ways[i];
        options.no_warnings = true;
        if (device) options.device = device;
        got = given;
        run(&m, &k, &got, &options);
        if (!memcmp(got.r, expected.r, bytes) && got.most == expected.most) continue;
        print_message("seed %llu, way %d, %d levels, order %d\n%s", (unsigned long long)seed,
                      (int)i, m.nz, (int)m.order, k.text);
        fail();
    }
}

static void random_kernels_have_the_bits_of_plain_loops(void **unused)
{
    (void)unused;
    const char *full = getenv("KATA_TEST_FULL");
    uint64_t count = full && *full == '1' ? 5000 : 12;
    for (uint64_t seed = 1; seed <= count; seed++) check(seed);
}

int main(int argc, char **argv)
{
    for_ranks = argc > 1 && !strcmp(argv[1], "ranks");
    if (argc > 1 && !for_ranks) device = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_kernels_have_the_bits_of_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
