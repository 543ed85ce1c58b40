/* Medians, means of ratios, and how sure they are. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *numbers, int count)
{
    if (count == 0) return NAN;
    qsort(numbers, (size_t)count, sizeof *numbers, compare);
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

static double mean_of_logs(const double *ratios, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += log(ratios[i]);
    return sum / count;
}

double bench_geometric_mean(const double *ratios, int count)
{
    return exp(mean_of_logs(ratios, count));
}

/* Student's t for nine tenths, both sides, by degrees of freedom. */
static double student(int freedom)
{
    static const double t[] = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833,
                               1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734};
    const int known = sizeof t / sizeof *t;
    return freedom <= known ? t[freedom - 1] : 1.729;
}

double bench_upper_end(const double *ratios, int count)
{
    if (count < 2) return INFINITY;
    double mean = mean_of_logs(ratios, count), squares = 0;
    for (int i = 0; i < count; i++) squares += pow(log(ratios[i]) - mean, 2);
    return exp(mean + student(count - 1) * sqrt(squares / (count - 1) / count));
}
