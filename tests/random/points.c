/* Where fields have values: points, ghosts, and the dimensions that they lack. */
#include "random.h"

bool has_dimension(const field *f, int d) { return !f->along || (f->along >> d & 1); }

void points_box(const program *p, const field *f, const wall *walls, bool ghosts, range *out)
{
    *out = (range){.kind = RANGE_BOX, .hi = {1, 1, 1}, .level = f->level};
    for (int d = 0; d < p->rank; d++) {
        if (!has_dimension(f, d)) continue;
        const wall *wall = &walls[2 * d];
        bool periodic = wall[0].rule == KATA_PERIODIC && wall[1].rule == KATA_PERIODIC;
        out->hi[d] = program_size(p, f->level, d) + (!periodic && (f->staggered >> d & 1));
        if (ghosts && wall[0].rule == KATA_NONE) out->lo[d] -= f->ghosts;
        if (ghosts && wall[1].rule == KATA_NONE) out->hi[d] += f->ghosts;
    }
}

bool is_alike(const field *a, const field *b)
{
    return a->type == b->type && a->components == b->components && a->level == b->level &&
           a->staggered == b->staggered && a->along == b->along && a->ghosts == b->ghosts &&
           a->temporary == b->temporary;
}
