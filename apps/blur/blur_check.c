/* A blur that shares nothing with the kernels. It extends the image as the boundary rule is worded,
 * one reflection at a time. Each pixel is then a sum over a square of samples, with weights from
 * the two-dimensional Gaussian. */
#include "blur.h"

#include <math.h>
#include <stdlib.h>

/* Outside, a value is shift + scale * (the value at an index inside). */
typedef struct extension {
    int64_t index;
    double scale, shift;
} extension;

/* The value at index i of a line of n values. */
static extension extend(int64_t i, int64_t n, blur_boundary b)
{
    extension e = {i, 1, 0};
    while (e.index < 0 || e.index >= n) {
        bool low = e.index < 0;
        switch (b.rule) {
        case KATA_PERIODIC: e.index += low ? n : -n; break;
        case KATA_CLAMP: e.index = low ? 0 : n - 1; break;
        case KATA_REFLECT_FACE:
        case KATA_ANTISYMMETRIC_FACE: e.index = (low ? -1 : 2 * n - 1) - e.index; break;
        case KATA_REFLECT_NODE:
        case KATA_ANTISYMMETRIC_NODE: e.index = (low ? 0 : 2 * n - 2) - e.index; break;
        case KATA_NONE:
        case KATA_LINEAR: /* no word of the command means it */
        case KATA_CONSTANT: return (extension){0, 0, b.value};
        }
        if (b.rule == KATA_ANTISYMMETRIC_FACE || b.rule == KATA_ANTISYMMETRIC_NODE) {
            e.shift += 2 * b.value * e.scale;
            e.scale = -e.scale;
        }
    }
    return e;
}

/* The image with a margin on all sides; one component. */
static void extend_image(const double *image, int64_t width, int64_t height, int64_t margin,
                         blur_boundary b, double *wide)
{
    for (int64_t y = -margin; y < height + margin; y++) {
        extension v = extend(y, height, b);
        for (int64_t x = -margin; x < width + margin; x++) {
            extension u = extend(x, width, b);
            double inside = v.shift + v.scale * image[v.index * width + u.index];
            *wide++ = u.shift + u.scale * inside;
        }
    }
}

/* Weights of the square, row by row; their sum is 1. */
static void fill_weights(double *weights, int64_t radius, double sigma)
{
    int64_t side = 2 * radius + 1;
    double sum = 0;
    for (int64_t i = 0; i < side * side; i++) {
        int64_t x = i % side - radius, y = i / side - radius;
        sum += weights[i] = exp(-(double)(x * x + y * y) / (2 * sigma * sigma));
    }
    for (int64_t i = 0; i < side * side; i++) weights[i] /= sum;
}

/* The sums of a row of pixels, whose samples begin at `corner`. */
static void convolve_row(const double *corner, int64_t pitch, const double *weights, int64_t side,
                         int64_t width, double *sums)
{
    for (int64_t x = 0; x < width; x++) sums[x] = 0;
    for (int64_t i = 0; i < side * side; i++) {
        const double *samples = corner + i / side * pitch + i % side;
        for (int64_t x = 0; x < width; x++) sums[x] += weights[i] * samples[x];
    }
}

/* The largest of `largest` and all |a - b|; NaN if any of them is. */
static double largest_difference(const double *a, const double *b, int64_t count, double largest)
{
    for (int64_t i = 0; i < count; i++) {
        double difference = fabs(a[i] - b[i]);
        if (difference > largest || isnan(difference)) largest = difference;
    }
    return largest;
}

/* Memory of a check: a line of sums, the weights, and one component with its margins. */
typedef struct work {
    double *sums, *weights, *wide;
} work;

static double compare(const double *image, const double *blurred, int64_t width, int64_t height,
                      int64_t radius, blur_boundary boundary, const work *w)
{
    int64_t side = 2 * radius + 1, pitch = width + 2 * radius;
    double largest = 0;
    for (int64_t row = 0; row < 4 * height; row++) {
        int64_t y = row % height; /* of component row / height */
        if (y == 0) extend_image(image + row * width, width, height, radius, boundary, w->wide);
        convolve_row(w->wide + y * pitch, pitch, w->weights, side, width, w->sums);
        largest = largest_difference(w->sums, blurred + row * width, width, largest);
    }
    return largest;
}

double blur_largest_difference(const double *image, const double *blurred, int64_t width,
                               int64_t height, double sigma, blur_boundary boundary)
{
    int64_t radius = blur_radius(sigma), side = 2 * radius + 1;
    int64_t samples = (width + 2 * radius) * (height + 2 * radius);
    work w = {malloc((size_t)width * sizeof(double)),
              malloc((size_t)(side * side) * sizeof(double)),
              malloc((size_t)samples * sizeof(double))};
    double largest = -1;
    if (w.sums && w.weights && w.wide) {
        fill_weights(w.weights, radius, sigma);
        largest = compare(image, blurred, width, height, radius, boundary, &w);
    }
    free(w.sums);
    free(w.weights);
    free(w.wide);
    return largest;
}
