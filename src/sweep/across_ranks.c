/* Reductions of loops of which each rank has run some points. All ranks get the partials of all, in
 * their places of the whole box, and reduce that box in the one order of reductions (reduce.h). So
 * all have the same bits, and those of one rank.
 *
 * What a rank sends: the box of its partials, those of each reduction, and its bins. */
#include "sweep/reductions.h"

#include <stdlib.h>
#include <string.h>

typedef struct meeting {
    sweep_partials mine;
    const sweep_loop *l; /* whose bins meet, too; NULL: no bins */
    const char *all;     /* of all ranks */
    const size_t *starts;
    int count;
    grid_box whole;
} meeting;

static int bins_of(const meeting *m) { return m->l ? m->l->bins_count : 0; }

static size_t bytes_of_bins(const meeting *m)
{
    size_t bytes = 0;
    for (int b = 0; b < bins_of(m); b++) bytes += (size_t)m->l->bins[b].bytes;
    return bytes;
}

static char *append(char *to, const void *from, size_t bytes)
{
    if (bytes) memcpy(to, from, bytes);
    return to + bytes;
}

/* What this rank sends; NULL when memory is out. */
static char *make_message(const meeting *m, size_t *bytes)
{
    const grid_box *left = &m->mine.box;
    size_t partials = (size_t)grid_box_points(left) * sizeof(ir_value);
    *bytes = sizeof *left + (size_t)m->mine.count * partials + bytes_of_bins(m);
    char *message = malloc(*bytes), *to = message;
    if (!message) return NULL;
    to = append(to, left, sizeof *left);
    for (int r = 0; r < m->mine.count; r++) to = append(to, m->mine.of[r], partials);
    for (int b = 0; b < bins_of(m); b++)
        to = append(to, m->l->shares[0].bins[b], (size_t)m->l->bins[b].bytes);
    return message;
}

/* The box of a rank's partials. */
static grid_box box_of(const meeting *m, int rank)
{
    grid_box box;
    memcpy(&box, m->all + m->starts[rank], sizeof box);
    return box;
}

static void find_whole(meeting *m)
{
    bool any = false;
    for (int i = 0; i < m->count; i++) {
        grid_box box = box_of(m, i);
        if (grid_box_is_empty(&box)) continue;
        m->whole = any ? grid_box_hull(&m->whole, &box) : box;
        any = true;
    }
}

/* Puts a rank's partials of a reduction to their places; returns the end of what was read. */
static const char *place_partials(const meeting *m, const grid_box *box, const char *from,
                                  ir_value *values)
{
    const int64_t nx = m->whole.hi[0] - m->whole.lo[0], ny = m->whole.hi[1] - m->whole.lo[1];
    const size_t row = (size_t)(box->hi[0] - box->lo[0]) * sizeof *values;
    for (int64_t z = box->lo[2]; z < box->hi[2]; z++)
        for (int64_t y = box->lo[1]; y < box->hi[1]; y++, from += row) {
            int64_t at = ((z - m->whole.lo[2]) * ny + y - m->whole.lo[1]) * nx;
            memcpy(values + at + box->lo[0] - m->whole.lo[0], from, row);
        }
    return from;
}

static void join_rank(const meeting *m, int rank, ir_value *values)
{
    const char *from = m->all + m->starts[rank] + sizeof(grid_box);
    grid_box box = box_of(m, rank);
    for (int r = 0; r < m->mine.count && !grid_box_is_empty(&box); r++)
        from = place_partials(m, &box, from, values + r * grid_box_points(&m->whole));
    for (int b = 0; b < bins_of(m); b++) {
        sweep_join_bins(m->l, b, from);
        from += m->l->bins[b].bytes;
    }
}

static ir_value *join_ranks(meeting *m)
{
    find_whole(m);
    size_t count = (size_t)(m->mine.count * grid_box_points(&m->whole));
    ir_value *values = calloc(count + 1, sizeof *values);
    if (m->l) sweep_begin_bins(m->l); /* this rank's are among those of all */
    for (int i = 0; i < m->count && values; i++) join_rank(m, i, values);
    return values;
}

static ir_value *meet(const sweep_ranks *ranks, meeting *m)
{
    size_t bytes;
    char *message = make_message(m, &bytes);
    if (message) m->count = ranks->gather(ranks->data, message, bytes, &m->all, &m->starts);
    ir_value *values = m->count ? join_ranks(m) : NULL;
    free(message);
    return values;
}

ir_value *sweep_meet_partials(const sweep_ranks *ranks, const sweep_partials *mine, grid_box *whole)
{
    meeting m = {.mine = *mine};
    ir_value *values = meet(ranks, &m);
    *whole = m.whole;
    return values;
}

ir_value *sweep_meet_ranks(const sweep_loop *l, const grid_box *left, grid_box *whole)
{
    const ir_value **of = calloc((size_t)l->reduction_count + 1, sizeof *of);
    meeting m = {.mine = {*left, l->reduction_count, of}, .l = l};
    sweep_join_threads(l);
    for (int r = 0; r < l->reduction_count && of; r++) of[r] = l->reductions[r].partials;
    ir_value *values = of ? meet(&l->workers->ranks, &m) : NULL;
    *whole = m.whole;
    free(of);
    return values;
}
