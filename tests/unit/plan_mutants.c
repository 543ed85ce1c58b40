#include "plan_mutants.h"

#include "plan/node.h"
#include "plan_parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- choosing -------------------------------------------------------------------------------- */

static bool copy_plan(const plan *p, plan *out)
{
    text words = {0};
    int line;
    plan_print(&words, p, NULL);
    bool done = plan_parse(out, text_get(&words), &line);
    text_free(&words);
    return done;
}

typedef bool is_wanted(const plan_node *n);

/* A node of a copy of the plan; 0 when there is none that is wanted. */
static int pick(world *w, const plan *p, plan *out, is_wanted *wanted)
{
    int count = 0, found = 0;
    if (!copy_plan(p, out)) return 0;
    for (int i = 1; i < out->count; i++)
        if (wanted(&out->nodes[i]) && world_from(w, 0, count++) == 0) found = i;
    return found;
}

static bool is_tile(const plan_node *n) { return n->kind == PLAN_TILE && n->leaf_count; }
static bool is_blocks(const plan_node *n) { return n->kind == PLAN_BLOCKS && n->leaf_count; }
static bool is_buffer(const plan_node *n) { return n->kind == PLAN_BUFFER; }
static bool is_window(const plan_node *n) { return n->kind == PLAN_BUFFER && n->window; }
static bool is_alias(const plan_node *n) { return n->kind == PLAN_BUFFER && n->alias >= 0; }
static bool is_move(const plan_node *n) { return n->kind == PLAN_MOVE; }
static bool is_move_in(const plan_node *n) { return n->kind == PLAN_MOVE && !n->out; }
static bool is_move_out(const plan_node *n) { return n->kind == PLAN_MOVE && n->out; }
static bool is_started(const plan_node *n) { return n->kind == PLAN_MOVE && n->tag; }
static bool is_limited(const plan_node *n)
{
    bool limited = false;
    for (int d = 0; d < 3; d++) limited = limited || n->only[d].lo < n->only[d].hi;
    return n->kind == PLAN_MOVE && limited;
}
static bool is_wait(const plan_node *n) { return n->kind == PLAN_WAIT; }
static bool is_slotted(const plan_node *n) { return n->kind == PLAN_BUFFER && n->depth > 1; }
static bool is_late_wait(const plan_node *n) { return n->kind == PLAN_WAIT && n->behind; }
static bool is_early_move(const plan_node *n) { return n->kind == PLAN_MOVE && n->ahead; }
static bool is_full(const plan_node *n) { return plan_is_tile(n) && n->bytes; }
static bool is_wall(const plan_node *n)
{
    return n->kind == PLAN_TILE && n->size == 1 && !n->overlap && !n->parallel && !n->wave;
}
static bool is_exchange(const plan_node *n) { return n->kind == PLAN_EXCHANGE; }
static bool is_scalar(const plan_node *n) { return n->kind == PLAN_SCALAR; }
static bool is_loop(const plan_node *n) { return n->kind == PLAN_LOOP; }
static bool is_ring(const plan_node *n)
{
    return n->kind == PLAN_BUFFER &&
           (n->capacity[0] > 1 || n->capacity[1] > 1 || n->capacity[2] > 1);
}
static bool is_periodic(const plan_node *n)
{
    return (n->kind == PLAN_TILE || n->kind == PLAN_BLOCKS) &&
           (n->period[0] || n->period[1] || n->period[2]);
}
static bool is_parallel(const plan_node *n) { return n->kind == PLAN_TILE && n->parallel; }
static bool is_diamond(const plan_node *n) { return is_parallel(n) && !n->overlap && n->size > 1; }
static bool is_overlapped(const plan_node *n)
{
    bool grows = false;
    for (int i = 0; n->kind == PLAN_TILE && i < n->leaf_count; i++)
        grows = grows || n->spans[i].lo < 0 || n->spans[i].hi > 0;
    return grows && n->overlap;
}
static bool is_serial(const plan_node *n) { return n->kind == PLAN_TILE && !n->parallel; }
static bool is_no_seam(const plan_node *n) { return is_serial(n) && !n->seam; }
static bool is_no_wave(const plan_node *n) { return is_serial(n) && !n->wave && !n->overlap; }
static bool is_seam(const plan_node *n) { return n->kind == PLAN_TILE && n->seam; }
static bool is_wave(const plan_node *n) { return n->kind == PLAN_TILE && n->wave; }

