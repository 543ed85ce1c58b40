/* Chains for tests of emulated machines: lattices of 19 values that are pulled from neighbours, and
 * rows without any. Nothing is computed. */
#ifndef EMULATED_CHAIN_H
#define EMULATED_CHAIN_H

#include "plan/plan.h"

enum { EMULATED_FIELDS = 7 };

typedef struct emulated_chain {
    chain_slot slots[EMULATED_FIELDS];
    grid_boundary boundary;
    struct lang_module *module;
    chain chain;
    analysis_chain a;
    messages m;
} emulated_chain;

/* Steps of a lattice on a cube. With two of them, the first may run in place: its values are
 * written over by the second one. */
void emulated_make_lattice(emulated_chain *c, int64_t side, kata_type type, int steps);
/* One loop over so many points in a row, which needs no neighbours; floats. */
void emulated_make_row(emulated_chain *c, int64_t points);
/* Means over nine points of a plane, floats. */
void emulated_make_blur(emulated_chain *c, int64_t nx, int64_t ny, int steps);
/* A sweep of a smoother with variable coefficients on a cube, which reads its field two points far:
 * six fields are read, one is written. */
void emulated_make_smoother(emulated_chain *c, int64_t side);
/* The same in a box of the cube. */
void emulated_make_smoother_in(emulated_chain *c, int64_t side, const grid_box *box);
void emulated_end(emulated_chain *c);

/* The times of a plan that is asked for in words, which is verified where `verifies`. The caller
 * frees them. */
plan_times emulated_times(emulated_chain *c, const machine_emulated *m, const char *words,
                          bool verifies);
/* A machine from its text. */
machine_emulated emulated_machine(const char *words);

#endif
