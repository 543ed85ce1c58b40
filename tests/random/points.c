/* Where fields have values: points, ghosts, and the dimensions that they lack. */
#include "random.h"

bool has_dimension(const field *f, int d) { return !f->along || (f->along >> d & 1); }

void points_box(const program *p, const field *f, const kata_rule *rules, bool ghosts, range *out)
{
    *out = (range){.kind = RANGE_BOX, .hi = {1, 1, 1}, .level = f->level};
    for (int d = 0; d < p->rank; d++) {
        if (!has_dimension(f, d)) continue;
        const kata_rule *rule = &rules[2 * d];
        bool periodic = rule[0] == KATA_PERIODIC && rule[1] == KATA_PERIODIC;
        out->hi[d] = program_size(p, f->level, d) + (!periodic && (f->staggered >> d & 1));
        if (ghosts && rule[0] == KATA_NONE) out->lo[d] -= f->ghosts;
        if (ghosts && rule[1] == KATA_NONE) out->hi[d] += f->ghosts;
    }
}

bool is_alike(const field *a, const field *b)
{
    return a->type == b->type && a->components == b->components && a->level == b->level &&
           a->staggered == b->staggered && a->along == b->along && a->ghosts == b->ghosts &&
           a->temporary == b->temporary;
}