/* ---- spans ----------------------------------------------------------------------------------- */

/* The leaf's node. */
static const plan_node *leaf_of(const plan *p, int leaf)
{
    for (int i = 1; i < p->count; i++)
        if (plan_is_leaf(&p->nodes[i]) && p->nodes[i].leaf == leaf) return &p->nodes[i];
    return NULL;
}

/* Adds to a span of a leaf of the wanted kind in a tile. */
static bool change_span(world *w, const plan *p, plan *out, is_wanted *tile, is_wanted *leaf,
                        int64_t lo, int64_t hi)
{
    int node = pick(w, p, out, tile);
    if (!node) return false;
    plan_node *n = &out->nodes[node];
    int each = plan_spans_per_leaf(n), count = 0, found = -1;
    for (int i = 0; i < n->leaf_count * each; i++)
        if (n->spans[i].hi < PLAN_FAR && leaf(leaf_of(out, n->leaf + i / each)) &&
            world_from(w, 0, count++) == 0)
            found = i;
    if (found < 0) return false;
    n->spans[found].lo += lo;
    n->spans[found].hi += hi;
    return true;
}

#define SPAN(name, tile, leaf, lo, hi)                                                             \
    static bool name(world *w, const plan *p, analysis_chain *a, const plan_request *r, plan *out) \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)r;                                                                                   \
        return change_span(w, p, out, tile, leaf, lo, hi);                                         \
    }
SPAN(shift_short, is_tile, is_loop, 1, 1)
SPAN(shift_long, is_tile, is_loop, -1, -1)
SPAN(loop_starts_late, is_tile, is_loop, 1, 0)
SPAN(loop_starts_early, is_tile, is_loop, -1, 0)
SPAN(loop_ends_early, is_tile, is_loop, 0, -1)
SPAN(loop_ends_late, is_tile, is_loop, 0, 1)
SPAN(move_in_starts_late, is_tile, is_move_in, 1, 0)
SPAN(move_in_ends_early, is_tile, is_move_in, 0, -1)
SPAN(move_in_late, is_tile, is_move_in, -1, -1)
SPAN(wall_saved_late, is_wall, is_move_in, -1, -1)
SPAN(move_out_starts_late, is_tile, is_move_out, 1, 0)
SPAN(move_out_ends_early, is_tile, is_move_out, 0, -1)
SPAN(move_out_early, is_tile, is_move_out, 1, 1)
SPAN(block_loop_short_below, is_blocks, is_loop, 1, 0)
SPAN(block_loop_short_above, is_blocks, is_loop, 0, -1)
SPAN(block_loop_far_above, is_blocks, is_loop, 0, 1)
SPAN(block_move_in_short, is_blocks, is_move_in, 1, -1)
SPAN(block_move_out_short, is_blocks, is_move_out, 0, -1)
SPAN(block_move_out_far, is_blocks, is_move_out, -1, 1)

/* ---- loops on coarser grids ------------------------------------------------------------------ */

/* Changes the spans of a leaf that has a scale in a tile along that dimension: by parts of the
 * scale, or all of them divided by it. */
typedef enum scaled_change {
    EARLIER = 1,
    LATER = 2,
    LOW_END = 4,
    HIGH_END = 8,
    ROUNDED = 16, /* by one point less than a coarse one has */
    COARSE = 32
} scaled_change;

static void change_end(int64_t *end, int64_t scale, scaled_change how)
{
    int64_t by = how & ROUNDED ? scale - 1 : scale;
    if (how & COARSE) *end = *end / scale;
    if (how & EARLIER) *end += by;
    if (how & LATER) *end -= by;
}

