#include "apps.h"

#include <stddef.h>

const application applications[] = {
    {"blur", "Gaussian blur of an image, checked against a direct convolution", blur_main,
     &blur_options},
    {"cavity", "flow in a box whose lid slides, compared with the literature", cavity_main,
     &cavity_options},
    {"cloverleaf", "the mini-app CloverLeaf, checked as it checks itself", cloverleaf_main,
     &cloverleaf_options},
    {"heat", "decay of a sine mode, with the order of convergence measured", heat_main,
     &heat_options},
    {"hpgmg", "the benchmark HPGMG-FV: full multigrid in a cube", hpgmg_main, &hpgmg_options},
    {"lattice", "flows by the lattice Boltzmann method D3Q19, compared with exact ones",
     lattice_main, &lattice_options},
    {"vortex", "decay of the Taylor-Green vortex, compared with the literature", vortex_main,
     &vortex_options},
    {"weather", "diffusion and advection of weather models, checked against plain C", weather_main,
     &weather_options},
    {NULL, NULL, NULL, NULL},
};
