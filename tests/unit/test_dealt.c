/* Dealing chains out to ranks: random chains run by the steps of their plans, on ranks that are
 * simulated in this process, give what they give loop by loop. Each rank has arrays of its own, and
 * finds in them only what it has computed or got from others. At the end, and between two parts of
 * a chain, all that homes promise is compared, and nothing is touched beyond the margin that the
 * plan has memory for. A third of the layouts of ranks are boxes of them, a third any rectangles,
 * and a third lists of rectangles for each rank. Damaged plans are found to be wrong: a step is
 * left out, or a span is one too short; a copy is believed valid that is not; no rank has a point;
 * a near rank is forgotten; a margin is one too small. Each rank proves what it does by a plan: all
 * plans that are made, and none that is damaged and gives other bits. */
/* Labels: hostile slow */
#include "dealt_layouts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_RANKS = LAYOUT_RANKS };

typedef enum damage_kind {
    NOTHING,
    NO_EXCHANGE,
    SHORT_EXCHANGE,
    SHORT_PART_LOW,
    SHORT_PART_HIGH,
    NO_GATHER,
    BELIEVED_VALID, /* before a part of the chain */
    LOST_POINT,     /* the last one of some ranks */
    SMALL_MARGIN,
    EARLY_EXCHANGE, /* before the loop that makes its values */
    EARLY_LOOP,     /* before the exchange that it needs */
    MORE_PROMISED,  /* copies valid afterwards that are not */
    LOST_NEAR,      /* a rank of which copies may come is not taken for one */
    DAMAGES
} damage_kind;

typedef struct simulation {
    world *w;
    const analysis_chain *a;
    const plan_dealt *p;
    const plan_home *homes; /* at the end of the part of the chain that runs */
    bool whole[WORLD_SLOTS];
    plan_ranks ranks;
    plan_ranks seats[MOST_RANKS]; /* the same ranks, each as this one */
    arena memory;
    store_array *arrays[MOST_RANKS + 1][WORLD_SLOTS]; /* of each rank; the last: loop by loop */
    bool unclear; /* an index and its image a period away share memory here, and would not on ranks
                   */
    bool beyond;  /* something beyond the margin was touched */
} simulation;

static int total(const simulation *s) { return s->ranks.total; }

/* ---- loops ----------------------------------------------------------------------------------- */

/* Runs points of a loop on the arrays of a rank. Of scalars it gets copies of those of `numbers`.
 */
static void run_box(simulation *s, int rank, const chain_loop *loop, const grid_box *box,
                    store_array *const *numbers)
{
    chain_loop part = *loop;
    part.box = *box;
    for (int i = 0; i < s->a->slot_count; i++) {
        chain_slot *slot = s->a->slots[i];
        slot->array = slot->is_scalar ? store_array_copy(numbers[i]) : s->arrays[rank][i];
    }
    assert_int_equal(oracle_interpret_loop(&part, NULL, &s->w->m), KATA_OK);
    for (int i = 0; i < s->a->slot_count; i++) {
        chain_slot *slot = s->a->slots[i];
        if (slot->is_scalar)
            store_array_free(slot->array);
        else
            s->arrays[rank][i] = slot->array;
        slot->array = NULL;
    }
}

/* The truth: the whole loop, with its scalars. */
static void run_truth(simulation *s, const chain_loop *loop)
{
    store_array **truth = s->arrays[MOST_RANKS];
    for (int i = 0; i < s->a->slot_count; i++) s->a->slots[i]->array = truth[i];
    assert_int_equal(oracle_interpret_loop(loop, NULL, &s->w->m), KATA_OK);
    for (int i = 0; i < s->a->slot_count; i++) {
        truth[i] = s->a->slots[i]->array;
        s->a->slots[i]->array = NULL;
    }
}

/* Notes whether a loop that runs on a box, so many periods away, touches indices for which a rank
 * has no memory. Rules do not lead back beyond periodic sides that are cut: there are copies. */
static void look_beyond(simulation *s, int rank, const analysis_loop *l, const grid_box *box,
                        const int image[3])
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        const chain_slot *slot = s->a->slots[t->slot];
        plan_span margin[3];
        int64_t shift[3];
        if (t->scalar || s->whole[t->slot]) continue;
        for (int d = 0; d < 3; d++) {
            margin[d] = (plan_span){-s->p->margin[d], s->p->margin[d]};
            shift[d] = s->p->wraps[d] ? image[d] * slot->shape.size[d] : 0;
        }
        grid_box boxes[ANALYSIS_RESOLVED_BOXES];
        grid_box held = plan_held(slot, &s->ranks, rank, margin, s->p->wraps);
        int count = analysis_resolved_boxes(l, t, box, s->p->wraps, shift, boxes);
        for (int b = 0; b < count; b++)
            s->beyond = s->beyond || !grid_box_contains(&held, &boxes[b]);
    }
}