static bool change_scaled(world *w, const plan *p, plan *out, scaled_change how)
{
    int count = 0, found = -1, tile = 0;
    if (!copy_plan(p, out)) return false;
    for (int i = 1; i < out->count; i++) {
        const plan_node *n = &out->nodes[i];
        for (int k = 0; n->kind == PLAN_TILE && k < n->leaf_count; k++) {
            int64_t scale = plan_scale_of(leaf_of(out, n->leaf + k), n->dimension);
            if (scale == 1 || world_from(w, 0, count++) != 0) continue;
            found = n->leaf + k;
            tile = i;
        }
    }
    if (found < 0) return false;
    const plan_node *n = &out->nodes[tile];
    int64_t scale = plan_scale_of(leaf_of(out, found), n->dimension);
    plan_span *span = plan_span_of(n, found, n->dimension);
    if (how & LOW_END) change_end(&span->lo, scale, how);
    if (how & HIGH_END) change_end(&span->hi, scale, how);
    return true;
}

#define SCALED(name, how)                                                                          \
    static bool name(world *w, const plan *p, analysis_chain *a, const plan_request *r, plan *out) \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)r;                                                                                   \
        return change_scaled(w, p, out, (scaled_change)(how));                                     \
    }
SCALED(coarse_row_early, EARLIER | LOW_END | HIGH_END)
SCALED(coarse_row_late, LATER | LOW_END | HIGH_END)
SCALED(coarse_row_twice, LATER | LOW_END)
SCALED(coarse_row_nowhere, EARLIER | LOW_END)
SCALED(coarse_last_row_nowhere, LATER | HIGH_END)
SCALED(coarse_rounded_early, ROUNDED | EARLIER | LOW_END | HIGH_END)
SCALED(coarse_rounded_late, ROUNDED | LATER | LOW_END | HIGH_END)
SCALED(coarse_ends_apart, ROUNDED | EARLIER | LOW_END)
SCALED(lag_in_coarse_points, COARSE | LOW_END | HIGH_END)

static bool is_scaled(const plan_node *n)
{
    return n->kind == PLAN_LOOP && n->scale[0] * n->scale[1] * n->scale[2] > 1;
}

/* ---- numbers of nodes ------------------------------------------------------------------------ */

/* A statement on a node `n` of the wanted kind. */
#define CHANGE(name, wanted, ...)                                                                  \
    static bool name(world *w, const plan *p, analysis_chain *a, const plan_request *r, plan *out) \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)r;                                                                                   \
        int node = pick(w, p, out, wanted);                                                        \
        if (!node) return false;                                                                   \
        plan_node *n = &out->nodes[node];                                                          \
        __VA_ARGS__;                                                                               \
        return true;                                                                               \
    }

static int some_capacity(world *w, const plan_node *n)
{
    int d = (int)world_from(w, 0, 2);
    while (n->capacity[d] <= 1) d = (d + 1) % 3;
    return d;
}

static int other_field(world *w, const analysis_chain *a, int slot)
{
    for (int tries = 0; tries < 20; tries++) {
        int other = (int)world_from(w, 0, a->slot_count - 1);
        if (other != slot && !a->slots[other]->is_scalar) return other;
    }
    return slot;
}

static void move_cut(world *w, plan_node *n)
{
    for (int d = 0; d < 3; d++)
        if (n->parts[d] > 1) {
            int i = (int)world_from(w, 1, n->parts[d] - 1);
            if (n->cuts[d][i] < n->cuts[d][i + 1]) n->cuts[d][i]++;
        }
}

/* Loops of a wave lag in the wrong direction: what is still right in one order of the tiles may be
 * wrong in another. */
static void turn_spans(plan_node *n)
{
    for (int i = 0; i < n->leaf_count; i++) {
        n->spans[i].lo = -n->spans[i].lo;
        n->spans[i].hi = -n->spans[i].hi;
    }
}

static void change_seams(plan_node *n, int64_t lo, int64_t hi)
{
    for (int i = 0; i < n->leaf_count; i++) {
        plan_span *seam = plan_seam_of(n, n->leaf + i);
        seam->lo += lo;
        seam->hi += hi;
    }
}

/* The first tile does not shrink. */
static void flatten_seams(plan_node *n)
{
    for (int i = 0; i < n->leaf_count; i++) *plan_seam_of(n, n->leaf + i) = (plan_span){0, 0};
}

