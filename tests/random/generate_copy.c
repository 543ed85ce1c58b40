/* Copies between boxes of fields, turned and reversed. */
#include "generate.h"

#include <stdlib.h>

static void draw_axes(chance *c, int axes[3])
{
    for (int d = 0; d < 3; d++) axes[d] = d + 1;
    for (int d = 2; d > 0; d--) {
        int other = chance_from(c, 0, d), axis = axes[d];
        axes[d] = axes[other];
        axes[other] = axis;
    }
    for (int d = 0; d < 3; d++)
        if (chance_of(c, 50)) axes[d] = -axes[d];
}

static int64_t first_of(chance *c, const range *all, int d, int64_t count)
{
    return all->lo[d] + chance_from(c, 0, (int)(all->hi[d] - all->lo[d] - count));
}

void generate_boxes(chance *c, const range *to, const range *from, step *s)
{
    s->range = *to;
    s->source = *from;
    draw_axes(c, s->axes);
    for (int d = 0; d < 3; d++) {
        int e = abs(s->axes[d]) - 1;
        int64_t room = to->hi[d] - to->lo[d], other = from->hi[e] - from->lo[e];
        int64_t most = room < other ? room : other;
        int64_t count = most && chance_of(c, 50) ? chance_from(c, 1, (int)most) : most;
        s->range.lo[d] = first_of(c, to, d, count);
        s->range.hi[d] = s->range.lo[d] + count;
        s->source.lo[e] = first_of(c, from, e, count);
        s->source.hi[e] = s->source.lo[e] + count;
    }
}
