/* The levels of the hierarchy. A box is what the original gives to a process; here it decides only
 * how many levels there are and to which order values beyond walls are found: polynomials of fewer
 * cells in boxes that are too small for more (as in the original's MGBuild). */
#include "hpgmg.h"
#include "hpgmg_kata.h"

#include <stdio.h>

/* ---- sizes
 * --------------------------------------------------------------------------------------- */

static int64_t reach(const hpgmg_case *c) { return c->operator== HPGMG_FV4 ? 2 : 1; }

/* The size of the grid that cannot be halved any more. */
static int64_t coarsest_size(const hpgmg_case *c)
{
    const int64_t least = c->periodic ? 2 : 1;
    int64_t n = c->box * c->boxes;
    while (n % 2 == 0 && n >= 2 * least) n /= 2;
    return n;
}

/* Cells along a box of the next level; 0 where there is none. */
static int64_t next_box(const hpgmg_case *c, const hpgmg_level *l)
{
    enum { BEGIN_TO_JOIN = 8 };
    const int64_t half = l->box / 2, boxes = l->n / l->box, coarsest = coarsest_size(c);
    if (l->n % 2 || l->n / 2 < (c->periodic ? 2 : 1)) return 0;
    if (l->box % 2 == 0 && l->box > BEGIN_TO_JOIN && half >= reach(c)) return half;
    if (boxes % 2 == 0 && l->box >= reach(c)) return l->box;
    if (coarsest != 1 && l->n == 2 * coarsest && l->n / 2 >= reach(c)) return l->n / 2;
    return l->box % 2 == 0 && half >= reach(c) ? half : 0;
}

void hpgmg_levels_plan(hpgmg *m, const hpgmg_case *c)
{
    *m = (hpgmg){.c = *c, .a = c->helmholtz ? 1 : 0, .centred = c->periodic && !c->helmholtz};
    int64_t n = c->box * c->boxes, box = c->box;
    while (box && m->count < HPGMG_LEVELS) {
        hpgmg_level *l = &m->levels[m->count++];
        *l = (hpgmg_level){.n = n, .box = box, .scale = (double)n * (double)n};
        box = next_box(c, l);
        n /= 2;
    }
}

/* ---- values beyond walls
 * ------------------------------------------------------------------------- */

typedef struct wall {
    int depth, count;
    const double *weights; /* as kata_boundary_linear takes them */
} wall;

/* The polynomials through 0 at the wall whose means over cells are those of the cells inside. */
static const double weights_1[] = {-1, 0}, weights_2[] = {-2.5, 0.5, 0, 0, 0, 0},
                    weights_4[] = {-77.0 / 12,  43.0 / 12,  -17.0 / 12,  3.0 / 12,  0,
                                   -505.0 / 12, 335.0 / 12, -145.0 / 12, 27.0 / 12, 0};
/* Of the coefficient along a wall: the polynomials of as many cells. */
static const double along_2[] = {2, -1, 0}, along_4[] = {4, -6, 4, -1, 0},
                    along_5[] = {5, -10, 10, -5, 1, 0};

static wall wall_of_solution(const hpgmg_level *l, int order)
{
    if (order == 4 && l->box >= 4) return (wall){2, 4, weights_4};
    if (order >= 2 && l->box >= 2) return (wall){order == 4 ? 2 : 1, 2, weights_2};
    return (wall){1, 1, weights_1};
}

static wall wall_of_coefficient(const hpgmg_level *l)
{
    if (l->box >= 5) return (wall){1, 5, along_5};
    if (l->box >= 4) return (wall){1, 4, along_4};
    return (wall){1, 2, along_2};
}

/* Sets both sides of the dimensions but one; -1: of all. */
static void set_walls(const hpgmg *m, kata_field *field, wall w, int without)
{
    for (int side = KATA_X_LOW; side <= KATA_Z_HIGH; side++) {
        if (m->c.periodic)
            kata_boundary_set(field, (kata_side)side, KATA_PERIODIC, 0);
        else if (side / 2 != without)
            kata_boundary_linear(field, (kata_side)side, w.depth, w.count, w.weights);
    }
}

