/* Ranks that own several boxes each: what is refused, checks that fail in several boxes, and sums
 * over all of them. */
#include "rank_data.h"

enum { NX = 12, NY = 45, NZ = 39 };

/* One box is asked for. */
static void expect_no_range(kata *k, kata_grid *g)
{
    static double memory[1];
    kata_range local;
    expect_refused(k, kata_local(g, 0, &local), "by KATA_RANKS=morton ranks own several boxes");
    if (kata_ranks(k) == 1) return;
    REQUIRE(!kata_field_wrap(g, "w", KATA_F64, memory, .local = true));
    expect_refused(k, kata_error(k), "by KATA_RANKS=morton ranks own several boxes");
}

/* Checks that fail from plane z on where y is at least y0, and elsewhere some planes later: if a
 * rank has both in two boxes, the one that runs later may fail first. */
static void expect_first_failures(kata *k, kata_grid *g)
{
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_kernel *kernel = find(k, "late");
    for (int z = 0; z < NZ; z += 3)
        for (int y = 0; y < NY; y += 2) {
            char point[60];
            kata_apply(find(k, "set"), kata_all(g), u);
            kata_apply(kernel, kata_all(g), u, y, z);
            snprintf(point, sizeof point, "fails at point (0, %d, %d)", y, z);
            REQUIRE(kata_flush(k) == KATA_ERROR_ASSERT);
            if (!strstr(said, point)) fprintf(stderr, "not '%s': %s\n", point, said);
            REQUIRE(strstr(said, point));
            kata_error_clear(k);
        }
}

/* A loop sums into a scalar that it also reads; another one adds to what a scalar has been. */
static void expect_sums(kata *k, kata_grid *g)
{
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64), *t = kata_scalar_new(k, "t", KATA_F64);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    double sum = 1, all = 3, found;
    kata_scalar_set(s, 1);
    kata_scalar_set(t, 3);
    for (int round = 0; round < 3; round++) {
        kata_apply(find(k, "again"), kata_all(g), u, s, s);
        kata_apply(find(k, "more"), kata_all(g), u, t);
        sum *= NY * NZ * (NX * (NX - 1) / 2.);
        all += NY * NZ * (NX * (NX - 1) / 2.);
        REQUIRE(!kata_scalar_get(s, &found) && found == sum);
    }
    REQUIRE(!kata_scalar_get(t, &found) && found == all);
}

void run_lists(kata *k)
{
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    expect_no_range(k, g);
    expect_sums(k, g);
    expect_first_failures(k, g);
}