CHANGE(seam_starts_early, is_seam, change_seams(n, -1, 0))
CHANGE(seam_ends_early, is_seam, change_seams(n, 0, -1))
CHANGE(seam_flat, is_seam, flatten_seams(n))
CHANGE(tile_larger, is_tile, n->size++)
CHANGE(diamond_smaller, is_diamond, n->size--)
CHANGE(tile_other_dimension, is_tile, n->dimension = (n->dimension + 1) % 3)
CHANGE(tile_made_parallel, is_no_seam, n->parallel = true; n->wave = false)
CHANGE(tile_made_wave, is_no_wave, n->wave = true)
CHANGE(wave_backwards, is_wave, turn_spans(n))
CHANGE(tile_owns_all, is_overlapped, n->overlap = false)
CHANGE(tile_made_overlapped, is_parallel, n->overlap = !n->overlap)
CHANGE(seam_dropped, is_periodic, memset(n->period, 0, sizeof n->period))
CHANGE(seam_far, is_periodic, for (int d = 0; d < 3; d++) n->period[d] += n->period[d] > 0)
CHANGE(cut_moved, is_blocks, move_cut(w, n))
CHANGE(buffer_short, is_ring, n->capacity[some_capacity(w, n)]--)
CHANGE(buffer_tiny, is_ring, n->capacity[some_capacity(w, n)] = 1)
CHANGE(buffer_of_other_field, is_buffer, n->slot = other_field(w, a, n->slot))
CHANGE(window_short, is_window, n->reach.hi--)
CHANGE(window_far, is_window, n->reach.hi++)
CHANGE(window_everywhere, is_window, n->window = 0)
CHANGE(alias_apart, is_alias, n->alias = -1)
CHANGE(move_of_other_field, is_move, n->slot = other_field(w, a, n->slot))
CHANGE(move_turned, is_move, n->out = !n->out)
CHANGE(move_never_awaited, is_started, n->tag += 10)
CHANGE(wait_for_nothing, is_wait, n->tag += 10)
CHANGE(slots_fewer, is_slotted, n->depth--)
CHANGE(put_awaited_late, is_late_wait, n->behind++)
CHANGE(get_too_early, is_early_move, n->ahead++)
CHANGE(move_limited_below, is_limited,
       for (int d = 0; d < 3; d++) n->only[d].lo += n->only[d].lo + 1 < n->only[d].hi)
CHANGE(move_limited_above, is_limited,
       for (int d = 0; d < 3; d++) n->only[d].hi -= n->only[d].lo + 1 < n->only[d].hi)
CHANGE(memory_too_small, is_full, n->bytes = n->bytes > 64 ? n->bytes / 64 : 1)
CHANGE(exchange_shallow_below, is_exchange,
       for (int d = 0; d < 3; d++) n->margin[d].lo += n->margin[d].lo < 0)
CHANGE(exchange_shallow_above, is_exchange,
       for (int d = 0; d < 3; d++) n->margin[d].hi -= n->margin[d].hi > 0)
CHANGE(exchange_of_other_field, is_exchange, n->slot = other_field(w, a, n->slot))
CHANGE(scale_lost, is_scaled, n->scale[0] = n->scale[1] = n->scale[2] = 1)
CHANGE(scale_larger, is_scaled, for (int d = 0; d < 3; d++) n->scale[d] += n->scale[d] > 1)
CHANGE(scale_less, is_scaled, for (int d = 0; d < 3; d++) n->scale[d] -= n->scale[d] > 1)
CHANGE(scale_of_other, is_loop, n->scale[world_from(w, 0, 2)] = 2)
CHANGE(other_loop, is_loop, n->loop = (int)world_from(w, 0, a->loop_count - 1))
CHANGE(other_scalar, is_scalar, n->loop = (int)world_from(w, 0, a->loop_count - 1))

/* ---- lines of the text ----------------------------------------------------------------------- */

static int indent_of(const char *line) { return (int)strspn(line, " "); }

/* Splits into lines, at most `room`; the text is changed. */
static int split(char *words, char **lines, int room)
{
    int count = 0;
    for (char *line = strtok(words, "\n"); line && count < room; line = strtok(NULL, "\n"))
        lines[count++] = line;
    return count;
}

enum { MOST_LINES = 4096 };
typedef enum edit { DROP, REPEAT, SWAP } edit;

