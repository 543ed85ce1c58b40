/* Descriptions of emulated machines: those that come with the library are right, others are refused
 * with the line and what is wrong in it. */
#include "kata/kata.h"
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WHOLE "siblings 4\nmemory 64k\nget 0 1e9\nput 0 1e9\ndirect 1e9\noperations 1e9\n"

#define LOCAL "siblings 4\nmemory 64k\nfields local\nexchange 1e9\noperations 1e9\n"

static void check_refused(const char *words, const char *expected)
{
    machine_emulated m;
    text why = {0};
    if (machine_emulated_read(words, strlen(words), "test", &m, &why))
        fail_msg("accepted: %s", words);
    assert_string_equal(text_get(&why), expected);
    text_free(&why);
}

static void test_faults_are_named_by_line(void **unused)
{
    (void)unused;
    check_refused("", "it has no 'siblings'");
    check_refused("siblings 4\n", "it has no 'memory'");
    check_refused(WHOLE "siblings 5\n", "line 7: 'siblings' is given twice, first in line 1");
    check_refused("siblings 0\n",
                  "line 1: '0' of 'siblings' is not a whole number from 1 to 32768");
    check_refused("siblings 1.5\n",
                  "line 1: '1.5' of 'siblings' is not a whole number from 1 to 32768");
    check_refused("siblings four\n", "line 1: 'four' of 'siblings' is no number");
    check_refused("# a comment\n\nsiblings\n", "line 3: 'siblings' needs one value");
    check_refused("siblings 4 cores\n", "line 1: 'siblings' needs one value");
    check_refused("siblings 4 calibrated now\n", "line 1: 'siblings' needs one value");
    check_refused("memory 64K\n", "line 1: '64K' of 'memory' is no number");
    check_refused("memory 1e30\n", "line 1: '1e30' of 'memory' is not a number from 1 to 1e+15");
    check_refused("memory nan\n", "line 1: 'nan' of 'memory' is no number");
    check_refused("latency -1\n", "line 1: '-1' of 'latency' is not a number from 0 to 1e+06");
    check_refused("get 64\n", "line 1: 'get' needs a length and a rate");
    check_refused("get 64 1e9\nget 32 2e9\n",
                  "line 2: lengths of 'get' do not ascend: 32 follows 64");
    check_refused("order random\n", "line 1: 'order' is 'random', not get-first or get-last");
    check_refused(WHOLE "free 65k\n", "'free' is 66560 bytes of a 'memory' of 65536");
    check_refused(WHOLE "group 4\n", "'group' of more than one and 'pass' need one another");
    check_refused(WHOLE "pass 1e9\n", "'group' of more than one and 'pass' need one another");
    check_refused(LOCAL "chips 2\n", "'chips' of more than one and 'between' need one another");
    check_refused(LOCAL "chips 3\nbetween 1e9\n",
                  "3 'chips' do not have equally many of 4 'siblings'");
    check_refused(LOCAL "get 0 1e9\n", "line 6: 'get' means nothing where fields are local");
    check_refused(WHOLE "exchange 1e9\n",
                  "line 7: 'exchange' means nothing where fields are global");
    check_refused("siblings 4\nmemory 64k\nfields local\noperations 1e9\n", "it has no 'exchange'");
    check_refused("fields here\n", "line 1: 'fields' is 'here', not global or local");
    check_refused("siblings 4\nsiblings\x01 5\n", "line 2: it has bytes that are no text");
}

static void check_key(const char *words, const char *beginning)
{
    machine_emulated m;
    text why = {0};
    assert_false(machine_emulated_read(words, strlen(words), "test", &m, &why));
    assert_memory_equal(text_get(&why), beginning, strlen(beginning));
    text_free(&why);
}

static void test_lines_and_lists_are_bounded(void **unused)
{
    char line[1000], rates[2000] = "";
    (void)unused;
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\0';
    check_refused(line, "line 1: it is longer than 399 characters");
    line[60] = '\0';
    check_refused(line, "line 1: a word is longer than 39 characters");
    for (int i = 0; i < 17; i++) sprintf(rates + strlen(rates), "get %d 1e9\n", i);
    check_refused(rates, "line 17: 'get' has more than 16 rates");
    check_key("sibling 4\n", "line 1: 'sibling' means nothing; keys are about, siblings, memory,");
}

static void test_numbers_and_rates_are_read(void **unused)
{
    static const char words[] = WHOLE "  # all of it\nfree 1.5k calibrated # yes\nget 100 3e9\n";
    machine_emulated m;
    text why = {0};
    (void)unused;
    assert_true(machine_emulated_read(words, strlen(words), "test", &m, &why));
    assert_int_equal(m.memory, 65536);
    assert_int_equal(m.free, 1536);
    assert_string_equal(m.calibrated, "free");
    assert_true(machine_rate_at(&m.get, 50) == 2e9);
    assert_true(machine_rate_at(&m.get, 200) == 3e9);
    assert_true(machine_rate_at(&m.both, 0) == 1e9);
}

static void test_shipped_machines_are_right(void **unused)
{
    machine_emulated m;
    text why = {0};
    (void)unused;
    for (int i = 0; machine_shipped_name(i); i++) {
        if (!machine_emulated_find(machine_shipped_name(i), &m, &why))
            fail_msg("%s", text_get(&why));
        assert_string_equal(m.name, machine_shipped_name(i));
        assert_true(*m.about);
    }
    assert_false(machine_emulated_find("deep-thought", &m, &why));
    text_free(&why);
}

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(data, 400, "%s", message);
}

static void check_open(const kata_options *options, const char *expected)
{
    char message[400] = "";
    kata_options o = *options;
    o.handler = keep_message;
    o.handler_data = message;
    kata *k = kata_open(&o);
    if (k) kata_close(k);
    assert_string_equal(message, expected);
}

static void test_machines_of_programs(void **unused)
{
    (void)unused;
    check_open(&(kata_options){.machine = "mppa256"}, "");
    check_open(&(kata_options){.machine = "mppa256", .executor = "cpu"}, "");
    check_open(
        &(kata_options){.machine = "pdp11"},
        "error: the machine: there is no machine 'pdp11'; it can be ipu, mppa256, sw26010, or the "
        "path of a file, as ./pdp11.machine");
    check_open(&(kata_options){.machine = "./none.machine"},
               "error: the machine: cannot read ./none.machine: No such file or directory");
    check_open(&(kata_options){.executor = "scratchpad"},
               "error: the executor 'scratchpad' needs a machine: kata_options.machine, or "
               "KATA_MACHINE, such as 'sw26010'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults_are_named_by_line),
        cmocka_unit_test(test_lines_and_lists_are_bounded),
        cmocka_unit_test(test_numbers_and_rates_are_read),
        cmocka_unit_test(test_shipped_machines_are_right),
        cmocka_unit_test(test_machines_of_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
