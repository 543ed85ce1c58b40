/* Rates, troubles and files of the flows that settle. */
#include "common/common.h"
#include "lattice.h"

#include <stdio.h>

/* Bytes of a copy in a second, by whatever stores are faster; 0 after an error. */
static double copy_rate(kata *k)
{
    kata_ceilings c;
    if (kata_ceilings_measure(k, &c) != KATA_OK) return 0;
    return c.copy.best > c.copy_streaming.best ? c.copy.best : c.copy_streaming.best;
}

/* Each step reads and writes all populations once. */
static double bytes_per_update(const lattice *l)
{
    int of_one = l->setup.type == KATA_F64 ? 8 : l->setup.type == KATA_F32 ? 4 : 2;
    return 2 * 19 * of_one;
}

void lattice_print_flow(const lattice *l, const lattice_request *r, const lattice_flow *flow)
{
    const int64_t *n = l->setup.size;
    double rate = (double)(n[0] * n[1] * n[2]) * (double)flow->timed_steps / flow->seconds;
    printf("%s after %lld steps; change in the last %lld: %.2g\n",
           flow->state == LATTICE_STEADY ? "steady" : "NOT STEADY", (long long)l->steps,
           (long long)flow->period, flow->change);
    printf("%.1f million cell updates per second", 1e-6 * rate);
    if (r->bound) {
        double copied = copy_rate(l->k), bound = copied / bytes_per_update(l);
        printf(", %.2f of %.1f, at which %.0f bytes each are copied (%.1f GB/s)", rate / bound,
               1e-6 * bound, bytes_per_update(l), 1e-9 * copied);
    }
    printf("\n");
}

void lattice_print_trouble(const lattice *l, const lattice_request *r, const lattice_flow *flow)
{
    fflush(stdout);
    if (flow->state == LATTICE_DIVERGED)
        fprintf(stderr,
                "kata run lattice: the flow diverged before step %lld; more cells (--size) or a "
                "slower flow help\n",
                (long long)l->steps);
    else if (flow->state == LATTICE_UNSTEADY)
        fprintf(stderr,
                "kata run lattice: not steady after %lld steps: the change is %.2g, more than %g; "
                "--most-steps and --tolerance set these\n",
                (long long)l->steps, flow->change, r->tolerance);
}

/* The speed in the middle of y, as a picture of x and z. */
static void write_picture(const lattice *l, const char *path, double speed)
{
    const int64_t *n = l->setup.size;
    int64_t middle = n[1] / 2;
    kata_range plane = kata_box_3d(l->grid, 0, n[0], middle, middle + 1, 0, n[2]);
    kata_apply(l->speed, plane, l->velocity, l->density);
    if (enlarged_plane_save(l->k, l->density, &plane, (const int64_t[]){n[0], n[2]},
                            (const int[]){1, 3}, (const double[]){0, speed}, path) == KATA_OK)
        printf("wrote %s\n", path);
}

void lattice_write(const lattice *l, const lattice_request *r, double speed)
{
    write_picture(l, r->picture, speed);
    if (r->data && kata_save(l->velocity, r->data) == KATA_OK) printf("wrote %s\n", r->data);
}
