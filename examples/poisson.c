/* -div(c grad u) = f in a cube, by conjugate gradients that one V-cycle of multigrid preconditions.
 *     poisson NX NY NZ WALLS [KX KY KZ]
 * Each letter of WALLS is a side, x low, x high, y low, ...: h holds the value 1, i is insulated.
 * The coefficient is exp(KX x + KY y + KZ z). The exact solution is known; the error is printed. */
#include <kata/kata.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 16, SWEEPS = 2, BOTTOM = 16 };

typedef struct level {
    kata_grid *grid;
    kata_field *u, *f, *c[3]; /* the unknown, its right-hand side, the coefficient at faces */
    double w[3];              /* cells along a side, squared */
} level;

typedef struct solver {
    kata_kernel *relax, *restrict_residual, *correct;
    level levels[LEVELS]; /* the finest first */
    int count;
} solver;

#define OPERATOR(l) (l)->c[0], (l)->c[1], (l)->c[2], (l)->w[0], (l)->w[1], (l)->w[2]

static void relax(const solver *s, const level *l, int sweeps, int first)
{
    for (int half = 0; half < 2 * sweeps; half++)
        kata_apply(s->relax, kata_color(kata_all(l->grid), 2, (half + first) % 2), l->u, l->f,
                   OPERATOR(l));
}

/* Sweeps run backwards after the correction: the cycle is symmetric, as conjugate gradients need.
 */
static void cycle(const solver *s, const level *l)
{
    const level *coarse = l + 1;
    const int sweeps = coarse == s->levels + s->count ? BOTTOM : SWEEPS;
    relax(s, l, sweeps, 0);
    if (sweeps == SWEEPS) {
        kata_apply(s->restrict_residual, kata_all(coarse->grid), l->u, l->f, coarse->f, coarse->u,
                   OPERATOR(l));
        cycle(s, coarse);
        kata_apply(s->correct, kata_all(l->grid), coarse->u, l->u);
    }
    relax(s, l, sweeps, 1);
}

/* Halves the grid while all sizes are even. */
static void make_levels(solver *s, kata *k, kata_module *m, int64_t n[3])
{
    static const char *const names[3] = {"cx", "cy", "cz"};
    for (bool even = true; even && s->count < LEVELS; s->count++) {
        level *l = &s->levels[s->count];
        l->grid = kata_grid_3d(k, n[0], n[1], n[2]);
        l->u = kata_field_new(l->grid, "u", KATA_F64, .boundary = KATA_CONSTANT);
        l->f = kata_field_new(l->grid, "f", KATA_F64);
        for (int d = 0; d < 3; d++) {
            l->c[d] = kata_field_new(l->grid, names[d], KATA_F64, .staggered = KATA_X << d);
            l->w[d] = (double)n[d] * (double)n[d];
            even = even && n[d] % 2 == 0;
            n[d] /= 2;
        }
    }
    s->relax = kata_kernel_find(m, "relax");
    s->restrict_residual = kata_kernel_find(m, "restrict_residual");
    s->correct = kata_kernel_find(m, "correct");
}

static void set_coefficient(const solver *s, kata_module *m, const char *walls, const double c[3])
{
    const level *l = s->levels;
    for (int d = 0; d < 3; d++) {
        kata_apply(kata_kernel_find(m, "set_faces"), kata_on(l->c[d]), l->c[d], d,
                   kata_table_of(KATA_F64, c, 3));
        for (int high = 0; high < 2; high++) {
            kata_range wall = kata_on(l->c[d]);
            if (high)
                wall.lo[d] = wall.hi[d] - 1;
            else
                wall.hi[d] = wall.lo[d] + 1;
            kata_apply(kata_kernel_find(m, "scale_faces"), wall, l->c[d],
                       walls[2 * d + high] == 'h' ? 2.0 : 0.0);
        }
        for (int i = 1; i < s->count; i++)
            kata_apply(kata_kernel_find(m, "restrict_faces"), kata_on(l[i].c[d]), l[i - 1].c[d],
                       l[i].c[d], d);
    }
}