/* Edits a line of a kind that has no children. */
static bool edit_line(world *w, const plan *p, const char *kind, edit how, plan *out)
{
    static char *lines[MOST_LINES];
    text words = {0}, changed = {0};
    int found = -1, candidates = 0, line;
    plan_print(&words, p, NULL);
    char *copy = strdup(text_get(&words));
    int count = split(copy, lines, MOST_LINES);
    for (int i = 0; i < count; i++) {
        bool next = i + 1 < count && indent_of(lines[i + 1]) == indent_of(lines[i]) &&
                    (i + 2 == count || indent_of(lines[i + 2]) <= indent_of(lines[i]));
        if (strncmp(lines[i] + indent_of(lines[i]), kind, strlen(kind))) continue;
        if (how == SWAP && !next) continue;
        if (world_from(w, 0, candidates++) == 0) found = i;
    }
    for (int i = 0; i < count; i++) {
        if (i == found && how == DROP) continue;
        const char *shown = i == found && how == SWAP                     ? lines[i + 1]
                            : i == found + 1 && found >= 0 && how == SWAP ? lines[found]
                                                                          : lines[i];
        text_add(&changed, "%s\n", shown);
        if (i == found && how == REPEAT) text_add(&changed, "%s\n", shown);
    }
    bool done = found >= 0 && plan_parse(out, text_get(&changed), &line);
    text_free(&words);
    text_free(&changed);
    free(copy);
    return done;
}

#define EDIT(name, kind, how)                                                                      \
    static bool name(world *w, const plan *p, analysis_chain *a, const plan_request *r, plan *out) \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)r;                                                                                   \
        return edit_line(w, p, kind, how, out);                                                    \
    }
EDIT(drop_loop, "loop", DROP)
EDIT(drop_move, "move", DROP)
EDIT(drop_wait, "wait", DROP)
EDIT(drop_exchange, "exchange", DROP)
EDIT(drop_scalar, "scalar", DROP)
EDIT(repeat_loop, "loop", REPEAT)
EDIT(repeat_move, "move", REPEAT)
EDIT(repeat_scalar, "scalar", REPEAT)
EDIT(swap_loops, "loop", SWAP)
EDIT(swap_moves, "move", SWAP)
EDIT(swap_scalars, "scalar", SWAP)
EDIT(swap_exchanges, "exchange", SWAP)

/* ---- the analysis, damaged while the plan is made -------------------------------------------- */

typedef void damage(world *w, analysis_touch *t);

static bool plan_anew(world *w, analysis_chain *a, const plan_request *r, damage *damage, plan *out)
{
    if (!a->loop_count) return false;
    analysis_loop *l = &a->loops[world_from(w, 0, a->loop_count - 1)];
    if (!l->touch_count || l->loop->once) return false;
    analysis_touch *t = (analysis_touch *)&l->touches[world_from(w, 0, l->touch_count - 1)];
    analysis_touch right = *t;
    damage(w, t);
    if (!t->scalar) analysis_find_distances(l, t);
    bool made = plan_make(out, a, r);
    *t = right;
    return made;
}

static void read_less_above(world *w, analysis_touch *t)
{
    (void)w;
    for (int d = 0; d < 3; d++) t->hi[d] -= t->hi[d] > t->lo[d];
}
static void read_less_below(world *w, analysis_touch *t)
{
    (void)w;
    for (int d = 0; d < 3; d++) t->lo[d] += t->hi[d] > t->lo[d];
}
static void read_there_only(world *w, analysis_touch *t)
{
    (void)w;
    for (int d = 0; d < 3; d++) t->hi[d] = t->lo[d] = 0;
}
static void read_not_write(world *w, analysis_touch *t)
{
    (void)w;
    t->writes = false;
}
static void keep_nothing(world *w, analysis_touch *t)
{
    (void)w;
    t->partial = false;
    for (int d = 0; d < 3 && t->writes; d++) {
        t->at.lo[d] = -100;
        t->at.hi[d] = 100;
    }
}

#define DAMAGE(name, how)                                                                          \
    static bool name(world *w, const plan *p, analysis_chain *a, const plan_request *r, plan *out) \
    {                                                                                              \
        (void)p;                                                                                   \
        return plan_anew(w, a, r, how, out);                                                       \
    }