static void run_part(simulation *s, int rank, const analysis_loop *l, const plan_span asked[3],
                     store_array *const *numbers)
{
    static layout_points done[LAYOUT_POINTS];
    int count = layout_find_points(l->loop, &s->seats[rank], asked, s->p->wraps, done);
    for (int i = 0; i < count; i++) {
        look_beyond(s, rank, l, &done[i].box, done[i].image);
        for (int k = 0; k < i; k++)
            s->unclear = s->unclear || grid_box_meet(&done[k].box, &done[i].box);
        run_box(s, rank, l->loop, &done[i].box, numbers);
    }
}

/* ---- values between ranks -------------------------------------------------------------------- */

static void copy_values(store_array *to, const store_array *from, const grid_box *box)
{
    if (grid_box_is_empty(box)) return;
    void *bytes = malloc(store_box_bytes(to, box));
    assert_non_null(bytes);
    store_pack(from, box, bytes);
    store_unpack(to, box, bytes);
    free(bytes);
}

/* Copies what a rank has of a box of a field's indices, as the owner of them or of those so many
 * periods away. */
static void fetch_from(simulation *s, int slot, int from, int to, const grid_box *box)
{
    for (int b = s->ranks.first[from]; b < s->ranks.first[from + 1]; b++) {
        grid_box own = plan_own_box(s->a->slots[slot], &s->ranks, b);
        own = grid_box_intersect(&own, box);
        copy_values(s->arrays[to][slot], s->arrays[from][slot], &own);
    }
}

/* Copies a box of a field's indices, beyond periodic sides too, from the ranks whose own they are:
 * from all, or those that are near. */
static void fetch(simulation *s, int slot, int to, const grid_box *box, bool near)
{
    const plan_ranks *seat = &s->seats[to];
    const chain_slot *field = s->a->slots[slot];
    bool wraps[3];
    for (int d = 0; d < 3; d++) wraps[d] = s->p->wraps[d] && plan_may_wrap(field, d);
    for (int i = 0; i < PLAN_IMAGES; i++) {
        int image[3];
        int64_t by[3];
        bool may = plan_image(i, wraps, image);
        for (int d = 0; d < 3; d++) by[d] = image[d] * field->shape.size[d];
        const grid_box there = grid_box_moved(box, by, 1);
        for (int k = 0; k < (near ? seat->near_count : total(s)) && may; k++) {
            const int from = near ? seat->near[k] : k;
            if (from != to || i != PLAN_NO_IMAGE) fetch_from(s, slot, from, to, &there);
        }
    }
}

/* Notes whether copies around a box of a rank's own lie in one place with their images. */
static void look_around(simulation *s, int slot, int to, const plan_span span[3])
{
    const chain_slot *field = s->a->slots[slot];
    for (int b = s->ranks.first[to]; b < s->ranks.first[to + 1]; b++) {
        grid_box own = plan_own_box(field, &s->ranks, b);
        grid_box around = plan_around(field, &s->ranks, &own, span, s->p->wraps);
        for (int d = 0; d < 3; d++)
            s->unclear = s->unclear || around.hi[d] - around.lo[d] > field->shape.size[d];
    }
}

static void exchange(simulation *s, int slot, const plan_span span[3])
{
    grid_region pieces = {0};
    for (int to = 0; to < total(s); to++) {
        look_around(s, slot, to, span);
        assert_true(plan_margins(s->a->slots[slot], &s->ranks, to, span, s->p->wraps, &pieces));
        for (size_t i = 0; i < pieces.count; i++) fetch(s, slot, to, &pieces.boxes[i], true);
    }
    grid_region_free(&pieces);
}

static void gather(simulation *s, int slot)
{
    grid_box all = chain_slot_memory(s->a->slots[slot]);
    for (int to = 0; to < total(s); to++) fetch(s, slot, to, &all, false);
}

/* Notes which fields a step makes whole, or deals out. */
static void note_whole(simulation *s, const plan_dealt_step *step)
{
    bool deals = step->kind == PLAN_DEALT_EXCHANGE || step->kind == PLAN_DEALT_PART;
    bool loop = step->kind == PLAN_DEALT_PART || step->kind == PLAN_DEALT_WHOLE;
    const analysis_loop *l = &s->a->loops[step->loop];
    if (!loop) s->whole[step->slot] = !deals;
    for (int i = 0; i < l->touch_count && loop; i++)
        if (l->touches[i].writes || !deals) s->whole[l->touches[i].slot] = !deals;
}

