/* Layouts of ranks: cells, near ranks, and what a proof says of layouts that are no partition. */
/* Labels: hostile */
#include "dealt_layouts.h"
#include "lang/lang.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LAYOUTS = 300 };

/* ---- cells ----------------------------------------------------------------------------------- */

/* Cuts of 1300 x 90 points that lie in the middle of x, and at sixths of y. */
static void cells_are_as_large_as_cuts_allow(void **state)
{
    (void)state;
    static const grid_box boxes[] = {{{0, 0, 0}, {1300, 30, 1}},
                                     {{0, 30, 0}, {650, 60, 1}},
                                     {{650, 30, 0}, {1300, 60, 1}},
                                     {{0, 60, 0}, {1300, 75, 1}},
                                     {{0, 75, 0}, {1300, 90, 1}}};
    const int cells[3] = {1300, 90, 1};
    plan_ranks ranks;
    arena memory = {0};
    assert_true(plan_ranks_lay_out(&ranks, &memory, cells, boxes, NULL, 5, 3));
    assert_int_equal(ranks.raster.cells[0], 2);
    assert_int_equal(ranks.raster.cells[1], 6);
    assert_int_equal(ranks.raster.cells[2], 1);
    assert_int_equal(ranks.raster.thinnest[0], 1);
    assert_int_equal(ranks.raster.thinnest[1], 1);
    assert_int_equal(ranks.boxes[1].lo[1], 2);
    assert_int_equal(ranks.boxes[2].lo[0], 1);
    arena_free(&memory);
}

/* A box of ranks, or one of which each has equally many points: so plans are those of a box. */
static void even_rectangles_are_a_box(void **state)
{
    (void)state;
    const int count[3] = {1, 2, 3}, cells[3] = {1, 64, 96};
    grid_box boxes[6];
    plan_ranks box, ranks;
    arena memory = {0};
    for (int r = 0; r < 6; r++)
        boxes[r] = (grid_box){{0, r % 2 * 32, r / 2 * 32}, {1, r % 2 * 32 + 32, r / 2 * 32 + 32}};
    assert_true(plan_ranks_box(&box, &memory, count, 2));
    assert_true(plan_ranks_lay_out(&ranks, &memory, cells, boxes, NULL, 6, 2));
    assert_memory_equal(&box.raster, &ranks.raster, sizeof box.raster);
    assert_memory_equal(box.boxes, ranks.boxes, 6 * sizeof *box.boxes);
    assert_int_equal(box.near_count, ranks.near_count);
    arena_free(&memory);
}

/* ---- near ranks ------------------------------------------------------------------------------ */

/* Whether a box meets one of a rank's own, or an image of it a period away. */
static bool meets_own(const plan_ranks *ranks, const chain_slot *slot, const grid_box *box,
                      int other)
{
    static const bool wraps[3] = {true, true, true};
    bool met = false;
    for (int b = ranks->first[other]; b < ranks->first[other + 1]; b++)
        for (int i = 0; i < PLAN_IMAGES; i++) {
            int image[3];
            int64_t shift[3];
            plan_image(i, wraps, image);
            for (int d = 0; d < 3; d++) shift[d] = image[d] * slot->shape.size[d];
            grid_box there = plan_own_box(slot, ranks, b);
            there = grid_box_moved(&there, shift, 1);
            met = met || grid_box_meet(box, &there);
        }
    return met;
}

/* Whether an index around a rank's own, or one a period away, is another's. */
static bool is_met(const plan_ranks *ranks, const chain_slot *slot, const int64_t far[3], int other)
{
    static const bool wraps[3] = {true, true, true};
    plan_span span[3];
    grid_region margins = {0};
    bool met = false;
    for (int d = 0; d < 3; d++) span[d] = (plan_span){-far[d], far[d]};
    assert_true(plan_margins(slot, ranks, ranks->rank, span, wraps, &margins));
    for (size_t i = 0; i < margins.count && !met; i++)
        met = meets_own(ranks, slot, &margins.boxes[i], other);
    grid_region_free(&margins);
    return met;
}

/* On all grids, copies reach as far as the thinnest part of them is from end to end. */
static void compare_near(world *w, const plan_ranks *ranks)
{
    static const plan_span none[3];
    static const bool nowhere[3];
    bool near[LAYOUT_RANKS] = {false};
    for (int i = 0; i < ranks->near_count; i++) near[ranks->near[i]] = true;
    for (int times = 1; times < 4; times++) {
        chain_slot slot = {.shape = w->shape, .type = KATA_F64, .components = 1};
        int64_t far[3];
        for (int d = 0; d < w->shape.rank; d++) slot.shape.size[d] *= times;
        for (int d = 0; d < 3; d++) far[d] = slot.shape.size[d];
        for (int r = 0; r < ranks->total; r++) {
            grid_box own = plan_held(&slot, ranks, r, none, nowhere);
            for (int d = 0; d < 3; d++) far[d] = smaller(far[d], own.hi[d] - own.lo[d]);
        }
        for (int r = 0; r < ranks->total; r++)
            if (is_met(ranks, &slot, far, r)) assert_true(near[r]);
    }
}

