/* The problem on the finest level, and what follows from it on the others. */
#include "hpgmg.h"

static void set_finest(const hpgmg *m)
{
    const hpgmg_level *l = m->levels;
    const double h = 1 / (double)l->n;
    const bool shell = m->c.operator== HPGMG_7PT;
    for (int d = 0; d < 3; d++)
        if (m->c.constant)
            kata_fill(l->beta[d], kata_on(l->beta[d]), 1);
        else
            kata_apply(hpgmg_kernel(m, shell ? "set_shell" : "set_coefficient"),
                       kata_on(l->beta[d]), l->beta[d], d, h);
    if (shell)
        kata_apply(hpgmg_kernel(m, "set_shell_source"), kata_all(l->grid), l->f, h, m->a,
                   m->c.periodic ? 1.0 / 21 : 0.0);
    else
        kata_apply(hpgmg_kernel(m, "set_source"), kata_all(l->grid), l->f, h);
    if (m->c.periodic) hpgmg_centre(m, l, l->f);
}

static void restrict_coefficients(const hpgmg *m, int fine)
{
    static const char *const names[3] = {"restrict_x", "restrict_y", "restrict_z"};
    const hpgmg_level *l = &m->levels[fine], *coarse = l + 1;
    for (int d = 0; d < 3; d++)
        kata_apply(hpgmg_kernel(m, names[d]), kata_on(coarse->beta[d]), l->beta[d],
                   coarse->beta[d]);
}

/* ---- the diagonal
 * -------------------------------------------------------------------------------- */

/* Marked cells are so far apart that none is reached from another, through values beyond walls
 * neither. Where the period is no multiple of it, the original lets them reach each other all the
 * same, except for 7pt. */
static int64_t colours_of(const hpgmg *m, const hpgmg_level *l)
{
    const int64_t most = m->c.operator== HPGMG_FV4 ? 4 : 2;
    if (l->n < most || (m->c.operator== HPGMG_7PT && l->n % 2)) return l->n;
    return most;
}

static void gather(const hpgmg *m, const hpgmg_level *l, kata_field *others)
{
    kata_kernel *mark = hpgmg_kernel(m, "mark"), *add = hpgmg_kernel(m, "gather");
    const int64_t colours = colours_of(m, l);
    for (int64_t k = 0; k < colours; k++)
        for (int64_t j = 0; j < colours; j++)
            for (int64_t i = 0; i < colours; i++) {
                kata_apply(mark, kata_all(l->grid), l->other, colours, i, j, k);
                kata_apply(add, kata_all(l->grid), l->other, l->inverse, others, l->beta[0],
                           l->beta[1], l->beta[2], m->a, l->scale);
            }
}

/* The operator, applied to one cell after the other, tells its diagonal. */
static void find_diagonal(const hpgmg *m, hpgmg_level *l)
{
    kata_field *others = l->r;
    kata_fill(l->inverse, kata_all(l->grid), 0);
    kata_fill(others, kata_all(l->grid), 0);
    gather(m, l, others);
    kata_apply(hpgmg_kernel(m, "invert"), kata_all(l->grid), l->inverse, others, m->norm);
    l->bound = hpgmg_value(m->norm);
}

void hpgmg_problem_set(hpgmg *m)
{
    set_finest(m);
    for (int i = 0; i < m->count; i++) {
        if (i) restrict_coefficients(m, i - 1);
        find_diagonal(m, &m->levels[i]);
    }
    for (int i = 0; i + 1 < m->count && i < 2; i++)
        hpgmg_restrict(m, i, m->levels[i].f, m->levels[i + 1].f);
}
