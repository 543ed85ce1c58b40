/* The cpu executor runs plans in which fields stay at home: random chains, as their planners cut
 * them into tiles and with each loop in random tiles of its own, give the reference executor's bits
 * on one to seven threads, or its message where a check fails. Kernels come from a few texts, so
 * that each is compiled once. */
/* Labels: hostile threads compiler slow */
#include "plan_outcome.h"

#include "jit/jit.h"
#include "plan/node.h"
#include "sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXTS = 4, MOST_THREADS = 7, FEW = 60 };

/* ---- plans ----------------------------------------------------------------------------------- */

static plan_span no_span(const void *data, const plan_node *leaf, int d)
{
    (void)data;
    (void)leaf;
    (void)d;
    return (plan_span){0, 0};
}

static int64_t random_size(world *w, int d)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 31, 64, 100, 512};
    int64_t size = sizes[world_from(w, 0, COUNT_OF(sizes) - 1)];
    int64_t least = w->fine_shape.size[d] / 40 + 1; /* not too many tiles */
    return size > least ? size : least;
}

/* A loop in tiles along some dimensions. */
static void add_tiled(world *w, plan *p, int parent, plan_node loop, bool cut)
{
    int made[3], count = 0, first = (int)world_from(w, 0, 2);
    for (int i = 0; i < 3 && cut; i++) {
        int d = (first + i) % 3;
        if (d >= w->rank || world_from(w, 0, 2) == 0) continue;
        parent = made[count++] = plan_add(
            p, parent, (plan_node){.kind = PLAN_TILE, .dimension = d, .size = random_size(w, d)});
    }
    loop.child = loop.next = 0;
    plan_add(p, parent, loop);
    while (count) plan_end_tile(p, made[--count], no_span, NULL);
}

/* One loop after another, each in tiles of its own; levels that run in order are cut only where
 * `ordered` says so, for that is not always right. */
static void plan_each_in_tiles(world *w, const analysis_chain *a, bool ordered, plan *out)
{
    plan loops = {0};
    assert_true(plan_make(&loops, a, &(plan_request){.method = "loops"}));
    int root = plan_add(out, 0, (plan_node){.kind = PLAN_SEQ});
    for (int i = 1; i < loops.count; i++) {
        const plan_node *n = &loops.nodes[i];
        if (n->kind == PLAN_SCALAR)
            plan_add(out, root, (plan_node){.kind = n->kind, .loop = n->loop});
        if (n->kind != PLAN_LOOP) continue;
        bool plain = !a->loops[n->loop].loop->kernel->direction;
        add_tiled(w, out, root, *n, plain || ordered);
    }
    plan_free(&loops);
}

static bool is_tiled(const plan *p)
{
    for (int i = 1; i < p->count; i++)
        if (plan_is_tile(&p->nodes[i])) return true;
    return false;
}

static bool has_scales(const plan *p)
{
    for (int i = 1; i < p->count; i++)
        for (int d = 0; d < 3; d++)
            if (p->nodes[i].scale[d] > 1) return true;
    return false;
}

static bool has_buffers(const plan *p)
{
    for (int i = 1; i < p->count; i++)
        if (p->nodes[i].kind == PLAN_BUFFER) return true;
    return false;
}

/* Whether one method lies in the tiles of another: in a sequence in them. */
static bool is_nested(const plan *p, int node, bool in_tile, bool in_both)
{
    const plan_node *n = &p->nodes[node];
    bool nested = in_both && n->kind == PLAN_TILE;
    in_both = in_both || (in_tile && n->kind == PLAN_SEQ);
    in_tile = in_tile || n->kind == PLAN_TILE;
    for (int child = n->child; child && !nested; child = p->nodes[child].next)
        nested = is_nested(p, child, in_tile, in_both);
    return nested;
}

