/* Smoothers, V-cycles and the F-cycle. All of a solution is one chain, but for the bottom. */
#include "hpgmg.h"

double hpgmg_value(kata_scalar *scalar)
{
    double value;
    kata_scalar_get(scalar, &value);
    return value;
}

void hpgmg_centre(const hpgmg *m, const hpgmg_level *l, kata_field *u)
{
    kata_apply(hpgmg_kernel(m, "add_up"), kata_all(l->grid), u, m->total);
    kata_apply(hpgmg_kernel(m, "centre"), kata_all(l->grid), u, m->total);
}

void hpgmg_restrict(const hpgmg *m, int fine, kata_field *from, kata_field *to)
{
    kata_apply(m->restriction, kata_all(m->levels[fine + 1].grid), from, to);
}

/* ---- smoothers
 * ----------------------------------------------------------------------------------- */

/* The arguments that all kernels with the operator end with. */
#define OPERATOR_OF(m, l) (l)->beta[0], (l)->beta[1], (l)->beta[2], (m)->a, (l)->scale

static void relax_red_black(const hpgmg *m, const hpgmg_level *l, kata_field *f)
{
    const int sweeps = m->c.operator== HPGMG_7PT ? 4 : 6;
    for (int s = 0; s < sweeps; s++) {
        if (m->c.operator== HPGMG_FV4) {
            kata_apply(m->relax, kata_all(l->grid), l->u, l->other, f, l->inverse,
                       OPERATOR_OF(m, l), s % 2);
            kata_swap(l->u, l->other);
        } else
            kata_apply(m->relax, kata_color(kata_all(l->grid), 2, s % 2), l->u, f, l->inverse,
                       OPERATOR_OF(m, l));
    }
}

static void relax_jacobi(const hpgmg *m, const hpgmg_level *l, kata_field *f)
{
    for (int s = 0; s < 6; s++) {
        kata_apply(m->relax, kata_all(l->grid), l->u, l->other, f, l->inverse, OPERATOR_OF(m, l),
                   2.0 / 3);
        kata_swap(l->u, l->other);
    }
}

/* The polynomial that is smallest on the upper seven eighths of the spectrum (Saad, Iterative
 * Methods for Sparse Linear Systems, 2nd ed., algorithm 12.1). */
static void relax_chebyshev(const hpgmg *m, const hpgmg_level *l, kata_field *f)
{
    const int degree = m->c.operator== HPGMG_7PT ? 4 : 6;
    const double middle = 0.5 * (l->bound + 0.125 * l->bound);
    const double half = 0.5 * (l->bound - 0.125 * l->bound), sigma = middle / half;
    double rho = 1 / sigma, c1 = 0, c2 = 1 / middle;
    for (int s = 0; s < degree; s++) {
        kata_apply(m->relax, kata_all(l->grid), l->u, l->other, f, l->inverse, OPERATOR_OF(m, l),
                   c1, c2);
        kata_swap(l->u, l->other);
        const double next = 1 / (2 * sigma - rho);
        c1 = next * rho;
        c2 = 2 * next / half;
        rho = next;
    }
}

static void smooth(const hpgmg *m, const hpgmg_level *l, kata_field *f)
{
    if (m->c.smoother == HPGMG_GSRB) relax_red_black(m, l, f);
    if (m->c.smoother == HPGMG_CHEBY) relax_chebyshev(m, l, f);
    if (m->c.smoother == HPGMG_JACOBI) relax_jacobi(m, l, f);
}

/* ---- cycles
 * -------------------------------------------------------------------------------------- */

/* Improves u of a level, which solves for f. */
static void v_cycle(const hpgmg *m, int level, kata_field *f)
{
    const hpgmg_level *l = &m->levels[level], *coarse = l + 1;
    if (level == m->count - 1) {
        hpgmg_bottom_solve(m, f);
        return;
    }
    smooth(m, l, f);
    kata_apply(m->find_residual, kata_all(l->grid), l->u, f, l->other, OPERATOR_OF(m, l));
    hpgmg_restrict(m, level, l->other, coarse->r);
    kata_fill(coarse->u, kata_all(coarse->grid), 0);
    v_cycle(m, level + 1, coarse->r);
    if (coarse->correction != coarse->u) kata_swap(coarse->u, coarse->correction);
    kata_apply(m->correct, kata_all(coarse->grid), coarse->correction, l->u);
    if (coarse->correction != coarse->u) kata_swap(coarse->u, coarse->correction);
    smooth(m, l, f);
}

/* The right-hand side on a level of a cycle that began on another. */
static kata_field *right_side(const hpgmg *m, int level, int top)
{
    return level == top ? m->levels[level].f : m->levels[level].r;
}

static void f_cycle(const hpgmg *m, int top)
{
    const int bottom = m->count - 1;
    for (int i = top; i < bottom; i++)
        hpgmg_restrict(m, i, right_side(m, i, top), m->levels[i + 1].r);
    kata_fill(m->levels[bottom].u, kata_all(m->levels[bottom].grid), 0);
    hpgmg_bottom_solve(m, right_side(m, bottom, top));
    for (int i = bottom - 1; i >= top; i--) {
        kata_apply(m->prolong, kata_all(m->levels[i + 1].grid), m->levels[i + 1].u, m->levels[i].u);
        v_cycle(m, i, right_side(m, i, top));
    }
}

static void measure(const hpgmg *m, const hpgmg_level *l)
{
    if (m->centred) hpgmg_centre(m, l, l->u);
    kata_apply(m->measure_residual, kata_all(l->grid), l->u, l->f, OPERATOR_OF(m, l), m->norm);
}

int hpgmg_solve(hpgmg *m, int level, hpgmg_residual residuals[HPGMG_MOST_CYCLES])
{
    const double enough = 1e-10;
    const hpgmg_level *l = &m->levels[level];
    const int most = m->c.v_cycles ? HPGMG_MOST_CYCLES : 1;
    kata_apply(hpgmg_kernel(m, "measure"), kata_all(l->grid), l->f, m->norm_of_f);
    if (m->c.v_cycles) kata_fill(l->u, kata_all(l->grid), 0);
    for (int i = 0; i < most && kata_ok(m->k); i++) {
        if (m->c.v_cycles)
            v_cycle(m, level, l->f);
        else
            f_cycle(m, level);
        measure(m, l);
        const double norm = hpgmg_value(m->norm), relative = norm / hpgmg_value(m->norm_of_f);
        residuals[i] = (hpgmg_residual){norm, relative};
        if (i + 1 == most || relative < enough) return i + 1;
    }
    return 0;
}
