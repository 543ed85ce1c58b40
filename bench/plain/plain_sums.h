/* Plain loops that add points up into fields and bins. */
#ifndef PLAIN_SUMS_H
#define PLAIN_SUMS_H

#include <stdint.h>

enum { PLAIN_BINS_COUNT = 256 };

/* t[x,y] is the sum of u[x,y,z] over z; both have no ghosts. */
void plain_columns(const double *u, double *t, const int64_t n[3]);
/* h[g] is the number of points whose grey is g, from 0 to 255. */
void plain_bins_u8(const uint8_t *grey, int32_t *h, int64_t points);
void plain_bins_f32(const float *grey, int32_t *h, int64_t points);

#endif
