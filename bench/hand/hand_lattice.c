/* Hand-written kernels: lattice Boltzmann, BGK, pulled from one lattice to the other. In three
 * dimensions, what a piece of a row becomes is put together in the first-level cache and then
 * streamed, component by component: memory likes few streams at a time. In two, ordinary stores are
 * faster than that, though the lines they write are read first. */
#include "hand/hand_common.h"

static const int d2q9_velocity[9][3] = {{0},    {1},      {-1},    {0, 1}, {0, -1},
                                        {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
static const int d3q19_velocity[19][3] = {
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};

#define REAL double
#define LINE line_f64
#define LOAD load_f64
#define NAMED(name) name
#include "lattice_lines.h"
#undef REAL
#undef LINE
#undef LOAD
#undef NAMED

#define REAL float
#define LINE line_f32
#define LOAD load_f32
#define NAMED(name) name##_f32
#define ONLY_D3Q19
#include "lattice_lines.h"
