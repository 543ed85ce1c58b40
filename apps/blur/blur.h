/* blur: Gaussian blur of an image of 8-bit RGBA. */
#ifndef BLUR_BLUR_H
#define BLUR_BLUR_H

#include <kata/kata.h>

/* How an image continues outside, and the value that some rules take. */
typedef struct blur_boundary {
    kata_rule rule;
    double value;
} blur_boundary;

/* The samples that weigh at least exp(-4.5) of the middle one. */
int blur_radius(double sigma);

/* ---- blur_check.c: the same, computed in another way
 * -----------------------------------------------------
 */

/* The largest difference between `blurred` and the convolution of `image` with a two-dimensional
 * Gaussian over the square of (2 radius + 1)^2 samples, computed in plain C. Both hold width x
 * height values of 4 components, in the order of kata_get. NaN where a value is; -1 when memory is
 * out. */
double blur_largest_difference(const double *image, const double *blurred, int64_t width,
                               int64_t height, double sigma, blur_boundary boundary);

#endif