static void all_ranks_that_copies_reach_are_near(void **state)
{
    (void)state;
    int left_out = 0;
    for (uint64_t seed = 1; seed <= LAYOUTS; seed++) {
        world w;
        plan_ranks ranks;
        arena memory = {0};
        world_make(&w, seed, &(world_kind){.most_loops = 1});
        dealt_draw_layout(&w, &memory, seed % LAYOUT_KINDS, &ranks);
        for (int r = 0; r < ranks.total; r++) {
            assert_true(plan_ranks_seat(&ranks, &memory, r));
            compare_near(&w, &ranks);
            left_out += ranks.total - ranks.near_count;
        }
        arena_free(&memory);
        world_free(&w);
    }
    assert_true(left_out > LAYOUTS / 2);
}

/* ---- layouts that are no partition ----------------------------------------------------------- */

typedef enum layout_damage {
    LESS,     /* a box has a cell less along a dimension */
    MORE,     /* a cell more, which another one has too */
    LOST_BOX, /* a box is nobody's */
    TWO_OWN,  /* a box is another rank's, too */
    LAYOUT_DAMAGES
} layout_damage;

static bool damage_box(const plan_ranks *ranks, grid_box *boxes, bool more)
{
    for (int b = 0; b < ranks->first[ranks->total]; b++)
        for (int d = 0; d < 3; d++) {
            if (boxes[b].hi[d] >= ranks->raster.cells[d]) continue;
            boxes[b].hi[d] += more ? 1 : -1;
            return true;
        }
    return false;
}

/* Takes the last box of a rank that has several away, or gives it to the next rank, too. */
static bool damage_list(const plan_ranks *ranks, grid_box *boxes, int *first, bool twice)
{
    const int total = ranks->total, count = first[total], ends = total - twice;
    int rank = 0;
    while (rank < ends && first[rank + 1] - first[rank] < 2) rank++;
    if (rank >= ends) return false;
    grid_box *last = boxes + first[rank + 1] - 1;
    const size_t behind = (size_t)(count - first[rank + 1]);
    if (twice)
        memmove(last + 1, last, (behind + 1) * sizeof *boxes);
    else
        memmove(last, last + 1, behind * sizeof *boxes);
    for (int r = rank + 1 + twice; r <= total; r++) first[r] += twice ? 1 : -1;
    return true;
}

static bool damage_layout(plan_ranks *ranks, arena *memory, layout_damage damage)
{
    const size_t count = (size_t)ranks->first[ranks->total], total = (size_t)ranks->total + 1;
    grid_box *boxes = arena_array(memory, count + 1, sizeof *boxes);
    int *first = arena_array(memory, total, sizeof *first);
    assert_true(boxes && first);
    memcpy(boxes, ranks->boxes, count * sizeof *boxes);
    memcpy(first, ranks->first, total * sizeof *first);
    bool done = damage == LESS || damage == MORE
                    ? damage_box(ranks, boxes, damage == MORE)
                    : damage_list(ranks, boxes, first, damage == TWO_OWN);
    ranks->boxes = boxes;
    ranks->first = first;
    return done;
}

static bool exchanges(const plan_dealt *p)
{
    bool found = false;
    for (int i = 0; i < p->count; i++) found = found || p->steps[i].kind == PLAN_DEALT_EXCHANGE;
    return found;
}

/* Plans a chain on such a layout. Returns whether there is an exchange, which is then refused. */
static bool refuse_layout(uint64_t seed, layout_damage damage)
{
    world w;
    plan_ranks ranks;
    arena memory = {0};
    analysis_chain a;
    plan_home homes[WORLD_SLOTS] = {{0}}, before[WORLD_SLOTS];
    text why = {0};
    world_make(&w, seed, &(world_kind){.most_loops = 12});
    dealt_draw_layout(&w, &memory, damage < LOST_BOX ? LAYOUT_RECTANGLES : LAYOUT_LISTS, &ranks);
    plan_dealt p = {.raster = ranks.raster, .every = 4, .small = true};
    for (int i = 0; i < WORLD_SLOTS; i++) homes[i].whole = true;
    memcpy(before, homes, sizeof before);
    assert_true(analysis_chain_make(&w.chain, &a));
    assert_true(plan_deal(&p, &a, homes));
    bool met = damage_layout(&ranks, &memory, damage) && exchanges(&p), proven = true;
    for (int r = 0; r < ranks.total && met && proven; r++) {
        assert_true(plan_ranks_seat(&ranks, &memory, r));
        proven = plan_dealt_verify(&(plan_dealt_claim){&p, &a, &ranks, before, homes}, &why);
    }
    if (met && proven) fail_msg("layout %d with damage %d is proven", (int)seed, (int)damage);
    text_free(&why);
    plan_dealt_free(&p);
    analysis_chain_free(&a);
    arena_free(&memory);
    world_free(&w);
    return met;
}

