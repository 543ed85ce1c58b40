/* Velocities along the two centrelines.
 *
 * O. Botella, R. Peyret: Benchmark spectral results on the lid-driven cavity flow. Computers &
 * Fluids 27 (1998) 421-433. Chebyshev polynomials of degree 160.
 *
 * U. Ghia, K. N. Ghia, C. T. Shin: High-Re solutions for incompressible flow using the
 * Navier-Stokes equations and a multigrid method. Journal of Computational Physics 48 (1982)
 * 387-411, tables I and II. Finite differences of second order on 129 x 129 points. The table
 * prints v = -0.23827 at Re 400, x = 0.9063, which is a misprint: it breaks the curve. It is
 * corrected here to -0.38270.
 *
 * The limits are the differences that the method reaches, rounded up. Against Ghia et al. they are
 * mostly the error of their own table, which at Re 1000 differs from Botella & Peyret by 0.006 in u
 * and 0.019 in v.
 */
#include "cavity.h"

const double cavity_table_y[CAVITY_POINTS] = {0.0547, 0.0625, 0.0703, 0.1016, 0.1719,
                                              0.2813, 0.4531, 0.5000, 0.6172, 0.7344,
                                              0.8516, 0.9531, 0.9609, 0.9688, 0.9766};

const double cavity_table_x[CAVITY_POINTS] = {0.0625, 0.0703, 0.0781, 0.0938, 0.1563,
                                              0.2266, 0.2344, 0.5000, 0.8047, 0.8594,
                                              0.9063, 0.9453, 0.9531, 0.9609, 0.9688};

const cavity_table cavity_tables[] = {
    {.source = "Ghia, Ghia & Shin (1982)",
     .reynolds = 100,
     .limit_u = 0.006,
     .limit_v = 0.011,
     .size = 48,
     .u = {-0.03717, -0.04192, -0.04775, -0.06434, -0.10150, -0.15662, -0.21090, -0.20581, -0.13641,
           0.00332, 0.23151, 0.68717, 0.73722, 0.78871, 0.84123},
     .v = {0.09233, 0.10091, 0.10890, 0.12317, 0.16077, 0.17507, 0.17527, 0.05454, -0.24533,
           -0.22445, -0.16914, -0.10313, -0.08864, -0.07391, -0.05906}},
    {.source = "Ghia, Ghia & Shin (1982)",
     .reynolds = 400,
     .limit_u = 0.004,
     .limit_v = 0.008,
     .size = 200,
     .u = {-0.08186, -0.09266, -0.10338, -0.14612, -0.24299, -0.32726, -0.17119, -0.11477, 0.02135,
           0.16256, 0.29093, 0.55892, 0.61756, 0.68439, 0.75837},
     .v = {0.18360, 0.19713, 0.20920, 0.22965, 0.28124, 0.30203, 0.30174, 0.05186, -0.38598,
           -0.44993, -0.38270, -0.22847, -0.19254, -0.15663, -0.12146}},
    {.source = "Botella & Peyret (1998)",
     .reynolds = 1000,
     .limit_u = 0.005,
     .limit_v = 0.005,
     .size = 256,
     .u = {-0.1812881, -0.2023300, -0.2228955, -0.3004561, -0.3885691, -0.2803696, -0.1081999,
           -0.0620561, 0.0570178, 0.1886747, 0.3372212, 0.4723329, 0.5169277, 0.5808359, 0.6644227},
     .v = {0.2807056, 0.2962703, 0.3099097, 0.3330442, 0.3769189, 0.3339924, 0.3253592, 0.0257995,
           -0.3202137, -0.4264545, -0.5264392, -0.4103754, -0.3553213, -0.2936869, -0.2279225}},
    {.source = "Ghia, Ghia & Shin (1982)",
     .reynolds = 1000,
     .limit_u = 0.008,
     .limit_v = 0.020,
     .size = 256,
     .u = {-0.18109, -0.20196, -0.22220, -0.29730, -0.38289, -0.27805, -0.10648, -0.06080, 0.05702,
           0.18719, 0.33304, 0.46604, 0.51117, 0.57492, 0.65928},
     .v = {0.27485, 0.29012, 0.30353, 0.32627, 0.37095, 0.33075, 0.32235, 0.02526, -0.31966,
           -0.42665, -0.51550, -0.39188, -0.33714, -0.27669, -0.21388}},
    {.source = NULL}};