/* Solves until no residual is above a share of the first. Returns the steps; -1 without success. */
static int64_t solve(const solver *s, kata *k, kata_module *m, kata_field *u, kata_field *f,
                     double share)
{
    const level *l = s->levels;
    const kata_range all = kata_all(l->grid);
    kata_field *r = l->f, *z = l->u, *p = kata_field_like(z, "p"),
               *q = kata_field_new(l->grid, "q", KATA_F64);
    kata_scalar *rz = kata_scalar_new(k, "rz", KATA_F64),
                *before = kata_scalar_new(k, "before", KATA_F64);
    kata_scalar *pq = kata_scalar_new(k, "pq", KATA_F64),
                *norm = kata_scalar_new(k, "norm", KATA_F64);
    double first;
    kata_apply(kata_kernel_find(m, "find_residual"), all, u, f, r, OPERATOR(l), norm);
    kata_scalar_get(norm, &first);
    kata_scalar_set(before, 1);
    kata_until until = kata_until_below(norm, share * first, .most = 200, .every = 2);
    while (kata_until_next(&until)) {
        kata_fill(z, all, 0);
        cycle(s, l);
        kata_apply(kata_kernel_find(m, "multiply"), all, r, z, rz);
        kata_apply(kata_kernel_find(m, "turn"), all, z, p, rz, before);
        kata_apply(kata_kernel_find(m, "apply_operator"), all, p, q, OPERATOR(l), pq);
        kata_apply(kata_kernel_find(m, "advance"), all, p, q, u, r, rz, pq, norm);
        kata_apply(kata_kernel_find(m, "keep"), kata_once(k), rz, before);
    }
    return until.reached ? until.steps : -1;
}

/* Complains about what cannot be solved. */
static bool good_problem(int count, char **words, int64_t n[3])
{
    if (count != 5 && count != 8) {
        fprintf(stderr, "usage: poisson NX NY NZ WALLS [KX KY KZ]\n");
        return false;
    }
    for (int d = 0; d < 3; d++) {
        n[d] = atoll(words[1 + d]);
        if (n[d] >= 2 && n[d] % 2 == 0) continue;
        fprintf(stderr, "poisson: %s cells cannot be halved: give an even number\n", words[1 + d]);
        return false;
    }
    if (strlen(words[4]) != 6 || strspn(words[4], "hi") != 6 || !strchr(words[4], 'h')) {
        fprintf(stderr,
                "poisson: '%s' are not six walls, h (held) or i (insulated), at least one held\n",
                words[4]);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    int64_t n[3];
    double c[3] = {1, -0.5, 0.25}, a[3], b[3], error = 0;
    solver s = {0};
    if (!good_problem(argc, argv, n)) return 2;
    for (int d = 0; d < 3; d++) {
        const bool low = argv[4][2 * d] == 'h', high = argv[4][2 * d + 1] == 'h';
        if (argc == 8) c[d] = atof(argv[5 + d]);
        a[d] = low == high ? 1 : 0.5;
        b[d] = low ? 0 : 0.5;
    }
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_load(k, "poisson.kata");
    make_levels(&s, k, m, n);
    set_coefficient(&s, m, argv[4], c);
    kata_field *u = kata_field_new(s.levels[0].grid, "solution", KATA_F64,
                                   .boundary = KATA_CONSTANT, .boundary_value = 1);
    kata_field *f = kata_field_new(s.levels[0].grid, "source", KATA_F64);
    kata_scalar *worst = kata_scalar_new(k, "worst", KATA_F64);
    const kata_range all = kata_all(s.levels[0].grid);
    kata_apply(kata_kernel_find(m, "set_source"), all, f, kata_table_of(KATA_F64, c, 3),
               kata_table_of(KATA_F64, a, 3), kata_table_of(KATA_F64, b, 3));
    const int64_t steps = solve(&s, k, m, u, f, 1e-10);
    kata_apply(kata_kernel_find(m, "find_error"), all, u, kata_table_of(KATA_F64, a, 3),
               kata_table_of(KATA_F64, b, 3), worst);
    kata_scalar_get(worst, &error);
    if (steps >= 0) printf("%lld steps, error %.3e\n", (long long)steps, error);
    if (steps < 0 && kata_ok(k))
        fprintf(stderr, "poisson: 200 steps have not been enough: make cells less flat\n");
    return kata_close(k) != KATA_OK || steps < 0;
}
