/* The integer transform of a copy: a permutation of the axes, signs, and a shift. */
#include "chain/chain.h"

int64_t chain_copy_index(const chain_copy *copy, int d, const int64_t point[3])
{
    return copy->sign[d] * point[copy->axis[d]] + copy->shift[d];
}

grid_box chain_copy_source(const chain_copy *copy, const grid_box *points)
{
    grid_box source;
    for (int d = 0; d < 3; d++) {
        int64_t axis = copy->axis[d], lo = points->lo[axis], hi = points->hi[axis];
        bool back = copy->sign[d] < 0;
        source.lo[d] = copy->shift[d] + (back ? 1 - hi : lo);
        source.hi[d] = copy->shift[d] + (back ? 1 - lo : hi);
    }
    return source;
}

bool chain_copy_is_straight(const chain_copy *copy, int d)
{
    return copy->axis[d] == d && copy->sign[d] == 1;
}
