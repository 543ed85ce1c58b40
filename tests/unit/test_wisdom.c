/* Wisdom: what a program finds out about its chains is used from the first step of the next start,
 * and nothing else in the file does harm. */
/* Labels: hostile */
#include "api/api.h"
#include "exec/alike.h"
#include "jit_world.h"

#include <sys/stat.h>

static char folder[] = "/tmp/kata-wisdom-XXXXXX";

enum { SIDE = HOSTILE(32, 16) }; /* short chains are many, of unoptimised code */

static const char kernels[] =
    "kernel heat(in double u, out double v) { v = 0.5*(u[0,1,0] + u[0,0,-1]); }\n"
    "kernel wave(in double u, out double v) { v = 0.5*(u[1,0,0] + u[0,0,-2]); }\n";

typedef struct world {
    kata *k;
    kata_grid *g;
    kata_kernel *kernel;
    kata_field *u, *v;
} world;

static world open_world(const char *cache, const char *kernel)
{
    world w = {.k = kata_open(&(kata_options){.cache = cache, .threads = 2, .no_warnings = true})};
    assert_true(kata_ok(w.k));
    w.g = kata_grid_3d(w.k, SIDE, SIDE, SIDE);
    w.kernel = kata_kernel_find(kata_module_from_text(w.k, "k.kata", kernels), kernel);
    w.u = kata_field_new(w.g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w.v = kata_field_like(w.u, "v");
    return w;
}

static void run(world *w, int steps)
{
    for (int i = 0; i < steps; i++) {
        kata_apply(w->kernel, kata_all(w->g), w->u, w->v);
        kata_swap(w->u, w->v);
    }
    assert_int_equal(kata_flush(w->k), KATA_OK);
}

static tune_ways *find_ways(const world *w)
{
    tune_ways *found = NULL;
    for (int i = 0; i < CPU_KNOWN_CHAINS; i++)
        if (w->k->exec.cpu->ways[i].loops) found = &w->k->exec.cpu->ways[i];
    assert_non_null(found);
    if (found->plain) fail_msg("%s: %s", found->kernel, found->why);
    return found;
}

static const tune_ways *ways_of(const world *w) { return find_ways(w); }

/* Runs until the search has ended, which it does at once. */
static void run_out(world *w)
{
    int runs = 0;
    w->k->exec.tune = true;
    do {
        run(w, 500);
    } while (!ways_of(w)->rests && ++runs < 2000);
    assert_true(ways_of(w)->rests);
}

/* Kinds of chains that a program makes: where the queue is short, its last chain is shorter. */
enum { KINDS = HOSTILE(1, 2) };

static char *file_of(const char *cache)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/wisdom", cache);
    return path;
}

/* The entries of the file. */
static int count_kept(void)
{
    world w = open_world(folder, "heat");
    const char *lines = kata_wisdom_export(w.k);
    int count = -1;
    for (; *lines; lines++) count += *lines == '\n';
    kata_close(w.k);
    return count;
}

