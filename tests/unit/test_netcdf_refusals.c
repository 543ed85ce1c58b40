/* What has no place in netCDF-4 files of fields on grids, and the words that say so. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char path[] = "grid.nc";
static char folder[] = "/tmp/kata_netcdf_refusals_XXXXXX";

static int make_folder(void **unused)
{
    (void)unused;
    return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **unused)
{
    (void)unused;
    return chdir("/") || rmdir(folder);
}

static void expect(kata *k, const char *words)
{
    if (!strstr(kata_error_message(k), words)) fail_msg("%s", kata_error_message(k));
    assert_int_not_equal(access(path, F_OK), 0);
    kata_error_clear(k);
}

static void names_of_axes_are_refused(void **unused)
{
    static const char *const names[] = {
        "x", "y", "z", "x_face", "y_face", "z_face", "components_12"};
    static const char *const others[] = {"X", "components_", "components_x", "x_faces", "time"};
    char words[80];
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_2d(k, 4, 4);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(words, sizeof words, "'grid.nc' needs the name '%s' for an axis", names[i]);
        kata_save(u, path, .with = {kata_field_new(g, names[i], KATA_F64)});
        expect(k, words);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(kata_save(u, path, .with = {kata_field_new(g, others[i], KATA_F64)}),
                         KATA_OK);
    assert_int_equal(kata_close(k), KATA_OK);
    remove(path);
}

static void other_points_are_refused(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_2d(k, 4, 3);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .staggered = KATA_X);
    kata_field *around =
        kata_field_new(g, "around", KATA_F64, .staggered = KATA_X, .boundary = KATA_PERIODIC);
    kata_field *p = kata_field_new(g, "p", KATA_F64);
    kata_save(u, path, .with = {p, around});
    expect(k, "field 'around' has 4 points along x_face, and 'u' has 5; in a netCDF file");
    kata_save(u, path, .with = {p, kata_field_new(kata_grid_2d(k, 4, 7), "tall", KATA_F64)});
    expect(k, "field 'tall' has 7 points along y, and 'u' has 3; in a netCDF file an axis has one "
              "size: 'tall' goes to another file, or all to .h5");
    assert_null(kata_series_new(p, "grid-#.nc",
                                .with = {kata_field_new(kata_grid_1d(k, 5), "line", KATA_F64)}));
    expect(k, "kata_series_new: field 'line' has 5 points along x");
    assert_int_equal(kata_close(k), KATA_OK);
}

static void other_grids_and_options_are_refused(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_2d(k, 4, 4), *ico = kata_grid_icosahedral(k, 4, 4, 3);
    kata_grid *sphere = kata_grid_sphere(k, 1, 0, 3);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_field *cells = kata_field_new(sphere, "cells", KATA_F64, .on = KATA_CELLS);
    kata_field *edges = kata_field_new(ico, "edges", KATA_F64, .on = KATA_EDGES);
    kata_save(u, path, .with = {cells});
    expect(k, "'grid.nc' begins with 'u', which is on a grid, and 'cells' is on a mesh");
    kata_save(cells, path, .with = {u});
    expect(k, "'u' is of another grid");
    kata_save(edges, path);
    expect(k, "'edges' is on the edges of an icosahedral grid, which has none: .h5 takes it");
    kata_save(u, path, .positions = u);
    expect(k, ".positions is for fields on a mesh, and 'u' is on a grid");
    kata_save(u, path, .cells = true);
    expect(k, "has no place for .cells");
    kata_save(u, path, .colours = KATA_DIVERGING);
    expect(k, "has no place for .colours");
    kata_save(u, path, .with = {u});
    expect(k, "two fields are called 'u'");
    kata_field *level = kata_field_new(ico, "level", KATA_F64, .along = KATA_Z);
    assert_int_equal(kata_save(level, path), KATA_OK);
    assert_int_equal(kata_close(k), KATA_OK);
    remove(path);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_axes_are_refused), cmocka_unit_test(other_points_are_refused),
        cmocka_unit_test(other_grids_and_options_are_refused)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