static void run_step(simulation *s, const plan_dealt_step *step)
{
    bool runs = step->kind == PLAN_DEALT_PART || step->kind == PLAN_DEALT_WHOLE;
    if (step->kind == PLAN_DEALT_EXCHANGE) exchange(s, step->slot, step->span);
    if (step->kind == PLAN_DEALT_GATHER) gather(s, step->slot);
    note_whole(s, step);
    if (!runs) return;
    const chain_loop *loop = s->a->loops[step->loop].loop;
    store_array *numbers[WORLD_SLOTS] = {NULL};
    for (int i = 0; i < s->a->slot_count; i++)
        if (s->a->slots[i]->is_scalar) numbers[i] = store_array_copy(s->arrays[MOST_RANKS][i]);
    run_truth(s, loop);
    for (int r = 0; r < total(s); r++) {
        if (step->kind == PLAN_DEALT_PART)
            run_part(s, r, &s->a->loops[step->loop], step->span, numbers);
        else
            run_box(s, r, loop, &loop->box, numbers);
    }
    for (int i = 0; i < s->a->slot_count; i++) store_array_free(numbers[i]);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same_values(const store_array *a, const store_array *b, const grid_box *box)
{
    size_t count = (size_t)(grid_box_points(box) * a->components);
    double *x = calloc(2 * count + 1, sizeof *x), *y = x + count;
    bool same = true;
    assert_non_null(x);
    if (count) {
        store_read(a, box, a->components, KATA_F64, x);
        store_read(b, box, a->components, KATA_F64, y);
    }
    for (size_t i = 0; i < count && same; i++)
        same = isnan(x[i]) ? isnan(y[i]) : x[i] == y[i] && signbit(x[i]) == signbit(y[i]);
    free(x);
    return same;
}

/* Whether a rank has a box of a field; `loud`: says if not. */
static bool has_box(const simulation *s, int slot, int rank, const grid_box *box, bool loud)
{
    bool same = same_values(s->arrays[rank][slot], s->arrays[MOST_RANKS][slot], box);
    text where = {0};
    grid_box_print(&where, box, 3);
    if (!same && loud)
        fprintf(stderr, "field %d differs on rank %d in %s\n", slot, rank, text_get(&where));
    text_free(&where);
    return same;
}

/* Whether ranks have all that homes promise, within the field; `loud`: says which has not. */
static bool keeps_promises(const simulation *s, const plan_home *homes, bool loud)
{
    bool same = true;
    const bool nowhere[3] = {false, false, false};
    for (int i = 0; i < s->a->slot_count && same; i++) {
        const chain_slot *slot = s->a->slots[i];
        const grid_box all = chain_slot_memory(slot);
        for (int r = 0; r < total(s) && !slot->is_scalar; r++) {
            if (homes[i].whole) same = same && has_box(s, i, r, &all, loud);
            for (int b = s->ranks.first[r]; b < s->ranks.first[r + 1] && !homes[i].whole; b++) {
                grid_box own = plan_own_box(slot, &s->ranks, b);
                own = plan_around(slot, &s->ranks, &own, homes[i].valid, nowhere);
                same = same && has_box(s, i, r, &own, loud);
            }
        }
    }
    return same;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static void choose_ranks(simulation *s, uint64_t seed, plan_dealt *p)
{
    dealt_draw_layout(s->w, &s->memory, seed % LAYOUT_KINDS, &s->ranks);
    for (int r = 0; r < total(s); r++) {
        s->seats[r] = s->ranks;
        assert_true(plan_ranks_seat(&s->seats[r], &s->memory, r));
    }
    p->raster = s->ranks.raster;
    p->every = world_from(s->w, 1, 6);
    p->small = true;
}

/* Makes a span of a step one shorter at an end; false where it is nothing. */
static bool shorten(plan_dealt_step *step, bool low)
{
    for (int d = 0; d < 3; d++) {
        if (low && step->span[d].lo < 0) return step->span[d].lo++, true;
        if (!low && step->span[d].hi > 0) return step->span[d].hi--, true;
    }
    return false;
}

static bool damage_step(plan_dealt_step *step, damage_kind kind)
{
    plan_dealt_kind of = kind == NO_EXCHANGE || kind == SHORT_EXCHANGE ? PLAN_DEALT_EXCHANGE
                         : kind == NO_GATHER                           ? PLAN_DEALT_GATHER
                                                                       : PLAN_DEALT_PART;
    if (step->kind != of) return false;
    if (kind == NO_EXCHANGE || kind == NO_GATHER) {
        *step = (plan_dealt_step){.kind = PLAN_DEALT_EXCHANGE, .slot = step->slot};
        return true;
    }
    return shorten(step, kind == SHORT_EXCHANGE || kind == SHORT_PART_LOW);
}

/* Ranks but the last leave out a point of each loop in parts. */
static bool lose_points(plan_dealt *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->steps[i].kind == PLAN_DEALT_PART) p->steps[i].span[1].hi--, p->steps[i].span[2].hi--;
    return true;
}

/* Exchanges a step and the one before it: one that exchanges, and a loop in parts. */
static bool swap_steps(plan_dealt *p, int start, damage_kind kind)
{
    bool early = kind == EARLY_EXCHANGE;
    for (int i = 0; i + 1 < p->count; i++) {
        plan_dealt_step *step = &p->steps[(start + i) % (p->count - 1)], first = step[0];
        if (step[early].kind != PLAN_DEALT_EXCHANGE || step[!early].kind != PLAN_DEALT_PART)
            continue;
        step[0] = step[1];
        step[1] = first;
        return true;
    }
    return false;
}

/* A rank forgets another one. */
static bool forget_near(simulation *s)
{
    plan_ranks *seat = &s->seats[world_from(s->w, 0, total(s) - 1)];
    int *near = arena_array(&s->memory, (size_t)total(s), sizeof *near), count = 0;
    int lost = (int)world_from(s->w, 0, seat->near_count - 1);
    assert_non_null(near);
    for (int i = 0; i < seat->near_count; i++)
        if (i != lost) near[count++] = seat->near[i];
    seat->near = near;
    seat->near_count = count;
    return true;
}

/* Takes one thing away from a plan; false where there is nothing of this kind. */
static bool damage_plan(simulation *s, plan_dealt *p, damage_kind kind)
{
    int start = p->count ? (int)world_from(s->w, 0, p->count - 1) : 0,
        d = s->ranks.raster.cells[1] == 1;
    bool done = false;
    if (kind == SMALL_MARGIN) return p->margin[1 + d] > 0 && p->margin[1 + d]--;
    if (kind == LOST_POINT) return lose_points(p);
    if (kind == LOST_NEAR) return forget_near(s);
    if (kind == EARLY_EXCHANGE || kind == EARLY_LOOP) return swap_steps(p, start, kind);
    for (int i = 0; i < p->count && kind < BELIEVED_VALID && !done; i++)
        done = damage_step(&p->steps[(start + i) % p->count], kind);
    return done;
}

/* Believes that ranks have more copies of a field than they have. */
static bool damage_homes(simulation *s, plan_home *homes)
{
    int start = s->a->slot_count ? (int)world_from(s->w, 0, s->a->slot_count - 1) : 0;
    for (int i = 0; i < s->a->slot_count; i++) {
        plan_home *home = &homes[(start + i) % s->a->slot_count];
        if (home->whole) continue;
        for (int d = 1; d < 3; d++) home->valid[d].lo--;
        return true;
    }
    return false;
}

typedef struct outcome {
    bool same, unclear, damaged;
    bool proven; /* by all ranks */
    int parts;
    layout_kind kind; /* how ranks are laid out */
    bool rows;        /* through rows */
} outcome;

/* Whether all ranks prove what they do by a plan. */
static bool is_proven(const simulation *s, const plan_home *before, text *why)
{
    bool proven = true;
    for (int r = 0; r < total(s) && proven; r++) {
        const plan_dealt_claim claim = {s->p, s->a, &s->seats[r], before, s->homes};
        proven = plan_dealt_verify(&claim, why);
    }
    return proven;
}

/* Runs a chain in two parts, on ranks, the second one with such damage. */
static outcome simulate(uint64_t seed, damage_kind kind)
{
    world w;
    simulation s = {.w = &w};
    outcome result = {.same = true, .proven = true};
    plan_home homes[WORLD_SLOTS] = {{0}}, before[WORLD_SLOTS];
    plan_dealt shape = {0};
    world_make(&w, seed, &(world_kind){.most_loops = seed % 4 ? 12 : WORLD_LOOPS});
    world_reset(&w);
    choose_ranks(&s, seed, &shape);
    result.kind = seed % LAYOUT_KINDS;
    result.rows = s.ranks.raster.cells[0] > 1;
    for (size_t i = 0; i < w.chain.slot_count; i++) {
        chain_slot *slot = w.chain.slots[i];
        homes[i].whole = true;
        store_array *first = store_slot_array(slot);
        for (int r = 0; r <= MOST_RANKS; r++) s.arrays[r][i] = store_array_copy(first);
        store_array_free(first);
        slot->array = NULL;
    }
    size_t half = (size_t)world_from(&w, 0, (int64_t)w.chain.count);
    for (int turn = 0; turn < 2; turn++) {
        chain part = w.chain;
        analysis_chain a;
        plan_dealt p = shape;
        part.loops += turn ? half : 0;
        part.count = turn ? w.chain.count - half : half;
        assert_true(analysis_chain_make(&part, &a));
        s.a = &a;
        s.p = &p;
        s.homes = homes;
        text why = {0};
        memcpy(before, homes, sizeof before);
        for (int i = 0; i < WORLD_SLOTS; i++) s.whole[i] = homes[i].whole;
        if (turn && kind == BELIEVED_VALID) result.damaged = damage_homes(&s, homes);
        assert_true(plan_deal(&p, &a, homes));
        if (turn && kind == MORE_PROMISED)
            result.damaged = damage_homes(&s, homes);
        else if (turn && kind && kind != BELIEVED_VALID)
            result.damaged = damage_plan(&s, &p, kind);
        result.proven = is_proven(&s, before, &why) && result.proven;
        for (int i = 0; i < p.count; i++) {
            result.parts += p.steps[i].kind == PLAN_DEALT_PART;
            run_step(&s, &p.steps[i]);
        }
        bool loud = !kind && !s.unclear;
        result.same = result.same && !s.beyond && keeps_promises(&s, homes, loud);
        if ((!result.same && loud) || (!result.proven && !kind)) {
            text shown = {0};
            chain_print(&shown, &part);
            plan_dealt_print(&shown, &p, &a);
            for (int r = 0; r < total(&s); r++)
                for (int b = s.ranks.first[r]; b < s.ranks.first[r + 1]; b++) {
                    text_add(&why, "\nrank %d ", r);
                    grid_box_print(&why, &s.ranks.boxes[b], 3);
                }
            fprintf(stderr, "seed %llu, cells %d %d %d: %s\n%s", (unsigned long long)seed,
                    s.ranks.raster.cells[0], s.ranks.raster.cells[1], s.ranks.raster.cells[2],
                    text_get(&why), text_get(&shown));
            text_free(&shown);
        }
        text_free(&why);
        plan_dealt_free(&p);
        analysis_chain_free(&a);
    }
    result.unclear = s.unclear;
    for (int r = 0; r <= MOST_RANKS; r++)
        for (int i = 0; i < WORLD_SLOTS; i++) store_array_free(s.arrays[r][i]);
    arena_free(&s.memory);
    world_free(&w);
    return result;
}

static uint64_t chain_count(void)
{
    const char *asked = getenv("KATA_TEST_CHAINS"), *full = getenv("KATA_TEST_FULL");
    return asked ? strtoull(asked, NULL, 10) : full && full[0] == '1' ? 20000 : 400;
}

static void random_chains_on_ranks_give_the_same_bits(void **state)
{
    (void)state;
    int parts[LAYOUT_KINDS] = {0}, rows = 0, unclear = 0;
    for (uint64_t seed = 1; seed <= chain_count(); seed++) {
        outcome o = simulate(seed, NOTHING);
        assert_true(o.same || o.unclear);
        assert_true(o.proven);
        parts[o.kind] += o.parts;
        rows += o.rows ? o.parts : 0;
        unclear += o.unclear;
    }
    for (int k = 0; k < LAYOUT_KINDS; k++) assert_true(parts[k] > (int)chain_count() / 5);
    assert_true(rows > (int)chain_count() / 20);
    assert_true(unclear * 10 < (int)chain_count());
}

static void damaged_plans_give_other_bits(void **state)
{
    (void)state;
    for (damage_kind kind = NOTHING + 1; kind < DAMAGES; kind++) {
        int found = 0, damaged = 0;
        for (uint64_t seed = 1; seed <= 5000 && found < 5; seed++) {
            outcome o = simulate(seed, kind);
            damaged += o.damaged;
            found += o.damaged && !o.same;
            if (o.damaged && !o.same && o.proven && !o.unclear)
                fail_msg("damage %d of chain %d is proven right", (int)kind, (int)seed);
        }
        if (found < 5) fprintf(stderr, "damage %d: found %d of %d\n", (int)kind, found, damaged);
        assert_true(found == 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_chains_on_ranks_give_the_same_bits),
        cmocka_unit_test(damaged_plans_give_other_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
