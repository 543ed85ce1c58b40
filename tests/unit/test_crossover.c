/* The size from which on streaming stores are faster is learned from loops, and kept as text. */
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const int64_t MIB = 1 << 20;

static void nothing_is_known_at_first(void **state)
{
    (void)state;
    assert_int_equal(machine_crossover_bytes(&(machine_crossover){0}), 0);
}

/* Loops of all sizes on a machine whose crossover is at 48 MiB. */
static void loops_close_in_on_it(void **state)
{
    (void)state;
    static const int64_t sizes[] = {512, 4, 128, 16, 256, 8, 64, 32, 40};
    machine_crossover c = {0};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        machine_crossover_note(&c, sizes[i] * MIB, sizes[i] > 48);
    assert_true(c.changed);
    assert_int_equal(c.plain, 40 * MIB);
    assert_int_equal(c.streaming, 64 * MIB);
    assert_in_range(machine_crossover_bytes(&c), 40 * MIB, 64 * MIB);
}

static void one_side_gives_a_first_idea(void **state)
{
    (void)state;
    machine_crossover plain = {0}, streaming = {0};
    machine_crossover_note(&plain, 8 * MIB, false);
    machine_crossover_note(&streaming, 8 * MIB, true);
    assert_true(machine_crossover_bytes(&plain) > 8 * MIB);
    assert_in_range(machine_crossover_bytes(&streaming), 1, 8 * MIB - 1);
}

/* What runs show now counts more than what was known. */
static void a_contradiction_moves_the_other_bound(void **state)
{
    (void)state;
    machine_crossover c = {.plain = 32 * MIB, .streaming = 64 * MIB};
    machine_crossover_note(&c, 8 * MIB, true);
    assert_int_equal(c.streaming, 8 * MIB);
    assert_int_equal(c.plain, 4 * MIB);
    machine_crossover_note(&c, 256 * MIB, false);
    assert_int_equal(c.plain, 256 * MIB);
    assert_int_equal(c.streaming, 512 * MIB);
}

static void what_is_known_already_changes_nothing(void **state)
{
    (void)state;
    machine_crossover c = {.plain = 32 * MIB, .streaming = 64 * MIB};
    machine_crossover_note(&c, 16 * MIB, false);
    machine_crossover_note(&c, 128 * MIB, true);
    machine_crossover_note(&c, 0, true);
    machine_crossover_note(&c, INT64_MAX, false);
    assert_false(c.changed);
    assert_int_equal(c.plain, 32 * MIB);
    assert_int_equal(c.streaming, 64 * MIB);
}

static void text_keeps_it(void **state)
{
    (void)state;
    text line = {0};
    machine_crossover c = {.plain = 5 * MIB, .streaming = 77 * MIB, .changed = true}, read = {0};
    machine_crossover_print(&line, &c);
    assert_true(machine_crossover_read(text_get(&line), &read));
    assert_int_equal(read.plain, c.plain);
    assert_int_equal(read.streaming, c.streaming);
    assert_false(read.changed);
    text_free(&line);
}

static void other_text_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "plain",
                                        "plain 1 streaming",
                                        "plain 1 streaming 2",
                                        "plain 1 streaming 2 \n",
                                        "plain 1 streaming 2\n3",
                                        "plain -1 streaming 2\n",
                                        "plain 2 streaming 2\n",
                                        "plain 3 streaming 2\n",
                                        "plain 1 streaming 99999999999999999999999\n",
                                        "plain 1 streaming 900000000000000000\n",
                                        "streaming 1 plain 2\n"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        machine_crossover c = {.plain = 1, .streaming = 2};
        assert_false(machine_crossover_read(wrong[i], &c));
        assert_int_equal(c.plain, 1);
    }
    machine_crossover c;
    assert_true(machine_crossover_read("plain 0 streaming 4096\n", &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_at_first),
        cmocka_unit_test(loops_close_in_on_it),
        cmocka_unit_test(one_side_gives_a_first_idea),
        cmocka_unit_test(a_contradiction_moves_the_other_bound),
        cmocka_unit_test(what_is_known_already_changes_nothing),
        cmocka_unit_test(text_keeps_it),
        cmocka_unit_test(other_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
