/* The mesh, its fields, and the gas at the beginning.
 *
 * Walls reflect. In cells that is a mirror about the wall. At nodes it is one about the nodes on
 * the wall; the velocity through the wall changes its sign there. Fluxes through faces follow the
 * nodes in both dimensions, also along the wall, where faces have no points on it: so does the
 * mini-app. */
#include "cloverleaf.h"
#include "cloverleaf_kata.h"

#include <math.h>
#include <stdio.h>

static const kata_rule same_at_nodes = KATA_REFLECT_NODE, turned = KATA_ANTISYMMETRIC_NODE;

static void set_sides(kata_field *f, int dimension, kata_rule rule)
{
    kata_boundary_set(f, dimension == CLOVER_X ? KATA_X_LOW : KATA_Y_LOW, rule, 0);
    kata_boundary_set(f, dimension == CLOVER_X ? KATA_X_HIGH : KATA_Y_HIGH, rule, 0);
}

/* A field that changes its sign beyond the walls across one dimension. */
static kata_field *new_across(const clover_mesh *m, const char *name, int staggered, int across)
{
    kata_field *f = kata_field_new(m->grid, name, KATA_F64, .staggered = staggered);
    set_sides(f, across, turned);
    set_sides(f, !across, same_at_nodes);
    return f;
}

static kata_field *new_cells(const clover_mesh *m, const char *name)
{
    return kata_field_new(m->grid, name, KATA_F64, .boundary = KATA_REFLECT_FACE);
}

static kata_field *new_within_step(const clover_mesh *m, const char *name, int staggered)
{
    return kata_field_new(m->grid, name, KATA_F64, .staggered = staggered, .ghosts = 2,
                          .temporary = true);
}

static void make_direction(clover_mesh *m, int d)
{
    static const char *const names[2][5] = {
        {"celldx", "vertexdx", "xarea", "vol_flux_x", "mass_flux_x"},
        {"celldy", "vertexdy", "yarea", "vol_flux_y", "mass_flux_y"}};
    clover_direction *to = &m->direction[d];
    int axis = d == CLOVER_X ? KATA_X : KATA_Y;
    to->cell_width =
        kata_field_new(m->grid, names[d][0], KATA_F64, .along = axis, .boundary = KATA_CLAMP);
    to->vertex_width = kata_field_new(m->grid, names[d][1], KATA_F64, .along = axis,
                                      .staggered = axis, .boundary = KATA_CLAMP);
    to->area =
        kata_field_new(m->grid, names[d][2], KATA_F64, .staggered = axis, .boundary = KATA_CLAMP);
    to->vol_flux = new_across(m, names[d][3], axis, d);
    to->mass_flux = new_across(m, names[d][4], axis, d);
}

static void find_kernels(clover_mesh *m)
{
    static const char *const names[CLOVER_KERNELS] = {
        "ideal_gas",   "viscous_pressure", "stable_timestep", "choose_timestep",
        "pdv_predict", "revert",           "accelerate",      "pdv_correct",
        "reset_cells", "reset_nodes",      "advance_time"};
    static const char *const sweeps[CLOVER_SWEEPS] = {
        "volume_flux", "volume_before", "mass_flux",     "advance_cells", "volume_after",
        "node_flux",   "node_mass",     "momentum_flux", "advance_nodes"};
    char name[32];
    m->module = kata_module_from_text(m->k, "cloverleaf.kata", cloverleaf_kata);
    for (int i = 0; i < CLOVER_KERNELS; i++) m->kernels[i] = kata_kernel_find(m->module, names[i]);
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < CLOVER_SWEEPS; i++) {
            snprintf(name, sizeof name, "%c_%s", "xy"[d], sweeps[i]);
            m->direction[d].kernels[i] = kata_kernel_find(m->module, name);
        }
}