DAMAGE(dependence_short_above, read_less_above)
DAMAGE(dependence_short_below, read_less_below)
DAMAGE(offsets_lost, read_there_only)
DAMAGE(write_lost, read_not_write)
DAMAGE(old_values_lost, keep_nothing)

/* A field taken for dead too early. */
static bool freed_early(world *w, const plan *p, analysis_chain *a, const plan_request *r,
                        plan *out)
{
    (void)p;
    if (!a->slot_count) return false;
    int slot = (int)world_from(w, 0, a->slot_count - 1);
    if (a->dead[slot]) return false;
    a->dead[slot] = true;
    bool made = plan_make(out, a, r);
    a->dead[slot] = false;
    return made;
}

#define MUTANT(name)                                                                               \
    {                                                                                              \
#name, name                                                                                \
    }
const mutant mutants[] = {
    MUTANT(shift_short),
    MUTANT(shift_long),
    MUTANT(loop_starts_late),
    MUTANT(loop_starts_early),
    MUTANT(loop_ends_early),
    MUTANT(loop_ends_late),
    MUTANT(move_in_starts_late),
    MUTANT(move_in_ends_early),
    MUTANT(move_in_late),
    MUTANT(move_out_starts_late),
    MUTANT(move_out_ends_early),
    MUTANT(move_out_early),
    MUTANT(block_loop_short_below),
    MUTANT(block_loop_short_above),
    MUTANT(block_loop_far_above),
    MUTANT(block_move_in_short),
    MUTANT(block_move_out_short),
    MUTANT(block_move_out_far),
    MUTANT(coarse_row_early),
    MUTANT(coarse_row_late),
    MUTANT(coarse_row_twice),
    MUTANT(coarse_row_nowhere),
    MUTANT(coarse_last_row_nowhere),
    MUTANT(coarse_rounded_early),
    MUTANT(coarse_rounded_late),
    MUTANT(coarse_ends_apart),
    MUTANT(lag_in_coarse_points),
    MUTANT(scale_lost),
    MUTANT(scale_larger),
    MUTANT(scale_less),
    MUTANT(scale_of_other),
    MUTANT(tile_larger),
    MUTANT(diamond_smaller),
    MUTANT(tile_other_dimension),
    MUTANT(tile_made_parallel),
    MUTANT(tile_made_wave),
    MUTANT(wave_backwards),
    MUTANT(seam_starts_early),
    MUTANT(seam_ends_early),
    MUTANT(seam_flat),
    MUTANT(tile_owns_all),
    MUTANT(tile_made_overlapped),
    MUTANT(seam_dropped),
    MUTANT(seam_far),
    MUTANT(cut_moved),
    MUTANT(buffer_short),
    MUTANT(buffer_tiny),
    MUTANT(buffer_of_other_field),
    MUTANT(window_short),
    MUTANT(window_far),
    MUTANT(window_everywhere),
    MUTANT(alias_apart),
    MUTANT(move_of_other_field),
    MUTANT(move_turned),
    MUTANT(move_never_awaited),
    MUTANT(wait_for_nothing),
    MUTANT(slots_fewer),
    MUTANT(put_awaited_late),
    MUTANT(get_too_early),
    MUTANT(move_limited_below),
    MUTANT(move_limited_above),
    MUTANT(memory_too_small),
    MUTANT(wall_saved_late),
    MUTANT(exchange_shallow_below),
    MUTANT(exchange_shallow_above),
    MUTANT(exchange_of_other_field),
    MUTANT(other_loop),
    MUTANT(other_scalar),
    MUTANT(drop_loop),
    MUTANT(drop_move),
    MUTANT(drop_wait),
    MUTANT(drop_exchange),
    MUTANT(drop_scalar),
    MUTANT(repeat_loop),
    MUTANT(repeat_move),
    MUTANT(repeat_scalar),
    MUTANT(swap_loops),
    MUTANT(swap_moves),
    MUTANT(swap_scalars),
    MUTANT(swap_exchanges),
    MUTANT(dependence_short_above),
    MUTANT(dependence_short_below),
    MUTANT(offsets_lost),
    MUTANT(write_lost),
    MUTANT(old_values_lost),
    MUTANT(freed_early),
};
const int mutant_count = (int)COUNT_OF(mutants);
