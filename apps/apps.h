/* The simulations that `kata run` knows. */
#ifndef APPS_APPS_H
#define APPS_APPS_H

#include "common/common.h"

typedef struct application {
    const char *name, *summary;
    int (*main)(int argc, char **argv); /* argv[0] is the name; returns the exit code */
    const options *options;
} application;

/* All of them, ended by one without a name. */
extern const application applications[];

int blur_main(int argc, char **argv);
int cavity_main(int argc, char **argv);
int cloverleaf_main(int argc, char **argv);
int heat_main(int argc, char **argv);
int hpgmg_main(int argc, char **argv);
int lattice_main(int argc, char **argv);
int vortex_main(int argc, char **argv);
int weather_main(int argc, char **argv);
extern const options blur_options, cavity_options, cloverleaf_options, heat_options, hpgmg_options,
    lattice_options, vortex_options, weather_options;

#endif