static void make_fields(clover_mesh *m)
{
    const int nodes = KATA_X | KATA_Y;
    for (int d = 0; d < 2; d++) make_direction(m, d);
    m->volume = kata_field_new(m->grid, "volume", KATA_F64, .boundary = KATA_CLAMP);
    m->density[0] = new_cells(m, "density0");
    m->density[1] = new_cells(m, "density1");
    m->energy[0] = new_cells(m, "energy0");
    m->energy[1] = new_cells(m, "energy1");
    m->pressure = new_cells(m, "pressure");
    m->viscosity = new_cells(m, "viscosity");
    m->soundspeed = new_cells(m, "soundspeed");
    m->velocity[CLOVER_X][0] = new_across(m, "xvel0", nodes, CLOVER_X);
    m->velocity[CLOVER_X][1] = new_across(m, "xvel1", nodes, CLOVER_X);
    m->velocity[CLOVER_Y][0] = new_across(m, "yvel0", nodes, CLOVER_Y);
    m->velocity[CLOVER_Y][1] = new_across(m, "yvel1", nodes, CLOVER_Y);
    m->pre_vol = new_within_step(m, "pre_vol", 0);
    m->post_vol = new_within_step(m, "post_vol", 0);
    m->node_flux = new_within_step(m, "node_flux", nodes);
    m->node_mass_pre = new_within_step(m, "node_mass_pre", nodes);
    m->node_mass_post = new_within_step(m, "node_mass_post", nodes);
    m->mom_flux = new_within_step(m, "mom_flux", nodes);
    m->ener_flux[CLOVER_X] = new_within_step(m, "ener_flux_x", KATA_X);
    m->ener_flux[CLOVER_Y] = new_within_step(m, "ener_flux_y", KATA_Y);
}

static void make_scalars(clover_mesh *m)
{
    m->local = kata_scalar_new(m->k, "local", KATA_F64);
    m->dt = kata_scalar_new(m->k, "dt", KATA_F64);
    m->time = kata_scalar_new(m->k, "time", KATA_F64);
    m->totals = kata_scalar_array_new(m->k, "totals", KATA_F64, 5);
    kata_scalar_set(m->dt, m->deck->first_step);
}

static void set_geometry(const clover_mesh *m, const double width[2])
{
    kata_kernel *widths[2] = {kata_kernel_find(m->module, "set_widths"),
                              kata_kernel_find(m->module, "set_heights")};
    kata_kernel *areas[2] = {kata_kernel_find(m->module, "set_xarea"),
                             kata_kernel_find(m->module, "set_yarea")};
    kata_field *cells[2];
    for (int d = 0; d < 2; d++) {
        const clover_direction *of = &m->direction[d];
        cells[d] = of->cell_width;
        kata_apply(widths[d], kata_on(of->cell_width), of->cell_width, width[d]);
        kata_apply(widths[d], kata_on(of->vertex_width), of->vertex_width, width[d]);
    }
    for (int d = 0; d < 2; d++)
        kata_apply(areas[d], kata_on(m->direction[d].area), cells[!d], m->direction[d].area);
    kata_apply(kata_kernel_find(m->module, "set_volume"), kata_all(m->grid), cells[0], cells[1],
               m->volume);
}

/* Corners are moved by a hundredth of a cell into the state, so that rounding does not decide
 * whether the cell beside a corner belongs to it. */
static void set_gas(const clover_mesh *m, const clover_state *s, const double width[2], bool whole)
{
    const double *low = m->deck->low;
    double from[2], to[2];
    for (int d = 0; d < 2; d++) {
        from[d] = whole ? -INFINITY : s->low[d] + width[d] / 100;
        to[d] = whole ? INFINITY : s->high[d] - width[d] / 100;
    }
    int shape = whole ? CLOVER_RECTANGLE : (int)s->shape;
    kata_apply(kata_kernel_find(m->module, "set_state"), kata_all(m->grid), m->density[0],
               m->energy[0], low[0], low[1], width[0], width[1], shape, from[0], from[1], to[0],
               to[1], s->radius, s->density, s->energy);
    kata_apply(kata_kernel_find(m->module, "set_velocity"), kata_on(m->velocity[0][0]),
               m->velocity[CLOVER_X][0], m->velocity[CLOVER_Y][0], low[0], low[1], width[0],
               width[1], shape, from[0], from[1], to[0], to[1], s->radius, s->velocity[0],
               s->velocity[1]);
}

void clover_mesh_start(clover_mesh *m, kata *k, const clover_deck *deck)
{
    double width[2];
    *m = (clover_mesh){.k = k, .deck = deck};
    m->grid = kata_grid_2d(k, deck->cells[0], deck->cells[1]);
    for (int d = 0; d < 2; d++) width[d] = (deck->high[d] - deck->low[d]) / (double)deck->cells[d];
    find_kernels(m);
    make_fields(m);
    make_scalars(m);
    set_geometry(m, width);
    for (int i = 0; i < deck->state_count; i++)
        if (deck->states[i].defined) set_gas(m, &deck->states[i], width, i == 0);
}
