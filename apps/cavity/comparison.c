#include "cavity.h"

#include <math.h>
#include <stdio.h>

/* The point at which the computed flow differs most from a table, in one component. */
typedef struct largest {
    double difference, at, limit;
} largest;

/* The limits hold for t->size cells. On fewer cells the discretisation error is most of the
 * difference, and it grows with the square of the cell size. */
static double limit_at(const cavity_table *t, double limit, int64_t cells)
{
    double ratio = (double)t->size / (double)cells;
    return cells < t->size ? limit * ratio * ratio : limit;
}

/* Prints coordinate, computed, literature, difference. */
static void print_point(double at, double computed, double literature, largest *most)
{
    double difference = computed - literature;
    printf("%7.4f  %9.5f  %10.5f  %10.5f", at, computed, literature, difference);
    if (fabs(difference) <= most->difference) return;
    most->difference = fabs(difference);
    most->at = at;
}

static void print_points(const cavity_nodes *nodes, const cavity_table *t, largest *u, largest *v)
{
    int64_t n = nodes->cells;
    cavity_weights middle = cavity_weights_at(n, 0.5);
    printf("%7s  %9s  %10s  %10s    ", "y", "u(1/2,y)", "literature", "difference");
    printf("%7s  %9s  %10s  %10s\n", "x", "v(x,1/2)", "literature", "difference");
    for (int i = 0; i < CAVITY_POINTS; i++) {
        double x = cavity_table_x[i], y = cavity_table_y[i];
        cavity_weights at_x = cavity_weights_at(n, x), at_y = cavity_weights_at(n, y);
        print_point(y, cavity_interpolate(nodes->u, n, &middle, &at_y), t->u[i], u);
        printf("    ");
        print_point(x, cavity_interpolate(nodes->v, n, &at_x, &middle), t->v[i], v);
        printf("\n");
    }
}

static bool print_verdict(const char *name, const char *coordinate, const largest *most)
{
    bool good = most->difference <= most->limit;
    printf("largest difference in %s: %.5f at %s = %.4f, %s the limit %.5f\n", name,
           most->difference, coordinate, most->at, good ? "within" : "BEYOND", most->limit);
    return good;
}

static void print_missing(const cavity_table *tables, double reynolds)
{
    double before = 0;
    printf("\nno table for Re %g to compare with: there are tables for", reynolds);
    for (const cavity_table *t = tables; t->source; t++) {
        if (t->reynolds != before) printf(" %g", t->reynolds);
        before = t->reynolds;
    }
    printf("\n");
}

bool cavity_compare(const cavity_nodes *nodes, const cavity_table *tables, double reynolds)
{
    bool good = true, any = false;
    for (const cavity_table *t = tables; t->source; t++) {
        if (t->reynolds != reynolds) continue;
        largest u = {.limit = limit_at(t, t->limit_u, nodes->cells)};
        largest v = {.limit = limit_at(t, t->limit_v, nodes->cells)};
        printf("\n%s, Re %g\n", t->source, reynolds);
        print_points(nodes, t, &u, &v);
        good &= print_verdict("u", "y", &u);
        good &= print_verdict("v", "x", &v);
        any = true;
    }
    if (!any) print_missing(tables, reynolds);
    return good;
}
