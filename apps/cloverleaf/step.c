/* One time step: the gas moves with its mesh, then the mesh is laid back to where it was, along one
 * dimension after the other. */
#include "cloverleaf.h"

static void find_timestep(const clover_mesh *m)
{
    kata_range cells = kata_all(m->grid);
    CLOVER_APPLY(m, m->kernels[CLOVER_IDEAL_GAS], cells, ONE(m->density[0]), ONE(m->energy[0]),
                 ONE(m->pressure), ONE(m->soundspeed));
    CLOVER_APPLY(m, m->kernels[CLOVER_VISCOSITY], cells, EACH(m->cell_width), ONE(m->density[0]),
                 ONE(m->pressure), EACH(m->velocity[0]), ONE(m->viscosity));
    CLOVER_APPLY(m, m->kernels[CLOVER_STABLE_TIMESTEP], cells, EACH(m->cell_width), ONE(m->volume),
                 EACH(m->area), ONE(m->density[0]), ONE(m->viscosity), ONE(m->soundspeed),
                 EACH(m->velocity[0]), ONE(m->local));
    kata_apply(m->kernels[CLOVER_CHOOSE_TIMESTEP], kata_once(m->k), m->local, m->dt, m->deck->rise,
               m->deck->most_step, 1e-7);
}

static void move_gas(const clover_mesh *m)
{
    kata_range cells = kata_all(m->grid);
    CLOVER_APPLY(m, m->kernels[CLOVER_PDV_PREDICT], cells, EACH(m->area), ONE(m->volume),
                 ONE(m->density[0]), ONE(m->energy[0]), ONE(m->pressure), ONE(m->viscosity),
                 EACH(m->velocity[0]), ONE(m->density[1]), ONE(m->energy[1]), ONE(m->dt));
    CLOVER_APPLY(m, m->kernels[CLOVER_IDEAL_GAS], cells, ONE(m->density[1]), ONE(m->energy[1]),
                 ONE(m->pressure), ONE(m->soundspeed));
    CLOVER_APPLY(m, m->kernels[CLOVER_REVERT], cells, ONE(m->density[0]), ONE(m->energy[0]),
                 ONE(m->density[1]), ONE(m->energy[1]));
    CLOVER_APPLY(m, m->kernels[CLOVER_ACCELERATE], kata_on(m->velocity[0][0]), EACH(m->area),
                 ONE(m->volume), ONE(m->density[0]), ONE(m->pressure), ONE(m->viscosity),
                 EACH(m->velocity[0]), EACH(m->velocity[1]), ONE(m->dt));
    CLOVER_APPLY(m, m->kernels[CLOVER_PDV_CORRECT], cells, EACH(m->area), ONE(m->volume),
                 ONE(m->density[0]), ONE(m->energy[0]), ONE(m->pressure), ONE(m->viscosity),
                 EACH(m->velocity[0]), EACH(m->velocity[1]), ONE(m->density[1]), ONE(m->energy[1]),
                 ONE(m->dt));
}

static void find_volume_fluxes(const clover_mesh *m)
{
    for (int d = 0; d < m->dimensions; d++)
        kata_apply(m->sweeps[d][CLOVER_VOLUME_FLUX], kata_on(m->vol_flux[d]), m->area[d],
                   m->velocity[0][d], m->velocity[1][d], m->vol_flux[d], m->dt);
}

static void advect_cells(const clover_mesh *m, int d, bool x_first)
{
    kata_kernel *const *kernels = m->sweeps[d];
    kata_field *density = m->density[1], *energy = m->energy[1];
    CLOVER_APPLY(m, kernels[CLOVER_VOLUME_BEFORE], kata_needed(m->grid), ONE(m->volume),
                 EACH(m->vol_flux), ONE(m->pre_vol), ONE(x_first));
    kata_apply(kernels[CLOVER_MASS_FLUX], kata_on(m->mass_flux[d]), m->vertex_width[d],
               m->vol_flux[d], m->pre_vol, density, energy, m->mass_flux[d], m->ener_flux[d]);
    kata_apply(kernels[CLOVER_ADVANCE_CELLS], kata_all(m->grid), m->vol_flux[d], m->mass_flux[d],
               m->ener_flux[d], m->pre_vol, density, energy);
}

static void advect_nodes(const clover_mesh *m, int d, bool x_first)
{
    kata_kernel *const *kernels = m->sweeps[d];
    kata_range needed = kata_needed(m->grid);
    CLOVER_APPLY(m, kernels[CLOVER_VOLUME_AFTER], needed, ONE(m->volume), OTHERS(m->vol_flux, d),
                 ONE(m->post_vol), ONE(x_first));
    kata_apply(kernels[CLOVER_NODE_FLUX], needed, m->mass_flux[d], m->node_flux);
    kata_apply(kernels[CLOVER_NODE_MASS], needed, m->density[1], m->post_vol, m->node_flux,
               m->node_mass_post, m->node_mass_pre);
    for (int v = 0; v < m->dimensions; v++) {
        kata_field *velocity = m->velocity[1][v];
        kata_apply(kernels[CLOVER_MOMENTUM_FLUX], needed, m->cell_width[d], m->node_flux,
                   m->node_mass_pre, velocity, m->mom_flux);
        kata_apply(kernels[CLOVER_ADVANCE_NODES], kata_on(velocity), m->node_mass_post,
                   m->node_mass_pre, m->mom_flux, velocity);
    }
}

void clover_step(const clover_mesh *m, int64_t number)
{
    const bool x_first = number % 2 == 1;
    find_timestep(m);
    move_gas(m);
    find_volume_fluxes(m);
    for (int sweep = 0; sweep < m->dimensions; sweep++) {
        int d = x_first ? sweep : m->dimensions - 1 - sweep;
        advect_cells(m, d, x_first);
        advect_nodes(m, d, x_first);
    }
    CLOVER_APPLY(m, m->kernels[CLOVER_RESET_CELLS], kata_all(m->grid), ONE(m->density[1]),
                 ONE(m->energy[1]), ONE(m->density[0]), ONE(m->energy[0]));
    CLOVER_APPLY(m, m->kernels[CLOVER_RESET_NODES], kata_on(m->velocity[0][0]),
                 EACH(m->velocity[1]), EACH(m->velocity[0]));
    kata_apply(m->kernels[CLOVER_ADVANCE_TIME], kata_once(m->k), m->time, m->dt);
    kata_step(m->k);
}
