/* Pictures of planes of a field, with several pixels per point. */
#include "common.h"
#include "enlarge_kata.h"

#include <stdio.h>

/* The most pixels per point that a kernel can make. */
enum { MOST_RATIO = 16 };

kata_status enlarged_plane_save(kata *k, kata_field *field, const kata_range *plane,
                                const int64_t size[2], const int across[2], const double ends[2],
                                const char *path)
{
    char constants[32];
    int64_t longest = size[0] > size[1] ? size[0] : size[1];
    const int ratio = longest * MOST_RATIO < 768 ? MOST_RATIO
                      : longest > 768            ? 1
                                                 : (int)(768 / longest);
    snprintf(constants, sizeof constants, "RATIO=%d", ratio);
    kata_grid *pixels = kata_grid_2d(k, ratio * size[0], ratio * size[1]);
    kata_grid *points = kata_grid_coarsen(pixels, ratio, ratio, 1);
    kata_module *m = kata_module_from_text(k, "enlarge.kata", enlarge_kata, .constants = constants);
    kata_field *small = kata_field_new(points, "plane", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *large = kata_field_new(pixels, "picture", KATA_F64);
    kata_copy(small, kata_all(points), field, *plane, .axes = {across[0], across[1]});
    kata_apply(kata_kernel_find(m, "enlarge"), kata_all(pixels), small, large);
    if (!ends) return kata_save(large, path);
    return kata_save(large, path, .low = ends[0], .high = ends[1]);
}
