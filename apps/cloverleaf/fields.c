/* The mesh, its fields, and the kernels.
 *
 * Walls reflect. In cells that is a mirror about the wall. At nodes it is one about the nodes on
 * the wall; the velocity through the wall changes its sign there. Fluxes through faces follow the
 * nodes in all dimensions, also along the wall, where faces have no points on it: so does the
 * mini-app. */
#include "cloverleaf.h"
#include "cloverleaf_2d_kata.h"
#include "cloverleaf_3d_kata.h"
#include "cloverleaf_kata.h"

#include <stdio.h>

static const kata_rule same_at_nodes = KATA_REFLECT_NODE, turned = KATA_ANTISYMMETRIC_NODE;
static const int axes[3] = {KATA_X, KATA_Y, KATA_Z};

static void set_sides(kata_field *f, int dimension, kata_rule rule)
{
    static const kata_side low[3] = {KATA_X_LOW, KATA_Y_LOW, KATA_Z_LOW},
                           high[3] = {KATA_X_HIGH, KATA_Y_HIGH, KATA_Z_HIGH};
    kata_boundary_set(f, low[dimension], rule, 0);
    kata_boundary_set(f, high[dimension], rule, 0);
}

/* A field that changes its sign beyond the walls across one dimension. */
static kata_field *new_across(const clover_mesh *m, const char *name, int staggered, int across)
{
    kata_field *f = kata_field_new(m->grid, name, KATA_F64, .staggered = staggered);
    for (int d = 0; d < m->dimensions; d++) set_sides(f, d, d == across ? turned : same_at_nodes);
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

static int nodes(const clover_mesh *m)
{
    return m->dimensions == 3 ? KATA_X | KATA_Y | KATA_Z : KATA_X | KATA_Y;
}

/* The fields that there are for each dimension. */
static void make_direction(clover_mesh *m, int d)
{
    static const char *const names[3][8] = {{"celldx", "vertexdx", "xarea", "vol_flux_x",
                                             "mass_flux_x", "ener_flux_x", "xvel0", "xvel1"},
                                            {"celldy", "vertexdy", "yarea", "vol_flux_y",
                                             "mass_flux_y", "ener_flux_y", "yvel0", "yvel1"},
                                            {"celldz", "vertexdz", "zarea", "vol_flux_z",
                                             "mass_flux_z", "ener_flux_z", "zvel0", "zvel1"}};
    const char *const *name = names[d];
    const int axis = axes[d];
    m->cell_width[d] =
        kata_field_new(m->grid, name[0], KATA_F64, .along = axis, .boundary = KATA_CLAMP);
    m->vertex_width[d] = kata_field_new(m->grid, name[1], KATA_F64, .along = axis,
                                        .staggered = axis, .boundary = KATA_CLAMP);
    m->area[d] =
        kata_field_new(m->grid, name[2], KATA_F64, .staggered = axis, .boundary = KATA_CLAMP);
    m->vol_flux[d] = new_across(m, name[3], axis, d);
    m->mass_flux[d] = new_across(m, name[4], axis, d);
    m->ener_flux[d] = new_within_step(m, name[5], axis);
    m->velocity[0][d] = new_across(m, name[6], nodes(m), d);
    m->velocity[1][d] = new_across(m, name[7], nodes(m), d);
}

static void make_fields(clover_mesh *m)
{
    for (int d = 0; d < m->dimensions; d++) make_direction(m, d);
    m->volume = kata_field_new(m->grid, "volume", KATA_F64, .boundary = KATA_CLAMP);
    m->density[0] = new_cells(m, "density0");
    m->density[1] = new_cells(m, "density1");
    m->energy[0] = new_cells(m, "energy0");
    m->energy[1] = new_cells(m, "energy1");
    m->pressure = new_cells(m, "pressure");
    m->viscosity = new_cells(m, "viscosity");
    m->soundspeed = new_cells(m, "soundspeed");
    m->pre_vol = new_within_step(m, "pre_vol", 0);
    m->post_vol = new_within_step(m, "post_vol", 0);
    m->node_flux = new_within_step(m, "node_flux", nodes(m));
    m->node_mass_pre = new_within_step(m, "node_mass_pre", nodes(m));
    m->node_mass_post = new_within_step(m, "node_mass_post", nodes(m));
    m->mom_flux = new_within_step(m, "mom_flux", nodes(m));
}

static void find_kernels(clover_mesh *m)
{
    static const char *const names[CLOVER_KERNELS] = {
        "ideal_gas",   "choose_timestep",  "advance_time",    "revert",
        "reset_cells", "viscous_pressure", "stable_timestep", "pdv_predict",
        "accelerate",  "pdv_correct",      "reset_nodes",     "summarise"};
    static const char *const sweeps[CLOVER_SWEEPS] = {
        "volume_flux", "volume_before", "mass_flux",     "advance_cells", "volume_after",
        "node_flux",   "node_mass",     "momentum_flux", "advance_nodes"};
    char name[32];
    for (int i = 0; i < CLOVER_KERNELS; i++)
        m->kernels[i] = kata_kernel_find(i < CLOVER_VISCOSITY ? m->common : m->module, names[i]);
    for (int d = 0; d < m->dimensions; d++)
        for (int i = 0; i < CLOVER_SWEEPS; i++) {
            snprintf(name, sizeof name, "%c_%s", "xyz"[d], sweeps[i]);
            m->sweeps[d][i] = kata_kernel_find(m->module, name);
        }
    if (m->dimensions == 3 && m->deck->as_published)
        m->sweeps[CLOVER_Z][CLOVER_VOLUME_FLUX] =
            kata_kernel_find(m->module, "z_volume_flux_as_published");
}

static void load_kernels(clover_mesh *m)
{
    m->common = kata_module_from_text(m->k, "cloverleaf.kata", cloverleaf_kata);
    m->module = m->dimensions == 3
                    ? kata_module_from_text(m->k, "cloverleaf_3d.kata", cloverleaf_3d_kata)
                    : kata_module_from_text(m->k, "cloverleaf_2d.kata", cloverleaf_2d_kata);
    find_kernels(m);
}

static void make_scalars(clover_mesh *m)
{
    m->local = kata_scalar_new(m->k, "local", KATA_F64);
    m->dt = kata_scalar_new(m->k, "dt", KATA_F64);
    m->time = kata_scalar_new(m->k, "time", KATA_F64);
    m->totals = kata_scalar_array_new(m->k, "totals", KATA_F64, 5);
    kata_scalar_set(m->dt, m->deck->first_step);
}

void clover_mesh_start(clover_mesh *m, kata *k, const clover_deck *deck)
{
    const int64_t *n = deck->cells;
    *m = (clover_mesh){.k = k, .deck = deck, .dimensions = deck->dimensions};
    m->grid = m->dimensions == 3 ? kata_grid_3d(k, n[0], n[1], n[2]) : kata_grid_2d(k, n[0], n[1]);
    load_kernels(m);
    make_fields(m);
    make_scalars(m);
    clover_set_geometry(m);
    clover_set_gas(m);
}