static void search_is_used_from_the_first_step_on(void **state)
{
    (void)state;
    world w = open_world(folder, "heat");
    run_out(&w);
    plan_request found = ways_of(&w)->ways[ways_of(&w)->best].request;
    assert_int_equal(kata_close(w.k), KATA_OK);
    assert_int_equal(count_kept(), KINDS);

    w = open_world(folder, "heat");
    run(&w, 20);
    const tune_ways *again = ways_of(&w);
    assert_true(again->rests);
    assert_int_equal(again->count, 1); /* nothing was tried */
    assert_true(plan_request_equal(&again->ways[0].request, &found));
    assert_int_equal(kata_close(w.k), KATA_OK);

    w = open_world(folder, "wave");
    run(&w, 20);
    assert_true(ways_of(&w)->count > 0 && !ways_of(&w)->rests);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* The search goes on after a pause, and the program may end then. */
static void ends_while_ways_are_tried_again(void **state)
{
    (void)state;
    world w = open_world(folder, "heat");
    run_out(&w);
    unlink(file_of(folder));
    tune_ways *found = find_ways(&w);
    for (int i = 0; i < found->count; i++) found->ways[i].known = false;
    found->rests = false;
    found->learned = true;
    assert_int_equal(kata_close(w.k), KATA_OK);
    assert_int_equal(count_kept(), 1);
}

static void other_threads_search_for_themselves(void **state)
{
    (void)state;
    wisdom kept = {0};
    world w = open_world(folder, "heat");
    assert_true(exec_wisdom_get(&w.k->exec, &kept));
    assert_true(kept.count > 0);
    for (size_t i = 0; i < kept.count; i++) kept.entries[i].threads++;
    assert_true(exec_wisdom_set(&w.k->exec, &kept));
    wisdom_free(&kept);
    run(&w, 20);
    assert_false(ways_of(&w)->rests);
    kata_close(w.k);
}

static void what_processes_find_at_once_is_kept(void **state)
{
    (void)state;
    unlink(file_of(folder));
    world a = open_world(folder, "heat"), b = open_world(folder, "wave");
    run_out(&a);
    run_out(&b);
    kata_close(a.k);
    kata_close(b.k);
    assert_int_equal(count_kept(), 2 * KINDS);
}

static void a_switch_turns_it_off(void **state)
{
    (void)state;
    unlink(file_of(folder));
    setenv("KATA_WISDOM", "0", 1);
    world w = open_world(folder, "heat");
    run_out(&w);
    kata_close(w.k);
    unsetenv("KATA_WISDOM");
    assert_int_equal(access(file_of(folder), F_OK), -1);
}

static void a_damaged_file_costs_a_new_search(void **state)
{
    (void)state;
    static const char good[] =
        "chain %016llx machine %s threads 2 version 0.1.0 loops 5 nanoseconds 7 settled 1 kernel "
        "heat grid 32x32x32 plan %s\n";
    static const char *const wrong[] = {"blocked parts.x=1000000000",
                                        "tiled cache=1 threads=2",
                                        "tiled cache=1099511627776 threads=2",
                                        "tiled cache=16384 threads=3",
                                        "tiled cache=16384 threads=2 depth=1073741824",
                                        "skewed y=1",
                                        "tiled",
                                        "",
                                        "tiled cache=16384 threads=2 \x01"};
    unlink(file_of(folder));
    world w = open_world(folder, "heat");
    run_out(&w);
    kata_close(w.k);
    w = open_world(folder, "heat");
    wisdom kept = {0};
    assert_true(exec_wisdom_get(&w.k->exec, &kept));
    const wisdom_entry e = kept.entries[0];
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        text lines = {0};
        text_add(&lines, "katagami wisdom 2\n");
        text_add(&lines, good, (unsigned long long)e.chain, e.machine, wrong[i]);
        assert_int_equal(file_write(file_of(folder), lines.data, lines.length), 0);
        world other = open_world(folder, "heat");
        run(&other, 20);
        assert_false(ways_of(&other)->rests);
        assert_int_equal(kata_close(other.k), KATA_OK);
        text_free(&lines);
    }
    for (size_t i = 0; i < 300; i++) { /* bytes of a right file changed */
        text lines = {0};
        wisdom_print(&lines, &kept);
        lines.data[i * 7919 % lines.length] = (char)(i * 31);
        assert_int_equal(file_write(file_of(folder), lines.data, lines.length), 0);
        wisdom found = {0};
        assert_true(exec_wisdom_get(&w.k->exec, &found));
        assert_true(found.count <= 2);
        wisdom_free(&found);
        text_free(&lines);
    }
    wisdom_free(&kept);
    kata_close(w.k);
}

