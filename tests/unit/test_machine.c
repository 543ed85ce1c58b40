/* What is found about the machine is plausible, and the key of its processor does not change. */
#include "machine/machine.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void cores_are_those_this_process_may_use(void **state)
{
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    int cores = machine_cores();
    assert_int_equal(cores, CPU_COUNT(&all));

    int core = 0;
    while (!CPU_ISSET(core, &all)) core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    int restricted = machine_cores();
    machine m;
    machine_detect(&m);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(restricted, 1);
    assert_int_equal(m.cores, 1);
    assert_int_equal(machine_cores(), cores);
}

static void key_is_the_same_on_every_core(void **state)
{
    (void)state;
    cpu_set_t all;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    text first = {0}, other = {0};
    machine_cpu_key(&first);
    assert_false(first.failed);
    assert_true(first.length > 8);
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &all)) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        text_clear(&other);
        machine_cpu_key(&other);
        assert_string_equal(text_get(&other), text_get(&first));
    }
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    text_free(&first);
    text_free(&other);
}

static void key_is_appended(void **state)
{
    (void)state;
    text alone = {0}, behind = {0};
    machine_cpu_key(&alone);
    text_add(&behind, "gcc ");
    machine_cpu_key(&behind);
    assert_memory_equal(text_get(&behind), "gcc ", 4);
    assert_string_equal(text_get(&behind) + 4, text_get(&alone));
    text_free(&alone);
    text_free(&behind);
}

static void what_is_found_is_plausible(void **state)
{
    (void)state;
    static const char *const simd[] = {"AVX-512", "AVX2", "AVX", "SSE2", "NEON", "none"};
    machine m;
    memset(&m, 0x55, sizeof m);
    machine_detect(&m);
    bool known = false;
    for (size_t i = 0; i < COUNT_OF(simd); i++) known = known || strcmp(m.simd, simd[i]) == 0;
    assert_true(known);
    assert_true(memchr(m.cpu, '\0', sizeof m.cpu) != NULL);
    assert_true(m.memory > (int64_t)1 << 24);
    assert_true(m.l1 >= 0 && m.l1 <= 1 << 20);
    assert_true(m.l2 == 0 || m.l2 >= m.l1);
    assert_true(m.l3 == 0 || m.l3 >= m.l1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_are_those_this_process_may_use),
        cmocka_unit_test(key_is_the_same_on_every_core),
        cmocka_unit_test(key_is_appended),
        cmocka_unit_test(what_is_found_is_plausible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
