/* Parts of the program rank_data in which one rank does something else than the others: all are
 * told so, whatever the two things are. */
#include "rank_data.h"

static void expect_apart(kata *k, const char *one, const char *other)
{
    REQUIRE(kata_error(k) == KATA_ERROR_ARGUMENT);
    if (!strstr(said, one) || !strstr(said, other)) fprintf(stderr, "said: %s\n", said);
    REQUIRE(strstr(said, "ranks disagree") && strstr(said, one) && strstr(said, other));
    kata_error_clear(k);
}

/* Where nobody is asked before, ranks only find out afterwards whether one has failed. */
static void add_rows_or_map(kata *k, kata_field *u, const char *path)
{
    const double *values;
    kata_mapping at;
    if (kata_rank(k) == 1)
        kata_rows_new(k, path, "energy");
    else
        kata_map(u, &values, &at);
    expect_apart(k, "kata_rows_new", "need all values of a field");
}

static void add_rows_or_get(kata *k, kata_field *u, const char *path)
{
    double value;
    if (kata_rank(k) == 1)
        kata_rows_new(k, path, "energy");
    else
        kata_get(u, kata_box_3d(kata_on(u).grid, 0, 1, 0, 1, 0, 1), &value, 1);
    expect_apart(k, "kata_rows_new", "need values of a field");
}

static void add_rows_or_series(kata *k, kata_field *u)
{
    if (kata_rank(k) == 1)
        kata_rows_new(k, "apart3.csv", "energy");
    else
        kata_series_new(u, "apart.vtkhdf");
    expect_apart(k, "kata_rows_new", "kata_series_new");
}

void run_apart(kata *k)
{
    kata_grid *g = kata_grid_3d(k, 12, 15, 14);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_range own;
    kata_apply(find(k, "set"), kata_all(g), u);
    REQUIRE(!kata_flush(k));
    add_rows_or_map(k, u, "apart.csv");
    add_rows_or_series(k, u);
    REQUIRE(!kata_local(g, 0, &own)); /* from here on ranks tell one another what they have put */
    add_rows_or_get(k, u, "apart2.csv");
    get_box(u, kata_all(g), 1);
}

/* One rank writes another value to the memory of a field. */
void run_mapped(kata *k)
{
    kata_grid *g = kata_grid_3d(k, 12, 15, 14);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .components = 3, .layout = KATA_STRUCTURES);
    kata_apply(find(k, "set3"), kata_all(g), u);
    for (int differs = 0; differs < 2; differs++) {
        double *values, got[3];
        kata_mapping at;
        REQUIRE(!kata_map(u, &values, &at));
        values[2 * at.component_stride + 3 * at.stride[2]] = 5 + differs * (kata_rank(k) == 1);
        REQUIRE(!kata_unmap(u));
        kata_status status = kata_apply(find(k, "set3"), kata_box_3d(g, 0, 2, 0, 2, 0, 2), u);
        if (!status) status = kata_flush(k);
        REQUIRE(differs || !status);
        REQUIRE(differs || !kata_get(u, kata_box_3d(g, 0, 1, 0, 1, 0, 1), got, 3));
    }
    expect_apart(k, "run a chain of 1 loops", "values");
}
