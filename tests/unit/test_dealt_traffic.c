/* What ranks send by the plans of random chains: the prediction, from the sizes of boxes, is what
 * all ranks count when they look for the owner of each box that they need. */
/* Labels: hostile */
#include "dealt_layouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_RANKS = LAYOUT_RANKS, CHAINS = 1000 };

typedef struct counts {
    bool sends[MOST_RANKS][MOST_RANKS]; /* in this exchange */
    plan_messages by[MOST_RANKS];
} counts;

/* Counts the bytes of a box that a rank needs, by owners of its indices or of those a period away.
 */
static void count_box(counts *c, const plan_dealt *p, const plan_ranks *ranks,
                      const chain_slot *slot, int to, const grid_box *box)
{
    bool wraps[3];
    for (int d = 0; d < 3; d++) wraps[d] = p->wraps[d] && plan_may_wrap(slot, d);
    for (int i = 0; i < PLAN_IMAGES; i++) {
        int image[3];
        int64_t by[3];
        bool may = plan_image(i, wraps, image);
        for (int d = 0; d < 3; d++) by[d] = image[d] * slot->shape.size[d];
        for (int b = 0, from = 0; b < ranks->first[ranks->total] && may; b++) {
            grid_box own = plan_own_box(slot, ranks, b), there = grid_box_moved(box, by, 1);
            while (b >= ranks->first[from + 1]) from++;
            there = grid_box_intersect(&there, &own);
            int64_t points = grid_box_points(&there);
            if (grid_box_is_empty(&there)) continue;
            c->sends[from][to] = true;
            c->by[from].bytes += points * slot->components * store_type_bytes(slot->type);
        }
    }
}

static void count_exchange(counts *c, const plan_dealt *p, const plan_ranks *ranks,
                           const chain_slot *slot, const plan_span span[3])
{
    grid_region needed = {0};
    for (int to = 0; to < ranks->total; to++) {
        grid_region_clear(&needed);
        for (int b = ranks->first[to]; b < ranks->first[to + 1]; b++) {
            grid_box own = plan_own_box(slot, ranks, b);
            grid_box around = plan_around(slot, ranks, &own, span, p->wraps);
            assert_true(grid_region_add_apart(&needed, &around));
        }
        for (int b = ranks->first[to]; b < ranks->first[to + 1]; b++) {
            grid_box own = plan_own_box(slot, ranks, b);
            assert_true(grid_region_cut(&needed, &own));
        }
        for (size_t i = 0; i < needed.count; i++)
            count_box(c, p, ranks, slot, to, &needed.boxes[i]);
    }
    grid_region_free(&needed);
}

static void end_exchange(counts *c, int total)
{
    for (int from = 0; from < total; from++) {
        c->by[from].exchanges++;
        for (int to = 0; to < total; to++) c->by[from].messages += c->sends[from][to];
    }
    memset(c->sends, 0, sizeof c->sends);
}

static void count_plan(counts *c, const plan_dealt *p, const analysis_chain *a,
                       const plan_ranks *ranks)
{
    bool open = false;
    memset(c, 0, sizeof *c);
    for (int i = 0; i < p->count; i++) {
        const plan_dealt_step *step = &p->steps[i];
        bool exchanges = step->kind == PLAN_DEALT_EXCHANGE;
        if (open && !exchanges) end_exchange(c, ranks->total);
        open = exchanges;
        if (exchanges) count_exchange(c, p, ranks, a->slots[step->slot], step->span);
    }
    if (open) end_exchange(c, ranks->total);
}

/* Deals a random chain out; returns the bytes that all ranks send. */
static int64_t compare_chain(uint64_t seed)
{
    static counts counted;
    world w;
    analysis_chain a;
    plan_home homes[WORLD_SLOTS] = {{0}};
    plan_ranks ranks;
    arena memory = {0};
    int64_t bytes = 0;
    world_make(&w, seed, &(world_kind){.most_loops = 12});
    dealt_draw_layout(&w, &memory, seed % LAYOUT_KINDS, &ranks);
    plan_dealt p = {.raster = ranks.raster, .every = world_from(&w, 1, 6), .small = true};
    assert_true(analysis_chain_make(&w.chain, &a));
    for (int i = 0; i < a.slot_count; i++) homes[i].whole = a.slots[i]->is_scalar;
    assert_true(plan_deal(&p, &a, homes));
    count_plan(&counted, &p, &a, &ranks);
    for (int r = 0; r < ranks.total; r++) {
        assert_true(plan_ranks_seat(&ranks, &memory, r));
        plan_messages found = plan_find_messages(&p, &a, &ranks);
        assert_int_equal(found.exchanges, counted.by[r].exchanges);
        assert_int_equal(found.messages, counted.by[r].messages);
        assert_int_equal(found.bytes, counted.by[r].bytes);
        bytes += found.bytes;
    }
    plan_dealt_free(&p);
    analysis_chain_free(&a);
    arena_free(&memory);
    world_free(&w);
    return bytes;
}

static void messages_and_bytes_are_as_predicted(void **state)
{
    (void)state;
    int sending = 0;
    for (uint64_t seed = 1; seed <= CHAINS; seed++) sending += compare_chain(seed) > 0;
    assert_true(sending > CHAINS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_and_bytes_are_as_predicted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
