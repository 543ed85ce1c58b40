/* Random chains on a device: on whole fields, and on a device with memory for a part of them, where
 * they are streamed, give the reference executor's bits, or its message where a check fails.
 * Kernels come from a few texts, so that each is compiled once. On each kind of device that this
 * machine has. */
/* Labels: hostile slow */
#include "plan_outcome.h"

#include "device_kinds.h"
#include "exec/home.h"
#include "exec/on_device.h"
#include "jit/jit.h"

enum { TEXTS = 3, FEW = 6, FEW_LOOPS = 3, MANY = 2000 };

static const char *kind; /* "cuda", "opencl" */

typedef struct runner {
    exec_context whole, part; /* the device has memory for all of a chain; for some of it */
    int64_t chains, loops, streamed, refused, faults;
} runner;

static bool is_full(void)
{
    const char *full = getenv("KATA_TEST_FULL");
    return full && !strcmp(full, "1");
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Takes all values from the device; those of a chain that has failed are not defined. */
static void end_copies(exec_context *context, world *w, kata_status status)
{
    for (int i = 0; i < WORLD_SLOTS; i++) {
        chain_slot *slot = &w->slots[i];
        if (!slot->on_device) continue;
        if (!status) assert_int_equal(exec_bring_home(context, slot, &w->m), KATA_OK);
        store_device_free(slot);
    }
}

static void run_on(exec_context *context, world *w, outcome *found)
{
    begin_run(w, found);
    if (w->chain.count) found->status = exec_on_device.run(context, &w->chain, &w->m);
    end_copies(context, w, found->status);
    end_run(w, found);
}

static void compare(const exec_context *context, const world *w, uint64_t seed,
                    const outcome *expected, outcome *found)
{
    if (!is_same(expected, found)) {
        text shown = {0};
        chain_print(&shown, &w->chain);
        fail_msg("seed %llu, device of %lld bytes: status %d, not %d\n%s\nnot\n%s\n%s",
                 (unsigned long long)seed, (long long)context->device->limit, found->status,
                 expected->status, found->said.words, expected->said.words, text_get(&shown));
    }
    free(found->values);
}

/* Leaves memory for some of what a chain touches. */
static void limit(exec_context *context, world *w)
{
    struct exec_device *d = context->device;
    int64_t bytes = device_bytes_of(d, &w->chain);
    if (bytes == INT64_MAX) bytes = 1 << 20;
    d->limit = bytes * world_from(w, 20, 90) / 100 + (1 << 13);
    device_limit(d->device, d->limit);
}

static void check_chain(runner *r, uint64_t seed)
{
    world w;
    outcome expected, found;
    world_make(&w, seed,
               &(world_kind){.most_loops = !is_full() ? FEW_LOOPS
                                           : seed % 2 ? 60
                                                      : 10,
                             .kernels = 1 + (is_full() ? seed % TEXTS : 0),
                             .checks = seed % 3 == 0,
                             .long_rows = seed % 7 == 3,
                             .planes = seed % 4 > 0});
    begin_run(&w, &expected);
    expected.status = oracle_run_chain(&w.chain, NULL, NULL, &w.m);
    end_run(&w, &expected);
    run_on(&r->whole, &w, &found);
    compare(&r->whole, &w, seed, &expected, &found);
    limit(&r->part, &w);
    run_on(&r->part, &w, &found);
    if (found.status == KATA_ERROR_MEMORY) /* a loop alone needs more than there is */
        r->refused++;
    else
        compare(&r->part, &w, seed, &expected, &found);
    r->faults += expected.status == KATA_ERROR_ASSERT;
    r->loops += (int64_t)w.chain.count;
    r->chains++;
    free(expected.values);
    world_free(&w);
}

static void open_context(exec_context *context, jit *compiler, messages *m)
{
    *context = (exec_context){
        .threads = 2, .wait = true, .larger = true, .fastest = true, .jit = compiler};
    assert_int_equal(exec_device_open(context, kind, 0, m), KATA_OK);
}

static void close_context(exec_context *context)
{
    exec_device_close(context);
    exec_cpu_free(context->cpu);
    plan_cache_free(context->plans);
}

/* KATA_TEST_FULL=1 for 2000 chains, half of them of up to 60 loops; KATA_TEST_CHAINS for another
 * number, KATA_TEST_SEED for another start. */
static void random_chains_give_the_same(void **state)
{
    (void)state;
    const char *chains = getenv("KATA_TEST_CHAINS"), *first = getenv("KATA_TEST_SEED");
    const uint64_t count = chains ? strtoull(chains, NULL, 10) : is_full() ? MANY : FEW;
    const uint64_t start = first ? strtoull(first, NULL, 10) : 1;
    runner r = {0};
    messages m = {0};
    jit *compiler;
    assert_int_equal(jit_open(NULL, getenv("KATA_CACHE_DIR"), &m, &compiler), KATA_OK);
    open_context(&r.whole, compiler, &m);
    open_context(&r.part, compiler, &m);
    for (uint64_t seed = start; seed < start + count; seed++) check_chain(&r, seed);
    r.streamed = r.part.device->streams.streamed;
    print_message(
        "%lld chains of %lld loops, %lld streamed, %lld too large, %lld fail; %lld loops on whole "
        "fields, %lld on the CPU; %zu kernels of the device\n",
        (long long)r.chains, (long long)r.loops, (long long)r.streamed, (long long)r.refused,
        (long long)r.faults, (long long)r.whole.device->loops,
        (long long)r.whole.device->host_loops, r.whole.device->function_count);
    assert_true(count < MANY ||
                (r.streamed > r.chains / 8 && r.refused < r.chains / 8 && r.faults > 0));
    close_context(&r.whole);
    close_context(&r.part);
    jit_close(compiler);
    message_free(&m);
    world_free_kernels();
}

static int test_kind(const char *name)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_chains_give_the_same)};
    return DEVICE_RUN_TESTS(name, kind, tests);
}

int main(void)
{
    device_use_shim();
    int failed = test_kind("cuda");
    return failed + test_kind("opencl");
}
