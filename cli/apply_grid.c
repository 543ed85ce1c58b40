/* The grid of `kata apply`, and the points of it that the kernel is applied to. */
#include "cli.h"

#include <stdlib.h>

/* "64x32": up to three sizes. */
static bool read_size(const apply *a, const char *word, kata_shape *shape)
{
    char *end = (char *)word;
    *shape = (kata_shape){.size = {1, 1, 1}};
    while (shape->rank < 3) {
        const char *start = end;
        long long n = strtoll(start, &end, 10);
        if (end == start || n < 1) break;
        shape->size[shape->rank++] = n;
        if (!*end) return true;
        if (*end++ != 'x') break;
    }
    options_wrong(a->o, "--size takes NX, NXxNY or NXxNYxNZ, not '%s'", word);
    return false;
}

/* A coarser field that does not fit is refused when the kernel is applied. */
void apply_scale(kata_shape *shape, const int times[3], const int by[3])
{
    for (int d = 0; d < shape->rank; d++) shape->size[d] = shape->size[d] * times[d] / by[d];
    for (int d = 0; d < shape->rank; d++)
        if (shape->size[d] < 1) shape->size[d] = 1;
}

/* From the points of a field to the cells along its dimensions. Sides that are periodic share a
 * face. */
static bool take_cells(const apply *a, const apply_param *p, kata_shape *shape)
{
    for (int d = 0; d < shape->rank; d++) {
        if (!(p->staggered >> d & 1) || p->rule == KATA_PERIODIC) continue;
        if (--shape->size[d] >= 1) continue;
        options_wrong(a->o, "%s has one point along %c, and a staggered field two at least",
                      p->input, "xyz"[d]);
        return false;
    }
    return true;
}

static bool divides(const apply *a, const apply_param *p, const kata_shape *shape)
{
    for (int d = 0; d < shape->rank; d++) {
        if (shape->size[d] % p->param.finer[d] == 0) continue;
        options_wrong(
            a->o, "%s has %lld points along %c, which the ratio %d of '%s' does not divide",
            p->input, (long long)shape->size[d], "xyz"[d], p -> param.finer[d], p->param.name);
        return false;
    }
    return true;
}

bool apply_find_shape(const apply *a, const char *size, kata_shape *shape)
{
    const apply_param *first = NULL;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->params[i].input && !a->params[i].param.along) first = &a->params[i];
    if (!first && !size) {
        options_wrong(a->o, "no field is read from a file; say how many points: --size NXxNY");
        return false;
    }
    if (first && kata_file_shape(a->k, first->input, first->param.count, shape) != KATA_OK)
        return false;
    if (first && size) {
        options_wrong(a->o, "--size is for kernels without input; %s has a size", first->input);
        return false;
    }
    if (!first) return read_size(a, size, shape);
    if (!take_cells(a, first, shape) || !divides(a, first, shape)) return false;
    apply_scale(shape, first->param.coarser, first->param.finer);
    return true;
}

kata_grid *apply_make_grid(const apply *a, const kata_shape *shape)
{
    const int64_t *n = shape->size;
    return shape->rank == 1   ? kata_grid_1d(a->k, n[0])
           : shape->rank == 2 ? kata_grid_2d(a->k, n[0], n[1])
                              : kata_grid_3d(a->k, n[0], n[1], n[2]);
}

/* ---- the range ------------------------------------------------------------------------------- */

/* Whether the last face along a dimension is computed: all fields that are written have it or,
 * where none is, all. Fields that lack the dimension do not count, nor do reductions as written. */
static bool ends_with_faces(const apply *a, int d)
{
    bool any = false, written = false;
    for (int i = 0; i < a->count; i++)
        written |= apply_is_written(&a->params[i]) && !apply_is_column(&a->params[i]);
    for (int i = 0; i < a->count; i++) {
        const apply_param *p = &a->params[i];
        if (p->param.along && !(p->param.along >> d & 1)) continue;
        if (!apply_is_field(p) || (written && !apply_is_written(p))) continue;
        bool same_grid = p->param.finer[d] == 1 && p->param.coarser[d] == 1;
        if (!same_grid || !(p->staggered >> d & 1) || p->rule == KATA_PERIODIC) return false;
        any = true;
    }
    return any;
}

/* Along dimensions that a written field lacks, the first index; a reduction goes over all. */
kata_range apply_range(const apply *a, int64_t inner, kata_grid *grid)
{
    kata_range range = kata_inner(grid, inner);
    for (int d = 0; d < range.rank; d++) range.hi[d] += ends_with_faces(a, d);
    for (int i = 0; i < a->count; i++) {
        const kata_param *p = &a->params[i].param;
        if (!apply_is_written(&a->params[i]) || !p->along || apply_is_column(&a->params[i]))
            continue;
        for (int d = 0; d < range.rank; d++) {
            if (p->along >> d & 1) continue;
            range.lo[d] = 0;
            range.hi[d] = 1;
        }
    }
    return range;
}