static void layouts_that_are_no_partition_are_refused(void **state)
{
    (void)state;
    for (layout_damage damage = LESS; damage < LAYOUT_DAMAGES; damage++) {
        int met = 0;
        for (uint64_t seed = 1; seed <= 4 * LAYOUTS; seed++) met += refuse_layout(seed, damage);
        if (met <= LAYOUTS / 20) fail_msg("damage %d was met %d times", (int)damage, met);
    }
}

/* ---- bricks ---------------------------------------------------------------------------------- */

/* Plans a sum over a grid of so many points along x on two ranks, which have 512 and 768 of 1280;
 * `bricks`: the size of which it is believed that they have whole bricks. Returns whether it runs
 * in parts; sets whether that is proven. */
static bool sums_in_parts(int64_t points, int64_t bricks, bool *proven)
{
    static const char text_of[] = "kernel total(in double u, sum double s) { s += u; }";
    static const grid_box boxes[] = {{{0, 0, 0}, {512, 1, 1}}, {{512, 0, 0}, {1280, 1, 1}}};
    const int cells[3] = {1280, 1, 1};
    const grid_boundary boundary = {0};
    chain_slot u = {.shape = {2, {points, 8, 1}}, .type = KATA_F64, .components = 1};
    chain_slot s = {.shape = {1, {1, 1, 1}}, .type = KATA_F64, .components = 1, .is_scalar = true};
    chain_binding bindings[2] = {{.slot = &u, .name = "u", .boundary = &boundary},
                                 {.slot = &s, .name = "s", .boundary = &boundary}};
    chain c = {0};
    messages m = {0};
    lang_module *module;
    analysis_chain a;
    arena memory = {0};
    plan_ranks ranks;
    plan_home homes[2] = {{.whole = true}, {.whole = true}};
    const plan_home before[2] = {{.whole = true}, {.whole = true}};
    text why = {0};
    assert_int_equal(lang_compile("t", text_of, strlen(text_of), NULL, &m, &module), KATA_OK);
    assert_true(plan_ranks_lay_out(&ranks, &memory, cells, boxes, NULL, 2, 1));
    ranks.raster.bricks = bricks;
    chain_loop loop = {.kernel = module->kernels[0], .shape = u.shape, .bindings = bindings};
    loop.box = grid_shape_box(&loop.shape);
    assert_int_equal(chain_append(&c, &loop, &m), KATA_OK);
    assert_true(analysis_chain_make(&c, &a));
    plan_dealt p = {.raster = ranks.raster, .every = 4, .small = true};
    assert_true(plan_deal(&p, &a, homes));
    bool parts = p.steps[p.count - 1].kind == PLAN_DEALT_PART;
    *proven = plan_dealt_verify(&(plan_dealt_claim){&p, &a, &ranks, before, homes}, &why);
    if (!*proven) assert_non_null(strstr(text_get(&why), "reduces a part of a brick on rank 0"));
    text_free(&why);
    plan_dealt_free(&p);
    analysis_chain_free(&a);
    chain_free(&c);
    lang_module_free(module);
    message_free(&m);
    arena_free(&memory);
    return parts;
}

/* Sums go over bricks of 512 points. Where the grid whose cuts lie between bricks has 1280 points,
 * one of 640 is cut at 256: its sums are made whole. */
static void sums_run_in_parts_where_no_brick_is_cut(void **state)
{
    (void)state;
    bool proven;
    assert_true(sums_in_parts(1280, 1280, &proven) && proven);
    assert_false(sums_in_parts(640, 1280, &proven));
    assert_true(proven);
    assert_true(sums_in_parts(640, 640, &proven));
    assert_false(proven);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_as_large_as_cuts_allow),
        cmocka_unit_test(even_rectangles_are_a_box),
        cmocka_unit_test(all_ranks_that_copies_reach_are_near),
        cmocka_unit_test(layouts_that_are_no_partition_are_refused),
        cmocka_unit_test(sums_run_in_parts_where_no_brick_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
