/* A program forks while threads of it open and close contexts: the new process does so, too,
 * whatever the threads were about to do.
 *
 * Labels: threads */
#include "io/io.h"
#include "kata/kata.h"
#include "sanitized.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { FORKS = 400, LONGEST = 20 }; /* seconds */
static atomic_bool ends;

static void *write_behind(void *nothing)
{
    while (!atomic_load(&ends)) io_behind_free(io_behind_new(1000));
    return nothing;
}

static void wait_for_signals(void)
{
    kata *k = kata_open(NULL);
    kata_checkpoint(k, "none.h5", .signal = SIGUSR1);
    kata_close(k);
}

static void *checkpoint(void *nothing)
{
    while (!atomic_load(&ends)) wait_for_signals();
    return nothing;
}

/* A process that was forked while a thread runs does the same once. */
static void fork_beside(void *(*run)(void *), void (*once)(void), int forks)
{
    pthread_t thread;
    if (is_sanitized()) skip(); /* a sanitizer's own locks are not free after a fork */
    atomic_store(&ends, false);
    assert_int_equal(pthread_create(&thread, NULL, run, NULL), 0);
    for (int i = 0; i < forks; i++) {
        int ended;
        pid_t child = fork();
        if (child == 0) {
            alarm(LONGEST);
            once();
            _exit(0);
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    }
    atomic_store(&ends, true);
    pthread_join(thread, NULL);
}

static void begin_behind(void) { io_behind_free(io_behind_new(1000)); }

static void test_a_forked_process_writes_behind(void **state)
{
    (void)state;
    fork_beside(write_behind, begin_behind, FORKS);
}

static void test_a_forked_process_waits_for_signals(void **state)
{
    (void)state;
    fork_beside(checkpoint, wait_for_signals, FORKS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_forked_process_writes_behind),
        cmocka_unit_test(test_a_forked_process_waits_for_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
