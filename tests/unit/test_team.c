/* A team's threads: each on a core of its own where the team has all cores, the caller's affinity
 * as it was, and none of them busy while there is nothing to do. */
/* Labels: threads */
#include "machine/machine.h"
#include "sweep/sweep.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 64 };

typedef struct observed {
    cpu_set_t cores[MOST];
    bool ran[MOST];
} observed;

static void look(void *data, int thread)
{
    observed *o = data;
    sched_getaffinity(0, sizeof o->cores[thread], &o->cores[thread]);
    o->ran[thread] = true;
    usleep(1000); /* so that all members have a turn */
}

static bool all_ran(const observed *o, int threads)
{
    bool all = true;
    for (int t = 0; t < threads; t++) all = all && o->ran[t];
    return all;
}

/* What the threads of a team see. */
static observed observe(int threads)
{
    static observed o;
    o = (observed){0};
    struct sweep_team *team = sweep_team_new(threads);
    assert_non_null(team);
    for (int i = 0; i < 1000 && !all_ran(&o, threads); i++)
        sweep_team_run(team, threads, look, &o); /* members that are late do not take part */
    sweep_team_free(team);
    return o;
}

static int cores_or_skip(void)
{
    int cores = machine_cores();
    if (cores < 2 || cores > MOST) skip();
    return cores;
}

static void members_have_cores_of_their_own(void **state)
{
    (void)state;
    int cores = cores_or_skip();
    cpu_set_t before, after, all;
    sched_getaffinity(0, sizeof before, &before);
    observed o = observe(cores);
    sched_getaffinity(0, sizeof after, &after);
    assert_true(CPU_EQUAL(&before, &after));
    CPU_ZERO(&all);
    for (int t = 1; t < cores; t++) {
        assert_true(o.ran[t]);
        assert_int_equal(CPU_COUNT(&o.cores[t]), 1);
        CPU_OR(&all, &all, &o.cores[t]);
    }
    assert_int_equal(CPU_COUNT(&all), cores - 1);
    CPU_AND(&after, &after, &all);
    assert_true(CPU_EQUAL(&after, &all)); /* of those that the caller may use */
}

/* Where others may share the cores, and where the environment says so, the system decides. */
static void smaller_and_larger_teams_are_not_bound(void **state)
{
    (void)state;
    int cores = cores_or_skip(), sizes[] = {cores + 1, cores - 1, cores};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        if (i == 2) setenv("OMP_PROC_BIND", "FALSE", 1);
        observed o = observe(sizes[i]);
        for (int t = 1; t < sizes[i]; t++) assert_int_equal(CPU_COUNT(&o.cores[t]), cores);
    }
    unsetenv("OMP_PROC_BIND");
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void idle_threads_sleep(void **state)
{
    (void)state;
    observed o = {0};
    struct sweep_team *team = sweep_team_new(4);
    assert_non_null(team);
    sweep_team_run(team, 4, look, &o);
    usleep(20000);
    double before = processor_time();
    usleep(300000);
    assert_true(processor_time() - before < 0.1);
    sweep_team_free(team);
}

/* Members that have just fallen asleep, or are about to, are found: a team ends, whatever came
 * before. Work is done also where no member comes in time. */
static void count_calls(void *data, int thread)
{
    (void)thread;
    atomic_fetch_add((atomic_int *)data, 1);
}

static void nobody_is_forgotten(void **state)
{
    (void)state;
    alarm(100);
    for (int trial = 0; trial < 60; trial++) {
        int threads = 2 + trial % 6;
        struct sweep_team *team = sweep_team_new(threads);
        assert_non_null(team);
        for (int i = 0; i < 200; i++) {
            atomic_int calls = 0;
            sweep_team_run(team, 1 + i % threads, count_calls, &calls);
            assert_in_range(calls, 1, 1 + i % threads);
            if (i % 50 == trial % 50) usleep(200);
        }
        sweep_team_free(team);
    }
    alarm(0);
}

/* The number of threads: KATA_THREADS, or OMP_NUM_THREADS, also as a list, if it makes sense. */
static void the_environment_says_how_many(void **state)
{
    static const struct {
        const char *kata, *openmp;
        int expected; /* 0: that of cores */
    } cases[] = {{NULL, "3", 3}, {NULL, "5,2", 5}, {"2", "3", 2}, {NULL, "-1", 0}, {NULL, "x", 0}};
    (void)state;
    const char *before = environment_get("OMP_NUM_THREADS");
    char *openmp = before ? strdup(before) : NULL;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        kata_machine machine;
        unsetenv("KATA_THREADS");
        if (cases[i].kata) setenv("KATA_THREADS", cases[i].kata, 1);
        setenv("OMP_NUM_THREADS", cases[i].openmp, 1);
        kata *k = kata_open(NULL);
        assert_int_equal(kata_machine_get(k, &machine), KATA_OK);
        int expected = cases[i].expected ? cases[i].expected : machine_cores();
        assert_int_equal(machine.threads, expected);
        kata_close(k);
    }
    unsetenv("KATA_THREADS");
    unsetenv("OMP_NUM_THREADS");
    if (openmp) setenv("OMP_NUM_THREADS", openmp, 1);
    free(openmp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_have_cores_of_their_own),
        cmocka_unit_test(smaller_and_larger_teams_are_not_bound),
        cmocka_unit_test(idle_threads_sleep),
        cmocka_unit_test(nobody_is_forgotten),
        cmocka_unit_test(the_environment_says_how_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
