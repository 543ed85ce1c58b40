/* Arrays on memory of the program: what strides mean and whether they make sense.
 *
 * An array reaches the elements at distance sum(i[d] * stride[d]), 0 <= i[d] - first[d] < count[d],
 * over the three dimensions and the components. Two elements share an address where a difference of
 * such sums is 0; two arrays of equal strides in bytes, where one is the distance of their first
 * elements. */
#include "store/store.h"

#include <stdlib.h>

enum { STRIDES = 4, COMPONENTS = 3 };

typedef struct reach {
    int64_t stride[STRIDES], count[STRIDES], first[STRIDES];
} reach;

static reach reach_of(const store_array *a)
{
    const int64_t *lo = a->box.lo, *hi = a->box.hi;
    return (reach){{a->pitch_x, a->pitch_y, a->pitch_z, a->pitch_component},
                   {hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2], a->components},
                   {lo[0], lo[1], lo[2], 0}};
}

static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

store_array *store_array_wrap(const store_array *as)
{
    store_array *a = malloc(sizeof *a);
    if (!a) return NULL;
    *a = *as;
    a->block = 1;
    a->bytes = 0;
    a->pins = NULL;
    a->pinned = false;
    return a;
}

bool store_wrap_complete(store_array *a)
{
    int64_t *pitch[STRIDES] = {&a->pitch_x, &a->pitch_y, &a->pitch_z, &a->pitch_component};
    reach r = reach_of(a);
    int64_t plain = 1;
    for (int d = 0; d < STRIDES; d++) {
        if (!*pitch[d]) *pitch[d] = plain;
        if (*pitch[d] == INT64_MIN ||
            __builtin_mul_overflow(magnitude(*pitch[d]), r.count[d], &plain))
            return false;
    }
    if (r.count[0] == 1) a->pitch_x = 1; /* rows of one point are contiguous */
    return true;
}

/* The strides that matter, from the longest to the shortest; returns their number. */
static int order(const reach *r, int out[STRIDES])
{
    int count = 0;
    for (int d = 0; d < STRIDES; d++) {
        if (r->count[d] == 1) continue;
        int at = count++;
        for (; at > 0 && magnitude(r->stride[out[at - 1]]) < magnitude(r->stride[d]); at--)
            out[at] = out[at - 1];
        out[at] = d;
    }
    return count;
}

int store_wrap_overlap(const store_array *a, int64_t *within)
{
    reach r = reach_of(a);
    int by_length[STRIDES];
    *within = 1;
    for (int i = order(&r, by_length) - 1; i >= 0; i--) {
        int d = by_length[i];
        if (magnitude(r.stride[d]) < *within) return d;
        *within += (r.count[d] - 1) * magnitude(r.stride[d]);
    }
    return -1;
}

bool store_wrap_span(const store_array *a, uintptr_t *low, uintptr_t *high)
{
    reach r = reach_of(a);
    int64_t bytes = store_type_bytes(a->type), down = 0, up = bytes;
    for (int d = 0; d < STRIDES; d++) {
        int64_t ends[2] = {r.first[d], r.first[d] + r.count[d] - 1};
        for (int e = 0; e < 2; e++) {
            int64_t far;
            if (__builtin_mul_overflow(ends[e], r.stride[d], &far) ||
                __builtin_mul_overflow(far, bytes, &far) ||
                __builtin_add_overflow(far < 0 ? down : up, far, far < 0 ? &down : &up))
                return false;
        }
    }
    *low = (uintptr_t)a->data - (uintptr_t)-down;
    *high = (uintptr_t)a->data + (uintptr_t)up;
    return *low <= (uintptr_t)a->data && *high > (uintptr_t)a->data;
}

/* ---- two arrays ------------------------------------------------------------------------------ */

/* Differences of sums: those of strides in bytes, from the longest, times -low .. high. */
typedef struct differences {
    int count;
    int64_t stride[STRIDES], low[STRIDES], high[STRIDES];
    int64_t before, after; /* a difference from -before to after is a byte in common */
} differences;

/* The largest difference that strides from i on make. */
static int64_t rest(const differences *d, int i)
{
    int64_t far = d->before > d->after ? d->before : d->after;
    for (; i < d->count; i++)
        far += magnitude(d->stride[i]) * (d->low[i] > d->high[i] ? d->low[i] : d->high[i]);
    return far;
}

/* Whether strides from i on have a difference so close to `distance` that bytes are shared. */
static bool reaches(const differences *d, int i, int64_t distance)
{
    if (i == d->count) return distance >= -d->before && distance <= d->after;
    int64_t stride = d->stride[i], far = rest(d, i + 1), about = distance / stride;
    int64_t spread = far / magnitude(stride) + 1;
    for (int64_t k = about - spread; k <= about + spread; k++)
        if (k >= -d->low[i] && k <= d->high[i] && reaches(d, i + 1, distance - k * stride))
            return true;
    return false;
}

/* False where the strides of two arrays differ. */
static bool differences_of(const store_array *a, const store_array *b, differences *out)
{
    int64_t a_bytes = store_type_bytes(a->type), b_bytes = store_type_bytes(b->type);
    reach x = reach_of(a), y = reach_of(b), all = x;
    for (int d = 0; d < STRIDES; d++) {
        int64_t x_stride = x.stride[d] * a_bytes, y_stride = y.stride[d] * b_bytes;
        if (x.count[d] > 1 && y.count[d] > 1 && x_stride != y_stride) return false;
        all.stride[d] = x.count[d] > 1 ? x_stride : y_stride;
        all.count[d] = x.count[d] > 1 ? x.count[d] : y.count[d];
    }
    int by_length[STRIDES];
    *out =
        (differences){.count = order(&all, by_length), .before = b_bytes - 1, .after = a_bytes - 1};
    for (int i = 0; i < out->count; i++) {
        int d = by_length[i];
        out->stride[i] = all.stride[d];
        out->high[i] = x.count[d] - 1;
        out->low[i] = y.count[d] - 1;
    }
    return true;
}

static const void *first_of(const store_array *a) { return store_address(a, 0, a->box.lo); }

bool store_wrap_shared(const store_array *a, const store_array *b)
{
    uintptr_t a_low, a_high, b_low, b_high;
    if (!store_wrap_span(a, &a_low, &a_high) || !store_wrap_span(b, &b_low, &b_high)) return true;
    if (a_high <= b_low || b_high <= a_low) return false;
    differences d;
    int64_t distance = (int64_t)((uintptr_t)first_of(b) - (uintptr_t)first_of(a));
    return !differences_of(a, b, &d) || reaches(&d, 0, distance);
}
