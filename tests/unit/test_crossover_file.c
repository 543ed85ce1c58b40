/* What loops have found out about stores is kept in the cache folder, and believed only if nobody
 * else can have written it. */
#include "api/api.h"
#include "exec/cpu.h"
#include "jit_world.h"

static char folder[] = "/tmp/kata-crossover-XXXXXX";

static kata *open_context(void)
{
    kata *k = kata_open(&(kata_options){.cache = folder, .threads = 2});
    assert_true(kata_ok(k));
    return k;
}

/* A context that has run something. */
static kata *open_used(void)
{
    kata *k = open_context();
    kata_grid *grid = kata_grid_1d(k, 10);
    kata_module *module =
        kata_module_from_text(k, "one.kata", "kernel one(out double u) { u = 1; }");
    kata_field *u = kata_field_new(grid, "u", KATA_F64);
    kata_apply(kata_kernel_find(module, "one"), kata_all(grid), u);
    assert_int_equal(kata_flush(k), KATA_OK);
    return k;
}

static void expect(int64_t plain, int64_t streaming)
{
    kata_machine machine;
    kata *k = open_context();
    assert_int_equal(kata_machine_get(k, &machine), KATA_OK);
    assert_int_equal(machine.plain_stores, plain);
    assert_int_equal(machine.streaming_stores, streaming);
    kata_close(k);
}

static const char *only_file(char path[4096])
{
    DIR *d = opendir(folder);
    const struct dirent *entry;
    path[0] = '\0';
    while ((entry = readdir(d)))
        if (strncmp(entry->d_name, "crossover-", 10) == 0)
            snprintf(path, 4096, "%s/%s", folder, entry->d_name);
    closedir(d);
    assert_true(path[0]);
    return path;
}

static void learn(int64_t bytes, bool streaming)
{
    kata *k = open_used();
    cpu_crossover_load(k->exec.cpu);
    machine_crossover_note(sweep_workers_crossover(k->exec.cpu->workers), bytes, streaming);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void what_is_found_out_is_kept(void **state)
{
    (void)state;
    expect(0, 0);
    learn(1 << 26, true);
    expect(0, 1 << 26);
    learn(1 << 24, false);
    expect(1 << 24, 1 << 26);
    assert_int_equal(count_in(folder, "crossover-"), 1);
}

static void a_context_sees_what_it_has_found_out(void **state)
{
    (void)state;
    kata_machine machine;
    kata *k = open_used();
    cpu_crossover_load(k->exec.cpu);
    machine_crossover_note(sweep_workers_crossover(k->exec.cpu->workers), 1 << 25, true);
    assert_int_equal(kata_machine_get(k, &machine), KATA_OK);
    assert_int_equal(machine.streaming_stores, 1 << 25);
    kata_close(k);
}

static void a_damaged_file_says_nothing(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "plain 5 streaming", "plain 9 streaming 8\n", "\xff\n"};
    char path[4096];
    learn(1 << 26, true);
    only_file(path);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_int_equal(file_write(path, wrong[i], strlen(wrong[i])), 0);
        expect(0, 0);
    }
    assert_int_equal(file_write(path, "plain 5 streaming 8\n\0", 21), 0);
    expect(0, 0);
    assert_int_equal(file_write(path, "plain 5 streaming 8\n", 20), 0);
    expect(5, 8);
    assert_int_equal(chmod(path, 0622), 0);
    expect(0, 0);
    assert_int_equal(unlink(path), 0);
    expect(0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_out_is_kept),
        cmocka_unit_test(a_context_sees_what_it_has_found_out),
        cmocka_unit_test(a_damaged_file_says_nothing),
    };
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_folder(folder);
    return failed;
}
