/* BiCGStab, preconditioned by the diagonal from the right (Saad, algorithm 7.7). Where the coarsest
 * grid has one or two cells along a side, a kernel does all of it, with the operator as a matrix.
 * Otherwise each step waits for its products. */
#include "bottom_kata.h"
#include "hpgmg.h"

#include <math.h>
#include <stdio.h>

/* ---- in one kernel
 * ------------------------------------------------------------------------------- */

/* Column after column, the operator applied to one cell. */
static void find_matrix(hpgmg *m, int64_t cells)
{
    const hpgmg_level *l = &m->levels[m->count - 1];
    kata_field *u = m->vectors[0], *v = m->vectors[1];
    for (int64_t j = 0; j < cells; j++) {
        double values[HPGMG_BOTTOM_CELLS] = {0};
        values[j] = 1;
        kata_put(u, kata_all(l->grid), values, cells);
        kata_apply(hpgmg_kernel(m, "apply_operator"), kata_all(l->grid), u, v, u, l->beta[0],
                   l->beta[1], l->beta[2], m->a, l->scale, m->products[0], m->products[1]);
        kata_get(v, kata_all(l->grid), values, cells);
        for (int64_t i = 0; i < cells; i++) m->matrix[cells * i + j] = values[i];
    }
}

void hpgmg_bottom_make(hpgmg *m)
{
    const int64_t n = m->levels[m->count - 1].n;
    char constants[32];
    if (n > 2) return;
    m->matrix_size = n * n * n * n * n * n;
    find_matrix(m, n * n * n);
    snprintf(constants, sizeof constants, "BOTTOM=%d", (int)n);
    kata_module *module =
        kata_module_from_text(m->k, "bottom.kata", bottom_kata, .constants = constants);
    m->solve_bottom = kata_kernel_find(module, "solve_bottom");
    m->one = kata_grid_3d(m->k, 1, 1, 1);
}

/* ---- step by step
 * -------------------------------------------------------------------------------- */

typedef struct bottom {
    const hpgmg *m;
    const hpgmg_level *l;
    kata_range all;
    kata_field *r0, *r, *p, *q, *s, *t, *operated_q, *operated_t;
    double enough; /* a residual that needs no more steps */
    double r_r0;   /* product of r and r0 */
} bottom;

static void centre(const bottom *b, kata_field *u)
{
    if (b->m->centred) hpgmg_centre(b->m, b->l, u);
}

/* The largest value of a vector. Its product with r0 is the first product from here on. */
static double norm(const bottom *b, kata_field *u)
{
    kata_apply(hpgmg_kernel(b->m, "measure_product"), b->all, u, b->r0, b->m->norm,
               b->m->products[0]);
    return hpgmg_value(b->m->norm);
}

/* Sets `scaled` to D^-1 u and `operated` to A of that; the products of that with w and itself. */
static void operate(const bottom *b, kata_field *u, kata_field *scaled, kata_field *operated,
                    kata_field *w)
{
    const hpgmg_level *l = b->l;
    kata_apply(hpgmg_kernel(b->m, "multiply"), b->all, u, l->inverse, scaled);
    kata_apply(hpgmg_kernel(b->m, "apply_operator"), b->all, scaled, operated, w, l->beta[0],
               l->beta[1], l->beta[2], b->m->a, l->scale, b->m->products[0], b->m->products[1]);
}

/* w = u - factor v */
static void subtract(const bottom *b, kata_field *u, kata_field *v, double factor, kata_field *w)
{
    kata_apply(hpgmg_kernel(b->m, "add_multiple"), b->all, u, v, w, -factor);
    centre(b, w);
}

static void advance(const bottom *b, kata_field *direction, double factor)
{
    kata_apply(hpgmg_kernel(b->m, "step_along"), b->all, b->l->u, direction, factor);
}

/* False where the residual is small enough. */
static bool begin(bottom *b, kata_field *f)
{
    const hpgmg_level *l = b->l;
    kata_apply(b->m->find_residual, b->all, l->u, f, b->r0, l->beta[0], l->beta[1], l->beta[2],
               b->m->a, l->scale);
    centre(b, b->r0);
    kata_copy(b->r, b->all, b->r0, b->all);
    kata_copy(b->p, b->all, b->r0, b->all);
    const double first = norm(b, b->r);
    b->r_r0 = hpgmg_value(b->m->products[0]);
    b->enough = 1e-3 * first;
    return b->r_r0 != 0 && first != 0;
}

static bool small(const bottom *b, double residual)
{
    return residual == 0 || residual < b->enough;
}

/* False when it is done, or cannot go on. */
static bool step(bottom *b)
{
    operate(b, b->p, b->q, b->operated_q, b->r0);
    const double along_q = hpgmg_value(b->m->products[0]), alpha = b->r_r0 / along_q;
    if (along_q == 0 || isinf(alpha)) return false;
    advance(b, b->q, alpha);
    subtract(b, b->r, b->operated_q, alpha, b->s);
    if (small(b, norm(b, b->s))) return false;
    operate(b, b->s, b->t, b->operated_t, b->s);
    const double square = hpgmg_value(b->m->products[1]);
    const double omega = hpgmg_value(b->m->products[0]) / square;
    if (square == 0 || omega == 0 || isinf(omega)) return false;
    advance(b, b->t, omega);
    subtract(b, b->s, b->operated_t, omega, b->r);
    if (small(b, norm(b, b->r))) return false;
    const double r_r0 = hpgmg_value(b->m->products[0]), beta = r_r0 / b->r_r0 * (alpha / omega);
    if (r_r0 == 0 || isinf(beta)) return false;
    kata_apply(hpgmg_kernel(b->m, "turn"), b->all, b->p, b->r, b->operated_q, omega, beta);
    b->r_r0 = r_r0;
    return true;
}

void hpgmg_bottom_solve(const hpgmg *m, kata_field *f)
{
    enum { MOST = 200 };
    const hpgmg_level *l = &m->levels[m->count - 1];
    if (m->solve_bottom) {
        kata_apply(m->solve_bottom, kata_all(m->one), f, l->inverse, l->u,
                   kata_table_of(KATA_F64, m->matrix, m->matrix_size), m->centred);
        return;
    }
    kata_field *const *v = m->vectors;
    bottom b = {.m = m,
                .l = l,
                .all = kata_all(l->grid),
                .r0 = v[0],
                .r = v[1],
                .p = v[2],
                .q = v[3],
                .s = v[4],
                .t = v[5],
                .operated_q = v[6],
                .operated_t = v[7]};
    bool more = begin(&b, f);
    for (int i = 0; i < MOST && more && kata_ok(m->k); i++) more = step(&b);
}
