/* Chains with fields in files: random chains, streamed in sections of random depths through rings
 * of a few planes, and as the executor plans them for a limit of memory, give the reference
 * executor's bits on one to seven threads. What is moved is what the plan says. */
/* Labels: hostile threads slow */
#include "plan_outcome.h"

#include "exec/on_files.h"
#include "jit/jit.h"
#include "sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXTS = 4, MOST_THREADS = 7, FEW = 60 };

typedef struct runner {
    exec_context contexts[MOST_THREADS]; /* on 1, 2, ... threads */
    struct store_pool *pool;             /* whose arrays are files */
    int64_t chains, streamed, chosen, rims;
} runner;

/* Makes the arrays of some fields files. */
static void send_away(const runner *r, world *w, bool all)
{
    static const kata_layout layouts[] = {KATA_ARRAYS, KATA_BLOCKS, KATA_STRUCTURES};
    for (size_t i = 0; i < w->chain.slot_count; i++) {
        chain_slot *slot = w->chain.slots[i];
        if (slot->is_scalar || !slot->array || !slot->array->bytes) continue;
        if (store_slot_rows(slot) != CODEGEN_CONTIGUOUS || (!all && i % 3 == 0)) continue;
        store_array like = *slot->array;
        like.pool = r->pool;
        like.room = like.box;
        for (int d = 0; d < 3 && d < slot->shape.rank; d++) { /* as if kernels read around it */
            like.room.lo[d] -= (int64_t)(i % 2);
            like.room.hi[d] += (int64_t)(i % 3);
        }
        store_array *far = store_array_make(&like, layouts[i % COUNT_OF(layouts)], false);
        assert_non_null(far);
        store_assign(far, slot->array);
        store_array_free(slot->array);
        slot->array = far;
        slot->pool = r->pool;
        slot->far = far->file;
    }
}

static bool has_rings(const plan *p)
{
    for (int i = 1; i < p->count; i++)
        if (p->nodes[i].kind == PLAN_BUFFER) return true;
    return false;
}

static void compare(const world *w, const plan *p, const analysis_chain *a, uint64_t seed,
                    int threads, const outcome *expected, outcome *found)
{
    if (!is_same(expected, found)) {
        if (p) show(w, p, a);
        fail_msg("seed %llu, %d threads, %s: status %d, not %d\n%s\nnot\n%s",
                 (unsigned long long)seed, threads, p ? "a plan" : "the executor's plan",
                 found->status, expected->status, found->said.words, expected->said.words);
    }
    free(found->values);
}

/* ---- what is moved --------------------------------------------------------------------------- */

enum { MOST_SLOTS = 64, MOST_PLANES = 1024 };

typedef struct counted {
    const analysis_chain *a;
    size_t bytes[2];                         /* in, and out */
    bool rims[MOST_SLOTS];                   /* of slots: some section moves no whole planes in */
    bool known[MOST_SLOTS][3 * MOST_PLANES]; /* of these: the rim of a plane is kept */
} counted;

static int64_t plane_bytes(const chain_slot *slot)
{
    const store_array *a = slot->array;
    const int64_t planes = a->pitch_x == 1 ? a->components : 1;
    return planes * store_type_bytes(a->type) *
           (store_ring_dimension(slot) == 2 ? a->pitch_z : a->pitch_y);
}

/* Whether a copy is of parts of planes. */
static bool is_part(const chain_slot *slot, const grid_box *box)
{
    const grid_box all = chain_slot_memory(slot);
    bool part = false;
    for (int d = 0; d < 3; d++)
        part = part || (d != store_ring_dimension(slot) &&
                        (box->lo[d] > all.lo[d] || box->hi[d] < all.hi[d]));
    return part;
}

static bool find_rim(void *data, const plan_walk *walk, const plan_copy *copy)
{
    counted *n = data;
    (void)walk;
    if (is_part(n->a->slots[copy->slot], &copy->box)) n->rims[copy->slot] = true;
    return true;
}

/* Where a rim is known, nothing is moved. */
static bool count_copy(void *data, const plan_walk *walk, const plan_copy *copy)
{
    counted *n = data;
    const chain_slot *slot = n->a->slots[copy->slot];
    const int d = store_ring_dimension(slot);
    const bool part = is_part(slot, &copy->box), out = !copy->to->buffer;
    (void)walk;
    for (int64_t at = copy->box.lo[d]; at < copy->box.hi[d] && !grid_box_is_empty(&copy->box);
         at++) {
        bool *known = &n->known[copy->slot][at + MOST_PLANES];
        assert_in_range(at + MOST_PLANES, 0, 3 * MOST_PLANES - 1);
        if (!(part && *known)) n->bytes[out] += (size_t)plane_bytes(slot);
        *known = n->rims[copy->slot];
    }
    return true;
}

/* What loops write at home, they may write to a rim. */
static bool count_run(void *data, const plan_walk *walk, const plan_run *run)
{
    counted *n = data;
    const analysis_loop *l = &n->a->loops[run->loop];
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->scalar || !t->writes || plan_innermost(walk, t->slot)->buffer) continue;
        memset(n->known[t->slot], 0, sizeof n->known[t->slot]);
    }
    return true;
}

static counted count_moves(const plan *p, const analysis_chain *a)
{
    counted n = {.a = a};
    plan_visitor finds = {.data = &n, .copy = find_rim};
    plan_visitor counts = {.data = &n, .copy = count_copy, .run = count_run};
    plan_place *homes = calloc((size_t)a->slot_count + 1, sizeof *homes);
    assert_non_null(homes);
    assert_in_range(a->slot_count, 0, MOST_SLOTS);
    assert_true(plan_walk_all(p, a, homes, &finds));
    assert_true(plan_walk_all(p, a, homes, &counts));
    free(homes);
    return n;
}