/* ---- fields
 * -------------------------------------------------------------------------------------- */

static kata_field *new_solution(const hpgmg *m, const hpgmg_level *l, const char *name, int order)
{
    kata_field *u = kata_field_new(l->grid, name, KATA_F64);
    set_walls(m, u, wall_of_solution(l, order), -1);
    return u;
}

static void make_coefficients(const hpgmg *m, hpgmg_level *l)
{
    static const char *const names[3] = {"beta_x", "beta_y", "beta_z"};
    for (int d = 0; d < 3; d++) {
        l->beta[d] = kata_field_new(l->grid, names[d], KATA_F64, .staggered = KATA_X << d);
        if (m->c.periodic || m->c.operator== HPGMG_FV4)
            set_walls(m, l->beta[d], wall_of_coefficient(l), d);
    }
}

static void make_level(hpgmg *m, hpgmg_level *l)
{
    static const int orders[] = {[HPGMG_FV4] = 4, [HPGMG_FV2] = 2, [HPGMG_7PT] = 1};
    const int order = orders[m->c.operator];
    l->grid = kata_grid_3d(m->k, l->n, l->n, l->n);
    l->u = new_solution(m, l, "u", order);
    l->other = new_solution(m, l, "u_next", order);
    l->correction = order == 4 ? new_solution(m, l, "correction", 2) : l->u;
    l->r = kata_field_new(l->grid, "r", KATA_F64);
    l->f = kata_field_new(l->grid, "f", KATA_F64);
    l->inverse = kata_field_new(l->grid, "inverse", KATA_F64);
    make_coefficients(m, l);
}

/* ---- kernels
 * ------------------------------------------------------------------------------------- */

kata_kernel *hpgmg_kernel(const hpgmg *m, const char *name)
{
    return kata_kernel_find(m->module, name);
}

static const char *relaxation(const hpgmg *m)
{
    if (m->c.smoother == HPGMG_JACOBI) return "relax_jacobi";
    if (m->c.smoother == HPGMG_CHEBY) return "relax_chebyshev";
    return m->c.operator== HPGMG_FV4 ? "relax_beside" : "relax";
}

static void find_kernels(hpgmg *m)
{
    static const char *const prolongations[] = {[HPGMG_FV4] = "prolong_quartic",
                                                [HPGMG_FV2] = "prolong_quadratic",
                                                [HPGMG_7PT] = "prolong_linear"};
    char constants[64];
    snprintf(constants, sizeof constants, "ORDER=%d, VARIABLE=%d",
             m->c.operator== HPGMG_FV4 ? 4 : 2, m->c.constant ? 0 : 1);
    m->module = kata_module_from_text(m->k, "hpgmg.kata", hpgmg_kata, .constants = constants);
    m->relax = hpgmg_kernel(m, relaxation(m));
    m->find_residual = hpgmg_kernel(m, "find_residual");
    m->measure_residual = hpgmg_kernel(m, "measure_residual");
    m->restriction = hpgmg_kernel(m, "restrict_cells");
    m->correct =
        hpgmg_kernel(m, m->c.operator== HPGMG_7PT ? "correct_constant" : "correct_quadratic");
    m->prolong = hpgmg_kernel(m, prolongations[m->c.operator]);
}

void hpgmg_levels_make(hpgmg *m, kata *k)
{
    m->k = k;
    find_kernels(m);
    for (int i = 0; i < m->count; i++) make_level(m, &m->levels[i]);
    const hpgmg_level *coarsest = &m->levels[m->count - 1];
    for (int i = 0; i < HPGMG_VECTORS; i++) m->vectors[i] = kata_field_like(coarsest->u, "vector");
    m->norm_of_f = kata_scalar_new(k, "norm_of_f", KATA_F64);
    m->norm = kata_scalar_new(k, "norm", KATA_F64);
    m->total = kata_scalar_new(k, "total", KATA_F64);
    for (int i = 0; i < 2; i++) m->products[i] = kata_scalar_new(k, "product", KATA_F64);
}
