/* One time step: the gas moves with its mesh, then the mesh is laid back to where it was. */
#include "cloverleaf.h"

static void find_timestep(const clover_mesh *m)
{
    const clover_direction *x = &m->direction[CLOVER_X], *y = &m->direction[CLOVER_Y];
    kata_field *u = m->velocity[CLOVER_X][0], *v = m->velocity[CLOVER_Y][0];
    kata_range cells = kata_all(m->grid);
    kata_apply(m->kernels[CLOVER_IDEAL_GAS], cells, m->density[0], m->energy[0], m->pressure,
               m->soundspeed);
    kata_apply(m->kernels[CLOVER_VISCOSITY], cells, x->cell_width, y->cell_width, m->density[0],
               m->pressure, u, v, m->viscosity);
    kata_apply(m->kernels[CLOVER_STABLE_TIMESTEP], cells, x->cell_width, y->cell_width, m->volume,
               x->area, y->area, m->density[0], m->viscosity, m->soundspeed, u, v, m->local);
    kata_apply(m->kernels[CLOVER_CHOOSE_TIMESTEP], kata_once(m->k), m->local, m->dt, m->deck->rise,
               m->deck->most_step, 1e-7);
}

static void move_gas(const clover_mesh *m)
{
    kata_field *xarea = m->direction[CLOVER_X].area, *yarea = m->direction[CLOVER_Y].area;
    kata_field *const *u = m->velocity[CLOVER_X], *const *v = m->velocity[CLOVER_Y];
    kata_range cells = kata_all(m->grid);
    kata_apply(m->kernels[CLOVER_PDV_PREDICT], cells, xarea, yarea, m->volume, m->density[0],
               m->energy[0], m->pressure, m->viscosity, u[0], v[0], m->density[1], m->energy[1],
               m->dt);
    kata_apply(m->kernels[CLOVER_IDEAL_GAS], cells, m->density[1], m->energy[1], m->pressure,
               m->soundspeed);
    kata_apply(m->kernels[CLOVER_REVERT], cells, m->density[0], m->energy[0], m->density[1],
               m->energy[1]);
    kata_apply(m->kernels[CLOVER_ACCELERATE], kata_on(u[0]), xarea, yarea, m->volume, m->density[0],
               m->pressure, m->viscosity, u[0], v[0], u[1], v[1], m->dt);
    kata_apply(m->kernels[CLOVER_PDV_CORRECT], cells, xarea, yarea, m->volume, m->density[0],
               m->energy[0], m->pressure, m->viscosity, u[0], v[0], u[1], v[1], m->density[1],
               m->energy[1], m->dt);
}

static void find_volume_fluxes(const clover_mesh *m)
{
    for (int d = 0; d < 2; d++) {
        const clover_direction *of = &m->direction[d];
        kata_apply(of->kernels[CLOVER_VOLUME_FLUX], kata_on(of->vol_flux), of->area,
                   m->velocity[d][0], m->velocity[d][1], of->vol_flux, m->dt);
    }
}

static void advect_cells(const clover_mesh *m, int d, bool first)
{
    const clover_direction *of = &m->direction[d];
    kata_field *density = m->density[1], *energy = m->energy[1], *ener_flux = m->ener_flux[d];
    kata_apply(of->kernels[CLOVER_VOLUME_BEFORE], kata_needed(m->grid), m->volume,
               m->direction[CLOVER_X].vol_flux, m->direction[CLOVER_Y].vol_flux, m->pre_vol, first);
    kata_apply(of->kernels[CLOVER_MASS_FLUX], kata_on(of->mass_flux), of->vertex_width,
               of->vol_flux, m->pre_vol, density, energy, of->mass_flux, ener_flux);
    kata_apply(of->kernels[CLOVER_ADVANCE_CELLS], kata_all(m->grid), of->vol_flux, of->mass_flux,
               ener_flux, m->pre_vol, density, energy);
}

static void advect_nodes(const clover_mesh *m, int d, bool first)
{
    const clover_direction *of = &m->direction[d];
    kata_range needed = kata_needed(m->grid);
    kata_apply(of->kernels[CLOVER_VOLUME_AFTER], needed, m->volume, m->direction[!d].vol_flux,
               m->post_vol, first);
    kata_apply(of->kernels[CLOVER_NODE_FLUX], needed, of->mass_flux, m->node_flux);
    kata_apply(of->kernels[CLOVER_NODE_MASS], needed, m->density[1], m->post_vol, m->node_flux,
               m->node_mass_post, m->node_mass_pre);
    for (int v = 0; v < 2; v++) {
        kata_field *velocity = m->velocity[v][1];
        kata_apply(of->kernels[CLOVER_MOMENTUM_FLUX], needed, of->cell_width, m->node_flux,
                   m->node_mass_pre, velocity, m->mom_flux);
        kata_apply(of->kernels[CLOVER_ADVANCE_NODES], kata_on(velocity), m->node_mass_post,
                   m->node_mass_pre, m->mom_flux, velocity);
    }
}

void clover_step(const clover_mesh *m, int64_t number)
{
    int first = number % 2 == 1 ? CLOVER_X : CLOVER_Y;
    find_timestep(m);
    move_gas(m);
    find_volume_fluxes(m);
    for (int sweep = 0; sweep < 2; sweep++) {
        int d = sweep == 0 ? first : !first;
        advect_cells(m, d, sweep == 0);
        advect_nodes(m, d, sweep == 0);
    }
    kata_apply(m->kernels[CLOVER_RESET_CELLS], kata_all(m->grid), m->density[1], m->energy[1],
               m->density[0], m->energy[0]);
    kata_apply(m->kernels[CLOVER_RESET_NODES], kata_on(m->velocity[0][0]), m->velocity[CLOVER_X][1],
               m->velocity[CLOVER_Y][1], m->velocity[CLOVER_X][0], m->velocity[CLOVER_Y][0]);
    kata_apply(m->kernels[CLOVER_ADVANCE_TIME], kata_once(m->k), m->time, m->dt);
    kata_step(m->k);
}