static size_t moved(const exec_context *context, bool out)
{
    return context->files->port ? port_moved(context->files->port, out) : 0;
}

/* By a plan of random sizes. */
static void check_streamed(runner *r, world *w, uint64_t seed, const outcome *expected)
{
    plan p = {0};
    outcome found;
    analysis_chain a;
    int threads = (int)world_from(w, 1, MOST_THREADS);
    exec_context *context = &r->contexts[threads - 1];
    plan_request request = {.method = "streamed", .depth = world_from(w, 0, 6)};
    request.tile[1] = request.tile[2] = world_from(w, 1, 5);
    request.prefetch = world_from(w, 0, 1);
    request.rims = world_from(w, 0, 3);
    begin_run(w, &found);
    send_away(r, w, world_from(w, 0, 1));
    assert_true(analysis_chain_make(&w->chain, &a));
    assert_true(plan_make(&p, &a, &request));
    if (stream_fits(&context->files->streams, &p, &a)) {
        text why = {0};
        assert_true(plan_verify(&p, &a, &why));
        text_free(&why);
        r->streamed += has_rings(&p);
        counted planned = count_moves(&p, &a);
        for (int s = 0; s < a.slot_count; s++) r->rims += planned.rims[s];
        for (int out = 0; out < 2; out++) planned.bytes[out] += moved(context, out);
        found.status = exec_files_run_plan(context, &w->chain, &p, &a, &w->m);
        for (int out = 0; out < 2 && !found.status; out++)
            assert_int_equal(moved(context, out), planned.bytes[out]);
        end_run(w, &found);
        compare(w, &p, &a, seed, threads, expected, &found);
    }
    plan_free(&p);
    analysis_chain_free(&a);
}

/* By the plan that the executor chooses. */
static void check_chosen(runner *r, world *w, uint64_t seed, const outcome *expected)
{
    outcome found;
    int threads = (int)world_from(w, 1, MOST_THREADS);
    begin_run(w, &found);
    send_away(r, w, true);
    assert_true(store_pool_limit(r->pool, INT64_C(1) << world_from(w, 16, 23), "/var/tmp"));
    int64_t before = r->contexts[threads - 1].files->streams.streamed;
    found.status = exec_on_files.run(&r->contexts[threads - 1], &w->chain, &w->m);
    assert_true(store_pool_limit(r->pool, 1 << 12, "/var/tmp"));
    r->chosen += r->contexts[threads - 1].files->streams.streamed - before;
    end_run(w, &found);
    compare(w, NULL, NULL, seed, threads, expected, &found);
}

static void check_chain(runner *r, uint64_t seed)
{
    world w;
    outcome expected;
    bool large = seed % 50 == 7;
    world_make(&w, seed,
               &(world_kind){.most_loops = large           ? 4
                                           : seed % 5 == 1 ? 40
                                                           : 10,
                             .kernels = 1 + seed % TEXTS,
                             .checks = seed % 3 == 0,
                             .long_rows = seed % 7 == 3,
                             .large = large});
    begin_run(&w, &expected);
    expected.status = oracle_run_chain(&w.chain, NULL, NULL, &w.m);
    end_run(&w, &expected);
    for (int i = 0; i < 2; i++) check_streamed(r, &w, seed, &expected);
    if (w.chain.count) check_chosen(r, &w, seed, &expected);
    r->chains++;
    free(expected.values);
    world_free(&w);
}

/* KATA_TEST_FULL=1 for 1000 chains; KATA_TEST_CHAINS for another number, KATA_TEST_SEED for another
 * start. */
static void random_chains_stream_through_rings(void **state)
{
    (void)state;
    const char *chains = getenv("KATA_TEST_CHAINS"), *first = getenv("KATA_TEST_SEED");
    const char *full = getenv("KATA_TEST_FULL");
    uint64_t few = is_sanitized() ? FEW / 3 : FEW;
    uint64_t usual = full && !strcmp(full, "1") ? 1000 : few;
    uint64_t count = chains ? strtoull(chains, NULL, 10) : usual;
    uint64_t start = first ? strtoull(first, NULL, 10) : 1;
    runner r = {.pool = store_pool_new()};
    messages m = {0};
    jit *compiler;
    assert_non_null(r.pool);
    assert_true(store_pool_limit(r.pool, 1 << 12, "/var/tmp"));
    store_pool_declare(r.pool, 1 << 30);
    assert_int_equal(jit_open(NULL, getenv("KATA_CACHE_DIR"), &m, &compiler), KATA_OK);
    for (int t = 0; t < MOST_THREADS; t++) {
        r.contexts[t] = (exec_context){
            .threads = t + 1, .wait = true, .larger = true, .fastest = true, .jit = compiler};
        assert_int_equal(exec_files_open(&r.contexts[t], 0, &m), KATA_OK);
    }
    for (uint64_t seed = start; seed < start + count; seed++) check_chain(&r, seed);
    fprintf(stderr, "             %lld chains, %lld plans with rings, %lld rims, %lld chosen\n",
            (long long)r.chains, (long long)r.streamed, (long long)r.rims, (long long)r.chosen);
    assert_true(count < FEW ||
                (r.streamed > r.chains / 4 && r.chosen > r.chains / 8 && r.rims > r.chains / 16));
    for (int t = 0; t < MOST_THREADS; t++) {
        exec_cpu_free(r.contexts[t].cpu);
        exec_files_close(&r.contexts[t]);
        plan_cache_free(r.contexts[t].plans);
    }
    jit_close(compiler);
    store_pool_free(r.pool);
    message_free(&m);
    world_free_kernels();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_chains_stream_through_rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