/* Makes a plan that the executor runs; by a planner if that can be had. */
static void make_plan(world *w, const analysis_chain *a, plan *out)
{
    for (int tries = 0; tries < 6; tries++) {
        static const char *const at_home[] = {"skewed",     "tiled",    "diamond", "shared",
                                              "overlapped", "windowed", "sliding"};
        plan_request r = world_request(w);
        bool small = w->shape.size[0] * w->shape.size[1] < 20000; /* others take long to prove */
        if (world_from(w, 0, 2)) r.method = at_home[world_from(w, 0, small ? 6 : 3)];
        bool buffers = small && tries < 3 && world_from(w, 0, 2) == 0;
        bool own = !buffers && (tries >= 3 || world_from(w, 0, 1));
        if (buffers) r.method = at_home[world_from(w, 4, 6)];
        if (r.below && world_from(w, 0, 3)) r.method = at_home[world_from(w, 0, 2)];
        bool grids =
            w->cycles && !buffers && tries < 3 && world_from(w, 0, 2); /* of a ratio, in one plan */
        if (grids) r.method = at_home[world_from(w, 0, 3)];
        own = own && !grids;
        if (own)
            plan_each_in_tiles(w, a, tries < 5 && world_from(w, 0, 1), out);
        else
            assert_true(plan_make(out, a, &r));
        text why = {0};
        bool good = (tries == 5 || is_tiled(out)) && !exec_cpu_refuses(out, a);
        good = good && (!buffers || has_buffers(out)) && plan_verify(out, a, &why);
        text_free(&why);
        if (good) return;
        plan_free(out);
    }
    fail_msg("no plan");
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct runner {
    exec_context contexts[MOST_THREADS]; /* on 1, 2, ... threads; they remember prepared loops */
    int64_t tiled, nested, buffered, scaled, faults, chains;
} runner;

static void check_plan(runner *r, world *w, const analysis_chain *a, uint64_t seed,
                       const outcome *expected)
{
    plan p = {0};
    outcome found;
    int threads = (int)world_from(w, 1, MOST_THREADS);
    make_plan(w, a, &p);
    r->nested += is_nested(&p, p.root, false, false);
    r->tiled += is_tiled(&p);
    r->buffered += has_buffers(&p);
    r->scaled += has_scales(&p);
    for (int again = 0; again < 2; again++) { /* the second time loops are prepared */
        begin_run(w, &found);
        found.status = exec_cpu_run_plan(&r->contexts[threads - 1], &w->chain, &p, a, &w->m);
        end_run(w, &found);
        if (!is_same(expected, &found)) {
            show(w, &p, a);
            fail_msg("seed %llu, %d threads, run %d: status %d, not %d\n%s\nnot\n%s",
                     (unsigned long long)seed, threads, again, found.status, expected->status,
                     found.said.words, expected->said.words);
        }
        free(found.values);
    }
    plan_free(&p);
}

static bool is_full(void)
{
    const char *full = getenv("KATA_TEST_FULL");
    return full && !strcmp(full, "1");
}

static void check_chain(runner *r, uint64_t seed)
{
    world w;
    analysis_chain a;
    outcome expected;
    bool large = seed % 50 == 7, deep = seed % (is_full() ? 2 : 10) == 1;
    world_make(&w, seed,
               &(world_kind){.most_loops = large  ? 4
                                           : deep ? 60
                                                  : 10,
                             .kernels = 1 + seed % TEXTS,
                             .checks = seed % 3 == 0,
                             .long_rows = seed % 7 == 3,
                             .large = large});
    begin_run(&w, &expected);
    expected.status = oracle_run_chain(&w.chain, NULL, NULL, &w.m);
    end_run(&w, &expected);
    assert_true(analysis_chain_make(&w.chain, &a));
    for (int i = 0; i < 2; i++) check_plan(r, &w, &a, seed, &expected);
    r->faults += expected.status == KATA_ERROR_ASSERT;
    r->chains++;
    free(expected.values);
    analysis_chain_free(&a);
    world_free(&w);
}

/* KATA_TEST_FULL=1 for 2000 chains, half of them of up to 60 loops; KATA_TEST_CHAINS for another
 * number, KATA_TEST_SEED for another start. */
static void random_plans_run_as_compiled_loops(void **state)
{
    (void)state;
    const char *chains = getenv("KATA_TEST_CHAINS"), *first = getenv("KATA_TEST_SEED");
    uint64_t usual = is_full() ? 2000 : is_sanitized() ? FEW / 3 : FEW;
    uint64_t count = chains ? strtoull(chains, NULL, 10) : usual;
    uint64_t start = first ? strtoull(first, NULL, 10) : 1;
    runner r = {0};
    messages m = {0};
    jit *compiler;
    assert_int_equal(jit_open(NULL, getenv("KATA_CACHE_DIR"), &m, &compiler), KATA_OK);
    for (int t = 0; t < MOST_THREADS; t++)
        r.contexts[t] =
            (exec_context){.threads = t + 1, .wait = true, .larger = true, .jit = compiler};
    for (uint64_t seed = start; seed < start + count; seed++) check_chain(&r, seed);
    fprintf(stderr,
            "             %lld chains, %lld of %lld plans tiled, %lld in tiles of others, %lld "
            "with buffers, %lld over several grids, %lld chains fail\n",
            (long long)r.chains, (long long)r.tiled, 2 * (long long)r.chains, (long long)r.nested,
            (long long)r.buffered, (long long)r.scaled, (long long)r.faults);
    assert_true(count < FEW || (r.tiled > r.chains && r.nested > 0 && r.buffered > 0 &&
                                r.scaled > 0 && r.faults > 0));
    for (int t = 0; t < MOST_THREADS; t++) {
        exec_cpu_free(r.contexts[t].cpu);
        plan_cache_free(r.contexts[t].plans);
    }
    jit_close(compiler);
    message_free(&m);
    world_free_kernels();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_run_as_compiled_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