static void nothing_is_kept_where_nothing_can_be(void **state)
{
    (void)state;
    unlink(file_of(folder));
    world w = open_world(folder, "heat");
    assert_int_equal(mkdir(file_of(folder), 0700), 0); /* where the file should be */
    run_out(&w);
    assert_int_equal(kata_close(w.k), KATA_OK);
    assert_int_equal(rmdir(file_of(folder)), 0);
    w = open_world("/dev/null/none", "heat");
    run_out(&w);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* ---- text ------------------------------------------------------------------------------------ */

static wisdom_entry entry_for(uint64_t chain, int64_t nanoseconds)
{
    return (wisdom_entry){.chain = chain,
                          .grid = {8, 4, 1},
                          .machine = "0123456789abcdef0123456789abcdef",
                          .threads = 2,
                          .version = "0.1.0",
                          .nanoseconds = nanoseconds,
                          .kernel = "heat",
                          .request = {.method = "tiled", .cache = 4096, .threads = 2}};
}

static void text_says_all(void **state)
{
    (void)state;
    wisdom w = {0}, again = {0};
    text first = {0}, second = {0};
    for (uint64_t i = 1; i <= 5; i++) {
        wisdom_entry e = entry_for(i << 60 | i, 1000 * (int64_t)i);
        e.settled = i % 2;
        e.request.depth = (int64_t)i;
        assert_true(wisdom_add(&w, &e, false));
    }
    wisdom_print(&first, &w);
    assert_int_equal(wisdom_read(&again, text_get(&first), false), 0);
    wisdom_print(&second, &again);
    assert_string_equal(text_get(&first), text_get(&second));
    text_add(&second, "chain x\n");
    assert_int_equal(wisdom_read(&again, text_get(&second), false), 7);
    assert_int_equal(wisdom_read(&again, "katagami wisdom 1\n", false), 1);
    assert_int_equal(wisdom_read(&again, "", false), 1);
    assert_int_equal(again.count, 5);
    text_free(&first);
    text_free(&second);
    wisdom_free(&w);
    wisdom_free(&again);
}

static void the_faster_stays_and_the_oldest_goes(void **state)
{
    (void)state;
    wisdom w = {0};
    for (int64_t time = 3; time >= 1; time--) {
        wisdom_entry e = entry_for(1, 1000 * (time == 2 ? 9 : time));
        assert_true(wisdom_add(&w, &e, true));
        assert_int_equal(w.count, 1);
        assert_int_equal(w.entries[0].nanoseconds, time == 1 ? 1000 : 3000);
    }
    for (uint64_t i = 2; i < WISDOM_MOST + 5; i++) {
        wisdom_entry e = entry_for(i, 1);
        assert_true(wisdom_add(&w, &e, false));
    }
    assert_int_equal(w.count, WISDOM_MOST);
    assert_int_equal(w.entries[0].chain, 5);
    assert_int_equal(wisdom_forget(&w, "wave"), 0);
    assert_int_equal(wisdom_forget(&w, "heat"), WISDOM_MOST);
    wisdom_free(&w);
}

static void texts_are_imported_whole_or_not(void **state)
{
    (void)state;
    static char message[1000];
    unlink(file_of(folder));
    world w = open_world(folder, "heat");
    wisdom kept = {0};
    text lines = {0};
    wisdom_entry e = entry_for(7, 5000);
    assert_true(wisdom_add(&kept, &e, false));
    wisdom_print(&lines, &kept);
    assert_int_equal(kata_wisdom_import(w.k, lines.data, false), KATA_OK);
    kept.entries[0].nanoseconds = 9000;
    text_clear(&lines);
    wisdom_print(&lines, &kept);
    const char *slower = lines.data;
    assert_int_equal(kata_wisdom_import(w.k, slower, false), KATA_OK);
    assert_non_null(strstr(kata_wisdom_export(w.k), "nanoseconds 5000"));
    assert_int_equal(kata_wisdom_import(w.k, slower, true), KATA_OK);
    assert_non_null(strstr(kata_wisdom_export(w.k), "nanoseconds 9000"));
    assert_non_null(strstr(kata_wisdom_list(w.k), "heat"));
    assert_int_equal(kata_wisdom_forget(w.k, "wave"), 0);
    assert_int_equal(kata_wisdom_forget(w.k, NULL), 1);
    assert_int_equal(kata_wisdom_import(w.k, "katagami wisdom 2\nchain 7\n", false),
                     KATA_ERROR_FILE);
    snprintf(message, sizeof message, "%s", kata_error_message(w.k));
    assert_non_null(strstr(message, "line 2 is none of kata_wisdom_export"));
    wisdom_free(&kept);
    text_free(&lines);
    kata_close(w.k);
    assert_int_equal(count_kept(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_is_used_from_the_first_step_on),
        cmocka_unit_test(ends_while_ways_are_tried_again),
        cmocka_unit_test(other_threads_search_for_themselves),
        cmocka_unit_test(what_processes_find_at_once_is_kept),
        cmocka_unit_test(a_switch_turns_it_off),
        cmocka_unit_test(a_damaged_file_costs_a_new_search),
        cmocka_unit_test(nothing_is_kept_where_nothing_can_be),
        cmocka_unit_test(text_says_all),
        cmocka_unit_test(the_faster_stays_and_the_oldest_goes),
        cmocka_unit_test(texts_are_imported_whole_or_not),
    };
    setenv("KATA_L2", "16384", 1); /* so that small grids have tiles */
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_folder(folder);
    return failed;
}
